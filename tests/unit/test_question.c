#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "core/csv_read.h"
#include "core/question.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Columns of tests/golden/questions.csv. An empty cell: not stated by the words. */
enum column {
    QUESTION,
    SCENARIOS,
    NAND,
    OP,
    PHASE,
    TEMP_BEFORE,
    TEMP_DURING,
    TEMP_AFTER,
    RH_BEFORE,
    RH_DURING,
    RH_AFTER,
    AXIS,
    FREQ_HZ,
    GRMS,
    HOURS,
    PERCENTILES,
    METRIC,
    DEVICE,
    WARNING,
    N_COLUMNS
};

struct table {
    size_t n_rows, n_wrong;
};

static char *file_text(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *text;
    long size;

    if (!in)
        fail_msg("cannot open %s: run the tests at the top of the project", path);
    fseek(in, 0, SEEK_END);
    size = ftell(in);
    rewind(in);
    text = malloc((size_t)size + 1);
    assert_non_null(text);
    *len = fread(text, 1, (size_t)size, in);
    assert_int_equal(*len, size);
    text[size] = '\0';
    fclose(in);
    return text;
}

/* Part i of a cell like "tlc|mlc"; a cell without '|' holds for every scenario. */
static void cell_part(const char *cell, size_t i, char *buf, size_t size)
{
    const char *end;
    size_t len;

    if (strchr(cell, '|')) {
        for (; i > 0 && strchr(cell, '|'); i--)
            cell = strchr(cell, '|') + 1;
    }
    end = strchr(cell, '|');
    len = end ? (size_t)(end - cell) : strlen(cell);
    if (len >= size)
        len = size - 1;
    memcpy(buf, cell, len);
    buf[len] = '\0';
}

static size_t n_parts(const char *cell)
{
    size_t n = 1;

    for (; *cell; cell++)
        n += *cell == '|';
    return n;
}

struct check {
    const struct wi_scenario *s;
    size_t line;
    bool wrong;
};

static void wrong(struct check *c, const char *what, const char *want, const char *got)
{
    print_error("questions.csv:%zu: %s is '%s', want '%s'\n", c->line, what, got, want);
    c->wrong = true;
}

static void check_number(struct check *c, const char *what, const char *want, bool given,
                         double got)
{
    char text[32];

    snprintf(text, sizeof(text), "%g", got);
    if (want[0] == '\0') {
        if (given)
            wrong(c, what, "not stated", text);
        return;
    }
    if (!given || !(fabs(strtod(want, NULL) - got) <= 1e-6))
        wrong(c, what, want, given ? text : "not stated");
}

static void check_text(struct check *c, const char *what, const char *want, const char *got)
{
    if (strcmp(want, got) != 0)
        wrong(c, what, want, got);
}

static const char *axis_said(const struct wi_scenario *s)
{
    if (!(s->given & WI_F_DURING_VIB))
        return "";
    return s->given & WI_F_DURING_AXIS ? wi_axis_name(s->exposure.during.vib.axis) : "any";
}

static void percentiles_said(const struct wi_scenario *s, char *buf, size_t size)
{
    size_t n = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < s->n_percentiles && s->given & WI_F_PERCENTILES && n < size; i++)
        n += (size_t)snprintf(buf + n, size - n, "%s%.10g", i ? ";" : "", s->percentiles[i]);
}

static void device_said(const struct wi_scenario *s, char *buf, size_t size)
{
    size_t n = 0;

    buf[0] = '\0';
    if (s->vendor[0])
        n += (size_t)snprintf(buf + n, size - n, ";vendor=%s", s->vendor);
    if (s->interface[0])
        n += (size_t)snprintf(buf + n, size - n, ";interface=%s", s->interface);
    if (!isnan(s->capacity_gb))
        n += (size_t)snprintf(buf + n, size - n, ";capacity_gb=%g", s->capacity_gb);
    if (!isnan(s->pe_cycles))
        n += (size_t)snprintf(buf + n, size - n, ";pe_cycles=%g", s->pe_cycles);
    if (s->given & WI_F_CONFIDENCE)
        snprintf(buf + n, size - n, ";confidence=%g", s->confidence);
    if (buf[0])
        memmove(buf, buf + 1, strlen(buf));
}

