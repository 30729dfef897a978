#include "experiments/csv_start.h"

#include <stdbool.h>
#include <string.h>

static enum wi_status refuse_foreign(const char *name, const char *advice, const char *p, size_t n,
                                     struct wi_err *err)
{
    if (n >= 4 && memcmp(p, "PK\x03\x04", 4) == 0)
        return wi_fail(err, WI_EDATA,
                       "%s: this is a spreadsheet (.xlsx, .ods): save the sheet as CSV and import "
                       "that%s",
                       name, advice);
    if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return wi_fail(err, WI_EDATA, "%s: this is UTF-16: save it as UTF-8", name);
    return WI_OK;
}

static char find_delimiter(const char *p, size_t n)
{
    static const char candidates[] = {';', '\t', '|', ','};
    size_t counts[sizeof(candidates)] = {0};
    bool quoted = false;

    while (n && *p == '#') {
        const char *end = memchr(p, '\n', n);

        if (!end)
            return ',';
        n -= (size_t)(end + 1 - p);
        p = end + 1;
    }
    for (size_t i = 0; i < n && p[i] != '\n'; i++) {
        quoted = quoted != (p[i] == '"');
        for (size_t c = 0; c < sizeof(candidates) && !quoted; c++)
            counts[c] += p[i] == candidates[c];
    }
    for (size_t c = 0; c < sizeof(candidates); c++) {
        if (counts[c])
            return candidates[c];
    }
    return ',';
}

enum wi_status wi_csv_refuse_nul(const char *name, double n_rows, const char *bytes, size_t n,
                                 struct wi_err *err)
{
    if (n && memchr(bytes, '\0', n))
        return wi_fail(err, WI_EDATA, "%s: a NUL byte after %.0f rows: this is no text file", name,
                       n_rows);
    return WI_OK;
}

enum wi_status wi_csv_start(const char *name, const char *advice, const char *bytes, size_t n,
                            char *delimiter, size_t *n_skip, struct wi_err *err)
{
    enum wi_status st = refuse_foreign(name, advice, bytes, n, err);

    if (st == WI_OK) /* after the others, which have such bytes */
        st = wi_csv_refuse_nul(name, 0.0, bytes, n, err);
    if (st != WI_OK)
        return st;
    *n_skip = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *delimiter = find_delimiter(bytes + *n_skip, n - *n_skip);
    return WI_OK;
}
