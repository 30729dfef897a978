/*
 * Short names for the rows of a physics model: what every phys_*.c writes its tables with.
 */
#ifndef WI_CORE_PHYS_ROWS_H
#define WI_CORE_PHYS_ROWS_H

#include <math.h>

#define WI_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Accepted temperatures, and no limit of validity. */
#define WI_ANY_TEMP WI_TEMP_C_MIN, WI_TEMP_C_MAX
#define WI_NO_CHOICE NULL, NULL, 0
#define WI_FIGURES(table) NULL, table, WI_COUNT(table)

#endif
