#include "core/sensitivity.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"

struct outputs {
    size_t n, d;
    const double *fa, *fb, *fab;
    double mean;
};

/* Both indices of all factors from the base points `pick` (NULL = each once). */
static void estimate(const struct outputs *o, const uint32_t *pick, double *first, double *total)
{
    double sum = 0.0;
    double square = 0.0;
    double variance;

    for (size_t i = 0; i < o->n; i++) {
        size_t k = pick ? pick[i] : i;
        double a = o->fa[k] - o->mean;
        double b = o->fb[k] - o->mean;

        sum += a + b;
        square += a * a + b * b;
    }
    variance = square / (2.0 * (double)o->n) - pow(sum / (2.0 * (double)o->n), 2.0);
    for (size_t f = 0; f < o->d; f++) {
        const double *fab = o->fab + f * o->n;
        double s = 0.0;
        double t = 0.0;

        for (size_t i = 0; i < o->n; i++) {
            size_t k = pick ? pick[i] : i;
            double step = fab[k] - o->fa[k];

            s += (o->fb[k] - o->mean) * step;
            t += step * step;
        }
        first[f] = variance > 0.0 ? s / (double)o->n / variance : NAN;
        total[f] = variance > 0.0 ? t / (2.0 * (double)o->n) / variance : NAN;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* boot: (n_boot,), sorted here. */
static void set_interval(struct wi_index *index, double *boot, size_t n_boot, double confidence)
{
    double rest = (1.0 - confidence) / 2.0;
    size_t low = (size_t)(rest * (double)(n_boot - 1) + 0.5);

    qsort(boot, n_boot, sizeof(*boot), by_value);
    index->low = boot[low];
    index->high = boot[n_boot - 1 - low];
}

enum wi_status wi_sobol_indices(size_t n, size_t d, const double *fa, const double *fb,
                                const double *fab, size_t n_boot, double confidence, uint64_t seed,
                                struct wi_sobol_indices *out, struct wi_err *err)
{
    struct outputs o = {.n = n, .d = d, .fa = fa, .fb = fb, .fab = fab};
    struct wi_random random = {.state = seed};
    double *first = calloc(d, sizeof(*first));
    double *total = calloc(d, sizeof(*total));
    double *boot = calloc(2 * d * (n_boot + 1), sizeof(*boot)); /* first, then total, by factor */
    uint32_t *pick = calloc(n, sizeof(*pick));
    enum wi_status st = WI_OK;

    if (!first || !total || !boot || !pick) {
        st = wi_fail_nomem(err);
        goto cleanup;
    }
    for (size_t i = 0; i < n; i++)
        o.mean += (fa[i] + fb[i]) / (2.0 * (double)n);
    estimate(&o, NULL, first, total);
    for (size_t f = 0; f < d; f++)
        out[f] =
            (struct wi_sobol_indices){.first = {first[f], NAN, NAN}, .total = {total[f], NAN, NAN}};
    if (!n_boot || isnan(first[0]))
        goto cleanup;
    for (size_t b = 0; b < n_boot; b++) {
        for (size_t i = 0; i < n; i++)
            pick[i] = (uint32_t)(wi_random_uniform(&random) * (double)n);
        estimate(&o, pick, first, total);
        for (size_t f = 0; f < d; f++) {
            boot[f * n_boot + b] = first[f];
            boot[(d + f) * n_boot + b] = total[f];
        }
    }
    for (size_t f = 0; f < d; f++) {
        set_interval(&out[f].first, boot + f * n_boot, n_boot, confidence);
        set_interval(&out[f].total, boot + (d + f) * n_boot, n_boot, confidence);
    }

cleanup:
    free(first);
    free(total);
    free(boot);
    free(pick);
    return st;
}
