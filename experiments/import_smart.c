#include "experiments/import_smart.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/units.h"
#include "experiments/input.h"
#include "experiments/json_find.h"
#include "knowledge/store_json.h"

#define SMART_DEPTH_MAX 64
#define KELVIN_ABOVE 200.0              /* without a unit; no drive runs at 200 C or at -73 C */
#define EXACT_DOUBLE 9007199254740992.0 /* 2^53 */

static const char *const counter_names[WI_N_COUNTERS] = {"data_units_read",
                                                         "data_units_written",
                                                         "lbas_written",
                                                         "host_reads",
                                                         "host_writes",
                                                         "busy_min",
                                                         "power_cycles",
                                                         "power_on_h",
                                                         "unsafe_shutdowns",
                                                         "media_errors",
                                                         "error_log_entries",
                                                         "warning_temp_time_min",
                                                         "critical_temp_time_min",
                                                         "tmt1_transitions",
                                                         "tmt2_transitions",
                                                         "tmt1_time_s",
                                                         "tmt2_time_s",
                                                         "reallocated"};

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

/* ATA attributes whose raw value is a plain count. */
static const struct {
    int id;
    enum wi_counter counter;
} ata_counters[] = {{5, WI_CTR_REALLOCATED},
                    {9, WI_CTR_POWER_ON_H},
                    {12, WI_CTR_POWER_CYCLES},
                    {187, WI_CTR_MEDIA_ERRORS},
                    {241, WI_CTR_LBAS_WRITTEN}};

struct reading {
    const char *name; /* file */
    const char *text; /* the document, for numbers beyond doubles */
    size_t len;
    const cJSON *doc;
    struct wi_drive_state *state;
    struct wi_texts *warnings;
};

const char *wi_counter_name(enum wi_counter c)
{
    return c < WI_N_COUNTERS ? counter_names[c] : "?";
}

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

/* ---- exact counts ----------------------------------------------------------------------- */

/* Decimal digits, thousands separators dropped; false for anything else. */
static bool plain_digits(const char *text, char *buf, size_t size)
{
    size_t n = 0;

    for (; *text; text++) {
        if (isdigit((unsigned char)*text)) {
            if (n + 1 >= size)
                return false;
            buf[n++] = *text;
        } else if (!(n && (*text == ',' || *text == ' ' || *text == '_'))) {
            return false;
        }
    }
    buf[n] = '\0';
    return n > 0;
}

/* By the digits: the nearest double of 2^64 - 1 is 2^64. */
static bool is_beyond_64_bits(const char *digits)
{
    static const char largest[] = "18446744073709551615";
    size_t n;

    digits += strspn(digits, "0");
    n = strlen(digits);
    return n > sizeof(largest) - 1 || (n == sizeof(largest) - 1 && strcmp(digits, largest) > 0);
}

static enum wi_status set_exact_text(const struct reading *r, const char *path, const char *digits,
                                     struct wi_exact *out, struct wi_err *err)
{
    snprintf(out->text, sizeof(out->text), "%s", digits);
    out->approx = strtod(digits, NULL);
    if (is_beyond_64_bits(digits))
        return wi_texts_add(r->warnings, "", err, "%s: %s: %s is beyond 64 bits: kept as text",
                            r->name, path, digits);
    return WI_OK;
}

/* The number as it stands in the text, where a double cannot hold it. */
static enum wi_status exact_by_text(const struct reading *r, const char *path, double approx,
                                    struct wi_exact *out, struct wi_err *err)
{
    char where[200];
    char raw[64];
    char digits[WI_EXACT_MAX];
    bool found = false;
    enum wi_status st;

    snprintf(where, sizeof(where), "$.%s", path);
    st = wi_store_json_text(r->text, r->len, where, raw, sizeof(raw), &found, err);
    if (st != WI_OK)
        return st;
    if (found && plain_digits(raw, digits, sizeof(digits)))
        return set_exact_text(r, path, digits, out, err);
    snprintf(out->text, sizeof(out->text), "%.0f", approx);
    out->approx = approx;
    return wi_texts_add(r->warnings, "", err, "%s: %s: %g is rounded: the tool printed no integer",
                        r->name, path, approx);
}

