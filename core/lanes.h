/*
 * Four doubles at a time: exponentials, the normal distribution, and how the code that uses them is
 * compiled twice, for AVX2 and for any machine.
 *
 * Additions, products, quotients and square roots of a lane are those of IEEE 754 and never fused,
 * so that a lane's result depends neither on its neighbours nor on the machine.
 */
#ifndef WI_CORE_LANES_H
#define WI_CORE_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define WI_LANES 4

typedef double wi_lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t wi_lanes_bits __attribute__((vector_size(32), aligned(8), may_alias));

/* In every function that holds lanes: a call would pass them through memory. */
#define WI_LANES_INLINE static inline __attribute__((always_inline))

/* Nothing of this is called across a boundary where the width of a vector matters. */
#pragma GCC diagnostic ignored "-Wpsabi"

WI_LANES_INLINE wi_lanes wi_lanes_all(double x)
{
    return (wi_lanes){x, x, x, x};
}

WI_LANES_INLINE wi_lanes wi_lanes_load(const double *x)
{
    return *(const wi_lanes *)(const void *)x;
}

WI_LANES_INLINE void wi_lanes_store(double *to, wi_lanes x)
{
    *(wi_lanes *)(void *)to = x;
}

/* yes where the mask of a comparison is set, no elsewhere */
WI_LANES_INLINE wi_lanes wi_lanes_pick(wi_lanes_bits mask, wi_lanes yes, wi_lanes no)
{
    return (wi_lanes)(((wi_lanes_bits)yes & mask) | ((wi_lanes_bits)no & ~mask));
}

WI_LANES_INLINE wi_lanes wi_lanes_max(wi_lanes x, wi_lanes y)
{
    return wi_lanes_pick((wi_lanes_bits)(x > y), x, y);
}

WI_LANES_INLINE wi_lanes wi_lanes_min(wi_lanes x, wi_lanes y)
{
    return wi_lanes_pick((wi_lanes_bits)(x < y), x, y);
}

WI_LANES_INLINE wi_lanes wi_lanes_abs(wi_lanes x)
{
    return (wi_lanes)((wi_lanes_bits)x & INT64_MAX);
}

WI_LANES_INLINE wi_lanes wi_lanes_sqrt(wi_lanes x)
{
    return (wi_lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

WI_LANES_INLINE bool wi_lanes_any(wi_lanes_bits mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

/*
 * exp(x) = scale (1 + p), |r| <= ln(2) / 2, p = exp(r) - 1 by its Taylor polynomial of degree 13,
 * whose rest is below 5e-18; |x| <= 700.
 */
WI_LANES_INLINE void wi_lanes_exp_parts(wi_lanes x, wi_lanes *scale, wi_lanes *p)
{
    const double shift = 0x1.8p52; /* added and taken off: rounds to an integer */
    wi_lanes n, r, s, q;
    wi_lanes_bits bits;

    n = x * 1.44269504088896338700 + shift;
    bits = (wi_lanes_bits)n;
    n -= shift;
    /* ln 2 in two parts, the first so short that n times it is exact */
    r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    s = r * r;
    q = 1.0 / 39916800 + r * (1.0 / 479001600) + s * (1.0 / 6227020800);
    q = 1.0 / 362880 + r * (1.0 / 3628800) + s * q;
    q = 1.0 / 5040 + r * (1.0 / 40320) + s * q;
    q = 1.0 / 120 + r * (1.0 / 720) + s * q;
    q = 1.0 / 6 + r * (1.0 / 24) + s * q;
    *p = r + s * (0.5 + r * q);
    *scale = (wi_lanes)((bits << 52) + ((int64_t)1023 << 52));
}

WI_LANES_INLINE wi_lanes wi_lanes_clamp(wi_lanes x, double low, double high)
{
    return wi_lanes_min(wi_lanes_max(x, wi_lanes_all(low)), wi_lanes_all(high));
}

/* Beyond +-700 as there. */
WI_LANES_INLINE wi_lanes wi_lanes_exp(wi_lanes x)
{
    wi_lanes scale, p;

    wi_lanes_exp_parts(wi_lanes_clamp(x, -700.0, 700.0), &scale, &p);
    return scale + scale * p;
}

WI_LANES_INLINE wi_lanes wi_lanes_expm1(wi_lanes x)
{
    wi_lanes scale, p;

    wi_lanes_exp_parts(wi_lanes_clamp(x, -700.0, 700.0), &scale, &p);
    return (scale - 1.0) + scale * p;
}

/*
 * The normal distribution and its density, with one exponential for both (West 2005 after Hart et
 * al. 1968, algorithm 5666). Beyond 7 sds the rational's own asymptote stands for the continued
 * fraction: absolute error below 1e-15 all over. Beyond 37 sds as there.
 */
WI_LANES_INLINE void wi_lanes_normal(wi_lanes z, wi_lanes *cdf, wi_lanes *pdf)
{
    wi_lanes x = wi_lanes_min(wi_lanes_abs(z), wi_lanes_all(37.0)), scale, e, p, q, tail;

    wi_lanes_exp_parts(-0.5 * x * x, &scale, &e);
    e = scale + scale * e;
    p = 3.52624965998911e-02 * x + 0.700383064443688;
    q = 8.83883476483184e-02 * x + 1.75566716318264;
    p = (p * x + 6.37396220353165) * x + 33.912866078383;
    p = ((p * x + 112.079291497871) * x + 221.213596169931) * x + 220.206867912376;
    q = (q * x + 16.064177579207) * x + 86.7807322029461;
    q = (q * x + 296.564248779674) * x + 637.333633378831;
    q = (q * x + 793.826512519948) * x + 440.413735824752;
    tail = e * p / q;
    *cdf = wi_lanes_pick((wi_lanes_bits)(z > 0.0), 1.0 - tail, tail);
    *pdf = 0.39894228040143267794 * e;
}

#endif
