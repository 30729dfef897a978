/*
 * The prompt: templates of prompts/ filled with a scenario, numbered evidence and principles.
 */
#ifndef WI_PROMPTS_PROMPT_H
#define WI_PROMPTS_PROMPT_H

#include "core/prediction.h"

struct wi_prompt_options {
    size_t budget_tokens; /* whole prompt, by wi_prompt_tokens; 0 = the default, 1400 */
    bool no_cot;
    bool no_evidence;
    bool no_principles;
    bool no_estimate;  /* the evidence engine's estimate is withheld (also --blind) */
    size_t n_examples; /* worked examples */
};

/* What goes in. All borrowed. */
struct wi_prompt_input {
    const char *question; /* NULL = scenario only */
    const struct wi_scenario *scenario;
    const struct wi_item *evidence; /* most relevant first */
    size_t n_evidence;
    const struct wi_item *principles;
    size_t n_principles;
    const struct wi_forecast *estimate; /* NULL = withheld */
    const struct wi_item *examples;     /* experiments for worked examples */
    size_t n_examples;
};

struct wi_prompt {
    char *messages;    /* JSON array of {"role", "content"} */
    char *schema;      /* JSON Schema of the reply */
    char *sent_ids;    /* space separated ids that a reply may cite */
    char *dropped_ids; /* ids left out for the budget, "" = none */
    size_t n_tokens;   /* estimate for messages and schema */
    char version[32];  /* of the templates */
};
void wi_prompt_release(struct wi_prompt *p);

enum wi_status wi_prompt_build(const struct wi_prompt_input *in,
                               const struct wi_prompt_options *opt, struct wi_prompt *out,
                               struct wi_err *err);

/* Upper estimate of the tokens of a text, without a tokenizer. */
size_t wi_prompt_tokens(const char *text);

#endif
