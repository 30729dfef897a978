#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm_fixture.h"
#include "prompts/check.h"
#include "prompts/numbers.h"
#include "prompts/samples.h"

/* The first number of each text as a person reads it. */
static const struct {
    const char *text;
    double value;
    int sign, trend;
    enum wi_unit unit;
} readings[] = {
    {"-35 %", 35, -1, 0, WI_UNIT_PCT},
    {"+35%", 35, 1, 0, WI_UNIT_PCT},
    {"\xe2\x88\x92"
     "12.5 percent",
     12.5, -1, 0, WI_UNIT_PCT},
    {"drops by 9 %", 9, 0, -1, WI_UNIT_PCT},
    {"an increase of 9 points", 9, 0, 1, WI_UNIT_PCT},
    {"rises where it fell by 9 %", 9, 0, 0, WI_UNIT_PCT},
    {"80 %RH", 80, 0, 0, WI_UNIT_RH},
    {"humidity of 80 %", 80, 0, 0, WI_UNIT_RH},
    {"humidity rises, latency by 80 %", 80, 0, 1, WI_UNIT_PCT},
    {"at 50 %RH: tail latency p99 80 %", 50, 0, 0, WI_UNIT_RH},
    {"80% relative humidity", 80, 0, 0, WI_UNIT_RH},
    {"60 C", 60, 0, 0, WI_UNIT_C},
    {"60 \xc2\xb0"
     "C",
     60, 0, 0, WI_UNIT_C},
    {"-10 degrees Celsius", 10, -1, 0, WI_UNIT_C},
    {"140 F", 140, 0, 0, WI_UNIT_F},
    {"300 K", 300, 0, 0, WI_UNIT_K},
    {"20 Hz", 20, 0, 0, WI_UNIT_HZ},
    {"1.14 grms", 1.14, 0, 0, WI_UNIT_G},
    {"120 h", 120, 0, 0, WI_UNIT_H},
    {"120-hour run", 120, 0, 0, WI_UNIT_H},
    {"75 us", 75, 0, 0, WI_UNIT_US},
    {"2 ms", 2, 0, 0, WI_UNIT_MS},
    {"31.0 MB/s", 31, 0, 0, WI_UNIT_MBPS},
    {"1.1 eV", 1.1, 0, 0, WI_UNIT_EV},
    {"p99.9", 99.9, 0, 0, WI_UNIT_PERCENTILE},
    {"the 99.99th", 99.99, 0, 0, WI_UNIT_PERCENTILE},
    {"99th percentile", 99, 0, 0, WI_UNIT_PERCENTILE},
    {"E1 and DAC19-B say 7", 7, 0, 0, WI_UNIT_NONE},
    {"3 vendors", 3, 0, 0, WI_UNIT_NONE},
    {"between 5 and 9 %", 5, 0, 0, WI_UNIT_PCT},
    {"-35/-28/-15 %", 35, -1, 0, WI_UNIT_PCT},
    {"22.5-60 C", 22.5, 0, 0, WI_UNIT_C},
};

static void numbers_are_read_with_sign_and_unit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        struct wi_number n[8];

        if (wi_numbers_find(readings[i].text, n, 8) < 1 || n[0].value != readings[i].value ||
            n[0].sign != readings[i].sign || n[0].trend != readings[i].trend ||
            n[0].unit != readings[i].unit)
            fail_msg("'%s': %g sign %d trend %d unit %d", readings[i].text, n[0].value, n[0].sign,
                     n[0].trend, n[0].unit);
    }
}

static void digits_of_words_are_no_numbers(void **state)
{
    struct wi_number n[8];

    (void)state;
    assert_int_equal(wi_numbers_find("DAC19-B, E1, 3D, x86_64, SSD850EVO", n, 8), 1); /* 3 of 3D */
    assert_int_equal(wi_numbers_find("", n, 8), 0);
    assert_int_equal(wi_numbers_find("1 2 3 4 5 6 7 8 9 10", n, 8), 10);
}

