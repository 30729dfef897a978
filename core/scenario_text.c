/* Scenarios as text: the shorthand of the command line, and one line for people. */
#include "core/scenario.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/units.h"

#define PART_MAX 64 /* bytes of one part of a shorthand, with the NUL */
#define STEPS_MAX 3

#define TEMP_FORM "D, B:D or B:D:A with suffix C, F or K, as in 22.5:60 or 72F:140F"
#define RH_FORM "D, B:D or B:D:A in percent, as in 80 or 50:80:50"
#define VIB_FORM "none, parallel or perpendicular with @HZ or @HZ:GRMS, as in parallel@20:1.14"
#define PERCENTILES_FORM "numbers or max with commas between them, as in 99,99.9,max"

/* Plain decimal number at the start of text; NULL if there is none. No hex, inf or nan. */
static const char *number_parse(const char *text, double *out)
{
    const char *p = text;
    char *end;

    if (*p == '+' || *p == '-')
        p++;
    if (!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1])))
        return NULL;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
        return NULL;
    *out = strtod(text, &end);
    return isfinite(*out) ? end : NULL;
}

/*
 * Split at `sep`, blanks around each part removed.
 * returns the number of parts, 0 if there are too many or one is empty or too long
 */
static size_t split(const char *text, char sep, char (*parts)[PART_MAX], size_t n_max)
{
    size_t n = 0;

    for (;;) {
        const char *end = strchr(text, sep);
        size_t len = end ? (size_t)(end - text) : strlen(text);

        while (len > 0 && isspace((unsigned char)*text)) {
            text++;
            len--;
        }
        while (len > 0 && isspace((unsigned char)text[len - 1]))
            len--;
        if (len == 0 || len >= PART_MAX || n == n_max)
            return 0;
        memcpy(parts[n], text, len);
        parts[n++][len] = '\0';
        if (!end)
            return n;
        text = end + 1;
    }
}

static enum wi_status fail_form(const char *what, const char *text, const char *form,
                                struct wi_err *err)
{
    return wi_fail(err, WI_EUSAGE, "%s '%.80s' is malformed, must be %s", what, text, form);
}

/* Conversion leaves rounding dust (333.15 K would be 59.99999999999994 C); no input is that fine.
 */
static double without_dust(double v)
{
    return round(v * 1e9) / 1e9;
}

static bool temp_part(const char *part, double *temp_c)
{
    const char *p = number_parse(part, temp_c);

    if (!p)
        return false;
    while (isspace((unsigned char)*p))
        p++;
    if (strncmp(p, "\xc2\xb0", 2) == 0) /* the degree sign in UTF-8 */
        p += 2;
    if (*p == 'F' || *p == 'f')
        *temp_c = without_dust(wi_c_from_f(*temp_c));
    else if (*p == 'K' || *p == 'k')
        *temp_c = without_dust(wi_c_from_k(*temp_c));
    else if (*p != 'C' && *p != 'c')
        return *p == '\0';
    return p[1] == '\0';
}

static bool rh_part(const char *part, double *rh_pct)
{
    const char *p = number_parse(part, rh_pct);

    if (!p)
        return false;
    while (isspace((unsigned char)*p))
        p++;
    return *p == '\0' || strcmp(p, "%") == 0 || strcasecmp(p, "%rh") == 0;
}

/* "D", "B:D" or "B:D:A" into v[before, during, after] and the mask of those present, bit 0 =
 * before. */
static bool steps_parse(const char *text, bool (*part_parse)(const char *, double *),
                        double v[STEPS_MAX], unsigned *present)
{
    char parts[STEPS_MAX][PART_MAX];
    size_t n = split(text, ':', parts, STEPS_MAX);
    size_t first = n == 1 ? 1 : 0;

    *present = 0;
    for (size_t i = 0; i < n; i++) {
        if (!part_parse(parts[i], &v[first + i]))
            return false;
        *present |= 1u << (first + i);
    }
    return n > 0;
}

