#include "prompts/retry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

bool wi_retry_is_worth(int http_status, bool lost)
{
    return lost || http_status == 408 || http_status == 409 || http_status == 429 ||
           (http_status >= 500 && http_status <= 599);
}

/* A number with nothing but `suffix` after it; NaN otherwise. */
static double number(const char *text, const char *suffix)
{
    char *end;
    double v;

    if (*text < '0' || *text > '9')
        return NAN;
    v = strtod(text, &end);
    while (*end == ' ')
        end++;
    return isfinite(v) && strcasecmp(end, suffix) == 0 ? v : NAN;
}

static bool two_digits(const char *p, int *out)
{
    if (p[0] < '0' || p[0] > '9' || p[1] < '0' || p[1] > '9')
        return false;
    *out = (p[0] - '0') * 10 + p[1] - '0';
    return true;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT", always this long. Not strptime: its month names are a locale's.
 */
static bool parse_date(const char *text, int64_t *out)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm tm = {0};
    int century, year;

    if (strlen(text) != 29 || text[3] != ',' || strcmp(text + 25, " GMT") != 0)
        return false;
    if (!two_digits(text + 5, &tm.tm_mday) || !two_digits(text + 12, &century) ||
        !two_digits(text + 14, &year) || !two_digits(text + 17, &tm.tm_hour) ||
        !two_digits(text + 20, &tm.tm_min) || !two_digits(text + 23, &tm.tm_sec))
        return false;
    tm.tm_mon = -1;
    for (int i = 0; i < 12; i++) {
        if (strncasecmp(text + 8, months + 3 * i, 3) == 0)
            tm.tm_mon = i;
    }
    if (tm.tm_mon < 0)
        return false;
    tm.tm_year = century * 100 + year - 1900;
    *out = timegm(&tm);
    return true;
}

double wi_retry_after_s(const char *retry_after, const char *retry_after_ms, int64_t now)
{
    double v = number(retry_after_ms, "");
    int64_t at;

    if (!isnan(v))
        return v / 1000.0;
    v = number(retry_after, "");
    if (!isnan(v))
        return v;
    v = number(retry_after, "ms");
    if (!isnan(v))
        return v / 1000.0;
    v = number(retry_after, "s");
    if (!isnan(v))
        return v;
    if (parse_date(retry_after, &at))
        return at > now ? (double)(at - now) : 0.0;
    return -1.0;
}

double wi_retry_backoff_s(const struct wi_retry *r, size_t attempt, double u)
{
    double wait_s = r->base_s * pow(2.0, (double)(attempt > 0 ? attempt - 1 : 0));

    return fmin(wait_s, r->cap_s) * (0.5 + 0.5 * u);
}