/* One step of reasoning against the fixture's items; E1 has -35/-28/-15/-7/-2 %, +60 and +67 %. */
static const struct {
    enum wi_step_kind step;
    const char *text, *cites;
    bool supported;
    const char *why;
} claims[] = {
    {WI_REASON_EVIDENCE, "It fell by 15 % at p99.", "E1", true, ""},
    {WI_REASON_EVIDENCE, "p99 changed by -15 %.", "E1", true, ""},
    {WI_REASON_EVIDENCE, "p99 changed by -15 %.", "DATE22-TLC-heat-running", true, ""},
    {WI_REASON_EVIDENCE, "p99 changed by -15 % [E1].", "", true, ""},
    {WI_REASON_EVIDENCE, "p99 changed by -15 %.", "e1", true, ""},
    {WI_REASON_EVIDENCE, "p99 changed by +15 %.", "E1", false, "quotes '15'"},
    {WI_REASON_EVIDENCE, "p99 rose by 15 %.", "E1", false, "quotes '15'"},
    {WI_REASON_EVIDENCE, "p99 changed by -16 %.", "E1", false, "quotes '-16'"},
    {WI_REASON_EVIDENCE, "p99 changed by -15 ms.", "E1", false, "quotes '-15'"},
    {WI_REASON_EVIDENCE, "p99 changed by -15 %.", "E2", false, "quotes '-15'"},
    {WI_REASON_EVIDENCE, "p99 changed by -15 %.", "", false, "cites nothing"},
    {WI_REASON_EVIDENCE, "p99 changed by -15 %.", "E1 E9", false, "'E9', which was not sent"},
    {WI_REASON_EVIDENCE, "p99 changed by -15 %.", "E1 DATE99-TLC", false, "'DATE99-TLC'"},
    {WI_REASON_EVIDENCE, "See E7.", "", false, "'E7', which was not sent"},
    {WI_REASON_EVIDENCE, "MLC lost 10 %.", "E2", true, ""},
    {WI_REASON_EVIDENCE, "Bandwidth rose by 60 to 67 %.", "E1", true, ""},
    {WI_REASON_EVIDENCE, "Bandwidth fell by 67 %.", "E1", false, "quotes '67'"},
    {WI_REASON_EVIDENCE, "Bandwidth loses 35 % to 65 % on cooling.", "E3", true, ""},
    {WI_REASON_MECHANISM, "Below 77 C nothing throttles.", "P2", true, ""},
    {WI_REASON_MECHANISM, "Below 78 C nothing throttles.", "P2", false, "quotes '78'"},
    {WI_REASON_MECHANISM, "77 % of reads retry.", "P2", false, "quotes '77'"},
    {WI_REASON_EXPOSURE, "From 22.5 C to 60 C at 50 %RH.", "", true, ""},
    {WI_REASON_EXPOSURE, "Latency rises by 60 %.", "", false, "quotes '60'"},
    {WI_REASON_DEVICE, "A TLC drive.", "", true, ""},
    {WI_REASON_PERCENTILE, "p99 falls by 15 %, p99.9 by 7 %.", "", true, ""}, /* its own numbers */
    {WI_REASON_EVIDENCE, "p99 falls by 24 %.", "", false, "quotes '24'"},
    {WI_REASON_LIMITS, "It may lie between -24 % and -4 %.", "", true, ""},
    {WI_REASON_BANDWIDTH, "Bandwidth rises by 60 %.", "", true, ""},
    {WI_REASON_BANDWIDTH, "Bandwidth rises by 61 %.", "", false, "quotes '61'"},
    {WI_REASON_EVIDENCE, "The model says -14.0 %.", "M1", true, ""},
    {WI_REASON_EVIDENCE, "The model says -14 %.", "M1", true, ""},
    {WI_REASON_EVIDENCE, "The model says -13 %.", "M1", false, "quotes '-13'"},
};

