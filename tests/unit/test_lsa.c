#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/lsa.h"

static const char table[] = "term,canonical\n"
                            "heat,hot\n"
                            "heating,hot\n"
                            "Hitze,hot\n"
                            "热,hot\n"
                            "four nines,99.99 percentile\n"
                            "tail latency,tail latency\n"
                            "Bandbreite,bandwidth\n"
                            "throughput,bandwidth\n"
                            "vibration,vibration\n"
                            "the,\n"
                            "of,\n";

static struct wi_terms *make_terms(void)
{
    struct wi_terms *t = NULL;
    struct wi_err err = {0};

    if (wi_terms_new(table, sizeof(table) - 1, "table", &t, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return t;
}

/* By the rules in terms.h: folded, stemmed, stop words out, phrases and synonyms replaced. */
static const struct {
    const char *text, *terms;
} readings[] = {
    {"The HEAT of the drives", "hot driv"},
    {"Hitze", "hot"},
    {"h\xc3\xa9"
     "ating",
     "hot"},
    {"\xe7\x83\xad", "hot"},
    {"four nines tail latency", "99.99 percentil tail latency"},
    {"four of nines", "four nine"},
    {"99.99th 60C, 280GB. 3D", "99.99 60 280 3d"},
    {"Bandbriete thruoghput vibraton", "bandwidth bandwidth vibration"},
    {"batteries dropped writing", "battery drop writ"},
    {"", ""},
    {"  ,.;!? ", ""},
    {"\xff\xfe broken \xc3", "broken"},
};

static void texts_become_terms_of_the_domain(void **state)
{
    struct wi_terms *t = make_terms();

    (void)state;
    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        char *out = NULL;

        assert_int_equal(wi_terms_join(t, readings[i].text, &out, NULL), WI_OK);
        if (strcmp(out, readings[i].terms) != 0)
            fail_msg("'%s' became '%s', must be '%s'", readings[i].text, out, readings[i].terms);
        free(out);
    }
    wi_terms_free(t);
}

static const struct {
    const char *csv, *words;
} bad_tables[] = {
    {"term,canonical\na,b\na,c\n", "two canonical forms"},
    {"term,canonical\na\n", "1 fields"},
    {"term,canonical\n  ,b\n", "empty"},
    {"term,canonical\na b c d e f g,b\n", "more than 6 words"},
    {"term,canonical\n\"a,b\n", ""},
};

static void a_table_with_a_fault_is_refused_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad_tables) / sizeof(bad_tables[0]); i++) {
        struct wi_terms *t = NULL;
        struct wi_err err = {0};

        assert_int_equal(
            wi_terms_new(bad_tables[i].csv, strlen(bad_tables[i].csv), "table.csv", &t, &err),
            WI_EDATA);
        assert_null(t);
        assert_non_null(strstr(err.msg, "table.csv:"));
        assert_non_null(strstr(err.msg, bad_tables[i].words));
    }
}

static void a_very_long_word_is_cut_and_does_no_harm(void **state)
{
    struct wi_terms *t = make_terms();
    char *text = malloc(100001), *out = NULL;

    (void)state;
    memset(text, 'x', 100000);
    text[100000] = '\0';
    assert_int_equal(wi_terms_join(t, text, &out, NULL), WI_OK);
    assert_true(strlen(out) < 64);
    free(out);
    free(text);
    wi_terms_free(t);
}

static const char *const corpus[] = {
    "heat raises bandwidth of flash memory cells", "cold lowers bandwidth of flash memory cells",
    "vibration hits the extreme tail latency",     "retention of charge in stored cells",
    "vibration fatigue breaks solder joints",
};
#define N_CORPUS 5
#define DIM 8

