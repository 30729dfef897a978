#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "knowledge/vecindex.h"

#define DIM 3

static const int64_t ids[] = {10, 20, 30};
static const float vectors[] = {1, 0, 0, 0, 1, 0, 0.6f, 0.8f, 0};
static const struct wi_vecindex_label label = {"test embedder/1", DIM, 42};

static struct wi_vecindex *make(void)
{
    struct wi_vecindex *index = NULL;

    assert_int_equal(wi_vecindex_new(DIM, &index, NULL), WI_OK);
    assert_int_equal(wi_vecindex_add(index, 3, ids, vectors, DIM, NULL), WI_OK);
    return index;
}

static void make_path(char path[64])
{
    snprintf(path, 64, "/tmp/wi-index-XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    unlink(path);
}

/* Inner products by hand: (1,0,0).(0.6,0.8,0) = 0.6 and so on. */
static void neighbours_come_by_falling_inner_product(void **state)
{
    struct wi_vecindex *index = make();
    const float query[DIM] = {1, 0, 0};
    int64_t found[5];
    float scores[5];
    size_t n = 0;

    (void)state;
    assert_int_equal(wi_vecindex_search(index, query, DIM, 5, found, scores, &n, NULL), WI_OK);
    assert_int_equal(n, 3);
    assert_int_equal(found[0], 10);
    assert_int_equal(found[1], 30);
    assert_int_equal(found[2], 20);
    assert_true(fabsf(scores[1] - 0.6f) < 1e-6f);
    wi_vecindex_free(index);
}

static void equal_scores_come_by_id(void **state)
{
    struct wi_vecindex *index = NULL;
    const int64_t four[] = {7, 3, 9, 1};
    const float same[] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
    int64_t found[4];
    float scores[4];
    size_t n = 0;

    (void)state;
    assert_int_equal(wi_vecindex_new(DIM, &index, NULL), WI_OK);
    assert_int_equal(wi_vecindex_add(index, 4, four, same, DIM, NULL), WI_OK);
    assert_int_equal(wi_vecindex_search(index, same, DIM, 4, found, scores, &n, NULL), WI_OK);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[3], 9);
    wi_vecindex_free(index);
}

static void an_empty_index_finds_nothing(void **state)
{
    struct wi_vecindex *index = NULL;
    int64_t found[1];
    float scores[1];
    size_t n = 9;

    (void)state;
    assert_int_equal(wi_vecindex_new(DIM, &index, NULL), WI_OK);
    assert_int_equal(wi_vecindex_search(index, vectors, DIM, 1, found, scores, &n, NULL), WI_OK);
    assert_int_equal(n, 0);
    wi_vecindex_free(index);
    wi_vecindex_free(NULL);
}

static void a_wrong_dimension_or_a_number_that_is_none_never_reaches_faiss(void **state)
{
    struct wi_vecindex *index = make();
    const float bad[] = {1, 0, 0, 0, NAN, 0};
    const float far[] = {1, 0, INFINITY};
    const int64_t negative[] = {-1};
    int64_t found[1];
    float scores[1];
    size_t n = 0;
    struct wi_err err = {0};
    struct wi_vecindex *none = NULL;

    (void)state;
    assert_int_equal(wi_vecindex_add(index, 1, ids, vectors, 2, &err), WI_ERANGE);
    assert_int_equal(wi_vecindex_add(index, 2, ids, bad, DIM, &err), WI_ERANGE);
    assert_non_null(strstr(err.msg, "component 1 of vector 1"));
    assert_int_equal(wi_vecindex_add(index, 1, negative, vectors, DIM, &err), WI_ERANGE);
    assert_int_equal(wi_vecindex_size(index), 3);
    assert_int_equal(wi_vecindex_search(index, far, DIM, 1, found, scores, &n, &err), WI_ERANGE);
    assert_int_equal(wi_vecindex_search(index, far, 4, 1, found, scores, &n, &err), WI_ERANGE);
    assert_int_equal(wi_vecindex_new(0, &none, &err), WI_ERANGE);
    assert_int_equal(wi_vecindex_new(WI_VECINDEX_DIM_MAX + 1, &none, &err), WI_ERANGE);
    wi_vecindex_free(index);
}

