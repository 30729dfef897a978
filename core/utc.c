#include "core/utc.h"

bool wi_utc_format(time_t when, char *out, size_t size)
{
    struct tm tm;

    if (gmtime_r(&when, &tm) && strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
        return true;
    if (size)
        out[0] = '\0';
    return false;
}
