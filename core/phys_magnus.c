#include "core/phys_models.h"
#include "core/phys_rows.h"
#include "core/units.h"

/* J/(kg K), specific gas constant of water vapour */
#define VAPOUR_GAS_CONSTANT 461.5

/*
 * Against the steam tables both sets are within 0.3 % up to 60 C; the wide one is 0.9 % high at 80
 * C and 2 % at 100 C (0.6 K of dew point), not the 0.25 % that is claimed for it.
 */
static const struct wi_physics_figure magnus_figures[2][3] = {
    {{"magnus.a", 17.62, 17.62, 17.62, "saturation over liquid water", "INGMOEHN", WI_CONF_READ,
      WI_FIGURE_BAND},
     {"magnus.b", 243.12, 243.12, 243.12, "saturation over liquid water", "INGMOEHN", WI_CONF_READ,
      WI_FIGURE_BAND},
     {"magnus.e0", 6.112, 6.112, 6.112, "saturation over liquid water", "INGMOEHN", WI_CONF_READ,
      WI_FIGURE_BAND}},
    {{"magnus-hot.a", 17.5043, 17.5043, 17.5043, "saturation over liquid water", "INGMOEHN",
      WI_CONF_READ, WI_FIGURE_BAND},
     {"magnus-hot.b", 241.2, 241.2, 241.2, "saturation over liquid water", "INGMOEHN", WI_CONF_READ,
      WI_FIGURE_BAND},
     {"magnus-hot.e0", 6.11657, 6.11657, 6.11657, "saturation over liquid water", "INGMOEHN",
      WI_CONF_READ, WI_FIGURE_BAND}},
};

double wi_phys_saturation_hpa(enum wi_phys_magnus_set set, double temp_c)
{
    const struct wi_physics_figure *f = magnus_figures[set];

    return f[2].value * exp(f[0].value * temp_c / (f[1].value + temp_c));
}

double wi_phys_dew_point_c(enum wi_phys_magnus_set set, double temp_c, double rh_pct)
{
    double a = magnus_figures[set][0].value, b = magnus_figures[set][1].value;
    double g = log(rh_pct / 100.0) + a * temp_c / (b + temp_c);

    return b * g / (a - g);
}

double wi_phys_absolute_g_m3(enum wi_phys_magnus_set set, double temp_c, double rh_pct)
{
    double vapour_pa = wi_phys_saturation_hpa(set, temp_c) * rh_pct;

    return 1000.0 * vapour_pa / (VAPOUR_GAS_CONSTANT * wi_k_from_c(temp_c));
}

static const char *const set_names[] = {"sonntag", "wide", NULL};

static const struct wi_physics_param params[] = {
    {"temp-c", "T", "C", "air temperature", WI_ROOM_TEMP_C, WI_ANY_TEMP, -45, 100, WI_NO_CHOICE},
    {"rh", "RH", "%", "relative humidity", WI_ROOM_RH_PCT, 0.01, 100, 1, 100, WI_NO_CHOICE},
    {"set", "", "", "constants: sonntag up to 60 C, wide up to 100 C", WI_MAGNUS_SONNTAG, 0, 1, 0,
     1, set_names, NULL, 0},
};

static const struct wi_physics_output outputs[] = {
    {"dew_point_c", "C", "temperature at which this air condenses"},
    {"saturation_hpa", "hPa", "saturation vapour pressure"},
    {"vapour_hpa", "hPa", "vapour pressure"},
    {"absolute_g_m3", "g/m3", "absolute humidity"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    enum wi_phys_magnus_set set = in[2] < 0.5 ? WI_MAGNUS_SONNTAG : WI_MAGNUS_WIDE;

    (void)err;
    if (set == WI_MAGNUS_SONNTAG && in[0] > 60.0)
        wi_physics_note(notes, "these constants hold up to 60 C; take the set 'wide'");
    out[0] = wi_phys_dew_point_c(set, in[0], in[1]);
    out[1] = wi_phys_saturation_hpa(set, in[0]);
    out[2] = out[1] * in[1] / 100.0;
    out[3] = wi_phys_absolute_g_m3(set, in[0], in[1]);
    return WI_OK;
}

const struct wi_physics_model wi_phys_dew_point_model = {
    "dew-point",
    "Magnus formula: dew point and absolute humidity",
    "es = E0 exp[a T/(b+T)], Td = b g/(a-g), g = ln(RH/100) + a T/(b+T), T in C",
    "-45 to 60 C over liquid water; 'wide' up to 100 C, there 2 % high; below 0 C frost forms "
    "earlier",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    magnus_figures[0],
    6,
    eval};
