/*
 * One declaration per command file.
 */
#ifndef WI_CLI_COMMANDS_H
#define WI_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct cli_command cmd_ask;
extern const struct cli_command cmd_predict;
extern const struct cli_command cmd_raid;
extern const struct cli_command cmd_sweep;
extern const struct cli_command cmd_export;
extern const struct cli_command cmd_search;
extern const struct cli_command cmd_prompt;
extern const struct cli_command cmd_experiments;
extern const struct cli_command cmd_principles;
extern const struct cli_command cmd_physics;
extern const struct cli_command cmd_fit;
extern const struct cli_command cmd_evaluate;
extern const struct cli_command cmd_import;
extern const struct cli_command cmd_log;
extern const struct cli_command cmd_doctor;

#endif
