#include "cli/sweep_print.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "core/json.h"

/* --- rows for tables and CSV -------------------------------------------------------------------
 */

struct cells {
    char **text;
    size_t n, size;
    bool failed;
};

static void add_cell(struct cells *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_cell(struct cells *c, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    if (c->n == c->size) {
        size_t size = c->size ? 2 * c->size : 64;
        char **more = realloc(c->text, size * sizeof(*more));

        if (!more) {
            c->failed = true;
            return;
        }
        c->text = more;
        c->size = size;
    }
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        c->failed = true;
    else
        c->text[c->n++] = text;
    va_end(ap);
}

/* A number, or nothing where it is not known. */
static void add_number(struct cells *c, double value, int decimals)
{
    if (isfinite(value))
        add_cell(c, "%.*f", decimals, value);
    else
        add_cell(c, "%s", "");
}

static void release_cells(struct cells *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->text[i]);
    free(c->text);
}

/* Print the cells under their heads and release them. returns the exit code */
static int print_cells(struct cells *c, const char *const *heads, size_t n_columns, bool csv)
{
    struct wi_err err = {0};
    bool ok = !c->failed;

    for (size_t i = 0; csv && ok && i < n_columns; i++)
        printf("%s%s", i ? "," : "", heads[i] + (heads[i][0] == '>'));
    if (csv && ok)
        putchar('\n');
    for (size_t r = 0; csv && ok && r < c->n / n_columns; r++)
        cli_print_csv_row(c->text + r * n_columns, n_columns);
    if (!csv && ok)
        ok = cli_print_table(heads, n_columns, c->text, c->n / n_columns);
    release_cells(c);
    return ok ? CLI_EXIT_OK : (wi_fail_nomem(&err), cli_error(&err));
}

static const char *metric_name(double percentile)
{
    return isnan(percentile) ? "bandwidth" : "tail_latency";
}

static void format_metric(double percentile, char *buf, size_t size)
{
    if (isnan(percentile))
        snprintf(buf, size, "bandwidth");
    else if (percentile >= 100.0)
        snprintf(buf, size, "max");
    else
        snprintf(buf, size, "p%.8g", percentile);
}

/* --- summary -----------------------------------------------------------------------------------
 */

static cJSON *index_json(const struct wi_index *index)
{
    cJSON *obj = cJSON_CreateObject();

    wi_json_add_num(obj, "value", index->value, NULL);
    wi_json_add_num(obj, "low", index->low, NULL);
    wi_json_add_num(obj, "high", index->high, NULL);
    return obj;
}

static cJSON *extreme_json(const struct wi_summary_extreme *e)
{
    cJSON *obj = cJSON_CreateObject();
    cJSON *scenario = NULL;

    wi_json_add_num(obj, "change_pct", e->change_pct, NULL);
    wi_json_add_num(obj, "low_pct", e->low_pct, NULL);
    wi_json_add_num(obj, "high_pct", e->high_pct, NULL);
    cJSON_AddStringToObject(obj, "domain", wi_domain_name(e->domain));
    cJSON_AddBoolToObject(obj, "corner", e->corner);
    if (wi_scenario_to_json(&e->scenario, &scenario, NULL) == WI_OK)
        cJSON_AddItemToObject(obj, "scenario", scenario);
    return obj;
}

static cJSON *factor_json(const char *name, const struct wi_summary_factor *f)
{
    cJSON *obj = cJSON_CreateObject();
    cJSON *effect = cJSON_CreateObject();

    cJSON_AddStringToObject(obj, "factor", name);
    cJSON_AddItemToObject(obj, "first", index_json(&f->indices.first));
    cJSON_AddItemToObject(obj, "total", index_json(&f->indices.total));
    wi_json_add_num(obj, "interactions", f->indices.total.value - f->indices.first.value, NULL);
    cJSON_AddStringToObject(effect, "lowest_at", f->low_value);
    wi_json_add_num(effect, "lowest_mean_pct", f->low_mean_pct, NULL);
    cJSON_AddStringToObject(effect, "highest_at", f->high_value);
    wi_json_add_num(effect, "highest_mean_pct", f->high_mean_pct, NULL);
    cJSON_AddItemToObject(obj, "main_effect", effect);
    return obj;
}

