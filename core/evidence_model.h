/*
 * The inside of the evidence model, for its own files and for the evaluation.
 */
#ifndef WI_CORE_EVIDENCE_MODEL_H
#define WI_CORE_EVIDENCE_MODEL_H

#include "core/features.h"
#include "core/gp.h"
#include "core/misfit.h"

/* Independent parts of the model. */
enum wi_part { WI_PART_VIB_SHORT, WI_PART_VIB_LONG, WI_PART_TH };
#define WI_N_PARTS 3

struct wi_range {
    double low, high; /* low > high: nothing measured */
};

/* What was measured, variable by variable. */
struct wi_hull {
    struct wi_range th_temp_c, th_rh_pct, th_nines, vib_nines, vib_ln_freq, vib_temp_c;
    bool both_at_once; /* a step of temperature and humidity */
    bool th_op[3];     /* by enum wi_op */
    bool nand[5];      /* by enum wi_nand, any stress */
    bool vib_nand[5];
    bool vib_grms; /* an intensity is stated */
};

struct wi_evidence {
    enum wi_model_kind kind;
    struct wi_gp gp[WI_N_PARTS];
    struct wi_rows rows; /* names and rows of the conditioned data; rows of the GPs are copies */
    struct wi_hull hull;
    struct wi_misfit misfit[WI_N_PARTS]; /* empty in the study's model */
    void *bytes; /* a loaded state, into which gp[].root points; NULL otherwise */
};

void wi_hull_set(struct wi_hull *h, const struct wi_row *rows, size_t n);

enum wi_part wi_part_of(const struct wi_row *row);

/* Moments of rows that all belong to one part; vendor and device ids set, `fresh` set here. */
enum wi_status wi_evidence_moments(const struct wi_evidence *ev, struct wi_row *q, size_t m,
                                   struct wi_moments *out, double *exp_weight, size_t n_weighted,
                                   struct wi_err *err);

/* Condition a fit on rows; takes over the contents of `rows` on success. */
struct wi_fit;
enum wi_status wi_evidence_from_rows(struct wi_rows *rows, const struct wi_fit *fit,
                                     struct wi_evidence **ev, struct wi_err *err);

/* Half width of an interval in sds: normal, or Student's with 5 degrees of freedom. */
double wi_interval_sds(double confidence, bool student);

/*
 * The interval of a change from moments in log space.
 * in:   mean, var   of ln(1 + change), var with noise, > 0
 *       sds         from wi_interval_sds
 * out:  out         change_pct, low_pct, high_pct, finite, low < change < high, low > -100
 */
void wi_change_set(struct wi_change *out, double mean, double var, double sds);

#define WI_N_OUT (WI_PERCENTILES_MAX + 1) /* percentiles, then bandwidth */

/* The numbers of all percentiles and of bandwidth, in log space. */
struct wi_sums {
    size_t n; /* percentiles + 1; bandwidth is the last */
    double mean[WI_N_OUT], var[WI_N_OUT], noise[WI_N_OUT];
};

/*
 * What physics adds where the experiments are about another drive or lasted less long
 * (core/evidence_physics.c); nothing in the study's model.
 * in:   role     from wi_physics_role
 * out:  sums     mean and variance added
 *       out      domain, reasons and warnings
 */
enum wi_status wi_evidence_add_physics(const struct wi_scenario *s, int role, struct wi_sums *sums,
                                       struct wi_forecast *out, struct wi_err *err);

/*
 * Mix in the ageing of long_term where an exposure of phase post lasted longer than the measured
 * ones (core/evidence_physics.c): mean in proportion, variance with the gap's.
 * in:   vib    the part of `sums` that vibration makes, which does not age
 *       quiet  what 120 h leave in an unstressed drive, by the control drives
 *       share  of the aged answer, see wi_physics_aged_frac
 */
struct wi_ageing {
    const struct wi_sums *vib, *quiet;
    double share;
};
enum wi_status wi_evidence_mix_aged(const struct wi_scenario *s, const struct wi_ageing *a,
                                    struct wi_sums *sums, struct wi_forecast *out,
                                    struct wi_err *err);

/*
 * Write the changes, mixed with those of a throttling drive where that is likely.
 * in:   t        from wi_throttle_eval; prob 0: nothing to mix
 *       sds      see wi_change_set
 */
struct wi_throttle;
void wi_evidence_write_changes(const struct wi_scenario *s, const struct wi_sums *sums,
                               const struct wi_throttle *t, double sds, struct wi_forecast *out);

