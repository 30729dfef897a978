#include "core/sha256.h"

#include <stdint.h>
#include <stdlib.h>

#include <nettle/sha2.h>

struct wi_sha256_state {
    struct sha256_ctx ctx;
};

static void finish(struct sha256_ctx *ctx, char hex[WI_SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t raw[SHA256_DIGEST_SIZE];

    sha256_digest(ctx, sizeof(raw), raw);
    for (size_t i = 0; i < sizeof(raw); i++) {
        hex[2 * i] = digits[raw[i] >> 4];
        hex[2 * i + 1] = digits[raw[i] & 15];
    }
    hex[2 * sizeof(raw)] = '\0';
}

void wi_sha256(const void *bytes, size_t n, char hex[WI_SHA256_HEX])
{
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    if (n > 0)
        sha256_update(&ctx, n, bytes);
    finish(&ctx, hex);
}

enum wi_status wi_sha256_new(struct wi_sha256_state **state, struct wi_err *err)
{
    struct wi_sha256_state *s = malloc(sizeof(*s));

    if (!s)
        return wi_fail_nomem(err);
    sha256_init(&s->ctx);
    *state = s;
    return WI_OK;
}

void wi_sha256_add(struct wi_sha256_state *state, const void *bytes, size_t n)
{
    if (n > 0)
        sha256_update(&state->ctx, n, bytes);
}

void wi_sha256_finish(struct wi_sha256_state *state, char hex[WI_SHA256_HEX])
{
    finish(&state->ctx, hex);
    free(state);
}
