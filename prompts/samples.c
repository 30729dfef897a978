#include "prompts/samples.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_WIDTH 1e-4 /* of half an interval in y: 0.01 percent, below any reading */

/* A distribution in y: normal with its own width on either side of the median. */
struct sides {
    double median, low_sd, high_sd;
};

static double y_from_pct(double change_pct)
{
    return log1p(fmax(change_pct, -99.99) / 100.0);
}

static double pct_from_y(double y)
{
    return expm1(y) * 100.0;
}

static double normal_cdf(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

/* z with P(-z < Z < z) = confidence. */
static double normal_z(double confidence)
{
    double low = 0.0, high = 10.0;

    for (int i = 0; i < 80; i++) {
        double mid = 0.5 * (low + high);

        if (normal_cdf(mid) < 0.5 + 0.5 * confidence)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *v, size_t n)
{
    qsort(v, n, sizeof(*v), compare);
    return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

enum wi_status wi_samples_merge(const struct wi_change *samples, size_t n, double confidence,
                                struct wi_change *out, struct wi_err *err)
{
    double *v = calloc(n, sizeof(*v));
    double mid, low, high, spread;

    if (!v)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        v[i] = y_from_pct(samples[i].change_pct);
    mid = median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(y_from_pct(samples[i].change_pct) - mid);
    spread = normal_z(confidence) * 1.4826 * median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = y_from_pct(samples[i].change_pct) - y_from_pct(samples[i].low_pct);
    low = fmax(fmax(median(v, n), spread), LEAST_WIDTH);
    for (size_t i = 0; i < n; i++)
        v[i] = y_from_pct(samples[i].high_pct) - y_from_pct(samples[i].change_pct);
    high = fmax(fmax(median(v, n), spread), LEAST_WIDTH);
    free(v);
    *out = (struct wi_change){.percentile = samples[0].percentile,
                              .change_pct = pct_from_y(mid),
                              .low_pct = pct_from_y(mid - low),
                              .high_pct = pct_from_y(mid + high),
                              .value = NAN,
                              .low = NAN,
                              .high = NAN};
    return WI_OK;
}

static struct sides sides_of(const struct wi_change *c, double z)
{
    double mid = y_from_pct(c->change_pct);

    return (struct sides){mid, fmax(mid - y_from_pct(c->low_pct), LEAST_WIDTH) / z,
                          fmax(y_from_pct(c->high_pct) - mid, LEAST_WIDTH) / z};
}

static double sides_cdf(const struct sides *s, double y)
{
    return normal_cdf((y - s->median) / (y < s->median ? s->low_sd : s->high_sd));
}

static double pool_quantile(const struct sides *a, const struct sides *b, double p)
{
    double low = fmin(a->median - 12.0 * a->low_sd, b->median - 12.0 * b->low_sd);
    double high = fmax(a->median + 12.0 * a->high_sd, b->median + 12.0 * b->high_sd);

    for (int i = 0; i < 100; i++) {
        double mid = 0.5 * (low + high);

        if (0.5 * (sides_cdf(a, mid) + sides_cdf(b, mid)) < p)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

void wi_samples_pool(const struct wi_change *model, const struct wi_change *evidence,
                     double confidence, struct wi_change *out)
{
    double z = normal_z(confidence);
    struct sides a = sides_of(model, z), b = sides_of(evidence, z);

    a.low_sd = fmax(a.low_sd, b.low_sd);
    a.high_sd = fmax(a.high_sd, b.high_sd);
    *out = *evidence;
    out->change_pct = pct_from_y(pool_quantile(&a, &b, 0.5));
    out->low_pct = pct_from_y(pool_quantile(&a, &b, 0.5 - 0.5 * confidence));
    out->high_pct = pct_from_y(pool_quantile(&a, &b, 0.5 + 0.5 * confidence));
    out->value = out->low = out->high = NAN;
}

bool wi_samples_disagree(const struct wi_change *model, const struct wi_change *evidence)
{
    return (model->change_pct < evidence->low_pct || model->change_pct > evidence->high_pct) &&
           (evidence->change_pct < model->low_pct || evidence->change_pct > model->high_pct);
}
