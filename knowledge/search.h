/*
 * Retrieval: what the store holds that bears on a question. Fuses neighbours among scenario
 * vectors, neighbours among text vectors, and FTS5 BM25 by reciprocal rank fusion.
 */
#ifndef WI_KNOWLEDGE_SEARCH_H
#define WI_KNOWLEDGE_SEARCH_H

#include "core/embedder.h"
#include "core/prediction.h"
#include "knowledge/store.h"

struct wi_knowledge; /* the vector indexes over one store */

/*
 * The indexes of a store, each opened when a search first needs it: from its cache file beside the
 * database where that matches the store's revision, else built from the vectors in SQLite and
 * saved. A store that this process has created gets all its files at once.
 *
 * in:   embedder   NULL = the built-in one; borrowed, must outlive the object
 *       note       called with one line when an index has to be rebuilt; NULL = silent
 * returns WI_OK; a cache file that cannot be read or written is no error
 * threads: one object belongs to one thread at a time
 */
typedef void (*wi_note_fn)(void *ctx, const char *line);
enum wi_status wi_knowledge_open(struct wi_store *store, struct wi_embedder *embedder,
                                 wi_note_fn note, void *note_ctx, struct wi_knowledge **k,
                                 struct wi_err *err);
void wi_knowledge_close(struct wi_knowledge *k);

/*
 * Text vectors of every embedder that was ever used stay in the store, side by side.
 *
 * kept_dim: components of those of one embedder, so that another model under its name is noticed
 * out:  dim   0 = none are kept
 *
 * forget: the vectors of one embedder go, and are made anew when it is used next; everything else
 * stays.
 */
enum wi_status wi_knowledge_kept_dim(struct wi_store *store, const char *embedder, size_t *dim,
                                     struct wi_err *err);
enum wi_status wi_knowledge_forget(struct wi_store *store, const char *embedder,
                                   struct wi_err *err);

enum wi_search_method { /* bits */
                        WI_SEARCH_SCENARIO = 1,
                        WI_SEARCH_TEXT = 2,
                        WI_SEARCH_BM25 = 4,
                        WI_SEARCH_FUSED = 7
};

struct wi_search_query {
    /* Question in words. NULL = those of the scenario; of experiments only its neighbours are then
     * compared by text. */
    const char *text;
    const struct wi_scenario *scenario; /* completed; NULL = no scenario neighbours */
    unsigned methods;                   /* WI_SEARCH_* bits; 0 = fused */
    size_t top_k;                       /* 1..WI_TOP_K_MAX, hits of each kind asked for */
    bool experiments, principles;       /* kinds wanted; both false = both */
};

/*
 * Both sides of a known contradiction come back together: a hit that stands in a contradiction
 * brings its other side in, marked so in `why`.
 *
 * out:  items   best first, heap; free with wi_items_free
 * returns WI_OK, also with no hit at all
 */
enum wi_status wi_knowledge_search(struct wi_knowledge *k, const struct wi_search_query *q,
                                   struct wi_item **items, size_t *n, struct wi_err *err);
void wi_items_free(struct wi_item *items, size_t n);

/* Items by id, for evidence that the model weighted and retrieval did not find. */
enum wi_status wi_knowledge_get(struct wi_knowledge *k, const char *id, struct wi_item *out,
                                struct wi_err *err);

#endif
