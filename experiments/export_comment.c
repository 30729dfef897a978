#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "experiments/export_internal.h"

#define LINE_MAX_BYTES 1024

static const char *const open_text[] = {"", "<!--\n", "/*\n"};
static const char *const line_text[] = {"# ", "  ", " * "};
static const char *const close_text[] = {"", "-->\n", " */\n"};

void export_comment_open(struct wi_buf *out, enum export_style style)
{
    wi_buf_puts(out, open_text[style]);
}

void export_comment_close(struct wi_buf *out, enum export_style style)
{
    wi_buf_puts(out, close_text[style]);
}

/* File names come from outside: no line end, no end of comment ("--" in XML, its slash in C). */
static void make_harmless(char *line, enum export_style style)
{
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
        if (style == EXPORT_XML && c > line && c[0] == '-' && c[-1] == '-')
            *c = '_';
        if (style == EXPORT_C && c > line && c[0] == '/' && c[-1] == '*')
            *c = '_';
        if (style == EXPORT_C && c > line && c[0] == '*' && c[-1] == '/')
            *c = '_';
    }
}

void export_comment(struct wi_buf *out, enum export_style style, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    make_harmless(line, style);
    wi_buf_puts(out, line_text[style]);
    wi_buf_puts(out, line);
    wi_buf_puts(out, "\n");
}

static bool holds(const struct wi_texts *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i].text, text) == 0)
            return true;
    }
    return false;
}

/* What was not said of reads already. */
static void comment_texts(struct wi_buf *out, enum export_style style, const char *what,
                          const struct wi_texts *list, const struct wi_texts *said)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list == said || !holds(said, list->items[i].text))
            export_comment(out, style, "  %s%s", what, list->items[i].text);
    }
}

static void comment_side(struct wi_buf *out, enum export_style style, const struct export_job *job,
                         enum wi_op op)
{
    static const char *const domain_words[] = {"inside", "at the edge of", "outside"};
    static const char *const bound_words[] = {"the predicted change", "the lower end",
                                              "the upper end"};
    const struct export_side *side = &job->side[op];
    const struct wi_forecast *f = &side->prediction.forecast;
    const struct wi_forecast *read = &job->side[WI_OP_READ].prediction.forecast;
    const struct wi_change *c = side->change;

    export_comment(out, style,
                   "%s: p%.8g latency %+.1f %% (%g %% interval %+.1f to %+.1f %%), %s what was "
                   "measured; %s is used: x %.4f",
                   wi_op_name(op), c->percentile, c->change_pct,
                   100.0 * side->prediction.scenario.confidence, c->low_pct, c->high_pct,
                   domain_words[f->domain], bound_words[job->bound], side->factor);
    if (c->low_pct < 0.0 && c->high_pct > 0.0)
        export_comment(out, style, "  the interval holds 0: not even the sign is settled");
    comment_texts(out, style, "", &f->domain_reasons, &read->domain_reasons);
    comment_texts(out, style, "warning: ", &f->warnings, &read->warnings);
    if (f->from_physics)
        export_comment(out, style, "  the numbers rest on physics, not on measurements");
    for (size_t i = 0; i < f->n_top; i++)
        export_comment(out, style, "  evidence: %s, %.0f %% of the weight", f->top[i].id,
                       100.0 * f->top[i].weight_frac);
}

void export_comment_head(struct wi_buf *out, enum export_style style, const struct export_job *job,
                         const char *what)
{
    const struct wi_prediction *p = NULL;
    char scenario[512];

    for (int op = 0; op < 3 && !p; op++)
        p = job->side[op].asked ? &job->side[op].prediction : NULL;
    export_comment(out, style, "ssd-whatif export %s: %s", job->target->name, what);
    if (job->opt->base_name)
        export_comment(out, style, "base: %s", job->opt->base_name);
    else
        export_comment(out, style, "base: numbers given one by one");
    if (p) {
        struct wi_scenario s = p->scenario;

        if (job->side[WI_OP_READ].asked && job->side[WI_OP_WRITE].asked)
            s.op = WI_OP_MIXED; /* both are listed below */
        wi_scenario_format(&s, scenario, sizeof(scenario));
        export_comment(out, style, "scenario: %s", scenario);
    }
    for (int op = 0; op < 3; op++) {
        if (job->side[op].asked)
            comment_side(out, style, job, (enum wi_op)op);
    }
}
