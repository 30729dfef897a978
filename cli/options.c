#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "core/json.h"
#include "core/utf8.h"

#define OPTIONS_MAX 96
#define LONG_BASE 1000 /* getopt value of the i-th option: LONG_BASE + i */

struct cli_common cli_common;

static const char *const format_names[] = {"table", "json", "csv", NULL};

static const struct cli_option common_options[] = {
    {.name = "format",
     .arg = "table|json|csv",
     .help = "form of the output (default table)",
     .type = CLI_CHOICE,
     .value = &cli_common.format,
     .choices = format_names},
    {.name = "db",
     .arg = "FILE",
     .help = "knowledge base; default $SSD_WHATIF_DB, else the XDG data directory",
     .type = CLI_TEXT,
     .value = &cli_common.db},
    {.name = "quiet",
     .letter = 'q',
     .help = "no notes on stderr",
     .type = CLI_FLAG,
     .value = &cli_common.quiet},
    {.name = "help",
     .letter = 'h',
     .help = "show this help",
     .type = CLI_FLAG,
     .value = &cli_common.help},
    {0}};

/* All rows that apply to one command, in the order of its tables, the common ones last. */
struct option_set {
    const struct cli_option *rows[OPTIONS_MAX];
    size_t n;
};

static bool has_row(const struct option_set *set, const char *name)
{
    for (size_t i = 0; i < set->n; i++) {
        if (strcmp(set->rows[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* A command's own row stands for a common one of the same name. */
static void collect_table(struct option_set *set, const struct cli_option *table)
{
    for (; table->name && set->n < OPTIONS_MAX; table++) {
        if (!has_row(set, table->name))
            set->rows[set->n++] = table;
    }
}

static void collect_options(const struct cli_command *cmd, struct option_set *set)
{
    set->n = 0;
    if (cmd->options) {
        for (const struct cli_option *const *table = cmd->options(); *table; table++)
            collect_table(set, *table);
    }
    collect_table(set, common_options);
}

int cli_exit_code(enum wi_status st)
{
    switch (st) {
    case WI_OK:
        return CLI_EXIT_OK;
    case WI_EUSAGE:
        return CLI_EXIT_USAGE;
    case WI_EDATA:
    case WI_ERANGE:
    case WI_ENOTFOUND:
    case WI_ENUMERIC:
        return CLI_EXIT_INPUT;
    case WI_ENET:
        return CLI_EXIT_ENDPOINT;
    case WI_ECANCEL:
    case WI_EIO:
    case WI_EBUSY:
    case WI_ENOMEM:
        return CLI_EXIT_IO;
    }
    return CLI_EXIT_IO;
}

/*
 * C0 controls, DEL and the C1 range could drive a terminal, and so could bytes that are no UTF-8
 * (0x9b is CSI to an 8-bit one); marks of writing direction could show other text than there is.
 */
static bool is_unsafe(const char *p, size_t n)
{
    unsigned char c = (unsigned char)p[0];
    unsigned char last = n ? (unsigned char)p[n - 1] : 0;

    if (n <= 1)
        return n == 0 || c < 0x20 || c == 0x7f;
    if (n == 2)
        return c == 0xc2 && last <= 0x9f;
    /* U+202A to U+202E, U+2066 to U+2069 */
    return (strncmp(p, "\xe2\x80", 2) == 0 && last >= 0xaa && last <= 0xae) ||
           (strncmp(p, "\xe2\x81", 2) == 0 && last >= 0xa6 && last <= 0xa9);
}

static void print_safely(FILE *out, const char *text, bool one_line)
{
    while (*text) {
        size_t n = wi_utf8_length(text);
        bool is_layout = !one_line && (*text == '\n' || *text == '\t');

        if (is_unsafe(text, n) && !is_layout)
            fputc('?', out);
        else
            fwrite(text, 1, n, out);
        text += n ? n : 1;
    }
}

/* One line, whatever names and arguments the message quotes. */
static void print_line(const char *prefix, const char *text)
{
    fputs(prefix, stderr);
    print_safely(stderr, text, true);
    fputc('\n', stderr);
}

int cli_error(const struct wi_err *err)
{
    print_line("ssd-whatif: ", err->msg);
    return cli_exit_code(err->status);
}

int cli_usage_error(const char *fmt, ...)
{
    struct wi_err err = {.status = WI_EUSAGE};
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(err.msg, sizeof(err.msg), fmt, ap);
    va_end(ap);
    return cli_error(&err);
}

void cli_note(void *ctx, const char *line)
{
    (void)ctx;
    if (cli_common.quiet)
        return;
    print_line("ssd-whatif: note: ", line);
}

static int set_number(const struct cli_option *o, const char *text)
{
    char *end = NULL;
    double value;

    errno = 0;
    value = strtod(text, &end);
    if (end == text || *end || errno == ERANGE || !isfinite(value))
        return cli_usage_error("--%s: '%s' is not a number", o->name, text);
    if (value < o->min || value > o->max)
        return cli_usage_error("--%s: %s is out of range, allowed is %g to %g", o->name, text,
                               o->min, o->max);
    *(double *)o->value = value;
    return -1;
}

static int set_count(const struct cli_option *o, const char *text)
{
    char *end = NULL;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || errno == ERANGE)
        return cli_usage_error("--%s: '%s' is not a whole number", o->name, text);
    if ((double)value < o->min || (double)value > o->max)
        return cli_usage_error("--%s: %s is out of range, allowed is %.0f to %.0f", o->name, text,
                               o->min, o->max);
    *(size_t *)o->value = (size_t)value;
    return -1;
}

static int set_choice(const struct cli_option *o, const char *text)
{
    char allowed[256] = "";

    for (int i = 0; o->choices[i]; i++) {
        size_t used = strlen(allowed);

        if (strcmp(o->choices[i], text) == 0) {
            *(int *)o->value = i;
            return -1;
        }
        snprintf(allowed + used, sizeof(allowed) - used, "%s%s", i ? ", " : "", o->choices[i]);
    }
    return cli_usage_error("--%s: '%s' is unknown, allowed is %s", o->name, text, allowed);
}

static int set_by_call(const struct cli_option *o, const char *text)
{
    struct wi_err err = {0};
    enum wi_status st = o->call(o->value, text, &err);

    if (st == WI_OK)
        return -1;
    /* A value on the command line that is malformed or out of range is a usage error. */
    if (st == WI_ERANGE || st == WI_EDATA)
        st = WI_EUSAGE;
    return cli_exit_code(st) == CLI_EXIT_USAGE ? cli_usage_error("--%s: %s", o->name, err.msg)
                                               : (err.status = st, cli_error(&err));
}

static int set_by_file(const struct cli_option *o, const char *text)
{
    struct wi_err err = {0};

    return o->call(o->value, text, &err) == WI_OK ? -1 : cli_error(&err);
}

static int set_option(const struct cli_option *o, const char *text)
{
    switch (o->type) {
    case CLI_FLAG:
        *(bool *)o->value = true;
        return -1;
    case CLI_TEXT:
        *(const char **)o->value = text;
        return -1;
    case CLI_NUMBER:
        return set_number(o, text);
    case CLI_COUNT:
        return set_count(o, text);
    case CLI_CHOICE:
        return set_choice(o, text);
    case CLI_CALL:
        return set_by_call(o, text);
    case CLI_FILE:
        return set_by_file(o, text);
    }
    return -1;
}

static void print_option(const struct cli_option *o)
{
    char left[64];
    char letter[8] = "    ";

    if (o->letter)
        snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    if (strlen(left) > 28)
        printf("  %s\n  %-28s  %s\n", left, "", o->help);
    else
        printf("  %-28s  %s\n", left, o->help);
}

static void print_help(const struct cli_command *cmd, const struct option_set *set)
{
    printf("Usage: ssd-whatif %s %s\n\n%s\n", cmd->name, cmd->args, cmd->summary);
    if (cmd->details && *cmd->details)
        printf("\n%s\n", cmd->details);
    printf("\nOptions:\n");
    for (size_t i = 0; i < set->n; i++)
        print_option(set->rows[i]);
}

static int bad_option(const struct cli_command *cmd, int code, char **argv, int index)
{
    const char *word = index > 0 ? argv[index] : "?";

    if (code == ':')
        return cli_usage_error("option '%s' of %s needs a value; see 'ssd-whatif %s --help'", word,
                               cmd->name, cmd->name);
    return cli_usage_error("unknown option '%s' of %s; see 'ssd-whatif %s --help'", word, cmd->name,
                           cmd->name);
}

int cli_parse(const struct cli_command *cmd, int argc, char **argv, size_t *n_args, char ***args)
{
    struct option_set set;
    struct option longs[OPTIONS_MAX + 1] = {{0}};
    char shorts[2 * OPTIONS_MAX + 2] = ":";
    size_t n_shorts = 1;
    int code;

    collect_options(cmd, &set);
    for (size_t i = 0; i < set.n; i++) {
        const struct cli_option *o = set.rows[i];

        longs[i] = (struct option){.name = o->name,
                                   .has_arg = o->type == CLI_FLAG ? no_argument : required_argument,
                                   .val = LONG_BASE + (int)i};
        if (o->letter) {
            shorts[n_shorts++] = o->letter;
            if (o->type != CLI_FLAG)
                shorts[n_shorts++] = ':';
        }
    }
    shorts[n_shorts] = '\0';
    optind = 1;
    opterr = 0;
    while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct cli_option *o = NULL;
        int done;

        if (code >= LONG_BASE)
            o = set.rows[code - LONG_BASE];
        for (size_t i = 0; i < set.n && !o && code < LONG_BASE; i++) {
            if (set.rows[i]->letter == code)
                o = set.rows[i];
        }
        if (!o)
            return bad_option(cmd, code, argv, optind - 1);
        done = set_option(o, optarg);
        if (done >= 0)
            return done;
    }
    if (cli_common.help) {
        print_help(cmd, &set);
        return CLI_EXIT_OK;
    }
    *n_args = (size_t)(argc - optind);
    *args = argv + optind;
    return -1;
}

int cli_print_json(cJSON *json)
{
    struct wi_err err = {0};
    char *text = NULL;
    enum wi_status st = json ? wi_json_format(json, true, &text, &err) : wi_fail_nomem(&err);

    cJSON_Delete(json);
    if (st != WI_OK)
        return cli_error(&err);
    puts(text);
    free(text);
    return CLI_EXIT_OK;
}

bool cli_has_color(void)
{
    const char *no_color = getenv("NO_COLOR");

    return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

void cli_print_text(FILE *out, const char *text)
{
    print_safely(out, text, false);
}
