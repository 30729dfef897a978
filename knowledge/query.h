/*
 * A question as the text rankings need it.
 */
#ifndef WI_KNOWLEDGE_QUERY_H
#define WI_KNOWLEDGE_QUERY_H

#include "core/scenario.h"
#include "knowledge/terms.h"

#define WI_QUERY_TERMS_MAX 64

struct wi_query {
    char *text;   /* what is embedded */
    char *match;  /* FTS5 expression: every term in quotes, joined by OR; "" = no word at all */
    char **terms; /* distinct, in order */
    char **words; /* of the question that each stands for */
    size_t n;
};

/*
 * in:   text      the question; NULL = the scenario in words
 *       scenario  NULL = none
 */
enum wi_status wi_query_make(const struct wi_terms *terms, const char *text,
                             const struct wi_scenario *scenario, struct wi_query *out,
                             struct wi_err *err);
void wi_query_release(struct wi_query *q);

#endif
