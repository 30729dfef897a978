/*
 * An exposure from a time series: the environment that a drive went through, as measured.
 *
 *   readings -> wi_series (constant memory) -> wi_exposure_record (before, during, after with ramps
 *   and statistics) -> exposure file -> scenario of any command, by --exposure FILE
 *
 * The exposure file is JSON of schema ssd-whatif/exposure/1:
 *
 *   { "schema": "ssd-whatif/exposure/1",
 *     "before": {"temp_c": 22.4, "rh_pct": 48.1, "vib": {"axis": "none", "freq_hz": null,
 *                "grms": null}} or null (nothing was recorded before: the reference room applies),
 *     "during": {..., "hours": 6.02},
 *     "after":  {...} or null,
 *     "steps", "ramps", "series", "counts", "warnings": how it was found; not read back }
 *
 * A quantity that was not recorded is null and stays open in the scenario. axis "unknown" is a
 * vibration whose direction the logger does not know.
 */
#ifndef WI_EXPERIMENTS_EXPOSURE_SERIES_H
#define WI_EXPERIMENTS_EXPOSURE_SERIES_H

#include "core/prediction.h"
#include "core/scenario.h"
#include "core/sha256.h"

enum wi_channel {
    WI_CH_TEMP, /* C */
    WI_CH_RH,   /* percent */
    WI_CH_GRMS, /* g, root mean square */
    WI_CH_FREQ, /* Hz */
    WI_CH_ACC_X,
    WI_CH_ACC_Y,
    WI_CH_ACC_Z, /* instantaneous acceleration, g */
    WI_N_CHANNELS
};

/* How a file is to be read where it does not say so itself. */
struct wi_series_options {
    char date_order;     /* 'd' day first, 'm' month first, 0 = only where it is plain */
    double interval_s;   /* seconds between rows without a time; NaN or 0 = a time is needed */
    const char *columns; /* "temp=Inlet,rh=Hum,time=ts": which column is what; NULL = by name */
};

/* Readings in time order or not, in constant memory: means over buckets that widen as they must. */
struct wi_series;
enum wi_status wi_series_new(struct wi_series **series, struct wi_err *err);
void wi_series_free(struct wi_series *series);

/*
 * in:   time_s   seconds, any origin, finite, below 1e12
 *       value    finite, in the channel's unit
 * cost:   constant; now and then a pass over 8192 buckets
 */
void wi_series_add(struct wi_series *series, enum wi_channel channel, double time_s, double value);

/* Statistics of one quantity over one step. n 0 = not recorded. */
struct wi_series_stat {
    double n;
    double mean, sd; /* sd between bucket means */
    double min, max;
};

struct wi_series_step {
    double start_s, end_s; /* without the ramps beside it */
    struct wi_series_stat temp, rh, grms, freq;
};

struct wi_series_ramp {
    double hours;
    double temp_c_per_h, rh_pct_per_h; /* NaN = not recorded */
};

struct wi_exposure_record {
    struct wi_exposure exposure; /* NaN = not recorded */
    bool vib_known;              /* vibration was recorded */
    bool axis_known;             /* false: vibration of unknown axis */
    bool has_before;
    size_t n_steps; /* 1 during; 2 before, during; 3 before, during, after */
    struct wi_series_step steps[3];
    struct wi_series_ramp ramps[2];
    double start_s, end_s;
    double bucket_s;  /* resolution of the segmentation */
    bool is_absolute; /* times are seconds since 1970 */
    bool from_drive;  /* temperatures are the drive's own, not the air's */
    const char *file; /* borrowed */
    char sha256[WI_SHA256_HEX];
    struct {
        double rows, missing, impossible, duplicate, backward, gaps, stuck;
        double longest_gap_s, longest_stuck_s;
    } counts;
    struct wi_texts warnings;
};
void wi_exposure_record_release(struct wi_exposure_record *record);

/*
 * Cut the series into one, two or three steady steps.
 *
 * The cut is the piecewise constant fit of least squares over all quantities, each in units of what
 * matters to a drive (2 C, 5 %RH, 0.05 g). A step counts where it differs from its neighbour by
 * more than 1.5 units and by more than twice the scatter within. Ramps are what lies between 10 %
 * and 90 % of the way from one level to the next.
 *
 * in:   axis    axis of vibration where the user stated it
 *       axis_known
 * out:  record  steps, ramps, exposure, times, and warnings are added
 * returns WI_OK; WI_EDATA if nothing was recorded, or accelerations that amount to the impossible
 * cost:   O(1024^2)
 */
enum wi_status wi_series_segment(const struct wi_series *series, enum wi_axis axis, bool axis_known,
                                 struct wi_exposure_record *record, struct wi_err *err);

struct cJSON;
enum wi_status wi_exposure_record_to_json(const struct wi_exposure_record *record,
                                          struct cJSON **json, struct wi_err *err);

/* Write the exposure file: temporary name, fsync, rename. "-" is not handled here. */
enum wi_status wi_exposure_record_save(const struct wi_exposure_record *record, const char *path,
                                       struct wi_err *err);

/*
 * Read an exposure file into a scenario: fields that are null there, or that the scenario has been
 * given already, stay as they are.
 *
 * returns WI_OK; WI_EIO; WI_EDATA with the JSON path; WI_ERANGE for a value outside limits
 */
enum wi_status wi_exposure_load(const char *path, struct wi_scenario *s, struct wi_err *err);
enum wi_status wi_exposure_parse(const char *text, size_t len, const char *name,
                                 struct wi_scenario *s, struct wi_err *err);

#endif
