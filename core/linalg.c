#include "core/linalg.h"

#include <cblas.h>
#include <lapacke.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Statically linked OpenBLAS reads the variable in its own constructor, which runs after this one.
 */
__attribute__((constructor(101))) static void pin_core(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
}

/*
 * Debian's serial OpenBLAS hands out its work buffers without a lock: two calls at once may get the
 * same one and compute wrong numbers (seen: two sweep threads, intervals off by a fifth). One lock
 * for all calls; they take microseconds. The lock is the only state of the library that is not an
 * object of a caller.
 */
static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
    pthread_mutex_lock(&blas_lock);
}

static void leave(void)
{
    pthread_mutex_unlock(&blas_lock);
}

/* LAPACK is column-major: a row-major lower triangle is its upper one, without a copy. */

static enum wi_status check_size(size_t n, struct wi_err *err)
{
    return n > INT_MAX / 2 ? wi_fail(err, WI_ERANGE, "matrix of %zu rows is too large", n) : WI_OK;
}

static void clear_above(double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memset(a + i * n + i + 1, 0, (n - i - 1) * sizeof(*a));
}

enum wi_status wi_linalg_cholesky(double *a, size_t n, struct wi_err *err)
{
    enum wi_status st = check_size(n, err);
    lapack_int info;

    if (st != WI_OK || n == 0)
        return st;
    enter();
    info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, a, (lapack_int)n);
    leave();
    if (info != 0)
        return wi_fail(err, WI_ENUMERIC, "matrix of %zu rows is not positive definite at row %d", n,
                       (int)info);
    clear_above(a, n);
    return WI_OK;
}

enum wi_status wi_linalg_invert_lower(double *l, size_t n, struct wi_err *err)
{
    enum wi_status st = check_size(n, err);
    lapack_int info;

    if (st != WI_OK || n == 0)
        return st;
    enter();
    info = LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', (lapack_int)n, l, (lapack_int)n);
    leave();
    if (info != 0)
        return wi_fail(err, WI_ENUMERIC, "triangular matrix of %zu rows is singular", n);
    return WI_OK;
}

enum wi_status wi_linalg_invert_from_cholesky(double *l, size_t n, struct wi_err *err)
{
    enum wi_status st = check_size(n, err);
    lapack_int info;

    if (st != WI_OK || n == 0)
        return st;
    enter();
    info = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, l, (lapack_int)n);
    leave();
    if (info != 0)
        return wi_fail(err, WI_ENUMERIC, "factor of %zu rows is singular", n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            l[j * n + i] = l[i * n + j];
    }
    return WI_OK;
}

void wi_linalg_solve_lower(const double *l, size_t n, double *b, size_t n_rhs)
{
    if (n && n_rhs) {
        enter();
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n,
                    (int)n_rhs, 1.0, l, (int)n, b, (int)n_rhs);
        leave();
    }
}

void wi_linalg_solve_lower_t(const double *l, size_t n, double *b, size_t n_rhs)
{
    if (n && n_rhs) {
        enter();
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)n,
                    (int)n_rhs, 1.0, l, (int)n, b, (int)n_rhs);
        leave();
    }
}

void wi_linalg_mul_vec(const double *a, size_t m, size_t n, const double *x, double *y)
{
    memset(y, 0, m * sizeof(*y));
    if (m && n) {
        enter();
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)m, (int)n, 1.0, a, (int)n, x, 1, 0.0, y, 1);
        leave();
    }
}

void wi_linalg_mul_vec_t(const double *a, size_t m, size_t n, const double *x, double *y)
{
    memset(y, 0, n * sizeof(*y));
    if (m && n) {
        enter();
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)m, (int)n, 1.0, a, (int)n, x, 1, 0.0, y, 1);
        leave();
    }
}

void wi_linalg_mul(const double *a, const double *b, double *c, size_t m, size_t n, size_t k)
{
    memset(c, 0, m * n * sizeof(*c));
    if (m && n && k) {
        enter();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1.0, a,
                    (int)k, b, (int)n, 0.0, c, (int)n);
        leave();
    }
}

void wi_linalg_mul_bt(const double *a, const double *b, double *c, size_t m, size_t n, size_t k)
{
    memset(c, 0, m * n * sizeof(*c));
    if (m && n && k) {
        enter();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, 1.0, a, (int)k,
                    b, (int)k, 0.0, c, (int)n);
        leave();
    }
}

void wi_linalg_mul_at(const double *a, const double *b, double *c, size_t m, size_t n, size_t k)
{
    memset(c, 0, m * n * sizeof(*c));
    if (m && n && k) {
        enter();
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1.0, a, (int)m,
                    b, (int)n, 0.0, c, (int)n);
        leave();
    }
}

void wi_linalg_mul_lower_t(const double *l, size_t n, double *b, size_t m)
{
    if (n && m) {
        enter();
        cblas_dtrmm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m, (int)n,
                    1.0, l, (int)n, b, (int)n);
        leave();
    }
}

enum wi_status wi_linalg_eigen_sym(double *a, size_t n, double *w, struct wi_err *err)
{
    enum wi_status st = check_size(n, err);
    lapack_int info;

    if (st != WI_OK || n == 0)
        return st;
    enter();
    info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)n, a, (lapack_int)n, w);
    leave();
    if (info != 0)
        return wi_fail(err, WI_ENUMERIC, "no eigenvalues of a matrix of %zu rows", n);
    return WI_OK;
}

enum wi_status wi_linalg_svd(double *a, size_t m, size_t n, double *s, double *u, double *vt,
                             struct wi_err *err)
{
    enum wi_status st = check_size(m > n ? m : n, err);
    lapack_int k = (lapack_int)(m < n ? m : n);
    lapack_int info;

    if (st != WI_OK || k == 0)
        return st;
    /* Column-major, a is A' = V diag(s) U': the two factors change places. */
    enter();
    info = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', (lapack_int)n, (lapack_int)m, a, (lapack_int)n, s,
                          vt, (lapack_int)n, u, k);
    leave();
    if (info != 0)
        return wi_fail(err, WI_ENUMERIC, "no singular values of a %zu by %zu matrix", m, n);
    return WI_OK;
}
