/*
 * Inside of retrieval: the two indexes and the built-in embedder of one store.
 */
#ifndef WI_KNOWLEDGE_KNOWLEDGE_H
#define WI_KNOWLEDGE_KNOWLEDGE_H

#include "knowledge/lsa.h"
#include "knowledge/scenario_vector.h"
#include "knowledge/search.h"
#include "knowledge/vecindex.h"

/* Components of a text vector of the built-in embedder. */
#define WI_LSA_DIM 128

struct wi_knowledge {
    struct wi_store *store;
    struct wi_embedder *embedder; /* borrowed, or &own */
    struct wi_embedder own;
    char own_name[64];
    struct wi_lsa *lsa; /* made at first use */
    const struct wi_terms *terms;
    struct wi_vecindex *scenarios, *texts;
    /* The question of the last search: evidence and principles are asked for one after the other.
     */
    char *last_text;
    float *last_vec;
    wi_note_fn note;
    void *note_ctx;
};

/* The embedder's vectors, checked to be finite. out: vec (n, embedder->dim). */
enum wi_status wi_knowledge_embed(struct wi_knowledge *k, size_t n, const char *const *texts,
                                  float *vec, struct wi_err *err);

#endif
