/*
 * What has been measured: sources, experiments and their observations, as the models see them.
 * The store (knowledge/) is where they live; this is the copy in memory.
 */
#ifndef WI_CORE_DATASET_H
#define WI_CORE_DATASET_H

#include "core/scenario.h"

enum wi_metric { WI_METRIC_TAIL_LATENCY, WI_METRIC_BANDWIDTH };

/* How a change was reported. */
enum wi_obs_kind {
    WI_OBS_VALUE,     /* a number, with its reading error */
    WI_OBS_BOUND,     /* only low_pct..high_pct is stated ("up to 75 %"); change_pct is NaN */
    WI_OBS_TOO_SMALL, /* a bar too small to read: about 0, within reading_error_pct */
    WI_OBS_NO_CHANGE, /* stated or drawn as "no visible change": within low_pct..high_pct */
    WI_OBS_TEXT,      /* stated in words as about 0: within low_pct..high_pct */
    WI_OBS_BOX,       /* one figure of a box plot over drives or runs; `stat` says which */
    WI_OBS_ABSOLUTE   /* imported without a baseline: `value` alone (us or MB/s), no change is
                         claimed; change, low and high are NaN and no model uses the row */
};

enum wi_stat { WI_STAT_NONE, WI_STAT_MIN, WI_STAT_Q1, WI_STAT_MEDIAN, WI_STAT_Q3, WI_STAT_MAX };

enum wi_confidence {
    WI_CONF_READ,       /* read in the source */
    WI_CONF_DIGITISED,  /* read in the source, digitised from a figure */
    WI_CONF_ABSTRACT,   /* abstract or excerpt only */
    WI_CONF_SECONDARY,  /* another document reports it */
    WI_CONF_DERIVED,    /* computed here from other figures */
    WI_CONF_UNVERIFIED, /* remembered, not checked: never presented as a fact */
    WI_CONF_MEASURED    /* imported: a user's own measurement */
};

struct wi_experiment {
    char id[WI_ID_MAX];
    char source[WI_ID_MAX];
    char vendor[WI_NAME_MAX];    /* "" = undisclosed */
    char device[WI_NAME_MAX];    /* "" = undisclosed */
    char interface[WI_NAME_MAX]; /* "" = undisclosed */
    enum wi_nand nand;           /* WI_NAND_UNKNOWN = not disclosed */
    double capacity_gb;          /* NaN = not stated */
    double pe_cycles;            /* NaN = not stated */
    struct wi_exposure exposure; /* always complete; the net end state where a range was walked */
    double temp_low_c, temp_high_c; /* range walked in the during step; NaN = constant */
    double rh_low_pct, rh_high_pct;
    bool states_assumed; /* some state of the exposure is our reading, not the source's statement */
    enum wi_phase phase;
    bool failing;               /* a drive that was failing: never in the default fit */
    char control_id[WI_ID_MAX]; /* quiet control experiment; "" = none */
    bool embedded;              /* true = came with the program, false = the user's own */
    char workload[256];
    char note[512];
};

struct wi_observation {
    char id[WI_ID_MAX];
    size_t exp;    /* index into wi_dataset.exps */
    enum wi_op op; /* operation that was measured */
    enum wi_metric metric;
    double percentile; /* 1..100, 100 = maximum; NaN for bandwidth and for whole-curve bounds */
    enum wi_stat stat; /* box plots only */
    enum wi_obs_kind kind;
    double change_pct;        /* NaN for a bound */
    double low_pct, high_pct; /* NaN where not stated */
    double reading_error_pct; /* >= 0, points; half width of a 90 % reading band */
    enum wi_confidence confidence;
    double base_value, value; /* absolute, us or MB/s; NaN = only the change is known */
    double n_samples;         /* I/Os behind the figure; NaN = unknown */
    char locator[128];        /* figure, sheet cell or page */
    char note[256];
};

struct wi_dataset {
    struct wi_experiment *exps;
    size_t n_exps;
    struct wi_observation *obs; /* in order of experiment, then operation, metric, percentile */
    size_t n_obs;
};

void wi_dataset_release(struct wi_dataset *ds); /* accepts a zeroed struct */

const char *wi_metric_name(enum wi_metric v);     /* "tail_latency" "bandwidth" */
const char *wi_obs_kind_name(enum wi_obs_kind v); /* "value" "bound" "too_small" ... "absolute" */
const char *wi_stat_name(enum wi_stat v);         /* "" "min" "q1" "median" "q3" "max" */
const char *wi_confidence_name(enum wi_confidence v); /* "read" "digitised" "abstract" ... */
bool wi_metric_parse(const char *text, enum wi_metric *out);
bool wi_obs_kind_parse(const char *text, enum wi_obs_kind *out);
bool wi_stat_parse(const char *text, enum wi_stat *out);
bool wi_confidence_parse(const char *text, enum wi_confidence *out);

#endif
