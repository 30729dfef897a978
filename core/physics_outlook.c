#include "core/physics_forecast.h"

#include <math.h>
#include <stdlib.h>

#include "core/normal.h"
#include "core/phys_models.h"
#include "core/phys_rows.h"

enum { POINTS = 64, DIMS = 10 };
enum { D_EA, D_SCALE, D_LIMIT, D_SAVING, D_SPREAD, D_SHARE, D_WEAR, D_AGE, D_CROSS, D_REST };

#define FRESH_H WI_PHYSICS_RUN_H /* age of data in the before condition: one measured run */
#define RETRIES_MAX 40.0         /* length of a retry table, assumed */
#define LOST_RATIO 30.0  /* error rate / limit; the anchor, still readable, stands at 4 to 20 */
#define ANCHOR_PE 5000.0 /* read-retry.worn.n_retries: 6.6 at 5000 P/E and one year */
#define ANCHOR_H 8766.0
#define ANCHOR_RETRIES 6.6
#define SENTINEL_RETRIES 1.2
#define BCH_LIMIT 1e-3      /* ecc.bch.rber_limit */
#define SET_RATED_PE 1000.0 /* rated endurance of the chip kind behind the TLC set */
#define Z90 1.6448536269514722
#define SD_MIN 0.005  /* no answer is sharper than half a percent */
#define EXPOSED_H 6.0 /* length of a step that does not state it, as measured */
#define LONG_TERM_H 120.0

/* Fractional powers of the root of x^11 = x + 1 (Roberts 2018). */
static const double alpha[DIMS] = {0.9360691110777584, 0.8762253807139048, 0.8202075132286352,
                                   0.7677709178072273, 0.7186866405431659, 0.6727403647567017,
                                   0.6297314752239328, 0.5894721822305522, 0.5517867016256194,
                                   0.5165104872952218};

/*
 * Priors by NAND type. Scale: error rate against the 72-layer TLC set, log-uniform. The TLC range
 * is a spread between chips; MLC reaches down to what the remembered sets would give, which may
 * widen this range but never set its middle; SLC and QLC have no set at all and borrow with a wide
 * range on the side where more or fewer levels put them.
 */
static const struct {
    double scale_low, scale_high, rated_pe;
} priors[] = {
    [WI_NAND_UNKNOWN] = {1e-3, 10.0, 1000.0}, [WI_NAND_SLC] = {1e-3, 1.0, 60000.0},
    [WI_NAND_MLC] = {1e-3, 1.0, 3000.0},      [WI_NAND_TLC] = {0.3, 3.0, 1000.0},
    [WI_NAND_QLC] = {0.5, 10.0, 632.0}, /* geometric middle of 100 to 4000 */
};

/*
 * What the formulas leave out, as sd of the log ratio: root mean square of the measured changes by
 * stressor and phase, for a step of 37.5 K or 30 points of humidity, or any vibration. Physics
 * predicts none of these, so an answer that rests on it must be as wide.
 */
static const struct {
    double tail, bandwidth;
} left_out[3][3] = {
    /* running        post           long_term: never measured for climate, the wider of the two */
    {{0.23, 0.65}, {0.07, 0.23}, {0.23, 0.65}}, /* temperature */
    {{0.05, 0.23}, {0.35, 0.35}, {0.35, 0.35}}, /* humidity */
    {{0.07, 0.02}, {0.04, 0.02}, {0.16, 0.07}}, /* vibration */
};

/* Share of the change that reaches an operation: a write waits for reads, no more. */
static double share_of_op(enum wi_op op)
{
    return op == WI_OP_READ ? 1.0 : op == WI_OP_MIXED ? 0.7 : 0.1;
}

static double log_uniform(double u, double low, double high)
{
    return low * pow(high / low, u);
}

/* What is the same at all points. */
struct question {
    const struct wi_scenario *s;
    double before_c, during_c, read_c; /* read_c: the drive's surroundings when it is read */
    double hours;
    double z[WI_PERCENTILES_MAX];
    double rest_tail, rest_bandwidth;
    double fresh_rber, anchor_rber; /* of the TLC set, unscaled */
};

/* The drive that the experiments measured, as far as physics can tell, or the one asked about. */
struct drive {
    enum wi_nand nand;
    double pe_cycles; /* NaN = not stated */
    bool is_new;      /* as the measured ones: new, written over twice, then run for hours */
};

static double read_temp_c(const struct wi_scenario *s)
{
    const struct wi_exposure *e = &s->exposure;

    if (s->phase != WI_PHASE_POST)
        return e->during.temp_c;
    return e->has_after ? e->after.temp_c : e->before.temp_c;
}

