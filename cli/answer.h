/*
 * What ask, predict and prompt share: engine options, the session, and the output of predictions.
 */
#ifndef WI_CLI_ANSWER_H
#define WI_CLI_ANSWER_H

#include "cli/cli.h"
#include "core/prediction.h"
#include "experiments/session.h"

/* --engine, --top-k, --model and the files that go with a scenario. */
const struct cli_option *cli_answer_options(void);

/* All tables of ask and predict: the scenario, these, and those of prompts, endpoint, embedder. */
const struct cli_option *const *cli_answer_tables(void);

/* Whether --engine llm was given; --top-k. */
bool cli_answer_is_llm(void);
size_t cli_answer_top_k(void);

/* As below, with the error for the caller. */
enum wi_status cli_answer_open(bool need_save, struct wi_session **session, struct wi_err *err);

/* Open a session with the common options; prints the error. Returns -1 to go on. */
int cli_open_session(bool need_save, struct wi_session **session);

/*
 * Predict and print.
 *
 * in:   scenarios, n   completed; n >= 1
 *       question       NULL for predict
 *       warnings       of the reading, shown with every answer; NULL = none
 * returns the exit code
 */
int cli_answer(const struct wi_scenario *scenarios, size_t n, const char *question,
               const struct wi_texts *warnings);

/* Print the prompt that would be sent instead. */
int cli_answer_prompt(const struct wi_scenario *scenario, const char *question);

/* The one operand, or all of stdin for "-". Returns -1 to go on; *text is allocated. */
int cli_read_operand(size_t n_args, char **args, const char *what, char **text);

#endif
