#include "core/fast_eval.h"

#include <math.h>

#include "core/lanes.h"
#include "core/normal.h"

#define INTERACTION_FRAC 0.5 /* as in core/evidence_predict.c */
#define LN_MAX 18.0          /* as in wi_change_set */
#define HALF_MIN 1e-9
#define PRIOR_MIN 1e-12
#define HALLEY_MAX 14
#define Z_ROUGH 1e-6     /* more than wi_gauss_quantile_rough is off by */
#define HALLEY_DONE 1e-3 /* sds: what is left is the cube of a step, times 25 between far modes */

enum { GROUPS = WI_FAST_COLUMNS / WI_LANES, PROBS = 3, PARTS = WI_THROTTLE_PARTS + 1 };

/* In log space, group by group. */
struct sums {
    wi_lanes mean[GROUPS], var[GROUPS]; /* var with noise */
};

struct moments {
    wi_lanes mean, var, prior;
};

WI_LANES_INLINE struct moments moments_at(const struct wi_weights *w, size_t col,
                                          const struct wi_point *point)
{
    const double *cov = w->cov + col;
    size_t pad = w->n_padded;
    wi_lanes own = wi_lanes_load(w->step + col) * point->size2;
    wi_lanes rest = wi_lanes_load(w->rest_temp + col) * point->rest_temp +
                    wi_lanes_load(w->rest_rh + col) * point->rest_rh;
    struct moments m = {.mean = wi_lanes_all(0.0), .var = rest, .prior = rest + own};

    for (size_t a = 0; a < w->n; a++) {
        double phi = point->phi[a];
        wi_lanes row = wi_lanes_all(0.0);

        for (size_t b = 0; b <= a; b++, cov += pad)
            row += point->phi[b] * wi_lanes_load(cov);
        m.var += phi * row;
        m.mean += phi * wi_lanes_load(w->mean + a * pad + col);
        m.prior += phi * phi * wi_lanes_load(w->prior + a * pad + col);
    }
    m.var = wi_lanes_max(m.var, wi_lanes_all(0.0)) + own;
    return m;
}

WI_LANES_INLINE wi_lanes ratio_of(const struct moments *m, wi_lanes counts)
{
    return counts * wi_lanes_pick((wi_lanes_bits)(m->prior > PRIOR_MIN), m->var / m->prior,
                                  wi_lanes_all(0.0));
}

/*
 * As wi_misfit_add: the largest of the own rows that fit badly.
 * in/out: worst  of all groups, for whether there is any
 */
WI_LANES_INLINE void add_misfit(const struct wi_weights *w, size_t col,
                                const struct wi_point *point, struct moments *m, wi_lanes *worst)
{
    wi_lanes open = wi_lanes_all(1.0), most = wi_lanes_all(0.0);
    const double *reach = w->reach + col;

    if (w->stored)
        open = wi_lanes_min(open, m->var / wi_lanes_max(m->prior, wi_lanes_all(PRIOR_MIN)));
    for (size_t j = 0; j < w->n_misfit; j++) {
        wi_lanes sum = wi_lanes_all(0.0);

        for (size_t a = 0; a < w->n; a++, reach += w->n_padded)
            sum += point->phi[a] * wi_lanes_load(reach);
        sum *= sum;
        /* closed: the drive's own row, which counts in full */
        sum *= w->closed[j] + (1.0 - w->closed[j]) * open;
        most = wi_lanes_max(most, sum);
    }
    m->var += most;
    *worst = wi_lanes_max(*worst, most);
}

/* As wi_asking_mix_kinds. */
WI_LANES_INLINE void mix_kinds(struct moments *a, const struct moments *b)
{
    wi_lanes gap = 0.5 * (a->mean - b->mean);

    a->mean = 0.5 * (a->mean + b->mean);
    a->var = wi_lanes_max(a->var, b->var) + gap * gap;
    a->prior = wi_lanes_max(a->prior, b->prior);
}

