/*
 * The loaders of knowledge/ with every allocation failing once: an error, no crash, no leak.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alloc_fail.h"
#include "knowledge/lsa.h"
#include "knowledge/search.h"
#include "knowledge/vecindex.h"

static const char csv[] = "term,canonical\nheat,hot\nfour nines,99.99\nthroughput,bandwidth\n";
static const char *const corpus[] = {"heat raises throughput", "cold lowers throughput",
                                     "vibration hits the tail"};

static void the_table_of_terms_survives(void **state)
{
    (void)state;
    for (long n = 0;; n++) {
        struct wi_terms *t = NULL;
        long before = alloc_live;

        alloc_fail_at(n);
        enum wi_status st = wi_terms_new(csv, sizeof(csv) - 1, "t", &t, NULL);
        if (!alloc_has_failed()) {
            assert_int_equal(st, WI_OK);
            wi_terms_free(t);
            assert_true(n > 3);
            return;
        }
        /* libcsv asks again for less. */
        assert_true(st == WI_ENOMEM || st == WI_OK);
        wi_terms_free(t);
        assert_int_equal(alloc_live, before);
    }
}

static void the_basis_survives(void **state)
{
    struct wi_terms *t = NULL;

    (void)state;
    assert_int_equal(wi_terms_new(csv, sizeof(csv) - 1, "t", &t, NULL), WI_OK);
    for (long n = 0;; n++) {
        struct wi_lsa *lsa = NULL;
        float vec[4];
        long before = alloc_live;

        alloc_fail_at(n);
        enum wi_status st = wi_lsa_fit(t, 3, corpus, 4, &lsa, NULL);
        if (st == WI_OK)
            st = wi_lsa_embed(lsa, "heat", vec, NULL);
        bool failed = alloc_has_failed();
        wi_lsa_free(lsa);
        assert_int_equal(alloc_live, before);
        if (!failed) {
            assert_int_equal(st, WI_OK);
            assert_true(n > 8);
            break;
        }
        assert_int_not_equal(st, WI_OK);
    }
    wi_terms_free(t);
}

static void the_index_file_survives(void **state)
{
    static const int64_t ids[] = {1, 2};
    static const float vec[] = {1, 0, 0, 1};
    const struct wi_vecindex_label label = {"x", 2, 1};
    struct wi_vecindex *index = NULL;
    char path[] = "/tmp/wi-memory-XXXXXX";

    (void)state;
    close(mkstemp(path));
    assert_int_equal(wi_vecindex_new(2, &index, NULL), WI_OK);
    assert_int_equal(wi_vecindex_add(index, 2, ids, vec, 2, NULL), WI_OK);
    assert_int_equal(wi_vecindex_save(index, path, &label, NULL), WI_OK);
    wi_vecindex_free(index);
    for (long n = 0;; n++) {
        int64_t found[2];
        float scores[2];
        size_t k = 0;

        index = NULL;
        alloc_fail_at(n);
        enum wi_status st = wi_vecindex_load(path, &label, &index, NULL);
        if (st == WI_OK)
            st = wi_vecindex_search(index, vec, 2, 2, found, scores, &k, NULL);
        bool failed = alloc_has_failed();
        wi_vecindex_free(index);
        if (!failed) {
            assert_int_equal(st, WI_OK);
            assert_true(n > 3);
            break;
        }
        /* A file that cannot be opened for lack of memory is WI_EIO; one that FAISS cannot read for
         * lack of it looks damaged and would be made anew. */
        assert_true(st == WI_OK || st == WI_ENOMEM || st == WI_EDATA || st == WI_EIO);
    }
    unlink(path);
}

/* Too many allocations to fail each: the first ones all, then ever fewer. */
static void the_store_survives(void **state)
{
    size_t n_failed = 0;

    (void)state;
    for (long n = 0;; n += 1 + n / 12) {
        struct wi_store *store = NULL;
        struct wi_knowledge *k = NULL;
        struct wi_dataset ds = {0};
        struct wi_item *items = NULL;
        size_t n_items = 0;
        struct wi_search_query q = {.text = "heat", .top_k = 3};

        alloc_fail_at(n);
        enum wi_status st = wi_store_open(&(struct wi_store_options){0}, &store, NULL);
        if (st == WI_OK)
            st = wi_store_load_dataset(store, NULL, &ds, NULL);
        if (st == WI_OK)
            st = wi_knowledge_open(store, NULL, NULL, NULL, &k, NULL);
        if (st == WI_OK)
            st = wi_knowledge_search(k, &q, &items, &n_items, NULL);
        bool failed = alloc_has_failed();
        wi_items_free(items, n_items);
        wi_dataset_release(&ds);
        wi_knowledge_close(k);
        wi_store_close(store);
        if (!failed) {
            assert_int_equal(st, WI_OK);
            break;
        }
        n_failed++;
        /* What only a cache needed is no error. */
        assert_true(st == WI_OK || st == WI_ENOMEM || st == WI_EDATA);
    }
    assert_true(n_failed > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_terms_survives),
        cmocka_unit_test(the_basis_survives),
        cmocka_unit_test(the_index_file_survives),
        cmocka_unit_test(the_store_survives),
    };

    if (!alloc_fail_works()) {
        puts("1..0 # skipped: the allocator cannot be made to fail here");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
