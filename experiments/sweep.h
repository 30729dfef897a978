/*
 * Running a sweep: all scenarios of a spec, or one part of them, predicted and written in order.
 */
#ifndef WI_EXPERIMENTS_SWEEP_H
#define WI_EXPERIMENTS_SWEEP_H

#include "core/evidence.h"
#include "experiments/session.h"
#include "experiments/sweep_rows.h"
#include "experiments/sweep_spec.h"

#define WI_SWEEP_JOBS_MAX 256
#define WI_SWEEP_SHARDS_MAX 1000000000
#define WI_SWEEP_UNASKED_MAX UINT64_C(1000000000) /* scenarios without `huge` */

/*
 * A language model instead of the evidence model. Every thread has a session and an engine of its
 * own; replies come from the log where the same was asked before, so that a sweep that was cut off
 * pays for nothing twice.
 */
struct wi_sweep_llm {
    enum wi_status (*open)(void *ctx, struct wi_session **session, struct wi_llm **llm,
                           struct wi_err *err); /* called by each thread */
    void *ctx;
    const char *name; /* endpoint and model: what a resumed sweep must have in common */
    const struct wi_prompt_options *prompt;
    size_t top_k;
    /* Budget; 0 = none. No scenario is begun when it is used up; its last one may ask again. */
    size_t max_calls;
    int64_t max_tokens;
};

struct wi_sweep_options {
    const char *path; /* NULL = write to the descriptor fd */
    int fd;
    enum wi_sweep_format format;
    bool no_evidence_ids;
    bool resume;                    /* go on with the file */
    bool huge;                      /* more than WI_SWEEP_UNASKED_MAX scenarios are meant */
    uint64_t shard, n_shards;       /* part 1..n_shards; 0 = the whole */
    size_t n_jobs;                  /* threads; 0 = 1 */
    const struct wi_sweep_llm *llm; /* NULL = engine evidence */
    /* Called now and then with the number of scenarios done, of the part's total. NULL = never. */
    void (*progress)(void *ctx, uint64_t n_done, uint64_t n_total);
    void *progress_ctx;
};

struct wi_sweep_result {
    uint64_t n_scenarios; /* of this part */
    uint64_t n_new;       /* predicted by this run */
    size_t n_calls;       /* llm: requests sent */
    int64_t n_tokens;     /* of them, as far as reported */
};

/* First scenario of a part, and the one behind its last. */
void wi_sweep_part(uint64_t n, uint64_t shard, uint64_t n_shards, uint64_t *first, uint64_t *end);

/*
 * Run it.
 *
 * The bytes depend on spec, list, stored experiments and options alone: not on n_jobs, on where the
 * sweep was cut and resumed, or into how many parts it was split, whose outputs one after the other
 * are that of the whole (csv and jsonl).
 *
 * in:   spec   with its list, if it has one
 *       ev     what predicts; with llm, what the record of the sweep names
 * out:  result   may be NULL
 * returns WI_OK; WI_EIO when the output cannot be written; WI_EDATA for a resume that does not fit,
 *         too many scenarios; WI_ERANGE for an impossible scenario; WI_ECANCEL when the budget is
 *         used up; WI_ENET. What was written before stays complete up to a scenario, and can be
 *         resumed.
 * cost:   constant memory, about 1 MB per thread
 */
enum wi_status wi_sweep_run(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                            const struct wi_sweep_options *opt, struct wi_sweep_result *result,
                            struct wi_err *err);

#endif
