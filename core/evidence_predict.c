#include "core/evidence_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/physics_forecast.h"

#define N_OUT WI_N_OUT
#define RUN_H 6.0    /* DAC'19: running and post after 6 h */
#define LONG_H 120.0 /* and long-term after 120 h */

/*
 * Share of the interaction in the weaker of two effects: no experiment combines stressors, so up to
 * half of the weaker effect may be added or lost.
 */
#define INTERACTION_FRAC 0.5

struct predict {
    const struct wi_evidence *ev;
    const struct wi_scenario *s;
    size_t n; /* percentiles + 1 */
    enum wi_physics_role role;
    struct wi_outlook look;
    struct wi_sums sum;
    double *exp_weight; /* (n experiments,) */
};

static bool vibrates(const struct wi_vib *v)
{
    return v->axis != WI_AXIS_NONE && v->grms != 0.0;
}

/*
 * Between 6 h and 120 h an effect is part running, part long-term, in the logarithm of time.
 * Unstated hours are those of the phase.
 */
static double long_share(const struct wi_scenario *s)
{
    double h = s->exposure.during_h;

    if (s->phase == WI_PHASE_POST || !vibrates(&s->exposure.during.vib) || !(h > 0.0))
        return s->phase == WI_PHASE_LONG_TERM ? 1.0 : 0.0;
    return fmax(0.0, fmin(1.0, log(h / RUN_H) / log(LONG_H / RUN_H)));
}

static void fill_rows(const struct predict *p, const struct wi_row *base, struct wi_row *q)
{
    for (size_t i = 0; i < p->n; i++) {
        q[i] = *base;
        wi_row_set_percentile(&q[i], i + 1 < p->n ? p->s->percentiles[i] : NAN);
    }
}

/*
 * Posterior to prior variance. Under vibration the prior itself can expect next to nothing (short
 * exposure at the 99th): where the open part is small the ratio says little, and counts in
 * proportion.
 */
static double ratio(enum wi_group group, const struct wi_moments *m)
{
    double r = m->prior_var > 1e-12 ? m->var / m->prior_var : 0.0;

    return group == WI_GROUP_VIB ? r * fmin(1.0, sqrt(m->var) / WI_RATIO_SD) : r;
}

/*
 * The drive of the row most alike: how well a condition is covered is asked for it, since that a
 * new drive differs from it is not a matter of the condition.
 */
static void borrow_drive(const struct wi_gp *gp, struct wi_row *base)
{
    int best_score = -1;

    for (size_t i = 0; i < gp->n; i++) {
        const struct wi_row *r = &gp->rows[i];
        int score = (r->phase == base->phase ? 4 : 0) + (r->axis == base->axis ? 2 : 0) +
                    (r->nand == base->nand ? 8 : 0);

        if (score > best_score) {
            best_score = score;
            base->vendor = r->vendor;
            base->device = r->device;
            base->letter = r->letter;
            base->reference = r->reference;
        }
    }
}

/*
 * One part of the model, asked at every percentile, and how far the data decide it: for a drive
 * that is none of the stored, two more rows ask for the most alike one, at the percentile that is
 * extrapolated furthest and for bandwidth.
 */
static enum wi_status ask(struct predict *p, const struct wi_row *base, struct wi_moments *m,
                          struct wi_err *err)
{
    const struct wi_gp *gp = &p->ev->gp[wi_part_of(base)];
    bool probe = base->vendor < 0 && gp->n > 0;
    size_t n = p->n, from = probe ? n : 0, to = probe ? n + 2 : n;
    struct wi_row q[N_OUT + 2];
    struct wi_moments o[N_OUT + 2];
    enum wi_status st;

    fill_rows(p, base, q);
    if (probe) {
        struct wi_row like = *base;

        borrow_drive(gp, &like);
        q[n] = q[n + 1] = like;
        wi_row_set_percentile(&q[n], p->s->percentiles[base->group == WI_GROUP_VIB ? n - 2 : 0]);
        wi_row_set_percentile(&q[n + 1], NAN);
    }
    st = wi_evidence_moments(p->ev, q, to, o, p->exp_weight, n, err);
    if (st != WI_OK)
        return st;
    memcpy(m, o, n * sizeof(*m));
    for (size_t i = from; i + 1 < to; i++)
        p->look.ratio = fmax(p->look.ratio, ratio(base->group, &o[i]));
    p->look.ratio_bw = fmax(p->look.ratio_bw, ratio(base->group, &o[to - 1]));
    return WI_OK;
}

