/*
 * A vector index: FAISS IDMap2 over Flat inner product. Exact, and small enough at our sizes; its
 * file is a cache of the vectors in the store.
 *
 * FAISS 1.7.3 checks neither dimension nor finiteness; everything is checked here before a call.
 */
#ifndef WI_KNOWLEDGE_VECINDEX_H
#define WI_KNOWLEDGE_VECINDEX_H

#include <stdint.h>

#include "core/status.h"

struct wi_vecindex;

#define WI_VECINDEX_DIM_MAX 16384

/* returns WI_OK; WI_ERANGE unless 1 <= dim <= WI_VECINDEX_DIM_MAX; WI_ENOMEM */
enum wi_status wi_vecindex_new(size_t dim, struct wi_vecindex **index, struct wi_err *err);
void wi_vecindex_free(struct wi_vecindex *index);
size_t wi_vecindex_size(const struct wi_vecindex *index);

/*
 * in:   ids  (n,) distinct, >= 0
 *       vec  (n, dim) row-major, finite
 *       dim  of vec
 * returns WI_OK; WI_ERANGE for another dimension or a non-finite component (row and column named),
 *         nothing added then
 */
enum wi_status wi_vecindex_add(struct wi_vecindex *index, size_t n, const int64_t *ids,
                               const float *vec, size_t dim, struct wi_err *err);

/*
 * The k entries with the largest inner product, largest first; ties by smaller id.
 *
 * out:  ids, scores  (k,)
 *       n            entries found, <= k
 * returns as wi_vecindex_add
 * threads: safe concurrently on one index
 */
enum wi_status wi_vecindex_search(const struct wi_vecindex *index, const float *query, size_t dim,
                                  size_t k, int64_t *ids, float *scores, size_t *n,
                                  struct wi_err *err);

/* What an index was made from; all of it must match for a file to be used. */
struct wi_vecindex_label {
    const char *name; /* of embedder and store, without newline */
    size_t dim;
    int64_t revision; /* of the store */
};

/* Write to a temporary name beside `path`, fsync, rename. */
enum wi_status wi_vecindex_save(const struct wi_vecindex *index, const char *path,
                                const struct wi_vecindex_label *label, struct wi_err *err);

/*
 * returns WI_OK; WI_ENOTFOUND if there is no such file; WI_EDATA if it was made from something
 *         else, or is damaged: the message says which ("is stale: ...", "is damaged: ...")
 */
enum wi_status wi_vecindex_load(const char *path, const struct wi_vecindex_label *label,
                                struct wi_vecindex **index, struct wi_err *err);

#endif
