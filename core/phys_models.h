/*
 * The formulas behind the physics table, one method per file, as plain functions.
 *
 * Temperatures are degrees Celsius, relative humidity percent; all functions are pure and safe to
 * call from any thread. Arguments must be finite and inside the ranges given; nothing is checked.
 */
#ifndef WI_CORE_PHYS_MODELS_H
#define WI_CORE_PHYS_MODELS_H

#include "core/physics.h"

/*
 * phys_arrhenius.c. Acceleration of a thermally activated process.
 * returns exp(Ea/k (1/Tu - 1/Ts)): how much faster it runs at stress_c than at use_c
 * source: JESD22-A117 form; k is CODATA 2018 (the table's 8.617e-5 is the same to 4e-5 relative)
 */
double wi_phys_arrhenius_af(double ea_ev, double use_c, double stress_c);

/*
 * phys_peck.c. Humidity part of Peck, Hallberg-Peck and FIDES.
 * in:   n   exponent; use_rh_pct > 0
 * returns (stress_rh_pct / use_rh_pct)^n
 * source: Peck 1986; Hallberg & Peck 1991; FIDES 2009, all one form with other parameters
 */
double wi_phys_humidity_af(double n, double use_rh_pct, double stress_rh_pct);

/*
 * phys_norris_landzberg.c. Solder fatigue under temperature cycling.
 * in:   dt_k       temperature swing of one cycle, > 0
 *       per_day    cycles per day, > 0
 *       max_c      highest temperature of the cycle
 *       ea_over_k  K
 * out:  terms      swing, frequency and temperature factor; NULL to skip
 * returns their product, (dTs/dTu)^n (fu/fs)^m exp[Ea/k (1/Tu - 1/Ts)]
 * source: Norris & Landzberg 1969, with constants as quoted by TI
 */
struct wi_phys_cycle {
    double dt_k, per_day, max_c;
};
double wi_phys_norris_landzberg_af(struct wi_phys_cycle use, struct wi_phys_cycle stress, double n,
                                   double m, double ea_over_k, double terms[3]);

/* phys_coffin_manson.c. returns (stress_dt_k / use_dt_k)^n. source: Coffin 1954, Manson 1953 */
double wi_phys_coffin_manson_af(double n, double use_dt_k, double stress_dt_k);

/* phys_basquin.c. returns (grms / ref_grms)^b, the factor on a board's failure rate. */
double wi_phys_basquin_factor(double b, double ref_grms, double grms);

/*
 * phys_steinberg.c. Fatigue damage under Gaussian random vibration, three bands.
 * in:   fn_hz        resonance, cycles per second of the response
 *       hours        exposure
 *       sigma_ratio  one-sigma response / response that lasts n0 cycles, > 0
 *       b, n0        S-N slope and cycles
 * returns sum over 1, 2, 3 sigma of p_i fn T / N_i, N_i = n0 (1 / (i sigma_ratio))^b; fails at 1
 * source: Steinberg, Vibration Analysis for Electronic Equipment, 3-band method
 */
double wi_phys_steinberg_damage(double fn_hz, double hours, double sigma_ratio, double b,
                                double n0);

/* phys_miner.c. returns sum n_i / life_i over `count` loads; fails at 1. source: Miner 1945 */
double wi_phys_miner_damage(size_t count, const double *n_cycles, const double *life_cycles);

/* phys_magnus.c. Moist air. */
enum wi_phys_magnus_set {
    WI_MAGNUS_SONNTAG, /* 6.112 hPa, 17.62, 243.12 C: -45..60 C */
    WI_MAGNUS_WIDE     /* 6.11657 hPa, 17.5043, 241.2 C: up to 100 C */
};
/* Saturation vapour pressure over liquid water in hPa. source: Sonntag 1990, Magnus form */
double wi_phys_saturation_hpa(enum wi_phys_magnus_set set, double temp_c);
/* Temperature at which that air starts to condense; rh_pct > 0. */
double wi_phys_dew_point_c(enum wi_phys_magnus_set set, double temp_c, double rh_pct);
/* Water vapour in g/m3, ideal gas. */
double wi_phys_absolute_g_m3(enum wi_phys_magnus_set set, double temp_c, double rh_pct);

