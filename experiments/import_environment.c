/*
 * What surrounds a run: the state of drives (smartctl, nvme) and time series of sensors.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/exposure_series.h"
#include "experiments/import.h"
#include "experiments/import_sensors.h"
#include "experiments/import_smart.h"
#include "experiments/input.h"

#define CHUNK 262144u
#define PROGRESS_BYTES (64.0 * 1048576.0)

typedef enum wi_status (*parse_fn)(const char *text, size_t len, const char *name,
                                   struct wi_drive_state *state, struct wi_texts *warnings,
                                   struct wi_err *err);

/* ---- exposure out ----------------------------------------------------------------------- */

static enum wi_status finish_record(const struct wi_series *series,
                                    const struct wi_import_options *opt,
                                    struct wi_exposure_record *record,
                                    struct wi_import_report *report, struct wi_err *err)
{
    const struct wi_scenario *s = opt->scenario;
    bool axis_known =
        s && (s->given & WI_F_DURING_AXIS) && s->exposure.during.vib.axis != WI_AXIS_NONE;
    cJSON *json = NULL;
    enum wi_status st = wi_series_segment(
        series, axis_known ? s->exposure.during.vib.axis : WI_AXIS_NONE, axis_known, record, err);

    if (st == WI_OK && opt->out)
        st = wi_exposure_record_save(record, opt->out, err);
    if (st == WI_OK)
        st = wi_exposure_record_to_json(record, &json, err);
    if (st == WI_OK)
        st = wi_json_format(json, true, &report->document, err);
    cJSON_Delete(json);
    return st;
}

/* ---- drives ----------------------------------------------------------------------------- */

static enum wi_status store_state(struct wi_store *store, const char *file, const char *sha256,
                                  const struct wi_drive_state *state,
                                  const struct wi_import_options *opt,
                                  struct wi_import_report *report, struct wi_err *err)
{
    struct wi_dataset ds = {0};
    struct wi_experiment e;
    struct wi_import_origin origin = {.file = file, .tool = state->tool};
    char id[WI_ID_MAX];
    enum wi_status st;

    snprintf(id, sizeof(id), "own-%.12s", sha256);
    memcpy(origin.sha256, sha256, sizeof(origin.sha256));
    wi_import_experiment(opt->scenario, id, &e);
    if (isnan(e.pe_cycles))
        e.pe_cycles = state->pe_cycles;
    if (isnan(e.capacity_gb) && state->capacity_gb <= WI_CAPACITY_GB_MAX)
        e.capacity_gb = state->capacity_gb;
    if (!*e.device)
        snprintf(e.device, sizeof(e.device), "%s", state->model);
    if (!*e.interface)
        snprintf(e.interface, sizeof(e.interface), "%s", state->protocol);
    snprintf(e.workload, sizeof(e.workload), "state of the drive, no workload");
    wi_drive_state_format(state, e.note, sizeof(e.note));
    st = wi_dataset_add_experiment(&ds, &e, err);
    if (st == WI_OK)
        st = wi_import_store(store, &ds, &origin, opt, report, err);
    wi_dataset_release(&ds);
    return st;
}

static enum wi_status summarise(struct wi_import_report *report, const struct wi_drive_state *state,
                                struct wi_err *err)
{
    char line[1024];

    wi_drive_state_format(state, line, sizeof(line));
    report->files[report->n_files - 1].summary = strdup(line);
    return report->files[report->n_files - 1].summary ? WI_OK : wi_fail_nomem(err);
}

static enum wi_status import_state(struct wi_store *store, const char *path, parse_fn parse,
                                   const struct wi_import_options *opt,
                                   struct wi_import_report *report, struct wi_drive_state *state,
                                   char sha256[WI_SHA256_HEX], struct wi_err *err)
{
    char *text = NULL;
    size_t n = 0;
    struct wi_texts warnings = {0};
    bool known = false;
    enum wi_status st = wi_input_read_all(path, WI_JSON_BYTES_MAX, &text, &n, sha256, err);

    if (st == WI_OK)
        st = parse(text, n, wi_input_name(path), state, &warnings, err);
    free(text);
    if (st == WI_OK && !opt->out)
        st = wi_import_check_known(store, wi_input_name(path), sha256, report, &known, err);
    if (st == WI_OK && opt->out)
        st = wi_import_report_add(report, wi_input_name(path), WI_IMPORT_READ, "", 0, err);
    else if (st == WI_OK && !known)
        st = store_state(store, wi_input_name(path), sha256, state, opt, report, err);
    if (st == WI_OK)
        st = summarise(report, state, err);
    wi_import_notes(opt, &warnings);
    return st;
}

/* Snapshots with an exposure file wanted are a time series of the drive's own temperature. */
static enum wi_status add_snapshot(struct wi_series *series, const struct wi_drive_state *state,
                                   const char *name, size_t index,
                                   const struct wi_import_options *opt, struct wi_err *err)
{
    double interval_s = opt->series ? opt->series->interval_s : 0.0;
    double time_s = state->time_s;

    if (isnan(time_s) && interval_s > 0.0)
        time_s = (double)index * interval_s;
    if (isnan(time_s))
        return wi_fail(err, WI_EDATA,
                       "%s: no time in it (nvme smart-log prints none): give --interval SECONDS",
                       name);
    if (isfinite(state->temp_c))
        wi_series_add(series, WI_CH_TEMP, time_s, state->temp_c);
    return WI_OK;
}

