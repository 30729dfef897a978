/*
 * Texts as terms of the domain: folded, stemmed, stop words left out, synonyms and words of other
 * languages replaced by one canonical form (data/synonyms.csv).
 */
#ifndef WI_KNOWLEDGE_TERMS_H
#define WI_KNOWLEDGE_TERMS_H

#include "core/status.h"

/* Changes whenever the same text would give other terms. */
#define WI_TERMS_VERSION "terms/1"

struct wi_terms;

/*
 * The table: CSV with the columns term and canonical. A term of several words matches that
 * sequence; an empty canonical makes it a stop word.
 */
enum wi_status wi_terms_new(const char *csv, size_t len, const char *name, struct wi_terms **terms,
                            struct wi_err *err);
void wi_terms_free(struct wi_terms *terms);

/* The compiled table as bytes, borrowed; and the table from them, which takes them over (malloc),
 * also on failure: WI_EDATA for bytes that are not whole. */
const void *wi_terms_bytes(const struct wi_terms *terms, size_t *n);
enum wi_status wi_terms_load(void *bytes, size_t n, struct wi_terms **terms, struct wi_err *err);

/*
 * Called per term, in the order of the text.
 * in: words   the words of the text that it stands for, folded
 */
typedef enum wi_status (*wi_term_fn)(void *ctx, const char *term, const char *words,
                                     struct wi_err *err);

/*
 * in:   text   any bytes; what is not UTF-8 separates words
 * cost: linear in the text
 */
enum wi_status wi_terms_each(const struct wi_terms *terms, const char *text, wi_term_fn fn,
                             void *ctx, struct wi_err *err);

/* All terms of a text, joined by single spaces; heap. */
enum wi_status wi_terms_join(const struct wi_terms *terms, const char *text, char **out,
                             struct wi_err *err);

#endif
