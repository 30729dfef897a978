/* From phrases and quantities to scenarios. */
#include "core/question_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LONG_TERM_H 120.0 /* hours from which the long-term phase was measured */

/* Conversion leaves rounding dust that no question means. */
static double without_dust(double v)
{
    return round(v * 1e9) / 1e9;
}

static double state_value(const struct q_quantity *q)
{
    if (q->kind != 't')
        return q->value;
    if (q->unit == Q_U_F)
        return without_dust(wi_c_from_f(q->value));
    if (q->unit == Q_U_K)
        return without_dust(wi_c_from_k(q->value));
    return q->value;
}

static double delta_value(const struct q_quantity *q)
{
    return q->kind == 't' && q->unit == Q_U_F ? without_dust(q->value / 1.8) : q->value;
}

/* ---- temperature and humidity ---- */

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
        *before = without_dust(*during - by);
        r->words.given |= bits[0];
    } else if (!t->during) {
        *during = without_dust((t->before ? *before : reference) + by);
        r->words.given |= bits[1];
    }
    if (!t->delta->percent)
        return WI_OK;
    q_quote_quantity(r, t->delta, quote);
    return wi_texts_add(&r->out->warnings, "", err, "'%s' is read as points of relative humidity",
                        quote);
}

struct state_fields {
    char kind;
    double reference;
    uint32_t bits[3];
};
static const struct state_fields states[] = {
    {'t', WI_ROOM_TEMP_C, {WI_F_BEFORE_TEMP, WI_F_DURING_TEMP, WI_F_AFTER_TEMP}},
    {'h', WI_ROOM_RH_PCT, {WI_F_BEFORE_RH, WI_F_DURING_RH, WI_F_AFTER_RH}},
};

static double *state_of(struct wi_scenario *s, char kind, size_t step)
{
    struct wi_exposure *x = &s->exposure;
    struct wi_step *steps[] = {&x->before, &x->during, &x->after};

    return kind == 't' ? &steps[step]->temp_c : &steps[step]->rh_pct;
}

static enum wi_status settle_state(struct q_reader *r, const struct state_fields *f, struct told *t,
                                   struct wi_err *err)
{
    struct q_quantity *const by_step[] = {t->before, t->during, t->after};
    uint32_t bits[3] = {f->bits[0], f->bits[1], f->bits[2]};

    for (size_t i = 0; i < 3; i++) {
        if (!by_step[i])
            continue;
        *state_of(&r->words, f->kind, i) = state_value(by_step[i]);
        r->words.given |= bits[i];
    }
    if (!t->delta)
        return WI_OK;
    return apply_delta(r, t, f->reference, state_of(&r->words, f->kind, 0),
                       state_of(&r->words, f->kind, 1), bits, err);
}

/*
 * "At 60 C, humidity drops from 80 % to 50 %": what is only stated holds before the change too,
 * since else the answer would be about heating as well.
 */
static enum wi_status hold_stated(struct q_reader *r, const struct told *t,
                                  const struct state_fields *f, bool other_changes,
                                  struct wi_err *err)
{
    char quote[Q_QUOTE_MAX];

    if (!other_changes || t->before || t->delta || t->after || !t->during ||
        (t->during->role != 0 && t->during->role != 's'))
        return WI_OK;
    *state_of(&r->words, f->kind, 0) = state_value(t->during);
    r->words.given |= f->bits[0];
    q_quote_quantity(r, t->during, quote);
    return wi_texts_add(&r->out->warnings, "", err,
                        "'%s' is read as held before and during the change", quote);
}

static enum wi_status settle_climate(struct q_reader *r, struct wi_err *err)
{
    struct told t[COUNT(states)];
    enum wi_status st = WI_OK;

    memset(t, 0, sizeof(t));
    for (size_t i = 0; i < COUNT(states) && st == WI_OK; i++) {
        st = order_all_compared(r, states[i].kind, states[i].reference, err);
        if (st == WI_OK)
            st = sort_told(r, states[i].kind, &t[i], err);
        drop_repeated(&t[i]);
        if (st == WI_OK)
            st = place_alone(r, &t[i], states[i].kind, err);
        if (st == WI_OK)
            st = settle_state(r, &states[i], &t[i], err);
    }
    for (size_t i = 0; i < COUNT(states) && st == WI_OK; i++) {
        const struct told *other = &t[1 - i];

        st = hold_stated(r, &t[i], &states[i], (other->before && other->during) || other->delta,
                         err);
    }
    return st;
}

