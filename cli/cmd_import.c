#include <cjson/cJSON.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "experiments/experiments_io.h"
#include "experiments/exposure_series.h"
#include "experiments/import.h"

static struct {
    const char *baselines[WI_IMPORT_BASELINES_MAX];
    size_t n_baselines;
    const char *smart, *out, *columns;
    int date_order; /* index into date_orders */
    double interval_s;
    bool template;
} options;

static const char *const date_orders[] = {"auto", "dmy", "mdy", NULL};

static volatile sig_atomic_t stopped;

static void on_interrupt(int signal)
{
    (void)signal;
    stopped = 1;
}

static enum wi_status add_baseline(void *value, const char *text, struct wi_err *err)
{
    (void)value;
    if (options.n_baselines == WI_IMPORT_BASELINES_MAX)
        return wi_fail(err, WI_EUSAGE, "at most %d baselines", WI_IMPORT_BASELINES_MAX);
    options.baselines[options.n_baselines++] = text;
    return WI_OK;
}

static const struct cli_option table[] = {
    {"baseline", 0, "FILE", "fio: a run of the same drive before the exposure; may be repeated",
     CLI_CALL, NULL, 0, 0, NULL, add_baseline},
    {"smart", 0, "FILE", "fio: smartctl or nvme snapshot of the drive, kept with the run", CLI_TEXT,
     &options.smart, 0, 0, NULL, NULL},
    {"out", 'o', "FILE", "sensors, smartctl, nvme: write the exposure file here", CLI_TEXT,
     &options.out, 0, 0, NULL, NULL},
    {"columns", 0, "KEY=NAME,...", "sensors: which column is time, temp, rh, grms, freq, acc_x ...",
     CLI_TEXT, &options.columns, 0, 0, NULL, NULL},
    {"date-order", 0, "auto|dmy|mdy", "sensors: order of dates such as 03/04/2026", CLI_CHOICE,
     &options.date_order, 0, 0, date_orders, NULL},
    {"interval", 0, "SECONDS", "sensors, nvme: seconds between rows that carry no time", CLI_NUMBER,
     &options.interval_s, 1e-6, 1e9, NULL, NULL},
    {"template", 0, NULL, "csv: print an empty observation table and stop", CLI_FLAG,
     &options.template, 0, 0, NULL, NULL},
    {0}};

static const struct cli_option *const *import_options(void)
{
    static const struct cli_option *tables[3];

    tables[0] = table;
    tables[1] = cli_scenario_options();
    return tables;
}

/* ---- output ----------------------------------------------------------------------------- */

static const char *outcome_name(enum wi_import_outcome outcome)
{
    static const char *const names[] = {"added", "already imported", "read"};

    return names[outcome];
}

static int print_json(const struct wi_import_report *r)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(root, "files");

    for (size_t i = 0; i < r->n_files; i++) {
        const struct wi_import_file *f = &r->files[i];
        cJSON *row = cJSON_CreateObject();

        cJSON_AddStringToObject(row, "file", f->file);
        cJSON_AddStringToObject(row, "outcome", outcome_name(f->outcome));
        cJSON_AddStringToObject(row, "experiments", f->ids);
        cJSON_AddNumberToObject(row, "n_observations", (double)f->n_observations);
        if (f->summary)
            cJSON_AddStringToObject(row, "state", f->summary);
        cJSON_AddItemToArray(list, row);
    }
    cJSON_AddNumberToObject(root, "n_added", (double)r->n_added);
    if (r->document)
        cJSON_AddItemToObject(root, "exposure", cJSON_Parse(r->document));
    return cli_print_json(root);
}

static void print_csv(const struct wi_import_report *r)
{
    static const char *const names[] = {"file", "outcome", "experiments", "n_observations"};

    cli_print_csv_row((char *const *)names, 4);
    for (size_t i = 0; i < r->n_files; i++) {
        char count[24];
        char *row[4] = {r->files[i].file, (char *)outcome_name(r->files[i].outcome),
                        r->files[i].ids, count};

        snprintf(count, sizeof(count), "%zu", r->files[i].n_observations);
        cli_print_csv_row(row, 4);
    }
}

static void print_lines(const struct wi_import_report *r)
{
    for (size_t i = 0; i < r->n_files; i++) {
        const struct wi_import_file *f = &r->files[i];

        cli_print_text(stdout, f->file);
        printf(": %s", outcome_name(f->outcome));
        if (*f->ids) {
            fputs(f->outcome == WI_IMPORT_KNOWN ? " as " : " ", stdout);
            cli_print_text(stdout, f->ids);
        }
        if (f->outcome == WI_IMPORT_ADDED)
            printf(", %zu observation%s", f->n_observations, f->n_observations == 1 ? "" : "s");
        if (f->outcome == WI_IMPORT_KNOWN)
            fputs(", nothing added", stdout);
        putchar('\n');
        if (f->summary) {
            fputs("  ", stdout);
            cli_print_text(stdout, f->summary);
            putchar('\n');
        }
    }
}

