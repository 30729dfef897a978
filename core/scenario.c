#include "core/scenario.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/enum_names.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define DEFAULT_CONFIDENCE 0.9

/* The percentiles at which the two studies behind the stored experiments report. */
static const double climate_percentiles[] = {90, 95, 99, 99.9, 99.99};
static const double vib_percentiles[] = {99, 99.9, 99.99, 99.999, 99.9999};

/* Index order is that of the enums. */
static const char *const nand_names[] = {"unknown", "slc", "mlc", "tlc", "qlc"};
static const char *const op_names[] = {"mixed", "read", "write"};
static const char *const phase_names[] = {"running", "post", "long_term"};
static const char *const axis_names[] = {"none", "parallel", "perpendicular"};

/* Index order is that of the bits of enum wi_field. */
static const char *const field_names[WI_N_FIELDS] = {
    "nand",
    "op",
    "phase",
    "percentiles",
    "confidence",
    "exposure.before.temp_c",
    "exposure.before.rh_pct",
    "exposure.before.vib",
    "exposure.during.temp_c",
    "exposure.during.rh_pct",
    "exposure.during.vib",
    "exposure.during.vib.axis",
    "exposure.during.vib.freq_hz",
    "exposure.during.hours",
    "exposure.after.temp_c",
    "exposure.after.rh_pct",
    "exposure.after.vib",
};

static const struct wi_vib still = {WI_AXIS_NONE, NAN, NAN};

void wi_scenario_init(struct wi_scenario *s)
{
    const struct wi_step unset = {NAN, NAN, {WI_AXIS_NONE, NAN, NAN}};

    *s = (struct wi_scenario){0};
    s->exposure.before = unset;
    s->exposure.during = unset;
    s->exposure.after = unset;
    s->exposure.during_h = NAN;
    s->capacity_gb = NAN;
    s->pe_cycles = NAN;
    s->tmt1_c = NAN;
    s->confidence = NAN;
}

/* ---- names ---- */

const char *wi_field_name(enum wi_field field)
{
    for (size_t i = 0; i < WI_N_FIELDS; i++) {
        if ((uint32_t)field == (uint32_t)1 << i)
            return field_names[i];
    }
    return NULL;
}

const char *wi_nand_name(enum wi_nand v)
{
    return wi_enum_name(nand_names, COUNT(nand_names), (size_t)v);
}

const char *wi_op_name(enum wi_op v)
{
    return wi_enum_name(op_names, COUNT(op_names), (size_t)v);
}

const char *wi_phase_name(enum wi_phase v)
{
    return wi_enum_name(phase_names, COUNT(phase_names), (size_t)v);
}

const char *wi_axis_name(enum wi_axis v)
{
    return wi_enum_name(axis_names, COUNT(axis_names), (size_t)v);
}

bool wi_nand_parse(const char *text, enum wi_nand *out)
{
    size_t v;

    if (!wi_enum_find(nand_names, COUNT(nand_names), text, &v))
        return false;
    *out = (enum wi_nand)v;
    return true;
}

bool wi_op_parse(const char *text, enum wi_op *out)
{
    size_t v;

    if (!wi_enum_find(op_names, COUNT(op_names), text, &v))
        return false;
    *out = (enum wi_op)v;
    return true;
}

bool wi_phase_parse(const char *text, enum wi_phase *out)
{
    size_t v;

    if (!wi_enum_find(phase_names, COUNT(phase_names), text, &v))
        return false;
    *out = (enum wi_phase)v;
    return true;
}

bool wi_axis_parse(const char *text, enum wi_axis *out)
{
    size_t v;

    if (!wi_enum_find(axis_names, COUNT(axis_names), text, &v))
        return false;
    *out = (enum wi_axis)v;
    return true;
}

/* ---- validation ---- */

