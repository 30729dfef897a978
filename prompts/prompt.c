#include "prompts/prompt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "prompts/buf.h"
#include "prompts/prompt_parts.h"
#include "prompts/quote.h"

#define EVIDENCE_BYTES 560 /* of one item in the prompt */
#define PRINCIPLE_BYTES 420
#define QUESTION_BYTES 600
#define QUESTION_BYTES_LEAST 120

/* What is still in, as the budget shrinks it. */
struct plan {
    bool *evidence, *principles; /* one flag per item */
    size_t n_examples;
    bool estimate;
    size_t question_bytes;
    size_t n_dropped;
};

void wi_prompt_release(struct wi_prompt *p)
{
    free(p->messages);
    free(p->schema);
    free(p->sent_ids);
    free(p->dropped_ids);
    for (size_t i = 0; i < p->n_sent; i++)
        free(p->sent[i].text);
    free(p->sent);
    *p = (struct wi_prompt){0};
}

static enum wi_status add_sent(struct wi_prompt *p, const char *tag, const char *id,
                               const char *text, struct wi_err *err)
{
    struct wi_sent *grown = realloc(p->sent, (p->n_sent + 1) * sizeof(*grown));
    struct wi_sent *s;

    if (!grown)
        return wi_fail_nomem(err);
    p->sent = grown;
    s = &grown[p->n_sent];
    *s = (struct wi_sent){0};
    snprintf(s->tag, sizeof(s->tag), "%s", tag);
    snprintf(s->id, sizeof(s->id), "%s", id);
    s->text = strdup(text);
    if (!s->text)
        return wi_fail_nomem(err);
    p->n_sent++;
    return WI_OK;
}

/* "[E1] DAC19-B-parallel-running: "text"", both to the prompt and to the list of what was sent. */
static enum wi_status add_line(struct wi_prompt *p, struct wi_buf *out, char kind, size_t number,
                               const char *id, const char *text, size_t max, struct wi_err *err)
{
    struct wi_buf line = {0};
    char tag[8];
    char *done = NULL;
    enum wi_status st;

    snprintf(tag, sizeof(tag), "%c%zu", kind, number);
    wi_quote(&line, text, max);
    st = wi_buf_take(&line, &done, err);
    if (st == WI_OK)
        st = add_sent(p, tag, id, done, err);
    if (st == WI_OK && *id)
        wi_buf_addf(out, "[%s] %s: %s\n", tag, id, done);
    else if (st == WI_OK)
        wi_buf_addf(out, "[%s] %s\n", tag, done);
    free(done);
    return st;
}

/* Title and summary, once where the summary repeats the title. */
static void add_item_text(struct wi_buf *b, const struct wi_item *item)
{
    const char *title = item->title ? item->title : "";
    const char *summary = item->summary ? item->summary : "";

    if (!item->embedded)
        wi_buf_puts(b, "(a user's own) ");
    if (*title && strncmp(summary, title, strlen(title)) != 0)
        wi_buf_addf(b, "%s: ", title);
    wi_buf_puts(b, summary);
}

static enum wi_status add_items(struct wi_prompt *p, struct wi_buf *out, char kind,
                                const struct wi_item *items, const bool *keep, size_t n, size_t max,
                                struct wi_err *err)
{
    enum wi_status st = WI_OK;
    size_t number = 0;

    for (size_t i = 0; i < n && st == WI_OK; i++) {
        struct wi_buf text = {0};
        char *whole = NULL;

        if (keep && !keep[i])
            continue;
        add_item_text(&text, &items[i]);
        st = wi_buf_take(&text, &whole, err);
        if (st == WI_OK)
            st = add_line(p, out, kind, ++number, items[i].id, whole, max, err);
        free(whole);
    }
    return st;
}

static enum wi_status add_estimate(struct wi_prompt *p, struct wi_buf *out,
                                   const struct wi_prompt_input *in, struct wi_err *err)
{
    struct wi_buf text = {0};
    char *whole = NULL;
    enum wi_status st;

    wi_part_estimate(&text, in->scenario, in->estimate);
    st = wi_buf_take(&text, &whole, err);
    if (st == WI_OK)
        st = add_line(p, out, 'M', 1, "", whole, SIZE_MAX / 2, err);
    free(whole);
    return st;
}

/* The lines between <data> and </data>. */
static enum wi_status render_data(const struct wi_prompt_input *in, const struct plan *plan,
                                  struct wi_prompt *p, struct wi_buf parts[5], struct wi_err *err)
{
    enum wi_status st;

