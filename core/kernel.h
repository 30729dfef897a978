/*
 * Covariance functions of the evidence model as tables of functions, and the rows that they see.
 */
#ifndef WI_CORE_KERNEL_H
#define WI_CORE_KERNEL_H

#include <stdbool.h>

#include "core/evidence.h"

enum wi_group { WI_GROUP_VIB, WI_GROUP_TH };
#define WI_N_GROUPS 2
#define WI_NONE_ID (-1) /* vendor, device or drive that is none of the stored ones */

/* One measured or asked-for change: the inputs of the covariance, and for a measured one the
 * log-ratio. */
struct wi_row {
    enum wi_group group;
    bool bandwidth; /* else tail latency */
    double nines;   /* -log10(1 - p), WI_NINES_MAX for the maximum; 1 for bandwidth */
    double w_read, w_write;
    enum wi_phase phase;
    enum wi_axis axis;
    enum wi_nand nand;
    int vendor, device;          /* ids in wi_rows.names, WI_NONE_ID for none of the stored ones */
    int letter;                  /* vendors A, B, C of DAC'19: 0..2, any other 3 */
    bool reference;              /* a drive that its source does not name: it stands for its kind */
    bool fresh;                  /* no row has this vendor, axis and phase */
    double temp_c[3], rh_pct[3]; /* before, during, after */
    double ln_freq;              /* ln(f / 20 Hz); 0 if not stated */
    double ln_grms;              /* ln(grms / 1.14); NaN if not stated */

    double z;       /* ln(1 + change), change as a fraction; interval rows: the middle */
    double err_var; /* reading variance of z */
    bool interval;  /* z lies between z_low and z_high, softened by err_var */
    double z_low, z_high;
    size_t obs, exp; /* indexes into the dataset it came from */
    bool own;        /* the user's measurement, not one that came with the program */
    bool scored;     /* false: pseudo-observation of a bound or a box plot */
};

struct wi_par {
    const char *name;
    double study_mean, study_sd; /* Gaussian prior; sd 0 = fixed at the mean */
    double mean, sd;             /* of the default model */
};
#define WI_PAR_MAX 48

/* The distinct places on the axis of percentiles that a set of rows has. */
struct wi_level {
    double nines;
    bool bandwidth;
};
struct wi_levels {
    size_t n;
    struct wi_level *at; /* (n,) */
    unsigned *of;        /* (rows,) level of each row */
};

/* Rows asked for together that differ in their percentile only: the columns of one block. */
#define WI_FAMILY_MAX 8

struct wi_kernel {
    const char *name; /* "vib", "th" */
    size_t n_par;
    const struct wi_par *par;
    /* k (n_a, n_b) at hyper-parameters t */
    void (*block)(const double *t, const struct wi_row *a, size_t n_a, const struct wi_row *b,
                  size_t n_b, double *k);
    /* prior variance of each row */
    void (*diag)(const double *t, const struct wi_row *a, size_t n, double *k);
    /* variance of the noise of a curve, without reading error */
    void (*noise)(const double *t, const struct wi_row *a, size_t n, double *noise);
    /*
     * Gradient of sum_ij g_ij K_ij with K = block + diag(noise), g (n, n) symmetric, added to
     * grad (n_par,).
     */
    void (*grad)(const double *t, const struct wi_row *a, size_t n, const double *g, double *grad);
    /*
     * The same covariances for a family q (m,), m <= WI_FAMILY_MAX, in two steps: what does not
     * depend on the fitted parameters, geo (n_geo, n); then k (n, WI_FAMILY_MAX), of which the
     * first m columns from `first` on are written. Fixed parameters are the same in every t.
     */
    size_t n_geo;
    void (*geometry)(const double *t, const struct wi_row *q, const struct wi_row *rows, size_t n,
                     double *geo);
    void (*family)(const double *t, const struct wi_row *q, size_t m, const struct wi_row *rows,
                   size_t n, const struct wi_levels *levels, const double *geo, double *k);
    /*
     * Log amplitude of a discrepancy that every step has for itself, n_par if there is none: the
     * sparse form treats it as noise.
     */
    size_t step_par;
};
#define WI_STEP_OFF (-30.0)
#define WI_LEVELS_MAX 64 /* above, rows are asked one by one */

extern const struct wi_kernel wi_kernel_vib, wi_kernel_th;
const struct wi_kernel *wi_kernel_of(enum wi_group group);

#endif
