#include "cli/answer.h"
#include "cli/commands.h"

static int run_predict(int argc, char **argv)
{
    char **args = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_predict, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (n_args)
        return cli_usage_error("predict takes options only, '%s' is none; 'ask' reads words",
                               args[0]);
    code = cli_scenario_complete();
    if (code >= 0)
        return code;
    return cli_answer(&cli_scenario, 1, NULL, NULL);
}

const struct cli_command cmd_predict = {.name = "predict",
                                        .args = "[scenario options]",
                                        .summary = "answer a scenario given as options",
                                        .details = "",
                                        .options = cli_answer_tables,
                                        .run = run_predict};
