#include "experiments/sweep_find.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/fastpath.h"

#define COMBINATIONS_MAX 100000
#define VALUE_MAX 160
#define TOLERANCE_FRAC 1e-7 /* of the factor's range */

/* --- the question ------------------------------------------------------------------------------
 */

static const char *skip_spaces(const char *p)
{
    return p + strspn(p, " \t");
}

static enum wi_status expected(const char *text, struct wi_err *err)
{
    return wi_fail(err, WI_EUSAGE,
                   "'%.80s' is no question, expected is FACTOR:METRIC>PCT or FACTOR:METRIC<PCT "
                   "with METRIC p99.99, max or bandwidth",
                   text);
}

static bool read_metric(const char **at, double *percentile)
{
    const char *p = *at;
    char *end = NULL;

    *percentile = NAN;
    if (strncmp(p, "bandwidth", 9) == 0) {
        *at = p + 9;
        return true;
    }
    if (strncmp(p, "max", 3) == 0) {
        *percentile = 100.0;
        *at = p + 3;
        return true;
    }
    if (*p != 'p' || p[1] < '0' || p[1] > '9')
        return false;
    *percentile = strtod(p + 1, &end);
    *at = end;
    return *percentile >= WI_PERCENTILE_MIN && *percentile <= WI_PERCENTILE_MAX;
}

enum wi_status wi_sweep_question_parse(const char *text, struct wi_sweep_question *q,
                                       struct wi_err *err)
{
    const char *p = skip_spaces(text);
    size_t n = strcspn(p, ": \t");
    char *end = NULL;

    if (n == 0 || n >= sizeof(q->factor))
        return expected(text, err);
    memcpy(q->factor, p, n);
    q->factor[n] = '\0';
    p = skip_spaces(p + n);
    if (*p++ != ':')
        return expected(text, err);
    p = skip_spaces(p);
    if (!read_metric(&p, &q->percentile))
        return expected(text, err);
    p = skip_spaces(p);
    if (*p != '<' && *p != '>')
        return expected(text, err);
    q->below = *p++ == '<';
    errno = 0;
    q->threshold_pct = strtod(p, &end);
    if (end == p || errno || !isfinite(q->threshold_pct))
        return expected(text, err);
    p = skip_spaces(end);
    p = skip_spaces(p + (*p == '%'));
    return *p ? expected(text, err) : WI_OK;
}

/* --- the search --------------------------------------------------------------------------------
 */

enum bound { CHANGE, LOW, HIGH };

struct search {
    const struct wi_sweep_spec *spec;
    const struct wi_sweep_question *q;
    struct wi_fast *model;
    size_t factor;
    double from, to;
    double point[WI_DESIGN_FACTORS_MAX];
    enum bound bound;
};

static enum wi_status scenario(const struct search *s, double x, struct wi_scenario *out,
                               struct wi_err *err)
{
    enum wi_status st = wi_sweep_scenario_value(s->spec, s->point, s->factor, x, out, err);

    if (st == WI_OK && !isnan(s->q->percentile))
        st = wi_scenario_set_percentiles(out, &s->q->percentile, 1, err);
    return st;
}

/* How far the prediction is past the threshold. */
static enum wi_status distance(void *ctx, double x, double *y, struct wi_err *err)
{
    const struct search *s = ctx;
    struct wi_scenario at;
    struct wi_fast_row row;
    enum wi_status st = scenario(s, x, &at, err);
    size_t i;
    double value;

    if (st == WI_OK)
        st = wi_fast_predict(s->model, &at, &row, err);
    if (st != WI_OK)
        return st;
    i = isnan(s->q->percentile) ? at.n_percentiles : 0;
    value = s->bound == CHANGE ? row.out[i].change_pct
            : s->bound == LOW  ? row.out[i].low_pct
                               : row.out[i].high_pct;
    *y = s->q->below ? s->q->threshold_pct - value : value - s->q->threshold_pct;
    /* "Exceeds" is more than equal. */
    if (*y == 0.0)
        *y = -0x1p-1022;
    return WI_OK;
}

