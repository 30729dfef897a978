/*
 * NVMeVirt: the constants of ssd_config.h, times in nanoseconds. The header holds one block per
 * drive that it can imitate (#if (BASE_SSD == SAMSUNG_970PRO)), and its numbers are sums and
 * differences in parentheses; both are read here.
 *
 * source: Kim et al., NVMeVirt, FAST 2023; github.com/snu-csl/nvmevirt, ssd_config.h (names,
 * "//ns", blocks by BASE_SSD) and ssd.c (where NAND_*_LATENCY become the time of a die)
 *
 * FW_* are the controller's, not the NAND's.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/export_internal.h"

static const struct export_field fields[] = {
    {"NAND_4KB_READ_LATENCY_LSB", WI_OP_READ}, {"NAND_4KB_READ_LATENCY_MSB", WI_OP_READ},
    {"NAND_4KB_READ_LATENCY_CSB", WI_OP_READ}, {"NAND_READ_LATENCY_LSB", WI_OP_READ},
    {"NAND_READ_LATENCY_MSB", WI_OP_READ},     {"NAND_READ_LATENCY_CSB", WI_OP_READ},
    {"NAND_PROG_LATENCY", WI_OP_WRITE}};

static enum wi_status find(struct export_sites *s, struct wi_err *err);

static void begin(struct wi_buf *out)
{
    (void)out;
}

static void number(struct wi_buf *out, const char *name, double value)
{
    wi_buf_addf(out, "#define %s (%.0f)\n", name, value);
}

static const struct export_form form = {
    .fields = fields,
    .n_fields = sizeof(fields) / sizeof(fields[0]),
    .max = 2147483647.0, /* int members of its configuration */
    .parentheses = true,
    .style = EXPORT_C,
    .source = "github.com/snu-csl/nvmevirt, ssd_config.h",
    .left_alone = "NAND_ERASE_LATENCY (not measured), FW_* (the controller's), NAND_CHANNEL_"
                  "BANDWIDTH and PCIE_BANDWIDTH (bandwidth follows from the page times)",
    .find = find,
    .begin = begin,
    .number = number};

/* ---- expressions ------------------------------------------------------------------------- */

/* Whole numbers with + - * / and parentheses, as C computes them. */
struct expression {
    const char *at, *end;
    int depth;
    bool bad;
};

#define EXPRESSION_DEPTH_MAX 32

static double sum(struct expression *e);

static char peek(struct expression *e)
{
    while (e->at < e->end && (*e->at == ' ' || *e->at == '\t'))
        e->at++;
    return e->at < e->end ? *e->at : '\0';
}

static double atom(struct expression *e)
{
    char digits[32];
    size_t n = 0;
    char c = peek(e);

    if (c == '(' && e->depth < EXPRESSION_DEPTH_MAX) {
        double v;

        e->at++;
        e->depth++;
        v = sum(e);
        e->depth--;
        e->bad = e->bad || peek(e) != ')';
        e->at += !e->bad;
        return v;
    }
    if (c == '-' && e->depth < EXPRESSION_DEPTH_MAX) {
        double v;

        e->at++;
        e->depth++;
        v = -atom(e);
        e->depth--;
        return v;
    }
    while (e->at < e->end && isdigit((unsigned char)*e->at) && n + 1 < sizeof(digits))
        digits[n++] = *e->at++;
    digits[n] = '\0';
    while (e->at < e->end && strchr("uUlL", *e->at))
        e->at++;
    /* a digit more, a letter (0x10, 5us) or an octal 010 is nothing that we read */
    e->bad = e->bad || n == 0 || (n > 1 && digits[0] == '0') ||
             (e->at < e->end && (isalnum((unsigned char)*e->at) || *e->at == '_'));
    return e->bad ? NAN : strtod(digits, NULL);
}

static double product(struct expression *e)
{
    double v = atom(e);

    for (char c = peek(e); !e->bad && (c == '*' || c == '/'); c = peek(e)) {
        double w;

        e->at++;
        w = atom(e);
        e->bad = e->bad || (c == '/' && w == 0.0);
        v = c == '*' ? v * w : trunc(v / w);
    }
    return v;
}