static enum wi_status import_states(struct wi_store *store, const char *const *files, size_t n,
                                    parse_fn parse, const struct wi_import_options *opt,
                                    struct wi_import_report *report, struct wi_err *err)
{
    struct wi_series *series = NULL;
    struct wi_exposure_record record = {.from_drive = true, .is_absolute = true};
    enum wi_status st = opt->out ? wi_series_new(&series, err) : WI_OK;

    for (size_t i = 0; i < n && st == WI_OK; i++) {
        struct wi_drive_state state;

        if (wi_import_stopped(opt)) {
            st = wi_fail(err, WI_ECANCEL, "interrupted before '%s'", files[i]);
            break;
        }
        st = import_state(store, files[i], parse, opt, report, &state, record.sha256, err);
        if (st == WI_OK && opt->out)
            st = add_snapshot(series, &state, wi_input_name(files[i]), i, opt, err);
        if (st == WI_OK && isnan(state.time_s))
            record.is_absolute = false;
    }
    record.file = wi_input_name(files[0]);
    record.counts.rows = (double)n;
    if (st == WI_OK && opt->out)
        st = wi_texts_add(&record.warnings, "", err,
                          "temperatures are the drive's own, not those of the air around it");
    if (st == WI_OK && opt->out)
        st = finish_record(series, opt, &record, report, err);
    wi_import_notes(opt, &record.warnings);
    wi_series_free(series);
    return st;
}

enum wi_status wi_import_smartctl(struct wi_store *store, const char *const *files, size_t n,
                                  const struct wi_import_options *opt,
                                  struct wi_import_report *report, struct wi_err *err)
{
    return import_states(store, files, n, wi_smartctl_parse, opt, report, err);
}

enum wi_status wi_import_nvme(struct wi_store *store, const char *const *files, size_t n,
                              const struct wi_import_options *opt, struct wi_import_report *report,
                              struct wi_err *err)
{
    return import_states(store, files, n, wi_nvme_parse, opt, report, err);
}

/* ---- sensors ---------------------------------------------------------------------------- */

static void show_progress(const struct wi_import_options *opt, const char *name, double done,
                          double total)
{
    char line[256];

    if (!opt->progress)
        return;
    if (isfinite(total))
        snprintf(line, sizeof(line), "%.120s: %.0f of %.0f MB", name, done / 1e6, total / 1e6);
    else
        snprintf(line, sizeof(line), "%.120s: %.0f MB", name, done / 1e6);
    opt->progress(opt->note_ctx, line);
}

static enum wi_status stream(struct wi_input *in, const char *name, struct wi_sensors *sensors,
                             struct wi_sha256_state *sha, const struct wi_import_options *opt,
                             struct wi_err *err)
{
    char *buf = malloc(CHUNK);
    size_t n = 1;
    double done = 0.0;
    double next = PROGRESS_BYTES;
    enum wi_status st = buf ? WI_OK : wi_fail_nomem(err);

    while (st == WI_OK && n) {
        if (wi_import_stopped(opt)) {
            st = wi_fail(err, WI_ECANCEL, "%s: interrupted, nothing was written", name);
            break;
        }
        st = wi_input_read(in, name, buf, CHUNK, &n, err);
        if (st == WI_OK && n) {
            wi_sha256_add(sha, buf, n);
            st = wi_sensors_feed(sensors, buf, n, err);
        }
        done += (double)n;
        if (done >= next) {
            show_progress(opt, name, done, in->n_bytes);
            next += PROGRESS_BYTES;
        }
    }
    free(buf);
    return st == WI_OK ? wi_sensors_finish(sensors, err) : st;
}

static enum wi_status import_series(const char *path, struct wi_series *series,
                                    const struct wi_import_options *opt,
                                    struct wi_exposure_record *record, struct wi_err *err)
{
    const char *name = wi_input_name(path);
    struct wi_sensors *sensors = NULL;
    struct wi_sha256_state *sha = NULL;
    struct wi_input in = {.fd = -1};
    enum wi_status st = wi_input_open(path, &in, err);

    if (st != WI_OK)
        return st;
    st = wi_sha256_new(&sha, err);
    if (st == WI_OK) {
        st = wi_sensors_new(name, opt->series, series, record, &sensors, err);
        if (st == WI_OK)
            st = stream(&in, name, sensors, sha, opt, err);
        wi_sha256_finish(sha, record->sha256); /* frees it, too */
    }
    wi_sensors_free(sensors);
    wi_input_close(&in);
    return st;
}

enum wi_status wi_import_sensors(struct wi_store *store, const char *const *files, size_t n,
                                 const struct wi_import_options *opt,
                                 struct wi_import_report *report, struct wi_err *err)
{
    struct wi_series *series = NULL;
    struct wi_exposure_record record = {.file = wi_input_name(files[0])};
    enum wi_status st = wi_series_new(&series, err);

    (void)store; /* an exposure is a file of its own, not an experiment */
    for (size_t i = 0; i < n && st == WI_OK; i++) {
        st = import_series(files[i], series, opt, &record, err);
        if (st == WI_OK)
            st = wi_import_report_add(report, wi_input_name(files[i]), WI_IMPORT_READ, "", 0, err);
    }
    if (st == WI_OK)
        st = finish_record(series, opt, &record, report, err);
    wi_import_notes(opt, &record.warnings);
    wi_series_free(series);
    return st;
}
