/*
 * The arithmetic of the fast path: from an exposure in weight space to changes, four columns at a
 * time. Columns are the percentiles, bandwidth, and those that are asked for the domain alone.
 */
#ifndef WI_CORE_FAST_EVAL_H
#define WI_CORE_FAST_EVAL_H

#include "core/evidence_model.h"
#include "core/fastpath.h"
#include "core/physics_forecast.h"
#include "core/weights.h"

/* Percentiles, bandwidth and two of the most alike drive, in whole blocks of the weights. */
#define WI_FAST_COLUMNS ((WI_N_OUT + 2 + 7) / 8 * 8)

/* What is the same in all scenarios that differ in temperature and humidity only. */
struct wi_fast_question {
    size_t n;         /* answers: percentiles, then bandwidth */
    size_t n_columns; /* all, >= n */
    bool interacts;   /* vibration as well: part of the weaker effect may be added or lost */
    double confidence;
    double sds;      /* half width of an interval in sds */
    double sds_norm; /* of a normal distribution at this confidence */
    /* By column; vibration's moments, variance 1 in columns beyond n_columns. */
    double mean[WI_FAST_COLUMNS], var[WI_FAST_COLUMNS], noise[WI_FAST_COLUMNS];
    double below[WI_FAST_COLUMNS];  /* share of a change that is open below the lowest percentile */
    double rises[WI_FAST_COLUMNS];  /* of the log speed: bandwidth +1, latency -1 */
    double counts[WI_FAST_COLUMNS]; /* 1 where the ratio of variances counts, else 0 */
};

struct wi_fast_seen {
    double ratio;
    bool misfit;
};

/*
 * in:   weights  NULL: no temperature or humidity changes
 *       other    as the other cell type, mixed in where the type is not stated; NULL otherwise
 *       t        from wi_throttle_at; prob 0: nothing to mix in
 * out:  row      its numbers
 *       seen     ratio raised to the largest of posterior to prior variance; misfit set where own
 *                rows that fit badly widened an answer
 * cost: 0.15 us for eight columns, 1.5 us with throttling
 * source: as wi_evidence_write_changes; quantiles of the mixture by Halley's method within a
 *         bracket, to 1e-8 of an sd
 */
void wi_fast_eval(const struct wi_fast_question *q, const struct wi_weights *weights,
                  const struct wi_weights *other, const struct wi_point *point,
                  const struct wi_throttle *t, struct wi_fast_row *row, struct wi_fast_seen *seen);

#endif