static double sum(struct expression *e)
{
    double v = product(e);

    for (char c = peek(e); !e->bad && (c == '+' || c == '-'); c = peek(e)) {
        double w;

        e->at++;
        w = product(e);
        v = c == '+' ? v + w : v - w;
    }
    return v;
}

/* ---- the header -------------------------------------------------------------------------- */

#define NEST_MAX 32
#define MODELS_MAX 64

struct reader {
    struct export_sites *sites;
    struct wi_err *err;
    bool in_comment;
    size_t nest;             /* open #if */
    size_t choice;           /* nesting of the #if that tests BASE_SSD; 0 = none is open */
    char model[WI_NAME_MAX]; /* whose block is open; "" = none */
    char models[MODELS_MAX][WI_NAME_MAX]; /* that have page times */
    size_t n_models;
    bool has_loose; /* page times outside of any block */
};

/* The text of a line without comments; what they held becomes blanks, so that places stay. */
static void blank_comments(struct reader *r, char *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool pair = i + 1 < n;

        if (r->in_comment) {
            if (pair && line[i] == '*' && line[i + 1] == '/') {
                line[i + 1] = ' ';
                r->in_comment = false;
            }
            line[i] = ' ';
        } else if (pair && line[i] == '/' && line[i + 1] == '*') {
            r->in_comment = true;
            line[i] = line[i + 1] = ' ';
            i++;
        } else if (pair && line[i] == '/' && line[i + 1] == '/') {
            memset(line + i, ' ', n - i);
            return;
        }
    }
}

/* "(BASE_SSD == NAME)" -> NAME; false for any other condition. */
static bool tests_model(const char *condition, char name[WI_NAME_MAX])
{
    const char *c = strstr(condition, "BASE_SSD");
    size_t n = 0;

    if (!c)
        return false;
    c += strlen("BASE_SSD");
    c += strspn(c, " \t");
    if (c[0] != '=' || c[1] != '=')
        return false;
    c += 2;
    c += strspn(c, " \t");
    while ((isalnum((unsigned char)c[n]) || c[n] == '_') && n + 1 < WI_NAME_MAX)
        n++;
    memcpy(name, c, n);
    name[n] = '\0';
    return n > 0;
}

static void on_if(struct reader *r, const char *condition, bool is_elif)
{
    char name[WI_NAME_MAX];
    bool tests = tests_model(condition, name);

    if (!is_elif)
        r->nest++;
    if (tests && r->choice == 0)
        r->choice = r->nest;
    if (r->choice && r->nest == r->choice)
        memcpy(r->model, tests ? name : "", tests ? strlen(name) + 1 : 1);
}

static enum wi_status note_model(struct reader *r)
{
    if (!*r->model)
        r->has_loose = true;
    for (size_t i = 0; *r->model && i < r->n_models; i++) {
        if (strcmp(r->models[i], r->model) == 0)
            return WI_OK;
    }
    if (!*r->model)
        return WI_OK;
    if (r->n_models == MODELS_MAX)
        return wi_fail(r->err, WI_EDATA, "%s: more than %d drives", r->sites->name, MODELS_MAX);
    memcpy(r->models[r->n_models++], r->model, WI_NAME_MAX);
    return WI_OK;
}

