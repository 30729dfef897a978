/*
 * From what was measured, and from what is asked, to the rows of the evidence model.
 */
#ifndef WI_CORE_FEATURES_H
#define WI_CORE_FEATURES_H

#include "core/kernel.h"

/* Texts in order of first use; the position is the id. */
struct wi_named {
    char text[WI_NAME_MAX];
    int vendor; /* of a device: its vendor's id */
};
struct wi_names {
    struct wi_named *items;
    size_t n, cap;
};
enum wi_status wi_names_intern(struct wi_names *names, const char *text, int *id,
                               struct wi_err *err);
int wi_names_find(const struct wi_names *names, const char *text); /* case ignored; WI_NONE_ID */
void wi_names_release(struct wi_names *names);

struct wi_rows {
    struct wi_row *rows;
    size_t n, cap;
    struct wi_names vendors, devices; /* undisclosed ones as "SOURCE nand" */
    struct wi_names exps;             /* experiment ids, by wi_row.exp */
    size_t n_combined;                /* observations under vibration and climate at once */
};
void wi_rows_release(struct wi_rows *rows);

/*
 * The rows of a dataset. Left out: failing drives, absolute figures without a baseline, changes
 * without exposure, and combined stressors (counted).
 *
 * The study's rows: a two-sided bound counts as its middle with the sd of a uniform distribution,
 * and only where its curve has no figure; a dash has an sd of 2 points; a box plot counts by its
 * median, or by the middle of the text's range, with an sd of 8.
 * The default's rows: bounds, dashes and words are intervals; a bound on a whole curve holds at
 * each of its percentiles; where a figure and a text disagree both are rows.
 *
 * out:  rows   zeroed before; release with wi_rows_release
 * returns WI_OK; WI_EDATA naming the observation whose figures are not finite or contradict
 *         themselves; WI_ENOMEM
 */
enum wi_status wi_rows_from_dataset(const struct wi_dataset *ds, enum wi_model_kind kind,
                                    struct wi_rows *rows, struct wi_err *err);

/* Vibration together with a change of temperature or humidity, which no part of the model takes in.
 */
bool wi_exposure_is_combined(const struct wi_exposure *e);

/* Marks rows whose vendor, axis and phase no row of `known` has. */
void wi_rows_mark_fresh(struct wi_row *rows, size_t n, const struct wi_row *known, size_t n_known);

/* The inputs of an exposure, without a percentile; vendor and device are "none of the stored". */
void wi_row_init(struct wi_row *row, enum wi_group group, enum wi_op op, enum wi_phase phase,
                 const struct wi_exposure *e, enum wi_nand nand);

/* The row at a percentile; NaN = bandwidth. */
void wi_row_set_percentile(struct wi_row *row, double percentile);

/*
 * Vendor and device ids of a scenario: those of the stored drives where it names one, else
 * WI_NONE_ID. An undisclosed drive of a source answers to the source's name ("DATE22").
 */
void wi_row_set_drive(struct wi_row *row, const struct wi_rows *rows, const char *vendor,
                      const char *device);

#endif
