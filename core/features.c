#include "core/features.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/units.h"

#define BANDWIDTH_NINES 1.0 /* the study's place of bandwidth on the axis of nines */
#define REF_FREQ_HZ 20.0
#define REF_GRMS 1.14    /* 1 mm zero-peak at 20 Hz; the intensity of DAC'19 itself is not known */
#define READING_90 1.645 /* a reading error is the half width of a 90 % band */
#define DASH_SD_PCT 2.0  /* a dash among figures that are read to 5 points */
#define BOX_SD_PCT 8.0
#define TEXT_EDGE_SD_PCT 3.0 /* how exactly a text's "up to 75 %" holds */
#define CHANGE_MIN_FRAC (-0.95)
#define PLAUSIBLE_LN 3.0 /* +1900 % or -95 %: beyond, a row does not decide anything alone */

static enum wi_status names_append(struct wi_names *names, const char *text, int *id,
                                   struct wi_err *err)
{
    if (names->n == names->cap) {
        size_t cap = names->cap ? names->cap * 2 : 16;
        void *p = realloc(names->items, cap * sizeof(*names->items));

        if (!p)
            return wi_fail_nomem(err);
        names->items = p;
        names->cap = cap;
    }
    names->items[names->n] = (struct wi_named){.vendor = WI_NONE_ID};
    snprintf(names->items[names->n].text, WI_NAME_MAX, "%s", text);
    *id = (int)names->n++;
    return WI_OK;
}

enum wi_status wi_names_intern(struct wi_names *names, const char *text, int *id,
                               struct wi_err *err)
{
    *id = wi_names_find(names, text);
    return *id >= 0 ? WI_OK : names_append(names, text, id, err);
}

int wi_names_find(const struct wi_names *names, const char *text)
{
    for (size_t i = names->n; i-- > 0;) {
        if (strncasecmp(names->items[i].text, text, WI_NAME_MAX - 1) == 0)
            return (int)i;
    }
    return WI_NONE_ID;
}

void wi_names_release(struct wi_names *names)
{
    free(names->items);
    *names = (struct wi_names){0};
}

void wi_rows_release(struct wi_rows *rows)
{
    free(rows->rows);
    wi_names_release(&rows->vendors);
    wi_names_release(&rows->devices);
    wi_names_release(&rows->exps);
    *rows = (struct wi_rows){0};
}

static enum wi_status push(struct wi_rows *rows, const struct wi_row *row, struct wi_err *err)
{
    if (rows->n == rows->cap) {
        size_t cap = rows->cap ? rows->cap * 2 : 256;
        void *p = realloc(rows->rows, cap * sizeof(*rows->rows));

        if (!p)
            return wi_fail_nomem(err);
        rows->rows = p;
        rows->cap = cap;
    }
    rows->rows[rows->n++] = *row;
    return WI_OK;
}

void wi_row_init(struct wi_row *row, enum wi_group group, enum wi_op op, enum wi_phase phase,
                 const struct wi_exposure *e, enum wi_nand nand)
{
    const struct wi_step *steps[3] = {
        &e->before, &e->during,
        e->has_after ? &e->after : (phase == WI_PHASE_POST ? &e->before : &e->during)};
    const struct wi_vib *vib = &e->during.vib;

    *row = (struct wi_row){.group = group,
                           .w_read = op == WI_OP_READ    ? 1.0
                                     : op == WI_OP_WRITE ? 0.0
                                                         : 0.5,
                           .phase = phase,
                           .axis = group == WI_GROUP_VIB ? vib->axis : WI_AXIS_NONE,
                           .nand = nand,
                           .vendor = WI_NONE_ID,
                           .device = WI_NONE_ID,
                           .letter = 3,
                           .ln_grms = NAN};
    row->w_write = 1.0 - row->w_read;
    for (size_t i = 0; i < 3; i++) {
        row->temp_c[i] = steps[i]->temp_c;
        row->rh_pct[i] = steps[i]->rh_pct;
    }
    if (row->axis == WI_AXIS_NONE)
        return;
    if (vib->grms == 0.0)
        row->axis = WI_AXIS_NONE;
    else if (vib->grms > 0.0)
        row->ln_grms = log(vib->grms / REF_GRMS);
    if (vib->freq_hz > 0.0)
        row->ln_freq = log(vib->freq_hz / REF_FREQ_HZ);
}

