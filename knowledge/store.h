/*
 * The store: one SQLite database that holds experiments, observations, sources, devices,
 * principles, vectors, model states and the log of replies. SQLite is the truth; everything else
 * (vector index, model state) is a cache of it.
 */
#ifndef WI_KNOWLEDGE_STORE_H
#define WI_KNOWLEDGE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/dataset.h"
#include "core/principle.h"
#include "core/reply_log.h"

struct wi_store;

struct wi_store_options {
    const char *path; /* NULL = in memory */
    bool read_only;   /* never write: no creation, no merge of newer embedded data */
    int busy_ms;      /* busy timeout; 0 = 10000 */
};

/*
 * Open the store; create it from the embedded data if it does not exist; merge newer embedded data
 * and migrate an older schema, without touching the user's own rows. The folder must exist.
 *
 * returns WI_OK; WI_EIO (permission, disk full, with the path), WI_EBUSY, WI_EDATA for a file that
 *         is no store of ours, is damaged, or was written by a newer schema
 * cost:   about 0.3 ms on an existing store, 100 ms at first use
 * threads: one store belongs to one thread at a time
 */
enum wi_status wi_store_open(const struct wi_store_options *opt, struct wi_store **store,
                             struct wi_err *err);
void wi_store_close(struct wi_store *store);

bool wi_store_is_memory(const struct wi_store *store);
const char *wi_store_path(const struct wi_store *store); /* "" in memory */

/*
 * A number that grows with every change of experiments, observations or principles, by whichever
 * process: the key of all caches.
 */
enum wi_status wi_store_revision(struct wi_store *store, int64_t *revision, struct wi_err *err);

/* Experiments and observations as the models see them; whole, or what a filter selects. */
struct wi_experiment_filter {
    const char *id;     /* NULL = any; exact */
    const char *source; /* exact */
    const char *device; /* exact */
    const char *vendor; /* exact */
    const enum wi_nand *nand;
    const enum wi_phase *phase;
    const bool *embedded;
};
enum wi_status wi_store_load_dataset(struct wi_store *store,
                                     const struct wi_experiment_filter *filter,
                                     struct wi_dataset *ds, struct wi_err *err);

/*
 * Add a user's experiments with their observations and where they come from: all or nothing.
 *
 * in:   ds           experiments with embedded = false; ids must be new or identical in content
 *       provenance   per experiment, ds->n_exps of them
 * out:  n_added      experiments that were not there before
 * returns WI_OK; WI_EDATA if an id exists with other content, or belongs to embedded data;
 *         WI_EIO / WI_EBUSY with nothing stored
 */
struct wi_provenance {
    char file[WI_TEXT_MAX]; /* name as given, not a path of this machine beyond that */
    char sha256[65];        /* of the file's bytes */
    char tool[64];          /* "fio-3.33" */
    char imported_at[32];   /* ISO 8601 UTC */
    char options[1024];     /* import options used, as JSON */
};
enum wi_status wi_store_add_experiments(struct wi_store *store, const struct wi_dataset *ds,
                                        const struct wi_provenance *provenance, size_t *n_added,
                                        struct wi_err *err);
enum wi_status wi_store_get_provenance(struct wi_store *store, const char *exp_id,
                                       struct wi_provenance *out, struct wi_err *err);
/* WI_ENOTFOUND unless a file of this hash was imported; exp_ids: space separated, caller frees. */
enum wi_status wi_store_find_import(struct wi_store *store, const char *sha256, char **exp_ids,
                                    struct wi_err *err);
/* WI_ENOTFOUND; WI_EUSAGE for embedded data, which are never removed. */
enum wi_status wi_store_remove_experiment(struct wi_store *store, const char *id,
                                          struct wi_err *err);

/*
 * Several calls as one transaction: begin takes the write lock, end commits when st is WI_OK, else
 * takes everything back, and returns st or the failure of the commit. Calls nest.
 */
enum wi_status wi_store_begin(struct wi_store *store, struct wi_err *err);
enum wi_status wi_store_end(struct wi_store *store, enum wi_status st, struct wi_err *err);

/*
 * Reads between the two see one state of the store, and take its lock once instead of each. The
 * first write in between ends it, so that it waits for other processes as ever.
 */
void wi_store_hold(struct wi_store *store);
void wi_store_let_go(struct wi_store *store);

/* Principles, embedded and the user's own; sorted by id. */
enum wi_status wi_store_load_principles(struct wi_store *store, struct wi_principle **list,
                                        size_t *n, struct wi_err *err);
enum wi_status wi_store_get_principle(struct wi_store *store, const char *id,
                                      struct wi_principle *out, struct wi_err *err);
enum wi_status wi_store_add_principle(struct wi_store *store, const struct wi_principle *p,
                                      struct wi_err *err); /* the user's own */
enum wi_status wi_store_remove_principle(struct wi_store *store, const char *id,
                                         struct wi_err *err);

/* Sources, devices (timing and endurance ranges), contradictions. */
enum wi_status wi_store_load_sources(struct wi_store *store, struct wi_source **list, size_t *n,
                                     struct wi_err *err);
enum wi_status wi_store_load_devices(struct wi_store *store, struct wi_device **list, size_t *n,
                                     struct wi_err *err);
enum wi_status wi_store_load_contradictions(struct wi_store *store, struct wi_contradiction **list,
                                            size_t *n, struct wi_err *err);

/*
 * Named blobs that can be made again: model states, fits. Keyed by name and revision of the data.
 * get: WI_ENOTFOUND if absent or made from another revision. put: errors may be ignored.
 */
enum wi_status wi_store_get_cache(struct wi_store *store, const char *name, int64_t revision,
                                  void **bytes, size_t *n_bytes, struct wi_err *err);
enum wi_status wi_store_put_cache(struct wi_store *store, const char *name, int64_t revision,
                                  const void *bytes, size_t n_bytes, struct wi_err *err);

/* The log of calls to language models. The table belongs to the store and lives as long. */
struct wi_reply_log *wi_store_reply_log(struct wi_store *store);

/* One call as `ssd-whatif log` shows it. */
struct wi_logged_reply {
    int64_t n; /* running number, never used again */
    char key[65];
    char logged_at[32]; /* ISO 8601 UTC */
    char *endpoint, *model;
    char *request;     /* NULL in a list */
    char *response;    /* NULL in a list; n_response bytes and a NUL */
    size_t n_response; /* bytes, also in a list */
    int http_status;
    int64_t prompt_tokens, completion_tokens; /* -1 = not reported */
    double wall_s;
};
void wi_logged_reply_release(struct wi_logged_reply *r);
void wi_logged_replies_free(struct wi_logged_reply *list, size_t n);

/* The newest `limit` calls, newest first; 0 = all. */
enum wi_status wi_store_list_replies(struct wi_store *store, size_t limit,
                                     struct wi_logged_reply **list, size_t *n, struct wi_err *err);
/* One call with its texts. WI_ENOTFOUND. */
enum wi_status wi_store_get_reply(struct wi_store *store, int64_t n, struct wi_logged_reply *out,
                                  struct wi_err *err);
/*
 * Forget all calls logged before a moment (ISO 8601 UTC, or the beginning of one: "2026-03";
 * NULL = all), and of the rest all but the newest `keep` (SIZE_MAX = all stay).
 * out: n_removed
 */
enum wi_status wi_store_prune_replies(struct wi_store *store, const char *before, size_t keep,
                                      size_t *n_removed, struct wi_err *err);

#endif
