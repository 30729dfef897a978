/*
 * The state of a drive as smartctl -j and nvme smart-log -o json print it. Pure: bytes in, struct
 * out.
 *
 * Temperatures. smartctl prints Celsius; nvme-cli prints kelvin (1.x, 2.x) or Celsius, as a number
 * or a text with its unit. Rule: a stated unit counts; else above 200 it is kelvin. 0 is "no
 * sensor" (NVMe base specification, SMART log bytes 200 on; RAID volumes). Outside -40..130 C a
 * figure is implausible and not taken.
 */
#ifndef WI_EXPERIMENTS_IMPORT_SMART_H
#define WI_EXPERIMENTS_IMPORT_SMART_H

#include "core/limits.h"
#include "core/prediction.h"

#define WI_DRIVE_SENSORS_MAX 8
#define WI_DRIVE_TEMP_C_MIN (-40.0)
#define WI_DRIVE_TEMP_C_MAX 130.0
#define WI_EXACT_MAX 48 /* decimal digits of 128 bits and more */

enum wi_counter {
    WI_CTR_DATA_READ,    /* 1000 x 512 bytes (NVMe) */
    WI_CTR_DATA_WRITTEN, /* 1000 x 512 bytes (NVMe) */
    WI_CTR_LBAS_WRITTEN, /* logical blocks (ATA attribute 241) */
    WI_CTR_HOST_READS,   /* commands */
    WI_CTR_HOST_WRITES,  /* commands */
    WI_CTR_BUSY_MIN,     /* controller busy, minutes */
    WI_CTR_POWER_CYCLES,
    WI_CTR_POWER_ON_H, /* hours */
    WI_CTR_UNSAFE_SHUTDOWNS,
    WI_CTR_MEDIA_ERRORS,
    WI_CTR_ERROR_LOG,         /* entries over the life of the controller */
    WI_CTR_WARNING_TEMP_MIN,  /* minutes above the warning temperature WCTEMP */
    WI_CTR_CRITICAL_TEMP_MIN, /* minutes above the critical temperature CCTEMP */
    WI_CTR_TMT1_TRANSITIONS,  /* times light throttling began */
    WI_CTR_TMT2_TRANSITIONS,  /* times heavy throttling began */
    WI_CTR_TMT1_TIME_S,       /* seconds in light throttling */
    WI_CTR_TMT2_TIME_S,       /* seconds in heavy throttling */
    WI_CTR_REALLOCATED,       /* sectors or blocks (ATA attribute 5) */
    WI_N_COUNTERS
};

/* A count: exact as text whatever its size. */
struct wi_exact {
    char text[WI_EXACT_MAX]; /* decimal digits; "" = not stated */
    double approx;           /* nearest double; NaN = not stated */
};

struct wi_drive_state {
    char tool[64]; /* "smartctl 7.3", "nvme smart-log" */
    char model[WI_NAME_MAX];
    char protocol[16];                      /* "NVMe", "ATA", "SCSI", "" */
    double time_s;                          /* seconds since 1970; NaN = not stated */
    double capacity_gb;                     /* 1e9 bytes; NaN */
    double temp_c;                          /* composite or drive temperature; NaN = not measured */
    double temp_low_c, temp_high_c;         /* lifetime minimum and maximum (attribute 194); NaN */
    double sensors_c[WI_DRIVE_SENSORS_MAX]; /* NaN = not fitted */
    size_t n_sensors;
    double used_pct;                       /* wear: share of rated endurance, may pass 100; NaN */
    double spare_pct, spare_threshold_pct; /* NaN */
    double pe_cycles;                      /* average erase count (attributes 173, 177); NaN */
    int critical_warning;                  /* bits of the NVMe log; -1 = not stated */
    int passed; /* overall self-assessment 1, failed 0; -1 = not stated */
    struct wi_exact counters[WI_N_COUNTERS];
};

/* Name and unit of a counter: "media_errors", "warning_temp_time_min". */
const char *wi_counter_name(enum wi_counter c);

/*
 * in:   text, len   output of smartctl -j (7.0 on) or nvme smart-log -o json (1.x to 3.x)
 *       name        file name, for messages
 * out:  state       every member set
 *       warnings    what was implausible or left out
 * returns WI_OK; WI_EDATA naming line or JSON path: no JSON, the tool's own error message, no state
 */
enum wi_status wi_smartctl_parse(const char *text, size_t len, const char *name,
                                 struct wi_drive_state *state, struct wi_texts *warnings,
                                 struct wi_err *err);
enum wi_status wi_nvme_parse(const char *text, size_t len, const char *name,
                             struct wi_drive_state *state, struct wi_texts *warnings,
                             struct wi_err *err);

/* One line: "drive 41 C, used 3 %, media errors 0, ...". Like snprintf. */
int wi_drive_state_format(const struct wi_drive_state *state, char *buf, size_t size);

/*
 * Read a snapshot of either tool and describe it for an experiment's note.
 * out:  pe_cycles   average erase count; NaN where the drive does not say
 */
enum wi_status wi_drive_state_describe(const char *path, char *buf, size_t size, double *pe_cycles,
                                       struct wi_texts *warnings, struct wi_err *err);

#endif
