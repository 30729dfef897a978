/*
 * Fuzzer of sweep specs and lists: a spec, then, behind a NUL, the list of a design `list`. Its
 * corpus replays in tests/unit/test_sweep_memory.c.
 *
 *   make fuzz && build-fuzz/fuzz_sweep -max_len=2048 -timeout=5 tests/fuzz/corpus/sweep
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/sweep_spec.h"

int fuzz_sweep(const uint8_t *data, size_t size);

static void check(const struct wi_sweep_spec *spec, uint64_t index)
{
    struct wi_scenario s;
    struct wi_err err = {0};

    if (wi_sweep_scenario(spec, index, &s, &err) != WI_OK) {
        if (!*err.msg)
            abort();
        return;
    }
    if (!(s.exposure.during.temp_c >= WI_TEMP_C_MIN && s.exposure.during.temp_c <= WI_TEMP_C_MAX) ||
        !(s.exposure.before.rh_pct >= WI_RH_PCT_MIN && s.exposure.before.rh_pct <= WI_RH_PCT_MAX) ||
        s.n_percentiles < 1 || s.n_percentiles > WI_PERCENTILES_MAX)
        abort();
}

int fuzz_sweep(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    struct wi_sweep_spec *spec = NULL;
    struct wi_err err = {0};
    FILE *in;

    if (wi_sweep_parse((const char *)data, len, "s", &spec, &err) != WI_OK) {
        if (!*err.msg || spec)
            abort();
        return 0;
    }
    if (wi_sweep_is_list(spec) && nul && size - len > 1) {
        in = fmemopen((void *)(uintptr_t)(nul + 1), size - len - 1, "r");
        if (in) {
            wi_sweep_read_list(spec, in, "l", &err);
            fclose(in);
        }
    }
    for (uint64_t i = 0; i < 5 && i < wi_sweep_size(spec); i++) {
        check(spec, i);
        check(spec, wi_sweep_size(spec) - 1 - i);
    }
    wi_sweep_free(spec);
    return 0;
}

#ifndef FUZZ_REPLAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_sweep(data, size);
}
#endif
