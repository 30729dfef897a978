#include "core/fastpath.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/evidence_model.h"
#include "core/fast_eval.h"
#include "core/kernel_th.h"
#include "core/physics_forecast.h"
#include "core/weights.h"

/* Kept at a time, for constant memory: what is full is emptied, and filled anew as asked for. */
#define CONTEXTS_MAX 512 /* about 10 kB each */
#define WEIGHTS_MAX 64   /* about 20 kB each; 500 kB with many own rows that fit badly */
#define SLOTS 2048       /* of the hash table of contexts, a power of two */

/* All that a context depends on; filled with zeros first, so that it compares as bytes. */
struct key {
    int nand, op, phase, has_after, axis[3];
    double freq_hz[3], grms[3], during_h, pe_cycles, confidence, capacity_gb, tmt1_c;
    double percentiles[WI_PERCENTILES_MAX];
    size_t n_percentiles;
    char vendor[WI_NAME_MAX], device[WI_NAME_MAX], interface[WI_NAME_MAX];
};

/* The posterior of one drive at the percentiles asked for, which many contexts share. */
struct posterior {
    struct wi_row base; /* as asked for; temperatures do not matter */
    double percentiles[WI_PERCENTILES_MAX];
    size_t n_percentiles;
    struct wi_weights weights;
};

/* A step that was measured as such. */
struct step {
    double temp_c[2], rh_pct[2];
};

/* With or without a change of temperature or humidity. */
struct branch {
    struct wi_fast_question question;
    struct wi_outlook look;
    enum wi_physics_role role;
    enum wi_domain domain;         /* of the drive alone */
    struct wi_fast_seen vibration; /* before temperature and humidity */
};

struct context {
    struct key key;
    struct wi_scenario like; /* the scenario it was made for */
    struct branch still, moved;
    const struct posterior *weights, *other; /* other: as MLC, where the cell type is not stated */
    struct wi_row row;                       /* of the climate, temperatures filled in by each */
    struct step *steps;                      /* (n_steps,) measured ones of this cell type, phase */
    size_t n_steps;
    struct wi_throttle_drives drives;
    double *vib_weight; /* (n experiments,) of `moved` */
    bool direct;        /* the weights do not hold for it */
};

struct wi_fast {
    const struct wi_evidence *ev;
    bool evidence_ids;
    double *exp_weight; /* (n experiments,) work */
    struct wi_features features;
    struct posterior *weights[WEIGHTS_MAX];
    size_t n_weights;
    struct context *contexts[CONTEXTS_MAX];
    size_t n;
    short slots[SLOTS]; /* index + 1; 0 = free */
    struct context *last;
};

static void context_free(struct context *c)
{
    if (!c)
        return;
    free(c->steps);
    free(c->vib_weight);
    free(c);
}

static void forget_contexts(struct wi_fast *fast)
{
    for (size_t i = 0; i < fast->n; i++)
        context_free(fast->contexts[i]);
    fast->n = 0;
    fast->last = NULL;
    memset(fast->slots, 0, sizeof(fast->slots));
}

/* Contexts point to weights: both go. */
static void forget_weights(struct wi_fast *fast)
{
    forget_contexts(fast);
    for (size_t i = 0; i < fast->n_weights; i++) {
        wi_weights_release(&fast->weights[i]->weights);
        free(fast->weights[i]);
    }
    fast->n_weights = 0;
}

void wi_fast_free(struct wi_fast *fast)
{
    if (!fast)
        return;
    forget_weights(fast);
    wi_features_release(&fast->features);
    free(fast->exp_weight);
    free(fast);
}

enum wi_status wi_fast_new(const struct wi_evidence *ev, bool evidence_ids, struct wi_fast **fast,
                           struct wi_err *err)
{
    struct wi_fast *f = calloc(1, sizeof(*f));
    enum wi_status st =
        f ? wi_features_init(&f->features, &ev->gp[WI_PART_TH], &ev->misfit[WI_PART_TH], err)
          : wi_fail_nomem(err);

