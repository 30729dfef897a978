/* The evidence model and the physics module meet here. */
#include "core/evidence_model.h"

#include <math.h>

#include "core/normal.h"
#include "core/physics_forecast.h"

/* As in the combination of stressors: half of the weaker effect may be added or lost. */
#define INTERACTION_FRAC 0.5

static void add_shift(struct wi_sums *sums, size_t i, const struct wi_physics_shift *shift,
                      bool interacts)
{
    double mean, var;

    wi_physics_shift_moments(shift, &mean, &var);
    if (interacts)
        sums->var[i] += INTERACTION_FRAC * INTERACTION_FRAC *
                        fmin(sums->mean[i] * sums->mean[i] + sums->var[i], mean * mean + var);
    sums->mean[i] += mean;
    sums->var[i] += var;
}

enum wi_status wi_evidence_add_physics(const struct wi_scenario *s, int role, struct wi_sums *sums,
                                       struct wi_forecast *out, struct wi_err *err)
{
    struct wi_physics_outlook o;
    bool carries = role == (int)WI_PHYSICS_CARRIES;
    bool vib = s->exposure.during.vib.axis != WI_AXIS_NONE;
    bool borrowed = s->nand == WI_NAND_SLC || s->nand == WI_NAND_QLC;

    wi_physics_outlook(s, carries ? WI_SCOPE_CLIMATE : WI_SCOPE_MECHANISM, &o);
    for (size_t i = 0; i < sums->n; i++) {
        double sd = i + 1 < sums->n ? o.left_out_tail : o.left_out_bandwidth;

        /*
         * A cell type that nobody measured keeps at least the spread of the measured effects: of
         * the two that were measured, one would not have foretold the other's bandwidth.
         */
        if (borrowed && !carries)
            sums->var[i] = fmax(sums->var[i], sd * sd);
        add_shift(sums, i, i + 1 < sums->n ? &o.tail[i] : &o.bandwidth, carries && vib);
    }
    out->domain = WI_DOMAIN_OUTSIDE;
    out->from_physics = carries && !vib;
    /* Where the data age as well, one text says all of it. */
    if (wi_physics_aged_frac(s) > 0.0)
        return WI_OK;
    return wi_physics_explain(s, &o, &out->domain_reasons, &out->warnings, err);
}

enum wi_status wi_evidence_mix_aged(const struct wi_scenario *s, const struct wi_ageing *a,
                                    struct wi_sums *sums, struct wi_forecast *out,
                                    struct wi_err *err)
{
    bool vib = wi_scenario_stressors(s).vib;
    struct wi_physics_outlook o;
    double share = a->share;

    wi_physics_outlook_aged(s, &o);
    for (size_t i = 0; i < sums->n; i++) {
        double mean, var, short_mean = sums->mean[i] - a->vib->mean[i];
        double short_var = fmax(0.0, sums->var[i] - a->vib->var[i]), gap, both;

        wi_physics_shift_moments(i + 1 < sums->n ? &o.tail[i] : &o.bandwidth, &mean, &var);
        mean += a->quiet->mean[i];
        var += a->quiet->var[i];
        gap = mean - short_mean;
        both = fmin(a->vib->mean[i] * a->vib->mean[i] + a->vib->var[i], mean * mean + var);
        if (vib)
            var += INTERACTION_FRAC * INTERACTION_FRAC * both;
        sums->mean[i] = a->vib->mean[i] + (1.0 - share) * short_mean + share * mean;
        sums->var[i] = a->vib->var[i] + (1.0 - share) * short_var + share * var +
                       share * (1.0 - share) * gap * gap;
        sums->noise[i] += share * a->quiet->noise[i];
    }
    if (out->domain != WI_DOMAIN_OUTSIDE)
        out->domain = share >= 0.5 ? WI_DOMAIN_OUTSIDE : WI_DOMAIN_EDGE;
    out->from_physics |= share >= 0.5 && !vib;
    return wi_physics_explain(s, &o, &out->domain_reasons, &out->warnings, err);
}

enum wi_status wi_evidence_tell_throttle(const struct wi_throttle *t, struct wi_forecast *out,
                                         struct wi_err *err)
{
    if (!wi_throttle_carries(t))
        return WI_OK;
    out->domain = WI_DOMAIN_OUTSIDE;
    out->from_physics = true;
    return wi_texts_add(
        &out->domain_reasons, WI_THROTTLE_CITES, err,
        "throttling carries these numbers and not a measurement: in air of %g C "
        "about %.0f %% of such drives would slow themselves, by a thermal model and "
        "published thresholds, not by measurements of such a drive",
        fmax(t->at_c, t->before_c), 100.0 * t->prob);
}

static void throttle(const struct wi_throttle *t, const struct wi_sums *sums, size_t i,
                     double confidence, double sds, struct wi_change *c)
{
    double p = 0.5 + 0.5 * confidence, probs[3] = {1.0 - p, 0.5, p}, q[3], weight = 1.0;
    /* As wide as Student's at this confidence. */
    double sd = sqrt(sums->var[i] + sums->noise[i]) * sds / wi_gauss_quantile(p);

    if (!wi_throttle_mix(t, isnan(c->percentile) ? WI_METRIC_BANDWIDTH : WI_METRIC_TAIL_LATENCY, 1,
                         &weight, &sums->mean[i], &sd, 3, probs, q))
        return;
    c->low_pct = 100.0 * expm1(q[0]);
    c->change_pct = 100.0 * expm1(q[1]);
    c->high_pct = 100.0 * expm1(q[2]);
    if (!(c->low_pct < c->change_pct))
        c->low_pct = nextafter(c->change_pct, -100.0);
    if (!(c->high_pct > c->change_pct))
        c->high_pct = nextafter(c->change_pct, HUGE_VAL);
}

void wi_evidence_write_changes(const struct wi_scenario *s, const struct wi_sums *sums,
                               const struct wi_throttle *t, double sds, struct wi_forecast *out)
{
    out->n_tail = sums->n - 1;
    for (size_t i = 0; i < sums->n; i++) {
        struct wi_change *c = i + 1 < sums->n ? &out->tail[i] : &out->bandwidth;

        *c = (struct wi_change){.percentile = i + 1 < sums->n ? s->percentiles[i] : NAN,
                                .value = NAN,
                                .low = NAN,
                                .high = NAN};
        wi_change_set(c, sums->mean[i], sums->var[i] + sums->noise[i], sds);
        if (t->prob > 0.0)
            throttle(t, sums, i, s->confidence, sds, c);
    }
}
