#include "experiments/import.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/features.h"
#include "core/json.h"
#include "core/utc.h"

const struct wi_import_kind wi_import_kinds[] = {
    {"fio", "fio --output-format=json or json+: latency percentiles and bandwidth", wi_import_fio},
    {"smartctl", "smartctl -j: temperatures, wear, errors of a drive", wi_import_smartctl},
    {"nvme", "nvme smart-log -o json: the same for NVMe drives", wi_import_nvme},
    {"csv", "our own observation table (--template prints an empty one)", wi_import_csv},
    {"sensors", "a CSV time series of temperature, humidity, vibration: an exposure file",
     wi_import_sensors},
};
const size_t wi_n_import_kinds = sizeof(wi_import_kinds) / sizeof(wi_import_kinds[0]);

const struct wi_import_kind *wi_import_kind_find(const char *name)
{
    for (size_t i = 0; i < wi_n_import_kinds; i++) {
        if (strcmp(wi_import_kinds[i].name, name) == 0)
            return &wi_import_kinds[i];
    }
    return NULL;
}

enum wi_status wi_import_files(struct wi_store *store, const char *kind, const char *const *files,
                               size_t n, const struct wi_import_options *opt,
                               struct wi_import_report *report, struct wi_err *err)
{
    const struct wi_import_kind *k = wi_import_kind_find(kind);

    if (!k)
        return wi_fail(err, WI_EUSAGE,
                       "cannot import '%s', known are fio, smartctl, nvme, csv, sensors", kind);
    if (n == 0)
        return wi_fail(err, WI_EUSAGE, "no file to import");
    return k->run(store, files, n, opt, report, err);
}

void wi_import_report_release(struct wi_import_report *report)
{
    for (size_t i = 0; i < report->n_files; i++) {
        free(report->files[i].file);
        free(report->files[i].ids);
        free(report->files[i].summary);
    }
    free(report->files);
    free(report->document);
    *report = (struct wi_import_report){0};
}

enum wi_status wi_import_report_add(struct wi_import_report *report, const char *file,
                                    enum wi_import_outcome outcome, const char *ids,
                                    size_t n_observations, struct wi_err *err)
{
    struct wi_import_file *more =
        realloc(report->files, (report->n_files + 1) * sizeof(*report->files));
    struct wi_import_file row = {.outcome = outcome, .n_observations = n_observations};

    if (!more)
        return wi_fail_nomem(err);
    report->files = more;
    row.file = strdup(file);
    row.ids = strdup(ids);
    if (!row.file || !row.ids) {
        free(row.file);
        free(row.ids);
        return wi_fail_nomem(err);
    }
    report->files[report->n_files++] = row;
    return WI_OK;
}

bool wi_import_stopped(const struct wi_import_options *opt)
{
    return opt->stop && *opt->stop;
}

void wi_import_notes(const struct wi_import_options *opt, struct wi_texts *warnings)
{
    for (size_t i = 0; opt->note && i < warnings->n; i++)
        opt->note(opt->note_ctx, warnings->items[i].text);
    wi_texts_release(warnings);
}

void wi_import_count_combined(struct wi_import_combined *c, const struct wi_dataset *ds)
{
    for (size_t i = 0; i < ds->n_exps; i++) {
        if (wi_exposure_is_combined(&ds->exps[i].exposure) && c->n++ == 0)
            memcpy(c->first, ds->exps[i].id, sizeof(c->first));
    }
}

void wi_import_note_combined(const struct wi_import_combined *c,
                             const struct wi_import_options *opt)
{
    char text[WI_ID_MAX + 160];

    if (!opt->note || c->n == 0)
        return;
    snprintf(
        text, sizeof(text),
        "%s%s: vibration and climate at once; stored and shown, but no part of the model takes "
        "it in, so no prediction changes",
        c->first, c->n > 1 ? " and others" : "");
    opt->note(opt->note_ctx, text);
}

enum wi_status wi_import_check_known(struct wi_store *store, const char *file, const char *sha256,
                                     struct wi_import_report *report, bool *known,
                                     struct wi_err *err)
{
    char *ids = NULL;
    struct wi_err ignored;
    enum wi_status st = wi_store_find_import(store, sha256, &ids, &ignored);

    *known = st == WI_OK;
    if (st == WI_ENOTFOUND)
        return WI_OK;
    if (st == WI_OK)
        st = wi_import_report_add(report, file, WI_IMPORT_KNOWN, ids, 0, err);
    else if (err)
        *err = ignored;
    free(ids);
    return st;
}

static enum wi_status grow(void **items, size_t n, size_t size, struct wi_err *err)
{
    void *more;

    if (n && (n & (n - 1))) /* room is left until n reaches a power of two */
        return WI_OK;
    more = realloc(*items, (n ? 2 * n : 1) * size);
    if (!more)
        return wi_fail_nomem(err);
    *items = more;
    return WI_OK;
}

enum wi_status wi_dataset_add_experiment(struct wi_dataset *ds, const struct wi_experiment *e,
                                         struct wi_err *err)
{
    void *items = ds->exps;
    enum wi_status st = grow(&items, ds->n_exps, sizeof(*e), err);

    ds->exps = items;
    if (st == WI_OK)
        ds->exps[ds->n_exps++] = *e;
    return st;
}

enum wi_status wi_dataset_add_observation(struct wi_dataset *ds, const struct wi_observation *o,
                                          struct wi_err *err)
{
    void *items = ds->obs;
    enum wi_status st = grow(&items, ds->n_obs, sizeof(*o), err);

    ds->obs = items;
    if (st == WI_OK)
        ds->obs[ds->n_obs++] = *o;
    return st;
}