static void rest_of(const struct wi_scenario *s, bool with_vib, double *tail, double *bandwidth)
{
    const struct wi_exposure *e = &s->exposure;
    double steps[3] = {fabs(e->during.temp_c - e->before.temp_c) / 37.5,
                       fabs(e->during.rh_pct - e->before.rh_pct) / 30.0,
                       with_vib && wi_scenario_stressors(s).vib ? 1.0 : 0.0};
    double t = 0.0, b = 0.0;

    for (size_t i = 0; i < 3; i++) {
        t += pow(steps[i] * left_out[i][s->phase].tail, 2);
        b += pow(steps[i] * left_out[i][s->phase].bandwidth, 2);
    }
    *tail = sqrt(t);
    *bandwidth = sqrt(b);
}

static struct question ask(const struct wi_scenario *s, enum wi_physics_scope scope, double read_c,
                           struct wi_physics_outlook *out)
{
    struct question q = {.s = s,
                         .before_c = s->exposure.before.temp_c,
                         .during_c = s->exposure.during.temp_c,
                         .read_c = read_c,
                         .hours = s->exposure.during_h};
    struct wi_phys_rber fresh = wi_phys_rber_terms(WI_RBER_72L_TLC, 100.0, FRESH_H, 0.0);
    struct wi_phys_rber anchor = wi_phys_rber_terms(WI_RBER_72L_TLC, ANCHOR_PE, ANCHOR_H, 0.0);

    q.fresh_rber = wi_phys_rber_sum(&fresh);
    q.anchor_rber = wi_phys_rber_sum(&anchor);
    out->assumed_hours = isnan(q.hours);
    out->assumed_wear = isnan(s->pe_cycles);
    if (out->assumed_hours)
        q.hours = s->phase == WI_PHASE_LONG_TERM ? WI_PHYSICS_LONG_H : WI_PHYSICS_RUN_H;
    for (size_t i = 0; i < s->n_percentiles; i++) {
        double nines = s->percentiles[i] >= 100.0 ? 1e-7 : 1.0 - s->percentiles[i] / 100.0;

        q.z[i] = -wi_gauss_quantile(nines);
    }
    rest_of(s, scope == WI_SCOPE_ALL, &out->left_out_tail, &out->left_out_bandwidth);
    if (scope != WI_SCOPE_MECHANISM) {
        q.rest_tail = out->left_out_tail;
        q.rest_bandwidth = out->left_out_bandwidth;
    }
    return q;
}

/* Parameters of one point. */
struct point {
    double ea_ev, limit, ln_step, saving, ln_spread, share, pe, age_frac, cross, rest_z, scale;
};

/* P/E cycles in the scale of the TLC set. */
static double set_cycles(const struct drive *d, double u)
{
    if (d->is_new)
        return log_uniform(u, 5.0, 50.0);
    /* Unknown wear: a fresh drive up to one at half of its endurance. */
    if (isnan(d->pe_cycles))
        return SET_RATED_PE * log_uniform(u, 0.01, 0.5);
    return d->pe_cycles * SET_RATED_PE / priors[d->nand].rated_pe;
}

static struct point draw(const struct question *q, const struct drive *drive, size_t i)
{
    struct point p;
    double u[DIMS], limit_factor;

    for (size_t j = 0; j < DIMS; j++) {
        double x = 0.5 + (double)(i + 1) * alpha[j];

        u[j] = x - floor(x);
    }
    /* 0.2 eV (SILC) to 1.1 eV (the standard), the measured 0.43..0.69 eV in its middle. */
    p.ea_ev = 0.2 + 0.9 * u[D_EA];
    p.scale =
        log_uniform(u[D_SCALE], priors[drive->nand].scale_low, priors[drive->nand].scale_high);
    p.pe = set_cycles(drive, u[D_WEAR]);
    /*
     * A drive is sold with a code that reads fresh data at once: the limit is above the floor of
     * its chips and above that of the one published code.
     */
    limit_factor = log_uniform(u[D_LIMIT], 1.2, 4.0);
    p.limit = fmax(BCH_LIMIT, p.scale * q->fresh_rber) * limit_factor;
    p.ln_step = wi_phys_retry_ln_step(q->anchor_rber, fmax(BCH_LIMIT, q->fresh_rber) * limit_factor,
                                      ANCHOR_RETRIES);
    p.saving = log_uniform(u[D_SAVING], SENTINEL_RETRIES / ANCHOR_RETRIES, 1.0);
    p.ln_spread = 0.1 + 0.5 * u[D_SPREAD];
    p.share = log_uniform(u[D_SHARE], 0.1, 1.0) * share_of_op(q->s->op);
    /*
     * Age of what is read, as a share of the exposure. A running workload rewrites its data; those
     * read after it are as old as it; a long exposure may be storage or operation.
     */
    p.age_frac = q->s->phase == WI_PHASE_RUNNING ? u[D_AGE]
                 : q->s->phase == WI_PHASE_POST  ? 0.5 + 0.5 * u[D_AGE]
                                                 : log_uniform(u[D_AGE], 0.1, 1.0);
    p.cross = u[D_CROSS];
    p.rest_z = wi_gauss_quantile(u[D_REST]);
    return p;
}

