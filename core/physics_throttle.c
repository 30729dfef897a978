#include "core/physics_forecast.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/normal.h"
#include "core/phys_rows.h"

#define SPEED_MIN_FRAC 0.35 /* the worst of published reviews that still ran: -65 % */
/* Where no threshold is stated, a tenth of the drives at least does not throttle: published warning
 * temperatures reach from 70 to 118 C, and self-heating is that of full load. */
#define PROB_MAX 0.9
#define WARM_C 45.0 /* from here an unstated interface is worth a warning */
/* WCTEMP of the pairs that published dumps show (throttle.seen.wctemp), each counted once. */
static const double published_c[] = {70, 77, 78, 80, 81, 82, 83, 84, 90, 90, 100, 110, 118};
enum { TEMPS = sizeof(published_c) / sizeof(published_c[0]), SELF_NODES = 9 };
_Static_assert(TEMPS *SELF_NODES <= WI_THROTTLE_NODES, "room for all drives");

/* Self-heating at full load by what the drive is built as. */
struct build {
    const char *words[6]; /* found in the interface text, any case */
    double low_k, high_k;
};

/*
 * M.2: 8 K/W x 4.5 W to 11 K/W x 9 W. Data-centre: OCP asks for full speed in air of 35 C below a
 * WCTEMP of 77 C, so the rise is at most 42 K; that a drive is one of them is not known from its
 * connector, so all published temperatures count. Others: no published figure; 5 to 25 K is our
 * assumption for a few watts in a metal case.
 */
static const struct build builds[] = {
    {{"m.2", "m2", NULL}, 36, 99},
    {{"u.2", "u.3", "e1.", "e3.", "edsff", NULL}, 20, 42},
    {{"nvme", "pcie", NULL}, 20, 99},
    {{"sata", "sas", "ata", "usb", NULL}, 5, 25},
    {{NULL}, 5, 25}, /* not stated, or a word that says nothing */
};

static const struct build *find_build(const char *interface)
{
    const struct build *b = builds;

    for (; b->words[0]; b++) {
        for (size_t i = 0; b->words[i]; i++) {
            if (strcasestr(interface, b->words[i]))
                return b;
        }
    }
    return b;
}

