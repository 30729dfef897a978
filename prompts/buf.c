#include "prompts/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct wi_buf *b, size_t more)
{
    size_t cap = b->cap ? b->cap : 256;
    char *grown;

    if (b->failed || more > SIZE_MAX / 4 - b->n) {
        b->failed = true;
        return false;
    }
    if (b->n + more + 1 <= b->cap)
        return true;
    while (cap < b->n + more + 1)
        cap *= 2;
    grown = realloc(b->text, cap);
    if (!grown) {
        b->failed = true;
        return false;
    }
    b->text = grown;
    b->cap = cap;
    return true;
}

void wi_buf_add(struct wi_buf *b, const char *bytes, size_t n)
{
    if (!reserve(b, n))
        return;
    if (n > 0)
        memcpy(b->text + b->n, bytes, n);
    b->n += n;
    b->text[b->n] = '\0';
}

void wi_buf_puts(struct wi_buf *b, const char *text)
{
    wi_buf_add(b, text, strlen(text));
}

void wi_buf_addf(struct wi_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0)
        b->failed = true;
    else if (reserve(b, (size_t)n)) {
        vsnprintf(b->text + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void wi_buf_cut(struct wi_buf *b, size_t n)
{
    if (n < b->n) {
        b->n = n;
        b->text[n] = '\0';
    }
}

enum wi_status wi_buf_take(struct wi_buf *b, char **text, struct wi_err *err)
{
    wi_buf_add(b, "", 0);
    if (b->failed) {
        wi_buf_release(b);
        return wi_fail_nomem(err);
    }
    *text = b->text;
    *b = (struct wi_buf){0};
    return WI_OK;
}

void wi_buf_release(struct wi_buf *b)
{
    free(b->text);
    *b = (struct wi_buf){0};
}

void wi_buf_wipe(struct wi_buf *b)
{
    if (b->text)
        explicit_bzero(b->text, b->cap);
    wi_buf_release(b);
}
