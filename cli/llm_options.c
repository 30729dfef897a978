#include "cli/llm_options.h"
#include "prompts/url.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/llm_config.h"
#include "experiments/session.h"

static struct wi_prompt_options prompt;
static bool blind;
static struct {
    const char *model;
    size_t samples, repair, max_tokens, retries;
    int64_t seed;
    double temperature, timeout_s;
    bool alone, stream, no_cache, refresh, offline, insecure_http, verbose;
} call = {.samples = 1, .retries = SIZE_MAX, .temperature = NAN};

static enum wi_status set_seed(void *value, const char *text, struct wi_err *err)
{
    char *end;
    long long v;

    errno = 0;
    v = strtoll(text, &end, 10);
    if (end == text || *end || errno || v < 0 || v > INT32_MAX)
        return wi_fail(err, WI_EUSAGE, "'%s' must be a whole number from 0 to %d", text, INT32_MAX);
    *(int64_t *)value = v;
    return WI_OK;
}

static const struct cli_option prompt_table[] = {
    {.name = "budget",
     .arg = "TOKENS",
     .help = "length of the prompt, what matters less goes (default 1400)",
     .type = CLI_COUNT,
     .value = &prompt.budget_tokens,
     .min = 100,
     .max = 1e6},
    {.name = "blind",
     .help = "do not show the model the evidence engine's estimate",
     .type = CLI_FLAG,
     .value = &blind},
    {.name = "no-estimate",
     .help = "the same as --blind",
     .type = CLI_FLAG,
     .value = &prompt.no_estimate},
    {.name = "no-cot",
     .help = "ask for numbers without reasoning",
     .type = CLI_FLAG,
     .value = &prompt.no_cot},
    {.name = "no-evidence",
     .help = "leave the experiments out of the prompt",
     .type = CLI_FLAG,
     .value = &prompt.no_evidence},
    {.name = "no-principles",
     .help = "leave the principles out of the prompt",
     .type = CLI_FLAG,
     .value = &prompt.no_principles},
    {.name = "examples",
     .arg = "K",
     .help = "worked examples from other sources (default 0)",
     .type = CLI_COUNT,
     .value = &prompt.n_examples,
     .min = 0,
     .max = 20},
    {0}};

static const struct cli_option llm_table[] = {
    {.name = "llm-model",
     .arg = "NAME",
     .help = "language model; default $SSD_WHATIF_MODEL",
     .type = CLI_TEXT,
     .value = &call.model},
    {.name = "samples",
     .arg = "N",
     .help = "ask N times and take the median (default 1)",
     .type = CLI_COUNT,
     .value = &call.samples,
     .min = 1,
     .max = WI_LLM_SAMPLES_MAX},
    {.name = "repair",
     .arg = "N",
     .help = "rounds in which the model may mend what failed a check (default 0)",
     .type = CLI_COUNT,
     .value = &call.repair,
     .min = 0,
     .max = WI_LLM_REPAIR_MAX},
    {.name = "alone",
     .help = "the model's own numbers, not combined with the evidence engine's",
     .type = CLI_FLAG,
     .value = &call.alone},
    {.name = "temperature",
     .arg = "T",
     .help = "of sampling (default 0; 0.7 with several samples)",
     .type = CLI_NUMBER,
     .value = &call.temperature,
     .min = 0,
     .max = 2},
    {.name = "seed",
     .arg = "N",
     .help = "of the first sample (default 0)",
     .type = CLI_CALL,
     .value = &call.seed,
     .call = set_seed},
    {.name = "max-tokens",
     .arg = "N",
     .help = "limit of a reply (default 640)",
     .type = CLI_COUNT,
     .value = &call.max_tokens,
     .min = 1,
     .max = WI_LLM_TOKENS_MAX},
    {.name = "stream",
     .help = "receive the reply piece by piece and show progress",
     .type = CLI_FLAG,
     .value = &call.stream},
    {0}};

static const struct cli_option network_table[] = {
    {.name = "timeout",
     .arg = "S",
     .help = "seconds for one request (default 600); it is then not sent again",
     .type = CLI_NUMBER,
     .value = &call.timeout_s,
     .min = 0.1,
     .max = 86400},
    {.name = "retries",
     .arg = "N",
     .help = "tries again when it is busy or the connection fails (default 4)",
     .type = CLI_COUNT,
     .value = &call.retries,
     .min = 0,
     .max = 100},
    {.name = "no-cache",
     .help = "neither look replies up nor keep them",
     .type = CLI_FLAG,
     .value = &call.no_cache},
    {.name = "refresh",
     .help = "ask again even if the reply is kept",
     .type = CLI_FLAG,
     .value = &call.refresh},
    {.name = "offline",
     .help = "answer from kept replies only",
     .type = CLI_FLAG,
     .value = &call.offline},
    {.name = "insecure-http",
     .help = "allow plain http to another machine",
     .type = CLI_FLAG,
     .value = &call.insecure_http},
    {.name = "verbose",
     .help = "note every request on stderr",
     .type = CLI_FLAG,
     .value = &call.verbose},
    {0}};

const struct cli_option *cli_prompt_table(void)
{
    return prompt_table;
}

const struct cli_option *cli_llm_table(void)
{
    return llm_table;
}

const struct cli_option *cli_network_table(void)
{
    return network_table;
}

const struct wi_prompt_options *cli_prompt_options(void)
{
    prompt.no_estimate = prompt.no_estimate || blind;
    return &prompt;
}

static const char *embedder;

static const struct cli_option embedder_table[] = {
    {.name = "embedder",
     .arg = "openai:MODEL",
     .help = "retrieve by the endpoint's text vectors (default built-in)",
     .type = CLI_TEXT,
     .value = &embedder},
    {0}};

