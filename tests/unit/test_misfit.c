/*
 * What own rows are off by: the ordered, bounded search of core/misfit.c against its definition,
 * which looks at every own row on its own.
 */
#include "evidence_data.h"

#include "core/features.h"
#include "core/fit.h"
#include "core/misfit.h"
#include "core/random.h"

#define N_OWN 150
#define N_ASKED 40
#define N_DRIVES 7
#define HELD_VAR 2.7055 /* squared 95th percentile of the normal distribution */

static struct wi_dataset data;
static struct wi_fit *fit;

static int set_up(void **state)
{
    (void)state;
    embedded_dataset(&data);
    return wi_fit_embedded(WI_MODEL_DEFAULT, &fit, NULL) == WI_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    wi_fit_free(fit);
    wi_dataset_release(&data);
    return 0;
}

struct part {
    struct wi_row rows[1000];
    size_t n, n_published;
    struct wi_gp gp, published;
    double within[1000], between[1000]; /* excess of each own row, by the definition */
};

static double pick(struct wi_random *rnd, double low, double high, double step)
{
    return low + step * floor(wi_random_uniform(rnd) * (floor((high - low) / step) + 0.999));
}

/* A row like a published one, of one of a few drives, at one of some dozen conditions: many rows
 * share all but what was measured. */
static struct wi_row vary(const struct wi_row *like, struct wi_random *rnd)
{
    struct wi_row r = *like;

    r.own = true;
    r.interval = false;
    r.reference = false;
    r.letter = 3;
    r.device = r.vendor = 100 + (int)pick(rnd, 0, N_DRIVES - 1, 1);
    if (r.group == WI_GROUP_TH) {
        r.temp_c[1] = pick(rnd, 10, 70, 20);
        r.rh_pct[1] = pick(rnd, 20, 80, 30);
    } else {
        r.ln_freq = pick(rnd, -0.5, 0.5, 0.5);
    }
    r.err_var = 1e-4;
    r.z = wi_random_normal(rnd) * (wi_random_uniform(rnd) < 0.3 ? 0.4 : 0.05);
    return r;
}

static double excess(const struct wi_gp *gp, const struct wi_row *asked, const struct wi_row *row)
{
    struct wi_moments m;
    double off;

    assert_int_equal(wi_gp_predict(gp, asked, 1, &m, NULL, 0, NULL), WI_OK);
    off = fabs(row->z - m.mean);
    return fmax(0.0, off * off - HELD_VAR * (m.var + m.noise_var + row->err_var));
}

static void find_excess(struct part *p)
{
    for (size_t i = p->n_published; i < p->n; i++) {
        struct wi_row new_drive = p->rows[i];

        new_drive.vendor = new_drive.device = WI_NONE_ID;
        new_drive.letter = 3;
        wi_rows_mark_fresh(&new_drive, 1, p->rows, p->n_published);
        p->within[i] = excess(&p->gp, &p->rows[i], &p->rows[i]);
        p->between[i] = excess(&p->published, &new_drive, &p->rows[i]);
    }
}

static void make_part(struct part *p, enum wi_group group, uint64_t seed)
{
    const struct wi_kernel *kernel = wi_kernel_of(group);
    double *t = malloc(WI_CLOUD * kernel->n_par * sizeof(*t));
    struct wi_random rnd = {seed};
    struct wi_rows all = {0};
    struct wi_err err;

    assert_non_null(t);
    assert_int_equal(wi_rows_from_dataset(&data, WI_MODEL_DEFAULT, &all, &err), WI_OK);
    memset(p, 0, sizeof(*p));
    for (size_t i = 0; i < all.n; i++) {
        if (all.rows[i].group == group && all.rows[i].phase != WI_PHASE_LONG_TERM)
            p->rows[p->n++] = all.rows[i];
    }
    p->n_published = p->n;
    for (size_t i = 0; i < N_OWN; i++) {
        size_t like = (size_t)pick(&rnd, 0, (double)p->n_published - 1, 1);

        p->rows[p->n++] = vary(&p->rows[like], &rnd);
    }
    for (size_t c = 0; c < WI_CLOUD; c++)
        memcpy(t + c * kernel->n_par, fit->group[group].cloud[c], kernel->n_par * sizeof(*t));
    assert_int_equal(wi_gp_init(&p->gp, kernel, p->rows, p->n, t, WI_CLOUD, &err), WI_OK);
    assert_int_equal(wi_gp_init(&p->published, kernel, p->rows, p->n_published, t, WI_CLOUD, &err),
                     WI_OK);
    find_excess(p);
    wi_rows_release(&all);
    free(t);
}

static void release_part(struct part *p)
{
    wi_gp_release(&p->gp);
    wi_gp_release(&p->published);
}

