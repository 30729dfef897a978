/*
 * Rows that a covariance cannot tell apart: they differ in what was measured, not in where. A drive
 * measured a thousand times at one step is one place.
 */
#ifndef WI_CORE_PLACES_H
#define WI_CORE_PLACES_H

#include "core/kernel.h"

struct wi_places {
    size_t n;
    struct wi_row *rows; /* (n,) the first row of each, in the order of the rows */
    size_t *of;          /* (rows,) place of each row */
    size_t *from;        /* (n + 1,) its rows are at[from[p]] .. at[from[p + 1] - 1] */
    size_t *at;          /* (rows,) rows by place, rising within one */
};

/*
 * out:  places  zeroed before; release with wi_places_release
 * cost: O(n log n)
 */
enum wi_status wi_places_init(struct wi_places *places, const struct wi_row *rows, size_t n,
                              struct wi_err *err);
void wi_places_release(struct wi_places *places);

#endif
