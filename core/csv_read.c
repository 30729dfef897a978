#include "core/csv_read.h"

#include <csv.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROW_MAX_DEFAULT (1u << 20)
#define FIELDS_MAX_DEFAULT 4096u
#define BLOCK 65536u /* by which libcsv's buffer grows; its own 128 bytes make long fields slow */

/* The fields of the current row stand one after another in `text`; `starts` are their offsets. */
struct wi_csv {
    struct csv_parser parser;
    const char *name;
    wi_csv_row_fn row;
    void *ctx;
    size_t row_max, n_fields_max;
    char *text;
    size_t n_text, text_size;
    size_t *starts;
    char **fields;
    size_t n_fields, fields_size;
    size_t line, row_line;
    enum wi_status st;
    struct wi_err err;
};

static bool grow(struct wi_csv *csv, size_t need)
{
    size_t size = csv->text_size ? csv->text_size : 1024;
    char *text;

    if (need <= csv->text_size)
        return true;
    while (size < need)
        size *= 2;
    text = realloc(csv->text, size);
    if (!text)
        return false;
    csv->text = text;
    csv->text_size = size;
    return true;
}

static bool grow_fields(struct wi_csv *csv)
{
    size_t size = csv->fields_size ? 2 * csv->fields_size : 32;
    size_t *starts = realloc(csv->starts, size * sizeof(*starts));
    char **fields;

    if (!starts)
        return false;
    csv->starts = starts;
    fields = realloc(csv->fields, size * sizeof(*fields));
    if (!fields)
        return false;
    csv->fields = fields;
    csv->fields_size = size;
    return true;
}

static void on_field(void *bytes, size_t n, void *data)
{
    struct wi_csv *csv = data;

    if (csv->st != WI_OK)
        return;
    if (csv->n_fields >= csv->n_fields_max || csv->n_text + n > csv->row_max) {
        csv->st = wi_fail(&csv->err, WI_EDATA, "%s:%zu: row longer than %zu bytes or %zu fields",
                          csv->name, csv->row_line, csv->row_max, csv->n_fields_max);
        return;
    }
    if ((csv->n_fields == csv->fields_size && !grow_fields(csv)) ||
        !grow(csv, csv->n_text + n + 1)) {
        csv->st = wi_fail_nomem(&csv->err);
        return;
    }
    csv->starts[csv->n_fields++] = csv->n_text;
    if (n)
        memcpy(csv->text + csv->n_text, bytes, n);
    csv->text[csv->n_text + n] = '\0';
    csv->n_text += n + 1;
}

static void on_row(int c, void *data)
{
    struct wi_csv *csv = data;

    (void)c;
    if (csv->st == WI_OK && csv->n_fields) {
        for (size_t i = 0; i < csv->n_fields; i++)
            csv->fields[i] = csv->text + csv->starts[i];
        csv->st = csv->row(csv->ctx, csv->row_line, csv->fields, csv->n_fields, &csv->err);
    }
    csv->n_fields = 0;
    csv->n_text = 0;
}

enum wi_status wi_csv_new(const char *name, const struct wi_csv_options *opt, wi_csv_row_fn row,
                          void *ctx, struct wi_csv **out, struct wi_err *err)
{
    struct wi_csv *csv = calloc(1, sizeof(*csv));

    if (!csv || csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0) {
        free(csv);
        return wi_fail_nomem(err);
    }
    csv->name = name;
    csv->row = row;
    csv->ctx = ctx;
    csv->row_max = opt && opt->row_max ? opt->row_max : ROW_MAX_DEFAULT;
    csv->n_fields_max = opt && opt->n_fields_max ? opt->n_fields_max : FIELDS_MAX_DEFAULT;
    csv_set_blk_size(&csv->parser, BLOCK);
    if (opt && opt->delimiter)
        csv_set_delim(&csv->parser, (unsigned char)opt->delimiter);
    csv->line = 1;
    *out = csv;
    return WI_OK;
}

static enum wi_status finish_call(struct wi_csv *csv, struct wi_err *err)
{
    int code = csv_error(&csv->parser);

