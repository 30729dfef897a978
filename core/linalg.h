/*
 * Dense linear algebra on OpenBLAS and LAPACK; the only place that calls them.
 *
 * Matrices are row-major. On x86-64 with AVX2 the library is pinned to its Haswell kernels before
 * its first call, so that results do not depend on the processor's generation; the user's own
 * OPENBLAS_CORETYPE wins.
 */
#ifndef WI_CORE_LINALG_H
#define WI_CORE_LINALG_H

#include "core/status.h"

/*
 * Cholesky factor in place: A = L L'.
 * in:   a  (n, n) symmetric; only the lower triangle is read
 * out:  a  (n, n) L, with zeros above the diagonal
 * returns WI_OK; WI_ENUMERIC if A is not positive definite
 */
enum wi_status wi_linalg_cholesky(double *a, size_t n, struct wi_err *err);

/* Invert a lower triangular matrix in place. WI_ENUMERIC if a diagonal element is 0. */
enum wi_status wi_linalg_invert_lower(double *l, size_t n, struct wi_err *err);

/* From the factor L to the full symmetric inverse of L L', in place. */
enum wi_status wi_linalg_invert_from_cholesky(double *l, size_t n, struct wi_err *err);

/* Solve L X = B (or L' X = B) in place; b is (n, n_rhs). */
void wi_linalg_solve_lower(const double *l, size_t n, double *b, size_t n_rhs);
void wi_linalg_solve_lower_t(const double *l, size_t n, double *b, size_t n_rhs);

/* y = A x for A (m, n); y = A' x with A (m, n), y (n). */
void wi_linalg_mul_vec(const double *a, size_t m, size_t n, const double *x, double *y);
void wi_linalg_mul_vec_t(const double *a, size_t m, size_t n, const double *x, double *y);

/* C (m, n) = A (m, k) B (k, n); C = A B' with B (n, k); C = A' B with A (k, m). */
void wi_linalg_mul(const double *a, const double *b, double *c, size_t m, size_t n, size_t k);
void wi_linalg_mul_bt(const double *a, const double *b, double *c, size_t m, size_t n, size_t k);
void wi_linalg_mul_at(const double *a, const double *b, double *c, size_t m, size_t n, size_t k);

/* B (m, n) = B L' for a lower triangular L (n, n), in place. */
void wi_linalg_mul_lower_t(const double *l, size_t n, double *b, size_t m);

/*
 * Eigenvalues and vectors of a symmetric matrix.
 * in:   a  (n, n), lower triangle
 * out:  a  (n, n) row i is the eigenvector of w[i]
 *       w  (n,) ascending
 */
enum wi_status wi_linalg_eigen_sym(double *a, size_t n, double *w, struct wi_err *err);

/*
 * Thin singular value decomposition A = U diag(s) V', k = min(m, n).
 * in:   a  (m, n), destroyed
 * out:  s  (k,) descending;  u  (m, k);  vt  (k, n)
 */
enum wi_status wi_linalg_svd(double *a, size_t m, size_t n, double *s, double *u, double *vt,
                             struct wi_err *err);

#endif
