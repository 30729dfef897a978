/*
 * All commands, in the order of the overview. A command is one file plus one row here.
 */
#include "cli/commands.h"

const struct cli_command *const cli_commands[] = {
    &cmd_ask,         &cmd_predict,    &cmd_sweep,  &cmd_raid,
    &cmd_export,      &cmd_search,     &cmd_prompt, &cmd_import,
    &cmd_experiments, &cmd_principles, &cmd_fit,    &cmd_evaluate,
    &cmd_physics,     &cmd_log,        &cmd_doctor, NULL,
};