/* ---- vibration, time, operation, phase ---- */

static enum wi_status first_of_kind(struct q_reader *r, char kind, struct q_quantity **out,
                                    struct wi_err *err)
{
    char a[Q_QUOTE_MAX], b[Q_QUOTE_MAX];

    *out = NULL;
    for (size_t i = 0; i < r->n_quantities; i++) {
        struct q_quantity *q = &r->quantities[i];
        enum wi_status st;

        if (q->kind != kind || q->used || q->role == 'i')
            continue;
        q->used = true;
        if (!*out) {
            *out = q;
            continue;
        }
        if (q->value == (*out)->value)
            continue;
        q_quote_quantity(r, *out, a);
        q_quote_quantity(r, q, b);
        st = wi_texts_add(&r->out->warnings, "", err,
                          "'%s' is used, '%s' is not: a scenario has one of them", a, b);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

static enum wi_status settle_still(struct q_reader *r, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    r->words.exposure.during.vib.axis = WI_AXIS_NONE;
    r->words.given |= WI_F_DURING_VIB | WI_F_DURING_AXIS;
    for (size_t i = 0; i < r->n_quantities && st == WI_OK; i++) {
        struct q_quantity *q = &r->quantities[i];
        char quote[Q_QUOTE_MAX];

        if (q->kind != 'z' && q->kind != 'g')
            continue;
        q->used = true;
        q_quote_quantity(r, q, quote);
        st = wi_texts_add(&r->out->warnings, "", err,
                          "'%s' contradicts '%s': no vibration is assumed", quote, r->still_word);
    }
    r->axes.n = 0;
    return st;
}

static bool has_kind(const struct q_reader *r, char kind)
{
    for (size_t i = 0; i < r->n_quantities; i++) {
        if (r->quantities[i].kind == kind)
            return true;
    }
    return false;
}

static enum wi_status settle_vib(struct q_reader *r, struct wi_err *err)
{
    struct wi_vib *vib = &r->words.exposure.during.vib;
    struct q_quantity *freq = NULL, *grms = NULL;
    enum wi_status st = WI_OK;

    if (r->vib_none)
        return settle_still(r, err);
    if (!r->vib && !r->vib_implied && !has_kind(r, 'z')) {
        r->axes.n = 0; /* nothing vibrates: the words are about something else */
        return WI_OK;
    }
    if (!r->vib && r->vib_implied)
        st = wi_texts_add(&r->out->warnings, "", err, "'%s' %s", r->implied_word, r->implied_note);
    if (st == WI_OK)
        st = first_of_kind(r, 'z', &freq, err);
    if (st == WI_OK)
        st = first_of_kind(r, 'g', &grms, err);
    if (st != WI_OK)
        return st;
    r->words.given |= WI_F_DURING_VIB;
    if (freq) {
        vib->freq_hz = freq->value;
        r->words.given |= WI_F_DURING_FREQ;
    }
    if (grms) {
        char quote[Q_QUOTE_MAX];

        vib->grms = grms->value;
        q_quote_quantity(r, grms, quote);
        if (grms->note)
            st = wi_texts_add(&r->out->warnings, "", err, "'%s' %s", quote, grms->note);
    }
    return st;
}

static enum wi_status settle_hours(struct q_reader *r, struct wi_err *err)
{
    struct q_quantity *d;
    enum wi_status st = first_of_kind(r, 'd', &d, err);

    if (st != WI_OK || !d)
        return st;
    r->words.exposure.during_h = without_dust(d->value);
    r->words.given |= WI_F_DURING_HOURS;
    return WI_OK;
}

static enum wi_status settle_op(struct q_reader *r, struct wi_err *err)
{
    bool read = false, write = false, mixed = false;

    for (size_t i = 0; i < r->ops.n; i++) {
        read = read || r->ops.items[i].value == WI_OP_READ;
        write = write || r->ops.items[i].value == WI_OP_WRITE;
        mixed = mixed || r->ops.items[i].value == WI_OP_MIXED;
    }
    if (r->ops.n == 0 && !r->cross)
        return WI_OK;
    r->words.given |= WI_F_OP;
    if (r->cross) {
        r->words.op = WI_OP_READ;
        return wi_texts_add(
            &r->out->warnings, "", err,
            "written at one temperature and read at another (cross-temperature) is read as a "
            "change from the first to the second");
    }
    r->words.op = mixed || (read && write) ? WI_OP_MIXED : read ? WI_OP_READ : WI_OP_WRITE;
    if (read && write && !mixed)
        return wi_texts_add(&r->out->warnings, "", err,
                            "read and write are asked together: the answer is for a mixed load");
    return WI_OK;
}

static enum wi_status set_phase(struct q_reader *r, enum wi_phase phase)
{
    r->words.phase = phase;
    r->words.given |= WI_F_PHASE;
    return WI_OK;
}

static enum wi_status settle_phase(struct q_reader *r, struct wi_err *err)
{
    const uint32_t after_bits = WI_F_AFTER_TEMP | WI_F_AFTER_RH;
    double hours = r->words.exposure.during_h;
    bool after = r->words.given & after_bits;
    bool is_long = r->when[Q_WHEN_LONG] || hours >= LONG_TERM_H;

    if (r->when[Q_WHEN_BOTH])
        return WI_OK; /* two scenarios, see build() */
    if (r->when[Q_WHEN_POST] || after) {
        set_phase(r, WI_PHASE_POST);
        return r->when[Q_WHEN_LONG] && !after
                   ? wi_texts_add(&r->out->warnings, "", err,
                                  "both long-term and after the end are named: the answer is for "
                                  "after the end")
                   : WI_OK;
    }
    if (is_long) {
        set_phase(r, WI_PHASE_LONG_TERM);
        if (hours < LONG_TERM_H)
            return wi_texts_add(&r->out->warnings, "", err,
                                "long-term was measured from %g h on, %g h are named", LONG_TERM_H,
                                hours);
        return r->when[Q_WHEN_POST_WEAK] && !r->when[Q_WHEN_AFTER_TIME] && !r->when[Q_WHEN_LONG]
                   ? wi_texts_add(&r->out->warnings, "", err,
                                  "read as after %g h while the condition still holds; say 'after "
                                  "it ended' for "
                                  "the time after it",
                                  hours)
                   : WI_OK;
    }
    if (r->when[Q_WHEN_POST_WEAK] && !r->when[Q_WHEN_AFTER_TIME])
        return set_phase(r, WI_PHASE_POST);
    if (r->when[Q_WHEN_AFTER_TIME])
        return wi_texts_add(
            &r->out->warnings, "", err,
            "read as after that time while the condition still holds; say 'after it ended' for the "
            "time after it");
    return WI_OK;
}

/* ---- what was said but not used ---- */

static enum wi_status warn_unused(struct q_reader *r, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < r->n_quantities && st == WI_OK; i++) {
        char quote[Q_QUOTE_MAX];

        if (r->quantities[i].used)
            continue;
        q_quote_quantity(r, &r->quantities[i], quote);
        st = wi_texts_add(&r->out->warnings, "", err, "'%s' was not understood and is not used",
                          quote);
    }
    if (st == WI_OK && r->cut)
        st = wi_texts_add(&r->out->warnings, "", err,
                          "the text is too tangled to be searched to its end");
    return st;
}

#define T_BITS ((uint32_t)(WI_F_BEFORE_TEMP | WI_F_DURING_TEMP | WI_F_AFTER_TEMP))
#define H_BITS ((uint32_t)(WI_F_BEFORE_RH | WI_F_DURING_RH | WI_F_AFTER_RH))

/* Heat or humidity in words alone must not be answered as "nothing changes". */
static enum wi_status check_exposure(struct q_reader *r, uint32_t given, struct wi_err *err)
{
    bool temp = given & T_BITS || !isnan(r->during_of_nand[0][0]);
    bool rh = given & H_BITS || !isnan(r->during_of_nand[0][1]);
    bool vib = given & WI_F_DURING_VIB;
    enum wi_status st = WI_OK;

