/*
 * Covariance of the log-ratio under vibration.
 *
 *   k = v v' kq R_ax R_ph R_fg (fS + fV d_v + fO w.w' + fC d_v w.w')       effect of the vibration
 *     + [long] d d' kq (gS + gV d_v + gC d_v w.w')                          ageing in 120 h
 *     + [long, bandwidth] lg^2 d_v d_ax R_fg                                a drive group's
 * bandwidth
 *     + x x' kx (exp(W) - 1)                                                another excitation
 *
 * v and d are amplitudes exp(lA + b (n - 4)) in the nines n (bandwidth: -c exp(lA)), kq the smooth
 * kernel in n, f and g softmax shares, d_v = 1 for the same vendor, w the shares of read and write.
 * Beyond the study: a device within a vendor (dev_frac), and R_fg, which lets the effect at another
 * frequency or stated intensity differ from the measured one.
 *
 * R_fg alone would leave an effect that is small at 20 Hz small everywhere. So the last term, which
 * nothing is fitted to: a log-normal factor on an effect as large as the largest that any vendor
 * showed. W is the variance of its logarithm: a Brownian motion in ln(f / 20 Hz), and for a stated
 * intensity a constant, since the measured one is not known, and a Brownian motion in
 * ln(grms / 1.14). At 20 Hz with no intensity stated it is zero, so what is measured there keeps
 * its numbers. By judgement (see the X_ constants): at a decade in frequency the factor has an sd
 * of 0.7 in the logarithm, at a stated 1.14 grms of 0.39 and at 5 grms of 0.68. Absent from the
 * study.
 */
#include "core/kernel.h"

#include <math.h>

enum {
    LA_RUN_PAR,
    LA_RUN_PER,
    LA_POST_PAR,
    LA_POST_PER,
    LA_LONG_PAR,
    LA_LONG_PER,
    LA_DRIFT,
    B_RUN,
    B_POST,
    B_LONG,
    B_DRIFT,
    S_S,
    S_V,
    S_O,
    S_C,
    L_S,
    L_V,
    L_O,
    L_C,
    D_S,
    D_V,
    D_C,
    LQ_SHORT,
    LQ_LONG,
    R_AX,
    R_PH,
    LN_SHORT,
    BN_SHORT,
    LN_LONG,
    BN_LONG,
    SENS_A_PAR,
    SENS_A_PER,
    SENS_B_PAR,
    SENS_B_PER,
    SENS_C_PAR,
    SENS_C_PER,
    LG_BW,
    LC_SHORT,
    LC_LONG,
    RHO_M,
    LN_BW,
    DEV_FRAC,
    FREQ_ROUGH,
    GRMS_ROUGH,
    GRMS_SPREAD,
    GRMS_POW,
    N_PAR
};

/*
 * Priors of the study (its table 3), and ours where they differ. The sensitivities per vendor and
 * axis are off in the study's final configuration (sd 0.01) and absent in ours. The last five are
 * not identified by the embedded data, which hold one frequency and no intensity; they are stated:
 *   dev_frac     a tenth of the vendor's share is the single device's
 *   freq_rough   1 / length in ln Hz: an octave away the effects correlate 0.81, a decade 0.09
 *   grms_rough   1 / length in ln g; grms_spread: sd of ln g of a row that does not state it
 *   grms_pow     above 1.14 g the amplitude grows with the root of the intensity
 */
