/*
 * Distributions of array requests: maxima, sums of two maxima, mixtures over placements, and the
 * integral over the common factor.
 */
#include "core/raid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/normal.h"
#include "core/raid_plan.h"

/* The factor is integrated by the trapezoid rule, which converges faster than any power of the step
 * for a smooth integrand that vanishes with its derivatives at both ends (Trefethen & Weideman,
 * SIAM Review 56(3), 2014). */
#define FACTOR_MAX 8.0
#define FACTOR_STEP 0.25
#define N_FACTORS_MAX 65

/* Grid for the sum of two phases, equidistant in log-latency. */
#define N_GRID 1024
#define GRID_Z 7.0 /* normal scores covered at both ends: a share of 1e-12 is left out */

struct factor {
    double value, weight;
};

static size_t make_factors(double rho, struct factor *out)
{
    size_t n = 0;

    if (rho <= 0.0) {
        out[0] = (struct factor){0.0, 1.0};
        return 1;
    }
    for (double m = -FACTOR_MAX; m <= FACTOR_MAX; m += FACTOR_STEP)
        out[n++] = (struct factor){m, FACTOR_STEP * wi_gauss_pdf(m)};
    return n;
}

/* --- one phase ---------------------------------------------------------------------------------
 */

/* Share of operations done by lat_us, given the factor. */
static double member_cdf(const struct wi_raid *r, size_t type, enum wi_op op, double lat_us,
                         double factor)
{
    const struct wi_latency *l = op == WI_OP_READ ? &r->types[type].read : &r->types[type].write;
    double z = wi_latency_score(l, lat_us * (1.0 - r->rebuild_frac));

    return wi_gauss_cdf((z - sqrt(r->rho) * factor) / sqrt(1.0 - r->rho));
}

/* Share done when the slowest of the phase's operations is done: the product (F^n for equals). */
static double phase_cdf(const struct wi_raid *r, const struct raid_phase *phase, double lat_us,
                        double factor)
{
    double product = 1.0;

    if (lat_us <= 0.0)
        return 0.0;
    for (size_t t = 0; t < r->n_types; t++) {
        if (phase->n_reads[t])
            product *= pow(member_cdf(r, t, WI_OP_READ, lat_us, factor), phase->n_reads[t]);
        if (phase->n_writes[t])
            product *= pow(member_cdf(r, t, WI_OP_WRITE, lat_us, factor), phase->n_writes[t]);
    }
    return product;
}

/* A hedged read is late only if the first read is, and the redundant one, started later, too. */
static double hedged_cdf(const struct wi_raid *r, const struct raid_plan *plan, double lat_us,
                         double factor)
{
    double first = phase_cdf(r, &plan->first, lat_us, factor);
    double second =
        lat_us > r->hedge_us ? phase_cdf(r, &plan->second, lat_us - r->hedge_us, factor) : 0.0;

    return 1.0 - (1.0 - first) * (1.0 - second);
}

/* --- sums of two phases ------------------------------------------------------------------------
 */

struct grid {
    double log_low, step;
    double cdf[N_GRID]; /* of the sum, averaged over the factor */
};

static double grid_at(const struct grid *g, size_t i)
{
    return exp(g->log_low + g->step * (double)i);
}

/* Fill `out` with the distribution of first + second given the factor, times weight. */
static void add_sum(const struct wi_raid *r, const struct raid_plan *plan, struct factor factor,
                    double weight, struct grid *out, double *first, double *second)
{
    for (size_t i = 0; i < N_GRID; i++) {
        first[i] = phase_cdf(r, &plan->first, grid_at(out, i), factor.value);
        second[i] = phase_cdf(r, &plan->second, grid_at(out, i), factor.value);
    }
    for (size_t k = 1; k < N_GRID; k++) {
        double total = grid_at(out, k);
        double sum = 0.0;

        for (size_t i = 1; i <= k; i++) {
            double mass = first[i] - first[i - 1];
            double rest = total - exp(out->log_low + out->step * ((double)i - 0.5));
            double x;
            size_t j;

            if (mass < 1e-15 || rest <= 0.0)
                continue;
            x = (log(rest) - out->log_low) / out->step;
            if (x <= 0.0)
                continue;
            j = (size_t)x;
            sum +=
                mass *
                (j + 1 < N_GRID ? second[j] + (x - (double)j) * (second[j + 1] - second[j]) : 1.0);
        }
        out->cdf[k] += weight * sum;
    }
}

