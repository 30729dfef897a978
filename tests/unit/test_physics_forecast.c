/*
 * What physics adds to the evidence: throttling mixtures, the outlook by retention and wear,
 * warnings.
 */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/normal.h"
#include "core/physics_forecast.h"

struct ask {
    enum wi_nand nand;
    enum wi_op op;
    enum wi_phase phase;
    double before_c, during_c, before_rh, during_rh, hours, pe_cycles;
    const char *interface;
};

static const struct ask plain = {WI_NAND_TLC, WI_OP_READ, WI_PHASE_RUNNING, 22.5, 60, 50, 50, NAN,
                                 NAN,         ""};

static struct wi_scenario scenario(const struct ask *a)
{
    struct wi_scenario s;
    struct wi_err err = {0};

    wi_scenario_init(&s);
    s.nand = a->nand;
    s.op = a->op;
    s.phase = a->phase;
    s.exposure.before.temp_c = a->before_c;
    s.exposure.during.temp_c = a->during_c;
    s.exposure.before.rh_pct = a->before_rh;
    s.exposure.during.rh_pct = a->during_rh;
    s.exposure.during_h = a->hours;
    s.pe_cycles = a->pe_cycles;
    strncpy(s.interface, a->interface, sizeof(s.interface) - 1);
    s.given = WI_F_NAND | WI_F_OP | WI_F_PHASE | WI_F_BEFORE_TEMP | WI_F_DURING_TEMP |
              WI_F_BEFORE_RH | WI_F_DURING_RH;
    if (!isnan(a->hours))
        s.given |= WI_F_DURING_HOURS;
    if (wi_scenario_complete(&s, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return s;
}

static struct wi_throttle throttle(struct ask a, bool known, double wctemp_c)
{
    struct wi_scenario s = scenario(&a);
    struct wi_throttle t;

    wi_throttle_eval(&s, known ? 60.0 : NAN, wctemp_c, &t);
    return t;
}

static struct ask at(double during_c)
{
    struct ask a = plain;

    a.during_c = during_c;
    return a;
}

/* --- normal.h --- */

static void normal_quantiles_match_thirty_digits(void **state)
{
    /* mpmath, sqrt(2) erfinv(2 p - 1) with 30 digits */
    static const double table[][2] = {{0.5, 0.0},
                                      {0.95, 1.6448536269514722},
                                      {0.975, 1.959963984540054},
                                      {0.995, 2.5758293035489004},
                                      {0.0005, -3.2905267314918948},
                                      {1e-7, -5.1993375821928169}};

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        assert_true(fabs(wi_gauss_quantile(table[i][0]) - table[i][1]) < 1e-12);
}

static double mixture_cdf(size_t n, const double *w, const double *m, const double *d, double x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += w[i] * 0.5 * erfc((m[i] - x) / d[i] / sqrt(2.0));
    return sum;
}

static void a_mixture_quantile_has_its_probability(void **state)
{
    static const double w[] = {0.5, 0.3, 0.2}, m[] = {-2, 0.1, 3}, d[] = {0.3, 1.0, 0.01};
    static const double one = 1.0;

    (void)state;
    for (double p = 0.0005; p < 1.0; p += 0.0117) {
        double x = wi_normal_mixture_quantile(3, w, m, d, p);

        assert_true(fabs(mixture_cdf(3, w, m, d, x) - p) < 1e-9);
        assert_true(fabs(wi_normal_mixture_quantile(1, &one, m + 1, d + 1, p) -
                         (0.1 + wi_gauss_quantile(p))) < 1e-9);
    }
}

/* --- throttling --- */

static void below_throttling_nothing_is_touched(void **state)
{
    static const double probs[] = {0.05, 0.5, 0.95};
    double w = 1, m = 0.1, sd = 0.2, q[3] = {-7, -8, -9};

    (void)state;
    for (double c = -40; c <= 45; c += 2.5) {
        struct wi_throttle t = throttle(at(c), false, NAN);

        assert_true(t.prob == 0.0 && t.n == 0);
        assert_false(wi_throttle_mix(&t, WI_METRIC_BANDWIDTH, 1, &w, &m, &sd, 3, probs, q));
        assert_true(q[0] == -7 && q[1] == -8 && q[2] == -9);
    }
}

static void a_measured_drive_did_not_throttle_at_60_c(void **state)
{
    struct ask a = at(60);
    struct wi_scenario s;
    struct wi_throttle t;

    (void)state;
    assert_true(throttle(at(60), true, NAN).prob == 0.0);
    assert_true(throttle(at(60), false, NAN).prob > 0.05);
    assert_true(throttle(at(75), true, NAN).prob > 0.05);
    /* measured at 40 C it may still throttle at 60 C */
    s = scenario(&a);
    wi_throttle_eval(&s, 40.0, NAN, &t);
    assert_true(t.prob > 0.05);
}

static void more_drives_throttle_in_hotter_air(void **state)
{
    static const char *const interfaces[] = {"", "SATA", "NVMe U.2", "PCIe 4.0", "M.2 NVMe"};
    double at_60[5];

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        double last = 0;

        for (double c = 23; c <= 120; c += 1) {
            struct ask a = at(c);
            struct wi_throttle t;
            double sum = 0;

            a.interface = interfaces[i];
            t = throttle(a, false, NAN);
            assert_true(t.prob >= last && t.prob <= 1.0 + 1e-12);
            for (size_t j = 0; j < t.n; j++) {
                assert_true(t.log_speed[j] <= 0 && t.log_speed[j] >= log(0.35) - 1e-12);
                assert_true(t.reach_frac[j] >= 0 && t.reach_frac[j] <= 1);
                sum += t.weight[j];
            }
            assert_true(fabs(sum - t.prob) < 1e-12);
            last = t.prob;
            if (c == 60)
                at_60[i] = t.prob;
        }
    }
    assert_true(at_60[0] == at_60[1]);
    assert_true(at_60[1] < at_60[4]);
}

static void a_known_threshold_replaces_the_published_ones(void **state)
{
    (void)state;
    assert_true(throttle(at(60), false, 118).prob == 0.0);
    /* the spread of the published ones always leaves some that do not */
    assert_true(throttle(at(120), false, NAN).prob <= 0.9);
    assert_true(throttle(at(60), false, 62).prob == 1.0);
    assert_true(throttle(at(60), true, 62).prob == 1.0);
}

static void cooling_out_of_throttling_is_the_mirror_of_heating_into_it(void **state)
{
    struct ask up = at(70), down = at(22.5);
    struct wi_throttle a, b;

    (void)state;
    down.before_c = 70;
    a = throttle(up, false, NAN);
    b = throttle(down, false, NAN);
    assert_true(a.prob > 0 && a.prob == b.prob && a.n == b.n);
    for (size_t p = 1; p < 20; p++) {
        double w = 1, m = 0.3, minus = -0.3, sd = 0.2, x, y, prob = (double)p / 20;
        double other = 1 - prob;

        assert_true(wi_throttle_mix(&a, WI_METRIC_BANDWIDTH, 1, &w, &m, &sd, 1, &prob, &x));
        assert_true(wi_throttle_mix(&b, WI_METRIC_BANDWIDTH, 1, &w, &minus, &sd, 1, &other, &y));
        /* both sides are grouped in the order of speed, so the groups differ a little */
        assert_true(fabs(x + y) < 0.01);
    }
}

static void the_mixture_is_wider_and_its_median_worse(void **state)
{
    static const double probs[] = {0.005, 0.05, 0.5, 0.95, 0.995};
    struct wi_throttle t = throttle(at(70), false, NAN);
    double w = 1, m = 0.5, sd = 0.15, bw[5], lat[5], minus = -0.5;

    (void)state;
    assert_true(wi_throttle_mix(&t, WI_METRIC_BANDWIDTH, 1, &w, &m, &sd, 5, probs, bw));
    assert_true(wi_throttle_mix(&t, WI_METRIC_TAIL_LATENCY, 1, &w, &minus, &sd, 5, probs, lat));
    for (size_t i = 0; i + 1 < 5; i++)
        assert_true(bw[i] < bw[i + 1] && lat[i] < lat[i + 1]);
    assert_true(bw[2] < 0.5 && bw[1] < 0.5 - 1.645 * 0.15);
    assert_true(bw[3] <= 0.5 + 1.645 * 0.15 + 1e-9);
    assert_true(lat[2] > -0.5 && lat[3] > -0.5 + 1.645 * 0.15);
}

static void post_looks_at_the_air_after_the_exposure(void **state)
{
    struct ask a = at(70);

    (void)state;
    a.phase = WI_PHASE_POST;
    assert_true(throttle(a, false, NAN).prob == 0.0);
}

/* --- outlook --- */

static struct wi_physics_outlook outlook(struct ask a, enum wi_physics_scope scope)
{
    struct wi_scenario s = scenario(&a);
    struct wi_physics_outlook o;