/*
 * A count: the string twin "KEY_s" that smartctl adds beyond 2^53, a number, or a number as text.
 */
static enum wi_status read_exact(const struct reading *r, const cJSON *obj, const char *prefix,
                                 const char *key, struct wi_exact *out, struct wi_err *err)
{
    const cJSON *item = wi_json_get(obj, key);
    char path[160];
    char twin_key[80];
    char digits[WI_EXACT_MAX];
    const char *twin;

    snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", key);
    snprintf(twin_key, sizeof(twin_key), "%.70s_s", key);
    twin = wi_json_str(obj, twin_key);
    if (twin && plain_digits(twin, digits, sizeof(digits)))
        return set_exact_text(r, path, digits, out, err);
    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (cJSON_IsString(item) && plain_digits(item->valuestring, digits, sizeof(digits)))
        return set_exact_text(r, path, digits, out, err);
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0.0)
        return wi_texts_add(r->warnings, "", err, "%s: %s: is no count: left out", r->name, path);
    if (item->valuedouble >= EXACT_DOUBLE || item->valuedouble != floor(item->valuedouble))
        return exact_by_text(r, path, item->valuedouble, out, err);
    snprintf(digits, sizeof(digits), "%.0f", fabs(item->valuedouble)); /* -0 is 0 */
    return set_exact_text(r, path, digits, out, err);
}

/* ---- numbers and temperatures ----------------------------------------------------------- */

/* A number, or a number as text with something after it ("36 C"). */
static bool loose_number(const cJSON *item, double *value, char *unit)
{
    char *end;

    *unit = '\0';
    if (cJSON_IsNumber(item)) {
        *value = item->valuedouble;
        return isfinite(*value);
    }
    if (!cJSON_IsString(item))
        return false;
    *value = strtod(item->valuestring, &end);
    if (end == item->valuestring || !isfinite(*value))
        return false;
    for (; *end; end++) {
        if (strchr("CFK", toupper((unsigned char)*end))) {
            *unit = (char)toupper((unsigned char)*end);
            break;
        }
    }
    return true;
}

static double percent_or_nan(const cJSON *obj, const char *key)
{
    double v;
    char unit;

    return loose_number(wi_json_get(obj, key), &v, &unit) && v >= 0.0 && v <= 255.0 ? v : NAN;
}

static double to_celsius(double value, char unit, bool celsius_tool)
{
    if (unit == 'K' || (!unit && !celsius_tool && value > KELVIN_ABOVE))
        return wi_c_from_k(value);
    if (unit == 'F')
        return wi_c_from_f(value);
    return value;
}

/*
 * out:  out   left alone where nothing plausible was printed
 */
static enum wi_status read_temp(const struct reading *r, const cJSON *item, const char *path,
                                bool celsius_tool, double *out, struct wi_err *err)
{
    double value;
    double temp_c;
    char unit;

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (!loose_number(item, &value, &unit))
        return wi_texts_add(r->warnings, "", err, "%s: %s: is no temperature: left out", r->name,
                            path);
    if (value == 0.0)
        return wi_texts_add(r->warnings, "", err,
                            "%s: %s: 0 means no sensor (RAID volumes print it): not measured",
                            r->name, path);
    temp_c = to_celsius(value, unit, celsius_tool);
    if (temp_c < WI_DRIVE_TEMP_C_MIN || temp_c > WI_DRIVE_TEMP_C_MAX)
        return wi_texts_add(r->warnings, "", err,
                            "%s: %s: %g is %.1f C, plausible is %g to %g: not taken", r->name, path,
                            value, temp_c, WI_DRIVE_TEMP_C_MIN, WI_DRIVE_TEMP_C_MAX);
    *out = temp_c;
    return WI_OK;
}

static void copy_text(const cJSON *obj, const char *key, char *buf, size_t size)
{
    const char *text = wi_json_str(obj, key);

    if (text)
        snprintf(buf, size, "%s", text);
}

