#include "core/physics_forecast.h"

#include <math.h>

#include "core/phys_models.h"

#define USUAL_LOW_C 0.0 /* operating range of consumer drives (Intel 530) */
#define USUAL_HIGH_C 70.0
#define HUMID_PCT 70.0 /* measured: 80 %; the ASHRAE classes end at 80 to 90 % */
#define LONG_VIB_H 120.0
#define WEEK_H 168.0

/*
 * Air onto a drive that still has the temperature of the step before: a fast ramp, idle.
 * in:   note   what of that air was only assumed, "" for nothing
 */
static enum wi_status warn_dew(double drive_c, const struct wi_step *air, const char *note,
                               struct wi_texts *list, struct wi_err *err)
{
    enum wi_phys_magnus_set set = air->temp_c > 60.0 ? WI_MAGNUS_WIDE : WI_MAGNUS_SONNTAG;
    double dew_c;

    if (air->rh_pct <= 0.0)
        return WI_OK;
    dew_c = wi_phys_dew_point_c(set, air->temp_c, air->rh_pct);
    if (dew_c <= drive_c)
        return WI_OK;
    return wi_texts_add(
        list, "condensation-on-cold-drives dew-point", err,
        "condensation: air of %g C and %g %%RH%s has its dew point at %.1f C; a drive "
        "that is still at %g C gets wet unless the ramp is slow or it heats itself",
        air->temp_c, air->rh_pct, note, dew_c, drive_c);
}

/*
 * Where nobody stated the humidity of a step, no dew point is claimed from the one assumed: air
 * that is heated or cooled keeps the moisture of the before step. That never wets a drive as warm
 * as the before step, but it may wet one that comes back from the cold.
 */
static enum wi_status warn_condensation(const struct wi_scenario *s, struct wi_texts *list,
                                        struct wi_err *err)
{
    const struct wi_exposure *e = &s->exposure;
    bool during_known = !(s->assumed & WI_F_DURING_RH), after_known = !(s->assumed & WI_F_AFTER_RH);
    enum wi_status st = WI_OK;

    if (during_known &&
        (e->during.temp_c != e->before.temp_c || e->during.rh_pct != e->before.rh_pct))
        st = warn_dew(e->before.temp_c, &e->during, "", list, err);
    if (st != WI_OK || !e->has_after ||
        (e->after.temp_c == e->during.temp_c && e->after.rh_pct == e->during.rh_pct))
        return st;
    return warn_dew(e->during.temp_c, after_known ? &e->after : &e->before,
                    !after_known && s->assumed & WI_F_BEFORE_RH ? " (assumed)" : "", list, err);
}

static enum wi_status warn_range(const struct wi_step *during, struct wi_texts *list,
                                 struct wi_err *err)
{
    if (during->temp_c >= USUAL_LOW_C && during->temp_c <= USUAL_HIGH_C)
        return WI_OK;
    return wi_texts_add(list, "component-temperature-limits", err,
                        "%g C is outside 0 to 70 C, the usual operating range of consumer drives; "
                        "industrial drives are made for -40 to 85 C",
                        during->temp_c);
}

static enum wi_status warn_vibration(const struct wi_scenario *s, struct wi_texts *list,
                                     struct wi_err *err)
{
    bool lasting = s->phase == WI_PHASE_LONG_TERM || s->exposure.during_h >= LONG_VIB_H;

    if (!lasting || s->exposure.during.vib.axis == WI_AXIS_NONE)
        return WI_OK;
    return wi_texts_add(
        list, "vibration-fail-stop", err,
        "fail-stop: some drives of vendors A and C failed after 120 h of vibration, "
        "before their rated endurance, after losing 9 to 62 %% of write speed; none "
        "did without vibration");
}

static enum wi_status warn_humidity(const struct wi_step *during, struct wi_texts *list,
                                    struct wi_err *err)
{
    if (during->rh_pct < HUMID_PCT)
        return WI_OK;
    return wi_texts_add(
        list, "humidity-fail-stop", err,
        "data loss: after high humidity some measured drives stopped for good before "
        "their rated endurance and lost all data, and wear ran at twice the rate; "
        "none did at room humidity");
}

/* The standard's client class: 52 weeks without power at 30 C at the end of life, 1.1 eV. */
static enum wi_status warn_storage(const struct wi_scenario *s, struct wi_texts *list,
                                   struct wi_err *err)
{
    const struct wi_phys_retention_class *client = &wi_phys_retention_classes[0];
    double weeks, rated_weeks;

    if (s->phase == WI_PHASE_RUNNING || isnan(s->exposure.during_h))
        return WI_OK;
    weeks = s->exposure.during_h / WEEK_H;
    rated_weeks =
        client->weeks / wi_phys_arrhenius_af(1.1, client->off_c, s->exposure.during.temp_c);
    if (weeks <= rated_weeks)
        return WI_OK;
    return wi_texts_add(list, "jesd218-client-class retention-halves-per-5c", err,
                        "retention: %.3g weeks at %g C without power are more than the %.3g weeks "
                        "that the client class of JESD218 allows a worn drive (1.1 eV)",
                        weeks, s->exposure.during.temp_c, rated_weeks);
}

enum wi_status wi_physics_warnings(const struct wi_scenario *s, struct wi_texts *warnings,
                                   struct wi_err *err)
{
    const struct wi_exposure *e = &s->exposure;
    enum wi_status st = warn_condensation(s, warnings, err);

    if (st == WI_OK)
        st = warn_range(&e->during, warnings, err);
    if (st == WI_OK)
        st = warn_vibration(s, warnings, err);
    if (st == WI_OK)
        st = warn_humidity(&e->during, warnings, err);
    if (st == WI_OK)
        st = warn_storage(s, warnings, err);
    return st;
}
