/*
 * A list of scenarios: CSV or JSON lines. It is read twice: once as a whole, to check and count it,
 * then block by block as the sweep needs it, so that its length costs no memory.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/csv_read.h"
#include "core/json.h"
#include "experiments/sweep_parts.h"

#define ROWS_PER_MARK 128
#define COLUMNS_MAX 64

struct sweep_list {
    char *name;
    int fd; /* the file, or a copy of a stream */
    bool is_json;
    const struct sweep_field *columns[COLUMNS_MAX];
    size_t n_columns;
    uint64_t n_rows;
    /* Offsets of rows 0, 128, 256, ...; and where the last row ends. */
    off_t *marks;
    size_t n_marks, size;
    off_t end;
    char sha256[WI_SHA256_HEX];
};

/* One reading: all rows for the check, or `n` rows from `skip` on. */
struct reading {
    struct wi_sweep_spec *spec; /* whose `fields` grow; NULL in later readings */
    const struct wi_scenario *base;
    struct sweep_list *list;
    struct wi_scenario *out; /* NULL = count only */
    size_t skip, n, n_done;
};

uint64_t sweep_list_size(const struct sweep_list *list)
{
    return list ? list->n_rows : 0;
}

const char *sweep_list_sha256(const struct sweep_list *list)
{
    return list ? list->sha256 : "-";
}

void sweep_list_free(struct sweep_list *list)
{
    if (!list)
        return;
    if (list->fd >= 0)
        close(list->fd);
    free(list->name);
    free(list->marks);
    free(list);
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* A row was read: keep it where it is wanted. */
static enum wi_status keep(struct reading *r, struct wi_scenario *s, size_t line,
                           struct wi_err *err)
{
    struct wi_err inner = {0};
    enum wi_status st = wi_scenario_complete(s, &inner);

    if (st != WI_OK)
        return wi_fail(err, st, "%s:%zu: %s", r->list->name, line, inner.msg);
    if (r->out)
        r->out[r->n_done] = *s;
    r->n_done++;
    return WI_OK;
}

/* Whether the row at hand is outside of what this reading wants. */
static bool pass_over(struct reading *r)
{
    if (r->skip) {
        r->skip--;
        return true;
    }
    return r->n_done == r->n;
}

static enum wi_status read_header(struct reading *r, char *const *fields, size_t n,
                                  struct wi_err *err)
{
    struct sweep_list *list = r->list;

    if (n > COLUMNS_MAX)
        return wi_fail(err, WI_EDATA, "%s:1: %zu columns, at most %d", list->name, n, COLUMNS_MAX);
    for (size_t i = 0; i < n; i++) {
        const char *name = fields[i];

        if (i == 0 && strncmp(name, "\xef\xbb\xbf", 3) == 0)
            name += 3;
        list->columns[i] = sweep_field_find(name);
        if (!list->columns[i])
            return wi_fail(err, WI_EDATA, "%s:1: column '%.60s' is no scenario field", list->name,
                           name);
        for (size_t k = 0; k < i; k++) {
            if (list->columns[k] == list->columns[i])
                return wi_fail(err, WI_EDATA, "%s:1: column '%.60s' stands twice", list->name,
                               name);
        }
        r->spec->fields |= sweep_field_bit(list->columns[i]);
    }
    list->n_columns = n;
    return WI_OK;
}

static enum wi_status read_cell(const struct sweep_field *f, const char *text, const char *place,
                                struct wi_scenario *s, struct wi_err *err)
{
    double number = NAN;

    if (f->kind == SWEEP_NUMBER) {
        char *end = NULL;
        enum wi_status st;

        errno = 0;
        number = strtod(text, &end);
        if (end == text || *end || errno == ERANGE)
            return wi_fail(err, WI_EDATA, "%s: '%.60s' is not a number", place, text);
        st = sweep_check_number(f, number, place, err);
        if (st != WI_OK)
            return st;
    }
    return sweep_apply(f, s, number, text, place, err);
}

static enum wi_status read_row(void *ctx, size_t line, char *const *fields, size_t n,
                               struct wi_err *err)
{
    struct reading *r = ctx;
    const struct sweep_list *list = r->list;
    struct wi_scenario s = *r->base;

    if (!list->n_columns)
        return read_header(r, fields, n, err);
    if (pass_over(r))
        return WI_OK;
    if (n != list->n_columns)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu fields, the header has %zu", list->name, line, n,
                       list->n_columns);
    for (size_t i = 0; i < n; i++) {
        char place[256];
        enum wi_status st;

        if (!*fields[i])
            continue; /* an empty cell leaves the field as in base */
        snprintf(place, sizeof(place), "%.120s:%zu: %s", list->name, line, list->columns[i]->name);
        st = read_cell(list->columns[i], fields[i], place, &s, err);
        if (st != WI_OK)
            return st;
    }
    return keep(r, &s, line, err);
}

