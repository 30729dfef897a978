#include <stdlib.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/llm_options.h"
#include "core/question.h"

static const struct cli_option *const *ask_options(void)
{
    static const struct cli_option *tables[7];

    tables[0] = cli_scenario_options();
    tables[1] = cli_answer_options();
    tables[2] = cli_prompt_table();
    tables[3] = cli_llm_table();
    tables[4] = cli_embedder_table();
    tables[5] = cli_network_table();
    return tables;
}

static int run_ask(int argc, char **argv)
{
    struct wi_reading reading = {0};
    struct wi_err err = {0};
    char **args = NULL;
    char *text = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_ask, argc, argv, &n_args, &args);

    if (code < 0)
        code = cli_read_operand(n_args, args, "question", &text);
    if (code >= 0)
        return code;
    if (wi_question_parse(text, &cli_scenario, &reading, &err) != WI_OK)
        code = cli_error(&err);
    else
        code = cli_answer(reading.scenarios, reading.n_scenarios, text, &reading.warnings);
    wi_reading_release(&reading);
    free(text);
    return code;
}

const struct cli_command cmd_ask = {
    .name = "ask",
    .args = "\"QUESTION\" [scenario options]",
    .summary = "answer a question in words",
    .details = "QUESTION is read by rules, in English and, for plain questions, German, Spanish,\n"
               "French or Chinese. Options win over words. - reads the question from stdin.",
    .options = ask_options,
    .run = run_ask};