    if (in->question && *in->question) {
        wi_buf_puts(&parts[0], "Question: ");
        wi_quote(&parts[0], in->question, plan->question_bytes);
        wi_buf_puts(&parts[0], "\n");
    }
    st = add_items(p, &parts[1], 'E', in->evidence, plan->evidence, in->n_evidence, EVIDENCE_BYTES,
                   err);
    if (st == WI_OK)
        st = add_items(p, &parts[2], 'P', in->principles, plan->principles, in->n_principles,
                       PRINCIPLE_BYTES, err);
    if (st == WI_OK && plan->estimate)
        st = add_estimate(p, &parts[3], in, err);
    if (st == WI_OK)
        st =
            add_items(p, &parts[4], 'X', in->examples, NULL, plan->n_examples, EVIDENCE_BYTES, err);
    return st;
}

static enum wi_status fill_user(const struct wi_prompt_input *in,
                                const struct wi_prompt_options *opt, const struct plan *plan,
                                struct wi_buf parts[5], char **text, struct wi_err *err)
{
    enum { SCENARIO, ASSUMED, DROPPED, PERCENTILES, CONFIDENCE, N };
    static const char reasoning[] =
        "\"reasoning\": {\"device\": {\"text\": \"...\", \"cites\": [\"E1\"]}, (each step)}, ";
    struct wi_buf own[N] = {0};
    char first[WI_PERCENTILE_KEY];
    char *steps = NULL;
    enum wi_status st = WI_OK;

    wi_part_scenario(&own[SCENARIO], in->scenario);
    wi_part_assumed(&own[ASSUMED], in->scenario);
    if (plan->n_dropped)
        wi_buf_addf(&own[DROPPED], "%zu less relevant item%s left out for length.\n",
                    plan->n_dropped, plan->n_dropped == 1 ? " was" : "s were");
    wi_part_percentiles(&own[PERCENTILES], in->scenario);
    wi_buf_addf(&own[CONFIDENCE], "%.6g", in->scenario->confidence * 100.0);
    wi_percentile_key(in->scenario->percentiles[0], first);
    if (!opt->no_cot)
        st = wi_template_fill("prompts/steps.txt", NULL, 0, &steps, err);
    for (size_t i = 0; i < N; i++)
        wi_buf_add(&own[i], "", 0);
    for (size_t i = 0; i < 5; i++)
        wi_buf_add(&parts[i], "", 0);
    for (size_t i = 0; i < N + 5 && st == WI_OK; i++) {
        if ((i < N ? own[i] : parts[i - N]).failed)
            st = wi_fail_nomem(err);
    }
    if (st == WI_OK) {
        const char *const pairs[][2] = {
            {"scenario", own[SCENARIO].text},
            {"assumed", own[ASSUMED].text},
            {"question", parts[0].text},
            {"evidence", parts[1].text},
            {"principles", parts[2].text},
            {"estimate", parts[3].text},
            {"examples", parts[4].text},
            {"dropped", own[DROPPED].text},
            {"reasoning", opt->no_cot ? "" : reasoning},
            {"first", first},
            {"steps", steps ? steps : ""},
            {"percentiles", own[PERCENTILES].text},
            {"confidence", own[CONFIDENCE].text},
        };
        st = wi_template_fill("prompts/user.txt", pairs, sizeof(pairs) / sizeof(pairs[0]), text,
                              err);
    }
    for (size_t i = 0; i < N; i++)
        wi_buf_release(&own[i]);
    free(steps);
    return st;
}

static enum wi_status make_messages(const char *system, const char *user, char **text,
                                    struct wi_err *err)
{
    static const char *const roles[] = {"system", "user"};
    const char *const contents[] = {system, user};
    struct cJSON *list = cJSON_CreateArray();
    enum wi_status st = list ? WI_OK : wi_fail_nomem(err);

    for (size_t i = 0; i < 2 && st == WI_OK; i++) {
        struct cJSON *m = cJSON_CreateObject();

        if (!m || !cJSON_AddStringToObject(m, "role", roles[i]) ||
            !cJSON_AddStringToObject(m, "content", contents[i]) || !cJSON_AddItemToArray(list, m)) {
            cJSON_Delete(m);
            st = wi_fail_nomem(err);
        }
    }
    if (st == WI_OK)
        st = wi_json_format(list, false, text, err);
    cJSON_Delete(list);
    return st;
}

/* One rendering of the plan; counts its tokens. */
static enum wi_status render(const struct wi_prompt_input *in, const struct wi_prompt_options *opt,
                             const struct plan *plan, struct wi_prompt *p, struct wi_err *err)
{
    struct wi_buf parts[5] = {0};
    char *system = NULL, *user = NULL;
    enum wi_status st = render_data(in, plan, p, parts, err);

    if (st == WI_OK)
        st = fill_user(in, opt, plan, parts, &user, err);
    if (st == WI_OK)
        st = wi_template_fill("prompts/system.txt", NULL, 0, &system, err);
    if (st == WI_OK)
        st = make_messages(system, user, &p->messages, err);
    if (st == WI_OK)
        st = wi_part_schema(in->scenario, opt->no_cot, &p->schema, err);
    if (st == WI_OK)
        /* 8 per message for the marks of a chat template */
        p->n_tokens = wi_prompt_tokens(system) + wi_prompt_tokens(user) + 16;
    for (size_t i = 0; i < 5; i++)
        wi_buf_release(&parts[i]);
    free(system);
    free(user);
    return st;
}