static enum wi_status read_json_line(struct reading *r, const char *text, size_t len, size_t line,
                                     struct wi_err *err)
{
    struct wi_scenario s = *r->base;
    char place[192];
    cJSON *obj = NULL;
    enum wi_status st;

    if (!text[strspn(text, " \t\r\n")] || pass_over(r))
        return WI_OK;
    snprintf(place, sizeof(place), "%.120s:%zu", r->list->name, line);
    st = wi_json_parse(text, len, place, &obj, err);
    if (st == WI_OK && !cJSON_IsObject(obj))
        st = wi_fail(err, WI_EDATA, "%s: must be an object", place);
    for (const cJSON *item = st == WI_OK ? obj->child : NULL; item && st == WI_OK;
         item = item->next) {
        st = sweep_apply_json(item, place, &s, err);
        if (st == WI_OK && r->spec)
            r->spec->fields |= sweep_field_bit(sweep_field_find(item->string));
    }
    cJSON_Delete(obj);
    return st == WI_OK ? keep(r, &s, line, err) : st;
}

/* --- the first reading -------------------------------------------------------------------------
 */

/* Remember where a row begins that is the first, the 129th, the 257th, ... */
static enum wi_status mark(struct reading *r, struct wi_err *err)
{
    struct sweep_list *list = r->list;

    if ((!list->is_json && !list->n_columns) || r->n_done % ROWS_PER_MARK != 0 ||
        list->n_marks > r->n_done / ROWS_PER_MARK)
        return WI_OK;
    if (list->n_marks == list->size) {
        size_t size = list->size ? 2 * list->size : 64;
        off_t *marks = realloc(list->marks, size * sizeof(*marks));

        if (!marks)
            return wi_fail_nomem(err);
        list->marks = marks;
        list->size = size;
    }
    list->marks[list->n_marks++] = list->end;
    return WI_OK;
}

static bool begins_object(const char *text)
{
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    return text[strspn(text, " \t")] == '{';
}

/*
 * A line of CSV, whose rows may also end in a carriage return alone: row by row, so that each can
 * be marked.
 */
static enum wi_status feed_csv(struct reading *r, const char *text, size_t n, struct wi_csv *csv,
                               struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t at = 0; at < n && st == WI_OK;) {
        const char *cr = memchr(text + at, '\r', n - at);
        size_t len = cr ? (size_t)(cr - text) + 1 - at : n - at;

        st = mark(r, err);
        if (st == WI_OK)
            st = wi_csv_feed(csv, text + at, len, err);
        r->list->end += (off_t)len;
        at += len;
    }
    return st;
}

static enum wi_status feed_json(struct reading *r, const char *text, size_t n, size_t line,
                                struct wi_err *err)
{
    enum wi_status st = mark(r, err);

    if (st == WI_OK)
        st = read_json_line(r, text, n, line, err);
    r->list->end += (off_t)n;
    return st;
}

/* All lines of in; copy != NULL gets them too. */
static enum wi_status read_lines(struct reading *r, FILE *in, FILE *copy,
                                 struct wi_sha256_state *digest, struct wi_csv *csv,
                                 struct wi_err *err)
{
    struct sweep_list *list = r->list;
    char *text = NULL;
    size_t size = 0;
    size_t line = 0;
    ssize_t len;
    enum wi_status st = WI_OK;

    while (st == WI_OK && (len = getline(&text, &size, in)) > 0) {
        size_t n = (size_t)len;

        if (line++ == 0)
            list->is_json = begins_object(text);
        wi_sha256_add(digest, text, n);
        if (copy && fwrite(text, 1, n, copy) != n)
            st = wi_fail(err, WI_EIO, "cannot copy '%s' to a temporary file: %s", list->name,
                         strerror(errno));
        if (st == WI_OK)
            st = list->is_json ? feed_json(r, text, n, line, err) : feed_csv(r, text, n, csv, err);
    }
    if (st == WI_OK && !feof(in)) /* also where a line finds no memory */
        st = wi_fail(err, WI_EIO, "cannot read '%s': %s", list->name, strerror(errno));
    if (st == WI_OK && !list->is_json)
        st = wi_csv_finish(csv, err);
    free(text);
    return st;
}

static enum wi_status first_reading(struct reading *r, FILE *in, FILE *copy, struct wi_err *err)
{
    struct wi_csv *csv = NULL;
    struct wi_sha256_state *digest = NULL;
    enum wi_status st = wi_csv_new(r->list->name, NULL, read_row, r, &csv, err);

