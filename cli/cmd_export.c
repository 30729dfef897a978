#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "experiments/export.h"
#include "experiments/input.h"

static const char *const bound_names[] = {"change", "low", "high", NULL};

enum { BOUND_UNSET = -1 };

static struct {
    const char *base, *output, *base_ssd, *osds;
    struct wi_export_value values[WI_EXPORT_VALUES_MAX];
    size_t n_values;
    double percentile;
    int bound;
} options = {.percentile = NAN, .bound = BOUND_UNSET};

static enum wi_status add_value(void *value, const char *text, struct wi_err *err)
{
    enum wi_status st;

    (void)value;
    if (options.n_values == WI_EXPORT_VALUES_MAX)
        return wi_fail(err, WI_EUSAGE, "at most %d numbers", WI_EXPORT_VALUES_MAX);
    st = wi_export_value_parse(text, &options.values[options.n_values], err);
    for (size_t i = 0; st == WI_OK && i < options.n_values; i++) {
        if (strcmp(options.values[i].name, options.values[options.n_values].name) == 0)
            st = wi_fail(err, WI_EUSAGE, "'%s' is given twice", options.values[i].name);
    }
    options.n_values += st == WI_OK;
    return st;
}

static const struct cli_option export_table[] = {
    {"base", 0, "FILE", "the tool's own file, whose timing is scaled; - = standard input", CLI_TEXT,
     &options.base, 0, 0, NULL, NULL},
    {"set", 0, "NAME=NUMBER[UNIT]",
     "one base number instead of a file, e.g. pg_rd_lat=40us; repeat", CLI_CALL, NULL, 0, 0, NULL,
     add_value},
    {"output", 'o', "FILE", "where it goes (default standard output)", CLI_TEXT, &options.output, 0,
     0, NULL, NULL},
    {"percentile", 0, "P", "whose change scales page times (default the lowest predicted)",
     CLI_NUMBER, &options.percentile, WI_PERCENTILE_MIN, WI_PERCENTILE_MAX, NULL, NULL},
    {"bound", 0, "change|low|high", "the change, or an end of its interval (fio: high)", CLI_CHOICE,
     &options.bound, 0, 0, bound_names, NULL},
    {"base-ssd", 0, "NAME", "nvmevirt: the drive of ssd_config.h, as SAMSUNG_970PRO", CLI_TEXT,
     &options.base_ssd, 0, 0, NULL, NULL},
    {"osd", 0, "LIST", "ceph: the OSDs whose drives are exposed, e.g. 3,7", CLI_TEXT, &options.osds,
     0, 0, NULL, NULL},
    {0}};

static const struct cli_option *const *export_options(void)
{
    static const struct cli_option *tables[3];

    tables[0] = cli_scenario_options();
    tables[1] = export_table;
    return tables;
}

static int unknown_target(const char *name)
{
    char list[256] = "";

    for (size_t i = 0; wi_export_targets[i]; i++) {
        size_t n = strlen(list);

        snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", wi_export_targets[i]->name);
    }
    if (!name)
        return cli_usage_error("export takes one target: %s", list);
    return cli_usage_error("unknown target '%s', allowed is %s", name, list);
}

static int put(const char *text)
{
    struct wi_err err = {0};

    if (!options.output || strcmp(options.output, "-") == 0) {
        fputs(text, stdout); /* main checks stdout */
        return CLI_EXIT_OK;
    }
    return wi_output_save(options.output, text, strlen(text), &err) == WI_OK ? CLI_EXIT_OK
                                                                             : cli_error(&err);
}

static int export_to(const struct wi_export_target *target, const struct wi_export_options *opt)
{
    struct wi_session *session = NULL;
    struct wi_err err = {0};
    char *text = NULL;
    int code = cli_open_session(false, &session);

    if (code < 0)
        code = wi_export_run(session, target, &cli_scenario, opt, &text, &err) == WI_OK
                   ? put(text)
                   : cli_error(&err);
    wi_session_close(session);
    free(text);
    return code;
}

static int run_export(int argc, char **argv)
{
    struct wi_export_options opt = {0};
    const struct wi_export_target *target;
    struct wi_err err = {0};
    char **args = NULL;
    char *base = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_export, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (cli_common.format != CLI_TABLE)
        return cli_usage_error("export writes in the form of its target, --format does not apply");
    target = n_args == 1 ? wi_export_find(args[0]) : NULL;
    if (!target)
        return unknown_target(n_args == 1 ? args[0] : NULL);
    code = cli_scenario_complete();
    if (code >= 0)
        return code;
    if (options.base && wi_input_read_all(options.base, WI_EXPORT_BASE_MAX, &base, &opt.base_len,
                                          NULL, &err) != WI_OK)
        return cli_error(&err);
    opt.base = base;
    opt.base_name = options.base ? wi_input_name(options.base) : NULL;
    opt.values = options.values;
    opt.n_values = options.n_values;
    opt.percentile = options.percentile;
    opt.bound = options.bound;
    opt.base_ssd = options.base_ssd;
    opt.osds = options.osds;
    code = export_to(target, &opt);
    free(base);
    return code;
}

const struct cli_command cmd_export = {
    .name = "export",
    .args = "TARGET [scenario options] (--base FILE | --set NAME=NUMBER...) [-o FILE]",
    .summary = "a prediction for a simulator or tool",
    .details =
        "TARGET is one of\n"
        "  fio        a job: predicted percentiles as assertion and latency_target\n"
        "  mqsim      MQSim's ssdconfig.xml, page times in ns\n"
        "  simplessd  SimpleSSD 2.0's INI configuration, page times in ps\n"
        "  femu       FEMU's command line or run script, page times in ns\n"
        "  nvmevirt   NVMeVirt's ssd_config.h, page times in ns\n"
        "  ceph       commands for primary affinity, from ceph osd tree --format json\n"
        "  csv        latency and bandwidth before and after, us and MB/s\n"
        "The base for fio and csv is what fio printed as JSON before the exposure. Page\n"
        "reads follow the change of read latency, page programs that of write latency, both\n"
        "at --percentile; the rest of the base stays as it is. A comment says what was done.",
    .options = export_options,
    .run = run_export};