static void check_scenario(struct check *c, char *const *f, size_t i)
{
    const struct wi_scenario *s = c->s;
    const struct wi_exposure *x = &s->exposure;
    const struct {
        const char *name;
        enum column column;
        uint32_t bit;
        double value;
    } numbers[] = {
        {"temp_before", TEMP_BEFORE, WI_F_BEFORE_TEMP, x->before.temp_c},
        {"temp_during", TEMP_DURING, WI_F_DURING_TEMP, x->during.temp_c},
        {"temp_after", TEMP_AFTER, WI_F_AFTER_TEMP, x->after.temp_c},
        {"rh_before", RH_BEFORE, WI_F_BEFORE_RH, x->before.rh_pct},
        {"rh_during", RH_DURING, WI_F_DURING_RH, x->during.rh_pct},
        {"rh_after", RH_AFTER, WI_F_AFTER_RH, x->after.rh_pct},
        {"freq_hz", FREQ_HZ, WI_F_DURING_FREQ, x->during.vib.freq_hz},
        {"hours", HOURS, WI_F_DURING_HOURS, x->during_h},
    };
    char want[128], got[160];

    for (size_t k = 0; k < COUNT(numbers); k++) {
        cell_part(f[numbers[k].column], i, want, sizeof(want));
        check_number(c, numbers[k].name, want, s->given & numbers[k].bit, numbers[k].value);
    }
    check_number(c, "grms", f[GRMS], !isnan(x->during.vib.grms), x->during.vib.grms);
    cell_part(f[NAND], i, want, sizeof(want));
    check_text(c, "nand", want, s->nand == WI_NAND_UNKNOWN ? "" : wi_nand_name(s->nand));
    check_text(c, "op", f[OP][0] ? f[OP] : "mixed", wi_op_name(s->op));
    cell_part(f[PHASE], i, want, sizeof(want));
    check_text(c, "phase", want[0] ? want : "running", wi_phase_name(s->phase));
    cell_part(f[AXIS], i, want, sizeof(want));
    check_text(c, "axis", want, axis_said(s));
    percentiles_said(s, got, sizeof(got));
    check_text(c, "percentiles", f[PERCENTILES], got);
    cell_part(f[DEVICE], i, want, sizeof(want));
    device_said(s, got, sizeof(got));
    check_text(c, "device", want, got);
}

static void check_warnings(struct check *c, const char *cell, const struct wi_texts *warnings)
{
    for (size_t i = 0; cell[0]; i++) {
        char want[128];
        bool found = false;

        cell_part(cell, i, want, sizeof(want));
        for (size_t k = 0; k < warnings->n; k++)
            found = found || strcasestr(warnings->items[k].text, want);
        if (!found)
            wrong(c, "a warning", want, warnings->n ? warnings->items[0].text : "none");
        if (i + 1 >= n_parts(cell))
            break;
    }
    if (!cell[0] && warnings->n)
        wrong(c, "a warning", "none", warnings->items[0].text);
}

static enum wi_status check_row(void *ctx, size_t line, char *const *f, size_t n,
                                struct wi_err *err)
{
    struct table *t = ctx;
    struct wi_reading r;
    struct wi_err why = {0};
    struct check c = {.line = line};
    const char *metric;

    (void)err;
    assert_int_equal(n, N_COLUMNS);
    if (t->n_rows++ == 0) {
        assert_string_equal(f[WARNING], "warning");
        return WI_OK;
    }
    if (wi_question_parse(f[QUESTION], NULL, &r, &why) != WI_OK) {
        wrong(&c, f[QUESTION], "an answer", why.msg);
        t->n_wrong++;
        return WI_OK;
    }
    if (r.n_scenarios != strtoul(f[SCENARIOS], NULL, 10))
        wrong(&c, "the number of scenarios", f[SCENARIOS],
              r.n_scenarios == 1 ? "1" : "more or fewer");
    for (size_t i = 0; i < r.n_scenarios; i++) {
        c.s = &r.scenarios[i];
        check_scenario(&c, f, i);
    }
    metric = r.wants_latency && r.wants_bandwidth ? "both"
             : r.wants_latency                    ? "latency"
             : r.wants_bandwidth                  ? "bandwidth"
                                                  : "";
    check_text(&c, "metric", f[METRIC], metric);
    check_warnings(&c, f[WARNING], &r.warnings);
    if (c.wrong) {
        print_error("    %s\n", f[QUESTION]);
        t->n_wrong++;
    }
    wi_reading_release(&r);
    return WI_OK;
}

