/* Every allocation of the prompt, the reply reader and a whole answer fails once. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "alloc_fail.h"
#include "llm_fixture.h"
#include "prompts/check.h"

static void a_prompt_survives_every_failing_allocation(void **state)
{
    struct llm_fixture f;
    struct wi_prompt_options opt = {.budget_tokens = 1000, .n_examples = 1};
    struct wi_prompt p = {0};
    long n = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    llm_fixture_init(&f);
    for (;; n++) {
        long live = alloc_live;
        enum wi_status st;

        alloc_fail_at(n);
        st = wi_prompt_build(&f.in, &opt, &p, NULL);
        if (!alloc_has_failed()) {
            assert_int_equal(st, WI_OK);
            break;
        }
        assert_int_not_equal(st, WI_OK);
        assert_null(p.messages);
        assert_int_equal(alloc_live, live);
    }
    wi_prompt_release(&p);
    assert_in_range(n, 50, 100000);
}

static char *completion(void)
{
    char *text = malloc(2 * strlen(llm_good_reply) + 200);
    size_t n = (size_t)snprintf(text, 100, "{\"choices\":[{\"message\":{\"content\":\"");

    for (const char *p = llm_good_reply; *p; p++) {
        if (*p == '"')
            text[n++] = '\\';
        text[n++] = *p;
    }
    snprintf(text + n, 100, "\"},\"finish_reason\":\"stop\"}]}");
    return text;
}

static void a_reply_survives_every_failing_allocation(void **state)
{
    struct llm_fixture f;
    struct wi_prompt_options opt = {.budget_tokens = 5000};
    struct wi_prompt sent = {0};
    char *body;
    long n = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    body = completion();
    llm_fixture_init(&f);
    assert_int_equal(wi_prompt_build(&f.in, &opt, &sent, NULL), WI_OK);
    for (;; n++) {
        struct wi_envelope e = {0};
        struct wi_forecast_reply r = {0};
        struct wi_check c = {0};
        long live = alloc_live;
        bool failed;
        enum wi_status st;

        alloc_fail_at(n);
        st = wi_envelope_parse(body, strlen(body), &e, NULL);
        if (st == WI_OK)
            st = wi_forecast_reply_parse(e.content, &f.scenario, &r, NULL);
        if (st == WI_OK)
            st = wi_check_reply(&f.in, &sent, &r, &c, NULL);
        failed = alloc_has_failed();
        if (failed)
            assert_int_not_equal(st, WI_OK);
        else
            assert_true(st == WI_OK && c.n_verdicts == 7 && c.n_unsupported == 0);
        wi_check_release(&c);
        wi_forecast_reply_release(&r);
        wi_envelope_release(&e);
        assert_int_equal(alloc_live, live);
        if (!failed)
            break;
    }
    wi_prompt_release(&sent);
    free(body);
    assert_in_range(n, 50, 100000);
}

/* A log that answers everything with one reply, and knows no fact. */
static enum wi_status find(struct wi_reply_log *log, const char *key, char **response, size_t *n,
                           int *status, struct wi_err *err)
{
    (void)key;
    *response = strdup(log->ctx);
    if (!*response)
        return wi_fail_nomem(err);
    *n = strlen(*response);
    *status = 200;
    return WI_OK;
}

static enum wi_status no_fact(struct wi_reply_log *log, const char *endpoint, const char *name,
                              char **value, struct wi_err *err)
{
    (void)log;
    (void)endpoint;
    (void)name;
    (void)err;
    *value = NULL;
    return WI_OK;
}

static enum wi_status set_no_fact(struct wi_reply_log *log, const char *endpoint, const char *name,
                                  const char *value, struct wi_err *err)
{
    (void)value;
    return no_fact(log, endpoint, name, &(char *){NULL}, err);
}

/* Here a failure may be got over, by another reply format; it must not leak or half-answer. */
static void a_whole_answer_survives_every_failing_allocation(void **state)
{
    char *body = NULL;
    struct wi_reply_log log = {NULL, find, NULL, no_fact, set_no_fact};
    struct wi_prompt_options opt = {0};
    struct llm_fixture f;
    long n = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    log.ctx = body = completion();
    llm_fixture_init(&f);
    for (;; n++) {
        struct wi_llm_options o;
        struct wi_llm *llm = NULL;
        struct wi_prediction p = {0};
        long live = alloc_live;
        bool failed;
        enum wi_status st;

        wi_llm_options_init(&o);
        o.base_url = "http://127.0.0.1:1";
        o.model = "m";
        o.api_key = "a-key-of-nobody";
        o.offline = true;
        o.n_samples = 2;
        o.log = &log;
        alloc_fail_at(n);
        st = wi_llm_open(&o, &llm, NULL);
        if (st == WI_OK)
            st = wi_llm_predict(llm, &f.in, &opt, &p, NULL);
        failed = alloc_has_failed();
        if (st == WI_OK) {
            assert_string_equal(p.engine, "llm");
            assert_int_equal(p.forecast.n_tail, 2);
            assert_non_null(p.llm_json);
        } else {
            assert_int_equal(p.n_reasoning, 0);
        }
        assert_true(failed || st == WI_OK);
        wi_llm_close(llm);
        wi_prediction_release(&p);
        assert_int_equal(alloc_live, live);
        if (!failed)
            break;
    }
    free(body);
    assert_in_range(n, 100, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prompt_survives_every_failing_allocation),
        cmocka_unit_test(a_reply_survives_every_failing_allocation),
        cmocka_unit_test(a_whole_answer_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
