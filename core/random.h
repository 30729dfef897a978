/*
 * Seeded random numbers that are the same on every machine.
 */
#ifndef WI_CORE_RANDOM_H
#define WI_CORE_RANDOM_H

#include <stdint.h>

/* source: Steele, Lea & Flood 2014, SplitMix64 */
struct wi_random {
    uint64_t state;
};

uint64_t wi_random_next(struct wi_random *r);
double wi_random_uniform(struct wi_random *r); /* [0, 1) */
double wi_random_normal(struct wi_random *r);  /* by inversion: one draw per number */

#endif
