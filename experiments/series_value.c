#include "experiments/series_value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/units.h"

/* ---- numbers ---------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/*
 * Up to 15 digits are exact in a double, and so is dividing by up to 1e22: the usual readings need
 * no strtod, which takes four times as long.
 */
static const char *short_number(const char *p, char mark, double *value)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t mantissa = 0;
    int n = 0;
    int n_frac = 0;
    bool minus = *p == '-';

    if (*p == '-' || *p == '+')
        p++;
    for (; *p >= '0' && *p <= '9'; p++, n++)
        mantissa = 10 * mantissa + (uint64_t)(*p - '0');
    if (*p == mark) {
        for (p++; *p >= '0' && *p <= '9'; p++, n++, n_frac++)
            mantissa = 10 * mantissa + (uint64_t)(*p - '0');
    }
    if (n == 0 || n > 15 || *p == 'e' || *p == 'E')
        return NULL;
    *value = (double)mantissa / powers[n_frac];
    if (minus)
        *value = -*value;
    return p;
}

bool wi_value_is_short(const char *text, double *value)
{
    double v;
    const char *end = short_number(text, '.', &v);

    if (!end || *end)
        return false;
    *value = v;
    return true;
}

/*
 * A number at the start of a text; NULL if there is none. mark is '.' or ','; the other one, where
 * it stands before the mark, groups thousands.
 */
static const char *number(const char *p, char mark, double *value)
{
    char buf[64];
    char group = mark == '.' ? ',' : '.';
    bool grouped = strchr(p, mark) && strchr(p, group) && strchr(p, group) < strchr(p, mark);
    size_t n = 0;
    const char *start = p;
    const char *end = grouped ? NULL : short_number(p, mark, value);
    char *stop;

    if (end)
        return end;
    for (; n + 1 < sizeof(buf) && *p && strchr("+-0123456789.,eE", *p); p++) {
        if (!grouped || *p != group)
            buf[n++] = *p == mark ? '.' : *p;
    }
    buf[n] = '\0';
    if (!n || !strpbrk(buf, "0123456789"))
        return NULL;
    *value = strtod(buf, &stop);
    if (stop == buf || !isfinite(*value))
        return NULL;
    if (grouped)
        return *stop ? NULL : p;
    return start + (stop - buf);
}

static char decimal_mark(const char *text, bool comma)
{
    const char *dot = strrchr(text, '.');
    const char *com = strrchr(text, ',');

    if (com && (!dot || com > dot))
        return ',';
    return comma && !dot ? ',' : '.';
}

