#include "core/design.h"

#include <stdlib.h>

#include "core/csv_read.h"
#include "core/embedded.h"

#define POINTS_MAX_GRID (UINT64_C(1) << 62)
#define POINTS_MAX_LHS (UINT64_C(1) << 31)
#define POINTS_MAX_SOBOL (UINT64_C(1) << WI_SOBOL_BITS)

/* --- hashing -----------------------------------------------------------------------------------
 */

/* The finaliser of splitmix64 (Steele, Lea & Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Position of i in a pseudo-random permutation of 0..n-1 chosen by key: a bijection of the next
 * power of two, walked until it lands inside (Kensler 2013, section 3.1; the hash is ours). */
static uint64_t permute(uint64_t i, uint64_t n, uint64_t key)
{
    uint64_t mask = 1;
    unsigned bits = 0;

    while (mask < n) {
        mask <<= 1;
        bits++;
    }
    mask -= 1;
    if (bits == 0)
        return 0;
    do {
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t k = mix(key + round);

            i = (i + k) & mask;
            i = (i * ((k >> 32) | 1)) & mask;
            i ^= i >> ((bits + 1) / 2);
        }
    } while (i >= n);
    return i;
}

/* --- Sobol' ------------------------------------------------------------------------------------
 */

static enum wi_status read_direction(void *ctx, size_t line, char *const *fields, size_t n,
                                     struct wi_err *err)
{
    struct wi_design *d = ctx;
    size_t dim = line - 2; /* line 1 names the columns */
    uint64_t polynomial;
    unsigned degree = 0;
    const char *text;
    uint64_t *v;

    if (line == 1 || dim >= d->n_factors)
        return WI_OK;
    if (n != 3)
        return wi_fail(err, WI_EDATA, "data/sobol.csv:%zu: %zu fields, expected 3", line, n);
    polynomial = strtoull(fields[1], NULL, 10);
    text = fields[2];
    v = d->sobol[dim];
    while (polynomial >> (degree + 1))
        degree++;
    for (unsigned i = 0; i < WI_SOBOL_BITS; i++) {
        if (dim == 0) {
            v[i] = UINT64_C(1) << (WI_SOBOL_BITS - 1 - i);
        } else if (i < degree) {
            char *end = NULL;

            v[i] = (uint64_t)strtoull(text, &end, 10) << (WI_SOBOL_BITS - 1 - i);
            text = end;
        } else {
            v[i] = v[i - degree] ^ (v[i - degree] >> degree);
            for (unsigned k = 1; k < degree; k++) {
                if ((polynomial >> (degree - k)) & 1)
                    v[i] ^= v[i - k];
            }
        }
    }
    return WI_OK;
}

static enum wi_status load_directions(struct wi_design *d, struct wi_err *err)
{
    const struct wi_embedded_file *file = wi_embedded_find("data/sobol.csv");

    return wi_csv_parse("data/sobol.csv", file->bytes, file->n_bytes, NULL, read_direction, d, err);
}

static double sobol_coordinate(const struct wi_design *d, uint64_t index, size_t dim)
{
    uint64_t gray = index ^ (index >> 1);
    uint64_t x = 0;

    for (unsigned bit = 0; gray; bit++, gray >>= 1) {
        if (gray & 1)
            x ^= d->sobol[dim][bit];
    }
    if (d->seed)
        x ^= mix(d->seed * UINT64_C(0x100000001b3) + dim) >> (64 - WI_SOBOL_BITS);
    return (double)x * 0x1p-52;
}

static double lhs_coordinate(const struct wi_design *d, uint64_t index, size_t dim)
{
    uint64_t key = mix(d->seed ^ mix(dim + 1));
    uint64_t stratum = permute(index, d->n, key);
    double jitter = (double)(mix(key ^ mix(index)) >> 11) * 0x1p-53;

    return ((double)stratum + jitter) / (double)d->n;
}

/* --- interface ---------------------------------------------------------------------------------
 */

static enum wi_status count_grid(struct wi_design *d, struct wi_err *err)
{
    d->n = 1;
    for (size_t i = 0; i < d->n_factors; i++) {
        if (d->n_levels[i] > POINTS_MAX_GRID / d->n)
            return wi_fail(err, WI_ERANGE, "the grid has more than 2^62 points");
        d->n *= d->n_levels[i];
    }
    return WI_OK;
}

enum wi_status wi_design_init(struct wi_design *d, struct wi_err *err)
{
    switch (d->kind) {
    case WI_DESIGN_GRID:
        return count_grid(d, err);
    case WI_DESIGN_OFAT:
        d->n = 1;
        for (size_t i = 0; i < d->n_factors; i++)
            d->n += d->n_levels[i] - 1;
        return WI_OK;
    case WI_DESIGN_LHS:
        return d->n <= POINTS_MAX_LHS ? WI_OK
                                      : wi_fail(err, WI_ERANGE, "lhs has at most 2^31 points");
    case WI_DESIGN_SOBOL:
        if (d->n > POINTS_MAX_SOBOL)
            return wi_fail(err, WI_ERANGE, "sobol has at most 2^%d points", WI_SOBOL_BITS);
        return load_directions(d, err);
    }
    return wi_fail(err, WI_EUSAGE, "unknown design");
}

static void ofat_levels(const struct wi_design *d, uint64_t index, uint64_t *level)
{
    for (size_t i = 0; i < d->n_factors; i++)
        level[i] = d->center[i];
    if (index == 0)
        return;
    index--;
    for (size_t i = 0; i < d->n_factors; i++) {
        uint64_t others = d->n_levels[i] - 1;

        if (index < others) {
            level[i] = index < d->center[i] ? index : index + 1;
            return;
        }
        index -= others;
    }
}

void wi_design_levels(const struct wi_design *d, uint64_t index, uint64_t *level)
{
    if (d->kind == WI_DESIGN_OFAT) {
        ofat_levels(d, index, level);
        return;
    }
    for (size_t i = d->n_factors; i-- > 0;) {
        level[i] = index % d->n_levels[i];
        index /= d->n_levels[i];
    }
}

void wi_design_point(const struct wi_design *d, uint64_t index, double *point)
{
    for (size_t i = 0; i < d->n_factors; i++)
        point[i] = d->kind == WI_DESIGN_SOBOL ? sobol_coordinate(d, index, i)
                                              : lhs_coordinate(d, index, i);
}
