#include "core/phys_models.h"
#include "core/phys_rows.h"
#include "core/units.h"

/*
 * One mechanism, one Ea. Lee 2015, Macronix 2019 and HotStorage'21 call the extrapolation over
 * mechanism crossovers wrong; the effective figures below are what drives and chips showed, and the
 * reason why the answer is a band.
 */
double wi_phys_arrhenius_af(double ea_ev, double use_c, double stress_c)
{
    return exp(ea_ev / WI_BOLTZMANN_EV_K *
               (1.0 / wi_k_from_c(use_c) - 1.0 / wi_k_from_c(stress_c)));
}

static const struct wi_physics_figure ea_figures[] = {
    {"arrhenius.intrinsic.ea", 1.1, 1.1, 1.1, "intrinsic charge loss, the standard's value",
     "JESD218", WI_CONF_SECONDARY, WI_FIGURE_BAND},
    {"arrhenius.effective.ssd.ea", 0.43, 0.43, 0.43, "an SSD of 2014, effective, 40 to 100 C",
     "HETZLER14", WI_CONF_DERIVED, WI_FIGURE_BAND},
    {"arrhenius.effective.ct.ea", 0.52, 0.44, 0.60, "charge-trap 3D TLC, effective", "HOTSTORAGE21",
     WI_CONF_DERIVED, WI_FIGURE_BAND},
    {"arrhenius.effective.fg.ea", 0.58, 0.47, 0.69, "floating-gate 3D TLC, effective",
     "HOTSTORAGE21", WI_CONF_DERIVED, WI_FIGURE_BAND},
    {"arrhenius.heatwatch.ea", 1.04, 1.04, 1.04, "charge-trap 3D MLC with self-recovery",
     "HEATWATCH18", WI_CONF_UNVERIFIED, WI_FIGURE_CHOICE},
    {"arrhenius.silc.ea", 0.2, 0.2, 0.2, "stress-induced leakage, anneals above about 55 C",
     "INTEL325999", WI_CONF_SECONDARY, WI_FIGURE_CHOICE},
    {"arrhenius.ic.ea", 0.7, 0.7, 0.7, "active integrated circuits", "FIDES", WI_CONF_SECONDARY,
     WI_FIGURE_CHOICE},
};

static const struct wi_physics_param params[] = {
    {"use-c", "Tu", "C", "temperature of use", 40, WI_ANY_TEMP, 25, 85, WI_NO_CHOICE},
    {"stress-c", "Ts", "C", "temperature of stress", 66, WI_ANY_TEMP, 25, 85, WI_NO_CHOICE},
    {"ea-ev", "Ea", "eV", "activation energy", 1.1, 0, 3, 0.1, 1.5, WI_FIGURES(ea_figures)},
    {"use-h", "t", "h", "hours of use to reproduce", 8760, 0, WI_DUR_H_MAX, 0, WI_DUR_H_MAX,
     WI_NO_CHOICE},
};

static const struct wi_physics_output outputs[] = {
    {"af", "1", "acceleration factor"},
    {"stress_h", "h", "hours at the temperature of stress that equal use-h"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)notes;
    (void)err;
    out[0] = wi_phys_arrhenius_af(in[2], in[0], in[1]);
    out[1] = in[3] / out[0];
    return WI_OK;
}

const struct wi_physics_model wi_phys_arrhenius_model = {
    "arrhenius",
    "Arrhenius acceleration of charge loss",
    "AF = exp[Ea/k (1/Tu - 1/Ts)], T in K",
    "25 to 85 C and one mechanism; across mechanisms the effective Ea falls to 0.43..0.69 eV",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