static enum wi_status check_range(const char *what, double value, double min, double max,
                                  const char *unit, struct wi_err *err)
{
    if (value >= min && value <= max)
        return WI_OK;
    return wi_fail(err, WI_ERANGE, "%s is %g%s, must be %g..%g%s", what, value, unit, min, max,
                   unit);
}

static enum wi_status check_vib(const char *step, const struct wi_vib *vib, struct wi_err *err)
{
    char what[64];
    enum wi_status st = WI_OK;

    if (!isnan(vib->freq_hz)) {
        snprintf(what, sizeof(what), "%s vibration frequency", step);
        st = check_range(what, vib->freq_hz, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX, " Hz", err);
    }
    if (st == WI_OK && !isnan(vib->grms)) {
        snprintf(what, sizeof(what), "%s vibration intensity", step);
        st = check_range(what, vib->grms, WI_GRMS_MIN, WI_GRMS_MAX, " grms", err);
    }
    return st;
}

static enum wi_status check_step(const char *step, const struct wi_step *v, struct wi_err *err)
{
    char what[64];
    enum wi_status st;

    snprintf(what, sizeof(what), "%s temperature", step);
    st = check_range(what, v->temp_c, WI_TEMP_C_MIN, WI_TEMP_C_MAX, " C", err);
    if (st != WI_OK)
        return st;
    snprintf(what, sizeof(what), "%s relative humidity", step);
    st = check_range(what, v->rh_pct, WI_RH_PCT_MIN, WI_RH_PCT_MAX, " %RH", err);
    return st != WI_OK ? st : check_vib(step, &v->vib, err);
}

static enum wi_status check_percentiles(const double *p, size_t n, struct wi_err *err)
{
    if (n > WI_PERCENTILES_MAX)
        return wi_fail(err, WI_ERANGE, "%zu percentiles are given, at most %d are allowed", n,
                       WI_PERCENTILES_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!(p[i] >= WI_PERCENTILE_MIN && p[i] <= WI_PERCENTILE_MAX))
            return wi_fail(err, WI_ERANGE,
                           "percentile %g does not exist, must be %g..%g (100 = maximum)", p[i],
                           WI_PERCENTILE_MIN, WI_PERCENTILE_MAX);
    }
    return WI_OK;
}

static enum wi_status check_numbers(const struct wi_scenario *s, struct wi_err *err)
{
    enum wi_status st = check_percentiles(s->percentiles, s->n_percentiles, err);

    if (st == WI_OK)
        st =
            check_range("confidence", s->confidence, WI_CONFIDENCE_MIN, WI_CONFIDENCE_MAX, "", err);
    if (st == WI_OK && !isnan(s->exposure.during_h))
        st = check_range("exposure time", s->exposure.during_h, WI_DUR_H_MIN, WI_DUR_H_MAX, " h",
                         err);
    if (st == WI_OK && !isnan(s->capacity_gb))
        st = check_range("capacity", s->capacity_gb, 0.0, WI_CAPACITY_GB_MAX, " GB", err);
    if (st == WI_OK && !isnan(s->tmt1_c))
        st =
            check_range("throttling threshold", s->tmt1_c, WI_TMT1_C_MIN, WI_TMT1_C_MAX, " C", err);
    if (st == WI_OK && !isnan(s->pe_cycles))
        st = check_range("P/E cycles", s->pe_cycles, 0.0, WI_PE_CYCLES_MAX, "", err);
    return st;
}

static enum wi_status check_scenario(const struct wi_scenario *s, struct wi_err *err)
{
    enum wi_status st = check_step("before", &s->exposure.before, err);

    if (st == WI_OK)
        st = check_step("during", &s->exposure.during, err);
    if (st == WI_OK && s->exposure.has_after)
        st = check_step("after", &s->exposure.after, err);
    return st == WI_OK ? check_numbers(s, err) : st;
}

