#include <stdlib.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/llm_options.h"
#include "core/question.h"

static const struct cli_option *const *prompt_options(void)
{
    static const struct cli_option *tables[6];

    tables[0] = cli_scenario_options();
    tables[1] = cli_answer_options();
    tables[2] = cli_prompt_table();
    tables[3] = cli_embedder_table();
    tables[4] = cli_network_table();
    return tables;
}

static int prompt_for_question(char *text)
{
    struct wi_reading reading = {0};
    struct wi_err err = {0};
    int code;

    if (wi_question_parse(text, &cli_scenario, &reading, &err) != WI_OK)
        code = cli_error(&err);
    else if (reading.n_scenarios > 1)
        code = cli_usage_error("the question is about %zu devices, which makes as many prompts; "
                               "choose one with --nand",
                               reading.n_scenarios);
    else
        code = cli_answer_prompt(&reading.scenarios[0], text);
    wi_reading_release(&reading);
    return code;
}

static int run_prompt(int argc, char **argv)
{
    char **args = NULL;
    char *text = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_prompt, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (n_args == 0) {
        code = cli_scenario_complete();
        return code < 0 ? cli_answer_prompt(&cli_scenario, NULL) : code;
    }
    code = cli_read_operand(n_args, args, "question", &text);
    if (code < 0)
        code = prompt_for_question(text);
    free(text);
    return code;
}

const struct cli_command cmd_prompt = {.name = "prompt",
                                       .args = "[\"QUESTION\"] [scenario options]",
                                       .summary = "print the exact prompt that would be sent",
                                       .details = "",
                                       .options = prompt_options,
                                       .run = run_prompt};
