/*
 * Measurements in: files of measuring tools become experiments of the store.
 *
 *   file -> parser (pure) -> dataset -> store, one transaction per file
 *
 * A kind is one row of the table in import.c; its parser knows no store and is fuzzed alone.
 */
#ifndef WI_EXPERIMENTS_IMPORT_H
#define WI_EXPERIMENTS_IMPORT_H

#include <signal.h>

#include "core/prediction.h"
#include "core/sha256.h"
#include "knowledge/search.h"
#include "knowledge/store.h"

#define WI_OWN_SOURCE "OWN"      /* source id of imported experiments */
#define WI_IMPORT_CONFIDENCE 0.9 /* of every interval computed at import */
#define WI_IMPORT_BASELINES_MAX 256

struct wi_series_options; /* experiments/exposure_series.h */

struct wi_import_options {
    const struct wi_scenario *scenario; /* completed: drive, exposure, phase */
    const char *const *baselines;       /* fio runs of the same drive in the before condition */
    size_t n_baselines;
    const char *smart; /* smartctl or nvme snapshot that goes with a fio run; NULL */
    const struct wi_series_options *series; /* smartctl, nvme, sensors; NULL = defaults */
    const char *out;                   /* smartctl, nvme, sensors: exposure file; NULL = none */
    const volatile sig_atomic_t *stop; /* set from a signal handler; NULL = never */
    wi_note_fn note;                   /* one line per warning; NULL = silent */
    wi_note_fn progress;               /* one line, now and then; NULL = silent */
    void *note_ctx;
};

enum wi_import_outcome { WI_IMPORT_ADDED, WI_IMPORT_KNOWN, WI_IMPORT_READ };

/* What became of one file. */
struct wi_import_file {
    char *file;
    enum wi_import_outcome
        outcome;   /* KNOWN: its bytes were imported before; READ: nothing stored */
    char *ids;     /* experiments, space separated; "" = none */
    char *summary; /* smartctl, nvme: the drive's state in a line; NULL */
    size_t n_observations;
};

struct wi_import_report {
    struct wi_import_file *files;
    size_t n_files;
    size_t n_added; /* experiments that were not there before */
    char *document; /* sensors, and smartctl and nvme with opt->out: the exposure file's text */
};
void wi_import_report_release(struct wi_import_report *report);

struct wi_import_kind {
    const char *name;    /* "fio" */
    const char *summary; /* one line for the help */
    enum wi_status (*run)(struct wi_store *store, const char *const *files, size_t n,
                          const struct wi_import_options *opt, struct wi_import_report *report,
                          struct wi_err *err);
};
extern const struct wi_import_kind wi_import_kinds[];
extern const size_t wi_n_import_kinds;
const struct wi_import_kind *wi_import_kind_find(const char *name); /* NULL if there is none */

/*
 * Import files of one kind, in order. Stops at the first that is refused; what was complete before
 * it stays, and the report says so.
 *
 * out:  report   zeroed before; release with wi_import_report_release, also after an error
 * returns WI_OK, also where every file was known; WI_EDATA naming file and line or JSON path;
 *         WI_EIO; WI_ECANCEL when opt->stop was set: whole files or nothing
 */
enum wi_status wi_import_files(struct wi_store *store, const char *kind, const char *const *files,
                               size_t n, const struct wi_import_options *opt,
                               struct wi_import_report *report, struct wi_err *err);

/* ---- for the kinds ---------------------------------------------------------------------- */

/* A file's name in messages and provenance, its digest, and the tool that wrote it. */
struct wi_import_origin {
    const char *file;
    char sha256[WI_SHA256_HEX];
    const char *tool;
    const char *extra; /* further members of the provenance's options, JSON text, or NULL */
};

/*
 * Was this file imported before? Then it is reported as known.
 * out:  known
 */
enum wi_status wi_import_check_known(struct wi_store *store, const char *file, const char *sha256,
                                     struct wi_import_report *report, bool *known,
                                     struct wi_err *err);

/* Experiments under vibration and climate at once, which are stored and shown but change no
 * prediction. */
struct wi_import_combined {
    size_t n;
    char first[WI_ID_MAX];
};
void wi_import_count_combined(struct wi_import_combined *c, const struct wi_dataset *ds);
void wi_import_note_combined(const struct wi_import_combined *c,
                             const struct wi_import_options *opt);

/* Store a dataset that comes from one file, all or nothing, and report it. */
enum wi_status wi_import_store(struct wi_store *store, const struct wi_dataset *ds,
                               const struct wi_import_origin *origin,
                               const struct wi_import_options *opt, struct wi_import_report *report,
                               struct wi_err *err);

enum wi_status wi_import_report_add(struct wi_import_report *report, const char *file,
                                    enum wi_import_outcome outcome, const char *ids,
                                    size_t n_observations, struct wi_err *err);

/* Pass warnings on; then they are empty. */
void wi_import_notes(const struct wi_import_options *opt, struct wi_texts *warnings);

bool wi_import_stopped(const struct wi_import_options *opt);

/* Now, in UTC, for a provenance: "2026-03-01T12:00:00Z". */
void wi_import_now(char *buf, size_t size);

/* An experiment that holds the scenario's drive and exposure, all else empty. */
void wi_import_experiment(const struct wi_scenario *s, const char *id, struct wi_experiment *e);

/* An observation of experiment 0 with every number NaN; exp_id NULL leaves its id empty. */
void wi_import_observation(const char *exp_id, enum wi_op op, enum wi_metric metric,
                           double percentile, struct wi_observation *o);

/* Append; grows by doubling. */
enum wi_status wi_dataset_add_experiment(struct wi_dataset *ds, const struct wi_experiment *e,
                                         struct wi_err *err);
enum wi_status wi_dataset_add_observation(struct wi_dataset *ds, const struct wi_observation *o,
                                          struct wi_err *err);

/* The kinds' entry points, one file each. */
enum wi_status wi_import_fio(struct wi_store *store, const char *const *files, size_t n,
                             const struct wi_import_options *opt, struct wi_import_report *report,
                             struct wi_err *err);
enum wi_status wi_import_smartctl(struct wi_store *store, const char *const *files, size_t n,
                                  const struct wi_import_options *opt,
                                  struct wi_import_report *report, struct wi_err *err);
enum wi_status wi_import_nvme(struct wi_store *store, const char *const *files, size_t n,
                              const struct wi_import_options *opt, struct wi_import_report *report,
                              struct wi_err *err);
enum wi_status wi_import_csv(struct wi_store *store, const char *const *files, size_t n,
                             const struct wi_import_options *opt, struct wi_import_report *report,
                             struct wi_err *err);
enum wi_status wi_import_sensors(struct wi_store *store, const char *const *files, size_t n,
                                 const struct wi_import_options *opt,
                                 struct wi_import_report *report, struct wi_err *err);

#endif
