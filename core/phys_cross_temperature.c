#include "core/phys_models.h"
#include "core/phys_rows.h"

double wi_phys_cross_temperature_factor(double program_c, double read_c, double removed_frac,
                                        double ref_dt_k)
{
    double at_ref = 1.0 / (1.0 - removed_frac); /* errors with / errors without a fixed voltage */

    return 1.0 + (at_ref - 1.0) * fabs(read_c - program_c) / ref_dt_k;
}

static const struct wi_physics_figure removed_figures[] = {
    {"cross-temperature.removed", 60, 60, 60, "3D TLC, errors removed by adapting the read voltage",
     "GUO23", WI_CONF_ABSTRACT, WI_FIGURE_BAND},
};
static const struct wi_physics_figure ref_figures[] = {
    {"", 70, 40, 110, "assumed: the source gives no shift per kelvin", "", WI_CONF_UNVERIFIED,
     WI_FIGURE_BAND},
};

static const struct wi_physics_param params[] = {
    {"program-c", "Tp", "C", "temperature at programming", 25, WI_ANY_TEMP, -40, 85, WI_NO_CHOICE},
    {"read-c", "Tr", "C", "temperature at reading", 70, WI_ANY_TEMP, -40, 85, WI_NO_CHOICE},
    {"removed-pct", "c", "%", "errors that an adapted read voltage removes at ref-dt-k", 60, 0, 99,
     0, 90, WI_FIGURES(removed_figures)},
    {"ref-dt-k", "dT0", "K", "difference at which that holds", 70, 1, 300, 20, 150,
     WI_FIGURES(ref_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"dt_k", "K", "temperature difference"},
    {"factor", "1", "error rate with a fixed read voltage / without cross-temperature"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)err;
    out[0] = fabs(in[1] - in[0]);
    out[1] = wi_phys_cross_temperature_factor(in[0], in[1], in[2] / 100.0, in[3]);
    wi_physics_note(notes,
                    "sources disagree which sign of the difference is worse (ZAMBELLI, ATP); "
                    "only its size counts here");
    return WI_OK;
}

const struct wi_physics_model wi_phys_cross_temperature_model = {
    "cross-temperature",
    "Errors of data written at one temperature and read at another",
    "factor = 1 + [1/(1-c) - 1] |Tr - Tp| / dT0",
    "3D TLC; linear in the difference by assumption, anchored to one published ratio",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
