#include "experiments/raid_study.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

enum { ROWS_READ, ROWS_WRITE, ROWS_MIX, N_ROWS };

static const char *const row_names[N_ROWS] = {"read", "write", "mix"};

void wi_raid_study_release(struct wi_raid_study *study)
{
    for (size_t i = 0; i < study->n_members; i++)
        wi_member_release(&study->members[i]);
    free(study->members);
    *study = (struct wi_raid_study){0};
}

/* --- reading -----------------------------------------------------------------------------------
 */

/* A number member with its range; absent = *out stays. */
static enum wi_status number(const cJSON *root, const char *key, double min, double max,
                             double *out, struct wi_err *err)
{
    const cJSON *item = wi_json_get(root, key);

    if (!item || cJSON_IsNull(item))
        return WI_OK;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= min && item->valuedouble <= max))
        return wi_fail(err, WI_EDATA, "%s: must be a number from %g to %g", key, min, max);
    *out = item->valuedouble;
    return WI_OK;
}

static enum wi_status read_level(const cJSON *root, struct wi_raid *r, struct wi_err *err)
{
    static const int levels[] = {0, 1, 5, 6, 10};
    double level = -1;

    wi_json_num(root, "level", &level);
    for (int i = 0; i < 5; i++) {
        if (level == levels[i]) {
            r->level = (enum wi_raid_level)i;
            return WI_OK;
        }
    }
    return wi_fail(err, WI_EDATA, "level: must be 0, 1, 5, 6 or 10");
}

static enum wi_status read_state(const cJSON *root, struct wi_raid *r, struct wi_err *err)
{
    const char *name = wi_json_str(root, "state");
    const cJSON *failed = wi_json_get(root, "failed");
    const cJSON *slot = NULL;

    name = name ? name : "normal";
    r->state = WI_RAID_NORMAL;
    while (r->state <= WI_RAID_REBUILDING && strcmp(name, wi_raid_state_name(r->state)) != 0)
        r->state++;
    if (r->state > WI_RAID_REBUILDING)
        return wi_fail(err, WI_EDATA, "state: must be normal, degraded or rebuilding");
    if (failed && !cJSON_IsArray(failed))
        return wi_fail(err, WI_EDATA, "failed: must be a list of slots, from 0");
    cJSON_ArrayForEach(slot, failed)
    {
        double i = cJSON_IsNumber(slot) ? slot->valuedouble : -1;

        if (i < 0 || i >= (double)r->n_members || i != floor(i))
            return wi_fail(err, WI_EDATA, "failed: slots are whole numbers from 0 to %zu",
                           r->n_members - 1);
        r->failed[(size_t)i] = true;
    }
    return WI_OK;
}

static enum wi_status read_percentiles(const cJSON *root, struct wi_raid_study *study,
                                       struct wi_err *err)
{
    static const double usual[] = {50, 90, 99, 99.9, 99.99};
    const cJSON *list = wi_json_get(root, "percentiles");
    const cJSON *item = NULL;

    if (!list) {
        memcpy(study->percentiles, usual, sizeof(usual));
        study->n_percentiles = 5;
        return WI_OK;
    }
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) < 1 ||
        cJSON_GetArraySize(list) > WI_PERCENTILES_MAX)
        return wi_fail(err, WI_EDATA, "percentiles: must be a list of 1 to %d numbers",
                       WI_PERCENTILES_MAX);
    cJSON_ArrayForEach(item, list)
    {
        double p = cJSON_IsNumber(item) ? item->valuedouble : -1;

        if (!(p > 0 && p < 100))
            return wi_fail(err, WI_EDATA,
                           "percentiles: %g is outside 0 to 100; an array has no "
                           "maximum",
                           p);
        study->percentiles[study->n_percentiles++] = p;
    }
    return WI_OK;
}