static enum wi_status check_steps(const double v[STEPS_MAX], unsigned present, double min,
                                  double max, const char *what, const char *unit,
                                  struct wi_err *err)
{
    for (size_t i = 0; i < STEPS_MAX; i++) {
        if ((present & (1u << i)) && !(v[i] >= min && v[i] <= max))
            return wi_fail(err, WI_ERANGE, "%s is %g%s, must be %g..%g%s", what, v[i], unit, min,
                           max, unit);
    }
    return WI_OK;
}

/* Put the steps that stood in the text where they belong, and mark them as given. */
static void set_steps(struct wi_scenario *s, const double *v, unsigned present, double *const *to,
                      const enum wi_field *bits)
{
    for (size_t i = 0; i < STEPS_MAX; i++) {
        if (present & (1u << i)) {
            *to[i] = v[i];
            s->given |= (uint32_t)bits[i];
        }
    }
    s->exposure.has_after = s->exposure.has_after || (present & 4u);
}

enum wi_status wi_scenario_parse_temp(struct wi_scenario *s, const char *text, struct wi_err *err)
{
    static const enum wi_field bits[STEPS_MAX] = {WI_F_BEFORE_TEMP, WI_F_DURING_TEMP,
                                                  WI_F_AFTER_TEMP};
    double *const to[STEPS_MAX] = {&s->exposure.before.temp_c, &s->exposure.during.temp_c,
                                   &s->exposure.after.temp_c};
    double v[STEPS_MAX] = {0};
    unsigned present;
    enum wi_status st;

    if (!steps_parse(text, temp_part, v, &present))
        return fail_form("temperature", text, TEMP_FORM, err);
    st = check_steps(v, present, WI_TEMP_C_MIN, WI_TEMP_C_MAX, "temperature", " C", err);
    if (st != WI_OK)
        return st;
    set_steps(s, v, present, to, bits);
    return WI_OK;
}

enum wi_status wi_scenario_parse_rh(struct wi_scenario *s, const char *text, struct wi_err *err)
{
    static const enum wi_field bits[STEPS_MAX] = {WI_F_BEFORE_RH, WI_F_DURING_RH, WI_F_AFTER_RH};
    double *const to[STEPS_MAX] = {&s->exposure.before.rh_pct, &s->exposure.during.rh_pct,
                                   &s->exposure.after.rh_pct};
    double v[STEPS_MAX] = {0};
    unsigned present;
    enum wi_status st;

    if (!steps_parse(text, rh_part, v, &present))
        return fail_form("relative humidity", text, RH_FORM, err);
    st = check_steps(v, present, WI_RH_PCT_MIN, WI_RH_PCT_MAX, "relative humidity", " %RH", err);
    if (st != WI_OK)
        return st;
    set_steps(s, v, present, to, bits);
    return WI_OK;
}

/* "20", "20Hz", "20:1.14", "20Hz:1.14g" after the '@'. */
static bool vib_numbers(const char *text, struct wi_vib *vib)
{
    char parts[2][PART_MAX];
    size_t n = split(text, ':', parts, 2);
    const char *p;

    if (n == 0)
        return false;
    p = number_parse(parts[0], &vib->freq_hz);
    if (!p || !(*p == '\0' || strcasecmp(p, "hz") == 0))
        return false;
    if (n == 1)
        return true;
    p = number_parse(parts[1], &vib->grms);
    return p && (*p == '\0' || strcasecmp(p, "g") == 0 || strcasecmp(p, "grms") == 0);
}

enum wi_status wi_scenario_parse_vib(struct wi_scenario *s, const char *text, struct wi_err *err)
{
    struct wi_vib vib = {WI_AXIS_NONE, NAN, NAN};
    char parts[2][PART_MAX];
    size_t n = split(text, '@', parts, 2);

