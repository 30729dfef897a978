#include "experiments/tiering.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/normal.h"

void wi_tiering_release(struct wi_tiering *t)
{
    for (size_t i = 0; i < t->n_tiers; i++)
        wi_member_release(&t->tiers[i].member);
    for (int c = 0; c < WI_N_CURVES; c++)
        free(t->misses[c]);
    free(t->tiers);
    free(t->workloads);
    free(t->blind);
    free(t->aware);
    *t = (struct wi_tiering){0};
}

/* --- reading -----------------------------------------------------------------------------------
 */

static enum wi_status read_name(const cJSON *obj, const char *path, char *out, struct wi_err *err)
{
    const char *name = wi_json_str(obj, "name");

    if (!name || !*name || strlen(name) >= WI_NAME_MAX)
        return wi_fail(err, WI_EDATA, "%s.name: a text of 1 to %d bytes is needed", path,
                       WI_NAME_MAX - 1);
    memcpy(out, name, strlen(name) + 1);
    return WI_OK;
}

static enum wi_status read_number(const cJSON *obj, const char *path, const char *key, double min,
                                  double max, double *out, struct wi_err *err)
{
    if (!wi_json_num(obj, key, out) || !(*out >= min && *out <= max))
        return wi_fail(err, WI_EDATA, "%s.%s: must be a number from %g to %g", path, key, min, max);
    return WI_OK;
}

static enum wi_status check_list(const cJSON *list, const char *key, int max, struct wi_err *err)
{
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) < 1 || cJSON_GetArraySize(list) > max)
        return wi_fail(err, WI_EDATA, "%s: must be a list of 1 to %d", key, max);
    return WI_OK;
}

/* The member that a drive becomes at a site: its own object, with the site's exposure in it. */
static cJSON *member_json(const cJSON *drive, const cJSON *site)
{
    cJSON *member = cJSON_Duplicate(drive, true);
    cJSON *scenario = cJSON_GetObjectItemCaseSensitive(member, "scenario");
    const cJSON *exposure = wi_json_get(site, "exposure");
    cJSON *copy;

    if (member && !scenario)
        scenario = cJSON_AddObjectToObject(member, "scenario");
    cJSON_DeleteItemFromObjectCaseSensitive(scenario, "exposure");
    copy = exposure ? cJSON_Duplicate(exposure, true) : NULL;
    if (!scenario || (exposure && (!copy || !cJSON_AddItemToObject(scenario, "exposure", copy)))) {
        cJSON_Delete(member);
        return NULL;
    }
    return member;
}

static enum wi_status read_tier(struct wi_session *session, const cJSON *drive, size_t i_drive,
                                const cJSON *site, size_t i_site, double confidence,
                                struct wi_tier *tier, struct wi_err *err)
{
    static const char *const site_members[] = {"name", "exposure", NULL};
    char drive_path[32];
    char site_path[32];
    cJSON *member;
    enum wi_status st;

    snprintf(drive_path, sizeof(drive_path), "drives[%zu]", i_drive);
    snprintf(site_path, sizeof(site_path), "sites[%zu]", i_site);
    st = wi_json_only(site, site_path, site_members, err);
    if (st == WI_OK)
        st = read_name(site, site_path, tier->site, err);
    if (st == WI_OK)
        st = read_name(drive, drive_path, tier->drive, err);
    if (st == WI_OK)
        st = read_number(drive, drive_path, "capacity_gb", 0, WI_CAPACITY_GB_MAX,
                         &tier->capacity_gb, err);
    if (st != WI_OK)
        return st;
    member = member_json(drive, site);
    st = member ? wi_member_read(session, member, drive_path, confidence, &tier->member, err)
                : wi_fail_nomem(err);
    cJSON_Delete(member);
    if (st == WI_OK)
        tier->capacity_gb *= (double)tier->member.count;
    return st;
}

static enum wi_status read_tiers(struct wi_session *session, const cJSON *root,
                                 struct wi_tiering *t, struct wi_err *err)
{
    const cJSON *drives = wi_json_get(root, "drives");
    const cJSON *sites = wi_json_get(root, "sites");
    const cJSON *drive = NULL;
    size_t i_drive = 0;
    enum wi_status st = check_list(drives, "drives", 50, err);

    if (st == WI_OK)
        st = check_list(sites, "sites", 20, err);
    if (st != WI_OK)
        return st;
    t->tiers = calloc((size_t)cJSON_GetArraySize(drives) * (size_t)cJSON_GetArraySize(sites),
                      sizeof(*t->tiers));
    if (!t->tiers)
        return wi_fail_nomem(err);
    cJSON_ArrayForEach(drive, drives)
    {
        const cJSON *site = NULL;
        size_t i_site = 0;

        cJSON_ArrayForEach(site, sites)
        {
            st = read_tier(session, drive, i_drive, site, i_site++, t->confidence,
                           &t->tiers[t->n_tiers], err);
            if (st != WI_OK)
                return st;
            t->n_tiers++;
        }
        i_drive++;
    }
    return WI_OK;
}

