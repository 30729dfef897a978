#include "core/phys_models.h"
#include "core/phys_rows.h"

/*
 * Peck, Hallberg-Peck and FIDES write one form, humidity to a power times Arrhenius, and differ in
 * two numbers. All three are about failure of packages and boards, not about latency.
 */
double wi_phys_humidity_af(double n, double use_rh_pct, double stress_rh_pct)
{
    return pow(stress_rh_pct / use_rh_pct, n);
}

enum { USE_C, STRESS_C, USE_RH, STRESS_RH, N, EA };

static const struct wi_physics_figure peck_n[] = {
    {"peck.n", NAN, 2.66, 2.7, "corrosion of aluminium metallisation", "PECK86", WI_CONF_UNVERIFIED,
     WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure peck_ea[] = {
    {"peck.ea", NAN, 0.7, 0.79, "corrosion of aluminium metallisation", "PECK86",
     WI_CONF_UNVERIFIED, WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure hallberg_n[] = {
    {"hallberg-peck.n", 3.0, 3.0, 3.0, "plastic-packaged parts", "JEP122", WI_CONF_SECONDARY,
     WI_FIGURE_BAND},
};
static const struct wi_physics_figure hallberg_ea[] = {
    {"hallberg-peck.ea", 0.9, 0.9, 0.9, "plastic-packaged parts", "JEP122", WI_CONF_SECONDARY,
     WI_FIGURE_BAND},
};
static const struct wi_physics_figure fides_n[] = {
    {"fides-humidity.n", 4.4, 4.4, 4.4, "integrated circuits", "FIDES", WI_CONF_SECONDARY,
     WI_FIGURE_BAND},
};
static const struct wi_physics_figure fides_ea[] = {
    {"fides-humidity.ea", 0.9, 0.9, 0.9, "integrated circuits", "FIDES", WI_CONF_SECONDARY,
     WI_FIGURE_BAND},
};

#define AIR_ROWS                                                                                   \
    {"use-c", "Tu", "C", "temperature of use", WI_ROOM_TEMP_C, WI_ANY_TEMP, 0, 130, WI_NO_CHOICE}, \
        {"stress-c", "Ts", "C", "temperature of stress", 60, WI_ANY_TEMP, 0, 130, WI_NO_CHOICE},   \
        {"use-rh", "RHu", "%",         "relative humidity of use", WI_ROOM_RH_PCT, 1, 100,         \
         20,       95,    WI_NO_CHOICE},                                                           \
    {                                                                                              \
        "stress-rh", "RHs", "%", "relative humidity of stress", 80, 1, 100, 20, 95, WI_NO_CHOICE   \
    }

static const struct wi_physics_param peck_params[] = {
    AIR_ROWS,
    {"n", "n", "1", "humidity exponent", NAN, 0, 12, 1, 6, WI_FIGURES(peck_n)},
    {"ea-ev", "Ea", "eV", "activation energy", NAN, 0, 3, 0.3, 1.5, WI_FIGURES(peck_ea)},
};
static const struct wi_physics_param hallberg_params[] = {
    AIR_ROWS,
    {"n", "n", "1", "humidity exponent", 3.0, 0, 12, 1, 6, WI_FIGURES(hallberg_n)},
    {"ea-ev", "Ea", "eV", "activation energy", 0.9, 0, 3, 0.3, 1.5, WI_FIGURES(hallberg_ea)},
};
static const struct wi_physics_param fides_params[] = {
    AIR_ROWS,
    {"n", "n", "1", "humidity exponent", 4.4, 0, 12, 1, 6, WI_FIGURES(fides_n)},
    {"ea-ev", "Ea", "eV", "activation energy", 0.9, 0, 3, 0.3, 1.5, WI_FIGURES(fides_ea)},
};

static const struct wi_physics_output outputs[] = {
    {"af", "1", "acceleration factor"},
    {"af_rh", "1", "humidity part"},
    {"af_temp", "1", "temperature part"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)err;
    out[1] = wi_phys_humidity_af(in[N], in[USE_RH], in[STRESS_RH]);
    out[2] = wi_phys_arrhenius_af(in[EA], in[USE_C], in[STRESS_C]);
    out[0] = out[1] * out[2];
    wi_physics_note(notes, "a life of packages and boards; says nothing about latency");
    return WI_OK;
}

const struct wi_physics_model wi_phys_peck_model = {
    "peck",
    "Peck, corrosion under humidity",
    "AF = (RHs/RHu)^n exp[Ea/k (1/Tu - 1/Ts)]",
    "20 to 95 %RH without condensation; n and Ea are known to us only from memory",
    peck_params,
    WI_COUNT(peck_params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};

const struct wi_physics_model wi_phys_hallberg_peck_model = {
    "hallberg-peck",
    "Hallberg-Peck, humidity life of plastic packages",
    "AF = (RHs/RHu)^n exp[Ea/k (1/Tu - 1/Ts)]",
    "20 to 95 %RH without condensation",
    hallberg_params,
    WI_COUNT(hallberg_params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};

const struct wi_physics_model wi_phys_fides_humidity_model = {
    "fides-humidity",
    "FIDES humidity factor of integrated circuits",
    "AF = (RHs/RHu)^n exp[Ea/k (1/Tu - 1/Ts)]",
    "referred to 20 C and 70 %RH; without condensation",
    fides_params,
    WI_COUNT(fides_params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