static int print_report(const struct wi_import_report *r)
{
    if (cli_common.format == CLI_JSON)
        return print_json(r);
    if (r->document && !options.out) { /* the exposure file is the result */
        puts(r->document);
        return CLI_EXIT_OK;
    }
    if (cli_common.format == CLI_CSV)
        print_csv(r);
    else
        print_lines(r);
    return CLI_EXIT_OK;
}

static void show_progress(void *ctx, const char *line)
{
    if (isatty(STDERR_FILENO))
        cli_note(ctx, line);
}

static enum wi_status write_stdout(void *ctx, const char *text, size_t n, struct wi_err *err)
{
    (void)ctx;
    return fwrite(text, 1, n, stdout) == n
               ? WI_OK
               : wi_fail(err, WI_EIO, "cannot write to standard output");
}

/* ---- the command ------------------------------------------------------------------------ */

static int import_files(const char *kind, char **files, size_t n)
{
    struct wi_series_options series = {.date_order = "\0dm"[options.date_order],
                                       .interval_s = options.interval_s,
                                       .columns = options.columns};
    struct wi_import_options opt = {.scenario = &cli_scenario,
                                    .baselines = options.baselines,
                                    .n_baselines = options.n_baselines,
                                    .smart = options.smart,
                                    .series = &series,
                                    .out = options.out,
                                    .stop = &stopped,
                                    .note = cli_note,
                                    .progress = show_progress};
    struct wi_import_report report = {0};
    struct wi_session *session = NULL;
    struct wi_err err = {0};
    bool stores = strcmp(kind, "sensors") != 0 && !options.out;
    enum wi_status st;
    int code = stores ? cli_open_session(true, &session) : -1;

    if (code >= 0)
        return code;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    st = wi_import_files(session ? wi_session_store(session) : NULL, kind,
                         (const char *const *)files, n, &opt, &report, &err);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (st == WI_OK || report.n_files)
        code = print_report(&report);
    /* The fit knows only how far the published drives differ; the own ones may differ by far more.
     */
    if (st == WI_OK && stores && report.n_added)
        cli_note(NULL, "answers use the new rows at once; 'ssd-whatif fit' (a second) adapts the "
                       "width of the intervals to them too");
    if (st != WI_OK)
        code = cli_error(&err);
    wi_import_report_release(&report);
    wi_session_close(session);
    return code;
}

static int print_template(const char *kind, size_t n_args)
{
    struct wi_err err = {0};

    if (strcmp(kind, "csv") != 0 || n_args != 1)
        return cli_usage_error("--template goes with 'import csv' and no file");
    if (cli_common.format == CLI_JSON)
        return cli_usage_error("the template is CSV, --format json does not apply");
    return wi_experiments_template(write_stdout, NULL, &err) == WI_OK ? CLI_EXIT_OK
                                                                      : cli_error(&err);
}

static int run_import(int argc, char **argv)
{
    char **args = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_import, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (!n_args || !wi_import_kind_find(args[0]))
        return cli_usage_error(
            "import takes a kind and files: fio, smartctl, nvme, csv or sensors");
    if (options.template)
        return print_template(args[0], n_args);
    if (n_args < 2)
        return cli_usage_error("no file to import: 'ssd-whatif import %s FILE...'", args[0]);
    if (strcmp(args[0], "fio") != 0 && (options.n_baselines || options.smart))
        return cli_usage_error("--baseline and --smart go with 'import fio' only");
    code = cli_scenario_complete();
    if (code >= 0)
        return code;
    if (strcmp(args[0], "fio") == 0 && !*cli_scenario.device)
        cli_note(NULL, "without --device NAME the run is not known as this drive's own");
    return import_files(args[0], args + 1, n_args - 1);
}

const struct cli_command cmd_import = {
    .name = "import",
    .args = "fio|smartctl|nvme|csv|sensors FILE... [scenario options]",
    .summary = "add your own measurements to the stored experiments",
    .details =
        "fio       JSON output (json or json+). The scenario options say which drive it was and "
        "what it\n"
        "          went through; with --baseline the change is computed with its sampling error,\n"
        "          without it the figures are kept and no change is claimed.\n"
        "smartctl  output of smartctl -j: the state of a drive; with -o a temperature series.\n"
        "nvme      output of nvme smart-log -o json: the same.\n"
        "csv       the observation table that --template prints and 'experiments export' writes.\n"
        "sensors   a CSV time series of temperature, humidity, vibration: an exposure file for "
        "--exposure.\n"
        "A file that was imported before adds nothing.",
    .options = import_options,
    .run = run_import};
