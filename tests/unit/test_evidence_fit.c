/*
 * The shipped fits are those of the shipped data, and their text form reads back.
 */
#include "evidence_data.h"

#include <time.h>

#include "core/evidence.h"
#include "core/fit.h"

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void refit(enum wi_model_kind kind)
{
    struct wi_dataset ds = {0};
    struct wi_fit *shipped = NULL, *fit = NULL;
    struct wi_err err;
    double start;

    embedded_dataset(&ds);
    assert_int_equal(wi_fit_embedded(kind, &shipped, &err), WI_OK);
    start = seconds();
    assert_int_equal(wi_fit_new(&ds, kind, &fit, &err), WI_OK);
    start = seconds() - start;
    print_message("refit: %.2f s of processor time\n", start);
    assert_true(start <= 2.0);
    assert_int_equal(fit->kind, kind);
    for (int g = 0; g < WI_N_GROUPS; g++) {
        const struct wi_kernel *k = wi_kernel_of((enum wi_group)g);

        assert_int_equal(fit->group[g].n_rows, shipped->group[g].n_rows);
        assert_near(fit->group[g].objective, shipped->group[g].objective, 1e-5);
        for (size_t i = 0; i < k->n_par; i++)
            assert_near(fit->group[g].mode[i], shipped->group[g].mode[i], 1e-3);
    }
    wi_fit_free(fit);
    wi_fit_free(shipped);
    wi_dataset_release(&ds);
}

static void a_refit_of_the_embedded_data_is_the_shipped_fit(void **state)
{
    (void)state;
    refit(WI_MODEL_DEFAULT);
    refit(WI_MODEL_STUDY);
}

static void a_fit_reads_back_as_written(void **state)
{
    struct wi_fit *a = NULL, *b = NULL;
    struct wi_err err;
    char *text = NULL, *again = NULL;

    (void)state;
    assert_int_equal(wi_fit_embedded(WI_MODEL_DEFAULT, &a, &err), WI_OK);
    assert_int_equal(wi_fit_format(a, &text, &err), WI_OK);
    assert_int_equal(wi_fit_parse(text, strlen(text), &b, &err), WI_OK);
    assert_int_equal(wi_fit_format(b, &again, &err), WI_OK);
    assert_string_equal(text, again);
    free(text);
    free(again);
    wi_fit_free(a);
    wi_fit_free(b);
}

static void a_damaged_fit_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "ssd-whatif-fit/2,default\n",
        "ssd-whatif-fit/1,other\n",
        "ssd-whatif-fit/1,default\nvib,rows,1,objective,0,stop,0\n",
        "ssd-whatif-fit/1,default\nvib,lA_run_par,1,2\n",
        "ssd-whatif-fit/1,default\nvib,nothing,0,0,0,0,0,0,0,0,0,0,0,0,0\n",
        "ssd-whatif-fit/1,default\nvib,b_run,nan,0,0,0,0,0,0,0,0,0,0,0,0\n",
        "ssd-whatif-fit/1,default\nvib,b_run,1e9,0,0,0,0,0,0,0,0,0,0,0,0\n",
        "ssd-whatif-fit/1,default\nvib,rows,x,objective,0,stop,0\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct wi_fit *fit = NULL;
        struct wi_err err;

        assert_int_equal(wi_fit_parse(bad[i], strlen(bad[i]), &fit, &err), WI_EDATA);
        assert_null(fit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refit_of_the_embedded_data_is_the_shipped_fit),
        cmocka_unit_test(a_fit_reads_back_as_written),
        cmocka_unit_test(a_damaged_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
