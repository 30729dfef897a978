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

static void fill_rows(const struct wi_asking *p, const struct wi_row *base, struct wi_row *q)
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
double wi_asking_ratio(enum wi_group group, double var, double prior_var)
{
    double r = prior_var > 1e-12 ? var / prior_var : 0.0;

    return group == WI_GROUP_VIB ? r * fmin(1.0, sqrt(var) / WI_RATIO_SD) : r;
}

/* What own rows are off by says nothing of how well a condition is covered. */
static double ratio_of(enum wi_group group, const struct wi_moments *m)
{
    return wi_asking_ratio(group, m->var - m->misfit_var, m->prior_var);
}

/*
 * The drive of the row most alike: how well a condition is covered is asked for it, since that a
 * new drive differs from it is not a matter of the condition.
 */
void wi_asking_borrow_drive(const struct wi_gp *gp, struct wi_row *base)
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
static enum wi_status ask(struct wi_asking *p, const struct wi_row *base, struct wi_moments *m,
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

        wi_asking_borrow_drive(gp, &like);
        q[n] = q[n + 1] = like;
        wi_row_set_percentile(&q[n], p->s->percentiles[base->group == WI_GROUP_VIB ? n - 2 : 0]);
        wi_row_set_percentile(&q[n + 1], NAN);
    }
    /* Evidence is named for the latencies: one row of bandwidth would outweigh them all where it
     * was measured at that very step. */
    st = wi_evidence_moments(p->ev, q, to, o, p->exp_weight, n - 1, err);
    if (st != WI_OK)
        return st;
    memcpy(m, o, n * sizeof(*m));
    for (size_t i = 0; i < n; i++)
        p->look.misfit |= o[i].misfit_var > 0.0;
    for (size_t i = from; i + 1 < to; i++)
        p->look.ratio = fmax(p->look.ratio, ratio_of(base->group, &o[i]));
    p->look.ratio_bw = fmax(p->look.ratio_bw, ratio_of(base->group, &o[to - 1]));
    return WI_OK;
}

/* The during step's vibration and ageing, mixed between running and long-term. */
static enum wi_status ask_during(struct wi_asking *p, struct wi_err *err)
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

/* A drive that vibrated before: what that did is taken back. */
static enum wi_status ask_before(struct wi_asking *p, struct wi_err *err)
{
    struct wi_exposure e = p->s->exposure;
    struct wi_moments m[N_OUT];
    struct wi_row base;
    enum wi_status st;

    e.during.vib = e.before.vib;
    wi_row_init(&base, WI_GROUP_VIB, p->s->op, WI_PHASE_RUNNING, &e, p->s->nand);
    base.vendor = p->look.vib.vendor;
    base.device = p->look.vib.device;
    base.letter = p->look.vib.letter;
    base.reference = p->look.vib.reference;
    st = ask(p, &base, m, err);
    for (size_t i = 0; i < p->n && st == WI_OK; i++) {
        p->sum.mean[i] -= m[i].mean;
        p->sum.var[i] += m[i].var;
        p->sum.noise[i] += m[i].noise_var;
    }
    return st;
}

double wi_evidence_below(const struct wi_evidence *ev, double percentile)
{
    const struct wi_range *nines = &ev->hull.th_nines;
    struct wi_row q = {0};
    double below;

    if (ev->kind != WI_MODEL_DEFAULT || nines->low > nines->high)
        return 0.0;
    wi_row_set_percentile(&q, percentile);
    below = fmin(1.0, nines->low - q.nines);
    return below > 1e-9 ? below : 0.0;
}

static double below_var(const struct wi_asking *p, size_t i, const struct wi_moments *m)
{
    double below = i + 1 < p->n ? wi_evidence_below(p->ev, p->s->percentiles[i]) : 0.0;

    return below * (m->mean * m->mean + m->prior_var);
}

bool wi_asking_mixes_kinds(const struct wi_asking *p)
{
    return p->ev->kind == WI_MODEL_DEFAULT && p->look.th.nand == WI_NAND_UNKNOWN &&
           p->look.th.vendor < 0;
}

void wi_asking_mix_kinds(struct wi_moments *a, const struct wi_moments *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double gap = 0.5 * (a[i].mean - b[i].mean);

        a[i].mean = 0.5 * (a[i].mean + b[i].mean);
        a[i].var = fmax(a[i].var, b[i].var) + gap * gap;
        a[i].prior_var = fmax(a[i].prior_var, b[i].prior_var);
        a[i].noise_var = fmax(a[i].noise_var, b[i].noise_var);
    }
}

static enum wi_status ask_th(struct wi_asking *p, struct wi_moments *m, struct wi_err *err)
{
    struct wi_row base = p->look.th;
    struct wi_moments other[N_OUT];
    enum wi_status st;

