/*
 * FEMU: the command line of its black-box SSD, or the script that makes it, times in nanoseconds.
 * The properties of `-device femu` stand in a script either as numbers (pg_rd_lat=40000) or as
 * variables (pg_rd_lat=${pg_rd_lat}) that are set to one; both are found.
 *
 * source: Li et al., The CASE of FEMU, FAST 2018; github.com/MoatLab/FEMU, hw/femu/femu.c
 *         (properties pg_rd_lat, pg_wr_lat, blk_er_lat, ch_xfer_lat: 32-bit integers) and
 *         femu-scripts/run-blackbox.sh ("Latency in nanoseconds")
 */
#include <ctype.h>
#include <string.h>

#include "experiments/export_internal.h"

static const struct export_field fields[] = {{"pg_rd_lat", WI_OP_READ}, {"pg_wr_lat", WI_OP_WRITE}};

static enum wi_status find(struct export_sites *s, struct wi_err *err);

static void begin(struct wi_buf *out)
{
    wi_buf_puts(out, "-device femu,femu_mode=1");
}

static void number(struct wi_buf *out, const char *name, double value)
{
    wi_buf_addf(out, ",%s=%.0f", name, value);
}

static void end(struct wi_buf *out)
{
    wi_buf_puts(out, "\n");
}

static const struct export_form form = {
    .fields = fields,
    .n_fields = sizeof(fields) / sizeof(fields[0]),
    .max = 2147483647.0, /* DEFINE_PROP_INT32 */
    .style = EXPORT_HASH,
    .source = "github.com/MoatLab/FEMU, hw/femu/femu.c and femu-scripts/run-blackbox.sh",
    .left_alone = "blk_er_lat (not measured), ch_xfer_lat (bandwidth follows from the page times)",
    .find = find,
    .begin = begin,
    .number = number,
    .end = end};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Shell variables that a property takes its number from. */
#define VARIABLES_MAX 16
struct variables {
    struct {
        const char *name;
        size_t n;
        size_t field;
    } items[VARIABLES_MAX];
    size_t n;
};

/* A variable at `from`: $name or ${name}. returns the length of its name, 0 if there is none */
static size_t variable_at(const char *from, const char *end, const char **name)
{
    bool braces;
    size_t n = 0;

    if (from == end || *from != '$')
        return 0;
    from++;
    braces = from < end && *from == '{';
    from += braces;
    while (from + n < end && is_name(from[n]))
        n++;
    if (braces && (from + n == end || from[n] != '}'))
        return 0;
    *name = from;
    return n;
}

/* The end of what a shell or QEMU would take as the value. */
static size_t value_length(const char *from, const char *end)
{
    size_t n = 0;

    while (from + n < end && !strchr(" \t\r\n,;\"'\\#&|()", from[n]))
        n++;
    return n;
}

/*
 * One NAME=VALUE.
 * in: field   of the property or of the variable; is_property tells which
 */
static enum wi_status take(struct export_sites *s, size_t field, const char *value, const char *end,
                           bool is_property, struct variables *vars, struct wi_err *err)
{
    const char *name = NULL;
    size_t n_name;

    if (value < end && (*value == '"' || *value == '\''))
        value++;
    n_name = variable_at(value, end, &name);
    if (n_name == 0)
        return export_sites_add(s, &form, field, (size_t)(value - s->text),
                                value_length(value, end), err);
    if (!is_property)
        return WI_OK; /* assembled from other variables */
    if (vars->n == VARIABLES_MAX)
        return wi_fail(err, WI_EDATA, "%s: more than %d variables hold page times", s->name,
                       VARIABLES_MAX);
    vars->items[vars->n].name = name;
    vars->items[vars->n].n = n_name;
    vars->items[vars->n++].field = field;
    return WI_OK;
}

typedef enum wi_status (*assignment_fn)(struct export_sites *s, const char *name, size_t n_name,
                                        const char *value, const char *end, struct variables *vars,
                                        struct wi_err *err);

/* Every NAME=... outside of comment lines. */
static enum wi_status each_assignment(struct export_sites *s, assignment_fn fn,
                                      struct variables *vars, struct wi_err *err)
{
    const char *end = s->text + s->len;
    enum wi_status st = WI_OK;

    for (const char *line = s->text; line < end && st == WI_OK;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *c = line;

        stop = stop ? stop : end;
        while (c < stop && (*c == ' ' || *c == '\t'))
            c++;
        while (c < stop && *c != '#' && st == WI_OK) {
            const char *name = c;

            while (c < stop && is_name(*c))
                c++;
            if (c > name && c < stop && *c == '=')
                st = fn(s, name, (size_t)(c - name), c + 1, stop, vars, err);
            else if (c == name)
                c++;
        }
        line = stop + (stop < end);
    }
    return st;
}

static enum wi_status on_property(struct export_sites *s, const char *name, size_t n_name,
                                  const char *value, const char *end, struct variables *vars,
                                  struct wi_err *err)
{
    size_t field = export_field_find(&form, name, n_name);

    return field == form.n_fields ? WI_OK : take(s, field, value, end, true, vars, err);
}

static enum wi_status on_variable(struct export_sites *s, const char *name, size_t n_name,
                                  const char *value, const char *end, struct variables *vars,
                                  struct wi_err *err)
{
    if (export_field_find(&form, name, n_name) != form.n_fields)
        return WI_OK; /* has been read as a property */
    for (size_t i = 0; i < vars->n; i++) {
        if (vars->items[i].n == n_name && memcmp(vars->items[i].name, name, n_name) == 0)
            return take(s, vars->items[i].field, value, end, false, vars, err);
    }
    return WI_OK;
}

static enum wi_status find(struct export_sites *s, struct wi_err *err)
{
    struct variables vars = {.n = 0};
    enum wi_status st;

    if (s->len >= 2 && memcmp(s->text, "#!", 2) == 0) {
        const char *newline = memchr(s->text, '\n', s->len);

        s->comment_at = newline ? (size_t)(newline - s->text) + 1 : s->len;
    }
    st = each_assignment(s, on_property, &vars, err);
    return st == WI_OK ? each_assignment(s, on_variable, &vars, err) : st;
}

const struct wi_export_target export_femu = {
    .name = "femu",
    .title = "FEMU's command line or run script, page times in ns",
    .base = "the script with -device femu,...",
    .unit = "ns",
    .takes = WI_EXPORT_TAKES_PERCENTILE | WI_EXPORT_TAKES_BOUND,
    .form = &form,
    .write = export_fields_write};
