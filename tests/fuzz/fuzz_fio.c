/*
 * Fuzzer of the fio reader. Its corpus replays in tests/unit/test_import_corpus.c.
 *
 *   make fuzz && build-fuzz/fuzz_fio -max_len=20000 -timeout=5 tests/fuzz/corpus/fio
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/import_fio.h"

int fuzz_fio(const uint8_t *data, size_t size);

/* What holds for every direction that was measured. */
static void check_op(const struct wi_fio_op *op, double unit_us)
{
    if (op->n_percentiles > WI_FIO_PERCENTILES_MAX || isinf(op->bw_mbps))
        abort();
    for (size_t i = 0; i < op->n_percentiles; i++) {
        struct wi_fio_estimate e;

        if (!(op->percentiles[i].lat_us > 0.0))
            abort();
        if (i && (op->percentiles[i].percentile <= op->percentiles[i - 1].percentile ||
                  op->percentiles[i].lat_us < op->percentiles[i - 1].lat_us))
            abort();
        if (wi_fio_estimate(op, unit_us, i, 0.9, &e) &&
            !(e.low_us <= e.lat_us && e.lat_us <= e.high_us))
            abort();
    }
    for (size_t i = 1; i < op->n_bins; i++) {
        if (op->bins[i].lat_us < op->bins[i - 1].lat_us || !(op->bins[i].n_ios > 0.0))
            abort();
    }
}

int fuzz_fio(const uint8_t *data, size_t size)
{
    struct wi_fio_run run = {0};
    struct wi_err err = {0};
    char *text = malloc(size + 1);
    enum wi_status st;

    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    st = wi_fio_parse(text, size, "f", &run, &err);
    free(text);
    if (st != WI_OK) {
        if (st != WI_EDATA || !err.msg[0] || run.n_jobs || run.jobs)
            abort();
        return 0;
    }
    if (!run.n_jobs)
        abort();
    for (size_t i = 0; i < run.n_jobs; i++) {
        for (size_t k = 0; k < 3; k++)
            check_op(&run.jobs[i].ops[k], run.unit_us);
    }
    wi_fio_run_release(&run);
    return 0;
}

#ifndef FUZZ_REPLAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_fio(data, size);
}
#endif
