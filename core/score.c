#include "core/score.h"

#include <math.h>
#include <stdlib.h>

#include "core/random.h"

#define SIGN_MIN_POINTS 1.5 /* below, a change is within the reading error and has no sign */
#define BOOT_ROUNDS 4000
#define BOOT_SEED 25u

void wi_scores_eval(size_t n, const double *truth, const double *change, const double *low,
                    const double *high, double confidence, struct wi_scores *out)
{
    double abs_sum = 0, sq = 0, ref = 0, width = 0, k = 2.0 / (1.0 - confidence);
    size_t signs = 0, right = 0, within = 0;

    for (size_t i = 0; i < n; i++) {
        double y = truth[i], e = change[i] - y;

        abs_sum += fabs(e);
        sq += e * e;
        ref += y * y;
        if (fabs(y) > SIGN_MIN_POINTS) {
            signs++;
            right += change[i] * y > 0.0;
        }
        within += y >= low[i] && y <= high[i];
        width += high[i] - low[i] + k * fmax(low[i] - y, 0.0) + k * fmax(y - high[i], 0.0);
    }
    *out = (struct wi_scores){.n = n,
                              .mae_points = n ? abs_sum / (double)n : NAN,
                              .rel_mse_pct = ref > 0.0 ? 100.0 * sq / ref : NAN,
                              .sign_right_pct = signs ? 100.0 * (double)right / (double)signs : NAN,
                              .coverage_pct = n ? 100.0 * (double)within / (double)n : NAN,
                              .interval_score = n ? width / (double)n : NAN};
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double wi_quantile_sort(double *x, size_t n, double q)
{
    double pos = q * (double)(n - (n ? 1 : 0));
    size_t i = (size_t)pos;

    if (n == 0)
        return NAN;
    qsort(x, n, sizeof(*x), compare);
    return i + 1 < n ? x[i] + (pos - (double)i) * (x[i + 1] - x[i]) : x[n - 1];
}

enum wi_status wi_scores_bootstrap(size_t n, const double *truth, const double *change,
                                   const size_t *group, size_t n_groups, double mae[2],
                                   double rel[2], struct wi_err *err)
{
    double *m = calloc(2 * BOOT_ROUNDS + 4 * n_groups + 1, sizeof(*m)), *r, *sum;
    struct wi_random rnd = {BOOT_SEED};

    if (!m)
        return wi_fail_nomem(err);
    r = m + BOOT_ROUNDS;
    sum = r + BOOT_ROUNDS; /* per group: count, absolute error, squared error, squared truth */
    for (size_t i = 0; i < n; i++) {
        double e = change[i] - truth[i], *g = sum + 4 * group[i];

        g[0] += 1.0;
        g[1] += fabs(e);
        g[2] += e * e;
        g[3] += truth[i] * truth[i];
    }
    for (size_t b = 0; b < BOOT_ROUNDS; b++) {
        double t[4] = {0};

        for (size_t i = 0; i < n_groups; i++) {
            const double *g = sum + 4 * (size_t)(wi_random_uniform(&rnd) * (double)n_groups);

            for (int k = 0; k < 4; k++)
                t[k] += g[k];
        }
        m[b] = t[0] > 0.0 ? t[1] / t[0] : 0.0;
        r[b] = t[3] > 0.0 ? 100.0 * t[2] / t[3] : 0.0;
    }
    for (int k = 0; k < 2; k++) {
        mae[k] = wi_quantile_sort(m, BOOT_ROUNDS, k ? 0.95 : 0.05);
        rel[k] = wi_quantile_sort(r, BOOT_ROUNDS, k ? 0.95 : 0.05);
    }
    free(m);
    return WI_OK;
}