static void a_saved_index_answers_as_before(void **state)
{
    struct wi_vecindex *index = make(), *back = NULL;
    int64_t a[3], b[3];
    float x[3], y[3];
    size_t n = 0, m = 0;
    char path[64];

    (void)state;
    make_path(path);
    assert_int_equal(wi_vecindex_save(index, path, &label, NULL), WI_OK);
    assert_int_equal(wi_vecindex_load(path, &label, &back, NULL), WI_OK);
    assert_int_equal(wi_vecindex_search(index, vectors + 6, DIM, 3, a, x, &n, NULL), WI_OK);
    assert_int_equal(wi_vecindex_search(back, vectors + 6, DIM, 3, b, y, &m, NULL), WI_OK);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, sizeof(a));
    assert_memory_equal(x, y, sizeof(x));
    wi_vecindex_free(index);
    wi_vecindex_free(back);
    unlink(path);
}

static void load_fails(const char *path, const struct wi_vecindex_label *want, enum wi_status st,
                       const char *words)
{
    struct wi_vecindex *index = NULL;
    struct wi_err err = {0};

    assert_int_equal(wi_vecindex_load(path, want, &index, &err), st);
    assert_null(index);
    if (!strstr(err.msg, words))
        fail_msg("'%s' lacks '%s'", err.msg, words);
}

static void a_file_made_from_something_else_is_stale(void **state)
{
    struct wi_vecindex *index = make();
    const struct wi_vecindex_label other[] = {{"another embedder", DIM, 42},
                                              {"test embedder/1", DIM + 1, 42},
                                              {"test embedder/1", DIM, 43}};
    char path[64];

    (void)state;
    make_path(path);
    load_fails(path, &label, WI_ENOTFOUND, path);
    assert_int_equal(wi_vecindex_save(index, path, &label, NULL), WI_OK);
    for (size_t i = 0; i < 3; i++)
        load_fails(path, &other[i], WI_EDATA, "stale");
    wi_vecindex_free(index);
    unlink(path);
}

/* Every length that the file may have been cut to, and every byte changed. */
static void a_file_cut_or_changed_anywhere_is_refused(void **state)
{
    struct wi_vecindex *index = make();
    char path[64];
    struct stat sb;
    char byte;

    (void)state;
    make_path(path);
    assert_int_equal(wi_vecindex_save(index, path, &label, NULL), WI_OK);
    assert_int_equal(stat(path, &sb), 0);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    for (off_t at = 0; at < sb.st_size; at++) {
        struct wi_vecindex *none = NULL;

        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte ^= 0x21;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        assert_int_equal(wi_vecindex_load(path, &label, &none, NULL), WI_EDATA);
        byte ^= 0x21;
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    for (off_t size = sb.st_size - 1; size >= 0; size--) {
        struct wi_vecindex *none = NULL;

        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_equal(wi_vecindex_load(path, &label, &none, NULL), WI_EDATA);
    }
    close(fd);
    wi_vecindex_free(index);
    unlink(path);
    load_fails("/tmp", &label, WI_EDATA, "damaged");
}

static void a_folder_that_is_not_there_is_an_error_and_leaves_nothing(void **state)
{
    struct wi_vecindex *index = make();
    struct wi_err err = {0};

    (void)state;
    assert_int_equal(wi_vecindex_save(index, "/tmp/no/such/folder/x", &label, &err), WI_EIO);
    assert_non_null(strstr(err.msg, "/tmp/no/such/folder/x"));
    wi_vecindex_free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_come_by_falling_inner_product),
        cmocka_unit_test(equal_scores_come_by_id),
        cmocka_unit_test(an_empty_index_finds_nothing),
        cmocka_unit_test(a_wrong_dimension_or_a_number_that_is_none_never_reaches_faiss),
        cmocka_unit_test(a_saved_index_answers_as_before),
        cmocka_unit_test(a_file_made_from_something_else_is_stale),
        cmocka_unit_test(a_file_cut_or_changed_anywhere_is_refused),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error_and_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