static int summary_json(const struct wi_sweep_spec *spec, const struct wi_summary *s)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *outputs;

    cJSON_AddStringToObject(root, "schema", "ssd-whatif/sweep-summary/1");
    cJSON_AddNumberToObject(root, "points", (double)s->n_points);
    cJSON_AddNumberToObject(root, "predictions", (double)s->n_predictions);
    cJSON_AddNumberToObject(root, "corners", (double)s->n_corners);
    cJSON_AddNumberToObject(root, "confidence", s->confidence);
    outputs = cJSON_AddArrayToObject(root, "outputs");
    for (size_t i = 0; i < s->n_outputs; i++) {
        const struct wi_summary_output *o = &s->outputs[i];
        cJSON *obj = cJSON_CreateObject();
        cJSON *factors;

        cJSON_AddStringToObject(obj, "metric", metric_name(o->percentile));
        wi_json_add_num(obj, "percentile", o->percentile, NULL);
        wi_json_add_num(obj, "mean_pct", o->mean_pct, NULL);
        wi_json_add_num(obj, "sd_pct", o->sd_pct, NULL);
        factors = cJSON_AddArrayToObject(obj, "factors");
        for (size_t f = 0; f < s->n_factors; f++)
            cJSON_AddItemToArray(factors,
                                 factor_json(wi_sweep_factor_name(spec, f), &o->factors[f]));
        cJSON_AddItemToObject(obj, "worst", extreme_json(&o->worst));
        cJSON_AddItemToObject(obj, "best", extreme_json(&o->best));
        cJSON_AddItemToArray(outputs, obj);
    }
    return cli_print_json(root);
}

static int summary_csv(const struct wi_sweep_spec *spec, const struct wi_summary *s)
{
    static const char *const heads[] = {
        "metric",     "percentile",      "factor",     "first",           "first_low",
        "first_high", "total",           "total_low",  "total_high",      "interactions",
        "lowest_at",  "lowest_mean_pct", "highest_at", "highest_mean_pct"};
    struct cells c = {0};

    for (size_t i = 0; i < s->n_outputs; i++) {
        const struct wi_summary_output *o = &s->outputs[i];

        for (size_t k = 0; k < s->n_factors; k++) {
            const struct wi_summary_factor *f = &o->factors[k];
            const double numbers[] = {f->indices.first.value,
                                      f->indices.first.low,
                                      f->indices.first.high,
                                      f->indices.total.value,
                                      f->indices.total.low,
                                      f->indices.total.high,
                                      f->indices.total.value - f->indices.first.value};

            add_cell(&c, "%s", metric_name(o->percentile));
            if (isnan(o->percentile))
                add_cell(&c, "%s", "");
            else
                add_cell(&c, "%.8g", o->percentile);
            add_cell(&c, "%s", wi_sweep_factor_name(spec, k));
            for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++)
                add_number(&c, numbers[j], 4);
            add_cell(&c, "%s", f->low_value);
            add_number(&c, f->low_mean_pct, 4);
            add_cell(&c, "%s", f->high_value);
            add_number(&c, f->high_mean_pct, 4);
        }
    }
    return print_cells(&c, heads, sizeof(heads) / sizeof(heads[0]), true);
}

static void print_extreme(const char *label, const struct wi_summary_extreme *e)
{
    char scenario[512];
    char text[768];

    wi_scenario_format(&e->scenario, scenario, sizeof(scenario));
    snprintf(text, sizeof(text), "%+.1f %% (%+.1f to %+.1f), %s: %s", e->change_pct, e->low_pct,
             e->high_pct, wi_domain_name(e->domain), scenario);
    cli_print_paragraph(label, text);
}

