/*
 * What the readers of smartctl and nvme share: values (smart_values.c) and ATA attributes
 * (smart_ata.c). The documents are read in import_smart.c.
 */
#ifndef WI_EXPERIMENTS_IMPORT_SMART_INTERNAL_H
#define WI_EXPERIMENTS_IMPORT_SMART_INTERNAL_H

#include "experiments/import_smart.h"

struct cJSON;

struct wi_smart_reading {
    const char *name; /* file */
    const char *text; /* the document, for numbers beyond doubles */
    size_t len;
    const struct cJSON *doc;
    struct wi_drive_state *state;
    struct wi_texts *warnings;
};

/*
 * A count: the string twin "KEY_s" that smartctl adds beyond 2^53, a number, or a number as text.
 *
 * in:   prefix   JSON path of obj, "" = the document
 * out:  out      left alone where there is none, or none that is a count (then with a warning)
 */
enum wi_status wi_smart_exact_read(const struct wi_smart_reading *r, const struct cJSON *obj,
                                   const char *prefix, const char *key, struct wi_exact *out,
                                   struct wi_err *err);

/* A count from its decimal digits; beyond 64 bits with a warning. */
enum wi_status wi_smart_exact_set(const struct wi_smart_reading *r, const char *path,
                                  const char *digits, struct wi_exact *out, struct wi_err *err);

/* A number, or a number as text with something after it ("36 C"): unit C, F, K or NUL. */
bool wi_smart_number(const struct cJSON *item, double *value, char *unit);

double wi_smart_percent(const struct cJSON *obj, const char *key); /* 0 to 255; else NaN */

bool wi_smart_temp_is_plausible(double temp_c);

/*
 * in:   celsius_tool   the tool prints Celsius where it states no unit
 * out:  out            left alone where nothing plausible was printed (then with a warning)
 */
enum wi_status wi_smart_temp_read(const struct wi_smart_reading *r, const struct cJSON *item,
                                  const char *path, bool celsius_tool, double *out,
                                  struct wi_err *err);

/* Temperatures and counters of "ata_smart_attributes", if there is such a table. */
enum wi_status wi_smart_attributes_read(const struct wi_smart_reading *r, struct wi_err *err);

#endif
