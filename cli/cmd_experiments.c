#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "core/json.h"
#include "experiments/experiments_io.h"

static struct {
    const char *source, *device, *vendor;
    enum wi_nand nand;
    enum wi_phase phase;
    bool has_nand, has_phase, own;
} options;

static enum wi_status set_nand(void *value, const char *text, struct wi_err *err)
{
    (void)value;
    if (!wi_nand_parse(text, &options.nand))
        return wi_fail(err, WI_EUSAGE, "'%s' is unknown, allowed is slc, mlc, tlc, qlc, unknown",
                       text);
    options.has_nand = true;
    return WI_OK;
}

static enum wi_status set_phase(void *value, const char *text, struct wi_err *err)
{
    (void)value;
    if (!wi_phase_parse(text, &options.phase))
        return wi_fail(err, WI_EUSAGE, "'%s' is unknown, allowed is running, post, long_term",
                       text);
    options.has_phase = true;
    return WI_OK;
}

static const struct cli_option table[] = {
    {"source", 0, "ID", "only experiments of this source", CLI_TEXT, &options.source, 0, 0, NULL,
     NULL},
    {"device", 0, "NAME", "only this drive", CLI_TEXT, &options.device, 0, 0, NULL, NULL},
    {"vendor", 0, "NAME", "only this vendor", CLI_TEXT, &options.vendor, 0, 0, NULL, NULL},
    {"nand", 0, "TYPE", "only this NAND type", CLI_CALL, NULL, 0, 0, NULL, set_nand},
    {"phase", 0, "PHASE", "only this phase", CLI_CALL, NULL, 0, 0, NULL, set_phase},
    {"own", 0, NULL, "only your own, not what came with the program", CLI_FLAG, &options.own, 0, 0,
     NULL, NULL},
    {0}};

static const struct cli_option *const *experiments_options(void)
{
    static const struct cli_option *const tables[] = {table, NULL};

    return tables;
}

static struct wi_experiment_filter make_filter(const char *id)
{
    static const bool not_embedded = false;

    return (struct wi_experiment_filter){.id = id,
                                         .source = options.source,
                                         .device = options.device,
                                         .vendor = options.vendor,
                                         .nand = options.has_nand ? &options.nand : NULL,
                                         .phase = options.has_phase ? &options.phase : NULL,
                                         .embedded = options.own ? &not_embedded : NULL};
}

/* The condition of an experiment in one line, by the same words as a scenario. */
static void format_condition(const struct wi_experiment *e, char *buf, size_t size)
{
    struct wi_scenario s;

    wi_scenario_init(&s);
    s.nand = e->nand;
    s.phase = e->phase;
    s.exposure = e->exposure;
    wi_scenario_format(&s, buf, size);
}

static size_t count_observations(const struct wi_dataset *ds, size_t exp)
{
    size_t n = 0;

    for (size_t i = 0; i < ds->n_obs; i++)
        n += ds->obs[i].exp == exp;
    return n;
}

/* --- list --------------------------------------------------------------------------------------
 */

static cJSON *experiment_json(const struct wi_dataset *ds, size_t i)
{
    const struct wi_experiment *e = &ds->exps[i];
    cJSON *obj = cJSON_CreateObject();
    char condition[256];

    format_condition(e, condition, sizeof(condition));
    cJSON_AddStringToObject(obj, "id", e->id);
    cJSON_AddStringToObject(obj, "source", e->source);
    cJSON_AddStringToObject(obj, "nand", wi_nand_name(e->nand));
    cJSON_AddStringToObject(obj, "device", e->device);
    cJSON_AddStringToObject(obj, "vendor", e->vendor);
    cJSON_AddStringToObject(obj, "phase", wi_phase_name(e->phase));
    cJSON_AddStringToObject(obj, "condition", condition);
    cJSON_AddBoolToObject(obj, "failing", e->failing);
    cJSON_AddBoolToObject(obj, "states_assumed", e->states_assumed);
    cJSON_AddBoolToObject(obj, "own", !e->embedded);
    cJSON_AddNumberToObject(obj, "n_observations", (double)count_observations(ds, i));
    return obj;
}

static int list_json(const struct wi_dataset *ds)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < ds->n_exps; i++)
        cJSON_AddItemToArray(list, experiment_json(ds, i));
    return cli_print_json(list);
}

enum { LIST_COLS = 5 };

