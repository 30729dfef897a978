#include "prompts/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* First match wins, so longer forms stand before shorter ones. */
static const struct {
    const char *text;
    enum wi_unit unit;
    bool exact_case;
} units[] = {
    {"%rh", WI_UNIT_RH, false},
    {"% rh", WI_UNIT_RH, false},
    {"% relative", WI_UNIT_RH, false},
    {"% humidity", WI_UNIT_RH, false},
    {"percent relative", WI_UNIT_RH, false},
    {"percent humidity", WI_UNIT_RH, false},
    {"percentile", WI_UNIT_PERCENTILE, false},
    {"%", WI_UNIT_PCT, false},
    {"percentage", WI_UNIT_PCT, false},
    {"percent", WI_UNIT_PCT, false},
    {"pct", WI_UNIT_PCT, false},
    {"points", WI_UNIT_PCT, false},
    {"point", WI_UNIT_PCT, false},
    {"\xc2\xb0"
     "C",
     WI_UNIT_C, false},
    {"\xc2\xb0 C", WI_UNIT_C, false},
    {"\xc2\xb0"
     "F",
     WI_UNIT_F, false},
    {"degc", WI_UNIT_C, false},
    {"degrees celsius", WI_UNIT_C, false},
    {"degrees c", WI_UNIT_C, false},
    {"degrees fahrenheit", WI_UNIT_F, false},
    {"celsius", WI_UNIT_C, false},
    {"kelvin", WI_UNIT_K, false},
    {"c", WI_UNIT_C, false},
    {"F", WI_UNIT_F, true},
    {"K", WI_UNIT_K, true},
    {"hz", WI_UNIT_HZ, false},
    {"grms", WI_UNIT_G, false},
    {"g rms", WI_UNIT_G, false},
    {"g", WI_UNIT_G, true},
    {"hours", WI_UNIT_H, false},
    {"hour", WI_UNIT_H, false},
    {"h", WI_UNIT_H, false},
    {"days", WI_UNIT_DAY, false},
    {"day", WI_UNIT_DAY, false},
    {"us", WI_UNIT_US, true},
    {"\xc2\xb5s", WI_UNIT_US, false},
    {"\xce\xbcs", WI_UNIT_US, false},
    {"ms", WI_UNIT_MS, true},
    {"mb/s", WI_UNIT_MBPS, false},
    {"mbps", WI_UNIT_MBPS, false},
    {"ev", WI_UNIT_EV, false},
    {"th", WI_UNIT_PERCENTILE, false},
    {"st", WI_UNIT_PERCENTILE, false},
    {"nd", WI_UNIT_PERCENTILE, false},
    {"rd", WI_UNIT_PERCENTILE, false},
};

static enum wi_unit unit_after(const char *text)
{
    while (*text == ' ' || (*text == '-' && is_word(text[1]))) /* "120-hour" */
        text++;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t n = strlen(units[i].text);
        int differs = units[i].exact_case ? strncmp(text, units[i].text, n)
                                          : strncasecmp(text, units[i].text, n);

        if (differs == 0 && !(is_word(units[i].text[n - 1]) && is_word(text[n])))
            return units[i].unit;
    }
    return WI_UNIT_NONE;
}

static bool has_word(const char *from, const char *to, const char *stem)
{
    size_t n = strlen(stem);

    for (const char *p = from; p + n <= to; p++) {
        if (strncasecmp(p, stem, n) == 0 && (p == from || !is_word(p[-1])))
            return true;
    }
    return false;
}

/* Words about 40 characters before a number that give it a direction. */
static int trend_before(const char *text, const char *at)
{
    static const struct {
        const char *stem;
        int sign;
    } words[] = {
        {"fall", -1},  {"fell", -1},   {"drop", -1},  {"decreas", -1},
        {"reduc", -1}, {"declin", -1}, {"lower", -1}, {"shrink", -1},
        {"los", -1},   {"ris", 1},     {"rose", 1},   {"increas", 1},
        {"grow", 1},   {"grew", 1},    {"higher", 1}, {"climb", 1},
    };
    const char *from = at - text > 40 ? at - 40 : text;
    int sign = 0;

    /* Not beyond the sentence. */
    for (const char *p = from; p + 1 < at; p++) {
        if ((*p == '.' || *p == ';' || *p == ':') && p[1] == ' ')
            from = p + 1;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!has_word(from, at, words[i].stem))
            continue;
        if (sign && sign != words[i].sign)
            return 0; /* both directions in one breath: no help */
        sign = words[i].sign;
    }
    return sign;
}

