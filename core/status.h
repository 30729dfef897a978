/*
 * Status codes and error messages: the way every fallible function of the library reports.
 */
#ifndef WI_CORE_STATUS_H
#define WI_CORE_STATUS_H

#include <stddef.h>

enum wi_status {
    WI_OK = 0,
    WI_EIO,       /* reading or writing failed: permission, disk full, no such file */
    WI_EBUSY,     /* somebody else holds the database for longer than the busy timeout */
    WI_ENOMEM,    /* an allocation failed */
    WI_EUSAGE,    /* the caller asked for something the interface does not offer */
    WI_EDATA,     /* what was given is malformed: question text, file, spec, database content */
    WI_ERANGE,    /* a value is outside the range that is allowed */
    WI_ENOTFOUND, /* no such item */
    WI_ENET,      /* endpoint or key: unreachable, refused, or its reply unusable */
    WI_ENUMERIC,  /* a computation has no usable result: singular matrix, no convergence */
    WI_ECANCEL    /* interrupted by the user; what was finished is kept */
};

#define WI_ERR_MAX 768

/* One error: the status and one line of text, lower case, no full stop, problem first. */
struct wi_err {
    enum wi_status status;
    char msg[WI_ERR_MAX];
};

/*
 * Record an error and return its status, so that a failure is one statement: return wi_fail(...).
 *
 * in:   st    the status, not WI_OK
 *       fmt   printf format of the message; text is cut at WI_ERR_MAX - 1 bytes, and control
 *             characters are replaced by '?', since messages quote data from outside
 * out:  err   may be NULL
 * returns st
 */
enum wi_status wi_fail(struct wi_err *err, enum wi_status st, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The message for "out of memory", written once. Returns WI_ENOMEM. */
enum wi_status wi_fail_nomem(struct wi_err *err);

/* A short fixed name of a status ("io", "busy", ...), for logs and tests. */
const char *wi_status_name(enum wi_status st);

#endif
