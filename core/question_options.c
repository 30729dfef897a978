/* Options and key=value win over words, with a warning where they differ. */
#include "core/question_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

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
                   {offsetof(struct wi_scenario, pe_cycles), "P/E cycles"},
                   {offsetof(struct wi_scenario, tmt1_c), "throttling threshold"}};
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

    for (size_t k = 0; k < Q_N_STATES && st == WI_OK; k++) {
        if (!(strong->given & q_states[k].bits[1]) || isnan(r->during_of_nand[0][k]))
            continue;
        r->during_of_nand[0][k] = r->during_of_nand[1][k] = NAN;
        st = warn_differs(r, q_states[k].bits[1], "the option", "one value for each device", err);
    }
    return st;
}

enum wi_status q_win(struct q_reader *r, struct wi_scenario *words, const struct wi_scenario *given,
                     struct wi_err *err)
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
