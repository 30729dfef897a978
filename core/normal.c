#include "core/normal.h"

#include <math.h>
#include <stdbool.h>

#define SQRT_2 1.41421356237309504880
#define NEWTON_DONE 1e-7
#define INV_SQRT_2PI 0.39894228040143267794

double wi_gauss_pdf(double z)
{
    return INV_SQRT_2PI * exp(-0.5 * z * z);
}

double wi_gauss_cdf(double z)
{
    return 0.5 * erfc(-z / SQRT_2);
}

/* For p up to one half. */
static double acklam(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    double q, r;

    if (p < 0.02425) {
        q = sqrt(-2.0 * log(p));
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    }
    q = p - 0.5;
    r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
}

double wi_gauss_quantile_rough(double prob)
{
    return prob > 0.5 ? -acklam(1.0 - prob) : acklam(prob);
}

double wi_gauss_quantile(double prob)
{
    double z, e, u;

    if (prob <= 0.0)
        return -INFINITY;
    if (prob >= 1.0)
        return INFINITY;
    /* The upper half by symmetry, so that quantile(1-p) = -quantile(p) where 1-p is exact. */
    if (prob > 0.5)
        return -wi_gauss_quantile(1.0 - prob);
    z = acklam(prob);
    e = wi_gauss_cdf(z) - prob;
    u = e / wi_gauss_pdf(z);
    return z - u / (1.0 + 0.5 * z * u);
}

/*
 * Distribution and density at z with one exponential for both (West 2005 after Hart et al. 1968,
 * algorithm 5666; absolute error below 1e-15).
 */
static void cdf_and_pdf(double z, double *cdf, double *pdf)
{
    double x = fabs(z);
    double e = exp(-0.5 * x * x);
    double tail;

    if (x < 7.07106781186547) {
        double p = 3.52624965998911e-02 * x + 0.700383064443688;
        double q = 8.83883476483184e-02 * x + 1.75566716318264;

        p = (p * x + 6.37396220353165) * x + 33.912866078383;
        p = ((p * x + 112.079291497871) * x + 221.213596169931) * x + 220.206867912376;
        q = (q * x + 16.064177579207) * x + 86.7807322029461;
        q = (q * x + 296.564248779674) * x + 637.333633378831;
        q = (q * x + 793.826512519948) * x + 440.413735824752;
        tail = e * p / q;
    } else {
        tail = e * INV_SQRT_2PI / (x + 1.0 / (x + 2.0 / (x + 3.0 / (x + 4.0 / (x + 0.65)))));
    }
    *cdf = z > 0.0 ? 1.0 - tail : tail;
    *pdf = INV_SQRT_2PI * e;
}

/* Near enough for Newton to be at home within a few steps: the normal of the same two moments. */
static double start_at(size_t n, const double *weight, const double *mean, const double *sd,
                       double z)
{
    double m = 0.0, v = 0.0;

    for (size_t i = 0; i < n; i++)
        m += weight[i] * mean[i];
    for (size_t i = 0; i < n; i++)
        v += weight[i] * (sd[i] * sd[i] + (mean[i] - m) * (mean[i] - m));
    return m + z * sqrt(v);
}

double wi_normal_mixture_quantile(size_t n, const double *weight, const double *mean,
                                  const double *sd, double prob)
{
    double z = wi_gauss_quantile(prob);
    double low = INFINITY, high = -INFINITY, x, scale;
    double narrowest = INFINITY;
    bool bisected;

    /* The quantile of the mixture lies between those of its components. */
    for (size_t i = 0; i < n; i++) {
        double at = mean[i] + z * sd[i];

        if (weight[i] <= 0.0)
            continue;
        low = fmin(low, at);
        high = fmax(high, at);
        narrowest = fmin(narrowest, sd[i]);
    }
    scale = 1e-12 * (1.0 + fabs(low) + fabs(high));
    x = start_at(n, weight, mean, sd, z);
    if (!(x > low && x < high))
        x = 0.5 * (low + high);
    for (int it = 0; it < 200 && high - low > scale; it++) {
        double cdf = -prob, pdf = 0.0, next;

        for (size_t i = 0; i < n; i++) {
            double c, d;

            cdf_and_pdf((x - mean[i]) / sd[i], &c, &d);
            cdf += weight[i] * c;
            pdf += weight[i] * d / sd[i];
        }
        if (cdf > 0.0)
            high = x;
        else
            low = x;
        next = x - cdf / pdf;
        /* Newton doubles the digits: after a step of 1e-7 of an sd the next would be of 1e-14. */
        bisected = !(next > low && next < high);
        if (bisected)
            next = 0.5 * (low + high);
        if (fabs(next - x) <= (bisected ? scale : NEWTON_DONE * narrowest + scale))
            return next;
        x = next;
    }
    return x;
}
