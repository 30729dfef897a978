#include "core/phys_models.h"
#include "core/phys_rows.h"

enum { SWITCHES_MAX = 200000 };

double wi_phys_thermal_steady_c(double ambient_c, double r_k_w, double power_w)
{
    return ambient_c + r_k_w * power_w;
}

double wi_phys_thermal_at_c(double start_c, double ambient_c, double r_k_w, double c_j_k,
                            double power_w, double t_s)
{
    double steady_c = wi_phys_thermal_steady_c(ambient_c, r_k_w, power_w);

    return steady_c + (start_c - steady_c) * exp(-t_s / (r_k_w * c_j_k));
}

enum state { FULL, LIGHT, HEAVY };

struct run {
    const struct wi_phys_thermal *t;
    enum state state;
    double now_s, temp_c, busy_s[3];
    struct wi_phys_thermal_result res;
};

static double power_of(const struct wi_phys_thermal *t, enum state s)
{
    return s == FULL ? t->full_w : s == LIGHT ? t->light_w : t->heavy_w;
}

/* Seconds until the temperature, now temp_c, crosses target_c on its way to steady_c. */
static double crossing_s(double temp_c, double steady_c, double target_c, double tau_s)
{
    double share = (target_c - steady_c) / (temp_c - steady_c);

    return share > 0.0 && share < 1.0 ? -tau_s * log(share) : INFINITY;
}

/*
 * The next change of state: upwards at the entry temperature of the next state, downwards
 * hysteresis below the entry of this one. Only the one that lies on the way can happen.
 */
static double next_change(const struct run *r, enum state *next)
{
    const struct wi_phys_thermal *t = r->t;
    double entry_c[3] = {-INFINITY, t->tmt1_c, t->tmt2_c};
    double steady_c = wi_phys_thermal_steady_c(t->ambient_c, t->r_k_w, power_of(t, r->state));
    double tau_s = t->r_k_w * t->c_j_k;

    if (steady_c > r->temp_c && r->state != HEAVY) {
        *next = r->state + 1;
        if (r->temp_c >= entry_c[*next])
            return 0.0;
        return crossing_s(r->temp_c, steady_c, entry_c[*next], tau_s);
    }
    if (steady_c < r->temp_c && r->state != FULL) {
        *next = r->state - 1;
        if (r->temp_c < entry_c[r->state] - t->hysteresis_k)
            return 0.0;
        return crossing_s(r->temp_c, steady_c, entry_c[r->state] - t->hysteresis_k, tau_s);
    }
    *next = r->state;
    return INFINITY;
}

/* The first time at or above a temperature, looked for inside one piece of constant power. */
static void note_first(double *first_s, double limit_s, double target_c, const struct run *r,
                       double end_c)
{
    double steady_c;

    if (*first_s < limit_s || fmax(r->temp_c, end_c) < target_c)
        return;
    if (r->temp_c >= target_c) {
        *first_s = r->now_s;
        return;
    }
    steady_c = wi_phys_thermal_steady_c(r->t->ambient_c, r->t->r_k_w, power_of(r->t, r->state));
    *first_s = r->now_s + crossing_s(r->temp_c, steady_c, target_c, r->t->r_k_w * r->t->c_j_k);
}

static void advance(struct run *r, double step_s, double duration_s)
{
    const struct wi_phys_thermal *t = r->t;
    double end_c = wi_phys_thermal_at_c(r->temp_c, t->ambient_c, t->r_k_w, t->c_j_k,
                                        power_of(t, r->state), step_s);

    note_first(&r->res.tmt1_s, duration_s, t->tmt1_c, r, end_c);
    note_first(&r->res.tmt2_s, duration_s, t->tmt2_c, r, end_c);
    r->busy_s[r->state] += step_s;
    r->now_s += step_s;
    r->temp_c = end_c;
    r->res.peak_c = fmax(r->res.peak_c, end_c);
}

