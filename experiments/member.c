#include "experiments/member.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/baseline.h"

/* One operation of a baseline. */
struct curve {
    double percentiles[WI_PERCENTILES_MAX];
    double lat_us[WI_PERCENTILES_MAX];
    size_t n;
    double mbps;
};

struct curves {
    struct curve read, write;
};

void wi_member_release(struct wi_member *m)
{
    wi_texts_release(&m->reasons);
}

/* --- baselines ---------------------------------------------------------------------------------
 */

static int compare_point(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;

    return (x[0] > y[0]) - (x[0] < y[0]);
}

static enum wi_status read_percentiles(const cJSON *obj, const char *path, struct curve *out,
                                       struct wi_err *err)
{
    double points[WI_PERCENTILES_MAX][2];
    size_t n = 0;

    if (!cJSON_IsObject(obj))
        return wi_fail(err, WI_EDATA, "%s: must be an object of percentile and latency in us",
                       path);
    for (const cJSON *item = obj->child; item; item = item->next) {
        char *end = NULL;

        if (n == WI_PERCENTILES_MAX)
            return wi_fail(err, WI_EDATA, "%s: more than %d percentiles", path, WI_PERCENTILES_MAX);
        errno = 0;
        points[n][0] = strtod(item->string, &end);
        if (end == item->string || *end || errno || !(points[n][0] > 0 && points[n][0] <= 100))
            return wi_fail(err, WI_EDATA, "%s.%.40s: not a percentile", path, item->string);
        if (!cJSON_IsNumber(item) || !(item->valuedouble > 0))
            return wi_fail(err, WI_EDATA, "%s.%.40s: latency in us must be above 0", path,
                           item->string);
        points[n++][1] = item->valuedouble;
    }
    qsort(points, n, sizeof(points[0]), compare_point);
    out->n = n;
    for (size_t i = 0; i < n; i++) {
        out->percentiles[i] = points[i][0];
        out->lat_us[i] = points[i][1];
    }
    return WI_OK;
}

static enum wi_status read_curve(const cJSON *baseline, const char *key, const char *path,
                                 struct curve *out, struct wi_err *err)
{
    static const char *const known[] = {"percentiles", "mbps", NULL};
    const cJSON *obj = wi_json_get(baseline, key);
    char sub[160];
    enum wi_status st;

    snprintf(sub, sizeof(sub), "%s.%s", path, key);
    st = wi_json_only(obj, sub, known, err);
    if (st != WI_OK)
        return st;
    out->mbps = NAN;
    if (wi_json_get(obj, "mbps") && (!wi_json_num(obj, "mbps", &out->mbps) || out->mbps <= 0))
        return wi_fail(err, WI_EDATA, "%s.mbps: must be a number above 0", sub);
    snprintf(sub, sizeof(sub), "%s.%s.percentiles", path, key);
    return read_percentiles(wi_json_get(obj, "percentiles"), sub, out, err);
}

static void set_profile(struct curve *c, double p50_us, double p99_us, double p999_us)
{
    static const double percentiles[] = {50, 99, 99.9};
    const double lat_us[] = {p50_us, p99_us, p999_us};

    c->n = 3;
    c->mbps = NAN;
    memcpy(c->percentiles, percentiles, sizeof(percentiles));
    memcpy(c->lat_us, lat_us, sizeof(lat_us));
}

static enum wi_status read_profile(struct wi_session *session, const char *name, const char *path,
                                   struct curves *out, struct wi_err *err)
{
    struct wi_device *devices = NULL;
    size_t n = 0;
    enum wi_nand nand;
    enum wi_status st;

    if (!wi_nand_parse(name, &nand) || nand == WI_NAND_UNKNOWN)
        return wi_fail(err, WI_EDATA,
                       "%s.profile: '%.40s' is unknown, allowed is slc, mlc, tlc, "
                       "qlc",
                       path, name);
    st = wi_store_load_devices(wi_session_store(session), &devices, &n, err);
    if (st != WI_OK)
        return st;
    st = wi_fail(err, WI_EDATA, "%s.profile: the store has no device of type %s", path, name);
    for (size_t i = 0; i < n; i++) {
        const struct wi_device *d = &devices[i];
        double read_us = sqrt(d->read_us_low * d->read_us_high);
        double program_us = sqrt(d->program_us_low * d->program_us_high);
        double erase_us = sqrt(d->erase_us_low * d->erase_us_high);

        if (d->nand != nand)
            continue;
        set_profile(&out->read, read_us, read_us + program_us, read_us + erase_us);
        set_profile(&out->write, program_us, 2 * program_us, program_us + erase_us);
        st = WI_OK;
    }
    free(devices);
    return st;
}

