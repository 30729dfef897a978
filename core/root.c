#include "core/root.h"

#include <math.h>

#define N_GOLDEN 60 /* golden section steps: each keeps 0.618 of the stretch */

enum wi_status wi_root_itp(wi_curve_fn f, void *ctx, double a, double ya, double b, double yb,
                           double tolerance, double *root, struct wi_err *err)
{
    double eps = tolerance / 2.0;
    double kappa = 0.2 / fabs(b - a);
    double budget; /* eps 2^(n_max - j): how far from the middle step j may go */

    if (ya == 0.0 || yb == 0.0) {
        *root = ya == 0.0 ? a : b;
        return WI_OK;
    }
    if ((ya < 0.0) == (yb < 0.0))
        return wi_fail(err, WI_ERANGE, "no sign change between %g and %g", a, b);
    budget = eps * exp2(fmax(ceil(log2(fabs(b - a) / (2.0 * eps))), 0.0) + 1.0);
    while (fabs(b - a) > 2.0 * eps) {
        double half = (a + b) / 2.0;
        double radius = budget - fabs(b - a) / 2.0;
        double delta = kappa * (b - a) * (b - a);
        double falsi = (yb * a - ya * b) / (yb - ya);
        double side = half >= falsi ? 1.0 : -1.0;
        /* Truncation towards the middle, then projection into the radius around it. */
        double x = delta <= fabs(half - falsi) ? falsi + side * delta : half;
        double y = NAN;
        enum wi_status st;

        if (fabs(x - half) > radius)
            x = half - side * radius;
        st = f(ctx, x, &y, err);
        if (st != WI_OK)
            return st;
        if (y == 0.0) {
            *root = x;
            return WI_OK;
        }
        if ((y < 0.0) == (ya < 0.0)) {
            a = x;
            ya = y;
        } else {
            b = x;
            yb = y;
        }
        budget /= 2.0;
    }
    *root = (a + b) / 2.0;
    return WI_OK;
}

/* --- the first crossing ------------------------------------------------------------------------
 */

struct point {
    double x, y;
};

struct scan {
    wi_curve_fn f;
    void *ctx;
    double tolerance;
};

static enum wi_status eval(const struct scan *s, double x, struct point *p, struct wi_err *err)
{
    p->x = x;
    return s->f(s->ctx, x, &p->y, err);
}

/* The highest point between two others around a peak of the scan (golden section, Kiefer 1953);
 * stops as soon as it is 0 or above. sign -1 looks for the lowest, below 0. */
static enum wi_status climb(const struct scan *s, double a, double b, double sign,
                            struct point *top, struct wi_err *err)
{
    const double golden = 0.6180339887498949;
    struct point left;
    struct point right;
    enum wi_status st = eval(s, b - golden * (b - a), &left, err);

    if (st == WI_OK)
        st = eval(s, a + golden * (b - a), &right, err);
    for (int i = 0; i < N_GOLDEN && st == WI_OK && fabs(b - a) > s->tolerance; i++) {
        *top = sign * left.y > sign * right.y ? left : right;
        if (sign > 0.0 ? top->y >= 0.0 : top->y < 0.0)
            return WI_OK;
        if (sign * left.y > sign * right.y) {
            b = right.x;
            right = left;
            st = eval(s, b - golden * (b - a), &left, err);
        } else {
            a = left.x;
            left = right;
            st = eval(s, a + golden * (b - a), &right, err);
        }
    }
    if (st == WI_OK)
        *top = sign * left.y > sign * right.y ? left : right;
    return st;
}

static enum wi_status cross(const struct scan *s, struct point a, struct point b, double *x,
                            struct wi_err *err)
{
    return wi_root_itp(s->f, s->ctx, a.x, a.y, b.x, b.y, s->tolerance, x, err);
}

/*
 * Whether the curve changes sides between `b` and the point after it, or around b, where the scan
 * shows an extremum. above: the side it is on.
 */
static enum wi_status look(const struct scan *s, const struct point *a, const struct point *b,
                           const struct point *c, bool above, bool *found, double *x,
                           struct wi_err *err)
{
    double sign = above ? -1.0 : 1.0;
    struct point top = *b;
    enum wi_status st = WI_OK;

    *found = false;
    if (a && sign * b->y >= sign * a->y && sign * b->y >= sign * c->y && a->y != b->y) {
        st = climb(s, a->x, c->x, sign, &top, err);
        if (st == WI_OK && (top.y >= 0.0) != above) {
            *found = true;
            return cross(s, *a, top, x, err);
        }
    }
    if (st == WI_OK && (c->y >= 0.0) != above) {
        *found = true;
        return cross(s, *b, *c, x, err);
    }
    return st;
}

enum wi_status wi_root_first(wi_curve_fn f, void *ctx, double from, double to, size_t n_scan,
                             double tolerance, struct wi_crossing *out, struct wi_err *err)
{
    struct scan s = {.f = f, .ctx = ctx, .tolerance = tolerance};
    struct point a = {0};
    struct point b;
    struct point c;
    struct wi_crossing res = {.x = NAN, .back_x = NAN};
    enum wi_status st = eval(&s, from, &b, err);

    if (st == WI_OK && b.y >= 0.0) {
        res.found = res.from_start = true;
        res.x = from;
    }
    for (size_t i = 1; i <= n_scan && st == WI_OK && !res.back; i++) {
        bool found = false;
        double x = NAN;

        st = eval(&s, from + (to - from) * (double)i / (double)n_scan, &c, err);
        if (st == WI_OK)
            st = look(&s, i > 1 ? &a : NULL, &b, &c, res.found, &found, &x, err);
        if (st == WI_OK && found && res.found) {
            res.back = true;
            res.back_x = x;
        } else if (st == WI_OK && found) {
            res.found = true;
            res.x = x;
            if (c.y < 0.0) { /* up and down again between the points */
                struct point up;

                st = climb(&s, a.x, c.x, 1.0, &up, err);
                if (st == WI_OK && up.y >= 0.0) {
                    st = cross(&s, up, c, &res.back_x, err);
                    res.back = st == WI_OK;
                }
            }
        }
        a = b;
        b = c;
    }
    if (st == WI_OK)
        *out = res;
    return st;
}
