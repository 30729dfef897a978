/*
 * Array percentiles against a simulation that shares no code with them: it has its own random
 * numbers, its own interpolation and its own reading of what each level does with a request.
 * WI_MC_SAMPLES sets the number of samples per case (default 100,000). `make check-raid-mc` takes
 * 10^7, where the difference itself is judged: at most 1 % up to the 99.9th percentile. A quantile
 * of 10^7 samples has an error of its own of up to 0.7 % there, so a case that is off by more than
 * 0.5 % is run with nine more seeds, and their mean counts.
 */
#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/raid.h"

/* --- the simulation ----------------------------------------------------------------------------
 */

static uint64_t rng_state = 0x9e3779b97f4a7c15u;

/* splitmix64, Steele, Lea & Flood, OOPSLA 2014 */
static double uniform(void)
{
    uint64_t z = (rng_state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

/* Marsaglia & Bray 1964: two at a time */
static double normal(void)
{
    static double second;
    static bool has_second;
    double x;
    double y;
    double s;

    has_second = !has_second;
    if (!has_second)
        return second;
    do {
        x = 2.0 * uniform() - 1.0;
        y = 2.0 * uniform() - 1.0;
        s = x * x + y * y;
    } while (s >= 1.0 || s == 0.0);
    s = sqrt(-2.0 * log(s) / s);
    second = y * s;
    return x * s;
}

static size_t pick(size_t n)
{
    return (size_t)(uniform() * (double)n);
}

#define N_KNOTS 5
/* Normal scores of p50, p90, p99, p99.9, p99.99 from a printed table. */
static const double knot_z[N_KNOTS] = {0.0, 1.281551566, 2.326347874, 3.090232306, 3.719016485};
static const double knot_p[N_KNOTS] = {50, 90, 99, 99.9, 99.99};
/* Two kinds of drive, read and write, us. */
static const double knot_us[2][2][N_KNOTS] = {
    {{80, 120, 300, 900, 4000}, {20, 60, 400, 2000, 9000}},
    {{100, 200, 500, 2500, 9000}, {30, 90, 700, 3000, 12000}}};

static double drive_latency(int type, bool write, double z)
{
    const double *us = knot_us[type][write];
    int i = 0;

    while (i < N_KNOTS - 2 && z > knot_z[i + 1])
        i++;
    return us[i] * pow(us[i + 1] / us[i], (z - knot_z[i]) / (knot_z[i + 1] - knot_z[i]));
}

struct sim {
    int level, n, units;
    bool write, hedged;
    double rho, hedge_us, dilation;
    int type[16];
    bool failed[16];
};

static double max2(double a, double b)
{
    return a > b ? a : b;
}

/* Every member draws one latency per request and operation, given the common factor. */
static void draw(const struct sim *s, double *read, double *write)
{
    double m = normal();

    for (int i = 0; i < s->n; i++) {
        double a = sqrt(s->rho) * m + sqrt(1.0 - s->rho) * normal();
        double b = sqrt(s->rho) * m + sqrt(1.0 - s->rho) * normal();

        read[i] = drive_latency(s->type[i], false, a) * s->dilation;
        write[i] = drive_latency(s->type[i], true, b) * s->dilation;
    }
}

static double sim_mirrors(const struct sim *s, const double *read, const double *write)
{
    int per_mirror = s->level == 1 ? s->n : s->level == 10 ? 2 : 1;
    int mirrors = s->n / per_mirror;
    int start = (int)pick((size_t)(mirrors - s->units + 1));
    double slowest = 0.0;

    for (int u = start; u < start + s->units; u++) {
        int base = u * per_mirror;
        int first;

        if (s->write) {
            for (int i = base; i < base + per_mirror; i++)
                slowest = max2(slowest, s->failed[i] ? 0.0 : write[i]);
            continue;
        }
        do {
            first = base + (int)pick((size_t)per_mirror);
        } while (s->failed[first]);
        if (s->hedged) {
            int other;

            do {
                other = base + (int)pick((size_t)per_mirror);
            } while (other == first || s->failed[other]);
            return fmin(read[first], s->hedge_us + read[other]);
        }
        slowest = max2(slowest, read[first]);
    }
    return slowest;
}

static double sim_parity(const struct sim *s, const double *read, const double *write)
{
    int p = s->level - 4;
    int d = s->n - p;
    int turn = (int)pick((size_t)s->n);
    int start = (int)pick((size_t)(d - s->units + 1));
    int lost_in = 0;
    int lost_out = 0;
    int parity_alive = 0;
    double reads_all = 0.0; /* slowest of what a rebuild of lost data reads */
    double reads_in = 0.0;
    double reads_out = 0.0;
    double reads_parity = 0.0;
    double writes = 0.0;
    int alive = 0;

#define PARITY(i) ((turn + (i)) % s->n)
#define DATA(u) ((turn + p + (u)) % s->n)
    for (int u = 0; u < d; u++) {
        int i = DATA(u);
        bool in = u >= start && u < start + s->units;

        if (s->failed[i]) {
            *(in ? &lost_in : &lost_out) += 1;
            continue;
        }
        alive++;
        reads_all = max2(reads_all, read[i]);
        *(in ? &reads_in : &reads_out) = max2(in ? reads_in : reads_out, read[i]);
        if (in)
            writes = max2(writes, write[i]);
    }
    for (int k = 0; k < p; k++) {
        int i = PARITY(k);

        if (s->failed[i])
            continue;
        parity_alive++;
        if (alive < d) {
            reads_all = max2(reads_all, read[i]);
            alive++;
        }
        reads_parity = max2(reads_parity, read[i]);
        writes = max2(writes, write[i]);
    }
    if (!s->write) {
        if (s->hedged && !lost_in) {
            double others = 0.0;
            int needed = d;

            for (int u = 0; u < d; u++) {
                if (u != start && !s->failed[DATA(u)]) {
                    others = max2(others, read[DATA(u)]);
                    needed--;
                }
            }
            for (int k = 0; k < p && needed > 0; k++) {
                if (!s->failed[PARITY(k)]) {
                    others = max2(others, read[PARITY(k)]);
                    needed--;
                }
            }
            return fmin(reads_in, s->hedge_us + others);
        }
        return lost_in ? reads_all : reads_in;
    }
    if (s->units == d || parity_alive == 0)
        return writes;
    if (lost_in && lost_out)
        return reads_all + writes;
    if (lost_in == 0 && (lost_out || s->units + parity_alive <= d - s->units))
        return max2(reads_in, reads_parity) + writes;
    return reads_out + writes;
}

/* Hoare's FIND, CACM 4(7), 1961: x[k] as if sorted, smaller ones before it; x[from..] is open. */
static double find_rank(double *x, size_t from, size_t n, size_t k)
{
    size_t low = from;
    size_t high = n - 1;

    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        size_t i = low;
        size_t j = high;

        while (i <= j) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i <= j) {
                double t = x[i];

                x[i++] = x[j];
                x[j] = t;
                if (j == 0)
                    break;
                j--;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return x[k];
}

/* --- the comparison ----------------------------------------------------------------------------
 */

static void make_types(struct wi_raid_type *types)
{
    for (int t = 0; t < 2; t++) {
        assert_int_equal(wi_latency_init(&types[t].read, knot_p, knot_us[t][0], N_KNOTS, NULL),
                         WI_OK);
        assert_int_equal(wi_latency_init(&types[t].write, knot_p, knot_us[t][1], N_KNOTS, NULL),
                         WI_OK);
        types[t].read_mbps = t ? 300 : 500;
        types[t].write_mbps = t ? 200 : 400;
    }
}

static size_t n_samples(void)
{
    const char *text = getenv("WI_MC_SAMPLES");
    double n = text ? strtod(text, NULL) : 1e5;

    return n >= 1e4 && n <= 1e8 ? (size_t)n : 100000;
}

struct array_case {
    int level, n, units; /* units 0 = full stripe */
    bool write;
    int n_failed;
    double rebuild, hedge_us;
};

static const struct array_case cases[] = {
    {0, 4, 1, false, 0, 0, 0},    {0, 4, 0, false, 0, 0, 0},   {0, 4, 0, true, 0, 0, 0},
    {1, 2, 1, false, 0, 0, 0},    {1, 2, 1, true, 0, 0, 0},    {1, 3, 1, false, 1, 0, 0},
    {1, 3, 1, true, 1, 0.3, 0},   {1, 2, 1, false, 0, 0, 400}, {5, 5, 1, false, 0, 0, 0},
    {5, 5, 0, false, 0, 0, 0},    {5, 5, 1, true, 0, 0, 0},    {5, 5, 3, true, 0, 0, 0},
    {5, 5, 0, true, 0, 0, 0},     {5, 5, 1, false, 1, 0, 0},   {5, 5, 1, true, 1, 0, 0},
    {5, 5, 1, false, 1, 0.3, 0},  {5, 5, 1, true, 1, 0.3, 0},  {5, 5, 1, false, 0, 0, 400},
    {6, 6, 1, false, 0, 0, 0},    {6, 6, 1, true, 0, 0, 0},    {6, 6, 2, true, 0, 0, 0},
    {6, 6, 0, true, 0, 0, 0},     {6, 6, 1, false, 2, 0, 0},   {6, 6, 1, true, 2, 0, 0},
    {6, 6, 2, true, 1, 0.3, 0},   {6, 6, 1, false, 0, 0, 400}, {10, 6, 1, false, 0, 0, 0},
    {10, 6, 0, false, 0, 0, 0},   {10, 6, 1, true, 0, 0, 0},   {10, 6, 0, true, 1, 0, 0},
    {10, 6, 0, false, 1, 0.3, 0}, {10, 6, 1, false, 0, 0, 400}};

static enum wi_raid_level level_of(int level)
{
    return level == 0   ? WI_RAID_0
           : level == 1 ? WI_RAID_1
           : level == 5 ? WI_RAID_5
           : level == 6 ? WI_RAID_6
                        : WI_RAID_10;
}

static void set_up(const struct array_case *c, double rho, const struct wi_raid_type *types,
                   struct wi_raid *r, struct sim *s)
{
    *r = (struct wi_raid){.level = level_of(c->level),
                          .state = c->rebuild > 0 ? WI_RAID_REBUILDING
                                   : c->n_failed  ? WI_RAID_DEGRADED
                                                  : WI_RAID_NORMAL,
                          .n_members = (size_t)c->n,
                          .types = types,
                          .n_types = 2,
                          .rho = rho,
                          .rebuild_frac = c->rebuild,
                          .hedge_us = c->hedge_us > 0 ? c->hedge_us : NAN};
    *s = (struct sim){.level = c->level,
                      .n = c->n,
                      .write = c->write,
                      .hedged = c->hedge_us > 0,
                      .hedge_us = c->hedge_us,
                      .rho = rho,
                      .dilation = 1.0 / (1.0 - c->rebuild)};
    for (int i = 0; i < c->n; i++) {
        r->type[i] = (uint8_t)(s->type[i] = i == 1); /* one slower drive in slot 1 */
        r->failed[i] = s->failed[i] = i >= c->n - c->n_failed;
    }
    s->units = c->units ? c->units : (int)wi_raid_data_units(r);
}

static enum wi_status latency_of(const struct wi_raid *r, enum wi_op op, size_t n_units,
                                 const double *percentiles, size_t n, struct wi_raid_quantile *out,
                                 struct wi_err *err)
{
    const struct wi_raid_request request = {op, n_units, 1.0};

    return wi_raid_latency(r, &request, 1, percentiles, n, out, err);
}

#define N_PS 5
static const double judged_ps[N_PS] = {50, 90, 99, 99.9, 99.99};
#define N_JUDGED 4 /* percentiles up to 99.9 */
#define SEEDS_MAX 10
#define MANY 1000000 /* samples from which on the difference is judged */

/* Sample quantiles, with the ranks that are 4.5 sigma of the simulation's own error away. */
struct quantiles {
    double low[N_PS], mid[N_PS], high[N_PS];
};

static void simulate(const struct sim *s, double *sample, size_t n, struct quantiles *q)
{
    double read[16];
    double write[16];
    size_t from = 0;

    for (size_t i = 0; i < n; i++) {
        draw(s, read, write);
        sample[i] = s->level == 5 || s->level == 6 ? sim_parity(s, read, write)
                                                   : sim_mirrors(s, read, write);
    }
    for (size_t k = 0; k < N_PS; k++) {
        double p = judged_ps[k] / 100.0;
        double sigma = sqrt(p * (1.0 - p) / (double)n);
        size_t at[3] = {(size_t)fmax(0.0, (p - 4.5 * sigma) * (double)n), (size_t)(p * (double)n),
                        (size_t)fmin((double)n - 1.0, (p + 4.5 * sigma) * (double)n + 1.0)};

        if (at[0] < from)
            from = 0;
        q->low[k] = find_rank(sample, from, n, at[0]);
        q->mid[k] = find_rank(sample, at[0], n, at[1]);
        q->high[k] = find_rank(sample, at[1], n, at[2]);
        from = at[2];
    }
}

static void name_case(const struct array_case *c, const struct sim *s, char *name, size_t size)
{
    snprintf(name, size, "RAID-%d n=%d units=%d %s failed=%d rebuild=%g hedge=%g rho=%g", c->level,
             c->n, s->units, c->write ? "write" : "read", c->n_failed, c->rebuild, c->hedge_us,
             s->rho);
}

/* Mean of several seeds where one is not enough to tell. */
static void judge(const char *name, const struct sim *s, const struct wi_raid_quantile *out,
                  const struct quantiles *first, double *sample, size_t n)
{
    double off[SEEDS_MAX][N_PS];
    size_t n_seeds = 1;

    for (size_t k = 0; k < N_PS; k++) {
        off[0][k] = 100.0 * (out[k].lat_us / first->mid[k] - 1.0);
        if (k < N_JUDGED && fabs(off[0][k]) > 0.5)
            n_seeds = SEEDS_MAX;
    }
    for (size_t i = 1; i < n_seeds; i++) {
        struct quantiles q;

        simulate(s, sample, n, &q);
        for (size_t k = 0; k < N_PS; k++)
            off[i][k] = 100.0 * (out[k].lat_us / q.mid[k] - 1.0);
    }
    for (size_t k = 0; k < N_PS; k++) {
        double mean = 0.0;
        double square = 0.0;
        double error;

        for (size_t i = 0; i < n_seeds; i++)
            mean += off[i][k] / (double)n_seeds;
        for (size_t i = 0; i < n_seeds; i++)
            square += (off[i][k] - mean) * (off[i][k] - mean);
        error = n_seeds > 1 ? sqrt(square / (double)(n_seeds * (n_seeds - 1))) : NAN;
        print_message("%s p%g: %.1f us, %+.2f %% (one seed %+.2f %%), own error of the mean %.2f "
                      "%%, %zu seeds\n",
                      name, judged_ps[k], out[k].lat_us, mean, off[0][k], error, n_seeds);
        /* Beyond p99.9 the simulation's own error decides, and 0.3 % of the grid. */
        if (k < N_JUDGED)
            assert_true(fabs(mean) <= 1.0);
        else if (n_seeds > 1)
            assert_true(fabs(mean) <= 4.5 * error + 0.3);
    }
}

static void compare(const struct array_case *c, double rho, const struct wi_raid_type *types,
                    double *sample, size_t n)
{
    struct wi_raid_quantile out[N_PS];
    struct quantiles q;
    struct wi_raid r;
    struct sim s;
    char name[128];

    set_up(c, rho, types, &r, &s);
    name_case(c, &s, name, sizeof(name));
    assert_int_equal(wi_raid_check(&r, NULL), WI_OK);
    assert_int_equal(latency_of(&r, c->write ? WI_OP_WRITE : WI_OP_READ, (size_t)s.units, judged_ps,
                                N_PS, out, NULL),
                     WI_OK);
    simulate(&s, sample, n, &q);
    for (size_t k = 0; k < N_PS; k++) {
        /* 0.3 %: the grid of the sum of two phases. */
        bool ok = out[k].lat_us >= q.low[k] * 0.997 && out[k].lat_us <= q.high[k] * 1.003;

        if (!ok)
            print_message("%s p%g: %.1f us, simulated %.1f, %.1f to %.1f\n", name, judged_ps[k],
                          out[k].lat_us, q.mid[k], q.low[k], q.high[k]);
        assert_true(ok);
    }
    if (n >= MANY)
        judge(name, &s, out, &q, sample, n);
}

static void array_percentiles_match_the_simulation(void **state)
{
    size_t n = n_samples();
    double *sample = malloc(n * sizeof(*sample));
    struct wi_raid_type types[2];

    (void)state;
    assert_non_null(sample);
    make_types(types);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        compare(&cases[i], 0.0, types, sample, n);
        compare(&cases[i], 0.5, types, sample, n);
    }
    free(sample);
}

/* Dean & Barroso, CACM 56(2), 2013: with 1 % slow servers, 63 % of requests to 100 are slow. */
static void one_slow_member_in_a_hundred_slows_the_stripe(void **state)
{
    static const double members[] = {1, 2, 4, 8, 16, 24, 100};
    /* 1 - 0.99^n by decimal arithmetic, 15 digits */
    static const double share[] = {0.01,
                                   0.0199,
                                   0.03940399,
                                   0.077255305572080,
                                   0.148542228905124,
                                   0.214321859192781,
                                   0.633967658726770};

    (void)state;
    for (size_t i = 0; i < 7; i++) {
        double got = wi_raid_slow_share(0.01, (size_t)members[i]);

        assert_true(fabs(got - share[i]) < 1e-14);
    }
}

/* And the distribution agrees with the formula: the p of a stripe of n is the p^(1/n) of one. */
static void a_full_stripe_is_the_maximum_of_its_members(void **state)
{
    struct wi_raid_type types[2];

    (void)state;
    make_types(types);
    for (size_t n = 1; n <= 24; n++) {
        struct wi_raid r = {
            .level = WI_RAID_0, .n_members = n, .types = types, .n_types = 1, .hedge_us = NAN};
        /* Share of stripes whose slowest member is above the p99 of one, 300 us. */
        double p = 100.0 * pow(0.99, (double)n);
        struct wi_raid_quantile q;

        assert_int_equal(latency_of(&r, WI_OP_READ, n, &p, 1, &q, NULL), WI_OK);
        assert_true(fabs(q.lat_us / 300.0 - 1.0) < 1e-6);
        assert_false(q.extrapolated);
    }
}

/* Patterson, Gibson & Katz 1988: a small write to RAID-5 is 4 I/Os; Chen et al. 1994: 6 to RAID-6.
 */
static void small_writes_cost_what_the_papers_say(void **state)
{
    static const struct {
        enum wi_raid_level level;
        size_t n, units, reads, writes;
    } rows[] = {{WI_RAID_5, 5, 1, 2, 2}, {WI_RAID_5, 5, 4, 0, 5}, {WI_RAID_5, 5, 3, 1, 4},
                {WI_RAID_5, 3, 1, 1, 2}, {WI_RAID_6, 8, 1, 3, 3}, {WI_RAID_6, 8, 6, 0, 8},
                {WI_RAID_6, 8, 5, 1, 7}, {WI_RAID_1, 2, 1, 0, 2}, {WI_RAID_0, 4, 1, 0, 1},
                {WI_RAID_10, 6, 1, 0, 2}};
    struct wi_raid_type types[2];

    (void)state;
    make_types(types);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_raid r = {.level = rows[i].level,
                            .n_members = rows[i].n,
                            .types = types,
                            .n_types = 1,
                            .hedge_us = NAN};
        struct wi_raid_ios ios = wi_raid_write_ios(&r, rows[i].units);

        assert_int_equal(ios.n_reads, rows[i].reads);
        assert_int_equal(ios.n_writes, rows[i].writes);
    }
}

