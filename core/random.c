#include "core/random.h"

#include "core/normal.h"

uint64_t wi_random_next(struct wi_random *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double wi_random_uniform(struct wi_random *r)
{
    return (double)(wi_random_next(r) >> 11) * 0x1p-53;
}

double wi_random_normal(struct wi_random *r)
{
    return wi_gauss_quantile(((double)(wi_random_next(r) >> 11) + 0.5) * 0x1p-53);
}
