#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "knowledge/search.h"

static struct wi_store *open_store(const char *path)
{
    struct wi_store *store = NULL;
    struct wi_err err = {0};

    if (wi_store_open(&(struct wi_store_options){.path = path}, &store, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return store;
}

/* The lines of the notes, joined. */
static void collect(void *ctx, const char *line)
{
    char *all = ctx;
    size_t n = strlen(all);

    snprintf(all + n, 2048 - n, "%s\n", line);
}

static struct wi_knowledge *open_knowledge(struct wi_store *store, struct wi_embedder *e,
                                           char notes[2048])
{
    struct wi_knowledge *k = NULL;
    struct wi_err err = {0};

    notes[0] = '\0';
    if (wi_knowledge_open(store, e, collect, notes, &k, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return k;
}

struct hits {
    struct wi_item *items;
    size_t n;
};

static struct hits search(struct wi_knowledge *k, const struct wi_search_query *q)
{
    struct hits h = {0};
    struct wi_err err = {0};

    if (wi_knowledge_search(k, q, &h.items, &h.n, &err) != WI_OK)
        fail_msg("%s", err.msg);
    for (size_t i = 0; i < h.n; i++) {
        assert_true(h.items[i].score >= 0 && h.items[i].score <= 1);
        assert_true(i == 0 || h.items[i].score <= h.items[i - 1].score);
        assert_true(h.items[i].title[0] && h.items[i].summary[0] && h.items[i].why[0]);
        assert_true(h.items[i].source[0]);
    }
    return h;
}

static const struct wi_item *find(const struct hits *h, const char *id)
{
    for (size_t i = 0; i < h->n; i++) {
        if (strcmp(h->items[i].id, id) == 0)
            return &h->items[i];
    }
    return NULL;
}

static void the_nearest_experiment_is_the_one_of_the_same_condition(void **state)
{
    struct wi_store *store = open_store(NULL);
    char notes[2048];
    struct wi_knowledge *k = open_knowledge(store, NULL, notes);
    struct wi_scenario s;

    (void)state;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_temp(&s, "22.5:60", NULL), WI_OK);
    s.nand = WI_NAND_TLC;
    s.given |= WI_F_NAND;
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    struct hits h = search(
        k, &(struct wi_search_query){.scenario = &s, .methods = WI_SEARCH_SCENARIO, .top_k = 3});
    assert_string_equal(h.items[0].id, "DATE22-3-TLC");
    assert_non_null(strstr(h.items[0].why, "scenario neighbour 1"));
    wi_items_free(h.items, h.n);

    /* Without a text the scenario speaks for itself. */
    h = search(k, &(struct wi_search_query){.scenario = &s, .top_k = 5, .principles = true});
    assert_true(h.n >= 5);
    assert_non_null(find(&h, "tlc-heat-bandwidth-gain"));
    for (size_t i = 0; i < h.n; i++)
        assert_int_equal(h.items[i].kind, WI_ITEM_PRINCIPLE);
    wi_items_free(h.items, h.n);
    wi_knowledge_close(k);
    wi_store_close(store);
}

static void both_sides_of_a_contradiction_come_together(void **state)
{
    static const struct {
        const char *text, *a, *b;
    } pairs[] = {
        {"arrhenius charge loss 1.1 eV", "arrhenius-retention", "effective-activation-energy"},
        {"perpendicular vibration upright short", "perpendicular-worse-short-term",
         "parallel-worse-long-term"},
        {"hallberg peck corrosion", "hallberg-peck-corrosion", "humidity-exponent-spread"},
    };
    struct wi_store *store = open_store(NULL);
    char notes[2048];
    struct wi_knowledge *k = open_knowledge(store, NULL, notes);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct hits h = search(
            k, &(struct wi_search_query){.text = pairs[i].text, .top_k = 1, .principles = true});
        const struct wi_item *other = find(&h, pairs[i].b);

        assert_string_equal(h.items[0].id, pairs[i].a);
        assert_non_null(other);
        assert_non_null(strstr(other->why, "the other side of"));
        wi_items_free(h.items, h.n);
    }
    /* Experiments too: another axis and phase, not another drive in the same condition. */
    struct wi_scenario s;
    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_vib(&s, "perpendicular@20", NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    struct hits h = search(k, &(struct wi_search_query){.text = "vendor B upright shaking",
                                                        .scenario = &s,
                                                        .top_k = 2,
                                                        .experiments = true});
    bool brought = false;
    for (size_t i = 0; i < h.n; i++)
        brought = brought || (strstr(h.items[i].why, "contradiction-05") &&
                              strstr(h.items[i].id, "parallel-long_term"));
    assert_true(brought);
    wi_items_free(h.items, h.n);
    wi_knowledge_close(k);
    wi_store_close(store);
}

/* What means something to FTS5, to SQL or to a terminal means nothing here. */
static void any_text_is_only_text(void **state)
{
    static const char *const texts[] = {"\"",
                                        "AND OR NOT",
                                        "title:heat",
                                        "heat*",
                                        "NEAR(a b)",
                                        "^heat",
                                        "-",
                                        "'; DROP TABLE meta; --",
                                        "{body}: x",
                                        "\xff\xfe\x01",
                                        "",
                                        " ",
                                        "(((((",
                                        "%s%n",
                                        "heat\nheat\theat"};
    struct wi_store *store = open_store(NULL);
    char notes[2048], *longest = malloc(WI_QUESTION_MAX);
    struct wi_knowledge *k = open_knowledge(store, NULL, notes);

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct hits h = search(k, &(struct wi_search_query){.text = texts[i], .top_k = 5});
        wi_items_free(h.items, h.n);
    }
    for (size_t i = 0; i < WI_QUESTION_MAX - 1; i++)
        longest[i] = i % 7 ? (char)('a' + (i * i + i / 7) % 26) : ' ';
    longest[WI_QUESTION_MAX - 1] = '\0';
    struct hits h = search(k, &(struct wi_search_query){.text = longest, .top_k = WI_TOP_K_MAX});
    wi_items_free(h.items, h.n);
    free(longest);
    struct wi_item *items = NULL;
    size_t n = 0;
    assert_int_equal(
        wi_knowledge_search(k, &(struct wi_search_query){.text = "x"}, &items, &n, NULL),
        WI_ERANGE);
    wi_knowledge_close(k);
    wi_store_close(store);
}

static void an_item_comes_by_its_id(void **state)
{
    struct wi_store *store = open_store(NULL);
    char notes[2048];
    struct wi_knowledge *k = open_knowledge(store, NULL, notes);
    struct wi_item item = {0};

    (void)state;
    assert_int_equal(wi_knowledge_get(k, "DATE22-1-TLC", &item, NULL), WI_OK);
    assert_string_equal(item.source, "DATE22");
    assert_int_equal(item.kind, WI_ITEM_EXPERIMENT);
    assert_non_null(strstr(item.summary, "p90 -35 %"));
    wi_item_release(&item);
    assert_int_equal(wi_knowledge_get(k, "dew-point", &item, NULL), WI_OK);
    assert_int_equal(item.kind, WI_ITEM_PRINCIPLE);
    wi_item_release(&item);
    assert_int_equal(wi_knowledge_get(k, "nobody", &item, NULL), WI_ENOTFOUND);
    wi_knowledge_close(k);
    wi_store_close(store);
}

/* ---- the index files ---- */

struct place {
    char dir[64], db[96], scenario[128], text[128], principle[128];
};

static struct place make_place(void)
{
    struct place p;

    snprintf(p.dir, sizeof(p.dir), "/tmp/wi-search-XXXXXX");
    assert_non_null(mkdtemp(p.dir));
    snprintf(p.db, sizeof(p.db), "%s/k.db", p.dir);
    snprintf(p.scenario, sizeof(p.scenario), "%s.scenario.index", p.db);
    snprintf(p.text, sizeof(p.text), "%s.text.index", p.db);
    snprintf(p.principle, sizeof(p.principle), "%s.principle.index", p.db);
    return p;
}

static void remove_place(const struct place *p)
{
    unlink(p->db);
    unlink(p->scenario);
    unlink(p->text);
    unlink(p->principle);
    assert_int_equal(rmdir(p->dir), 0); /* and no temporary file was left */
}

/* The notes of a search that needs all indexes, and that it answers as it should. */
static void search_notes(const struct place *p, struct wi_embedder *e, char notes[2048])
{
    struct wi_store *store = open_store(p->db);
    struct wi_knowledge *k = open_knowledge(store, e, notes);
    struct wi_scenario s;

    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    struct hits h =
        search(k, &(struct wi_search_query){.text = "dew point", .scenario = &s, .top_k = 3});

    assert_non_null(find(&h, "dew-point"));
    wi_items_free(h.items, h.n);
    wi_knowledge_close(k);
    wi_store_close(store);
}

static void index_files_are_used_or_made_anew_with_a_note(void **state)
{
    struct place p = make_place();
    char notes[2048];

    (void)state;
    search_notes(&p, NULL, notes);
    assert_string_equal(notes, ""); /* a new store */
    search_notes(&p, NULL, notes);
    assert_string_equal(notes, ""); /* the files fit */

    assert_int_equal(truncate(p.text, 100), 0);
    search_notes(&p, NULL, notes);
    assert_non_null(strstr(notes, "the text index is made anew"));
    assert_non_null(strstr(notes, "damaged"));

    assert_int_equal(truncate(p.principle, 100), 0);
    search_notes(&p, NULL, notes);
    assert_non_null(strstr(notes, "the principle index is made anew"));

    assert_int_equal(unlink(p.scenario), 0);
    search_notes(&p, NULL, notes);
    assert_non_null(strstr(notes, "the scenario index is made anew"));
    assert_non_null(strstr(notes, "absent"));

    struct wi_store *store = open_store(p.db);
    struct wi_principle own = {0};
    assert_int_equal(wi_store_get_principle(store, "ecc-limit", &own, NULL), WI_OK);
    snprintf(own.id, sizeof(own.id), "my-own");
    assert_int_equal(wi_store_add_principle(store, &own, NULL), WI_OK);
    wi_principle_release(&own);
    wi_store_close(store);
    search_notes(&p, NULL, notes);
    assert_non_null(strstr(notes, "stale"));
    search_notes(&p, NULL, notes);
    assert_string_equal(notes, "");

    store = open_store(p.db); /* the user's own principle is found and marked */
    struct wi_knowledge *k = open_knowledge(store, NULL, notes);
    struct hits h =
        search(k, &(struct wi_search_query){.text = "ecc limit", .top_k = 3, .principles = true});
    assert_non_null(find(&h, "my-own"));
    assert_false(find(&h, "my-own")->embedded);
    wi_items_free(h.items, h.n);
    wi_knowledge_close(k);
    wi_store_close(store);
    remove_place(&p);
}

/* ---- another embedder ---- */

/* Letters counted: good enough to be another embedder. */
static enum wi_status count_letters(struct wi_embedder *e, size_t n, const char *const *texts,
                                    float *vec, struct wi_err *err)
{
    (void)err;
    memset(vec, 0, n * e->dim * sizeof(*vec));
    for (size_t i = 0; i < n; i++) {
        float *v = vec + i * e->dim, sum = 0;

        for (const char *c = texts[i]; *c; c++)
            v[(unsigned char)*c % e->dim] += 1;
        for (size_t k = 0; k < e->dim; k++)
            sum += v[k] * v[k];
        for (size_t k = 0; sum > 0 && k < e->dim; k++)
            v[k] /= sqrtf(sum);
    }
    return WI_OK;
}

static enum wi_status give_nan(struct wi_embedder *e, size_t n, const char *const *texts,
                               float *vec, struct wi_err *err)
{
    count_letters(e, n, texts, vec, err);
    vec[n * e->dim - 1] = NAN;
    return WI_OK;
}

static enum wi_status refuse_all(struct wi_embedder *e, size_t n, const char *const *texts,
                                 float *vec, struct wi_err *err)
{
    (void)e;
    (void)n;
    (void)texts;
    (void)vec;
    return wi_fail(err, WI_ENET, "no answer");
}

static void search_heat(struct wi_knowledge *k)
{
    struct hits h = search(k, &(struct wi_search_query){.text = "heat", .top_k = 5});

    wi_items_free(h.items, h.n);
}

static void another_embedder_has_vectors_of_its_own(void **state)
{
    struct place p = make_place();
    struct wi_embedder letters = {.name = "letters/1", .dim = 26, .embed = count_letters};
    struct wi_embedder wider = {.name = "letters/1", .dim = 27, .embed = count_letters};
    char notes[2048];

    (void)state;
    search_notes(&p, NULL, notes);
    struct wi_store *store = open_store(p.db);
    struct wi_knowledge *k = open_knowledge(store, &letters, notes);
    search_heat(k);
    assert_non_null(strstr(notes, "stale")); /* the files of the built-in one */
    wi_knowledge_close(k);
    k = open_knowledge(store, &letters, notes);
    search_heat(k);
    assert_string_equal(notes, "");
    wi_knowledge_close(k);
    k = open_knowledge(store, &wider, notes); /* same name, another dimension */
    search_heat(k);
    assert_non_null(strstr(notes, "stale"));
    wi_knowledge_close(k);
    wi_store_close(store);
    remove_place(&p);
}

static void fails_with(struct wi_store *store, struct wi_embedder *e, enum wi_status st,
                       const char *what)
{
    struct wi_search_query q = {.text = "heat", .top_k = 5};
    char notes[2048];
    struct wi_knowledge *k = open_knowledge(store, e, notes);
    struct wi_item *items = NULL;
    struct wi_err err = {0};
    size_t n = 0;

    for (int i = 0; i < 2; i++) { /* a failure leaves nothing that answers later */
        assert_int_equal(wi_knowledge_search(k, &q, &items, &n, &err), st);
        assert_non_null(strstr(err.msg, what));
        assert_null(items);
    }
    wi_knowledge_close(k);
}

static void a_vector_that_is_not_finite_and_a_failing_embedder_are_errors(void **state)
{
    struct wi_store *store = open_store(NULL);
    struct wi_embedder bad = {.name = "bad/1", .dim = 8, .embed = give_nan};
    struct wi_embedder dead = {.name = "dead/1", .dim = 8, .embed = refuse_all};

    (void)state;
    fails_with(store, &bad, WI_EDATA, "bad/1");
    fails_with(store, &dead, WI_ENET, "no answer");
    wi_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_experiment_is_the_one_of_the_same_condition),
        cmocka_unit_test(both_sides_of_a_contradiction_come_together),
        cmocka_unit_test(any_text_is_only_text),
        cmocka_unit_test(an_item_comes_by_its_id),
        cmocka_unit_test(index_files_are_used_or_made_anew_with_a_note),
        cmocka_unit_test(another_embedder_has_vectors_of_its_own),
        cmocka_unit_test(a_vector_that_is_not_finite_and_a_failing_embedder_are_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