    if (!temp && !rh && !vib && r->heat_word)
        return wi_fail(err, WI_EDATA,
                       "the question names heat or cold but no temperature: say how many degrees, "
                       "as in 'at 60 C' (%g..%g C)",
                       WI_TEMP_C_MIN, WI_TEMP_C_MAX);
    if (!temp && !rh && !vib && r->humid_word)
        return wi_fail(err, WI_EDATA,
                       "the question names humidity but no figure: say how much, as in 'at 80 "
                       "%%RH' (%g..%g %%RH)",
                       WI_RH_PCT_MIN, WI_RH_PCT_MAX);
    if (!temp && r->heat_word)
        st = wi_texts_add(&r->out->warnings, "", err,
                          "heat or cold is named without a temperature and is not used");
    if (st == WI_OK && !rh && r->humid_word)
        st = wi_texts_add(&r->out->warnings, "", err,
                          "humidity is named without a figure and is not used");
    if (st == WI_OK && !temp && !rh && !vib)
        st = wi_texts_add(&r->out->warnings, "", err,
                          "no temperature, humidity or vibration is named, so nothing changes");
    return st;
}

/* ---- options and key=value win over words ---- */

struct field_row {
    uint32_t bit;
    size_t offset;
    const char *unit;
};
static const struct field_row number_fields[] = {
    {WI_F_CONFIDENCE, offsetof(struct wi_scenario, confidence), ""},
    {WI_F_BEFORE_TEMP, offsetof(struct wi_scenario, exposure.before.temp_c), " C"},
    {WI_F_BEFORE_RH, offsetof(struct wi_scenario, exposure.before.rh_pct), " %RH"},
    {WI_F_DURING_TEMP, offsetof(struct wi_scenario, exposure.during.temp_c), " C"},
    {WI_F_DURING_RH, offsetof(struct wi_scenario, exposure.during.rh_pct), " %RH"},
    {WI_F_DURING_HOURS, offsetof(struct wi_scenario, exposure.during_h), " h"},
    {WI_F_AFTER_TEMP, offsetof(struct wi_scenario, exposure.after.temp_c), " C"},
    {WI_F_AFTER_RH, offsetof(struct wi_scenario, exposure.after.rh_pct), " %RH"},
};

static double *number_at(struct wi_scenario *s, size_t offset)
{
    return (double *)(void *)((char *)s + offset);
}

static enum wi_status warn_differs(struct q_reader *r, uint32_t bit, const char *strong,
                                   const char *weak, struct wi_err *err)
{
    return wi_texts_add(&r->out->warnings, "", err, "%s: %s is used, the words say %s",
                        wi_field_name((enum wi_field)bit), strong, weak);
}

static enum wi_status win_numbers(struct q_reader *r, struct wi_scenario *words,
                                  struct wi_scenario *strong, struct wi_err *err)
{
    for (size_t i = 0; i < COUNT(number_fields); i++) {
        const struct field_row *f = &number_fields[i];
        double *w = number_at(words, f->offset), s = *number_at(strong, f->offset);
        char a[48], b[48];

        if (!(strong->given & f->bit))
            continue;
        if (words->given & f->bit && *w != s) {
            enum wi_status st;

            snprintf(a, sizeof(a), "%g%s", s, f->unit);
            snprintf(b, sizeof(b), "%g%s", *w, f->unit);
            st = warn_differs(r, f->bit, a, b, err);
            if (st != WI_OK)
                return st;
        }
        *w = s;
        words->given |= f->bit;
    }
    return WI_OK;
}

/* A choice given by an option leaves only that one of those the words name. */
static enum wi_status win_choice(struct q_reader *r, struct q_choices *said, int strong,
                                 uint32_t bit, const char *name, const char *(*name_of)(int),
                                 struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < said->n && st == WI_OK; i++) {
        if (said->items[i].value != strong)
            st = warn_differs(r, bit, name, name_of(said->items[i].value), err);
    }
    said->n = 0;
    return st;
}

