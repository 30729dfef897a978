/* Which bytes are UTF-8: the rows and the edges of table 3-7 of Unicode 15. */
#include "unit.h"

#include "core/utf8.h"

static void lengths_follow_table_3_7(void **state)
{
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {"", 1},
        {"a", 1},
        {"\x7f", 1},
        {"\x80", 0},
        {"\xbf", 0},
        {"\xc0\x80", 0}, /* longer than needed */
        {"\xc1\xbf", 0},
        {"\xc2\x80", 2},
        {"\xdf\xbf", 2},
        {"\xc2", 0},
        {"\xc2\x41", 0},
        {"\xe0\x9f\xbf", 0}, /* longer than needed */
        {"\xe0\xa0\x80", 3},
        {"\xed\x9f\xbf", 3},
        {"\xed\xa0\x80", 0}, /* a surrogate */
        {"\xee\x80\x80", 3},
        {"\xef\xbf\xbf", 3},
        {"\xe2\x82", 0},
        {"\xf0\x8f\xbf\xbf", 0}, /* longer than needed */
        {"\xf0\x90\x80\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\xf4\x90\x80\x80", 0}, /* above U+10FFFF */
        {"\xf0\x90\x80", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xff", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(wi_utf8_length(rows[i].text), rows[i].length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_follow_table_3_7)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
