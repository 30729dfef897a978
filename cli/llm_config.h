/*
 * Settings of the endpoint from environment and config file (form in llm_options.h).
 */
#ifndef WI_CLI_LLM_CONFIG_H
#define WI_CLI_LLM_CONFIG_H

#include <stdbool.h>

#include "core/status.h"

struct cJSON;

struct cli_llm_config {
    const char *base_url, *model; /* NULL = not set; borrowed from `file` or the environment */
    const char *api_key;          /* NULL = not set */
    const char *ca_file, *ca_dir; /* CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR as curl has them */
    struct cJSON *file;           /* NULL = there is none */
};

/*
 * out:  c   zeroed first; release with cli_llm_config_release, also after an error
 * returns as cli_llm_open
 */
enum wi_status cli_llm_config_load(struct cli_llm_config *c, struct wi_err *err);
void cli_llm_config_release(struct cli_llm_config *c); /* wipes the file's key */

/* Prices of a model, per million tokens. */
bool cli_llm_config_price(const struct cli_llm_config *c, const char *model, double *prompt,
                          double *completion);

bool cli_stderr_is_terminal(void);

#endif