static const char *nand_text(int v)
{
    return wi_nand_name((enum wi_nand)v);
}

static const char *axis_text(int v)
{
    return wi_axis_name((enum wi_axis)v);
}

static enum wi_status win_enums(struct q_reader *r, struct wi_scenario *words,
                                const struct wi_scenario *strong, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    if (strong->given & WI_F_NAND) {
        st = win_choice(r, &r->nands, (int)strong->nand, WI_F_NAND, wi_nand_name(strong->nand),
                        nand_text, err);
        words->nand = strong->nand;
    }
    if (st == WI_OK && strong->given & WI_F_OP) {
        if (words->given & WI_F_OP && words->op != strong->op)
            st = warn_differs(r, WI_F_OP, wi_op_name(strong->op), wi_op_name(words->op), err);
        words->op = strong->op;
    }
    if (st == WI_OK && strong->given & WI_F_PHASE) {
        if (words->given & WI_F_PHASE && words->phase != strong->phase)
            st = warn_differs(r, WI_F_PHASE, wi_phase_name(strong->phase),
                              wi_phase_name(words->phase), err);
        words->phase = strong->phase;
        r->when[Q_WHEN_BOTH] = false;
    }
    words->given |= strong->given & (WI_F_NAND | WI_F_OP | WI_F_PHASE);
    return st;
}