/*
 * phys_condensation.c. A drive surface that lags the air of a linear ramp.
 * in:   ramp_s       length of the ramp, >= 0
 *       tau_s        thermal time constant of the surface, > 0
 *       self_heat_k  steady rise of the surface above the air, >= 0
 * out:  wet_s        seconds during which the surface is below the dew point; NULL to skip
 * returns smallest surface temperature minus dew point, K; below 0 water condenses
 * source: first-order lag of a ramp, closed form; the dew point is scanned at 400 instants
 */
struct wi_phys_air {
    double temp_c, rh_pct;
};
double wi_phys_condensation_margin_k(struct wi_phys_air from, struct wi_phys_air to, double ramp_s,
                                     double tau_s, double self_heat_k, double *wet_s);

/* phys_rber.c. Raw bit error rate of NAND. */
enum wi_phys_rber_set { WI_RBER_72L_TLC, WI_RBER_3X_MLC, WI_RBER_2Y_MLC };
#define WI_RBER_ROOM_C 25.0 /* "room temperature" of the published sets */
struct wi_phys_rber {
    double floor, wear, retention, read; /* each >= 0 */
};
/*
 * The four terms e, a PE^k, b PE^m t^n, g PE^p r^q; their sum is the RBER.
 * in:   pe_cycles    >= 0
 *       retention_h  hours at room temperature (scale by wi_phys_arrhenius_af for another), >= 0
 *       reads        reads of the page since it was written, >= 0
 * source: power-law model of Kim et al. (FAST'19, remembered) as MQSim-JW implements it; the
 *         temperature scaling of t is ours
 */
struct wi_phys_rber wi_phys_rber_terms(enum wi_phys_rber_set set, double pe_cycles,
                                       double retention_h, double reads);
double wi_phys_rber_sum(const struct wi_phys_rber *r);

/*
 * phys_ecc.c. Probability that a codeword of n_bits with independent errors has more than
 * n_correct. source: binomial tail; real errors cluster, so this is a lower bound
 */
double wi_phys_ecc_fail_frac(double rber, double n_bits, double n_correct);

/*
 * phys_read_retry.c. Time of one page read with retries.
 * returns (1 + n_retries) (t_read_us + t_dma_us + t_ecc_us)
 * source: MICRO'20, every retry repeats the whole read
 */
double wi_phys_read_retry_us(double n_retries, double t_read_us, double t_dma_us, double t_ecc_us);

/*
 * phys_read_tail.c. From an error rate to retries and to a shift of read latency.
 * in:   ln_excess  ln(rber / limit): mean error rate of the pages over what one read corrects
 *       ln_step    > 0, log of the factor by which each retry brings the error rate down
 *       ln_spread  >= 0, sd of log error rate between pages
 *       z          normal score of the page: 0 = median, 3.09 = the worst in 1000
 * returns retries of that page, max(0, (ln_excess + ln_spread z) / ln_step)
 * source: ours. The MICRO'20 anchor (6.6 retries at 5000 P/E and one year) gives ln_step; retries
 *         are a real number, an average over pages of equal error rate
 */
double wi_phys_retries(double ln_excess, double ln_step, double ln_spread, double z);
/* The mean over all pages, closed form for a log-normal spread. */
double wi_phys_retries_mean(double ln_excess, double ln_step, double ln_spread);
/* ln_step that gives n_retries at rber; 0 < limit < rber. */
double wi_phys_retry_ln_step(double rber, double limit, double n_retries);

/* phys_timing.c. Page read, page program and block erase in us, with the range between sources. */
struct wi_phys_range {
    double value, low, high;
};
struct wi_phys_timing {
    struct wi_phys_range read_us, program_us, erase_us;
};
/*
 * in:   nand    SLC, MLC, TLC or QLC
 *       temp_c  of the die; only the range widens away from 25 C, since no source gives the curve
 */
struct wi_phys_timing wi_phys_nand_timing(enum wi_nand nand, double temp_c);

