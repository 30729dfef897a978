/*
 * Internal to core/question*.c: regular expressions over a text, with a bound on their work.
 */
#ifndef WI_CORE_QUESTION_MATCH_H
#define WI_CORE_QUESTION_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

#define Q_GROUPS_MAX 10

struct q_span {
    size_t start, end; /* bytes; start == end == SIZE_MAX when the group took no part */
};

/* Called per match; group 0 is the whole. Anything but WI_OK ends the search and is returned. */
typedef enum wi_status (*q_hit_fn)(void *ctx, const struct q_span *groups, struct wi_err *err);

/*
 * Find all matches that do not overlap, from left to right.
 *
 * in:   pattern   PCRE2 syntax, text in UTF-8; a malformed one is a mistake of ours (assert)
 *       text      valid UTF-8
 *       cut       set to true if the search gave up at its limit; otherwise untouched
 * cost: bounded by a match limit proportional to len, whatever the text holds
 */
enum wi_status q_match_each(const char *pattern, const char *text, size_t len, q_hit_fn hit,
                            void *ctx, bool *cut, struct wi_err *err);

#endif
