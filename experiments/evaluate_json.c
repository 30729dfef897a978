#include "experiments/evaluate.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "core/json.h"

struct out {
    const struct wi_evaluation *ev;
    struct wi_err *err;
    enum wi_status st;
};

static void num(struct out *o, cJSON *obj, const char *key, double v)
{
    if (o->st == WI_OK)
        o->st = wi_json_add_num(obj, key, v, o->err);
}

static void str(struct out *o, cJSON *obj, const char *key, const char *v)
{
    if (o->st == WI_OK && !cJSON_AddStringToObject(obj, key, v))
        o->st = wi_fail_nomem(o->err);
}

static cJSON *child(struct out *o, cJSON *parent, const char *key, bool array)
{
    cJSON *c = array ? cJSON_AddArrayToObject(parent, key) : cJSON_AddObjectToObject(parent, key);

    if (!c && o->st == WI_OK)
        o->st = wi_fail_nomem(o->err);
    return c;
}

static cJSON *item(struct out *o, cJSON *array)
{
    cJSON *c = cJSON_CreateObject();

    if (o->st != WI_OK || !c || !cJSON_AddItemToArray(array, c)) {
        cJSON_Delete(c);
        if (o->st == WI_OK)
            o->st = wi_fail_nomem(o->err);
        return NULL;
    }
    return c;
}

static void add_scores(struct out *o, cJSON *array, enum wi_predictor p, enum wi_family f,
                       const enum wi_domain *domain)
{
    struct wi_scores s;
    cJSON *e;

    if (o->st != WI_OK)
        return;
    o->st = wi_evaluation_scores(o->ev, p, f, domain, &s, o->err);
    if (o->st != WI_OK || s.n == 0 || !(e = item(o, array)))
        return;
    str(o, e, "predictor", wi_predictor_name(p));
    str(o, e, "family", wi_family_name(f));
    if (domain)
        str(o, e, "domain", wi_domain_name(*domain));
    num(o, e, "n", (double)s.n);
    num(o, e, "mae_points", s.mae_points);
    num(o, e, "rel_mse_pct", s.rel_mse_pct);
    num(o, e, "sign_right_pct", s.sign_right_pct);
    num(o, e, "coverage_pct", s.coverage_pct);
    num(o, e, "interval_score", s.interval_score);
}

static void add_domains(struct out *o, cJSON *root)
{
    cJSON *a = child(o, root, "by_domain", true);

    for (int p = 0; p <= WI_PREDICT_NEW_DRIVE && o->st == WI_OK; p++) {
        for (int f = 0; f < WI_N_FAMILIES; f++) {
            for (enum wi_domain d = WI_DOMAIN_INSIDE; d <= WI_DOMAIN_OUTSIDE; d++)
                add_scores(o, a, (enum wi_predictor)p, (enum wi_family)f, &d);
        }
    }
}

static void add_floors(struct out *o, cJSON *root)
{
    cJSON *a = child(o, root, "error_sources", true);

    for (int f = 0; f < WI_N_FAMILIES && o->st == WI_OK; f++) {
        const struct wi_eval_floor *x = &o->ev->floor[f];
        struct wi_scores s;
        cJSON *e;

        o->st =
            wi_evaluation_scores(o->ev, WI_PREDICT_EVIDENCE, (enum wi_family)f, NULL, &s, o->err);
        if (o->st != WI_OK || x->n == 0 || !(e = item(o, a)))
            continue;
        str(o, e, "family", wi_family_name((enum wi_family)f));
        num(o, e, "reading_error_points", x->reading);
        num(o, e, "with_curve_noise_points", x->noise);
        num(o, e, "unseen_point_points", x->point);
        num(o, e, "this_holdout_points", s.mae_points);
    }
}

/* Ours beside the published figures, on the same truths. */
static void add_published(struct out *o, cJSON *root)
{
    double abs_sum = 0.0, sq = 0.0, ref = 0.0;
    size_t n = 0;
    struct wi_scores s;
    cJSON *e;

    for (size_t i = 0; i < o->ev->n_cases; i++) {
        const struct wi_eval_case *c = &o->ev->cases[i];

        if (!c->published)
            continue;
        n++;
        abs_sum += fabs(c->llm_pct - c->truth_pct);
        sq += (c->llm_pct - c->truth_pct) * (c->llm_pct - c->truth_pct);
        ref += c->truth_pct * c->truth_pct;
    }
    if (n == 0 || o->st != WI_OK || !(e = child(o, root, "published_comparison", false)))
        return;
    o->st =
        wi_evaluation_scores(o->ev, WI_PREDICT_EVIDENCE, WI_FAMILY_HOTSTORAGE25, NULL, &s, o->err);
    str(o, e, "source", "HOTSTORAGE25");
    num(o, e, "n", (double)n);
    num(o, e, "published_mae_points", abs_sum / (double)n);
    num(o, e, "published_rel_mse_pct", ref > 0.0 ? 100.0 * sq / ref : NAN);
    str(o, e, "published_was_shown", "the test conditions were in its retrieval set");
    num(o, e, "mae_points", s.mae_points);
    num(o, e, "mae_low", o->ev->published_mae[0]);
    num(o, e, "mae_high", o->ev->published_mae[1]);
    num(o, e, "rel_mse_pct", s.rel_mse_pct);
    num(o, e, "rel_mse_low", o->ev->published_rel[0]);
    num(o, e, "rel_mse_high", o->ev->published_rel[1]);
    str(o, e, "ours_was_shown",
        o->ev->holdout == WI_HOLDOUT_NONE ? "everything (in-sample)"
                                          : "all rows outside of the fold; bounds are 90 % "
                                            "bootstrap intervals over curves");
}

enum wi_status wi_evaluation_to_json(const struct wi_evaluation *ev, struct cJSON **json,
                                     struct wi_err *err)
{
    struct out o = {ev, err, WI_OK};
    cJSON *root = cJSON_CreateObject(), *results;

    *json = NULL;
    if (!root)
        return wi_fail_nomem(err);
    str(&o, root, "schema", "ssd-whatif/evaluation/1");
    str(&o, root, "engine", "evidence");
    str(&o, root, "model", ev->model == WI_MODEL_STUDY ? "study" : "default");
    str(&o, root, "holdout", wi_holdout_name(ev->holdout));
    if (o.st == WI_OK && !cJSON_AddBoolToObject(root, "in_sample", ev->holdout == WI_HOLDOUT_NONE))
        o.st = wi_fail_nomem(err);
    num(&o, root, "folds", (double)ev->n_folds);
    num(&o, root, "variants_looked_at", WI_VARIANTS_STUDY + wi_variants_own);
    str(&o, root, "note",
        "hyper-parameters are refitted in each fold; the design was chosen on these hold-outs by "
        "the study, so new data will do worse");
    results = child(&o, root, "results", true);
    for (int p = 0; p < WI_N_PREDICTORS && o.st == WI_OK; p++) {
        for (int f = 0; f < WI_N_FAMILIES; f++)
            add_scores(&o, results, (enum wi_predictor)p, (enum wi_family)f, NULL);
    }
    add_domains(&o, root);
    add_floors(&o, root);
    add_published(&o, root);
    if (o.st != WI_OK) {
        cJSON_Delete(root);
        return o.st;
    }
    *json = root;
    return WI_OK;
}