static enum wi_status read_members(struct wi_session *session, const cJSON *root,
                                   struct wi_raid_study *study, struct wi_err *err)
{
    const cJSON *list = wi_json_get(root, "members");
    const cJSON *item = NULL;
    struct wi_raid *r = &study->raid;

    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) < 1 ||
        cJSON_GetArraySize(list) > WI_RAID_TYPES_MAX)
        return wi_fail(err, WI_EDATA, "members: must be a list of 1 to %d kinds of drive",
                       WI_RAID_TYPES_MAX);
    study->members = calloc((size_t)cJSON_GetArraySize(list), sizeof(*study->members));
    if (!study->members)
        return wi_fail_nomem(err);
    cJSON_ArrayForEach(item, list)
    {
        struct wi_member *m = &study->members[study->n_members];
        char path[32];
        enum wi_status st;

        snprintf(path, sizeof(path), "members[%zu]", study->n_members);
        st = wi_member_read(session, item, path, study->confidence, m, err);
        if (st != WI_OK)
            return st;
        if (r->n_members + m->count > WI_RAID_MEMBERS_MAX)
            return wi_fail(err, WI_EDATA, "members: more than %d drives", WI_RAID_MEMBERS_MAX);
        for (size_t i = 0; i < m->count; i++)
            r->type[r->n_members++] = (uint8_t)study->n_members;
        study->n_members++;
    }
    r->n_types = study->n_members;
    return WI_OK;
}

static enum wi_status read_shape(const cJSON *root, struct wi_raid_study *study, struct wi_err *err)
{
    struct wi_raid *r = &study->raid;
    enum wi_status st;

    study->stripe_unit_kib = 64;
    study->read_frac = 0.7;
    r->hedge_us = NAN;
    st = number(root, "stripe_unit_kib", 0.5, 1e6, &study->stripe_unit_kib, err);
    study->request_kib = study->stripe_unit_kib;
    if (st == WI_OK)
        st = number(root, "request_kib", 0.5, 1e9, &study->request_kib, err);
    if (st == WI_OK)
        st = number(root, "read_frac", 0, 1, &study->read_frac, err);
    if (st == WI_OK)
        st = number(root, "rho", -INFINITY, INFINITY, &r->rho, err);
    if (st == WI_OK)
        st = number(root, "rebuild_frac", -INFINITY, INFINITY, &r->rebuild_frac, err);
    if (st == WI_OK)
        st = number(root, "hedge_us", 0, 1e9, &r->hedge_us, err);
    return st;
}

static enum wi_status read_study(struct wi_session *session, const cJSON *root,
                                 struct wi_raid_study *study, struct wi_err *err)
{
    static const char *const known[] = {
        "schema", "level",        "members",  "stripe_unit_kib", "request_kib", "read_frac",  "rho",
        "state",  "rebuild_frac", "hedge_us", "failed",          "percentiles", "confidence", NULL};
    enum wi_status st = wi_json_only(root, "", known, err);

    study->confidence = 0.9;
    if (st == WI_OK)
        st = read_level(root, &study->raid, err);
    if (st == WI_OK)
        st = number(root, "confidence", WI_CONFIDENCE_MIN, WI_CONFIDENCE_MAX, &study->confidence,
                    err);
    if (st == WI_OK)
        st = read_shape(root, study, err);
    if (st == WI_OK)
        st = read_percentiles(root, study, err);
    if (st == WI_OK)
        st = read_members(session, root, study, err);
    if (st == WI_OK)
        st = read_state(root, &study->raid, err);
    if (st == WI_OK)
        st = wi_raid_check(&study->raid, err);
    if (st != WI_OK)
        return st;
    study->n_units = (size_t)ceil(study->request_kib / study->stripe_unit_kib);
    if (study->n_units > wi_raid_data_units(&study->raid))
        return wi_fail(err, WI_EDATA,
                       "request_kib: %g KiB are %zu stripe units, one stripe holds "
                       "%zu; split the request",
                       study->request_kib, study->n_units, wi_raid_data_units(&study->raid));
    return WI_OK;
}

/* --- computing ---------------------------------------------------------------------------------
 */