/* Vibration, and what temperature and humidity add to it, as wi_asking_add_th. */
WI_LANES_INLINE void add_up(const struct wi_fast_question *q, const struct wi_weights *weights,
                            const struct wi_weights *other, const struct wi_point *point,
                            struct sums *sums, struct wi_fast_seen *seen)
{
    wi_lanes worst = wi_lanes_all(seen->ratio), misfit = wi_lanes_all(0.0);

    for (size_t g = 0, col = 0; col < q->n_columns; g++, col += WI_LANES) {
        wi_lanes mean = wi_lanes_load(q->mean + col), var = wi_lanes_load(q->var + col);
        wi_lanes noise = wi_lanes_load(q->noise + col);

        if (weights) {
            struct moments m = moments_at(weights, col, point);
            wi_lanes counts = wi_lanes_load(q->counts + col);

            noise += wi_lanes_load(weights->noise + col);
            worst = wi_lanes_max(worst, ratio_of(&m, counts));
            add_misfit(weights, col, point, &m, &misfit);
            if (other) {
                struct moments o = moments_at(other, col, point);

                worst = wi_lanes_max(worst, ratio_of(&o, counts));
                add_misfit(other, col, point, &o, &misfit);
                mix_kinds(&m, &o);
                noise = wi_lanes_load(q->noise + col) +
                        wi_lanes_max(wi_lanes_load(weights->noise + col),
                                     wi_lanes_load(other->noise + col));
            }
            m.var += wi_lanes_load(q->below + col) * (m.mean * m.mean + m.prior);
            if (q->interacts)
                var += INTERACTION_FRAC * INTERACTION_FRAC *
                       wi_lanes_min(mean * mean + var, m.mean * m.mean + m.var);
            mean += m.mean;
            var += m.var;
        }
        sums->mean[g] = mean;
        sums->var[g] = var + noise;
    }
    for (size_t i = 0; i < WI_LANES; i++)
        seen->ratio = worst[i] > seen->ratio ? worst[i] : seen->ratio;
    seen->misfit |= wi_lanes_any((wi_lanes_bits)(misfit > 0.0));
}

/* --- the mixture with throttling ---------------------------------------------------------------
 */

/*
 * Where a quantile of a mixture must lie, from a cluster of components alone: with weight w and all
 * of it at or below `high`, cdf(x) >= w cdf1(x - high), so x <= high + z(prob / w); likewise from
 * below.
 */
struct reach {
    double below, above; /* of the lowest, highest component; infinite where it says nothing */
};

static struct reach reach_of(double weight, double prob)
{
    struct reach r = {-INFINITY, INFINITY};

    if (prob < weight)
        r.above = wi_gauss_quantile_rough(prob / weight) + Z_ROUGH;
    if (1.0 - prob < weight)
        r.below = -wi_gauss_quantile_rough((1.0 - prob) / weight) - Z_ROUGH;
    return r;
}

/* The mixture of one group in units of its own sd: components of sd 1 at `at`, the first of a
 * drive that does not throttle. */
struct mixture {
    size_t n;
    double weight[PARTS];
    wi_lanes at[PARTS];
    wi_lanes mean, sd;            /* of the whole */
    wi_lanes slow_low, slow_high; /* outermost of the throttling ones */
};

/* One quantile wanted of every group. */
struct wanted {
    double prob, z;           /* z of a normal */
    struct reach plain, slow; /* of drives that do not throttle, of those that do */
};

WI_LANES_INLINE void mixture_init(const struct wi_throttle *t, wi_lanes mean, wi_lanes sd,
                                  wi_lanes rises, struct mixture *m)
{
    wi_lanes per_sd = 1.0 / sd, square = wi_lanes_all(1.0);

    m->n = t->n + 1;
    m->weight[0] = fmax(0.0, 1.0 - t->prob);
    m->at[0] = mean * per_sd;
    m->mean = m->weight[0] * m->at[0];
    m->slow_low = wi_lanes_all(INFINITY);
    m->slow_high = wi_lanes_all(-INFINITY);
    for (size_t k = 1; k < m->n; k++) {
        m->weight[k] = t->weight[k - 1];
        m->at[k] = (t->reach_frac[k - 1] * mean + rises * t->log_speed[k - 1]) * per_sd;
        m->mean += m->weight[k] * m->at[k];
        m->slow_low = wi_lanes_min(m->slow_low, m->at[k]);
        m->slow_high = wi_lanes_max(m->slow_high, m->at[k]);
    }
    for (size_t k = 0; k < m->n; k++)
        square += m->weight[k] * (m->at[k] - m->mean) * (m->at[k] - m->mean);
    m->sd = wi_lanes_sqrt(square);
}