void wi_row_set_percentile(struct wi_row *row, double percentile)
{
    row->bandwidth = isnan(percentile);
    row->nines = row->bandwidth ? BANDWIDTH_NINES : wi_nines_from_percentile(percentile);
}

static int letter_of(const char *vendor)
{
    if (vendor[0] && !vendor[1] && vendor[0] >= 'A' && vendor[0] <= 'C')
        return vendor[0] - 'A';
    return 3;
}

static void undisclosed(char *buf, size_t size, const char *source, enum wi_nand nand)
{
    snprintf(buf, size, "%s %s", source, wi_nand_name(nand));
}

void wi_row_set_drive(struct wi_row *row, const struct wi_rows *rows, const char *vendor,
                      const char *device)
{
    char key[WI_NAME_MAX];
    const char *name = device[0] ? device : vendor;

    if (!name[0])
        return;
    row->device = device[0] ? wi_names_find(&rows->devices, device) : WI_NONE_ID;
    row->vendor = vendor[0] ? wi_names_find(&rows->vendors, vendor) : WI_NONE_ID;
    if (row->device >= 0 && row->vendor < 0)
        row->vendor = rows->devices.items[row->device].vendor;
    if (row->device < 0 && row->vendor < 0) {
        undisclosed(key, sizeof(key), name, row->nand);
        row->device = wi_names_find(&rows->devices, key);
        row->vendor = wi_names_find(&rows->vendors, key);
        row->reference = row->device >= 0;
    }
    if (row->vendor >= 0)
        row->letter = letter_of(rows->vendors.items[row->vendor].text);
}

void wi_rows_mark_fresh(struct wi_row *rows, size_t n, const struct wi_row *known, size_t n_known)
{
    for (size_t i = 0; i < n; i++) {
        rows[i].fresh = true;
        for (size_t j = 0; j < n_known && rows[i].fresh; j++) {
            if (known[j].vendor == rows[i].vendor && known[j].axis == rows[i].axis &&
                known[j].phase == rows[i].phase)
                rows[i].fresh = false;
        }
    }
}

/* ------------------------------------------------------------------ from a dataset */

struct build {
    const struct wi_dataset *ds;
    enum wi_model_kind kind;
    struct wi_rows *rows;
    unsigned char
        *curves;  /* (n_exps, 3 operations, 2 metrics): bit 0 figure, bit 1 box, bit 2 bound */
    int *exp_ids; /* (n_exps,) position in rows->exps, WI_NONE_ID before its first row */
    struct wi_err *err;
};

static unsigned char *curve_of(const struct build *b, const struct wi_observation *o)
{
    return &b->curves[(o->exp * 3 + (size_t)o->op) * 2 + (size_t)o->metric];
}

static double ln_ratio(double change_pct)
{
    return log1p(fmax(change_pct / 100.0, CHANGE_MIN_FRAC));
}

/* A point: change and sd in percent points. */
static void set_point(struct wi_row *r, double change_pct, double sd_pct)
{
    double sd = sd_pct / 100.0 / (1.0 + change_pct / 100.0);

    r->z = ln_ratio(change_pct);
    r->err_var = sd * sd;
    r->interval = false;
    if (change_pct <= 100.0 * CHANGE_MIN_FRAC)
        r->err_var = fmax(r->err_var, 1.0);
    if (fabs(r->z) > PLAUSIBLE_LN)
        r->err_var = fmax(r->err_var, r->z * r->z);
}

