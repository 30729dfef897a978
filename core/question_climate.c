/* Temperature and humidity: from quantities with their roles to the steps of the exposure. */
#include "core/question_reader.h"

#include <math.h>
#include <string.h>

#include "core/units.h"

const struct q_state q_states[Q_N_STATES] = {
    {'t', WI_ROOM_TEMP_C, {WI_F_BEFORE_TEMP, WI_F_DURING_TEMP, WI_F_AFTER_TEMP}},
    {'h', WI_ROOM_RH_PCT, {WI_F_BEFORE_RH, WI_F_DURING_RH, WI_F_AFTER_RH}},
};

double *q_state_of(struct wi_scenario *s, char kind, size_t step)
{
    struct wi_exposure *x = &s->exposure;
    struct wi_step *steps[] = {&x->before, &x->during, &x->after};

    return kind == 't' ? &steps[step]->temp_c : &steps[step]->rh_pct;
}

/* Conversion leaves rounding dust that no question means. */
double q_without_dust(double v)
{
    return round(v * 1e9) / 1e9;
}

static double state_value(const struct q_quantity *q)
{
    if (q->kind != 't')
        return q->value;
    if (q->unit == Q_U_F)
        return q_without_dust(wi_c_from_f(q->value));
    if (q->unit == Q_U_K)
        return q_without_dust(wi_c_from_k(q->value));
    return q->value;
}

static double delta_value(const struct q_quantity *q)
{
    return q->kind == 't' && q->unit == Q_U_F ? q_without_dust(q->value / 1.8) : q->value;
}

/* What is said of one quantity, by role. */
struct told {
    struct q_quantity *before, *during, *after, *delta;
    double sign;                                /* of delta */
    struct q_quantity *alone[Q_QUANTITIES_MAX]; /* distinct values without a relation */
    size_t n_alone;
};

static enum wi_status keep_first(struct q_reader *r, struct q_quantity **to, struct q_quantity *q,
                                 const char *step, struct wi_err *err)
{
    char a[Q_QUOTE_MAX], b[Q_QUOTE_MAX];

    q->used = true;
    if (!*to) {
        *to = q;
        return WI_OK;
    }
    if (state_value(*to) == state_value(q))
        return WI_OK;
    q_quote_quantity(r, *to, a);
    q_quote_quantity(r, q, b);
    return wi_texts_add(&r->out->warnings, "", err,
                        "'%s' and '%s' contradict each other %s: '%s' is used", a, b, step, a);
}

static void add_alone(struct told *t, struct q_quantity *q)
{
    q->used = true;
    for (size_t i = 0; i < t->n_alone; i++) {
        if (state_value(t->alone[i]) == state_value(q))
            return;
    }
    t->alone[t->n_alone++] = q;
}

/* Of two that are compared, the one nearer to the reference room is where things start. */
static enum wi_status order_compared(struct q_reader *r, struct q_quantity *a, struct q_quantity *b,
                                     double reference, struct wi_err *err)
{
    bool a_first = fabs(state_value(a) - reference) <= fabs(state_value(b) - reference);
    char from[Q_QUOTE_MAX], to[Q_QUOTE_MAX];

    a->role = a_first ? 'b' : 'd';
    b->role = a_first ? 'd' : 'b';
    q_quote_quantity(r, a_first ? a : b, from);
    q_quote_quantity(r, a_first ? b : a, to);
    return wi_texts_add(&r->out->warnings, "", err,
                        "the comparison is read as a change from %s to %s", from, to);
}

static enum wi_status order_all_compared(struct q_reader *r, char kind, double reference,
                                         struct wi_err *err)
{
    struct q_quantity *first = NULL;

    for (size_t i = 0; i < r->n_quantities; i++) {
        struct q_quantity *q = &r->quantities[i];
        enum wi_status st;

        if (q->kind != kind || q->role != 'v')
            continue;
        if (!first) {
            first = q;
            continue;
        }
        st = order_compared(r, first, q, reference, err);
        if (st != WI_OK)
            return st;
        first = NULL;
    }
    return WI_OK;
}