/* The bracket: between the components' own quantiles, and within the reach of each cluster. */
WI_LANES_INLINE void bracket(const struct mixture *m, const struct wanted *q, wi_lanes *low,
                             wi_lanes *high)
{
    *low = wi_lanes_min(m->slow_low, m->at[0]) + q->z;
    *low = wi_lanes_max(*low, m->at[0] + q->plain.below);
    *low = wi_lanes_max(*low, m->slow_low + q->slow.below);
    *high = wi_lanes_max(m->slow_high, m->at[0]) + q->z;
    *high = wi_lanes_min(*high, m->at[0] + q->plain.above);
    *high = wi_lanes_min(*high, m->slow_high + q->slow.above);
}

/*
 * The x with cdf(x) = prob. Halley's method, since the second derivative of a mixture of normals
 * costs nothing; bisection where it leaves the bracket.
 * returns whether all lanes arrived
 */
WI_LANES_INLINE bool mixture_quantile(const struct mixture *m, const struct wanted *q,
                                      wi_lanes *out)
{
    wi_lanes low, high, x;

    bracket(m, q, &low, &high);
    x = wi_lanes_min(wi_lanes_max(m->mean + q->z * m->sd, low), high);
    for (int it = 0; it < HALLEY_MAX; it++) {
        wi_lanes f = wi_lanes_all(-q->prob), slope = wi_lanes_all(0.0), bend = slope, next, step;
        wi_lanes_bits inside;

        for (size_t k = 0; k < m->n; k++) {
            wi_lanes at = x - m->at[k], cdf, pdf;

            wi_lanes_normal(at, &cdf, &pdf);
            f += m->weight[k] * cdf;
            slope += m->weight[k] * pdf;
            bend -= m->weight[k] * pdf * at;
        }
        high = wi_lanes_pick((wi_lanes_bits)(f > 0.0), x, high);
        low = wi_lanes_pick((wi_lanes_bits)(f > 0.0), low, x);
        step = f / slope;
        step /= wi_lanes_max(1.0 - 0.5 * step * bend / slope, wi_lanes_all(0.5));
        next = x - step;
        inside = (wi_lanes_bits)(next >= low) & (wi_lanes_bits)(next <= high);
        next = wi_lanes_pick(inside, next, 0.5 * (low + high));
        step = wi_lanes_abs(next - x);
        x = next;
        if (!wi_lanes_any(~((wi_lanes_bits)(step <= HALLEY_DONE)))) {
            *out = x;
            return true;
        }
    }
    *out = x;
    return false;
}

/* Where it did not arrive: one by one, as the direct path does. */
static void mixture_slowly(const struct mixture *m, double prob, wi_lanes *out)
{
    double at[PARTS], one[PARTS];

    for (size_t i = 0; i < WI_LANES; i++) {
        for (size_t k = 0; k < m->n; k++) {
            at[k] = m->at[k][i];
            one[k] = 1.0;
        }
        (*out)[i] = wi_normal_mixture_quantile(m->n, m->weight, at, one, prob);
    }
}

/* What all groups of a scenario have in common. */
static void wanted_init(const struct wi_fast_question *q, const struct wi_throttle *t,
                        struct wanted *wanted)
{
    double p = 0.5 + 0.5 * q->confidence;
    const double probs[PROBS] = {1.0 - p, 0.5, p}, z[PROBS] = {-q->sds_norm, 0.0, q->sds_norm};

