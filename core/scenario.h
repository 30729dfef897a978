/*
 * A scenario: which drive, doing what, goes through which environment, and when one looks at it.
 */
#ifndef WI_CORE_SCENARIO_H
#define WI_CORE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/limits.h"
#include "core/status.h"

enum wi_nand { WI_NAND_UNKNOWN, WI_NAND_SLC, WI_NAND_MLC, WI_NAND_TLC, WI_NAND_QLC };
enum wi_op { WI_OP_MIXED, WI_OP_READ, WI_OP_WRITE };
enum wi_phase { WI_PHASE_RUNNING, WI_PHASE_POST, WI_PHASE_LONG_TERM };
enum wi_axis { WI_AXIS_NONE, WI_AXIS_PARALLEL, WI_AXIS_PERPENDICULAR };

#define WI_ROOM_TEMP_C 22.5 /* the reference room of the stored experiments */
#define WI_ROOM_RH_PCT 50.0

struct wi_vib {
    enum wi_axis axis;
    double freq_hz; /* Hz; NaN = not stated; NaN when axis is none */
    double grms;    /* g, root mean square; NaN = not stated */
};

struct wi_step {
    double temp_c; /* degrees Celsius, ambient; NaN until completed */
    double rh_pct; /* relative humidity, 0..100; NaN until completed */
    struct wi_vib vib;
};

struct wi_exposure {
    struct wi_step before, during, after;
    double during_h; /* hours spent in the during step; NaN = not stated */
    bool has_after;
};

/* One bit per scenario field, for `given` and `assumed`. wi_field_name has the JSON path of each.
 */
enum wi_field {
    WI_F_NAND = 1u << 0,
    WI_F_OP = 1u << 1,
    WI_F_PHASE = 1u << 2,
    WI_F_PERCENTILES = 1u << 3,
    WI_F_CONFIDENCE = 1u << 4,
    WI_F_BEFORE_TEMP = 1u << 5,
    WI_F_BEFORE_RH = 1u << 6,
    WI_F_BEFORE_VIB = 1u << 7,
    WI_F_DURING_TEMP = 1u << 8,
    WI_F_DURING_RH = 1u << 9,
    WI_F_DURING_VIB = 1u << 10,
    WI_F_DURING_AXIS = 1u << 11, /* vibration stated, its axis not */
    WI_F_DURING_FREQ = 1u << 12,
    WI_F_DURING_HOURS = 1u << 13,
    WI_F_AFTER_TEMP = 1u << 14,
    WI_F_AFTER_RH = 1u << 15,
    WI_F_AFTER_VIB = 1u << 16
};
#define WI_N_FIELDS 17

struct wi_scenario {
    enum wi_nand nand;
    enum wi_op op;
    enum wi_phase phase;
    struct wi_exposure exposure;
    char vendor[WI_NAME_MAX];    /* "" = any */
    char device[WI_NAME_MAX];    /* "" = any drive of this kind; else a known drive of the store */
    char interface[WI_NAME_MAX]; /* "" = not stated */
    double capacity_gb;          /* NaN = not stated */
    double pe_cycles;            /* program/erase cycles already spent; NaN = not stated */
    double tmt1_c; /* composite temperature at which it starts to throttle (TMT1, else WCTEMP);
                    * NaN = not stated */
    double percentiles[WI_PERCENTILES_MAX]; /* ascending, distinct, 1..100; 100 = maximum */
    size_t n_percentiles;
    double confidence; /* two-sided coverage of the intervals, 0.5..0.999 */
    uint32_t given;    /* WI_F_* bits stated by the caller */
    uint32_t assumed;  /* WI_F_* bits filled in by wi_scenario_complete */
};

/* Everything unset: enums at their first value, numbers NaN, no percentiles, no bits. */
void wi_scenario_init(struct wi_scenario *s);