    wi_physics_outlook(&s, scope, &o);
    return o;
}

static void no_exposure_is_exactly_no_change(void **state)
{
    struct ask a = plain;

    (void)state;
    a.during_c = a.before_c;
    for (int phase = WI_PHASE_RUNNING; phase <= WI_PHASE_POST; phase++) {
        for (int nand = WI_NAND_UNKNOWN; nand <= WI_NAND_QLC; nand++) {
            struct wi_physics_outlook o;

            a.phase = (enum wi_phase)phase;
            a.nand = (enum wi_nand)nand;
            a.pe_cycles = nand == WI_NAND_SLC ? 50000 : 900;
            o = outlook(a, WI_SCOPE_ALL);
            for (size_t i = 0; i < 5; i++)
                assert_true(o.tail[i].mid == 0.0 && o.tail[i].sd_high == o.tail[i].sd_low);
            assert_true(o.bandwidth.mid == 0.0);
        }
    }
}

static void storage_grows_with_hours_and_heat(void **state)
{
    struct ask a = plain;
    double last = 0, last_hot = 0;

    (void)state;
    a.phase = WI_PHASE_LONG_TERM;
    a.during_c = a.before_c;
    for (a.hours = 120; a.hours < 50000; a.hours *= 2) {
        struct wi_physics_outlook o = outlook(a, WI_SCOPE_CLIMATE);

        assert_true(o.tail[2].mid >= last && o.rber_after > o.rber_before);
        assert_true(o.bandwidth.mid <= 0);
        last = o.tail[2].mid;
    }
    assert_true(last > 0.2);
    a.hours = 1000;
    for (a.during_c = 25; a.during_c <= 85; a.during_c += 5) {
        struct wi_physics_outlook o = outlook(a, WI_SCOPE_CLIMATE);

        assert_true(o.rber_after > last_hot);
        last_hot = o.rber_after;
    }
}

static void fewer_bits_per_cell_mean_fewer_errors(void **state)
{
    struct ask a = plain;
    double rber[3];
    static const enum wi_nand order[] = {WI_NAND_SLC, WI_NAND_TLC, WI_NAND_QLC};

    (void)state;
    a.phase = WI_PHASE_LONG_TERM;
    a.hours = 5000;
    for (size_t i = 0; i < 3; i++) {
        a.nand = order[i];
        rber[i] = outlook(a, WI_SCOPE_ALL).rber_after;
    }
    assert_true(rber[0] < rber[1] && rber[1] < rber[2]);
}

static void borrowed_parameters_widen_the_interval(void **state)
{
    struct ask a = plain;
    struct wi_physics_outlook alone, part;

    (void)state;
    a.nand = WI_NAND_SLC;
    alone = outlook(a, WI_SCOPE_ALL);
    part = outlook(a, WI_SCOPE_MECHANISM);
    /* physics cannot see the measured speed-up, so on its own it must allow for it */
    for (size_t i = 0; i < 5; i++)
        assert_true(alone.tail[i].sd_high > part.tail[i].sd_high + 0.1);
    assert_true(alone.bandwidth.sd_high > 0.4);
}

/*
 * Tail latency at 90, 95, 99, 99.9 and 99.99 of the temperature study, figure readings in percent:
 * what physics alone would have said about steps that it never saw.
 */
static const struct {
    enum wi_nand nand;
    enum wi_phase phase;
    double before_c, during_c, before_rh, during_rh;
    double change_pct[5];
} study[] = {
    {WI_NAND_TLC, WI_PHASE_RUNNING, 22.5, 60, 50, 50, {-35, -28, -15, -7, -2}},
    {WI_NAND_MLC, WI_PHASE_RUNNING, 22.5, 60, 50, 50, {-30, -22, -10, -4, 0}},
    {WI_NAND_TLC, WI_PHASE_RUNNING, 60, 60, 80, 50, {-9, -6, -5, -3, -1}},
    {WI_NAND_MLC, WI_PHASE_RUNNING, 60, 60, 80, 50, {-7, -4, -2, 0, 1}},
    {WI_NAND_MLC, WI_PHASE_RUNNING, 60, 60, 20, 50, {12, 10, 8, 5, 2}},
    {WI_NAND_TLC, WI_PHASE_POST, 60, 60, 50, 80, {30, 50, 60, 65, 70}},
    {WI_NAND_MLC, WI_PHASE_POST, 60, 60, 50, 80, {15, 20, 25, 30, 35}},
    {WI_NAND_TLC, WI_PHASE_POST, 22.5, 50, 50, 50, {4, 7, 17, 10, 5}},
    {WI_NAND_MLC, WI_PHASE_POST, 22.5, 50, 50, 50, {0, 0, 0, 0, 0}},
};

static void physics_alone_does_not_foretell_the_temperature_study(void **state)
{
    double off = 0, off_zero = 0;
    size_t n = 0, covered = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(study) / sizeof(study[0]); i++) {
        struct ask a = {study[i].nand,
                        WI_OP_MIXED,
                        study[i].phase,
                        study[i].before_c,
                        study[i].during_c,
                        study[i].before_rh,
                        study[i].during_rh,
                        NAN,
                        NAN,
                        ""};
        struct wi_scenario s = scenario(&a);
        struct wi_forecast f;

        assert_int_equal(wi_physics_forecast(&s, &f, NULL), WI_OK);
        assert_int_equal(f.n_tail, 5);
        for (size_t k = 0; k < 5; k++, n++) {
            double truth = study[i].change_pct[k];

            off += fabs(f.tail[k].change_pct - truth);
            off_zero += fabs(truth);
            covered += truth >= f.tail[k].low_pct && truth <= f.tail[k].high_pct;
        }
        wi_forecast_release(&f);
    }
    /* It is no better than saying nothing, and it must know that: its intervals hold the truth. */
    assert_true(off / (double)n > 0.9 * off_zero / (double)n);
    assert_true((double)covered >= 0.9 * (double)n);
}

