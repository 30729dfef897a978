/* What predicts in a sweep: one per thread. */
#ifndef WI_EXPERIMENTS_SWEEP_MODEL_H
#define WI_EXPERIMENTS_SWEEP_MODEL_H

#include "core/fastpath.h"

struct sweep_model;

enum wi_status sweep_model_new(const struct wi_evidence *ev, bool evidence_ids,
                               struct sweep_model **model, struct wi_err *err);
void sweep_model_free(struct sweep_model *model);
enum wi_status sweep_model_predict(struct sweep_model *model, const struct wi_scenario *s,
                                   struct wi_fast_row *row, struct wi_err *err);

#endif
