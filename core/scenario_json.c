/*
 * A scenario as the JSON object of the contract, and back.
 */
#include "core/prediction.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

/* Printed JSON is for people and programs: 12 significant digits hide the last bits of arithmetic
 * without losing anything measured. */
static double tidy(double value)
{
    char text[32];

    if (!isfinite(value))
        return value;
    snprintf(text, sizeof(text), "%.12g", value);
    return strtod(text, NULL);
}

static bool add_num(cJSON *obj, const char *key, double value)
{
    return wi_json_add_num(obj, key, tidy(value), NULL) == WI_OK;
}

static bool add_text(cJSON *obj, const char *key, const char *text)
{
    return (*text ? cJSON_AddStringToObject(obj, key, text) : cJSON_AddNullToObject(obj, key)) !=
           NULL;
}

static bool add_step(cJSON *parent, const char *key, const struct wi_step *step, bool with_hours,
                     double hours)
{
    cJSON *obj = cJSON_AddObjectToObject(parent, key);
    cJSON *vib;

    if (!obj || !add_num(obj, "temp_c", step->temp_c) || !add_num(obj, "rh_pct", step->rh_pct))
        return false;
    vib = cJSON_AddObjectToObject(obj, "vib");
    if (!vib || !cJSON_AddStringToObject(vib, "axis", wi_axis_name(step->vib.axis)) ||
        !add_num(vib, "freq_hz", step->vib.freq_hz) || !add_num(vib, "grms", step->vib.grms))
        return false;
    return !with_hours || add_num(obj, "hours", hours);
}

static bool add_exposure(cJSON *parent, const struct wi_exposure *e)
{
    cJSON *obj = cJSON_AddObjectToObject(parent, "exposure");

    if (!obj || !add_step(obj, "before", &e->before, false, 0) ||
        !add_step(obj, "during", &e->during, true, e->during_h))
        return false;
    return e->has_after ? add_step(obj, "after", &e->after, false, 0)
                        : cJSON_AddNullToObject(obj, "after") != NULL;
}

static bool add_assumed(cJSON *parent, uint32_t assumed)
{
    cJSON *list = cJSON_AddArrayToObject(parent, "assumed");

    if (!list)
        return false;
    for (unsigned bit = 0; bit < WI_N_FIELDS; bit++) {
        cJSON *name;

        if (!(assumed & (1u << bit)))
            continue;
        name = cJSON_CreateString(wi_field_name((enum wi_field)(1u << bit)));
        if (!name || !cJSON_AddItemToArray(list, name)) {
            cJSON_Delete(name);
            return false;
        }
    }
    return true;
}

static bool fill(cJSON *obj, const struct wi_scenario *s)
{
    cJSON *percentiles;

    if (!(s->nand == WI_NAND_UNKNOWN
              ? cJSON_AddNullToObject(obj, "nand")
              : cJSON_AddStringToObject(obj, "nand", wi_nand_name(s->nand))) ||
        !cJSON_AddStringToObject(obj, "op", wi_op_name(s->op)) ||
        !cJSON_AddStringToObject(obj, "phase", wi_phase_name(s->phase)) ||
        !add_text(obj, "vendor", s->vendor) || !add_text(obj, "device", s->device) ||
        !add_text(obj, "interface", s->interface) || !add_num(obj, "capacity_gb", s->capacity_gb) ||
        !add_num(obj, "pe_cycles", s->pe_cycles) || !add_num(obj, "tmt1_c", s->tmt1_c))
        return false;
    percentiles = cJSON_AddArrayToObject(obj, "percentiles");
    if (!percentiles)
        return false;
    for (size_t i = 0; i < s->n_percentiles; i++) {
        cJSON *number = cJSON_CreateNumber(s->percentiles[i]);

        if (!number || !cJSON_AddItemToArray(percentiles, number)) {
            cJSON_Delete(number);
            return false;
        }
    }
    return add_exposure(obj, &s->exposure) && add_assumed(obj, s->assumed);
}

enum wi_status wi_scenario_to_json(const struct wi_scenario *s, cJSON **json, struct wi_err *err)
{
    cJSON *obj = cJSON_CreateObject();