static const struct wi_par par[N_PAR] = {
    [LA_RUN_PAR] = {"lA_run_par", -3.5, 1, -3.5, 1},
    [LA_RUN_PER] = {"lA_run_per", -3.5, 1, -3.5, 1},
    [LA_POST_PAR] = {"lA_post_par", -3.5, 1, -3.5, 1},
    [LA_POST_PER] = {"lA_post_per", -3.5, 1, -3.5, 1},
    [LA_LONG_PAR] = {"lA_long_par", -2.5, 1, -2.5, 1},
    [LA_LONG_PER] = {"lA_long_per", -2.5, 1, -2.5, 1},
    [LA_DRIFT] = {"lA_drift", -3, 1, -3, 1},
    [B_RUN] = {"b_run", .3, .3, .3, .3},
    [B_POST] = {"b_post", .3, .3, .3, .3},
    [B_LONG] = {"b_long", .1, .2, .1, .2},
    [B_DRIFT] = {"b_drift", .1, .2, .1, .2},
    [S_S] = {"sS", 0, .7, 0, .7},
    [S_V] = {"sV", 0, 1, 0, 1},
    [S_O] = {"sO", -1, 1, -1, 1},
    [S_C] = {"sC", 0, 1, 0, 1},
    [L_S] = {"lS", 0, .7, 0, .7},
    [L_V] = {"lV", 0, .7, 0, .7},
    [L_O] = {"lO", -1, 1, -1, 1},
    [L_C] = {"lC", 0, 1, 0, 1},
    [D_S] = {"dS", 0, 1, 0, 1},
    [D_V] = {"dV", 0, 1, 0, 1},
    [D_C] = {"dC", 0, 1, 0, 1},
    [LQ_SHORT] = {"lq_short", .4, .4, .4, .4},
    [LQ_LONG] = {"lq_long", .7, .4, .7, .4},
    [R_AX] = {"r_ax", -1.5, 1, -1.5, 1},
    [R_PH] = {"r_ph", -1.5, 1, -1.5, 1},
    [LN_SHORT] = {"ln_short", -4.5, .7, -4.5, .7},
    [BN_SHORT] = {"bn_short", .5, .3, .5, .3},
    [LN_LONG] = {"ln_long", -4, .7, -4, .7},
    [BN_LONG] = {"bn_long", .2, .3, .2, .3},
    [SENS_A_PAR] = {"sA_par", 0, .01, 0, 0},
    [SENS_A_PER] = {"sA_per", 0, .01, 0, 0},
    [SENS_B_PAR] = {"sB_par", 0, .01, 0, 0},
    [SENS_B_PER] = {"sB_per", 0, .01, 0, 0},
    [SENS_C_PAR] = {"sC_par", 0, .01, 0, 0},
    [SENS_C_PER] = {"sC_per", 0, .01, 0, 0},
    [LG_BW] = {"lg_bw", -4.5, .7, -4.5, .7},
    [LC_SHORT] = {"lc_short", -2, 1, -2, 1},
    [LC_LONG] = {"lc_long", -1, 1, -1, 1},
    [RHO_M] = {"rho_m", 0, 1, 0, 1},
    [LN_BW] = {"ln_bw", -5, 1, -5, 1},
    [DEV_FRAC] = {"dev_frac", 0, 0, .1, 0},
    [FREQ_ROUGH] = {"freq_rough", 0, 0, .95, 0},
    [GRMS_ROUGH] = {"grms_rough", 0, 0, .7, 0},
    [GRMS_SPREAD] = {"grms_spread", 0, 0, 1, 0},
    [GRMS_POW] = {"grms_pow", 0, 0, .5, 0},
};

/*
 * The last term. X_SIZE is the largest |ln(1 + change)| of a sound drive of DAC'19 by phase, which
 * is at the highest percentiles (+32 % running, +20 % after, +51 % in 120 h), and falls with
 * X_SLOPE per nine below six: to 0.10, 0.07 and 0.27 at the 99th, where 0.04, 0.01 and 0.21 were
 * seen. Bandwidth is that of 120 h in all phases (-11 %): in 6 h it hardly moved, which says
 * nothing of a resonance.
 */
static const double X_SIZE[3] = {0.28, 0.18, 0.41};
static const double X_SLOPE[3] = {0.25, 0.25, 0.1};
#define X_SIZE_BW 0.12
#define X_LQ 0.125      /* 1 / (2 l^2): percentiles two nines apart correlate 0.61 */
#define X_OTHER 0.5     /* correlation over vendors; over axes; over phases; over metrics */
#define X_FREQ_VAR 0.21 /* per unit of ln f */
#define X_GRMS_VAR 0.21 /* per unit of ln g */
#define X_STATED_VAR 0.15
#define X_LN_MAX 10.0 /* 1 mHz to 440 kHz: beyond, as there */

