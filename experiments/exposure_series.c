#include "experiments/exposure_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum wi_status wi_series_new(struct wi_series **series, struct wi_err *err)
{
    struct wi_series *s = calloc(1, sizeof(*s));

    if (!s)
        return wi_fail_nomem(err);
    s->width_s = 1.0; /* longer than a period of vibration, so that its mean is gravity */
    *series = s;
    return WI_OK;
}

void wi_series_free(struct wi_series *series)
{
    if (!series)
        return;
    for (size_t c = 0; c < WI_N_CHANNELS; c++)
        free(series->rows[c]);
    free(series);
}

void wi_bucket_merge(struct bucket *into, const struct bucket *from)
{
    if (!(from->n > 0.0))
        return;
    if (into->n > 0.0) {
        into->min = fminf(into->min, from->min);
        into->max = fmaxf(into->max, from->max);
    } else {
        into->min = from->min;
        into->max = from->max;
    }
    into->n += from->n;
    into->sum += from->sum;
    into->sum_sq += from->sum_sq;
}

/*
 * Twice the width: neighbours join, in place. Few rows far apart do it often, so what is empty is
 * not visited.
 */
static void coarsen(struct wi_series *s)
{
    double base = floor(s->base / 2.0);
    size_t shift = (size_t)(s->base - 2.0 * base); /* 0 or 1 */
    size_t from = (size_t)(floor(s->first_s / s->width_s) - s->base);
    size_t to = (size_t)(floor(s->last_s / s->width_s) - s->base) + 1;

    for (size_t c = 0; c < WI_N_CHANNELS; c++) {
        struct bucket *rows = s->rows[c];

        for (size_t i = from; rows && i < to; i++) {
            struct bucket moved = rows[i];
            size_t k = (i + shift) / 2;

            rows[i] = (struct bucket){0};
            wi_bucket_merge(&rows[k], &moved);
        }
    }
    s->base = base;
    s->width_s *= 2.0;
}

static void shift_up(struct wi_series *s, size_t by)
{
    for (size_t c = 0; c < WI_N_CHANNELS; c++) {
        struct bucket *rows = s->rows[c];

        if (!rows)
            continue;
        memmove(rows + by, rows, (WI_SERIES_BUCKETS - by) * sizeof(*rows));
        memset(rows, 0, by * sizeof(*rows));
    }
    s->base -= (double)by;
}

/* Make room for a time; returns its bucket. */
static size_t place(struct wi_series *s, double time_s)
{
    for (;;) {
        double index = floor(time_s / s->width_s) - s->base;
        double last = floor(s->last_s / s->width_s) - s->base;

        if (index >= 0.0 && index < WI_SERIES_BUCKETS)
            return (size_t)index;
        if (index < 0.0 && last - index < WI_SERIES_BUCKETS) {
            shift_up(s, (size_t)-index);
            return 0;
        }
        coarsen(s);
    }
}

void wi_series_add(struct wi_series *s, enum wi_channel channel, double time_s, double value)
{
    struct bucket *b;
    struct bucket one = {1.0, value, value * value, (float)value, (float)value};
    size_t i;

    if (!isfinite(time_s) || fabs(time_s) > 1e12 || !isfinite(value))
        return;
    if (!s->rows[channel]) {
        s->rows[channel] = calloc(WI_SERIES_BUCKETS, sizeof(*s->rows[channel]));
        s->failed = s->failed || !s->rows[channel];
        if (!s->rows[channel])
            return;
    }
    if (!s->started) {
        s->base = floor(time_s / s->width_s);
        s->first_s = s->last_s = time_s;
        s->started = true;
    }
    if (time_s >= s->here_from_s && time_s < s->here_to_s) {
        i = s->here;
    } else {
        i = place(s, time_s);
        s->here = i;
        s->here_from_s = (s->base + (double)i) * s->width_s;
        s->here_to_s = s->here_from_s + s->width_s;
    }
    if (time_s < s->first_s)
        s->first_s = time_s;
    if (time_s > s->last_s)
        s->last_s = time_s;
    b = &s->rows[channel][i];
    if (b->n > 0.0) {
        b->n += 1.0;
        b->sum += value;
        b->sum_sq += value * value;
        if (one.min < b->min) /* fminf is a call, and this is the inner loop */
            b->min = one.min;
        if (one.max > b->max)
            b->max = one.max;
    } else {
        *b = one;
    }
}
