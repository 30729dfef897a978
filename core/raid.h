/*
 * Latency percentiles and bandwidth of an array, from those of its members.
 *
 * A request is one or two phases in a row; a phase ends when the slowest of its member operations
 * does. Percentiles follow from the distribution of that maximum, and of the sum of two of them.
 * Members depend on each other through one common factor (Gaussian copula with correlation rho):
 * given the factor they are independent, and the factor is integrated over.
 *
 * source: Patterson, Gibson & Katz, SIGMOD 1988 (levels, small writes); Chen, Lee, Gibson, Katz &
 *         Patterson, ACM Computing Surveys 26(2), 1994 (read-modify-write, reconstruct-write,
 *         degraded reads); David & Nagaraja, Order Statistics, 2003, eq. 2.1.1 (F^n for a maximum);
 *         Vasicek, Risk, December 2002 (one-factor Gaussian copula); Dean & Barroso, CACM 56(2),
 *         2013 (share of slow requests in a fan-out, hedged requests)
 */
#ifndef WI_CORE_RAID_H
#define WI_CORE_RAID_H

#include "core/latency.h"
#include "core/scenario.h"

#define WI_RAID_MEMBERS_MAX 64
#define WI_RAID_TYPES_MAX 16 /* different kinds of member in one array */

enum wi_raid_level { WI_RAID_0, WI_RAID_1, WI_RAID_5, WI_RAID_6, WI_RAID_10 };
enum wi_raid_state {
    WI_RAID_NORMAL,
    WI_RAID_DEGRADED,  /* members are missing */
    WI_RAID_REBUILDING /* and the survivors also carry the rebuild */
};

/* One kind of member. */
struct wi_raid_type {
    struct wi_latency read, write;
    double read_mbps, write_mbps; /* NaN = unknown, the array's bandwidth then is NaN too */
};

struct wi_raid {
    enum wi_raid_level level;
    enum wi_raid_state state;
    size_t n_members;
    uint8_t type[WI_RAID_MEMBERS_MAX]; /* kind of each member, in the order of the slots */
    bool failed[WI_RAID_MEMBERS_MAX];  /* empty in state normal */
    const struct wi_raid_type *types;  /* (n_types,) */
    size_t n_types;
    double rho;          /* correlation between members, 0 <= rho < 1 */
    double rebuild_frac; /* share of a survivor's time that the rebuild takes, 0 <= x < 1 */
    double hedge_us;     /* reads of one unit: wait, then read the redundancy too; NaN = never */
};

/*
 * Check an array for consistency.
 * returns WI_OK; WI_EDATA naming the field: too few members for the level, more failures than the
 *         level survives, failures in state normal or none in the others, rho or rebuild_frac
 *         outside [0, 1), an odd RAID-10
 */
enum wi_status wi_raid_check(const struct wi_raid *r, struct wi_err *err);

/* Data units of one full stripe: n, 1, n-1, n-2, n/2 for levels 0, 1, 5, 6, 10. */
size_t wi_raid_data_units(const struct wi_raid *r);

/* Member operations of a write of n_units data units to a healthy array, for the record. */
struct wi_raid_ios {
    size_t n_reads, n_writes;
};
struct wi_raid_ios wi_raid_write_ios(const struct wi_raid *r, size_t n_units);

struct wi_raid_quantile {
    double lat_us;
    bool extrapolated; /* some member's distribution was used outside its known percentiles */
};

/* One class of requests. */
struct wi_raid_request {
    enum wi_op op;  /* WI_OP_READ or WI_OP_WRITE */
    size_t n_units; /* stripe units, 1..wi_raid_data_units; it starts at any unit such that it stays
                     * within one stripe, all placements equally likely */
    double share;   /* of all requests, > 0; the shares sum to 1 */
};

/*
 * Percentiles of the latency of a mix of requests.
 *
 * in:   r            checked array
 *       requests     (n_requests,) classes, n_requests >= 1
 *       percentiles  (n,) percent, 0 < p < 100
 * out:  out          (n,)
 * returns WI_OK; WI_ENOMEM; WI_EDATA for n_units out of range or a hedge on more than one unit
 * cost:   about 1 ms for reads, 10-100 ms for read-modify-writes with rho > 0
 */
enum wi_status wi_raid_latency(const struct wi_raid *r, const struct wi_raid_request *requests,
                               size_t n_requests, const double *percentiles, size_t n,
                               struct wi_raid_quantile *out, struct wi_err *err);

/* Share of requests of the mix that take longer than lat_us (> 0). */
enum wi_status wi_raid_late_share(const struct wi_raid *r, const struct wi_raid_request *requests,
                                  size_t n_requests, double lat_us, double *share_frac,
                                  struct wi_err *err);

/*
 * Large sequential bandwidth of the array in MB/s: the data units of a stripe times the slowest
 * member (every stripe waits for it); a mirror reads from all of its members and writes at the pace
 * of the slowest. Survivors of a rebuild give only the share that the rebuild leaves.
 */
double wi_raid_bandwidth(const struct wi_raid *r, enum wi_op op);

/*
 * Share of requests with at least one slow operation among n, each slow with share p_frac:
 * 1 - (1 - p)^n. source: Dean & Barroso 2013
 */
double wi_raid_slow_share(double p_frac, size_t n);

const char *wi_raid_level_name(enum wi_raid_level v); /* "0" "1" "5" "6" "10" */
const char *wi_raid_state_name(enum wi_raid_state v); /* "normal" "degraded" "rebuilding" */

#endif
