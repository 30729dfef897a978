#include "unit.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llm_fixture.h"
#include "prompts/reply.h"
#include "../fuzz/fuzz_reply.c"

#define T(p)                                                                                       \
    "\"tail_latency\":{\"99\":" p ",\"99.9\":{\"change_pct\":2,\"low_pct\":1,\"high_pct\":3}}"
#define B "\"bandwidth\":{\"change_pct\":-5,\"low_pct\":-9,\"high_pct\":-1}"
#define C1 "{\"change_pct\":7,\"low_pct\":1,\"high_pct\":9}"
#define OK "{" T(C1) "," B "}"
#define ALONE(v) "{" T("{\"change_pct\":" v ",\"low_pct\":-50,\"high_pct\":50}") "," B "}"

/* p99 is NaN where the text must be refused, with a part of the reason. */
static const struct {
    const char *text;
    double p99;
    const char *why;
} shapes[] = {
    {OK, 7, ""},
    {"  \n" OK "\n", 7, ""},
    {"```json\n" OK "\n```", 7, ""},
    {"```\n" OK "\n```", 7, ""},
    {"````json\n" OK, 7, ""},
    {"Here you are: " OK, 7, ""},
    {OK " Hope this helps {smile}", 7, ""},
    {"{not json} " OK, 7, ""},
    {"{ { { " OK, 7, ""},
    {"}}}} " OK, 7, ""},
    {"{\"a\":1} " OK, 7, ""},
    {OK "{\"a\":1}", 7, ""},
    {ALONE("1") " better: " OK, 7, ""},
    {OK " draft was "
        "{\"tail_latency\":{}}",
     7, ""},
    {"<think>hm</think>" OK, 7, ""},
    {"<think>" ALONE("3") "</think>" OK, 7, ""},
    {"no opening " ALONE("3") "</think>\n\n" OK, 7, ""},
    {"<thinking>x</thinking>" OK, 7, ""},
    {"<think>never closed " OK, NAN, "no JSON object"},
    {"{\"forecast\":" OK "}", 7, ""},
    {"{\"note\":\"x\",\"answer\":" OK "}", 7, ""},
    {"[" OK "]", 7, ""},
    {"\xef\xbb\xbf" OK, 7, ""},
    {"{\"reasoning\":{}," T(C1) "," B "}", 7, ""},
    {"{\"reasoning\":[]," T(C1) "," B "}", 7, ""},
    {"{\"reasoning\":\"one text\"," T(C1) "," B "}", 7, ""},
    {"{\"reasoning\":null," T(C1) "," B "}", 7, ""},
    {"{\"reasoning\":[1,null,{\"text\":5}]," T(C1) "," B "}", 7, ""},
    {"{\"reasoning\":{\"device\":{\"text\":\"a\",\"cites\":\"E1, P2\"}}," T(C1) "," B "}", 7, ""},
    {"{" B "," T(C1) "}", 7, ""},
    {"{" T(C1) "," B ",\"extra\":[1,2,{}]}", 7, ""},
    {ALONE("-12.5"), -12.5, ""},
    {ALONE("\"-12.5\""), -12.5, ""},
    {ALONE("\"-12.5 %\""), -12.5, ""},
    {ALONE("\"+12.5%\""), 12.5, ""},
    {ALONE("\"\xe2\x88\x92"
           "12.5 %\""),
     -12.5, ""},
    {ALONE("1e1"), 10, ""},
    {ALONE("-0"), 0, ""},
    {ALONE("-99.9"), -99.9, ""},
    {ALONE("-100"), NAN, "must be above -100"},
    {ALONE("-150"), NAN, "must be above -100"},
    {ALONE("\"twelve\""), NAN, "lacks a number"},
    {ALONE("\"12 or 13\""), NAN, "lacks a number"},
    {ALONE("\"0x10\""), NAN, "lacks a number"},
    {ALONE("\"inf\""), NAN, "lacks a number"},
    {ALONE("\"nan\""), NAN, "lacks a number"},
    {ALONE("null"), NAN, "lacks a number"},
    {ALONE("true"), NAN, "lacks a number"},
    {ALONE("[7]"), NAN, "lacks a number"},
    {ALONE("1e999"), NAN, ""},
    {ALONE("NaN"), NAN, ""},
    {ALONE("+7"), NAN, ""},
    {"{" T("7") "," B "}", NAN, "no object 'tail_latency.99'"},
    {"{" T("{\"change_pct\":7}") "," B "}", NAN, "lacks a number"},
    {"{" T("{\"change\":7,\"low\":1,\"high\":9}") "," B "}", 7, ""},
    {"{" T(C1) "}", NAN, "no object 'bandwidth'"},
    {"{" B "}", NAN, "no member 'tail_latency'"},
    {"{\"tail_latency\":{\"99\":" C1 "}," B "}", NAN, "no object 'tail_latency.99.9'"},
    {"{\"tail_latency\":{\"p99\":" C1 ",\"P99.9\":" C1 "}," B "}", 7, ""},
    {"{\"tail_latency\":{\"99.0\":" C1 ",\"99.90\":" C1 "}," B "}", 7, ""},
    {"{\"tail_latency\":[{\"percentile\":99,\"change_pct\":7,\"low_pct\":1,\"high_pct\":9},"
     "{\"percentile\":\"99.9\",\"change_pct\":7,\"low_pct\":1,\"high_pct\":9}]," B "}",
     7, ""},
    {"{\"tail_latency\":[]," B "}", NAN, "no object 'tail_latency.99'"},
    {"{\"tail_latency\":null," B "}", NAN, "no object 'tail_latency.99'"},
    {"{\"tail_latency\":{\"99\":" C1 ",\"99\":" C1 ",\"99.9\":" C1 "}," B "}", NAN, ""},
    {"{" T(C1) "," B, NAN, ""},
    {"{\"reasoning\":{\"device\":{\"te", NAN, ""},
    {"", NAN, "no JSON object"},
    {"I cannot help with that.", NAN, "no JSON object"},
    {"{}", NAN, "no member 'tail_latency'"},
    {"null", NAN, "no JSON object"},
    {"{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}", NAN, "no member 'tail_latency'"},
};