static void check_table(const char *path, wi_csv_row_fn row, size_t least)
{
    struct table t = {0};
    struct wi_err err = {0};
    size_t len;
    char *text = file_text(path, &len);

    if (wi_csv_parse(path, text, len, NULL, row, &t, &err) != WI_OK)
        fail_msg("%s", err.msg);
    free(text);
    assert_true(t.n_rows > least);
    if (t.n_wrong)
        fail_msg("%zu of %zu questions are misread", t.n_wrong, t.n_rows - 1);
}

static void questions_are_read_as_users_mean_them(void **state)
{
    (void)state;
    check_table("tests/golden/questions.csv", check_row, 170);
}

static enum wi_status check_refused(void *ctx, size_t line, char *const *f, size_t n,
                                    struct wi_err *err)
{
    struct table *t = ctx;
    struct wi_reading r;
    struct wi_err why = {0};
    struct check c = {.line = line};
    enum wi_status st;

    (void)err;
    assert_int_equal(n, 3);
    if (t->n_rows++ == 0)
        return WI_OK;
    st = wi_question_parse(f[0], NULL, &r, &why);
    if (st == WI_OK)
        wi_reading_release(&r);
    check_text(&c, "(refused) status", f[1], wi_status_name(st));
    for (size_t i = 0; st != WI_OK && i < n_parts(f[2]); i++) {
        char want[128];

        cell_part(f[2], i, want, sizeof(want));
        if (!strstr(why.msg, want))
            wrong(&c, "(refused) the message", want, why.msg);
    }
    if (c.wrong) {
        print_error("    refused: %s\n", f[0]);
        t->n_wrong++;
    }
    return WI_OK;
}

static void impossible_and_foreign_questions_are_refused(void **state)
{
    (void)state;
    check_table("tests/golden/questions_refused.csv", check_refused, 30);
}

/* Reads a question that must be answered. */
static void read_question(const char *text, const struct wi_scenario *base, struct wi_reading *r)
{
    struct wi_err err = {0};

    if (wi_question_parse(text, base, r, &err) != WI_OK)
        fail_msg("'%s' is refused: %s", text, err.msg);
}

static bool is_warned(const struct wi_reading *r, const char *says)
{
    for (size_t i = 0; i < r->warnings.n; i++) {
        if (strstr(r->warnings.items[i].text, says))
            return true;
    }
    return false;
}

/* What `ask` gets from its options, as shorthand. */
struct options {
    const char *temp, *rh, *vib, *percentiles;
    enum wi_nand nand;
    enum wi_op op;
    enum wi_phase phase;
    double hours;
    uint32_t given; /* of the last four */
};

static void set_options(const struct options *o, struct wi_scenario *s)
{
    wi_scenario_init(s);
    if (o->temp)
        assert_int_equal(wi_scenario_parse_temp(s, o->temp, NULL), WI_OK);
    if (o->rh)
        assert_int_equal(wi_scenario_parse_rh(s, o->rh, NULL), WI_OK);
    if (o->vib)
        assert_int_equal(wi_scenario_parse_vib(s, o->vib, NULL), WI_OK);
    if (o->percentiles)
        assert_int_equal(wi_scenario_parse_percentiles(s, o->percentiles, NULL), WI_OK);
    s->nand = o->nand;
    s->op = o->op;
    s->phase = o->phase;
    s->exposure.during_h = o->given & WI_F_DURING_HOURS ? o->hours : NAN;
    s->given |= o->given;
}

