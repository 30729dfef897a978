/* The documents of smartctl and nvme smart-log. */
#include "experiments/import_smart_internal.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

#include "core/json.h"
#include "experiments/json_find.h"

#define SMART_DEPTH_MAX 64

/* Members of the health log under both tools' names; smartctl's object holds the first. */
static const struct {
    const char *key;
    enum wi_counter counter;
} log_counters[] = {{"data_units_read", WI_CTR_DATA_READ},
                    {"data_units_written", WI_CTR_DATA_WRITTEN},
                    {"host_reads", WI_CTR_HOST_READS},
                    {"host_read_commands", WI_CTR_HOST_READS},
                    {"host_writes", WI_CTR_HOST_WRITES},
                    {"host_write_commands", WI_CTR_HOST_WRITES},
                    {"controller_busy_time", WI_CTR_BUSY_MIN},
                    {"power_cycles", WI_CTR_POWER_CYCLES},
                    {"power_on_hours", WI_CTR_POWER_ON_H},
                    {"unsafe_shutdowns", WI_CTR_UNSAFE_SHUTDOWNS},
                    {"media_errors", WI_CTR_MEDIA_ERRORS},
                    {"num_err_log_entries", WI_CTR_ERROR_LOG},
                    {"warning_temp_time", WI_CTR_WARNING_TEMP_MIN},
                    {"critical_comp_time", WI_CTR_CRITICAL_TEMP_MIN},
                    {"thm_temp1_trans_count", WI_CTR_TMT1_TRANSITIONS},
                    {"thm_temp2_trans_count", WI_CTR_TMT2_TRANSITIONS},
                    {"thm_temp1_total_time", WI_CTR_TMT1_TIME_S},
                    {"thm_temp2_total_time", WI_CTR_TMT2_TIME_S}};

static void state_init(struct wi_drive_state *s)
{
    *s = (struct wi_drive_state){.time_s = NAN,
                                 .capacity_gb = NAN,
                                 .temp_c = NAN,
                                 .temp_low_c = NAN,
                                 .temp_high_c = NAN,
                                 .used_pct = NAN,
                                 .spare_pct = NAN,
                                 .spare_threshold_pct = NAN,
                                 .pe_cycles = NAN,
                                 .critical_warning = -1,
                                 .passed = -1};
    for (size_t i = 0; i < WI_N_COUNTERS; i++)
        s->counters[i].approx = NAN;
}

static void copy_text(const cJSON *obj, const char *key, char *buf, size_t size)
{
    const char *text = wi_json_str(obj, key);

    if (text)
        snprintf(buf, size, "%s", text);
}

/* ---- the NVMe health log ---------------------------------------------------------------- */

static enum wi_status read_log_counters(const struct wi_smart_reading *r, const cJSON *log,
                                        const char *prefix, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < sizeof(log_counters) / sizeof(log_counters[0]) && st == WI_OK; i++)
        st = wi_smart_exact_read(r, log, prefix, log_counters[i].key,
                                 &r->state->counters[log_counters[i].counter], err);
    return st;
}

/* nvme-cli -v prints an object {"value": 0, "available_spare": 0, ...}. */
static int critical_warning(const cJSON *log)
{
    const cJSON *item = wi_json_get(log, "critical_warning");
    double v;
    char unit;

    if (cJSON_IsObject(item))
        item = wi_json_get(item, "value");
    return wi_smart_number(item, &v, &unit) && v >= 0.0 && v <= 255.0 ? (int)v : -1;
}

static double first_percent(const cJSON *log, const char *a, const char *b)
{
    double v = wi_smart_percent(log, a);

    return isnan(v) ? wi_smart_percent(log, b) : v;
}

static enum wi_status add_sensor(const struct wi_smart_reading *r, const cJSON *item,
                                 const char *path, size_t index, bool celsius_tool,
                                 struct wi_err *err)
{
    struct wi_drive_state *s = r->state;

    while (s->n_sensors <= index)
        s->sensors_c[s->n_sensors++] = NAN;
    return wi_smart_temp_read(r, item, path, celsius_tool, &s->sensors_c[index], err);
}