    if (n == 0 || !wi_axis_parse(parts[0], &vib.axis) ||
        (n == 2 && (vib.axis == WI_AXIS_NONE || !vib_numbers(parts[1], &vib))))
        return fail_form("vibration", text, VIB_FORM, err);
    if (!isnan(vib.freq_hz) && !(vib.freq_hz >= WI_FREQ_HZ_MIN && vib.freq_hz <= WI_FREQ_HZ_MAX))
        return wi_fail(err, WI_ERANGE, "vibration frequency is %g Hz, must be %g..%g Hz",
                       vib.freq_hz, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX);
    if (!isnan(vib.grms) && !(vib.grms >= WI_GRMS_MIN && vib.grms <= WI_GRMS_MAX))
        return wi_fail(err, WI_ERANGE, "vibration intensity is %g grms, must be %g..%g grms",
                       vib.grms, WI_GRMS_MIN, WI_GRMS_MAX);
    s->exposure.during.vib = vib;
    s->given |= WI_F_DURING_VIB | WI_F_DURING_AXIS;
    s->given &= ~(uint32_t)WI_F_DURING_FREQ;
    if (!isnan(vib.freq_hz))
        s->given |= WI_F_DURING_FREQ;
    return WI_OK;
}

static bool percentile_part(const char *part, double *percentile)
{
    const char *p;

    if (strcasecmp(part, "max") == 0) {
        *percentile = 100.0;
        return true;
    }
    if (*part == 'p' || *part == 'P')
        part++;
    p = number_parse(part, percentile);
    return p && *p == '\0';
}

enum wi_status wi_scenario_parse_percentiles(struct wi_scenario *s, const char *text,
                                             struct wi_err *err)
{
    char parts[WI_PERCENTILES_MAX][PART_MAX];
    double v[WI_PERCENTILES_MAX];
    size_t n = split(text, ',', parts, WI_PERCENTILES_MAX);

    if (n == 0)
        return wi_fail(err, WI_EUSAGE, "percentiles '%.80s' are malformed, must be %s, at most %d",
                       text, PERCENTILES_FORM, WI_PERCENTILES_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!percentile_part(parts[i], &v[i]))
            return fail_form("percentile", parts[i], PERCENTILES_FORM, err);
    }
    return wi_scenario_set_percentiles(s, v, n, err);
}

/* ---- one line for people ---- */

struct line {
    char *buf;
    size_t size;
    size_t len; /* of the whole text, also of what did not fit */
};

