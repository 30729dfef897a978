#include "experiments/json_find.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/limits.h"

static bool starts_document(const char *text, size_t len, size_t i)
{
    for (i++; i < len && isspace((unsigned char)text[i]); i++)
        ;
    return i < len && (text[i] == '"' || text[i] == '}');
}

/* Bytes of a non-finite number at text[i], 0 if there is none. The sign stands before it. */
static size_t non_finite_len(const char *text, size_t len, size_t i)
{
    static const char *const words[] = {"nan",      "NaN", "NAN", "infinity",
                                        "Infinity", "inf", "Inf", "INF"};

    for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
        size_t n = strlen(words[w]);

        if (len - i >= n && memcmp(text + i, words[w], n) == 0)
            return n;
    }
    return 0;
}

/* Past the end of the string that starts at text[i]; len if it does not end. */
static size_t skip_string(const char *text, size_t len, size_t i)
{
    for (i++; i < len; i++) {
        const char *quote = memchr(text + i, '"', len - i);
        size_t end = quote ? (size_t)(quote - text) : len;
        size_t n_back = 0;

        while (end > i + n_back && text[end - 1 - n_back] == '\\')
            n_back++;
        if (n_back % 2 == 0 || end == len)
            return end < len ? end + 1 : len;
        i = end;
    }
    return len;
}

static size_t count_lines(const char *text, size_t len)
{
    size_t n = 0;
    const char *p = text;
    const char *end = text + len;

    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        n++;
        p++;
    }
    return n;
}

/* Walk one document from its '{'. Returns the offset past it, or len with *open > 0. */
static size_t walk(const char *text, size_t len, size_t i, size_t depth_max, size_t *open,
                   size_t *n_non_finite)
{
    size_t depth = 0;

    while (i < len) {
        switch (text[i]) {
        case '"':
            i = skip_string(text, len, i);
            continue;
        case '{':
        case '[':
            if (++depth > depth_max) {
                *open = depth;
                return i;
            }
            break;
        case '}':
        case ']':
            if (--depth == 0) {
                *open = 0;
                return i + 1;
            }
            break;
        case 'n':
        case 'N':
        case 'i':
        case 'I':
            if (non_finite_len(text, len, i))
                (*n_non_finite)++;
            break;
        default:
            break;
        }
        i++;
    }
    *open = depth;
    return len;
}

enum wi_status wi_json_find_last(const char *text, size_t len, const char *name, size_t depth_max,
                                 struct wi_json_span *span, struct wi_err *err)
{
    size_t i = 0;

    *span = (struct wi_json_span){0};
    if (memchr(text, '\0', len))
        return wi_fail(
            err, WI_EDATA, "%s:%zu: a NUL byte: this is no text file", name,
            1 + count_lines(text, (size_t)((const char *)memchr(text, '\0', len) - text)));
    while (i < len) {
        const char *brace = memchr(text + i, '{', len - i);
        size_t open = 0;
        size_t n_bad = 0;
        size_t end;

        if (!brace)
            break;
        i = (size_t)(brace - text);
        if (!starts_document(text, len, i)) {
            i++;
            continue;
        }
        end = walk(text, len, i, depth_max, &open, &n_bad);
        if (open > depth_max)
            return wi_fail(err, WI_EDATA, "%s:%zu: nested deeper than %zu levels", name,
                           1 + count_lines(text, end), depth_max);
        if (open) {
            span->cut_off = true;
            span->cut_line = 1 + count_lines(text, len);
            span->n_open = open;
            break;
        }
        span->start = i;
        span->len = end - i;
        span->n_non_finite = n_bad;
        span->n_complete++;
        i = end;
    }
    span->line = span->len ? 1 + count_lines(text, span->start) : 0;
    return WI_OK;
}

enum wi_status wi_json_null_non_finite(const char *text, size_t len, char **copy, size_t *n,
                                       struct wi_err *err)
{
    char *out = malloc(2 * len + 1); /* "nan" becomes "null" */
    size_t k = 0;
    size_t i = 0;

    if (!out)
        return wi_fail_nomem(err);
    while (i < len) {
        size_t word;

        if (text[i] == '"') {
            size_t end = skip_string(text, len, i);

            memcpy(out + k, text + i, end - i);
            k += end - i;
            i = end;
            continue;
        }
        word = non_finite_len(text, len, i);
        if (!word) {
            out[k++] = text[i++];
            continue;
        }
        if (k && (out[k - 1] == '-' || out[k - 1] == '+'))
            k--;
        memcpy(out + k, "null", 4);
        k += 4;
        i += word;
    }
    out[k] = '\0';
    *copy = out;
    *n = k;
    return WI_OK;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!strchr(" \t\r\n\xef\xbb\xbf", text[i])) /* a BOM is no content */
            return false;
    }
    return true;
}

static enum wi_status refuse(const char *text, size_t len, const char *name, const char *hint,
                             const struct wi_json_span *span, struct wi_err *err)
{
    if (is_blank(text, len))
        return wi_fail(err, WI_EDATA, "%s: empty: the tool was stopped before it wrote its result",
                       name);
    if (span->cut_off)
        return wi_fail(err, WI_EDATA, "%s:%zu: cut off: the text ends with %zu brackets open", name,
                       span->cut_line, span->n_open);
    return wi_fail(err, WI_EDATA, "%s: no JSON object in it: %s", name, hint);
}

static enum wi_status parse_span(const char *text, const struct wi_json_span *span,
                                 const char *name, struct cJSON **json, struct wi_err *err)
{
    char *copy = NULL;
    size_t n = span->len;
    size_t used;
    enum wi_status st = WI_OK;

    text += span->start;
    if (span->n_non_finite) {
        st = wi_json_null_non_finite(text, span->len, &copy, &n, err);
        text = copy;
    }
    if (st == WI_OK)
        st = wi_json_parse_foreign(text, n, name, json, &used, err);
    free(copy);
    return st;
}

enum wi_status wi_json_parse_last(const char *text, size_t len, const char *name, size_t depth_max,
                                  const char *hint, struct cJSON **json, struct wi_json_span *span,
                                  struct wi_err *err)
{
    enum wi_status st;

    if (len > WI_JSON_BYTES_MAX)
        return wi_fail(err, WI_EDATA, "%s: %zu bytes, at most %u are read", name, len,
                       WI_JSON_BYTES_MAX);
    st = wi_json_find_last(text, len, name, depth_max, span, err);
    if (st == WI_OK && !span->len)
        st = refuse(text, len, name, hint, span, err);
    if (st == WI_OK)
        st = parse_span(text, span, name, json, err);
    return st;
}