static int list_rows(const struct wi_dataset *ds)
{
    static const char *const heads[LIST_COLS] = {"ID", "NAND", "VENDOR", "PHASE", ">OBS"};
    static const char *const names[LIST_COLS] = {"id", "nand", "vendor", "phase", "n_observations"};
    char **cells = calloc(ds->n_exps * LIST_COLS + 1, sizeof(*cells));
    char(*counts)[16] = calloc(ds->n_exps + 1, sizeof(*counts));
    bool ok = cells && counts;

    for (size_t i = 0; i < ds->n_exps && ok; i++) {
        const struct wi_experiment *e = &ds->exps[i];
        const char *const row[LIST_COLS] = {e->id, wi_nand_name(e->nand), e->vendor,
                                            wi_phase_name(e->phase), counts[i]};

        snprintf(counts[i], sizeof(counts[i]), "%zu", count_observations(ds, i));
        for (size_t c = 0; c < LIST_COLS; c++)
            cells[i * LIST_COLS + c] = (char *)row[c];
    }
    if (ok && cli_common.format == CLI_CSV) {
        cli_print_csv_row((char *const *)names, LIST_COLS);
        for (size_t i = 0; i < ds->n_exps; i++)
            cli_print_csv_row(cells + i * LIST_COLS, LIST_COLS);
    } else if (ok) {
        ok = cli_print_table(heads, LIST_COLS, cells, ds->n_exps);
    }
    free(cells);
    free(counts);
    return ok ? CLI_EXIT_OK : CLI_EXIT_IO;
}

/* --- show --------------------------------------------------------------------------------------
 */

static cJSON *observation_json(const struct wi_observation *o)
{
    cJSON *obj = cJSON_CreateObject();

    cJSON_AddStringToObject(obj, "id", o->id);
    cJSON_AddStringToObject(obj, "op", wi_op_name(o->op));
    cJSON_AddStringToObject(obj, "metric", wi_metric_name(o->metric));
    wi_json_add_num(obj, "percentile", o->percentile, NULL);
    cJSON_AddStringToObject(obj, "kind", wi_obs_kind_name(o->kind));
    cJSON_AddStringToObject(obj, "stat", wi_stat_name(o->stat));
    wi_json_add_num(obj, "change_pct", o->change_pct, NULL);
    wi_json_add_num(obj, "low_pct", o->low_pct, NULL);
    wi_json_add_num(obj, "high_pct", o->high_pct, NULL);
    wi_json_add_num(obj, "reading_error_pct", o->reading_error_pct, NULL);
    wi_json_add_num(obj, "base_value", o->base_value, NULL);
    wi_json_add_num(obj, "value", o->value, NULL);
    wi_json_add_num(obj, "n_samples", o->n_samples, NULL);
    cJSON_AddStringToObject(obj, "confidence", wi_confidence_name(o->confidence));
    cJSON_AddStringToObject(obj, "locator", o->locator);
    cJSON_AddStringToObject(obj, "note", o->note);
    return obj;
}

static void add_provenance(struct wi_store *store, cJSON *obj, const char *id)
{
    struct wi_provenance from = {0};
    cJSON *item;

    if (wi_store_get_provenance(store, id, &from, NULL) != WI_OK)
        return;
    item = cJSON_AddObjectToObject(obj, "provenance");
    cJSON_AddStringToObject(item, "file", from.file);
    cJSON_AddStringToObject(item, "sha256", from.sha256);
    cJSON_AddStringToObject(item, "tool", from.tool);
    cJSON_AddStringToObject(item, "imported_at", from.imported_at);
    cJSON_AddStringToObject(item, "options", from.options);
}

static int show_json(struct wi_store *store, const struct wi_dataset *ds)
{
    cJSON *obj = experiment_json(ds, 0);
    cJSON *list;

    cJSON_AddStringToObject(obj, "workload", ds->exps[0].workload);
    cJSON_AddStringToObject(obj, "note", ds->exps[0].note);
    cJSON_AddStringToObject(obj, "control", ds->exps[0].control_id);
    list = cJSON_AddArrayToObject(obj, "observations");
    for (size_t i = 0; i < ds->n_obs; i++)
        cJSON_AddItemToArray(list, observation_json(&ds->obs[i]));
    add_provenance(store, obj, ds->exps[0].id);
    return cli_print_json(obj);
}

static void format_change(const struct wi_observation *o, char *buf, size_t size)
{
    if (isfinite(o->change_pct))
        snprintf(buf, size, "%+.1f", o->change_pct);
    else if (isfinite(o->low_pct) || isfinite(o->high_pct))
        snprintf(buf, size, "%+.1f .. %+.1f", o->low_pct, o->high_pct);
}

/* What was measured itself; a change alone has none. */
static void format_value(const struct wi_observation *o, char *buf, size_t size)
{
    if (isfinite(o->value))
        snprintf(buf, size, "%.6g %s", o->value, o->metric == WI_METRIC_BANDWIDTH ? "MB/s" : "us");
}

enum { SHOW_COLS = 7 };

