/*
 * How well the predictions do on measurements that they have not seen.
 */
#ifndef WI_EXPERIMENTS_EVALUATE_H
#define WI_EXPERIMENTS_EVALUATE_H

#include "core/evidence.h"
#include "core/kernel.h"
#include "core/score.h"

enum wi_holdout {
    WI_HOLDOUT_CURVE, /* experiment, operation and metric */
    WI_HOLDOUT_EXPERIMENT,
    WI_HOLDOUT_CONDITION, /* a temperature or humidity step, all NAND types of it */
    WI_HOLDOUT_VENDOR,    /* where the source names one */
    WI_HOLDOUT_SOURCE,
    WI_HOLDOUT_NONE /* in-sample */
};
bool wi_holdout_parse(const char *text, enum wi_holdout *out);
const char *wi_holdout_name(enum wi_holdout v);

enum wi_family {
    WI_FAMILY_VIB_SHORT,
    WI_FAMILY_VIB_LONG,
    WI_FAMILY_VIB, /* both */
    WI_FAMILY_TH,
    WI_FAMILY_BANDWIDTH,
    WI_FAMILY_HOTSTORAGE25, /* the 25 truths of the published comparison */
    WI_FAMILY_ALL
};
#define WI_N_FAMILIES 7
const char *wi_family_name(enum wi_family v);

enum wi_predictor {
    WI_PREDICT_EVIDENCE,  /* as a known drive, where the training rows hold it */
    WI_PREDICT_NEW_DRIVE, /* as a drive of its kind */
    WI_PREDICT_ZERO,
    WI_PREDICT_PHASE_MEAN,
    WI_PREDICT_SIBLING,
    WI_PREDICT_KERNEL,
    WI_PREDICT_RIDGE
};
#define WI_N_PREDICTORS 7
const char *wi_predictor_name(enum wi_predictor v);

/* One measured change that is scored, and what each predictor said without it. */
struct wi_eval_case {
    size_t obs; /* index into the dataset */
    struct wi_row row;
    double truth_pct, reading_sd_pct;
    size_t fold, curve; /* ids */
    bool published;     /* among the 25 */
    double llm_pct;     /* the published prediction; NaN for others */
    enum wi_domain domain, new_domain;
    double change[WI_N_PREDICTORS], low[WI_N_PREDICTORS], high[WI_N_PREDICTORS];
};

/* Expected |error| in points if only this stood between prediction and truth. */
struct wi_eval_floor {
    size_t n;
    double reading, noise, point; /* reading error; with the noise of a curve; one point left out */
};

struct wi_evaluation {
    enum wi_holdout holdout;
    enum wi_model_kind model;
    struct wi_eval_case *cases;
    size_t n_cases, n_folds, n_curves;
    struct wi_eval_floor floor[WI_N_FAMILIES];
    double published_mae[2], published_rel[2]; /* bootstrap over curves, ours, 90 % */
};

typedef void (*wi_progress_fn)(void *ctx, size_t done, size_t total);

/*
 * Run the hold-out: everything is refitted in each fold.
 *
 * in:   ds   dataset; failing drives are left out
 * out:  ev   zeroed before; release with wi_evaluation_release
 * cost: about 0.2 s per fold
 */
enum wi_status wi_evaluate(const struct wi_dataset *ds, enum wi_model_kind model,
                           enum wi_holdout holdout, wi_progress_fn progress, void *ctx,
                           struct wi_evaluation *ev, struct wi_err *err);
void wi_evaluation_release(struct wi_evaluation *ev);

bool wi_family_has(enum wi_family family, const struct wi_eval_case *c);

/* Scores of one predictor on a family; `domain` NULL = all, else cases of this domain only. */
enum wi_status wi_evaluation_scores(const struct wi_evaluation *ev, enum wi_predictor p,
                                    enum wi_family family, const enum wi_domain *domain,
                                    struct wi_scores *out, struct wi_err *err);

/* schema ssd-whatif/evaluation/1 */
struct cJSON;
enum wi_status wi_evaluation_to_json(const struct wi_evaluation *ev, struct cJSON **json,
                                     struct wi_err *err);

/* Designs looked at on these hold-outs: the study's, and our own on top. */
#define WI_VARIANTS_STUDY 44
extern const unsigned wi_variants_own;

/*
 * The baselines of one fold (experiments/eval_baselines.c): writes change[] of the test cases.
 * in:   is_test  (n,)
 */
enum wi_status wi_baselines_fold(struct wi_eval_case *cases, size_t n, const bool *is_test,
                                 const struct wi_dataset *ds, struct wi_err *err);

#endif