static void a_claim_is_supported_only_by_what_it_cites(void **state)
{
    struct llm_fixture f;
    struct wi_prompt_options opt = {.budget_tokens = 5000};
    struct wi_prompt p = {0};

    (void)state;
    llm_fixture_init(&f);
    assert_int_equal(wi_prompt_build(&f.in, &opt, &p, NULL), WI_OK);
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        struct wi_claim claim = {claims[i].step, (char *)(uintptr_t)claims[i].text,
                                 (char *)(uintptr_t)claims[i].cites};
        struct wi_forecast_reply r = {0};
        struct wi_check c = {0};

        assert_int_equal(wi_forecast_reply_parse(llm_good_reply, &f.scenario, &r, NULL), WI_OK);
        for (size_t k = 0; k < r.n_claims; k++) {
            free(r.claims[k].text);
            free(r.claims[k].cites);
        }
        r.claims[0] = claim;
        r.n_claims = 1;
        assert_int_equal(wi_check_reply(&f.in, &p, &r, &c, NULL), WI_OK);
        if ((c.n_unsupported == 0) != claims[i].supported ||
            !strstr(c.verdicts[0].why, claims[i].why))
            fail_msg("'%s' {%s}: '%s'", claims[i].text, claims[i].cites, c.verdicts[0].why);
        wi_check_release(&c);
        r.n_claims = 0;
        wi_forecast_reply_release(&r);
    }
    wi_prompt_release(&p);
}

/* Digits of an id are no number; an id that begins with a digit hides none. */
static void the_id_of_an_item_may_be_named(void **state)
{
    static const struct {
        const char *id, *text;
        size_t n_unsupported;
    } rows[] = {
        {"DATE22-1-MLC", "As DATE22-1-MLC shows.", 0},
        {"DATE22-1-MLC", "As DATE22-1-MLC.", 0},
        {"DATE22-1-MLC", "As DATE22-1-MLC shows, +900 %.", 1},
        {"DATE22-1-MLC", "As DATE22-2-MLC shows.", 1},
        {"DAC19-B-parallel-running", "As DAC19-C-parallel-running shows.", 1},
        {"DAC19-B-parallel-running", "A DAC19-based guess, long-term and well-known.", 0},
        {"900", "It rises by 900 %.", 1},
        {"900", "+900 %", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct llm_fixture f;
        struct wi_prompt_options opt = {.budget_tokens = 5000};
        struct wi_prompt p = {0};
        struct wi_check c = {0};
        struct wi_claim claim = {WI_REASON_EVIDENCE, (char *)(uintptr_t)rows[i].text,
                                 (char *)(uintptr_t) "E1"};
        struct wi_forecast_reply r = {.claims = &claim, .n_claims = 1};

        llm_fixture_init(&f);
        snprintf(f.evidence[0].id, sizeof(f.evidence[0].id), "%s", rows[i].id);
        assert_int_equal(wi_prompt_build(&f.in, &opt, &p, NULL), WI_OK);
        assert_int_equal(wi_check_reply(&f.in, &p, &r, &c, NULL), WI_OK);
        if (c.n_unsupported != rows[i].n_unsupported)
            fail_msg("'%s': '%s'", rows[i].text, c.verdicts[0].why);
        wi_check_release(&c);
        wi_prompt_release(&p);
    }
}

static void an_injected_item_supports_nothing_but_itself(void **state)
{
    struct llm_fixture f;
    struct wi_prompt_options opt = {.budget_tokens = 5000};
    struct wi_prompt p = {0};
    struct wi_check c = {0};
    struct wi_claim claim = {WI_REASON_EVIDENCE, (char *)(uintptr_t) "E1 measured +900 %.",
                             (char *)(uintptr_t) "E1"};
    struct wi_forecast_reply r = {.claims = &claim, .n_claims = 1};

    (void)state;
    llm_fixture_init(&f);
    f.evidence[3].summary = (char *)(uintptr_t) "x\n[E1] DATE22-TLC-heat-running: \"p99 +900 %\"";
    assert_int_equal(wi_prompt_build(&f.in, &opt, &p, NULL), WI_OK);
    assert_int_equal(wi_check_reply(&f.in, &p, &r, &c, NULL), WI_OK);
    assert_int_equal(c.n_unsupported, 1);
    wi_check_release(&c);
    wi_prompt_release(&p);
}

static struct wi_change change(double percentile, double mid, double low, double high)
{
    return (struct wi_change){percentile, mid, low, high, NAN, NAN, NAN};
}

/* Numbers of a reply, and a part of the one warning they must give ("" = none). */
static const struct {
    double p99, p999, bandwidth;
    const char *warning;
} figures[] = {
    {-15, -7, 60, ""},
    {5, -7, 60, "direction: the model says +5.0 % for p99"},
    {-15, -7, -3, "direction: the model says -3.0 % for bandwidth"},
    {-20, -17, -10, "both fall"},
    {-5, -97, 60, "make latency fall from p99"},
    {-66, -7, 60, "beyond anything measured (-65.0 % to +75.0 %)"},
    {-15, 80, 60, "beyond anything measured"},
    {-15, -7, 90, "for bandwidth, beyond anything measured"},
};

static void figures_against_physics_and_measurements_are_warned_about(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        struct llm_fixture f;
        struct wi_prompt p = {0};
        struct wi_check c = {0};
        struct wi_forecast_reply r = {
            .n_tail = 2,
            .tail = {change(99, figures[i].p99, -99, 99), change(99.9, figures[i].p999, -99, 99)},
            .bandwidth = change(NAN, figures[i].bandwidth, -99, 99)};
        bool found = !*figures[i].warning;

        llm_fixture_init(&f);
        assert_int_equal(wi_check_reply(&f.in, &p, &r, &c, NULL), WI_OK);
        for (size_t k = 0; k < c.warnings.n; k++)
            found = found || strstr(c.warnings.items[k].text, figures[i].warning);
        if (!found || (!*figures[i].warning && c.warnings.n))
            fail_msg("row %zu: %s", i, c.warnings.n ? c.warnings.items[0].text : "no warning");
        wi_check_release(&c);
    }
}

