/*
 * Fuzzer of the smartctl and nvme readers. Its corpus replays in tests/unit/test_import_corpus.c.
 *
 *   make fuzz && build-fuzz/fuzz_smart -max_len=8192 -timeout=5 tests/fuzz/corpus/smart
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/import_smart.h"

int fuzz_smart(const uint8_t *data, size_t size);

typedef enum wi_status (*smart_parse_fn)(const char *text, size_t len, const char *name,
                                         struct wi_drive_state *state, struct wi_texts *warnings,
                                         struct wi_err *err);

static void check_temp(double temp_c)
{
    if (!isnan(temp_c) && !(temp_c >= WI_DRIVE_TEMP_C_MIN && temp_c <= WI_DRIVE_TEMP_C_MAX))
        abort();
}

static void check_state(const struct wi_drive_state *s)
{
    char line[512];

    check_temp(s->temp_c);
    check_temp(s->temp_low_c);
    check_temp(s->temp_high_c);
    if (s->n_sensors > WI_DRIVE_SENSORS_MAX)
        abort();
    for (size_t i = 0; i < s->n_sensors; i++)
        check_temp(s->sensors_c[i]);
    for (size_t i = 0; i < WI_N_COUNTERS; i++) {
        if (strspn(s->counters[i].text, "0123456789") != strlen(s->counters[i].text))
            abort();
    }
    wi_drive_state_format(s, line, sizeof(line));
    if (strlen(line) >= sizeof(line))
        abort();
}

static void try_parse(smart_parse_fn parse, const char *text, size_t size)
{
    struct wi_drive_state state;
    struct wi_texts warnings = {0};
    struct wi_err err = {0};
    enum wi_status st = parse(text, size, "f", &state, &warnings, &err);

    if (st == WI_OK)
        check_state(&state);
    else if (st != WI_EDATA || !err.msg[0])
        abort();
    wi_texts_release(&warnings);
}

int fuzz_smart(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    try_parse(wi_smartctl_parse, text, size);
    try_parse(wi_nvme_parse, text, size);
    free(text);
    return 0;
}

#ifndef FUZZ_REPLAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_smart(data, size);
}
#endif
