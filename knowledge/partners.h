/*
 * The other sides of an item: what the stored knowledge says does not agree with it.
 */
#ifndef WI_KNOWLEDGE_PARTNERS_H
#define WI_KNOWLEDGE_PARTNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/limits.h"
#include "core/status.h"

struct wi_store;

/* One item on the other side, and by what the two are tied. */
struct wi_partner {
    int64_t item;
    char via[WI_ID_MAX]; /* "contradiction-05"; for a direct link the id of the first item */
    bool direct;         /* the two name each other; else both stand in the same contradiction */
    bool same_side;      /* experiments of one exposure, phase and cell type: no other side */
};

struct wi_partners {
    struct wi_partner *p;
    size_t n;
};
void wi_partners_release(struct wi_partners *p);

/* out: partners   direct links first, then the members of its contradictions, in stored order */
enum wi_status wi_store_load_partners(struct wi_store *store, int64_t item, struct wi_partners *out,
                                      struct wi_err *err);

#endif
