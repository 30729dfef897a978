/*
 * Every experiment and observation of data/.
 */
#include "unit.h"

#include "data_all.h"

static void nothing_was_lost(void **state)
{
    (void)state;
    assert_in_range(data.exps.n_rows, 41, 100000);
    assert_in_range(data.obs.n_rows, 351, 100000);
    assert_in_range(data.n_principles, 55, N_PRINCIPLES_MAX);
    assert_int_equal(data.contradictions.n_rows, 12);
    assert_int_equal(data.devices.n_rows, 4);
    assert_int_equal(data.hotstorage.n_rows, 98);
}

static void names_every_column(const char *readme, const struct table *t)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        const char *name = t->cells[c];

        /* the steps are documented once for all three */
        if (strncmp(name, "before_", 7) == 0 || strncmp(name, "during_", 7) == 0 ||
            strncmp(name, "after_", 6) == 0)
            name = strchr(name, '_');
        if (!strstr(readme, name))
            fail_msg("data/README.md does not name '%s' of %s", name, t->path);
    }
}

static void the_readme_names_every_column(void **state)
{
    static char readme[64 * 1024];
    FILE *in = fopen("data/README.md", "r"); /* unit tests run in the root of the project */
    size_t n;

    (void)state;
    assert_non_null(in);
    n = fread(readme, 1, sizeof(readme) - 1, in);
    fclose(in);
    assert_in_range(n, 1000, sizeof(readme) - 2);
    names_every_column(readme, &data.exps);
    names_every_column(readme, &data.obs);
    names_every_column(readme, &data.sources);
    names_every_column(readme, &data.devices);
    names_every_column(readme, &data.contradictions);
    names_every_column(readme, &data.models);
    names_every_column(readme, &data.hotstorage);
}

static void check_step(size_t row, const char *step)
{
    const struct table *t = &data.exps;
    enum wi_axis axis = WI_AXIS_NONE;
    char column[64];
    double freq_hz;
    double grms;

    snprintf(column, sizeof(column), "%s_temp_c", step);
    need_number(t, row, column, WI_TEMP_C_MIN, WI_TEMP_C_MAX);
    snprintf(column, sizeof(column), "%s_rh_pct", step);
    need_number(t, row, column, WI_RH_PCT_MIN, WI_RH_PCT_MAX);
    snprintf(column, sizeof(column), "%s_vib_axis", step);
    if (!wi_axis_parse(cell(t, row, column), &axis))
        ROW_FAIL(t, row, "'%s' is '%s'", column, cell(t, row, column));
    snprintf(column, sizeof(column), "%s_vib_freq_hz", step);
    freq_hz = number(t, row, column, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX);
    snprintf(column, sizeof(column), "%s_vib_grms", step);
    grms = number(t, row, column, WI_GRMS_MIN, WI_GRMS_MAX);
    if (axis == WI_AXIS_NONE && (!isnan(freq_hz) || !isnan(grms)))
        ROW_FAIL(t, row, "%s: a frequency or grms without vibration", step);
}

static void no_after_step(size_t row)
{
    const struct table *t = &data.exps;

    for (size_t c = 0; c < t->n_columns; c++) {
        if (strncmp(t->cells[c], "after_", 6) == 0 && *cell(t, row, t->cells[c]))
            ROW_FAIL(t, row, "'%s' is given but the phase is not post", t->cells[c]);
    }
}

static void check_range(size_t row, const char *low, const char *high, const char *state)
{
    const struct table *t = &data.exps;
    double a = number(t, row, low, WI_TEMP_C_MIN, WI_TEMP_C_MAX);
    double b = number(t, row, high, WI_TEMP_C_MIN, WI_TEMP_C_MAX);
    double v = need_number(t, row, state, WI_TEMP_C_MIN, WI_TEMP_C_MAX);

    if (isnan(a) != isnan(b) || (!isnan(a) && !(a < b && a <= v && v <= b)))
        ROW_FAIL(t, row, "'%s' %g, '%s' %g do not enclose '%s' %g", low, a, high, b, state, v);
}

static bool is_flag(const char *text)
{
    return strcmp(text, "0") == 0 || strcmp(text, "1") == 0;
}

static void check_control(size_t row)
{
    const struct table *t = &data.exps;
    const char *id = cell(t, row, "control");
    size_t at = find_row(t, "id", id);

    if (!*id)
        return;
    if (at == t->n_rows || strcmp(cell(t, at, "during_vib_axis"), "none") != 0 ||
        strcmp(cell(t, at, "vendor"), cell(t, row, "vendor")) != 0 ||
        strcmp(cell(t, at, "phase"), cell(t, row, "phase")) != 0)
        ROW_FAIL(t, row, "control '%s' is no quiet experiment of this vendor and phase", id);
}