    if (!obj || !fill(obj, s)) {
        cJSON_Delete(obj);
        return wi_fail_nomem(err);
    }
    *json = obj;
    return WI_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

/* A member that is absent or null leaves *out alone; `set` tells whether it was given. */
static enum wi_status read_num(const cJSON *obj, const char *path, const char *key, double min,
                               double max, double *out, bool *set, struct wi_err *err)
{
    const cJSON *item = wi_json_get(obj, key);

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return wi_fail(err, WI_EDATA, "%s.%s: must be a number", path, key);
    if (item->valuedouble < min || item->valuedouble > max)
        return wi_fail(err, WI_ERANGE, "%s.%s: %g is out of range, allowed is %g to %g", path, key,
                       item->valuedouble, min, max);
    *out = item->valuedouble;
    if (set)
        *set = true;
    return WI_OK;
}

static enum wi_status read_vib(const cJSON *obj, const char *path, struct wi_vib *vib, bool *set,
                               struct wi_err *err)
{
    static const char *const known[] = {"axis", "freq_hz", "grms", NULL};
    const cJSON *item = wi_json_get(obj, "vib");
    const char *axis;
    char sub[128];
    enum wi_status st;

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    snprintf(sub, sizeof(sub), "%s.vib", path);
    st = wi_json_only(item, sub, known, err);
    if (st != WI_OK)
        return st;
    axis = wi_json_str(item, "axis");
    if (!axis || !wi_axis_parse(axis, &vib->axis))
        return wi_fail(err, WI_EDATA, "%s.axis: must be none, parallel or perpendicular", sub);
    *set = true;
    st = read_num(item, sub, "freq_hz", WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX, &vib->freq_hz, NULL, err);
    if (st == WI_OK)
        st = read_num(item, sub, "grms", WI_GRMS_MIN, WI_GRMS_MAX, &vib->grms, NULL, err);
    return st;
}

/* The given bits of the three steps, in the order before, during, after. */
static const uint32_t step_bits[3][3] = {
    {WI_F_BEFORE_TEMP, WI_F_BEFORE_RH, WI_F_BEFORE_VIB},
    {WI_F_DURING_TEMP, WI_F_DURING_RH, WI_F_DURING_VIB | WI_F_DURING_AXIS},
    {WI_F_AFTER_TEMP, WI_F_AFTER_RH, WI_F_AFTER_VIB}};

static enum wi_status read_step(const cJSON *exposure, const char *key, int which,
                                struct wi_step *step, struct wi_scenario *s, struct wi_err *err)
{
    static const char *const known[] = {"temp_c", "rh_pct", "vib", "hours", NULL};
    const cJSON *item = wi_json_get(exposure, key);
    char path[64];
    bool set[3] = {false, false, false};
    enum wi_status st;

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    snprintf(path, sizeof(path), "exposure.%s", key);
    st = wi_json_only(item, path, known, err);
    if (st == WI_OK && which != 1 && wi_json_get(item, "hours"))
        st = wi_fail(err, WI_EDATA, "%s.hours: only the during step has a duration", path);
    if (st == WI_OK)
        st = read_num(item, path, "temp_c", WI_TEMP_C_MIN, WI_TEMP_C_MAX, &step->temp_c, &set[0],
                      err);
    if (st == WI_OK)
        st = read_num(item, path, "rh_pct", WI_RH_PCT_MIN, WI_RH_PCT_MAX, &step->rh_pct, &set[1],
                      err);
    if (st == WI_OK)
        st = read_vib(item, path, &step->vib, &set[2], err);
    if (st != WI_OK)
        return st;
    for (int i = 0; i < 3; i++) {
        if (set[i])
            s->given |= step_bits[which][i];
    }
    if (which == 1 && set[2] && isfinite(step->vib.freq_hz))
        s->given |= WI_F_DURING_FREQ;
    if (which == 2)
        s->exposure.has_after = true;
    return WI_OK;
}

static enum wi_status read_exposure(const cJSON *json, struct wi_scenario *s, struct wi_err *err)
{
    static const char *const known[] = {"before", "during", "after", NULL};
    const cJSON *item = wi_json_get(json, "exposure");
    bool hours = false;
    enum wi_status st;

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    st = wi_json_only(item, "exposure", known, err);
    if (st == WI_OK)
        st = read_step(item, "before", 0, &s->exposure.before, s, err);
    if (st == WI_OK)
        st = read_step(item, "during", 1, &s->exposure.during, s, err);
    if (st == WI_OK)
        st = read_step(item, "after", 2, &s->exposure.after, s, err);
    if (st == WI_OK)
        st = read_num(wi_json_get(item, "during"), "exposure.during", "hours", WI_DUR_H_MIN,
                      WI_DUR_H_MAX, &s->exposure.during_h, &hours, err);
    if (hours)
        s->given |= WI_F_DURING_HOURS;
    return st;
}

static enum wi_status read_name(const cJSON *json, const char *key, char *out, struct wi_err *err)
{
    const cJSON *item = wi_json_get(json, key);

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (!cJSON_IsString(item) || strlen(item->valuestring) >= WI_NAME_MAX)
        return wi_fail(err, WI_EDATA, "%s: must be a text of at most %d bytes", key,
                       WI_NAME_MAX - 1);
    memcpy(out, item->valuestring, strlen(item->valuestring) + 1);
    return WI_OK;
}

static enum wi_status read_enums(const cJSON *json, struct wi_scenario *s, struct wi_err *err)
{
    const cJSON *nand = wi_json_get(json, "nand");
    const cJSON *op = wi_json_get(json, "op");
    const cJSON *phase = wi_json_get(json, "phase");

