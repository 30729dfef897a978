/* The exposure file: written with how it was found, read back as a scenario. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/utc.h"
#include "experiments/exposure_series.h"
#include "experiments/input.h"

#define SCHEMA "ssd-whatif/exposure/1"
#define FILE_BYTES_MAX (1u << 20)

/* ---- writing ---------------------------------------------------------------------------- */

static enum wi_status add_object(cJSON *parent, const char *key, cJSON **child, struct wi_err *err)
{
    *child = cJSON_AddObjectToObject(parent, key);
    return *child ? WI_OK : wi_fail_nomem(err);
}

static enum wi_status add_text(cJSON *obj, const char *key, const char *text, struct wi_err *err)
{
    return cJSON_AddStringToObject(obj, key, text) ? WI_OK : wi_fail_nomem(err);
}

static enum wi_status add_nothing(cJSON *root, const char *key, struct wi_err *err)
{
    return cJSON_AddNullToObject(root, key) ? WI_OK : wi_fail_nomem(err);
}

static enum wi_status add_vib(cJSON *obj, const struct wi_vib *vib, bool axis_known,
                              struct wi_err *err)
{
    bool moves = vib->axis != WI_AXIS_NONE;
    cJSON *child;
    enum wi_status st = add_object(obj, "vib", &child, err);

    if (st == WI_OK)
        st = add_text(child, "axis", moves && !axis_known ? "unknown" : wi_axis_name(vib->axis),
                      err);
    if (st == WI_OK)
        st = wi_json_add_num(child, "freq_hz", vib->freq_hz, err);
    return st == WI_OK ? wi_json_add_num(child, "grms", vib->grms, err) : st;
}

/* hours: NaN where the step has none of its own. */
static enum wi_status add_step(cJSON *parent, const char *key, const struct wi_step *step,
                               const struct wi_exposure_record *r, double hours, struct wi_err *err)
{
    cJSON *obj;
    enum wi_status st = add_object(parent, key, &obj, err);

    if (st == WI_OK)
        st = wi_json_add_num(obj, "temp_c", step->temp_c, err);
    if (st == WI_OK)
        st = wi_json_add_num(obj, "rh_pct", step->rh_pct, err);
    if (st == WI_OK)
        st = r->vib_known ? add_vib(obj, &step->vib, r->axis_known, err)
                          : add_nothing(obj, "vib", err);
    if (st == WI_OK && isfinite(hours))
        st = wi_json_add_num(obj, "hours", hours, err);
    return st;
}

static void format_time(double time_s, bool absolute, char *buf, size_t size)
{
    if (!absolute || !wi_utc_format((time_t)floor(time_s), buf, size))
        snprintf(buf, size, "%.3f s", time_s);
}

static enum wi_status add_stat(cJSON *obj, const char *key, const struct wi_series_stat *stat,
                               struct wi_err *err)
{
    static const char *const names[] = {"n", "mean", "sd", "min", "max"};
    const double values[] = {stat->n, stat->mean, stat->sd, stat->min, stat->max};
    cJSON *child;
    enum wi_status st;

    if (!(stat->n > 0.0))
        return cJSON_AddNullToObject(obj, key) ? WI_OK : wi_fail_nomem(err);
    st = add_object(obj, key, &child, err);
    for (size_t i = 0; i < 5 && st == WI_OK; i++)
        st = wi_json_add_num(child, names[i], rint(values[i] * 1e6) / 1e6, err);
    return st;
}

static const char *step_name(const struct wi_exposure_record *r, size_t i)
{
    static const char *const names[] = {"before", "during", "after"};

    return names[r->n_steps == 1 ? 1 : i];
}

static enum wi_status add_steps(cJSON *root, const struct wi_exposure_record *r, struct wi_err *err)
{
    cJSON *list = cJSON_AddArrayToObject(root, "steps");
    enum wi_status st = list ? WI_OK : wi_fail_nomem(err);

    for (size_t i = 0; i < r->n_steps && st == WI_OK; i++) {
        const struct wi_series_step *s = &r->steps[i];
        cJSON *obj = cJSON_CreateObject();
        char when[48];

        if (!obj || !cJSON_AddItemToArray(list, obj)) {
            cJSON_Delete(obj);
            return wi_fail_nomem(err);
        }
        st = add_text(obj, "name", step_name(r, i), err);
        format_time(s->start_s, r->is_absolute, when, sizeof(when));
        if (st == WI_OK)
            st = add_text(obj, "start", when, err);
        format_time(s->end_s, r->is_absolute, when, sizeof(when));
        if (st == WI_OK)
            st = add_text(obj, "end", when, err);
        if (st == WI_OK)
            st = wi_json_add_num(obj, "hours", rint((s->end_s - s->start_s) / 3.6) / 1e3, err);
        if (st == WI_OK)
            st = add_stat(obj, "temp_c", &s->temp, err);
        if (st == WI_OK)
            st = add_stat(obj, "rh_pct", &s->rh, err);
        if (st == WI_OK)
            st = add_stat(obj, "grms", &s->grms, err);
    }
    return st;
}

