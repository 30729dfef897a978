/*
 * When a failed request is worth another try, and how long to wait before it.
 */
#ifndef WI_PROMPTS_RETRY_H
#define WI_PROMPTS_RETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wi_retry {
    size_t n_max;  /* tries after the first one */
    double base_s; /* first wait, doubled each time, > 0 */
    double cap_s;  /* longest wait, also of a Retry-After */
};

/* 408, 409, 429, 5xx, or a connection that broke. */
bool wi_retry_is_worth(int http_status, bool lost);

/*
 * Seconds that a server asks to wait.
 *
 * in:   retry_after      "120", "1.5", "800ms" or an HTTP date (RFC 9110, 5.6.7, IMF-fixdate)
 *       retry_after_ms   value of retry-after-ms, in milliseconds; wins over the other
 *       now              seconds since 1970
 * returns >= 0; -1 where nothing usable is said
 */
double wi_retry_after_s(const char *retry_after, const char *retry_after_ms, int64_t now);

/*
 * Seconds to wait before try number `attempt` (1 = the first repetition) when the server says
 * nothing: exponential with full jitter over its upper half, so that clients do not meet again.
 * in:   u   uniform in [0, 1)
 */
double wi_retry_backoff_s(const struct wi_retry *r, size_t attempt, double u);

#endif
