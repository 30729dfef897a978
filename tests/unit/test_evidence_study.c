/*
 * The study's configuration against its Python reference: rows, hyper-parameters, predictions at
 * the same hyper-parameters and cloud points. tests/golden/study_*.csv come from that reference.
 */
#include "evidence_data.h"

#include "core/evidence_model.h"
#include "core/fit.h"

static struct wi_dataset data;
static struct wi_rows rows;
static struct wi_fit golden_fit;
static struct wi_evidence *study;

static int group_index(const char *name)
{
    return strcmp(name, "vib") == 0 ? WI_GROUP_VIB : WI_GROUP_TH;
}

static enum wi_status read_hyper(void *ctx, size_t line, char *const *f, size_t n,
                                 struct wi_err *err)
{
    size_t *seen = ctx;
    const struct wi_kernel *k;
    struct wi_group_fit *g;

    (void)err;
    if (line == 1)
        return WI_OK;
    assert_int_equal(n, 5 + WI_CLOUD);
    k = wi_kernel_of((enum wi_group)group_index(f[0]));
    g = &golden_fit.group[group_index(f[0])];
    for (size_t i = 0; i < k->n_par; i++) {
        if (strcmp(k->par[i].name, f[1]) != 0)
            continue;
        assert_near(k->par[i].study_mean, to_number(f[2]), 1e-15);
        assert_near(k->par[i].study_sd, to_number(f[3]), 1e-15);
        g->mode[i] = to_number(f[4]);
        for (size_t c = 0; c < WI_CLOUD; c++)
            g->cloud[c][i] = to_number(f[5 + c]);
        (*seen)++;
        return WI_OK;
    }
    fail_msg("no parameter '%s'", f[1]);
    return WI_EDATA;
}

static int set_up(void **state)
{
    size_t seen = 0;
    struct wi_err err;
    struct wi_rows copy = {0};

    (void)state;
    embedded_dataset(&data);
    golden_fit.kind = WI_MODEL_STUDY;
    for (int g = 0; g < WI_N_GROUPS; g++) { /* fixed parameters are not in the reference */
        const struct wi_kernel *k = wi_kernel_of((enum wi_group)g);

        for (size_t i = 0; i < k->n_par; i++) {
            golden_fit.group[g].mode[i] = k->par[i].study_mean;
            for (size_t c = 0; c < WI_CLOUD; c++)
                golden_fit.group[g].cloud[c][i] = k->par[i].study_mean;
        }
    }
    each_golden("tests/golden/study_hyper.csv", read_hyper, &seen);
    assert_int_equal(seen, 41 + 18);
    if (wi_rows_from_dataset(&data, WI_MODEL_STUDY, &rows, &err) != WI_OK ||
        wi_rows_from_dataset(&data, WI_MODEL_STUDY, &copy, &err) != WI_OK ||
        wi_evidence_from_rows(&copy, &golden_fit, &study, &err) != WI_OK)
        fail_msg("%s", err.msg);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wi_evidence_free(study);
    wi_rows_release(&rows);
    wi_dataset_release(&data);
    return 0;
}

/* ------------------------------------------------------------------ rows */

static const enum wi_nand nand_of[] = {WI_NAND_TLC, WI_NAND_MLC, WI_NAND_SLC, WI_NAND_UNKNOWN};

static enum wi_status check_row(void *ctx, size_t line, char *const *f, size_t n,
                                struct wi_err *err)
{
    size_t *seen = ctx;
    const struct wi_row *r = NULL;
    enum wi_op op;

    (void)err;
    if (line == 1)
        return WI_OK;
    assert_int_equal(n, 17);
    for (size_t i = 0; i < rows.n; i++) {
        if (strcmp(data.obs[rows.rows[i].obs].id, f[1]) == 0)
            r = &rows.rows[i];
    }
    if (!r)
        fail_msg("no row of '%s'", f[1]);
    assert_int_equal(r->group, group_index(f[0]));
    assert_int_equal(r->bandwidth, (int)to_number(f[2]));
    assert_true(wi_op_parse(f[3], &op));
    assert_near(r->w_read, op == WI_OP_READ ? 1 : op == WI_OP_WRITE ? 0 : .5, 0);
    assert_int_equal(r->phase, (int)to_number(f[4]));
    assert_int_equal(r->axis, (int)to_number(f[5]));
    assert_int_equal(r->letter, (int)to_number(f[6]));
    assert_int_equal(r->nand, nand_of[(int)to_number(f[7])]);
    assert_near(r->nines, to_number(f[8]), 1e-12);
    assert_near(100 * expm1(r->z), to_number(f[9]), 1e-9);
    assert_near(100 * sqrt(r->err_var) * exp(r->z), to_number(f[10]), 1e-9);
    for (size_t k = 0; k < 3; k++) {
        /* "after" means nothing but after an exposure has ended */
        if (k < 2 || r->phase == WI_PHASE_POST) {
            assert_near(r->temp_c[k], to_number(f[11 + k]), 0);
            assert_near(r->rh_pct[k], to_number(f[14 + k]), 0);
        }
    }
    (*seen)++;
    return WI_OK;
}

