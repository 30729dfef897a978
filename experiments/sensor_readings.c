#include "experiments/sensor_readings.h"

#include <math.h>

#include "core/limits.h"

#define GAP_FACTOR 10.0
#define STUCK_ROWS_MIN 60.0
#define STUCK_S_MIN 3600.0
#define FLAT_FRAC 0.5 /* a sensor this often stuck has a coarse step rather than a fault */

static const struct {
    double min, max;
    const char *unit;
} possible[WI_N_CHANNELS] = {{WI_TEMP_C_MIN, WI_TEMP_C_MAX, "C"},
                             {WI_RH_PCT_MIN, WI_RH_PCT_MAX, "%RH"},
                             {WI_GRMS_MIN, WI_GRMS_MAX, "g rms"},
                             {WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX, "Hz"},
                             {-1000.0, 1000.0, "g"},
                             {-1000.0, 1000.0, "g"},
                             {-1000.0, 1000.0, "g"}};

void wi_readings_init(struct wi_readings *r, const char *name, struct wi_series *series,
                      struct wi_exposure_record *record)
{
    *r = (struct wi_readings){
        .name = name, .series = series, .record = record, .last_row_s = NAN, .typical_s = NAN};
}

static void end_stuck_run(struct wi_readings_channel *c)
{
    double for_s = c->last_s - c->same_since_s;

    if (c->n_same < STUCK_ROWS_MIN || for_s < STUCK_S_MIN)
        return;
    c->n_stuck_rows += c->n_same;
    c->longest_stuck_s = fmax(c->longest_stuck_s, for_s);
}

static void follow_value(struct wi_readings_channel *c, double time_s, double value)
{
    if (c->any && !(value < c->last_value) && !(value > c->last_value)) {
        c->n_same += 1.0;
        return;
    }
    if (c->any)
        end_stuck_run(c);
    c->same_since_s = time_s;
    c->n_same = 1.0;
}

void wi_readings_add(struct wi_readings *r, enum wi_channel ch, double time_s, double value,
                     size_t line)
{
    struct wi_readings_channel *c = &r->channels[ch];

    if (!(value >= possible[ch].min && value <= possible[ch].max)) {
        if (c->n_impossible == 0.0) {
            c->first_impossible = value;
            c->first_impossible_line = line;
        }
        c->n_impossible += 1.0;
        r->record->counts.impossible += 1.0;
        return;
    }
    if (c->any && time_s <= c->last_s) {
        if (time_s < c->last_s) {
            r->record->counts.backward += 1.0;
        } else if (ch < WI_CH_ACC_X) { /* raw acceleration may have many samples per tick */
            r->record->counts.duplicate += 1.0;
            return;
        }
    }
    follow_value(c, time_s, value);
    c->any = true;
    c->last_s = time_s;
    c->last_value = value;
    c->n_rows += 1.0;
    wi_series_add(r->series, ch, time_s, value);
}

void wi_readings_time(struct wi_readings *r, double time_s)
{
    double step = fabs(time_s - r->last_row_s);

    r->last_row_s = time_s;
    if (isnan(step) || step <= 0.0)
        return;
    if (isfinite(r->typical_s) && step > GAP_FACTOR * r->typical_s) {
        r->record->counts.gaps += 1.0;
        r->record->counts.longest_gap_s = fmax(r->record->counts.longest_gap_s, step);
        return; /* a gap is no part of what is typical */
    }
    r->typical_s = isfinite(r->typical_s) ? 0.9 * r->typical_s + 0.1 * step : step;
}

enum wi_status wi_readings_finish(struct wi_readings *r, struct wi_err *err)
{
    static const char *const names[WI_N_CHANNELS] = {
        "temperature",    "humidity",       "vibration",     "frequency",
        "acceleration x", "acceleration y", "acceleration z"};
    enum wi_status st = WI_OK;

    for (size_t ch = 0; ch < WI_N_CHANNELS && st == WI_OK; ch++) {
        struct wi_readings_channel *c = &r->channels[ch];

        if (c->any)
            end_stuck_run(c);
        if (c->n_impossible > 0.0)
            st = wi_texts_add(
                &r->record->warnings, "", err,
                "%s:%zu: %g %s is impossible (%s is %g to %g); %.0f such readings left "
                "out",
                r->name, c->first_impossible_line, c->first_impossible, possible[ch].unit,
                names[ch], possible[ch].min, possible[ch].max, c->n_impossible);
        if (st == WI_OK && c->n_stuck_rows > 0.0 && c->n_stuck_rows < FLAT_FRAC * c->n_rows) {
            r->record->counts.stuck += c->n_stuck_rows;
            r->record->counts.longest_stuck_s =
                fmax(r->record->counts.longest_stuck_s, c->longest_stuck_s);
            st = wi_texts_add(
                &r->record->warnings, "", err,
                "%s: %s stood still to the last digit for up to %.1f h: a stuck sensor?", r->name,
                names[ch], c->longest_stuck_s / 3600.0);
        }
    }
    return st;
}

bool wi_readings_any(const struct wi_readings *r)
{
    for (size_t ch = 0; ch < WI_N_CHANNELS; ch++) {
        if (r->channels[ch].any)
            return true;
    }
    return false;
}

enum wi_status wi_readings_refuse_impossible(const struct wi_readings *r, struct wi_err *err)
{
    for (size_t ch = 0; ch < WI_N_CHANNELS; ch++) {
        const struct wi_readings_channel *c = &r->channels[ch];

        if (c->n_impossible > 0.0)
            return wi_fail(
                err, WI_EDATA,
                "%s:%zu: %g %s is impossible, %g to %g is possible; no usable reading in "
                "the file",
                r->name, c->first_impossible_line, c->first_impossible, possible[ch].unit,
                possible[ch].min, possible[ch].max);
    }
    return WI_OK;
}
