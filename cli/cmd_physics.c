#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/physics_table.h"

#define HELP_MAX 192

static struct {
    const char *plot, *output;
} options;

/* The model that argv names decides which options there are. */
static struct physics_ask ask;
static struct cli_option model_table[WI_PHYS_PARAMS_MAX + 1];
static char model_help[WI_PHYS_PARAMS_MAX][HELP_MAX];

static const struct cli_option common_table[] = {
    {.name = "plot",
     .arg = "FILE",
     .help = "plot over the one range by gnuplot: a PNG, or - for the terminal",
     .type = CLI_TEXT,
     .value = &options.plot},
    {.name = "output",
     .arg = "NAME",
     .help = "only this output; in a plot without it the first",
     .type = CLI_TEXT,
     .value = &options.output},
    {0}};

static const struct cli_option *const *physics_options(void)
{
    static const struct cli_option *const tables[] = {model_table, common_table, NULL};

    return tables;
}

static enum wi_status parse_number(const char **at, double *out, struct wi_err *err)
{
    char *end = NULL;

    errno = 0;
    *out = strtod(*at, &end);
    if (end == *at || errno == ERANGE || !isfinite(*out))
        return wi_fail(err, WI_EUSAGE, "'%s' is not a number", *at);
    *at = end;
    return WI_OK;
}

static enum wi_status parse_choice(struct physics_axis *a, const char *text, struct wi_err *err)
{
    char allowed[256] = "";

    for (size_t i = 0; a->param->choices[i]; i++) {
        size_t used = strlen(allowed);

        if (strcmp(a->param->choices[i], text) == 0) {
            a->from = (double)i;
            return WI_OK;
        }
        snprintf(allowed + used, sizeof(allowed) - used, "%s%s", i ? ", " : "",
                 a->param->choices[i]);
    }
    return wi_fail(err, WI_EUSAGE, "'%s' is unknown, allowed is %s", text, allowed);
}

/* from:to:step, both ends included where the step meets them. */
static enum wi_status parse_range(struct physics_axis *a, double from, const char *at,
                                  struct wi_err *err)
{
    double to, step, n;
    enum wi_status st = parse_number(&at, &to, err);

    if (st == WI_OK && *at++ != ':')
        return wi_fail(err, WI_EUSAGE, "a range is written from:to:step");
    if (st == WI_OK)
        st = parse_number(&at, &step, err);
    if (st != WI_OK)
        return st;
    if (*at)
        return wi_fail(err, WI_EUSAGE, "a range is written from:to:step");
    if (step == 0.0 || (to - from) / step < 0.0)
        return wi_fail(err, WI_EUSAGE, "a step of %g never gets from %g to %g", step, from, to);
    n = floor((to - from) / step + 1e-9) + 1.0;
    if (n > PHYSICS_ROWS_MAX)
        return wi_fail(err, WI_EUSAGE, "%.0f values are too many, allowed is %d", n,
                       PHYSICS_ROWS_MAX);
    a->n = (size_t)n;
    a->step = step;
    return WI_OK;
}

static enum wi_status parse_axis(void *value, const char *text, struct wi_err *err)
{
    struct physics_axis a = *(struct physics_axis *)value;
    const struct wi_physics_param *p = a.param;
    const char *at = text;
    double last;
    enum wi_status st;

    a.n = 1;
    a.step = 0.0;
    if (p->choices) {
        st = parse_choice(&a, text, err);
    } else {
        st = parse_number(&at, &a.from, err);
        if (st == WI_OK && *at == ':')
            st = parse_range(&a, a.from, at + 1, err);
        else if (st == WI_OK && *at)
            st = wi_fail(err, WI_EUSAGE, "'%s' is neither a number nor from:to:step", text);
    }
    if (st != WI_OK)
        return st;
    last = a.from + a.step * (double)(a.n - 1);
    if (fmin(a.from, last) < p->min || fmax(a.from, last) > p->max)
        return wi_fail(err, WI_EUSAGE, "%s is out of range, allowed is %g to %g", text, p->min,
                       p->max);
    a.given = true;
    *(struct physics_axis *)value = a;
    return WI_OK;
}

static void write_help(const struct wi_physics_param *p, char *help)
{
    char value[32];
    double low, high;

    if (isnan(p->value))
        snprintf(help, HELP_MAX, "%s; needed, unverified figures say %g..%g", p->help,
                 p->figures[0].low, p->figures[0].high);
    else if (p->choices)
        snprintf(help, HELP_MAX, "%s (%s)", p->help, physics_format_value(p, p->value, value));
    else if (wi_physics_band(p, &low, &high))
        snprintf(help, HELP_MAX, "%s, %s (%g; band %g..%g)", p->help, p->unit, p->value, low, high);
    else
        snprintf(help, HELP_MAX, "%s, %s (%g)", p->help, p->unit, p->value);
}

