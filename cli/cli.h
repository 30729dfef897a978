/*
 * The frame of the program: option tables, commands, output helpers.
 */
#ifndef WI_CLI_CLI_H
#define WI_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/scenario.h"

enum cli_type {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_NUMBER, /* double, min..max */
    CLI_COUNT,  /* size_t, min..max */
    CLI_CHOICE, /* int, index into `choices` */
    CLI_CALL,   /* call(ctx, text, err); what it refuses is a mistake of the command line */
    CLI_FILE    /* the same for a file, whose faults keep their own exit code */
};

/* One option. Tables end with a row whose name is NULL. */
struct cli_option {
    const char *name; /* "temp", without dashes */
    char letter;      /* short form, 0 = none */
    const char *arg;  /* metavariable for help; NULL for a flag */
    const char *help; /* one line */
    enum cli_type type;
    void *value;
    double min, max;
    const char *const *choices; /* NULL-terminated */
    enum wi_status (*call)(void *value, const char *text, struct wi_err *err);
};

enum cli_format { CLI_TABLE, CLI_JSON, CLI_CSV };

/* Options every command has. */
struct cli_common {
    int format; /* enum cli_format */
    const char *db;
    bool quiet;
    bool help;
};

/* Exit codes of the program. */
enum {
    CLI_EXIT_OK = 0,
    CLI_EXIT_IO = 1,
    CLI_EXIT_USAGE = 2,
    CLI_EXIT_INPUT = 3,
    CLI_EXIT_ENDPOINT = 4
};
int cli_exit_code(enum wi_status st);

struct cli_command {
    const char *name;
    const char *args;    /* "\"QUESTION\" [scenario options]" */
    const char *summary; /* one line */
    const char *details; /* more for --help; "" = none */
    /* tables of options, NULL-terminated list; a function, since tables point into static storage
     */
    const struct cli_option *const *(*options)(void);
    int (*run)(int argc, char **argv);
};
extern const struct cli_command *const cli_commands[]; /* NULL-terminated, cli/commands.c */

extern struct cli_common cli_common;

/*
 * Parse argv[1..] by the command's tables and the common options.
 * out:  n_args, args   the operands, in order (pointers into argv)
 * returns -1 to go on, else the exit code (help was printed, or an error)
 */
int cli_parse(const struct cli_command *cmd, int argc, char **argv, size_t *n_args, char ***args);

/* Print "ssd-whatif: <message>" on stderr and return the exit code of the error. */
int cli_error(const struct wi_err *err);
int cli_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A wi_note_fn: "ssd-whatif: note: <line>" on stderr unless --quiet. */
void cli_note(void *ctx, const char *line);

/* Shared scenario options (cli/scenario_options.c): the table, and the scenario it fills. */
extern struct wi_scenario cli_scenario;
const struct cli_option *cli_scenario_options(void);

/* Complete it where all of it came from the command line. -1 to go on, else the exit code. */
int cli_scenario_complete(void);

/* Print a JSON document on stdout, indented, with a final newline; takes ownership. */
struct cJSON;
int cli_print_json(struct cJSON *json);

/* True when stdout is a terminal and NO_COLOR is not set. */
bool cli_has_color(void);

/* Print text from outside without control sequences. */
void cli_print_text(FILE *out, const char *text);

#endif