static void a_write_feels_less_than_a_read(void **state)
{
    struct ask a = plain;
    struct wi_physics_outlook r, w;

    (void)state;
    a.phase = WI_PHASE_LONG_TERM;
    a.hours = 5000;
    r = outlook(a, WI_SCOPE_CLIMATE);
    a.op = WI_OP_WRITE;
    w = outlook(a, WI_SCOPE_CLIMATE);
    assert_true(w.tail[2].mid > 0 && w.tail[2].mid < 0.5 * r.tail[2].mid);
}

static void a_new_drive_of_a_measured_kind_gets_nothing_added(void **state)
{
    struct ask a = plain;
    struct wi_physics_outlook o;

    (void)state;
    a.pe_cycles = 16; /* the middle of 5 to 50 */
    o = outlook(a, WI_SCOPE_MECHANISM);
    for (size_t i = 0; i < 5; i++)
        assert_true(fabs(o.tail[i].mid) < 0.02);
    a.pe_cycles = 900;
    o = outlook(a, WI_SCOPE_MECHANISM);
    for (size_t i = 0; i < 5; i++)
        assert_true(o.tail[i].mid > 0.0);
    a.pe_cycles = NAN;
    a.nand = WI_NAND_SLC;
    o = outlook(a, WI_SCOPE_MECHANISM);
    for (size_t i = 0; i < 5; i++) {
        double mean, var;

        wi_physics_shift_moments(&o.tail[i], &mean, &var);
        assert_true(mean < 0.0 && var > 0.0);
    }
}

