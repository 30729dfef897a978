/*
 * What the LLM engine is given beside the retrieved items: worked examples and the range of all
 * that was ever measured.
 */
#ifndef WI_EXPERIMENTS_LLM_INPUT_H
#define WI_EXPERIMENTS_LLM_INPUT_H

#include "knowledge/search.h"
#include "prompts/prompt.h"

struct wi_llm_input {
    struct wi_prompt_input in;
    struct wi_item *examples;
    size_t n_examples;
};

/*
 * in:   p            question, scenario, evidence, principles and the evidence engine's forecast;
 *                    borrowed by the result
 *       n_examples   wanted; examples share no source with the evidence, so that they show the form
 *                    of an answer and not the answer
 * out:  out          release with wi_llm_input_release
 */
enum wi_status wi_llm_input_make(struct wi_store *store, struct wi_knowledge *k,
                                 const struct wi_prediction *p, size_t n_examples,
                                 struct wi_llm_input *out, struct wi_err *err);
void wi_llm_input_release(struct wi_llm_input *input);

#endif