/* One option per parameter of the model. */
static void offer_options(const struct wi_physics_model *m)
{
    ask.model = m;
    for (size_t i = 0; i < m->n_params; i++) {
        const struct wi_physics_param *p = &m->params[i];

        ask.axes[i] = (struct physics_axis){.param = p, .from = p->value, .n = 1};
        write_help(p, model_help[i]);
        model_table[i] = (struct cli_option){.name = p->name,
                                             .arg = p->choices ? "NAME" : "VALUE|RANGE",
                                             .help = model_help[i],
                                             .type = CLI_CALL,
                                             .value = &ask.axes[i],
                                             .call = parse_axis};
    }
    model_table[m->n_params] = (struct cli_option){0};
}

/* The first word that is a model: options of it may come before its name. */
static const struct wi_physics_model *find_model(int argc, char **argv)
{
    const struct wi_physics_model *m = NULL;

    for (int i = 1; i < argc && !m; i++)
        m = wi_physics_find(argv[i]);
    return m;
}

static int unknown_model(const char *name)
{
    char names[512] = "";

    for (size_t i = 0; i < wi_n_physics_models; i++) {
        size_t used = strlen(names);

        snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
                 wi_physics_models[i]->name);
    }
    return cli_usage_error("unknown model '%s', allowed is list, %s", name, names);
}

/* All outputs, or the one that was asked for. */
static int choose_outputs(struct physics_ask *a)
{
    const struct wi_physics_model *m = a->model;

    a->first_output = 0;
    a->n_outputs = m->n_outputs;
    if (!options.output)
        return -1;
    for (size_t i = 0; i < m->n_outputs; i++) {
        if (strcmp(m->outputs[i].name, options.output) == 0) {
            a->first_output = i;
            a->n_outputs = 1;
            return -1;
        }
    }
    return cli_usage_error("%s has no output '%s'", m->name, options.output);
}

static int compute(void)
{
    struct physics_table table = {0};
    struct wi_err err = {0};
    enum wi_status st;
    int code = choose_outputs(&ask);

    if (code >= 0)
        return code;
    st = physics_table_fill(&ask, &table, &err);
    /* All inputs came from the command line, so one that does not fit is its fault. */
    if (st == WI_ERANGE || st == WI_ENUMERIC)
        err.status = WI_EUSAGE;
    if (st != WI_OK)
        return cli_error(&err);
    code = CLI_EXIT_OK;
    if (options.plot)
        code = physics_plot(&table, options.plot);
    if (code == CLI_EXIT_OK && !(options.plot && strcmp(options.plot, "-") == 0))
        code = physics_table_print(&table);
    if (cli_common.format != CLI_JSON) {
        for (size_t i = 0; i < table.notes.n; i++)
            cli_note(NULL, table.notes.text[i]);
    }
    physics_table_release(&table);
    return code;
}

static int run_physics(int argc, char **argv)
{
    const struct wi_physics_model *m = find_model(argc, argv);
    char **args = NULL;
    size_t n_args = 0;
    int code;

    if (m)
        offer_options(m);
    else if (argc > 1 && argv[1][0] != '-' && strcmp(argv[1], "list") != 0)
        return unknown_model(argv[1]);
    code = cli_parse(&cmd_physics, argc, argv, &n_args, &args);
    if (code >= 0)
        return code;
    if (n_args == 0)
        return cli_usage_error("physics needs a model; 'ssd-whatif physics list' shows them");
    if (n_args > 1)
        return cli_usage_error("physics takes one model, '%s' is one too many", args[1]);
    if (strcmp(args[0], "list") == 0)
        return physics_list_print();
    if (!m || strcmp(args[0], m->name) != 0)
        return unknown_model(args[0]);
    return compute();
}

const struct cli_command cmd_physics = {
    .name = "physics",
    .args = "MODEL [--PARAMETER VALUE|FROM:TO:STEP]...",
    .summary = "physical models: arrhenius, peck, dew-point, rber, throttle, ...",
    .details = "'physics list' shows every model with its equation, range of validity, and\n"
               "parameters with their sources; 'physics MODEL --help' shows the options of one.\n"
               "A range tabulates. A parameter on which sources disagree has a band, and so has\n"
               "the result unless the parameter is given.",
    .options = physics_options,
    .run = run_physics};