/* As fmin and fmax of numbers, which are calls. */
static double smaller(double x, double y)
{
    return x < y ? x : y;
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

/* Share of full speed that keeps the drive at its limit. */
static double speed_frac(double limit_c, double self_k, double air_c)
{
    return larger(SPEED_MIN_FRAC, smaller(1.0, (limit_c - air_c) / self_k));
}

static int by_onset(const void *a, const void *b)
{
    const struct wi_throttle_node *x = a, *y = b;

    if (x->onset_c != y->onset_c)
        return x->onset_c < y->onset_c ? -1 : 1;
    return (x->limit_c > y->limit_c) - (x->limit_c < y->limit_c);
}

void wi_throttle_drives_init(const char *interface, double measured_c, double wctemp_c,
                             struct wi_throttle_drives *drives)
{
    const struct build *b = find_build(interface);
    bool published = isnan(wctemp_c), measured = !isnan(measured_c) && published;
    size_t n_temps = published ? TEMPS : 1;

    *drives = (struct wi_throttle_drives){
        .self_low_k = b->low_k,
        .self_high_k = b->high_k,
        .interface_stated = b->words[0] != NULL,
        .prob_max = published ? PROB_MAX : 1.0,
        .onset_low_c = (published ? published_c[0] : wctemp_c) - b->high_k,
        .onset_high_c = (published ? published_c[TEMPS - 1] : wctemp_c) - b->low_k};
    if (measured)
        drives->onset_low_c = fmax(drives->onset_low_c, measured_c);
    for (size_t i = 0; i < n_temps; i++) {
        for (size_t j = 0; j < SELF_NODES; j++) {
            double limit_c = published ? published_c[i] : wctemp_c;
            double self_k = b->low_k + (b->high_k - b->low_k) * ((double)j + 0.5) / SELF_NODES;

            if (!measured || limit_c - self_k >= measured_c)
                drives->nodes[drives->n++] =
                    (struct wi_throttle_node){limit_c, self_k, limit_c - self_k};
        }
    }
    qsort(drives->nodes, drives->n, sizeof(drives->nodes[0]), by_onset);
}

/* One drive at the temperatures asked for. */
struct outcome {
    double speed; /* ratio, after to before */
    double reach_frac;
};

static bool is_before(const struct outcome *x, const struct outcome *y)
{
    return x->speed != y->speed ? x->speed < y->speed : x->reach_frac < y->reach_frac;
}

/* The drives that throttle at one of both temperatures, the slowest first. */
static size_t find_outcomes(const struct wi_throttle_drives *drives, double at_c, double before_c,
                            struct outcome *list)
{
    double hotter_c = larger(at_c, before_c), cooler_c = smaller(at_c, before_c);
    double per_k = 1.0 / (hotter_c - cooler_c);
    size_t n = 0;

    /* By onset they are nearly in order, so that insertion moves little. */
    for (; n < drives->n && drives->nodes[n].onset_c < hotter_c; n++) {
        const struct wi_throttle_node *d = &drives->nodes[n];
        double after = speed_frac(d->limit_c, d->self_k, at_c);
        double before = before_c > d->onset_c ? speed_frac(d->limit_c, d->self_k, before_c) : 1.0;
        struct outcome o = {after / before,
                            smaller(1.0, larger(0.0, d->onset_c - cooler_c) * per_k)};
        size_t k = n;

        for (; k > 0 && is_before(&o, &list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = o;
    }
    return n;
}

/* Neighbours in speed become one part, so that a quantile costs 6 terms and not 117. */
static void group(struct wi_throttle *t, const struct outcome *list, size_t n, double weight)
{
    t->n = n < WI_THROTTLE_PARTS ? n : WI_THROTTLE_PARTS;
    for (size_t g = 0; g < t->n; g++) {
        size_t first = g * n / t->n, end = (g + 1) * n / t->n;
        double product = 1.0; /* of up to 20 factors in 0.35..1/0.35 */
        double reach = 0.0;

        for (size_t i = first; i < end; i++) {
            product *= list[i].speed;
            reach += list[i].reach_frac;
        }
        t->log_speed[g] = log(product) / (double)(end - first);
        t->reach_frac[g] = reach / (double)(end - first);
        t->weight[g] = (double)(end - first) * weight;
    }
}

double wi_throttle_asked_c(const struct wi_scenario *s)
{
    const struct wi_exposure *e = &s->exposure;

    if (s->phase != WI_PHASE_POST)
        return e->during.temp_c;
    return e->has_after ? e->after.temp_c : e->before.temp_c;
}

void wi_throttle_at(const struct wi_throttle_drives *drives, double at_c, double before_c,
                    struct wi_throttle *t)
{
    struct outcome list[WI_THROTTLE_NODES];
    double weight;
    size_t n;

    t->prob = 0.0;
    t->n = 0;
    t->at_c = at_c;
    t->before_c = before_c;
    t->self_low_k = drives->self_low_k;
    t->self_high_k = drives->self_high_k;
    t->onset_low_c = drives->onset_low_c;
    t->onset_high_c = drives->onset_high_c;
    t->interface_stated = drives->interface_stated;
    if (at_c == before_c || larger(at_c, before_c) <= drives->onset_low_c)
        return;
    n = find_outcomes(drives, at_c, before_c, list);
    if (n == 0 || (double)n < WI_THROTTLE_NEGLIGIBLE * (double)drives->n)
        return;
    weight = 1.0 / (double)drives->n;
    t->prob = (double)n * weight;
    if (t->prob > drives->prob_max) {
        t->prob = drives->prob_max;
        weight = t->prob / (double)n;
    }
    group(t, list, n, weight);
}

void wi_throttle_eval(const struct wi_scenario *s, double measured_c, double wctemp_c,
                      struct wi_throttle *t)
{
    struct wi_throttle_drives drives;

    wi_throttle_drives_init(s->interface, measured_c, wctemp_c, &drives);
    wi_throttle_at(&drives, wi_throttle_asked_c(s), s->exposure.before.temp_c, t);
}

bool wi_throttle_mix(const struct wi_throttle *t, enum wi_metric metric, size_t n,
                     const double *weight, const double *mean, const double *sd, size_t n_probs,
                     const double *probs, double *quantiles)
{
    enum { MAX = WI_MIX_MAX * (WI_THROTTLE_PARTS + 1) };
    double w[MAX], m[MAX], d[MAX];
    double sign = metric == WI_METRIC_BANDWIDTH ? 1.0 : -1.0;
    size_t k = 0;

    assert(n >= 1 && n <= WI_MIX_MAX);
    if (t->prob <= 0.0)
        return false;
    for (size_t i = 0; i < n; i++) {
        w[k] = weight[i] * fmax(0.0, 1.0 - t->prob);
        m[k] = mean[i];
        d[k++] = sd[i];
        for (size_t j = 0; j < t->n; j++) {
            w[k] = weight[i] * t->weight[j];
            m[k] = t->reach_frac[j] * mean[i] + sign * t->log_speed[j];
            d[k++] = sd[i];
        }
    }
    for (size_t i = 0; i < n_probs; i++)
        quantiles[i] = wi_normal_mixture_quantile(k, w, m, d, probs[i]);
    return true;
}

bool wi_throttle_carries(const struct wi_throttle *t)
{
    return t->prob >= 0.5;
}

enum wi_status wi_throttle_warn(const struct wi_throttle *t, struct wi_texts *warnings,
                                struct wi_err *err)
{
    double air_c = fmax(t->at_c, t->before_c);
    char unstated[160] = "";

    if (!t->interface_stated && air_c >= WARM_C)
        snprintf(unstated, sizeof(unstated),
                 "; the interface is not stated: a bare M.2 drive heats itself by %g to %g K and "
                 "throttles in much cooler air",
                 builds[0].low_k, builds[0].high_k);
    if (t->prob <= 0.0 && !*unstated)
        return WI_OK;
    if (t->prob <= 0.0)
        return wi_texts_add(warnings, WI_THROTTLE_CITES, err,
                            "throttling is not part of this answer%s", unstated);
    return wi_texts_add(
        warnings, WI_THROTTLE_CITES, err,
        "throttling: in air of %g C %.0f %% of the drives considered here would slow themselves "
        "(published warning temperatures, self-heating by %g to %g K), losing up to 65 %% of "
        "bandwidth as reviews show; the interval holds drives that do and drives that do not%s",
        air_c, 100.0 * t->prob, t->self_low_k, t->self_high_k, unstated);
}
