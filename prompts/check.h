/*
 * A reply held against what was sent, against physics and against what was ever measured.
 */
#ifndef WI_PROMPTS_CHECK_H
#define WI_PROMPTS_CHECK_H

#include "prompts/prompt.h"
#include "prompts/reply.h"

/* Verdict on one step of the reasoning. */
struct wi_verdict {
    char *ids; /* ids of the items cited that were sent, separated by single spaces */
    char *why; /* "" = supported; else what is wrong, one line */
};

struct wi_check {
    struct wi_verdict *verdicts; /* one per claim */
    size_t n_verdicts;
    size_t n_unsupported;
    struct wi_texts warnings; /* about the numbers */
};
void wi_check_release(struct wi_check *c);

/*
 * Rules for a claim: what it cites was sent, in its list or by name in its text; every number in it
 * stands, with its sign and unit, in an item that it cites, in the question or in the scenario.
 * Steps that conclude (percentile, bandwidth, limits) may also name the forecast's own numbers.
 *
 * Rules for the numbers, each a warning: a direction that the evidence engine's interval rules out;
 * latency and bandwidth rising or falling together by more than 5 points, which a closed loop of
 * constant queue depth does not do; changes so different between neighbouring percentiles that
 * latency would fall with rank; a change beyond anything measured; an interval that had to be
 * mended.
 *
 * out:  c   release with wi_check_release
 * returns WI_OK; WI_ENOMEM
 */
enum wi_status wi_check_reply(const struct wi_prompt_input *in, const struct wi_prompt *sent,
                              const struct wi_forecast_reply *reply, struct wi_check *c,
                              struct wi_err *err);

/* What a repair round tells the model, one line "- ..." each; "" = nothing to repair. */
enum wi_status wi_check_problems(const struct wi_forecast_reply *reply, const struct wi_check *c,
                                 char **text, struct wi_err *err);

#endif