    *fast = NULL;
    if (st == WI_OK) {
        f->ev = ev;
        f->evidence_ids = evidence_ids;
        f->exp_weight = calloc(ev->rows.exps.n + 1, sizeof(*f->exp_weight));
        if (!f->exp_weight)
            st = wi_fail_nomem(err);
    }
    if (st != WI_OK) {
        wi_fast_free(f);
        return st;
    }
    *fast = f;
    return WI_OK;
}

/* ------------------------------------------------------------------ weights */

/* Whether the covariance of two questions is the same: all that the kernel looks at. */
static bool same_drive(const struct wi_row *a, const struct wi_row *b)
{
    return a->nand == b->nand && a->phase == b->phase && a->vendor == b->vendor &&
           a->device == b->device && a->letter == b->letter && a->reference == b->reference &&
           a->w_read == b->w_read && a->w_write == b->w_write && a->fresh == b->fresh;
}

/* Columns of the climate part: the answers, and for a new drive two of the most alike one. */
static enum wi_status make_weights(const struct wi_fast *fast, struct posterior *p,
                                   struct wi_err *err)
{
    const struct wi_gp *gp = &fast->ev->gp[WI_PART_TH];
    struct wi_row q[WI_N_OUT + 2];
    size_t n = p->n_percentiles + 1, n_like = 0;

    for (size_t i = 0; i < n; i++) {
        q[i] = p->base;
        wi_row_set_percentile(&q[i], i + 1 < n ? p->percentiles[i] : NAN);
    }
    if (p->base.vendor < 0 && gp->n > 0) {
        struct wi_row like = p->base;

        wi_asking_borrow_drive(gp, &like);
        q[n] = q[n + 1] = like;
        wi_row_set_percentile(&q[n], p->percentiles[0]);
        wi_row_set_percentile(&q[n + 1], NAN);
        n_like = 2;
    }
    return wi_weights_init(&p->weights, &fast->features, gp, &fast->ev->misfit[WI_PART_TH], q,
                           n + n_like, n, err);
}

static enum wi_status find_weights(struct wi_fast *fast, const struct wi_row *base,
                                   const struct wi_scenario *s, const struct posterior **out,
                                   struct wi_err *err)
{
    size_t bytes = s->n_percentiles * sizeof(*s->percentiles);
    struct posterior *p;
    enum wi_status st;

    for (size_t i = 0; i < fast->n_weights; i++) {
        p = fast->weights[i];
        if (same_drive(&p->base, base) && p->n_percentiles == s->n_percentiles &&
            memcmp(p->percentiles, s->percentiles, bytes) == 0) {
            *out = p;
            return WI_OK;
        }
    }
    p = calloc(1, sizeof(*p));
    if (!p)
        return wi_fail_nomem(err);
    p->base = *base;
    p->n_percentiles = s->n_percentiles;
    memcpy(p->percentiles, s->percentiles, bytes);
    st = make_weights(fast, p, err);
    if (st != WI_OK) {
        free(p);
        return st;
    }
    fast->weights[fast->n_weights++] = p;
    *out = p;
    return WI_OK;
}

/* ------------------------------------------------------------------ contexts */

static double plain(double x)
{
    return isnan(x) ? -1e300 : x; /* one bit pattern for "not stated" */
}

static void copy_name(char *to, const char *from)
{
    size_t len = strnlen(from, WI_NAME_MAX - 1);

    memcpy(to, from, len);
}

