/*
 * Fuzzer of the reply reader: envelope, stream, forecast, checks, cleaners. Its corpus replays in
 * tests/unit/test_reply.c. The first byte chooses what the rest is taken for.
 *
 *   make fuzz && build-fuzz/fuzz_reply -max_len=4096 -timeout=5 tests/fuzz/corpus/reply
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prompts/buf.h"
#include "prompts/check.h"
#include "prompts/numbers.h"
#include "prompts/quote.h"
#include "prompts/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void try_forecast(const char *text, const struct wi_scenario *s)
{
    struct wi_forecast_reply r = {0};

    if (wi_forecast_reply_parse(text, s, &r, NULL) == WI_OK) {
        struct wi_prompt sent = {0};
        struct wi_prompt_input in = {.scenario = s};
        struct wi_check c = {0};

        for (size_t i = 0; i < r.n_tail; i++) {
            if (!(r.tail[i].change_pct > -100.0) || !isfinite(r.tail[i].change_pct) ||
                r.tail[i].low_pct > r.tail[i].change_pct ||
                r.tail[i].high_pct < r.tail[i].change_pct)
                abort();
        }
        if (wi_check_reply(&in, &sent, &r, &c, NULL) == WI_OK && c.n_verdicts != r.n_claims)
            abort();
        wi_check_release(&c);
    }
    wi_forecast_reply_release(&r);
}

/* What comes out of the cleaners holds no control character and no delimiter. */
static void try_quote(const char *text)
{
    struct wi_buf b = {0};
    struct wi_number numbers[16];

    wi_quote(&b, text, 200);
    for (size_t i = 1; b.text && i + 1 < b.n; i++) {
        if ((unsigned char)b.text[i] < 0x20 || strchr("\"[]{}\x7f", b.text[i]))
            abort();
    }
    wi_buf_cut(&b, 0);
    wi_clean(&b, text, strlen(text), 200);
    for (size_t i = 0; i < b.n; i++) {
        if ((unsigned char)b.text[i] < 0x20)
            abort();
    }
    wi_buf_release(&b);
    wi_numbers_find(text, numbers, 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const double percentiles[] = {99, 99.9};
    struct wi_scenario s;
    struct wi_envelope e = {0};
    char *text;

    if (n == 0 || n > 65536)
        return 0;
    wi_scenario_init(&s);
    wi_scenario_set_percentiles(&s, percentiles, 2, NULL);
    if (wi_scenario_complete(&s, NULL) != WI_OK)
        return 0;
    text = malloc(n);
    if (!text)
        return 0;
    memcpy(text, data + 1, n - 1);
    text[n - 1] = '\0';
    switch (data[0] % 3) {
    case 0:
        if (wi_envelope_parse(text, n - 1, &e, NULL) == WI_OK)
            try_forecast(e.content, &s);
        wi_envelope_release(&e);
        break;
    case 1:
        try_forecast(text, &s);
        break;
    default:
        try_quote(text);
    }
    free(text);
    return 0;
}