struct wi_phys_thermal_result wi_phys_thermal_run(const struct wi_phys_thermal *t,
                                                  double duration_s)
{
    struct run r = {.t = t, .state = FULL, .temp_c = t->ambient_c};
    double entry_c[3] = {-INFINITY, t->tmt1_c, t->tmt2_c}, used_s, energy_j;

    r.res = (struct wi_phys_thermal_result){
        .peak_c = t->ambient_c, .tmt1_s = duration_s, .tmt2_s = duration_s};
    while (r.now_s < duration_s && r.res.n_switches < SWITCHES_MAX) {
        enum state next;
        double step_s = next_change(&r, &next);

        if (step_s >= duration_s - r.now_s) {
            advance(&r, duration_s - r.now_s, duration_s);
            break;
        }
        advance(&r, step_s, duration_s);
        /* Land on the threshold itself: rounding must not leave the state it has just reached. */
        if (step_s > 0.0) {
            r.temp_c = next > r.state ? entry_c[next] : entry_c[r.state] - t->hysteresis_k;
            r.res.peak_c = fmax(r.res.peak_c, r.temp_c);
            if (next > r.state && next == LIGHT)
                r.res.tmt1_s = fmin(r.res.tmt1_s, r.now_s);
            if (next > r.state && next == HEAVY)
                r.res.tmt2_s = fmin(r.res.tmt2_s, r.now_s);
        }
        r.state = next;
        r.res.n_switches++;
    }
    used_s = fmax(r.busy_s[FULL] + r.busy_s[LIGHT] + r.busy_s[HEAVY], 1e-300);
    energy_j =
        r.busy_s[FULL] * t->full_w + r.busy_s[LIGHT] * t->light_w + r.busy_s[HEAVY] * t->heavy_w;
    r.res.end_c = r.temp_c;
    r.res.light_frac = r.busy_s[LIGHT] / used_s;
    r.res.heavy_frac = r.busy_s[HEAVY] / used_s;
    r.res.mean_power_frac = energy_j / used_s / t->full_w;
    return r.res;
}

