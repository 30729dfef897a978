/*
 * At which value of a factor does a prediction first pass a threshold?
 */
#ifndef WI_EXPERIMENTS_SWEEP_FIND_H
#define WI_EXPERIMENTS_SWEEP_FIND_H

#include "core/evidence.h"
#include "core/root.h"
#include "experiments/sweep_spec.h"

#define WI_SWEEP_FIND_SCAN 200 /* stretches of the scan over the factor's range */

/* "temp_c: p99.99 > 20" */
struct wi_sweep_question {
    char factor[64];
    double percentile; /* NaN = bandwidth */
    bool below;        /* the change falls below, instead of rising above */
    double threshold_pct;
};

/*
 * Read FACTOR:METRIC>PCT or FACTOR:METRIC<PCT, METRIC being p99, p99.99, max or bandwidth; spaces
 * and a final % are allowed.
 * returns WI_OK; WI_EUSAGE saying what is expected
 */
enum wi_status wi_sweep_question_parse(const char *text, struct wi_sweep_question *q,
                                       struct wi_err *err);

/* The answer for one combination of the other factors' levels. */
struct wi_sweep_answer {
    uint64_t index;              /* of the combination */
    struct wi_scenario scenario; /* at the start of the range */
    struct wi_crossing change;   /* of the predicted change */
    /* The bound that passes the threshold first (possible), and the other (nearly certain). */
    struct wi_crossing earliest, latest;
};

/* Called for each combination in order. in: values  (n_factors,) texts, NULL for the asked one */
typedef enum wi_status (*wi_sweep_answer_fn)(void *ctx, const struct wi_sweep_answer *answer,
                                             const char *const *values, struct wi_err *err);

/*
 * Scan the factor from its first value to its last, and refine the first crossing, for every
 * combination of the other factors' levels (distributions stand at their median).
 *
 * returns WI_OK; WI_EDATA if the spec has no such numeric factor, or more than 10^5 combinations;
 *         what answer returns
 * cost:   per combination 3 (200 + 40) predictions, fewer where a curve ends early
 */
enum wi_status wi_sweep_find(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                             const struct wi_sweep_question *q, wi_sweep_answer_fn answer,
                             void *ctx, struct wi_err *err);

#endif