static enum wi_status on_define(struct reader *r, const char *line, size_t n, size_t name_at,
                                size_t at)
{
    const struct export_sites *s = r->sites;
    size_t n_name = 0;
    size_t field;
    struct expression e;
    double value;
    enum wi_status st;

    while (name_at + n_name < n &&
           (isalnum((unsigned char)line[name_at + n_name]) || line[name_at + n_name] == '_'))
        n_name++;
    field = export_field_find(&form, line + name_at, n_name);
    if (field == form.n_fields)
        return WI_OK;
    st = note_model(r);
    if (st != WI_OK || (s->job->opt->base_ssd && strcmp(s->job->opt->base_ssd, r->model) != 0))
        return st;
    e = (struct expression){.at = line + name_at + n_name, .end = line + n};
    peek(&e);
    at += (size_t)(e.at - line);
    while (n && isspace((unsigned char)line[n - 1]))
        n--;
    n = line + n > e.at ? (size_t)(line + n - e.at) : 0;
    e.end = e.at + n;
    value = sum(&e);
    if (e.bad || peek(&e) != '\0' || !(value >= 0.0))
        return wi_fail(r->err, WI_EDATA,
                       "%s:%zu: '%s' is '%.*s', must be a whole number of ns, >= 0", s->name,
                       export_line(s->text, at), form.fields[field].name, (int)(n < 60 ? n : 60),
                       s->text + at);
    return export_sites_add_value(r->sites, field, at, n, value, r->err);
}

static enum wi_status on_line(struct reader *r, char *line, size_t n, size_t at)
{
    size_t i = 0;
    size_t word;

    blank_comments(r, line, n);
    i += strspn(line, " \t");
    if (line[i] != '#')
        return WI_OK;
    i++;
    i += strspn(line + i, " \t");
    word = i;
    i += strcspn(line + i, " \t(\r\n");
    if (strncmp(line + word, "define", i - word) == 0 && i - word == 6)
        return on_define(r, line, n, i + strspn(line + i, " \t"), at);
    if (strncmp(line + word, "if", 2) == 0) /* if, ifdef, ifndef */
        on_if(r, line + i, false);
    else if (strncmp(line + word, "el", 2) == 0) /* elif, else */
        on_if(r, line + i, true);
    else if (strncmp(line + word, "endif", 5) == 0 && r->nest) {
        if (r->nest == r->choice) {
            r->choice = 0;
            r->model[0] = '\0';
        }
        r->nest--;
    }
    return WI_OK;
}

static enum wi_status each_line(struct reader *r)
{
    const struct export_sites *s = r->sites;
    enum wi_status st = WI_OK;

    for (size_t at = 0; at < s->len && st == WI_OK;) {
        const char *newline = memchr(s->text + at, '\n', s->len - at);
        size_t n = newline ? (size_t)(newline - (s->text + at)) : s->len - at;
        char *line = strndup(s->text + at, n);

        if (!line)
            return wi_fail_nomem(r->err);
        st = on_line(r, line, n, at);
        free(line);
        at += n + 1;
    }
    return st;
}

static enum wi_status check_models(const struct reader *r)
{
    const char *wanted = r->sites->job->opt->base_ssd;
    struct wi_buf names = {0};
    bool known = !wanted && r->n_models + r->has_loose <= 1;
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < r->n_models; i++) {
        known = known || (wanted && strcmp(wanted, r->models[i]) == 0);
        wi_buf_addf(&names, "%s%s", i ? ", " : "", r->models[i]);
    }
    if (!known)
        st = wanted ? wi_fail(r->err, WI_EDATA, "%s: has no page times for '%s', allowed is %s",
                              r->sites->name, wanted, names.text ? names.text : "no --base-ssd")
                    : wi_fail(r->err, WI_EUSAGE,
                              "%s holds several drives; --base-ssd must be one of %s",
                              r->sites->name, names.text ? names.text : "");
    wi_buf_release(&names);
    return st;
}

static enum wi_status find(struct export_sites *s, struct wi_err *err)
{
    struct reader r = {.sites = s, .err = err};
    enum wi_status st = each_line(&r);

    return st == WI_OK ? check_models(&r) : st;
}

const struct wi_export_target export_nvmevirt = {
    .name = "nvmevirt",
    .title = "NVMeVirt's ssd_config.h, page times in ns",
    .base = "its ssd_config.h",
    .unit = "ns",
    .takes = WI_EXPORT_TAKES_PERCENTILE | WI_EXPORT_TAKES_BOUND | WI_EXPORT_TAKES_BASE_SSD,
    .form = &form,
    .write = export_fields_write};