    if (st == WI_OK)
        st = wi_sha256_new(&digest, err);
    if (st == WI_OK)
        st = read_lines(r, in, copy, digest, csv, err);
    if (digest)
        wi_sha256_finish(digest, r->list->sha256);
    wi_csv_free(csv);
    r->list->n_rows = r->n_done;
    if (st == WI_OK && r->n_done == 0)
        st = wi_fail(err, WI_EDATA, "%s: the list holds no scenario", r->list->name);
    return st;
}

/* The file itself where it can be read again, else a copy. */
static enum wi_status open_source(struct sweep_list *list, FILE *in, FILE **copy,
                                  struct wi_err *err)
{
    struct stat info;
    off_t at = ftello(in);

    if (fstat(fileno(in), &info) == 0 && S_ISREG(info.st_mode) && at >= 0) {
        list->end = at; /* standard input may have been read before */
        list->fd = fcntl(fileno(in), F_DUPFD_CLOEXEC, 0);
    } else {
        *copy = tmpfile();
        if (*copy)
            list->fd = fcntl(fileno(*copy), F_DUPFD_CLOEXEC, 0);
    }
    return list->fd >= 0
               ? WI_OK
               : wi_fail(err, WI_EIO, "cannot keep '%s': %s", list->name, strerror(errno));
}

enum wi_status wi_sweep_read_list(struct wi_sweep_spec *spec, FILE *in, const char *name,
                                  struct wi_err *err)
{
    struct sweep_list *list = calloc(1, sizeof(*list));
    struct reading r = {.spec = spec, .base = &spec->base, .list = list, .n = SIZE_MAX};
    FILE *copy = NULL;
    enum wi_status st;

    if (!list)
        return wi_fail_nomem(err);
    list->fd = -1;
    list->name = strdup(name);
    st = list->name ? open_source(list, in, &copy, err) : wi_fail_nomem(err);
    if (st == WI_OK)
        st = first_reading(&r, in, copy, err);
    if (copy && fclose(copy) != 0 && st == WI_OK)
        st =
            wi_fail(err, WI_EIO, "cannot copy '%s' to a temporary file: %s", name, strerror(errno));
    if (st != WI_OK) {
        sweep_list_free(list);
        return st;
    }
    sweep_list_free(spec->list);
    spec->list = list;
    return WI_OK;
}

/* --- later readings ----------------------------------------------------------------------------
 */

static enum wi_status load(const struct sweep_list *list, off_t from, off_t to, char **bytes,
                           struct wi_err *err)
{
    size_t want = (size_t)(to - from);
    size_t n = 0;

    *bytes = malloc(want + 1);
    if (!*bytes)
        return wi_fail_nomem(err);
    while (n < want) {
        ssize_t got = pread(list->fd, *bytes + n, want - n, from + (off_t)n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return wi_fail(err, WI_EIO, "cannot read '%s': %s", list->name, strerror(errno));
        if (got == 0)
            return wi_fail(err, WI_EIO, "'%s' became shorter while it was read", list->name);
        n += (size_t)got;
    }
    (*bytes)[n] = '\0';
    return WI_OK;
}

static enum wi_status parse_json_lines(struct reading *r, char *bytes, size_t n, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t at = 0; at < n && st == WI_OK;) {
        size_t len = strcspn(bytes + at, "\n");

        bytes[at + len] = '\0';
        st = read_json_line(r, bytes + at, len, 0, err);
        at += len + 1;
    }
    return st;
}

enum wi_status sweep_list_read(const struct wi_sweep_spec *spec, uint64_t first, size_t n,
                               struct wi_scenario *out, struct wi_err *err)
{
    struct sweep_list *list = spec->list;
    struct reading r = {.base = &spec->base,
                        .list = list,
                        .out = out,
                        .skip = (size_t)(first % ROWS_PER_MARK),
                        .n = n};
    size_t mark_from = (size_t)(first / ROWS_PER_MARK);
    size_t mark_to = (size_t)((first + n - 1) / ROWS_PER_MARK) + 1;
    off_t from = list->marks[mark_from];
    off_t to = mark_to < list->n_marks ? list->marks[mark_to] : list->end;
    char *bytes = NULL;
    enum wi_status st = load(list, from, to, &bytes, err);

    if (st == WI_OK && list->is_json)
        st = parse_json_lines(&r, bytes, (size_t)(to - from), err);
    else if (st == WI_OK)
        st = wi_csv_parse(list->name, bytes, (size_t)(to - from), NULL, read_row, &r, err);
    free(bytes);
    if (st == WI_OK && r.n_done < n)
        st = wi_fail(err, WI_EIO, "'%s' changed while it was read", list->name);
    return st;
}
