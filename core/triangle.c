/*
 * The one product that a prediction spends its time in: a packed lower triangle times eight
 * columns. BLAS is slow at eight columns. Four rows of R share the loads of k, and all sums stay in
 * registers; written out, since compilers keep arrays of vectors in memory.
 */
#include "core/gp.h"

#include <string.h>

typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));

struct sums {
    vec lo, hi;
};

static inline __attribute__((always_inline)) struct sums
row_times(const double *row, size_t from, size_t to, const double *k, struct sums s)
{
    for (size_t j = from; j < to; j++) {
        const vec *col = (const vec *)(const void *)(k + j * WI_FAMILY_MAX);

        s.lo += row[j] * col[0];
        s.hi += row[j] * col[1];
    }
    return s;
}

static inline __attribute__((always_inline)) void norms(const double *r, size_t n, const double *k,
                                                        double *y)
{
    struct sums sum;
    size_t i = 0;

    memcpy(&sum, y, sizeof(sum));
    for (; i + 4 <= n; i += 4) {
        const double *r0 = r + i * (i + 1) / 2, *r1 = r0 + i + 1, *r2 = r1 + i + 2,
                     *r3 = r2 + i + 3;
        struct sums a = {{0}, {0}}, b = a, c = a, d = a;

        for (size_t j = 0; j <= i; j++) {
            const vec *col = (const vec *)(const void *)(k + j * WI_FAMILY_MAX);
            vec k0 = col[0], k1 = col[1];

            a.lo += r0[j] * k0;
            a.hi += r0[j] * k1;
            b.lo += r1[j] * k0;
            b.hi += r1[j] * k1;
            c.lo += r2[j] * k0;
            c.hi += r2[j] * k1;
            d.lo += r3[j] * k0;
            d.hi += r3[j] * k1;
        }
        b = row_times(r1, i + 1, i + 2, k, b);
        c = row_times(r2, i + 1, i + 3, k, c);
        d = row_times(r3, i + 1, i + 4, k, d);
        sum.lo += a.lo * a.lo + b.lo * b.lo + c.lo * c.lo + d.lo * d.lo;
        sum.hi += a.hi * a.hi + b.hi * b.hi + c.hi * c.hi + d.hi * d.hi;
    }
    for (; i < n; i++) {
        struct sums a = row_times(r + i * (i + 1) / 2, 0, i + 1, k, (struct sums){{0}, {0}});

        sum.lo += a.lo * a.lo;
        sum.hi += a.hi * a.hi;
    }
    memcpy(y, &sum, sizeof(sum));
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void norms_avx2(const double *r, size_t n, const double *k,
                                                       double *y)
{
    norms(r, n, k, y);
}
#endif

static void norms_plain(const double *r, size_t n, const double *k, double *y)
{
    norms(r, n, k, y);
}

void wi_triangle_norms(const double *r, size_t n, const double *k, double *y)
{
#if defined(__x86_64__)
    /* The same operations in the same order: the result does not depend on the processor. */
    if (__builtin_cpu_supports("avx2")) {
        norms_avx2(r, n, k, y);
        return;
    }
#endif
    norms_plain(r, n, k, y);
}