/* The range of latencies in which anything happens. */
static void set_range(const struct wi_raid *r, struct grid *g)
{
    double low = INFINITY;
    double high = 0.0;

    for (size_t t = 0; t < r->n_types; t++) {
        const struct wi_latency *both[2] = {&r->types[t].read, &r->types[t].write};

        for (size_t i = 0; i < 2; i++) {
            low = fmin(low, wi_latency_at(both[i], -GRID_Z));
            high = fmax(high, wi_latency_at(both[i], GRID_Z));
        }
    }
    low /= 1.0 - r->rebuild_frac;
    high /= 1.0 - r->rebuild_frac;
    g->log_low = log(low);
    g->step = (log(2.0 * high) - g->log_low) / (N_GRID - 1);
}

/* --- the whole request -------------------------------------------------------------------------
 */

struct request {
    const struct wi_raid *r;
    struct raid_plan *plans;
    size_t n_plans;
    struct factor factors[N_FACTORS_MAX];
    size_t n_factors;
    struct grid *sum; /* of all two-phase plans with their weights; NULL if there are none */
};

static enum wi_status prepare_sums(struct request *q, struct wi_err *err)
{
    double *work = NULL;

    for (size_t i = 0; i < q->n_plans; i++) {
        if (q->plans[i].kind != RAID_TWO_PHASES)
            continue;
        if (!q->sum) {
            q->sum = calloc(1, sizeof(*q->sum));
            work = malloc(2 * N_GRID * sizeof(*work));
            if (!q->sum || !work) {
                free(work);
                return wi_fail_nomem(err);
            }
            set_range(q->r, q->sum);
        }
        for (size_t f = 0; f < q->n_factors; f++)
            add_sum(q->r, &q->plans[i], q->factors[f], q->plans[i].weight * q->factors[f].weight,
                    q->sum, work, work + N_GRID);
    }
    free(work);
    return WI_OK;
}

static double grid_cdf(const struct grid *g, double lat_us)
{
    double x = (log(lat_us) - g->log_low) / g->step;
    size_t j;

    if (x <= 0.0)
        return 0.0;
    j = (size_t)x;
    if (j + 1 >= N_GRID)
        return g->cdf[N_GRID - 1];
    return g->cdf[j] + (x - (double)j) * (g->cdf[j + 1] - g->cdf[j]);
}

static double request_cdf(const struct request *q, double lat_us)
{
    double total = q->sum ? grid_cdf(q->sum, lat_us) : 0.0;

    for (size_t i = 0; i < q->n_plans; i++) {
        const struct raid_plan *plan = &q->plans[i];

        if (plan->kind == RAID_TWO_PHASES)
            continue;
        for (size_t f = 0; f < q->n_factors; f++)
            total += plan->weight * q->factors[f].weight *
                     (plan->kind == RAID_HEDGED
                          ? hedged_cdf(q->r, plan, lat_us, q->factors[f].value)
                          : phase_cdf(q->r, &plan->first, lat_us, q->factors[f].value));
    }
    return total;
}

/* The distribution is monotone, so bisection in log-latency cannot miss; 60 halvings of a range of
 * e^40 leave 1e-16. */
static double solve(const struct request *q, double p_frac)
{
    struct grid range = {0};
    double low;
    double high;

    set_range(q->r, &range);
    low = range.log_low - 1.0;
    high = range.log_low + range.step * (N_GRID - 1) + 1.0;
    for (int i = 0; i < 60; i++) {
        double mid = 0.5 * (low + high);

        if (request_cdf(q, exp(mid)) < p_frac)
            low = mid;
        else
            high = mid;
    }
    return exp(0.5 * (low + high));
}