/* The prior sd of the log sensitivity of a cell never measured: E s^2 = exp(2 sd^2) per side. */
#define FRESH_VAR 0.36

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static void softmax(const double *logits, size_t n, double *share)
{
    double sum = 0.0, top = logits[0];

    for (size_t i = 1; i < n; i++)
        top = fmax(top, logits[i]);
    for (size_t i = 0; i < n; i++)
        sum += share[i] = exp(logits[i] - top);
    for (size_t i = 0; i < n; i++)
        share[i] /= sum;
}

/* What a set of hyper-parameters means, computed once per block. */
struct shape {
    const double *t;
    double f_short[4], f_long[4], f_drift[3];
    double q_short, q_long; /* 1 / (2 l^2) */
    double r_ax, r_ph, r_metric, lg_var;
};

static void shape_init(struct shape *s, const double *t)
{
    s->t = t;
    softmax(t + S_S, 4, s->f_short);
    softmax(t + L_S, 4, s->f_long);
    softmax(t + D_S, 3, s->f_drift);
    s->q_short = 0.5 * exp(-2.0 * t[LQ_SHORT]);
    s->q_long = 0.5 * exp(-2.0 * t[LQ_LONG]);
    s->r_ax = sigmoid(t[R_AX]);
    s->r_ph = sigmoid(t[R_PH]);
    s->r_metric = sigmoid(t[RHO_M]);
    s->lg_var = exp(2.0 * t[LG_BW]);
}

static bool is_long(const struct wi_row *r)
{
    return r->phase == WI_PHASE_LONG_TERM;
}

static size_t amp_par(const struct wi_row *r)
{
    return LA_RUN_PAR + 2 * (size_t)r->phase + (r->axis == WI_AXIS_PERPENDICULAR ? 1 : 0);
}

static bool has_sens(const struct wi_row *r)
{
    return is_long(r) && !r->fresh && r->letter < 3 && r->axis != WI_AXIS_NONE;
}

static size_t sens_par(const struct wi_row *r)
{
    return SENS_A_PAR + 2 * (size_t)r->letter + (r->axis == WI_AXIS_PERPENDICULAR ? 1 : 0);
}

/* Amplitudes of one row: v of the vibration, d of the ageing, x of another excitation. */
struct amp {
    double v, d, x;
};

static double x_size(enum wi_phase phase, double nines, bool bandwidth)
{
    return bandwidth ? -X_SIZE_BW : X_SIZE[phase] * exp(X_SLOPE[phase] * fmin(nines - 6.0, 0.0));
}

static double shared_path(double a, double b)
{
    return a * b <= 0.0 ? 0.0 : fmin(fmin(fabs(a), fabs(b)), X_LN_MAX);
}

/* exp(W) - 1 of two rows, with the drives, axes, phases and operations that they have. */
static double corr_excitation(const double *t, const struct wi_row *a, const struct wi_row *b)
{
    double w = X_FREQ_VAR * shared_path(a->ln_freq, b->ln_freq), r;

    if (t[FREQ_ROUGH] == 0.0) /* the study's model */
        return 0.0;
    if (!isnan(a->ln_grms) && !isnan(b->ln_grms))
        w += X_STATED_VAR + X_GRMS_VAR * shared_path(a->ln_grms, b->ln_grms);
    if (w == 0.0)
        return 0.0;
    r = expm1(w) * (0.5 + 0.5 * (a->w_read * b->w_read + a->w_write * b->w_write));
    r *= a->vendor == b->vendor ? 1.0 : X_OTHER;
    r *= a->axis == b->axis ? 1.0 : X_OTHER;
    return r * (a->phase == b->phase ? 1.0 : X_OTHER);
}

static struct amp amp_of(const double *t, const struct wi_row *r)
{
    struct amp a = {0.0, 0.0, 0.0};
    double lift = r->nines - 4.0;

