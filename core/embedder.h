/*
 * What turns texts into vectors. The built-in one is in knowledge/, the one that asks an endpoint
 * in prompts/; neither knows the other.
 */
#ifndef WI_CORE_EMBEDDER_H
#define WI_CORE_EMBEDDER_H

#include "core/status.h"

struct wi_embedder {
    const char *name; /* recorded beside every vector, e.g. "lsa/1" or "openai:MODEL" */
    size_t dim;       /* components of one vector; 0 = known only after the first call */
    void *ctx;
    /*
     * in:   texts  n UTF-8 texts
     * out:  vec    (n, dim) row-major, unit length; a text without a known word is all zeros
     */
    enum wi_status (*embed)(struct wi_embedder *e, size_t n, const char *const *texts, float *vec,
                            struct wi_err *err);
    void (*free)(struct wi_embedder *e);
};

#endif
