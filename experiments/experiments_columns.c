#include "experiments/experiments_columns.h"

#include <string.h>

#define PROVENANCE(name, member)                                                                   \
    {                                                                                              \
        name, WI_COL_TEXT, offsetof(struct wi_provenance, member),                                 \
            sizeof(((struct wi_provenance *)0)->member), false                                     \
    }

static const struct wi_column provenance_columns[] = {
    PROVENANCE("file", file), PROVENANCE("sha256", sha256), PROVENANCE("tool", tool),
    PROVENANCE("imported_at", imported_at), PROVENANCE("import_options", options)};

static const struct {
    const char *name;
    double min, max;
} ranges[] = {{"capacity_gb", 0, WI_CAPACITY_GB_MAX},
              {"pe_cycles", 0, WI_PE_CYCLES_MAX},
              {"before_temp_c", WI_TEMP_C_MIN, WI_TEMP_C_MAX},
              {"during_temp_c", WI_TEMP_C_MIN, WI_TEMP_C_MAX},
              {"after_temp_c", WI_TEMP_C_MIN, WI_TEMP_C_MAX},
              {"temp_low_c", WI_TEMP_C_MIN, WI_TEMP_C_MAX},
              {"temp_high_c", WI_TEMP_C_MIN, WI_TEMP_C_MAX},
              {"before_rh_pct", WI_RH_PCT_MIN, WI_RH_PCT_MAX},
              {"during_rh_pct", WI_RH_PCT_MIN, WI_RH_PCT_MAX},
              {"after_rh_pct", WI_RH_PCT_MIN, WI_RH_PCT_MAX},
              {"rh_low_pct", WI_RH_PCT_MIN, WI_RH_PCT_MAX},
              {"rh_high_pct", WI_RH_PCT_MIN, WI_RH_PCT_MAX},
              {"before_vib_freq_hz", WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX},
              {"during_vib_freq_hz", WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX},
              {"after_vib_freq_hz", WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX},
              {"before_vib_grms", WI_GRMS_MIN, WI_GRMS_MAX},
              {"during_vib_grms", WI_GRMS_MIN, WI_GRMS_MAX},
              {"after_vib_grms", WI_GRMS_MIN, WI_GRMS_MAX},
              {"during_h", WI_DUR_H_MIN, WI_DUR_H_MAX},
              {"percentile", WI_PERCENTILE_MIN, WI_PERCENTILE_MAX},
              {"change_pct", -99.999999, 1e6},
              {"low_pct", -100, 1e6},
              {"high_pct", -100, 1e6},
              {"reading_error_pct", 0, 1e6},
              {"base_value", 1e-9, 1e12},
              {"value", 1e-9, 1e12},
              {"n_samples", 0, 1e18}};

/* Both rows have an id and a note; in one table they need two names. */
static const char *name_in_table(enum wi_table_part part, const char *name)
{
    if (part == WI_PART_EXPERIMENT && strcmp(name, "id") == 0)
        return "experiment";
    if (part == WI_PART_EXPERIMENT && strcmp(name, "note") == 0)
        return "note_experiment";
    return name;
}

static size_t add_columns(struct wi_table_column *out, size_t n, enum wi_table_part part,
                          const struct wi_column *list, size_t n_list)
{
    for (size_t i = 0; i < n_list; i++) {
        if (!list[i].stored_only)
            out[n++] = (struct wi_table_column){part, &list[i], name_in_table(part, list[i].name)};
    }
    return n;
}

size_t wi_table_columns(struct wi_table_column *out)
{
    size_t n = add_columns(out, 0, WI_PART_EXPERIMENT, wi_table_experiments.columns,
                           wi_table_experiments.n_columns);

    n = add_columns(out, n, WI_PART_OBSERVATION, wi_table_observations.columns,
                    wi_table_observations.n_columns);
    return add_columns(out, n, WI_PART_PROVENANCE, provenance_columns,
                       sizeof(provenance_columns) / sizeof(provenance_columns[0]));
}

bool wi_table_range(const char *name, double *min, double *max)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (strcmp(ranges[i].name, name) == 0) {
            *min = ranges[i].min;
            *max = ranges[i].max;
            return true;
        }
    }
    return false;
}