    for (size_t k = 0; k < PROBS; k++)
        wanted[k] = (struct wanted){.prob = probs[k],
                                    .z = z[k],
                                    .plain = reach_of(1.0 - t->prob, probs[k]),
                                    .slow = reach_of(t->prob, probs[k])};
}

WI_LANES_INLINE void mixed(const struct wi_fast_question *q, const struct wi_throttle *t,
                           const struct wanted *wanted, size_t col, wi_lanes mean, wi_lanes var,
                           wi_lanes *ends)
{
    /* As wide as Student's at this confidence. */
    wi_lanes sd = wi_lanes_sqrt(var) * (q->sds / q->sds_norm);
    struct mixture m;

    mixture_init(t, mean, sd, wi_lanes_load(q->rises + col), &m);
    for (size_t k = 0; k < PROBS; k++) {
        if (!mixture_quantile(&m, &wanted[k], &ends[k]))
            mixture_slowly(&m, wanted[k].prob, &ends[k]);
        ends[k] *= sd;
    }
}

/* --- changes ---------------------------------------------------------------------------------- */

/* As wi_change_set. */
WI_LANES_INLINE void plain(const struct wi_fast_question *q, wi_lanes mean, wi_lanes var,
                           wi_lanes *ends)
{
    wi_lanes half = wi_lanes_sqrt(var) * q->sds;

    mean = wi_lanes_min(wi_lanes_max(mean, wi_lanes_all(-LN_MAX)), wi_lanes_all(LN_MAX));
    half = wi_lanes_min(wi_lanes_max(half, wi_lanes_all(HALF_MIN)), wi_lanes_all(LN_MAX));
    ends[0] = mean - half;
    ends[1] = mean;
    ends[2] = mean + half;
}

WI_LANES_INLINE void write_group(wi_lanes *ends, size_t n, struct wi_fast_row *row, size_t col)
{
    for (size_t k = 0; k < PROBS; k++)
        ends[k] = 100.0 * wi_lanes_expm1(ends[k]);
    for (size_t i = 0; i < WI_LANES && col + i < n; i++) {
        double low = ends[0][i], change = ends[1][i], high = ends[2][i];

        /* Where rounding closes the gap at the ends of the range. */
        row->out[col + i].low_pct = low < change ? low : nextafter(change, -100.0);
        row->out[col + i].change_pct = change;
        row->out[col + i].high_pct = high > change ? high : nextafter(change, HUGE_VAL);
    }
}

WI_LANES_INLINE void eval(const struct wi_fast_question *q, const struct wi_weights *weights,
                          const struct wi_weights *other, const struct wi_point *point,
                          const struct wi_throttle *t, struct wi_fast_row *row,
                          struct wi_fast_seen *seen)
{
    struct sums sums;
    struct wanted wanted[PROBS];

    if (t->prob > 0.0)
        wanted_init(q, t, wanted);
    add_up(q, weights, other, point, &sums, seen);
    for (size_t g = 0, col = 0; col < q->n; g++, col += WI_LANES) {
        wi_lanes ends[PROBS];

        if (t->prob > 0.0)
            mixed(q, t, wanted, col, sums.mean[g], sums.var[g], ends);
        else
            plain(q, sums.mean[g], sums.var[g], ends);
        write_group(ends, q->n, row, col);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
eval_avx2(const struct wi_fast_question *q, const struct wi_weights *weights,
          const struct wi_weights *other, const struct wi_point *point, const struct wi_throttle *t,
          struct wi_fast_row *row, struct wi_fast_seen *seen)
{
    eval(q, weights, other, point, t, row, seen);
}
#endif

void wi_fast_eval(const struct wi_fast_question *q, const struct wi_weights *weights,
                  const struct wi_weights *other, const struct wi_point *point,
                  const struct wi_throttle *t, struct wi_fast_row *row, struct wi_fast_seen *seen)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        eval_avx2(q, weights, other, point, t, row, seen);
        return;
    }
#endif
    eval(q, weights, other, point, t, row, seen);
}