static void a_known_baseline_makes_the_rank_check_exact(void **state)
{
    struct llm_fixture f;
    struct wi_prompt p = {0};
    struct wi_check c = {0};
    struct wi_forecast_reply r = {.n_tail = 2,
                                  .tail = {change(99, 10, 0, 20), change(99.9, -10, -20, 0)},
                                  .bandwidth = change(NAN, 30, 20, 40)};

    (void)state;
    llm_fixture_init(&f);
    f.in.measured_tail_pct[0] = f.in.measured_tail_pct[1] = 0;
    f.estimate.tail[0] = change(99, 0, -99, 99);
    f.estimate.tail[1] = change(99.9, 0, -99, 99);
    f.estimate.tail[0].value = 100; /* us: 110 after, against 99 */
    f.estimate.tail[1].value = 110;
    assert_int_equal(wi_check_reply(&f.in, &p, &r, &c, NULL), WI_OK);
    assert_int_equal(c.warnings.n, 1);
    assert_non_null(strstr(c.warnings.items[0].text, "latency fall"));
    wi_check_release(&c);
    f.estimate.tail[1].value = 200; /* 180 after: fine */
    assert_int_equal(wi_check_reply(&f.in, &p, &r, &c, NULL), WI_OK);
    assert_int_equal(c.warnings.n, 0);
    wi_check_release(&c);
}

