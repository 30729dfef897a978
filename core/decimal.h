/*
 * Numbers as text, fast: millions per second where printf manages a few hundred thousand.
 */
#ifndef WI_CORE_DECIMAL_H
#define WI_CORE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#define WI_DECIMAL_MAX 32 /* bytes that either function may write, without a NUL */

/* A whole number. returns the number of bytes written; no NUL */
size_t wi_decimal_count(uint64_t value, char *out);

/*
 * Four decimals, like printf's %.4f; from 900000 upwards 17 significant digits.
 *
 * in:   value  finite
 * returns the number of bytes written; no NUL
 */
size_t wi_decimal_fixed4(double value, char *out);

/*
 * The shortest of up to six decimals that reads back as the same number, else 17 digits.
 *
 * in:   value  finite
 * returns the number of bytes written; no NUL
 */
size_t wi_decimal_exact(double value, char *out);

/* The nearest number that wi_decimal_exact writes with at most six decimals. */
double wi_decimal_round6(double value);

#endif
