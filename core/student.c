#include "core/student.h"

#include <math.h>

#include "core/normal.h"

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
    double t = wi_gauss_quantile(p) * 1.2;

    /* Newton from the side of 0 on a concave tail converges monotonically after one step. */
    for (int i = 0; i < 60; i++) {
        double step = (t5_cdf(t) - p) / t5_pdf(t);

        t -= fmax(fmin(step, 1.0), -1.0);
        if (fabs(step) < 1e-13 * (1.0 + fabs(t)))
            break;
    }
    return t;
}