static int show_rows(const struct wi_dataset *ds)
{
    static const char *const heads[SHOW_COLS] = {"OP",     "METRIC", ">PERCENTILE", ">CHANGE %",
                                                 ">VALUE", "KIND",   "WHERE"};
    char **cells = calloc(ds->n_obs * SHOW_COLS + 1, sizeof(*cells));
    char(*texts)[3][40] = calloc(ds->n_obs + 1, sizeof(*texts));
    bool ok = cells && texts;

    for (size_t i = 0; i < ds->n_obs && ok; i++) {
        const struct wi_observation *o = &ds->obs[i];
        const char *const row[SHOW_COLS] = {
            wi_op_name(o->op), wi_metric_name(o->metric), texts[i][0], texts[i][1],
            texts[i][2],       wi_obs_kind_name(o->kind), o->locator};

        if (isfinite(o->percentile))
            snprintf(texts[i][0], sizeof(texts[i][0]), o->percentile >= 100 ? "max" : "%.8g",
                     o->percentile);
        format_change(o, texts[i][1], sizeof(texts[i][1]));
        format_value(o, texts[i][2], sizeof(texts[i][2]));
        for (size_t c = 0; c < SHOW_COLS; c++)
            cells[i * SHOW_COLS + c] = (char *)row[c];
    }
    if (ok && cli_common.format == CLI_CSV) {
        static const char *const names[SHOW_COLS] = {"op",    "metric", "percentile", "change_pct",
                                                     "value", "kind",   "locator"};

        cli_print_csv_row((char *const *)names, SHOW_COLS);
        for (size_t i = 0; i < ds->n_obs; i++)
            cli_print_csv_row(cells + i * SHOW_COLS, SHOW_COLS);
    } else if (ok) {
        ok = cli_print_table(heads, SHOW_COLS, cells, ds->n_obs);
    }
    free(cells);
    free(texts);
    return ok ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static int show_table(struct wi_store *store, const struct wi_dataset *ds)
{
    const struct wi_experiment *e = &ds->exps[0];
    struct wi_provenance from = {0};
    char text[512];

    cli_print_paragraph("Experiment:", e->id);
    format_condition(e, text, sizeof(text));
    cli_print_paragraph("Condition: ", text);
    snprintf(text, sizeof(text), "%s%s%s", e->vendor, *e->vendor && *e->device ? ", " : "",
             e->device);
    cli_print_paragraph("Drive:     ", *text ? text : "undisclosed");
    cli_print_paragraph("Source:    ", e->source);
    if (*e->workload)
        cli_print_paragraph("Workload:  ", e->workload);
    if (*e->note)
        cli_print_paragraph("Note:      ", e->note);
    if (e->states_assumed)
        cli_print_paragraph("           ", "some state of the exposure is our reading, the source "
                                           "does not state it");
    if (wi_store_get_provenance(store, e->id, &from, NULL) == WI_OK) {
        snprintf(text, sizeof(text), "%.200s, %s, %s", from.file, from.tool, from.imported_at);
        cli_print_paragraph("Imported:  ", text);
    }
    putchar('\n');
    return show_rows(ds);
}

static int show(struct wi_store *store, const char *id)
{
    struct wi_experiment_filter filter = {.id = id};
    struct wi_dataset ds = {0};
    struct wi_err err = {0};
    int code;

    if (wi_store_load_dataset(store, &filter, &ds, &err) != WI_OK)
        return cli_error(&err);
    if (ds.n_exps == 0) {
        wi_fail(&err, WI_ENOTFOUND,
                "no experiment '%.80s'; 'ssd-whatif experiments list' shows the ids", id);
        code = cli_error(&err);
    } else if (cli_common.format == CLI_JSON) {
        code = show_json(store, &ds);
    } else if (cli_common.format == CLI_CSV) {
        code = show_rows(&ds);
    } else {
        code = show_table(store, &ds);
    }
    wi_dataset_release(&ds);
    return code;
}

static int list(struct wi_store *store)
{
    struct wi_experiment_filter filter = make_filter(NULL);
    struct wi_dataset ds = {0};
    struct wi_err err = {0};
    int code;

    if (wi_store_load_dataset(store, &filter, &ds, &err) != WI_OK)
        return cli_error(&err);
    code = cli_common.format == CLI_JSON ? list_json(&ds) : list_rows(&ds);
    wi_dataset_release(&ds);
    return code;
}

/* --- export, remove, diff ----------------------------------------------------------------------
 */

static enum wi_status write_out(void *ctx, const char *text, size_t n, struct wi_err *err)
{
    return fwrite(text, 1, n, ctx) == n ? WI_OK : wi_fail(err, WI_EIO, "cannot write the table");
}

/* Your own experiments as the table that `import csv` reads; with ids, those. */
static int export(struct wi_store *store, char **ids, size_t n)
{
    static const bool not_embedded = false;
    struct wi_experiment_filter filter = make_filter(n ? ids[0] : NULL);
    struct wi_err err = {0};

    if (!n && !filter.source)
        filter.embedded = &not_embedded;
    return wi_experiments_export(store, &filter, write_out, stdout, &err) == WI_OK
               ? CLI_EXIT_OK
               : cli_error(&err);
}

/* All or none of them. */
static int remove_all(struct wi_store *store, char **ids, size_t n)
{
    struct wi_err err = {0};
    enum wi_status st = wi_store_begin(store, &err);

    if (st != WI_OK)
        return cli_error(&err);
    for (size_t i = 0; i < n && st == WI_OK; i++)
        st = wi_store_remove_experiment(store, ids[i], &err);
    st = wi_store_end(store, st, &err);
    if (st == WI_EUSAGE)
        err.status = WI_EDATA; /* the id is what was given, and it is wrong */
    return st == WI_OK ? CLI_EXIT_OK : cli_error(&err);
}

static void print_pair(const char *label, const cJSON *row, const char *a, const char *b)
{
    const cJSON *values[2] = {wi_json_get(row, a), wi_json_get(row, b)};
    char texts[2][64];

    for (size_t i = 0; i < 2; i++) {
        if (cJSON_IsString(values[i]))
            snprintf(texts[i], sizeof(texts[i]), "%s", values[i]->valuestring);
        else if (cJSON_IsNumber(values[i]))
            snprintf(texts[i], sizeof(texts[i]), "%.6g", values[i]->valuedouble);
        else
            snprintf(texts[i], sizeof(texts[i]), "-");
    }
    cli_print_text(stdout, label);
    fputs(": ", stdout);
    cli_print_text(stdout, *texts[0] ? texts[0] : "-");
    fputs("  ->  ", stdout);
    cli_print_text(stdout, *texts[1] ? texts[1] : "-");
    putchar('\n');
}

static void print_diff(const cJSON *json)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, wi_json_get(json, "fields"))
        print_pair(wi_json_str(row, "field"), row, "a", "b");
    cJSON_ArrayForEach(row, wi_json_get(json, "observations"))
    {
        double percentile = NAN;
        char label[96];

        if (wi_json_num(row, "percentile", &percentile))
            snprintf(label, sizeof(label), "%s p%.8g, change %%", wi_json_str(row, "op"),
                     percentile);
        else
            snprintf(label, sizeof(label), "%s bandwidth, change %%", wi_json_str(row, "op"));
        print_pair(label, row, "a_change_pct", "b_change_pct");
    }
}