static enum wi_status ask_vib(struct predict *p, struct wi_err *err)
{
    struct wi_moments run[N_OUT] = {0}, lng[N_OUT] = {0};
    double share = p->look.long_frac;
    struct wi_row base = p->look.vib;
    enum wi_status st = WI_OK;

    if (share < 1.0) {
        base.phase = p->s->phase == WI_PHASE_POST ? WI_PHASE_POST : WI_PHASE_RUNNING;
        st = ask(p, &base, run, err);
    }
    if (share > 0.0 && st == WI_OK) {
        base.phase = WI_PHASE_LONG_TERM;
        st = ask(p, &base, lng, err);
    }
    for (size_t i = 0; i < p->n; i++) {
        double a = 1.0 - share, b = share, gap = lng[i].mean - run[i].mean;

        p->sum.mean[i] += a * run[i].mean + b * lng[i].mean;
        /* Independent parts; the gap counts too, since the rule itself is not measured. */
        p->sum.var[i] += a * a * run[i].var + b * b * lng[i].var + a * b * gap * gap;
        p->sum.noise[i] += a * run[i].noise_var + b * lng[i].noise_var;
    }
    return st;
}

static enum wi_status ask_th(struct predict *p, struct wi_err *err)
{
    struct wi_moments m[N_OUT];
    enum wi_status st = ask(p, &p->look.th, m, err);

    for (size_t i = 0; i < p->n && st == WI_OK; i++) {
        if (p->look.on.vib) {
            double a = p->sum.mean[i] * p->sum.mean[i] + p->sum.var[i];
            double b = m[i].mean * m[i].mean + m[i].var;

            p->sum.var[i] += INTERACTION_FRAC * INTERACTION_FRAC * fmin(a, b);
        }
        p->sum.mean[i] += m[i].mean;
        p->sum.var[i] += m[i].var;
        p->sum.noise[i] += m[i].noise_var;
    }
    return st;
}

/* The noise of repeating a quiet run, where nothing changes. */
static enum wi_status ask_quiet(struct predict *p, struct wi_err *err)
{
    struct wi_moments m[N_OUT];
    struct wi_row base, q[N_OUT];
    enum wi_status st;

    wi_row_init(&base, WI_GROUP_VIB, p->s->op, WI_PHASE_RUNNING, &p->s->exposure, p->s->nand);
    base.axis = WI_AXIS_NONE;
    fill_rows(p, &base, q);
    st = wi_evidence_moments(p->ev, q, p->n, m, NULL, 0, err);
    for (size_t i = 0; i < p->n && st == WI_OK; i++)
        p->sum.noise[i] += m[i].noise_var;
    return st;
}

static bool holds_vendor(const struct wi_evidence *ev, int vendor, enum wi_part first,
                         enum wi_part last)
{
    for (int p = (int)first; p <= (int)last && vendor >= 0; p++) {
        for (size_t i = 0; i < ev->gp[p].n; i++) {
            if (ev->gp[p].rows[i].vendor == vendor)
                return true;
        }
    }
    return false;
}

/* A drive that is stored, but was measured under the other kind of stress, is a new one here. */
static void forget_drive(struct wi_row *r)
{
    r->vendor = r->device = WI_NONE_ID;
    r->letter = 3;
    r->reference = false;
}

static void set_rows(struct predict *p)
{
    const struct wi_scenario *s = p->s;
    struct wi_outlook *l = &p->look;

    wi_row_init(&l->vib, WI_GROUP_VIB, s->op, s->phase, &s->exposure, s->nand);
    wi_row_init(&l->th, WI_GROUP_TH, s->op, s->phase, &s->exposure, s->nand);
    wi_row_set_drive(&l->vib, &p->ev->rows, s->vendor, s->device);
    wi_row_set_drive(&l->th, &p->ev->rows, s->vendor, s->device);
    if (!holds_vendor(p->ev, l->vib.vendor, WI_PART_VIB_SHORT, WI_PART_VIB_LONG))
        forget_drive(&l->vib);
    if (!holds_vendor(p->ev, l->th.vendor, WI_PART_TH, WI_PART_TH))
        forget_drive(&l->th);
    l->on.vib = l->vib.axis != WI_AXIS_NONE;
    l->known_vib = l->vib.vendor >= 0;
    l->known_th = l->th.device >= 0;
}

