/*
 * Which member operations a request needs, for every placement of it on the array. Internal to
 * core/raid.c.
 */
#ifndef WI_CORE_RAID_PLAN_H
#define WI_CORE_RAID_PLAN_H

#include "core/raid.h"

/* Member operations that run side by side, counted by kind of member. */
struct raid_phase {
    uint8_t n_reads[WI_RAID_TYPES_MAX];
    uint8_t n_writes[WI_RAID_TYPES_MAX];
};

enum raid_plan_kind {
    RAID_ONE_PHASE,
    RAID_TWO_PHASES, /* `second` starts when `first` is done */
    RAID_HEDGED      /* `second` starts hedge_us after `first`; the earlier one answers */
};

struct raid_plan {
    enum raid_plan_kind kind;
    struct raid_phase first, second;
    double weight; /* share of the requests and placements, all sum to 1 */
};

/*
 * The distinct plans of a mix of requests, equal placements merged.
 * out:  plans   heap, free with free()
 */
enum wi_status raid_plan_make(const struct wi_raid *r, const struct wi_raid_request *requests,
                              size_t n_requests, struct raid_plan **plans, size_t *n_plans,
                              struct wi_err *err);

#endif
