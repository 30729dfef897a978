/*
 * How far a question lies from what was measured: posterior to prior variance, and a hull per
 * variable; the worse one counts, and each reason is said in words.
 */
#include "core/evidence_model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/physics_forecast.h"

/*
 * Cuts of posterior to prior variance, from the study, which the hold-outs bear out: `evaluate`
 * shows error and width by domain.
 */
#define RATIO_INSIDE 0.1
#define RATIO_EDGE 0.5

#define EDGE_TEMP_C 5.0 /* so far outside of the measured range is still its edge */
#define EDGE_RH_PCT 5.0
#define EDGE_NINES 1.0
#define EDGE_LN_FREQ 0.7 /* an octave */
#define NEAR_LN_FREQ 0.05

struct judge {
    const struct wi_evidence *ev;
    const struct wi_outlook *look;
    struct wi_forecast *out;
    struct wi_err *err;
    bool words;
    unsigned parts; /* enum wi_domain_part */
    enum wi_status st;
};

#define REASON(j, level, ...)                                                                      \
    do {                                                                                           \
        if ((j)->words && (j)->st == WI_OK)                                                        \
            (j)->st = wi_texts_add(&(j)->out->domain_reasons, "", (j)->err, __VA_ARGS__);          \
        raise_domain(j, level);                                                                    \
    } while (0)

#define WARN(j, ...)                                                                               \
    do {                                                                                           \
        if ((j)->words && (j)->st == WI_OK)                                                        \
            (j)->st = wi_texts_add(&(j)->out->warnings, "", (j)->err, __VA_ARGS__);                \
    } while (0)

static void raise_domain(struct judge *j, enum wi_domain level)
{
    if (level > j->out->domain)
        j->out->domain = level;
}

static void widen(struct wi_range *r, double x)
{
    r->low = fmin(r->low, x);
    r->high = fmax(r->high, x);
}

/* A value against what was measured; `what` names the quantity, `unit` follows the number. */
static void check_range(struct judge *j, struct wi_range r, double x, double slack,
                        const char *what, const char *unit)
{
    if (r.low > r.high || (x >= r.low && x <= r.high))
        return;
    if (x > r.high)
        REASON(j, x > r.high + slack ? WI_DOMAIN_OUTSIDE : WI_DOMAIN_EDGE,
               "%s above %g %s was never measured", what, r.high, unit);
    else
        REASON(j, x < r.low - slack ? WI_DOMAIN_OUTSIDE : WI_DOMAIN_EDGE,
               "%s below %g %s was never measured", what, r.low, unit);
}

static double percentile_of(double nines)
{
    return nines >= 7.0 ? 100.0 : 100.0 * (1.0 - pow(10.0, -nines));
}

static void check_percentiles(struct judge *j, struct wi_range nines, const char *what)
{
    const struct wi_scenario *s = j->look->s;
    struct wi_row low = {0}, high = {0};

    if (nines.low > nines.high || s->n_percentiles == 0)
        return;
    wi_row_set_percentile(&low, s->percentiles[0]);
    wi_row_set_percentile(&high, s->percentiles[s->n_percentiles - 1]);
    /* Towards the median it is not the tail any more: no slack on that side. */
    if (low.nines < nines.low - 1e-9)
        REASON(j, WI_DOMAIN_OUTSIDE, "percentiles below %.10g were never measured under %s",
               percentile_of(nines.low), what);
    if (high.nines > nines.high + 1e-9)
        REASON(j, high.nines > nines.high + EDGE_NINES + 1e-9 ? WI_DOMAIN_OUTSIDE : WI_DOMAIN_EDGE,
               "percentiles above %.10g were never measured under %s", percentile_of(nines.high),
               what);
}

/* ------------------------------------------------------------------ temperature and humidity */