static void make_key(const struct wi_scenario *s, struct key *k)
{
    const struct wi_exposure *e = &s->exposure;
    const struct wi_step *steps[3] = {&e->before, &e->during, &e->after};

    memset(k, 0, sizeof(*k));
    k->nand = (int)s->nand;
    k->op = (int)s->op;
    k->phase = (int)s->phase;
    k->has_after = e->has_after;
    for (size_t i = 0; i < (e->has_after ? 3u : 2u); i++) {
        k->axis[i] = (int)steps[i]->vib.axis;
        k->freq_hz[i] = plain(steps[i]->vib.freq_hz);
        k->grms[i] = plain(steps[i]->vib.grms);
    }
    k->during_h = plain(e->during_h);
    k->pe_cycles = plain(s->pe_cycles);
    k->capacity_gb = plain(s->capacity_gb);
    k->tmt1_c = plain(s->tmt1_c);
    k->confidence = s->confidence;
    k->n_percentiles = s->n_percentiles;
    memcpy(k->percentiles, s->percentiles, s->n_percentiles * sizeof(*k->percentiles));
    copy_name(k->vendor, s->vendor);
    copy_name(k->device, s->device);
    copy_name(k->interface, s->interface);
}

static size_t hash(const struct key *k)
{
    const unsigned char *p = (const unsigned char *)k;
    uint64_t h = 0;

    for (size_t i = 0; i + 8 <= sizeof(*k); i += 8) {
        uint64_t w;

        memcpy(&w, p + i, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return (size_t)h & (SLOTS - 1);
}

/* Bit patterns, so that "not stated" equals itself. */
static bool same_numbers(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof(*a)) == 0;
}

static bool same_vibration(const struct wi_vib *a, const struct wi_vib *b)
{
    return a->axis == b->axis && same_numbers(&a->freq_hz, &b->freq_hz, 1) &&
           same_numbers(&a->grms, &b->grms, 1);
}

/* Whether two scenarios have the same key; true is certain, false is not. */
static bool is_like(const struct wi_scenario *a, const struct wi_scenario *b)
{
    const struct wi_exposure *x = &a->exposure, *y = &b->exposure;

    return a->nand == b->nand && a->op == b->op && a->phase == b->phase &&
           x->has_after == y->has_after && same_vibration(&x->before.vib, &y->before.vib) &&
           same_vibration(&x->during.vib, &y->during.vib) &&
           (!x->has_after || same_vibration(&x->after.vib, &y->after.vib)) &&
           same_numbers(&x->during_h, &y->during_h, 1) &&
           same_numbers(&a->pe_cycles, &b->pe_cycles, 1) &&
           same_numbers(&a->capacity_gb, &b->capacity_gb, 1) &&
           same_numbers(&a->tmt1_c, &b->tmt1_c, 1) && a->confidence == b->confidence &&
           a->n_percentiles == b->n_percentiles &&
           same_numbers(a->percentiles, b->percentiles, a->n_percentiles) &&
           strcmp(a->vendor, b->vendor) == 0 && strcmp(a->device, b->device) == 0 &&
           strcmp(a->interface, b->interface) == 0;
}

static void question_init(const struct wi_fast *fast, const struct wi_asking *p,
                          const struct posterior *weights, struct wi_fast_question *q)
{
    const struct wi_scenario *s = p->s;
    size_t n_columns = weights ? weights->weights.n_cols : p->n;

    *q = (struct wi_fast_question){
        .n = p->n,
        .n_columns = n_columns,
        .interacts = p->look.on.vib,
        .confidence = s->confidence,
        .sds = wi_interval_sds(s->confidence, wi_asking_is_student(p)),
        .sds_norm = wi_interval_sds(s->confidence, false),
    };
    for (size_t i = 0; i < WI_FAST_COLUMNS; i++) {
        bool tail = i + 1 < p->n;

        q->mean[i] = i < p->n ? p->sum.mean[i] : 0.0;
        q->var[i] = i < p->n ? p->sum.var[i] : i < n_columns ? 0.0 : 1.0;
        q->noise[i] = i < p->n ? p->sum.noise[i] : 0.0;
        q->below[i] = tail ? wi_evidence_below(fast->ev, s->percentiles[i]) : 0.0;
        q->rises[i] = tail ? -1.0 : 1.0;
        /* Of a new drive the most alike one is asked, of bandwidth none. */
        q->counts[i] = n_columns > p->n ? i == p->n : tail;
    }
}

static void branch_init(const struct wi_fast *fast, const struct wi_asking *p,
                        const struct posterior *weights, struct branch *b)
{
    question_init(fast, p, weights, &b->question);
    b->look = p->look;
    b->look.s = NULL; /* each scenario's own */
    b->vibration = (struct wi_fast_seen){p->look.ratio, p->look.misfit};
    b->role = (enum wi_physics_role)p->look.physics;
    b->domain = wi_domain_level(fast->ev, &p->look, WI_DOMAIN_OF_DRIVE);
}

/* in:   device   of its rows alone; WI_NONE_ID: of all */
static void add_steps(const struct wi_row *rows, size_t n, bool any_nand, int device,
                      struct context *c)
{
    for (size_t i = 0; i < n; i++) {
        const struct wi_row *r = &rows[i];
        struct step step = {{r->temp_c[0], r->temp_c[1]}, {r->rh_pct[0], r->rh_pct[1]}};
        size_t k = 0;

        if (device != WI_NONE_ID && r->device != device)
            continue;
        if ((r->nand != c->row.nand && !any_nand) || r->phase != c->row.phase)
            continue;
        while (k < c->n_steps && memcmp(&c->steps[k], &step, sizeof(step)) != 0)
            k++;
        c->steps[k] = step;
        c->n_steps += k == c->n_steps;
    }
}

/* The steps whose own discrepancy a posterior knows: the sparse form leaves it out. */
static enum wi_status copy_steps(const struct wi_evidence *ev, bool any_nand, struct context *c,
                                 struct wi_err *err)
{
    const struct wi_gp *gp = &ev->gp[WI_PART_TH];
    const struct wi_misfit *misfit = &ev->misfit[WI_PART_TH];

    c->steps = calloc(gp->n + misfit->n + 1, sizeof(*c->steps));
    if (!c->steps)
        return wi_fail_nomem(err);
    /* Where a drive was measured itself, its own row draws the answer. */
    if (!gp->sparse || c->row.device >= 0)
        add_steps(gp->rows, gp->n, any_nand, gp->sparse ? c->row.device : WI_NONE_ID, c);
    add_steps(misfit->rows, misfit->n, any_nand, WI_NONE_ID, c);
    return WI_OK;
}

/* Both branches. The temperatures themselves do not matter, only whether they change. */
static enum wi_status context_fill(struct wi_fast *fast, struct context *c, struct wi_err *err)
{
    struct wi_scenario still = c->like, moved;
    const struct wi_gp *gp = &fast->ev->gp[WI_PART_TH];
    struct wi_asking p;
    struct wi_row base;
    bool mixes;
    enum wi_status st;

    still.exposure.during.temp_c = still.exposure.after.temp_c = still.exposure.before.temp_c;
    still.exposure.during.rh_pct = still.exposure.after.rh_pct = still.exposure.before.rh_pct;
    moved = still;
    moved.exposure.during.temp_c += 1.0;
    wi_asking_init(&p, fast->ev, &still);
    st = wi_asking_vib(&p, err);
    branch_init(fast, &p, NULL, &c->still);
    wi_asking_init(&p, fast->ev, &moved);
    p.exp_weight = c->vib_weight;
    if (st == WI_OK)
        st = wi_asking_vib(&p, err);
    base = c->row = p.look.th;
    mixes = wi_asking_mixes_kinds(&p);
    if (mixes)
        base.nand = WI_NAND_TLC;
    c->direct =
        gp->levels.n > WI_LEVELS_MAX || fast->ev->misfit[WI_PART_TH].n > WI_WEIGHTS_MISFIT_MAX;
    if (st == WI_OK && !c->direct)
        st = find_weights(fast, &base, &moved, &c->weights, err);
    base.nand = WI_NAND_MLC;
    if (st == WI_OK && !c->direct && mixes)
        st = find_weights(fast, &base, &moved, &c->other, err);
    if (st == WI_OK)
        st = copy_steps(fast->ev, mixes, c, err);
    if (st == WI_OK)
        branch_init(fast, &p, c->weights, &c->moved);
    wi_throttle_drives_init(c->like.interface, p.look.measured_c, c->like.tmt1_c, &c->drives);
    return st;
}

static enum wi_status context_new(struct wi_fast *fast, const struct wi_scenario *s,
                                  const struct key *key, struct context **out, struct wi_err *err)
{
    struct context *c = calloc(1, sizeof(*c));
    enum wi_status st = WI_OK;

    if (!c)
        return wi_fail_nomem(err);
    c->key = *key;
    c->like = *s;
    c->vib_weight = calloc(fast->ev->rows.exps.n + 1, sizeof(*c->vib_weight));
    st = c->vib_weight ? context_fill(fast, c, err) : wi_fail_nomem(err);
    if (st != WI_OK) {
        context_free(c);
        return st;
    }
    *out = c;
    return WI_OK;
}

static enum wi_status find_context(struct wi_fast *fast, const struct wi_scenario *s,
                                   struct context **out, struct wi_err *err)
{
    struct key key;
    size_t slot;
    enum wi_status st;

    if (fast->last && is_like(&fast->last->like, s)) {
        *out = fast->last;
        return WI_OK;
    }
    make_key(s, &key);
    for (slot = hash(&key); fast->slots[slot]; slot = (slot + 1) & (SLOTS - 1)) {
        struct context *c = fast->contexts[fast->slots[slot] - 1];

        if (memcmp(&c->key, &key, sizeof(key)) == 0) {
            *out = fast->last = c;
            return WI_OK;
        }
    }
    /* A new context asks for two weights at most. */
    if (fast->n_weights + 2 > WEIGHTS_MAX || fast->n == CONTEXTS_MAX) {
        (fast->n_weights + 2 > WEIGHTS_MAX ? forget_weights : forget_contexts)(fast);
        slot = hash(&key);
    }
    st = context_new(fast, s, &key, out, err);
    if (st != WI_OK)
        return st;
    fast->contexts[fast->n++] = fast->last = *out;
    fast->slots[slot] = (short)fast->n;
    return WI_OK;
}

/* ------------------------------------------------------------------ one scenario */

/* A step that was measured as such has a discrepancy of its own, which only the full form knows. */
static bool is_measured_step(const struct context *c)
{
    const double *t = c->row.temp_c, *h = c->row.rh_pct;

    for (size_t i = 0; i < c->n_steps; i++) {
        const struct step *s = &c->steps[i];

        if ((s->temp_c[0] == t[0] && s->temp_c[1] == t[1] && s->rh_pct[0] == h[0] &&
             s->rh_pct[1] == h[1]) ||
            (s->temp_c[0] == t[1] && s->temp_c[1] == t[0] && s->rh_pct[0] == h[1] &&
             s->rh_pct[1] == h[0]))
            return true;
    }
    return false;
}

static void copy_out(const struct wi_forecast *f, struct wi_fast_row *out)
{
    for (size_t i = 0; i <= f->n_tail; i++) {
        const struct wi_change *c = i < f->n_tail ? &f->tail[i] : &f->bandwidth;

        out->out[i].change_pct = c->change_pct;
        out->out[i].low_pct = c->low_pct;
        out->out[i].high_pct = c->high_pct;
    }
    out->domain = f->domain;
}

/* Where the weights do not hold: measured steps, physics. */
static enum wi_status direct(const struct wi_fast *fast, const struct wi_scenario *s,
                             struct wi_fast_row *out, struct wi_err *err)
{
    struct wi_forecast f = {0};
    enum wi_status st = wi_evidence_predict(fast->ev, s, &f, err);

    if (st != WI_OK)
        return st;
    copy_out(&f, out);
    out->n_evidence = 0;
    for (size_t i = 0; i < f.n_top && fast->evidence_ids; i++) {
        int id = wi_names_find(&fast->ev->rows.exps, f.top[i].id);

        if (id >= 0)
            out->evidence[out->n_evidence++] = fast->ev->rows.exps.items[id].text;
    }
    wi_forecast_release(&f);
    return WI_OK;
}

/* The experiments with the largest weight; a measure of |sum| per experiment, not per row. */
static void name_evidence(struct wi_fast *fast, const struct context *c, bool climate,
                          const double *phi, size_t n, struct wi_fast_row *out)
{
    const struct wi_names *exps = &fast->ev->rows.exps;
    double *w = fast->exp_weight;

    out->n_evidence = 0;
    if (!fast->evidence_ids)
        return;
    memcpy(w, c->vib_weight, exps->n * sizeof(*w));
    if (climate)
        wi_weights_shares(&c->weights->weights, phi, n, w);
    if (climate && c->other)
        wi_weights_shares(&c->other->weights, phi, n, w);
    while (out->n_evidence < WI_FORECAST_EXPS) {
        size_t best = 0;

        for (size_t i = 1; i < exps->n; i++)
            best = w[i] > w[best] ? i : best;
        if (exps->n == 0 || !(w[best] > 0.0))
            return;
        out->evidence[out->n_evidence++] = exps->items[best].text;
        w[best] = 0.0;
    }
}

static void set_climate(const struct wi_exposure *e, struct wi_row *row)
{
    const struct wi_step *end = e->has_after                  ? &e->after
                                : row->phase == WI_PHASE_POST ? &e->before
                                                              : &e->during;

    row->temp_c[0] = e->before.temp_c;
    row->temp_c[1] = e->during.temp_c;
    row->temp_c[2] = end->temp_c;
    row->rh_pct[0] = e->before.rh_pct;
    row->rh_pct[1] = e->during.rh_pct;
    row->rh_pct[2] = end->rh_pct;
}

enum wi_status wi_fast_predict(struct wi_fast *fast, const struct wi_scenario *s,
                               struct wi_fast_row *out, struct wi_err *err)
{
    struct wi_stressors on = wi_scenario_stressors(s);
    bool climate = on.temp || on.rh;
    struct wi_throttle t;
    struct wi_point point;
    struct wi_outlook *look;
    struct wi_fast_seen seen;
    struct context *c = NULL;
    struct branch *b;
    enum wi_status st = find_context(fast, s, &c, err);

    if (st != WI_OK)
        return st;
    b = climate ? &c->moved : &c->still;
    if (climate)
        set_climate(&s->exposure, &c->row);
    if (b->role != WI_PHYSICS_NONE || (climate && (c->direct || is_measured_step(c))))
        return direct(fast, s, out, err);
    if (climate)
        wi_features_eval(&fast->features, &c->row, &point);
    t.prob = 0.0;
    if (climate && fast->ev->kind == WI_MODEL_DEFAULT)
        wi_throttle_at(&c->drives, wi_throttle_asked_c(s), s->exposure.before.temp_c, &t);
    seen = b->vibration;
    look = &b->look;
    look->s = s;
    look->on.temp = on.temp;
    look->on.rh = on.rh;
    wi_fast_eval(&b->question, climate ? &c->weights->weights : NULL,
                 climate && c->other ? &c->other->weights : NULL, &point, &t, out, &seen);
    look->ratio = seen.ratio;
    look->misfit = seen.misfit;
    out->domain = wi_domain_level(fast->ev, look, WI_DOMAIN_OF_CLIMATE);
    out->domain = b->domain > out->domain ? b->domain : out->domain;
    if (wi_throttle_carries(&t))
        out->domain = WI_DOMAIN_OUTSIDE;
    name_evidence(fast, c, climate, point.phi, b->question.n - 1, out);
    return WI_OK;
}
