/*
 * What `import fio` is made of: a run (import_fio.c) and its directions (fio_direction.c), sets of
 * runs (fio_runs.c), a figure over them with its sampling error (fio_figures.c), and experiments
 * from figures (import_fio_store.c).
 */
#ifndef WI_EXPERIMENTS_IMPORT_FIO_INTERNAL_H
#define WI_EXPERIMENTS_IMPORT_FIO_INTERNAL_H

#include "experiments/import.h"
#include "experiments/import_fio.h"

struct cJSON;

/* ---- one run ---------------------------------------------------------------------------- */

struct wi_fio_place {
    const char *name; /* file */
    char path[160];   /* jobs[0].read */
    struct wi_texts *warnings;
};

/* One direction of a job; measured only where it moved bytes. */
enum wi_status wi_fio_direction_read(const struct cJSON *dir, const struct wi_fio_place *at,
                                     struct wi_fio_op *op, struct wi_err *err);

/* The object of percentiles in one of latencies, whatever the version calls it. */
const struct cJSON *wi_fio_percentiles_of(const struct cJSON *lat);

double wi_fio_number(const struct cJSON *obj, const char *key, double fallback);

/* ---- sets of runs ----------------------------------------------------------------------- */

struct wi_fio_file {
    const char *file;
    char sha256[WI_SHA256_HEX];
    struct wi_fio_run run;
};

struct wi_fio_runs {
    struct wi_fio_file *items;
    size_t n;
};

/* Load files in order; each run's warnings are passed on. Release also after an error. */
enum wi_status wi_fio_runs_load(const char *const *files, size_t n,
                                const struct wi_import_options *opt, struct wi_fio_runs *runs,
                                struct wi_err *err);
void wi_fio_runs_release(struct wi_fio_runs *runs);

/* One digest for a set of runs, whatever their order. */
enum wi_status wi_fio_runs_digest(const struct wi_fio_runs *runs, char sha256[WI_SHA256_HEX],
                                  struct wi_err *err);

/*
 * May these runs be compared? WI_EDATA where latencies are of two kinds (clat leaves out the
 * submission: a change between it and lat is no change of the drive), or where a run is its own
 * baseline, since that says nothing, or where the workloads differ: the change is then not that of
 * the environment. What old versions do not print cannot be compared, which is a warning, as is
 * a run that was not repeated.
 */
enum wi_status wi_fio_runs_check_kinds(const struct wi_fio_runs *exposed,
                                       const struct wi_fio_runs *baseline, struct wi_err *err);
enum wi_status wi_fio_runs_check_pair(const struct wi_fio_runs *exposed,
                                      const struct wi_fio_runs *baseline, struct wi_texts *warnings,
                                      struct wi_err *err);

/* WI_EDATA where a repetition is stored on its own already: it would count twice. */
enum wi_status wi_fio_runs_check_new(struct wi_store *store, const struct wi_fio_runs *exposed,
                                     struct wi_err *err);

const char *wi_fio_latency_name(enum wi_fio_kind kind); /* "lat" or "clat" */
bool wi_fio_same_job(const struct wi_fio_job *a, const struct wi_fio_job *b);

/* One figure as the logarithm of its value, with half widths of its interval. */
struct wi_fio_figure {
    double log_value, down, up; /* half widths: of the sample, or of the repetitions' scatter */
    double between;             /* assumed half width between runs; 0 where they were repeated */
    double n_samples;
};

/* What is asked of every run: a percentile of an operation, or its bandwidth (percentile NaN). */
struct wi_fio_question {
    const struct wi_fio_job *job;
    bool any_name; /* each run holds one job only: names need not agree */
    enum wi_op op;
    double percentile;
};

/*
 * out:  known   every run holds it, with enough samples; else out is not set
 *       out     pooled over the runs, which are repetitions
 */
enum wi_status wi_fio_figure_pool(const struct wi_fio_runs *runs, const struct wi_fio_question *q,
                                  bool *known, struct wi_fio_figure *out, struct wi_err *err);

/* As an observation: the value as it is, or its change against a baseline's. */
void wi_fio_figure_to_absolute(const struct wi_fio_figure *f, struct wi_observation *o);
void wi_fio_figure_to_change(const struct wi_fio_figure *exposed, const struct wi_fio_figure *base,
                             struct wi_observation *o);

#endif