/*
 * What the user measured needs no physics beside it: drives of that cell type, or long heat. Stated
 * wear stays, since no experiment is about it.
 */
static enum wi_physics_role role_of(const struct wi_evidence *ev, const struct wi_scenario *s)
{
    const struct wi_gp *gp = &ev->gp[WI_PART_TH];
    struct wi_stressors on = wi_scenario_stressors(s);
    enum wi_physics_role role = wi_physics_role(s);
    bool same_nand = false, lasting = false;

    if (ev->kind != WI_MODEL_DEFAULT || role == WI_PHYSICS_NONE)
        return WI_PHYSICS_NONE;
    for (size_t i = 0; i < gp->n; i++) {
        same_nand |= gp->rows[i].nand == s->nand;
        lasting |= gp->rows[i].phase == WI_PHASE_LONG_TERM;
    }
    if (role == WI_PHYSICS_ADDS && same_nand && isnan(s->pe_cycles))
        return WI_PHYSICS_NONE;
    if (role == WI_PHYSICS_CARRIES && lasting && (on.temp || on.rh))
        return WI_PHYSICS_NONE;
    return role;
}

static void write_top(const struct predict *p, struct wi_forecast *out)
{
    const struct wi_names *exps = &p->ev->rows.exps;
    double total = 0.0;

    for (size_t i = 0; i < exps->n; i++)
        total += p->exp_weight[i];
    for (out->n_top = 0; out->n_top < WI_FORECAST_EXPS && total > 0.0; out->n_top++) {
        size_t best = 0;

        for (size_t i = 1; i < exps->n; i++)
            best = p->exp_weight[i] > p->exp_weight[best] ? i : best;
        if (!(p->exp_weight[best] > 0.0))
            break;
        snprintf(out->top[out->n_top].id, WI_ID_MAX, "%.*s", WI_ID_MAX - 1, exps->items[best].text);
        out->top[out->n_top].weight_frac = p->exp_weight[best] / total;
        p->exp_weight[best] = 0.0;
    }
}

enum wi_status wi_evidence_predict(const struct wi_evidence *ev, const struct wi_scenario *s,
                                   struct wi_forecast *out, struct wi_err *err)
{
    struct predict p = {.ev = ev, .s = s, .n = s->n_percentiles + 1};
    enum wi_status st = WI_OK;
    bool climate;

    p.exp_weight = calloc(ev->rows.exps.n + 1, sizeof(*p.exp_weight));
    if (!p.exp_weight)
        return wi_fail_nomem(err);
    p.look.s = s;
    p.look.on = wi_scenario_stressors(s);
    climate = p.look.on.temp || p.look.on.rh;
    set_rows(&p);
    p.sum.n = p.n;
    p.role = role_of(ev, s);
    p.look.physics = (int)p.role;
    p.look.long_frac = long_share(s);
    p.look.ageing = p.look.long_frac > 0.0;
    if (p.look.on.vib || p.look.ageing)
        st = ask_vib(&p, err);
    if (st == WI_OK && climate && p.role != WI_PHYSICS_CARRIES)
        st = ask_th(&p, err);
    if (st == WI_OK && !p.look.on.vib && !p.look.ageing && !climate)
        st = ask_quiet(&p, err);
    if (st == WI_OK && p.role != WI_PHYSICS_NONE)
        st = wi_evidence_add_physics(s, (int)p.role, &p.sum, out, err);
    if (st == WI_OK)
        st = wi_evidence_write_changes(s, &p.sum, ev->kind == WI_MODEL_DEFAULT, p.look.known_th,
                                       p.look.on.vib || p.look.ageing || !climate, out, err);
    if (st == WI_OK) {
        write_top(&p, out);
        st = wi_domain_judge(ev, &p.look, out, err);
    }
    free(p.exp_weight);
    if (st != WI_OK)
        wi_forecast_release(out);
    return st;
}
