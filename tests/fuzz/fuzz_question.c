/*
 * Fuzzer of the question reader. Its corpus replays in tests/unit/test_question_corpus.c.
 *
 *   make fuzz
 *   build-fuzz/fuzz_question -max_len=8192 -timeout=5 tests/fuzz/corpus/question
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/question.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What holds for every answer, whatever was asked. */
static void check_scenario(const struct wi_scenario *s)
{
    struct wi_scenario again = *s;
    const struct wi_exposure *x = &s->exposure;

    if (!(x->during.temp_c >= WI_TEMP_C_MIN && x->during.temp_c <= WI_TEMP_C_MAX) ||
        !(x->before.rh_pct >= WI_RH_PCT_MIN && x->before.rh_pct <= WI_RH_PCT_MAX) ||
        s->n_percentiles == 0)
        abort();
    if (s->given & s->assumed)
        abort();
    if (wi_scenario_complete(&again, NULL) != WI_OK || again.assumed != s->assumed)
        abort();
}

static void parse(const char *text, const struct wi_scenario *base)
{
    struct wi_reading r;
    struct wi_err err = {0};
    enum wi_status st = wi_question_parse(text, base, &r, &err);

    if (st != WI_OK) {
        if ((st != WI_EDATA && st != WI_ERANGE) || !err.msg[0] || r.n_scenarios)
            abort();
        return;
    }
    if (r.n_scenarios < 1 || r.n_scenarios > WI_READING_SCENARIOS_MAX)
        abort();
    for (size_t i = 0; i < r.n_scenarios; i++)
        check_scenario(&r.scenarios[i]);
    wi_reading_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wi_scenario base;
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    wi_scenario_init(&base);
    if (wi_scenario_parse_temp(&base, "25:60", NULL) == WI_OK)
        parse(text, &base);
    parse(text, NULL);
    free(text);
    return 0;
}