static void arrays_that_cannot_be_are_refused(void **state)
{
    struct wi_raid_type types[2];
    const struct wi_raid good = {
        .level = WI_RAID_6, .n_members = 6, .types = types, .n_types = 1, .hedge_us = NAN};
    struct wi_raid r = good;
    struct wi_err err;

    (void)state;
    make_types(types);
    assert_int_equal(wi_raid_check(&r, NULL), WI_OK);
    r.n_members = 3;
    assert_int_equal(wi_raid_check(&r, &err), WI_EDATA);
    assert_string_equal(err.msg, "members: RAID-6 takes 4 to 64 members, 3 given");
    r = good;
    r.rho = 1.0;
    assert_int_equal(wi_raid_check(&r, &err), WI_EDATA);
    assert_string_equal(err.msg, "rho: 1 is outside [0, 1)");
    r.rho = NAN;
    assert_int_equal(wi_raid_check(&r, NULL), WI_EDATA);
    r = good;
    r.state = WI_RAID_DEGRADED;
    assert_int_equal(wi_raid_check(&r, &err), WI_EDATA);
    r.failed[0] = r.failed[1] = true;
    assert_int_equal(wi_raid_check(&r, NULL), WI_OK);
    r.failed[2] = true;
    assert_int_equal(wi_raid_check(&r, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "survives 2 failure(s), 3 given"));
    r = good;
    r.level = WI_RAID_10;
    r.state = WI_RAID_DEGRADED;
    r.failed[2] = r.failed[3] = true;
    assert_int_equal(wi_raid_check(&r, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "one mirror, data is lost"));
    r = good;
    assert_int_equal(
        latency_of(&r, WI_OP_READ, 5, (double[]){50}, 1, &(struct wi_raid_quantile){0}, &err),
        WI_EDATA);
}

