/* From phrases and quantities to scenarios. */
#include "core/question_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONG_TERM_H 120.0 /* hours from which the long-term phase was measured */

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
    r->words.exposure.during_h = q_without_dust(d->value);
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

/* "tlc at 60": answering that nothing changes would be wrong, guessing a unit too. */
static enum wi_status check_bare_numbers(const struct q_reader *r, struct wi_err *err)
{
    for (size_t i = 0; i < r->n_quantities; i++) {
        const struct q_quantity *q = &r->quantities[i];
        char quote[Q_QUOTE_MAX];

        if (q->used || (q->kind != 'n' && q->kind != '%'))
            continue;
        q_quote_quantity(r, q, quote);
        return wi_fail(err, WI_EDATA,
                       "it is not clear what '%s' is: say '%g C', '%g %%RH' or '%g Hz'", quote,
                       q->value, q->value, q->value);
    }
    return WI_OK;
}

/*
 * A figure for a condition that was not taken in must not end as "nothing is done to the drive":
 * the question would look answered, and with the narrowest interval there is.
 */
static enum wi_status check_left_over(const struct q_reader *r, struct wi_err *err)
{
    struct wi_scenario s = r->words;
    struct wi_stressors on;

    for (size_t k = 0; k < Q_N_STATES; k++) {
        if (!isnan(r->during_of_nand[0][k]))
            return WI_OK;
    }
    if (wi_scenario_complete(&s, NULL) != WI_OK)
        return WI_OK; /* build() says what is wrong */
    on = wi_scenario_stressors(&s);
    if (on.temp || on.rh || on.vib)
        return WI_OK;
    for (size_t i = 0; i < r->n_quantities; i++) {
        const struct q_quantity *q = &r->quantities[i];
        char quote[Q_QUOTE_MAX];

        if (q->used || !strchr("thz%n", q->kind))
            continue;
        q_quote_quantity(r, q, quote);
        return wi_fail(err, WI_EDATA,
                       "'%s' was not understood, and without it nothing changes: say it as in "
                       "'from 25 to 60 C' or 'from 50 to 80 %%RH'",
                       quote);
    }
    return WI_OK;
}

/* Heat or humidity in words alone must not be answered as "nothing changes". */
static enum wi_status check_exposure(struct q_reader *r, uint32_t given, struct wi_err *err)
{
    bool temp = given & T_BITS || !isnan(r->during_of_nand[0][0]);
    bool rh = given & H_BITS || !isnan(r->during_of_nand[0][1]);
    bool vib = given & WI_F_DURING_VIB;
    enum wi_status st = WI_OK;

    if (!temp && !rh && !vib)
        st = check_bare_numbers(r, err);
    if (st != WI_OK)
        return st;
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
    for (size_t k = 0; k < Q_N_STATES; k++) {
        if (r->nands.n == 2 && !isnan(r->during_of_nand[i][k])) {
            *q_state_of(s, q_states[k].kind, 1) = r->during_of_nand[i][k];
            s->given |= q_states[k].bits[1];
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
    st = q_settle_climate(r, err);
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
        st = q_win(r, &r->words, &r->keys, err);
    if (st == WI_OK && base)
        st = q_win(r, &r->words, base, err);
    if (st == WI_OK && r->construction[0] && r->nands.n == 0 && !(r->words.given & WI_F_NAND))
        st = wi_texts_add(&r->out->warnings, "", err, "'%s' %s", r->construction,
                          r->construction_note);
    if (st == WI_OK)
        st = check_exposure(r, r->words.given, err);
    if (st == WI_OK)
        st = check_left_over(r, err);
    if (st == WI_OK)
        st = warn_unused(r, err);
    return st == WI_OK ? build(r, &r->words, err) : st;
}
