#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"

struct seen {
    char text[512];
    size_t n_rows;
};

static enum wi_status collect(void *ctx, size_t line, char *const *fields, size_t n,
                              struct wi_err *err)
{
    struct seen *seen = ctx;
    size_t used = strlen(seen->text);

    (void)err;
    used += (size_t)snprintf(seen->text + used, sizeof(seen->text) - used, "%zu", line);
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(seen->text + used, sizeof(seen->text) - used, "|%s", fields[i]);
    snprintf(seen->text + used, sizeof(seen->text) - used, ";");
    seen->n_rows++;
    return WI_OK;
}

static void rows_come_with_the_line_they_start_on(void **state)
{
    static const struct {
        const char *text, *rows;
        char delimiter;
    } table[] = {
        {"a,b\n1,2\n", "1|a|b;2|1|2;", 0},
        {"a,b\r\n1,2", "1|a|b;2|1|2;", 0},
        {"a;b,c\n", "1|a|b,c;", ';'},
        {"\"x\ny\",2\nz,3\n", "1|x\ny|2;3|z|3;", 0},
        {"\"he said \"\"no\"\"\",\n", "1|he said \"no\"|;", 0},
        {"\n\na\n", "3|a;", 0},
        {"", "", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct wi_csv_options opt = {.delimiter = table[i].delimiter};
        struct seen seen = {{0}, 0};

        assert_int_equal(
            wi_csv_parse("f", table[i].text, strlen(table[i].text), &opt, collect, &seen, NULL),
            WI_OK);
        assert_string_equal(seen.text, table[i].rows);
    }
}

static void feeding_byte_by_byte_gives_the_same_rows(void **state)
{
    const char *text = "a,\"b\nb\"\n1,2\n3,4";
    struct seen seen = {{0}, 0};
    struct wi_csv *csv = NULL;

    (void)state;
    assert_int_equal(wi_csv_new("f", NULL, collect, &seen, &csv, NULL), WI_OK);
    for (size_t i = 0; i < strlen(text); i++)
        assert_int_equal(wi_csv_feed(csv, text + i, 1, NULL), WI_OK);
    assert_int_equal(wi_csv_finish(csv, NULL), WI_OK);
    wi_csv_free(csv);
    assert_string_equal(seen.text, "1|a|b\nb;3|1|2;4|3|4;");
}

static enum wi_status collect_fields(void *ctx, size_t line, char *const *fields, size_t n,
                                     struct wi_err *err)
{
    (void)line;
    return collect(ctx, 0, fields, n, err);
}

/* Fed byte by byte no line is ever whole, so libcsv reads all of it: the two must agree. */
static void whole_lines_read_as_libcsv_reads_them(void **state)
{
    static const char alphabet[] = "aab \t,,;\n\n\r\"0";
    uint32_t random = 1;

    (void)state;
    for (int round = 0; round < 30000; round++) {
        struct wi_csv_options opt = {.delimiter = round % 3 == 0 ? ';' : round % 3 == 1 ? '\t' : 0};
        struct seen whole = {{0}, 0};
        struct seen bytes = {{0}, 0};
        struct wi_csv *csv = NULL;
        char text[24];
        size_t n = 0;
        enum wi_status st;

        while (n < sizeof(text)) {
            random = random * 1664525u + 1013904223u;
            text[n++] = alphabet[(random >> 16) % (sizeof(alphabet) - 1)];
        }
        st = wi_csv_parse("f", text, n, &opt, collect_fields, &whole, NULL);
        assert_int_equal(wi_csv_new("f", &opt, collect_fields, &bytes, &csv, NULL), WI_OK);
        for (size_t i = 0; i < n; i++)
            (void)wi_csv_feed(csv, text + i, 1, NULL);
        assert_int_equal(wi_csv_finish(csv, NULL), st);
        wi_csv_free(csv);
        if (st == WI_OK && strcmp(whole.text, bytes.text) != 0)
            fail_msg("'%.24s': '%s', libcsv '%s'", text, whole.text, bytes.text);
    }
}

static void a_missing_quote_is_an_error_with_its_line(void **state)
{
    struct seen seen = {{0}, 0};
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_csv_parse("f", "a,b\n\"x,y\n", 9, NULL, collect, &seen, &err), WI_EDATA);
    assert_string_equal(err.msg, "f:2: stray or missing double quote");
}

/* Over lines, too: a quotation mark that nobody closed must not take the memory of the file. */
static void a_field_that_does_not_end_is_refused_at_the_limit(void **state)
{
    static const struct {
        const char *start, *piece;
    } rows[] = {{"a,\"", "x\n"}, {"a,\"", "x"}, {"a,", "xyz"}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_csv_options opt = {.row_max = 1000};
        struct seen seen = {{0}, 0};
        struct wi_csv *csv = NULL;
        struct wi_err err = {0};
        size_t n_fed = 0;
        enum wi_status st;

        assert_int_equal(wi_csv_new("f", &opt, collect, &seen, &csv, NULL), WI_OK);
        st = wi_csv_feed(csv, rows[i].start, strlen(rows[i].start), &err);
        for (; st == WI_OK && n_fed < 1000000; n_fed += strlen(rows[i].piece))
            st = wi_csv_feed(csv, rows[i].piece, strlen(rows[i].piece), &err);
        wi_csv_free(csv);
        assert_int_equal(st, WI_EDATA);
        assert_string_equal(err.msg, "f:1: row longer than 1000 bytes");
        assert_true(n_fed < 400000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_that_does_not_end_is_refused_at_the_limit),
        cmocka_unit_test(rows_come_with_the_line_they_start_on),
        cmocka_unit_test(feeding_byte_by_byte_gives_the_same_rows),
        cmocka_unit_test(whole_lines_read_as_libcsv_reads_them),
        cmocka_unit_test(a_missing_quote_is_an_error_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