static void take_curve(const struct wi_raid_study *study, enum wi_curve curve,
                       struct wi_raid_type *types)
{
    for (size_t i = 0; i < study->n_members; i++) {
        types[i].read = study->members[i].read[curve];
        types[i].write = study->members[i].write[curve];
        types[i].read_mbps = study->members[i].read_mbps[curve];
        types[i].write_mbps = study->members[i].write_mbps[curve];
    }
}

/* The requests of a block of rows; 0 = the block is empty. */
static size_t requests_of(const struct wi_raid_study *study, int block,
                          struct wi_raid_request *requests)
{
    const struct wi_raid_request read = {WI_OP_READ, study->n_units, study->read_frac};
    const struct wi_raid_request write = {WI_OP_WRITE, study->n_units, 1.0 - study->read_frac};
    size_t n = 0;

    if (block != ROWS_WRITE && read.share > 0)
        requests[n++] = read;
    if (block != ROWS_READ && write.share > 0)
        requests[n++] = write;
    if (block != ROWS_MIX && n)
        requests[0].share = 1.0;
    return block == ROWS_MIX && n < 2 ? 0 : n;
}

static enum wi_status compute_curve(struct wi_raid_study *study, enum wi_curve curve,
                                    struct wi_err *err)
{
    struct wi_raid_type types[WI_RAID_TYPES_MAX];
    struct wi_raid r = study->raid;
    enum wi_status st = WI_OK;

    take_curve(study, curve, types);
    r.types = types;
    for (int block = 0; block < N_ROWS && st == WI_OK; block++) {
        struct wi_raid_request requests[2];
        struct wi_raid_quantile out[WI_PERCENTILES_MAX];
        size_t n = requests_of(study, block, requests);

        study->has[block] = n > 0;
        if (!n)
            continue;
        st = wi_raid_latency(&r, requests, n, study->percentiles, study->n_percentiles, out, err);
        for (size_t i = 0; i < study->n_percentiles && st == WI_OK; i++) {
            study->rows[block][i].percentile = study->percentiles[i];
            study->rows[block][i].value[curve] = out[i];
        }
    }
    study->read_mbps[curve] = wi_raid_bandwidth(&r, WI_OP_READ);
    study->write_mbps[curve] = wi_raid_bandwidth(&r, WI_OP_WRITE);
    if (curve == WI_CURVE_BEFORE)
        study->write_ios = wi_raid_write_ios(&r, study->n_units);
    return st;
}

enum wi_status wi_raid_study_run(struct wi_session *session, const char *text, size_t len,
                                 const char *name, struct wi_raid_study *out, struct wi_err *err)
{
    struct wi_raid_study *study = calloc(1, sizeof(*study));
    struct wi_err inner = {0};
    cJSON *root = NULL;
    enum wi_status st;

    if (!study)
        return wi_fail_nomem(err);
    st = wi_json_parse(text, len, name, &root, err);
    if (st == WI_OK) {
        st = read_study(session, root, study, &inner);
        for (int curve = 0; curve < WI_N_CURVES && st == WI_OK; curve++)
            st = compute_curve(study, (enum wi_curve)curve, &inner);
        if (st != WI_OK)
            wi_fail(err, st, "%s: %s", name, inner.msg);
    }
    cJSON_Delete(root);
    if (st == WI_OK)
        *out = *study;
    else
        wi_raid_study_release(study);
    free(study);
    return st;
}

/* --- output ------------------------------------------------------------------------------------
 */

static double change_pct(double after, double before)
{
    return 100.0 * (after / before - 1.0);
}