struct state {
    double rber, n_mean, n[WI_PERCENTILES_MAX];
};

static struct state read_state(const struct question *q, const struct point *p, double room_h,
                               double program_c, double read_c)
{
    struct wi_phys_rber r = wi_phys_rber_terms(WI_RBER_72L_TLC, p->pe, room_h, 0.0);
    /* 60 % of errors removed (cross-temperature.removed), at 40 to 110 K; part is corrected. */
    double cross = wi_phys_cross_temperature_factor(program_c, read_c, 0.6 * p->cross, 70.0);
    struct state s;
    double ln_excess, n;

    s.rber = fmin(0.5, p->scale * wi_phys_rber_sum(&r) * cross);
    ln_excess = log(s.rber / p->limit);
    n = wi_phys_retries_mean(ln_excess, p->ln_step, p->ln_spread);
    s.n_mean = fmin(RETRIES_MAX, p->saving * n);
    for (size_t i = 0; i < q->s->n_percentiles; i++) {
        n = wi_phys_retries(ln_excess, p->ln_step, p->ln_spread, q->z[i]);
        s.n[i] = fmin(RETRIES_MAX, p->saving * n);
    }
    return s;
}

/* One parameter set: log ratios, and what the texts say. */
enum { V_BANDWIDTH, V_BEFORE, V_AFTER, V_ROOM_H, V_TAIL, VALUES = V_TAIL + WI_PERCENTILES_MAX };

