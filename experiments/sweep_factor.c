/*
 * One factor of a sweep: levels, a range with a step, or a distribution.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "core/json.h"
#include "core/normal.h"
#include "experiments/sweep_parts.h"

#define LEVELS_MAX 100000

void sweep_factor_release(struct sweep_factor *factor)
{
    for (uint64_t i = 0; factor->levels && i < factor->n_levels; i++)
        free(factor->levels[i].text);
    free(factor->levels);
    factor->levels = NULL;
}

bool sweep_factor_has_levels(const struct sweep_factor *f)
{
    return f->kind == SWEEP_LEVELS || f->kind == SWEEP_RANGE;
}

static enum wi_status read_levels(const cJSON *item, const char *path, struct sweep_factor *factor,
                                  struct wi_err *err)
{
    int n = cJSON_GetArraySize(item);
    const cJSON *one = NULL;

    if (n < 1 || n > LEVELS_MAX)
        return wi_fail(err, WI_EDATA, "%s: %d levels, allowed is 1 to %d", path, n, LEVELS_MAX);
    factor->kind = SWEEP_LEVELS;
    factor->levels = calloc((size_t)n, sizeof(*factor->levels));
    if (!factor->levels)
        return wi_fail_nomem(err);
    cJSON_ArrayForEach(one, item)
    {
        struct sweep_level *level = &factor->levels[factor->n_levels];
        struct wi_scenario probe;
        char where[192];
        char buf[1024];
        const char *text;
        enum wi_status st;

        snprintf(where, sizeof(where), "%s[%d]", path, (int)factor->n_levels);
        st = sweep_read_value(factor->field, one, where, buf, sizeof(buf), &level->number, &text,
                              err);
        wi_scenario_init(&probe);
        if (st == WI_OK)
            st = sweep_apply(factor->field, &probe, level->number, text, where, err);
        if (st != WI_OK)
            return st;
        level->text = strdup(text);
        if (!level->text)
            return wi_fail_nomem(err);
        factor->n_levels++;
    }
    return WI_OK;
}

static enum wi_status need(const cJSON *obj, const char *path, const char *key, double *out,
                           struct wi_err *err)
{
    return wi_json_num(obj, key, out)
               ? WI_OK
               : wi_fail(err, WI_EDATA, "%s.%s: missing or not a number", path, key);
}

static enum wi_status read_range(const cJSON *item, const char *path, struct sweep_factor *factor,
                                 struct wi_err *err)
{
    static const char *const known[] = {"from", "to", "step", NULL};
    double steps;
    enum wi_status st = wi_json_only(item, path, known, err);

    if (st == WI_OK)
        st = need(item, path, "from", &factor->from, err);
    if (st == WI_OK)
        st = need(item, path, "to", &factor->to, err);
    if (st == WI_OK)
        st = sweep_check_number(factor->field, factor->from, path, err);
    if (st == WI_OK)
        st = sweep_check_number(factor->field, factor->to, path, err);
    if (st != WI_OK)
        return st;
    if (!wi_json_get(item, "step")) {
        factor->kind = SWEEP_UNIFORM;
        if (factor->from >= factor->to)
            return wi_fail(err, WI_EDATA, "%s: a range without step needs from < to", path);
        return WI_OK;
    }
    st = need(item, path, "step", &factor->step, err);
    if (st != WI_OK)
        return st;
    if (factor->step == 0.0)
        return wi_fail(err, WI_EDATA, "%s.step: 0, the range would never end", path);
    steps = (factor->to - factor->from) / factor->step;
    if (steps < 0.0)
        return wi_fail(err, WI_EDATA, "%s.step: %g has the wrong sign to go from %g to %g", path,
                       factor->step, factor->from, factor->to);
    if (steps > 1e9)
        return wi_fail(err, WI_ERANGE, "%s: more than 10^9 steps", path);
    factor->kind = SWEEP_RANGE;
    /* A last step that misses `to` by rounding alone still counts. */
    factor->n_levels = (uint64_t)floor(steps + 1e-9) + 1;
    return WI_OK;
}

static enum wi_status read_uniform(const cJSON *item, const char *path, struct sweep_factor *factor,
                                   struct wi_err *err)
{
    const cJSON *ends = wi_json_get(item, "uniform");
    const cJSON *a = cJSON_GetArrayItem(ends, 0);
    const cJSON *b = cJSON_GetArrayItem(ends, 1);
    enum wi_status st;

    if (cJSON_GetArraySize(ends) != 2 || !cJSON_IsNumber(a) || !cJSON_IsNumber(b) ||
        !(a->valuedouble < b->valuedouble))
        return wi_fail(err, WI_EDATA, "%s.uniform: must be [low, high] with low < high", path);
    factor->kind = SWEEP_UNIFORM;
    factor->from = a->valuedouble;
    factor->to = b->valuedouble;
    st = sweep_check_number(factor->field, factor->from, path, err);
    return st == WI_OK ? sweep_check_number(factor->field, factor->to, path, err) : st;
}

