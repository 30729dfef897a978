/*
 * SimpleSSD 2.0: the INI configuration, section [pal], times in picoseconds. Read with inih, the
 * parser that SimpleSSD itself links, so that both see the same file alike.
 *
 * source: Jung et al., SimpleSSD, IEEE CAL 2018; github.com/SimpleSSD/SimpleSSD, 2.0 series:
 *         pal/config.cc (names; defaults of 40 us = 40000000; strtoul, so no unit and no fraction)
 *         and lib/inih; SimpleSSD-Standalone, sim/cfg_reader.cc (ini_parse). The 2.1 development
 *         line moved to XML, which is not read here.
 */
#include <ini.h>
#include <string.h>

#include "experiments/export_internal.h"

static const struct export_field fields[] = {{"LSBRead", WI_OP_READ},   {"CSBRead", WI_OP_READ},
                                             {"MSBRead", WI_OP_READ},   {"LSBWrite", WI_OP_WRITE},
                                             {"CSBWrite", WI_OP_WRITE}, {"MSBWrite", WI_OP_WRITE}};

static enum wi_status find(struct export_sites *s, struct wi_err *err);

static void begin(struct wi_buf *out)
{
    wi_buf_puts(out, "[pal]\n");
}

static void number(struct wi_buf *out, const char *name, double value)
{
    wi_buf_addf(out, "%s = %.0f\n", name, value);
}

static const struct export_form form = {
    .fields = fields,
    .n_fields = sizeof(fields) / sizeof(fields[0]),
    .max = EXPORT_EXACT_MAX, /* it reads 64 bits */
    .style = EXPORT_HASH,
    .source = "github.com/SimpleSSD/SimpleSSD 2.0, pal/config.cc",
    .left_alone = "Erase (not measured), DMASpeed, DRAM and CPU (bandwidth follows from the page "
                  "times)",
    .find = find,
    .begin = begin,
    .number = number};

struct reader {
    struct export_sites *sites;
    size_t next; /* first byte that was not handed to inih */
    size_t line; /* first byte of the line that it works on */
    bool has_pal;
    enum wi_status st;
    struct wi_err *err;
};

/* What fgets does, from memory. */
static char *next_line(char *line, int size, void *ctx)
{
    struct reader *r = ctx;
    const char *from = r->sites->text + r->next;
    size_t left = r->sites->len - r->next;
    const char *newline = memchr(from, '\n', left);
    size_t n = newline ? (size_t)(newline - from) + 1 : left;

    if (left == 0)
        return NULL;
    if (n > (size_t)size - 1)
        n = (size_t)size - 1;
    memcpy(line, from, n);
    line[n] = '\0';
    r->line = r->next;
    r->next += n;
    return line;
}

static int on_value(void *ctx, const char *section, const char *name, const char *value)
{
    struct reader *r = ctx;
    const struct export_sites *s = r->sites;
    size_t field = export_field_find(&form, name, strlen(name));
    size_t at = r->line;
    size_t n = strlen(value);

    if (strcmp(section, "pal") != 0)
        return 1;
    r->has_pal = true;
    if (r->st != WI_OK || field == form.n_fields)
        return 1;
    /* inih hands over the text between separator and comment: find it in the line again */
    while (at < r->next && s->text[at] != '=' && s->text[at] != ':')
        at++;
    if (at < r->next)
        at++;
    while (at < r->next && (s->text[at] == ' ' || s->text[at] == '\t'))
        at++;
    if (at + n > r->next || memcmp(s->text + at, value, n) != 0)
        r->st =
            wi_fail(r->err, WI_EDATA, "%s:%zu: '%s' goes on over several lines, must be one number",
                    s->name, export_line(s->text, r->line), name);
    else
        r->st = export_sites_add(r->sites, &form, field, at, n, r->err);
    return 1;
}

static enum wi_status find(struct export_sites *s, struct wi_err *err)
{
    struct reader r = {.sites = s, .err = err};
    int bad;

    if (s->len && *s->text == '<')
        return wi_fail(err, WI_EDATA, "%s: is XML, SimpleSSD 2.0's INI is needed", s->name);
    s->comment_at = s->len >= 3 && memcmp(s->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    bad = ini_parse_stream(next_line, &r, on_value, &r);
    if (r.st != WI_OK)
        return r.st;
    if (bad < 0)
        return wi_fail_nomem(err);
    if (bad > 0)
        return wi_fail(err, WI_EDATA, "%s:%d: neither [section] nor NAME = VALUE", s->name, bad);
    if (!r.has_pal)
        return wi_fail(err, WI_EDATA, "%s: no section [pal], so no SimpleSSD 2.0 configuration",
                       s->name);
    return WI_OK;
}

const struct wi_export_target export_simplessd = {
    .name = "simplessd",
    .title = "SimpleSSD 2.0's INI configuration, page times in ps",
    .base = "its .cfg file with a section [pal]",
    .unit = "ps",
    .takes = WI_EXPORT_TAKES_PERCENTILE | WI_EXPORT_TAKES_BOUND,
    .form = &form,
    .write = export_fields_write};
