/*
 * What the tests of the evidence model share: the embedded dataset, and golden CSV files.
 */
#ifndef WI_TESTS_EVIDENCE_DATA_H
#define WI_TESTS_EVIDENCE_DATA_H

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/dataset.h"
#include "knowledge/store.h"

static inline void embedded_dataset(struct wi_dataset *ds)
{
    struct wi_store_options opt = {0};
    struct wi_store *store = NULL;
    struct wi_err err;

    assert_int_equal(wi_store_open(&opt, &store, &err), WI_OK);
    assert_int_equal(wi_store_load_dataset(store, NULL, ds, &err), WI_OK);
    wi_store_close(store);
}

/* cmocka compares floats; ours are doubles. */
static inline void assert_near(double got, double want, double tol)
{
    if (!(fabs(got - want) <= tol))
        fail_msg("%.17g, expected %.17g within %g", got, want, tol);
}

/* Reads a file whole; the caller frees. */
static inline char *read_golden(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *text;
    long size;

    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    size = ftell(in);
    assert_true(size > 0);
    rewind(in);
    text = malloc((size_t)size + 1);
    assert_non_null(text);
    *len = fread(text, 1, (size_t)size, in);
    assert_int_equal(*len, size);
    text[*len] = '\0';
    fclose(in);
    return text;
}

static inline void each_golden(const char *path, wi_csv_row_fn row, void *ctx)
{
    size_t len;
    char *text = read_golden(path, &len);
    struct wi_err err;

    if (wi_csv_parse(path, text, len, NULL, row, ctx, &err) != WI_OK)
        fail_msg("%s", err.msg);
    free(text);
}

static inline double to_number(const char *text)
{
    char *end;
    double v = strtod(text, &end);

    assert_true(end != text && *end == '\0');
    return v;
}

#endif
