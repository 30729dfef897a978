/*
 * Scaling numbers inside a base: everything else of the file stays as it is, byte for byte, the
 * user's comments and layout included. A parser of the format finds the numbers; the result is
 * parsed again before it is handed out.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/export_internal.h"

#define SITES_MAX 4096
#define NUMBER_MAX 32

size_t export_line(const char *text, size_t at)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

size_t export_field_find(const struct export_form *form, const char *name, size_t n)
{
    for (size_t i = 0; i < form->n_fields; i++) {
        if (strlen(form->fields[i].name) == n && memcmp(form->fields[i].name, name, n) == 0)
            return i;
    }
    return form->n_fields;
}

enum wi_status export_sites_add_value(struct export_sites *s, size_t field, size_t at, size_t n,
                                      double value, struct wi_err *err)
{
    struct export_site *items;

    if (s->n == SITES_MAX)
        return wi_fail(err, WI_EDATA, "%s: more than %d page times", s->name, SITES_MAX);
    items = realloc(s->items, (s->n + 1) * sizeof(*items));
    if (!items)
        return wi_fail_nomem(err);
    s->items = items;
    items[s->n++] = (struct export_site){.at = at, .n = n, .field = field, .value = value};
    return WI_OK;
}

enum wi_status export_sites_add(struct export_sites *s, const struct export_form *form,
                                size_t field, size_t at, size_t n, struct wi_err *err)
{
    char number[NUMBER_MAX];
    char *end = NULL;
    double value;

    while (n && isspace((unsigned char)s->text[at])) {
        at++;
        n--;
    }
    while (n && isspace((unsigned char)s->text[at + n - 1]))
        n--;
    if (n && n < sizeof(number)) {
        memcpy(number, s->text + at, n);
        number[n] = '\0';
        errno = 0;
        value = strtod(number, &end);
        if (*end == '\0' && strspn(number, "0123456789") == n && errno == 0)
            return export_sites_add_value(s, field, at, n, value, err);
    }
    return wi_fail(err, WI_EDATA, "%s:%zu: '%s' is '%.*s', must be a whole number of %s, >= 0",
                   s->name, export_line(s->text, at), form->fields[field].name,
                   (int)(n < 60 ? n : 60), s->text + at, s->job->target->unit);
}

/* ---- a base of single numbers ------------------------------------------------------------ */

static enum wi_status base_of_values(const struct export_job *job, const struct export_form *form,
                                     struct wi_buf *base, struct wi_err *err)
{
    form->begin(base);
    for (size_t i = 0; i < job->opt->n_values; i++) {
        const struct wi_export_value *v = &job->opt->values[i];
        double value = v->value;

        if (export_field_find(form, v->name, strlen(v->name)) == form->n_fields) {
            struct wi_buf names = {0};
            enum wi_status st;

            for (size_t f = 0; f < form->n_fields; f++)
                wi_buf_addf(&names, "%s%s", f ? ", " : "", form->fields[f].name);
            st = wi_fail(err, WI_EUSAGE, "export %s has no '%s', allowed is %s", job->target->name,
                         v->name, names.text ? names.text : "");
            wi_buf_release(&names);
            return st;
        }
        if (*v->unit)
            value *= export_unit_ns(v->unit) / export_unit_ns(job->target->unit);
        if (fabs(value - round(value)) <= 1e-9 * value)
            value = round(value); /* 58.3us in ns */
        if (value != floor(value) || value > form->max)
            return wi_fail(err, WI_EUSAGE, "'%s' is %.9g %s, must be a whole number up to %.0f",
                           v->name, value, job->target->unit, form->max);
        form->number(base, v->name, value);
    }
    if (form->end)
        form->end(base);
    return base->failed ? wi_fail_nomem(err) : WI_OK;
}

/* ---- scaling ----------------------------------------------------------------------------- */

static enum wi_status scale(const struct export_job *job, const struct export_form *form,
                            struct export_sites *s, struct wi_err *err)
{
    bool found[3] = {false, false, false};

    for (size_t i = 0; i < s->n; i++) {
        struct export_site *site = &s->items[i];
        const struct export_field *field = &form->fields[site->field];
        const struct export_side *side = &job->side[field->op];

        site->scaled = side->asked ? round(site->value * side->factor) : site->value;
        found[field->op] = found[field->op] || site->value > 0.0;
        if (fmax(site->scaled, site->value) > form->max)
            return wi_fail(err, job->opt->base_name ? WI_ERANGE : WI_EUSAGE,
                           "%s:%zu: '%s' becomes %.0f %s, %s holds up to %.0f", s->name,
                           export_line(s->text, site->at), field->name,
                           fmax(site->scaled, site->value), job->target->unit, job->target->name,
                           form->max);
    }
    for (int op = 0; op < 3; op++) {
        if (job->side[op].asked && !found[op]) {
            const char *first = "";

            for (size_t f = form->n_fields; f-- > 0;)
                first = form->fields[f].op == (enum wi_op)op ? form->fields[f].name : first;
            return wi_fail(err, job->opt->base_name ? WI_EDATA : WI_EUSAGE,
                           "%s: no page time of %ss to scale ('%s' and its like); --op %s leaves "
                           "them out",
                           s->name, wi_op_name((enum wi_op)op), first,
                           op == WI_OP_READ ? "write" : "read");
        }
    }
    return WI_OK;
}

