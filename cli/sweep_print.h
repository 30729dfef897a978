/*
 * Output of sweep --summary and sweep --find.
 */
#ifndef WI_CLI_SWEEP_PRINT_H
#define WI_CLI_SWEEP_PRINT_H

#include "cli/cli.h"
#include "experiments/sweep_find.h"
#include "experiments/sweep_summary.h"

/* Print as table, JSON or CSV. returns the exit code */
int cli_print_summary(const struct wi_sweep_spec *spec, const struct wi_summary *summary,
                      enum cli_format format);

/* Search and print the answers. returns the exit code */
int cli_print_find(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                   const struct wi_sweep_question *question, enum cli_format format);

#endif
