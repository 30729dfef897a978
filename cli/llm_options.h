/*
 * Options and settings of the language model, shared by ask, predict, prompt, evaluate and doctor.
 *
 * Where a setting comes from, first one wins: option, environment (OPENAI_BASE_URL, OPENAI_API_KEY,
 * SSD_WHATIF_MODEL), config file. The config file is $XDG_CONFIG_HOME/ssd-whatif/config.json:
 *
 *   { "base_url": "https://...", "api_key": "...", "model": "NAME",
 *     "prices": { "NAME": {"prompt_per_million": 0.15, "completion_per_million": 0.6} } }
 *
 * and must be readable by its owner alone when it holds a key. The key is never an option.
 */
#ifndef WI_CLI_LLM_OPTIONS_H
#define WI_CLI_LLM_OPTIONS_H

#include "cli/cli.h"
#include "prompts/llm.h"

/* Options that shape the prompt: ablations, budget, examples. */
const struct cli_option *cli_prompt_table(void);
/* Options that shape the call: model, samples, repair. */
const struct cli_option *cli_llm_table(void);
/* Options of every request, to a language model or an embedder: cache, timeout, retries. */
const struct cli_option *cli_network_table(void);

/* What the prompt options say. */
const struct wi_prompt_options *cli_prompt_options(void);

/*
 * Make this process unable to leave a core file or be read by others of its user: RLIMIT_CORE 0,
 * PR_SET_DUMPABLE 0. Called before a key is read.
 */
void cli_guard_secrets(void);

/*
 * Settings from options, environment and config file, and the engine made of them. The key is wiped
 * from the environment once it was read.
 *
 * in:   log   NULL = nothing is kept
 * returns WI_OK; WI_ENET for missing or unusable settings; WI_EDATA for a malformed config file;
 *         WI_EIO if it cannot be read, or others can read the key in it
 */
enum wi_status cli_llm_open(struct wi_reply_log *log, struct wi_llm **llm, struct wi_err *err);

/* --embedder, and the session that retrieves by it; nothing happens where it was not given. */
struct wi_session;
const struct cli_option *cli_embedder_table(void);
enum wi_status cli_use_embedder(struct wi_session *session, struct wi_err *err);

/* The settings of cli_llm_open for an embedder. dim: as recorded, 0 = not known. */
enum wi_status cli_llm_embedder(const char *model, size_t dim, struct wi_reply_log *log,
                                struct wi_embedder **e, struct wi_err *err);

/* Time of one request and no second try, where no option says otherwise. */
void cli_llm_hurry(double timeout_s);

/* One note: requests, replies from the log, tokens. What they cost is in `log list`. */
void cli_llm_report(const struct wi_llm *llm);

/*
 * Cost of a call in the currency of the prices.
 * returns NaN where the model has no price or the tokens were not reported
 */
double cli_llm_cost(const char *model, int64_t prompt_tokens, int64_t completion_tokens);

/* True if a base URL is set, so that there is something to ask. */
bool cli_llm_is_configured(void);

/* For doctor: "set", "not set"; where the base URL and model come from. No secret in it. */
enum wi_status cli_llm_describe(char *text, size_t size, struct wi_err *err);

#endif