    if (r->axis != WI_AXIS_NONE) {
        a.x = x_size(r->phase, r->nines, r->bandwidth);
        a.v = exp(t[amp_par(r)]);
        if (r->bandwidth)
            a.v *= -exp(is_long(r) ? t[LC_LONG] : t[LC_SHORT]);
        else
            a.v *= exp(t[B_RUN + r->phase] * lift);
        if (has_sens(r))
            a.v *= exp(t[sens_par(r)]);
        if (r->ln_grms > 0.0)
            a.v *= exp(t[GRMS_POW] * r->ln_grms);
    }
    if (is_long(r))
        a.d = exp(t[LA_DRIFT]) * (r->bandwidth ? -exp(t[LC_LONG]) : exp(t[B_DRIFT] * lift));
    return a;
}

/*
 * Correlation of effects at two frequencies and intensities. Rows that do not state their intensity
 * share one unknown value, ln g ~ N(0, grms_spread^2): the expectation of the Gaussian kernel over
 * it, which keeps the matrix positive semi-definite.
 */
static double corr_freq_grms(const double *t, const struct wi_row *a, const struct wi_row *b)
{
    double df = (a->ln_freq - b->ln_freq) * t[FREQ_ROUGH];
    double r = df == 0.0 ? 1.0 : exp(-0.5 * df * df);
    double rough = t[GRMS_ROUGH];
    bool no_a = isnan(a->ln_grms), no_b = isnan(b->ln_grms);

    if (rough == 0.0 || (no_a && no_b))
        return r;
    if (no_a || no_b) {
        double known = no_a ? b->ln_grms : a->ln_grms;
        double s = rough * t[GRMS_SPREAD], wide = 1.0 / (1.0 + s * s);

        return r * sqrt(wide) * exp(-0.5 * wide * known * known * rough * rough);
    }
    double dg = (a->ln_grms - b->ln_grms) * rough;
    return r * exp(-0.5 * dg * dg);
}

/* The parts of one covariance that both the value and the gradient need. */
struct pair {
    bool lng;             /* both long-term */
    double dq2, kq;       /* squared distance in nines; percentile kernel with the metric factor */
    double ev, ew;        /* same vendor (widened for a fresh cell); w.w' */
    double rest;          /* R_ax R_ph R_fg */
    double c_v, c_d;      /* share sums */
    double k_v, k_d, k_g; /* the three fitted terms */
    double k_x;           /* the one that is not */
};

static void pair_eval(const struct shape *s, const struct wi_row *a, const struct wi_row *b,
                      struct amp pa, struct amp pb, struct pair *p)
{
    const double *t = s->t, *f;
    bool la = is_long(a), lb = is_long(b);

    *p = (struct pair){.lng = la && lb};
    if (la != lb)
        return;
    p->dq2 = (a->nines - b->nines) * (a->nines - b->nines);
    p->kq = exp(-p->dq2 * (la ? s->q_long : s->q_short));
    if (a->bandwidth != b->bandwidth)
        p->kq *= s->r_metric;
    if (a->vendor == b->vendor) {
        p->ev = 1.0 - (a->device == b->device ? 0.0 : t[DEV_FRAC]);
        if (la)
            p->ev *= exp(FRESH_VAR * ((a->fresh ? 1 : 0) + (b->fresh ? 1 : 0)));
    }
    p->ew = a->w_read * b->w_read + a->w_write * b->w_write;
    f = la ? s->f_long : s->f_short;
    p->c_v = f[0] + f[1] * p->ev + f[2] * p->ew + f[3] * p->ev * p->ew;
    if (pa.v != 0.0 && pb.v != 0.0) {
        p->rest = (a->axis == b->axis ? 1.0 : s->r_ax) * (a->phase == b->phase ? 1.0 : s->r_ph) *
                  corr_freq_grms(t, a, b);
        p->k_v = pa.v * pb.v * p->kq * p->rest * p->c_v;
        p->k_x = pa.x * pb.x * corr_excitation(t, a, b);
        if (p->k_x != 0.0)
            p->k_x *= exp(-p->dq2 * X_LQ) * (a->bandwidth == b->bandwidth ? 1.0 : X_OTHER);
    }
    if (!la)
        return;
    p->c_d = s->f_drift[0] + s->f_drift[1] * p->ev + s->f_drift[2] * p->ev * p->ew;
    p->k_d = pa.d * pb.d * p->kq * p->c_d;
    if (a->bandwidth && b->bandwidth && a->vendor == b->vendor && a->axis == b->axis)
        p->k_g = s->lg_var * (a->axis == WI_AXIS_NONE ? 1.0 : corr_freq_grms(t, a, b));
}