/* ---- the NVMe health log ---------------------------------------------------------------- */

static enum wi_status read_log_counters(const struct reading *r, const cJSON *log,
                                        const char *prefix, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < sizeof(log_counters) / sizeof(log_counters[0]) && st == WI_OK; i++)
        st = read_exact(r, log, prefix, log_counters[i].key,
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
    return loose_number(item, &v, &unit) && v >= 0.0 && v <= 255.0 ? (int)v : -1;
}

static double first_percent(const cJSON *log, const char *a, const char *b)
{
    double v = percent_or_nan(log, a);

    return isnan(v) ? percent_or_nan(log, b) : v;
}

static enum wi_status add_sensor(const struct reading *r, const cJSON *item, const char *path,
                                 size_t index, bool celsius_tool, struct wi_err *err)
{
    struct wi_drive_state *s = r->state;

    while (s->n_sensors <= index)
        s->sensors_c[s->n_sensors++] = NAN;
    return read_temp(r, item, path, celsius_tool, &s->sensors_c[index], err);
}

/* smartctl: "temperature_sensors": [36, 45]; nvme-cli: "temperature_sensor_1": 309. */
static enum wi_status read_sensors(const struct reading *r, const cJSON *log, const char *prefix,
                                   bool celsius_tool, struct wi_err *err)
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

static enum wi_status read_health_log(const struct reading *r, const cJSON *log, const char *prefix,
                                      bool celsius_tool, struct wi_err *err)
{
    struct wi_drive_state *s = r->state;
    char path[120];
    enum wi_status st;

    s->critical_warning = critical_warning(log);
    s->used_pct = first_percent(log, "percentage_used", "percent_used");
    s->spare_pct = first_percent(log, "available_spare", "avail_spare");
    s->spare_threshold_pct = first_percent(log, "available_spare_threshold", "spare_thresh");
    snprintf(path, sizeof(path), "%s%stemperature", prefix, *prefix ? "." : "");
    st = read_temp(r, wi_json_get(log, "temperature"), path, celsius_tool, &s->temp_c, err);
    if (st == WI_OK)
        st = read_sensors(r, log, prefix, celsius_tool, err);
    if (st == WI_OK)
        st = read_log_counters(r, log, prefix, err);
    return st;
}

/* ---- ATA attributes --------------------------------------------------------------------- */

static bool plausible(double temp_c)
{
    return temp_c >= WI_DRIVE_TEMP_C_MIN && temp_c <= WI_DRIVE_TEMP_C_MAX;
}

static double word_of(double raw, int index)
{
    double word = fmod(floor(raw / pow(65536.0, index)), 65536.0);

    return word >= 32768.0 ? word - 65536.0 : word; /* 16 bits, signed */
}

/*
 * Attribute 194: six raw bytes, the current temperature in the lowest 16 bits, the lifetime
 * extremes in the other two words where the vendor keeps them: 240518299684 = 0x0038 0x0002 0x0024
 * is 36 now, 2 lowest, 56 highest. The string, where printed, starts with the current one.
 */
static enum wi_status read_attribute_194(const struct reading *r, const cJSON *row,
                                         const char *path, struct wi_err *err)
{
    struct wi_drive_state *s = r->state;
    const cJSON *raw = wi_json_get(row, "raw");
    const char *text = wi_json_str(raw, "string");
    char *end = NULL;
    double stated = text ? strtod(text, &end) : NAN;
    double value = NAN;
    double low;
    double high;

    wi_json_num(raw, "value", &value);
    if (!text || end == text)
        stated = value >= 0.0 && value < 281474976710656.0 ? word_of(value, 0) : NAN;
    if (isnan(stated) || stated == 0.0 || !plausible(stated))
        return wi_texts_add(
            r->warnings, "", err,
            "%s: %s: attribute 194 holds no plausible temperature (%.0f): not taken", r->name, path,
            value);
    s->temp_c = stated;
    if (!(value >= 65536.0 && value < 281474976710656.0))
        return WI_OK;
    low = fmin(word_of(value, 1), word_of(value, 2));
    high = fmax(word_of(value, 1), word_of(value, 2));
    if (plausible(low) && plausible(high) && low <= stated && stated <= high) {
        s->temp_low_c = low;
        s->temp_high_c = high;
    }
    return WI_OK;
}

