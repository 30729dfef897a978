/* Families of cases, and the scores over them. */
#include "experiments/eval_internal.h"

#include <stdlib.h>
#include <strings.h>

static const char *const holdout_names[] = {"curve",  "experiment", "condition",
                                            "vendor", "source",     "none"};
static const char *const family_names[] = {"vibration_short_term",
                                           "vibration_long_term",
                                           "vibration",
                                           "temp_humidity",
                                           "bandwidth",
                                           "hotstorage25",
                                           "all"};
static const char *const predictor_names[] = {
    "evidence", "evidence_new_drive", "zero", "phase_mean",
    "sibling",  "kernel_regression",  "ridge"};

const char *wi_holdout_name(enum wi_holdout v)
{
    return holdout_names[v];
}

const char *wi_family_name(enum wi_family v)
{
    return family_names[v];
}

const char *wi_predictor_name(enum wi_predictor v)
{
    return predictor_names[v];
}

bool wi_holdout_parse(const char *text, enum wi_holdout *out)
{
    for (int i = 0; i <= WI_HOLDOUT_NONE; i++) {
        if (strcasecmp(text, holdout_names[i]) == 0) {
            *out = (enum wi_holdout)i;
            return true;
        }
    }
    return false;
}

bool wi_family_has(enum wi_family family, const struct wi_eval_case *c)
{
    bool bw = c->row.bandwidth, th = c->row.group == WI_GROUP_TH;
    bool lng = c->row.phase == WI_PHASE_LONG_TERM;

    switch (family) {
    case WI_FAMILY_VIB_SHORT:
        return !bw && !th && !lng;
    case WI_FAMILY_VIB_LONG:
        return !bw && !th && lng;
    case WI_FAMILY_VIB:
        return !bw && !th;
    case WI_FAMILY_TH:
        return !bw && th;
    case WI_FAMILY_BANDWIDTH:
        return bw;
    case WI_FAMILY_HOTSTORAGE25:
        return c->published;
    default:
        return true;
    }
}

struct selection {
    double *truth, *change, *low, *high;
    size_t *group, n;
};

static enum wi_status select_cases(const struct wi_evaluation *ev, enum wi_predictor p,
                                   enum wi_family family, const enum wi_domain *domain,
                                   struct selection *s, struct wi_err *err)
{
    size_t n = ev->n_cases + 1;

    s->truth = calloc(4 * n, sizeof(*s->truth));
    s->group = calloc(n, sizeof(*s->group));
    if (!s->truth || !s->group)
        return wi_fail_nomem(err);
    s->change = s->truth + n;
    s->low = s->change + n;
    s->high = s->low + n;
    for (size_t i = 0; i < ev->n_cases; i++) {
        const struct wi_eval_case *c = &ev->cases[i];
        enum wi_domain d = p == WI_PREDICT_NEW_DRIVE ? c->new_domain : c->domain;

        if (!wi_family_has(family, c) || (domain && d != *domain))
            continue;
        s->truth[s->n] = c->truth_pct;
        s->change[s->n] = c->change[p];
        s->low[s->n] = c->low[p];
        s->high[s->n] = c->high[p];
        s->group[s->n++] = c->curve;
    }
    return WI_OK;
}

static void release_selection(struct selection *s)
{
    free(s->truth);
    free(s->group);
}

enum wi_status wi_evaluation_scores(const struct wi_evaluation *ev, enum wi_predictor p,
                                    enum wi_family family, const enum wi_domain *domain,
                                    struct wi_scores *out, struct wi_err *err)
{
    struct selection s = {0};
    enum wi_status st = select_cases(ev, p, family, domain, &s, err);

    if (st == WI_OK)
        wi_scores_eval(s.n, s.truth, s.change, s.low, s.high, WI_EVAL_CONFIDENCE, out);
    release_selection(&s);
    return st;
}

enum wi_status wi_eval_published_bootstrap(struct wi_eval_run *run)
{
    struct wi_evaluation *ev = run->ev;
    struct selection s = {0};
    size_t n_groups = 0;
    enum wi_status st =
        select_cases(ev, WI_PREDICT_EVIDENCE, WI_FAMILY_HOTSTORAGE25, NULL, &s, run->err);

    for (size_t i = 0; i < s.n && st == WI_OK; i++) {
        size_t id = s.group[i];

        if (id < n_groups)
            continue; /* renumbered with an earlier one */
        for (size_t j = i; j < s.n; j++) {
            if (s.group[j] == id)
                s.group[j] = n_groups;
        }
        n_groups++;
    }
    if (st == WI_OK && s.n)
        st = wi_scores_bootstrap(s.n, s.truth, s.change, s.group, n_groups, ev->published_mae,
                                 ev->published_rel, run->err);
    release_selection(&s);
    return st;
}
