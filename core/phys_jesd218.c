#include "core/phys_models.h"
#include "core/phys_rows.h"

#include <string.h>

const struct wi_phys_retention_class wi_phys_retention_classes[] = {
    {"client-40-30", "client", 40, 30, 52, false, WI_CONF_SECONDARY},
    {"client-40-25", "client", 40, 25, 105, true, WI_CONF_SECONDARY},
    {"client-55-25", "client", 55, 25, 404, false, WI_CONF_UNVERIFIED},
    {"enterprise-55-40", "enterprise", 55, 40, 13, false, WI_CONF_SECONDARY},
    {"enterprise-40-25", "enterprise", 40, 25, 20, false, WI_CONF_SECONDARY},
};
const size_t wi_n_phys_retention_classes = WI_COUNT(wi_phys_retention_classes);

double wi_phys_retention_weeks(const struct wi_phys_retention_class *c, double ea_ev)
{
    const struct wi_phys_retention_class *anchor = wi_phys_retention_classes;

    while (strcmp(anchor->klass, c->klass) != 0)
        anchor++;
    return anchor->weeks * wi_phys_arrhenius_af(ea_ev, c->off_c, anchor->off_c);
}

static const struct wi_physics_figure ea_figures[] = {
    {"arrhenius.intrinsic.ea", 1.1, 1.1, 1.1, "intrinsic charge loss, the standard's value",
     "JESD218", WI_CONF_SECONDARY, WI_FIGURE_BAND},
};
static const struct wi_physics_figure constants[] = {
    {"jesd218.client.40-30", 52, 52, 52, "client class, active at 40 C, off at 30 C", "JESD218",
     WI_CONF_SECONDARY, WI_FIGURE_BAND},
    {"jesd218.client.40-25", 105, 105, INFINITY, "client class, active at 40 C, off at 25 C",
     "JESD218", WI_CONF_SECONDARY, WI_FIGURE_BAND},
    {"jesd218.client.55-25", 404, 404, 404, "client class, active at 55 C, off at 25 C", "JESD218",
     WI_CONF_UNVERIFIED, WI_FIGURE_CHOICE},
    {"jesd218.enterprise.55-40", 13, 13, 13, "enterprise class, active at 55 C, off at 40 C",
     "JESD218", WI_CONF_SECONDARY, WI_FIGURE_BAND},
    {"jesd218.enterprise.40-25", 20, 20, 20, "enterprise class, active at 40 C, off at 25 C",
     "JESD218", WI_CONF_SECONDARY, WI_FIGURE_BAND},
};

static const char *const row_names[] = {"client-40-30",     "client-40-25",     "client-55-25",
                                        "enterprise-55-40", "enterprise-40-25", NULL};

static const struct wi_physics_param params[] = {
    {"row", "", "", "class, active and off temperature", 1, 0, 4, 0, 4, row_names, NULL, 0},
    {"ea-ev", "Ea", "eV", "activation energy", 1.1, 0, 3, 0.1, 1.5, WI_FIGURES(ea_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"weeks", "weeks", "retention without power at the end of life, as the standard states it"},
    {"model_weeks", "weeks", "first row of the class, scaled by one Ea over the off temperature"},
    {"misfit", "1", "model / standard; 1 = one Ea explains the row"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    const struct wi_phys_retention_class *c = &wi_phys_retention_classes[(size_t)(in[0] + 0.5)];

    (void)err;
    out[0] = c->weeks;
    out[1] = wi_phys_retention_weeks(c, in[1]);
    out[2] = out[1] / out[0];
    if (c->at_least)
        wi_physics_note(notes, "the standard states at least %.0f weeks", c->weeks);
    if (c->confidence == WI_CONF_UNVERIFIED)
        wi_physics_note(notes, "this row is unverified: no source was read");
    if (c->active_c != wi_phys_retention_classes[0].active_c || c->klass[0] == 'e')
        wi_physics_note(notes, "hotter programming lengthens retention, which one Ea over the off "
                               "temperature leaves out");
    return WI_OK;
}

const struct wi_physics_model wi_phys_jesd218_model = {
    "jesd218",
    "JESD218 retention classes against a single activation energy",
    "weeks = weeks(first row of the class) exp[Ea/k (1/T - 1/T0)], T = off temperature",
    "the rows are data; the full matrix of the standard was not read",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    constants,
    WI_COUNT(constants),
    eval};
