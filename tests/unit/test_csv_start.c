/* The start of CSV files: what is refused, and which delimiter the first line tells. */
#include "unit.h"

#include "experiments/csv_start.h"

#define START(text) (text), sizeof(text) - 1

static void the_first_line_tells_the_delimiter(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        char delimiter;
        size_t n_skip;
    } rows[] = {
        {START("time,temp\n0,20\n"), ',', 0},
        {START("time;temp\n0;20,5\n"), ';', 0},
        {START("time\ttemp\n"), '\t', 0},
        {START("time|temp\n"), '|', 0},
        {START("\xef\xbb\xbftime;temp\n"), ';', 3},
        {START("\"a;b\",temp\n"), ',', 0},            /* quoted */
        {START("# a;b\n# c;d\ntime,temp\n"), ',', 0}, /* remarks */
        {START("temp\n20;5\n"), ',', 0},              /* one column */
        {START("# no end"), ',', 0},
        {START("\xef\xbb\xbf"), ',', 3},
        {START(""), ',', 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char delimiter = '\0';
        size_t n_skip = 99;

        if (wi_csv_start("f", "", rows[i].text, rows[i].n, &delimiter, &n_skip, NULL) != WI_OK)
            fail_msg("row %zu is refused", i);
        if (delimiter != rows[i].delimiter || n_skip != rows[i].n_skip)
            fail_msg("row %zu: delimiter '%c', %zu bytes skipped", i, delimiter, n_skip);
    }
}

/* A real spreadsheet and UTF-16 are full of NUL bytes; the message must name what they are. */
static void what_is_no_csv_is_called_by_its_name(void **state)
{
    static const struct {
        const char *text;
        size_t n;
        const char *message;
    } rows[] = {
        {START("PK\x03\x04\x14\0\0\0\x08\0xl/"),
         "f: this is a spreadsheet (.xlsx, .ods): save the sheet as CSV and import that; or so"},
        {START("\xff\xfet\0i\0"), "f: this is UTF-16: save it as UTF-8"},
        {START("\xfe\xff\0t\0i"), "f: this is UTF-16: save it as UTF-8"},
        {START("time\0temp\n"), "f: a NUL byte after 0 rows: this is no text file"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_err err = {0};
        char delimiter;
        size_t n_skip;

        assert_int_equal(
            wi_csv_start("f", "; or so", rows[i].text, rows[i].n, &delimiter, &n_skip, &err),
            WI_EDATA);
        assert_string_equal(err.msg, rows[i].message);
    }
}

static void a_later_nul_byte_is_refused_with_the_rows_before_it(void **state)
{
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_csv_refuse_nul("f", 7.0, START("1,2\n"), &err), WI_OK);
    assert_int_equal(wi_csv_refuse_nul("f", 7.0, START("1\0,2\n"), &err), WI_EDATA);
    assert_string_equal(err.msg, "f: a NUL byte after 7 rows: this is no text file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_tells_the_delimiter),
        cmocka_unit_test(what_is_no_csv_is_called_by_its_name),
        cmocka_unit_test(a_later_nul_byte_is_refused_with_the_rows_before_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
