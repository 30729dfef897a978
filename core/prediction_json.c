/*
 * A prediction as the JSON object of the contract, schema ssd-whatif/prediction/1.
 */
#include "core/prediction.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

/* Four decimals of a percent are far below every reading error; more digits would be noise. */
static double round4(double value)
{
    return isfinite(value) ? round(value * 1e4) / 1e4 : value;
}

static bool add_num(cJSON *obj, const char *key, double value)
{
    return wi_json_add_num(obj, key, round4(value), NULL) == WI_OK;
}

static bool add_text(cJSON *obj, const char *key, const char *text)
{
    return (text ? cJSON_AddStringToObject(obj, key, text) : cJSON_AddNullToObject(obj, key)) !=
           NULL;
}

/* Append to an array; on failure the item is freed. */
static bool append(cJSON *list, cJSON *item)
{
    if (item && cJSON_AddItemToArray(list, item))
        return true;
    cJSON_Delete(item);
    return false;
}

static bool fill_change(cJSON *obj, const struct wi_change *c, const char *unit)
{
    char key[32];

    if (!add_num(obj, "change_pct", c->change_pct) || !add_num(obj, "low_pct", c->low_pct) ||
        !add_num(obj, "high_pct", c->high_pct))
        return false;
    if (!isfinite(c->value))
        return true;
    snprintf(key, sizeof(key), "value_%s", unit);
    if (!add_num(obj, key, c->value))
        return false;
    snprintf(key, sizeof(key), "low_%s", unit);
    if (!add_num(obj, key, c->low))
        return false;
    snprintf(key, sizeof(key), "high_%s", unit);
    return add_num(obj, key, c->high);
}

static bool add_numbers(cJSON *root, const struct wi_forecast *f)
{
    cJSON *list = cJSON_AddArrayToObject(root, "tail_latency");
    cJSON *bandwidth;

    if (!list)
        return false;
    for (size_t i = 0; i < f->n_tail; i++) {
        cJSON *obj = cJSON_CreateObject();

        if (!append(list, obj) ||
            !cJSON_AddNumberToObject(obj, "percentile", f->tail[i].percentile) ||
            !fill_change(obj, &f->tail[i], "us"))
            return false;
    }
    bandwidth = cJSON_AddObjectToObject(root, "bandwidth");
    return bandwidth && fill_change(bandwidth, &f->bandwidth, "mbps");
}

static bool add_items(cJSON *root, const char *key, const struct wi_item *items, size_t n,
                      bool experiments)
{
    cJSON *list = cJSON_AddArrayToObject(root, key);

    if (!list)
        return false;
    for (size_t i = 0; i < n; i++) {
        cJSON *obj = cJSON_CreateObject();
        const struct wi_item *item = &items[i];

        if (!append(list, obj) || !add_text(obj, "id", item->id) ||
            !add_num(obj, "score", item->score) ||
            !add_text(obj, experiments ? "summary" : "title",
                      experiments ? item->summary : item->title) ||
            !add_text(obj, "source", item->source) || !add_text(obj, "why", item->why) ||
            !cJSON_AddBoolToObject(obj, "own", !item->embedded))
            return false;
    }
    return true;
}

static bool add_cites(cJSON *obj, const char *cites)
{
    cJSON *list = cJSON_AddArrayToObject(obj, "cites");
    char id[WI_ID_MAX];

    if (!list)
        return false;
    while (*cites) {
        size_t n = strcspn(cites, " ");

        if (n && n < sizeof(id)) {
            memcpy(id, cites, n);
            id[n] = '\0';
            if (!append(list, cJSON_CreateString(id)))
                return false;
        }
        cites += n;
        cites += strspn(cites, " ");
    }
    return true;
}

