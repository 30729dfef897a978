#include "core/quantile.h"

#include <math.h>

double wi_normal_cdf(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

double wi_normal_pdf(double x)
{
    return exp(-0.5 * x * x) / sqrt(2.0 * M_PI);
}

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
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
                               2.445134137142996e+00, 3.754408661907416e+00};
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

double wi_normal_quantile(double p)
{
    double x, e, u;

    if (p > 0.5)
        return -wi_normal_quantile(1.0 - p);
    x = acklam(p);
    e = wi_normal_cdf(x) - p;
    u = e * sqrt(2.0 * M_PI) * exp(0.5 * x * x);
    return x - u / (1.0 + 0.5 * x * u);
}

static double t5_cdf(double t)
{
    double th = atan(t / sqrt(5.0)), c = cos(th);

    return 0.5 + (th + sin(th) * (c + 2.0 / 3.0 * c * c * c)) / M_PI;
}

static double t5_pdf(double t)
{
    /* Gamma(3) / (sqrt(5 pi) Gamma(5/2)) */
    return 8.0 / (3.0 * M_PI * sqrt(5.0)) * pow(1.0 + t * t / 5.0, -3.0);
}

double wi_t5_quantile(double p)
{
    double t = wi_normal_quantile(p) * 1.2;

    /* Newton from the side of 0 on a concave tail converges monotonically after one step. */
    for (int i = 0; i < 60; i++) {
        double step = (t5_cdf(t) - p) / t5_pdf(t);

        t -= fmax(fmin(step, 1.0), -1.0);
        if (fabs(step) < 1e-13 * (1.0 + fabs(t)))
            break;
    }
    return t;
}