static void the_rows_are_those_of_the_study(void **state)
{
    size_t seen = 0;

    (void)state;
    each_golden("tests/golden/study_rows.csv", check_row, &seen);
    assert_int_equal(seen, 333);
    assert_int_equal(rows.n, 333);
}

/* ------------------------------------------------------------------ predictions */

struct worst {
    size_t n;
    double mean, var, prior, noise;
};

static void read_query(char *const *f, struct wi_row *q)
{
    enum wi_op op;
    int vendor = (int)to_number(f[5]);
    char letter[2] = {(char)('A' + vendor), '\0'};

    *q = (struct wi_row){.group = (enum wi_group)group_index(f[0]), .ln_grms = NAN};
    q->bandwidth = to_number(f[1]) > 0;
    assert_true(wi_op_parse(f[2], &op));
    q->w_read = op == WI_OP_READ ? 1 : op == WI_OP_WRITE ? 0 : .5;
    q->w_write = 1 - q->w_read;
    q->phase = (enum wi_phase)to_number(f[3]);
    q->axis = (enum wi_axis)to_number(f[4]);
    q->nand = nand_of[(int)to_number(f[6])];
    q->vendor = q->device = WI_NONE_ID;
    q->letter = 3;
    if (vendor < 3)
        wi_row_set_drive(q, &study->rows, letter, "");
    q->nines = to_number(f[7]);
    for (size_t k = 0; k < 3; k++) {
        q->temp_c[k] = to_number(f[8 + k]);
        q->rh_pct[k] = to_number(f[11 + k]);
    }
}

static enum wi_status check_prediction(void *ctx, size_t line, char *const *f, size_t n,
                                       struct wi_err *err)
{
    struct worst *w = ctx;
    struct wi_row q;
    struct wi_moments m;
    double sd;

    if (line == 1)
        return WI_OK;
    assert_int_equal(n, 18);
    read_query(f, &q);
    if (wi_evidence_moments(study, &q, 1, &m, NULL, 0, err) != WI_OK)
        return err->status;
    sd = sqrt(to_number(f[16]));
    w->mean = fmax(w->mean, fabs(m.mean - to_number(f[14])) / (fabs(m.mean) + sd + 1e-300));
    w->var = fmax(w->var, fabs(m.var - to_number(f[15])) / (m.var + sd * sd + 1e-300));
    w->prior = fmax(w->prior, fabs(m.prior_var - sd * sd) / (sd * sd + 1e-300));
    w->noise = fmax(w->noise, fabs(m.noise_var / to_number(f[17]) - 1));
    w->n++;
    return WI_OK;
}

static void predictions_agree_with_the_reference_to_1e_8(void **state)
{
    struct worst w = {0};

    (void)state;
    each_golden("tests/golden/study_predictions.csv", check_prediction, &w);
    print_message("worst relative difference: mean %.1e, variance %.1e, prior %.1e, noise %.1e\n",
                  w.mean, w.var, w.prior, w.noise);
    assert_int_equal(w.n, 600);
    assert_true(w.mean <= 1e-8);
    assert_true(w.var <= 1e-8);
    assert_true(w.prior <= 1e-8);
    assert_true(w.noise <= 1e-12);
}

/* ------------------------------------------------------------------ fit */

static double reference_objective[WI_N_GROUPS];

static enum wi_status read_objective(void *ctx, size_t line, char *const *f, size_t n,
                                     struct wi_err *err)
{
    (void)ctx;
    (void)err;
    if (line > 1) {
        assert_int_equal(n, 3);
        reference_objective[group_index(f[0])] = to_number(f[2]);
    }
    return WI_OK;
}

