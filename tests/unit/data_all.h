/*
 * All of data/ as compiled in, for the tests of its rows.
 */
#ifndef WI_TESTS_DATA_ALL_H
#define WI_TESTS_DATA_ALL_H

#include "data_table.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/principle.h"

#define N_PRINCIPLES_MAX 512

/* Loaded and released by the set-up of a test group. */
static struct {
    struct table exps, obs, sources, devices, contradictions, models, hotstorage;
    struct wi_principle principles[N_PRINCIPLES_MAX];
    size_t n_principles;
} data;

static int load(void **state)
{
    (void)state;
    data.exps = table_open("data/experiments.csv");
    data.obs = table_open("data/observations.csv");
    data.sources = table_open("data/sources.csv");
    data.devices = table_open("data/devices.csv");
    data.contradictions = table_open("data/contradictions.csv");
    data.models = table_open("data/models.csv");
    data.hotstorage = table_open("data/hotstorage25.csv");
    for (size_t i = 0; i < wi_n_embedded_files; i++) {
        const struct wi_embedded_file *f = &wi_embedded_files[i];
        struct wi_err err = {0};

        if (strncmp(f->path, "data/principles/", 16) != 0)
            continue;
        assert_in_range(data.n_principles, 0, N_PRINCIPLES_MAX - 1);
        if (wi_principle_parse(f->bytes, f->n_bytes, f->path, &data.principles[data.n_principles],
                               &err) != WI_OK)
            fail_msg("%s", err.msg);
        data.n_principles++;
    }
    return 0;
}

static int unload(void **state)
{
    (void)state;
    table_close(&data.exps);
    table_close(&data.obs);
    table_close(&data.sources);
    table_close(&data.devices);
    table_close(&data.contradictions);
    table_close(&data.models);
    table_close(&data.hotstorage);
    for (size_t i = 0; i < data.n_principles; i++)
        wi_principle_release(&data.principles[i]);
    return 0;
}

static inline bool is_row(const struct table *t, const char *column, const char *id)
{
    return find_row(t, column, id) < t->n_rows;
}

/* Exactly one row of the given kinds; fails if there is none or another. */
static inline size_t one_observation(const char *exp, const char *op, const char *metric,
                                     const char *percentile, const char *stat, bool bound)
{
    const struct table *t = &data.obs;
    size_t found = t->n_rows;

    for (size_t i = 0; i < t->n_rows; i++) {
        if (strcmp(cell(t, i, "experiment"), exp) != 0 || strcmp(cell(t, i, "op"), op) != 0 ||
            strcmp(cell(t, i, "metric"), metric) != 0 ||
            strcmp(cell(t, i, "percentile"), percentile) != 0 ||
            strcmp(cell(t, i, "stat"), stat) != 0 ||
            (strcmp(cell(t, i, "kind"), "bound") == 0) != bound)
            continue;
        if (found != t->n_rows)
            ROW_FAIL(t, i, "the same figure stands twice");
        found = i;
    }
    if (found == t->n_rows)
        fail_msg("%s %s %s %s %s: no observation", exp, op, metric, percentile, stat);
    return found;
}

#endif
