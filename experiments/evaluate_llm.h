/*
 * The LLM engine on the hold-out sets: what it says about measurements that its prompt does not
 * hold.
 */
#ifndef WI_EXPERIMENTS_EVALUATE_LLM_H
#define WI_EXPERIMENTS_EVALUATE_LLM_H

#include "experiments/evaluate.h"
#include "experiments/session.h"

/* Who said it, on the same cases. */
enum wi_llm_view {
    WI_LLM_COMBINED, /* what the engine answers */
    WI_LLM_ALONE,    /* the model's own numbers */
    WI_LLM_EVIDENCE, /* the evidence engine's, refitted without the case */
    WI_LLM_N_VIEWS
};
const char *wi_llm_view_name(enum wi_llm_view v); /* "llm" "llm_alone" "evidence" */

/* One variant of the prompt. */
struct wi_llm_variant {
    const char *name; /* "full", "no-cot", ... */
    struct wi_prompt_options prompt;
};

struct wi_llm_evaluation {
    struct wi_scores scores[WI_LLM_N_VIEWS][WI_N_FAMILIES];
    size_t n_questions, n_failed; /* failed: no usable reply */
    size_t n_unsupported;         /* claims, over all answers */
    struct wi_llm_usage usage;    /* of this variant alone */
};

/*
 * Ask one question per held-out experiment and operation: its condition, its percentiles. The
 * prompt holds nothing of the fold that the question belongs to, no experiment of it and no
 * principle whose source is the source of it (its sentences quote the figures); the estimate is
 * the refitted model's.
 *
 * in:   ev        the evidence engine's hold-out over ds, which gives folds and estimates
 *       n_max     questions at most, spread evenly over all; 0 = all
 * out:  out       zeroed before
 * returns WI_OK; WI_ENET if the endpoint fails. A question without a usable reply is counted and
 *         left out of the scores of all three
 */
enum wi_status wi_evaluate_llm(struct wi_session *session, const struct wi_dataset *ds,
                               const struct wi_evaluation *ev, struct wi_llm *llm,
                               const struct wi_llm_variant *variant, size_t n_max,
                               wi_progress_fn progress, void *ctx, struct wi_llm_evaluation *out,
                               struct wi_err *err);

#endif
