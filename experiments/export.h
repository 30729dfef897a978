/*
 * Predictions handed over to other people's tools: the timing that the user has for a tool, scaled
 * by the predicted change.
 *
 * What scales what, for the simulators (mqsim, simplessd, femu, nvmevirt):
 *   page read time      by the change of read latency, page program time by that of write latency,
 *                       both at the lowest predicted percentile unless another is asked for: the
 *                       lower the percentile, the less of it is queueing, garbage collection and
 *                       retries, which these tools produce themselves
 *   block erase         left alone: no stored experiment measured it
 *   channel, bus, DRAM  left alone: bandwidth is an outcome of page times and parallelism in these
 *                       tools, so scaling both would count one effect twice
 * That NAND timing moves like an end-to-end percentile is an assumption; every export says so.
 */
#ifndef WI_EXPERIMENTS_EXPORT_H
#define WI_EXPERIMENTS_EXPORT_H

#include "experiments/session.h"

#define WI_EXPORT_BASE_MAX (8u << 20) /* bytes of a base */
#define WI_EXPORT_VALUES_MAX 256      /* base numbers given one by one */

/* Which end of the interval is exported. */
enum wi_export_bound { WI_EXPORT_CHANGE, WI_EXPORT_LOW, WI_EXPORT_HIGH };

/* One base number given by itself instead of a base file: pg_rd_lat = 40 us. */
struct wi_export_value {
    char name[WI_NAME_MAX];
    double value;
    char unit[8]; /* "" = the tool's own */
};

struct wi_export_options {
    const char *base_name; /* for messages and comments; NULL = no base file */
    const char *base;
    size_t base_len;
    const struct wi_export_value *values;
    size_t n_values;
    double percentile;    /* NaN = the lowest predicted one */
    int bound;            /* enum wi_export_bound; -1 = the target's own */
    const char *base_ssd; /* nvmevirt: the BASE_SSD that is scaled; NULL = the only one */
    const char *osds;     /* ceph: "3,7", the OSDs whose drives are exposed; NULL = not given */
};

/* Options beyond the base that a target understands. */
enum {
    WI_EXPORT_TAKES_PERCENTILE = 1u << 0,
    WI_EXPORT_TAKES_BOUND = 1u << 1,
    WI_EXPORT_TAKES_BASE_SSD = 1u << 2,
    WI_EXPORT_TAKES_OSDS = 1u << 3
};

struct export_job; /* experiments/export_internal.h */
struct export_form;
struct wi_buf;

struct wi_export_target {
    const char *name;           /* "mqsim" */
    const char *title;          /* one line for help */
    const char *base;           /* what a base is, one line */
    const char *unit;           /* of the numbers that are scaled */
    unsigned takes;             /* WI_EXPORT_TAKES_* */
    bool reads_only;            /* nothing of it belongs to writes */
    enum wi_export_bound bound; /* that is exported when none is asked for */
    /* What of an operation is predicted: may set percentiles or take `asked` back. NULL = as is */
    enum wi_status (*prepare)(struct export_job *job, enum wi_op op, struct wi_scenario *s,
                              bool *asked, struct wi_err *err);
    const struct export_form *form; /* how page times stand in its base; NULL = there are none */
    enum wi_status (*write)(struct export_job *job, struct wi_buf *out, struct wi_err *err);
};

/* All targets, in the order of the help; ends with NULL. */
extern const struct wi_export_target *const wi_export_targets[];

/* returns NULL for an unknown name */
const struct wi_export_target *wi_export_find(const char *name);

/*
 * "pg_rd_lat=40us": a name, a number, a unit of ps, ns, us, ms, s or none.
 * returns WI_OK; WI_EUSAGE malformed; WI_ERANGE for a number that is negative or beyond 1e18
 */
enum wi_status wi_export_value_parse(const char *text, struct wi_export_value *value,
                                     struct wi_err *err);

/*
 * Predict and write the export.
 *
 * in:   scenario  completed. An op that was given restricts the export to it (mixed: only where the
 *                 base is latencies); otherwise read times follow the prediction for reads, write
 *                 times the one for writes
 * out:  text      free with free(); the same bytes for the same input
 * returns WI_OK; WI_EUSAGE for an option that the target does not take, or no base; WI_EDATA for a
 *         base that is malformed or lacks what is to be scaled; WI_ERANGE for a result beyond the
 *         tool's range; the errors of wi_session_evidence. A fault of single numbers is WI_EUSAGE
 */
enum wi_status wi_export_run(struct wi_session *session, const struct wi_export_target *target,
                             const struct wi_scenario *scenario,
                             const struct wi_export_options *opt, char **text, struct wi_err *err);

#endif