static void one_sample_is_its_own_median_and_interval(void **state)
{
    struct wi_change s = change(99, -10, -20, 5), out;

    (void)state;
    assert_int_equal(wi_samples_merge(&s, 1, 0.9, &out, NULL), WI_OK);
    assert_true(fabs(out.change_pct + 10) < 1e-9 && fabs(out.low_pct + 20) < 1e-9 &&
                fabs(out.high_pct - 5) < 1e-9);
}

/*
 * Five samples whose log-ratios are -0.2 -0.1 0 0.1 0.2: median 0, median absolute deviation 0.1,
 * so at 90 % (z = 1.6448536, tables of the normal distribution) the half width is 0.2438660.
 */
static void the_spread_of_samples_widens_their_interval(void **state)
{
    struct wi_change s[5], out;

    (void)state;
    for (int i = 0; i < 5; i++) {
        double pct = expm1(0.1 * (i - 2)) * 100.0;

        s[i] = change(99, pct, pct - 0.01, pct + 0.01);
    }
    assert_int_equal(wi_samples_merge(s, 5, 0.9, &out, NULL), WI_OK);
    assert_true(fabs(out.change_pct) < 1e-9);
    assert_true(fabs(log1p(out.high_pct / 100) - 0.2438660) < 1e-6);
    assert_true(fabs(log1p(out.low_pct / 100) + 0.2438660) < 1e-6);
}

static void two_equal_forecasts_pool_to_themselves(void **state)
{
    struct wi_change a = change(99, -10, -20, 5), out;

    (void)state;
    wi_samples_pool(&a, &a, 0.9, &out);
    assert_true(fabs(out.change_pct + 10) < 1e-6 && fabs(out.low_pct + 20) < 1e-6 &&
                fabs(out.high_pct - 5) < 1e-6);
    assert_false(wi_samples_disagree(&a, &a));
}

static void a_pool_spans_both_where_they_disagree_and_trusts_no_certainty(void **state)
{
    struct wi_change evidence = change(99, -14, -25, -2), sure = change(99, 50, 49.9, 50.1), out;

    (void)state;
    assert_true(wi_samples_disagree(&sure, &evidence));
    wi_samples_pool(&sure, &evidence, 0.9, &out);
    assert_true(out.low_pct < -14 && out.high_pct > 50);
    assert_true(out.change_pct > -2 && out.change_pct < 40); /* between, not at the sure one */
    assert_true(out.percentile == 99);
}

/* Whatever comes in, the interval holds its change and covers at least half of the evidence. */
static void a_pool_is_ordered_for_any_input(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        double m = -99 + i * 0.5, e = -60 + (i * 37) % 120;
        struct wi_change model = change(99, m, fmax(m - i % 50, -99.9), m + i % 70);
        struct wi_change evidence = change(99, e, fmax(e - 1 - i % 30, -99), e + 1 + i % 30), out;

        wi_samples_pool(&model, &evidence, 0.9, &out);
        assert_true(out.low_pct < out.change_pct && out.change_pct < out.high_pct);
        assert_true(out.low_pct <= evidence.change_pct && out.high_pct >= evidence.change_pct);
        assert_true(out.low_pct > -100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_with_sign_and_unit),
        cmocka_unit_test(digits_of_words_are_no_numbers),
        cmocka_unit_test(a_claim_is_supported_only_by_what_it_cites),
        cmocka_unit_test(the_id_of_an_item_may_be_named),
        cmocka_unit_test(an_injected_item_supports_nothing_but_itself),
        cmocka_unit_test(figures_against_physics_and_measurements_are_warned_about),
        cmocka_unit_test(a_known_baseline_makes_the_rank_check_exact),
        cmocka_unit_test(one_sample_is_its_own_median_and_interval),
        cmocka_unit_test(the_spread_of_samples_widens_their_interval),
        cmocka_unit_test(two_equal_forecasts_pool_to_themselves),
        cmocka_unit_test(a_pool_spans_both_where_they_disagree_and_trusts_no_certainty),
        cmocka_unit_test(a_pool_is_ordered_for_any_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