/* The lower half of a fio distribution is left out: no experiment says how it changes. */
#define LOWEST_PERCENTILE 50.0

static enum wi_status take_fio(const struct wi_baseline_op *op, const char *name, const char *path,
                               struct curve *out, struct wi_err *err)
{
    if (!op->known)
        return wi_fail(err, WI_EDATA, "%s.fio: the run did not measure %s", path, name);
    out->mbps = op->bw_mbps;
    out->n = 0;
    for (size_t i = 0; i < op->n && out->n < WI_PERCENTILES_MAX; i++) {
        if (op->percentile[i] < LOWEST_PERCENTILE)
            continue;
        out->percentiles[out->n] = op->percentile[i];
        out->lat_us[out->n++] = op->lat_us[i];
    }
    return WI_OK;
}

static enum wi_status read_fio(const char *file, const char *path, struct curves *out,
                               struct wi_err *err)
{
    struct wi_baseline *baseline = calloc(1, sizeof(*baseline));
    struct wi_err inner = {0};
    enum wi_status st = baseline ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK) {
        st = wi_baseline_load(file, baseline, NULL, &inner);
        if (st != WI_OK)
            wi_fail(err, st, "%s.fio: %s", path, inner.msg);
    }
    if (st == WI_OK)
        st = take_fio(&baseline->ops[WI_OP_READ], "reads", path, &out->read, err);
    if (st == WI_OK)
        st = take_fio(&baseline->ops[WI_OP_WRITE], "writes", path, &out->write, err);
    free(baseline);
    return st;
}

static enum wi_status read_baseline(struct wi_session *session, const cJSON *json, const char *path,
                                    struct curves *out, struct wi_err *err)
{
    static const char *const known[] = {"fio", "profile", "read", "write", NULL};
    const cJSON *baseline = wi_json_get(json, "baseline");
    char sub[128];
    enum wi_status st;

    snprintf(sub, sizeof(sub), "%s.baseline", path);
    if (!baseline)
        return wi_fail(err, WI_EDATA, "%s: missing", sub);
    st = wi_json_only(baseline, sub, known, err);
    if (st != WI_OK)
        return st;
    if (wi_json_str(baseline, "fio"))
        return read_fio(wi_json_str(baseline, "fio"), sub, out, err);
    if (wi_json_str(baseline, "profile"))
        return read_profile(session, wi_json_str(baseline, "profile"), sub, out, err);
    st = read_curve(baseline, "read", sub, &out->read, err);
    return st == WI_OK ? read_curve(baseline, "write", sub, &out->write, err) : st;
}

/* --- prediction --------------------------------------------------------------------------------
 */