static void format_vib(const struct wi_scenario *s, char *buf, size_t size)
{
    const struct wi_vib *v = &s->exposure.during.vib;
    size_t n = (size_t)snprintf(buf, size, "%s",
                                s->given & WI_F_DURING_AXIS ? wi_axis_name(v->axis) : "vibration");

    if (!isnan(v->freq_hz) && n < size)
        n += (size_t)snprintf(buf + n, size - n, " %g Hz", v->freq_hz);
    if (!isnan(v->grms) && n < size)
        snprintf(buf + n, size - n, " %g grms", v->grms);
}

/* Vibration is one option, so that it wins as a whole. */
static enum wi_status win_vib(struct q_reader *r, struct wi_scenario *words,
                              const struct wi_scenario *strong, struct wi_err *err)
{
    const uint32_t bits = WI_F_DURING_VIB | WI_F_DURING_AXIS | WI_F_DURING_FREQ;
    const struct wi_vib *s = &strong->exposure.during.vib, *w = &words->exposure.during.vib;
    char a[96], b[96];
    enum wi_status st = WI_OK;

    if (!(strong->given & WI_F_DURING_VIB))
        return WI_OK;
    if (words->given & WI_F_DURING_VIB) {
        bool axis_differs =
            words->given & WI_F_DURING_AXIS ? w->axis != s->axis : s->axis == WI_AXIS_NONE;
        bool freq_differs = !isnan(w->freq_hz) && w->freq_hz != s->freq_hz;
        bool grms_differs = !isnan(w->grms) && w->grms != s->grms;

        format_vib(strong, a, sizeof(a));
        format_vib(words, b, sizeof(b));
        if (axis_differs || freq_differs || grms_differs)
            st = warn_differs(r, WI_F_DURING_VIB, a, b, err);
    }
    if (st == WI_OK)
        st = win_choice(r, &r->axes, (int)s->axis, WI_F_DURING_AXIS, wi_axis_name(s->axis),
                        axis_text, err);
    words->exposure.during.vib = *s;
    words->given = (words->given & ~bits) | (strong->given & bits);
    return st;
}

static void format_percentiles(const struct wi_scenario *s, char *buf, size_t size)
{
    size_t n = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < s->n_percentiles && n < size; i++)
        n += (size_t)snprintf(buf + n, size - n, "%s%g", i ? "," : "", s->percentiles[i]);
}

static enum wi_status win_percentiles(struct q_reader *r, struct wi_scenario *words,
                                      const struct wi_scenario *strong, struct wi_err *err)
{
    char a[160], b[160];
    enum wi_status st = WI_OK;

    if (!(strong->given & WI_F_PERCENTILES))
        return WI_OK;
    format_percentiles(strong, a, sizeof(a));
    format_percentiles(words, b, sizeof(b));
    if (words->given & WI_F_PERCENTILES && strcmp(a, b) != 0)
        st = warn_differs(r, WI_F_PERCENTILES, a, b, err);
    memcpy(words->percentiles, strong->percentiles, sizeof(words->percentiles));
    words->n_percentiles = strong->n_percentiles;
    words->given |= WI_F_PERCENTILES;
    return st;
}

