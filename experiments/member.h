/*
 * A drive of an array or a tier: its latency before and after the exposure, with the prediction's
 * interval carried as two more distributions.
 */
#ifndef WI_EXPERIMENTS_MEMBER_H
#define WI_EXPERIMENTS_MEMBER_H

#include "core/latency.h"
#include "experiments/session.h"

/* Which curve of a member: as measured before, and the prediction with both ends of its interval.
 */
enum wi_curve { WI_CURVE_BEFORE, WI_CURVE_AFTER, WI_CURVE_LOW, WI_CURVE_HIGH };
#define WI_N_CURVES 4

struct wi_member {
    char name[WI_NAME_MAX];
    size_t count;                        /* identical drives */
    struct wi_latency read[WI_N_CURVES]; /* by enum wi_curve; LOW is the fast end of the interval */
    struct wi_latency write[WI_N_CURVES];
    double
        read_mbps[WI_N_CURVES]; /* NaN where the baseline has no bandwidth; LOW is the slow end */
    double write_mbps[WI_N_CURVES];
    enum wi_domain domain;   /* the worse of read and write */
    struct wi_texts reasons; /* of the domain, and the warnings of both predictions */
};
void wi_member_release(struct wi_member *m);

/*
 * Read a member and predict it.
 *
 * in:   json   {"name", "count", "scenario": as in predictions, "baseline": one of
 *               {"fio": FILE}, {"profile": "slc"|"mlc"|"tlc"|"qlc"},
 *               {"read": {"percentiles": {"50": us, ...}, "mbps"}, "write": {...}}}
 *       path   where it stands, for messages ("members[2]")
 * returns WI_OK; WI_EDATA or WI_ERANGE naming the JSON path; WI_EIO for a file
 *
 * A profile is an assumption, not a measurement: half of all reads take the page read time of that
 * NAND type, 1 % wait for a program on the same die, 0.1 % for an erase; half of all writes take
 * one program, 1 % two, 0.1 % an erase more (each the geometric middle of the range in
 * data/devices.csv). It has no bandwidth. Percentiles stay in order after the change.
 */
enum wi_status wi_member_read(struct wi_session *session, const struct cJSON *json,
                              const char *path, double confidence, struct wi_member *m,
                              struct wi_err *err);

#endif