static enum wi_status add_ramps(cJSON *root, const struct wi_exposure_record *r, struct wi_err *err)
{
    cJSON *list = cJSON_AddArrayToObject(root, "ramps");
    enum wi_status st = list ? WI_OK : wi_fail_nomem(err);

    for (size_t i = 0; i + 1 < r->n_steps && st == WI_OK; i++) {
        cJSON *obj = cJSON_CreateObject();

        if (!obj || !cJSON_AddItemToArray(list, obj)) {
            cJSON_Delete(obj);
            return wi_fail_nomem(err);
        }
        st = add_text(obj, "from", step_name(r, i), err);
        if (st == WI_OK)
            st = add_text(obj, "to", step_name(r, i + 1), err);
        if (st == WI_OK)
            st = wi_json_add_num(obj, "hours", rint(r->ramps[i].hours * 1e4) / 1e4, err);
        if (st == WI_OK)
            st = wi_json_add_num(obj, "temp_c_per_h", rint(r->ramps[i].temp_c_per_h * 1e3) / 1e3,
                                 err);
        if (st == WI_OK)
            st = wi_json_add_num(obj, "rh_pct_per_h", rint(r->ramps[i].rh_pct_per_h * 1e3) / 1e3,
                                 err);
    }
    return st;
}

static enum wi_status add_series(cJSON *root, const struct wi_exposure_record *r,
                                 struct wi_err *err)
{
    cJSON *obj;
    char when[48];
    enum wi_status st = add_object(root, "series", &obj, err);

    if (st == WI_OK)
        st = add_text(obj, "file", r->file ? r->file : "", err);
    if (st == WI_OK)
        st = add_text(obj, "sha256", r->sha256, err);
    format_time(r->start_s, r->is_absolute, when, sizeof(when));
    if (st == WI_OK)
        st = add_text(obj, "start", when, err);
    format_time(r->end_s, r->is_absolute, when, sizeof(when));
    if (st == WI_OK)
        st = add_text(obj, "end", when, err);
    if (st == WI_OK)
        st = wi_json_add_num(obj, "hours", rint((r->end_s - r->start_s) / 3.6) / 1e3, err);
    if (st == WI_OK)
        st = wi_json_add_num(obj, "resolution_s", r->bucket_s, err);
    if (st == WI_OK)
        st = add_text(obj, "temperature_of", r->from_drive ? "drive" : "air", err);
    return st;
}

static enum wi_status add_counts(cJSON *root, const struct wi_exposure_record *r,
                                 struct wi_err *err)
{
    const struct {
        const char *key;
        double value;
    } rows[] = {{"rows", r->counts.rows},
                {"missing", r->counts.missing},
                {"impossible", r->counts.impossible},
                {"duplicate", r->counts.duplicate},
                {"backward", r->counts.backward},
                {"gaps", r->counts.gaps},
                {"longest_gap_s", r->counts.longest_gap_s},
                {"stuck", r->counts.stuck},
                {"longest_stuck_s", r->counts.longest_stuck_s}};
    cJSON *obj;
    enum wi_status st = add_object(root, "counts", &obj, err);

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && st == WI_OK; i++)
        st = wi_json_add_num(obj, rows[i].key, rows[i].value, err);
    return st;
}

static enum wi_status add_warnings(cJSON *root, const struct wi_texts *warnings, struct wi_err *err)
{
    cJSON *list = cJSON_AddArrayToObject(root, "warnings");

    for (size_t i = 0; list && i < warnings->n; i++) {
        cJSON *item = cJSON_CreateString(warnings->items[i].text);

        if (!item || !cJSON_AddItemToArray(list, item)) {
            cJSON_Delete(item);
            return wi_fail_nomem(err);
        }
    }
    return list ? WI_OK : wi_fail_nomem(err);
}