static bool add_reasoning(cJSON *root, const struct wi_prediction *p)
{
    cJSON *list = cJSON_AddArrayToObject(root, "reasoning");

    if (!list)
        return false;
    for (size_t i = 0; i < p->n_reasoning; i++) {
        cJSON *obj = cJSON_CreateObject();

        if (!append(list, obj) || !add_text(obj, "step", wi_step_kind_name(p->reasoning[i].step)) ||
            !add_text(obj, "text", p->reasoning[i].text) || !add_cites(obj, p->reasoning[i].cites))
            return false;
    }
    return true;
}

static bool add_texts(cJSON *parent, const char *key, const struct wi_texts *texts)
{
    cJSON *list = cJSON_AddArrayToObject(parent, key);

    if (!list)
        return false;
    for (size_t i = 0; i < texts->n; i++) {
        if (!append(list, cJSON_CreateString(texts->items[i].text)))
            return false;
    }
    return true;
}

static bool add_llm(cJSON *root, const struct wi_prediction *p)
{
    cJSON *llm;

    if (!p->llm_json)
        return true;
    llm = cJSON_Parse(p->llm_json); /* our own text */
    return llm && cJSON_AddItemToObject(root, "llm", llm) &&
           cJSON_AddNumberToObject(root, "n_unsupported", (double)p->n_unsupported);
}

static bool fill(cJSON *root, const struct wi_prediction *p, cJSON *scenario)
{
    cJSON *domain;

    if (!add_text(root, "schema", "ssd-whatif/prediction/1") ||
        !add_text(root, "engine", p->engine) || !add_text(root, "question", p->question) ||
        !cJSON_AddItemToObject(root, "scenario", scenario)) {
        cJSON_Delete(scenario);
        return false;
    }
    if (!add_numbers(root, &p->forecast) || !add_num(root, "confidence", p->scenario.confidence) ||
        !add_items(root, "evidence", p->evidence, p->n_evidence, true) ||
        !add_items(root, "principles", p->principles, p->n_principles, false) ||
        !add_reasoning(root, p))
        return false;
    domain = cJSON_AddObjectToObject(root, "domain");
    return domain && add_text(domain, "status", wi_domain_name(p->forecast.domain)) &&
           add_texts(domain, "reasons", &p->forecast.domain_reasons) &&
           cJSON_AddBoolToObject(root, "from_physics", p->forecast.from_physics) &&
           add_texts(root, "warnings", &p->forecast.warnings) && add_llm(root, p);
}

enum wi_status wi_prediction_to_json(const struct wi_prediction *p, cJSON **json,
                                     struct wi_err *err)
{
    cJSON *scenario = NULL;
    cJSON *root;
    enum wi_status st = wi_scenario_to_json(&p->scenario, &scenario, err);

    if (st != WI_OK)
        return st;
    root = cJSON_CreateObject();
    if (!root) {
        cJSON_Delete(scenario);
        return wi_fail_nomem(err);
    }
    if (!fill(root, p, scenario)) {
        cJSON_Delete(root);
        return wi_fail_nomem(err);
    }
    *json = root;
    return WI_OK;
}

enum wi_status wi_predictions_to_json(const struct wi_prediction *list, size_t n, cJSON **json,
                                      struct wi_err *err)
{
    cJSON *root;
    cJSON *array;
    enum wi_status st = WI_OK;

    if (n == 1)
        return wi_prediction_to_json(&list[0], json, err);
    root = cJSON_CreateObject();
    array = add_text(root, "schema", "ssd-whatif/predictions/1")
                ? cJSON_AddArrayToObject(root, "predictions")
                : NULL;
    if (!array)
        st = wi_fail_nomem(err);
    for (size_t i = 0; i < n && st == WI_OK; i++) {
        cJSON *one = NULL;

        st = wi_prediction_to_json(&list[i], &one, err);
        if (st == WI_OK && !append(array, one))
            st = wi_fail_nomem(err);
    }
    if (st != WI_OK) {
        cJSON_Delete(root);
        return st;
    }
    *json = root;
    return WI_OK;
}
