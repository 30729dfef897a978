/* Numbers with their units, and how they stand to each other. */
#include "core/question_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void q_quote_quantity(const struct q_reader *r, const struct q_quantity *q, char quote[Q_QUOTE_MAX])
{
    q_quote(r, q->start, q->end, quote);
}

/* ---- reading them ---- */

static bool is_taken(const struct q_reader *r, const struct q_span *span)
{
    for (size_t i = span->start; i < span->end; i++) {
        if (r->taken[i])
            return true;
    }
    return false;
}

static enum wi_status on_quantity(void *ctx, const struct q_span *g, struct wi_err *err)
{
    struct q_reader *r = ctx;
    const struct q_unit_rule *rule = r->unit_rule;
    struct q_quantity q = {.kind = rule->kind,
                           .unit = rule->unit,
                           .value = rule->fixed,
                           .start = g[0].start,
                           .end = g[0].end,
                           .note = rule->note};

    if (is_taken(r, &g[0]))
        return WI_OK;
    if (r->n_quantities == Q_QUANTITIES_MAX)
        return wi_fail(err, WI_EDATA, "the question holds more than %d numbers", Q_QUANTITIES_MAX);
    if (g[1].start != SIZE_MAX) {
        q.value = q_number(r->text.norm + g[1].start, g[1].end - g[1].start, false);
        if (rule->factor != 0)
            q.value *= rule->factor;
    }
    q.percent = memchr(r->text.norm + q.start, '%', q.end - q.start) || q.kind == '%';
    memset(r->taken + q.start, 1, q.end - q.start);
    r->quantities[r->n_quantities++] = q;
    if (rule->note && rule->kind != 'g') { /* g waits: it counts only beside vibration */
        char quote[Q_QUOTE_MAX];

        q_quote_quantity(r, &q, quote);
        return wi_texts_add(&r->out->warnings, "", err, "'%s' %s", quote, rule->note);
    }
    return WI_OK;
}

static int compare_starts(const void *a, const void *b)
{
    size_t x = ((const struct q_quantity *)a)->start, y = ((const struct q_quantity *)b)->start;

    return (x > y) - (x < y);
}

static void write_tags(struct q_reader *r)
{
    size_t at = 0, n = 0;

    for (size_t i = 0; i < r->n_quantities; i++) {
        const struct q_quantity *q = &r->quantities[i];

        memcpy(r->tagged + n, r->text.norm + at, q->start - at);
        n += q->start - at;
        n += (size_t)snprintf(r->tagged + n, sizeof(r->tagged) - n, "{%c%zu}", q->kind, i);
        at = q->end;
    }
    memcpy(r->tagged + n, r->text.norm + at, r->text.len - at);
    n += r->text.len - at;
    r->tagged[n] = '\0';
    r->n_tagged = n;
}

enum wi_status q_reader_quantities(struct q_reader *r, struct wi_err *err)
{
    for (size_t i = 0; i < q_n_unit_rules; i++) {
        enum wi_status st;

        r->unit_rule = &q_unit_rules[i];
        st = q_match_each(r->unit_rule->pattern, r->text.norm, r->text.len, on_quantity, r, &r->cut,
                          err);
        if (st != WI_OK)
            return st;
    }
    qsort(r->quantities, r->n_quantities, sizeof(r->quantities[0]), compare_starts);
    write_tags(r);
    return WI_OK;
}

/* ---- what a stretch of text is about ---- */

static enum wi_status on_subject(void *ctx, const struct q_span *g, struct wi_err *err)
{
    struct q_reader *r = ctx;

    (void)err;
    if (r->n_marks < Q_MARKS_MAX)
        r->marks[r->n_marks++] = (struct q_mark){g[0].start, g[0].end, r->mark_kind};
    return WI_OK;
}

static bool same_sentence(const struct q_reader *r, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        char c = r->tagged[i];

        if (c == '?' || c == '!' || c == ';' ||
            (c == '.' && (i + 1 >= r->n_tagged || r->tagged[i + 1] == ' ')))
            return false;
    }
    return true;
}

/* Kind of the nearest subject before `start` in the same sentence. */
static char subject_before(const struct q_reader *r, size_t start)
{
    size_t best = 0;
    char kind = 0;

    for (size_t i = 0; i < r->n_marks; i++) {
        const struct q_mark *m = &r->marks[i];

        if (m->end <= start + 1 && m->end > best && same_sentence(r, m->end, start)) {
            best = m->end;
            kind = m->kind;
        }
    }
    return kind;
}

