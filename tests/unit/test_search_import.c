/*
 * Retrieval over imported experiments: each index is opened when a search needs it, imports and
 * removals are seen at once, by several programs on one store.
 */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "knowledge/search.h"

struct place {
    char dir[64], db[96], index[3][128];
};
enum { SCENARIO, TEXT, PRINCIPLE };

static int set_up(void **state)
{
    static const char *const suffixes[] = {"scenario", "text", "principle"};
    struct place *p = calloc(1, sizeof(*p));

    if (!p)
        return -1;
    snprintf(p->dir, sizeof(p->dir), "/tmp/wi-search-import-XXXXXX");
    if (!mkdtemp(p->dir))
        return -1;
    snprintf(p->db, sizeof(p->db), "%s/k.db", p->dir);
    for (size_t i = 0; i < 3; i++)
        snprintf(p->index[i], sizeof(p->index[i]), "%s.%s.index", p->db, suffixes[i]);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    struct place *p = *state;
    int rc;

    unlink(p->db);
    for (size_t i = 0; i < 3; i++)
        unlink(p->index[i]);
    rc = rmdir(p->dir); /* fails where a temporary file was left */
    free(p);
    return rc;
}

/* One program: its own connection, its own indexes, what it noted. */
struct program {
    struct wi_store *store;
    struct wi_knowledge *k;
    char notes[2048];
};

static void collect(void *ctx, const char *line)
{
    char *all = ctx;
    size_t n = strlen(all);

    snprintf(all + n, 2048 - n, "%s\n", line);
}

static void start(struct program *g, const char *db)
{
    struct wi_err err = {0};

    memset(g, 0, sizeof(*g));
    if (wi_store_open(&(struct wi_store_options){.path = db}, &g->store, &err) != WI_OK ||
        wi_knowledge_open(g->store, NULL, collect, g->notes, &g->k, &err) != WI_OK)
        fail_msg("%s", err.msg);
}

static void end(struct program *g)
{
    wi_knowledge_close(g->k);
    wi_store_close(g->store);
}

static void heat(struct wi_scenario *s)
{
    wi_scenario_init(s);
    assert_int_equal(wi_scenario_parse_temp(s, "22.5:60", NULL), WI_OK);
    s->nand = WI_NAND_TLC;
    s->given |= WI_F_NAND;
    assert_int_equal(wi_scenario_complete(s, NULL), WI_OK);
}

struct hits {
    struct wi_item *items;
    size_t n;
};

static struct hits search(struct program *g, const char *text, bool with_scenario)
{
    struct hits h = {0};
    struct wi_err err = {0};
    struct wi_scenario s;