static void line_add(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void line_add(struct line *l, const char *fmt, ...)
{
    size_t room = l->len < l->size ? l->size - l->len : 0;
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(room ? l->buf + l->len : NULL, room, fmt, ap);
    va_end(ap);
    if (n > 0)
        l->len += (size_t)n;
}

static void add_vib(struct line *l, const struct wi_vib *vib)
{
    if (vib->axis == WI_AXIS_NONE) {
        line_add(l, " still");
        return;
    }
    line_add(l, " %s vibration", wi_axis_name(vib->axis));
    if (!isnan(vib->freq_hz))
        line_add(l, " %g Hz", vib->freq_hz);
    if (!isnan(vib->grms))
        line_add(l, " %g grms", vib->grms);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_vib(const struct wi_vib *a, const struct wi_vib *b)
{
    return a->axis == b->axis && same_number(a->freq_hz, b->freq_hz) &&
           same_number(a->grms, b->grms);
}

/* Only what differs from the step before it. */
static void add_change(struct line *l, const struct wi_step *from, const struct wi_step *to)
{
    size_t len = l->len;

    line_add(l, " ->");
    if (!same_number(to->temp_c, from->temp_c))
        line_add(l, " %g C", to->temp_c);
    if (!same_number(to->rh_pct, from->rh_pct))
        line_add(l, " %g %%RH", to->rh_pct);
    if (!same_vib(&to->vib, &from->vib))
        add_vib(l, &to->vib);
    if (l->len == len + 3)
        line_add(l, " unchanged");
}

static void add_device(struct line *l, const struct wi_scenario *s)
{
    if (s->nand == WI_NAND_UNKNOWN) {
        line_add(l, "any NAND");
    } else {
        for (const char *p = wi_nand_name(s->nand); *p; p++)
            line_add(l, "%c", toupper((unsigned char)*p));
    }
    if (s->vendor[0])
        line_add(l, " of vendor %s", s->vendor);
    if (s->device[0])
        line_add(l, " (%s)", s->device);
    if (!isnan(s->tmt1_c))
        line_add(l, " throttling at %g C", s->tmt1_c);
    if (!isnan(s->pe_cycles))
        line_add(l, " at %g P/E cycles", s->pe_cycles);
}

int wi_scenario_format(const struct wi_scenario *s, char *buf, size_t size)
{
    const struct wi_exposure *x = &s->exposure;
    struct line l = {buf, size, 0};

    if (size > 0)
        buf[0] = '\0';
    add_device(&l, s);
    line_add(&l, ", %s, %s; %g C %g %%RH", wi_op_name(s->op), wi_phase_name(s->phase),
             x->before.temp_c, x->before.rh_pct);
    add_vib(&l, &x->before.vib);
    add_change(&l, &x->before, &x->during);
    if (!isnan(x->during_h))
        line_add(&l, " for %g h", x->during_h);
    if (x->has_after)
        add_change(&l, &x->during, &x->after);
    return (int)l.len;
}

/* ---- what was assumed ---- */

/* Starts an item of a list: ", " between items, "; NAME" before the first of a named group. */
static void add_item(struct line *l, const char *group, bool *open)
{
    if (!*open && group)
        line_add(l, "%s%s ", l->len ? "; " : "", group);
    else if (l->len)
        line_add(l, ", ");
    *open = true;
}

static void add_assumed_choices(struct line *l, const struct wi_scenario *s)
{
    bool open = false;

    if (s->assumed & WI_F_NAND)
        add_item(l, NULL, &open), line_add(l, "any NAND");
    if (s->assumed & WI_F_OP)
        add_item(l, NULL, &open), line_add(l, "%s operation", wi_op_name(s->op));
    if (s->assumed & WI_F_PHASE)
        add_item(l, NULL, &open), line_add(l, "phase %s", wi_phase_name(s->phase));
    if (s->assumed & WI_F_PERCENTILES)
        add_item(l, NULL, &open), line_add(l, "the measured percentiles");
    if (s->assumed & WI_F_CONFIDENCE)
        add_item(l, NULL, &open), line_add(l, "%g %% interval", s->confidence * 100);
    if (s->assumed & WI_F_DURING_AXIS)
        add_item(l, NULL, &open), line_add(l, "%s axis", wi_axis_name(s->exposure.during.vib.axis));
    if (s->assumed & WI_F_DURING_FREQ)
        add_item(l, NULL, &open), line_add(l, "the measured frequency");
    if (s->assumed & WI_F_DURING_HOURS)
        add_item(l, NULL, &open), line_add(l, "the measured duration");
}

static void add_assumed_step(struct line *l, const struct wi_scenario *s, const char *name,
                             const struct wi_step *step, uint32_t temp, uint32_t rh, uint32_t vib)
{
    bool open = false;

    if (s->assumed & temp)
        add_item(l, name, &open), line_add(l, "%g C", step->temp_c);
    if (s->assumed & rh)
        add_item(l, name, &open), line_add(l, "%g %%RH", step->rh_pct);
    if (s->assumed & vib) {
        add_item(l, name, &open);
        if (step->vib.axis == WI_AXIS_NONE)
            line_add(l, "no vibration");
        else
            line_add(l, "the same vibration");
    }
}

int wi_scenario_format_assumed(const struct wi_scenario *s, char *buf, size_t size)
{
    const struct wi_exposure *x = &s->exposure;
    struct line l = {buf, size, 0};

    if (size > 0)
        buf[0] = '\0';
    add_assumed_choices(&l, s);
    add_assumed_step(&l, s, "before:", &x->before, WI_F_BEFORE_TEMP, WI_F_BEFORE_RH,
                     WI_F_BEFORE_VIB);
    add_assumed_step(&l, s, "during:", &x->during, WI_F_DURING_TEMP, WI_F_DURING_RH,
                     WI_F_DURING_VIB);
    add_assumed_step(&l, s, "after:", &x->after, WI_F_AFTER_TEMP, WI_F_AFTER_RH, WI_F_AFTER_VIB);
    return (int)l.len;
}
