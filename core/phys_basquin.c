#include "core/phys_models.h"
#include "core/phys_rows.h"

/* FIDES writes Basquin's power law as a factor on the failure rate of a board. */
double wi_phys_basquin_factor(double b, double ref_grms, double grms)
{
    return pow(grms / ref_grms, b);
}

static const struct wi_physics_figure b_figures[] = {
    {"basquin.b", 1.5, 1.5, 1.5, "failure rate of a board; slopes of solder S-N curves are steeper",
     "FIDES", WI_CONF_SECONDARY, WI_FIGURE_BAND},
};
static const struct wi_physics_figure ref_figures[] = {
    {"basquin.grms_ref", 0.5, 0.5, 0.5, "board level", "FIDES", WI_CONF_SECONDARY, WI_FIGURE_BAND},
};

static const struct wi_physics_param params[] = {
    {"grms", "G", "g", "random vibration, root mean square", 1.8, 0, WI_GRMS_MAX, 0, 20,
     WI_NO_CHOICE},
    {"ref-grms", "G0", "g", "reference vibration", 0.5, 0.001, WI_GRMS_MAX, 0, 20,
     WI_FIGURES(ref_figures)},
    {"b", "b", "1", "exponent", 1.5, 0, 20, 1, 10, WI_FIGURES(b_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"factor", "1", "failure rate against that at the reference vibration"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)notes;
    (void)err;
    out[0] = wi_phys_basquin_factor(in[2], in[1], in[0]);
    return WI_OK;
}

const struct wi_physics_model wi_phys_basquin_model = {
    "basquin",
    "Basquin, failure rate under random vibration",
    "factor = (G/G0)^b",
    "board level; a failure rate, not a cycle count",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