static void set_interval(struct wi_row *r, double low_pct, double high_pct, double edge_sd_pct)
{
    double mid = 0.5 * (low_pct + high_pct);
    double edge = edge_sd_pct / 100.0 / (1.0 + fmax(mid, 100.0 * CHANGE_MIN_FRAC) / 100.0);

    r->interval = true;
    r->z_low = ln_ratio(low_pct);
    r->z_high = ln_ratio(high_pct);
    r->z = 0.5 * (r->z_low + r->z_high);
    r->err_var = edge * edge;
}

static enum wi_status bad(const struct build *b, const struct wi_observation *o, const char *what)
{
    return wi_fail(b->err, WI_EDATA, "observation '%s': %s", o->id, what);
}

static enum wi_status check(const struct build *b, const struct wi_observation *o)
{
    const struct wi_exposure *e = &b->ds->exps[o->exp].exposure;
    bool bound = o->kind == WI_OBS_BOUND;

    if (bound ? !(isfinite(o->low_pct) && isfinite(o->high_pct)) : !isfinite(o->change_pct))
        return bad(b, o,
                   bound ? "a bound without finite ends" : "the change is not a finite number");
    if (bound && o->low_pct > o->high_pct)
        return bad(b, o, "its low end is above its high end");
    if (!bound && o->change_pct < -100.0)
        return bad(b, o, "a change below -100 %");
    if (!(o->reading_error_pct >= 0.0) || isinf(o->reading_error_pct))
        return bad(b, o, "the reading error is not a number >= 0");
    if (o->metric == WI_METRIC_TAIL_LATENCY && !bound &&
        !(o->percentile >= WI_PERCENTILE_MIN && o->percentile <= WI_PERCENTILE_MAX))
        return bad(b, o, "the percentile is not within 1..100");
    if (!isfinite(e->before.temp_c) || !isfinite(e->during.temp_c) || !isfinite(e->before.rh_pct) ||
        !isfinite(e->during.rh_pct) ||
        (e->has_after && !(isfinite(e->after.temp_c) && isfinite(e->after.rh_pct))))
        return bad(b, o, "a temperature or humidity of its experiment is not a finite number");
    return WI_OK;
}

static bool same_climate(const struct wi_step *a, const struct wi_step *b)
{
    return a->temp_c == b->temp_c && a->rh_pct == b->rh_pct;
}

static bool vibrates(const struct wi_exposure *e)
{
    return e->during.vib.axis != WI_AXIS_NONE && e->during.vib.grms != 0.0;
}

static bool changes_climate(const struct wi_exposure *e)
{
    return !same_climate(&e->before, &e->during) ||
           (e->has_after && !same_climate(&e->before, &e->after));
}

bool wi_exposure_is_combined(const struct wi_exposure *e)
{
    return vibrates(e) && changes_climate(e);
}

/* Which model an experiment conditions; false = none. */
static bool group_of(const struct wi_experiment *x, enum wi_group *group)
{
    bool climate = changes_climate(&x->exposure), vib = vibrates(&x->exposure);

    *group = climate ? WI_GROUP_TH : WI_GROUP_VIB;
    return !(vib && climate) && (vib || climate || x->phase == WI_PHASE_LONG_TERM);
}

static enum wi_status start_row(const struct build *b, const struct wi_observation *o,
                                enum wi_group group, struct wi_row *r)
{
    const struct wi_experiment *x = &b->ds->exps[o->exp];
    char key[WI_NAME_MAX];
    enum wi_status st;
    int *id = &b->exp_ids[o->exp];

