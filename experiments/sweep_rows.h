/*
 * One scenario of a sweep as rows of text: CSV or JSON lines.
 *
 * A row has the scenario's number, its fields, metric, percentile, the change with its interval,
 * the domain and, where asked for, the experiments that the prediction leans on.
 */
#ifndef WI_EXPERIMENTS_SWEEP_ROWS_H
#define WI_EXPERIMENTS_SWEEP_ROWS_H

#include "core/fastpath.h"
#include "experiments/sweep_spec.h"

enum wi_sweep_format { WI_SWEEP_CSV, WI_SWEEP_JSONL, WI_SWEEP_SQLITE };

#define SWEEP_TAIL "tail_latency"
#define SWEEP_BANDWIDTH "bandwidth"

/* Which columns rows have: the fields that describe every scenario, and what the spec names. */
struct sweep_columns {
    const struct sweep_field *fields[SWEEP_FIELDS_MAX];
    size_t n_fields;
    bool evidence_ids;
};
void sweep_columns_init(struct sweep_columns *cols, const struct wi_sweep_spec *spec,
                        bool evidence_ids);

/* A field's value. returns the text of an enumeration or name; NULL for a number, then in *number,
 * NaN = not stated */
const char *sweep_field_value(const struct sweep_field *f, const struct wi_scenario *s,
                              double *number);

/* Growing text. Starts zeroed. */
struct sweep_text {
    char *bytes;
    size_t n, size;
};
void sweep_text_release(struct sweep_text *t);

/* The first line of a CSV; nothing for JSON lines. returns WI_OK; WI_ENOMEM */
enum wi_status sweep_rows_header(const struct sweep_columns *cols, enum wi_sweep_format format,
                                 struct sweep_text *out, struct wi_err *err);

/*
 * Append the rows of one scenario: its percentiles in order, then bandwidth.
 *
 * in:   format  CSV or JSONL
 *       index   number of the scenario in the whole sweep
 * returns WI_OK; WI_ENOMEM
 */
enum wi_status sweep_rows_add(const struct sweep_columns *cols, enum wi_sweep_format format,
                              uint64_t index, const struct wi_scenario *s,
                              const struct wi_fast_row *row, struct sweep_text *out,
                              struct wi_err *err);

/* Number of the scenario that a line is about; false if it is no row. */
bool sweep_rows_index(enum wi_sweep_format format, const char *line, size_t len, uint64_t *index);

#endif
