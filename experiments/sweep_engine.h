/*
 * What predicts in a sweep, one per thread: the evidence model by its fast path, or a language
 * model within a budget that all threads share.
 */
#ifndef WI_EXPERIMENTS_SWEEP_ENGINE_H
#define WI_EXPERIMENTS_SWEEP_ENGINE_H

#include <pthread.h>

#include "core/fastpath.h"
#include "experiments/sweep.h"

/* Calls and tokens that all threads have used. */
struct sweep_budget {
    pthread_mutex_t lock;
    size_t n_calls, n_asking; /* made; threads that are asking now */
    int64_t n_tokens;
};

struct sweep_engine;

enum wi_status sweep_engine_new(const struct wi_evidence *ev, const struct wi_sweep_options *opt,
                                struct sweep_budget *budget, struct sweep_engine **engine,
                                struct wi_err *err);
void sweep_engine_free(struct sweep_engine *engine);

/*
 * in:   ids   room for the ids that row points to, where the engine does not own them
 * returns WI_OK; WI_ECANCEL when the budget is used up; what the engine returns
 */
enum wi_status sweep_engine_predict(struct sweep_engine *engine, const struct wi_scenario *s,
                                    struct wi_fast_row *row, char (*ids)[WI_ID_MAX],
                                    struct wi_err *err);

#endif
