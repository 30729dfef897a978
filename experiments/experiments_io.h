/*
 * Experiments as one table of text, out and in again: what `experiments export` writes, what
 * `import csv` reads, and what people fill in by hand. One row per observation; the columns of its
 * experiment stand in front and may be left empty on later rows of the same experiment.
 *
 *   experiment   id of the experiment; its rows stand together
 *   source ... note_experiment      columns of data/experiments.csv
 *   id           of the observation; "" = made from experiment, operation and percentile
 *   op ... note  columns of data/observations.csv; an experiment without observations has "" in op
 *   file sha256 tool imported_at import_options   where it was imported from; "" = this file
 *
 * Export, remove and import give the same bytes again.
 */
#ifndef WI_EXPERIMENTS_EXPERIMENTS_IO_H
#define WI_EXPERIMENTS_EXPERIMENTS_IO_H

#include "experiments/import.h"

/* Receives the text piece by piece. */
typedef enum wi_status (*wi_write_fn)(void *ctx, const char *text, size_t n, struct wi_err *err);

/* Write what a filter selects (NULL = everything, embedded data included), sorted by id. */
enum wi_status wi_experiments_export(struct wi_store *store,
                                     const struct wi_experiment_filter *filter, wi_write_fn write,
                                     void *ctx, struct wi_err *err);

/* An empty table with remarks that explain it, ready to be filled in. */
enum wi_status wi_experiments_template(wi_write_fn write, void *ctx, struct wi_err *err);

/*
 * Parse such a table. Pure: no store.
 *
 * in:   batch   called with some hundred experiments at a time and, where the table has such
 *               columns, their provenance (else NULL); valid during the call
 * returns WI_OK; WI_EDATA naming file, line and column: unknown column, value that the column
 *         cannot hold or that is outside its range, a date that a spreadsheet made of a number,
 *         rows of one experiment apart or in conflict, a change without its error
 */
struct wi_table_reader;
typedef enum wi_status (*wi_table_batch_fn)(void *ctx, const struct wi_dataset *ds,
                                            const struct wi_provenance *provenance,
                                            struct wi_err *err);
enum wi_status wi_table_reader_new(const char *name, wi_table_batch_fn batch, void *ctx,
                                   struct wi_table_reader **reader, struct wi_err *err);
enum wi_status wi_table_reader_feed(struct wi_table_reader *reader, const char *bytes, size_t n,
                                    struct wi_err *err);
enum wi_status wi_table_reader_finish(struct wi_table_reader *reader, struct wi_err *err);
void wi_table_reader_free(struct wi_table_reader *reader);

/*
 * What differs between two experiments: {"a", "b", "fields": [{"field", "a", "b"}],
 * "observations": [{"op", "metric", "percentile", "a_change_pct", "b_change_pct"}]}; a figure that
 * one of them lacks is null.
 *
 * out:  json   free with cJSON_Delete
 * returns WI_OK; WI_ENOTFOUND naming the id
 */
struct cJSON;
enum wi_status wi_experiments_diff(struct wi_store *store, const char *id_a, const char *id_b,
                                   struct cJSON **json, struct wi_err *err);

#endif
