#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/llm_options.h"

static const struct cli_option *const *predict_options(void)
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

static int run_predict(int argc, char **argv)
{
    struct wi_err err = {0};
    char **args = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_predict, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (n_args)
        return cli_usage_error("predict takes options only, '%s' is none; 'ask' reads words",
                               args[0]);
    if (wi_scenario_complete(&cli_scenario, &err) != WI_OK) {
        err.status = WI_EUSAGE; /* all of the scenario came from the command line */
        return cli_error(&err);
    }
    return cli_answer(&cli_scenario, 1, NULL, NULL);
}

const struct cli_command cmd_predict = {.name = "predict",
                                        .args = "[scenario options]",
                                        .summary = "answer a scenario given as options",
                                        .details = "",
                                        .options = predict_options,
                                        .run = run_predict};
