/*
 * Reading CSV time series of temperature, humidity and vibration, row by row in constant memory.
 * Pure: bytes in, readings into a wi_series; no store, no files.
 *
 * Understood: comma, semicolon, tab or bar between columns; decimal comma; byte order mark; units
 * in the header ("Temp (F)") or the cell ("23.5 °C", "309 K"); ISO 8601, epoch seconds to
 * nanoseconds, day.month.year, and year first; one column per quantity or one row per sensor (Home
 * Assistant's entity_id/state, InfluxDB's _field/_value with its # lines); a quantity is told by
 * the words of its column.
 *
 * Never taken: readings outside of what the quantity can be (3317 %RH, -127 C), repeated times of
 * one quantity, dates that a spreadsheet made of numbers (an error: the number is lost).
 */
#ifndef WI_EXPERIMENTS_IMPORT_SENSORS_H
#define WI_EXPERIMENTS_IMPORT_SENSORS_H

#include "experiments/exposure_series.h"

struct wi_sensors;

/*
 * in:   name     file name, for messages; borrowed
 *       opt      NULL = everything by the file's own signs; borrowed
 *       series   receives the readings; borrowed
 *       record   receives counts and warnings; borrowed
 */
enum wi_status wi_sensors_new(const char *name, const struct wi_series_options *opt,
                              struct wi_series *series, struct wi_exposure_record *record,
                              struct wi_sensors **sensors, struct wi_err *err);
void wi_sensors_free(struct wi_sensors *sensors);

/*
 * Feed the next bytes; finish after the last.
 * returns WI_OK; WI_EDATA naming file and line: a spreadsheet or another encoding instead of CSV,
 *         no header, no column for a time or a quantity, an unreadable or ambiguous time, a date
 *         where a number was; _finish: no usable reading
 */
enum wi_status wi_sensors_feed(struct wi_sensors *sensors, const char *bytes, size_t n,
                               struct wi_err *err);
enum wi_status wi_sensors_finish(struct wi_sensors *sensors, struct wi_err *err);

#endif
