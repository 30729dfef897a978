#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cli/cli.h"
#include "cli/physics_table.h"
#include "cli/print.h"
#include "core/json.h"

/* One line per number of a model: an input, or a parameter with each of its figures. */
typedef void (*line_fn)(void *ctx, const struct wi_physics_model *m,
                        const struct wi_physics_param *p, const struct wi_physics_figure *f);

static void for_each_line(const struct wi_physics_model *m, line_fn line, void *ctx)
{
    for (size_t i = 0; i < m->n_params; i++) {
        const struct wi_physics_param *p = &m->params[i];

        if (p->n_figures == 0)
            line(ctx, m, p, NULL);
        for (size_t k = 0; k < p->n_figures; k++)
            line(ctx, m, p, &p->figures[k]);
    }
    for (size_t i = 0; i < m->n_constants; i++)
        line(ctx, m, NULL, &m->constants[i]);
}

/* "1.1" or "0.47..0.69" */
static void format_figure(const struct wi_physics_figure *f, char *buf, size_t size)
{
    if (f->low == f->high)
        snprintf(buf, size, "%g", f->low);
    else if (isinf(f->high))
        snprintf(buf, size, ">= %g", f->low);
    else
        snprintf(buf, size, "%g..%g", f->low, f->high);
}

static void print_line(void *ctx, const struct wi_physics_model *m,
                       const struct wi_physics_param *p, const struct wi_physics_figure *f)
{
    char label[64], value[64], text[512];
    const char *unit = p && *p->unit && strcmp(p->unit, "1") != 0 ? p->unit : NULL;

    (void)ctx;
    (void)m;
    snprintf(label, sizeof(label), "    %s%s", p ? "--" : "", p ? p->name : f->id);
    if (!f) {
        snprintf(text, sizeof(text), "%s%s%s (%s)", p->help, unit ? ", " : "", unit ? unit : "",
                 physics_format_value(p, p->value, value));
    } else {
        format_figure(f, value, sizeof(value));
        snprintf(text, sizeof(text), "%s%s%s: %s [%s, %s]", value, unit ? " " : "",
                 unit ? unit : "", f->applies_to, *f->source ? f->source : "ours",
                 wi_confidence_name(f->confidence));
    }
    cli_print_paragraph(label, text);
}

static void print_text(void)
{
    for (size_t i = 0; i < wi_n_physics_models; i++) {
        const struct wi_physics_model *m = wi_physics_models[i];

        printf("%s%s: %s\n", i ? "\n" : "", m->name, m->title);
        cli_print_paragraph("    equation:", m->equation);
        cli_print_paragraph("    valid:   ", m->validity);
        for_each_line(m, print_line, NULL);
    }
}

static void print_csv_line(void *ctx, const struct wi_physics_model *m,
                           const struct wi_physics_param *p, const struct wi_physics_figure *f)
{
    char value[32] = "", low[32] = "", high[32] = "", buf[32];
    char *cells[] = {(char *)m->name,
                     (char *)(p ? p->name : ""),
                     (char *)(p ? p->unit : ""),
                     value,
                     low,
                     high,
                     (char *)(f ? f->applies_to : p->help),
                     (char *)(f ? f->id : ""),
                     (char *)(f ? f->source : ""),
                     (char *)(f ? wi_confidence_name(f->confidence) : "input")};

    (void)ctx;
    if (!f) {
        snprintf(value, sizeof(value), "%s", physics_format_value(p, p->value, buf));
    } else {
        if (!isnan(f->value))
            snprintf(value, sizeof(value), "%g", f->value);
        snprintf(low, sizeof(low), "%g", f->low);
        if (isfinite(f->high))
            snprintf(high, sizeof(high), "%g", f->high);
    }
    cli_print_csv_row(cells, sizeof(cells) / sizeof(cells[0]));
}