static int summary_table(const struct wi_sweep_spec *spec, const struct wi_summary *s)
{
    static const char *const heads[] = {
        "factor", ">alone", ">with interactions", ">lowest mean", "at", ">highest mean", "at"};

    for (size_t i = 0; i < s->n_outputs; i++) {
        const struct wi_summary_output *o = &s->outputs[i];
        struct cells c = {0};
        char metric[32];
        int code;

        format_metric(o->percentile, metric, sizeof(metric));
        printf("%s%s: mean change %+.1f %%, spread (sd) %.1f points\n", i ? "\n" : "", metric,
               o->mean_pct, o->sd_pct);
        for (size_t k = 0; k < s->n_factors; k++) {
            const struct wi_summary_factor *f = &o->factors[k];
            const struct wi_index *a = &f->indices.first;
            const struct wi_index *t = &f->indices.total;

            add_cell(&c, "%s", wi_sweep_factor_name(spec, k));
            if (isnan(a->value)) {
                add_cell(&c, "%s", "-");
                add_cell(&c, "%s", "-");
            } else {
                add_cell(&c, "%.2f (%.2f-%.2f)", a->value, a->low, a->high);
                add_cell(&c, "%.2f (%.2f-%.2f)", t->value, t->low, t->high);
            }
            add_cell(&c, "%+.1f", f->low_mean_pct);
            add_cell(&c, "%s", f->low_value);
            add_cell(&c, "%+.1f", f->high_mean_pct);
            add_cell(&c, "%s", f->high_value);
        }
        code = print_cells(&c, heads, sizeof(heads) / sizeof(heads[0]), false);
        if (code != CLI_EXIT_OK)
            return code;
        print_extreme("worst:", &o->worst);
        print_extreme("best: ", &o->best);
    }
    printf("\nalone, with interactions: Sobol' indices, shares of the variance with their %.0f %%\n"
           "interval, from %zu points. %s\n",
           100.0 * s->confidence, s->n_points,
           s->n_corners ? "Worst and best are of all corners and sampled points."
                        : "Worst and best are of the sampled points; the corners are too many.");
    return CLI_EXIT_OK;
}

int cli_print_summary(const struct wi_sweep_spec *spec, const struct wi_summary *summary,
                      enum cli_format format)
{
    if (format == CLI_JSON)
        return summary_json(spec, summary);
    return format == CLI_CSV ? summary_csv(spec, summary) : summary_table(spec, summary);
}

/* --- find --------------------------------------------------------------------------------------
 */

struct find {
    const struct wi_sweep_spec *spec;
    const struct wi_sweep_question *q;
    cJSON *answers; /* JSON */
    struct cells cells;
    bool csv;
};

static cJSON *crossing_json(const struct wi_crossing *c)
{
    cJSON *obj = cJSON_CreateObject();

    wi_json_add_num(obj, "at", c->found ? c->x : NAN, NULL);
    cJSON_AddBoolToObject(obj, "from_start", c->from_start);
    wi_json_add_num(obj, "back_at", c->back ? c->back_x : NAN, NULL);
    return obj;
}

static enum wi_status answer_json(void *ctx, const struct wi_sweep_answer *a,
                                  const char *const *values, struct wi_err *err)
{
    struct find *find = ctx;
    cJSON *obj = cJSON_CreateObject();
    cJSON *levels = cJSON_AddObjectToObject(obj, "levels");

    if (!levels || !cJSON_AddItemToArray(find->answers, obj)) {
        cJSON_Delete(obj);
        return wi_fail_nomem(err);
    }
    for (size_t f = 0; f < wi_sweep_n_factors(find->spec); f++) {
        if (values[f])
            cJSON_AddStringToObject(levels, wi_sweep_factor_name(find->spec, f), values[f]);
    }
    cJSON_AddItemToObject(obj, "change", crossing_json(&a->change));
    cJSON_AddItemToObject(obj, "earliest", crossing_json(&a->earliest));
    cJSON_AddItemToObject(obj, "latest", crossing_json(&a->latest));
    return WI_OK;
}