static enum wi_status win_text(struct q_reader *r, char *words, size_t size, const char *strong,
                               const char *what, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    if (!strong[0])
        return WI_OK;
    if (words[0] && strcmp(words, strong) != 0)
        st = wi_texts_add(&r->out->warnings, "", err, "%s: %s is used, the words say %s", what,
                          strong, words);
    snprintf(words, size, "%s", strong);
    return st;
}

static enum wi_status win_device(struct q_reader *r, struct wi_scenario *words,
                                 struct wi_scenario *strong, struct wi_err *err)
{
    static const struct {
        size_t offset;
        const char *name;
    } numbers[] = {{offsetof(struct wi_scenario, capacity_gb), "capacity"},
                   {offsetof(struct wi_scenario, pe_cycles), "P/E cycles"}};
    enum wi_status st = WI_OK;

    if (strong->vendor[0]) {
        for (size_t i = 0; i < r->vendors.n && st == WI_OK; i++) {
            char name[2] = {(char)r->vendors.items[i].value, '\0'};

            st = win_text(r, name, sizeof(name), strong->vendor, "vendor", err);
        }
        r->vendors.n = 0;
        snprintf(words->vendor, sizeof(words->vendor), "%s", strong->vendor);
    }
    if (st == WI_OK)
        st = win_text(r, words->device, sizeof(words->device), strong->device, "device", err);
    if (st == WI_OK)
        st = win_text(r, words->interface, sizeof(words->interface), strong->interface, "interface",
                      err);
    for (size_t i = 0; i < COUNT(numbers) && st == WI_OK; i++) {
        double *w = number_at(words, numbers[i].offset), s = *number_at(strong, numbers[i].offset);

        if (isnan(s))
            continue;
        if (!isnan(*w) && *w != s)
            st = wi_texts_add(&r->out->warnings, "", err, "%s: %g is used, the words say %g",
                              numbers[i].name, s, *w);
        *w = s;
    }
    return st;
}

/* Steps that no shorthand reaches: vibration before and after. */
static void copy_other_steps(struct wi_scenario *words, const struct wi_scenario *strong)
{
    if (strong->given & WI_F_BEFORE_VIB)
        words->exposure.before.vib = strong->exposure.before.vib;
    if (strong->given & WI_F_AFTER_VIB)
        words->exposure.after.vib = strong->exposure.after.vib;
    words->given |= strong->given & (WI_F_BEFORE_VIB | WI_F_AFTER_VIB);
    words->exposure.has_after = words->exposure.has_after || strong->exposure.has_after;
}

/* A temperature or humidity given by an option replaces the one of each device. */
static enum wi_status win_per_device(struct q_reader *r, const struct wi_scenario *strong,
                                     struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t k = 0; k < COUNT(states) && st == WI_OK; k++) {
        if (!(strong->given & states[k].bits[1]) || isnan(r->during_of_nand[0][k]))
            continue;
        r->during_of_nand[0][k] = r->during_of_nand[1][k] = NAN;
        st = warn_differs(r, states[k].bits[1], "the option", "one value for each device", err);
    }
    return st;
}

static enum wi_status win(struct q_reader *r, struct wi_scenario *words,
                          const struct wi_scenario *given, struct wi_err *err)
{
    struct wi_scenario strong = *given;
    enum wi_status st = win_numbers(r, words, &strong, err);

    if (st == WI_OK)
        st = win_per_device(r, &strong, err);
    if (st == WI_OK)
        st = win_enums(r, words, &strong, err);
    if (st == WI_OK)
        st = win_vib(r, words, &strong, err);
    if (st == WI_OK)
        st = win_percentiles(r, words, &strong, err);
    if (st == WI_OK)
        st = win_device(r, words, &strong, err);
    copy_other_steps(words, &strong);
    return st;
}

/* ---- one scenario per device, direction and phase asked about ---- */