static void a_percentile_beyond_the_baseline_is_marked(void **state)
{
    struct wi_raid_type types[2];
    struct wi_raid r = {
        .level = WI_RAID_0, .n_members = 4, .types = types, .n_types = 1, .hedge_us = NAN};
    static const double ps[] = {10, 60, 99.99, 99.9999};
    struct wi_raid_quantile q[4];

    (void)state;
    make_types(types);
    assert_int_equal(latency_of(&r, WI_OP_READ, 1, ps, 4, q, NULL), WI_OK);
    assert_true(q[0].extrapolated);
    assert_false(q[1].extrapolated);
    assert_false(q[2].extrapolated);
    assert_true(q[3].extrapolated);
}

/* The share that is late beyond the p of a mix is 1 - p, and a mix lies between its parts. */
static void a_mix_of_requests_is_the_mean_of_its_distributions(void **state)
{
    static const struct wi_raid_request mix[] = {{WI_OP_READ, 1, 0.7}, {WI_OP_WRITE, 1, 0.3}};
    static const double p = 99;
    struct wi_raid_type types[2];
    struct wi_raid r = {.level = WI_RAID_5,
                        .n_members = 5,
                        .types = types,
                        .n_types = 2,
                        .rho = 0.3,
                        .hedge_us = NAN};
    struct wi_raid_quantile q;
    double late[3];

    (void)state;
    make_types(types);
    assert_int_equal(wi_raid_latency(&r, mix, 2, &p, 1, &q, NULL), WI_OK);
    assert_int_equal(wi_raid_late_share(&r, mix, 2, q.lat_us, &late[2], NULL), WI_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct wi_raid_request one = {mix[i].op, 1, 1.0};

        assert_int_equal(wi_raid_late_share(&r, &one, 1, q.lat_us, &late[i], NULL), WI_OK);
    }
    assert_true(fabs(late[2] - 0.01) < 1e-9);
    assert_true(fabs(0.7 * late[0] + 0.3 * late[1] - late[2]) < 1e-12);
}

