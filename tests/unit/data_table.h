/*
 * An embedded CSV file as a table of texts, for the tests of data/.
 */
#ifndef WI_TESTS_DATA_TABLE_H
#define WI_TESTS_DATA_TABLE_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/embedded.h"

struct table {
    const char *path;
    char **cells; /* (n_rows + 1, n_columns), row 0 is the header */
    size_t *lines;
    size_t n_rows, n_columns;
};

static inline enum wi_status table_row(void *ctx, size_t line, char *const *fields, size_t n,
                                       struct wi_err *err)
{
    struct table *t = ctx;
    size_t rows = t->n_columns ? t->n_rows + 1 : 0; /* so far, with the header */

    if (!t->n_columns)
        t->n_columns = n;
    else
        t->n_rows++;
    if (n != t->n_columns)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu fields, the header has %zu", t->path, line, n,
                       t->n_columns);
    t->cells = realloc(t->cells, (rows + 1) * n * sizeof(*t->cells));
    t->lines = realloc(t->lines, (rows + 1) * sizeof(*t->lines));
    assert_non_null(t->cells);
    assert_non_null(t->lines);
    t->lines[rows] = line;
    for (size_t i = 0; i < n; i++) {
        t->cells[rows * n + i] = strdup(fields[i]);
        assert_non_null(t->cells[rows * n + i]);
    }
    return WI_OK;
}

static inline struct table table_open(const char *path)
{
    const struct wi_embedded_file *f = wi_embedded_find(path);
    struct table t = {.path = path};
    struct wi_err err = {0};

    assert_non_null(f);
    if (wi_csv_parse(path, f->bytes, f->n_bytes, NULL, table_row, &t, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return t;
}

/* The same for a file of tests/; unit tests run in the root of the project. */
static inline struct table table_read(const char *path)
{
    static char text[256 * 1024];
    FILE *in = fopen(path, "r");
    struct table t = {.path = path};
    struct wi_err err = {0};
    size_t n;

    assert_non_null(in);
    n = fread(text, 1, sizeof(text), in);
    fclose(in);
    assert_in_range(n, 1, sizeof(text) - 1);
    if (wi_csv_parse(path, text, n, NULL, table_row, &t, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return t;
}

static inline void table_close(struct table *t)
{
    for (size_t i = 0; i < (t->n_rows + 1) * t->n_columns; i++)
        free(t->cells[i]);
    free(t->cells);
    free(t->lines);
}

/* columns: names separated by single spaces, in order */
static inline void table_has_header(const struct table *t, const char *columns)
{
    size_t n = 0;

    for (; *columns; n++) {
        size_t len = strcspn(columns, " ");

        if (n == t->n_columns || strlen(t->cells[n]) != len ||
            strncmp(t->cells[n], columns, len) != 0)
            fail_msg("%s: column %zu must be '%.*s'", t->path, n + 1, (int)len, columns);
        columns += len + (columns[len] == ' ');
    }
    assert_int_equal(n, t->n_columns);
}

/* Cell of data row `row` (from 0). */
static inline const char *cell(const struct table *t, size_t row, const char *column)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        if (strcmp(t->cells[i], column) == 0)
            return t->cells[(row + 1) * t->n_columns + i];
    }
    fail_msg("%s has no column '%s'", t->path, column);
    return "";
}

#define ROW_FAIL(t, row, ...)                                                                      \
    do {                                                                                           \
        print_error("%s:%zu: ", (t)->path, (t)->lines[(row) + 1]);                                 \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

/* A number or NaN for an empty cell; anything else fails, as does a value outside low..high. */
static inline double number(const struct table *t, size_t row, const char *column, double low,
                            double high)
{
    const char *text = cell(t, row, column);
    char *end;
    double v;

    if (!*text)
        return NAN;
    v = strtod(text, &end);
    if (*end || !isfinite(v) || v < low || v > high)
        ROW_FAIL(t, row, "'%s' is '%s', must be a number in %g..%g", column, text, low, high);
    return v;
}

static inline double need_number(const struct table *t, size_t row, const char *column, double low,
                                 double high)
{
    double v = number(t, row, column, low, high);

    if (isnan(v))
        ROW_FAIL(t, row, "'%s' is empty", column);
    return v;
}

static inline size_t text_fits(const struct table *t, size_t row, const char *column, size_t size,
                               size_t least)
{
    size_t n = strlen(cell(t, row, column));

    if (n >= size || n < least)
        ROW_FAIL(t, row, "'%s' has %zu bytes, must have %zu to %zu", column, n, least, size - 1);
    return n;
}

/* Row of an id, or n_rows. */
static inline size_t find_row(const struct table *t, const char *column, const char *id)
{
    size_t i = 0;

    while (i < t->n_rows && strcmp(cell(t, i, column), id) != 0)
        i++;
    return i;
}

static inline void ids_are_unique(const struct table *t, const char *column)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        if (find_row(t, column, cell(t, i, column)) != i)
            ROW_FAIL(t, i, "id '%s' stands twice", cell(t, i, column));
    }
}

/* Calls fn for each word of a space separated list; fails on doubled or outer spaces. */
static inline size_t each_word(const char *text, void (*fn)(void *ctx, const char *word), void *ctx)
{
    size_t n = 0;

    while (*text) {
        char word[128];
        size_t len = strcspn(text, " ");

        assert_in_range(len, 1, sizeof(word) - 1);
        memcpy(word, text, len);
        word[len] = '\0';
        fn(ctx, word);
        n++;
        text += len;
        if (*text) {
            text++;
            assert_true(*text != '\0');
        }
    }
    return n;
}

#endif
