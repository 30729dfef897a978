/* key=value inside a question: the shorthand of the command line. */
#include "core/question_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A value of percentiles holds commas; any other ends at one. */
#define KEY_PATTERN                                                                                \
    "(?<![\\w])(?:(percentiles?|pctl|p) ?= ?((?:max|p?[\\d.]+)(?:,(?:max|p?[\\d.]+))*)|"           \
    "([a-z][a-z_-]{0,30}) ?= ?([^\\s;,=>][^\\s;,]*))"

static bool parse_plain(const char *text, double *out)
{
    char *end;

    if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-')
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && isfinite(*out);
}

static enum wi_status set_nand(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    if (!wi_nand_parse(v, &s->nand) || s->nand == WI_NAND_UNKNOWN)
        return wi_fail(err, WI_EDATA, "nand is '%.40s', must be slc, mlc, tlc or qlc", v);
    s->given |= WI_F_NAND;
    return WI_OK;
}

static enum wi_status set_op(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    if (!wi_op_parse(v, &s->op))
        return wi_fail(err, WI_EDATA, "op is '%.40s', must be read, write or mixed", v);
    s->given |= WI_F_OP;
    return WI_OK;
}

static enum wi_status set_phase(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    if (!wi_phase_parse(v, &s->phase))
        return wi_fail(err, WI_EDATA, "phase is '%.40s', must be running, post or long_term", v);
    s->given |= WI_F_PHASE;
    return WI_OK;
}

static enum wi_status set_number(double *to, const char *key, const char *v, double min, double max,
                                 struct wi_err *err)
{
    double x;

    if (!parse_plain(v, &x))
        return wi_fail(err, WI_EDATA, "%s is '%.40s', must be a number %g..%g", key, v, min, max);
    if (!(x >= min && x <= max))
        return wi_fail(err, WI_ERANGE, "%s is %g, must be %g..%g", key, x, min, max);
    *to = x;
    return WI_OK;
}

static enum wi_status set_hours(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    enum wi_status st =
        set_number(&s->exposure.during_h, "hours", v, WI_DUR_H_MIN, WI_DUR_H_MAX, err);

    if (st == WI_OK)
        s->given |= WI_F_DURING_HOURS;
    return st;
}

static enum wi_status set_confidence(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    enum wi_status st =
        set_number(&s->confidence, "confidence", v, WI_CONFIDENCE_MIN, WI_CONFIDENCE_MAX, err);

    if (st == WI_OK)
        s->given |= WI_F_CONFIDENCE;
    return st;
}

static enum wi_status set_capacity(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    return set_number(&s->capacity_gb, "capacity", v, 0, WI_CAPACITY_GB_MAX, err);
}

static enum wi_status set_tmt1(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    return set_number(&s->tmt1_c, "tmt1_c", v, WI_TMT1_C_MIN, WI_TMT1_C_MAX, err);
}

static enum wi_status set_pe_cycles(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    return set_number(&s->pe_cycles, "pe_cycles", v, 0, WI_PE_CYCLES_MAX, err);
}

static enum wi_status set_vendor(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    (void)err;
    snprintf(s->vendor, sizeof(s->vendor), "%s", v);
    return WI_OK;
}

static enum wi_status set_device(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    (void)err;
    snprintf(s->device, sizeof(s->device), "%s", v);
    return WI_OK;
}

static enum wi_status set_interface(struct wi_scenario *s, const char *v, struct wi_err *err)
{
    (void)err;
    snprintf(s->interface, sizeof(s->interface), "%s", v);
    return WI_OK;
}

/* Rows of one meaning share `slot`, so that temp=60 temperature=70 is noticed. */
static const struct {
    const char *key;
    unsigned slot;
    enum wi_status (*set)(struct wi_scenario *s, const char *value, struct wi_err *err);
} keys[] = {
    {"nand", 0, set_nand},
    {"op", 1, set_op},
    {"phase", 2, set_phase},
    {"temp", 3, wi_scenario_parse_temp},
    {"temperature", 3, wi_scenario_parse_temp},
    {"rh", 4, wi_scenario_parse_rh},
    {"humidity", 4, wi_scenario_parse_rh},
    {"vib", 5, wi_scenario_parse_vib},
    {"vibration", 5, wi_scenario_parse_vib},
    {"hours", 6, set_hours},
    {"percentiles", 7, wi_scenario_parse_percentiles},
    {"percentile", 7, wi_scenario_parse_percentiles},
    {"pctl", 7, wi_scenario_parse_percentiles},
    {"p", 7, wi_scenario_parse_percentiles},
    {"confidence", 8, set_confidence},
    {"vendor", 9, set_vendor},
    {"device", 10, set_device},
    {"interface", 11, set_interface},
    {"capacity", 12, set_capacity},
    {"tmt1_c", 14, set_tmt1},
    {"tmt1", 14, set_tmt1},
    {"pe_cycles", 13, set_pe_cycles},
    {"pe-cycles", 13, set_pe_cycles},
};

static enum wi_status set_key(struct q_reader *r, const char *key, const char *value, bool *known,
                              struct wi_err *err)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        char *before = r->key_values[keys[i].slot];
        enum wi_status st;

        if (strcmp(keys[i].key, key) != 0)
            continue;
        *known = true;
        r->strong = true;
        if (before[0] && strcmp(before, value) != 0)
            return wi_fail(err, WI_EDATA, "'%s' is given twice, as '%s' and as '%s'", key, before,
                           value);
        st = keys[i].set(&r->keys, value, err);
        if (st == WI_EUSAGE) { /* malformed text is data here, not a command line */
            st = WI_EDATA;
            if (err)
                err->status = st;
        }
        snprintf(before, sizeof(r->key_values[0]), "%s", value);
        return st;
    }
    *known = false;
    return WI_OK;
}

static void copy_part(char *to, size_t size, const char *from, size_t len)
{
    if (len >= size)
        len = size - 1;
    memcpy(to, from, len);
    to[len] = '\0';
}

static enum wi_status on_key(void *ctx, const struct q_span *g, struct wi_err *err)
{
    struct q_reader *r = ctx;
    const struct q_span *k = g[1].start != SIZE_MAX ? &g[1] : &g[3];
    const struct q_span *v = g[1].start != SIZE_MAX ? &g[2] : &g[4];
    size_t end = v->end;
    char key[32], value[Q_VALUE_MAX];
    bool known;
    enum wi_status st;

    if (v->end - v->start >= sizeof(value))
        return wi_fail(err, WI_EDATA, "the value of '%.30s' is longer than %zu bytes",
                       r->text.norm + k->start, sizeof(value) - 1);
    while (end > v->start + 1 && strchr(".?!)\"'", r->text.norm[end - 1]))
        end--;
    copy_part(key, sizeof(key), r->text.norm + k->start, k->end - k->start);
    /* Names keep the case they were written in. */
    copy_part(value, sizeof(value), r->text.original + r->text.origin[v->start],
              (size_t)(r->text.origin[end] - r->text.origin[v->start]));
    st = set_key(r, key, value, &known, err);
    if (st == WI_OK && !known) {
        char quote[Q_QUOTE_MAX];

        q_quote(r, k->start, end, quote);
        st = wi_texts_add(&r->out->warnings, "", err, "'%s' is not known and is not used", quote);
    }
    memset(r->text.norm + g[0].start, ' ', end - g[0].start); /* not read again as words */
    return st;
}

enum wi_status q_reader_keys(struct q_reader *r, struct wi_err *err)
{
    return q_match_each(KEY_PATTERN, r->text.norm, r->text.len, on_key, r, &r->cut, err);
}