/* The definition at the head of core/misfit.h, row by row. */
static double worst_of(const struct part *p, const struct wi_row *q, const struct wi_moments *at)
{
    bool stored = false;
    double worst = 0.0, open = fmin(1.0, at->var / at->prior_var);

    for (size_t i = 0; i < p->n; i++)
        stored |= q->device >= 0 && p->rows[i].device == q->device;
    for (size_t i = p->n_published; i < p->n; i++) {
        const struct wi_row *r = &p->rows[i];
        bool same = stored && q->device == r->device;
        double var = same ? p->within[i] : (stored ? open : 1.0) * p->between[i];
        double k, own;

        p->gp.kernel->block(p->gp.t, q, 1, r, 1, &k);
        p->gp.kernel->diag(p->gp.t, r, 1, &own);
        if (own > 1e-12)
            worst = fmax(worst, k / own * (k / own) * var);
    }
    return worst;
}

static void assert_as_defined(enum wi_group group, uint64_t seed)
{
    static struct part p;
    struct wi_random rnd = {seed + 1};
    struct wi_misfit misfit = {0};
    size_t n_wide = 0;

    make_part(&p, group, seed);
    assert_int_equal(wi_misfit_init(&misfit, &p.gp, p.rows, p.n, NULL), WI_OK);
    assert_true(misfit.n > 0 && misfit.n < N_OWN);
    for (size_t i = 0; i < N_ASKED; i++) {
        size_t like = (size_t)pick(&rnd, 0, (double)p.n_published - 1, 1);
        struct wi_row q = vary(&p.rows[like], &rnd);
        struct wi_moments m, plain;
        double want;

        if (i % 3 == 0) { /* a new drive, else one of the own; now and then a published one */
            q.vendor = q.device = WI_NONE_ID;
        } else if (i % 8 == 1) {
            q = p.rows[like];
        }
        wi_rows_mark_fresh(&q, 1, p.gp.rows, p.gp.n);
        assert_int_equal(wi_gp_predict(&p.gp, &q, 1, &m, NULL, 0, NULL), WI_OK);
        plain = m;
        want = worst_of(&p, &q, &m);
        wi_misfit_add(&misfit, &p.gp, &q, 1, &m);
        assert_near(m.misfit_var, want, 1e-9 * want);
        assert_near(m.var, plain.var + want, 1e-9 * (plain.var + want));
        assert_near(m.mean, plain.mean, 0);
        n_wide += want > 0.0;
    }
    assert_true(n_wide > N_ASKED / 2);
    wi_misfit_release(&misfit);
    release_part(&p);
}

static void the_worst_own_row_under_temperature_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        assert_as_defined(WI_GROUP_TH, seed);
}

static void the_worst_own_row_under_vibration_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 13; seed++)
        assert_as_defined(WI_GROUP_VIB, seed);
}

/* What the bound rests on: no covariance exceeds the geometric mean of the two variances. */
static void covariances_obey_the_cauchy_schwarz_inequality(void **state)
{
    static struct part p;

    (void)state;
    for (int group = 0; group < WI_N_GROUPS; group++) {
        double *k, *own;

        make_part(&p, (enum wi_group)group, 21);
        k = malloc(p.n * p.n * sizeof(*k));
        own = malloc(p.n * sizeof(*own));
        assert_true(k && own);
        for (size_t c = 0; c < WI_CLOUD; c++) {
            const double *t = p.gp.t + c * p.gp.kernel->n_par;

            p.gp.kernel->block(t, p.rows, p.n, p.rows, p.n, k);
            p.gp.kernel->diag(t, p.rows, p.n, own);
            for (size_t i = 0; i < p.n; i++) {
                for (size_t j = 0; j < i; j++)
                    assert_true(k[i * p.n + j] * k[i * p.n + j] <= own[i] * own[j] * (1 + 1e-9));
            }
        }
        free(k);
        free(own);
        release_part(&p);
    }
}

static void rows_that_came_with_the_program_are_no_misfit(void **state)
{
    static struct part p;
    struct wi_misfit misfit = {0};

    (void)state;
    make_part(&p, WI_GROUP_TH, 31);
    for (size_t i = 0; i < p.n; i++)
        p.rows[i].own = false;
    assert_int_equal(wi_misfit_init(&misfit, &p.gp, p.rows, p.n, NULL), WI_OK);
    assert_int_equal(misfit.n, 0);
    wi_misfit_release(&misfit);
    release_part(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_own_row_under_temperature_is_found),
        cmocka_unit_test(the_worst_own_row_under_vibration_is_found),
        cmocka_unit_test(covariances_obey_the_cauchy_schwarz_inequality),
        cmocka_unit_test(rows_that_came_with_the_program_are_no_misfit),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
