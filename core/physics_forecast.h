/*
 * What physics adds to the evidence: throttling, a forecast where nothing was measured, warnings.
 *
 * All scenarios are completed ones. Changes are log ratios against the before condition: latency +
 * is slower, bandwidth + is faster; percent = 100 (exp(x) - 1).
 */
#ifndef WI_CORE_PHYSICS_FORECAST_H
#define WI_CORE_PHYSICS_FORECAST_H

#include "core/dataset.h"
#include "core/prediction.h"

/* --- throttling: physics_throttle.c --- */

#define WI_THROTTLE_PARTS 6

/*
 * How a controller that protects itself may change the answer: parts of equal kind of drive, each
 * with its probability, its log ratio of speed, and the share of the temperature step that lies
 * below the onset of throttling, where the measured effect of temperature still holds.
 */
struct wi_throttle {
    double prob; /* that throttling changes the answer; 0 = negligible, nothing must be mixed */
    size_t n;
    double weight[WI_THROTTLE_PARTS];    /* sum to prob */
    double log_speed[WI_THROTTLE_PARTS]; /* < 0 slower than in the before condition */
    double reach_frac[WI_THROTTLE_PARTS];
    double at_c, before_c;            /* air temperatures compared */
    double self_low_k, self_high_k;   /* self-heating assumed for this interface */
    double onset_low_c, onset_high_c; /* air temperature at which throttling starts */
    bool interface_stated;
};

/* What the texts about throttling cite; by it one is known as such. */
#define WI_THROTTLE_CITES "throttling-published-drops"

/* Below this probability a throttle is left out altogether. */
#define WI_THROTTLE_NEGLIGIBLE 0.01

/*
 * in:   s            the scenario; its phase says which step is looked at
 *       measured_c   the hottest air in which this very drive was measured, NaN = none: what it
 *                    did there is in the measurement, drives that would throttle in that air are
 *                    left out
 *       wctemp_c     temperature at which the drive starts to throttle (TMT1, else WCTEMP), NaN =
 *                    unknown: all published ones count alike
 * cost: about 2 us, 0.1 us where nothing throttles
 * source: steady state of the lumped thermal model, speed proportional to the power that keeps the
 *         drive at its limit, no less than the 35 % that published reviews show. WCTEMP stands for
 *         TMT1, which the host may set lower. Self-heating: M.2 from throttling times of reviews,
 *         data-centre from the OCP limits, 5 to 25 K otherwise (our assumption)
 */
void wi_throttle_eval(const struct wi_scenario *s, double measured_c, double wctemp_c,
                      struct wi_throttle *t);

/*
 * The same in two steps, for many temperatures of one kind of drive: all that are considered, each
 * with the temperature where it throttles, coolest onset first.
 */
#define WI_THROTTLE_NODES 117
struct wi_throttle_node {
    double limit_c, self_k, onset_c; /* onset: limit less self-heating */
};
struct wi_throttle_drives {
    size_t n;
    struct wi_throttle_node nodes[WI_THROTTLE_NODES];
    double self_low_k, self_high_k, onset_low_c, onset_high_c;
    double prob_max; /* some drives do not throttle while no threshold is stated */
    bool interface_stated;
};
void wi_throttle_drives_init(const char *interface, double measured_c, double wctemp_c,
                             struct wi_throttle_drives *drives);
/* cost: about 0.5 us, 0.01 us where nothing throttles */
void wi_throttle_at(const struct wi_throttle_drives *drives, double at_c, double before_c,
                    struct wi_throttle *t);

/* The air at which the answer is asked for: post looks at the step after. */
double wi_throttle_asked_c(const struct wi_scenario *s);

/*
 * Quantiles of a forecast with throttling mixed in.
 *
 * in:   t           from wi_throttle_eval
 *       metric      latency rises as speed falls, at a fixed queue depth
 *       n           components of the forecast without throttling, 1..WI_MIX_MAX
 *       weight      (n,) sum 1
 *       mean, sd    (n,) log ratio; sd > 0
 *       n_probs     quantiles wanted
 *       probs       (n_probs,) in (0, 1)
 * out:  quantiles   (n_probs,) log ratio; untouched when false is returned
 * returns false when t->prob is 0: the caller's own numbers stay, bit for bit
 * cost: about 10 (6 + 1) n normal distributions per quantile
 */
#define WI_MIX_MAX 64
bool wi_throttle_mix(const struct wi_throttle *t, enum wi_metric metric, size_t n,
                     const double *weight, const double *mean, const double *sd, size_t n_probs,
                     const double *probs, double *quantiles);

/*
 * Whether throttling, and not a measurement, makes the number: at least half of the drives
 * considered would slow themselves, so that the median is that of a throttling drive.
 */
bool wi_throttle_carries(const struct wi_throttle *t);

/* The warning that goes with it; nothing when t->prob is 0. */
enum wi_status wi_throttle_warn(const struct wi_throttle *t, struct wi_texts *warnings,
                                struct wi_err *err);

/* --- retention, wear and temperature: physics_outlook.c, physics_forecast.c --- */

