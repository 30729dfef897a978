/*
 * The start of a CSV file of unknown make: what is no CSV, the byte order mark, the delimiter.
 */
#ifndef WI_EXPERIMENTS_CSV_START_H
#define WI_EXPERIMENTS_CSV_START_H

#include "core/status.h"

/*
 * Look at the first bytes of a file.
 *
 * in:   name      file name, for messages
 *       advice    what to do instead of importing a spreadsheet, after "save the sheet as CSV and
 *                 import that": "" or "; ..."
 *       bytes, n  the start, with the whole first line that is no remark ("# ...")
 * out:  delimiter   semicolon, tab or bar where the first line has one outside of quotes, since
 *                   commas may then be decimal; else a comma
 *       n_skip      bytes of a byte order mark, not to be parsed
 * returns WI_OK; WI_EDATA for a spreadsheet, UTF-16, or a NUL byte
 */
enum wi_status wi_csv_start(const char *name, const char *advice, const char *bytes, size_t n,
                            char *delimiter, size_t *n_skip, struct wi_err *err);

/* Later pieces: n_rows is what was read before. WI_EDATA for a NUL byte. */
enum wi_status wi_csv_refuse_nul(const char *name, double n_rows, const char *bytes, size_t n,
                                 struct wi_err *err);

#endif
