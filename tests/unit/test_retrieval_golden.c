/*
 * Recall of the retrieval on tests/golden/retrieval.csv: questions in users' words with the ids
 * that must come back. The part `heldout` was set aside before the synonym table was written.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "knowledge/search.h"

#define TABLE "tests/golden/retrieval.csv"
#define AT 5
#define N_EXPECTED_MAX 3

struct question {
    char id[16], part[16], text[512];
    char expected[N_EXPECTED_MAX][WI_ID_MAX];
    size_t n_expected;
    struct wi_scenario scenario;
    bool has_scenario;
};

struct table {
    struct question q[256];
    size_t n;
};

static enum wi_status read_row(void *ctx, size_t line, char *const *f, size_t n, struct wi_err *err)
{
    struct table *t = ctx;
    struct question *q = &t->q[t->n];
    if (line == 1)
        return WI_OK;
    assert_int_equal(n, 10);
    assert_true(t->n < 256);
    snprintf(q->id, sizeof(q->id), "%s", f[0]);
    snprintf(q->part, sizeof(q->part), "%s", f[1]);
    snprintf(q->text, sizeof(q->text), "%s", f[2]);
    char *ids = strdup(f[3]), *p = ids;
    while (*p) {
        size_t k = strcspn(p, " ");

        assert_true(q->n_expected < N_EXPECTED_MAX);
        snprintf(q->expected[q->n_expected++], WI_ID_MAX, "%.*s", (int)k, p);
        p += k + (p[k] == ' ');
    }
    free(ids);
    wi_scenario_init(&q->scenario);
    for (int i = 4; i < 10; i++)
        q->has_scenario = q->has_scenario || *f[i];
    if (*f[4]) {
        assert_true(wi_nand_parse(f[4], &q->scenario.nand));
        q->scenario.given |= WI_F_NAND;
    }
    if (*f[5]) {
        assert_true(wi_op_parse(f[5], &q->scenario.op));
        q->scenario.given |= WI_F_OP;
    }
    if (*f[6]) {
        assert_true(wi_phase_parse(f[6], &q->scenario.phase));
        q->scenario.given |= WI_F_PHASE;
    }
    if (*f[7])
        assert_int_equal(wi_scenario_parse_temp(&q->scenario, f[7], err), WI_OK);
    if (*f[8])
        assert_int_equal(wi_scenario_parse_rh(&q->scenario, f[8], err), WI_OK);
    if (*f[9])
        assert_int_equal(wi_scenario_parse_vib(&q->scenario, f[9], err), WI_OK);
    if (wi_scenario_complete(&q->scenario, err) != WI_OK)
        fail_msg("%s: %s", q->id, err->msg);
    t->n++;
    return WI_OK;
}

static void read_table(struct table *t)
{
    struct wi_err err = {0};
    FILE *in = fopen(TABLE, "rb");
    char *text = malloc(1 << 20);

    assert_non_null(in);
    size_t n = fread(text, 1, 1 << 20, in);
    fclose(in);
    memset(t, 0, sizeof(*t));
    if (wi_csv_parse(TABLE, text, n, NULL, read_row, t, &err) != WI_OK)
        fail_msg("%s", err.msg);
    free(text);
}

#define N_METHODS 4
static const struct {
    const char *name;
    unsigned bits;
} methods[N_METHODS] = {{"fused", WI_SEARCH_FUSED},
                        {"scenario", WI_SEARCH_SCENARIO},
                        {"text", WI_SEARCH_TEXT},
                        {"bm25", WI_SEARCH_BM25}};

/*
 * Share of the expected ids among the first five hits: of their own kind, as evidence and
 * principles stand in an answer, and in one list of both kinds.
 */
static void recall(struct wi_knowledge *k, const struct question *q, unsigned bits, double sum[2])
{
    struct wi_search_query query = {.text = q->text,
                                    .scenario = q->has_scenario ? &q->scenario : NULL,
                                    .methods = bits,
                                    .top_k = AT};
    struct wi_item *items = NULL;
    struct wi_err err = {0};
    size_t n = 0;

    if (wi_knowledge_search(k, &query, &items, &n, &err) != WI_OK)
        fail_msg("%s: %s", q->id, err.msg);
    for (size_t e = 0; e < q->n_expected; e++) {
        size_t seen[2] = {0, 0};

        for (size_t i = 0; i < n; i++) {
            size_t place = seen[items[i].kind == WI_ITEM_PRINCIPLE]++;

            if (strcmp(items[i].id, q->expected[e]) != 0)
                continue;
            sum[0] += place < AT ? 1 / (double)q->n_expected : 0;
            sum[1] += i < AT ? 1 / (double)q->n_expected : 0;
        }
    }
    wi_items_free(items, n);
}

/* out: of each method, recall by kind */
static void score(const char *part, double by_kind[N_METHODS])
{
    struct table *t = malloc(sizeof(*t));
    struct wi_store *store = NULL;
    struct wi_knowledge *k = NULL;
    struct wi_err err = {0};

    assert_non_null(t);
    read_table(t);
    if (wi_store_open(&(struct wi_store_options){0}, &store, &err) != WI_OK ||
        wi_knowledge_open(store, NULL, NULL, NULL, &k, &err) != WI_OK)
        fail_msg("%s", err.msg);
    for (size_t m = 0; m < N_METHODS; m++) {
        double sum[2] = {0, 0};
        size_t n = 0;

        for (size_t i = 0; i < t->n; i++) {
            if (strcmp(t->q[i].part, part) != 0)
                continue;
            recall(k, &t->q[i], methods[m].bits, sum);
            n++;
        }
        assert_true(n >= 30);
        by_kind[m] = sum[0] / (double)n;
        print_message("%s %-9s recall@5 of %zu: %.3f by kind, %.3f in one list\n", part,
                      methods[m].name, n, by_kind[m], sum[1] / (double)n);
    }
    wi_knowledge_close(k);
    wi_store_close(store);
    free(t);
}

static void not_below_a_single_method(const double r[N_METHODS])
{
    for (size_t m = 1; m < N_METHODS; m++)
        assert_true(r[0] >= r[m] - 1e-9);
}

static void the_fused_ranking_finds_what_the_questions_ask_for(void **state)
{
    double r[N_METHODS];

    (void)state;
    score("tune", r);
    assert_true(r[0] >= 0.95);
    not_below_a_single_method(r);
}

static void the_fused_ranking_holds_on_questions_set_aside(void **state)
{
    double r[N_METHODS];

    (void)state;
    score("heldout", r);
    not_below_a_single_method(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fused_ranking_finds_what_the_questions_ask_for),
        cmocka_unit_test(the_fused_ranking_holds_on_questions_set_aside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