static void group_rows(enum wi_group group, struct wi_row *out, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < rows.n; i++) {
        if (rows.rows[i].group == group)
            out[(*n)++] = rows.rows[i];
    }
}

static void the_objective_at_the_reference_mode_is_the_reference_value(void **state)
{
    struct wi_row *part = malloc(rows.n * sizeof(*part));
    struct wi_objective *obj;
    struct wi_err err;
    double v;
    size_t n;

    (void)state;
    each_golden("tests/golden/study_objective.csv", read_objective, NULL);
    for (int g = 0; g < WI_N_GROUPS; g++) {
        group_rows((enum wi_group)g, part, &n);
        assert_int_equal(
            wi_objective_new(wi_kernel_of((enum wi_group)g), WI_MODEL_STUDY, part, n, &obj, &err),
            WI_OK);
        wi_objective_eval(obj, golden_fit.group[g].mode, &v, NULL);
        assert_near(v, reference_objective[g], 1e-8 * fabs(v));
        wi_objective_free(obj);
    }
    free(part);
}

static void the_fit_is_no_worse_than_the_reference(void **state)
{
    struct wi_row *part = malloc(rows.n * sizeof(*part));
    struct wi_group_fit fit;
    struct wi_err err;
    size_t n;

    (void)state;
    each_golden("tests/golden/study_objective.csv", read_objective, NULL);
    for (int g = 0; g < WI_N_GROUPS; g++) {
        group_rows((enum wi_group)g, part, &n);
        assert_int_equal(wi_fit_group(wi_kernel_of((enum wi_group)g), WI_MODEL_STUDY, part, n,
                                      false, &fit, &err),
                         WI_OK);
        print_message("%s: %.9f, reference %.9f, stop %d\n", wi_kernel_of((enum wi_group)g)->name,
                      fit.objective, reference_objective[g], fit.stop);
        assert_true(fit.objective <= reference_objective[g] + 1e-6);
    }
    free(part);
}

/* ------------------------------------------------------------------ gradient */

static void check_gradient(enum wi_group group, enum wi_model_kind kind)
{
    const struct wi_kernel *k = wi_kernel_of(group);
    struct wi_row *part = malloc(2 * rows.n * sizeof(*part));
    struct wi_objective *obj;
    struct wi_err err;
    double t[WI_PAR_MAX], grad[WI_PAR_MAX], up, down;
    size_t n;

    group_rows(group, part, &n);
    assert_int_equal(wi_objective_new(k, kind, part, n, &obj, &err), WI_OK);
    for (size_t i = 0; i < k->n_par; i++) /* away from the mode, where the gradient is large */
        t[i] = wi_par_mean(&k->par[i], kind) +
               0.3 * wi_par_sd(&k->par[i], kind) * sin(3.0 + (double)i);
    wi_objective_eval(obj, t, &up, grad);
    for (size_t i = 0; i < k->n_par; i++) {
        double mid = t[i], h = 1e-5;

        if (wi_par_sd(&k->par[i], kind) == 0.0) {
            assert_near(grad[i], 0, 0);
            continue;
        }
        t[i] = mid + h;
        wi_objective_eval(obj, t, &up, NULL);
        t[i] = mid - h;
        wi_objective_eval(obj, t, &down, NULL);
        t[i] = mid;
        if (fabs(grad[i] - (up - down) / (2 * h)) > 1e-5 * (1 + fabs(grad[i])))
            fail_msg("%s %s: analytic %.10g, difference %.10g", k->name, k->par[i].name, grad[i],
                     (up - down) / (2 * h));
    }
    wi_objective_free(obj);
    free(part);
}

static void the_gradient_is_that_of_finite_differences(void **state)
{
    (void)state;
    check_gradient(WI_GROUP_VIB, WI_MODEL_STUDY);
    check_gradient(WI_GROUP_TH, WI_MODEL_STUDY);
    check_gradient(WI_GROUP_VIB, WI_MODEL_DEFAULT);
    check_gradient(WI_GROUP_TH, WI_MODEL_DEFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rows_are_those_of_the_study),
        cmocka_unit_test(predictions_agree_with_the_reference_to_1e_8),
        cmocka_unit_test(the_objective_at_the_reference_mode_is_the_reference_value),
        cmocka_unit_test(the_gradient_is_that_of_finite_differences),
        cmocka_unit_test(the_fit_is_no_worse_than_the_reference),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
