/*
 * Units and their conversions. The only place where 273.15 stands.
 */
#ifndef WI_CORE_UNITS_H
#define WI_CORE_UNITS_H

#define WI_KELVIN_OFFSET 273.15
#define WI_BOLTZMANN_EV_K 8.617333262e-5 /* eV/K, CODATA 2018 */
#define WI_GRAVITY_M_S2 9.80665

static inline double wi_k_from_c(double temp_c)
{
    return temp_c + WI_KELVIN_OFFSET;
}

static inline double wi_c_from_k(double temp_k)
{
    return temp_k - WI_KELVIN_OFFSET;
}

static inline double wi_c_from_f(double temp_f)
{
    return (temp_f - 32.0) / 1.8;
}

/*
 * Nines of a percentile: 90 -> 1, 99 -> 2, 99.9999 -> 6. The maximum (100) has no finite number of
 * nines; the model places it at WI_NINES_MAX.
 */
#define WI_NINES_MAX 7.0
double wi_nines_from_percentile(double percentile);

#endif
