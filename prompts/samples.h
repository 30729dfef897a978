/*
 * Several samples of a model made one forecast, and that combined with the evidence engine's.
 *
 * All of it works on log-ratios y = ln(1 + change/100), where a fall and its reversal have the same
 * size.
 *
 *   The model's own forecast: per percentile the median of the samples' y. Each half of its
 * interval is the larger of the median of the halves that the samples state, and z times 1.4826
 * times the median absolute deviation of the samples (the spread; 1.4826 makes it a standard
 * deviation for normal samples), z being the normal quantile of the confidence.
 *
 *   The combination: an equal mixture of the model's and the evidence engine's distributions
 * (linear opinion pool, Stone 1961), each taken as normal in y with its own width on either side of
 * its median. Its median is the change, its quantiles are the interval. Where both agree the
 * interval stays as it is; where they disagree it spans both. A model that is sure of itself cannot
 * narrow the answer below half of the evidence's doubt.
 */
#ifndef WI_PROMPTS_SAMPLES_H
#define WI_PROMPTS_SAMPLES_H

#include "core/prediction.h"

/*
 * in:   samples     (n,) changes of one percentile, or of bandwidth; change > -100
 *       n           >= 1
 *       confidence  0.5..0.999
 * out:  out         percentile of samples[0]; low < change < high
 */
enum wi_status wi_samples_merge(const struct wi_change *samples, size_t n, double confidence,
                                struct wi_change *out, struct wi_err *err);

/* Equal mixture of two forecasts of one quantity, both with low < change < high. */
void wi_samples_pool(const struct wi_change *model, const struct wi_change *evidence,
                     double confidence, struct wi_change *out);

/* True if neither forecast's change lies in the other's interval. */
bool wi_samples_disagree(const struct wi_change *model, const struct wi_change *evidence);

#endif
