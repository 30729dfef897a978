/*
 * The prompt: templates of prompts/ filled with a scenario, numbered evidence and principles.
 */
#ifndef WI_PROMPTS_PROMPT_H
#define WI_PROMPTS_PROMPT_H

#include "core/prediction.h"

/*
 * Default lengths of messages and reply, in tokens by wi_prompt_tokens: together they fit a context
 * of 2,048 tokens for up to WI_PROMPT_PERCENTILES percentiles. Each further percentile adds to
 * both.
 */
#define WI_PROMPT_BUDGET 1400
#define WI_PROMPT_REPLY 640
#define WI_PROMPT_PERCENTILES 6

struct wi_prompt_options {
    size_t budget_tokens; /* of the messages; 0 = the default */
    bool no_cot;
    bool no_evidence;
    bool no_principles;
    bool no_estimate;  /* the evidence engine's estimate is withheld (also --blind) */
    size_t n_examples; /* worked examples wanted, at most in->n_examples are there */
};

/* What goes in. All borrowed. */
struct wi_prompt_input {
    const char *question; /* NULL = scenario only */
    const struct wi_scenario *scenario;
    const struct wi_item *evidence; /* most relevant first */
    size_t n_evidence;
    const struct wi_item *principles; /* likewise */
    size_t n_principles;
    const struct wi_forecast *estimate; /* NULL = none; the reply is combined with it */
    /* experiments for worked examples: none may share a source with the question's evidence */
    const struct wi_item *examples;
    size_t n_examples;
    /* lowest and highest change ever measured, percent; both 0 = unknown, no check against it */
    double measured_tail_pct[2], measured_bandwidth_pct[2];
};

/* One numbered piece of data that a reply may cite. */
struct wi_sent {
    char tag[8];        /* "E1" experiment, "P1" principle, "M1" estimate, "X1" example */
    char id[WI_ID_MAX]; /* of the item; "" for the estimate */
    char *text;         /* as it stands in the prompt, one line */
};

struct wi_prompt {
    char *messages;    /* JSON array of {"role", "content"} */
    char *schema;      /* JSON Schema of the reply, one line */
    char *sent_ids;    /* space separated ids that a reply may cite */
    char *dropped_ids; /* ids left out for the budget, least relevant first, "" = none */
    struct wi_sent *sent;
    size_t n_sent;
    /*
     * Upper estimate for the messages. The schema is not in it: local servers, whose contexts are
     * short, turn it into a grammar; hosted ones charge for it, about 400 tokens.
     */
    size_t n_tokens;
    char version[32]; /* of the templates */
};
void wi_prompt_release(struct wi_prompt *p);

/*
 * Fill the templates. What does not fit the budget is dropped, least relevant first: evidence and
 * principles, each from the end of its list and from the longer list first, before the best of each
 * the examples, which only come when asked for, then the estimate, then the end of the question;
 * the prompt says how many items are missing.
 *
 * out:  out   release with wi_prompt_release
 * returns WI_OK; WI_ERANGE if the fixed part alone is over the budget, with the least that works
 */
enum wi_status wi_prompt_build(const struct wi_prompt_input *in,
                               const struct wi_prompt_options *opt, struct wi_prompt *out,
                               struct wi_err *err);

/*
 * Upper estimate of the tokens of a text, without a tokenizer: a word counts one for its first five
 * letters and one for each four more, capitals one each, as does every digit, a blank before a
 * digit, two marks in a row, a line end, a byte beyond ASCII. Fitted to stay above the tokenizer of
 * SmolLM2, which splits numbers into digits; 17 % above it on the stored principles.
 */
size_t wi_prompt_tokens(const char *text);

/* Default budget and default limit of the reply for n percentiles. */
size_t wi_prompt_default_budget(size_t n_percentiles);
size_t wi_prompt_default_reply(size_t n_percentiles, bool no_cot);

/*
 * A template of prompts/ with its {{names}} filled in.
 * in:   pairs   n_pairs of name, value
 * returns WI_OK; WI_EDATA for an unknown name in the template
 */
enum wi_status wi_template_fill(const char *path, const char *const (*pairs)[2], size_t n_pairs,
                                char **text, struct wi_err *err);

#endif
