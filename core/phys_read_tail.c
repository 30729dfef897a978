#include "core/phys_models.h"
#include "core/phys_rows.h"
#include "core/normal.h"

double wi_phys_retries(double ln_excess, double ln_step, double ln_spread, double z)
{
    return fmax(0.0, (ln_excess + ln_spread * z) / ln_step);
}

double wi_phys_retries_mean(double ln_excess, double ln_step, double ln_spread)
{
    double mu = ln_excess / ln_step, sd = ln_spread / ln_step;

    if (sd < 1e-9)
        return fmax(0.0, mu);
    return mu * wi_gauss_cdf(mu / sd) + sd * wi_gauss_pdf(mu / sd);
}

double wi_phys_retry_ln_step(double rber, double limit, double n_retries)
{
    return log(rber / limit) / n_retries;
}

static const struct wi_physics_figure limit_figures[] = {
    {"ecc.bch.rber_limit", 1e-3, 1e-3, 1e-3, "MLC with a code of 40 bit per KB", "HPCA15",
     WI_CONF_READ, WI_FIGURE_BAND},
};
static const struct wi_physics_figure step_figures[] = {
    {"", 1.4, 1.25, 1.8, "from 6.6 retries of MICRO20 and the 72-layer set, limits 1e-3 to 1e-2",
     "", WI_CONF_DERIVED, WI_FIGURE_BAND},
};
static const struct wi_physics_figure spread_figures[] = {
    {"", 0.3, 0.1, 0.6, "assumed spread of log error rate between pages", "", WI_CONF_UNVERIFIED,
     WI_FIGURE_BAND},
};
static const struct wi_physics_figure share_figures[] = {
    {"", 0.4, 0.1, 1.0, "assumed: queueing multiplies a slow read, other waits dilute it", "",
     WI_CONF_UNVERIFIED, WI_FIGURE_BAND},
};

enum { RBER, LIMIT, STEP, SPREAD, SHARE, PERCENTILE };

static const struct wi_physics_param params[] = {
    {"rber", "p", "1", "raw bit error rate, mean over pages", 5e-3, 1e-12, 0.5, 1e-9, 0.1,
     WI_NO_CHOICE},
    {"limit", "L", "1", "error rate that one read corrects", 1e-3, 1e-9, 0.5, 1e-4, 0.02,
     WI_FIGURES(limit_figures)},
    {"step", "s", "1", "factor by which each retry lowers the error rate", 1.4, 1.01, 100, 1.1, 10,
     WI_FIGURES(step_figures)},
    {"spread", "sd", "1", "sd of log error rate between pages", 0.3, 0, 3, 0, 1,
     WI_FIGURES(spread_figures)},
    {"share", "w", "1", "share of the latency that scales with the page read", 0.4, 0, 1, 0, 1,
     WI_FIGURES(share_figures)},
    {"percentile", "q", "%", "percentile of read latency", 99, WI_PERCENTILE_MIN, 99.999999, 50,
     99.9999, WI_NO_CHOICE},
};

static const struct wi_physics_output outputs[] = {
    {"retries", "1", "retries of the page at that percentile"},
    {"retries_mean", "1", "mean retries per page read"},
    {"change_pct", "%", "change of read latency at that percentile, + is slower"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    double ln_step = log(in[STEP]), ln_excess = log(in[RBER] / in[LIMIT]);
    double z = wi_gauss_quantile(in[PERCENTILE] / 100.0);

    (void)err;
    out[0] = wi_phys_retries(ln_excess, ln_step, in[SPREAD], z);
    out[1] = wi_phys_retries_mean(ln_excess, ln_step, in[SPREAD]);
    out[2] = 100.0 * in[SHARE] * out[0];
    wi_physics_note(notes, "step, spread and share are ours, not published: read the band, not the "
                           "number");
    return WI_OK;
}

const struct wi_physics_model wi_phys_read_tail_model = {
    "read-tail",
    "From error rate to retries to a shift of the read-latency quantiles",
    "n(q) = max(0, [ln(p/L) + sd z(q)] / ln s); latency(q) grows by the factor 1 + w n(q)",
    "p is against a drive that needs no retries; anchored to one measured retry count",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
