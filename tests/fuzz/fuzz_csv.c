/*
 * Fuzzer of the observation table. Its corpus replays in tests/unit/test_import_corpus.c.
 *
 *   make fuzz && build-fuzz/fuzz_csv -max_len=2048 -timeout=5 tests/fuzz/corpus/csv
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/experiments_io.h"

int fuzz_csv(const uint8_t *data, size_t size);

static enum wi_status check_batch(void *ctx, const struct wi_dataset *ds,
                                  const struct wi_provenance *provenance, struct wi_err *err)
{
    size_t last = 0;

    (void)ctx;
    (void)err;
    if (!ds->n_exps || (provenance && strlen(provenance[0].sha256) > 64))
        abort();
    for (size_t i = 0; i < ds->n_exps; i++) {
        const struct wi_experiment *e = &ds->exps[i];

        if (!*e->id || !(e->exposure.during.temp_c >= WI_TEMP_C_MIN) ||
            !(e->exposure.before.rh_pct <= WI_RH_PCT_MAX))
            abort();
    }
    for (size_t i = 0; i < ds->n_obs; i++) {
        const struct wi_observation *o = &ds->obs[i];

        if (o->exp >= ds->n_exps || o->exp < last || !*o->id || !(o->reading_error_pct >= 0.0))
            abort();
        if (!isnan(o->percentile) && !(o->percentile >= 1.0 && o->percentile <= 100.0))
            abort();
        if (o->kind == WI_OBS_VALUE && !(o->change_pct > -100.0))
            abort();
        last = o->exp;
    }
    return WI_OK;
}

int fuzz_csv(const uint8_t *data, size_t size)
{
    struct wi_table_reader *reader = NULL;
    struct wi_err err = {0};
    enum wi_status st;

    if (wi_table_reader_new("f", check_batch, NULL, &reader, NULL) != WI_OK)
        abort();
    st = wi_table_reader_feed(reader, (const char *)data, size, &err);
    if (st == WI_OK)
        st = wi_table_reader_finish(reader, &err);
    if (st != WI_OK && (st != WI_EDATA || !err.msg[0]))
        abort();
    wi_table_reader_free(reader);
    return 0;
}

#ifndef FUZZ_REPLAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_csv(data, size);
}
#endif