/* The same, else the first word for a subject shortly after `end`. */
static char subject_at(const struct q_reader *r, size_t start, size_t end)
{
    size_t best = end + 30;
    char kind = subject_before(r, start);

    if (kind && kind != 'x')
        return kind;
    kind = 0;
    for (size_t i = 0; i < r->n_marks; i++) {
        const struct q_mark *m = &r->marks[i];

        if (r->tagged[m->start] != '{' && m->start >= start && m->start < best &&
            same_sentence(r, start, m->start)) {
            best = m->start;
            kind = m->kind;
        }
    }
    return kind;
}

/* ---- relations ---- */

struct slots {
    struct q_quantity *first[3], *second[3];
    size_t n;
    size_t start, end; /* of the match in the tagged text */
};

static struct q_quantity *quantity_of(struct q_reader *r, const struct q_span *g)
{
    size_t i = 0;

    if (g->start == SIZE_MAX || g->end == g->start)
        return NULL;
    for (size_t k = g->start; k < g->end; k++)
        i = 10 * i + (size_t)(r->tagged[k] - '0');
    return i < r->n_quantities ? &r->quantities[i] : NULL;
}

/* false if a slot is empty or one of its quantities already stands in a relation */
static bool collect(struct q_reader *r, const struct q_span *g, struct slots *s)
{
    size_t step = r->relation->flags & Q_REL_SINGLE ? 1 : 2;

    *s = (struct slots){.n = strlen(r->relation->roles), .start = g[0].start, .end = g[0].end};
    for (size_t i = 0; i < s->n; i++) {
        s->first[i] = quantity_of(r, &g[1 + step * i]);
        s->second[i] = step == 2 ? quantity_of(r, &g[2 + step * i]) : NULL;
        if (!s->first[i] || s->first[i]->role || (s->second[i] && s->second[i]->role))
            return false;
    }
    return true;
}

static bool is_definite(char kind)
{
    return kind == 't' || kind == 'h' || kind == 'z';
}

/* The one kind that quantities side by side can have; 0 = not known, '!' = they differ. */
static char definite_kind(struct q_quantity *const *q, size_t n)
{
    char kind = 0;

    for (size_t i = 0; i < n; i++) {
        if (!q[i] || !is_definite(q[i]->kind))
            continue;
        if (kind && kind != q[i]->kind)
            return '!';
        kind = q[i]->kind;
    }
    for (size_t i = 0; i < n && kind; i++) {
        if (q[i] && q[i]->kind == '%' && kind != 'h')
            return '!';
    }
    return kind;
}

/* Percent without a word about humidity is taken as humidity where something goes from A to B. */
static enum wi_status assume_humidity(struct q_reader *r, struct q_quantity *const *q, size_t n,
                                      struct wi_err *err)
{
    char from[Q_QUOTE_MAX], to[Q_QUOTE_MAX];

    q_quote_quantity(r, q[0], from);
    q_quote_quantity(r, q[n - 1], to);
    return wi_texts_add(&r->out->warnings, "", err,
                        n > 1 ? "'%s' and '%s' are read as relative humidity"
                              : "'%s' is read as relative humidity",
                        from, to);
}

static enum wi_status context_kind(struct q_reader *r, const struct slots *s,
                                   struct q_quantity *const *q, char *kind, struct wi_err *err)
{
    char subject;
    bool percent = false, only_before;

    for (size_t i = 0; i < s->n; i++)
        percent = percent || (q[i] && q[i]->kind == '%');
    *kind = 0;
    only_before = s->n > 1 && (percent || r->relation->roles[0] == 's');
    subject = only_before ? subject_before(r, s->start) : subject_at(r, s->start, s->end);
    if (!percent) {
        *kind = is_definite(subject) ? subject : 0;
        return WI_OK;
    }
    if (subject == 'h') {
        *kind = 'h';
        return WI_OK;
    }
    if (subject == 'x' || s->n < 2)
        return WI_OK;
    *kind = 'h';
    return assume_humidity(r, q, s->n, err);
}

static void share_unit(struct q_quantity *const *q, size_t n)
{
    enum q_unit unit = Q_U_C;

    for (size_t i = 0; i < n; i++) {
        if (q[i] && (q[i]->unit == Q_U_C || q[i]->unit == Q_U_F || q[i]->unit == Q_U_K))
            unit = q[i]->unit;
    }
    for (size_t i = 0; i < n; i++) {
        if (q[i] && (q[i]->unit == Q_U_NONE || q[i]->unit == Q_U_DEGREE))
            q[i]->unit = unit;
    }
}

static enum wi_status warn_range(struct q_reader *r, const struct slots *s, struct wi_err *err)
{
    char from[Q_QUOTE_MAX], to[Q_QUOTE_MAX];

    q_quote_quantity(r, s->first[0], from);
    q_quote_quantity(r, s->first[s->n - 1], to);
    return wi_texts_add(&r->out->warnings, "", err,
                        "between '%s' and '%s' is read as a change from the first to the second",
                        from, to);
}