static void bandwidth_waits_for_the_slowest_member(void **state)
{
    struct wi_raid_type types[2];
    struct wi_raid r = {
        .level = WI_RAID_5, .n_members = 5, .types = types, .n_types = 2, .hedge_us = NAN};

    (void)state;
    make_types(types);
    assert_true(wi_raid_bandwidth(&r, WI_OP_READ) == 2000.0);
    r.type[3] = 1;
    assert_true(wi_raid_bandwidth(&r, WI_OP_READ) == 1200.0);
    assert_true(wi_raid_bandwidth(&r, WI_OP_WRITE) == 800.0);
    r.level = WI_RAID_1;
    r.n_members = 4;
    assert_true(wi_raid_bandwidth(&r, WI_OP_READ) == 1800.0);
    assert_true(wi_raid_bandwidth(&r, WI_OP_WRITE) == 200.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_percentiles_match_the_simulation),
        cmocka_unit_test(one_slow_member_in_a_hundred_slows_the_stripe),
        cmocka_unit_test(a_full_stripe_is_the_maximum_of_its_members),
        cmocka_unit_test(small_writes_cost_what_the_papers_say),
        cmocka_unit_test(arrays_that_cannot_be_are_refused),
        cmocka_unit_test(a_percentile_beyond_the_baseline_is_marked),
        cmocka_unit_test(a_mix_of_requests_is_the_mean_of_its_distributions),
        cmocka_unit_test(bandwidth_waits_for_the_slowest_member),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
