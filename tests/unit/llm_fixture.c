#include "llm_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The figures stand in facts of the DATE'22 temperature study and of DAC'19; the texts are ours. */
static struct wi_item item(enum wi_item_kind kind, const char *id, const char *source, double score,
                           const char *title, const char *summary)
{
    struct wi_item i = {.kind = kind, .score = score, .embedded = true};

    snprintf(i.id, sizeof(i.id), "%s", id);
    snprintf(i.source, sizeof(i.source), "%s", source);
    i.title = (char *)(uintptr_t)title;
    i.summary = (char *)(uintptr_t)summary;
    return i;
}

static struct wi_change change(double percentile, double mid, double low, double high)
{
    return (struct wi_change){percentile, mid, low, high, NAN, NAN, NAN};
}

void llm_fixture_init(struct llm_fixture *f)
{
    static const double percentiles[] = {99, 99.9};

    memset(f, 0, sizeof(*f));
    wi_scenario_init(&f->scenario);
    f->scenario.nand = WI_NAND_TLC;
    f->scenario.op = WI_OP_READ;
    f->scenario.given = WI_F_NAND | WI_F_OP;
    wi_scenario_set_percentiles(&f->scenario, percentiles, 2, NULL);
    wi_scenario_parse_temp(&f->scenario, "22.5:60", NULL);
    wi_scenario_complete(&f->scenario, NULL);

    f->evidence[0] = item(WI_ITEM_EXPERIMENT, "DATE22-TLC-heat-running", "DATE22", 0.9,
                          "TLC, mixed, running; 22.5 C -> 60 C, 50 %RH",
                          "tail latency p90 -35 %, p95 -28 %, p99 -15 %, p99.9 -7 %, p99.99 -2 %; "
                          "bandwidth +60 % to +67 %");
    f->evidence[1] = item(WI_ITEM_EXPERIMENT, "DATE22-MLC-heat-running", "DATE22", 0.7,
                          "MLC, mixed, running; 22.5 C -> 60 C, 50 %RH",
                          "tail latency p99 -10 %, p99.9 -4 %; bandwidth +3 %");
    f->evidence[2] = item(WI_ITEM_EXPERIMENT, "DATE22-TLC-cold", "DATE22", 0.5,
                          "TLC, mixed, running; 60 C -> 22.5 C",
                          "bandwidth loses 35 % to 65 %; box plot -65/-62/-55/-50/-40 %");
    f->evidence[3] = item(WI_ITEM_EXPERIMENT, "DAC19-B-parallel-running", "DAC19", 0.2,
                          "undisclosed NAND, read, running; vibration parallel 20 Hz",
                          "tail latency p99 -0.6 %, p99.9 -1.1 %, p99.99 +0.3 %");
    f->principles[0] =
        item(WI_ITEM_PRINCIPLE, "hot-programming", "Chen21", 0.8, "Charge moves faster when hot",
             "Program and erase need fewer pulses in a warm cell; reads see fewer "
             "raw errors, so fewer retries.");
    f->principles[1] = item(WI_ITEM_PRINCIPLE, "throttling", "NVMe", 0.6, "Throttling above 77 C",
                            "From TMT1 on a drive lowers its own speed; 77 C is a common limit.");
    f->principles[2] = item(WI_ITEM_PRINCIPLE, "retention", "JESD218", 0.3, "Retention",
                            "Stored charge leaks faster when hot, so later reads need retries.");
    f->examples[0] = item(WI_ITEM_EXPERIMENT, "X-example", "OTHER", 0.1,
                          "MLC, write, running; 25 C -> 40 C", "tail latency p99 -3 %");
    f->estimate.tail[0] = change(99, -14.0, -25.0, -2.0);
    f->estimate.tail[1] = change(99.9, -6.5, -18.0, 6.0);
    f->estimate.n_tail = 2;
    f->estimate.bandwidth = change(NAN, 55.0, 20.0, 90.0);
    f->estimate.domain = WI_DOMAIN_INSIDE;
    f->in = (struct wi_prompt_input){.question = "What does 60 C do to a TLC drive?",
                                     .scenario = &f->scenario,
                                     .evidence = f->evidence,
                                     .n_evidence = 4,
                                     .principles = f->principles,
                                     .n_principles = 3,
                                     .estimate = &f->estimate,
                                     .examples = f->examples,
                                     .n_examples = 1,
                                     .measured_tail_pct = {-65, 75},
                                     .measured_bandwidth_pct = {-85, 67}};
}