static void comment(const struct export_job *job, const struct export_form *form,
                    const struct export_sites *s, struct wi_buf *out)
{
    export_comment_open(out, form->style);
    export_comment_head(out, form->style, job, "page times scaled by the predicted change");
    for (size_t i = 0; i < s->n; i++) {
        const struct export_site *site = &s->items[i];

        if (site->scaled != site->value)
            export_comment(out, form->style, "%s: %.0f -> %.0f %s", form->fields[site->field].name,
                           site->value, site->scaled, job->target->unit);
    }
    export_comment(out, form->style, "left alone: %s", form->left_alone);
    export_comment(out, form->style,
                   "assumption: page times, of all page types alike, move like that end-to-end "
                   "percentile, which also holds queueing, transfer and firmware");
    export_comment(out, form->style, "format: %s", form->source);
    export_comment_close(out, form->style);
}

static int by_place(const void *a, const void *b)
{
    const struct export_site *x = a;
    const struct export_site *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

static void splice(const struct export_form *form, const struct export_sites *s,
                   const struct wi_buf *note, struct wi_buf *out)
{
    size_t done = 0;
    bool noted = false;

    for (size_t i = 0; i <= s->n; i++) {
        size_t next = i < s->n ? s->items[i].at : s->len;

        if (!noted && s->comment_at <= next) {
            wi_buf_add(out, s->text + done, s->comment_at - done);
            wi_buf_add(out, note->text, note->n);
            done = s->comment_at;
            noted = true;
        }
        wi_buf_add(out, s->text + done, next - done);
        done = next;
        if (i == s->n)
            break;
        if (s->items[i].scaled != s->items[i].value) {
            wi_buf_addf(out, form->parentheses ? "(%.0f)" : "%.0f", s->items[i].scaled);
            done += s->items[i].n;
        }
    }
}

static enum wi_status read_back(const struct export_job *job, const struct export_form *form,
                                const struct export_sites *s, const struct wi_buf *text,
                                struct wi_err *err)
{
    struct export_sites again = {.job = job, .name = s->name, .text = text->text, .len = text->n};
    enum wi_status st = form->find(&again, err);

    if (st == WI_OK && again.n > 1)
        qsort(again.items, again.n, sizeof(*again.items), by_place);
    if (st == WI_OK && again.n != s->n)
        st =
            wi_fail(err, WI_EDATA, "%s: the scaled text reads back with %zu numbers instead of %zu",
                    s->name, again.n, s->n);
    for (size_t i = 0; st == WI_OK && i < s->n; i++) {
        if (again.items[i].field != s->items[i].field || again.items[i].value != s->items[i].scaled)
            st = wi_fail(err, WI_EDATA, "%s:%zu: the scaled number reads back differently", s->name,
                         export_line(s->text, s->items[i].at));
    }
    free(again.items);
    return st;
}

enum wi_status export_fields_write(struct export_job *job, struct wi_buf *out, struct wi_err *err)
{
    const struct export_form *form = job->target->form;
    struct export_sites s = {.job = job, .name = "--set"};
    struct wi_buf base = {0};
    struct wi_buf note = {0};
    enum wi_status st = WI_OK;

    if (job->opt->base_name) {
        s.name = job->opt->base_name;
        wi_buf_add(&base, job->opt->base, job->opt->base_len);
        st = base.failed ? wi_fail_nomem(err) : WI_OK;
    } else {
        st = base_of_values(job, form, &base, err);
    }
    s.text = base.text ? base.text : "";
    s.len = base.n;
    if (st == WI_OK)
        st = form->find(&s, err);
    if (st == WI_OK && s.n > 1)
        qsort(s.items, s.n, sizeof(*s.items), by_place);
    if (st == WI_OK)
        st = scale(job, form, &s, err);
    if (st == WI_OK) {
        comment(job, form, &s, &note);
        splice(form, &s, &note, out);
        st = note.failed || out->failed ? wi_fail_nomem(err) : read_back(job, form, &s, out, err);
    }
    free(s.items);
    wi_buf_release(&note);
    wi_buf_release(&base);
    return st;
}
