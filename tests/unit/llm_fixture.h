/*
 * A question with evidence, principles and an estimate, for the tests of prompts/.
 */
#ifndef WI_TESTS_LLM_FIXTURE_H
#define WI_TESTS_LLM_FIXTURE_H

#include "prompts/llm.h"

struct llm_fixture {
    struct wi_scenario scenario;
    struct wi_item evidence[4], principles[3], examples[1];
    struct wi_forecast estimate;
    struct wi_prompt_input in;
};

/* TLC, read, running, 22.5 C to 60 C, p99 and p99.9. */
void llm_fixture_init(struct llm_fixture *f);

/* A reply that passes every check, as the content of a chat completion. */
extern const char llm_good_reply[];

/* A log in memory, with the same promises as the store's. */
struct llm_log;
struct llm_log *llm_log_new(void);
void llm_log_free(struct llm_log *log);
struct wi_reply_log *llm_log_table(struct llm_log *log);
size_t llm_log_count(const struct llm_log *log);
/* All bytes that the log holds, for searching. */
const char *llm_log_dump(struct llm_log *log);

#endif
