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
#define MEASURED_MAX_C 60.0 /* hottest air of the stored experiments; drives sped up there */
#define OCP_WCTEMP_C 77.0
#define WARM_C 45.0 /* from here an unstated interface is worth a warning */
enum { SELF_NODES = 9 };

/* WCTEMP of the pairs that published dumps show (throttle.seen.wctemp), each counted once. */
static const double published_c[] = {70, 77, 78, 80, 81, 82, 83, 84, 90, 90, 100, 110, 118};
enum { TEMPS = sizeof(published_c) / sizeof(published_c[0]) };

/* Self-heating at full load by what the drive is built as. */
struct build {
    const char *words[6]; /* found in the interface text, any case */
    double low_k, high_k;
    double wctemp_c; /* NaN = all published ones */
};

/*
 * M.2: 8 K/W x 4.5 W to 11 K/W x 9 W. Data-centre: OCP asks for full speed in air of 35 C below a
 * WCTEMP of 77 C, so the rise is at most 42 K. Others: no published figure; 5 to 25 K is our
 * assumption for a few watts in a metal case.
 */
static const struct build builds[] = {
    {{"m.2", "m2", NULL}, 36, 99, NAN},
    {{"u.2", "u.3", "e1.", "e3.", "edsff", NULL}, 20, 42, OCP_WCTEMP_C},
    {{"nvme", "pcie", NULL}, 20, 99, NAN},
    {{NULL}, 5, 25, NAN},
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

/* The air at which the answer is asked for: post looks at the step after. */
static double asked_temp_c(const struct wi_scenario *s)
{
    const struct wi_exposure *e = &s->exposure;

    if (s->phase != WI_PHASE_POST)
        return e->during.temp_c;
    return e->has_after ? e->after.temp_c : e->before.temp_c;
}

/* Share of full speed that keeps the drive at its limit. */
static double speed_frac(double limit_c, double self_k, double air_c)
{
    return fmax(SPEED_MIN_FRAC, fmin(1.0, (limit_c - air_c) / self_k));
}

struct node {
    double log_speed, reach_frac;
};

static int by_speed(const void *a, const void *b)
{
    const struct node *x = a, *y = b;

    if (x->log_speed != y->log_speed)
        return x->log_speed < y->log_speed ? -1 : 1;
    return (x->reach_frac > y->reach_frac) - (x->reach_frac < y->reach_frac);
}

/* Neighbours in speed become one part, so that a quantile costs 6 terms and not 117. */
static void group(struct wi_throttle *t, const struct node *nodes, size_t n, double node_weight)
{
    t->n = n < WI_THROTTLE_PARTS ? n : WI_THROTTLE_PARTS;
    for (size_t g = 0; g < t->n; g++) {
        size_t first = g * n / t->n, end = (g + 1) * n / t->n;

        for (size_t i = first; i < end; i++) {
            t->log_speed[g] += nodes[i].log_speed / (double)(end - first);
            t->reach_frac[g] += nodes[i].reach_frac / (double)(end - first);
        }
        t->weight[g] = (double)(end - first) * node_weight;
    }
    t->prob = (double)n * node_weight;
}

void wi_throttle_eval(const struct wi_scenario *s, bool known_drive, double wctemp_c,
                      struct wi_throttle *t)
{
    const struct build *b = find_build(s->interface);
    double fixed_c = isnan(wctemp_c) ? b->wctemp_c : wctemp_c;
    size_t n_temps = isnan(fixed_c) ? TEMPS : 1, n_kept = 0, n_nodes = 0;
    double hotter_c;
    struct node nodes[TEMPS * SELF_NODES];

    memset(t, 0, sizeof(*t));
    t->at_c = asked_temp_c(s);
    t->before_c = s->exposure.before.temp_c;
    t->self_low_k = b->low_k;
    t->self_high_k = b->high_k;
    t->interface_stated = s->interface[0] != '\0';
    t->onset_low_c = (isnan(fixed_c) ? published_c[0] : fixed_c) - b->high_k;
    t->onset_high_c = (isnan(fixed_c) ? published_c[TEMPS - 1] : fixed_c) - b->low_k;
    if (known_drive && isnan(wctemp_c))
        t->onset_low_c = fmax(t->onset_low_c, MEASURED_MAX_C);
    hotter_c = fmax(t->at_c, t->before_c);
    if (t->at_c == t->before_c || hotter_c <= t->onset_low_c)
        return;
    for (size_t i = 0; i < n_temps; i++) {
        for (size_t j = 0; j < SELF_NODES; j++) {
            double limit_c = isnan(fixed_c) ? published_c[i] : fixed_c;
            double self_k = b->low_k + (b->high_k - b->low_k) * ((double)j + 0.5) / SELF_NODES;
            double onset_c = limit_c - self_k;
            double cooler_c = fmin(t->at_c, t->before_c);

            if (known_drive && isnan(wctemp_c) && onset_c < MEASURED_MAX_C)
                continue;
            n_kept++;
            if (hotter_c <= onset_c)
                continue;
            nodes[n_nodes++] = (struct node){
                .log_speed = log(speed_frac(limit_c, self_k, t->at_c) /
                                 speed_frac(limit_c, self_k, t->before_c)),
                .reach_frac = fmin(1.0, fmax(0.0, onset_c - cooler_c) / (hotter_c - cooler_c))};
        }
    }
    if (n_kept == 0 || (double)n_nodes < WI_THROTTLE_NEGLIGIBLE * (double)n_kept)
        return;
    qsort(nodes, n_nodes, sizeof(nodes[0]), by_speed);
    group(t, nodes, n_nodes, 1.0 / (double)n_kept);
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
        return wi_texts_add(warnings, "throttling-published-drops", err,
                            "throttling is not part of this answer%s", unstated);
    return wi_texts_add(
        warnings, "throttling-published-drops", err,
        "throttling: in air of %g C %.0f %% of the drives considered here would slow themselves "
        "(published warning temperatures, self-heating by %g to %g K), losing up to 65 %% of "
        "bandwidth as reviews show; the interval holds drives that do and drives that do not%s",
        air_c, 100.0 * t->prob, t->self_low_k, t->self_high_k, unstated);
}
