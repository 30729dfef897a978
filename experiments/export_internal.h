/*
 * What the export targets share: the predictions, the comment that says what was scaled, and the
 * scaling of numbers inside a base that otherwise stays as it is.
 */
#ifndef WI_EXPERIMENTS_EXPORT_INTERNAL_H
#define WI_EXPERIMENTS_EXPORT_INTERNAL_H

#include "experiments/baseline.h"
#include "experiments/export.h"
#include "prompts/buf.h"

/* One prediction of the export. */
struct export_side {
    bool asked;
    struct wi_prediction prediction;
    const struct wi_change *change; /* at the percentile asked for */
    double factor;                  /* 1 + the bound of that change / 100 */
};

struct export_job {
    const struct wi_export_target *target;
    const struct wi_export_options *opt;
    enum wi_export_bound bound;
    struct export_side side[3];   /* by enum wi_op */
    struct wi_baseline *baseline; /* fio, csv: the base once it was read; NULL = single numbers */
};

/* A change's figure at a bound, percent. */
double export_bound_pct(const struct wi_change *c, enum wi_export_bound bound);

/* Nanoseconds of a unit: "ps" "ns" "us" "ms" "s"; NaN for any other. */
double export_unit_ns(const char *unit);

/* ---- comments: export_comment.c ---------------------------------------------------------- */

enum export_style { EXPORT_HASH, EXPORT_XML, EXPORT_C };

/* A line of a comment; what could end the comment or the line is replaced. */
void export_comment_open(struct wi_buf *out, enum export_style style);
void export_comment(struct wi_buf *out, enum export_style style, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void export_comment_close(struct wi_buf *out, enum export_style style);

/* Head of a comment: what it is, the base, the scenario, and each prediction with its interval. */
void export_comment_head(struct wi_buf *out, enum export_style style, const struct export_job *job,
                         const char *what);

/* ---- numbers in a base: export_fields.c -------------------------------------------------- */

struct export_field {
    const char *name;
    enum wi_op op; /* whose prediction scales it */
};

/* Where a number stands in a base. */
struct export_site {
    size_t at, n;  /* bytes that a new number replaces */
    size_t field;  /* index into the form's fields */
    double value;  /* in the tool's unit */
    double scaled; /* filled in by export_fields_write */
};

struct export_sites {
    const struct export_job *job;
    const char *name; /* of the base, for messages */
    const char *text;
    size_t len;
    struct export_site *items;
    size_t n;
    size_t comment_at; /* where the comment goes */
};

#define EXPORT_EXACT_MAX 9007199254740992.0 /* 2^53: up to it doubles are whole numbers */

/* How a tool writes its page times. */
struct export_form {
    const struct export_field *fields;
    size_t n_fields;
    double max;       /* of a number, in the target's unit */
    bool parentheses; /* around a new number */
    enum export_style style;
    const char *source;     /* where the format is documented */
    const char *left_alone; /* what else the tool has, and why it stays */
    /* Find the numbers. WI_EDATA if the base is none of this tool's. */
    enum wi_status (*find)(struct export_sites *sites, struct wi_err *err);
    /* Write a base of single numbers, in the tool's unit. */
    void (*begin)(struct wi_buf *out);
    void (*number)(struct wi_buf *out, const char *name, double value);
    void (*end)(struct wi_buf *out); /* NULL = nothing */
};

/*
 * Read a number and add it to the list.
 * in:   at, n   its text, surrounding white space allowed; a whole number >= 0
 * returns WI_OK; WI_EDATA naming the line
 */
enum wi_status export_sites_add(struct export_sites *s, const struct export_form *form,
                                size_t field, size_t at, size_t n, struct wi_err *err);
enum wi_status export_sites_add_value(struct export_sites *s, size_t field, size_t at, size_t n,
                                      double value, struct wi_err *err);

/* Index of a field by name; form->n_fields if there is none. */
size_t export_field_find(const struct export_form *form, const char *name, size_t n);

/* Line of an offset, from 1. */
size_t export_line(const char *text, size_t at);

/*
 * A wi_export_target's write, by its form: scale the numbers of the base, put the comment in, read
 * the result back, and append it.
 * returns as wi_export_run
 */
enum wi_status export_fields_write(struct export_job *job, struct wi_buf *out, struct wi_err *err);

/* ---- latencies as a base: export_latency.c ------------------------------------------------ */

/* One latency before and after, microseconds; NaN where the base does not know the percentile. */
struct export_latency {
    const struct wi_change *change;
    double base_us, scaled_us, low_us, high_us;
};

/*
 * A wi_export_target's prepare: the base is what fio printed as JSON, or numbers named "read.p99".
 * Operations that it does not hold are taken back.
 */
enum wi_status export_latency_prepare(struct export_job *job, enum wi_op op, struct wi_scenario *s,
                                      bool *asked, struct wi_err *err);

/* The latencies of the predictions; afterwards export_latency knows them. */
enum wi_status export_latency_apply(struct export_job *job, struct wi_err *err);
struct export_latency export_latency(const struct export_job *job, enum wi_op op, size_t i);

/* ---- the targets ------------------------------------------------------------------------- */

extern const struct wi_export_target export_mqsim;
extern const struct wi_export_target export_simplessd;
extern const struct wi_export_target export_femu;
extern const struct wi_export_target export_nvmevirt;
extern const struct wi_export_target export_fio;
extern const struct wi_export_target export_ceph;
extern const struct wi_export_target export_csv;

#endif