/* Columns are taken in chunks whose amplitudes fit on the stack: three exponentials per row. */
#define CHUNK 256

static void vib_block(const double *t, const struct wi_row *a, size_t n_a, const struct wi_row *b,
                      size_t n_b, double *k)
{
    struct amp pb[CHUNK];
    struct shape s;

    shape_init(&s, t);
    for (size_t from = 0; from < n_b; from += CHUNK) {
        size_t to = from + CHUNK < n_b ? from + CHUNK : n_b;

        for (size_t j = from; j < to; j++)
            pb[j - from] = amp_of(t, &b[j]);
        for (size_t i = 0; i < n_a; i++) {
            struct amp pa = amp_of(t, &a[i]);

            for (size_t j = from; j < to && (a != b || j <= i); j++) {
                struct pair p;

                pair_eval(&s, &a[i], &b[j], pa, pb[j - from], &p);
                k[i * n_b + j] = p.k_v + p.k_d + p.k_g + p.k_x;
                if (a == b)
                    k[j * n_b + i] = k[i * n_b + j];
            }
        }
    }
}

static void vib_diag(const double *t, const struct wi_row *a, size_t n, double *k)
{
    struct shape s;

    shape_init(&s, t);
    for (size_t i = 0; i < n; i++) {
        struct amp pa = amp_of(t, &a[i]);
        struct pair p;

        pair_eval(&s, &a[i], &a[i], pa, pa, &p);
        k[i] = p.k_v + p.k_d + p.k_g + p.k_x;
    }
}

static void vib_noise(const double *t, const struct wi_row *a, size_t n, double *noise)
{
    for (size_t i = 0; i < n; i++) {
        size_t p = is_long(&a[i]) ? LN_LONG : LN_SHORT;
        double l = a[i].bandwidth ? t[LN_BW] : t[p] + t[p + 1] * (a[i].nines - 4.0);

        noise[i] = exp(2.0 * l);
    }
}

/* d/d(logits) of a softmax-weighted sum with terms c: base f_n (c_n - sum). */
static void add_shares(double *grad, double base, const double *f, const double *c, size_t n,
                       double sum)
{
    for (size_t i = 0; i < n; i++)
        grad[i] += base * f[i] * (c[i] - sum);
}

/* Parameters that scale the amplitudes of one side. */
static void add_amps(const struct wi_row *r, double k_v, double k_d, double *grad)
{
    if (k_v != 0.0) {
        grad[amp_par(r)] += k_v;
        if (r->bandwidth)
            grad[is_long(r) ? LC_LONG : LC_SHORT] += k_v;
        else
            grad[B_RUN + r->phase] += k_v * (r->nines - 4.0);
        if (has_sens(r))
            grad[sens_par(r)] += k_v;
    }
    if (k_d != 0.0) {
        grad[LA_DRIFT] += k_d;
        if (r->bandwidth)
            grad[LC_LONG] += k_d;
        else
            grad[B_DRIFT] += k_d * (r->nines - 4.0);
    }
}

static void add_pair(const struct shape *s, const struct wi_row *a, const struct wi_row *b,
                     const struct pair *p, double g, double *grad)
{
    double both = g * (p->k_v + p->k_d);
    double c[4] = {1.0, p->ev, p->ew, p->ev * p->ew}, d[3] = {1.0, p->ev, p->ev * p->ew};

    add_amps(a, g * p->k_v, g * p->k_d, grad);
    add_amps(b, g * p->k_v, g * p->k_d, grad);
    grad[p->lng ? LQ_LONG : LQ_SHORT] += both * 2.0 * p->dq2 * (p->lng ? s->q_long : s->q_short);
    if (a->bandwidth != b->bandwidth)
        grad[RHO_M] += both * (1.0 - s->r_metric);
    if (p->k_v != 0.0) {
        if (a->axis != b->axis)
            grad[R_AX] += g * p->k_v * (1.0 - s->r_ax);
        if (a->phase != b->phase)
            grad[R_PH] += g * p->k_v * (1.0 - s->r_ph);
        add_shares(grad + (p->lng ? L_S : S_S), g * p->k_v / p->c_v,
                   p->lng ? s->f_long : s->f_short, c, 4, p->c_v);
    }
    if (p->k_d != 0.0)
        add_shares(grad + D_S, g * p->k_d / p->c_d, s->f_drift, d, 3, p->c_d);
    grad[LG_BW] += g * 2.0 * p->k_g;
}