    if (!wi_asking_mixes_kinds(p))
        return ask(p, &base, m, err);
    base.nand = WI_NAND_TLC;
    st = ask(p, &base, m, err);
    base.nand = WI_NAND_MLC;
    if (st == WI_OK)
        st = ask(p, &base, other, err);
    if (st == WI_OK)
        wi_asking_mix_kinds(m, other, p->n);
    return st;
}

void wi_asking_add_th(struct wi_asking *p, const struct wi_moments *m)
{
    for (size_t i = 0; i < p->n; i++) {
        double var = m[i].var + below_var(p, i, &m[i]);

        if (p->look.on.vib) {
            double a = p->sum.mean[i] * p->sum.mean[i] + p->sum.var[i];
            double b = m[i].mean * m[i].mean + var;

            p->sum.var[i] += INTERACTION_FRAC * INTERACTION_FRAC * fmin(a, b);
        }
        p->sum.mean[i] += m[i].mean;
        p->sum.var[i] += var;
        p->sum.noise[i] += m[i].noise_var;
    }
}

/* The noise of repeating a quiet run, where nothing changes. */
static enum wi_status ask_quiet(struct wi_asking *p, struct wi_err *err)
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

enum wi_status wi_asking_vib(struct wi_asking *p, struct wi_err *err)
{
    const struct wi_outlook *l = &p->look;
    enum wi_status st = WI_OK;

    if (!l->on.vib && !l->ageing)
        return l->on.temp || l->on.rh ? WI_OK : ask_quiet(p, err);
    if (vibrates(&p->s->exposure.during.vib) || l->ageing)
        st = ask_during(p, err);
    if (st == WI_OK && l->on.vib && vibrates(&p->s->exposure.before.vib))
        st = ask_before(p, err);
    return st;
}

double wi_asking_sds(const struct wi_asking *p)
{
    double own = wi_interval_sds(p->s->confidence, wi_asking_is_student(p));
    double share = p->look.aged_frac;

    /* Long_term answers with Student's, by the controls in it. */
    return share > 0.0 ? own + share * (wi_interval_sds(p->s->confidence, true) - own) : own;
}

