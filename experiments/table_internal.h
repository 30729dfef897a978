/*
 * The reader of observation tables, shared between its stream (table_reader.c) and what a row may
 * hold (table_row.c). Its manual is experiments_io.h.
 */
#ifndef WI_EXPERIMENTS_TABLE_INTERNAL_H
#define WI_EXPERIMENTS_TABLE_INTERNAL_H

#include "core/csv_read.h"
#include "experiments/experiments_columns.h"
#include "experiments/experiments_io.h"

#define WI_TABLE_BATCH 256 /* experiments; fits the processor's cache */

struct wi_table_reader {
    const char *name;
    wi_table_batch_fn batch;
    void *ctx;
    struct wi_csv *csv;
    char delimiter;
    struct wi_table_column columns[WI_TABLE_COLUMNS_MAX];
    size_t n_columns;
    const struct wi_table_column *map[WI_TABLE_COLUMNS_MAX];     /* of each field */
    double min[WI_TABLE_COLUMNS_MAX], max[WI_TABLE_COLUMNS_MAX]; /* by column; +-HUGE_VAL */
    struct {
        double percentile;
        char text[24];
    } recent[8]; /* percentiles as text, for ids: printing a double costs more than all else */
    size_t n_recent;
    size_t n_map;
    struct wi_dataset ds; /* of the batch; its arrays are kept from batch to batch */
    size_t exps_size, obs_size;
    bool has_provenance;              /* the table has such columns */
    struct wi_provenance *provenance; /* then: one per experiment */
    size_t provenance_size;
    uint32_t hashes[WI_TABLE_BATCH];  /* of the ids in ds, to find an id that came before */
    size_t first_obs;                 /* of the last experiment */
    bool given[WI_TABLE_COLUMNS_MAX]; /* which fields of the row hold something */
    size_t col_metric, col_kind, col_error, col_op, col_assumed; /* in columns */
    size_t id_field;
    char *last_texts; /* the experiment's fields of the row before, for rows that repeat them */
    size_t n_last, last_size;
    double n_rows;
};

/* The known columns and their ranges. */
void wi_table_columns_init(struct wi_table_reader *r);

/* The header: which field is which column. */
enum wi_status wi_table_header_take(struct wi_table_reader *r, size_t line, char *const *f,
                                    size_t n, struct wi_err *err);

/*
 * Fields of a row that hold something, by the part of the table they belong to (enum
 * wi_table_part).
 *
 * in:   repeats   experiment and provenance read as on the row before: only the observation counts
 * out:  parts     one object per part; those that are not read may be NULL
 */
enum wi_status wi_table_fields_parse(struct wi_table_reader *r, size_t line, char *const *f,
                                     size_t n, bool repeats, void *const parts[3],
                                     struct wi_err *err);

/* Does a text do as the id of an experiment? */
bool wi_table_is_id(const char *text);

/*
 * An experiment before its row is read, and what the row leaves open after it: the defaults of a
 * scenario. Whether the states are assumed is the table's own statement where it makes one.
 */
void wi_table_experiment_init(struct wi_experiment *e);
void wi_table_experiment_complete(struct wi_experiment *e, bool says_assumed);

/* What the row leaves open about its observation, from what it says; WI_EDATA if it contradicts. */
enum wi_status wi_table_observation_complete(struct wi_table_reader *r, size_t line,
                                             const char *exp_id, struct wi_observation *o,
                                             struct wi_err *err);

#endif
