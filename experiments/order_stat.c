#include "experiments/order_stat.h"

#include <math.h>

#define LENTZ_TINY 1e-300
#define LENTZ_STEPS_MAX 400000
#define N_MAX 1e15 /* counts above are no counts, and doubles no longer tell ranks apart */
#define NORMAL_VARIANCE_MIN 1e6 /* above, the normal limit errs by less than a rank in 1000 */

/* lgamma writes the global signgam; lgamma_r does not. */
static double log_gamma(double x)
{
    int sign;

    return lgamma_r(x, &sign);
}

static double keep_off_zero(double x)
{
    return fabs(x) < LENTZ_TINY ? LENTZ_TINY : x;
}

static double beta_fraction(double a, double b, double x)
{
    double c = 1.0;
    double d = 1.0 / keep_off_zero(1.0 - (a + b) * x / (a + 1.0));
    double h = d;

    for (int m = 1; m <= LENTZ_STEPS_MAX; m++) {
        double m2 = 2.0 * m;
        double even = m * (b - m) * x / ((a + m2 - 1.0) * (a + m2));
        double odd = -(a + m) * (a + b + m) * x / ((a + m2) * (a + m2 + 1.0));
        double step;

        d = 1.0 / keep_off_zero(1.0 + even * d);
        c = keep_off_zero(1.0 + even / c);
        h *= d * c;
        d = 1.0 / keep_off_zero(1.0 + odd * d);
        c = keep_off_zero(1.0 + odd / c);
        step = d * c;
        h *= step;
        if (fabs(step - 1.0) < 1e-15)
            break;
    }
    return h;
}

double wi_beta_inc(double a, double b, double x)
{
    double front;

    if (x <= 0.0)
        return 0.0;
    if (x >= 1.0)
        return 1.0;
    front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    /* The fraction converges fast on this side of the mean only. */
    if (x < (a + 1.0) / (a + b + 2.0))
        return front * beta_fraction(a, b, x) / a;
    return 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

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

/* z with P(Z > z) = tail; tail 0..0.5. */
static double normal_quantile(double tail)
{
    double low = 0.0;
    double high = 40.0;

    for (int i = 0; i < 100; i++) {
        double mid = 0.5 * (low + high);

        if (0.5 * erfc(mid / sqrt(2.0)) > tail)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
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
    spread = normal_quantile(tail) * sqrt(n * p_frac * (1.0 - p_frac));
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

double wi_student_t_quantile(double p, double dof)
{
    double low = 0.0;
    double high = 1.0;

    /* P(T > t) = I_{dof/(dof+t^2)}(dof/2, 1/2) / 2 */
    while (0.5 * wi_beta_inc(dof / 2.0, 0.5, dof / (dof + high * high)) > 1.0 - p && high < 1e12)
        high *= 2.0;
    for (int i = 0; i < 100 && high - low > 1e-13 * high; i++) {
        double mid = 0.5 * (low + high);

        if (0.5 * wi_beta_inc(dof / 2.0, 0.5, dof / (dof + mid * mid)) > 1.0 - p)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}
