/*
 * Inside of a sweep's spec, shared by experiments/sweep_*.c.
 */
#ifndef WI_EXPERIMENTS_SWEEP_PARTS_H
#define WI_EXPERIMENTS_SWEEP_PARTS_H

#include "core/sha256.h"
#include "experiments/sweep_spec.h"

struct cJSON;

enum sweep_factor_kind {
    SWEEP_LEVELS,  /* listed values */
    SWEEP_RANGE,   /* from, from + step, ... */
    SWEEP_UNIFORM, /* between from and to */
    SWEEP_NORMAL   /* truncated to from..to */
};

struct sweep_level {
    double number;
    char *text;
};

struct sweep_factor {
    const struct sweep_field *field;
    enum sweep_factor_kind kind;
    struct sweep_level *levels; /* SWEEP_LEVELS */
    uint64_t n_levels;          /* levels and ranges */
    double from, to, step;
    double mean, sd; /* SWEEP_NORMAL */
};

struct sweep_list;

struct wi_sweep_spec {
    struct wi_scenario base; /* not completed */
    struct sweep_factor factors[WI_DESIGN_FACTORS_MAX];
    struct wi_design design;
    bool is_list;
    char *list_path;
    struct sweep_list *list; /* NULL until it was read */
    char spec_sha256[WI_SHA256_HEX];
    uint32_t fields; /* named by base, factors or list */
};

/* The bit of a field in wi_sweep_fields. */
uint32_t sweep_field_bit(const struct sweep_field *f);

/* A number of a field is finite and within its range; path for the message. */
enum wi_status sweep_check_number(const struct sweep_field *f, double number, const char *path,
                                  struct wi_err *err);

/*
 * Read one JSON value for a field.
 * in:   buf   room for the text of a list of percentiles
 * out:  number, text   as sweep_field_set takes them; text points into buf or item
 */
enum wi_status sweep_read_value(const struct sweep_field *f, const struct cJSON *item,
                                const char *path, char *buf, size_t size, double *number,
                                const char **text, struct wi_err *err);

/* sweep_field_set with the path in the message. */
enum wi_status sweep_apply(const struct sweep_field *f, struct wi_scenario *s, double number,
                           const char *text, const char *path, struct wi_err *err);

/* Set the field that a JSON member names. in: where  path of its object, or file:line */
enum wi_status sweep_apply_json(const struct cJSON *item, const char *where, struct wi_scenario *s,
                                struct wi_err *err);

/* --- sweep_factor.c: one member of "factors" --- */

enum wi_status sweep_factor_read(const struct cJSON *item, struct sweep_factor *factor,
                                 struct wi_err *err);
void sweep_factor_release(struct sweep_factor *factor);
bool sweep_factor_has_levels(const struct sweep_factor *f);
enum wi_status sweep_factor_set_level(const struct sweep_factor *f, uint64_t level,
                                      struct wi_scenario *s, struct wi_err *err);
/* At u in [0, 1): of the levels' equal parts, or of the quantile function. */
enum wi_status sweep_factor_set_at(const struct sweep_factor *f, double u, struct wi_scenario *s,
                                   struct wi_err *err);

/* --- sweep_list.c: a file of scenarios --- */

uint64_t sweep_list_size(const struct sweep_list *list);
const char *sweep_list_sha256(const struct sweep_list *list);
enum wi_status sweep_list_read(const struct wi_sweep_spec *spec, uint64_t first, size_t n,
                               struct wi_scenario *out, struct wi_err *err);
void sweep_list_free(struct sweep_list *list);

#endif