static enum wi_status sort_told(struct q_reader *r, char kind, struct told *t, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < r->n_quantities && st == WI_OK; i++) {
        struct q_quantity *q = &r->quantities[i];

        if (q->kind != kind)
            continue;
        switch (q->role) {
        case 'b':
            st = keep_first(r, &t->before, q, "before", err);
            break;
        case 'd':
            st = keep_first(r, &t->during, q, "during", err);
            break;
        case 'a':
            st = keep_first(r, &t->after, q, "after", err);
            break;
        case '+':
        case '-':
            if (!t->delta)
                t->sign = q->role == '+' ? 1 : -1;
            st = keep_first(r, &t->delta, q, "as a change", err);
            break;
        default:
            add_alone(t, q);
            break;
        }
    }
    return st;
}

/* Values said on their own that repeat a step of the relation add nothing. */
static void drop_repeated(struct told *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_alone; i++) {
        double v = state_value(t->alone[i]);

        if ((t->before && state_value(t->before) == v) ||
            (t->during && state_value(t->during) == v) || (t->after && state_value(t->after) == v))
            continue;
        t->alone[n++] = t->alone[i];
    }
    t->n_alone = n;
}

/* "TLC at 60 C vs MLC at 40 C": each device its own condition. */
static bool one_for_each_device(struct q_reader *r, const struct told *t, char kind)
{
    const struct q_choices *n = &r->nands;

    if (n->n != 2 || t->n_alone != 2)
        return false;
    const struct q_choice *a = &n->items[0], *b = &n->items[1];
    if (a->at > b->at) {
        const struct q_choice *x = a;

        a = b;
        b = x;
    }
    if (!(a->at < t->alone[0]->start && t->alone[0]->start < b->at && b->at < t->alone[1]->start))
        return false;
    for (size_t i = 0; i < 2; i++)
        r->during_of_nand[a == &n->items[0] ? i : 1 - i][kind == 'h'] = state_value(t->alone[i]);
    return true;
}

static enum wi_status fail_many(const struct q_reader *r, const struct told *t, struct wi_err *err)
{
    char a[Q_QUOTE_MAX], b[Q_QUOTE_MAX], c[Q_QUOTE_MAX];

    q_quote_quantity(r, t->alone[0], a);
    q_quote_quantity(r, t->alone[1], b);
    q_quote_quantity(r, t->alone[2], c);
    return wi_fail(err, WI_EDATA,
                   "the question names several conditions ('%s', '%s', '%s') and not how they "
                   "follow each other; "
                   "ask for one change at a time, as in 'from 25 to 60 C', or sweep them",
                   a, b, c);
}

/* Give the values said on their own a step. */
static enum wi_status place_alone(struct q_reader *r, struct told *t, char kind, struct wi_err *err)
{
    char a[Q_QUOTE_MAX], b[Q_QUOTE_MAX];
    size_t next = 0;

