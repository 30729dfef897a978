/*
 * The columns of the observation table: those of an experiment, of an observation, of a provenance.
 */
#ifndef WI_EXPERIMENTS_EXPERIMENTS_COLUMNS_H
#define WI_EXPERIMENTS_EXPERIMENTS_COLUMNS_H

#include "experiments/experiments_io.h"
#include "knowledge/store_columns.h"

#define WI_TABLE_COLUMNS_MAX 96

enum wi_table_part { WI_PART_EXPERIMENT, WI_PART_OBSERVATION, WI_PART_PROVENANCE };

struct wi_table_column {
    enum wi_table_part part;
    const struct wi_column *column;
    const char *name; /* in the table: "experiment" for the experiment's id */
};

/* All columns in order. out: columns, WI_TABLE_COLUMNS_MAX of room; returns their number. */
size_t wi_table_columns(struct wi_table_column *columns);

/* A column's range; false where every number is allowed. */
bool wi_table_range(const char *name, double *min, double *max);

#endif
