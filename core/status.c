#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>

enum wi_status wi_fail(struct wi_err *err, enum wi_status st, const char *fmt, ...)
{
    va_list ap;

    if (!err)
        return st;
    err->status = st;
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
    va_end(ap);
    /* A message is one line, whatever file name or reply it quotes. */
    for (char *p = err->msg; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    }
    return st;
}

enum wi_status wi_fail_nomem(struct wi_err *err)
{
    return wi_fail(err, WI_ENOMEM, "out of memory");
}

const char *wi_status_name(enum wi_status st)
{
    static const char *const names[] = {"ok",    "io",       "busy", "memory",  "usage",    "data",
                                        "range", "notfound", "net",  "numeric", "cancelled"};

    if ((size_t)st >= sizeof(names) / sizeof(names[0]))
        return "unknown";
    return names[st];
}