static enum wi_status read_workload(const cJSON *obj, const char *path, struct wi_workload *w,
                                    struct wi_err *err)
{
    static const char *const known[] = {
        "name", "capacity_gb", "requests_per_s", "read_frac", "slo_us", "sites", NULL};
    enum wi_status st = wi_json_only(obj, path, known, err);

    if (st == WI_OK)
        st = read_name(obj, path, w->name, err);
    if (st == WI_OK)
        st = read_number(obj, path, "capacity_gb", 0, WI_CAPACITY_GB_MAX, &w->capacity_gb, err);
    if (st == WI_OK)
        st = read_number(obj, path, "requests_per_s", 0, 1e9, &w->requests_per_s, err);
    if (st == WI_OK)
        st = read_number(obj, path, "read_frac", 0, 1, &w->read_frac, err);
    if (st == WI_OK)
        st = read_number(obj, path, "slo_us", 1e-3, 1e9, &w->slo_us, err);
    return st;
}

/* --- misses ------------------------------------------------------------------------------------
 */

static double late_share(const struct wi_latency *l, double slo_us)
{
    return wi_gauss_cdf(-wi_latency_score(l, slo_us));
}

static double misses_of(const struct wi_workload *w, const struct wi_member *m, enum wi_curve c)
{
    return w->requests_per_s * (w->read_frac * late_share(&m->read[c], w->slo_us) +
                                (1.0 - w->read_frac) * late_share(&m->write[c], w->slo_us));
}

/* A workload may name the sites it can run at; the default is anywhere. */
static enum wi_status is_allowed(const cJSON *obj, const char *path, const struct wi_tiering *t,
                                 size_t tier, bool *allowed, struct wi_err *err)
{
    const cJSON *sites = wi_json_get(obj, "sites");
    const cJSON *site = NULL;

    *allowed = sites == NULL;
    if (sites && !cJSON_IsArray(sites))
        return wi_fail(err, WI_EDATA, "%s.sites: must be a list of site names", path);
    cJSON_ArrayForEach(site, sites)
    {
        bool known = false;

        for (size_t i = 0; i < t->n_tiers && cJSON_IsString(site); i++)
            known = known || strcmp(t->tiers[i].site, site->valuestring) == 0;
        if (!known)
            return wi_fail(err, WI_EDATA, "%s.sites: '%.60s' is no site", path,
                           cJSON_IsString(site) ? site->valuestring : "?");
        *allowed = *allowed || strcmp(t->tiers[tier].site, site->valuestring) == 0;
    }
    return WI_OK;
}

static enum wi_status read_workloads(const cJSON *root, struct wi_tiering *t, struct wi_err *err)
{
    const cJSON *list = wi_json_get(root, "workloads");
    const cJSON *obj = NULL;
    enum wi_status st = check_list(list, "workloads", WI_PLACEMENT_WORKLOADS_MAX, err);
    size_t n = st == WI_OK ? (size_t)cJSON_GetArraySize(list) : 0;

    if (st != WI_OK)
        return st;
    t->workloads = calloc(n, sizeof(*t->workloads));
    t->blind = calloc(n, sizeof(*t->blind));
    t->aware = calloc(n, sizeof(*t->aware));
    if (!t->workloads || !t->blind || !t->aware)
        return wi_fail_nomem(err);
    for (int c = 0; c < WI_N_CURVES; c++) {
        t->misses[c] = calloc(n * t->n_tiers, sizeof(*t->misses[c]));
        if (!t->misses[c])
            return wi_fail_nomem(err);
    }
    cJSON_ArrayForEach(obj, list)
    {
        struct wi_workload *w = &t->workloads[t->n_workloads];
        char path[40];

        snprintf(path, sizeof(path), "workloads[%zu]", t->n_workloads);
        st = read_workload(obj, path, w, err);
        for (size_t tier = 0; tier < t->n_tiers && st == WI_OK; tier++) {
            bool allowed;

            st = is_allowed(obj, path, t, tier, &allowed, err);
            for (int c = 0; c < WI_N_CURVES && st == WI_OK; c++)
                t->misses[c][t->n_workloads * t->n_tiers + tier] =
                    allowed ? misses_of(w, &t->tiers[tier].member, (enum wi_curve)c) : INFINITY;
        }
        if (st != WI_OK)
            return st;
        t->n_workloads++;
    }
    return WI_OK;
}

static enum wi_status place(struct wi_tiering *t, enum wi_curve curve, size_t *placement,
                            struct wi_err *err)
{
    struct wi_placement_problem p = {
        .n_workloads = t->n_workloads, .n_tiers = t->n_tiers, .cost = t->misses[curve]};
    double *need = calloc(t->n_workloads, sizeof(*need));
    double *capacity = calloc(t->n_tiers, sizeof(*capacity));
    bool greedy = false;
    enum wi_status st;

    for (size_t i = 0; need && i < t->n_workloads; i++)
        need[i] = t->workloads[i].capacity_gb;
    for (size_t i = 0; capacity && i < t->n_tiers; i++)
        capacity[i] = t->tiers[i].capacity_gb;
    p.need = need;
    p.capacity = capacity;
    st = need && capacity ? wi_placement_solve(&p, placement, &greedy, err) : wi_fail_nomem(err);
    t->is_greedy = t->is_greedy || greedy;
    free(need);
    free(capacity);
    return st;
}

