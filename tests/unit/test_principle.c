#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "alloc_fail.h"
#include "core/embedded.h"
#include "core/principle.h"

#define GOOD                                                                                       \
    "{\"id\":\"my-fan\",\"title\":\"Fans help\",\"statement\":\"A fan cools.\","                   \
    "\"latency_effect\":\"less tail\",\"bandwidth_effect\":\"more\",\"equation\":\"\","            \
    "\"validity\":\"my rack\",\"stressors\":[\"temperature\",\"time\"],\"nand\":[\"any\"],"        \
    "\"sources\":[{\"id\":\"OWN-1\",\"confidence\":\"measured\"}],"                                \
    "\"contradicted_by\":[\"contradiction-09\",\"DATE22-2-TLC\"]}"

static void every_member_is_read(void **state)
{
    struct wi_principle p = {0};
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_principle_parse(GOOD, strlen(GOOD), "f", &p, &err), WI_OK);
    assert_string_equal(p.id, "my-fan");
    assert_string_equal(p.title, "Fans help");
    assert_string_equal(p.statement, "A fan cools.");
    assert_string_equal(p.latency_effect, "less tail");
    assert_string_equal(p.bandwidth_effect, "more");
    assert_string_equal(p.equation, "");
    assert_string_equal(p.validity, "my rack");
    assert_string_equal(p.stressors, "temperature time");
    assert_string_equal(p.nand, "any");
    assert_int_equal(p.n_sources, 1);
    assert_string_equal(p.sources[0].id, "OWN-1");
    assert_int_equal(p.sources[0].confidence, WI_CONF_MEASURED);
    assert_int_equal(p.n_contradicted_by, 2);
    assert_string_equal(p.contradicted_by[1], "DATE22-2-TLC");
    assert_false(p.embedded);
    wi_principle_release(&p);
    wi_principle_release(&p); /* a released one may be released again */
    wi_principle_release(NULL);
}

/* GOOD with the first `old` replaced; "" removes it. */
static char *vary(const char *old, const char *new_text)
{
    const char *at = strstr(GOOD, old);
    size_t before = (size_t)(at - GOOD);
    char *out = malloc(strlen(GOOD) + strlen(new_text) + 1);

    assert_non_null(at);
    assert_non_null(out);
    memcpy(out, GOOD, before);
    memcpy(out + before, new_text, strlen(new_text));
    memcpy(out + before + strlen(new_text), at + strlen(old), strlen(at + strlen(old)) + 1);
    return out;
}

static void a_bad_file_is_refused_with_file_and_member(void **state)
{
    static const struct {
        const char *old, *new_text, *message;
    } rows[] = {
        {"my-fan", "My fan", "f: 'id' must be 1 to 95 of a-z, 0-9 and '-'"},
        {"my-fan", "", "f: 'id' must be"},
        {"\"id\":\"my-fan\",", "", "f: 'id' must be"},
        {"\"title\":\"Fans help\",", "", "f: 'title' is missing, must be a text"},
        {"\"Fans help\"", "7", "f: 'title' is something else, must be a text"},
        {"A fan cools.", " \\n", "f: 'statement' is empty"},
        {"less tail", "\\u001b[31m", "f: 'latency_effect' has a control character"},
        {"\"more\"", "\"\"", "f: 'bandwidth_effect' is empty"},
        {"\"equation\":\"\"", "\"equation\":null", "f: 'equation' is something else"},
        {"\"my rack\"", "\"\"", "f: 'validity' is empty"},
        {"\"temperature\"", "\"heat\"", "f: 'stressors' names 'heat' which is not known"},
        {"\"temperature\"", "\"time\"", "f: 'stressors' names 'time' twice"},
        {"[\"any\"]", "[]", "f: 'nand' must be a list of names"},
        {"[\"any\"]", "\"any\"", "f: 'nand' must be a list of names"},
        {"[\"any\"]", "[5]", "f: 'nand' names '' which is not known"},
        {"[\"any\"]", "[\"slc\",\"mlc\",\"tlc\",\"qlc\",\"any\",\"any\"]",
         "f: 'nand' has more than 5 names"},
        {"{\"id\":\"OWN-1\",\"confidence\":\"measured\"}", "",
         "f: 'sources' must be a list of 1 to 12 sources"},
        {"OWN-1", "my own", "f: sources[0]: 'id' must be the id of a source"},
        {"measured", "sure", "f: sources[0]: 'confidence' must be one of read"},
        {"\"confidence\"", "\"trust\"", "f: sources[0].trust: unknown member"},
        {"[{\"id\":\"OWN-1\",\"confidence\":\"measured\"}]", "[3]",
         "f: sources[0]: must be an object"},
        {"\"contradiction-09\"", "9", "f: contradicted_by[0] is not an id"},
        {"\"validity\"", "\"range\":1,\"validity\"", "f.range: unknown member"},
        {"{\"id\":\"my-fan\"", "[{\"id\":\"my-fan\"", "f:1:"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *text = vary(rows[i].old, rows[i].new_text);
        struct wi_principle p = {0};
        struct wi_err err = {0};

        assert_int_equal(wi_principle_parse(text, strlen(text), "f", &p, &err), WI_EDATA);
        if (strncmp(err.msg, rows[i].message, strlen(rows[i].message)) != 0)
            fail_msg("row %zu: '%s'", i, err.msg);
        assert_null(p.title);
        free(text);
    }
}

static void a_text_longer_than_the_limit_is_refused(void **state)
{
    char longer[WI_TEXT_MAX + 2];
    char title[200];
    struct wi_principle p = {0};
    struct wi_err err = {0};
    char *text;

    (void)state;
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    text = vary("A fan cools.", longer);
    assert_int_equal(wi_principle_parse(text, strlen(text), "f", &p, &err), WI_EDATA);
    assert_string_equal(err.msg, "f: 'statement' has 4097 bytes, at most 4096 are allowed");
    free(text);
    memset(title, 'x', sizeof(title) - 1);
    title[sizeof(title) - 1] = '\0';
    text = vary("Fans help", title);
    assert_int_equal(wi_principle_parse(text, strlen(text), "f", &p, &err), WI_EDATA);
    assert_string_equal(err.msg, "f: 'title' has 199 bytes, at most 160 are allowed");
    free(text);
}

static void optional_members_may_be_left_out(void **state)
{
    struct wi_principle p = {0};
    char *text = vary(",\"contradicted_by\":[\"contradiction-09\",\"DATE22-2-TLC\"]", "");

    (void)state;
    assert_int_equal(wi_principle_parse(text, strlen(text), "f", &p, NULL), WI_OK);
    assert_int_equal(p.n_contradicted_by, 0);
    wi_principle_release(&p);
    free(text);
    text = vary("\"equation\":\"\",", "");
    assert_int_equal(wi_principle_parse(text, strlen(text), "f", &p, NULL), WI_OK);
    assert_string_equal(p.equation, "");
    wi_principle_release(&p);
    free(text);
}

static void assert_same(const struct wi_principle *a, const struct wi_principle *b)
{
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->statement, b->statement);
    assert_string_equal(a->latency_effect, b->latency_effect);
    assert_string_equal(a->bandwidth_effect, b->bandwidth_effect);
    assert_string_equal(a->equation, b->equation);
    assert_string_equal(a->validity, b->validity);
    assert_string_equal(a->stressors, b->stressors);
    assert_string_equal(a->nand, b->nand);
    assert_int_equal(a->n_sources, b->n_sources);
    for (size_t i = 0; i < a->n_sources; i++) {
        assert_string_equal(a->sources[i].id, b->sources[i].id);
        assert_int_equal(a->sources[i].confidence, b->sources[i].confidence);
    }
    assert_int_equal(a->n_contradicted_by, b->n_contradicted_by);
    for (size_t i = 0; i < a->n_contradicted_by; i++)
        assert_string_equal(a->contradicted_by[i], b->contradicted_by[i]);
}