const struct cli_option *cli_embedder_table(void)
{
    return embedder_table;
}

enum wi_status cli_use_embedder(struct wi_session *session, struct wi_err *err)
{
    struct wi_store *store = wi_session_store(session);
    struct wi_embedder *e = NULL;
    size_t dim = 0;
    enum wi_status st;

    if (!embedder || strcmp(embedder, "built-in") == 0)
        return WI_OK;
    if (strncmp(embedder, "openai:", 7) != 0 || !embedder[7])
        return wi_fail(err, WI_EUSAGE,
                       "--embedder: '%s' is unknown, allowed is built-in, openai:MODEL", embedder);
    st = call.refresh ? wi_knowledge_forget(store, embedder, err)
                      : wi_knowledge_kept_dim(store, embedder, &dim, err);
    if (st == WI_OK)
        st = cli_llm_embedder(embedder + 7, dim, wi_store_reply_log(store), &e, err);
    if (st == WI_OK)
        wi_session_set_embedder(session, e);
    return st;
}

/* Progress on a terminal only: a log file would fill with it. */
static void show_progress(void *ctx, size_t n_bytes)
{
    (void)ctx;
    fprintf(stderr, "\rreceived %zu bytes ", n_bytes);
}

static void fill_options(const struct cli_llm_config *c, const char *model,
                         struct wi_reply_log *log, struct wi_llm_options *o)
{
    wi_llm_options_init(o);
    o->base_url = c->base_url;
    o->api_key = c->api_key;
    o->ca_file = c->ca_file;
    o->ca_dir = c->ca_dir;
    o->model = model;
    o->temperature = call.temperature;
    o->n_samples = call.samples;
    o->n_repair = call.repair;
    o->max_tokens = call.max_tokens;
    o->seed = call.seed;
    o->total_s = call.timeout_s;
    o->first_byte_s = call.timeout_s;
    o->connect_s = call.timeout_s > 0 ? fmin(call.timeout_s, 10.0) : 0;
    o->n_retries = call.retries;
    o->insecure_http = call.insecure_http;
    o->stream = call.stream;
    o->no_cache = call.no_cache;
    o->refresh = call.refresh;
    o->offline = call.offline;
    o->alone = call.alone;
    o->verbose = call.verbose;
    o->log = log;
    o->note = cli_note;
    if (!cli_common.quiet && cli_stderr_is_terminal())
        o->progress = show_progress;
}

void cli_llm_hurry(double timeout_s)
{
    if (!(call.timeout_s > 0))
        call.timeout_s = timeout_s;
    if (call.retries == SIZE_MAX)
        call.retries = 0;
}

enum wi_status cli_llm_open(struct wi_reply_log *log, struct wi_llm **llm, struct wi_err *err)
{
    struct cli_llm_config config;
    struct wi_llm_options o;
    enum wi_status st = cli_llm_config_load(&config, err);

    if (st == WI_OK) {
        fill_options(&config, call.model ? call.model : config.model, log, &o);
        st = wi_llm_open(&o, llm, err);
    }
    cli_llm_config_release(&config);
    return st;
}

enum wi_status cli_llm_embedder(const char *model, size_t dim, struct wi_reply_log *log,
                                struct wi_embedder **e, struct wi_err *err)
{
    struct cli_llm_config config;
    struct wi_llm_options o;
    enum wi_status st = cli_llm_config_load(&config, err);

    if (st == WI_OK) {
        fill_options(&config, model, log, &o);
        st = wi_embed_endpoint_new(&o, dim, e, err);
    }
    cli_llm_config_release(&config);
    return st;
}

double cli_llm_cost(const char *model, int64_t prompt_tokens, int64_t completion_tokens)
{
    struct cli_llm_config config;
    double in, out, cost = NAN;

    if (cli_llm_config_load(&config, NULL) == WI_OK &&
        cli_llm_config_price(&config, model, &in, &out) && prompt_tokens >= 0 &&
        completion_tokens >= 0)
        cost = (in * (double)prompt_tokens + out * (double)completion_tokens) / 1e6;
    cli_llm_config_release(&config);
    return cost;
}

void cli_llm_report(const struct wi_llm *llm)
{
    struct wi_llm_usage u = wi_llm_usage(llm);
    char line[256];

    if (call.stream && !cli_common.quiet && cli_stderr_is_terminal())
        fputc('\n', stderr);
    snprintf(line, sizeof(line),
             "language model: %zu request%s, %zu repl%s from the log, %lld tokens in, %lld out",
             u.n_requests, u.n_requests == 1 ? "" : "s", u.n_cached, u.n_cached == 1 ? "y" : "ies",
             (long long)u.prompt_tokens, (long long)u.completion_tokens);
    cli_note(NULL, line);
}

enum wi_status cli_llm_describe(char *text, size_t size, struct wi_err *err)
{
    struct cli_llm_config config;
    enum wi_status st = cli_llm_config_load(&config, err);
    const char *model;
    struct wi_url url;

    /* The URL as it is understood: one that is refused may hold a password. */
    if (st == WI_OK && config.base_url)
        st = wi_url_parse(config.base_url, "base URL", &url, err);
    if (st == WI_OK) {
        model = call.model ? call.model : config.model;
        snprintf(text, size, "endpoint %s, model %s, key %s",
                 config.base_url ? url.text : "not set (OPENAI_BASE_URL)",
                 model ? model : "not set (SSD_WHATIF_MODEL)",
                 config.api_key ? "set" : "not set (OPENAI_API_KEY)");
    }
    cli_llm_config_release(&config);
    return st;
}

bool cli_llm_is_configured(void)
{
    struct cli_llm_config config;
    bool is = cli_llm_config_load(&config, NULL) == WI_OK && config.base_url;

    cli_llm_config_release(&config);
    return is;
}