static enum wi_status warn_direction(struct q_reader *r, const struct q_quantity *q,
                                     struct wi_err *err)
{
    char quote[Q_QUOTE_MAX];

    q_quote_quantity(r, q, quote);
    return wi_texts_add(&r->out->warnings, "", err, "a change of '%s' is read as a rise", quote);
}

/* A scenario has one frequency: a sweep leaves it open. */
static enum wi_status use_sweep(struct q_reader *r, const struct slots *s, struct wi_err *err)
{
    char from[Q_QUOTE_MAX], to[Q_QUOTE_MAX];

    if (s->n < 2)
        return WI_OK; /* one frequency: it stays a plain quantity */
    for (size_t i = 0; i < s->n; i++) {
        s->first[i]->used = true;
        s->first[i]->role = 's';
    }
    r->vib_implied = r->vib_implied || !r->vib;
    r->vib = true;
    q_quote_quantity(r, s->first[0], from);
    q_quote_quantity(r, s->first[s->n - 1], to);
    return wi_texts_add(
        &r->out->warnings, "", err,
        "a range of frequencies, '%s' to '%s', is not part of a scenario: frequency is left open",
        from, to);
}

static void set_roles(struct q_reader *r, struct q_quantity *const *q, size_t n, char kind)
{
    for (size_t i = 0; i < n; i++) {
        if (!q[i])
            continue;
        q[i]->kind = kind;
        q[i]->role = r->relation->roles[i];
    }
    if (r->relation->flags & Q_REL_HELD)
        r->held[kind == 'h'] = true;
}

static size_t count_set(struct q_quantity *const *q, size_t n)
{
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        k += q[i] != NULL;
    return k;
}

/* The quantities beside the first ones, "22.5 C / 50 % to 60 C / 80 %". */
static void relate_second(struct q_reader *r, const struct slots *s, char first_kind)
{
    char kind = first_kind == 't' ? 'h' : 't';
    char other = definite_kind(s->second, s->n);

    if (count_set(s->second, s->n) == 0 || (other && other != kind))
        return;
    set_roles(r, s->second, s->n, kind);
}

static enum wi_status on_relation(void *ctx, const struct q_span *g, struct wi_err *err)
{
    struct q_reader *r = ctx;
    const struct q_relation *rel = r->relation;
    struct slots s;
    char kind;
    enum wi_status st = WI_OK;

    if (!collect(r, g, &s))
        return WI_OK;
    kind = definite_kind(s.first, s.n);
    if (kind == '!')
        return WI_OK;
    if (!kind && rel->force)
        kind = rel->force;
    if (!kind)
        st = context_kind(r, &s, s.first, &kind, err);
    if (st != WI_OK || !kind)
        return st;
    if (kind == 'd') {
        s.first[0]->role = 'i';
        return WI_OK;
    }
    if (kind == 'z' && !(rel->flags & Q_REL_SINGLE))
        return use_sweep(r, &s, err);
    if (kind == 't')
        share_unit(s.first, s.n);
    set_roles(r, s.first, s.n, kind);
    relate_second(r, &s, kind);
    r->cross = r->cross || (rel->flags & Q_REL_CROSS);
    if (rel->flags & Q_REL_UNSIGNED)
        return warn_direction(r, s.first[0], err);
    return rel->flags & Q_REL_BETWEEN ? warn_range(r, &s, err) : WI_OK;
}

static enum wi_status on_when(void *ctx, const struct q_span *g, struct wi_err *err)
{
    struct q_reader *r = ctx;

    (void)g;
    (void)err;
    r->when[r->when_rule->when] = true;
    return WI_OK;
}

enum wi_status q_reader_relations(struct q_reader *r, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < q_n_subject_rules && st == WI_OK; i++) {
        r->mark_kind = q_subject_rules[i].kind;
        st = q_match_each(q_subject_rules[i].pattern, r->tagged, r->n_tagged, on_subject, r,
                          &r->cut, err);
    }
    for (size_t i = 0; i < q_n_relations && st == WI_OK; i++) {
        r->relation = &q_relations[i];
        if (strlen(r->relation->roles) > r->n_quantities)
            continue; /* compiling a pattern is most of the work */
        st = q_match_each(r->relation->pattern, r->tagged, r->n_tagged, on_relation, r, &r->cut,
                          err);
    }
    for (size_t i = 0; i < q_n_when_rules && st == WI_OK; i++) {
        r->when_rule = &q_when_rules[i];
        st = q_match_each(r->when_rule->pattern, r->tagged, r->n_tagged, on_when, r, &r->cut, err);
    }
    return st;
}