static void every_experiment_is_complete_and_in_range(void **state)
{
    const struct table *t = &data.exps;

    (void)state;
    table_has_header(
        t, "id source vendor device interface nand capacity_gb pe_cycles phase failing "
           "control states_assumed before_temp_c before_rh_pct before_vib_axis "
           "before_vib_freq_hz before_vib_grms during_temp_c during_rh_pct during_vib_axis "
           "during_vib_freq_hz during_vib_grms during_h after_temp_c after_rh_pct "
           "after_vib_axis after_vib_freq_hz after_vib_grms temp_low_c temp_high_c "
           "rh_low_pct rh_high_pct workload note");
    ids_are_unique(t, "id");
    for (size_t i = 0; i < t->n_rows; i++) {
        enum wi_nand nand;
        enum wi_phase phase = WI_PHASE_RUNNING;

        text_fits(t, i, "id", WI_ID_MAX, 1);
        text_fits(t, i, "vendor", WI_NAME_MAX, 0);
        text_fits(t, i, "device", WI_NAME_MAX, 0);
        text_fits(t, i, "interface", WI_NAME_MAX, 0);
        text_fits(t, i, "workload", sizeof(((struct wi_experiment *)0)->workload), 1);
        text_fits(t, i, "note", sizeof(((struct wi_experiment *)0)->note), 1);
        if (!is_row(&data.sources, "id", cell(t, i, "source")))
            ROW_FAIL(t, i, "unknown source '%s'", cell(t, i, "source"));
        if (!wi_nand_parse(cell(t, i, "nand"), &nand) ||
            !wi_phase_parse(cell(t, i, "phase"), &phase) || !is_flag(cell(t, i, "failing")) ||
            !is_flag(cell(t, i, "states_assumed")))
            ROW_FAIL(t, i, "nand, phase or a flag is not one of the names allowed");
        number(t, i, "capacity_gb", 1.0, WI_CAPACITY_GB_MAX);
        number(t, i, "pe_cycles", 0.0, WI_PE_CYCLES_MAX);
        number(t, i, "during_h", 1e-3, WI_DUR_H_MAX);
        check_step(i, "before");
        check_step(i, "during");
        if (phase == WI_PHASE_POST)
            check_step(i, "after");
        else
            no_after_step(i);
        check_range(i, "temp_low_c", "temp_high_c", "during_temp_c");
        check_range(i, "rh_low_pct", "rh_high_pct", "during_rh_pct");
        check_control(i);
        if (!is_row(&data.obs, "experiment", cell(t, i, "id")))
            ROW_FAIL(t, i, "no observation");
        if (strcmp(cell(t, i, "states_assumed"), "1") == 0 && !strstr(cell(t, i, "note"), "not "))
            ROW_FAIL(t, i, "states are assumed and the note does not say which");
    }
}

/* What the sources do not disclose stays undisclosed. */
static void nothing_undisclosed_is_guessed(void **state)
{
    const struct table *t = &data.exps;

    (void)state;
    for (size_t i = 0; i < t->n_rows; i++) {
        bool dac = strcmp(cell(t, i, "source"), "DAC19") == 0;

        if (dac && strcmp(cell(t, i, "nand"), "unknown") != 0)
            ROW_FAIL(t, i, "the cell type is not disclosed");
        if (strcmp(cell(t, i, "source"), "DATE22") == 0 &&
            (*cell(t, i, "vendor") || *cell(t, i, "device") || *cell(t, i, "interface")))
            ROW_FAIL(t, i, "the drive is not disclosed");
        if (*cell(t, i, "during_vib_grms"))
            ROW_FAIL(t, i, "the acceleration is not known");
    }
    assert_string_equal(cell(t, find_row(t, "id", "DATE22-9-any"), "nand"), "unknown");
}

static void check_kind(size_t row, enum wi_obs_kind kind, enum wi_stat stat)
{
    const struct table *t = &data.obs;
    double change = number(t, row, "change_pct", -99.999, 1000.0);
    double low = number(t, row, "low_pct", -99.999, 1000.0);
    double high = number(t, row, "high_pct", -99.999, 1000.0);

    need_number(t, row, "reading_error_pct", 0.0, 20.0);
    if ((kind == WI_OBS_BOUND) != isnan(change))
        ROW_FAIL(t, row, "a change for a bound, or none for another kind");
    if ((kind == WI_OBS_BOX) != (stat != WI_STAT_NONE))
        ROW_FAIL(t, row, "'stat' goes with box plots and with nothing else");
    if (isnan(low) != isnan(high) || low >= high)
        ROW_FAIL(t, row, "low %g and high %g are no range", low, high);
    if (isnan(low) && kind != WI_OBS_VALUE && kind != WI_OBS_BOX)
        ROW_FAIL(t, row, "this kind needs a range");
    if (!isnan(change) && !isnan(low) && (change < low || change > high))
        ROW_FAIL(t, row, "change %g lies outside of %g..%g", change, low, high);
    if ((kind == WI_OBS_TOO_SMALL || kind == WI_OBS_NO_CHANGE || kind == WI_OBS_TEXT) &&
        change != 0.0)
        ROW_FAIL(t, row, "no change was seen, yet it is %g", change);
}

