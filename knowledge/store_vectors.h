/*
 * What retrieval reads and writes in the store: vectors, texts, words. An item is one number for
 * both kinds: 2 n for experiment n, 2 n + 1 for principle n.
 */
#ifndef WI_KNOWLEDGE_STORE_VECTORS_H
#define WI_KNOWLEDGE_STORE_VECTORS_H

#include "core/prediction.h"
#include "knowledge/store.h"

static inline enum wi_item_kind wi_item_kind_of(int64_t item)
{
    return item & 1 ? WI_ITEM_PRINCIPLE : WI_ITEM_EXPERIMENT;
}

struct wi_vectors {
    int64_t *items;
    float *vec; /* (n, dim) */
    size_t n, dim;
};
void wi_vectors_release(struct wi_vectors *v);

/* All scenario vectors, or all text vectors of one embedder and kind of item; those of another size
 * are left out. */
enum wi_status wi_store_load_scenario_vectors(struct wi_store *store, size_t dim,
                                              struct wi_vectors *v, struct wi_err *err);
enum wi_status wi_store_load_text_vectors(struct wi_store *store, const char *embedder, size_t dim,
                                          enum wi_item_kind kind, struct wi_vectors *v,
                                          struct wi_err *err);
/*
 * The text vectors of some items.
 * out:  vec      (n, dim), zeros where the store has none
 *       missing  (n,) positions of those, rising, n_missing of them
 */
enum wi_status wi_store_load_vectors_of(struct wi_store *store, const char *embedder, size_t dim,
                                        size_t n, const int64_t *items, float *vec, size_t *missing,
                                        size_t *n_missing, struct wi_err *err);
enum wi_status wi_store_put_text_vectors(struct wi_store *store, const char *embedder,
                                         const struct wi_vectors *v, struct wi_err *err);

/* Bytes of a vector of this embedder; 0 = none is stored. */
enum wi_status wi_store_text_vector_bytes(struct wi_store *store, const char *embedder,
                                          int64_t *n_bytes, struct wi_err *err);
enum wi_status wi_store_drop_text_vectors(struct wi_store *store, const char *embedder,
                                          struct wi_err *err);

/* Items with their searched texts. */
struct wi_texts_of_items {
    int64_t *items;
    char **texts;
    size_t n;
};
void wi_texts_of_items_release(struct wi_texts_of_items *t);

/* Items of a kind that have no vector of this embedder. */
enum wi_status wi_store_load_missing_texts(struct wi_store *store, const char *embedder, size_t dim,
                                           enum wi_item_kind kind, struct wi_texts_of_items *t,
                                           struct wi_err *err);
/* Those of items[at[0..n-1]] that are stored, in that order. */
enum wi_status wi_store_load_texts_of(struct wi_store *store, size_t n, const size_t *at,
                                      const int64_t *items, struct wi_texts_of_items *t,
                                      struct wi_err *err);
/* The corpus of the built-in embedder: embedded items, in an order that does not depend on history.
 */
enum wi_status wi_store_load_corpus(struct wi_store *store, struct wi_texts_of_items *t,
                                    struct wi_err *err);

/*
 * FTS5's BM25 over title, text and terms of the items of one kind.
 * in:   match   FTS5 expression, every term quoted
 * out:  items   (limit,) best first, n of them
 */
enum wi_status wi_store_bm25(struct wi_store *store, const char *match, enum wi_item_kind kind,
                             size_t limit, int64_t *items, size_t *n, struct wi_err *err);

/* Number of an item by its id; experiments first. WI_ENOTFOUND. */
enum wi_status wi_store_find_item(struct wi_store *store, const char *id, int64_t *item,
                                  struct wi_err *err);
enum wi_status wi_store_item_id(struct wi_store *store, int64_t item, char id[WI_ID_MAX],
                                struct wi_err *err);
/* The item without score and why. */
enum wi_status wi_store_load_item(struct wi_store *store, int64_t item, struct wi_item *out,
                                  struct wi_err *err);
/* The terms of an item, joined by spaces; heap. */
enum wi_status wi_store_load_terms(struct wi_store *store, int64_t item, char **terms,
                                   struct wi_err *err);

/* Identity of the store and of its embedded data, for the labels of caches. */
enum wi_status wi_store_identity(struct wi_store *store, char *store_id, size_t n_store_id,
                                 char *data_sha, size_t n_data_sha, struct wi_err *err);
bool wi_store_was_created(const struct wi_store *store);

#endif
