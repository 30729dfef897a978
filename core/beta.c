#include "core/beta.h"

#include <math.h>

#define LENTZ_TINY 1e-300
#define LENTZ_STEPS_MAX 400000

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