void wi_import_experiment(const struct wi_scenario *s, const char *id, struct wi_experiment *e)
{
    const uint32_t states = WI_F_BEFORE_TEMP | WI_F_BEFORE_RH | WI_F_DURING_TEMP | WI_F_DURING_RH;

    *e = (struct wi_experiment){.nand = s->nand,
                                .capacity_gb = s->capacity_gb,
                                .pe_cycles = s->pe_cycles,
                                .exposure = s->exposure,
                                .temp_low_c = NAN,
                                .temp_high_c = NAN,
                                .rh_low_pct = NAN,
                                .rh_high_pct = NAN,
                                .states_assumed = (s->assumed & states) != 0,
                                .phase = s->phase};
    snprintf(e->id, sizeof(e->id), "%s", id);
    snprintf(e->source, sizeof(e->source), "%s", WI_OWN_SOURCE);
    memcpy(e->vendor, s->vendor, sizeof(e->vendor));
    memcpy(e->device, s->device, sizeof(e->device));
    memcpy(e->interface, s->interface, sizeof(e->interface));
}

void wi_import_observation(const char *exp_id, enum wi_op op, enum wi_metric metric,
                           double percentile, struct wi_observation *o)
{
    *o = (struct wi_observation){.op = op,
                                 .metric = metric,
                                 .percentile = percentile,
                                 .kind = WI_OBS_VALUE,
                                 .change_pct = NAN,
                                 .low_pct = NAN,
                                 .high_pct = NAN,
                                 .confidence = WI_CONF_MEASURED,
                                 .base_value = NAN,
                                 .value = NAN,
                                 .n_samples = NAN};
    if (!exp_id)
        return;
    if (metric == WI_METRIC_BANDWIDTH)
        snprintf(o->id, sizeof(o->id), "%.72s/%s-bw", exp_id, wi_op_name(op));
    else
        snprintf(o->id, sizeof(o->id), "%.72s/%s-p%.8g", exp_id, wi_op_name(op), percentile);
}

void wi_import_now(char *buf, size_t size)
{
    if (!wi_utc_format(time(NULL), buf, size))
        snprintf(buf, size, "unknown");
}

static enum wi_status add_member(cJSON *obj, const char *key, cJSON *item, struct wi_err *err)
{
    if (item && cJSON_AddItemToObject(obj, key, item))
        return WI_OK;
    cJSON_Delete(item);
    return wi_fail_nomem(err);
}

/* The options that an import used, as the JSON text of the provenance; cut members, never text. */
static enum wi_status options_text(const struct wi_import_origin *origin,
                                   const struct wi_import_options *opt, char *buf, size_t size,
                                   struct wi_err *err)
{
    cJSON *obj = cJSON_CreateObject();
    char *text = NULL;
    char line[256];
    enum wi_status st = obj ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK && opt->scenario) {
        wi_scenario_format(opt->scenario, line, sizeof(line));
        st = add_member(obj, "scenario", cJSON_CreateString(line), err);
    }
    if (st == WI_OK && origin->extra)
        st = add_member(obj, "files", cJSON_Parse(origin->extra), err);
    if (st == WI_OK)
        st = wi_json_format(obj, false, &text, err);
    if (st == WI_OK &&
        strlen(text) >= size) { /* many repetitions: their number stays in the note */
        cJSON_DeleteItemFromObjectCaseSensitive(obj, "files");
        free(text);
        text = NULL;
        st = wi_json_format(obj, false, &text, err);
    }
    if (st == WI_OK)
        snprintf(buf, size, "%s", strlen(text) < size ? text : "{}");
    free(text);
    cJSON_Delete(obj);
    return st;
}

static enum wi_status join_ids(const struct wi_dataset *ds, char **ids, struct wi_err *err)
{
    size_t size = 1;
    size_t used = 0;

    for (size_t i = 0; i < ds->n_exps; i++)
        size += strlen(ds->exps[i].id) + 1;
    *ids = calloc(size, 1);
    if (!*ids)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < ds->n_exps; i++)
        used += (size_t)snprintf(*ids + used, size - used, "%s%s", i ? " " : "", ds->exps[i].id);
    return WI_OK;
}

enum wi_status wi_import_store(struct wi_store *store, const struct wi_dataset *ds,
                               const struct wi_import_origin *origin,
                               const struct wi_import_options *opt, struct wi_import_report *report,
                               struct wi_err *err)
{
    struct wi_provenance *list = calloc(ds->n_exps ? ds->n_exps : 1, sizeof(*list));
    struct wi_import_combined combined = {0};
    char *ids = NULL;
    size_t n_added = 0;
    enum wi_status st = list ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK) {
        snprintf(list->file, sizeof(list->file), "%s", origin->file);
        memcpy(list->sha256, origin->sha256, sizeof(list->sha256));
        snprintf(list->tool, sizeof(list->tool), "%s", origin->tool);
        wi_import_now(list->imported_at, sizeof(list->imported_at));
        st = options_text(origin, opt, list->options, sizeof(list->options), err);
    }
    for (size_t i = 1; st == WI_OK && i < ds->n_exps; i++)
        list[i] = list[0];
    if (st == WI_OK)
        st = join_ids(ds, &ids, err);
    if (st == WI_OK)
        st = wi_store_add_experiments(store, ds, list, &n_added, err);
    if (st == WI_OK) {
        report->n_added += n_added;
        wi_import_count_combined(&combined, ds);
        if (n_added)
            wi_import_note_combined(&combined, opt);
        st = wi_import_report_add(report, origin->file, n_added ? WI_IMPORT_ADDED : WI_IMPORT_KNOWN,
                                  ids, ds->n_obs, err);
    }
    free(ids);
    free(list);
    return st;
}