static void every_embedded_principle_comes_back_unchanged(void **state)
{
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < wi_n_embedded_files; i++) {
        const struct wi_embedded_file *f = &wi_embedded_files[i];
        struct wi_principle a = {0};
        struct wi_principle b = {0};
        struct wi_err err = {0};
        char *text = NULL;

        if (strncmp(f->path, "data/principles/", 16) != 0)
            continue;
        if (wi_principle_parse(f->bytes, f->n_bytes, f->path, &a, &err) != WI_OK)
            fail_msg("%s", err.msg);
        assert_int_equal(wi_principle_format(&a, &text, &err), WI_OK);
        assert_int_equal(wi_principle_parse(text, strlen(text), "again", &b, &err), WI_OK);
        assert_same(&a, &b);
        wi_principle_release(&a);
        wi_principle_release(&b);
        free(text);
        n++;
    }
    assert_in_range(n, 45, 10000);
}

static void every_failing_allocation_is_an_error_and_leaks_nothing(void **state)
{
    struct wi_principle p = {0};
    enum wi_status st = WI_OK;
    long n = 0;

    (void)state;
    if (!alloc_fail_works())
        skip();
    for (;; n++) {
        struct wi_principle q = {0};
        long live = alloc_live;

        alloc_fail_at(n);
        st = wi_principle_parse(GOOD, strlen(GOOD), "f", &q, NULL);
        if (!alloc_has_failed()) {
            p = q;
            break;
        }
        assert_int_not_equal(st, WI_OK);
        assert_null(q.title);
        assert_int_equal(alloc_live, live);
    }
    assert_int_equal(st, WI_OK);
    assert_in_range(n, 20, 1000); /* at least one allocation for each member */
    for (n = 0;; n++) {
        char *text = NULL;
        long live = alloc_live;

        alloc_fail_at(n);
        st = wi_principle_format(&p, &text, NULL);
        if (!alloc_has_failed()) {
            free(text);
            break;
        }
        assert_int_equal(st, WI_ENOMEM);
        assert_null(text);
        assert_int_equal(alloc_live, live);
    }
    assert_int_equal(st, WI_OK);
    assert_in_range(n, 20, 1000);
    wi_principle_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_is_read),
        cmocka_unit_test(a_bad_file_is_refused_with_file_and_member),
        cmocka_unit_test(a_text_longer_than_the_limit_is_refused),
        cmocka_unit_test(optional_members_may_be_left_out),
        cmocka_unit_test(every_embedded_principle_comes_back_unchanged),
        cmocka_unit_test(every_failing_allocation_is_an_error_and_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