/* Exposure where hours are not stated, as the experiments: running and post, long_term. */
#define WI_PHYSICS_RUN_H 6.0
#define WI_PHYSICS_LONG_H 120.0

/*
 * A change in log space: mid is the median, half a normal with sd_low lies below it, half a normal
 * with sd_high above.
 */
struct wi_physics_shift {
    double mid, sd_low, sd_high;
};

struct wi_physics_outlook {
    struct wi_physics_shift tail[WI_PERCENTILES_MAX];
    struct wi_physics_shift bandwidth;
    double rber_before, rber_after; /* medians over the parameters */
    double room_h_low, room_h_high; /* 5 % and 95 %: hours at 25 C that equal the exposure */
    /* sd of the log ratio of what the formulas leave out, by the size of the measured changes */
    double left_out_tail, left_out_bandwidth;
    double lost_frac; /* share of parameter sets beyond any read retry */
    bool assumed_wear, assumed_hours;
};

/* What physics has to do with an answer. */
enum wi_physics_role {
    WI_PHYSICS_NONE,   /* the experiments answer: TLC, MLC or unknown, running or post, wear not
                          stated */
    WI_PHYSICS_ADDS,   /* the experiments are about another cell type or unknown wear: add the
                          mechanism */
    WI_PHYSICS_AGES,   /* post, after more hours than the 6 measured: what the experiments say is
                          mixed with the ageing of long_term, see wi_physics_aged_frac */
    WI_PHYSICS_CARRIES /* long_term with temperature or humidity, or of more hours than the 120
                          measured without vibration: nothing measured, physics is the climate part
                        */
};

/*
 * Only scenarios with a change of temperature or humidity, or with storage, have a role for
 * physics: vibration has no model.
 */
enum wi_physics_role wi_physics_role(const struct wi_scenario *s);

/*
 * Data that aged during an exposure are as old after it: the share that the answer of long_term has
 * in one for post, 0 up to the 6 h of the experiments, 1 from 120 h on, in the logarithm of time
 * between. 0 in other phases and where vibration is the only stress, which ages nothing.
 */
double wi_physics_aged_frac(const struct wi_scenario *s);

/* How much the spread of an outlook holds. */
enum wi_physics_scope {
    /* retention, wear, cross-temperature, less what new TLC or MLC drives have of them: to be added
     * to a forecast from the experiments */
    WI_SCOPE_MECHANISM,
    WI_SCOPE_CLIMATE, /* also what the formulas leave out under temperature and humidity */
    WI_SCOPE_ALL      /* also under vibration: the outlook is the whole answer */
};

/*
 * Retention and temperature -> RBER -> retries -> read quantiles, over the uncertainty of every
 * parameter.
 *
 * out:  out   tail in the order of s->percentiles
 * cost: about 40 us, 65 us for WI_SCOPE_MECHANISM; no allocation; the same bytes every time
 * source: the chain of phys_rber.c, phys_read_tail.c and phys_cross_temperature.c at 64 points of
 *         Roberts' additive sequence in 10 dimensions, quantiles at 5, 50 and 95 %. Priors stand in
 *         the source; no set exists for SLC, MLC or QLC: the TLC set is scaled over a wide range,
 *         wear counts relative to the rated endurance. What the formulas leave out has the size of
 *         the measured changes
 */
void wi_physics_outlook(const struct wi_scenario *s, enum wi_physics_scope scope,
                        struct wi_physics_outlook *out);

/*
 * The outlook of long_term for a scenario of phase post: as aged, but read in the air after the
 * exposure. Each side is at least as wide as that of long_term, the slow end as far out, since data
 * may have been written during the exposure as well, and as much may be lost.
 * cost: about 80 us
 */
void wi_physics_outlook_aged(const struct wi_scenario *s, struct wi_physics_outlook *out);

/* Mean and variance of a shift (log ratio), to add to a forecast: mean to mean, variance to
 * variance. */
void wi_physics_shift_moments(const struct wi_physics_shift *shift, double *mean, double *var);

/* Quantile of a shift, monotone in prob. */
double wi_physics_shift_quantile(const struct wi_physics_shift *shift, double prob);

/*
 * Why an answer with a part from physics is outside, and what it assumes.
 * in:   o   the outlook that went into the answer
 */
enum wi_status wi_physics_explain(const struct wi_scenario *s, const struct wi_physics_outlook *o,
                                  struct wi_texts *reasons, struct wi_texts *warnings,
                                  struct wi_err *err);

/*
 * The whole answer from physics alone: changes, domain outside with its reasons, warnings.
 * out:  out   caller's storage; release with wi_forecast_release
 * returns WI_OK; WI_ENOMEM
 */
enum wi_status wi_physics_forecast(const struct wi_scenario *s, struct wi_forecast *out,
                                   struct wi_err *err);

/* --- warnings: physics_warnings.c --- */

/*
 * Risks that numbers do not show: condensation, fail-stop, data loss, temperatures outside the
 * usual specification, storage beyond the rated retention.
 */
enum wi_status wi_physics_warnings(const struct wi_scenario *s, struct wi_texts *warnings,
                                   struct wi_err *err);

#endif