static void the_published_cost_of_retries_lies_inside(void **state)
{
    struct ask a = plain;
    struct wi_physics_outlook o;

    (void)state;
    /* RiF: retries cost about 42 % of bandwidth (72.1 % gained without); worn TLC after a year */
    a.during_c = 25;
    a.before_c = 25;
    a.phase = WI_PHASE_LONG_TERM;
    a.hours = 8766;
    a.pe_cycles = 1000;
    o = outlook(a, WI_SCOPE_CLIMATE);
    assert_true(wi_physics_shift_quantile(&o.bandwidth, 0.05) < log(1 - 0.42));
    assert_true(wi_physics_shift_quantile(&o.bandwidth, 0.95) > log(1 - 0.42));
    /* ASPLOS'21: better retries cut the response time by 17 % on average, up to 31.5 % */
    assert_true(wi_physics_shift_quantile(&o.tail[0], 0.95) > -log(1 - 0.315));
}

/* A small generator of its own, so that the cases are the same everywhere. */
static double uniform(uint64_t *s, double low, double high)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*s >> 11) / 9007199254740992.0;
}

static void ten_thousand_scenarios_keep_the_invariants(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        struct ask a = {(enum wi_nand)uniform(&seed, 0, 4.999),
                        (enum wi_op)uniform(&seed, 0, 2.999),
                        (enum wi_phase)uniform(&seed, 0, 2.999),
                        uniform(&seed, -60, 150),
                        uniform(&seed, -60, 150),
                        uniform(&seed, 0, 100),
                        uniform(&seed, 0, 100),
                        i % 3 ? exp(uniform(&seed, -5, 13.6)) : NAN,
                        i % 2 ? exp(uniform(&seed, -2, 13.8)) : NAN,
                        i % 4 ? "" : "nvme"};
        struct wi_scenario s = scenario(&a);
        struct wi_forecast f, wide;
        struct wi_throttle t;

        s.confidence = 0.8;
        assert_int_equal(wi_physics_forecast(&s, &f, NULL), WI_OK);
        s.confidence = 0.99;
        assert_int_equal(wi_physics_forecast(&s, &wide, NULL), WI_OK);
        assert_true(f.from_physics && f.domain == WI_DOMAIN_OUTSIDE);
        for (size_t k = 0; k <= f.n_tail; k++) {
            const struct wi_change *c = k < f.n_tail ? &f.tail[k] : &f.bandwidth;
            const struct wi_change *d = k < f.n_tail ? &wide.tail[k] : &wide.bandwidth;

            assert_true(isfinite(c->low_pct) && isfinite(c->high_pct));
            assert_true(c->low_pct > -100 && c->low_pct < c->change_pct &&
                        c->change_pct < c->high_pct);
            assert_true(d->low_pct < c->low_pct && d->high_pct > c->high_pct);
        }
        wi_throttle_eval(&s, i & 1 ? 60.0 : NAN, NAN, &t);
        assert_true(t.prob >= 0 && t.prob <= 1.0 + 1e-12 && t.n <= WI_THROTTLE_PARTS);
        assert_int_equal(wi_throttle_warn(&t, &f.warnings, NULL), WI_OK);
        assert_int_equal(wi_physics_warnings(&s, &f.warnings, NULL), WI_OK);
        wi_forecast_release(&f);
        wi_forecast_release(&wide);
    }
}

