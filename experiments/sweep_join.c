#include "experiments/sweep_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/sweep_out.h"

struct part {
    const char *path;
    bool empty, header;
    uint64_t first, last;          /* scenarios */
    char record[SWEEP_RECORD_MAX]; /* "" = there is none */
};

/* --- one part ----------------------------------------------------------------------------------
 */

static enum wi_status read_record(struct part *p, struct wi_err *err)
{
    char *path = sweep_record_path(p->path);
    FILE *in = path ? fopen(path, "r") : NULL;
    size_t n = in ? fread(p->record, 1, sizeof(p->record) - 1, in) : 0;
    enum wi_status st = path ? WI_OK : wi_fail_nomem(err);

    if (path && !in && errno != ENOENT)
        st = wi_fail(err, WI_EIO, "cannot read '%s': %s", path, strerror(errno));
    p->record[n] = '\0';
    if (in)
        fclose(in);
    free(path);
    return st;
}

/* The last row of a scenario is the bandwidth's. */
static bool ends_scenario(enum wi_sweep_format format, const char *line)
{
    return strstr(line, format == WI_SWEEP_CSV ? "," SWEEP_BANDWIDTH ",,"
                                               : "\"metric\":\"" SWEEP_BANDWIDTH "\"") != NULL;
}

/* One row: it goes on with the scenario before, or begins the next. */
static enum wi_status take_row(struct part *p, enum wi_sweep_format format, const char *line,
                               size_t len, size_t number, bool *complete, struct wi_err *err)
{
    uint64_t index = 0;

    if (line[len - 1] != '\n')
        return wi_fail(err, WI_EDATA,
                       "%s:%zu: the last row is cut off; --resume completes the part", p->path,
                       number);
    if (p->empty && !p->header && format == WI_SWEEP_CSV && strncmp(line, "scenario,", 9) == 0) {
        p->header = true;
        return WI_OK;
    }
    if (!sweep_rows_index(format, line, len, &index))
        return wi_fail(err, WI_EDATA, "%s:%zu: is no row of a sweep", p->path, number);
    if (p->empty)
        p->first = index;
    else if (*complete ? index != p->last + 1 : index != p->last)
        return wi_fail(err, WI_EDATA, "%s:%zu: a row of scenario %llu stands after scenario %llu",
                       p->path, number, (unsigned long long)index, (unsigned long long)p->last);
    p->empty = false;
    p->last = index;
    *complete = ends_scenario(format, line);
    return WI_OK;
}

static enum wi_status check_part(struct part *p, enum wi_sweep_format format, struct wi_err *err)
{
    FILE *in = fopen(p->path, "r");
    char *line = NULL;
    size_t size = 0, number = 0;
    ssize_t len;
    bool complete = true;
    enum wi_status st = WI_OK;

    if (!in)
        return wi_fail(err, WI_EIO, "cannot read '%s': %s", p->path, strerror(errno));
    while (st == WI_OK && (len = getline(&line, &size, in)) > 0)
        st = take_row(p, format, line, (size_t)len, ++number, &complete, err);
    if (st == WI_OK && !feof(in)) /* also where a line finds no memory */
        st = wi_fail(err, WI_EIO, "cannot read '%s': %s", p->path, strerror(errno));
    if (st == WI_OK && !complete)
        st = wi_fail(err, WI_EDATA, "'%s' ends within scenario %llu; --resume completes the part",
                     p->path, (unsigned long long)p->last);
    free(line);
    fclose(in);
    return st == WI_OK ? read_record(p, err) : st;
}

/* --- all parts ---------------------------------------------------------------------------------
 */

static int by_first(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->empty != y->empty)
        return x->empty ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

static enum wi_status missing(uint64_t from, uint64_t to, struct wi_err *err)
{
    return wi_fail(err, WI_EDATA, "no part holds scenarios %llu to %llu", (unsigned long long)from,
                   (unsigned long long)to);
}

