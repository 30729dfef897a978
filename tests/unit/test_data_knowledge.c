/*
 * Principles, sources, contradictions, devices, model parameters and the published baseline.
 */
#include "unit.h"

#include <ctype.h>

#include "data_all.h"

static bool is_source(const char *id)
{
    return is_row(&data.sources, "id", id);
}

static bool is_experiment(const char *id)
{
    return is_row(&data.exps, "id", id);
}

static const struct wi_principle *principle(const char *id)
{
    for (size_t i = 0; i < data.n_principles; i++) {
        if (strcmp(data.principles[i].id, id) == 0)
            return &data.principles[i];
    }
    return NULL;
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    }
    return false;
}

static void every_principle_is_linked_and_is_no_bare_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < data.n_principles; i++) {
        const struct wi_principle *p = &data.principles[i];
        char path[160];
        bool checked = false;

        snprintf(path, sizeof(path), "data/principles/%s.json", p->id);
        if (!wi_embedded_find(path))
            fail_msg("'%s' does not stand in a file of its name", p->id);
        for (size_t s = 0; s < p->n_sources; s++) {
            if (!is_source(p->sources[s].id))
                fail_msg("'%s' cites the unknown source '%s'", p->id, p->sources[s].id);
            checked = checked || p->sources[s].confidence != WI_CONF_UNVERIFIED;
        }
        if (!checked)
            fail_msg("'%s' rests on memory alone", p->id);
        for (size_t c = 0; c < p->n_contradicted_by; c++) {
            const char *id = p->contradicted_by[c];
            size_t row = find_row(&data.contradictions, "id", id);

            if (row < data.contradictions.n_rows) {
                if (!has_word(cell(&data.contradictions, row, "items"), p->id))
                    fail_msg("'%s' names %s, which does not name it", p->id, id);
            } else if (!is_experiment(id) && !principle(id)) {
                fail_msg("'%s' is contradicted by '%s', which does not exist", p->id, id);
            }
            assert_string_not_equal(id, p->id);
        }
    }
}

static void item_exists(void *ctx, const char *id)
{
    if (!is_experiment(id) && !principle(id))
        fail_msg("%s: item '%s' does not exist", (const char *)ctx, id);
}

static void every_contradiction_keeps_both_sides(void **state)
{
    const struct table *t = &data.contradictions;

    (void)state;
    table_has_header(t, "id title side_a side_b handling items");
    for (size_t i = 0; i < t->n_rows; i++) {
        char id[40];

        snprintf(id, sizeof(id), "contradiction-%02zu", i + 1);
        assert_string_equal(cell(t, i, "id"), id);
        text_fits(t, i, "title", sizeof(((struct wi_contradiction *)0)->title), 10);
        text_fits(t, i, "side_a", sizeof(((struct wi_contradiction *)0)->side_a), 10);
        text_fits(t, i, "side_b", sizeof(((struct wi_contradiction *)0)->side_b), 10);
        text_fits(t, i, "handling", sizeof(((struct wi_contradiction *)0)->handling), 5);
        text_fits(t, i, "items", sizeof(((struct wi_contradiction *)0)->items), 1);
        assert_string_not_equal(cell(t, i, "side_a"), cell(t, i, "side_b"));
        each_word(cell(t, i, "items"), item_exists, id);
    }
}

