/* Counts, percentages and temperatures as smartctl and nvme print them. */
#include "experiments/import_smart_internal.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/units.h"
#include "knowledge/store_json.h"

#define KELVIN_ABOVE 200.0              /* without a unit; no drive runs at 200 C or at -73 C */
#define EXACT_DOUBLE 9007199254740992.0 /* 2^53 */

bool wi_smart_temp_is_plausible(double temp_c)
{
    return temp_c >= WI_DRIVE_TEMP_C_MIN && temp_c <= WI_DRIVE_TEMP_C_MAX;
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

enum wi_status wi_smart_exact_set(const struct wi_smart_reading *r, const char *path,
                                  const char *digits, struct wi_exact *out, struct wi_err *err)
{
    snprintf(out->text, sizeof(out->text), "%s", digits);
    out->approx = strtod(digits, NULL);
    if (is_beyond_64_bits(digits))
        return wi_texts_add(r->warnings, "", err, "%s: %s: %s is beyond 64 bits: kept as text",
                            r->name, path, digits);
    return WI_OK;
}

/* The number as it stands in the text, where a double cannot hold it. */
static enum wi_status exact_by_text(const struct wi_smart_reading *r, const char *path,
                                    double approx, struct wi_exact *out, struct wi_err *err)
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
        return wi_smart_exact_set(r, path, digits, out, err);
    snprintf(out->text, sizeof(out->text), "%.0f", approx);
    out->approx = approx;
    return wi_texts_add(r->warnings, "", err, "%s: %s: %g is rounded: the tool printed no integer",
                        r->name, path, approx);
}

enum wi_status wi_smart_exact_read(const struct wi_smart_reading *r, const cJSON *obj,
                                   const char *prefix, const char *key, struct wi_exact *out,
                                   struct wi_err *err)
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
        return wi_smart_exact_set(r, path, digits, out, err);
    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (cJSON_IsString(item) && plain_digits(item->valuestring, digits, sizeof(digits)))
        return wi_smart_exact_set(r, path, digits, out, err);
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0.0)
        return wi_texts_add(r->warnings, "", err, "%s: %s: is no count: left out", r->name, path);
    if (item->valuedouble >= EXACT_DOUBLE || item->valuedouble != floor(item->valuedouble))
        return exact_by_text(r, path, item->valuedouble, out, err);
    snprintf(digits, sizeof(digits), "%.0f", fabs(item->valuedouble)); /* -0 is 0 */
    return wi_smart_exact_set(r, path, digits, out, err);
}

/* ---- numbers and temperatures ----------------------------------------------------------- */

bool wi_smart_number(const cJSON *item, double *value, char *unit)
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

double wi_smart_percent(const cJSON *obj, const char *key)
{
    double v;
    char unit;

    return wi_smart_number(wi_json_get(obj, key), &v, &unit) && v >= 0.0 && v <= 255.0 ? v : NAN;
}

static double to_celsius(double value, char unit, bool celsius_tool)
{
    if (unit == 'K' || (!unit && !celsius_tool && value > KELVIN_ABOVE))
        return wi_c_from_k(value);
    if (unit == 'F')
        return wi_c_from_f(value);
    return value;
}

enum wi_status wi_smart_temp_read(const struct wi_smart_reading *r, const cJSON *item,
                                  const char *path, bool celsius_tool, double *out,
                                  struct wi_err *err)
{
    double value;
    double temp_c;
    char unit;

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (!wi_smart_number(item, &value, &unit))
        return wi_texts_add(r->warnings, "", err, "%s: %s: is no temperature: left out", r->name,
                            path);
    if (value == 0.0)
        return wi_texts_add(r->warnings, "", err,
                            "%s: %s: 0 means no sensor (RAID volumes print it): not measured",
                            r->name, path);
    temp_c = to_celsius(value, unit, celsius_tool);
    if (!wi_smart_temp_is_plausible(temp_c))
        return wi_texts_add(r->warnings, "", err,
                            "%s: %s: %g is %.1f C, plausible is %g to %g: not taken", r->name, path,
                            value, temp_c, WI_DRIVE_TEMP_C_MIN, WI_DRIVE_TEMP_C_MAX);
    *out = temp_c;
    return WI_OK;
}
