#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sha256.h"

/* Expected digests: FIPS 180-4 examples (NIST CSRC "SHA256.pdf") and the empty message. */
static const struct {
    const char *text;
    const char *hex;
} known[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
};

static void sha256_matches_the_published_examples(void **state)
{
    char hex[WI_SHA256_HEX];

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        wi_sha256(known[i].text, strlen(known[i].text), hex);
        assert_string_equal(hex, known[i].hex);
    }
}

static void sha256_in_pieces_equals_the_whole(void **state)
{
    struct wi_sha256_state *s = NULL;
    char hex[WI_SHA256_HEX];

    (void)state;
    assert_int_equal(wi_sha256_new(&s, NULL), WI_OK);
    wi_sha256_add(s, "a", 1);
    wi_sha256_add(s, NULL, 0);
    wi_sha256_add(s, "bc", 2);
    wi_sha256_finish(s, hex);
    assert_string_equal(hex, known[1].hex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_matches_the_published_examples),
        cmocka_unit_test(sha256_in_pieces_equals_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