/* Index of the last item that is still in; n if none is. */
static size_t last_kept(const bool *keep, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        if (keep[i])
            return i;
    }
    return n;
}

static size_t n_kept(const bool *keep, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        kept += keep[i];
    return kept;
}

/* Note an id that is left out. */
static void dropped(struct plan *plan, struct wi_buf *ids, const char *id)
{
    wi_buf_addf(ids, "%s%s", ids->n ? " " : "", id);
    plan->n_dropped++;
}

/*
 * Take the least relevant thing out: the last of the longer list. Scores of experiments and of
 * principles come from different rankings and cannot be compared; of equal lists the principles
 * give way, since measurements weigh more. Worked examples are there because the user asked for
 * them: they outlast all but the best of each list.
 * returns false when nothing can go any more
 */
static bool shrink(const struct wi_prompt_input *in, struct plan *plan, struct wi_buf *ids)
{
    size_t e = last_kept(plan->evidence, in->n_evidence);
    size_t p = last_kept(plan->principles, in->n_principles);
    size_t n_e = n_kept(plan->evidence, in->n_evidence);
    size_t n_p = n_kept(plan->principles, in->n_principles);

    if (plan->n_examples > 0 && n_e <= 1 && n_p <= 1) {
        dropped(plan, ids, in->examples[--plan->n_examples].id);
    } else if (n_p > 0 && n_p >= n_e) {
        plan->principles[p] = false;
        dropped(plan, ids, in->principles[p].id);
    } else if (n_e > 0) {
        plan->evidence[e] = false;
        dropped(plan, ids, in->evidence[e].id);
    } else if (plan->estimate) {
        plan->estimate = false;
        plan->n_dropped++;
    } else if (in->question && plan->question_bytes > QUESTION_BYTES_LEAST) {
        plan->question_bytes = QUESTION_BYTES_LEAST;
    } else {
        return false;
    }
    return true;
}

static enum wi_status plan_init(struct plan *plan, const struct wi_prompt_input *in,
                                const struct wi_prompt_options *opt, struct wi_err *err)
{
    *plan = (struct plan){.question_bytes = QUESTION_BYTES};
    plan->evidence = calloc(in->n_evidence + 1, sizeof(bool));
    plan->principles = calloc(in->n_principles + 1, sizeof(bool));
    if (!plan->evidence || !plan->principles)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < in->n_evidence; i++)
        plan->evidence[i] = !opt->no_evidence;
    for (size_t i = 0; i < in->n_principles; i++)
        plan->principles[i] = !opt->no_principles;
    plan->estimate = in->estimate && !opt->no_estimate;
    plan->n_examples = opt->n_examples < in->n_examples ? opt->n_examples : in->n_examples;
    return WI_OK;
}

static enum wi_status list_sent(struct wi_prompt *p, struct wi_err *err)
{
    struct wi_buf ids = {0};

    for (size_t i = 0; i < p->n_sent; i++) {
        if (*p->sent[i].id)
            wi_buf_addf(&ids, "%s%s", ids.n ? " " : "", p->sent[i].id);
    }
    return wi_buf_take(&ids, &p->sent_ids, err);
}

enum wi_status wi_prompt_build(const struct wi_prompt_input *in,
                               const struct wi_prompt_options *opt, struct wi_prompt *out,
                               struct wi_err *err)
{
    size_t budget = opt->budget_tokens ? opt->budget_tokens
                                       : wi_prompt_default_budget(in->scenario->n_percentiles);
    struct plan plan;
    struct wi_buf ids = {0};
    struct wi_prompt p = {0};
    char *version = NULL;
    enum wi_status st = plan_init(&plan, in, opt, err);

    while (st == WI_OK) {
        st = render(in, opt, &plan, &p, err);
        if (st != WI_OK || p.n_tokens <= budget)
            break;
        if (!shrink(in, &plan, &ids)) {
            st = wi_fail(err, WI_ERANGE, "the prompt needs %zu tokens, the budget is %zu",
                         p.n_tokens, budget);
            break;
        }
        wi_prompt_release(&p);
    }
    if (st == WI_OK)
        st = list_sent(&p, err);
    if (st == WI_OK)
        st = wi_buf_take(&ids, &p.dropped_ids, err);
    if (st == WI_OK)
        st = wi_template_fill("prompts/version.txt", NULL, 0, &version, err);
    if (st == WI_OK) {
        snprintf(p.version, sizeof(p.version), "%.*s", (int)strcspn(version, "\n"), version);
        *out = p;
        p = (struct wi_prompt){0};
    }
    free(version);
    wi_prompt_release(&p);
    wi_buf_release(&ids);
    free(plan.evidence);
    free(plan.principles);
    return st;
}
