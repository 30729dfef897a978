#include "experiments/llm_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void wi_llm_input_release(struct wi_llm_input *input)
{
    wi_items_free(input->examples, input->n_examples);
    *input = (struct wi_llm_input){0};
}

static void widen(double range[2], double change_pct)
{
    if (!isfinite(change_pct))
        return;
    range[0] = fmin(range[0], change_pct);
    range[1] = fmax(range[1], change_pct);
}

/* Lowest and highest change in the store, bounds included; failing drives are no prediction. */
static enum wi_status measured_range(struct wi_store *store, struct wi_prompt_input *in,
                                     struct wi_err *err)
{
    struct wi_dataset ds = {0};
    enum wi_status st = wi_store_load_dataset(store, NULL, &ds, err);

    for (size_t i = 0; st == WI_OK && i < ds.n_obs; i++) {
        const struct wi_observation *o = &ds.obs[i];
        double *range =
            o->metric == WI_METRIC_BANDWIDTH ? in->measured_bandwidth_pct : in->measured_tail_pct;

        if (ds.exps[o->exp].failing)
            continue;
        widen(range, o->change_pct);
        widen(range, o->low_pct);
        widen(range, o->high_pct);
    }
    wi_dataset_release(&ds);
    return st;
}

static bool shares_source(const struct wi_item *item, const struct wi_prediction *p)
{
    for (size_t i = 0; i < p->n_evidence; i++) {
        if (strcmp(item->source, p->evidence[i].source) == 0)
            return true;
    }
    return false;
}

static enum wi_status add_examples(struct wi_knowledge *k, const struct wi_prediction *p,
                                   size_t wanted, struct wi_llm_input *out, struct wi_err *err)
{
    struct wi_search_query q = {.scenario = &p->scenario,
                                .methods = WI_SEARCH_SCENARIO,
                                .top_k = WI_TOP_K_MAX,
                                .experiments = true};
    struct wi_item *found = NULL;
    size_t n = 0;
    enum wi_status st = wi_knowledge_search(k, &q, &found, &n, err);

    if (st != WI_OK)
        return st;
    out->examples = found;
    for (size_t i = 0; i < n; i++) {
        if (out->n_examples < wanted && !shares_source(&found[i], p)) {
            struct wi_item kept = found[i];

            found[i] = (struct wi_item){0};
            found[out->n_examples++] = kept;
        } else {
            wi_item_release(&found[i]);
            found[i] = (struct wi_item){0};
        }
    }
    return WI_OK;
}

enum wi_status wi_llm_input_make(struct wi_store *store, struct wi_knowledge *k,
                                 const struct wi_prediction *p, size_t n_examples,
                                 struct wi_llm_input *out, struct wi_err *err)
{
    enum wi_status st;

    *out = (struct wi_llm_input){.in = {.question = p->question,
                                        .scenario = &p->scenario,
                                        .evidence = p->evidence,
                                        .n_evidence = p->n_evidence,
                                        .principles = p->principles,
                                        .n_principles = p->n_principles,
                                        .estimate = &p->forecast}};
    st = measured_range(store, &out->in, err);
    if (st == WI_OK && n_examples > 0)
        st = add_examples(k, p, n_examples, out, err);
    out->in.examples = out->examples;
    out->in.n_examples = out->n_examples;
    if (st != WI_OK)
        wi_llm_input_release(out);
    return st;
}