static int diff(struct wi_store *store, const char *a, const char *b)
{
    struct wi_err err = {0};
    cJSON *json = NULL;

    if (wi_experiments_diff(store, a, b, &json, &err) != WI_OK)
        return cli_error(&err);
    if (cli_common.format == CLI_JSON)
        return cli_print_json(json);
    print_diff(json);
    cJSON_Delete(json);
    return CLI_EXIT_OK;
}

static int run_experiments(int argc, char **argv)
{
    struct wi_session *session = NULL;
    char **args = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_experiments, argc, argv, &n_args, &args);
    const char *verb = code < 0 && n_args ? args[0] : "";

    if (code >= 0)
        return code;
    if (strcmp(verb, "list") == 0 && n_args == 1) {
        code = cli_open_session(false, &session);
        if (code < 0)
            code = list(wi_session_store(session));
    } else if (strcmp(verb, "show") == 0 && n_args == 2) {
        code = cli_open_session(false, &session);
        if (code < 0)
            code = show(wi_session_store(session), args[1]);
    } else if (strcmp(verb, "export") == 0 && cli_common.format == CLI_JSON) {
        code = cli_usage_error("experiments export writes CSV, --format json does not apply; "
                               "'experiments show ID --format json' prints one");
    } else if (strcmp(verb, "export") == 0 && n_args <= 2) {
        code = cli_open_session(false, &session);
        if (code < 0)
            code = export(wi_session_store(session), args + 1, n_args - 1);
    } else if (strcmp(verb, "remove") == 0 && n_args >= 2) {
        code = cli_open_session(true, &session);
        if (code < 0)
            code = remove_all(wi_session_store(session), args + 1, n_args - 1);
    } else if (strcmp(verb, "diff") == 0 && n_args == 3) {
        code = cli_open_session(false, &session);
        if (code < 0)
            code = diff(wi_session_store(session), args[1], args[2]);
    } else {
        code = cli_usage_error(
            "experiments takes: list | show ID | export [ID] | remove ID... | diff ID ID");
    }
    wi_session_close(session);
    return code;
}

const struct cli_command cmd_experiments = {
    .name = "experiments",
    .args = "list | show ID | export [ID] | remove ID... | diff ID ID",
    .summary = "the stored experiments",
    .details = "export writes your own experiments (or one of any "
               "source) as the table\n"
               "that 'import csv' reads. remove takes your own "
               "only; the embedded data stay.",
    .options = experiments_options,
    .run = run_experiments};
