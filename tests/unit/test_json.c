#include "unit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

static void documents_that_are_not_json_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "f:1:1: not valid JSON"},
        {"{\n  \"a\": }", "f:2:8: not valid JSON"},
        {"{} x", "f:1:4: text after the end of the JSON document"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "f: member 'a' stands twice in one object"},
        {"[nan]", "f:1:2: not valid JSON"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cJSON *json = NULL;
        struct wi_err err;

        assert_int_equal(wi_json_parse(rows[i].text, strlen(rows[i].text), "f", &json, &err),
                         WI_EDATA);
        assert_null(json);
        assert_string_equal(err.msg, rows[i].message);
    }
}

static void deep_nesting_is_refused_and_does_not_overflow_the_stack(void **state)
{
    static const size_t depths[] = {202, 999, 5000};

    (void)state;
    for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); d++) {
        size_t n = depths[d];
        char *text = malloc(2 * n);
        cJSON *json = NULL;

        assert_non_null(text);
        memset(text, '[', n);
        memset(text + n, ']', n);
        assert_int_equal(wi_json_parse(text, 2 * n, "f", &json, NULL), WI_EDATA);
        assert_null(json);
        free(text);
    }
}

static void a_prefix_says_where_it_ended(void **state)
{
    const char *text = "\xef\xbb\xbf{\"a\":[1,2]}\nfio: done";
    cJSON *json = NULL;
    size_t used = 0;

    (void)state;
    assert_int_equal(wi_json_parse_prefix(text, strlen(text), "f", &json, &used, NULL), WI_OK);
    assert_string_equal(text + used, "\nfio: done");
    cJSON_Delete(json);
}

static void non_finite_numbers_become_null(void **state)
{
    cJSON *json = cJSON_CreateObject();
    char *text = NULL;

    (void)state;
    assert_int_equal(wi_json_add_num(json, "a", NAN, NULL), WI_OK);
    assert_int_equal(wi_json_add_num(json, "b", INFINITY, NULL), WI_OK);
    assert_int_equal(wi_json_add_num(json, "c", -12.5, NULL), WI_OK);
    assert_int_equal(wi_json_format(json, false, &text, NULL), WI_OK);
    assert_string_equal(text, "{\"a\":null,\"b\":null,\"c\":-12.5}");
    free(text);
    cJSON_Delete(json);
}

static void only_finite_numbers_are_numbers(void **state)
{
    const char *text = "{\"a\":1e999,\"b\":\"1\",\"c\":3}";
    cJSON *json = NULL;
    double value = 7.0;

    (void)state;
    assert_int_equal(wi_json_parse(text, strlen(text), "f", &json, NULL), WI_OK);
    assert_false(wi_json_num(json, "a", &value));
    assert_false(wi_json_num(json, "b", &value));
    assert_false(wi_json_num(json, "d", &value));
    assert_true(wi_json_num(json, "c", &value));
    assert_true(value == 3.0);
    cJSON_Delete(json);
}

static void unknown_members_are_named_with_their_path(void **state)
{
    static const char *const known[] = {"temp_c", "rh_pct", NULL};
    const char *text = "{\"temp_c\":1,\"tmep\":2}";
    cJSON *json = NULL;
    struct wi_err err;

    (void)state;
    assert_int_equal(wi_json_parse(text, strlen(text), "f", &json, NULL), WI_OK);
    assert_int_equal(wi_json_only(json, "exposure.before", known, &err), WI_EDATA);
    assert_non_null(strstr(err.msg, "exposure.before.tmep: unknown member"));
    cJSON_Delete(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_that_are_not_json_are_refused_with_their_place),
        cmocka_unit_test(deep_nesting_is_refused_and_does_not_overflow_the_stack),
        cmocka_unit_test(a_prefix_says_where_it_ended),
        cmocka_unit_test(non_finite_numbers_become_null),
        cmocka_unit_test(only_finite_numbers_are_numbers),
        cmocka_unit_test(unknown_members_are_named_with_their_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