static const struct wi_physics_figure c_figures[] = {
    {"thermal.m2.c", 8.5, 7, 10, "bare M.2 2280 in case airflow", "TECHPOWERUP", WI_CONF_DERIVED,
     WI_FIGURE_BAND},
};
static const struct wi_physics_figure r_figures[] = {
    {"thermal.m2.r", 9.5, 8, 11, "bare M.2 2280 in case airflow", "TECHPOWERUP", WI_CONF_DERIVED,
     WI_FIGURE_BAND},
};
static const struct wi_physics_figure power_figures[] = {
    {"thermal.m2.power", 6.5, 4.5, 9, "consumer M.2", "TECHPOWERUP", WI_CONF_READ, WI_FIGURE_BAND},
};
static const struct wi_physics_figure tmt1_figures[] = {
    {"throttle.ocp.wctemp", 77, 77, 77, "data-centre NVMe drives", "OCP", WI_CONF_READ,
     WI_FIGURE_BAND},
    {"throttle.seen.wctemp", 82, 70, 118, "consumer and industrial NVMe drives", "SMARTDUMPS",
     WI_CONF_READ, WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure tmt2_figures[] = {
    {"throttle.ocp.cctemp", 85, 85, 85, "data-centre NVMe drives", "OCP", WI_CONF_READ,
     WI_FIGURE_BAND},
    {"throttle.seen.cctemp", 88, 79, 150, "consumer and industrial NVMe drives", "SMARTDUMPS",
     WI_CONF_READ, WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure constants[] = {
    {"throttle.ocp.exit", 75, 75, 75, "throttling ends below it", "OCP", WI_CONF_READ,
     WI_FIGURE_BAND},
};

enum { AMBIENT, POWER, LIGHT_PCT, HEAVY_PCT, R, C, TMT1, TMT2, HYSTERESIS, TIME };

static const struct wi_physics_param params[] = {
    {"ambient-c", "Ta", "C", "air temperature", 35, WI_ANY_TEMP, 0, 85, WI_NO_CHOICE},
    {"power-w", "P", "W", "power at full load", 6.5, 0.01, 500, 1, 25, WI_FIGURES(power_figures)},
    {"light-pct", "", "%", "power left when throttled lightly", 70, 1, 100, 20, 100, WI_NO_CHOICE},
    {"heavy-pct", "", "%", "power left when throttled heavily", 35, 1, 100, 5, 100, WI_NO_CHOICE},
    {"r-k-w", "R", "K/W", "thermal resistance to the air", 9.5, 0.1, 100, 0.5, 20,
     WI_FIGURES(r_figures)},
    {"c-j-k", "C", "J/K", "heat capacity", 8.5, 0.1, 1e5, 1, 500, WI_FIGURES(c_figures)},
    {"tmt1-c", "TMT1", "C", "light throttling from here", 77, -50, 200, 30, 130,
     WI_FIGURES(tmt1_figures)},
    {"tmt2-c", "TMT2", "C", "heavy throttling from here", 85, -50, 200, 30, 150,
     WI_FIGURES(tmt2_figures)},
    {"hysteresis-k", "h", "K", "a state ends this far below its entry", 2, 0.01, 100, 0.5, 20,
     WI_NO_CHOICE},
    {"time-s", "t", "s", "time under load, from a drive as cold as the air", 600, 0, 1e6, 0, 1e6,
     WI_NO_CHOICE},
};

static const struct wi_physics_output outputs[] = {
    {"temp_c", "C", "temperature at that time"},
    {"peak_c", "C", "highest temperature until then"},
    {"tmt1_s", "s", "first time at TMT1; time-s if never"},
    {"tmt2_s", "s", "first time at TMT2; time-s if never"},
    {"light_pct", "%", "share of the time throttled lightly"},
    {"heavy_pct", "%", "share of the time throttled heavily"},
    {"speed_pct", "%", "mean speed against full, taken as proportional to power"},
    {"steady_full_c", "C", "steady temperature without throttling"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    struct wi_phys_thermal t = {.ambient_c = in[AMBIENT],
                                .r_k_w = in[R],
                                .c_j_k = in[C],
                                .full_w = in[POWER],
                                .light_w = in[POWER] * in[LIGHT_PCT] / 100.0,
                                .heavy_w = in[POWER] * in[HEAVY_PCT] / 100.0,
                                .tmt1_c = in[TMT1],
                                .tmt2_c = in[TMT2],
                                .hysteresis_k = in[HYSTERESIS]};
    struct wi_phys_thermal_result r;

    if (!(t.tmt1_c < t.tmt2_c))
        return wi_fail(err, WI_ERANGE, "'tmt1-c' is %.6g, must be below 'tmt2-c' %.6g", t.tmt1_c,
                       t.tmt2_c);
    if (t.heavy_w > t.light_w)
        return wi_fail(err, WI_ERANGE, "'heavy-pct' is %.6g, must not be above 'light-pct' %.6g",
                       in[HEAVY_PCT], in[LIGHT_PCT]);
    r = wi_phys_thermal_run(&t, in[TIME]);
    out[0] = r.end_c;
    out[1] = r.peak_c;
    out[2] = r.tmt1_s;
    out[3] = r.tmt2_s;
    out[4] = 100.0 * r.light_frac;
    out[5] = 100.0 * r.heavy_frac;
    out[6] = in[TIME] > 0.0 ? 100.0 * r.mean_power_frac : 100.0;
    out[7] = wi_phys_thermal_steady_c(t.ambient_c, t.r_k_w, t.full_w);
    wi_physics_note(notes, "how much speed a state leaves and the hysteresis are vendor specific; "
                           "reviews show losses between none and 65 %%");
    return WI_OK;
}

const struct wi_physics_model wi_phys_throttle_model = {
    "throttle",
    "Self-heating and throttling at TMT1 and TMT2",
    "C dT/dt = P - (T - Ta)/R; P falls at TMT1 and TMT2, rises again h below",
    "one thermal node, bare M.2 by default; a fast controller node reaches its limit earlier",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    constants,
    WI_COUNT(constants),
    eval};
