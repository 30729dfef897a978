#include "experiments/sweep_spec.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/sweep_parts.h"

void wi_sweep_free(struct wi_sweep_spec *spec)
{
    if (!spec)
        return;
    for (size_t f = 0; f < spec->design.n_factors; f++)
        sweep_factor_release(&spec->factors[f]);
    free(spec->list_path);
    sweep_list_free(spec->list);
    free(spec);
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
        enum wi_status st = sweep_apply_json(item, "base", &spec->base, err);

        if (st != WI_OK)
            return st;
        spec->fields |= sweep_field_bit(sweep_field_find(item->string));
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
        st = sweep_factor_read(item, &spec->factors[spec->design.n_factors++], err);
        if (st != WI_OK)
            return st;
        spec->fields |= sweep_field_bit(spec->factors[spec->design.n_factors - 1].field);
    }
    return WI_OK;
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
            const struct sweep_factor *factor = &spec->factors[f];

            if (strcmp(factor->field->name, item->string) != 0)
                continue;
            for (uint64_t i = 0; i < factor->n_levels && !found; i++) {
                found = factor->kind == SWEEP_RANGE
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

    if (!name && wi_json_get(root, "design"))
        return wi_fail(err, WI_EDATA, "design: must be a text: grid, ofat, lhs, sobol or list");
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
        if (kind < 2 && !sweep_factor_has_levels(&spec->factors[f]))
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

enum wi_status wi_sweep_scenario_at(const struct wi_sweep_spec *spec, const double *point,
                                    struct wi_scenario *out, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    *out = spec->base;
    for (size_t f = 0; f < spec->design.n_factors && st == WI_OK; f++)
        st = sweep_factor_set_at(&spec->factors[f], point[f], out, err);
    return st == WI_OK ? wi_scenario_complete(out, err) : st;
}

static enum wi_status design_scenario(const struct wi_sweep_spec *spec, uint64_t index,
                                      struct wi_scenario *out, struct wi_err *err)
{
    uint64_t level[WI_DESIGN_FACTORS_MAX];
    double point[WI_DESIGN_FACTORS_MAX];
    enum wi_status st = WI_OK;

    if (spec->design.kind == WI_DESIGN_LHS || spec->design.kind == WI_DESIGN_SOBOL) {
        wi_design_point(&spec->design, index, point);
        return wi_sweep_scenario_at(spec, point, out, err);
    }
    *out = spec->base;
    wi_design_levels(&spec->design, index, level);
    for (size_t f = 0; f < spec->design.n_factors && st == WI_OK; f++)
        st = sweep_factor_set_level(&spec->factors[f], level[f], out, err);
    return st == WI_OK ? wi_scenario_complete(out, err) : st;
}

enum wi_status wi_sweep_scenarios(const struct wi_sweep_spec *spec, uint64_t first, size_t n,
                                  struct wi_scenario *out, size_t *n_done, struct wi_err *err)
{
    struct wi_err inner = {0};
    enum wi_status st = WI_OK;

    *n_done = 0;
    if (spec->is_list) {
        st = sweep_list_read(spec, first, n, out, err);
        *n_done = st == WI_OK ? n : 0;
        return st;
    }
    for (; *n_done < n; ++*n_done) {
        st = design_scenario(spec, first + *n_done, &out[*n_done], &inner);
        if (st != WI_OK)
            return wi_fail(err, st, "scenario %llu: %s", (unsigned long long)(first + *n_done),
                           inner.msg);
    }
    return WI_OK;
}

enum wi_status wi_sweep_scenario(const struct wi_sweep_spec *spec, uint64_t index,
                                 struct wi_scenario *out, struct wi_err *err)
{
    size_t n_done;

    return wi_sweep_scenarios(spec, index, 1, out, &n_done, err);
}

enum wi_status wi_sweep_scenario_value(const struct wi_sweep_spec *spec, const double *point,
                                       size_t factor, double value, struct wi_scenario *out,
                                       struct wi_err *err)
{
    enum wi_status st = WI_OK;

    *out = spec->base;
    for (size_t f = 0; f < spec->design.n_factors && st == WI_OK; f++)
        st = f == factor ? sweep_field_set(spec->factors[f].field, out, value, "", err)
                         : sweep_factor_set_at(&spec->factors[f], point[f], out, err);
    return st == WI_OK ? wi_scenario_complete(out, err) : st;
}

uint64_t wi_sweep_size(const struct wi_sweep_spec *spec)
{
    return spec->is_list ? sweep_list_size(spec->list) : spec->design.n;
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
    return spec->is_list ? sweep_list_sha256(spec->list) : "-";
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
    const struct sweep_factor *f = &spec->factors[factor];

    return sweep_factor_has_levels(f) ? f->n_levels : 0;
}

bool wi_sweep_factor_range(const struct wi_sweep_spec *spec, size_t factor, double *from,
                           double *to)
{
    const struct sweep_factor *f = &spec->factors[factor];

    if (f->field->kind != SWEEP_NUMBER)
        return false;
    *from = f->kind == SWEEP_LEVELS ? f->levels[0].number : f->from;
    *to = f->kind == SWEEP_LEVELS ? f->levels[f->n_levels - 1].number : f->to;
    return true;
}

uint64_t wi_sweep_seed(const struct wi_sweep_spec *spec)
{
    return spec->design.seed;
}