static bool is_used(const struct request *q, size_t type, enum wi_op op)
{
    for (size_t i = 0; i < q->n_plans; i++) {
        const struct raid_plan *plan = &q->plans[i];
        const uint8_t *first = op == WI_OP_READ ? plan->first.n_reads : plan->first.n_writes;
        const uint8_t *second = op == WI_OP_READ ? plan->second.n_reads : plan->second.n_writes;

        if (first[type] || second[type])
            return true;
    }
    return false;
}

/* A percentile is extrapolated when the latency found lies outside what is known of a member that
 * takes part. (For a sum this asks more than needed, never less.) */
static bool is_extrapolated(const struct request *q, double lat_us)
{
    for (size_t t = 0; t < q->r->n_types; t++) {
        const struct wi_latency *both[2] = {&q->r->types[t].read, &q->r->types[t].write};
        const enum wi_op ops[2] = {WI_OP_READ, WI_OP_WRITE};

        for (size_t i = 0; i < 2; i++) {
            double z = wi_latency_score(both[i], lat_us * (1.0 - q->r->rebuild_frac));

            if (is_used(q, t, ops[i]) && wi_latency_is_extrapolated(both[i], z))
                return true;
        }
    }
    return false;
}

static enum wi_status request_init(const struct wi_raid *r, const struct wi_raid_request *requests,
                                   size_t n_requests, struct request *q, struct wi_err *err)
{
    enum wi_status st;

    *q = (struct request){.r = r};
    st = raid_plan_make(r, requests, n_requests, &q->plans, &q->n_plans, err);
    if (st == WI_OK) {
        q->n_factors = make_factors(r->rho, q->factors);
        st = prepare_sums(q, err);
    }
    return st;
}

static void request_release(struct request *q)
{
    free(q->sum);
    free(q->plans);
}

enum wi_status wi_raid_latency(const struct wi_raid *r, const struct wi_raid_request *requests,
                               size_t n_requests, const double *percentiles, size_t n,
                               struct wi_raid_quantile *out, struct wi_err *err)
{
    struct request q;
    enum wi_status st = request_init(r, requests, n_requests, &q, err);

    for (size_t i = 0; i < n && st == WI_OK; i++) {
        out[i].lat_us = solve(&q, percentiles[i] / 100.0);
        out[i].extrapolated = is_extrapolated(&q, out[i].lat_us);
    }
    request_release(&q);
    return st;
}

enum wi_status wi_raid_late_share(const struct wi_raid *r, const struct wi_raid_request *requests,
                                  size_t n_requests, double lat_us, double *share_frac,
                                  struct wi_err *err)
{
    struct request q;
    enum wi_status st = request_init(r, requests, n_requests, &q, err);

    if (st == WI_OK)
        *share_frac = fmax(0.0, 1.0 - request_cdf(&q, lat_us));
    request_release(&q);
    return st;
}

double wi_raid_bandwidth(const struct wi_raid *r, enum wi_op op)
{
    double slowest = INFINITY;
    double sum = 0.0;
    double share = 1.0 - r->rebuild_frac;

    for (size_t i = 0; i < r->n_members; i++) {
        const struct wi_raid_type *t = &r->types[r->type[i]];
        double mbps = op == WI_OP_READ ? t->read_mbps : t->write_mbps;

        if (r->failed[i])
            continue;
        slowest = mbps < slowest || isnan(mbps) ? mbps : slowest;
        sum += mbps;
    }
    if (r->level == WI_RAID_1)
        return share * (op == WI_OP_READ ? sum : slowest);
    return share * slowest * (double)wi_raid_data_units(r);
}

double wi_raid_slow_share(double p_frac, size_t n)
{
    return -expm1((double)n * log1p(-p_frac));
}

const char *wi_raid_level_name(enum wi_raid_level v)
{
    static const char *const names[] = {"0", "1", "5", "6", "10"};

    return names[v];
}

const char *wi_raid_state_name(enum wi_raid_state v)
{
    static const char *const names[] = {"normal", "degraded", "rebuilding"};

    return names[v];
}