/* The figures on both sides, typed from the list of conflicts. */
static void the_contradictions_name_their_figures(void **state)
{
    static const struct {
        const char *id, *a, *b;
    } rows[] = {
        {"contradiction-01", "60 %", "67 %"},
        {"contradiction-02", "99.99", "99.9999"},
        {"contradiction-03", "35 %", "10 %"},
        {"contradiction-04", "+15 %", "51 %"},
        {"contradiction-05", "Perpendicular", "Parallel"},
        {"contradiction-06", "1.1 eV", "0.43"},
        {"contradiction-07", "ALIBABA22", "MEZA15"},
        {"contradiction-08", "ZAMBELLI18", "ATP"},
        {"contradiction-09", "bandwidth by half", "65 %"},
        {"contradiction-10", "20 C", "25 C"},
        {"contradiction-11", "403", "413"},
        {"contradiction-12", "negligible", "18 %"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t row = find_row(&data.contradictions, "id", rows[i].id);

        assert_non_null(strstr(cell(&data.contradictions, row, "side_a"), rows[i].a));
        assert_non_null(strstr(cell(&data.contradictions, row, "side_b"), rows[i].b));
    }
}

/* Figures that reached us from memory alone. They may stand in models.csv, marked, and nowhere
 * else. */
static void no_principle_states_a_remembered_figure(void **state)
{
    static const char *const remembered[] = {"1.04 eV", "404 weeks", "16.4 g", "34.2 %", "2185 K",
                                             "10 krad", "5.4 %",     "2.66",   "0.79 eV"};

    (void)state;
    for (size_t i = 0; i < data.n_principles; i++) {
        const struct wi_principle *p = &data.principles[i];
        const char *texts[] = {p->title,    p->statement, p->latency_effect, p->bandwidth_effect,
                               p->equation, p->validity};

        for (size_t k = 0; k < sizeof(remembered) / sizeof(remembered[0]); k++) {
            for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
                if (strstr(texts[t], remembered[k]))
                    fail_msg("'%s' states '%s'", p->id, remembered[k]);
            }
        }
    }
}

static bool is_cited(const char *source)
{
    for (size_t i = 0; i < data.n_principles; i++) {
        for (size_t s = 0; s < data.principles[i].n_sources; s++) {
            if (strcmp(data.principles[i].sources[s].id, source) == 0)
                return true;
        }
    }
    for (size_t i = 0; i < data.devices.n_rows; i++) {
        if (has_word(cell(&data.devices, i, "sources"), source))
            return true;
    }
    return is_row(&data.exps, "source", source) || is_row(&data.models, "source", source);
}

static void every_source_is_described_and_cited(void **state)
{
    const struct table *t = &data.sources;

    (void)state;
    table_has_header(t, "id citation url access");
    ids_are_unique(t, "id");
    for (size_t i = 0; i < t->n_rows; i++) {
        const char *id = cell(t, i, "id");

        for (const char *c = id; *c; c++) {
            if (!isupper((unsigned char)*c) && !isdigit((unsigned char)*c))
                ROW_FAIL(t, i, "id '%s' has other than A-Z and 0-9", id);
        }
        text_fits(t, i, "id", WI_ID_MAX, 2);
        text_fits(t, i, "citation", sizeof(((struct wi_source *)0)->citation), 10);
        text_fits(t, i, "access", sizeof(((struct wi_source *)0)->access), 4);
        if (text_fits(t, i, "url", sizeof(((struct wi_source *)0)->url), 0) &&
            strncmp(cell(t, i, "url"), "http", 4) != 0)
            ROW_FAIL(t, i, "'url' is no address");
        if (!is_cited(id))
            ROW_FAIL(t, i, "source '%s' is cited nowhere", id);
    }
}

static void source_exists(void *ctx, const char *id)
{
    if (!is_source(id))
        fail_msg("%s: unknown source '%s'", (const char *)ctx, id);
}

static void every_device_has_ranges_and_sources(void **state)
{
    static const char *const names[] = {"slc", "mlc", "tlc", "qlc"};
    const struct table *t = &data.devices;

    (void)state;
    table_has_header(t, "nand read_us_low read_us_high program_us_low program_us_high erase_us_low "
                        "erase_us_high pe_cycles_low pe_cycles_high sources note");
    for (size_t i = 0; i < t->n_rows; i++) {
        char path[64];

        assert_string_equal(cell(t, i, "nand"), names[i]);
        for (size_t c = 1; c < 9; c += 2) {
            double low = need_number(t, i, t->cells[c], 1.0, 1e6);

            if (low > need_number(t, i, t->cells[c + 1], 1.0, 1e6))
                ROW_FAIL(t, i, "'%s' is above '%s'", t->cells[c], t->cells[c + 1]);
        }
        snprintf(path, sizeof(path), "devices.csv, %s", names[i]);
        assert_in_range(each_word(cell(t, i, "sources"), source_exists, path), 1, 12);
        text_fits(t, i, "sources", sizeof(((struct wi_device *)0)->sources), 2);
        text_fits(t, i, "note", sizeof(((struct wi_device *)0)->note), 10);
    }
}