/* A normal distribution is cut at the field's range, or at min and max where given. */
static enum wi_status read_normal(const cJSON *item, const char *path, struct sweep_factor *factor,
                                  struct wi_err *err)
{
    static const char *const known[] = {"mean", "sd", "min", "max", NULL};
    const cJSON *normal = wi_json_get(item, "normal");
    enum wi_status st = wi_json_only(normal, path, known, err);

    factor->kind = SWEEP_NORMAL;
    factor->from = factor->field->min;
    factor->to = factor->field->max;
    if (st == WI_OK)
        st = need(normal, path, "mean", &factor->mean, err);
    if (st == WI_OK)
        st = need(normal, path, "sd", &factor->sd, err);
    if (st != WI_OK)
        return st;
    wi_json_num(normal, "min", &factor->from);
    wi_json_num(normal, "max", &factor->to);
    if (!(factor->sd > 0.0))
        return wi_fail(err, WI_EDATA, "%s.normal.sd: %g, must be above 0", path, factor->sd);
    if (!(factor->from < factor->to) || factor->from < factor->field->min ||
        factor->to > factor->field->max)
        return wi_fail(err, WI_ERANGE, "%s.normal: min and max must ascend within %g to %g", path,
                       factor->field->min, factor->field->max);
    return WI_OK;
}

enum wi_status sweep_factor_read(const cJSON *item, struct sweep_factor *factor, struct wi_err *err)
{
    char path[160];

    snprintf(path, sizeof(path), "factors.%.80s", item->string);
    factor->field = sweep_field_find(item->string);
    if (!factor->field)
        return wi_fail(err, WI_EDATA, "%s: unknown field", path);
    if (cJSON_IsArray(item) && factor->field->kind == SWEEP_PERCENTILES)
        return wi_fail(err, WI_EDATA, "%s: percentiles belong into base, every row has them all",
                       path);
    if (cJSON_IsArray(item))
        return read_levels(item, path, factor, err);
    if (!cJSON_IsObject(item)) {
        cJSON *one = cJSON_CreateArray();
        cJSON *copy = cJSON_Duplicate(item, true);
        enum wi_status st;

        if (!one || !copy || !cJSON_AddItemToArray(one, copy)) {
            cJSON_Delete(one);
            cJSON_Delete(copy);
            return wi_fail_nomem(err);
        }
        st = read_levels(one, path, factor, err);
        cJSON_Delete(one);
        return st;
    }
    if (factor->field->kind != SWEEP_NUMBER)
        return wi_fail(err, WI_EDATA, "%s: only numbers have ranges, list the names", path);
    if (wi_json_get(item, "uniform"))
        return read_uniform(item, path, factor, err);
    if (wi_json_get(item, "normal"))
        return read_normal(item, path, factor, err);
    return read_range(item, path, factor, err);
}

/* --- points ------------------------------------------------------------------------------------
 */

enum wi_status sweep_factor_set_level(const struct sweep_factor *f, uint64_t level,
                                      struct wi_scenario *s, struct wi_err *err)
{
    if (f->kind == SWEEP_RANGE)
        return sweep_field_set(f->field, s, wi_decimal_round6(f->from + (double)level * f->step),
                               "", err);
    return sweep_field_set(f->field, s, f->levels[level].number, f->levels[level].text, err);
}

/* Quantile function of a continuous factor. */
static double quantile(const struct sweep_factor *f, double u)
{
    double low;
    double high;

    if (f->kind == SWEEP_UNIFORM)
        return f->from + u * (f->to - f->from);
    low = wi_gauss_cdf((f->from - f->mean) / f->sd);
    high = wi_gauss_cdf((f->to - f->mean) / f->sd);
    return f->mean + f->sd * wi_gauss_quantile(low + u * (high - low));
}

/* With six decimals, so that what a row shows is what was computed. */
static double value_at(const struct sweep_factor *f, double u)
{
    return fmin(fmax(wi_decimal_round6(quantile(f, u)), f->from), f->to);
}

static uint64_t level_at(const struct sweep_factor *f, double u)
{
    uint64_t level = (uint64_t)(u * (double)f->n_levels);

    return level < f->n_levels ? level : f->n_levels - 1;
}

enum wi_status sweep_factor_set_at(const struct sweep_factor *f, double u, struct wi_scenario *s,
                                   struct wi_err *err)
{
    if (sweep_factor_has_levels(f))
        return sweep_factor_set_level(f, level_at(f, u), s, err);
    return sweep_field_set(f->field, s, value_at(f, u), "", err);
}

void wi_sweep_factor_format(const struct wi_sweep_spec *spec, size_t factor, double u, char *buf,
                            size_t size)
{
    const struct sweep_factor *f = &spec->factors[factor];

    if (f->kind == SWEEP_LEVELS && f->field->kind != SWEEP_NUMBER)
        snprintf(buf, size, "%s", f->levels[level_at(f, u)].text);
    else if (f->kind == SWEEP_LEVELS)
        snprintf(buf, size, "%.10g", f->levels[level_at(f, u)].number);
    else if (f->kind == SWEEP_RANGE)
        snprintf(buf, size, "%.10g", wi_decimal_round6(f->from + (double)level_at(f, u) * f->step));
    else
        snprintf(buf, size, "%.10g", value_at(f, u));
}
