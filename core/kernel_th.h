/*
 * What the weight-space form needs to know of the temperature and humidity kernel: that it is
 * linear in these terms, and the coordinates that they are made of.
 */
#ifndef WI_CORE_KERNEL_TH_H
#define WI_CORE_KERNEL_TH_H

#include "core/kernel.h"

/* Rows of wi_kernel_th.geometry. The covariance is linear in the first seven. */
enum wi_th_term {
    WI_TH_T_LIN, /* product of the differences of u_temp, end minus start */
    WI_TH_T_RBF, /* Gaussian of length WI_TH_T_LEN_C, differenced at both ends */
    WI_TH_H_LIN,
    WI_TH_H_RBF,
    WI_TH_T_EXC, /* excursion that has ended, by wi_th_excursion */
    WI_TH_H_EXC,
    WI_TH_STEP,   /* same step: product of the sizes */
    WI_TH_BEYOND, /* drive, workload, duration: a factor of all */
    WI_TH_N_TERMS
};

#define WI_TH_T_LEN_C 30.0
#define WI_TH_H_LEN_PCT 30.0

double wi_th_u_temp(double temp_c); /* 0 at 22.5 C, 1 at 60 C, linear in 1/T */
double wi_th_u_rh(double rh_pct);
double wi_th_end_temp_c(const struct wi_row *r); /* during; after an exposure, the after step */
double wi_th_end_rh_pct(const struct wi_row *r);
double wi_th_exc_temp(const struct wi_row *r); /* during minus after, 0 while it lasts */
double wi_th_exc_rh(const struct wi_row *r);
double wi_th_excursion(double a, double b);
double wi_th_size(const struct wi_row *r); /* of the exposure */

#endif
