/*
 * evaluate --engine llm: the language model on the hold-out sets.
 */
#ifndef WI_CLI_EVALUATE_LLM_H
#define WI_CLI_EVALUATE_LLM_H

#include "cli/cli.h"
#include "experiments/evaluate_llm.h"

/* --questions and --ablations. */
const struct cli_option *cli_evaluate_llm_table(void);

/*
 * Ask and print.
 * in:   ev   the evidence engine's hold-out over ds
 * returns the exit code
 */
int cli_evaluate_llm(struct wi_session *session, const struct wi_dataset *ds,
                     const struct wi_evaluation *ev, struct wi_llm *llm);

#endif
