/*
 * Numbers quoted in a text, with their sign and unit, to find them again in what was cited.
 */
#ifndef WI_PROMPTS_NUMBERS_H
#define WI_PROMPTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

enum wi_unit {
    WI_UNIT_NONE,
    WI_UNIT_PCT,
    WI_UNIT_RH,
    WI_UNIT_C,
    WI_UNIT_F,
    WI_UNIT_K,
    WI_UNIT_HZ,
    WI_UNIT_G,
    WI_UNIT_H,
    WI_UNIT_DAY,
    WI_UNIT_US,
    WI_UNIT_MS,
    WI_UNIT_MBPS,
    WI_UNIT_EV,
    WI_UNIT_PERCENTILE
};

struct wi_number {
    double value; /* without its sign, >= 0 */
    int sign;     /* -1, +1; 0 = none written */
    int trend;    /* -1, +1 from words before it ("drops by"); 0 = none */
    enum wi_unit unit;
    size_t at, n; /* where the digits stand */
};

/*
 * Numbers of a text in order. Digits inside words and ids ("DAC19", "E1") are none; "p99.9" and
 * "99th" are percentiles; in lists the unit of the last number holds for all ("-35/-28/-15 %").
 * returns how many there are; at most max of them are written
 */
size_t wi_numbers_find(const char *text, struct wi_number *out, size_t max);

/* True if a number as claimed is the number as sent: same value, no contrary sign or unit. */
bool wi_number_matches(const struct wi_number *claimed, const struct wi_number *sent);

#endif
