#include "unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/design.h"

static void a_grid_visits_every_combination_once_the_last_factor_fastest(void **state)
{
    struct wi_design d = {.kind = WI_DESIGN_GRID, .n_factors = 3, .n_levels = {2, 3, 4}};
    bool seen[24] = {false};
    uint64_t level[3];

    (void)state;
    assert_int_equal(wi_design_init(&d, NULL), WI_OK);
    assert_int_equal(d.n, 24);
    for (uint64_t i = 0; i < d.n; i++) {
        wi_design_levels(&d, i, level);
        assert_int_equal((level[0] * 3 + level[1]) * 4 + level[2], i);
        seen[i] = true;
    }
    for (size_t i = 0; i < 24; i++)
        assert_true(seen[i]);
}

static void one_factor_at_a_time_leaves_the_others_at_the_centre(void **state)
{
    struct wi_design d = {
        .kind = WI_DESIGN_OFAT, .n_factors = 3, .n_levels = {3, 1, 4}, .center = {1, 0, 2}};
    static const uint64_t expected[6][3] = {{1, 0, 2}, {0, 0, 2}, {2, 0, 2},
                                            {1, 0, 0}, {1, 0, 1}, {1, 0, 3}};
    uint64_t level[3];

    (void)state;
    assert_int_equal(wi_design_init(&d, NULL), WI_OK);
    assert_int_equal(d.n, 6);
    for (uint64_t i = 0; i < d.n; i++) {
        wi_design_levels(&d, i, level);
        assert_memory_equal(level, expected[i], sizeof(level));
    }
}

/* McKay, Beckman & Conover 1979: each of the n strata of every factor holds exactly one point. */
static void a_latin_hypercube_has_one_point_in_every_stratum(void **state)
{
    static const uint64_t sizes[] = {1, 2, 7, 64, 1000, 4097};

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        struct wi_design d = {.kind = WI_DESIGN_LHS, .n_factors = 5, .n = sizes[s], .seed = 42};
        unsigned char *hits = calloc(5 * sizes[s], 1);
        double point[5];

        assert_non_null(hits);
        assert_int_equal(wi_design_init(&d, NULL), WI_OK);
        for (uint64_t i = 0; i < d.n; i++) {
            wi_design_point(&d, i, point);
            for (size_t f = 0; f < 5; f++) {
                assert_true(point[f] >= 0.0 && point[f] < 1.0);
                hits[f * sizes[s] + (size_t)(point[f] * (double)d.n)]++;
            }
        }
        for (size_t i = 0; i < 5 * sizes[s]; i++)
            assert_int_equal(hits[i], 1);
        free(hits);
    }
}

static void factors_of_a_latin_hypercube_are_not_correlated(void **state)
{
    struct wi_design d = {.kind = WI_DESIGN_LHS, .n_factors = 4, .n = 4096, .seed = 3};
    double sum[4][4] = {{0}};
    double point[4];

    (void)state;
    assert_int_equal(wi_design_init(&d, NULL), WI_OK);
    for (uint64_t i = 0; i < d.n; i++) {
        wi_design_point(&d, i, point);
        for (size_t a = 0; a < 4; a++) {
            for (size_t b = 0; b < a; b++)
                sum[a][b] += 12.0 * (point[a] - 0.5) * (point[b] - 0.5);
        }
    }
    for (size_t a = 0; a < 4; a++) {
        for (size_t b = 0; b < a; b++)
            assert_true(fabs(sum[a][b] / 4096.0) < 4.0 / 64.0); /* four standard errors */
    }
}

static enum wi_status check_row(void *ctx, size_t line, char *const *fields, size_t n,
                                struct wi_err *err)
{
    const struct wi_design *d = ctx;
    double point[WI_DESIGN_FACTORS_MAX];

    (void)err;
    if (line == 1)
        return WI_OK;
    assert_int_equal(n, 3);
    wi_design_point(d, strtoull(fields[0], NULL, 10), point);
    assert_true(fabs(point[strtoul(fields[1], NULL, 10)] - strtod(fields[2], NULL)) < 1e-9);
    return WI_OK;
}

/* tests/golden/sobol.csv is the output of another program (scipy.stats.qmc, 30 bits). */
static void sobol_points_match_another_implementation(void **state)
{
    struct wi_design d = {.kind = WI_DESIGN_SOBOL, .n_factors = WI_DESIGN_FACTORS_MAX, .n = 64};
    char text[8192];
    FILE *in = fopen("tests/golden/sobol.csv", "r");
    size_t n;

    (void)state;
    assert_non_null(in);
    n = fread(text, 1, sizeof(text), in);
    fclose(in);
    assert_int_equal(wi_design_init(&d, NULL), WI_OK);
    assert_int_equal(wi_csv_parse("sobol.csv", text, n, NULL, check_row, &d, NULL), WI_OK);
}

static void a_seed_moves_sobol_points_and_keeps_their_strata(void **state)
{
    struct wi_design d = {.kind = WI_DESIGN_SOBOL, .n_factors = 6, .n = 256, .seed = 9};
    unsigned char hits[6][256] = {{0}};
    double point[6];

    (void)state;
    assert_int_equal(wi_design_init(&d, NULL), WI_OK);
    for (uint64_t i = 0; i < d.n; i++) {
        wi_design_point(&d, i, point);
        for (size_t f = 0; f < 6; f++)
            hits[f][(size_t)(point[f] * 256.0)]++;
    }
    for (size_t f = 0; f < 6; f++) {
        for (size_t i = 0; i < 256; i++)
            assert_int_equal(hits[f][i], 1);
    }
}

static void designs_too_large_are_refused(void **state)
{
    struct wi_design grid = {
        .kind = WI_DESIGN_GRID, .n_factors = 2, .n_levels = {UINT64_C(1) << 32, UINT64_C(1) << 31}};
    struct wi_design lhs = {.kind = WI_DESIGN_LHS, .n_factors = 1, .n = (UINT64_C(1) << 31) + 1};

    (void)state;
    assert_int_equal(wi_design_init(&grid, NULL), WI_ERANGE);
    assert_int_equal(wi_design_init(&lhs, NULL), WI_ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_visits_every_combination_once_the_last_factor_fastest),
        cmocka_unit_test(one_factor_at_a_time_leaves_the_others_at_the_centre),
        cmocka_unit_test(a_latin_hypercube_has_one_point_in_every_stratum),
        cmocka_unit_test(factors_of_a_latin_hypercube_are_not_correlated),
        cmocka_unit_test(sobol_points_match_another_implementation),
        cmocka_unit_test(a_seed_moves_sobol_points_and_keeps_their_strata),
        cmocka_unit_test(designs_too_large_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
