/*
 * The command `physics`: what was asked, and how results are tabulated, listed and plotted.
 */
#ifndef WI_CLI_PHYSICS_TABLE_H
#define WI_CLI_PHYSICS_TABLE_H

#include "core/physics.h"

#define PHYSICS_ROWS_MAX 100000

/* One parameter as asked: a single value, or from:to:step. */
struct physics_axis {
    const struct wi_physics_param *param;
    double from, step;
    size_t n; /* 1 for a single value */
    bool given;
};

struct physics_ask {
    const struct wi_physics_model *model;
    struct physics_axis axes[WI_PHYS_PARAMS_MAX];
    size_t first_output, n_outputs; /* which ones to show */
};

/* All rows, computed: row r has its inputs and its result. */
struct physics_row {
    double in[WI_PHYS_PARAMS_MAX];
    struct wi_physics_result res;
};
struct physics_table {
    const struct physics_ask *ask;
    struct physics_row *rows;
    size_t n;
    struct wi_physics_notes notes; /* of all rows, each once */
    bool has_band;
};

enum wi_status physics_table_fill(const struct physics_ask *ask, struct physics_table *table,
                                  struct wi_err *err);
void physics_table_release(struct physics_table *table);

/* Each prints on stdout in the format of --format and returns the exit code. */
int physics_table_print(const struct physics_table *table);
int physics_list_print(void);

/* "57.25", six significant digits; the name for a choice. `buf` holds 32 bytes. */
const char *physics_format_value(const struct wi_physics_param *p, double v, char *buf);

/*
 * Plot the first of the chosen outputs over the one range by gnuplot.
 * in:   file  PNG to write, "-" = characters on stdout
 * returns the exit code
 */
int physics_plot(const struct physics_table *table, const char *file);

#endif
