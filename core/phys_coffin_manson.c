#include "core/phys_models.h"
#include "core/phys_rows.h"

double wi_phys_coffin_manson_af(double n, double use_dt_k, double stress_dt_k)
{
    return pow(stress_dt_k / use_dt_k, n);
}

static const struct wi_physics_figure n_figures[] = {
    {"coffin-manson.n", 4, 4, 4, "package cycling", "FIDES", WI_CONF_SECONDARY, WI_FIGURE_BAND},
};

static const struct wi_physics_param params[] = {
    {"use-dt-k", "dTu", "K", "temperature swing in use", 20, 0.1, 300, 1, 180, WI_NO_CHOICE},
    {"stress-dt-k", "dTs", "K", "temperature swing of the stress", 37.5, 0.1, 300, 1, 180,
     WI_NO_CHOICE},
    {"n", "n", "1", "exponent", 4, 0, 12, 1, 8, WI_FIGURES(n_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"af", "1", "cycles of use that one cycle of the stress equals"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)notes;
    (void)err;
    out[0] = wi_phys_coffin_manson_af(in[2], in[0], in[1]);
    return WI_OK;
}

const struct wi_physics_model wi_phys_coffin_manson_model = {
    "coffin-manson",
    "Coffin-Manson, fatigue of packages under temperature swings",
    "Nf ~ dT^-n, so AF = (dTs/dTu)^n",
    "one material and one failure mode",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