static enum wi_status cross(struct search *s, enum bound bound, struct wi_crossing *out,
                            struct wi_err *err)
{
    s->bound = bound;
    return wi_root_first(distance, s, s->from, s->to, WI_SWEEP_FIND_SCAN,
                         TOLERANCE_FRAC * fabs(s->to - s->from), out, err);
}

/* Levels of the other factors; the last one varies fastest. */
static void choose(struct search *s, uint64_t index, char (*text)[VALUE_MAX], const char **values)
{
    for (size_t f = wi_sweep_n_factors(s->spec); f-- > 0;) {
        uint64_t levels = wi_sweep_factor_levels(s->spec, f);

        s->point[f] = 0.5;
        values[f] = NULL;
        if (f == s->factor)
            continue;
        if (levels) {
            s->point[f] = ((double)(index % levels) + 0.5) / (double)levels;
            index /= levels;
        }
        wi_sweep_factor_format(s->spec, f, s->point[f], text[f], VALUE_MAX);
        values[f] = text[f];
    }
}

static enum wi_status count(const struct search *s, uint64_t *n, struct wi_err *err)
{
    *n = 1;
    for (size_t f = 0; f < wi_sweep_n_factors(s->spec); f++) {
        uint64_t levels = wi_sweep_factor_levels(s->spec, f);

        if (f == s->factor || !levels)
            continue;
        if (levels > COMBINATIONS_MAX / *n)
            return wi_fail(err, WI_EDATA,
                           "factors: more than %d combinations beside '%s', give fewer levels",
                           COMBINATIONS_MAX, s->q->factor);
        *n *= levels;
    }
    return WI_OK;
}

static enum wi_status find_factor(struct search *s, struct wi_err *err)
{
    size_t n = wi_sweep_n_factors(s->spec);

    s->factor = 0;
    while (s->factor < n && strcmp(wi_sweep_factor_name(s->spec, s->factor), s->q->factor) != 0)
        s->factor++;
    if (s->factor == n || !wi_sweep_factor_range(s->spec, s->factor, &s->from, &s->to))
        return wi_fail(err, WI_EDATA, "factors.%s: the spec has no such numeric factor",
                       s->q->factor);
    if (s->from == s->to)
        return wi_fail(err, WI_EDATA, "factors.%s: one value only, a search needs a range",
                       s->q->factor);
    return WI_OK;
}

static enum wi_status search_all(struct search *s, wi_sweep_answer_fn answer, void *ctx,
                                 struct wi_err *err)
{
    char(*text)[VALUE_MAX] = calloc(WI_DESIGN_FACTORS_MAX, VALUE_MAX);
    const char *values[WI_DESIGN_FACTORS_MAX];
    uint64_t n = 0;
    enum wi_status st = text ? count(s, &n, err) : wi_fail_nomem(err);

    for (uint64_t i = 0; i < n && st == WI_OK; i++) {
        struct wi_sweep_answer a = {.index = i};

        choose(s, i, text, values);
        st = scenario(s, s->from, &a.scenario, err);
        if (st == WI_OK)
            st = cross(s, CHANGE, &a.change, err);
        if (st == WI_OK)
            st = cross(s, s->q->below ? LOW : HIGH, &a.earliest, err);
        if (st == WI_OK)
            st = cross(s, s->q->below ? HIGH : LOW, &a.latest, err);
        if (st == WI_OK)
            st = answer(ctx, &a, values, err);
    }
    free(text);
    return st;
}

enum wi_status wi_sweep_find(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                             const struct wi_sweep_question *q, wi_sweep_answer_fn answer,
                             void *ctx, struct wi_err *err)
{
    struct search s = {.spec = spec, .q = q};
    enum wi_status st = find_factor(&s, err);

    if (st == WI_OK)
        st = wi_fast_new(ev, false, &s.model, err);
    if (st == WI_OK)
        st = search_all(&s, answer, ctx, err);
    wi_fast_free(s.model);
    return st;
}