/* Open sd, in log space, from which on the ratio of variances counts in full. */
#define WI_RATIO_SD 0.08

/* All that stands behind a forecast, for the domain and its words. */
struct wi_outlook {
    const struct wi_scenario *s;
    struct wi_stressors on;
    int physics;           /* enum wi_physics_role: what the physics module has said already */
    double aged_frac;      /* share of the ageing of long_term in an answer for post */
    bool ageing;           /* the quiet ageing of 120 h is part of the change */
    double long_frac;      /* share of the long-term effect in the mixture, 0..1 */
    struct wi_row vib, th; /* inputs without a percentile; valid where on.* or ageing */
    bool
        as_measured; /* the very drive of an experiment, cell type undisclosed or not: evaluation */
    bool misfit;     /* own rows that fit badly widen the answer */
    bool known_vib, known_th; /* the scenario names a drive that the stored rows hold */
    double measured_c;        /* hottest air in which that drive was measured; NaN: none */
    double ratio;    /* largest posterior to prior variance of the active parts over percentiles,
                        asked for the most alike stored drive; 0 = nothing active */
    double ratio_bw; /* the same of bandwidth */
};

/* One question on its way (core/evidence_predict.c). */
struct wi_asking {
    const struct wi_evidence *ev;
    const struct wi_scenario *s;
    size_t n; /* percentiles + 1 */
    struct wi_outlook look;
    struct wi_sums sum;
    double *exp_weight; /* (n experiments,) or NULL */
};

/* What physics has to do with an answer: enum wi_physics_role. */
int wi_asking_role(const struct wi_evidence *ev, const struct wi_scenario *s);

void wi_asking_init(struct wi_asking *p, const struct wi_evidence *ev, const struct wi_scenario *s);

/* All of it: the forecast with its domain; exp_weight may be NULL. */
enum wi_status wi_asking_answer(struct wi_asking *p, struct wi_forecast *out, struct wi_err *err);

/*
 * Throttling where it, and not a measurement, makes the number: outside, from physics, and says so.
 * in/out: out   nothing where it does not
 */
enum wi_status wi_evidence_tell_throttle(const struct wi_throttle *t, struct wi_forecast *out,
                                         struct wi_err *err);

/* Half width of its interval in sds: between normal and Student's where data age in part. */
double wi_asking_sds(const struct wi_asking *p);

/* Vibration and ageing, or where there is no exposure at all the noise of a quiet run. */
enum wi_status wi_asking_vib(struct wi_asking *p, struct wi_err *err);

/*
 * Below the lowest percentile that was measured the kernel would carry the change of the tail on
 * towards the median, where other causes decide. By judgement: the change and the prior's own
 * variance are open in proportion to the distance in nines, all of both at one nine.
 * returns that share, 0 where the percentile was measured
 */
double wi_evidence_below(const struct wi_evidence *ev, double percentile);

/* Add the moments of temperature and humidity, widened below the lowest percentile measured. */
void wi_asking_add_th(struct wi_asking *p, const struct wi_moments *m);

/*
 * A new drive whose cell type is not stated is a TLC or an MLC one: asked for both, and mixed.
 * in/out: a   (n,) moments as TLC; b as MLC; a becomes the mixture, of the mean of both and of the
 *             wider variance and the gap's, so that not to know is never narrower than to know
 */
bool wi_asking_mixes_kinds(const struct wi_asking *p);
void wi_asking_mix_kinds(struct wi_moments *a, const struct wi_moments *b, size_t n);

/* A drive as much like the one asked for as there is, for the ratio of variances. */
void wi_asking_borrow_drive(const struct wi_gp *gp, struct wi_row *base);
double wi_asking_ratio(enum wi_group group, double var, double prior_var);
bool wi_asking_is_student(const struct wi_asking *p);

/*
 * Domain, its reasons and the warnings that come with them (core/evidence_domain.c).
 * in/out: out   domain only rises
 */
enum wi_status wi_domain_judge(const struct wi_evidence *ev, const struct wi_outlook *look,
                               struct wi_forecast *out, struct wi_err *err);

/* For sweeps, where most of it is the same in all scenarios: the worse of both parts is the domain.
 */
enum wi_domain_part {
    WI_DOMAIN_OF_DRIVE = 1,  /* what no temperature, humidity or ratio of variances decides */
    WI_DOMAIN_OF_CLIMATE = 2 /* the rest */
};
enum wi_domain wi_domain_level(const struct wi_evidence *ev, const struct wi_outlook *look,
                               unsigned parts);

#endif