/*
 * Fill in what was not given, record it in `assumed`, and validate the whole.
 *
 * Defaults: before = reference room (22.5 C, 50 %RH, still); during = before where a quantity is
 * not given; after = before; op mixed; phase running, or post when an after step is given;
 * percentiles 90,95,99,99.9,99.99, or 99..99.9999 when vibration is the only stressor; confidence
 * 0.9; vibration without axis takes the axis that measured worse in that phase (parallel for
 * long_term, perpendicular otherwise); vibration without frequency stays NaN, read as the measured
 * 20 Hz; long_term without hours stays NaN, read as the measured 120 h. A value without its `given`
 * bit that no earlier completion filled in is kept, so completing twice changes nothing.
 *
 * returns WI_OK; WI_ERANGE with the allowed range in the message, the scenario then unchanged
 */
enum wi_status wi_scenario_complete(struct wi_scenario *s, struct wi_err *err);

/*
 * Set the percentiles: sorted, duplicates removed.
 * returns WI_OK; WI_ERANGE for a value outside 1..100 or more than WI_PERCENTILES_MAX of them
 */
enum wi_status wi_scenario_set_percentiles(struct wi_scenario *s, const double *percentiles,
                                           size_t n, struct wi_err *err);

/* Which kinds of stress a completed scenario holds; all false = no exposure. */
struct wi_stressors {
    bool temp, rh, vib;
};
struct wi_stressors wi_scenario_stressors(const struct wi_scenario *s);

/* JSON path of a field bit, e.g. "exposure.before.temp_c". NULL for an unknown bit. */
const char *wi_field_name(enum wi_field field);

/* Names as they stand in JSON and on the command line; _parse ignores case and accepts no other. */
const char *wi_nand_name(enum wi_nand v);   /* "unknown" "slc" "mlc" "tlc" "qlc" */
const char *wi_op_name(enum wi_op v);       /* "mixed" "read" "write" */
const char *wi_phase_name(enum wi_phase v); /* "running" "post" "long_term" */
const char *wi_axis_name(enum wi_axis v);   /* "none" "parallel" "perpendicular" */
bool wi_nand_parse(const char *text, enum wi_nand *out);
bool wi_op_parse(const char *text, enum wi_op *out);
bool wi_phase_parse(const char *text, enum wi_phase *out);
bool wi_axis_parse(const char *text, enum wi_axis *out);

/*
 * Shorthand of the command line, shared by options, key=value questions and sweep specs. Each sets
 * the fields and their `given` bits; nothing is changed on error.
 *
 *   temp  "60" "22.5:60" "25C:140F:25C"    D, B:D or B:D:A; suffix C (default), F or K
 *   rh    "80" "50:80" "50:80:50"
 *   vib   "none" "parallel" "parallel@20" "perpendicular@20:1.14"   axis[@Hz[:grms]]
 *
 * returns WI_OK; WI_EUSAGE malformed; WI_ERANGE out of range
 */
enum wi_status wi_scenario_parse_temp(struct wi_scenario *s, const char *text, struct wi_err *err);
enum wi_status wi_scenario_parse_rh(struct wi_scenario *s, const char *text, struct wi_err *err);
enum wi_status wi_scenario_parse_vib(struct wi_scenario *s, const char *text, struct wi_err *err);
enum wi_status wi_scenario_parse_percentiles(struct wi_scenario *s, const char *text,
                                             struct wi_err *err); /* "99,99.9,max" */

/*
 * One line for people: "TLC, read, running; 22.5 C 50 %RH still -> 60 C".
 * returns the length that the whole text needs, like snprintf
 */
int wi_scenario_format(const struct wi_scenario *s, char *buf, size_t size);

/*
 * What wi_scenario_complete filled in, with its value, in one line for people:
 * "phase running, 90 % interval; before: 50 %RH, no vibration; during: 50 %RH, no vibration".
 * returns the length that the whole text needs, like snprintf; 0 where nothing was assumed
 */
int wi_scenario_format_assumed(const struct wi_scenario *s, char *buf, size_t size);

#endif