    if (csv->st == WI_OK && code != CSV_SUCCESS)
        csv->st = code == CSV_ENOMEM || code == CSV_ETOOBIG
                      ? wi_fail_nomem(&csv->err)
                      : wi_fail(&csv->err, WI_EDATA, "%s:%zu: stray or missing double quote",
                                csv->name, csv->row_line ? csv->row_line : csv->line);
    if (csv->st != WI_OK && err)
        *err = csv->err;
    return csv->st;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/*
 * A whole line without a quotation mark needs no state machine: cut at the delimiters, blanks
 * around a field dropped, as libcsv does. Five times as fast, and most lines of a long file are
 * such.
 */
static void split_plain(struct wi_csv *csv, const char *line, size_t n)
{
    const char *end = line + n;
    const char delimiter = (char)csv_get_delim(&csv->parser);

    while (line < end && is_blank(*line) && *line != delimiter)
        line++;
    if (line == end)
        return; /* libcsv skips empty lines, too */
    for (;;) {
        const char *stop = memchr(line, delimiter, (size_t)(end - line));
        const char *last = stop ? stop : end;
        const char *from = line;

        while (from < last && is_blank(*from))
            from++;
        while (last > from && is_blank(last[-1]))
            last--;
        on_field((void *)from, (size_t)(last - from), csv);
        if (!stop)
            break;
        line = stop + 1;
    }
    on_row('\n', csv);
}

/* The length of a line without its end; SIZE_MAX where libcsv has to read it. */
static size_t plain_length(const char *bytes, size_t part)
{
    size_t n = part - 1; /* the newline */

    if (n && bytes[n - 1] == '\r')
        n--;
    return memchr(bytes, '"', n) || memchr(bytes, '\r', n) ? SIZE_MAX : n;
}

/*
 * libcsv keeps no line numbers. Feeding it one line at a time costs nothing measurable (its inner
 * loop is per byte anyway) and gives every row the line it starts on.
 */
enum wi_status wi_csv_feed(struct wi_csv *csv, const char *bytes, size_t n, struct wi_err *err)
{
    while (n && csv->st == WI_OK) {
        const char *newline = memchr(bytes, '\n', n);
        size_t part = newline ? (size_t)(newline - bytes) + 1 : n;

        /* libcsv's state 0: no row has begun, so this line starts one */
        if (newline && csv->parser.pstate == 0 && plain_length(bytes, part) != SIZE_MAX) {
            csv->row_line = csv->line++;
            split_plain(csv, bytes, plain_length(bytes, part));
            bytes += part;
            n -= part;
            continue;
        }
        if (csv->parser.pstate == 0)
            csv->row_line = csv->line;
        if (part > BLOCK) {
            part = BLOCK;
            newline = NULL;
        }
        /* a field that does not end: a quoted one goes on over lines */
        if (csv_get_buffer_size(&csv->parser) > csv->row_max + 2 * BLOCK) {
            csv->st = wi_fail(&csv->err, WI_EDATA, "%s:%zu: row longer than %zu bytes", csv->name,
                              csv->row_line, csv->row_max);
            break;
        }
        if (csv_parse(&csv->parser, bytes, part, on_field, on_row, csv) != part)
            break;
        if (newline)
            csv->line++;
        bytes += part;
        n -= part;
    }
    return finish_call(csv, err);
}

enum wi_status wi_csv_finish(struct wi_csv *csv, struct wi_err *err)
{
    if (csv->st == WI_OK)
        csv_fini(&csv->parser, on_field, on_row, csv);
    return finish_call(csv, err);
}

void wi_csv_free(struct wi_csv *csv)
{
    if (!csv)
        return;
    csv_free(&csv->parser);
    free(csv->text);
    free(csv->starts);
    free(csv->fields);
    free(csv);
}

enum wi_status wi_csv_parse(const char *name, const char *text, size_t len,
                            const struct wi_csv_options *opt, wi_csv_row_fn row, void *ctx,
                            struct wi_err *err)
{
    struct wi_csv *csv = NULL;
    enum wi_status st = wi_csv_new(name, opt, row, ctx, &csv, err);

    if (st == WI_OK)
        st = wi_csv_feed(csv, text, len, err);
    if (st == WI_OK)
        st = wi_csv_finish(csv, err);
    wi_csv_free(csv);
    return st;
}
