#include "experiments/order_stat.h"

#include <math.h>

#include "core/beta.h"
#include "core/normal.h"

#define N_MAX 1e15 /* counts above are no counts, and doubles no longer tell ranks apart */
#define NORMAL_VARIANCE_MIN 1e6 /* above, the normal limit errs by less than a rank in 1000 */

double wi_binomial_cdf(double k, double n, double p_frac)
{
    if (k < 0.0)
        return 0.0;
    if (k >= n)
        return 1.0;
    return wi_beta_inc(n - k, k + 1.0, 1.0 - p_frac);
}

/*
 * Largest k in -1..n with CDF(k) <= limit. Gallops away from the guess, so that it costs a dozen
 * evaluations where a bisection over 1e9 samples would cost thirty.
 */
static double last_below(double guess, double n, double p_frac, double limit)
{
    double low = floor(guess);
    double high;
    double step = 1.0;

    if (low < -1.0)
        low = -1.0;
    if (low > n)
        low = n;
    high = low;
    while (low > -1.0 && wi_binomial_cdf(low, n, p_frac) > limit) {
        high = low;
        low = fmax(-1.0, low - step);
        step *= 2.0;
    }
    if (high == low) {
        while (high <= n && wi_binomial_cdf(high, n, p_frac) <= limit) {
            low = high;
            high = fmin(n + 1.0, high + step);
            step *= 2.0;
        }
    }
    while (high - low > 1.0) {
        double mid = floor(low + (high - low) / 2.0);

        if (wi_binomial_cdf(mid, n, p_frac) <= limit)
            low = mid;
        else
            high = mid;
    }
    return low;
}

bool wi_order_ranks(double n_samples, double p_frac, double confidence, double *lower,
                    double *upper)
{
    double n = floor(n_samples);
    double tail = (1.0 - confidence) / 2.0;
    double spread;
    double above;

    *lower = 0.0;
    *upper = n + 1.0;
    if (!(n >= 1.0 && n <= N_MAX) || !(p_frac > 0.0 && p_frac < 1.0))
        return false;
    spread = -wi_gauss_quantile(tail) * sqrt(n * p_frac * (1.0 - p_frac));
    if (n * p_frac * (1.0 - p_frac) > NORMAL_VARIANCE_MIN) {
        *lower = floor(n * p_frac - spread);
        *upper = ceil(n * p_frac + spread) + 1.0;
        return *lower >= 1.0 && *upper <= n;
    }
    /* P(X(l) > q) = CDF(l - 1) */
    *lower = last_below(n * p_frac - spread - 1.0, n, p_frac, tail) + 1.0;
    /* P(X(u) < q) = 1 - CDF(u - 1): the first u - 1 whose CDF reaches 1 - tail */
    above = last_below(n * p_frac + spread, n, p_frac, 1.0 - tail);
    if (above >= 0.0 && wi_binomial_cdf(above, n, p_frac) == 1.0 - tail)
        above -= 1.0;
    *upper = above + 2.0;
    if (*lower < 1.0)
        *lower = 0.0;
    if (*upper > n)
        *upper = n + 1.0;
    return *lower >= 1.0 && *upper <= n;
}

double wi_order_samples_needed(double p_frac, double confidence)
{
    /* The largest of n samples lies above the percentile unless all n lie below: p^n. */
    return ceil(log((1.0 - confidence) / 2.0) / log(p_frac < 0.5 ? 1.0 - p_frac : p_frac));
}
