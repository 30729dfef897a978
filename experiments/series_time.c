#include "experiments/series_time.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH_S_MIN 1e8   /* 1973: smaller numbers count from a start of their own */
#define EPOCH_MS_MIN 1e11 /* 5138 in seconds, 1973 in milliseconds */
#define EPOCH_US_MIN 1e14
#define EPOCH_NS_MIN 1e17

bool wi_days_from_date(int year, int month, int day, double *days)
{
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int era;
    int yoe;
    int doy;

    if (year < 1970 || year > 9999 || month < 1 || month > 12 || day < 1 ||
        day > lengths[month - 1] || (month == 2 && day == 29 && !leap))
        return false;
    /* Days of the civil calendar with the year starting in March: 146097 days in 400 years. */
    year -= month <= 2;
    era = year / 400;
    yoe = year - era * 400;
    doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    *days = (double)era * 146097.0 + yoe * 365.0 + yoe / 4 - yoe / 100 + doy - 719468.0;
    return true;
}

/* Up to n_max digits; NULL if there is none. */
static const char *digits(const char *p, int n_max, int *value)
{
    int n = 0;

    *value = 0;
    while (n < n_max && *p >= '0' && *p <= '9') {
        *value = 10 * *value + (*p++ - '0');
        n++;
    }
    return n ? p : NULL;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* HH:MM[:SS[.frac]] [AM|PM] */
static const char *clock_parse(const char *p, double *seconds)
{
    int h;
    int m;
    int s = 0;
    double frac = 0.0;
    double place = 0.1;

    p = digits(p, 2, &h);
    if (!p || *p != ':' || !(p = digits(p + 1, 2, &m)) || h > 24 || m > 59)
        return NULL;
    if (*p == ':') {
        p = digits(p + 1, 2, &s);
        if (!p || s > 60)
            return NULL;
    }
    if ((*p == '.' || *p == ',') && isdigit((unsigned char)p[1])) {
        for (p++; isdigit((unsigned char)*p); p++) {
            frac += place * (*p - '0');
            place /= 10.0;
        }
    }
    p = skip_blanks(p);
    if ((*p == 'A' || *p == 'a' || *p == 'P' || *p == 'p') && (p[1] == 'M' || p[1] == 'm')) {
        if (h < 1 || h > 12)
            return NULL;
        h = h % 12 + (*p == 'P' || *p == 'p' ? 12 : 0);
        p += 2;
    }
    *seconds = h * 3600.0 + m * 60.0 + s + frac;
    return p;
}

bool wi_clock_parse(const char *text, double *seconds)
{
    const char *p = clock_parse(skip_blanks(text), seconds);

    return p && *skip_blanks(p) == '\0';
}

/* Z, UTC, +01, +01:00, +0100 at the end; *zoned false where there is nothing. */
static bool zone_parse(const char *p, double *offset_s, bool *zoned)
{
    int h;
    int m = 0;
    double sign;

    p = skip_blanks(p);
    *zoned = *p != '\0';
    *offset_s = 0.0;
    if (!*zoned)
        return true;
    if (*p == 'Z' || *p == 'z')
        return *skip_blanks(p + 1) == '\0';
    if (strncmp(p, "UTC", 3) == 0 || strncmp(p, "GMT", 3) == 0)
        return *skip_blanks(p + 3) == '\0';
    if (*p != '+' && *p != '-')
        return false;
    sign = *p == '-' ? -1.0 : 1.0;
    p = digits(p + 1, 2, &h);
    if (!p || h > 15)
        return false;
    if (*p == ':')
        p++;
    if (isdigit((unsigned char)*p) && !(p = digits(p, 2, &m)))
        return false;
    *offset_s = sign * (h * 3600.0 + m * 60.0);
    return *skip_blanks(p) == '\0';
}

/* Which of a/b/year is the day? 0 = not plain. */
static int day_of(int a, int b, char separator, char order, int *month)
{
    bool day_first = separator == '.' || order == 'd' || a > 12;
    bool month_first = separator != '.' && (order == 'm' || b > 12);

    if (day_first == month_first && !(a == b))
        return 0;
    *month = day_first ? b : a;
    return day_first ? a : b;
}

static enum wi_time_kind date_parse(const char *p, char order, double *time_s)
{
    int a;
    int b;
    int c;
    int year;
    int month = 0;
    int day;
    char separator;
    double days;
    double seconds = 0.0;
    double offset_s;
    bool zoned;
    const char *start = p;

    p = digits(p, 4, &a);
    if (!p || !strchr("-/.", *p) || !*p)
        return WI_TIME_BAD;
    separator = *p;
    if (!(p = digits(p + 1, 2, &b)) || *p != separator || !(p = digits(p + 1, 4, &c)))
        return WI_TIME_BAD;
    if (start[0] && start[1] && isdigit((unsigned char)start[2]) &&
        isdigit((unsigned char)start[3])) {
        year = a;
        month = b;
        day = c;
    } else {
        year = c < 100 ? 2000 + c : c;
        day = day_of(a, b, separator, order, &month);
        if (!day)
            return a >= 1 && a <= 12 && b >= 1 && b <= 12 ? WI_TIME_AMBIGUOUS : WI_TIME_BAD;
    }
    if (!wi_days_from_date(year, month, day, &days))
        return WI_TIME_BAD;
    if (*p == 'T' || *p == 't' || *p == ' ' || *p == ',') {
        p = skip_blanks(p + 1);
        if (*p && !(p = clock_parse(p, &seconds)))
            return WI_TIME_BAD;
    }
    if (!zone_parse(p, &offset_s, &zoned))
        return WI_TIME_BAD;
    *time_s = days * 86400.0 + seconds - offset_s;
    return zoned ? WI_TIME_ZONED : WI_TIME_LOCAL;
}

static enum wi_time_kind number_parse(const char *text, double *time_s)
{
    char *end;
    double v = strtod(text, &end);

    if (end == text || *skip_blanks(end) || !isfinite(v) || v < 0.0 || strpbrk(text, "xXnN"))
        return WI_TIME_BAD;
    if (v < EPOCH_S_MIN) {
        *time_s = v;
        return WI_TIME_RELATIVE;
    }
    if (v >= EPOCH_NS_MIN)
        v /= 1e9;
    else if (v >= EPOCH_US_MIN)
        v /= 1e6;
    else if (v >= EPOCH_MS_MIN)
        v /= 1e3;
    *time_s = v;
    return v < 2.6e11 ? WI_TIME_ZONED : WI_TIME_BAD; /* year 9999 and a little */
}

enum wi_time_kind wi_time_parse(const char *text, char date_order, double *time_s)
{
    enum wi_time_kind kind;

    text = skip_blanks(text);
    kind = date_parse(text, date_order, time_s);
    return kind == WI_TIME_BAD ? number_parse(text, time_s) : kind;
}

static bool two_digits(const char *p, int max, int *value)
{
    if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
        return false;
    *value = 10 * (p[0] - '0') + p[1] - '0';
    return *value <= max;
}

/* "T12:00:00" or " 12:00:00", then nothing or Z. */
static bool plain_clock(const char *p, double *seconds, bool *zoned)
{
    int h;
    int m;
    int s;

    if ((*p != 'T' && *p != ' ') || !two_digits(p + 1, 23, &h) || p[3] != ':' ||
        !two_digits(p + 4, 59, &m) || p[6] != ':' || !two_digits(p + 7, 59, &s))
        return false;
    *zoned = p[9] == 'Z' && !p[10];
    *seconds = h * 3600 + m * 60 + s;
    return *zoned || !p[9];
}

enum wi_time_kind wi_time_parse_next(struct wi_time_cache *cache, const char *text, char date_order,
                                     double *time_s)
{
    double seconds;
    bool zoned;
    enum wi_time_kind kind;

    if (*cache->date && strncmp(text, cache->date, sizeof(cache->date)) == 0 &&
        plain_clock(text + sizeof(cache->date), &seconds, &zoned)) {
        *time_s = cache->date_s + seconds;
        return zoned ? WI_TIME_ZONED : WI_TIME_LOCAL;
    }
    kind = wi_time_parse(text, date_order, time_s);
    if (kind > WI_TIME_AMBIGUOUS && strlen(text) > sizeof(cache->date) && text[4] == '-' &&
        plain_clock(text + sizeof(cache->date), &seconds, &zoned)) {
        memcpy(cache->date, text, sizeof(cache->date));
        cache->date_s = *time_s - seconds;
    }
    return kind;
}