static void every_model_parameter_has_a_source_and_a_value(void **state)
{
    static const char *const units[] = {
        "",   "eV",  "C",   "hPa", "K", "g",     "us", "cycles",   "C per 1000 ft",
        "ft", "J/K", "K/W", "s",   "W", "weeks", "%",  "krad(Si)", NULL};
    const struct table *t = &data.models;

    (void)state;
    table_has_header(
        t, "id model symbol value low high unit applies_to validity source confidence note");
    ids_are_unique(t, "id");
    for (size_t i = 0; i < t->n_rows; i++) {
        enum wi_confidence conf = WI_CONF_READ;
        double value = number(t, i, "value", -1e9, 1e9);
        double low = number(t, i, "low", -1e9, 1e9);
        double high = number(t, i, "high", -1e9, 1e9);
        size_t u = 0;

        text_fits(t, i, "id", WI_ID_MAX, 3);
        text_fits(t, i, "applies_to", 200, 2);
        if (isnan(value) && isnan(low) && isnan(high))
            ROW_FAIL(t, i, "no value and no range");
        if (low >= high || value < low || value > high)
            ROW_FAIL(t, i, "value %g, range %g..%g", value, low, high);
        while (units[u] && strcmp(units[u], cell(t, i, "unit")) != 0)
            u++;
        if (!units[u])
            ROW_FAIL(t, i, "unknown unit '%s'", cell(t, i, "unit"));
        source_exists((void *)(uintptr_t)t->path, cell(t, i, "source"));
        if (!wi_confidence_parse(cell(t, i, "confidence"), &conf) || conf == WI_CONF_MEASURED)
            ROW_FAIL(t, i, "confidence '%s'", cell(t, i, "confidence"));
        if ((conf == WI_CONF_UNVERIFIED) != (strstr(cell(t, i, "note"), "remembered") != NULL))
            ROW_FAIL(t, i, "an unverified figure must say that it is remembered, and no other");
    }
}

static void remembered_figures_are_marked(void **state)
{
    static const char *const ids[] = {"arrhenius.heatwatch.ea",
                                      "peck.n",
                                      "peck.ea",
                                      "norris-landzberg.sac.n",
                                      "norris-landzberg.sac.m",
                                      "steinberg.b",
                                      "rber.mlc3x.e",
                                      "rber.mlc2y.q",
                                      "norris-landzberg.sac.ea_over_k",
                                      "jesd218.client.55-25"};

    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        size_t row = find_row(&data.models, "id", ids[i]);

        assert_in_range(row, 0, data.models.n_rows - 1);
        assert_string_equal(cell(&data.models, row, "confidence"), "unverified");
    }
}

/* A published truth is a copy: it must agree with the observation that it repeats. */
static void check_truth(size_t row)
{
    const struct table *t = &data.hotstorage;
    size_t obs =
        one_observation(cell(t, row, "experiment"), cell(t, row, "op"), cell(t, row, "metric"),
                        cell(t, row, "percentile"), cell(t, row, "stat"), false);
    double truth = need_number(t, row, "truth_pct", -100, 100);

    /* the plots use figure readings, which stand as the low end where the text says otherwise */
    if (truth != number(&data.obs, obs, "change_pct", -100, 100) &&
        truth != number(&data.obs, obs, "low_pct", -100, 100))
        ROW_FAIL(t, row, "truth %g is not that of the observation", truth);
}

static void the_published_baseline_is_complete_and_its_vibration_is_never_fitted(void **state)
{
    const struct table *t = &data.hotstorage;
    size_t n_vibration = 0;

    (void)state;
    table_has_header(
        t, "set experiment condition op metric percentile stat truth_pct llm_pct never_fit "
           "note");
    for (size_t i = 0; i < t->n_rows; i++) {
        bool vibration = strncmp(cell(t, i, "set"), "vib_", 4) == 0;
        enum wi_op op;
        enum wi_metric metric;
        enum wi_stat stat;

        if (!wi_op_parse(cell(t, i, "op"), &op) ||
            !wi_metric_parse(cell(t, i, "metric"), &metric) ||
            !wi_stat_parse(cell(t, i, "stat"), &stat))
            ROW_FAIL(t, i, "op, metric or stat is not one of the names");
        number(t, i, "percentile", 90.0, 100.0);
        need_number(t, i, "truth_pct", -100, 100);
        need_number(t, i, "llm_pct", -100, 100);
        assert_string_equal(cell(t, i, "never_fit"), vibration ? "1" : "0");
        assert_int_equal(vibration, !*cell(t, i, "experiment"));
        if (!vibration)
            check_truth(i);
        n_vibration += vibration;
    }
    assert_int_equal(n_vibration, 64);
}

