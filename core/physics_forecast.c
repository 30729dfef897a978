#include "core/physics_forecast.h"

#include <math.h>
#include <stdio.h>

enum wi_physics_role wi_physics_role(const struct wi_scenario *s)
{
    struct wi_stressors x = wi_scenario_stressors(s);
    bool climate = x.temp || x.rh;

    if (s->phase == WI_PHASE_LONG_TERM &&
        (climate || (!x.vib && s->exposure.during_h > WI_PHYSICS_LONG_H)))
        return WI_PHYSICS_CARRIES;
    if (climate && (s->nand == WI_NAND_SLC || s->nand == WI_NAND_QLC || !isnan(s->pe_cycles)))
        return WI_PHYSICS_ADDS;
    return wi_physics_aged_frac(s) > 0.0 ? WI_PHYSICS_AGES : WI_PHYSICS_NONE;
}

double wi_physics_aged_frac(const struct wi_scenario *s)
{
    struct wi_stressors x = wi_scenario_stressors(s);
    double h = s->exposure.during_h;

    if (s->phase != WI_PHASE_POST || !(h > WI_PHYSICS_RUN_H) || (x.vib && !x.temp && !x.rh))
        return 0.0;
    return fmin(1.0, log(h / WI_PHYSICS_RUN_H) / log(WI_PHYSICS_LONG_H / WI_PHYSICS_RUN_H));
}

static struct wi_change change_of(const struct wi_physics_shift *shift, double percentile,
                                  double confidence)
{
    double tail = 0.5 * (1.0 - confidence);

    return (struct wi_change){
        .percentile = percentile,
        .change_pct = 100.0 * expm1(shift->mid),
        .low_pct = 100.0 * expm1(wi_physics_shift_quantile(shift, tail)),
        .high_pct = 100.0 * expm1(wi_physics_shift_quantile(shift, 1.0 - tail)),
        .value = NAN,
        .low = NAN,
        .high = NAN,
    };
}

static enum wi_status give_reasons(const struct wi_scenario *s, struct wi_texts *list,
                                   struct wi_err *err)
{
    struct wi_stressors x = wi_scenario_stressors(s);
    double aged = wi_physics_aged_frac(s);
    enum wi_status st = WI_OK;

    if (s->nand == WI_NAND_SLC || s->nand == WI_NAND_QLC)
        st = wi_texts_add(list, "no-slc-or-qlc-measurement", err,
                          "no %s drive was ever measured under temperature, humidity or vibration",
                          s->nand == WI_NAND_SLC ? "SLC" : "QLC");
    if (st == WI_OK && !isnan(s->pe_cycles))
        st = wi_texts_add(list, "rber-power-law", err,
                          "no experiment states the wear of its drives (asked: %g P/E cycles)",
                          s->pe_cycles);
    if (st == WI_OK && s->phase == WI_PHASE_LONG_TERM && (x.temp || x.rh))
        st = wi_texts_add(list, "no-long-term-heat-or-humidity", err,
                          "long exposure to temperature or humidity was never measured");
    if (st == WI_OK && aged > 0.0)
        st = wi_texts_add(list, "no-long-term-heat-or-humidity", err,
                          "what an exposure leaves behind was measured after %g h of it only "
                          "(asked: %g h): %.0f %% of the answer is the ageing of data by physics",
                          WI_PHYSICS_RUN_H, s->exposure.during_h, 100.0 * aged);
    if (st == WI_OK && (s->phase == WI_PHASE_LONG_TERM || aged >= 1.0) &&
        s->exposure.during_h > WI_PHYSICS_LONG_H)
        st = wi_texts_add(list, "quiet-ageing-of-controls", err,
                          "the longest experiment took 120 h (asked: %g h)", s->exposure.during_h);
    return st;
}

/* What the question left open, in one line. */
static enum wi_status warn_assumed(const struct wi_scenario *s, const struct wi_physics_outlook *o,
                                   struct wi_texts *list, struct wi_err *err)
{
    char hours[48] = "";

    if (!o->assumed_wear && !o->assumed_hours)
        return WI_OK;
    if (o->assumed_hours)
        snprintf(hours, sizeof(hours), "%s%g h of exposure", o->assumed_wear ? ", " : "",
                 s->phase == WI_PHASE_LONG_TERM ? WI_PHYSICS_LONG_H : WI_PHYSICS_RUN_H);
    return wi_texts_add(list, "endurance-by-cell-type", err, "physics assumes %s%s, not stated",
                        o->assumed_wear ? "wear of 1 to 50 % of the rated endurance" : "", hours);
}

enum wi_status wi_physics_explain(const struct wi_scenario *s, const struct wi_physics_outlook *o,
                                  struct wi_texts *reasons, struct wi_texts *list,
                                  struct wi_err *err)
{
    double aged = wi_physics_aged_frac(s);
    bool partly = aged < 1.0 && (aged > 0.0 || wi_physics_role(s) == WI_PHYSICS_ADDS);
    enum wi_status st = wi_texts_add(
        list, "rber-power-law read-retry-latency", err,
        "%s physics: retention and temperature to error rate (median %.2g to %.2g) to read "
        "retries; its spread is that of assumed parameters, not of measurements",
        partly ? "partly from" : "from", o->rber_before, o->rber_after);

    if (st == WI_OK)
        st = give_reasons(s, reasons, err);
    if (st == WI_OK && s->nand != WI_NAND_TLC)
        st = wi_texts_add(list, "rber-power-law", err,
                          "no verified error-rate parameters are known for %s: those of one TLC "
                          "chip are scaled over a wide range",
                          s->nand == WI_NAND_UNKNOWN ? "an unknown NAND type"
                                                     : wi_nand_name(s->nand));
    if (st == WI_OK)
        st = warn_assumed(s, o, list, err);
    if (st == WI_OK && (s->phase == WI_PHASE_LONG_TERM || aged > 0.0))
        st = wi_texts_add(
            list, "arrhenius-retention effective-activation-energy", err,
            "data are taken as 10 to 100 %% as old as the exposure (storage: the upper "
            "end, a workload that rewrites them: the lower), which equals %.3g to %.3g "
            "h at 25 C by activation energies of 0.2 to 1.1 eV",
            o->room_h_low, o->room_h_high);
    if (st == WI_OK && o->lost_frac > 0.0)
        st = wi_texts_add(list, "ecc-limit", err,
                          "data may become unreadable: in %.0f %% of the parameter sets the error "
                          "rate is beyond what read retry was seen to recover",
                          100.0 * o->lost_frac);
    return st;
}

enum wi_status wi_physics_forecast(const struct wi_scenario *s, struct wi_forecast *out,
                                   struct wi_err *err)
{
    struct wi_physics_outlook o;
    struct wi_forecast f = {.domain = WI_DOMAIN_OUTSIDE, .from_physics = true};
    enum wi_status st;

    wi_physics_outlook(s, WI_SCOPE_ALL, &o);
    f.n_tail = s->n_percentiles;
    for (size_t i = 0; i < s->n_percentiles; i++)
        f.tail[i] = change_of(&o.tail[i], s->percentiles[i], s->confidence);
    f.bandwidth = change_of(&o.bandwidth, NAN, s->confidence);
    st = wi_physics_explain(s, &o, &f.domain_reasons, &f.warnings, err);
    if (st == WI_OK && wi_scenario_stressors(s).vib)
        st = wi_texts_add(&f.warnings, "", err,
                          "no physical model gives latency under vibration: it only widens the "
                          "interval");
    if (st != WI_OK) {
        wi_forecast_release(&f);
        return st;
    }
    *out = f;
    return WI_OK;
}