static bool evaluate(const struct question *q, const struct point *p, double v[VALUES])
{
    double af_before = wi_phys_arrhenius_af(p->ea_ev, WI_RBER_ROOM_C, q->before_c);
    double af_during = wi_phys_arrhenius_af(p->ea_ev, WI_RBER_ROOM_C, q->during_c);
    double fresh_h = FRESH_H * af_before, exposed_h = p->age_frac * q->hours;
    /*
     * Running and post compare with the same hours spent in the before condition, so no exposure
     * is no change; long_term compares with the drive at its own start, so ageing shows.
     */
    double other_h = q->s->phase == WI_PHASE_LONG_TERM ? 0.0 : exposed_h * af_before;
    struct state was = read_state(q, p, fresh_h + other_h, q->before_c, q->before_c);
    struct state is = read_state(q, p, fresh_h + exposed_h * af_during, q->before_c, q->read_c);

    for (size_t i = 0; i < q->s->n_percentiles; i++)
        v[V_TAIL + i] = log((1.0 + p->share * is.n[i]) / (1.0 + p->share * was.n[i])) +
                        q->rest_tail * p->rest_z;
    /* What speeds a drive up shortens its tail and raises its bandwidth: opposite signs. */
    v[V_BANDWIDTH] = log((1.0 + p->share * was.n_mean) / (1.0 + p->share * is.n_mean)) -
                     q->rest_bandwidth * p->rest_z;
    v[V_BEFORE] = was.rber;
    v[V_AFTER] = is.rber;
    v[V_ROOM_H] = exposed_h * af_during;
    return is.rber > LOST_RATIO * p->limit;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double sorted_quantile(const double *sorted, double prob)
{
    double at = prob * POINTS - 0.5;
    double i = fmin(POINTS - 2.0, fmax(0.0, floor(at)));
    size_t k = (size_t)i;

    return sorted[k] + (at - i) * (sorted[k + 1] - sorted[k]);
}

struct quantiles {
    double q05, q50, q95;
};

static struct quantiles quantiles_of(double (*all)[VALUES], size_t which)
{
    double v[POINTS];

    for (size_t i = 0; i < POINTS; i++)
        v[i] = all[i][which];
    qsort(v, POINTS, sizeof(v[0]), by_value);
    return (struct quantiles){sorted_quantile(v, 0.05), sorted_quantile(v, 0.5),
                              sorted_quantile(v, 0.95)};
}

static struct wi_physics_shift shift_of(struct quantiles q)
{
    struct wi_physics_shift s = {q.q50, fmax(SD_MIN, (q.q50 - q.q05) / Z90),
                                 fmax(SD_MIN, (q.q95 - q.q50) / Z90)};

    return s;
}

/*
 * What the measured drives have of the mechanism is in the measurements already: only the
 * difference counts. The TLC set stands for them where the cell type is one that nobody measured.
 */
static void subtract_measured(const struct question *q, size_t i, double v[VALUES])
{
    enum wi_nand nand = q->s->nand;
    bool borrowed = nand == WI_NAND_SLC || nand == WI_NAND_QLC;
    struct drive measured = {borrowed ? WI_NAND_TLC : nand, NAN, true};
    struct point p = draw(q, &measured, i);
    double ref[VALUES];

    evaluate(q, &p, ref);
    v[V_BANDWIDTH] -= ref[V_BANDWIDTH];
    for (size_t k = 0; k < q->s->n_percentiles; k++)
        v[V_TAIL + k] -= ref[V_TAIL + k];
}

static void outlook(const struct wi_scenario *s, enum wi_physics_scope scope, double read_c,
                    struct wi_physics_outlook *out)
{
    double all[POINTS][VALUES];
    struct drive drive = {s->nand, s->pe_cycles, false};
    struct quantiles room_h;
    struct question q;
    size_t lost = 0;

    *out = (struct wi_physics_outlook){0};
    q = ask(s, scope, read_c, out);
    for (size_t i = 0; i < POINTS; i++) {
        struct point p = draw(&q, &drive, i);

        lost += evaluate(&q, &p, all[i]);
        if (scope == WI_SCOPE_MECHANISM)
            subtract_measured(&q, i, all[i]);
    }
    for (size_t i = 0; i < s->n_percentiles; i++)
        out->tail[i] = shift_of(quantiles_of(all, V_TAIL + i));
    out->bandwidth = shift_of(quantiles_of(all, V_BANDWIDTH));
    out->rber_before = quantiles_of(all, V_BEFORE).q50;
    out->rber_after = quantiles_of(all, V_AFTER).q50;
    room_h = quantiles_of(all, V_ROOM_H);
    out->room_h_low = room_h.q05;
    out->room_h_high = room_h.q95;
    out->lost_frac = (double)lost / POINTS;
}

void wi_physics_outlook(const struct wi_scenario *s, enum wi_physics_scope scope,
                        struct wi_physics_outlook *out)
{
    outlook(s, scope, read_temp_c(s), out);
}

/* As wide as the other on each side, and at least as far up. */
static void widen(struct wi_physics_shift *shift, const struct wi_physics_shift *hot)
{
    shift->sd_low = fmax(shift->sd_low, hot->sd_low);
    shift->sd_high = fmax(fmax(shift->sd_high, hot->sd_high), hot->mid + hot->sd_high - shift->mid);
}

static void mirror(struct wi_physics_shift *shift)
{
    *shift = (struct wi_physics_shift){-shift->mid, shift->sd_high, shift->sd_low};
}

void wi_physics_outlook_aged(const struct wi_scenario *s, struct wi_physics_outlook *out)
{
    struct wi_scenario aged = *s;
    struct wi_physics_outlook hot;

    aged.phase = WI_PHASE_LONG_TERM;
    outlook(&aged, WI_SCOPE_CLIMATE, read_temp_c(s), out);
    outlook(&aged, WI_SCOPE_CLIMATE, read_temp_c(&aged), &hot);
    for (size_t i = 0; i < s->n_percentiles; i++)
        widen(&out->tail[i], &hot.tail[i]);
    mirror(&out->bandwidth);
    mirror(&hot.bandwidth);
    widen(&out->bandwidth, &hot.bandwidth);
    mirror(&out->bandwidth);
    out->lost_frac = fmax(out->lost_frac, hot.lost_frac);
}

double wi_physics_shift_quantile(const struct wi_physics_shift *shift, double prob)
{
    double z = wi_gauss_quantile(prob);

    return shift->mid + z * (z < 0.0 ? shift->sd_low : shift->sd_high);
}

void wi_physics_shift_moments(const struct wi_physics_shift *shift, double *mean, double *var)
{
    /* Half of the weight lies on each side of mid, each side half a normal distribution. */
    double off = (shift->sd_high - shift->sd_low) * wi_gauss_pdf(0.0);

    *mean = shift->mid + off;
    *var = 0.5 * (shift->sd_low * shift->sd_low + shift->sd_high * shift->sd_high) - off * off;
}