void wi_hull_set(struct wi_hull *h, const struct wi_row *rows, size_t n)
{
    const struct wi_range none = {DBL_MAX, -DBL_MAX};

    memset(h, 0, sizeof(*h)); /* it is saved as bytes: no padding left open */
    h->th_temp_c = h->th_rh_pct = h->th_nines = none;
    h->vib_nines = h->vib_ln_freq = h->vib_temp_c = none;
    for (size_t i = 0; i < n; i++) {
        const struct wi_row *r = &rows[i];
        bool th = r->group == WI_GROUP_TH;

        h->nand[r->nand] = true;
        if (!r->bandwidth)
            widen(th ? &h->th_nines : &h->vib_nines, r->nines);
        for (size_t k = 0; k < 3 && th; k++) {
            widen(&h->th_temp_c, r->temp_c[k]);
            widen(&h->th_rh_pct, r->rh_pct[k]);
        }
        if (th) {
            h->both_at_once |= r->temp_c[0] != r->temp_c[1] && r->rh_pct[0] != r->rh_pct[1];
            h->th_op[r->w_read > 0.75   ? WI_OP_READ
                     : r->w_read < 0.25 ? WI_OP_WRITE
                                        : WI_OP_MIXED] |= !r->bandwidth;
            continue;
        }
        h->vib_nand[r->nand] = true;
        widen(&h->vib_temp_c, r->temp_c[1]);
        if (r->axis != WI_AXIS_NONE) {
            widen(&h->vib_ln_freq, r->ln_freq);
            h->vib_grms |= !isnan(r->ln_grms);
        }
    }
}

/* A drive of that cell type, of any for the one not stated, that did not come with the program. */
static bool measured_own(const struct wi_evidence *ev, enum wi_nand nand)
{
    const struct wi_gp *gp = &ev->gp[WI_PART_TH];

    for (size_t i = 0; i < gp->n; i++) {
        if (gp->rows[i].own && (nand == WI_NAND_UNKNOWN || gp->rows[i].nand == nand))
            return true;
    }
    return false;
}

static void check_ranges(struct judge *j, const struct wi_hull *h, const struct wi_exposure *e)
{
    check_range(j, h->th_temp_c, fmax(e->before.temp_c, e->during.temp_c), EDGE_TEMP_C,
                "temperature", "C");
    check_range(j, h->th_temp_c, fmin(e->before.temp_c, e->during.temp_c), EDGE_TEMP_C,
                "temperature", "C");
    check_range(j, h->th_rh_pct, fmax(e->before.rh_pct, e->during.rh_pct), EDGE_RH_PCT, "humidity",
                "%");
    check_range(j, h->th_rh_pct, fmin(e->before.rh_pct, e->during.rh_pct), EDGE_RH_PCT, "humidity",
                "%");
}

static void judge_th(struct judge *j)
{
    const struct wi_scenario *s = j->look->s;
    const struct wi_exposure *e = &s->exposure;
    const struct wi_hull *h = &j->ev->hull;
    bool drive = j->parts & WI_DOMAIN_OF_DRIVE, climate = j->parts & WI_DOMAIN_OF_CLIMATE;

    if (climate)
        check_ranges(j, h, e);
    if (drive)
        check_percentiles(j, h->th_nines, "temperature or humidity");
    if (drive && s->phase == WI_PHASE_LONG_TERM)
        REASON(j, WI_DOMAIN_OUTSIDE,
               "temperature or humidity held for 120 h or more was never measured");
    if (climate && e->before.temp_c != e->during.temp_c && e->before.rh_pct != e->during.rh_pct &&
        !h->both_at_once)
        REASON(j, WI_DOMAIN_EDGE, "the step %g C / %g %% to %g C / %g %% was never measured as one",
               e->before.temp_c, e->before.rh_pct, e->during.temp_c, e->during.rh_pct);
    if (drive && !h->th_op[s->op])
        REASON(j, WI_DOMAIN_EDGE,
               "temperature and humidity were measured under a mixed workload only");
    if (drive && !j->look->known_th)
        REASON(j, WI_DOMAIN_EDGE, "%s",
               measured_own(j->ev, s->nand)
                   ? "the drives that were measured are others than this one; how much drives of a "
                     "type differ is borrowed from the vendors under vibration"
                   : "one drive per cell type was measured; how much drives of a type differ is "
                     "borrowed from the vendors under vibration");
}

/* ------------------------------------------------------------------ vibration */

static void judge_frequency(struct judge *j, const struct wi_hull *h)
{
    double x = j->look->vib.ln_freq, off = fmax(h->vib_ln_freq.low - x, x - h->vib_ln_freq.high);
    const struct wi_exposure *e = &j->look->s->exposure;
    const struct wi_vib *vib = e->during.vib.axis != WI_AXIS_NONE ? &e->during.vib : &e->before.vib;
    double low = 20.0 * exp(h->vib_ln_freq.low), high = 20.0 * exp(h->vib_ln_freq.high);

    if (h->vib_ln_freq.low > h->vib_ln_freq.high)
        return;
    if (isnan(vib->freq_hz)) { /* computed as that of the experiments, which nobody said it is */
        REASON(j, WI_DOMAIN_EDGE,
               "the frequency is not stated and taken as that of the "
               "experiments, %.3g Hz",
               low);
        return;
    }
    if (off <= NEAR_LN_FREQ)
        return;
    if (high - low < 0.01 * high)
        REASON(j, off > EDGE_LN_FREQ ? WI_DOMAIN_OUTSIDE : WI_DOMAIN_EDGE,
               "vibration was measured at %.3g Hz only", high);
    else
        REASON(j, off > EDGE_LN_FREQ ? WI_DOMAIN_OUTSIDE : WI_DOMAIN_EDGE,
               "vibration was measured from %.3g to %.3g Hz only", low, high);
}