static void sort_choices(struct q_choices *c)
{
    for (size_t i = 1; i < c->n; i++) {
        for (size_t k = i; k > 0 && c->items[k].at < c->items[k - 1].at; k--) {
            struct q_choice x = c->items[k];

            c->items[k] = c->items[k - 1];
            c->items[k - 1] = x;
        }
    }
}

static void choose_nand(const struct q_reader *r, struct wi_scenario *s, size_t i)
{
    if (r->nands.n == 0)
        return;
    s->nand = (enum wi_nand)r->nands.items[i].value;
    s->given |= WI_F_NAND;
    for (size_t k = 0; k < COUNT(states); k++) {
        if (r->nands.n == 2 && !isnan(r->during_of_nand[i][k])) {
            *state_of(s, states[k].kind, 1) = r->during_of_nand[i][k];
            s->given |= states[k].bits[1];
        }
    }
}

static void choose_axis(const struct q_reader *r, struct wi_scenario *s, size_t i)
{
    if (r->axes.n == 0)
        return;
    s->exposure.during.vib.axis = (enum wi_axis)r->axes.items[i].value;
    s->given |= WI_F_DURING_AXIS | WI_F_DURING_VIB;
}

static void choose_phase(const struct q_reader *r, struct wi_scenario *s, size_t i)
{
    if (!r->when[Q_WHEN_BOTH])
        return;
    s->phase = i == 0 ? WI_PHASE_RUNNING : WI_PHASE_POST;
    s->given |= WI_F_PHASE;
}

static size_t at_least_one(size_t n)
{
    return n ? n : 1;
}

static enum wi_status build(struct q_reader *r, const struct wi_scenario *words, struct wi_err *err)
{
    size_t n_nands = at_least_one(r->nands.n), n_vendors = at_least_one(r->vendors.n);
    size_t n_axes = at_least_one(r->axes.n), n_phases = r->when[Q_WHEN_BOTH] ? 2 : 1;
    size_t n = n_nands * n_vendors * n_axes * n_phases;

    if (n > WI_READING_SCENARIOS_MAX)
        return wi_fail(err, WI_EDATA,
                       "the question names %zu combinations of device, vendor, direction and "
                       "phase, at most %d are answered at once",
                       n, WI_READING_SCENARIOS_MAX);
    for (size_t i = 0; i < n; i++) {
        struct wi_scenario *s = &r->out->scenarios[i];
        enum wi_status st;

        *s = *words;
        choose_phase(r, s, i % n_phases);
        choose_axis(r, s, i / n_phases % n_axes);
        if (r->vendors.n)
            snprintf(s->vendor, sizeof(s->vendor), "%c",
                     r->vendors.items[i / n_phases / n_axes % n_vendors].value);
        choose_nand(r, s, i / n_phases / n_axes / n_vendors);
        st = wi_scenario_complete(s, err);
        if (st != WI_OK)
            return st;
    }
    r->out->n_scenarios = n;
    return WI_OK;
}

enum wi_status q_reader_settle(struct q_reader *r, const struct wi_scenario *base,
                               struct wi_err *err)
{
    enum wi_status st;

    sort_choices(&r->nands);
    sort_choices(&r->axes);
    sort_choices(&r->vendors);
    st = settle_climate(r, err);
    if (st == WI_OK)
        st = settle_vib(r, err);
    if (st == WI_OK)
        st = settle_hours(r, err);
    if (st == WI_OK)
        st = settle_op(r, err);
    if (st == WI_OK)
        st = settle_phase(r, err);
    if (st == WI_OK && r->n_percentiles)
        st = wi_scenario_set_percentiles(&r->words, r->percentiles, r->n_percentiles, err);
    if (st == WI_OK)
        st = win(r, &r->words, &r->keys, err);
    if (st == WI_OK && base)
        st = win(r, &r->words, base, err);
    if (st == WI_OK && r->construction[0] && r->nands.n == 0 && !(r->words.given & WI_F_NAND))
        st = wi_texts_add(&r->out->warnings, "", err, "'%s' %s", r->construction,
                          r->construction_note);
    if (st == WI_OK)
        st = check_exposure(r, r->words.given, err);
    if (st == WI_OK)
        st = warn_unused(r, err);
    return st == WI_OK ? build(r, &r->words, err) : st;
}
