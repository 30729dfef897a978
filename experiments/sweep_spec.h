/*
 * A sweep specification: which scenarios, in which order.
 */
#ifndef WI_EXPERIMENTS_SWEEP_SPEC_H
#define WI_EXPERIMENTS_SWEEP_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/design.h"
#include "core/scenario.h"

enum sweep_field_kind {
    SWEEP_NUMBER,
    SWEEP_NAND,
    SWEEP_OP,
    SWEEP_PHASE,
    SWEEP_AXIS,
    SWEEP_NAME,
    SWEEP_PERCENTILES
};

/* A scenario field by its name in specs and lists ("temp_c_before"). */
struct sweep_field {
    const char *name;
    enum sweep_field_kind kind;
    double min, max; /* numbers only */
    size_t offset;   /* in struct wi_scenario */
    uint32_t given;  /* WI_F_* bits that it sets */
};
const struct sweep_field *sweep_field_find(const char *name);

/* All fields in their fixed order; NULL behind the last. */
#define SWEEP_FIELDS_MAX 32
const struct sweep_field *sweep_field_at(size_t index);

/*
 * Set one field.
 * in:   number  for SWEEP_NUMBER, within min..max
 *       text    for all others
 * returns WI_OK; WI_EDATA or WI_ERANGE with what is allowed
 */
enum wi_status sweep_field_set(const struct sweep_field *f, struct wi_scenario *s, double number,
                               const char *text, struct wi_err *err);

struct wi_sweep_spec;

/*
 * in:   text, len  JSON of schema ssd-whatif/sweep/1 (tests/schema/sweep.json)
 *       name       file name, for messages
 * returns WI_OK; WI_EDATA or WI_ERANGE naming the JSON path: unknown member, step 0 or of the wrong
 *         sign, a distribution in a grid, no points
 */
enum wi_status wi_sweep_parse(const char *text, size_t len, const char *name,
                              struct wi_sweep_spec **spec, struct wi_err *err);
void wi_sweep_free(struct wi_sweep_spec *spec);

/* Number of scenarios. For design list: 0 until wi_sweep_read_list. */
uint64_t wi_sweep_size(const struct wi_sweep_spec *spec);
bool wi_sweep_is_list(const struct wi_sweep_spec *spec);

/*
 * The list of a design `list`: CSV with a header of field names, or one JSON object per line.
 * in:   in    read to its end and checked; a regular file must then stay as it is, what comes from
 *             elsewhere is copied to a temporary file
 *       name  for messages; a line that starts with '{' makes it JSON lines
 * returns WI_OK; WI_EIO; WI_EDATA or WI_ERANGE with name:line
 * cost:   8 bytes of memory per 128 rows
 */
enum wi_status wi_sweep_read_list(struct wi_sweep_spec *spec, FILE *in, const char *name,
                                  struct wi_err *err);

/* The fields that the spec or its list names: bit i for sweep_field_at(i). */
uint32_t wi_sweep_fields(const struct wi_sweep_spec *spec);

/* Digest of the spec's text, and of the list's; "-" without a list. */
const char *wi_sweep_spec_sha256(const struct wi_sweep_spec *spec);
const char *wi_sweep_list_sha256(const struct wi_sweep_spec *spec);

/* Path given as "list" in the spec; NULL if none. */
const char *wi_sweep_list_path(const struct wi_sweep_spec *spec);

/*
 * The completed scenarios first .. first + n - 1.
 * out:  out      (n,)
 *       n_done   complete ones before an error
 * returns WI_OK; WI_ERANGE for an impossible point, naming index and field; WI_EIO for a list
 * threads: safe concurrently
 */
enum wi_status wi_sweep_scenarios(const struct wi_sweep_spec *spec, uint64_t first, size_t n,
                                  struct wi_scenario *out, size_t *n_done, struct wi_err *err);

enum wi_status wi_sweep_scenario(const struct wi_sweep_spec *spec, uint64_t index,
                                 struct wi_scenario *out, struct wi_err *err);

/* Factors, for summaries. A factor moves a scenario field over levels or a distribution. */
size_t wi_sweep_n_factors(const struct wi_sweep_spec *spec);
const char *wi_sweep_factor_name(const struct wi_sweep_spec *spec, size_t factor);
/* Number of levels; 0 = continuous. */
uint64_t wi_sweep_factor_levels(const struct wi_sweep_spec *spec, size_t factor);
/*
 * The scenario at a point of the unit cube, whatever the design: levels are equally likely parts of
 * their axis, ranges and distributions follow their quantile function.
 * in:   point   (n_factors,) in [0, 1)
 */
enum wi_status wi_sweep_scenario_at(const struct wi_sweep_spec *spec, const double *point,
                                    struct wi_scenario *out, struct wi_err *err);
/* The same with one numeric factor set to a value of its field. */
enum wi_status wi_sweep_scenario_value(const struct wi_sweep_spec *spec, const double *point,
                                       size_t factor, double value, struct wi_scenario *out,
                                       struct wi_err *err);
/* First and last value of a numeric factor; false for a factor of names. */
bool wi_sweep_factor_range(const struct wi_sweep_spec *spec, size_t factor, double *from,
                           double *to);
uint64_t wi_sweep_seed(const struct wi_sweep_spec *spec);
/* Text of factor's value at u in [0, 1), for reports: "60", "tlc". */
void wi_sweep_factor_format(const struct wi_sweep_spec *spec, size_t factor, double u, char *buf,
                            size_t size);

#endif