/* ---- completion ---- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool is_still(const struct wi_vib *v)
{
    return v->axis == WI_AXIS_NONE || v->grms == 0.0;
}

static bool same_vib(const struct wi_vib *a, const struct wi_vib *b)
{
    if (is_still(a) || is_still(b))
        return is_still(a) == is_still(b);
    return a->axis == b->axis && same_number(a->freq_hz, b->freq_hz) &&
           same_number(a->grms, b->grms);
}

struct wi_stressors wi_scenario_stressors(const struct wi_scenario *s)
{
    const struct wi_step *b = &s->exposure.before;
    const struct wi_step *d = &s->exposure.during;
    const struct wi_step *a = s->exposure.has_after ? &s->exposure.after : b;

    return (struct wi_stressors){
        .temp = d->temp_c != b->temp_c || a->temp_c != b->temp_c,
        .rh = d->rh_pct != b->rh_pct || a->rh_pct != b->rh_pct,
        .vib = !same_vib(&d->vib, &b->vib) || !same_vib(&a->vib, &b->vib),
    };
}

/*
 * A field without its `given` bit is open when nothing is in it or when an earlier completion put
 * it there; a value that a caller wrote without the bit is kept.
 */
static bool is_open(const struct wi_scenario *s, enum wi_field field, bool empty)
{
    if (s->given & (uint32_t)field)
        return false;
    return empty || (s->assumed & (uint32_t)field);
}

static void fill_number(struct wi_scenario *s, enum wi_field field, double *value, double fallback,
                        uint32_t *assumed)
{
    if (!is_open(s, field, isnan(*value)))
        return;
    *value = fallback;
    *assumed |= (uint32_t)field;
}

static void fill_vib(struct wi_scenario *s, enum wi_field field, struct wi_vib *vib,
                     const struct wi_vib *fallback, uint32_t *assumed)
{
    if (!is_open(s, field, vib->axis == WI_AXIS_NONE))
        return;
    *vib = *fallback;
    *assumed |= (uint32_t)field;
}

/* Vibration was stated and its direction was not: take the axis that measured worse. */
static void fill_axis(struct wi_scenario *s, uint32_t *assumed)
{
    struct wi_vib *vib = &s->exposure.during.vib;

    if (!(s->given & WI_F_DURING_VIB) || !is_open(s, WI_F_DURING_AXIS, vib->axis == WI_AXIS_NONE))
        return;
    vib->axis = s->phase == WI_PHASE_LONG_TERM ? WI_AXIS_PARALLEL : WI_AXIS_PERPENDICULAR;
    *assumed |= WI_F_DURING_AXIS;
}

static void fill_choices(struct wi_scenario *s, uint32_t *assumed)
{
    if (is_open(s, WI_F_NAND, s->nand == WI_NAND_UNKNOWN)) {
        s->nand = WI_NAND_UNKNOWN;
        *assumed |= WI_F_NAND;
    }
    if (is_open(s, WI_F_OP, s->op == WI_OP_MIXED)) {
        s->op = WI_OP_MIXED;
        *assumed |= WI_F_OP;
    }
    if (is_open(s, WI_F_PHASE, s->phase == WI_PHASE_RUNNING)) {
        s->phase = s->exposure.has_after ? WI_PHASE_POST : WI_PHASE_RUNNING;
        *assumed |= WI_F_PHASE;
    }
    fill_number(s, WI_F_CONFIDENCE, &s->confidence, DEFAULT_CONFIDENCE, assumed);
}

static void fill_before_and_during(struct wi_scenario *s, uint32_t *assumed)
{
    struct wi_step *b = &s->exposure.before;
    struct wi_step *d = &s->exposure.during;

    fill_number(s, WI_F_BEFORE_TEMP, &b->temp_c, WI_ROOM_TEMP_C, assumed);
    fill_number(s, WI_F_BEFORE_RH, &b->rh_pct, WI_ROOM_RH_PCT, assumed);
    fill_vib(s, WI_F_BEFORE_VIB, &b->vib, &still, assumed);
    fill_number(s, WI_F_DURING_TEMP, &d->temp_c, b->temp_c, assumed);
    fill_number(s, WI_F_DURING_RH, &d->rh_pct, b->rh_pct, assumed);
    fill_axis(s, assumed);
    fill_vib(s, WI_F_DURING_VIB, &d->vib, &b->vib, assumed);
    if (d->vib.axis != WI_AXIS_NONE && isnan(d->vib.freq_hz))
        *assumed |= WI_F_DURING_FREQ;
    if (s->phase == WI_PHASE_LONG_TERM && isnan(s->exposure.during_h))
        *assumed |= WI_F_DURING_HOURS;
}

