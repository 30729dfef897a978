/*
 * Inside of retrieval: the indexes and the built-in embedder of one store.
 */
#ifndef WI_KNOWLEDGE_KNOWLEDGE_H
#define WI_KNOWLEDGE_KNOWLEDGE_H

#include "knowledge/lsa.h"
#include "knowledge/scenario_vector.h"
#include "knowledge/search.h"
#include "knowledge/vecindex.h"

/* Components of a text vector of the built-in embedder. */
#define WI_LSA_DIM 128

/* One file each, beside the database. The texts of principles are few and asked for by every
 * question; those of experiments grow with what is imported. */
enum wi_index { WI_INDEX_SCENARIO, WI_INDEX_TEXT, WI_INDEX_PRINCIPLE, WI_N_INDEXES };

struct wi_knowledge {
    struct wi_store *store;
    struct wi_embedder *embedder; /* borrowed, or &own */
    struct wi_embedder own;
    char own_name[64];
    struct wi_lsa *lsa; /* made at first use */
    const struct wi_terms *terms;
    char store_id[64];
    struct wi_vecindex *index[WI_N_INDEXES]; /* opened at first use */
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

/* An index, opened or made at first use; the object keeps it. */
enum wi_status wi_knowledge_index(struct wi_knowledge *k, enum wi_index which,
                                  const struct wi_vecindex **index, struct wi_err *err);

/*
 * The text vectors of a few items, from the store; those that it lacks are made and kept there. No
 * index is opened for them.
 * out:  vec   (n, embedder->dim); zeros for an item that has gone
 */
enum wi_status wi_knowledge_text_vectors(struct wi_knowledge *k, size_t n, const int64_t *items,
                                         float *vec, struct wi_err *err);

#endif