/* The parts with rows, in order, are the scenarios 0 to total - 1. */
static enum wi_status check_partition(const struct part *parts, size_t n, uint64_t total,
                                      enum wi_sweep_format format, struct wi_err *err)
{
    uint64_t next = 0;

    for (size_t i = 0; i < n && !parts[i].empty; i++) {
        const struct part *p = &parts[i];

        if (p->first < next)
            return wi_fail(err, WI_EDATA, "'%s' and '%s' overlap: both hold scenario %llu",
                           parts[i - 1].path, p->path, (unsigned long long)p->first);
        if (p->first > next)
            return missing(next, p->first - 1, err);
        if (p->last >= total)
            return wi_fail(err, WI_EDATA, "'%s' holds scenario %llu, the spec has %llu", p->path,
                           (unsigned long long)p->last, (unsigned long long)total);
        if (format == WI_SWEEP_CSV && p->header != (p->first == 0))
            return wi_fail(err, WI_EDATA, "'%s' %s", p->path,
                           p->header ? "begins with a header, which only the first part has"
                                     : "has no header, which the first part must have");
        next = p->last + 1;
    }
    return next == total ? WI_OK : missing(next, total - 1, err);
}

/* Parts of one sweep agree in everything but which part they are. */
static enum wi_status check_records(const struct part *parts, size_t n, const char *spec_sha256,
                                    struct wi_err *err)
{
    const struct part *known = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct part *p = &parts[i];
        const char *meaning;
        size_t len = 0;
        const char *spec = sweep_record_value(p->record, "spec", &len);

        if (!*p->record)
            continue;
        if (!spec || len != strlen(spec_sha256) || memcmp(spec, spec_sha256, len) != 0)
            return wi_fail(err, WI_EDATA, "'%s' was begun with another spec", p->path);
        meaning = known ? sweep_record_difference(known->record, p->record, true) : NULL;
        if (meaning)
            return wi_fail(err, WI_EDATA, "'%s' was begun %s than '%s'", p->path, meaning,
                           known->path);
        known = known ? known : p;
    }
    return WI_OK;
}

static enum wi_status copy(const char *path, FILE *out, struct wi_err *err)
{
    FILE *in = fopen(path, "r");
    char bytes[1 << 16];
    size_t n;
    enum wi_status st = WI_OK;

    if (!in)
        return wi_fail(err, WI_EIO, "cannot read '%s': %s", path, strerror(errno));
    while (st == WI_OK && (n = fread(bytes, 1, sizeof(bytes), in)) > 0) {
        if (fwrite(bytes, 1, n, out) != n)
            st = wi_fail(err, WI_EIO, "cannot write: %s", strerror(errno));
    }
    if (st == WI_OK && ferror(in))
        st = wi_fail(err, WI_EIO, "cannot read '%s': %s", path, strerror(errno));
    fclose(in);
    return st;
}

enum wi_status wi_sweep_join(const struct wi_sweep_spec *spec, enum wi_sweep_format format,
                             char *const *paths, size_t n, FILE *out, struct wi_err *err)
{
    struct part *parts;
    enum wi_status st = WI_OK;

    if (n > WI_SWEEP_PARTS_MAX)
        return wi_fail(err, WI_EDATA, "%zu parts, at most %d", n, WI_SWEEP_PARTS_MAX);
    parts = calloc(n + 1, sizeof(*parts));
    if (!parts)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < n && st == WI_OK; i++) {
        parts[i] = (struct part){.path = paths[i], .empty = true};
        st = check_part(&parts[i], format, err);
    }
    if (st == WI_OK)
        st = check_records(parts, n, wi_sweep_spec_sha256(spec), err);
    qsort(parts, n, sizeof(*parts), by_first);
    if (st == WI_OK)
        st = check_partition(parts, n, wi_sweep_size(spec), format, err);
    for (size_t i = 0; i < n && st == WI_OK && !parts[i].empty; i++)
        st = copy(parts[i].path, out, err);
    free(parts);
    return st;
}