static void physics_has_a_role_where_nobody_measured(void **state)
{
    struct ask a = plain;
    struct wi_scenario s = scenario(&a);

    (void)state;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_NONE);
    s.nand = WI_NAND_SLC;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_ADDS);
    s.nand = WI_NAND_QLC;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_ADDS);
    s.nand = WI_NAND_MLC;
    s.pe_cycles = 100;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_ADDS);
    s.phase = WI_PHASE_LONG_TERM;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_CARRIES);
    s.exposure.during.temp_c = s.exposure.before.temp_c;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_NONE);
    s.exposure.during_h = 121;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_CARRIES);
    s.phase = WI_PHASE_POST;
    s.pe_cycles = NAN;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_AGES);
    s.exposure.during_h = 6;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_NONE);
    s.exposure.during_h = 121;
    s.phase = WI_PHASE_LONG_TERM;
    s.exposure.during.vib.axis = WI_AXIS_PARALLEL;
    assert_int_equal(wi_physics_role(&s), WI_PHYSICS_NONE);
}

static void moments_of_a_shift_are_those_of_its_quantiles(void **state)
{
    struct wi_physics_shift shift = {0.2, 0.1, 0.4};
    double mean, var, sum = 0, square = 0;
    int n = 200000;

    (void)state;
    wi_physics_shift_moments(&shift, &mean, &var);
    for (int i = 0; i < n; i++) {
        double x = wi_physics_shift_quantile(&shift, (i + 0.5) / n);

        sum += x / n;
        square += x * x / n;
    }
    assert_true(fabs(sum - mean) < 1e-4);
    assert_true(fabs(square - sum * sum - var) < 1e-4);
}

