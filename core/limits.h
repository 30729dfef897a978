/*
 * Every limit on what comes from outside, in one place.
 */
#ifndef WI_CORE_LIMITS_H
#define WI_CORE_LIMITS_H

#define WI_ID_MAX 96          /* bytes of an id, with the NUL */
#define WI_NAME_MAX 128       /* bytes of a device, vendor or interface name, with the NUL */
#define WI_TEXT_MAX 4096      /* bytes of a free text field: note, workload, locator */
#define WI_QUESTION_MAX 8192  /* bytes of a question */
#define WI_PERCENTILES_MAX 32 /* percentiles in one scenario */
#define WI_TOP_K_MAX 100      /* hits of one search */
#define WI_JSON_DEPTH_MAX 200 /* nesting of a JSON document that we read */
#define WI_JSON_BYTES_MAX (256u << 20) /* one JSON document */

/* Scenario ranges. Inside them a question is answered; the domain flag says how well. */
#define WI_TEMP_C_MIN (-60.0)
#define WI_TEMP_C_MAX 150.0
#define WI_RH_PCT_MIN 0.0
#define WI_RH_PCT_MAX 100.0
#define WI_FREQ_HZ_MIN 0.1
#define WI_FREQ_HZ_MAX 20000.0
#define WI_GRMS_MIN 0.0
#define WI_GRMS_MAX 100.0
#define WI_DUR_H_MIN 0.0
#define WI_DUR_H_MAX 876000.0 /* 100 years */
#define WI_PERCENTILE_MIN 1.0
#define WI_PERCENTILE_MAX 100.0
#define WI_CONFIDENCE_MIN 0.5
#define WI_CONFIDENCE_MAX 0.999
#define WI_PE_CYCLES_MAX 1e6
#define WI_TMT1_C_MIN 30.0 /* throttling thresholds, composite temperature */
#define WI_TMT1_C_MAX 150.0
#define WI_CAPACITY_GB_MAX 1e6

#endif