    if (nand && !cJSON_IsNull(nand)) {
        if (!cJSON_IsString(nand) || !wi_nand_parse(nand->valuestring, &s->nand))
            return wi_fail(err, WI_EDATA, "nand: must be slc, mlc, tlc or qlc");
        s->given |= WI_F_NAND;
    }
    if (op && !cJSON_IsNull(op)) {
        if (!cJSON_IsString(op) || !wi_op_parse(op->valuestring, &s->op))
            return wi_fail(err, WI_EDATA, "op: must be read, write or mixed");
        s->given |= WI_F_OP;
    }
    if (phase && !cJSON_IsNull(phase)) {
        if (!cJSON_IsString(phase) || !wi_phase_parse(phase->valuestring, &s->phase))
            return wi_fail(err, WI_EDATA, "phase: must be running, post or long_term");
        s->given |= WI_F_PHASE;
    }
    return WI_OK;
}

static enum wi_status read_percentiles(const cJSON *json, struct wi_scenario *s, struct wi_err *err)
{
    const cJSON *list = wi_json_get(json, "percentiles");
    double values[WI_PERCENTILES_MAX];
    size_t n = 0;
    const cJSON *item = NULL;

    if (!list || cJSON_IsNull(list))
        return WI_OK;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) < 1 ||
        cJSON_GetArraySize(list) > WI_PERCENTILES_MAX)
        return wi_fail(err, WI_EDATA, "percentiles: must be a list of 1 to %d numbers",
                       WI_PERCENTILES_MAX);
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsNumber(item))
            return wi_fail(err, WI_EDATA, "percentiles[%zu]: must be a number", n);
        values[n++] = item->valuedouble;
    }
    return wi_scenario_set_percentiles(s, values, n, err);
}

enum wi_status wi_scenario_from_json(const cJSON *json, struct wi_scenario *s, struct wi_err *err)
{
    static const char *const known[] = {
        "nand",      "op",     "phase",       "vendor",     "device",   "interface", "capacity_gb",
        "pe_cycles", "tmt1_c", "percentiles", "confidence", "exposure", "assumed",   NULL};
    struct wi_scenario tmp;
    bool confidence = false;
    enum wi_status st = wi_json_only(json, "", known, err);

    wi_scenario_init(&tmp);
    if (st == WI_OK)
        st = read_enums(json, &tmp, err);
    if (st == WI_OK)
        st = read_name(json, "vendor", tmp.vendor, err);
    if (st == WI_OK)
        st = read_name(json, "device", tmp.device, err);
    if (st == WI_OK)
        st = read_name(json, "interface", tmp.interface, err);
    if (st == WI_OK)
        st = read_num(json, "scenario", "capacity_gb", 0, WI_CAPACITY_GB_MAX, &tmp.capacity_gb,
                      NULL, err);
    if (st == WI_OK)
        st =
            read_num(json, "scenario", "pe_cycles", 0, WI_PE_CYCLES_MAX, &tmp.pe_cycles, NULL, err);
    if (st == WI_OK)
        st = read_num(json, "scenario", "tmt1_c", WI_TMT1_C_MIN, WI_TMT1_C_MAX, &tmp.tmt1_c, NULL,
                      err);
    if (st == WI_OK)
        st = read_num(json, "scenario", "confidence", WI_CONFIDENCE_MIN, WI_CONFIDENCE_MAX,
                      &tmp.confidence, &confidence, err);
    if (st == WI_OK)
        st = read_percentiles(json, &tmp, err);
    if (st == WI_OK)
        st = read_exposure(json, &tmp, err);
    if (st != WI_OK)
        return st;
    if (confidence)
        tmp.given |= WI_F_CONFIDENCE;
    *s = tmp;
    return WI_OK;
}