    wi_row_init(r, group, o->op, x->phase, &x->exposure, x->nand);
    undisclosed(key, sizeof(key), x->source[0] ? x->source : x->id, x->nand);
    st = wi_names_intern(&b->rows->vendors,
                         x->vendor[0]   ? x->vendor
                         : x->device[0] ? x->device
                                        : key,
                         &r->vendor, b->err);
    if (st == WI_OK)
        st = wi_names_intern(&b->rows->devices, x->device[0] ? x->device : key, &r->device, b->err);
    if (st == WI_OK)
        b->rows->devices.items[r->device].vendor = r->vendor;
    if (st == WI_OK && *id < 0) /* ids are distinct: no search, which would be quadratic */
        st = names_append(&b->rows->exps, x->id, id, b->err);
    if (st != WI_OK)
        return st;
    r->letter = letter_of(x->vendor);
    r->reference = !x->vendor[0] && !x->device[0];
    r->obs = (size_t)(o - b->ds->obs);
    r->exp = (size_t)*id;
    r->own = !x->embedded;
    r->scored = true;
    wi_row_set_percentile(r, o->metric == WI_METRIC_BANDWIDTH ? NAN : o->percentile);
    return WI_OK;
}

/* The middle of the bound on the curve of a box plot, if there is one. */
static double box_middle_pct(const struct build *b, const struct wi_observation *box)
{
    for (size_t i = 0; i < b->ds->n_obs; i++) {
        const struct wi_observation *o = &b->ds->obs[i];

        if (o->kind == WI_OBS_BOUND && o->exp == box->exp && o->op == box->op &&
            o->metric == box->metric && isfinite(o->low_pct) && isfinite(o->high_pct))
            return 0.5 * (o->low_pct + o->high_pct);
    }
    return box->change_pct;
}

static enum wi_status add_study(struct build *b, const struct wi_observation *o, struct wi_row *r)
{
    switch (o->kind) {
    case WI_OBS_BOUND:
        if (*curve_of(b, o) & 3u)
            return WI_OK;
        if (o->metric == WI_METRIC_TAIL_LATENCY && !isfinite(o->percentile))
            return WI_OK;
        set_point(r, 0.5 * (o->low_pct + o->high_pct), (o->high_pct - o->low_pct) / sqrt(12.0));
        r->scored = false;
        break;
    case WI_OBS_BOX:
        if (o->stat != WI_STAT_MEDIAN)
            return WI_OK;
        set_point(r, box_middle_pct(b, o), BOX_SD_PCT);
        r->scored = false;
        break;
    case WI_OBS_TOO_SMALL:
    case WI_OBS_TEXT:
        set_point(r, o->change_pct, o->reading_error_pct / sqrt(3.0));
        break;
    case WI_OBS_NO_CHANGE:
        set_point(r, o->change_pct, DASH_SD_PCT);
        break;
    default:
        set_point(r, o->change_pct, o->reading_error_pct / READING_90);
    }
    return push(b->rows, r, b->err);
}

/* A bound for a whole curve holds at every percentile that the curve has a figure for. */
static enum wi_status add_curve_bound(struct build *b, const struct wi_observation *bound,
                                      struct wi_row *r)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < b->ds->n_obs && st == WI_OK; i++) {
        const struct wi_observation *o = &b->ds->obs[i];

        if (o->exp != bound->exp || o->op != bound->op || o->metric != bound->metric ||
            o->kind == WI_OBS_BOUND || !isfinite(o->percentile))
            continue;
        wi_row_set_percentile(r, o->percentile);
        st = push(b->rows, r, b->err);
    }
    return st;
}

/* A figure and a text that disagree: two rows of half the weight, so that together they count once.
 */
static enum wi_status add_value(struct build *b, const struct wi_observation *o, struct wi_row *r)
{
    double sd = o->reading_error_pct / READING_90;
    double other = NAN;
    enum wi_status st;

    if (isfinite(o->low_pct) && isfinite(o->high_pct) && o->high_pct > o->low_pct)
        other = fabs(o->change_pct - o->low_pct) > fabs(o->change_pct - o->high_pct) ? o->low_pct
                                                                                     : o->high_pct;
    if (isnan(other)) {
        set_point(r, o->change_pct, sd);
        return push(b->rows, r, b->err);
    }
    set_point(r, o->change_pct, sd * sqrt(2.0));
    st = push(b->rows, r, b->err);
    if (st != WI_OK)
        return st;
    set_point(r, other, sd * sqrt(2.0));
    r->scored = false;
    return push(b->rows, r, b->err);
}