static void add_row(cJSON *list, const struct wi_raid_row *row)
{
    cJSON *obj = cJSON_CreateObject();
    double before = row->value[WI_CURVE_BEFORE].lat_us;
    bool extrapolated = false;

    cJSON_AddItemToArray(list, obj);
    wi_json_add_num(obj, "percentile", row->percentile, NULL);
    wi_json_add_num(obj, "before_us", before, NULL);
    wi_json_add_num(obj, "after_us", row->value[WI_CURVE_AFTER].lat_us, NULL);
    wi_json_add_num(obj, "low_us", row->value[WI_CURVE_LOW].lat_us, NULL);
    wi_json_add_num(obj, "high_us", row->value[WI_CURVE_HIGH].lat_us, NULL);
    wi_json_add_num(obj, "change_pct", change_pct(row->value[WI_CURVE_AFTER].lat_us, before), NULL);
    wi_json_add_num(obj, "low_pct", change_pct(row->value[WI_CURVE_LOW].lat_us, before), NULL);
    wi_json_add_num(obj, "high_pct", change_pct(row->value[WI_CURVE_HIGH].lat_us, before), NULL);
    for (int c = 0; c < WI_N_CURVES; c++)
        extrapolated = extrapolated || row->value[c].extrapolated;
    cJSON_AddBoolToObject(obj, "extrapolated", extrapolated);
}

static void add_bandwidth(cJSON *parent, const char *key, const double *mbps)
{
    cJSON *obj = cJSON_AddObjectToObject(parent, key);

    wi_json_add_num(obj, "before_mbps", mbps[WI_CURVE_BEFORE], NULL);
    wi_json_add_num(obj, "after_mbps", mbps[WI_CURVE_AFTER], NULL);
    wi_json_add_num(obj, "low_mbps", mbps[WI_CURVE_LOW], NULL);
    wi_json_add_num(obj, "high_mbps", mbps[WI_CURVE_HIGH], NULL);
}

static void add_members(cJSON *root, const struct wi_raid_study *study)
{
    cJSON *list = cJSON_AddArrayToObject(root, "members");

    for (size_t i = 0; i < study->n_members; i++) {
        const struct wi_member *m = &study->members[i];
        cJSON *obj = cJSON_CreateObject();
        cJSON *reasons;

        cJSON_AddItemToArray(list, obj);
        cJSON_AddStringToObject(obj, "name", m->name);
        cJSON_AddNumberToObject(obj, "count", (double)m->count);
        cJSON_AddStringToObject(obj, "domain", wi_domain_name(m->domain));
        reasons = cJSON_AddArrayToObject(obj, "reasons");
        for (size_t j = 0; j < m->reasons.n; j++)
            cJSON_AddItemToArray(reasons, cJSON_CreateString(m->reasons.items[j].text));
    }
}

enum wi_status wi_raid_study_to_json(const struct wi_raid_study *study, cJSON **json,
                                     struct wi_err *err)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *obj;

    if (!root)
        return wi_fail_nomem(err);
    cJSON_AddStringToObject(root, "schema", "ssd-whatif/raid-result/1");
    cJSON_AddStringToObject(root, "level", wi_raid_level_name(study->raid.level));
    cJSON_AddStringToObject(root, "state", wi_raid_state_name(study->raid.state));
    cJSON_AddNumberToObject(root, "n_members", (double)study->raid.n_members);
    cJSON_AddNumberToObject(root, "n_units", (double)study->n_units);
    cJSON_AddNumberToObject(root, "confidence", study->confidence);
    obj = cJSON_AddObjectToObject(root, "write_ios");
    cJSON_AddNumberToObject(obj, "reads", (double)study->write_ios.n_reads);
    cJSON_AddNumberToObject(obj, "writes", (double)study->write_ios.n_writes);
    obj = cJSON_AddObjectToObject(root, "latency");
    for (int block = 0; block < N_ROWS; block++) {
        cJSON *list = study->has[block] ? cJSON_AddArrayToObject(obj, row_names[block]) : NULL;

        for (size_t i = 0; i < study->n_percentiles && list; i++)
            add_row(list, &study->rows[block][i]);
    }
    obj = cJSON_AddObjectToObject(root, "bandwidth");
    add_bandwidth(obj, "read", study->read_mbps);
    add_bandwidth(obj, "write", study->write_mbps);
    add_members(root, study);
    *json = root;
    return WI_OK;
}