static void a_forecast_is_found_in_every_shape_or_refused_with_a_reason(void **state)
{
    struct llm_fixture f;

    (void)state;
    llm_fixture_init(&f);
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        struct wi_forecast_reply r = {0};
        struct wi_err err = {0};
        enum wi_status st = wi_forecast_reply_parse(shapes[i].text, &f.scenario, &r, &err);

        if (isnan(shapes[i].p99)) {
            if (st != WI_EDATA || !strstr(err.msg, shapes[i].why))
                fail_msg("'%s': status %d, '%s'", shapes[i].text, st, err.msg);
        } else {
            if (st != WI_OK || r.tail[0].change_pct != shapes[i].p99)
                fail_msg("'%s': status %d, %g, '%s'", shapes[i].text, st, r.tail[0].change_pct,
                         err.msg);
            assert_int_equal(r.n_tail, 2);
            assert_true(r.tail[0].low_pct <= r.tail[0].change_pct);
            assert_true(r.tail[0].high_pct >= r.tail[0].change_pct);
        }
        wi_forecast_reply_release(&r);
    }
    assert_true(sizeof(shapes) / sizeof(shapes[0]) >= 60);
}

static void an_interval_the_wrong_way_round_is_mended_and_counted(void **state)
{
    static const char text[] =
        "{\"tail_latency\":{\"99\":{\"change_pct\":5,\"low_pct\":9,\"high_pct\":1},"
        "\"99.9\":{\"change_pct\":20,\"low_pct\":1,\"high_pct\":9}}," B "}";
    struct llm_fixture f;
    struct wi_forecast_reply r = {0};

    (void)state;
    llm_fixture_init(&f);
    assert_int_equal(wi_forecast_reply_parse(text, &f.scenario, &r, NULL), WI_OK);
    assert_int_equal(r.n_mended, 2);
    assert_true(r.tail[0].low_pct == 1 && r.tail[0].high_pct == 9);
    assert_true(r.tail[1].low_pct == 1 && r.tail[1].high_pct == 20);
    wi_forecast_reply_release(&r);
}

static void claims_keep_their_step_and_cites_without_control_characters(void **state)
{
    static const char text[] =
        "{\"reasoning\":{\"limits\":{\"text\":\"a\\u001b[31mb\\u202ec\\nd\",\"cites\":[\"E1\",\"["
        "P2]\"]},"
        "\"nonsense\":{\"text\":\"x\",\"cites\":\"E3;E4\"}}," T(C1) "," B "}";
    struct llm_fixture f;
    struct wi_forecast_reply r = {0};

    (void)state;
    llm_fixture_init(&f);
    assert_int_equal(wi_forecast_reply_parse(text, &f.scenario, &r, NULL), WI_OK);
    assert_int_equal(r.n_claims, 2);
    assert_int_equal(r.claims[0].step, WI_REASON_LIMITS);
    assert_string_equal(r.claims[0].text, "abc d");
    assert_string_equal(r.claims[0].cites, "E1 P2");
    assert_int_equal(r.claims[1].step, WI_REASON_EVIDENCE);
    assert_string_equal(r.claims[1].cites, "E3 E4");
    wi_forecast_reply_release(&r);
}

#define M(m) "{\"choices\":[{\"message\":{" m "},\"finish_reason\":\"stop\"}]}"

