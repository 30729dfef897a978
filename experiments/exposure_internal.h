/*
 * The accumulator of a series (exposure_series.c), the points it is seen as (exposure_segment.c),
 * and the cutting of these into steps (exposure_cut.c).
 */
#ifndef WI_EXPERIMENTS_EXPOSURE_INTERNAL_H
#define WI_EXPERIMENTS_EXPOSURE_INTERNAL_H

#include "experiments/exposure_series.h"

#define WI_SERIES_BUCKETS 8192

struct bucket {
    double n, sum, sum_sq;
    float min, max;
};

struct wi_series {
    struct bucket *rows[WI_N_CHANNELS]; /* WI_SERIES_BUCKETS each, allocated at first use */
    double width_s;
    double base; /* whole number of widths before rows[.][0] */
    bool started;
    double first_s, last_s;
    double here_from_s, here_to_s; /* times of the bucket that was used last: it is used again */
    size_t here;
    bool failed; /* an allocation failed */
};

void wi_bucket_merge(struct bucket *into, const struct bucket *from);

/* ---- points: what the segmentation sees ------------------------------------------------- */

#define WI_POINTS_MAX 1024

enum quantity { Q_TEMP, Q_RH, Q_GRMS, N_QUANTITIES };

struct point {
    double time_s;
    double value[N_QUANTITIES]; /* in units; missing values are carried over */
    size_t from, to;            /* buckets [from, to) */
};

struct points {
    struct point *items;
    size_t n;
    bool has[N_QUANTITIES];
    double (*sum)[N_QUANTITIES]; /* (n + 1) prefix sums */
    double (*sum_sq)[N_QUANTITIES];
};

/*
 * Cut into one, two or three steady steps, the ramps between them left out.
 *
 * out:  from, to   points [from, to) of each step
 * returns the number of steps
 */
size_t wi_points_cut(const struct points *p, size_t from[3], size_t to[3]);

#endif