static enum wi_status run(struct wi_session *session, const cJSON *root, struct wi_tiering *t,
                          struct wi_err *err)
{
    static const char *const known[] = {"schema", "confidence", "drives",
                                        "sites",  "workloads",  NULL};
    enum wi_status st = wi_json_only(root, "", known, err);

    t->confidence = 0.9;
    if (st == WI_OK && wi_json_get(root, "confidence"))
        st = read_number(root, "", "confidence", WI_CONFIDENCE_MIN, WI_CONFIDENCE_MAX,
                         &t->confidence, err);
    if (st == WI_OK)
        st = read_tiers(session, root, t, err);
    if (st == WI_OK)
        st = read_workloads(root, t, err);
    if (st == WI_OK)
        st = place(t, WI_CURVE_BEFORE, t->blind, err);
    if (st == WI_OK)
        st = place(t, t->robust ? WI_CURVE_HIGH : WI_CURVE_AFTER, t->aware, err);
    return st;
}

enum wi_status wi_tiering_run(struct wi_session *session, const char *text, size_t len,
                              const char *name, bool robust, struct wi_tiering *out,
                              struct wi_err *err)
{
    struct wi_tiering t = {.robust = robust};
    struct wi_err inner = {0};
    cJSON *root = NULL;
    enum wi_status st = wi_json_parse(text, len, name, &root, err);

    if (st != WI_OK)
        return st;
    st = run(session, root, &t, &inner);
    cJSON_Delete(root);
    if (st != WI_OK) {
        wi_tiering_release(&t);
        return wi_fail(err, st, "%s: %s", name, inner.msg);
    }
    *out = t;
    return WI_OK;
}

double wi_tiering_misses(const struct wi_tiering *t, const size_t *placement, enum wi_curve curve)
{
    double sum = 0.0;

    for (size_t w = 0; w < t->n_workloads; w++)
        sum += t->misses[curve][w * t->n_tiers + placement[w]];
    return sum;
}

/* --- output ------------------------------------------------------------------------------------
 */

static void add_place(cJSON *parent, const char *key, const struct wi_tiering *t, size_t w,
                      size_t tier)
{
    cJSON *obj = cJSON_AddObjectToObject(parent, key);
    size_t cell = w * t->n_tiers + tier;

    cJSON_AddStringToObject(obj, "drive", t->tiers[tier].drive);
    cJSON_AddStringToObject(obj, "site", t->tiers[tier].site);
    cJSON_AddStringToObject(obj, "domain", wi_domain_name(t->tiers[tier].member.domain));
    wi_json_add_num(obj, "misses_per_s", t->misses[WI_CURVE_AFTER][cell], NULL);
    wi_json_add_num(obj, "low_per_s", t->misses[WI_CURVE_LOW][cell], NULL);
    wi_json_add_num(obj, "high_per_s", t->misses[WI_CURVE_HIGH][cell], NULL);
    wi_json_add_num(obj, "blind_estimate_per_s", t->misses[WI_CURVE_BEFORE][cell], NULL);
}

static void add_total(cJSON *root, const char *key, const struct wi_tiering *t,
                      const size_t *placement)
{
    cJSON *obj = cJSON_AddObjectToObject(root, key);

    wi_json_add_num(obj, "misses_per_s", wi_tiering_misses(t, placement, WI_CURVE_AFTER), NULL);
    wi_json_add_num(obj, "low_per_s", wi_tiering_misses(t, placement, WI_CURVE_LOW), NULL);
    wi_json_add_num(obj, "high_per_s", wi_tiering_misses(t, placement, WI_CURVE_HIGH), NULL);
}

enum wi_status wi_tiering_to_json(const struct wi_tiering *t, cJSON **json, struct wi_err *err)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *list;

    if (!root)
        return wi_fail_nomem(err);
    cJSON_AddStringToObject(root, "schema", "ssd-whatif/tiering-result/1");
    cJSON_AddStringToObject(root, "objective", t->robust ? "high_per_s" : "misses_per_s");
    cJSON_AddStringToObject(root, "method", t->is_greedy ? "greedy" : "optimal");
    cJSON_AddNumberToObject(root, "confidence", t->confidence);
    add_total(root, "blind", t, t->blind);
    add_total(root, "aware", t, t->aware);
    list = cJSON_AddArrayToObject(root, "workloads");
    for (size_t w = 0; w < t->n_workloads; w++) {
        cJSON *obj = cJSON_CreateObject();

        cJSON_AddItemToArray(list, obj);
        cJSON_AddStringToObject(obj, "name", t->workloads[w].name);
        cJSON_AddBoolToObject(obj, "moves", t->blind[w] != t->aware[w]);
        add_place(obj, "blind", t, w, t->blind[w]);
        add_place(obj, "aware", t, w, t->aware[w]);
    }
    *json = root;
    return WI_OK;
}