/* An absolute pair must give the change that stands beside it. */
static void check_absolute(size_t row)
{
    const struct table *t = &data.obs;
    double base = number(t, row, "base_value", 1e-6, 1e9);
    double value = number(t, row, "value", 1e-6, 1e9);

    if (isnan(base) != isnan(value))
        ROW_FAIL(t, row, "one of base_value and value is missing");
    if (!isnan(base) &&
        fabs(100.0 * (value / base - 1.0) - need_number(t, row, "change_pct", -100, 1e3)) > 0.1)
        ROW_FAIL(t, row, "value and base_value do not give change_pct");
}

static void every_observation_is_sound(void **state)
{
    const struct table *t = &data.obs;

    (void)state;
    table_has_header(t, "id experiment op metric percentile stat kind change_pct low_pct high_pct "
                        "reading_error_pct confidence base_value value n_samples locator note");
    ids_are_unique(t, "id");
    for (size_t i = 0; i < t->n_rows; i++) {
        enum wi_op op;
        enum wi_metric metric = WI_METRIC_BANDWIDTH;
        enum wi_obs_kind kind = WI_OBS_VALUE;
        enum wi_stat stat = WI_STAT_NONE;
        enum wi_confidence conf = WI_CONF_UNVERIFIED;
        double percentile = number(t, i, "percentile", WI_PERCENTILE_MIN, WI_PERCENTILE_MAX);

        text_fits(t, i, "id", WI_ID_MAX, 1);
        text_fits(t, i, "locator", sizeof(((struct wi_observation *)0)->locator), 1);
        text_fits(t, i, "note", sizeof(((struct wi_observation *)0)->note), 0);
        if (!is_row(&data.exps, "id", cell(t, i, "experiment")))
            ROW_FAIL(t, i, "unknown experiment '%s'", cell(t, i, "experiment"));
        if (!wi_op_parse(cell(t, i, "op"), &op) ||
            !wi_metric_parse(cell(t, i, "metric"), &metric) ||
            !wi_obs_kind_parse(cell(t, i, "kind"), &kind) ||
            !wi_stat_parse(cell(t, i, "stat"), &stat) ||
            !wi_confidence_parse(cell(t, i, "confidence"), &conf))
            ROW_FAIL(t, i, "op, metric, kind, stat or confidence is not one of the names");
        if (conf == WI_CONF_UNVERIFIED || conf == WI_CONF_MEASURED)
            ROW_FAIL(t, i, "confidence '%s' has no place here", cell(t, i, "confidence"));
        if (metric == WI_METRIC_BANDWIDTH ? !isnan(percentile)
                                          : isnan(percentile) && kind != WI_OBS_BOUND)
            ROW_FAIL(t, i, "percentile '%s' does not go with the metric", cell(t, i, "percentile"));
        number(t, i, "n_samples", 1.0, 1e15);
        check_kind(i, kind, stat);
        check_absolute(i);
    }
}

/* Sort key of the order that data/README.md promises. */
static double rank(size_t row)
{
    const struct table *t = &data.obs;
    enum wi_op op = WI_OP_MIXED;
    enum wi_metric metric = WI_METRIC_TAIL_LATENCY;
    double p = number(t, row, "percentile", 0, 100);

    wi_op_parse(cell(t, row, "op"), &op);
    wi_metric_parse(cell(t, row, "metric"), &metric);
    return (double)find_row(&data.exps, "id", cell(t, row, "experiment")) * 1e6 +
           (op == WI_OP_READ    ? 0
            : op == WI_OP_WRITE ? 1
                                : 2) *
               1e5 +
           (double)metric * 1e4 + (isnan(p) ? 101 : p) * 10;
}

static void observations_stand_in_order(void **state)
{
    (void)state;
    for (size_t i = 1; i < data.obs.n_rows; i++) {
        if (rank(i) < rank(i - 1))
            ROW_FAIL(&data.obs, i, "out of order");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_was_lost),
        cmocka_unit_test(the_readme_names_every_column),
        cmocka_unit_test(every_experiment_is_complete_and_in_range),
        cmocka_unit_test(nothing_undisclosed_is_guessed),
        cmocka_unit_test(every_observation_is_sound),
        cmocka_unit_test(observations_stand_in_order),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