static void add_noise(const double *t, const struct wi_row *r, double g, double *grad)
{
    size_t q = is_long(r) ? LN_LONG : LN_SHORT;
    double noise;

    vib_noise(t, r, 1, &noise);
    noise *= 2.0 * g;
    if (r->bandwidth) {
        grad[LN_BW] += noise;
        return;
    }
    grad[q] += noise;
    grad[q + 1] += noise * (r->nines - 4.0);
}

static void vib_grad(const double *t, const struct wi_row *a, size_t n, const double *g,
                     double *grad)
{
    struct amp pb[CHUNK];
    struct shape s;

    shape_init(&s, t);
    for (size_t from = 0; from < n; from += CHUNK) {
        size_t to = from + CHUNK < n ? from + CHUNK : n;

        for (size_t j = from; j < to; j++)
            pb[j - from] = amp_of(t, &a[j]);
        for (size_t i = from; i < n; i++) {
            struct amp pa = amp_of(t, &a[i]);

            for (size_t j = from; j < to && j <= i; j++) {
                struct pair p;

                pair_eval(&s, &a[i], &a[j], pa, pb[j - from], &p);
                add_pair(&s, &a[i], &a[j], &p, (i == j ? 1.0 : 2.0) * g[i * n + j], grad);
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        add_noise(t, &a[i], g[i * n + i], grad);
}

enum { G_EV, G_EW, G_REST, G_GRMS, G_X, N_GEO };

/* REST carries the frequencies; axis and phase are compared again, since their share is fitted. */
static void vib_geometry(const double *t, const struct wi_row *q, const struct wi_row *rows,
                         size_t n, double *geo)
{
    struct amp none = {0.0, 0.0, 0.0};
    struct shape s;

    shape_init(&s, t);
    for (size_t j = 0; j < n; j++) {
        const struct wi_row *r = &rows[j];
        struct pair p;

        pair_eval(&s, q, r, none, none, &p);
        geo[G_EV * n + j] = p.ev;
        geo[G_EW * n + j] = p.ew;
        geo[G_REST * n + j] = q->axis == WI_AXIS_NONE || r->axis == WI_AXIS_NONE
                                  ? (q->axis == r->axis ? 1.0 : 0.0)
                                  : corr_freq_grms(t, q, r);
        geo[G_X * n + j] =
            q->axis == WI_AXIS_NONE || r->axis == WI_AXIS_NONE ? 0.0 : corr_excitation(t, q, r);
        geo[G_GRMS * n + j] = r->ln_grms > 0.0 ? exp(t[GRMS_POW] * r->ln_grms) : 1.0;
    }
}

/* Amplitudes of one row's kind at a level, without what is its own. */
struct level_amp {
    double v[3], d; /* v by phase */
};

static struct level_amp level_amp(const double *t, const struct wi_level *l)
{
    struct level_amp a;
    double lift = l->nines - 4.0;

    for (size_t p = 0; p < 3; p++)
        a.v[p] = l->bandwidth ? -exp(p == 2 ? t[LC_LONG] : t[LC_SHORT]) : exp(t[B_RUN + p] * lift);
    a.d = exp(t[LA_DRIFT]) * (l->bandwidth ? -exp(t[LC_LONG]) : exp(t[B_DRIFT] * lift));
    return a;
}

/* Row j's part of the covariance that all columns of a family share. */
static void row_factors(const struct shape *s, const struct wi_row *q, const struct wi_row *r,
                        const double *g, size_t n, double axis_amp[3][2], double sens[3][2],
                        double *c_v, double *c_d)
{
    bool lng = is_long(r);
    const double *f = lng ? s->f_long : s->f_short;
    double ev = g[G_EV * n], ew = g[G_EW * n];
    size_t ax = r->axis == WI_AXIS_PERPENDICULAR ? 1 : 0;

    *c_v = 0.0;
    *c_d = lng ? s->f_drift[0] + s->f_drift[1] * ev + s->f_drift[2] * ev * ew : 0.0;
    if (q->axis == WI_AXIS_NONE || r->axis == WI_AXIS_NONE)
        return;
    *c_v = (f[0] + f[1] * ev + f[2] * ew + f[3] * ev * ew) * g[G_REST * n] * g[G_GRMS * n] *
           (q->axis == r->axis ? 1.0 : s->r_ax) * (q->phase == r->phase ? 1.0 : s->r_ph) *
           axis_amp[r->phase][ax];
    if (has_sens(r))
        *c_v *= sens[r->letter][ax];
}

static void add_excitation(const struct wi_row *q, const struct amp *qa, size_t m,
                           const struct wi_row *r, double corr, double *out)
{
    double x = corr * x_size(r->phase, r->nines, r->bandwidth);

    for (size_t i = 0; i < m; i++) {
        double d = q[i].nines - r->nines;

        out[i] +=
            qa[i].x * x * exp(-d * d * X_LQ) * (q[i].bandwidth == r->bandwidth ? 1.0 : X_OTHER);
    }
}

static void vib_family(const double *t, const struct wi_row *q, size_t m, const struct wi_row *rows,
                       size_t n, const struct wi_levels *levels, const double *geo, double *k)
{
    double kq[WI_LEVELS_MAX][WI_FAMILY_MAX], axis_amp[3][2], sens[3][2];
    struct level_amp la[WI_LEVELS_MAX];
    struct amp qa[WI_FAMILY_MAX];
    bool lng = is_long(q);
    struct shape s;

    shape_init(&s, t);
    for (size_t i = 0; i < 6; i++) {
        axis_amp[i / 2][i % 2] = exp(t[LA_RUN_PAR + i]);
        sens[i / 2][i % 2] = exp(t[SENS_A_PAR + i]);
    }
    for (size_t i = 0; i < m; i++)
        qa[i] = amp_of(t, &q[i]);
    for (size_t u = 0; u < levels->n; u++) {
        la[u] = level_amp(t, &levels->at[u]);
        for (size_t i = 0; i < m; i++) {
            double d = q[i].nines - levels->at[u].nines;

            kq[u][i] = exp(-d * d * (lng ? s.q_long : s.q_short));
            if (q[i].bandwidth != levels->at[u].bandwidth)
                kq[u][i] *= s.r_metric;
        }
    }
    for (size_t j = 0; j < n; j++) {
        const struct wi_row *r = &rows[j];
        unsigned u = levels->of[j];
        double c_v, c_d, own = 0.0, *out = k + j * WI_FAMILY_MAX;

        if (is_long(r) != lng) {
            for (size_t i = 0; i < m; i++)
                out[i] = 0.0;
            continue;
        }
        row_factors(&s, q, r, geo + j, n, axis_amp, sens, &c_v, &c_d);
        c_v *= la[u].v[r->phase];
        c_d *= la[u].d;
        if (lng && r->bandwidth && q->vendor == r->vendor && q->axis == r->axis)
            own = s.lg_var * geo[G_REST * n + j];
        for (size_t i = 0; i < m; i++)
            out[i] = kq[u][i] * (qa[i].v * c_v + qa[i].d * c_d) + (q[i].bandwidth ? own : 0.0);
        if (geo[G_X * n + j] != 0.0)
            add_excitation(q, qa, m, r, geo[G_X * n + j], out);
    }
}

const struct wi_kernel wi_kernel_vib = {
    .name = "vib",
    .n_par = N_PAR,
    .par = par,
    .block = vib_block,
    .diag = vib_diag,
    .noise = vib_noise,
    .grad = vib_grad,
    .n_geo = N_GEO,
    .geometry = vib_geometry,
    .family = vib_family,
    .step_par = N_PAR,
};