static cJSON *figure_json(const struct wi_physics_figure *f)
{
    cJSON *obj = cJSON_CreateObject();

    cJSON_AddStringToObject(obj, "id", f->id);
    wi_json_add_num(obj, "value", f->value, NULL);
    wi_json_add_num(obj, "low", f->low, NULL);
    wi_json_add_num(obj, "high", f->high, NULL);
    cJSON_AddStringToObject(obj, "applies_to", f->applies_to);
    cJSON_AddStringToObject(obj, "source", f->source);
    cJSON_AddStringToObject(obj, "confidence", wi_confidence_name(f->confidence));
    cJSON_AddBoolToObject(obj, "in_band", f->role == WI_FIGURE_BAND);
    return obj;
}

static cJSON *figures_json(const struct wi_physics_figure *list, size_t n)
{
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(array, figure_json(&list[i]));
    return array;
}

static cJSON *param_json(const struct wi_physics_param *p)
{
    cJSON *obj = cJSON_CreateObject();

    cJSON_AddStringToObject(obj, "name", p->name);
    cJSON_AddStringToObject(obj, "symbol", p->symbol);
    cJSON_AddStringToObject(obj, "unit", p->unit);
    cJSON_AddStringToObject(obj, "help", p->help);
    if (p->choices) {
        cJSON *names = cJSON_AddArrayToObject(obj, "choices");

        cJSON_AddStringToObject(obj, "default", p->choices[(size_t)(p->value + 0.5)]);
        for (size_t i = 0; p->choices[i]; i++)
            cJSON_AddItemToArray(names, cJSON_CreateString(p->choices[i]));
    } else {
        wi_json_add_num(obj, "default", p->value, NULL);
        wi_json_add_num(obj, "min", p->min, NULL);
        wi_json_add_num(obj, "max", p->max, NULL);
        wi_json_add_num(obj, "valid_low", p->valid_low, NULL);
        wi_json_add_num(obj, "valid_high", p->valid_high, NULL);
    }
    cJSON_AddItemToObject(obj, "figures", figures_json(p->figures, p->n_figures));
    return obj;
}

static cJSON *model_json(const struct wi_physics_model *m)
{
    cJSON *obj = cJSON_CreateObject(), *params, *outputs;

    cJSON_AddStringToObject(obj, "name", m->name);
    cJSON_AddStringToObject(obj, "title", m->title);
    cJSON_AddStringToObject(obj, "equation", m->equation);
    cJSON_AddStringToObject(obj, "validity", m->validity);
    params = cJSON_AddArrayToObject(obj, "parameters");
    for (size_t i = 0; i < m->n_params; i++)
        cJSON_AddItemToArray(params, param_json(&m->params[i]));
    outputs = cJSON_AddArrayToObject(obj, "outputs");
    for (size_t i = 0; i < m->n_outputs; i++) {
        cJSON *o = cJSON_CreateObject();

        cJSON_AddStringToObject(o, "name", m->outputs[i].name);
        cJSON_AddStringToObject(o, "unit", m->outputs[i].unit);
        cJSON_AddStringToObject(o, "help", m->outputs[i].help);
        cJSON_AddItemToArray(outputs, o);
    }
    cJSON_AddItemToObject(obj, "constants", figures_json(m->constants, m->n_constants));
    return obj;
}

int physics_list_print(void)
{
    if (cli_common.format == CLI_JSON) {
        cJSON *list = cJSON_CreateArray();

        for (size_t i = 0; i < wi_n_physics_models; i++)
            cJSON_AddItemToArray(list, model_json(wi_physics_models[i]));
        return cli_print_json(list);
    }
    if (cli_common.format == CLI_CSV) {
        puts("model,parameter,unit,value,low,high,applies_to,id,source,confidence");
        for (size_t i = 0; i < wi_n_physics_models; i++)
            for_each_line(wi_physics_models[i], print_csv_line, NULL);
        return CLI_EXIT_OK;
    }
    print_text();
    return CLI_EXIT_OK;
}