static void add_crossing(struct find *find, const struct wi_crossing *c)
{
    if (find->csv) {
        add_number(&find->cells, c->found ? c->x : NAN, 4);
        add_number(&find->cells, c->back ? c->back_x : NAN, 4);
    } else if (!c->found) {
        add_cell(&find->cells, "never");
    } else if (c->back) {
        add_cell(&find->cells, "%.2f to %.2f", c->x, c->back_x);
    } else {
        add_cell(&find->cells, "%s%.2f", c->from_start ? "from " : "", c->x);
    }
}

static enum wi_status answer_row(void *ctx, const struct wi_sweep_answer *a,
                                 const char *const *values, struct wi_err *err)
{
    struct find *find = ctx;

    for (size_t f = 0; f < wi_sweep_n_factors(find->spec); f++) {
        if (values[f])
            add_cell(&find->cells, "%s", values[f]);
    }
    add_crossing(find, &a->change);
    add_crossing(find, &a->earliest);
    add_crossing(find, &a->latest);
    return find->cells.failed ? wi_fail_nomem(err) : WI_OK;
}

static int find_json(struct find *find, const struct wi_evidence *ev)
{
    cJSON *root = cJSON_CreateObject();
    struct wi_err err = {0};

    cJSON_AddStringToObject(root, "schema", "ssd-whatif/sweep-find/1");
    cJSON_AddStringToObject(root, "factor", find->q->factor);
    cJSON_AddStringToObject(root, "metric", metric_name(find->q->percentile));
    wi_json_add_num(root, "percentile", find->q->percentile, NULL);
    cJSON_AddStringToObject(root, "passes", find->q->below ? "below" : "above");
    wi_json_add_num(root, "threshold_pct", find->q->threshold_pct, NULL);
    find->answers = cJSON_AddArrayToObject(root, "answers");
    if (!find->answers)
        wi_fail_nomem(&err);
    else
        wi_sweep_find(find->spec, ev, find->q, answer_json, find, &err);
    if (err.status == WI_OK)
        return cli_print_json(root);
    cJSON_Delete(root);
    return cli_error(&err);
}

static int find_rows(struct find *find, const struct wi_evidence *ev)
{
    static const char *const csv_heads[] = {
        "at", "back_at", "earliest_at", "earliest_back_at", "latest_at", "latest_back_at"};
    static const char *const table_heads[] = {">predicted", ">earliest", ">latest"};
    const char *heads[WI_DESIGN_FACTORS_MAX + 6];
    size_t n = 0;
    struct wi_err err = {0};

    for (size_t f = 0; f < wi_sweep_n_factors(find->spec); f++) {
        const char *name = wi_sweep_factor_name(find->spec, f);

        if (strcmp(name, find->q->factor) != 0)
            heads[n++] = name;
    }
    for (size_t i = 0; i < (find->csv ? 6u : 3u); i++)
        heads[n++] = find->csv ? csv_heads[i] : table_heads[i];
    if (wi_sweep_find(find->spec, ev, find->q, answer_row, find, &err) != WI_OK) {
        release_cells(&find->cells);
        return cli_error(&err);
    }
    if (!find->csv) {
        char metric[32];

        format_metric(find->q->percentile, metric, sizeof(metric));
        printf("%s where the change of %s first is %s %+g %%\n", find->q->factor, metric,
               find->q->below ? "below" : "above", find->q->threshold_pct);
    }
    return print_cells(&find->cells, heads, n, find->csv);
}

int cli_print_find(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                   const struct wi_sweep_question *question, enum cli_format format)
{
    struct find find = {.spec = spec, .q = question, .csv = format == CLI_CSV};
    int code;

    if (format == CLI_JSON)
        return find_json(&find, ev);
    code = find_rows(&find, ev);
    if (code == CLI_EXIT_OK && format == CLI_TABLE)
        printf(
            "earliest, latest: where the bound of the interval does that passes first, and last\n");
    return code;
}