/* Where the last of some words begins in a stretch of text; NULL if none stands there. */
static const char *last_word(const char *from, const char *to, const char *const *stems)
{
    const char *last = NULL;

    for (; *stems; stems++) {
        size_t n = strlen(*stems);

        for (const char *p = from; p + n <= to; p++) {
            if (strncasecmp(p, *stems, n) == 0 && (p == from || !is_word(p[-1])) && p > last)
                last = p;
        }
    }
    return last;
}

/* "humidity of 80 %": the word is near, in the same clause, and nothing else is spoken of since. */
static bool humidity_before(const char *text, const char *at)
{
    static const char *const humidity[] = {"humidity", "rh", NULL};
    static const char *const other[] = {"latency", "bandwidth", "throughput", "tail", NULL};
    const char *from = at - text > 32 ? at - 32 : text;
    const char *h, *o;

    for (const char *p = from; p + 1 < at; p++) {
        if (strchr(".,;:(", *p) && p[1] == ' ')
            from = p + 1;
    }
    h = last_word(from, at, humidity);
    o = last_word(from, at, other);
    return h && (!o || o < h);
}

/* The sign written before the digits; a hyphen after a word or number joins or spans instead. */
static int sign_before(const char *text, const char *at)
{
    if (at - text >= 3 && memcmp(at - 3, "\xe2\x88\x92", 3) == 0)
        return at - text > 3 && is_word(at[-4]) ? 0 : -1;
    if (at == text || (at[-1] != '-' && at[-1] != '+'))
        return 0;
    if (at - text > 1 && (is_word(at[-2]) || at[-2] == '%' || at[-2] == '.'))
        return 0;
    return at[-1] == '-' ? -1 : 1;
}

static const char *digits_end(const char *p)
{
    while (is_digit(*p))
        p++;
    if (*p == '.' && is_digit(p[1])) {
        p++;
        while (is_digit(*p))
            p++;
    }
    return p;
}

static void read_one(const char *text, const char *at, const char *end, bool percentile,
                     struct wi_number *out)
{
    *out = (struct wi_number){.value = strtod(at, NULL), .at = (size_t)(at - text)};
    out->n = (size_t)(end - at);
    if (percentile) {
        out->unit = WI_UNIT_PERCENTILE;
        return;
    }
    out->sign = sign_before(text, at);
    out->unit = unit_after(end);
    out->trend = trend_before(text, at);
    if (out->unit == WI_UNIT_PCT && humidity_before(text, at))
        out->unit = WI_UNIT_RH;
}

/* In a list the last number carries the unit. */
static void share_units(const char *text, struct wi_number *v, size_t n)
{
    for (size_t i = n - 1; i-- > 0;) {
        const char *from = text + v[i].at + v[i].n, *to = text + v[i + 1].at;
        bool joined = to - from <= 6;

        for (const char *p = from; p < to && joined; p++)
            joined = strchr(" /,.+-~toand", *p) != NULL || (*p & 0x80) != 0;
        if (joined && v[i].unit == WI_UNIT_NONE)
            v[i].unit = v[i + 1].unit;
    }
}

size_t wi_numbers_find(const char *text, struct wi_number *out, size_t max)
{
    size_t n = 0;

    for (const char *p = text; *p;) {
        bool in_word =
            p > text && (is_word(p[-1]) || (p[-1] == '.' && p - 1 > text && is_word(p[-2])));
        bool rank = p > text && (p[-1] | 32) == 'p' && (p == text + 1 || !is_word(p[-2]));
        const char *end;

        if (!is_digit(*p)) {
            p++;
            continue;
        }
        end = digits_end(p);
        if ((!in_word || rank)) {
            if (n < max)
                read_one(text, p, end, rank, &out[n]);
            n++;
        }
        p = end;
    }
    if (n > 1)
        share_units(text, out, n < max ? n : max);
    return n;
}

bool wi_number_matches(const struct wi_number *claimed, const struct wi_number *sent)
{
    int said = claimed->sign ? claimed->sign : claimed->trend;
    int is = sent->sign ? sent->sign : sent->trend;

    /* Both are decimal texts: equal values differ by rounding of the reading at most. */
    if (fabs(claimed->value - sent->value) > 1e-9 * fmax(claimed->value, 1.0))
        return false;
    if (claimed->unit != WI_UNIT_NONE && sent->unit != WI_UNIT_NONE && claimed->unit != sent->unit)
        return false;
    /* A written minus must be there; without any sign or word a number is positive or a size. */
    if (claimed->sign < 0 && claimed->value > 0 && is >= 0)
        return false;
    return is == 0 || said == 0 || said == is;
}
