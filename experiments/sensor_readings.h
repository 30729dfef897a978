/*
 * Readings of sensors on their way into a series: what is impossible, repeated, stuck or missing
 * is counted, and left out where it must be.
 */
#ifndef WI_EXPERIMENTS_SENSOR_READINGS_H
#define WI_EXPERIMENTS_SENSOR_READINGS_H

#include "experiments/exposure_series.h"

/* What is known of one quantity while it streams. */
struct wi_readings_channel {
    bool any;
    double last_s, last_value;
    double same_since_s, n_same; /* run of one value */
    double n_stuck_rows, n_rows;
    double longest_stuck_s;
    double n_impossible;
    double first_impossible; /* value, and its line */
    size_t first_impossible_line;
};

struct wi_readings {
    const char *name;                  /* of the file, for messages */
    struct wi_series *series;          /* receives what is possible */
    struct wi_exposure_record *record; /* receives counts and warnings */
    struct wi_readings_channel channels[WI_N_CHANNELS];
    double last_row_s, typical_s; /* of the rows' times */
};

/* All borrowed. */
void wi_readings_init(struct wi_readings *r, const char *name, struct wi_series *series,
                      struct wi_exposure_record *record);

/* The time of the next row: gaps are told from what is typical. */
void wi_readings_time(struct wi_readings *r, double time_s);

/* One reading, in the channel's own unit. */
void wi_readings_add(struct wi_readings *r, enum wi_channel channel, double time_s, double value,
                     size_t line);

bool wi_readings_any(const struct wi_readings *r); /* was one usable? */

/* Where none was usable: WI_EDATA naming the first that was impossible; WI_OK where none was. */
enum wi_status wi_readings_refuse_impossible(const struct wi_readings *r, struct wi_err *err);

/* After the last: warns of impossible readings and of quantities that stood still. */
enum wi_status wi_readings_finish(struct wi_readings *r, struct wi_err *err);

#endif
