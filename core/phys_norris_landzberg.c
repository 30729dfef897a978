#include "core/phys_models.h"
#include "core/phys_rows.h"
#include "core/units.h"

double wi_phys_norris_landzberg_af(struct wi_phys_cycle use, struct wi_phys_cycle stress, double n,
                                   double m, double ea_over_k, double terms[3])
{
    double swing = pow(stress.dt_k / use.dt_k, n);
    double frequency = pow(use.per_day / stress.per_day, m);
    double temperature =
        exp(ea_over_k * (1.0 / wi_k_from_c(use.max_c) - 1.0 / wi_k_from_c(stress.max_c)));

    if (terms) {
        terms[0] = swing;
        terms[1] = frequency;
        terms[2] = temperature;
    }
    return swing * frequency * temperature;
}

static const struct wi_physics_figure n_figures[] = {
    {"norris-landzberg.snpb.n", 1.9, 1.9, 1.9, "tin-lead solder", "TIE2E", WI_CONF_ABSTRACT,
     WI_FIGURE_BAND},
    {"norris-landzberg.sac.n", 2.65, 2.65, 2.65, "tin-silver-copper solder", "PANSAC",
     WI_CONF_UNVERIFIED, WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure m_figures[] = {
    {"norris-landzberg.snpb.m", 0.333333, 0.333333, 0.333333, "tin-lead solder", "TIE2E",
     WI_CONF_ABSTRACT, WI_FIGURE_BAND},
    {"norris-landzberg.sac.m", 0.136, 0.136, 0.136, "tin-silver-copper solder", "PANSAC",
     WI_CONF_UNVERIFIED, WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure ea_figures[] = {
    {"norris-landzberg.snpb.ea_over_k", 1414, 1414, 1414, "tin-lead solder", "TIE2E",
     WI_CONF_ABSTRACT, WI_FIGURE_BAND},
    {"norris-landzberg.sac.ea_over_k", 2185, 2185, 2185, "tin-silver-copper solder", "PANSAC",
     WI_CONF_UNVERIFIED, WI_FIGURE_CHOICE},
};

static const struct wi_physics_param params[] = {
    {"use-dt-k", "dTu", "K", "temperature swing in use", 50, 0.1, 300, 1, 180, WI_NO_CHOICE},
    {"stress-dt-k", "dTs", "K", "temperature swing in the test", 180, 0.1, 300, 1, 180,
     WI_NO_CHOICE},
    {"use-per-day", "fu", "1/day", "cycles per day in use", 1, 0.001, 1e5, 0.1, 100, WI_NO_CHOICE},
    {"stress-per-day", "fs", "1/day", "cycles per day in the test", 24, 0.001, 1e5, 0.1, 100,
     WI_NO_CHOICE},
    {"use-max-c", "Tu", "C", "highest temperature in use", 60, WI_ANY_TEMP, -55, 125, WI_NO_CHOICE},
    {"stress-max-c", "Ts", "C", "highest temperature in the test", 125, WI_ANY_TEMP, -55, 125,
     WI_NO_CHOICE},
    {"n", "n", "1", "swing exponent", 1.9, 0, 10, 1, 4, WI_FIGURES(n_figures)},
    {"m", "m", "1", "frequency exponent", 0.333333, 0, 2, 0, 1, WI_FIGURES(m_figures)},
    {"ea-over-k", "Ea/k", "K", "activation energy over k", 1414, 0, 20000, 0, 5000,
     WI_FIGURES(ea_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"af", "1", "acceleration factor"},
    {"af_swing", "1", "swing part"},
    {"af_frequency", "1", "frequency part"},
    {"af_temp", "1", "temperature part"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    struct wi_phys_cycle use = {in[0], in[2], in[4]};
    struct wi_phys_cycle stress = {in[1], in[3], in[5]};

    (void)notes;
    (void)err;
    out[0] = wi_phys_norris_landzberg_af(use, stress, in[6], in[7], in[8], out + 1);
    return WI_OK;
}

const struct wi_physics_model wi_phys_norris_landzberg_model = {
    "norris-landzberg",
    "Norris-Landzberg, solder fatigue under temperature cycling",
    "AF = (dTs/dTu)^n (fu/fs)^m exp[Ea/k (1/Tu - 1/Ts)], T = highest of the cycle",
    "cycles inside -55 to 125 C; the defaults are for tin-lead, most drives have "
    "tin-silver-copper",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
