/*
 * The accumulator of a series, shared between filling it and cutting it into steps.
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

#endif