static void an_answer_from_physics_says_what_it_rests_on(void **state)
{
    struct ask a = plain;
    struct wi_scenario s;
    struct wi_forecast f;
    bool borrowed = false;

    (void)state;
    a.nand = WI_NAND_SLC;
    s = scenario(&a);
    assert_int_equal(wi_physics_forecast(&s, &f, NULL), WI_OK);
    assert_true(f.domain_reasons.n >= 1);
    assert_non_null(strstr(f.domain_reasons.items[0].text, "SLC"));
    for (size_t i = 0; i < f.warnings.n; i++)
        borrowed |= strstr(f.warnings.items[i].text, "no verified error-rate parameters") != NULL;
    assert_true(borrowed);
    wi_forecast_release(&f);
}

static void data_that_aged_stay_aged_after_the_exposure(void **state)
{
    static const double hours[] = {0.5, 6, 6.001, 26.8328157, 119.999, 120, 8760};
    static const double frac[] = {0, 0, 5.5636e-5, 0.5, 1 - 2.78e-6, 1, 1}; /* ln(h/6) / ln(20) */
    struct ask a = plain;
    struct wi_physics_outlook post, stored;
    struct wi_scenario s;

    (void)state;
    a.phase = WI_PHASE_POST;
    for (size_t i = 0; i < 7; i++) {
        a.hours = hours[i];
        s = scenario(&a);
        assert_true(fabs(wi_physics_aged_frac(&s) - frac[i]) < 1e-7);
        s.phase = WI_PHASE_RUNNING;
        assert_true(wi_physics_aged_frac(&s) == 0.0);
    }
    for (double c = 30; c <= 90; c += 10) {
        a.phase = WI_PHASE_POST;
        a.during_c = c;
        a.pe_cycles = 2500;
        s = scenario(&a);
        wi_physics_outlook_aged(&s, &post);
        a.phase = WI_PHASE_LONG_TERM;
        stored = outlook(a, WI_SCOPE_CLIMATE);
        assert_true(post.rber_before == stored.rber_before);
        assert_true(post.lost_frac >= stored.lost_frac);
        for (size_t i = 0; i < 5; i++) {
            assert_true(post.tail[i].sd_low >= stored.tail[i].sd_low);
            assert_true(post.tail[i].sd_high >= stored.tail[i].sd_high);
            assert_true(wi_physics_shift_quantile(&post.tail[i], 0.95) >=
                        wi_physics_shift_quantile(&stored.tail[i], 0.95) - 1e-12);
        }
        assert_true(wi_physics_shift_quantile(&post.bandwidth, 0.05) <=
                    wi_physics_shift_quantile(&stored.bandwidth, 0.05) + 1e-12);
    }
}

/* --- warnings --- */

static size_t count_warnings(struct ask a, enum wi_axis axis, const char *word)
{
    struct wi_scenario s = scenario(&a);
    struct wi_texts list = {0};
    size_t n = 0;

    s.exposure.during.vib.axis = axis;
    assert_int_equal(wi_physics_warnings(&s, &list, NULL), WI_OK);
    for (size_t i = 0; i < list.n; i++)
        n += strstr(list.items[i].text, word) != NULL;
    wi_texts_release(&list);
    return n;
}

static void each_risk_has_its_warning(void **state)
{
    struct ask a = plain;

    (void)state;
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, "dew point at 45.8"), 1);
    a.during_c = 30;
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, ""), 0);
    a.during_c = 71;
    a.during_rh = 5;
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, ""), 1);
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, "71 C is outside"), 1);
    a.during_c = -1;
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, "-1 C is outside"), 1);
    a.during_c = 22.5;
    a.during_rh = 80;
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, "data loss"), 1);
    a.during_rh = 50;
    assert_int_equal(count_warnings(a, WI_AXIS_PARALLEL, "fail-stop"), 0);
    a.phase = WI_PHASE_LONG_TERM;
    assert_int_equal(count_warnings(a, WI_AXIS_PARALLEL, "fail-stop"), 1);
    a.hours = 9000;
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, "retention"), 0);
    a.during_c = 40;
    assert_int_equal(count_warnings(a, WI_AXIS_NONE, "retention"), 1);
}

