/*
 * Where the rows of a sweep go: a text file that can be continued, a stream, or an SQLite table.
 */
#ifndef WI_EXPERIMENTS_SWEEP_OUT_H
#define WI_EXPERIMENTS_SWEEP_OUT_H

#include "experiments/sweep_rows.h"

/* A stretch of finished scenarios. */
struct sweep_block {
    uint64_t first; /* number of its first scenario in the whole sweep */
    size_t n;       /* finished scenarios */
    const struct wi_scenario *scenarios;
    const struct wi_fast_row *rows;
    struct sweep_text text; /* csv, jsonl: all rows of the block */
};

/* What must be the same for a sweep to be continued: "spec 1f3a...\nshard 1/4\n" */
#define SWEEP_RECORD_MAX 1024

/* How a destination is opened. */
struct sweep_out_options {
    const char *path; /* NULL = the stream fd */
    int fd;
    enum wi_sweep_format format;
    const struct sweep_columns *columns;
    uint64_t first, end; /* scenarios of this part */
    bool header;
    bool resume;
    const char *record; /* lines "key value" */
};

struct sweep_out;

/* A kind of destination. */
struct sweep_out_methods {
    /* A block is complete or not there, whatever happens. */
    enum wi_status (*add)(struct sweep_out *out, const struct sweep_block *block,
                          struct wi_err *err);
    /* Everything is there: make it last. */
    enum wi_status (*finish)(struct sweep_out *out, struct wi_err *err);
    void (*close)(struct sweep_out *out);
};
struct sweep_out {
    const struct sweep_out_methods *methods;
};

/*
 * Open a destination.
 * out:  next  first scenario that is still missing; options->end when all is there
 * returns WI_OK; WI_EIO; WI_EBUSY if another process writes it; WI_EDATA if it was begun with
 *         another record, or is not a sweep's output
 */
enum wi_status sweep_out_open(const struct sweep_out_options *options, struct sweep_out **out,
                              uint64_t *next, struct wi_err *err);

/* The kinds: sweep_out_stream.c, sweep_out_file.c, sweep_out_table.c */
enum wi_status sweep_out_stream(const struct sweep_out_options *options, int fd, bool close_it,
                                struct sweep_out **out, struct wi_err *err);
enum wi_status sweep_out_file(const struct sweep_out_options *options, int fd,
                              struct sweep_out **out, uint64_t *next, struct wi_err *err);
enum wi_status sweep_out_table(const struct sweep_out_options *options, struct sweep_out **out,
                               uint64_t *next, struct wi_err *err);

/* The value of a key in a record; its length in *len, NULL if there is none. */
const char *sweep_record_value(const char *record, const char *key, size_t *len);

/* What differs between two records, in words: "with another spec"; NULL = nothing. any_part: parts
 * of one sweep do not differ. */
const char *sweep_record_difference(const char *before, const char *now, bool any_part);

/* The record beside an output; the caller frees it. NULL = out of memory. */
char *sweep_record_path(const char *path);

/*
 * Compare the record of an earlier run with this one's.
 * returns WI_OK; WI_EDATA saying in words what differs
 */
enum wi_status sweep_record_compare(const char *path, const char *before, const char *now,
                                    struct wi_err *err);

/* Write all bytes. returns 0, or errno */
int sweep_write_all(int fd, const char *bytes, size_t n);

#endif
