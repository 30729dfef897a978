/*
 * The parts of a sweep put together, once it is certain that they are the whole: `cat` would not
 * notice a part of another N among them, one that was cut off, or one of another spec.
 */
#ifndef WI_EXPERIMENTS_SWEEP_JOIN_H
#define WI_EXPERIMENTS_SWEEP_JOIN_H

#include <stdio.h>

#include "experiments/sweep_rows.h"
#include "experiments/sweep_spec.h"

#define WI_SWEEP_PARTS_MAX 100000

/*
 * in:   format   csv or jsonl
 *       paths    (n,) files of parts, in any order; their records .NAME.resume are compared where
 *                they are
 *       out      gets the bytes of the plain run; nothing if a part does not fit
 * returns WI_OK; WI_EDATA naming the parts that overlap, miss scenarios or were begun otherwise;
 *         WI_EIO
 * cost: each file is read twice, in constant memory
 */
enum wi_status wi_sweep_join(const struct wi_sweep_spec *spec, enum wi_sweep_format format,
                             char *const *paths, size_t n, FILE *out, struct wi_err *err);

#endif