/* smartctl: "temperature_sensors": [36, 45]; nvme-cli: "temperature_sensor_1": 309. */
static enum wi_status read_sensors(const struct wi_smart_reading *r, const cJSON *log,
                                   const char *prefix, bool celsius_tool, struct wi_err *err)
{
    const cJSON *list = wi_json_get(log, "temperature_sensors");
    enum wi_status st = WI_OK;
    size_t index = 0;
    const cJSON *item;
    char path[120];

    cJSON_ArrayForEach(item, list)
    {
        if (index >= WI_DRIVE_SENSORS_MAX || st != WI_OK)
            break;
        snprintf(path, sizeof(path), "%s.temperature_sensors[%zu]", prefix, index);
        st = add_sensor(r, item, path, index++, celsius_tool, err);
    }
    for (size_t i = 0; i < WI_DRIVE_SENSORS_MAX && st == WI_OK; i++) {
        char key[32];

        snprintf(key, sizeof(key), "temperature_sensor_%zu", i + 1);
        item = wi_json_get(log, key);
        snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
        if (item)
            st = add_sensor(r, item, path, i, celsius_tool, err);
    }
    return st;
}

static enum wi_status read_health_log(const struct wi_smart_reading *r, const cJSON *log,
                                      const char *prefix, bool celsius_tool, struct wi_err *err)
{
    struct wi_drive_state *s = r->state;
    char path[120];
    enum wi_status st;

    s->critical_warning = critical_warning(log);
    s->used_pct = first_percent(log, "percentage_used", "percent_used");
    s->spare_pct = first_percent(log, "available_spare", "avail_spare");
    s->spare_threshold_pct = first_percent(log, "available_spare_threshold", "spare_thresh");
    snprintf(path, sizeof(path), "%s%stemperature", prefix, *prefix ? "." : "");
    st =
        wi_smart_temp_read(r, wi_json_get(log, "temperature"), path, celsius_tool, &s->temp_c, err);
    if (st == WI_OK)
        st = read_sensors(r, log, prefix, celsius_tool, err);
    if (st == WI_OK)
        st = read_log_counters(r, log, prefix, err);
    return st;
}

/* ---- smartctl --------------------------------------------------------------------------- */

static void read_identity(const struct wi_smart_reading *r)
{
    struct wi_drive_state *s = r->state;
    const cJSON *version = wi_json_get(wi_json_get(r->doc, "smartctl"), "version");
    const cJSON *passed = wi_json_get(wi_json_get(r->doc, "smart_status"), "passed");
    double bytes;

    snprintf(s->tool, sizeof(s->tool), "smartctl");
    if (cJSON_GetArraySize(version) >= 2)
        snprintf(s->tool, sizeof(s->tool), "smartctl %.0f.%.0f",
                 cJSON_GetArrayItem(version, 0)->valuedouble,
                 cJSON_GetArrayItem(version, 1)->valuedouble);
    copy_text(r->doc, "model_name", s->model, sizeof(s->model));
    if (!*s->model)
        copy_text(r->doc, "scsi_model_name", s->model, sizeof(s->model));
    copy_text(wi_json_get(r->doc, "device"), "protocol", s->protocol, sizeof(s->protocol));
    wi_json_num(wi_json_get(r->doc, "local_time"), "time_t", &s->time_s);
    if (wi_json_num(wi_json_get(r->doc, "user_capacity"), "bytes", &bytes) ||
        wi_json_num(r->doc, "nvme_total_capacity", &bytes))
        s->capacity_gb = bytes / 1e9;
    if (cJSON_IsBool(passed))
        s->passed = cJSON_IsTrue(passed) ? 1 : 0;
}

/* Members that smartctl keeps at the top for every protocol; they fill what the log left open. */
static enum wi_status read_common(const struct wi_smart_reading *r, struct wi_err *err)
{
    struct wi_drive_state *s = r->state;
    double v;
    enum wi_status st = WI_OK;

    if (isnan(s->used_pct))
        s->used_pct = wi_smart_percent(wi_json_get(r->doc, "endurance_used"), "current_percent");
    if (isnan(s->used_pct))
        s->used_pct = wi_smart_percent(r->doc, "scsi_percentage_used_endurance_indicator");
    if (isnan(s->spare_pct))
        s->spare_pct = wi_smart_percent(wi_json_get(r->doc, "spare_available"), "current_percent");
    if (isnan(s->temp_c))
        st = wi_smart_temp_read(r, wi_json_get(wi_json_get(r->doc, "temperature"), "current"),
                                "temperature.current", true, &s->temp_c, err);
    if (isnan(s->temp_low_c) &&
        wi_json_num(wi_json_get(r->doc, "temperature"), "lifetime_min", &v) &&
        wi_smart_temp_is_plausible(v))
        s->temp_low_c = v;
    if (isnan(s->temp_high_c) &&
        wi_json_num(wi_json_get(r->doc, "temperature"), "lifetime_max", &v) &&
        wi_smart_temp_is_plausible(v))
        s->temp_high_c = v;
    if (st == WI_OK && !*s->counters[WI_CTR_POWER_ON_H].text)
        st = wi_smart_exact_read(r, wi_json_get(r->doc, "power_on_time"), "power_on_time", "hours",
                                 &s->counters[WI_CTR_POWER_ON_H], err);
    if (st == WI_OK && !*s->counters[WI_CTR_POWER_CYCLES].text)
        st = wi_smart_exact_read(r, r->doc, "", "power_cycle_count",
                                 &s->counters[WI_CTR_POWER_CYCLES], err);
    return st;
}