bool wi_value_is_missing(const char *text)
{
    static const char *const words[] = {"",     "unavailable", "unknown", "nan", "null", "none",
                                        "-nan", "n/a",         "na",      "-",   "--",   "error"};

    text = skip_blanks(text);
    if (isdigit((unsigned char)*text)) /* nearly every cell of a long file */
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

bool wi_value_is_number(const char *text)
{
    double v;
    const char *end = number(skip_blanks(text), decimal_mark(text, false), &v);

    return end && *skip_blanks(end) == '\0';
}

/* "5. Okt", "10-May", "Oct 5", "05.Mai 10": a month's name and a digit, and nothing else. */
static bool is_month_text(const char *text)
{
    static const char *const months[] = {"jan", "feb", "mar", "mär", "mrz", "apr",
                                         "may", "mai", "jun", "jul", "aug", "sep",
                                         "oct", "okt", "nov", "dec", "dez"};
    bool digit = false;
    bool month = false;

    if (strnlen(text, 17) > 16) /* a cell may be as long as a row */
        return false;
    for (const char *p = text; *p; p++) {
        digit = digit || isdigit((unsigned char)*p);
        for (size_t i = 0; !month && i < sizeof(months) / sizeof(months[0]); i++)
            month = strncasecmp(p, months[i], strlen(months[i])) == 0 &&
                    (p == text || !isalpha((unsigned char)p[-1]));
    }
    return digit && month;
}

enum wi_value_kind wi_value_parse(const char *text, bool comma, double *value, enum wi_unit *unit)
{
    const char *end;
    enum wi_unit stated;

    text = skip_blanks(text);
    end = short_number(text, comma ? ',' : '.', value);
    if (end && !*end) /* nearly every cell of a long file */
        return WI_VALUE_NUMBER;
    end = number(text, decimal_mark(text, comma), value);
    if (end && !*end)
        return WI_VALUE_NUMBER;
    if (is_month_text(text))
        return WI_VALUE_DATE;
    if (!end)
        return WI_VALUE_MISSING;
    end = skip_blanks(end);
    if (!*end)
        return WI_VALUE_NUMBER;
    stated = wi_unit_parse(end);
    if (stated == WI_UNIT_NONE || isdigit((unsigned char)*end) || *end == '.' || *end == ',' ||
        *end == ':')
        return WI_VALUE_MISSING;
    *unit = stated;
    return WI_VALUE_NUMBER;
}

/* ---- units ------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    enum wi_unit unit;
} unit_words[] = {
    {"°c", WI_UNIT_C},         {"°f", WI_UNIT_F},        {"°k", WI_UNIT_K},
    {"º c", WI_UNIT_C},        {"ºc", WI_UNIT_C},        {"ºf", WI_UNIT_F},
    {"℃", WI_UNIT_C},          {"℉", WI_UNIT_F},         {"degrees c", WI_UNIT_C},
    {"degrees f", WI_UNIT_F},  {"degrees k", WI_UNIT_K}, {"degc", WI_UNIT_C},
    {"degf", WI_UNIT_F},       {"deg c", WI_UNIT_C},     {"deg f", WI_UNIT_F},
    {"deg_c", WI_UNIT_C},      {"deg_f", WI_UNIT_F},     {"celsius", WI_UNIT_C},
    {"fahrenheit", WI_UNIT_F}, {"kelvin", WI_UNIT_K},    {"m/s²", WI_UNIT_M_S2},
    {"m/s2", WI_UNIT_M_S2},    {"m/s^2", WI_UNIT_M_S2},  {"mm/s", WI_UNIT_OTHER},
    {"in/s", WI_UNIT_OTHER},   {"ips", WI_UNIT_OTHER},   {"mg", WI_UNIT_MG},
    {"grms", WI_UNIT_G},       {"g rms", WI_UNIT_G},     {"%", WI_UNIT_PCT},
    {"percent", WI_UNIT_PCT},  {"hz", WI_UNIT_HZ},       {"rpm", WI_UNIT_OTHER},
    {"volts", WI_UNIT_OTHER},  {"c", WI_UNIT_C},         {"f", WI_UNIT_F},
    {"k", WI_UNIT_K},          {"g", WI_UNIT_G},
};

enum wi_unit wi_unit_parse(const char *text)
{
    text = skip_blanks(text);
    for (size_t i = 0; i < sizeof(unit_words) / sizeof(unit_words[0]); i++) {
        size_t n = strlen(unit_words[i].text);

        if (strncasecmp(text, unit_words[i].text, n) == 0 && !isalnum((unsigned char)text[n]))
            return unit_words[i].unit;
    }
    return *text ? WI_UNIT_OTHER : WI_UNIT_NONE;
}

bool wi_unit_convert(enum wi_channel channel, enum wi_unit unit, double *value)
{
    switch (channel) {
    case WI_CH_TEMP:
        if (unit == WI_UNIT_F)
            *value = wi_c_from_f(*value);
        else if (unit == WI_UNIT_K)
            *value = wi_c_from_k(*value);
        return unit <= WI_UNIT_K;
    case WI_CH_RH:
        return unit == WI_UNIT_NONE || unit == WI_UNIT_PCT;
    case WI_CH_FREQ:
        return unit == WI_UNIT_NONE || unit == WI_UNIT_HZ;
    default:
        if (unit == WI_UNIT_MG)
            *value /= 1000.0;
        else if (unit == WI_UNIT_M_S2)
            *value /= WI_GRAVITY_M_S2;
        return unit == WI_UNIT_NONE || unit == WI_UNIT_G || unit == WI_UNIT_MG ||
               unit == WI_UNIT_M_S2;
    }
}