const char llm_good_reply[] =
    "{\"reasoning\":["
    "{\"step\":\"device\",\"text\":\"A TLC drive reads slowly and retries "
    "often.\",\"cites\":[\"P1\"]},"
    "{\"step\":\"exposure\",\"text\":\"Air goes from 22.5 C to 60 C.\",\"cites\":[\"E1\"]},"
    "{\"step\":\"mechanism\",\"text\":\"Fewer retries in a warm cell; 77 C is not reached.\","
    "\"cites\":[\"P1\",\"P2\"]},"
    "{\"step\":\"evidence\",\"text\":\"E1 measured -15 % at p99 and -7 % at p99.9; for MLC it was "
    "-10 %.\",\"cites\":[\"E1\",\"DATE22-MLC-heat-running\"]},"
    "{\"step\":\"percentile\",\"text\":\"The effect shrinks with rank, from -15 % to -7 %.\","
    "\"cites\":[\"E1\"]},"
    "{\"step\":\"bandwidth\",\"text\":\"Bandwidth rises by about 60 %.\",\"cites\":[\"E1\"]},"
    "{\"step\":\"limits\",\"text\":\"One study only.\",\"cites\":[]}],"
    "\"tail_latency\":{\"99\":{\"change_pct\":-15,\"low_pct\":-24,\"high_pct\":-4},"
    "\"99.9\":{\"change_pct\":-7,\"low_pct\":-16,\"high_pct\":4}},"
    "\"bandwidth\":{\"change_pct\":60,\"low_pct\":30,\"high_pct\":66}}";

struct entry {
    char *key, *value, *request;
    size_t n;
    int status;
    struct entry *next;
};

struct llm_log {
    struct wi_reply_log table;
    struct entry *replies, *facts;
    char *dump;
};

static struct entry *find(struct entry *e, const char *key)
{
    while (e && strcmp(e->key, key) != 0)
        e = e->next;
    return e;
}

static void put(struct entry **list, const char *key, const void *value, size_t n, int status,
                const char *request)
{
    struct entry *e = find(*list, key);

    if (!e) {
        e = calloc(1, sizeof(*e));
        e->key = strdup(key);
        e->next = *list;
        *list = e;
    }
    free(e->value);
    free(e->request);
    e->value = calloc(1, n + 1);
    memcpy(e->value, value, n);
    e->n = n;
    e->status = status;
    e->request = strdup(request);
}

static enum wi_status log_find(struct wi_reply_log *log, const char *key, char **response,
                               size_t *n, int *status, struct wi_err *err)
{
    struct entry *e = find(((struct llm_log *)log->ctx)->replies, key);

    if (!e)
        return wi_fail(err, WI_ENOTFOUND, "no reply");
    *response = calloc(1, e->n + 1);
    memcpy(*response, e->value, e->n);
    *n = e->n;
    *status = e->status;
    return WI_OK;
}

static enum wi_status log_add(struct wi_reply_log *log, const struct wi_reply *r,
                              struct wi_err *err)
{
    (void)err;
    put(&((struct llm_log *)log->ctx)->replies, r->key, r->response, r->n_response, r->http_status,
        r->request);
    return WI_OK;
}

static void fact_key(const char *endpoint, const char *name, char *key, size_t size)
{
    snprintf(key, size, "%s|%s", endpoint, name);
}

static enum wi_status log_get(struct wi_reply_log *log, const char *endpoint, const char *name,
                              char **value, struct wi_err *err)
{
    char key[512];
    struct entry *e;

    (void)err;
    fact_key(endpoint, name, key, sizeof(key));
    e = find(((struct llm_log *)log->ctx)->facts, key);
    *value = e ? strdup(e->value) : NULL;
    return WI_OK;
}

static enum wi_status log_set(struct wi_reply_log *log, const char *endpoint, const char *name,
                              const char *value, struct wi_err *err)
{
    char key[512];

    (void)err;
    fact_key(endpoint, name, key, sizeof(key));
    put(&((struct llm_log *)log->ctx)->facts, key, value, strlen(value), 0, "");
    return WI_OK;
}

struct llm_log *llm_log_new(void)
{
    struct llm_log *log = calloc(1, sizeof(*log));

    log->table = (struct wi_reply_log){log, log_find, log_add, log_get, log_set};
    return log;
}

static void free_list(struct entry *e)
{
    while (e) {
        struct entry *next = e->next;

        free(e->key);
        free(e->value);
        free(e->request);
        free(e);
        e = next;
    }
}

void llm_log_free(struct llm_log *log)
{
    free_list(log->replies);
    free_list(log->facts);
    free(log->dump);
    free(log);
}

struct wi_reply_log *llm_log_table(struct llm_log *log)
{
    return &log->table;
}

size_t llm_log_count(const struct llm_log *log)
{
    size_t n = 0;

    for (const struct entry *e = log->replies; e; e = e->next)
        n++;
    return n;
}

const char *llm_log_dump(struct llm_log *log)
{
    size_t size = 0;
    FILE *out;

    free(log->dump);
    log->dump = NULL;
    out = open_memstream(&log->dump, &size);
    for (int k = 0; k < 2; k++) {
        for (const struct entry *e = k ? log->facts : log->replies; e; e = e->next)
            fprintf(out, "%s\n%s\n%s\n", e->key, e->request, e->value);
    }
    fclose(out);
    return log->dump;
}
