/*
 * Times as text.
 */
#ifndef WI_CORE_UTC_H
#define WI_CORE_UTC_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* "2026-03-01T12:00:00Z"; "" and false where the year or the room does not allow it. */
bool wi_utc_format(time_t when, char *out, size_t size);

#endif
