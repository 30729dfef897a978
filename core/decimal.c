#include "core/decimal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Above it a product with 10^6 leaves the whole numbers that a double holds exactly. */
#define SCALED_MAX 9e9

static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233"
                            "34353637383940414243444546474849505152535455565758596061626364656667"
                            "6869707172737475767778798081828384858687888990919293949596979899";

size_t wi_decimal_count(uint64_t value, char *out)
{
    char buf[24];
    size_t at = sizeof(buf);

    while (value >= 100) {
        at -= 2;
        memcpy(buf + at, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(buf + at, pairs + 2 * value, 2);
    } else {
        buf[--at] = (char)('0' + value);
    }
    memcpy(out, buf + at, sizeof(buf) - at);
    return sizeof(buf) - at;
}

/* printf's own, for what the integers do not reach. */
static size_t by_printf(double value, char *out)
{
    char buf[WI_DECIMAL_MAX + 1];
    int n = snprintf(buf, sizeof(buf), "%.17g", value);

    memcpy(out, buf, (size_t)n);
    return (size_t)n;
}

size_t wi_decimal_fixed4(double value, char *out)
{
    size_t n = 0;
    double scaled = fabs(value) * 1e4;
    uint64_t whole;
    uint64_t frac;

    if (!(scaled < SCALED_MAX))
        return by_printf(value, out);
    whole = (uint64_t)nearbyint(scaled);
    if (value < 0.0 && whole)
        out[n++] = '-'; /* no "-0.0000" */
    frac = whole % 10000;
    n += wi_decimal_count(whole / 10000, out + n);
    out[n++] = '.';
    memcpy(out + n, pairs + 2 * (frac / 100), 2);
    memcpy(out + n + 2, pairs + 2 * (frac % 100), 2);
    return n + 4;
}

double wi_decimal_round6(double value)
{
    return fabs(value) < SCALED_MAX ? nearbyint(value * 1e6) / 1e6 : value;
}

size_t wi_decimal_exact(double value, char *out)
{
    size_t n = 0;
    uint64_t scaled;
    uint64_t frac;
    double size = fabs(value);

    if (!(size < SCALED_MAX) || wi_decimal_round6(size) != size)
        return by_printf(value, out);
    scaled = (uint64_t)nearbyint(size * 1e6);
    if (value < 0.0 && scaled)
        out[n++] = '-';
    n += wi_decimal_count(scaled / 1000000, out + n);
    frac = scaled % 1000000;
    if (frac) {
        out[n++] = '.';
        for (uint64_t unit = 100000; frac; unit /= 10) {
            out[n++] = (char)('0' + frac / unit);
            frac %= unit;
        }
    }
    return n;
}
