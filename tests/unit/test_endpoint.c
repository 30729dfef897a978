#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm_fixture.h"
#include "prompts/http.h"
#include "prompts/retry.h"
#include "prompts/url.h"

/* RFC 9110, 10.2.3 and 5.6.7, whose own example date is the first; now = one minute before it. */
static void retry_after_is_read_in_every_form(void **state)
{
    static const struct {
        const char *value, *ms;
        double s;
    } rows[] = {
        {"120", "", 120},
        {"0", "", 0},
        {"1.5", "", 1.5},
        {"800ms", "", 0.8},
        {"800 ms", "", 0.8},
        {"3s", "", 3},
        {"120", "40", 0.04},
        {"", "40", 0.04},
        {"Sun, 06 Nov 1994 08:49:37 GMT", "", 60},
        {"Sun, 06 Nov 1994 08:48:00 GMT", "", 0},
        {"Sun, 06 Xov 1994 08:49:37 GMT", "", -1},
        {"Sun, 06 Nov 1994 08:49:37 CET", "", -1},
        {"-5", "", -1},
        {"soon", "", -1},
        {"", "", -1},
        {"nan", "", -1},
        {"1e999", "", -1},
        {"5 apples", "", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        double s = wi_retry_after_s(rows[i].value, rows[i].ms, 784111777 - 60);

        if (fabs(s - rows[i].s) > 1e-9)
            fail_msg("'%s' '%s': %g", rows[i].value, rows[i].ms, s);
    }
}

static void only_passing_troubles_are_worth_another_try(void **state)
{
    static const int yes[] = {408, 409, 429, 500, 502, 503, 504, 529, 599};
    static const int no[] = {0, 200, 301, 400, 401, 402, 403, 404, 405, 413, 422, 600};

    (void)state;
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
        assert_true(wi_retry_is_worth(yes[i], false));
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
        assert_false(wi_retry_is_worth(no[i], false));
    assert_true(wi_retry_is_worth(0, true));
}

static void waits_double_with_jitter_up_to_the_cap(void **state)
{
    const struct wi_retry r = {.n_max = 9, .base_s = 0.5, .cap_s = 3};

    (void)state;
    assert_true(wi_retry_backoff_s(&r, 1, 0.0) == 0.25);
    assert_true(wi_retry_backoff_s(&r, 1, 0.5) == 0.375);
    assert_true(wi_retry_backoff_s(&r, 3, 0.0) == 1.0);
    assert_true(wi_retry_backoff_s(&r, 60, 0.999) <= 3.0);
}

static void urls_are_taken_apart_or_refused(void **state)
{
    static const struct {
        const char *text, *normal; /* NULL = refused */
        bool loopback;
    } rows[] = {
        {"http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1", true},
        {"HTTP://LocalHost/", "http://localhost", true},
        {"http://127.9.9.9", "http://127.9.9.9", true},
        {"http://[::1]:80/v1/", "http://[::1]/v1", true},
        {"http://[::1", NULL, false},
        {"https://api.example.org/v1", "https://api.example.org/v1", false},
        {"https://api.example.org:443/v1//", "https://api.example.org/v1", false},
        {"http://127.0.0.1.evil.org/v1", "http://127.0.0.1.evil.org/v1", false},
        {"http://localhost.evil.org", "http://localhost.evil.org", false},
        {"http://0.0.0.0", "http://0.0.0.0", false},
        {"http://2130706433", "http://2130706433", false},
        {"http://evil.org\\@127.0.0.1/", NULL, false},
        {"http://127.0.0.1@evil.org/", NULL, false},
        {"http://evil.org#@127.0.0.1/", NULL, false},
        {"http://127.0.0.1 .evil.org/", NULL, false},
        {"http://127.0.0.1%00.evil.org/", NULL, false},
        {"http://host/a b", NULL, false},
        {"http://host/v1?key=1", NULL, false},
        {"http://host/v1#x", NULL, false},
        {"http://host:port/", NULL, false},
        {"http://host:70000/", NULL, false},
        {"http://host:-1/", NULL, false},
        {"http://host:8 0/", NULL, false},
        {"http://", NULL, false},
        {"//host/v1", NULL, false},
        {"file:///etc/passwd", NULL, false},
        {"", NULL, false},
        {"h\xc3\xb6st", NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct wi_url url;
        struct wi_err err = {0};
        enum wi_status st = wi_url_parse(rows[i].text, "the base URL", &url, &err);

        if ((st == WI_OK) != (rows[i].normal != NULL) ||
            (st == WI_OK && (strcmp(url.text, rows[i].normal) != 0 ||
                             wi_url_is_loopback(&url) != rows[i].loopback)))
            fail_msg("'%s': %s", rows[i].text, st == WI_OK ? url.text : err.msg);
    }
}

static void a_refused_url_does_not_show_its_credentials(void **state)
{
    struct wi_url url;
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_url_parse("https://me:secret@host/v1", "the base URL", &url, &err),
                     WI_ENET);
    assert_null(strstr(err.msg, "secret"));
    assert_int_equal(wi_url_parse("me:secret@host/v1", "the base URL", &url, &err), WI_ENET);
    assert_null(strstr(err.msg, "host"));
}

static void an_engine_without_endpoint_model_or_range_is_not_opened(void **state)
{
    struct wi_llm_options o;
    struct wi_llm *llm = NULL;
    struct wi_err err = {0};

    (void)state;
    wi_llm_options_init(&o);
    assert_int_equal(wi_llm_open(&o, &llm, &err), WI_ENET);
    o.model = "m";
    assert_int_equal(wi_llm_open(&o, &llm, &err), WI_ENET);
    assert_non_null(strstr(err.msg, "OPENAI_BASE_URL"));
    o.base_url = "http://127.0.0.1:1";
    o.n_samples = WI_LLM_SAMPLES_MAX + 1;
    assert_int_equal(wi_llm_open(&o, &llm, &err), WI_ERANGE);
    o.n_samples = 1;
    o.temperature = 2.5;
    assert_int_equal(wi_llm_open(&o, &llm, &err), WI_ERANGE);
    o.temperature = 1;
    o.api_key = "a\r\nX: y";
    assert_int_equal(wi_llm_open(&o, &llm, &err), WI_ENET);
    assert_null(strstr(err.msg, "X: y"));
    o.api_key = NULL;
    assert_int_equal(wi_llm_open(&o, &llm, &err), WI_OK);
    wi_llm_close(llm);
    wi_llm_close(NULL);
    assert_null(strstr(err.msg, "secret"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(retry_after_is_read_in_every_form),
        cmocka_unit_test(only_passing_troubles_are_worth_another_try),
        cmocka_unit_test(waits_double_with_jitter_up_to_the_cap),
        cmocka_unit_test(urls_are_taken_apart_or_refused),
        cmocka_unit_test(a_refused_url_does_not_show_its_credentials),
        cmocka_unit_test(an_engine_without_endpoint_model_or_range_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
