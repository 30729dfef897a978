/*
 * What an exposure does to an array: a study file in, percentiles and bandwidth of the array before
 * and after out, with the uncertainty of the members carried through.
 */
#ifndef WI_EXPERIMENTS_RAID_STUDY_H
#define WI_EXPERIMENTS_RAID_STUDY_H

#include "core/raid.h"
#include "experiments/member.h"

struct wi_raid_row {
    double percentile;
    struct wi_raid_quantile value[WI_N_CURVES]; /* by enum wi_curve */
};

struct wi_raid_study {
    struct wi_raid raid; /* types point into `types` of the curve in use; see the functions */
    struct wi_member *members;
    size_t n_members; /* entries, not drives */
    double stripe_unit_kib, request_kib, read_frac, confidence;
    size_t n_units;
    struct wi_raid_ios write_ios; /* of one write of the request's size, healthy array */
    double percentiles[WI_PERCENTILES_MAX];
    size_t n_percentiles;
    /* results: reads, writes, the mix of both; a row per percentile */
    struct wi_raid_row rows[3][WI_PERCENTILES_MAX];
    bool has[3];
    double read_mbps[WI_N_CURVES], write_mbps[WI_N_CURVES]; /* NaN without baseline bandwidth */
};
void wi_raid_study_release(struct wi_raid_study *study);

/*
 * Read a study of schema ssd-whatif/raid/1 and compute it.
 *
 * The interval of an array percentile takes all members at the same end of theirs: what the model
 * does not know of one drive it does not know of the next either, and an array percentile never
 * falls when a member's rises, so these are the bounds of the interval under full dependence.
 *
 * returns WI_OK; WI_EDATA or WI_ERANGE naming the JSON path
 * source: see core/raid.h
 */
enum wi_status wi_raid_study_run(struct wi_session *session, const char *text, size_t len,
                                 const char *name, struct wi_raid_study *study, struct wi_err *err);

/* The result as JSON of schema ssd-whatif/raid-result/1. */
enum wi_status wi_raid_study_to_json(const struct wi_raid_study *study, struct cJSON **json,
                                     struct wi_err *err);

#endif
