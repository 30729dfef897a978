/*
 * What a person sees.
 */
#ifndef WI_CLI_PRINT_H
#define WI_CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/prediction.h"

#define CLI_WIDTH 80 /* columns that every table fits */

/* "label: text" wrapped at words to CLI_WIDTH columns, continuation lines indented. */
void cli_print_paragraph(const char *label, const char *text);

/*
 * A prediction as a table for people.
 * in: reading  warnings about how the question was read, which come before the numbers; may be NULL
 */
void cli_print_prediction(const struct wi_prediction *p, const struct wi_texts *reading);

/*
 * A table by libsmartcols.
 *
 * in:   heads   n_columns column names; a leading '>' aligns right
 *       cells   (n_rows, n_columns) texts, row-major; control characters are replaced
 * returns false when memory runs out
 */
bool cli_print_table(const char *const *heads, size_t n_columns, char *const *cells, size_t n_rows);

/* The same rows as CSV. */
void cli_print_csv_row(char *const *cells, size_t n_columns);

#endif
