#include "experiments/sweep_spec.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "core/json.h"
#include "core/normal.h"
#include "core/sha256.h"

#define LEVELS_MAX 100000
#define LIST_ROWS_MAX 20000000u

enum factor_kind { FACTOR_LEVELS, FACTOR_RANGE, FACTOR_UNIFORM, FACTOR_NORMAL };

struct level {
    double number;
    char *text;
};

struct factor {
    const struct sweep_field *field;
    enum factor_kind kind;
    struct level *levels; /* FACTOR_LEVELS */
    uint64_t n_levels;    /* levels and ranges */
    double from, to, step;
    double mean, sd; /* FACTOR_NORMAL, truncated to from..to */
};

struct wi_sweep_spec {
    struct wi_scenario base; /* not completed */
    struct factor factors[WI_DESIGN_FACTORS_MAX];
    struct wi_design design;
    bool is_list;
    char *list_path;
    struct wi_scenario *list;
    size_t n_list, list_size;
    char spec_sha256[WI_SHA256_HEX], list_sha256[WI_SHA256_HEX];
    uint32_t fields; /* named by base, factors or list */
};

static uint32_t field_bit(const struct sweep_field *f)
{
    return UINT32_C(1) << (f - sweep_field_at(0));
}

void wi_sweep_free(struct wi_sweep_spec *spec)
{
    if (!spec)
        return;
    for (size_t f = 0; f < spec->design.n_factors; f++) {
        for (uint64_t i = 0; spec->factors[f].levels && i < spec->factors[f].n_levels; i++)
            free(spec->factors[f].levels[i].text);
        free(spec->factors[f].levels);
    }
    free(spec->list_path);
    free(spec->list);
    free(spec);
}

/* --- values ------------------------------------------------------------------------------------
 */

static enum wi_status check_number(const struct sweep_field *f, double number, const char *path,
                                   struct wi_err *err)
{
    if (!isfinite(number) || number < f->min || number > f->max)
        return wi_fail(err, WI_ERANGE, "%s: %g is out of range, allowed is %g to %g", path, number,
                       f->min, f->max);
    return WI_OK;
}

/* A list of percentiles as the text that the shared reader takes. */
static enum wi_status percentile_text(const cJSON *item, const char *path, char *buf, size_t size,
                                      struct wi_err *err)
{
    const cJSON *one = NULL;
    size_t used = 0;

    buf[0] = '\0';
    cJSON_ArrayForEach(one, item)
    {
        if (!cJSON_IsNumber(one) || used + 32 > size)
            return wi_fail(err, WI_EDATA, "%s: must be a list of at most %d numbers", path,
                           WI_PERCENTILES_MAX);
        used +=
            (size_t)snprintf(buf + used, size - used, "%s%.12g", used ? "," : "", one->valuedouble);
    }
    return WI_OK;
}

/* Read one JSON value for a field; *text points into buf or item. */
static enum wi_status read_value(const struct sweep_field *f, const cJSON *item, const char *path,
                                 char *buf, size_t size, double *number, const char **text,
                                 struct wi_err *err)
{
    *number = NAN;
    *text = "";
    if (f->kind == SWEEP_NUMBER) {
        if (!cJSON_IsNumber(item))
            return wi_fail(err, WI_EDATA, "%s: must be a number", path);
        *number = item->valuedouble;
        return check_number(f, *number, path, err);
    }
    if (f->kind == SWEEP_PERCENTILES && cJSON_IsArray(item)) {
        *text = buf;
        return percentile_text(item, path, buf, size, err);
    }
    if (!cJSON_IsString(item))
        return wi_fail(err, WI_EDATA, "%s: must be a text", path);
    *text = item->valuestring;
    return WI_OK;
}

static enum wi_status apply(const struct sweep_field *f, struct wi_scenario *s, double number,
                            const char *text, const char *path, struct wi_err *err)
{
    struct wi_err inner = {0};
    enum wi_status st = sweep_field_set(f, s, number, text, &inner);

    return st == WI_OK ? WI_OK : wi_fail(err, st, "%s: %s", path, inner.msg);
}

static enum wi_status apply_json(const cJSON *item, const char *where, struct wi_scenario *s,
                                 struct wi_err *err)
{
    const struct sweep_field *f = sweep_field_find(item->string);
    char path[160];
    char buf[1024];
    double number;
    const char *text;
    enum wi_status st;