static void judge_hours(struct judge *j)
{
    const struct wi_scenario *s = j->look->s;
    double h = s->exposure.during_h, share = j->look->long_frac;

    if (!j->look->on.vib)
        return;
    if (h > 120.0)
        REASON(j, WI_DOMAIN_OUTSIDE, "vibration for more than 120 h was never measured");
    else if (s->phase == WI_PHASE_POST && h > 6.0)
        REASON(j, WI_DOMAIN_EDGE, "performance after vibration was measured after 6 h of it only");
    else if (share > 0.0 && share < 1.0)
        REASON(j, WI_DOMAIN_EDGE, "vibration was measured for 6 h and for 120 h, not between");
    if (s->phase == WI_PHASE_RUNNING && share >= 1.0)
        WARN(j, "%g h of vibration are answered as long-term, which includes 120 h of ageing", h);
    if (s->phase == WI_PHASE_LONG_TERM && share < 1.0)
        WARN(j,
             "%g h are less than the 120 h of the long-term experiments; the answer is mixed "
             "with that of a running drive",
             h);
}

static void judge_warm_vib(struct judge *j)
{
    if (j->look->on.vib && !j->look->on.temp &&
        fabs(j->look->s->exposure.during.temp_c - WI_ROOM_TEMP_C) > 10.0 &&
        j->ev->hull.vib_temp_c.high < 30.0)
        REASON(j, WI_DOMAIN_EDGE, "vibration was measured at room temperature only");
}

static void judge_vib(struct judge *j)
{
    const struct wi_outlook *l = j->look;
    const struct wi_scenario *s = l->s;
    const struct wi_hull *h = &j->ev->hull;

    if (!(j->parts & WI_DOMAIN_OF_DRIVE)) {
        judge_warm_vib(j);
        return;
    }
    check_percentiles(j, h->vib_nines, "vibration");
    if ((s->nand == WI_NAND_MLC || s->nand == WI_NAND_TLC) && !h->vib_nand[s->nand])
        REASON(j, WI_DOMAIN_EDGE, "the cell type of the drives under vibration was not disclosed");
    if (l->on.vib) {
        judge_frequency(j, h);
        if (!isnan(l->vib.ln_grms) && !h->vib_grms)
            REASON(j, WI_DOMAIN_EDGE, "the intensity of the vibration experiments is not known");
    }
    if (j->parts & WI_DOMAIN_OF_CLIMATE)
        judge_warm_vib(j);
    if (!l->known_vib)
        REASON(j, WI_DOMAIN_EDGE,
               s->vendor[0] || s->device[0]
                   ? "no vibration experiment names this drive"
                   : "the measured vendors differ, and no vendor is named");
    if (l->on.vib && s->exposure.before.vib.axis != WI_AXIS_NONE)
        REASON(j, WI_DOMAIN_OUTSIDE,
               "no experiment started with a vibrating drive; what vibration did is taken back");
    judge_hours(j);
}

/* ------------------------------------------------------------------ all */

/* A name that no stored change has, mistyped or not, is a drive that nobody measured. */
static void warn_unknown(struct judge *j)
{
    const struct wi_scenario *s = j->look->s;
    const struct wi_rows *rows = &j->ev->rows;

    if (s->device[0] && wi_names_find(&rows->devices, s->device) == WI_NONE_ID)
        WARN(j, "no stored change names the drive '%s': answered as a drive nobody measured",
             s->device);
    if (s->vendor[0] && wi_names_find(&rows->vendors, s->vendor) == WI_NONE_ID)
        WARN(j, "no stored change names the vendor '%s': answered as a vendor nobody measured",
             s->vendor);
}

