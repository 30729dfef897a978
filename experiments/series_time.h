/*
 * Times as loggers write them.
 */
#ifndef WI_EXPERIMENTS_SERIES_TIME_H
#define WI_EXPERIMENTS_SERIES_TIME_H

#include <stdbool.h>

enum wi_time_kind {
    WI_TIME_BAD,       /* not a time */
    WI_TIME_AMBIGUOUS, /* 03/04/2026: day or month first? */
    WI_TIME_ZONED,     /* seconds since 1970, zone stated or epoch */
    WI_TIME_LOCAL,     /* seconds since 1970 as if the clock were UTC */
    WI_TIME_RELATIVE   /* seconds from some start */
};

/*
 * "2026-03-01T12:00:00.5+01:00", "2026/03/01 12:00", "01.03.2026 12:00", "03/01/2026 2:05 PM",
 * "1767533686", "1767533686000" (epoch of s, ms, us or ns by its size), "12.5" (relative).
 *
 * in:   date_order   'd', 'm' or 0, for dates with slashes whose order is not plain
 */
enum wi_time_kind wi_time_parse(const char *text, char date_order, double *time_s);

/*
 * The same for a column of a long file: the date of the row before is remembered, so that most rows
 * cost six digits. Start with a zeroed cache.
 */
struct wi_time_cache {
    char date[10]; /* "2026-03-01" */
    double date_s;
};
enum wi_time_kind wi_time_parse_next(struct wi_time_cache *cache, const char *text, char date_order,
                                     double *time_s);

/* Time of day alone, "12:00", "2:05:30 PM": seconds since midnight. */
bool wi_clock_parse(const char *text, double *seconds);

/* Days from 1970-01-01 to a date of the Gregorian calendar; false for a date that is none. */
bool wi_days_from_date(int year, int month, int day, double *days);

#endif