static size_t count_dew(const char *temp, double rh_pct, double after_rh_pct)
{
    struct wi_scenario s;
    struct wi_texts list = {0};
    size_t n = 0;

    wi_scenario_init(&s);
    assert_int_equal(wi_scenario_parse_temp(&s, temp, NULL), WI_OK);
    if (!isnan(rh_pct)) {
        s.exposure.during.rh_pct = rh_pct;
        s.given |= WI_F_DURING_RH;
    }
    if (!isnan(after_rh_pct)) {
        s.exposure.after.rh_pct = after_rh_pct;
        s.given |= WI_F_AFTER_RH;
    }
    assert_int_equal(wi_scenario_complete(&s, NULL), WI_OK);
    assert_int_equal(wi_physics_warnings(&s, &list, NULL), WI_OK);
    for (size_t i = 0; i < list.n; i++)
        n += strstr(list.items[i].text, "condensation") != NULL;
    wi_texts_release(&list);
    return n;
}

static void no_dew_point_is_claimed_of_a_humidity_that_nobody_stated(void **state)
{
    (void)state;
    assert_int_equal(count_dew("25:60", NAN, NAN), 0);
    assert_int_equal(count_dew("25:60", 50, NAN), 1);
    assert_int_equal(count_dew("25:60", 10, NAN), 0);
    assert_int_equal(count_dew("25:60:25", NAN, NAN), 0);
    assert_int_equal(count_dew("25:0", NAN, NAN), 0);
    /* back from the cold into the air of the room, 50 % at 25 C: dew point 13.9 C */
    assert_int_equal(count_dew("25:0:25", NAN, NAN), 1);
    assert_int_equal(count_dew("25:15:25", NAN, NAN), 0);
    assert_int_equal(count_dew("25:15:25", NAN, 80), 1);
    /* heated further, the air of the room holds no more water */
    assert_int_equal(count_dew("25:15:60", NAN, NAN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_quantiles_match_thirty_digits),
        cmocka_unit_test(a_mixture_quantile_has_its_probability),
        cmocka_unit_test(below_throttling_nothing_is_touched),
        cmocka_unit_test(a_measured_drive_did_not_throttle_at_60_c),
        cmocka_unit_test(more_drives_throttle_in_hotter_air),
        cmocka_unit_test(a_known_threshold_replaces_the_published_ones),
        cmocka_unit_test(cooling_out_of_throttling_is_the_mirror_of_heating_into_it),
        cmocka_unit_test(the_mixture_is_wider_and_its_median_worse),
        cmocka_unit_test(post_looks_at_the_air_after_the_exposure),
        cmocka_unit_test(no_exposure_is_exactly_no_change),
        cmocka_unit_test(storage_grows_with_hours_and_heat),
        cmocka_unit_test(fewer_bits_per_cell_mean_fewer_errors),
        cmocka_unit_test(borrowed_parameters_widen_the_interval),
        cmocka_unit_test(physics_alone_does_not_foretell_the_temperature_study),
        cmocka_unit_test(a_write_feels_less_than_a_read),
        cmocka_unit_test(a_new_drive_of_a_measured_kind_gets_nothing_added),
        cmocka_unit_test(the_published_cost_of_retries_lies_inside),
        cmocka_unit_test(ten_thousand_scenarios_keep_the_invariants),
        cmocka_unit_test(physics_has_a_role_where_nobody_measured),
        cmocka_unit_test(moments_of_a_shift_are_those_of_its_quantiles),
        cmocka_unit_test(an_answer_from_physics_says_what_it_rests_on),
        cmocka_unit_test(each_risk_has_its_warning),
        cmocka_unit_test(data_that_aged_stay_aged_after_the_exposure),
        cmocka_unit_test(no_dew_point_is_claimed_of_a_humidity_that_nobody_stated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