static void fill_after(struct wi_scenario *s, uint32_t *assumed)
{
    const struct wi_step *b = &s->exposure.before;
    struct wi_step *a = &s->exposure.after;

    if (s->phase == WI_PHASE_POST)
        s->exposure.has_after = true;
    if (!s->exposure.has_after)
        return;
    fill_number(s, WI_F_AFTER_TEMP, &a->temp_c, b->temp_c, assumed);
    fill_number(s, WI_F_AFTER_RH, &a->rh_pct, b->rh_pct, assumed);
    fill_vib(s, WI_F_AFTER_VIB, &a->vib, &b->vib, assumed);
}

static void fill_percentiles(struct wi_scenario *s, uint32_t *assumed)
{
    struct wi_stressors x;

    if (!is_open(s, WI_F_PERCENTILES, s->n_percentiles == 0))
        return;
    x = wi_scenario_stressors(s);
    if (x.vib && !x.temp && !x.rh) {
        memcpy(s->percentiles, vib_percentiles, sizeof(vib_percentiles));
        s->n_percentiles = COUNT(vib_percentiles);
    } else {
        memcpy(s->percentiles, climate_percentiles, sizeof(climate_percentiles));
        s->n_percentiles = COUNT(climate_percentiles);
    }
    *assumed |= WI_F_PERCENTILES;
}

/* A still drive has neither frequency nor intensity. */
static void clear_still(struct wi_vib *vib)
{
    if (vib->axis == WI_AXIS_NONE)
        *vib = still;
}

enum wi_status wi_scenario_complete(struct wi_scenario *s, struct wi_err *err)
{
    const uint32_t after_bits = WI_F_AFTER_TEMP | WI_F_AFTER_RH | WI_F_AFTER_VIB;
    struct wi_scenario t = *s;
    uint32_t assumed = 0;
    enum wi_status st;

    if (t.given & after_bits)
        t.exposure.has_after = true;
    else if (t.assumed & after_bits)
        t.exposure.has_after = false; /* it was filled in by an earlier completion */
    fill_choices(&t, &assumed);
    fill_before_and_during(&t, &assumed);
    fill_after(&t, &assumed);
    clear_still(&t.exposure.before.vib);
    clear_still(&t.exposure.during.vib);
    clear_still(&t.exposure.after.vib);
    fill_percentiles(&t, &assumed);
    st = check_scenario(&t, err);
    if (st != WI_OK)
        return st;
    t.assumed = assumed;
    *s = t;
    return WI_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum wi_status wi_scenario_set_percentiles(struct wi_scenario *s, const double *percentiles,
                                           size_t n, struct wi_err *err)
{
    double sorted[WI_PERCENTILES_MAX];
    size_t n_distinct = 0;
    enum wi_status st;

    if (n == 0)
        return wi_fail(err, WI_ERANGE, "no percentile is given, at least one is needed");
    st = check_percentiles(percentiles, n, err);
    if (st != WI_OK)
        return st;
    memcpy(sorted, percentiles, n * sizeof(sorted[0]));
    qsort(sorted, n, sizeof(sorted[0]), compare_numbers);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i] != sorted[i - 1])
            s->percentiles[n_distinct++] = sorted[i];
    }
    s->n_percentiles = n_distinct;
    s->given |= WI_F_PERCENTILES;
    return WI_OK;
}