/* The leading integer of the raw string, since raw values pack several counts ("1234h+56m"). */
static enum wi_status read_ata_count(const struct reading *r, const cJSON *row, const char *path,
                                     struct wi_exact *out, struct wi_err *err)
{
    const cJSON *raw = wi_json_get(row, "raw");
    const char *text = wi_json_str(raw, "string");
    char digits[WI_EXACT_MAX];
    size_t n = 0;

    while (text && isdigit((unsigned char)text[n]) && n + 1 < sizeof(digits)) {
        digits[n] = text[n];
        n++;
    }
    digits[n] = '\0';
    return n ? set_exact_text(r, path, digits, out, err)
             : read_exact(r, raw, path, "value", out, err);
}

static enum wi_status read_attribute(const struct reading *r, const cJSON *row, size_t index,
                                     struct wi_err *err)
{
    double id;
    char path[64];
    struct wi_exact cycles = {.approx = NAN};
    enum wi_status st;

    if (!wi_json_num(row, "id", &id))
        return WI_OK;
    snprintf(path, sizeof(path), "ata_smart_attributes.table[%zu].raw", index);
    if (id == 194.0)
        return read_attribute_194(r, row, path, err);
    for (size_t i = 0; i < sizeof(ata_counters) / sizeof(ata_counters[0]); i++) {
        if (id == ata_counters[i].id)
            return read_ata_count(r, row, path, &r->state->counters[ata_counters[i].counter], err);
    }
    if (id != 173.0 && id != 177.0) /* average erase count: Micron, Crucial; Samsung */
        return WI_OK;
    st = read_ata_count(r, row, path, &cycles, err);
    if (cycles.approx >= 0.0 && cycles.approx <= WI_PE_CYCLES_MAX)
        r->state->pe_cycles = cycles.approx;
    return st;
}

static enum wi_status read_attributes(const struct reading *r, struct wi_err *err)
{
    const cJSON *table = wi_json_get(wi_json_get(r->doc, "ata_smart_attributes"), "table");
    enum wi_status st = WI_OK;
    size_t index = 0;
    const cJSON *row;

    cJSON_ArrayForEach(row, table)
    {
        st = read_attribute(r, row, index++, err);
        if (st != WI_OK)
            break;
    }
    return st;
}

/* ---- smartctl --------------------------------------------------------------------------- */

static void read_identity(const struct reading *r)
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
static enum wi_status read_common(const struct reading *r, struct wi_err *err)
{
    struct wi_drive_state *s = r->state;
    double v;
    enum wi_status st = WI_OK;

    if (isnan(s->used_pct))
        s->used_pct = percent_or_nan(wi_json_get(r->doc, "endurance_used"), "current_percent");
    if (isnan(s->used_pct))
        s->used_pct = percent_or_nan(r->doc, "scsi_percentage_used_endurance_indicator");
    if (isnan(s->spare_pct))
        s->spare_pct = percent_or_nan(wi_json_get(r->doc, "spare_available"), "current_percent");
    if (isnan(s->temp_c))
        st = read_temp(r, wi_json_get(wi_json_get(r->doc, "temperature"), "current"),
                       "temperature.current", true, &s->temp_c, err);
    if (isnan(s->temp_low_c) &&
        wi_json_num(wi_json_get(r->doc, "temperature"), "lifetime_min", &v) && plausible(v))
        s->temp_low_c = v;
    if (isnan(s->temp_high_c) &&
        wi_json_num(wi_json_get(r->doc, "temperature"), "lifetime_max", &v) && plausible(v))
        s->temp_high_c = v;
    if (st == WI_OK && !*s->counters[WI_CTR_POWER_ON_H].text)
        st = read_exact(r, wi_json_get(r->doc, "power_on_time"), "power_on_time", "hours",
                        &s->counters[WI_CTR_POWER_ON_H], err);
    if (st == WI_OK && !*s->counters[WI_CTR_POWER_CYCLES].text)
        st = read_exact(r, r->doc, "", "power_cycle_count", &s->counters[WI_CTR_POWER_CYCLES], err);
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
static enum wi_status refuse_without_state(const struct reading *r, struct wi_err *err)
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

typedef enum wi_status (*read_fn)(const struct reading *r, struct wi_err *err);

static enum wi_status read_smartctl(const struct reading *r, struct wi_err *err)
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
        st = read_attributes(r, err);
    if (st == WI_OK)
        st = read_common(r, err);
    return st;
}

