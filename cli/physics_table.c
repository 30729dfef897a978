#include "cli/physics_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cli/cli.h"
#include "cli/print.h"
#include "core/json.h"

#define CELL_MAX 32
#define COLUMNS_MAX (WI_PHYS_PARAMS_MAX + 3 * WI_PHYS_OUTPUTS_MAX)

enum wi_status physics_table_fill(const struct physics_ask *ask, struct physics_table *table,
                                  struct wi_err *err)
{
    const struct wi_physics_model *m = ask->model;
    struct physics_table t = {.ask = ask, .n = 1};
    unsigned given = 0;
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < m->n_params; i++) {
        if (ask->axes[i].given)
            given |= 1u << i;
        if (t.n * ask->axes[i].n > PHYSICS_ROWS_MAX)
            return wi_fail(err, WI_EUSAGE, "the ranges make more than %d rows", PHYSICS_ROWS_MAX);
        t.n *= ask->axes[i].n;
    }
    t.rows = calloc(t.n, sizeof(*t.rows));
    if (!t.rows)
        return wi_fail_nomem(err);
    for (size_t r = 0; r < t.n && st == WI_OK; r++) {
        struct physics_row *row = &t.rows[r];
        size_t rest = r;

        /* The last range runs fastest. */
        for (size_t i = m->n_params; i-- > 0;) {
            const struct physics_axis *a = &ask->axes[i];

            row->in[i] = a->from + a->step * (double)(rest % a->n);
            rest /= a->n;
        }
        st = wi_physics_eval(m, row->in, given, &row->res, err);
        t.has_band |= row->res.has_band;
        for (size_t i = 0; i < row->res.notes.n; i++)
            wi_physics_note(&t.notes, "%s", row->res.notes.text[i]);
    }
    if (st != WI_OK) {
        physics_table_release(&t);
        return st;
    }
    *table = t;
    return WI_OK;
}

void physics_table_release(struct physics_table *table)
{
    free(table->rows);
    table->rows = NULL;
    table->n = 0;
}

const char *physics_format_value(const struct wi_physics_param *p, double v, char *buf)
{
    if (p->choices)
        return p->choices[(size_t)(v + 0.5)];
    snprintf(buf, 32, "%.6g", v);
    return buf;
}

static bool is_varied(const struct physics_axis *a)
{
    return a->n > 1;
}

static bool has_range(const struct physics_ask *ask)
{
    bool any = false;

    for (size_t i = 0; i < ask->model->n_params; i++)
        any |= is_varied(&ask->axes[i]);
    return any;
}

/* --- one result for people --- */

static void print_inputs(const struct physics_table *t)
{
    const struct wi_physics_model *m = t->ask->model;
    char line[1024] = "", cell[CELL_MAX];

    for (size_t i = 0; i < m->n_params; i++) {
        size_t used = strlen(line);
        const struct wi_physics_param *p = &m->params[i];
        const char *unit = strcmp(p->unit, "1") == 0 ? "" : p->unit;

        if (is_varied(&t->ask->axes[i]))
            continue;
        snprintf(line + used, sizeof(line) - used, "%s%s %s%s%s", used ? ", " : "", p->name,
                 physics_format_value(p, t->rows[0].in[i], cell), *unit ? " " : "", unit);
    }
    if (*line)
        cli_print_paragraph("with:    ", line);
}

static bool print_single(const struct physics_table *t)
{
    static const char *const heads[] = {"output", ">value", ">low", ">high"};
    const struct wi_physics_output *outputs = &t->ask->model->outputs[t->ask->first_output];
    const struct wi_physics_result *r = &t->rows[0].res;
    size_t n = t->ask->n_outputs, n_columns = r->has_band ? 4 : 2;
    char text[WI_PHYS_OUTPUTS_MAX][3][CELL_MAX];
    char *cells[WI_PHYS_OUTPUTS_MAX * 4];

    for (size_t k = 0; k < n; k++) {
        size_t i = t->ask->first_output + k;
        double v[3] = {r->out[i], r->low[i], r->high[i]};

        cells[k * n_columns] = (char *)outputs[k].name;
        for (size_t j = 0; j + 1 < n_columns; j++) {
            snprintf(text[k][j], CELL_MAX, "%.6g", v[j]);
            cells[k * n_columns + 1 + j] = text[k][j];
        }
    }
    if (!cli_print_table(heads, n_columns, cells, n))
        return false;
    putchar('\n');
    for (size_t k = 0; k < n; k++) {
        char label[64];

        snprintf(label, sizeof(label), "%s:", outputs[k].name);
        cli_print_paragraph(label, outputs[k].help);
    }
    return true;
}

