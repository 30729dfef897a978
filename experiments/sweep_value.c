/*
 * Values of scenario fields, as JSON gives them.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiments/sweep_parts.h"

uint32_t sweep_field_bit(const struct sweep_field *f)
{
    return UINT32_C(1) << (f - sweep_field_at(0));
}

enum wi_status sweep_check_number(const struct sweep_field *f, double number, const char *path,
                                  struct wi_err *err)
{
    if (!isfinite(number) || number < f->min || number > f->max)
        return wi_fail(err, WI_ERANGE, "%s: %g is out of range, allowed is %g to %g", path, number,
                       f->min, f->max);
    return WI_OK;
}

/* A list of percentiles as the text that the shared reader takes. */
static enum wi_status percentile_text(const cJSON *item, const char *path, char *buf, size_t size,
                                      struct wi_err *err)
{
    const cJSON *one = NULL;
    size_t used = 0;

    buf[0] = '\0';
    cJSON_ArrayForEach(one, item)
    {
        if (!cJSON_IsNumber(one) || used + 32 > size)
            return wi_fail(err, WI_EDATA, "%s: must be a list of at most %d numbers", path,
                           WI_PERCENTILES_MAX);
        used +=
            (size_t)snprintf(buf + used, size - used, "%s%.12g", used ? "," : "", one->valuedouble);
    }
    return WI_OK;
}

/* Read one JSON value for a field; *text points into buf or item. */
enum wi_status sweep_read_value(const struct sweep_field *f, const cJSON *item, const char *path,
                                char *buf, size_t size, double *number, const char **text,
                                struct wi_err *err)
{
    *number = NAN;
    *text = "";
    if (f->kind == SWEEP_NUMBER) {
        if (!cJSON_IsNumber(item))
            return wi_fail(err, WI_EDATA, "%s: must be a number", path);
        *number = item->valuedouble;
        return sweep_check_number(f, *number, path, err);
    }
    if (f->kind == SWEEP_PERCENTILES && cJSON_IsArray(item)) {
        *text = buf;
        return percentile_text(item, path, buf, size, err);
    }
    if (!cJSON_IsString(item))
        return wi_fail(err, WI_EDATA, "%s: must be a text", path);
    *text = item->valuestring;
    return WI_OK;
}

enum wi_status sweep_apply(const struct sweep_field *f, struct wi_scenario *s, double number,
                           const char *text, const char *path, struct wi_err *err)
{
    struct wi_err inner = {0};
    enum wi_status st = sweep_field_set(f, s, number, text, &inner);

    return st == WI_OK ? WI_OK : wi_fail(err, st, "%s: %s", path, inner.msg);
}

enum wi_status sweep_apply_json(const cJSON *item, const char *where, struct wi_scenario *s,
                                struct wi_err *err)
{
    const struct sweep_field *f = sweep_field_find(item->string);
    char path[160];
    char buf[1024];
    double number;
    const char *text;
    enum wi_status st;

    snprintf(path, sizeof(path), "%s.%.80s", where, item->string);
    if (!f)
        return wi_fail(err, WI_EDATA, "%s: unknown field", path);
    st = sweep_read_value(f, item, path, buf, sizeof(buf), &number, &text, err);
    return st == WI_OK ? sweep_apply(f, s, number, text, path, err) : st;
}