/*
 * phys_cross_temperature.c. Errors of a page programmed at one and read at another temperature.
 * in:   removed_frac  share of errors that an adapted read voltage removes at |dT| = ref_dt_k
 * returns factor on the error rate with a fixed read voltage, >= 1; even in the difference, since
 *         sources disagree which sign is worse
 */
double wi_phys_cross_temperature_factor(double program_c, double read_c, double removed_frac,
                                        double ref_dt_k);

/* phys_throttle.c. Lumped thermal model with a throttling controller. */
struct wi_phys_thermal {
    double ambient_c;
    double r_k_w, c_j_k;             /* to air; of the drive */
    double full_w, light_w, heavy_w; /* power in each state, full >= light >= heavy */
    double tmt1_c, tmt2_c,
        hysteresis_k; /* tmt1 < tmt2; leaves a state hysteresis below its entry */
};
struct wi_phys_thermal_result {
    double end_c, peak_c;
    double tmt1_s, tmt2_s;         /* first time each was reached; duration_s if never */
    double light_frac, heavy_frac; /* share of the time in each state */
    double mean_power_frac;        /* mean power / full power, the share of full speed */
    size_t n_switches;
};
/* Steady surface temperature at a power. */
double wi_phys_thermal_steady_c(double ambient_c, double r_k_w, double power_w);
/* Temperature t_s after start_c at constant power. source: solution of C dT/dt = P - (T - Ta)/R */
double wi_phys_thermal_at_c(double start_c, double ambient_c, double r_k_w, double c_j_k,
                            double power_w, double t_s);
/*
 * Run from ambient at full load for duration_s.
 * cost: one logarithm per change of state; at most 200000 changes, then the mean goes on
 * source: NVMe base specification, host controlled thermal management; the lumped RC is ours. The
 *         crossings are solved in closed form, there is no time step.
 */
struct wi_phys_thermal_result wi_phys_thermal_run(const struct wi_phys_thermal *t,
                                                  double duration_s);

/* phys_jesd218.c. Weeks of unpowered retention by class, and what a single Ea makes of them. */
struct wi_phys_retention_class {
    const char *name;
    const char *klass;
    double active_c, off_c, weeks;
    bool at_least; /* the standard states a lower bound */
    enum wi_confidence confidence;
};
extern const struct wi_phys_retention_class wi_phys_retention_classes[];
extern const size_t wi_n_phys_retention_classes;
/* The first row of the same class, scaled to off_c by one Ea; the active temperature has no say. */
double wi_phys_retention_weeks(const struct wi_phys_retention_class *c, double ea_ev);

/* phys_sine.c. Peak acceleration of a sine in g. in: amp_mm zero-to-peak */
double wi_phys_sine_peak_g(double amp_mm, double freq_hz);

/* The rows of the table. */
extern const struct wi_physics_model wi_phys_arrhenius_model;
extern const struct wi_physics_model wi_phys_peck_model;
extern const struct wi_physics_model wi_phys_hallberg_peck_model;
extern const struct wi_physics_model wi_phys_fides_humidity_model;
extern const struct wi_physics_model wi_phys_norris_landzberg_model;
extern const struct wi_physics_model wi_phys_coffin_manson_model;
extern const struct wi_physics_model wi_phys_basquin_model;
extern const struct wi_physics_model wi_phys_steinberg_model;
extern const struct wi_physics_model wi_phys_miner_model;
extern const struct wi_physics_model wi_phys_dew_point_model;
extern const struct wi_physics_model wi_phys_condensation_model;
extern const struct wi_physics_model wi_phys_rber_model;
extern const struct wi_physics_model wi_phys_ecc_model;
extern const struct wi_physics_model wi_phys_read_retry_model;
extern const struct wi_physics_model wi_phys_read_tail_model;
extern const struct wi_physics_model wi_phys_timing_model;
extern const struct wi_physics_model wi_phys_cross_temperature_model;
extern const struct wi_physics_model wi_phys_throttle_model;
extern const struct wi_physics_model wi_phys_jesd218_model;
extern const struct wi_physics_model wi_phys_sine_model;

#endif