static bool has_state(const struct wi_drive_state *s)
{
    if (isfinite(s->temp_c) || isfinite(s->used_pct) || isfinite(s->pe_cycles) || s->n_sensors)
        return true;
    for (size_t i = 0; i < WI_N_COUNTERS; i++) {
        if (*s->counters[i].text)
            return true;
    }
    return false;
}

/* Nothing about a drive: the tool says why, where it does. */
static enum wi_status refuse_without_state(const struct wi_smart_reading *r, struct wi_err *err)
{
    const cJSON *messages = wi_json_get(wi_json_get(r->doc, "smartctl"), "messages");
    const cJSON *first = cJSON_IsArray(messages) ? cJSON_GetArrayItem(messages, 0) : NULL;
    const char *text = wi_json_str(first, "string");

    if (!text)
        text = wi_json_str(r->doc, "error");
    if (text)
        return wi_fail(err, WI_EDATA, "%s: the tool failed: %.300s", r->name, text);
    return wi_fail(err, WI_EDATA, "%s: JSON, but no temperature, wear or counter of a drive in it",
                   r->name);
}

typedef enum wi_status (*read_fn)(const struct wi_smart_reading *r, struct wi_err *err);

static enum wi_status read_smartctl(const struct wi_smart_reading *r, struct wi_err *err)
{
    const char *key = "nvme_smart_health_information_log";
    const cJSON *log = wi_json_get(r->doc, key);
    enum wi_status st = WI_OK;

    if (!wi_json_get(r->doc, "smartctl"))
        return wi_fail(err, WI_EDATA, "%s: JSON, but not smartctl's: no member 'smartctl'",
                       r->name);
    read_identity(r);
    if (log)
        st = read_health_log(r, log, key, true, err);
    if (st == WI_OK)
        st = wi_smart_attributes_read(r, err);
    if (st == WI_OK)
        st = read_common(r, err);
    return st;
}

static enum wi_status read_nvme(const struct wi_smart_reading *r, struct wi_err *err)
{
    const cJSON *log = wi_json_get(r->doc, "smart_log");
    const char *prefix = log ? "smart_log" : "";

    if (wi_json_get(r->doc, "smartctl"))
        return wi_fail(err, WI_EDATA, "%s: this is smartctl's output: import it as smartctl",
                       r->name);
    snprintf(r->state->tool, sizeof(r->state->tool), "nvme smart-log");
    snprintf(r->state->protocol, sizeof(r->state->protocol), "NVMe");
    return read_health_log(r, log ? log : r->doc, prefix, false, err);
}

static enum wi_status parse(const char *text, size_t len, const char *name, const char *hint,
                            read_fn read, struct wi_drive_state *state, struct wi_texts *warnings,
                            struct wi_err *err)
{
    struct wi_json_span span;
    cJSON *doc = NULL;
    struct wi_smart_reading r = {.name = name, .text = text, .state = state, .warnings = warnings};
    enum wi_status st;

    state_init(state);
    st = wi_json_parse_last(text, len, name, SMART_DEPTH_MAX, hint, &doc, &span, err);
    if (st == WI_OK) {
        r.text = text + span.start;
        r.len = span.len;
        r.doc = doc;
        st = read(&r, err);
    }
    if (st == WI_OK && !has_state(state))
        st = refuse_without_state(&r, err);
    cJSON_Delete(doc);
    return st;
}

enum wi_status wi_smartctl_parse(const char *text, size_t len, const char *name,
                                 struct wi_drive_state *state, struct wi_texts *warnings,
                                 struct wi_err *err)
{
    return parse(text, len, name, "run smartctl with -j", read_smartctl, state, warnings, err);
}

enum wi_status wi_nvme_parse(const char *text, size_t len, const char *name,
                             struct wi_drive_state *state, struct wi_texts *warnings,
                             struct wi_err *err)
{
    return parse(text, len, name, "run nvme smart-log with -o json", read_nvme, state, warnings,
                 err);
}