static double cosine(const float *a, const float *b)
{
    double sum = 0;

    for (int i = 0; i < DIM; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Full rank keeps all inner products: the cosine of two corpus texts is that of their tf-idf rows,
 * so a text is nearest to itself with cosine 1. */
static void a_text_is_nearest_to_itself_and_to_its_paraphrase(void **state)
{
    struct wi_terms *t = make_terms();
    struct wi_lsa *lsa = NULL;
    float all[N_CORPUS][DIM], query[DIM];

    (void)state;
    assert_int_equal(wi_lsa_fit(t, N_CORPUS, corpus, DIM, &lsa, NULL), WI_OK);
    assert_int_equal(wi_lsa_dim(lsa), DIM);
    for (size_t i = 0; i < N_CORPUS; i++) {
        assert_int_equal(wi_lsa_embed(lsa, corpus[i], all[i], NULL), WI_OK);
        assert_true(fabs(cosine(all[i], all[i]) - 1) < 1e-4);
        for (int k = N_CORPUS; k < DIM; k++) /* beyond the rank */
            assert_true(fabsf(all[i][k]) <= 0);
    }
    assert_int_equal(wi_lsa_embed(lsa, "Hitze und Bandbreite", query, NULL), WI_OK);
    for (size_t i = 1; i < N_CORPUS; i++)
        assert_true(cosine(query, all[0]) > cosine(query, all[i]));
    wi_lsa_free(lsa);
    wi_terms_free(t);
}

static void a_text_without_a_known_word_has_no_direction(void **state)
{
    struct wi_terms *t = make_terms();
    struct wi_lsa *lsa = NULL;
    float vec[DIM];

    (void)state;
    assert_int_equal(wi_lsa_fit(t, N_CORPUS, corpus, DIM, &lsa, NULL), WI_OK);
    assert_int_equal(wi_lsa_embed(lsa, "qqqq zzzz", vec, NULL), WI_OK);
    for (int i = 0; i < DIM; i++)
        assert_true(fabsf(vec[i]) <= 0);
    wi_lsa_free(lsa);
    wi_terms_free(t);
}

static void the_same_corpus_gives_the_same_bytes(void **state)
{
    struct wi_terms *t = make_terms();
    struct wi_lsa *a = NULL, *b = NULL, *c = NULL;
    size_t n = 0, m = 0;
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_lsa_fit(t, N_CORPUS, corpus, DIM, &a, NULL), WI_OK);
    assert_int_equal(wi_lsa_fit(t, N_CORPUS, corpus, DIM, &b, NULL), WI_OK);
    const void *x = wi_lsa_bytes(a, &n), *y = wi_lsa_bytes(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);

    void *copy = malloc(n);
    memcpy(copy, x, n);
    assert_int_equal(wi_lsa_load(t, copy, n, &c, NULL), WI_OK);
    float u[DIM], v[DIM];
    assert_int_equal(wi_lsa_embed(a, corpus[2], u, NULL), WI_OK);
    assert_int_equal(wi_lsa_embed(c, corpus[2], v, NULL), WI_OK);
    assert_memory_equal(u, v, sizeof(u));
    wi_lsa_free(c);

    for (size_t cut = 0; cut < n; cut += cut < 64 ? 1 : 37) { /* not whole */
        copy = malloc(cut ? cut : 1);
        memcpy(copy, x, cut);
        assert_int_equal(wi_lsa_load(t, copy, cut, &c, &err), WI_EDATA);
    }
    wi_lsa_free(a);
    wi_lsa_free(b);
    wi_terms_free(t);
}

static void a_corpus_without_a_word_is_refused(void **state)
{
    struct wi_terms *t = make_terms();
    struct wi_lsa *lsa = NULL;
    const char *const empty[] = {"", "the of"};

    (void)state;
    assert_int_equal(wi_lsa_fit(t, 2, empty, DIM, &lsa, NULL), WI_EDATA);
    assert_int_equal(wi_lsa_fit(t, 0, NULL, DIM, &lsa, NULL), WI_EDATA);
    wi_terms_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_terms_of_the_domain),
        cmocka_unit_test(a_table_with_a_fault_is_refused_with_its_place),
        cmocka_unit_test(a_very_long_word_is_cut_and_does_no_harm),
        cmocka_unit_test(a_text_is_nearest_to_itself_and_to_its_paraphrase),
        cmocka_unit_test(a_text_without_a_known_word_has_no_direction),
        cmocka_unit_test(the_same_corpus_gives_the_same_bytes),
        cmocka_unit_test(a_corpus_without_a_word_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