bool wi_asking_is_student(const struct wi_asking *p)
{
    return p->look.on.vib || p->look.ageing || !(p->look.on.temp || p->look.on.rh);
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

/*
 * What the user measured needs no physics beside it: drives of that cell type, or long heat. Stated
 * wear stays, since no experiment is about it.
 */
int wi_asking_role(const struct wi_evidence *ev, const struct wi_scenario *s)
{
    const struct wi_gp *gp = &ev->gp[WI_PART_TH];
    struct wi_stressors on = wi_scenario_stressors(s);
    enum wi_physics_role role = wi_physics_role(s);
    bool same_nand = false, lasting = false;

    if (ev->kind != WI_MODEL_DEFAULT || role == WI_PHYSICS_NONE)
        return (int)WI_PHYSICS_NONE;
    for (size_t i = 0; i < gp->n; i++) {
        same_nand |= gp->rows[i].nand == s->nand;
        lasting |= gp->rows[i].phase == WI_PHASE_LONG_TERM;
    }
    if (role == WI_PHYSICS_ADDS && same_nand && isnan(s->pe_cycles))
        return (int)(wi_physics_aged_frac(s) > 0.0 ? WI_PHYSICS_AGES : WI_PHYSICS_NONE);
    if (role == WI_PHYSICS_CARRIES && lasting && (on.temp || on.rh))
        return (int)WI_PHYSICS_NONE;
    return (int)role;
}

/* The hottest air in which the very drive ran; of the user's own the operation counts as well. */
static double measured_c(const struct wi_evidence *ev, const struct wi_row *asked)
{
    const struct wi_gp *gp = &ev->gp[WI_PART_TH];
    double hottest_c = NAN;

    for (size_t i = 0; i < gp->n && asked->device >= 0; i++) {
        const struct wi_row *r = &gp->rows[i];
        double run_c = r->phase == WI_PHASE_POST ? r->temp_c[2] : r->temp_c[1];

        if (r->device == asked->device && (!r->own || fabs(r->w_read - asked->w_read) < 0.5))
            hottest_c = fmax(hottest_c, fmax(run_c, r->temp_c[0]));
    }
    return hottest_c;
}

void wi_asking_init(struct wi_asking *p, const struct wi_evidence *ev, const struct wi_scenario *s)
{
    struct wi_outlook *l = &p->look;

    *p = (struct wi_asking){.ev = ev, .s = s, .n = s->n_percentiles + 1};
    p->sum.n = p->n;
    l->s = s;
    l->on = wi_scenario_stressors(s);
    l->on.vib =
        l->on.vib && (vibrates(&s->exposure.during.vib) || vibrates(&s->exposure.before.vib));
    l->physics = wi_asking_role(ev, s);
    l->aged_frac = l->physics != (int)WI_PHYSICS_NONE ? wi_physics_aged_frac(s) : 0.0;
    l->long_frac = long_share(s);
    l->ageing = l->long_frac > 0.0;
    wi_row_init(&l->vib, WI_GROUP_VIB, s->op, s->phase, &s->exposure, s->nand);
    wi_row_init(&l->th, WI_GROUP_TH, s->op, s->phase, &s->exposure, s->nand);
    wi_row_set_drive(&l->vib, &ev->rows, s->vendor, s->device);
    wi_row_set_drive(&l->th, &ev->rows, s->vendor, s->device);
    if (!holds_vendor(ev, l->vib.vendor, WI_PART_VIB_SHORT, WI_PART_VIB_LONG))
        forget_drive(&l->vib);
    if (!holds_vendor(ev, l->th.vendor, WI_PART_TH, WI_PART_TH))
        forget_drive(&l->th);
    l->known_vib = l->vib.vendor >= 0;
    l->known_th = l->th.device >= 0;
    l->measured_c = measured_c(ev, &l->th);
}

static void write_top(const struct wi_asking *p, struct wi_forecast *out)
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

/* The quiet ageing of 120 h, as long_term counts it. */
static enum wi_status ask_aged(struct wi_asking *p, struct wi_sums *quiet, struct wi_err *err)
{
    struct wi_exposure e = p->s->exposure;
    struct wi_asking aged = *p;
    enum wi_status st;

    e.before.vib = e.during.vib = e.after.vib = (struct wi_vib){WI_AXIS_NONE, NAN, NAN};
    wi_row_init(&aged.look.vib, WI_GROUP_VIB, p->s->op, WI_PHASE_LONG_TERM, &e, p->s->nand);
    aged.look.vib.vendor = p->look.vib.vendor;
    aged.look.vib.device = p->look.vib.device;
    aged.look.vib.letter = p->look.vib.letter;
    aged.look.vib.reference = p->look.vib.reference;
    aged.look.long_frac = 1.0;
    aged.sum = (struct wi_sums){.n = p->n};
    st = ask_during(&aged, err);
    *quiet = aged.sum;
    return st;
}

static enum wi_status mix_aged(struct wi_asking *p, const struct wi_sums *vib,
                               struct wi_forecast *out, struct wi_err *err)
{
    struct wi_sums quiet;
    struct wi_ageing a = {vib, &quiet, p->look.aged_frac};
    enum wi_status st = ask_aged(p, &quiet, err);

    return st == WI_OK ? wi_evidence_mix_aged(p->s, &a, &p->sum, out, err) : st;
}

enum wi_status wi_asking_answer(struct wi_asking *p, struct wi_forecast *out, struct wi_err *err)
{
    const struct wi_outlook *l = &p->look;
    struct wi_throttle t = {0};
    struct wi_moments m[N_OUT];
    enum wi_status st = wi_asking_vib(p, err);
    struct wi_sums vib = p->sum;

    if (st == WI_OK && (l->on.temp || l->on.rh) && l->physics != (int)WI_PHYSICS_CARRIES) {
        st = ask_th(p, m, err);
        if (st == WI_OK)
            wi_asking_add_th(p, m);
    }
    if (st == WI_OK &&
        (l->physics == (int)WI_PHYSICS_ADDS || l->physics == (int)WI_PHYSICS_CARRIES))
        st = wi_evidence_add_physics(p->s, l->physics, &p->sum, out, err);
    if (st == WI_OK && l->aged_frac > 0.0)
        st = mix_aged(p, &vib, out, err);
    if (st != WI_OK)
        return st;
    if (p->ev->kind == WI_MODEL_DEFAULT)
        wi_throttle_eval(p->s, l->measured_c, p->s->tmt1_c, &t);
    wi_evidence_write_changes(p->s, &p->sum, &t, wi_asking_sds(p), out);
    if (p->exp_weight)
        write_top(p, out);
    st = wi_evidence_tell_throttle(&t, out, err);
    if (st == WI_OK)
        st = wi_throttle_warn(&t, &out->warnings, err);
    return st == WI_OK ? wi_domain_judge(p->ev, l, out, err) : st;
}

enum wi_status wi_evidence_predict(const struct wi_evidence *ev, const struct wi_scenario *s,
                                   struct wi_forecast *out, struct wi_err *err)
{
    struct wi_asking p;
    enum wi_status st;

    wi_asking_init(&p, ev, s);
    p.exp_weight = calloc(ev->rows.exps.n + 1, sizeof(*p.exp_weight));
    if (!p.exp_weight)
        return wi_fail_nomem(err);
    st = wi_asking_answer(&p, out, err);
    free(p.exp_weight);
    if (st != WI_OK)
        wi_forecast_release(out);
    return st;
}