    snprintf(path, sizeof(path), "%s.%.80s", where, item->string);
    if (!f)
        return wi_fail(err, WI_EDATA, "%s: unknown field", path);
    st = read_value(f, item, path, buf, sizeof(buf), &number, &text, err);
    return st == WI_OK ? apply(f, s, number, text, path, err) : st;
}

/* --- factors -----------------------------------------------------------------------------------
 */

static enum wi_status read_levels(const cJSON *item, const char *path, struct factor *factor,
                                  struct wi_err *err)
{
    int n = cJSON_GetArraySize(item);
    const cJSON *one = NULL;

    if (n < 1 || n > LEVELS_MAX)
        return wi_fail(err, WI_EDATA, "%s: %d levels, allowed is 1 to %d", path, n, LEVELS_MAX);
    factor->kind = FACTOR_LEVELS;
    factor->levels = calloc((size_t)n, sizeof(*factor->levels));
    if (!factor->levels)
        return wi_fail_nomem(err);
    cJSON_ArrayForEach(one, item)
    {
        struct level *level = &factor->levels[factor->n_levels];
        struct wi_scenario probe;
        char where[192];
        char buf[1024];
        const char *text;
        enum wi_status st;

        snprintf(where, sizeof(where), "%s[%d]", path, (int)factor->n_levels);
        st = read_value(factor->field, one, where, buf, sizeof(buf), &level->number, &text, err);
        wi_scenario_init(&probe);
        if (st == WI_OK)
            st = apply(factor->field, &probe, level->number, text, where, err);
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

static enum wi_status read_range(const cJSON *item, const char *path, struct factor *factor,
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
        st = check_number(factor->field, factor->from, path, err);
    if (st == WI_OK)
        st = check_number(factor->field, factor->to, path, err);
    if (st != WI_OK)
        return st;
    if (!wi_json_get(item, "step")) {
        factor->kind = FACTOR_UNIFORM;
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
    factor->kind = FACTOR_RANGE;
    /* A last step that misses `to` by rounding alone still counts. */
    factor->n_levels = (uint64_t)floor(steps + 1e-9) + 1;
    return WI_OK;
}

static enum wi_status read_uniform(const cJSON *item, const char *path, struct factor *factor,
                                   struct wi_err *err)
{
    const cJSON *ends = wi_json_get(item, "uniform");
    const cJSON *a = cJSON_GetArrayItem(ends, 0);
    const cJSON *b = cJSON_GetArrayItem(ends, 1);
    enum wi_status st;

    if (cJSON_GetArraySize(ends) != 2 || !cJSON_IsNumber(a) || !cJSON_IsNumber(b) ||
        !(a->valuedouble < b->valuedouble))
        return wi_fail(err, WI_EDATA, "%s.uniform: must be [low, high] with low < high", path);
    factor->kind = FACTOR_UNIFORM;
    factor->from = a->valuedouble;
    factor->to = b->valuedouble;
    st = check_number(factor->field, factor->from, path, err);
    return st == WI_OK ? check_number(factor->field, factor->to, path, err) : st;
}

/* A normal distribution is cut at the field's range, or at min and max where given. */
static enum wi_status read_normal(const cJSON *item, const char *path, struct factor *factor,
                                  struct wi_err *err)
{
    static const char *const known[] = {"mean", "sd", "min", "max", NULL};
    const cJSON *normal = wi_json_get(item, "normal");
    enum wi_status st = wi_json_only(normal, path, known, err);

    factor->kind = FACTOR_NORMAL;
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

static enum wi_status read_factor(const cJSON *item, struct factor *factor, struct wi_err *err)
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

/* --- the document ------------------------------------------------------------------------------
 */

static enum wi_status read_base(const cJSON *root, struct wi_sweep_spec *spec, struct wi_err *err)
{
    const cJSON *base = wi_json_get(root, "base");

    wi_scenario_init(&spec->base);
    if (!base)
        return WI_OK;
    if (!cJSON_IsObject(base))
        return wi_fail(err, WI_EDATA, "base: must be an object");
    for (const cJSON *item = base->child; item; item = item->next) {
        enum wi_status st = apply_json(item, "base", &spec->base, err);

        if (st != WI_OK)
            return st;
        spec->fields |= field_bit(sweep_field_find(item->string));
    }
    return WI_OK;
}

static enum wi_status read_factors(const cJSON *root, struct wi_sweep_spec *spec,
                                   struct wi_err *err)
{
    const cJSON *factors = wi_json_get(root, "factors");

    if (!factors)
        return WI_OK;
    if (!cJSON_IsObject(factors))
        return wi_fail(err, WI_EDATA, "factors: must be an object");
    for (const cJSON *item = factors->child; item; item = item->next) {
        enum wi_status st;

        if (spec->design.n_factors == WI_DESIGN_FACTORS_MAX)
            return wi_fail(err, WI_EDATA, "factors: more than %d", WI_DESIGN_FACTORS_MAX);
        /* Counted first, so that a half-read factor is freed with the spec. */
        st = read_factor(item, &spec->factors[spec->design.n_factors++], err);
        if (st != WI_OK)
            return st;
        spec->fields |= field_bit(spec->factors[spec->design.n_factors - 1].field);
    }
    return WI_OK;
}

static bool has_levels(const struct factor *f)
{
    return f->kind == FACTOR_LEVELS || f->kind == FACTOR_RANGE;
}

/* ofat: the level of the centre, given by value under "center", else the first. */
static enum wi_status read_center(const cJSON *root, struct wi_sweep_spec *spec, struct wi_err *err)
{
    const cJSON *center = wi_json_get(root, "center");

    if (!center)
        return WI_OK;
    if (!cJSON_IsObject(center) || spec->design.kind != WI_DESIGN_OFAT)
        return wi_fail(err, WI_EDATA, "center: an object, for design ofat only");
    for (const cJSON *item = center->child; item; item = item->next) {
        bool found = false;

        for (size_t f = 0; f < spec->design.n_factors; f++) {
            const struct factor *factor = &spec->factors[f];

            if (strcmp(factor->field->name, item->string) != 0)
                continue;
            for (uint64_t i = 0; i < factor->n_levels && !found; i++) {
                found = factor->kind == FACTOR_RANGE
                            ? cJSON_IsNumber(item) && fabs(factor->from + (double)i * factor->step -
                                                           item->valuedouble) < 1e-9
                        : cJSON_IsNumber(item)
                            ? factor->levels[i].number == item->valuedouble
                            : cJSON_IsString(item) &&
                                  strcmp(factor->levels[i].text, item->valuestring) == 0;
                if (found)
                    spec->design.center[f] = i;
            }
        }
        if (!found)
            return wi_fail(err, WI_EDATA, "center.%.80s: not a level of a factor", item->string);
    }
    return WI_OK;
}

static enum wi_status read_design(const cJSON *root, struct wi_sweep_spec *spec, struct wi_err *err)
{
    static const char *const names[] = {"grid", "ofat", "lhs", "sobol"};
    const char *name = wi_json_str(root, "design");
    double number = 0.0;
    size_t kind = 0;
    enum wi_status st;

    name = name ? name : "grid";
    if (wi_json_get(root, "seed")) {
        if (!wi_json_num(root, "seed", &number) || number < 0.0 || number > 0x1p53 ||
            number != floor(number))
            return wi_fail(err, WI_EDATA, "seed: must be a whole number from 0 to 2^53");
        spec->design.seed = (uint64_t)number;
    }
    if (strcmp(name, "list") == 0) {
        const char *path = wi_json_str(root, "list");

        spec->is_list = true;
        if (spec->design.n_factors)
            return wi_fail(err, WI_EDATA, "factors: design list takes its fields from the list");
        if (path && !(spec->list_path = strdup(path)))
            return wi_fail_nomem(err);
        return WI_OK;
    }
    while (kind < 4 && strcmp(name, names[kind]) != 0)
        kind++;
    if (kind == 4)
        return wi_fail(err, WI_EDATA,
                       "design: '%.60s' is unknown, allowed is grid, ofat, lhs, "
                       "sobol, list",
                       name);
    spec->design.kind = (enum wi_design_kind)kind;
    if (kind >= 2) {
        if (!wi_json_num(root, "n", &number) || number < 1.0 || number > 0x1p52 ||
            number != floor(number))
            return wi_fail(err, WI_EDATA, "n: design %s needs the number of points", name);
        spec->design.n = (uint64_t)number;
    } else if (wi_json_get(root, "n")) {
        return wi_fail(err, WI_EDATA, "n: design %s counts its points itself", name);
    }
    for (size_t f = 0; f < spec->design.n_factors; f++) {
        if (kind < 2 && !has_levels(&spec->factors[f]))
            return wi_fail(err, WI_EDATA,
                           "factors.%s: a distribution has no levels; give a step, "
                           "or use design lhs or sobol",
                           spec->factors[f].field->name);
        spec->design.n_levels[f] = spec->factors[f].n_levels;
    }
    st = read_center(root, spec, err);
    return st == WI_OK ? wi_design_init(&spec->design, err) : st;
}

static enum wi_status read_document(const cJSON *root, struct wi_sweep_spec *spec,
                                    struct wi_err *err)
{
    static const char *const known[] = {"schema",  "design", "seed", "n", "base",
                                        "factors", "center", "list", NULL};
    const char *schema = wi_json_str(root, "schema");
    enum wi_status st = wi_json_only(root, "", known, err);

    if (st == WI_OK && (!schema || strcmp(schema, "ssd-whatif/sweep/1") != 0))
        st = wi_fail(err, WI_EDATA, "schema: must be ssd-whatif/sweep/1");
    if (st == WI_OK)
        st = read_base(root, spec, err);
    if (st == WI_OK)
        st = read_factors(root, spec, err);
    if (st == WI_OK)
        st = read_design(root, spec, err);
    return st;
}

enum wi_status wi_sweep_parse(const char *text, size_t len, const char *name,
                              struct wi_sweep_spec **out, struct wi_err *err)
{
    struct wi_sweep_spec *spec = calloc(1, sizeof(*spec));
    struct wi_err inner = {0};
    cJSON *root = NULL;
    enum wi_status st;

    if (!spec)
        return wi_fail_nomem(err);
    wi_sha256(text, len, spec->spec_sha256);
    spec->list_sha256[0] = '-';
    st = wi_json_parse(text, len, name, &root, err);
    if (st == WI_OK) {
        st = read_document(root, spec, &inner);
        if (st != WI_OK)
            wi_fail(err, st, "%s: %s", name, inner.msg);
    }
    cJSON_Delete(root);
    if (st != WI_OK) {
        wi_sweep_free(spec);
        return st;
    }
    *out = spec;
    return WI_OK;
}

/* --- points ------------------------------------------------------------------------------------
 */

static enum wi_status set_level(const struct factor *f, uint64_t level, struct wi_scenario *s,
                                struct wi_err *err)
{
    if (f->kind == FACTOR_RANGE)
        return sweep_field_set(f->field, s, f->from + (double)level * f->step, "", err);
    return sweep_field_set(f->field, s, f->levels[level].number, f->levels[level].text, err);
}

/* Quantile function of a continuous factor. */
static double value_at(const struct factor *f, double u)
{
    double low;
    double high;

    if (f->kind == FACTOR_UNIFORM)
        return f->from + u * (f->to - f->from);
    low = wi_gauss_cdf((f->from - f->mean) / f->sd);
    high = wi_gauss_cdf((f->to - f->mean) / f->sd);
    return fmin(fmax(f->mean + f->sd * wi_gauss_quantile(low + u * (high - low)), f->from), f->to);
}

static uint64_t level_at(const struct factor *f, double u)
{
    uint64_t level = (uint64_t)(u * (double)f->n_levels);

    return level < f->n_levels ? level : f->n_levels - 1;
}

static enum wi_status set_at(const struct factor *f, double u, struct wi_scenario *s,
                             struct wi_err *err)
{
    if (has_levels(f))
        return set_level(f, level_at(f, u), s, err);
    return sweep_field_set(f->field, s, value_at(f, u), "", err);
}

enum wi_status wi_sweep_scenario_at(const struct wi_sweep_spec *spec, const double *point,
                                    struct wi_scenario *out, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    *out = spec->base;
    for (size_t f = 0; f < spec->design.n_factors && st == WI_OK; f++)
        st = set_at(&spec->factors[f], point[f], out, err);
    return st == WI_OK ? wi_scenario_complete(out, err) : st;
}

enum wi_status wi_sweep_scenario(const struct wi_sweep_spec *spec, uint64_t index,
                                 struct wi_scenario *out, struct wi_err *err)
{
    struct wi_err inner = {0};
    enum wi_status st = WI_OK;

    if (spec->is_list) {
        *out = spec->list[index];
    } else if (spec->design.kind == WI_DESIGN_GRID || spec->design.kind == WI_DESIGN_OFAT) {
        uint64_t level[WI_DESIGN_FACTORS_MAX];

        *out = spec->base;
        wi_design_levels(&spec->design, index, level);
        for (size_t f = 0; f < spec->design.n_factors && st == WI_OK; f++)
            st = set_level(&spec->factors[f], level[f], out, &inner);
        if (st == WI_OK)
            st = wi_scenario_complete(out, &inner);
    } else {
        double point[WI_DESIGN_FACTORS_MAX];

        wi_design_point(&spec->design, index, point);
        st = wi_sweep_scenario_at(spec, point, out, &inner);
    }
    if (st != WI_OK)
        return wi_fail(err, st, "scenario %llu: %s", (unsigned long long)index, inner.msg);
    return WI_OK;
}

uint64_t wi_sweep_size(const struct wi_sweep_spec *spec)
{
    return spec->is_list ? spec->n_list : spec->design.n;
}

uint32_t wi_sweep_fields(const struct wi_sweep_spec *spec)
{
    return spec->fields;
}

const char *wi_sweep_spec_sha256(const struct wi_sweep_spec *spec)
{
    return spec->spec_sha256;
}

const char *wi_sweep_list_sha256(const struct wi_sweep_spec *spec)
{
    return spec->list_sha256;
}

bool wi_sweep_is_list(const struct wi_sweep_spec *spec)
{
    return spec->is_list;
}

const char *wi_sweep_list_path(const struct wi_sweep_spec *spec)
{
    return spec->list_path;
}

size_t wi_sweep_n_factors(const struct wi_sweep_spec *spec)
{
    return spec->design.n_factors;
}

const char *wi_sweep_factor_name(const struct wi_sweep_spec *spec, size_t factor)
{
    return spec->factors[factor].field->name;
}

uint64_t wi_sweep_factor_levels(const struct wi_sweep_spec *spec, size_t factor)
{
    return has_levels(&spec->factors[factor]) ? spec->factors[factor].n_levels : 0;
}

void wi_sweep_factor_format(const struct wi_sweep_spec *spec, size_t factor, double u, char *buf,
                            size_t size)
{
    const struct factor *f = &spec->factors[factor];

    if (f->kind == FACTOR_LEVELS && f->field->kind != SWEEP_NUMBER)
        snprintf(buf, size, "%s", f->levels[level_at(f, u)].text);
    else if (f->kind == FACTOR_LEVELS)
        snprintf(buf, size, "%.6g", f->levels[level_at(f, u)].number);
    else if (f->kind == FACTOR_RANGE)
        snprintf(buf, size, "%.6g", f->from + (double)level_at(f, u) * f->step);
    else
        snprintf(buf, size, "%.6g", value_at(f, u));
}

/* --- lists -------------------------------------------------------------------------------------
 */

struct list_reader {
    struct wi_sweep_spec *spec;
    const char *name;
    const struct sweep_field *columns[64];
    size_t n_columns;
};

static enum wi_status append(struct wi_sweep_spec *spec, struct wi_scenario *s, const char *name,
                             size_t line, struct wi_err *err)
{
    struct wi_err inner = {0};
    enum wi_status st = wi_scenario_complete(s, &inner);

    if (st != WI_OK)
        return wi_fail(err, st, "%s:%zu: %s", name, line, inner.msg);
    if (spec->n_list == LIST_ROWS_MAX)
        return wi_fail(err, WI_EDATA, "%s: more than %u rows", name, LIST_ROWS_MAX);
    if (spec->n_list == spec->list_size) {
        size_t size = spec->list_size ? 2 * spec->list_size : 256;
        struct wi_scenario *list = realloc(spec->list, size * sizeof(*list));

        if (!list)
            return wi_fail_nomem(err);
        spec->list = list;
        spec->list_size = size;
    }
    spec->list[spec->n_list++] = *s;
    return WI_OK;
}

static enum wi_status read_header(struct list_reader *r, char *const *fields, size_t n,
                                  struct wi_err *err)
{
    if (n > sizeof(r->columns) / sizeof(r->columns[0]))
        return wi_fail(err, WI_EDATA, "%s:1: %zu columns, at most %zu", r->name, n,
                       sizeof(r->columns) / sizeof(r->columns[0]));
    for (size_t i = 0; i < n; i++) {
        const char *name = fields[i];

        if (i == 0 && strncmp(name, "\xef\xbb\xbf", 3) == 0)
            name += 3;
        r->columns[i] = sweep_field_find(name);
        if (!r->columns[i])
            return wi_fail(err, WI_EDATA, "%s:1: column '%.60s' is no scenario field", r->name,
                           name);
        r->spec->fields |= field_bit(r->columns[i]);
    }
    r->n_columns = n;
    return WI_OK;
}

static enum wi_status read_cell(const struct sweep_field *f, const char *text, const char *place,
                                struct wi_scenario *s, struct wi_err *err)
{
    double number = NAN;

    if (f->kind == SWEEP_NUMBER) {
        char *end = NULL;
        enum wi_status st;

        errno = 0;
        number = strtod(text, &end);
        if (end == text || *end || errno == ERANGE)
            return wi_fail(err, WI_EDATA, "%s: '%.60s' is not a number", place, text);
        st = check_number(f, number, place, err);
        if (st != WI_OK)
            return st;
    }
    return apply(f, s, number, text, place, err);
}

static enum wi_status read_row(void *ctx, size_t line, char *const *fields, size_t n,
                               struct wi_err *err)
{
    struct list_reader *r = ctx;
    struct wi_scenario s = r->spec->base;

    if (!r->n_columns)
        return read_header(r, fields, n, err);
    if (n != r->n_columns)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu fields, the header has %zu", r->name, line, n,
                       r->n_columns);
    for (size_t i = 0; i < n; i++) {
        char place[256];
        enum wi_status st;

        if (!*fields[i])
            continue; /* an empty cell leaves the field as in base */
        snprintf(place, sizeof(place), "%.120s:%zu: %s", r->name, line, r->columns[i]->name);
        st = read_cell(r->columns[i], fields[i], place, &s, err);
        if (st != WI_OK)
            return st;
    }
    return append(r->spec, &s, r->name, line, err);
}

static enum wi_status read_json_line(struct wi_sweep_spec *spec, const char *text, size_t len,
                                     const char *name, size_t line, struct wi_err *err)
{
    struct wi_scenario s = spec->base;
    char place[192];
    cJSON *obj = NULL;
    enum wi_status st;

    snprintf(place, sizeof(place), "%.120s:%zu", name, line);
    st = wi_json_parse(text, len, place, &obj, err);
    if (st == WI_OK && !cJSON_IsObject(obj))
        st = wi_fail(err, WI_EDATA, "%s: must be an object", place);
    for (const cJSON *item = st == WI_OK ? obj->child : NULL; item && st == WI_OK;
         item = item->next) {
        st = apply_json(item, place, &s, err);
        if (st == WI_OK)
            spec->fields |= field_bit(sweep_field_find(item->string));
    }
    cJSON_Delete(obj);
    return st == WI_OK ? append(spec, &s, name, line, err) : st;
}

enum wi_status wi_sweep_read_list(struct wi_sweep_spec *spec, FILE *in, const char *name,
                                  struct wi_err *err)
{
    struct list_reader reader = {.spec = spec, .name = name};
    struct wi_csv *csv = NULL;
    char *text = NULL;
    size_t size = 0;
    size_t line = 0;
    ssize_t len;
    enum wi_status st = wi_csv_new(name, NULL, read_row, &reader, &csv, err);
    bool json = false;

    while (st == WI_OK && (len = getline(&text, &size, in)) > 0) {
        line++;
        if (line == 1)
            json = text[strspn(text, " \t")] == '{';
        if (!json)
            st = wi_csv_feed(csv, text, (size_t)len, err);
        else if (text[strspn(text, " \t\r\n")])
            st = read_json_line(spec, text, (size_t)len, name, line, err);
    }
    if (st == WI_OK && ferror(in))
        st = wi_fail(err, WI_EIO, "cannot read '%s': %s", name, strerror(errno));
    if (st == WI_OK && !json)
        st = wi_csv_finish(csv, err);
    if (st == WI_OK && spec->n_list == 0)
        st = wi_fail(err, WI_EDATA, "%s: the list holds no scenario", name);
    wi_csv_free(csv);
    free(text);
    return st;
}