static void options_win_over_words_with_a_warning_where_they_differ(void **state)
{
    static const struct {
        const char *question;
        struct options options;
        const char *line;    /* the scenario that results */
        const char *warning; /* NULL = none */
    } rows[] = {
        {"TLC SSD read latency at 60 °C",
         {.temp = "60"},
         "TLC, read, running; 22.5 C 50 %RH still -> 60 C",
         NULL},
        {"TLC SSD read latency at 60 °C",
         {.temp = "40"},
         "TLC, read, running; 22.5 C 50 %RH still -> 40 C",
         "exposure.during.temp_c: 40 C is used, the words say 60 C"},
        {"TLC SSD read latency",
         {.temp = "25:60"},
         "TLC, read, running; 25 C 50 %RH still -> 60 C",
         NULL},
        {"What does heat do to a TLC SSD, reads?",
         {.temp = "60"},
         "TLC, read, running; 22.5 C 50 %RH still -> 60 C",
         NULL},
        {"TLC SSD read latency, humidity from 20 to 80 %",
         {.rh = "30:80"},
         "TLC, read, running; 22.5 C 30 %RH still -> 80 %RH",
         "exposure.before.rh_pct: 30 %RH is used, the words say 20 %RH"},
        {"TLC SSD read latency at 60 °C",
         {.nand = WI_NAND_MLC, .given = WI_F_NAND},
         "MLC, read, running; 22.5 C 50 %RH still -> 60 C",
         "nand: mlc is used, the words say tlc"},
        {"TLC vs MLC SSD read latency at 60 °C",
         {.nand = WI_NAND_MLC, .given = WI_F_NAND},
         "MLC, read, running; 22.5 C 50 %RH still -> 60 C",
         "nand: mlc is used, the words say tlc"},
        {"TLC SSD read latency at 60 °C",
         {.op = WI_OP_WRITE, .given = WI_F_OP},
         "TLC, write, running; 22.5 C 50 %RH still -> 60 C",
         "op: write is used, the words say read"},
        {"TLC SSD latency after vibration",
         {.phase = WI_PHASE_RUNNING, .given = WI_F_PHASE},
         "TLC, mixed, running; 22.5 C 50 %RH still -> perpendicular vibration",
         "phase: running is used, the words say post"},
        {"TLC SSD latency, parallel vibration at 20 Hz",
         {.vib = "perpendicular@30"},
         "TLC, mixed, running; 22.5 C 50 %RH still -> perpendicular vibration 30 Hz",
         "exposure.during.vib: perpendicular 30 Hz is used"},
        {"TLC SSD latency under vibration",
         {.vib = "parallel@30"},
         "TLC, mixed, running; 22.5 C 50 %RH still -> parallel vibration 30 Hz",
         NULL},
        {"TLC SSD latency under vibration",
         {.vib = "none"},
         "TLC, mixed, running; 22.5 C 50 %RH still -> unchanged",
         "exposure.during.vib: none is used, the words say vibration"},
        {"TLC SSD latency vibrating for 6 h",
         {.hours = 12, .given = WI_F_DURING_HOURS},
         "TLC, mixed, running; 22.5 C 50 %RH still -> perpendicular vibration for 12 h",
         "exposure.during.hours: 12 h is used, the words say 6 h"},
        {"TLC SSD p99 at 60 °C",
         {.percentiles = "95"},
         "TLC, mixed, running; 22.5 C 50 %RH still -> 60 C",
         "percentiles: 95 is used, the words say 99"},
        {"TLC SSD temp=60",
         {.temp = "40"},
         "TLC, mixed, running; 22.5 C 50 %RH still -> 40 C",
         "exposure.during.temp_c: 40 C is used, the words say 60 C"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wi_scenario base;
        struct wi_reading r;
        char line[256];

        set_options(&rows[i].options, &base);
        read_question(rows[i].question, &base, &r);
        assert_int_equal(r.n_scenarios, 1);
        wi_scenario_format(&r.scenarios[0], line, sizeof(line));
        assert_string_equal(line, rows[i].line);
        if (rows[i].warning && !is_warned(&r, rows[i].warning))
            fail_msg("'%s': no warning '%s'", rows[i].question, rows[i].warning);
        if (!rows[i].warning && r.warnings.n)
            fail_msg("'%s': warning '%s'", rows[i].question, r.warnings.items[0].text);
        wi_reading_release(&r);
    }
}

static void an_option_that_settles_two_devices_replaces_both(void **state)
{
    struct wi_scenario base;
    struct wi_reading r;

    (void)state;
    wi_scenario_init(&base);
    assert_int_equal(wi_scenario_parse_temp(&base, "50", NULL), WI_OK);
    read_question("TLC at 60 °C vs MLC at 40 °C, read latency", &base, &r);
    assert_int_equal(r.n_scenarios, 2);
    assert_true(r.scenarios[0].exposure.during.temp_c == 50);
    assert_true(r.scenarios[1].exposure.during.temp_c == 50);
    assert_int_equal(r.warnings.n, 1);
    wi_reading_release(&r);
}

static void what_was_assumed_is_listed(void **state)
{
    struct wi_reading r;

    (void)state;
    read_question("TLC SSD read latency at 60 °C under vibration", NULL, &r);
    assert_int_equal(r.scenarios[0].assumed, WI_F_PHASE | WI_F_PERCENTILES | WI_F_CONFIDENCE |
                                                 WI_F_BEFORE_TEMP | WI_F_BEFORE_RH |
                                                 WI_F_BEFORE_VIB | WI_F_DURING_RH |
                                                 WI_F_DURING_AXIS | WI_F_DURING_FREQ);
    wi_reading_release(&r);
}

/* Reads anything; an answer must hold complete scenarios, a refusal must say something. */
static void read_anything(const char *text)
{
    struct wi_reading r;
    struct wi_err err = {0};
    enum wi_status st = wi_question_parse(text, NULL, &r, &err);

    if (st == WI_OK) {
        assert_in_range(r.n_scenarios, 1, WI_READING_SCENARIOS_MAX);
        assert_true(isfinite(r.scenarios[0].exposure.during.temp_c));
    } else {
        assert_true(st == WI_EDATA || st == WI_ERANGE);
        assert_true(err.msg[0]);
        assert_int_equal(r.n_scenarios, 0);
    }
    wi_reading_release(&r);
}

static void any_byte_may_stand_anywhere(void **state)
{
    char text[64];

    (void)state;
    for (int c = 1; c < 256; c++) {
        snprintf(text, sizeof(text), "SSD p99 %c 6%c0 %c C %c", c, c, c, c);
        read_anything(text);
    }
    read_anything("SSD \xff\xfe\xc3 at 60 \xe2\x84");
    read_anything(
        "SSD \xed\xa0\x80 \xf8\x88\x80\x80\x80 \xc0\x80 at 60 C {t0} {t99999999999999999999}");
}

static void long_texts_are_read_or_refused_in_time(void **state)
{
    static const char *const units[] = {"SSD at 60 C from ",
                                        "1",
                                        "1 ",
                                        "1,000 ",
                                        "-",
                                        "a",
                                        "from to ",
                                        "{",
                                        "p99 ",
                                        "TLC ",
                                        "60 C / 80 % ",
                                        "twenty hundred ",
                                        "slowest ",
                                        "ssd at 6 \xc2\xb0",
                                        "99.9, ",
                                        "\xe6\xb8\xa9\xe5\xba\xa6",
                                        "\n",
                                        "humidity of the to in "};
    char *text = malloc(WI_QUESTION_MAX + 2);

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < COUNT(units); i++) {
        size_t n = strlen(units[i]), len = 0;

        memcpy(text, "SSD ", 4);
        for (len = 4; len + n <= WI_QUESTION_MAX; len += n)
            memcpy(text + len, units[i], n);
        text[len] = '\0';
        read_anything(text);
    }
    memset(text, 'x', WI_QUESTION_MAX + 1);
    text[WI_QUESTION_MAX + 1] = '\0';
    read_anything(text);
    free(text);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state)
{
    const char *question = "TLC vs MLC p999 from 25 to 60 C at 80 %RH, 3 fans, temp=60";
    struct wi_reading r;
    struct wi_err err;
    enum wi_status st;
    long live, n_needless = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    live = alloc_live;
    for (long n = 0;; n++) {
        alloc_fail_at(n);
        st = wi_question_parse(question, NULL, &r, &err);
        if (!alloc_has_failed())
            break;
        if (st == WI_OK) { /* vasprintf can do without some of its allocations */
            n_needless++;
            wi_reading_release(&r);
        } else {
            assert_int_equal(st, WI_ENOMEM);
            assert_int_equal(r.n_scenarios, 0);
        }
        assert_int_equal(alloc_live, live);
    }
    assert_int_equal(st, WI_OK);
    assert_int_equal(r.n_scenarios, 2);
    assert_true(n_needless < 10);
    wi_reading_release(&r);
    assert_int_equal(alloc_live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_read_as_users_mean_them),
        cmocka_unit_test(options_win_over_words_with_a_warning_where_they_differ),
        cmocka_unit_test(an_option_that_settles_two_devices_replaces_both),
        cmocka_unit_test(what_was_assumed_is_listed),
        cmocka_unit_test(any_byte_may_stand_anywhere),
        cmocka_unit_test(long_texts_are_read_or_refused_in_time),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(impossible_and_foreign_questions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
