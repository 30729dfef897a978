/*
 * The reasoning behind an answer of the evidence engine, as steps that each cite what they rest on.
 */
#ifndef WI_EXPERIMENTS_REASONING_H
#define WI_EXPERIMENTS_REASONING_H

#include "core/prediction.h"
#include "knowledge/store.h"

/*
 * Append the steps device, exposure, mechanism (one per stressor), evidence, percentile, bandwidth
 * and limits. Every id cited stands in p->evidence or p->principles.
 *
 * in:   store   to look up which stressors a principle is about
 *       p       scenario, forecast, evidence and principles are complete
 */
enum wi_status wi_reasoning_add(struct wi_store *store, struct wi_prediction *p,
                                struct wi_err *err);

#endif