/* --- rows --- */

/* What a table of rows shows. */
struct columns {
    char heads[COLUMNS_MAX][64]; /* with the '>' of a right-aligned column */
    size_t n;
    size_t n_outputs; /* from ask->first_output on */
    bool full;        /* all inputs and every digit, for machines */
    bool band;
    bool left_out; /* something does not fit */
};

static void add_head(struct columns *c, const char *name, const char *suffix)
{
    snprintf(c->heads[c->n++], sizeof(c->heads[0]), ">%s%s", name, suffix);
}

static bool is_shown(const struct physics_table *t, const struct columns *c, size_t param)
{
    return c->full || is_varied(&t->ask->axes[param]);
}

static void name_columns(const struct physics_table *t, struct columns *c)
{
    const struct wi_physics_model *m = t->ask->model;

    c->n = 0;
    for (size_t i = 0; i < m->n_params; i++) {
        if (is_shown(t, c, i))
            add_head(c, m->params[i].name, "");
    }
    for (size_t k = 0; k < c->n_outputs; k++) {
        const char *name = m->outputs[t->ask->first_output + k].name;

        add_head(c, name, "");
        if (c->band) {
            add_head(c, name, "_low");
            add_head(c, name, "_high");
        }
    }
}

/* A number takes up to 11 characters, so that is what a short name needs too. */
static bool fits(const struct columns *c)
{
    size_t width = 0;

    for (size_t i = 0; i < c->n; i++) {
        size_t len = strlen(c->heads[i]); /* one more than the name: the gap */

        width += len > 12 ? len : 12;
    }
    return width <= CLI_WIDTH;
}

/* People get what fits: first the band goes, then outputs from the end. */
static void shrink(const struct physics_table *t, struct columns *c)
{
    while (!fits(c) && (c->band || c->n_outputs > 1)) {
        if (c->band)
            c->band = false;
        else
            c->n_outputs--;
        c->left_out = true;
        name_columns(t, c);
    }
}

static void fill_row(const struct physics_table *t, size_t r, const struct columns *columns,
                     char (*text)[CELL_MAX])
{
    const struct wi_physics_model *m = t->ask->model;
    const struct physics_row *row = &t->rows[r];
    size_t c = 0;
    char buf[CELL_MAX];

    for (size_t i = 0; i < m->n_params; i++) {
        if (is_shown(t, columns, i))
            snprintf(text[c++], CELL_MAX, "%s",
                     physics_format_value(&m->params[i], row->in[i], buf));
    }
    for (size_t k = 0; k < columns->n_outputs; k++) {
        size_t i = t->ask->first_output + k;
        double v[3] = {row->res.out[i], row->res.low[i], row->res.high[i]};

        for (size_t j = 0; j < (columns->band ? 3u : 1u); j++)
            snprintf(text[c++], CELL_MAX, "%.*g", columns->full ? 17 : 6, v[j]);
    }
}

static void print_csv(const struct physics_table *t)
{
    struct columns c = {.n_outputs = t->ask->n_outputs, .full = true, .band = t->has_band};
    char text[COLUMNS_MAX][CELL_MAX];
    char *cells[COLUMNS_MAX];

    name_columns(t, &c);
    for (size_t i = 0; i < c.n; i++)
        cells[i] = c.heads[i] + 1;
    cli_print_csv_row(cells, c.n);
    for (size_t i = 0; i < c.n; i++)
        cells[i] = text[i];
    for (size_t r = 0; r < t->n; r++) {
        fill_row(t, r, &c, text);
        cli_print_csv_row(cells, c.n);
    }
}

