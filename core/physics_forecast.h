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

/* Below this probability a throttle is left out altogether. */
#define WI_THROTTLE_NEGLIGIBLE 0.01

/*
 * in:   s            the scenario; its phase says which step is looked at
 *       known_drive  true: a drive of the stored temperature experiments, which did not throttle in
 *                    air of 60 C; drives that would have are left out
 *       wctemp_c     temperature at which the drive starts to throttle (TMT1, else WCTEMP), NaN =
 *                    unknown: all published ones count alike
 * cost: about 2 us, 0.1 us where nothing throttles
 * source: steady state of the lumped thermal model, speed proportional to the power that keeps the
 *         drive at its limit, no less than the 35 % that published reviews show. WCTEMP stands for
 *         TMT1, which the host may set lower. Self-heating: M.2 from throttling times of reviews,
 *         data-centre from the OCP limits, 5 to 25 K otherwise (our assumption)
 */
void wi_throttle_eval(const struct wi_scenario *s, bool known_drive, double wctemp_c,
                      struct wi_throttle *t);

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

/* The warning that goes with it; nothing when t->prob is 0. */
enum wi_status wi_throttle_warn(const struct wi_throttle *t, struct wi_texts *warnings,
                                struct wi_err *err);

/* --- retention, wear and temperature: physics_forecast.c --- */

/* A change as a split normal in log space: below mid with sd_low, above with sd_high. */
struct wi_physics_shift {
    double mid, sd_low, sd_high;
};

struct wi_physics_outlook {
    struct wi_physics_shift tail[WI_PERCENTILES_MAX];
    struct wi_physics_shift bandwidth;
    double rber_before, rber_after; /* medians over the parameters */
    double room_h_low, room_h_high; /* 5 % and 95 %: hours at 25 C that equal the exposure */
    double lost_frac;               /* share of parameter sets beyond any read retry */
    bool assumed_wear, assumed_hours;
};

/*
 * True where the stored experiments measured nothing and physics has to answer: SLC or QLC, stated
 * P/E cycles, or long_term with temperature or humidity, or long_term of more hours than the 120
 * measured without vibration.
 */
bool wi_physics_covers(const struct wi_scenario *s);

/*
 * Retention and temperature -> RBER -> retries -> read quantiles, over the uncertainty of every
 * parameter.
 *
 * in:   s      the scenario
 *       alone  true: the shift is the whole answer, and its spread includes what the formulas leave
 *              out, by the size of measured changes; false: only this mechanism, to be added to
 *              another forecast (mid to mid, variance to variance)
 * out:  out    tail in the order of s->percentiles
 * cost: about 50 us; no allocation; the same bytes every time
 * source: the chain of phys_rber.c, phys_read_tail.c and phys_cross_temperature.c at 64 points of
 *         Roberts' additive sequence in 10 dimensions, quantiles at 5, 50 and 95 %. Priors stand in
 *         the source; no set exists for SLC, MLC or QLC: the TLC set is scaled over a wide range,
 *         wear counts relative to the rated endurance
 */
void wi_physics_outlook(const struct wi_scenario *s, bool alone, struct wi_physics_outlook *out);

/* Quantile of a shift, monotone in prob. */
double wi_physics_shift_quantile(const struct wi_physics_shift *shift, double prob);

/*
 * The whole answer from physics: changes, domain outside with its reasons, warnings.
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