enum wi_status wi_exposure_record_to_json(const struct wi_exposure_record *r, cJSON **json,
                                          struct wi_err *err)
{
    const struct wi_exposure *x = &r->exposure;
    cJSON *root = cJSON_CreateObject();
    enum wi_status st = root ? add_text(root, "schema", SCHEMA, err) : wi_fail_nomem(err);

    if (st == WI_OK)
        st = r->has_before ? add_step(root, "before", &x->before, r, NAN, err)
                           : add_nothing(root, "before", err);
    if (st == WI_OK)
        st = add_step(root, "during", &x->during, r, x->during_h, err);
    if (st == WI_OK)
        st = x->has_after ? add_step(root, "after", &x->after, r, NAN, err)
                          : add_nothing(root, "after", err);
    if (st == WI_OK)
        st = add_steps(root, r, err);
    if (st == WI_OK)
        st = add_ramps(root, r, err);
    if (st == WI_OK)
        st = add_series(root, r, err);
    if (st == WI_OK)
        st = add_counts(root, r, err);
    if (st == WI_OK)
        st = add_warnings(root, &r->warnings, err);
    if (st != WI_OK) {
        cJSON_Delete(root);
        return st;
    }
    *json = root;
    return WI_OK;
}

enum wi_status wi_exposure_record_save(const struct wi_exposure_record *r, const char *path,
                                       struct wi_err *err)
{
    cJSON *json = NULL;
    char *text = NULL;
    size_t n;
    enum wi_status st = wi_exposure_record_to_json(r, &json, err);

    if (st == WI_OK)
        st = wi_json_format(json, true, &text, err);
    cJSON_Delete(json);
    if (st != WI_OK)
        return st;
    n = strlen(text);
    text[n] = '\n'; /* over the NUL: the length is passed on */
    st = wi_output_save(path, text, n + 1, err);
    free(text);
    return st;
}

/* ---- reading ---------------------------------------------------------------------------- */

struct step_bits {
    const char *key;
    uint32_t temp, rh, vib;
};

static enum wi_status read_number(const cJSON *obj, const char *name, const char *path,
                                  const char *key, double min, double max, double *out,
                                  struct wi_err *err)
{
    const cJSON *item = wi_json_get(obj, key);

    *out = NAN;
    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return wi_fail(err, WI_EDATA, "%s: %s.%s: must be a number or null", name, path, key);
    if (item->valuedouble < min || item->valuedouble > max)
        return wi_fail(err, WI_ERANGE, "%s: %s.%s: %g is out of range, allowed is %g to %g", name,
                       path, key, item->valuedouble, min, max);
    *out = item->valuedouble;
    return WI_OK;
}

static enum wi_status read_vib(const cJSON *obj, const char *name, const char *path,
                               struct wi_vib *vib, bool *stated, bool *axis_known,
                               struct wi_err *err)
{
    static const char *const known[] = {"axis", "freq_hz", "grms", NULL};
    const cJSON *item = wi_json_get(obj, "vib");
    const char *axis = wi_json_str(item, "axis");
    char where[64];
    enum wi_status st;

    *stated = false;
    *axis_known = true;
    if (!item || cJSON_IsNull(item))
        return WI_OK;
    snprintf(where, sizeof(where), "%s.vib", path);
    st = wi_json_only(item, where, known, err);
    if (st != WI_OK)
        return st;
    if (axis && strcmp(axis, "unknown") == 0)
        *axis_known = false;
    else if (!axis || !wi_axis_parse(axis, &vib->axis))
        return wi_fail(err, WI_EDATA,
                       "%s: %s.axis: must be none, parallel, perpendicular or unknown", name,
                       where);
    st = read_number(item, name, where, "freq_hz", WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX, &vib->freq_hz,
                     err);
    if (st == WI_OK)
        st = read_number(item, name, where, "grms", WI_GRMS_MIN, WI_GRMS_MAX, &vib->grms, err);
    *stated = true;
    return st;
}

/*
 * One step into the scenario. A during vibration of unknown axis is stated without its axis, which
 * wi_scenario_complete then fills in and lists as assumed.
 */
static enum wi_status read_step(const cJSON *root, const char *name, const struct step_bits *bits,
                                struct wi_step *step, struct wi_scenario *s, struct wi_err *err)
{
    static const char *const known[] = {"temp_c", "rh_pct", "vib", "hours", NULL};
    const cJSON *obj = wi_json_get(root, bits->key);
    double temp_c;
    double rh_pct;
    struct wi_vib vib = {WI_AXIS_NONE, NAN, NAN};
    bool stated;
    bool axis_known;
    enum wi_status st = wi_json_only(obj, bits->key, known, err);

