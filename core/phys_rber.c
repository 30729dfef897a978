#include "core/phys_models.h"
#include "core/phys_rows.h"

enum { E, ALPHA, BETA, GAMMA, K, M, N, P, Q, COEFFICIENTS };
enum { SETS = 3 };

#define SET_ROW(id, value, applies_to, source, confidence)                                         \
    {                                                                                              \
        id, value, value, value, applies_to, source, confidence, WI_FIGURE_CHOICE                  \
    }

static const struct wi_physics_figure coefficients[SETS][COEFFICIENTS] = {
    {
        SET_ROW("rber.tlc72l.e", 0.00148, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.alpha", 3.9e-10, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.beta", 6.28e-05, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.gamma", 3.73e-09, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.k", 2.05, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.m", 0.14, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.n", 0.54, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.p", 0.33, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
        SET_ROW("rber.tlc72l.q", 1.71, "72-layer 3D TLC", "MQSIMJW", WI_CONF_READ),
    },
    {
        SET_ROW("rber.mlc3x.e", 5.06e-08, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.alpha", 1.05e-14, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.beta", 9.31e-14, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.gamma", 4.17e-15, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.k", 2.16, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.m", 1.8, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.n", 0.8, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.p", 1.07, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc3x.q", 1.45, "3x-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
    },
    {
        SET_ROW("rber.mlc2y.e", 8.34e-05, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.alpha", 3.3e-11, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.beta", 5.56e-19, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.gamma", 6.26e-13, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.k", 1.71, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.m", 2.49, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.n", 3.33, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.p", 1.76, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
        SET_ROW("rber.mlc2y.q", 0.47, "2y-nm planar MLC", "KIM19", WI_CONF_UNVERIFIED),
    },
};

struct wi_phys_rber wi_phys_rber_terms(enum wi_phys_rber_set set, double pe_cycles,
                                       double retention_h, double reads)
{
    const struct wi_physics_figure *c = coefficients[set];
    struct wi_phys_rber r;

    r.floor = c[E].value;
    r.wear = c[ALPHA].value * pow(pe_cycles, c[K].value);
    r.retention = c[BETA].value * pow(pe_cycles, c[M].value) * pow(retention_h, c[N].value);
    r.read = c[GAMMA].value * pow(pe_cycles, c[P].value) * pow(reads, c[Q].value);
    return r;
}

double wi_phys_rber_sum(const struct wi_phys_rber *r)
{
    return r->floor + r->wear + r->retention + r->read;
}

static const char *const set_names[] = {"tlc72l", "mlc3x", "mlc2y", NULL};

static const struct wi_physics_figure ea_figures[] = {
    {"arrhenius.effective.fg.ea", 0.58, 0.47, 0.69, "floating-gate 3D TLC, effective",
     "HOTSTORAGE21", WI_CONF_DERIVED, WI_FIGURE_BAND},
    {"arrhenius.effective.ct.ea", 0.52, 0.44, 0.60, "charge-trap 3D TLC, effective", "HOTSTORAGE21",
     WI_CONF_DERIVED, WI_FIGURE_BAND},
    {"arrhenius.intrinsic.ea", 1.1, 1.1, 1.1, "intrinsic charge loss, the standard's value",
     "JESD218", WI_CONF_SECONDARY, WI_FIGURE_BAND},
};

enum { SET, PE, HOURS, TEMP_C, READS, EA };

static const struct wi_physics_param params[] = {
    {"set", "", "", "coefficients: tlc72l, mlc3x, mlc2y", WI_RBER_72L_TLC, 0, SETS - 1, 0, SETS - 1,
     set_names, NULL, 0},
    {"pe-cycles", "PE", "cycles", "program/erase cycles spent", 1000, 0, WI_PE_CYCLES_MAX, 0, 10000,
     WI_NO_CHOICE},
    {"hours", "t", "h", "hours since the page was written", 8760, 0, WI_DUR_H_MAX, 0, 10000,
     WI_NO_CHOICE},
    {"temp-c", "T", "C", "temperature of storage", WI_RBER_ROOM_C, WI_ANY_TEMP, 0, 85,
     WI_NO_CHOICE},
    {"reads", "r", "reads", "reads of the page since it was written", 0, 0, 1e9, 0, 1e5,
     WI_NO_CHOICE},
    {"ea-ev", "Ea", "eV", "activation energy that scales t", 0.58, 0, 3, 0.1, 1.5,
     WI_FIGURES(ea_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"rber", "1", "raw bit error rate at the default read voltages"},
    {"floor", "1", "term e"},
    {"wear", "1", "term a PE^k"},
    {"retention", "1", "term b PE^m t^n"},
    {"read_disturb", "1", "term g PE^p r^q"},
    {"room_h", "h", "hours at 25 C that equal the storage"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    enum wi_phys_rber_set set = (enum wi_phys_rber_set)(in[SET] + 0.5);
    double room_h = in[HOURS] * wi_phys_arrhenius_af(in[EA], WI_RBER_ROOM_C, in[TEMP_C]);
    struct wi_phys_rber r = wi_phys_rber_terms(set, in[PE], room_h, in[READS]);

    (void)err;
    if (set != WI_RBER_72L_TLC)
        wi_physics_note(notes, "the coefficients of %s are unverified: no source was read",
                        set_names[set]);
    out[0] = wi_phys_rber_sum(&r);
    out[1] = r.floor;
    out[2] = r.wear;
    out[3] = r.retention;
    out[4] = r.read;
    out[5] = room_h;
    if (out[0] > 0.5)
        wi_physics_note(notes, "an error rate above 0.5 has no meaning: the formula is far outside "
                               "its data");
    return WI_OK;
}

const struct wi_physics_model wi_phys_rber_model = {
    "rber",
    "Raw bit error rate by wear, retention and reads",
    "RBER = e + a PE^k + b PE^m t^n + g PE^p r^q, t scaled to 25 C by Arrhenius",
    "one 72-layer TLC chip at room temperature; other sets are from memory",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    coefficients[0],
    SETS *COEFFICIENTS,
    eval};
