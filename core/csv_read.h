/*
 * Reading CSV row by row in constant memory. Built on libcsv.
 */
#ifndef WI_CORE_CSV_READ_H
#define WI_CORE_CSV_READ_H

#include <stddef.h>

#include "core/status.h"

/*
 * Called once per row.
 * in:   line      line number of the row's first character, from 1
 *       fields    n NUL-terminated texts, valid only during the call
 * returns WI_OK to go on; anything else stops the reading and is returned by it
 */
typedef enum wi_status (*wi_csv_row_fn)(void *ctx, size_t line, char *const *fields, size_t n,
                                        struct wi_err *err);

struct wi_csv_options {
    char delimiter;      /* 0 = ',' */
    size_t row_max;      /* bytes of one row; 0 = 1 MiB */
    size_t n_fields_max; /* 0 = 4096 */
};

/* Feeds chunks to the parser; one object per file. */
struct wi_csv;
enum wi_status wi_csv_new(const char *name, const struct wi_csv_options *opt, wi_csv_row_fn row,
                          void *ctx, struct wi_csv **csv, struct wi_err *err);
enum wi_status wi_csv_feed(struct wi_csv *csv, const char *bytes, size_t n, struct wi_err *err);
enum wi_status wi_csv_finish(struct wi_csv *csv, struct wi_err *err);
void wi_csv_free(struct wi_csv *csv);

/* All of a text in memory. An unbalanced quote is WI_EDATA with name:line. */
enum wi_status wi_csv_parse(const char *name, const char *text, size_t len,
                            const struct wi_csv_options *opt, wi_csv_row_fn row, void *ctx,
                            struct wi_err *err);

#endif