    if (t->n_alone == 0)
        return WI_OK;
    if (t->delta && !t->before) {
        t->before = t->alone[next++];
    } else if (!t->during && !t->delta) {
        if (t->n_alone > 2 && !t->before)
            return fail_many(r, t, err);
        if (t->n_alone == 2 && !t->before) {
            if (one_for_each_device(r, t, kind))
                return WI_OK;
            t->before = t->alone[next++];
            q_quote_quantity(r, t->alone[0], a);
            q_quote_quantity(r, t->alone[1], b);
            enum wi_status st =
                wi_texts_add(&r->out->warnings, "", err,
                             "two conditions are named and read as a change from %s to %s", a, b);
            if (st != WI_OK)
                return st;
        }
        t->during = t->alone[next++];
    } else if (t->during && !t->before && t->alone[0]->start < t->during->start) {
        t->before = t->alone[next++]; /* "a drive at 25 C is heated to 60 C" */
    }
    for (; next < t->n_alone; next++) {
        enum wi_status st;

        q_quote_quantity(r, t->alone[next], a);
        st = wi_texts_add(&r->out->warnings, "", err,
                          "'%s' does not fit the other conditions and is not used", a);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

static enum wi_status apply_delta(struct q_reader *r, const struct told *t, double reference,
                                  double *before, double *during, uint32_t bits[3],
                                  struct wi_err *err)
{
    char quote[Q_QUOTE_MAX];
    double by = t->sign * delta_value(t->delta);

    if (t->during && !t->before) {
        *before = q_without_dust(*during - by);
        r->words.given |= bits[0];
    } else if (!t->during) {
        *during = q_without_dust((t->before ? *before : reference) + by);
        r->words.given |= bits[1];
    }
    if (!t->delta->percent)
        return WI_OK;
    q_quote_quantity(r, t->delta, quote);
    return wi_texts_add(&r->out->warnings, "", err, "'%s' is read as points of relative humidity",
                        quote);
}

static enum wi_status settle_state(struct q_reader *r, const struct q_state *f, struct told *t,
                                   struct wi_err *err)
{
    struct q_quantity *const by_step[] = {t->before, t->during, t->after};
    uint32_t bits[3] = {f->bits[0], f->bits[1], f->bits[2]};

    for (size_t i = 0; i < 3; i++) {
        if (!by_step[i])
            continue;
        *q_state_of(&r->words, f->kind, i) = state_value(by_step[i]);
        r->words.given |= bits[i];
    }
    if (!t->delta && t->before && !t->during && !t->after) {
        char quote[Q_QUOTE_MAX];

        q_quote_quantity(r, t->before, quote);
        return wi_texts_add(&r->out->warnings, "", err,
                            "'%s' is where it starts, and where it goes is not said", quote);
    }
    if (!t->delta)
        return WI_OK;
    return apply_delta(r, t, f->reference, q_state_of(&r->words, f->kind, 0),
                       q_state_of(&r->words, f->kind, 1), bits, err);
}

/*
 * "At 60 C, humidity drops from 80 % to 50 %": what is only stated holds before the change too,
 * since else the answer would be about heating as well.
 */
static enum wi_status hold_stated(struct q_reader *r, const struct told *t, const struct q_state *f,
                                  bool other_changes, struct wi_err *err)
{
    char quote[Q_QUOTE_MAX];

    if (!other_changes || t->before || t->delta || t->after || !t->during ||
        (t->during->role != 0 && t->during->role != 's'))
        return WI_OK;
    *q_state_of(&r->words, f->kind, 0) = state_value(t->during);
    r->words.given |= f->bits[0];
    q_quote_quantity(r, t->during, quote);
    return wi_texts_add(&r->out->warnings, "", err,
                        "'%s' is read as held before and during the change", quote);
}

enum wi_status q_settle_climate(struct q_reader *r, struct wi_err *err)
{
    struct told t[Q_N_STATES];
    enum wi_status st = WI_OK;

    memset(t, 0, sizeof(t));
    for (size_t i = 0; i < Q_N_STATES && st == WI_OK; i++) {
        st = order_all_compared(r, q_states[i].kind, q_states[i].reference, err);
        if (st == WI_OK)
            st = sort_told(r, q_states[i].kind, &t[i], err);
        drop_repeated(&t[i]);
        if (st == WI_OK)
            st = place_alone(r, &t[i], q_states[i].kind, err);
        if (st == WI_OK)
            st = settle_state(r, &q_states[i], &t[i], err);
    }
    for (size_t i = 0; i < Q_N_STATES && st == WI_OK; i++) {
        const struct told *other = &t[1 - i];

        st = hold_stated(r, &t[i], &q_states[i], (other->before && other->during) || other->delta,
                         err);
    }
    return st;
}