static const struct {
    const char *body;
    enum wi_status st;
    const char *content, *reasoning, *refusal;
} envelopes[] = {
    {M("\"content\":\"a\""), WI_OK, "a", "", ""},
    {M("\"content\":null"), WI_OK, "", "", ""},
    {M("\"role\":\"assistant\""), WI_OK, "", "", ""},
    {M("\"content\":\"\",\"reasoning_content\":\"r\""), WI_OK, "", "r", ""},
    {M("\"content\":null,\"reasoning\":\"r\""), WI_OK, "", "r", ""},
    {M("\"content\":null,\"reasoning_content\":null,\"reasoning\":\"r\""), WI_OK, "", "r", ""},
    {M("\"content\":null,\"refusal\":\"no\""), WI_OK, "", "", "no"},
    {M("\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"text\":\"b\"},3]"), WI_OK, "ab", "", ""},
    {M("\"tool_calls\":[{\"function\":{\"arguments\":\"{}\"}}]"), WI_OK, "{}", "", ""},
    {"{\"choices\":[{\"text\":\"old\"}]}", WI_OK, "old", "", ""},
    {"{\"choices\":[]}", WI_EDATA, NULL, NULL, NULL},
    {"{\"choices\":{}}", WI_EDATA, NULL, NULL, NULL},
    {"{}", WI_EDATA, NULL, NULL, NULL},
    {"[]", WI_EDATA, NULL, NULL, NULL},
    {"", WI_EDATA, NULL, NULL, NULL},
    {"<html>", WI_EDATA, NULL, NULL, NULL},
    {"{\"error\":\"x\"}", WI_ENET, NULL, NULL, NULL},
    {"{\"error\":{\"message\":\"x\"}}", WI_ENET, NULL, NULL, NULL},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: "
     "{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\ndata: [DONE]\n\n",
     WI_OK, "ab", "", ""},
    {": ping\n\ndata: "
     "{\"choices\":[]}\n\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n",
     WI_OK, "a", "", ""},
    {"event: x\nid: 4\ndata: {\"choices\":[{\"delta\":{\"reasoning\":\"r\"}}]}\n\n", WI_OK, "", "r",
     ""},
    {"data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n", WI_OK, "a", "", ""},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", WI_OK, "a", "", ""},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"cho", WI_OK, "a", "", ""},
    {"data: {\"cho\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", WI_EDATA, NULL,
     NULL, NULL},
    {"data: {\"error\":{\"message\":\"x\"}}\n\n", WI_ENET, NULL, NULL, NULL},
    {": nothing\n\n", WI_EDATA, NULL, NULL, NULL},
    {"data: [DONE]\n\n", WI_EDATA, NULL, NULL, NULL},
};

static void envelopes_whole_and_streamed_are_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(envelopes) / sizeof(envelopes[0]); i++) {
        struct wi_envelope e = {0};
        struct wi_err err = {0};
        enum wi_status st =
            wi_envelope_parse(envelopes[i].body, strlen(envelopes[i].body), &e, &err);

        if (st != envelopes[i].st)
            fail_msg("'%s': status %d, '%s'", envelopes[i].body, st, err.msg);
        if (st == WI_OK) {
            assert_string_equal(e.content, envelopes[i].content);
            assert_string_equal(e.reasoning, envelopes[i].reasoning);
            assert_string_equal(e.refusal, envelopes[i].refusal);
        }
        wi_envelope_release(&e);
    }
}

static void usage_and_finish_reason_come_from_where_they_stand(void **state)
{
    static const char body[] =
        "{\"model\":\"m\\u001b[0m\",\"choices\":[{\"message\":{\"content\":\"\"},"
        "\"finish_reason\":\"length\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":-1}}";
    struct wi_envelope e = {0};

    (void)state;
    assert_int_equal(wi_envelope_parse(body, strlen(body), &e, NULL), WI_OK);
    assert_string_equal(e.finish, "length");
    assert_string_equal(e.model, "m");
    assert_int_equal(e.prompt_tokens, 5);
    assert_int_equal(e.completion_tokens, -1);
    wi_envelope_release(&e);
}

/* The corpus of the fuzzer, by the fuzzer's own rules: it aborts where one is broken. */
static void the_fuzz_corpus_replays(void **state)
{
    static const char dir[] = "tests/fuzz/corpus/reply";
    DIR *d = opendir(dir);
    struct dirent *entry;
    uint8_t *bytes = malloc(1 << 20);
    size_t n = 0;

    (void)state;
    assert_non_null(d);
    while ((entry = readdir(d))) {
        char path[512];
        FILE *in;

        snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
        in = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!in)
            continue;
        assert_int_equal(LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, 1 << 20, in)), 0);
        fclose(in);
        n++;
    }
    closedir(d);
    free(bytes);
    assert_true(n >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forecast_is_found_in_every_shape_or_refused_with_a_reason),
        cmocka_unit_test(an_interval_the_wrong_way_round_is_mended_and_counted),
        cmocka_unit_test(claims_keep_their_step_and_cites_without_control_characters),
        cmocka_unit_test(envelopes_whole_and_streamed_are_read_or_refused),
        cmocka_unit_test(usage_and_finish_reason_come_from_where_they_stand),
        cmocka_unit_test(the_fuzz_corpus_replays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
