/*
 * Stored items in words, and where those words and the scenario vectors are kept.
 */
#ifndef WI_KNOWLEDGE_DESCRIBE_H
#define WI_KNOWLEDGE_DESCRIBE_H

#include "knowledge/store.h"

/* The texts of one item: what a person sees, and what is searched. */
struct wi_item_text {
    char *title;   /* one line */
    char *summary; /* experiments: condition and figures; principles: the statement */
    char *body;    /* what it is about, in the words of a question: embedded and searched */
    char *notes;   /* the rest of its text: searched only */
};
void wi_item_text_release(struct wi_item_text *t);

enum wi_status wi_describe_experiment(const struct wi_experiment *exp,
                                      const struct wi_observation *obs, size_t n_obs,
                                      struct wi_item_text *out, struct wi_err *err);
enum wi_status wi_describe_principle(const struct wi_principle *p, struct wi_item_text *out,
                                     struct wi_err *err);

/* Index every item of the store that has no text or no scenario vector yet. */
enum wi_status wi_store_index_all(struct wi_store *store, struct wi_err *err);

/* Index one item; called with its row already there, inside the same transaction. */
enum wi_status wi_store_index_experiment(struct wi_store *store, int64_t n,
                                         const struct wi_experiment *exp,
                                         const struct wi_observation *obs, size_t n_obs,
                                         struct wi_err *err);
enum wi_status wi_store_index_principle(struct wi_store *store, int64_t n,
                                        const struct wi_principle *p, struct wi_err *err);

#endif