    heat(&s);
    struct wi_search_query q = {.text = text, .scenario = with_scenario ? &s : NULL, .top_k = 5};
    if (wi_knowledge_search(g->k, &q, &h.items, &h.n, &err) != WI_OK)
        fail_msg("%s", err.msg);
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

/* Experiments "ID-0" and on, of a drive with a name of its own, heated to temp_c. */
static void import(struct wi_store *store, const char *id, const char *device, size_t n,
                   double temp_c)
{
    struct wi_experiment *e = calloc(n, sizeof(*e));
    struct wi_observation *o = calloc(n, sizeof(*o));
    struct wi_provenance *p = calloc(n, sizeof(*p));
    struct wi_step room = {22.5, 50, {WI_AXIS_NONE, NAN, NAN}};
    struct wi_dataset ds = {e, n, o, n};
    struct wi_err err = {0};
    size_t n_added = 0;

    assert_true(e && o && p);
    for (size_t i = 0; i < n; i++) {
        snprintf(e[i].id, sizeof(e[i].id), "%s-%zu", id, i);
        snprintf(e[i].source, sizeof(e[i].source), "MYLAB");
        snprintf(e[i].device, sizeof(e[i].device), "%s", device);
        e[i].nand = WI_NAND_TLC;
        e[i].capacity_gb = e[i].pe_cycles = NAN;
        e[i].temp_low_c = e[i].temp_high_c = e[i].rh_low_pct = e[i].rh_high_pct = NAN;
        e[i].exposure = (struct wi_exposure){room, room, room, 2.5, false};
        e[i].exposure.during.temp_c = temp_c;
        snprintf(o[i].id, sizeof(o[i].id), "%.40s-0", e[i].id);
        o[i].exp = i;
        o[i].op = WI_OP_READ;
        o[i].metric = WI_METRIC_TAIL_LATENCY;
        o[i].percentile = 99;
        o[i].change_pct = 12.25;
        o[i].low_pct = o[i].high_pct = o[i].base_value = o[i].value = o[i].n_samples = NAN;
        o[i].reading_error_pct = 0.5;
        o[i].confidence = WI_CONF_MEASURED;
        snprintf(p[i].file, sizeof(p[i].file), "run.json");
        snprintf(p[i].sha256, sizeof(p[i].sha256), "%064d", 7);
        snprintf(p[i].tool, sizeof(p[i].tool), "fio-3.33");
        snprintf(p[i].imported_at, sizeof(p[i].imported_at), "2026-01-01T00:00:00Z");
        snprintf(p[i].options, sizeof(p[i].options), "{}");
    }
    if (wi_store_add_experiments(store, &ds, p, &n_added, &err) != WI_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(n_added, n);
    free(e);
    free(o);
    free(p);
}

static void make_store(const struct place *p)
{
    struct program g;

    start(&g, p->db);
    assert_string_equal(g.notes, "");
    end(&g);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(access(p->index[i], R_OK), 0);
}

/* What an item is found by, as far as the text goes. */
static const char *text_part(const struct hits *h, const char *id)
{
    const struct wi_item *item = find(h, id);
    const char *why = item ? strstr(item->why, "similar text") : NULL;

    return why ? why : "";
}

static void the_texts_of_experiments_are_opened_for_words_only(void **state)
{
    const struct place *p = *state;
    struct program g;
    struct hits h;

    make_store(p);
    assert_int_equal(unlink(p->index[TEXT]), 0);
    start(&g, p->db);
    h = search(&g, NULL, true);
    assert_string_equal(g.notes, "");
    assert_int_equal(access(p->index[TEXT], F_OK), -1);
    assert_string_equal(h.items[0].id, "DATE22-3-TLC"); /* the very condition */
    assert_non_null(strstr(text_part(&h, "DATE22-3-TLC"), "cosine"));
    wi_items_free(h.items, h.n);

    h = search(&g, "shaking a drive of vendor B upright", false);
    assert_non_null(strstr(g.notes, "the text index is made anew"));
    assert_int_equal(access(p->index[TEXT], R_OK), 0);
    assert_non_null(find(&h, "DAC19-B-perpendicular-running"));
    wi_items_free(h.items, h.n);
    end(&g);
}

static void an_import_is_found_by_condition_and_by_words_and_a_removal_is_not(void **state)
{
    const struct place *p = *state;
    struct program g;
    struct hits h;

    make_store(p);
    start(&g, p->db);
    import(g.store, "mine", "Zephyr 9000", 1, 60);
    end(&g);
    /* By its condition, with a text vector made on the spot, while the text index stays closed. */
    start(&g, p->db);
    h = search(&g, NULL, true);
    assert_non_null(strstr(g.notes, "the scenario index is made anew"));
    assert_null(strstr(g.notes, "the text index"));
    assert_non_null(strstr(text_part(&h, "mine-0"), "cosine"));
    wi_items_free(h.items, h.n);
    end(&g);
    /* By its name. */
    start(&g, p->db);
    h = search(&g, "zephyr 9000", false);
    assert_non_null(strstr(g.notes, "the text index is made anew"));
    assert_non_null(find(&h, "mine-0"));
    wi_items_free(h.items, h.n);
    end(&g);

    start(&g, p->db);
    assert_int_equal(wi_store_remove_experiment(g.store, "mine-0", NULL), WI_OK);
    end(&g);
    for (int words = 0; words < 2; words++) {
        start(&g, p->db);
        h = search(&g, words ? "zephyr 9000" : NULL, !words);
        assert_non_null(strstr(g.notes, "stale"));
        assert_null(find(&h, "mine-0"));
        wi_items_free(h.items, h.n);
        end(&g);
    }
}

/* An index that is open already knows items that another program removes, and not those it adds. */
static void a_removal_by_another_program_is_no_error(void **state)
{
    const struct place *p = *state;
    struct program a, b;
    struct hits h;

    make_store(p);
    start(&a, p->db);
    import(a.store, "mine", "Zephyr 9000", 2, 60);
    end(&a);
    start(&a, p->db);
    h = search(&a, "zephyr 9000", true);
    assert_non_null(find(&h, "mine-0"));
    assert_non_null(find(&h, "mine-1"));
    wi_items_free(h.items, h.n);

    start(&b, p->db);
    assert_int_equal(wi_store_remove_experiment(b.store, "mine-0", NULL), WI_OK);
    end(&b);
    for (int words = 0; words < 2; words++) {
        h = search(&a, words ? "zephyr 9000" : NULL, true);
        assert_null(find(&h, "mine-0"));
        assert_non_null(find(&h, "mine-1"));
        wi_items_free(h.items, h.n);
    }
    end(&a);
}

static void the_neighbours_of_a_scenario_hold_with_many_imports(void **state)
{
    const struct place *p = *state;
    struct program g;
    struct hits h;

    make_store(p);
    start(&g, p->db);
    import(g.store, "cold", "Borealis", 300, -20);
    import(g.store, "near", "Zephyr 9000", 3, 60);
    end(&g);
    start(&g, p->db);
    h = search(&g, NULL, true);
    assert_non_null(find(&h, "DATE22-3-TLC"));
    assert_non_null(find(&h, "near-0"));
    for (size_t i = 0; i < h.n; i++)
        assert_true(strncmp(h.items[i].id, "cold", 4) != 0);
    wi_items_free(h.items, h.n);
    end(&g);
}

/* The words of the texts alone rank the same principles first, however many experiments say the
 * same words. */
static void imports_do_not_push_principles_out(void **state)
{
    static const char *const texts[] = {"dew point of humid air", "read retry latency",
                                        "throttling temperature", "tlc heating bandwidth"};
    const struct place *p = *state;
    struct wi_search_query q = {.methods = WI_SEARCH_BM25, .top_k = 3, .principles = true};
    struct program g;
    struct hits before[4] = {{0}}, after = {0};

    make_store(p);
    start(&g, p->db);
    for (size_t i = 0; i < 4; i++) {
        q.text = texts[i];
        assert_int_equal(wi_knowledge_search(g.k, &q, &before[i].items, &before[i].n, NULL), WI_OK);
    }
    import(g.store, "mine", "dew point humid air read retry throttling heating bandwidth", 600, 60);
    end(&g);
    start(&g, p->db);
    for (size_t i = 0; i < 4; i++) {
        q.text = texts[i];
        assert_int_equal(wi_knowledge_search(g.k, &q, &after.items, &after.n, NULL), WI_OK);
        assert_true(before[i].n >= 3);
        for (size_t k = 0; k < before[i].n; k++) {
            if (!find(&after, before[i].items[k].id))
                fail_msg("'%s' lost %s", texts[i], before[i].items[k].id);
        }
        wi_items_free(before[i].items, before[i].n);
        wi_items_free(after.items, after.n);
    }
    end(&g);
}

/* Each makes the indexes that are stale at the same time; every one answers. */
static void several_programs_at_once_all_answer(void **state)
{
    const struct place *p = *state;
    pid_t children[6];
    struct program g;

    make_store(p);
    start(&g, p->db);
    import(g.store, "mine", "Zephyr 9000", 50, 60);
    end(&g);
    for (size_t i = 0; i < 6; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            struct hits h;
            bool ok = true;

            for (int k = 0; k < 3; k++) {
                bool words = (i + (size_t)k) % 2;

                start(&g, p->db);
                h = search(&g, words ? "zephyr 9000" : NULL, !words);
                ok = ok && find(&h, words ? "mine-0" : "DATE22-3-TLC");
                wi_items_free(h.items, h.n);
                end(&g);
            }
            _exit(ok ? 0 : 1);
        }
    }
    for (size_t i = 0; i < 6; i++) {
        int status = -1;

        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_texts_of_experiments_are_opened_for_words_only, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            an_import_is_found_by_condition_and_by_words_and_a_removal_is_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_removal_by_another_program_is_no_error, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_neighbours_of_a_scenario_hold_with_many_imports, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(imports_do_not_push_principles_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_programs_at_once_all_answer, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