static enum wi_status read_nvme(const struct reading *r, struct wi_err *err)
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
    struct reading r = {.name = name, .text = text, .state = state, .warnings = warnings};
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

/* ---- as text ---------------------------------------------------------------------------- */

struct line {
    char *buf;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *l, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(l->used < l->size ? l->buf + l->used : NULL,
                  l->used < l->size ? l->size - l->used : 0, fmt, ap);
    va_end(ap);
    l->used += n > 0 ? (size_t)n : 0;
}

int wi_drive_state_format(const struct wi_drive_state *s, char *buf, size_t size)
{
    /* What bears on latency stands first, since a note may be cut. */
    static const enum wi_counter order[] = {
        WI_CTR_MEDIA_ERRORS,      WI_CTR_TMT1_TRANSITIONS, WI_CTR_TMT2_TRANSITIONS,
        WI_CTR_TMT1_TIME_S,       WI_CTR_TMT2_TIME_S,      WI_CTR_WARNING_TEMP_MIN,
        WI_CTR_CRITICAL_TEMP_MIN, WI_CTR_REALLOCATED,      WI_CTR_POWER_ON_H,
        WI_CTR_DATA_WRITTEN,      WI_CTR_LBAS_WRITTEN,     WI_CTR_POWER_CYCLES,
        WI_CTR_UNSAFE_SHUTDOWNS};
    struct line l = {buf, size, 0};

    if (size)
        *buf = '\0';
    append(&l, "%s", s->tool);
    if (isfinite(s->temp_c))
        append(&l, ", drive %.4g C", s->temp_c);
    for (size_t i = 0; i < s->n_sensors; i++) {
        if (isfinite(s->sensors_c[i]))
            append(&l, ", sensor %zu %.4g C", i + 1, s->sensors_c[i]);
    }
    if (isfinite(s->used_pct))
        append(&l, ", used %g %%", s->used_pct);
    if (isfinite(s->pe_cycles))
        append(&l, ", %.0f erase cycles", s->pe_cycles);
    if (isfinite(s->spare_pct))
        append(&l, ", spare %g %%", s->spare_pct);
    if (s->critical_warning >= 0)
        append(&l, ", critical warning 0x%02x", (unsigned)s->critical_warning);
    if (s->passed >= 0)
        append(&l, ", self-assessment %s", s->passed ? "passed" : "FAILED");
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        const struct wi_exact *c = &s->counters[order[i]];

        if (*c->text)
            append(&l, ", %s %s", counter_names[order[i]], c->text);
    }
    return (int)l.used;
}

enum wi_status wi_drive_state_describe(const char *path, char *buf, size_t size, double *pe_cycles,
                                       struct wi_texts *warnings, struct wi_err *err)
{
    struct wi_drive_state state;
    char *text = NULL;
    size_t n = 0;
    struct wi_err first;
    enum wi_status st = wi_input_read_all(path, WI_JSON_BYTES_MAX, &text, &n, NULL, err);

    if (st == WI_OK) {
        st = wi_smartctl_parse(text, n, wi_input_name(path), &state, warnings, &first);
        if (st == WI_EDATA && strstr(first.msg, "not smartctl's"))
            st = wi_nvme_parse(text, n, wi_input_name(path), &state, warnings, err);
        else if (st != WI_OK && err)
            *err = first;
    }
    if (st == WI_OK) {
        wi_drive_state_format(&state, buf, size);
        *pe_cycles = state.pe_cycles;
    }
    free(text);
    return st;
}
