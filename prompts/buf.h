/*
 * A growing text. Failed allocations are remembered, so that a series of additions is checked once.
 */
#ifndef WI_PROMPTS_BUF_H
#define WI_PROMPTS_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct wi_buf {
    char *text; /* NUL-terminated once something was added; NULL before */
    size_t n;   /* bytes without the NUL */
    size_t cap;
    bool failed;
};

void wi_buf_add(struct wi_buf *b, const char *bytes, size_t n);
void wi_buf_puts(struct wi_buf *b, const char *text);
void wi_buf_addf(struct wi_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Shorten to n bytes. */
void wi_buf_cut(struct wi_buf *b, size_t n);

/*
 * Hand the text over ("" if nothing was added) and reset the buffer.
 * returns WI_OK; WI_ENOMEM if any addition failed, the buffer is then released
 */
enum wi_status wi_buf_take(struct wi_buf *b, char **text, struct wi_err *err);
void wi_buf_release(struct wi_buf *b);
void wi_buf_wipe(struct wi_buf *b); /* release after overwriting: for secrets */

#endif
