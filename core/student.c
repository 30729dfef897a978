#include "core/student.h"

#include <assert.h>
#include <math.h>

#include "core/beta.h"
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

/* Solved by Newton: a forecast asks for it, and 20 bisections cost more than the forecast. */
static double t5_quantile(double p)
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

/* P(T > t) = I_{dof/(dof+t^2)}(dof/2, 1/2) / 2, t >= 0 */
static double upper_tail(double t, double dof)
{
    return 0.5 * wi_beta_inc(dof / 2.0, 0.5, dof / (dof + t * t));
}

double wi_student_quantile(double p, double dof)
{
    double low = 0.0;
    double high = 1.0;

    assert(p > 0.0 && p < 1.0 && dof >= 1.0);
    if (dof == 5.0)
        return t5_quantile(p);
    if (p < 0.5)
        return -wi_student_quantile(1.0 - p, dof);
    while (upper_tail(high, dof) > 1.0 - p && high < 1e12)
        high *= 2.0;
    for (int i = 0; i < 100 && high - low > 1e-13 * high; i++) {
        double mid = 0.5 * (low + high);

        if (upper_tail(mid, dof) > 1.0 - p)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}
