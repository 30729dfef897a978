/*
 * The physical models as a table: each with equation, validity, parameters and their sources.
 *
 * A model computes a few outputs from named numbers. Numbers that describe the question are inputs;
 * numbers that somebody published are parameters, each with every figure that was published for it.
 * Where figures disagree the result carries the band that they span.
 *
 * source: the figures are those of data/models.csv, a test holds both tables together
 */
#ifndef WI_CORE_PHYSICS_H
#define WI_CORE_PHYSICS_H

#include "core/dataset.h"

#define WI_PHYS_PARAMS_MAX 16
#define WI_PHYS_OUTPUTS_MAX 12
#define WI_PHYS_NOTES_MAX 12
#define WI_PHYS_NOTE_MAX 256

/* Use of a published figure. */
enum wi_figure_role {
    WI_FIGURE_BAND,  /* for the same thing as the default: its range is part of the band */
    WI_FIGURE_CHOICE /* for something else (another solder, another set): offered, not in the band
                      */
};

/* One published figure. */
struct wi_physics_figure {
    const char *id;   /* row of data/models.csv; "" = none, the figure is an assumption of ours */
    double value;     /* in the unit of its parameter; where a range is published, inside it */
    double low, high; /* published range, both equal to value where a single number is published */
    const char *applies_to;
    const char *source; /* id of data/sources.csv; "" = none */
    enum wi_confidence confidence;
    enum wi_figure_role role;
};

/* One named number of a model. */
struct wi_physics_param {
    const char *name;   /* as on the command line, "stress-c" */
    const char *symbol; /* as in the equation, "Ts" */
    const char *unit;   /* "C" "eV" "1" */
    const char *help;
    double value;    /* default: an example input, or the first figure; NaN = none, must be given */
    double min, max; /* what is accepted at all */
    double valid_low, valid_high; /* outside: the model answers with a note */
    const char *const *choices;   /* NULL-terminated names of the values 0, 1, ...; else NULL */
    const struct wi_physics_figure *figures; /* NULL for an input */
    size_t n_figures;
};

struct wi_physics_output {
    const char *name;
    const char *unit;
    const char *help;
};

/* What a model wants to say beside its numbers; fixed storage, so that evaluating cannot fail. */
struct wi_physics_notes {
    char text[WI_PHYS_NOTES_MAX][WI_PHYS_NOTE_MAX];
    size_t n;
};
/* Adds one note; a repeated text is kept once, and beyond WI_PHYS_NOTES_MAX nothing is added. */
void wi_physics_note(struct wi_physics_notes *notes, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

struct wi_physics_model {
    const char *name; /* "arrhenius" */
    const char *title;
    const char *equation;
    const char *validity;
    const struct wi_physics_param *params;
    size_t n_params;
    const struct wi_physics_output *outputs;
    size_t n_outputs;
    const struct wi_physics_figure *constants; /* figures that no option changes */
    size_t n_constants;
    /*
     * in:   in    (n_params,) inside min..max
     * out:  out   (n_outputs,)
     * returns WI_OK; WI_ERANGE where a combination of inputs has no meaning
     */
    enum wi_status (*eval)(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err);
};

extern const struct wi_physics_model *const wi_physics_models[];
extern const size_t wi_n_physics_models;

/* NULL if there is no such model. */
const struct wi_physics_model *wi_physics_find(const char *name);

/* Index of a parameter by name, or n_params. */
size_t wi_physics_param_find(const struct wi_physics_model *m, const char *name);

/* The band of a parameter over its figures; false where they agree on one number. */
bool wi_physics_band(const struct wi_physics_param *p, double *low, double *high);

struct wi_physics_result {
    double out[WI_PHYS_OUTPUTS_MAX];
    /* smallest and largest output over the bands of the parameters left at their default */
    double low[WI_PHYS_OUTPUTS_MAX], high[WI_PHYS_OUTPUTS_MAX];
    bool has_band;
    struct wi_physics_notes notes;
};

/* The defaults of all parameters. */
void wi_physics_defaults(const struct wi_physics_model *m, double in[WI_PHYS_PARAMS_MAX]);

/*
 * Evaluate a model.
 *
 * in:   in      (n_params,)
 *       given   bit i set: parameter i was chosen by the caller and has no band
 * out:  res     outputs, bands and notes
 * returns WI_OK; WI_ERANGE naming the parameter outside what is accepted; WI_EUSAGE naming one that
 *         has no verified figure and was not given; WI_ENUMERIC where an output is not finite
 * cost: 2^b evaluations, b = parameters with a band that were not given (at most 6)
 * source: the corners of the box of bands; exact since every model is monotone in each parameter
 */
enum wi_status wi_physics_eval(const struct wi_physics_model *m, const double *in, unsigned given,
                               struct wi_physics_result *res, struct wi_err *err);

#endif