/* Mean absolute error of the published predictions, from the study's comparison table. */
static void the_published_errors_come_out_of_the_baseline(void **state)
{
    static const struct {
        const char *set;
        double mae;
    } rows[] = {{"temp_hum_I", 6.6},
                {"temp_hum_II", 2.4},
                {"temp_hum_III", 1.6},
                {"temp_hum_IV", 15.8},
                {"temp_hum_V", 6.6}};

    (void)state;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        double sum = 0;
        size_t n = 0;

        for (size_t i = 0; i < data.hotstorage.n_rows; i++) {
            if (strcmp(cell(&data.hotstorage, i, "set"), rows[r].set) != 0)
                continue;
            sum += fabs(need_number(&data.hotstorage, i, "truth_pct", -100, 100) -
                        need_number(&data.hotstorage, i, "llm_pct", -100, 100));
            n++;
        }
        assert_int_equal(n, 5);
        if (fabs(sum / (double)n - rows[r].mae) > 0.051)
            fail_msg("%s: mean absolute error %g, must be %g", rows[r].set, sum / (double)n,
                     rows[r].mae);
    }
}

/* Every query asks for something that exists, in a scenario that the command line can say. */
static void check_query(const struct table *t, size_t row)
{
    struct wi_scenario s;
    const char *nand = cell(t, row, "nand");
    const char *op = cell(t, row, "op");
    const char *phase = cell(t, row, "phase");
    char at[64];

    snprintf(at, sizeof(at), "retrieval.csv, %.20s", cell(t, row, "id"));
    text_fits(t, row, "query", WI_QUESTION_MAX, 3);
    assert_in_range(each_word(cell(t, row, "expected"), item_exists, at), 1, 3);
    wi_scenario_init(&s);
    if ((*nand && !wi_nand_parse(nand, &s.nand)) || (*op && !wi_op_parse(op, &s.op)) ||
        (*phase && !wi_phase_parse(phase, &s.phase)))
        ROW_FAIL(t, row, "nand, op or phase is not one of the names");
    if (*cell(t, row, "temp"))
        assert_int_equal(wi_scenario_parse_temp(&s, cell(t, row, "temp"), NULL), WI_OK);
    if (*cell(t, row, "rh"))
        assert_int_equal(wi_scenario_parse_rh(&s, cell(t, row, "rh"), NULL), WI_OK);
    if (*cell(t, row, "vib"))
        assert_int_equal(wi_scenario_parse_vib(&s, cell(t, row, "vib"), NULL), WI_OK);
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
}

static void the_retrieval_table_asks_for_what_exists(void **state)
{
    struct table t = table_read("tests/golden/retrieval.csv");
    size_t n_tune = 0;
    size_t n_heldout = 0;

    (void)state;
    table_has_header(&t, "id part query expected nand op phase temp rh vib");
    ids_are_unique(&t, "id");
    ids_are_unique(&t, "query");
    for (size_t i = 0; i < t.n_rows; i++) {
        n_tune += strcmp(cell(&t, i, "part"), "tune") == 0;
        n_heldout += strcmp(cell(&t, i, "part"), "heldout") == 0;
        check_query(&t, i);
    }
    assert_in_range(n_tune, 60, 1000);
    assert_int_equal(n_heldout, 30);
    assert_int_equal(n_tune + n_heldout, t.n_rows);
    table_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_principle_is_linked_and_is_no_bare_memory),
        cmocka_unit_test(every_contradiction_keeps_both_sides),
        cmocka_unit_test(the_contradictions_name_their_figures),
        cmocka_unit_test(no_principle_states_a_remembered_figure),
        cmocka_unit_test(every_source_is_described_and_cited),
        cmocka_unit_test(every_device_has_ranges_and_sources),
        cmocka_unit_test(every_model_parameter_has_a_source_and_a_value),
        cmocka_unit_test(remembered_figures_are_marked),
        cmocka_unit_test(the_published_baseline_is_complete_and_its_vibration_is_never_fitted),
        cmocka_unit_test(the_published_errors_come_out_of_the_baseline),
        cmocka_unit_test(the_retrieval_table_asks_for_what_exists),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