static bool print_rows(const struct physics_table *t)
{
    struct columns c = {.n_outputs = t->ask->n_outputs, .band = t->has_band};
    const char *heads[COLUMNS_MAX];
    char(*text)[CELL_MAX];
    char **cells;
    bool ok;

    name_columns(t, &c);
    shrink(t, &c);
    text = calloc(t->n * c.n, sizeof(*text));
    cells = calloc(t->n * c.n, sizeof(*cells));
    ok = text && cells;
    for (size_t i = 0; i < c.n; i++)
        heads[i] = c.heads[i];
    for (size_t r = 0; ok && r < t->n; r++) {
        fill_row(t, r, &c, text + r * c.n);
        for (size_t i = 0; i < c.n; i++)
            cells[r * c.n + i] = text[r * c.n + i];
    }
    ok = ok && cli_print_table(heads, c.n, cells, t->n);
    if (ok && c.left_out)
        puts("\nNot all columns fit: --output NAME, --format csv and json have the others.");
    free(text);
    free(cells);
    return ok;
}

/* --- JSON --- */

static void add_input(cJSON *obj, const struct wi_physics_param *p, double v)
{
    if (p->choices)
        cJSON_AddStringToObject(obj, p->name, p->choices[(size_t)(v + 0.5)]);
    else
        wi_json_add_num(obj, p->name, v, NULL);
}

static cJSON *row_json(const struct physics_table *t, size_t r)
{
    const struct wi_physics_model *m = t->ask->model;
    const struct physics_row *row = &t->rows[r];
    cJSON *obj = cJSON_CreateObject();
    cJSON *inputs = cJSON_AddObjectToObject(obj, "inputs");
    cJSON *outputs = cJSON_AddObjectToObject(obj, "outputs");

    for (size_t i = 0; i < m->n_params; i++)
        add_input(inputs, &m->params[i], row->in[i]);
    for (size_t k = 0; k < t->ask->n_outputs; k++) {
        size_t i = t->ask->first_output + k;
        cJSON *o = cJSON_AddObjectToObject(outputs, m->outputs[i].name);

        wi_json_add_num(o, "value", row->res.out[i], NULL);
        if (row->res.has_band) {
            wi_json_add_num(o, "low", row->res.low[i], NULL);
            wi_json_add_num(o, "high", row->res.high[i], NULL);
        }
        cJSON_AddStringToObject(o, "unit", m->outputs[i].unit);
    }
    return obj;
}

static int print_json(const struct physics_table *t)
{
    const struct wi_physics_model *m = t->ask->model;
    cJSON *obj = cJSON_CreateObject();
    cJSON *rows, *warnings;

    cJSON_AddStringToObject(obj, "schema", "ssd-whatif/physics/1");
    cJSON_AddStringToObject(obj, "model", m->name);
    cJSON_AddStringToObject(obj, "title", m->title);
    cJSON_AddStringToObject(obj, "equation", m->equation);
    cJSON_AddStringToObject(obj, "validity", m->validity);
    rows = cJSON_AddArrayToObject(obj, "rows");
    for (size_t r = 0; r < t->n; r++)
        cJSON_AddItemToArray(rows, row_json(t, r));
    warnings = cJSON_AddArrayToObject(obj, "warnings");
    for (size_t i = 0; i < t->notes.n; i++)
        cJSON_AddItemToArray(warnings, cJSON_CreateString(t->notes.text[i]));
    return cli_print_json(obj);
}

int physics_table_print(const struct physics_table *t)
{
    const struct wi_physics_model *m = t->ask->model;
    struct wi_err err = {0};
    bool ok;

    if (cli_common.format == CLI_JSON)
        return print_json(t);
    if (cli_common.format == CLI_CSV) {
        print_csv(t);
        return CLI_EXIT_OK;
    }
    printf("%s\n", m->title);
    cli_print_paragraph("equation:", m->equation);
    cli_print_paragraph("valid:   ", m->validity);
    print_inputs(t);
    if (t->has_band)
        puts("low, high: over the published figures of parameters that were not given");
    putchar('\n');
    ok = has_range(t->ask) ? print_rows(t) : print_single(t);
    if (!ok) {
        wi_fail_nomem(&err);
        return cli_error(&err);
    }
    return CLI_EXIT_OK;
}