    if (st == WI_OK)
        st =
            read_number(obj, name, bits->key, "temp_c", WI_TEMP_C_MIN, WI_TEMP_C_MAX, &temp_c, err);
    if (st == WI_OK)
        st =
            read_number(obj, name, bits->key, "rh_pct", WI_RH_PCT_MIN, WI_RH_PCT_MAX, &rh_pct, err);
    if (st == WI_OK)
        st = read_vib(obj, name, bits->key, &vib, &stated, &axis_known, err);
    if (st != WI_OK)
        return st;
    if (isfinite(temp_c) && !(s->given & bits->temp)) {
        step->temp_c = temp_c;
        s->given |= bits->temp;
    }
    if (isfinite(rh_pct) && !(s->given & bits->rh)) {
        step->rh_pct = rh_pct;
        s->given |= bits->rh;
    }
    if (stated && !(s->given & bits->vib)) {
        if (!axis_known && bits->vib != WI_F_DURING_VIB)
            vib.axis = WI_AXIS_PERPENDICULAR;
        step->vib = vib;
        s->given |= bits->vib;
        if (bits->vib == WI_F_DURING_VIB && axis_known)
            s->given |= WI_F_DURING_AXIS;
        if (bits->vib == WI_F_DURING_VIB && isfinite(vib.freq_hz))
            s->given |= WI_F_DURING_FREQ;
    }
    return WI_OK;
}

static bool is_absent(const cJSON *root, const char *key)
{
    const cJSON *item = wi_json_get(root, key);

    return !item || cJSON_IsNull(item);
}

static enum wi_status read_root(const cJSON *root, const char *name, struct wi_scenario *s,
                                struct wi_err *err)
{
    static const char *const known[] = {"schema", "before", "during", "after",    "steps",
                                        "ramps",  "series", "counts", "warnings", NULL};
    static const struct step_bits before = {"before", WI_F_BEFORE_TEMP, WI_F_BEFORE_RH,
                                            WI_F_BEFORE_VIB};
    static const struct step_bits during = {"during", WI_F_DURING_TEMP, WI_F_DURING_RH,
                                            WI_F_DURING_VIB};
    static const struct step_bits after = {"after", WI_F_AFTER_TEMP, WI_F_AFTER_RH, WI_F_AFTER_VIB};
    const char *schema = wi_json_str(root, "schema");
    double hours;
    enum wi_status st;

    if (!schema || strcmp(schema, SCHEMA) != 0)
        return wi_fail(err, WI_EDATA, "%s: schema: must be \"%s\"; 'import sensors' writes one",
                       name, SCHEMA);
    st = wi_json_only(root, "", known, err);
    if (st == WI_OK && is_absent(root, "during"))
        st = wi_fail(err, WI_EDATA, "%s: during: missing", name);
    if (st == WI_OK && !is_absent(root, "before"))
        st = read_step(root, name, &before, &s->exposure.before, s, err);
    if (st == WI_OK)
        st = read_step(root, name, &during, &s->exposure.during, s, err);
    if (st == WI_OK)
        st = read_number(wi_json_get(root, "during"), name, "during", "hours", WI_DUR_H_MIN,
                         WI_DUR_H_MAX, &hours, err);
    if (st == WI_OK && isfinite(hours) && !(s->given & WI_F_DURING_HOURS)) {
        s->exposure.during_h = hours;
        s->given |= WI_F_DURING_HOURS;
    }
    if (st == WI_OK && !is_absent(root, "after")) {
        st = read_step(root, name, &after, &s->exposure.after, s, err);
        s->exposure.has_after = true;
    }
    return st;
}

enum wi_status wi_exposure_parse(const char *text, size_t len, const char *name,
                                 struct wi_scenario *s, struct wi_err *err)
{
    struct wi_scenario tmp = *s;
    cJSON *root = NULL;
    enum wi_status st = wi_json_parse(text, len, name, &root, err);

    if (st == WI_OK)
        st = read_root(root, name, &tmp, err);
    cJSON_Delete(root);
    if (st == WI_OK)
        *s = tmp;
    return st;
}

enum wi_status wi_exposure_load(const char *path, struct wi_scenario *s, struct wi_err *err)
{
    char *text = NULL;
    size_t n = 0;
    enum wi_status st = wi_input_read_all(path, FILE_BYTES_MAX, &text, &n, NULL, err);

    if (st == WI_OK)
        st = wi_exposure_parse(text, n, wi_input_name(path), s, err);
    free(text);
    return st;
}
