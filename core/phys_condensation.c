#include "core/phys_models.h"
#include "core/phys_rows.h"

enum { INSTANTS = 200 }; /* on the ramp, and as many on the settling after it */
#define SETTLE_TAUS 8.0  /* the surface has then closed to 1/3000 of the lag */

struct ramp {
    struct wi_phys_air from, to;
    double ramp_s, tau_s, self_heat_k;
};

/* Response of a first-order lag to a linear ramp of the air, closed form. */
static double surface_c(const struct ramp *r, double t_s)
{
    double rate = (r->to.temp_c - r->from.temp_c) / r->ramp_s;
    double on_ramp_s = fmin(t_s, r->ramp_s);
    double lag_k = rate * r->tau_s * (1.0 - exp(-on_ramp_s / r->tau_s));

    return r->self_heat_k + r->from.temp_c + rate * on_ramp_s -
           lag_k * exp(-(t_s - on_ramp_s) / r->tau_s);
}

/*
 * The air is linear in relative humidity as in temperature: chambers control those two. The wide
 * constants serve throughout, since one ramp may cross 60 C.
 */
static double margin_k(const struct ramp *r, double t_s)
{
    double share = fmin(t_s / r->ramp_s, 1.0);
    double air_c = r->from.temp_c + share * (r->to.temp_c - r->from.temp_c);
    double air_rh_pct = r->from.rh_pct + share * (r->to.rh_pct - r->from.rh_pct);

    return surface_c(r, t_s) - wi_phys_dew_point_c(WI_MAGNUS_WIDE, air_c, air_rh_pct);
}

double wi_phys_condensation_margin_k(struct wi_phys_air from, struct wi_phys_air to, double ramp_s,
                                     double tau_s, double self_heat_k, double *wet_s)
{
    struct ramp r = {from, to, fmax(ramp_s, 1e-6 * tau_s), tau_s, self_heat_k};
    double step_s[2] = {r.ramp_s / INSTANTS, SETTLE_TAUS * tau_s / INSTANTS};
    double lowest_k = margin_k(&r, 0.0), wet = 0.0;

    for (int part = 0; part < 2; part++) {
        for (int i = 1; i <= INSTANTS; i++) {
            double k = margin_k(&r, (part ? r.ramp_s : 0.0) + i * step_s[part]);

            lowest_k = fmin(lowest_k, k);
            if (k < 0.0)
                wet += step_s[part];
        }
    }
    if (wet_s)
        *wet_s = wet;
    return lowest_k;
}

static const struct wi_physics_figure tau_figures[] = {
    {"thermal.m2.tau", 85, 60, 110, "bare M.2 2280 in case airflow", "TECHPOWERUP", WI_CONF_DERIVED,
     WI_FIGURE_BAND},
};

enum { FROM_C, FROM_RH, TO_C, TO_RH, RAMP_MIN, TAU_S, SELF_K };

static const struct wi_physics_param params[] = {
    {"from-c", "T0", "C", "air and drive before the ramp", WI_ROOM_TEMP_C, WI_ANY_TEMP, -45, 100,
     WI_NO_CHOICE},
    {"from-rh", "RH0", "%", "relative humidity before", WI_ROOM_RH_PCT, 0.01, 100, 1, 100,
     WI_NO_CHOICE},
    {"to-c", "T1", "C", "air after the ramp", 60, WI_ANY_TEMP, -45, 100, WI_NO_CHOICE},
    {"to-rh", "RH1", "%", "relative humidity after", 80, 0.01, 100, 1, 100, WI_NO_CHOICE},
    {"ramp-min", "tr", "min", "length of the ramp, 0 = a step", 10, 0, 1e5, 0, 1e5, WI_NO_CHOICE},
    {"tau-s", "tau", "s", "thermal time constant of the surface", 85, 1, 1e5, 10, 3600,
     WI_FIGURES(tau_figures)},
    {"self-heat-k", "dT", "K", "steady rise of the surface over the air, 0 = idle", 0, 0, 150, 0,
     100, WI_NO_CHOICE},
};

static const struct wi_physics_output outputs[] = {
    {"margin_k", "K", "smallest surface temperature minus dew point; below 0 water condenses"},
    {"wet_min", "min", "time with the surface below the dew point"},
    {"dew_point_c", "C", "dew point after the ramp"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    struct wi_phys_air from = {in[FROM_C], in[FROM_RH]}, to = {in[TO_C], in[TO_RH]};
    double wet_s = 0.0;

    (void)err;
    out[0] =
        wi_phys_condensation_margin_k(from, to, in[RAMP_MIN] * 60.0, in[TAU_S], in[SELF_K], &wet_s);
    out[1] = wet_s / 60.0;
    out[2] = wi_phys_dew_point_c(WI_MAGNUS_WIDE, to.temp_c, to.rh_pct);
    if (out[0] < 0.0)
        wi_physics_note(notes, "water condenses on the surface during the ramp");
    if (in[TAU_S] <= 110.0)
        wi_physics_note(notes, "the time constant is that of a bare M.2 board; a drive in a case "
                               "or a heat sink lags more");
    return WI_OK;
}

const struct wi_physics_model wi_phys_condensation_model = {
    "condensation",
    "Condensation on a drive that lags the air of a ramp",
    "tau dTs/dt = T(t) - Ts; wet while Ts + dT < dew point of the air",
    "linear ramp of temperature and relative humidity, one time constant",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