static enum wi_status add_texts(struct wi_texts *to, const struct wi_texts *from,
                                struct wi_err *err)
{
    for (size_t i = 0; i < from->n; i++) {
        bool there = false;
        enum wi_status st;

        for (size_t j = 0; j < to->n; j++)
            there = there || strcmp(to->items[j].text, from->items[i].text) == 0;
        if (there)
            continue;
        st = wi_texts_add(to, NULL, err, "%s", from->items[i].text);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

/* A changed percentile below its neighbour is lifted to it: latencies do not decrease with rank. A
 * baseline that does is refused. */
static enum wi_status change_curve(const struct curve *c, const struct wi_change *tail,
                                   enum wi_curve which, struct wi_latency *out, struct wi_err *err)
{
    double lat_us[WI_PERCENTILES_MAX];

    for (size_t i = 0; i < c->n; i++) {
        double pct = which == WI_CURVE_BEFORE  ? 0.0
                     : which == WI_CURVE_AFTER ? tail[i].change_pct
                     : which == WI_CURVE_LOW   ? tail[i].low_pct
                                               : tail[i].high_pct;

        lat_us[i] = c->lat_us[i] * (1.0 + pct / 100.0);
        if (i && which != WI_CURVE_BEFORE)
            lat_us[i] = fmax(lat_us[i], lat_us[i - 1]);
    }
    return wi_latency_init(out, c->percentiles, lat_us, c->n, err);
}

static void change_bandwidth(double mbps, const struct wi_change *b, double *out)
{
    out[WI_CURVE_BEFORE] = mbps;
    out[WI_CURVE_AFTER] = mbps * (1.0 + b->change_pct / 100.0);
    out[WI_CURVE_LOW] = mbps * (1.0 + b->low_pct / 100.0);
    out[WI_CURVE_HIGH] = mbps * (1.0 + b->high_pct / 100.0);
}

static enum wi_status predict(struct wi_session *session, const struct wi_scenario *base,
                              enum wi_op op, const struct curve *c, const char *path,
                              struct wi_member *m, struct wi_err *err)
{
    struct wi_latency *latency = op == WI_OP_READ ? m->read : m->write;
    struct wi_scenario s = *base;
    struct wi_forecast forecast = {0};
    const struct wi_evidence *ev = NULL;
    struct wi_err inner = {0};
    enum wi_status st;

    s.op = op;
    s.given |= WI_F_OP;
    st = wi_scenario_set_percentiles(&s, c->percentiles, c->n, &inner);
    if (st == WI_OK)
        st = wi_scenario_complete(&s, &inner);
    if (st != WI_OK)
        return wi_fail(err, st, "%s: %s", path, inner.msg);
    st = wi_session_evidence(session, &ev, err);
    if (st == WI_OK)
        st = wi_evidence_predict(ev, &s, &forecast, err);
    for (int which = 0; which < WI_N_CURVES && st == WI_OK; which++) {
        st = change_curve(c, forecast.tail, (enum wi_curve)which, &latency[which], &inner);
        if (st != WI_OK)
            wi_fail(err, st, "%s.baseline.%s: %s", path, wi_op_name(op), inner.msg);
    }
    if (st == WI_OK) {
        change_bandwidth(c->mbps, &forecast.bandwidth,
                         op == WI_OP_READ ? m->read_mbps : m->write_mbps);
        if (forecast.domain > m->domain)
            m->domain = forecast.domain;
        st = add_texts(&m->reasons, &forecast.domain_reasons, err);
    }
    if (st == WI_OK)
        st = add_texts(&m->reasons, &forecast.warnings, err);
    wi_forecast_release(&forecast);
    return st;
}

/* --- the object --------------------------------------------------------------------------------
 */

static enum wi_status read_head(const cJSON *json, const char *path, struct wi_member *m,
                                struct wi_err *err)
{
    static const char *const known[] = {"name",        "count", "scenario", "baseline",
                                        "capacity_gb", "site",  NULL};
    const char *name;
    double count = 1.0;
    enum wi_status st = wi_json_only(json, path, known, err);

    if (st != WI_OK)
        return st;
    name = wi_json_str(json, "name");
    if (!name || !*name || strlen(name) >= sizeof(m->name))
        return wi_fail(err, WI_EDATA, "%s.name: a text of 1 to %zu bytes is needed", path,
                       sizeof(m->name) - 1);
    memcpy(m->name, name, strlen(name) + 1);
    if (wi_json_get(json, "count") &&
        (!wi_json_num(json, "count", &count) || count < 1 || count > 1000 || count != floor(count)))
        return wi_fail(err, WI_EDATA, "%s.count: must be a whole number from 1 to 1000", path);
    m->count = (size_t)count;
    return WI_OK;
}

enum wi_status wi_member_read(struct wi_session *session, const cJSON *json, const char *path,
                              double confidence, struct wi_member *out, struct wi_err *err)
{
    struct wi_member m = {0};
    struct curves curves = {0};
    struct wi_scenario s;
    struct wi_err inner = {0};
    const cJSON *scenario = wi_json_get(json, "scenario");
    enum wi_status st = read_head(json, path, &m, err);

    wi_scenario_init(&s);
    if (st == WI_OK && scenario) {
        st = wi_scenario_from_json(scenario, &s, &inner);
        if (st != WI_OK)
            wi_fail(err, st, "%s.scenario: %s", path, inner.msg);
    }
    s.confidence = confidence;
    s.given |= WI_F_CONFIDENCE;
    if (st == WI_OK)
        st = read_baseline(session, json, path, &curves, err);
    if (st == WI_OK)
        st = predict(session, &s, WI_OP_READ, &curves.read, path, &m, err);
    if (st == WI_OK)
        st = predict(session, &s, WI_OP_WRITE, &curves.write, path, &m, err);
    if (st != WI_OK) {
        wi_member_release(&m);
        return st;
    }
    *out = m;
    return WI_OK;
}