static enum wi_status add_default(struct build *b, const struct wi_observation *o, struct wi_row *r)
{
    double edge = fmax(o->reading_error_pct / READING_90, TEXT_EDGE_SD_PCT);

    switch (o->kind) {
    case WI_OBS_BOUND:
        set_interval(r, o->low_pct, o->high_pct, edge);
        r->scored = false;
        if (o->metric == WI_METRIC_TAIL_LATENCY && !isfinite(o->percentile))
            return add_curve_bound(b, o, r);
        break;
    case WI_OBS_BOX:
        if (o->stat != WI_STAT_MEDIAN)
            return WI_OK;
        set_point(r, o->change_pct, BOX_SD_PCT);
        r->scored = false;
        break;
    case WI_OBS_NO_CHANGE:
    case WI_OBS_TEXT:
        if (isfinite(o->low_pct) && isfinite(o->high_pct) && o->low_pct <= o->high_pct)
            set_interval(r, o->low_pct, o->high_pct,
                         o->kind == WI_OBS_TEXT ? o->reading_error_pct / sqrt(3.0) : DASH_SD_PCT);
        else
            set_point(r, o->change_pct, fmax(o->reading_error_pct / sqrt(3.0), DASH_SD_PCT));
        break;
    case WI_OBS_TOO_SMALL:
        set_point(r, o->change_pct, o->reading_error_pct / sqrt(3.0));
        break;
    default:
        return add_value(b, o, r);
    }
    return push(b->rows, r, b->err);
}

static enum wi_status add_observation(struct build *b, const struct wi_observation *o)
{
    const struct wi_experiment *x = &b->ds->exps[o->exp];
    struct wi_row r;
    enum wi_group group;
    enum wi_status st;

    if (x->failing || o->kind == WI_OBS_ABSOLUTE)
        return WI_OK;
    st = check(b, o);
    if (st != WI_OK)
        return st;
    if (!group_of(x, &group)) {
        b->rows->n_combined += wi_exposure_is_combined(&x->exposure);
        return WI_OK;
    }
    st = start_row(b, o, group, &r);
    if (st != WI_OK)
        return st;
    return b->kind == WI_MODEL_STUDY ? add_study(b, o, &r) : add_default(b, o, &r);
}

enum wi_status wi_rows_from_dataset(const struct wi_dataset *ds, enum wi_model_kind kind,
                                    struct wi_rows *rows, struct wi_err *err)
{
    struct build b = {.ds = ds, .kind = kind, .rows = rows, .err = err};
    enum wi_status st = WI_OK;

    b.curves = calloc(ds->n_exps ? ds->n_exps : 1, 6);
    b.exp_ids = calloc(ds->n_exps ? ds->n_exps : 1, sizeof(*b.exp_ids));
    if (!b.curves || !b.exp_ids)
        st = wi_fail_nomem(err);
    for (size_t i = 0; i < ds->n_exps && st == WI_OK; i++)
        b.exp_ids[i] = WI_NONE_ID;
    for (size_t i = 0; i < ds->n_obs && st == WI_OK; i++) {
        const struct wi_observation *o = &ds->obs[i];

        if (o->exp >= ds->n_exps)
            st = bad(&b, o, "names no experiment");
        else
            *curve_of(&b, o) |= o->kind == WI_OBS_BOUND ? 4u : o->kind == WI_OBS_BOX ? 2u : 1u;
    }
    for (size_t i = 0; i < ds->n_obs && st == WI_OK; i++)
        st = add_observation(&b, &ds->obs[i]);
    free(b.curves);
    free(b.exp_ids);
    if (st != WI_OK)
        wi_rows_release(rows);
    return st;
}