static void judge_device(struct judge *j)
{
    const struct wi_scenario *s = j->look->s;

    if ((j->look->physics == (int)WI_PHYSICS_NONE || j->look->physics == (int)WI_PHYSICS_AGES) &&
        (s->nand == WI_NAND_SLC || s->nand == WI_NAND_QLC)) {
        const char *name = s->nand == WI_NAND_SLC ? "SLC" : "QLC";
        bool measured = j->ev->hull.nand[s->nand];

        if (measured) {
            REASON(j, WI_DOMAIN_EDGE, "the only measurements of %s drives are the user's own",
                   name);
        } else {
            REASON(j, WI_DOMAIN_OUTSIDE, "no %s drive was ever measured", name);
            WARN(j,
                 "no %s drive was ever measured: the numbers extrapolate from other cell "
                 "types",
                 name);
        }
    }
    if (s->nand == WI_NAND_UNKNOWN && !j->look->as_measured)
        REASON(j, WI_DOMAIN_EDGE, "the cell type is not stated");
    if (s->pe_cycles > 0.0 && j->look->physics == (int)WI_PHYSICS_NONE)
        REASON(j, WI_DOMAIN_EDGE, "wear was never varied; the measured drives were new");
}

static void judge_combined(struct judge *j)
{
    size_t n = j->ev->rows.n_combined;

    if (n == 0)
        REASON(j, WI_DOMAIN_OUTSIDE,
               "vibration together with temperature or humidity was never measured; the effects "
               "are added");
    else
        REASON(
            j, WI_DOMAIN_OUTSIDE,
            "vibration together with temperature or humidity was measured by the user alone, and "
            "the model takes none of these %zu observations in; the effects are added",
            n);
}

static void judge_ratio(struct judge *j)
{
    double r = j->look->ratio;

    if (j->look->misfit)
        REASON(j, WI_DOMAIN_EDGE,
               "the user's own measurements lie off what the others led to expect; the interval is "
               "widened by as much");

    /* The points of the fit differ by more than they did before any data: they fit no drive of it.
     */
    if (r >= 1.0)
        REASON(j, WI_DOMAIN_OUTSIDE,
               "what is stored contradicts what the model was fitted to, so the interval may be "
               "wrong: refit it by the command 'fit'");
    else if (r > RATIO_EDGE)
        REASON(j, WI_DOMAIN_OUTSIDE,
               "the experiments decide only %.0f %% of the prior variance here", 100.0 * (1.0 - r));
    else if (r > RATIO_INSIDE)
        REASON(j, WI_DOMAIN_EDGE, "the experiments leave %.0f %% of the prior variance open here",
               100.0 * r);
    if (j->look->ratio_bw > RATIO_EDGE && j->look->ratio_bw > r)
        WARN(j, "bandwidth was hardly measured under this condition; its interval is mostly prior");
}

static void warn_risks(struct judge *j)
{
    const struct wi_outlook *l = j->look;

    if (l->ageing)
        WARN(j, "the change includes the quiet ageing of 120 h seen in the control drives");
}

static void judge_all(struct judge *j)
{
    const struct wi_outlook *l = j->look;
    bool th = l->on.temp || l->on.rh, vib = l->on.vib || l->ageing;

    if (j->parts & WI_DOMAIN_OF_DRIVE)
        judge_device(j);
    if (th && l->physics != (int)WI_PHYSICS_CARRIES)
        judge_th(j);
    if (vib)
        judge_vib(j);
    if (th && l->on.vib)
        judge_combined(j);
    if (j->parts & WI_DOMAIN_OF_CLIMATE)
        judge_ratio(j);
}

enum wi_status wi_domain_judge(const struct wi_evidence *ev, const struct wi_outlook *look,
                               struct wi_forecast *out, struct wi_err *err)
{
    struct judge j = {ev, look, out, err, true, WI_DOMAIN_OF_DRIVE | WI_DOMAIN_OF_CLIMATE, WI_OK};
    bool any = look->on.temp || look->on.rh || look->on.vib || look->ageing;

    judge_all(&j);
    /* Inside has its reason too. */
    if (j.st == WI_OK && out->domain_reasons.n == 0)
        j.st = wi_texts_add(&out->domain_reasons, "", err, "%s",
                            any ? "conditions, percentiles and drive are of the kinds measured"
                                : "nothing is done to the drive");
    warn_unknown(&j);
    warn_risks(&j);
    return j.st == WI_OK ? wi_physics_warnings(look->s, &out->warnings, err) : j.st;
}

enum wi_domain wi_domain_level(const struct wi_evidence *ev, const struct wi_outlook *look,
                               unsigned parts)
{
    struct wi_forecast out;
    struct judge j = {ev, look, &out, NULL, false, parts, WI_OK};

    out.domain = WI_DOMAIN_INSIDE;
    judge_all(&j);
    return out.domain;
}
