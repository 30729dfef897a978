/* Where the steps of a series are. */
#include <math.h>
#include <stdlib.h>

#include "experiments/exposure_internal.h"

#define STEP_SIGNIFICANT 1.5 /* units of significance between neighbouring steps */
#define SCATTER_FACTOR 2.0
#define RAMP_EDGE_FRAC 0.1

static double segment_error(const struct points *p, size_t from, size_t to)
{
    double total = 0.0;
    double n = (double)(to - from);

    for (size_t q = 0; q < N_QUANTITIES; q++) {
        double sum;

        if (!p->has[q]) /* adds nothing, and this is the inner loop */
            continue;
        sum = p->sum[to][q] - p->sum[from][q];
        total += fmax(0.0, p->sum_sq[to][q] - p->sum_sq[from][q] - sum * sum / n);
    }
    return total;
}

/* Do neighbouring segments differ by more than matters, and than they scatter? */
static bool differ(const struct points *p, size_t a, size_t cut, size_t b)
{
    for (size_t q = 0; q < N_QUANTITIES; q++) {
        double n1 = (double)(cut - a);
        double n2 = (double)(b - cut);
        double m1 = (p->sum[cut][q] - p->sum[a][q]) / n1;
        double m2 = (p->sum[b][q] - p->sum[cut][q]) / n2;
        double s1 = p->sum_sq[cut][q] - p->sum_sq[a][q] - n1 * m1 * m1;
        double s2 = p->sum_sq[b][q] - p->sum_sq[cut][q] - n2 * m2 * m2;
        double sd = sqrt(fmax(0.0, s1 + s2) / (n1 + n2));

        if (fabs(m2 - m1) > STEP_SIGNIFICANT && fabs(m2 - m1) > SCATTER_FACTOR * sd)
            return true;
    }
    return false;
}

static size_t shortest_segment(size_t n)
{
    return n / 200 > 2 ? n / 200 : 2;
}

static bool cut_in_three(const struct points *p, size_t *cut1, size_t *cut2)
{
    size_t least = shortest_segment(p->n);
    double best = INFINITY;

    for (size_t a = least; a + 2 * least <= p->n; a++) {
        double head = segment_error(p, 0, a);

        for (size_t b = a + least; head < best && b + least <= p->n; b++) {
            double e = head + segment_error(p, a, b) + segment_error(p, b, p->n);

            if (e < best) {
                best = e;
                *cut1 = a;
                *cut2 = b;
            }
        }
    }
    return isfinite(best) && differ(p, 0, *cut1, *cut2) && differ(p, *cut1, *cut2, p->n);
}

static bool cut_in_two(const struct points *p, size_t *cut)
{
    size_t least = shortest_segment(p->n);
    double best = INFINITY;

    for (size_t a = least; a + least <= p->n; a++) {
        double e = segment_error(p, 0, a) + segment_error(p, a, p->n);

        if (e < best) {
            best = e;
            *cut = a;
        }
    }
    return isfinite(best) && differ(p, 0, *cut, p->n);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const struct points *p, enum quantity q, size_t from, size_t to)
{
    double values[WI_POINTS_MAX];
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        values[n++] = p->items[i].value[q];
    qsort(values, n, sizeof(values[0]), compare_doubles);
    return values[n / 2];
}

/*
 * The ramp across a cut, in the quantity that changes most: from where the value leaves the 10 %
 * band around the level before to where it enters the band around the level after.
 */
static void find_ramp(const struct points *p, size_t a, size_t cut, size_t b, size_t *start,
                      size_t *end)
{
    enum quantity most = Q_TEMP;
    double m1 = 0.0;
    double m2 = 0.0;
    double band;

    for (size_t q = 0; q < N_QUANTITIES; q++) {
        double from = median(p, (enum quantity)q, a, cut);
        double to = median(p, (enum quantity)q, cut, b);

        if (q == 0 || fabs(to - from) > fabs(m2 - m1)) {
            most = (enum quantity)q;
            m1 = from;
            m2 = to;
        }
    }
    band = RAMP_EDGE_FRAC * fabs(m2 - m1);
    *start = cut;
    *end = cut;
    while (*start > a + 1 && fabs(p->items[*start - 1].value[most] - m1) > band)
        (*start)--;
    while (*end + 1 < b && fabs(p->items[*end].value[most] - m2) > band)
        (*end)++;
}

size_t wi_points_cut(const struct points *p, size_t from[3], size_t to[3])
{
    size_t cut1 = 0;
    size_t cut2 = 0;

    from[0] = 0;
    if (cut_in_three(p, &cut1, &cut2)) {
        find_ramp(p, 0, cut1, cut2, &to[0], &from[1]);
        find_ramp(p, cut1, cut2, p->n, &to[1], &from[2]);
        if (to[1] <= from[1]) { /* ramps that meet leave the cut itself as the step */
            from[1] = cut1;
            to[1] = cut2;
        }
        to[2] = p->n;
        return 3;
    }
    if (cut_in_two(p, &cut1)) {
        find_ramp(p, 0, cut1, p->n, &to[0], &from[1]);
        to[1] = p->n;
        return 2;
    }
    to[0] = p->n;
    return 1;
}
