#include "core/units.h"

#include <math.h>

double wi_nines_from_percentile(double percentile)
{
    double tail_frac = 1.0 - percentile / 100.0;

    if (tail_frac <= 0.0)
        return WI_NINES_MAX;
    return fmin(-log10(tail_frac), WI_NINES_MAX);
}
