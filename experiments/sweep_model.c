#include "experiments/sweep_model.h"

#include <stdlib.h>
#include <string.h>

struct sweep_model {
    const struct wi_evidence *ev;
    bool evidence_ids;
    /* Ids that rows point to: those of the last scenario first, found again by comparing. */
    char (*ids)[WI_ID_MAX];
    size_t n_ids, size;
};

enum wi_status sweep_model_new(const struct wi_evidence *ev, bool evidence_ids,
                               struct sweep_model **out, struct wi_err *err)
{
    struct sweep_model *m = calloc(1, sizeof(*m));

    if (!m)
        return wi_fail_nomem(err);
    m->ev = ev;
    m->evidence_ids = evidence_ids;
    m->size = 4096;
    m->ids = calloc(m->size, sizeof(*m->ids));
    if (!m->ids) {
        free(m);
        return wi_fail_nomem(err);
    }
    *out = m;
    return WI_OK;
}

void sweep_model_free(struct sweep_model *m)
{
    if (!m)
        return;
    free(m->ids);
    free(m);
}

static const char *keep(struct sweep_model *m, const char *id)
{
    for (size_t i = 0; i < m->n_ids; i++) {
        if (strcmp(m->ids[i], id) == 0)
            return m->ids[i];
    }
    if (m->n_ids == m->size)
        return "";
    memcpy(m->ids[m->n_ids], id, WI_ID_MAX);
    return m->ids[m->n_ids++];
}

enum wi_status sweep_model_predict(struct sweep_model *m, const struct wi_scenario *s,
                                   struct wi_fast_row *row, struct wi_err *err)
{
    struct wi_forecast f = {0};
    enum wi_status st = wi_evidence_predict(m->ev, s, &f, err);

    if (st != WI_OK)
        return st;
    for (size_t i = 0; i <= s->n_percentiles; i++) {
        const struct wi_change *c = i < s->n_percentiles ? &f.tail[i] : &f.bandwidth;

        row->out[i].change_pct = c->change_pct;
        row->out[i].low_pct = c->low_pct;
        row->out[i].high_pct = c->high_pct;
    }
    row->domain = f.domain;
    row->n_evidence = m->evidence_ids ? f.n_top : 0;
    for (size_t i = 0; i < row->n_evidence; i++)
        row->evidence[i] = keep(m, f.top[i].id);
    wi_forecast_release(&f);
    return WI_OK;
}
