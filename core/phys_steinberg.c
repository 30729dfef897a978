#include "core/phys_models.h"
#include "core/phys_rows.h"

enum { BANDS = 3 };

static const struct wi_physics_figure band_figures[BANDS] = {
    {"steinberg.p1", 0.683, 0.683, 0.683, "share of time within 1 sigma", "NOVASOLVER",
     WI_CONF_ABSTRACT, WI_FIGURE_BAND},
    {"steinberg.p2", 0.271, 0.271, 0.271, "share of time within 2 sigma", "NOVASOLVER",
     WI_CONF_ABSTRACT, WI_FIGURE_BAND},
    {"steinberg.p3", 0.0433, 0.0433, 0.0433, "share of time within 3 sigma", "NOVASOLVER",
     WI_CONF_ABSTRACT, WI_FIGURE_BAND},
};

double wi_phys_steinberg_damage(double fn_hz, double hours, double sigma_ratio, double b, double n0)
{
    double cycles = fn_hz * hours * 3600.0;
    double damage = 0.0;

    for (int i = 0; i < BANDS; i++)
        damage += band_figures[i].value * cycles / n0 * pow((i + 1) * sigma_ratio, b);
    return damage;
}

static const struct wi_physics_figure b_figures[] = {
    {"steinberg.b", 6.4, 6.4, 6.4, "leads and solder joints", "STEINBERG", WI_CONF_UNVERIFIED,
     WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure n0_figures[] = {
    {"steinberg.n0", 2e7, 2e7, 2e7, "three-sigma fatigue limit, random vibration", "IRVINE13",
     WI_CONF_ABSTRACT, WI_FIGURE_BAND},
};

static const struct wi_physics_param params[] = {
    {"fn-hz", "fn", "Hz", "resonance of the board", 200, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX, 10, 2000,
     WI_NO_CHOICE},
    {"hours", "T", "h", "hours of vibration", 120, 0, WI_DUR_H_MAX, 0, WI_DUR_H_MAX, WI_NO_CHOICE},
    {"sigma-ratio", "s", "1", "1-sigma response / response that lasts n0 cycles", 1.0 / 3.0, 1e-4,
     100, 0.01, 1, WI_NO_CHOICE},
    {"b", "b", "1", "slope of the S-N curve", NAN, 0.1, 30, 3, 12, WI_FIGURES(b_figures)},
    {"n0", "N0", "cycles", "cycles at the fatigue limit", 2e7, 1, 1e12, 1e6, 1e9,
     WI_FIGURES(n0_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"damage", "1", "Miner sum, fails at 1"},
    {"life_h", "h", "hours to a sum of 1"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)notes;
    (void)err;
    out[0] = wi_phys_steinberg_damage(in[0], in[1], in[2], in[3], in[4]);
    out[1] = 1.0 / wi_phys_steinberg_damage(in[0], 1.0, in[2], in[3], in[4]);
    return WI_OK;
}

const struct wi_physics_model wi_phys_steinberg_model = {
    "steinberg",
    "Steinberg three-band method, fatigue under random vibration",
    "D = fn T sum(p_i/N_i), N_i = N0 (1/(i s))^b, i = 1, 2, 3",
    "Gaussian random vibration of one resonance; not for a sine",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    band_figures,
    BANDS,
    eval};
