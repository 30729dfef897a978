/*
 * One evaluation while it runs: its folds and cases (eval_folds.c), the fold itself (evaluate.c),
 * the scores (eval_scores.c).
 */
#ifndef WI_EXPERIMENTS_EVAL_INTERNAL_H
#define WI_EXPERIMENTS_EVAL_INTERNAL_H

#include "core/evidence_model.h"
#include "experiments/evaluate.h"

#define WI_EVAL_CONFIDENCE 0.9

struct wi_eval_run {
    const struct wi_dataset *ds;
    struct wi_evaluation *ev;
    struct wi_rows rows; /* all rows of the model */
    int *fold_of;        /* (rows.n,) WI_NONE_ID = always in training */
    struct wi_names folds, curves;
    wi_progress_fn progress;
    void *progress_ctx;
    struct wi_err *err;
};

/* Give every row its fold, and make a case of every row that is scored. */
enum wi_status wi_eval_folds_make(struct wi_eval_run *run);

/* The cases of the published comparison, and what it said. */
enum wi_status wi_eval_published_mark(struct wi_eval_run *run);

/* Bootstrap over the curves of the published set, which it numbers from 0. */
enum wi_status wi_eval_published_bootstrap(struct wi_eval_run *run);

/*
 * Intervals of the baselines: the 90 % quantile of |residual| of the same family over the other
 * folds; 30 points without any.
 */
enum wi_status wi_baselines_intervals(struct wi_evaluation *ev, struct wi_err *err);

#endif
