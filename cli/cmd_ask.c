#include <stdlib.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "core/question.h"

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
    .options = cli_answer_tables,
    .run = run_ask};
