#include "cli/print.h"

#include <csv.h>
#include <langinfo.h>
#include <libsmartcols/libsmartcols.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/cli.h"

/* Widths are odd: the middle column is zero. Beside absolute values a bar is narrower, for 80
 * columns. */
#define BAR_WIDTH 33
#define BAR_NARROW 25
#define EVIDENCE_STRONGEST 2
#define EVIDENCE_MAX 4 /* items shown to a person */

/* Display columns of the first n bytes; a byte that is no text counts as one column. */
static size_t text_width(const char *text, size_t n)
{
    mbstate_t state = {0};
    size_t width = 0;

    while (n) {
        wchar_t wc;
        size_t used = mbrtowc(&wc, text, n, &state);

        if (used == 0 || used > n) {
            used = 1;
            width++;
            state = (mbstate_t){0};
        } else {
            int w = wcwidth(wc);

            width += w > 0 ? (size_t)w : 0;
        }
        text += used;
        n -= used;
    }
    return width;
}

void cli_print_paragraph(const char *label, const char *text)
{
    size_t indent = text_width(label, strlen(label)) + 1;
    size_t column = indent;
    bool first = true;

    fputs(label, stdout);
    putchar(' ');
    while (*text) {
        size_t n = strcspn(text, " \n");
        size_t width = text_width(text, n);
        char *word = strndup(text, n);

        if (!first && column + 1 + width > CLI_WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        if (!first && n) {
            putchar(' ');
            column++;
        }
        if (word)
            cli_print_text(stdout, word);
        free(word);
        column += width;
        first = first && n == 0;
        text += n;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

bool cli_print_table(const char *const *heads, size_t n_columns, char *const *cells, size_t n_rows)
{
    struct libscols_table *table = scols_new_table();
    bool ok = table != NULL;

    if (!ok)
        return false;
    scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
    scols_table_set_termwidth(table, CLI_WIDTH);
    for (size_t c = 0; c < n_columns && ok; c++) {
        bool right = heads[c][0] == '>';

        ok = scols_table_new_column(table, heads[c] + (right ? 1 : 0), 0.1,
                                    right ? SCOLS_FL_RIGHT : 0) != NULL;
    }
    for (size_t r = 0; r < n_rows && ok; r++) {
        struct libscols_line *line = scols_table_new_line(table, NULL);

        ok = line != NULL;
        for (size_t c = 0; c < n_columns && ok; c++) {
            const char *cell = cells[r * n_columns + c];

            ok = scols_line_set_data(line, c, cell ? cell : "") == 0;
        }
    }
    if (ok)
        ok = scols_print_table(table) == 0;
    scols_unref_table(table);
    return ok;
}

void cli_print_csv_row(char *const *cells, size_t n_columns)
{
    for (size_t c = 0; c < n_columns; c++) {
        const char *cell = cells[c] ? cells[c] : "";

        if (c)
            putchar(',');
        csv_fwrite(stdout, cell, strlen(cell));
    }
    putchar('\n');
}

/* --- prediction --------------------------------------------------------------------------------
 */

struct glyphs {
    const char *range, *point, *zero;
};

static const struct glyphs *glyphs(void)
{
    static const struct glyphs utf8 = {"\xe2\x94\x80", "\xe2\x97\x8f", "\xe2\x94\x82"};
    static const struct glyphs ascii = {"-", "o", "|"};

    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? &utf8 : &ascii;
}

static int bar_column(double value_pct, double scale_pct, int half)
{
    double x = value_pct / scale_pct * half;

    return half + (int)lround(fmax(fmin(x, half), -half));
}

/* The interval as a line, the change as a point, zero as a bar. */
static void format_bar(const struct wi_change *c, double scale_pct, int width, char *buf,
                       size_t size)
{
    const struct glyphs *g = glyphs();
    int low = bar_column(c->low_pct, scale_pct, width / 2);
    int high = bar_column(c->high_pct, scale_pct, width / 2);
    int point = bar_column(c->change_pct, scale_pct, width / 2);
    size_t used = 0;

    buf[0] = '\0';
    for (int i = 0; i < width; i++) {
        const char *glyph = " ";

        if (i >= low && i <= high)
            glyph = g->range;
        if (i == width / 2)
            glyph = g->zero;
        if (i == point)
            glyph = g->point;
        used += (size_t)snprintf(buf + used, size - used, "%s", glyph);
    }
    while (used && buf[used - 1] == ' ')
        buf[--used] = '\0';
}

static double bar_scale(const struct wi_forecast *f)
{
    double scale = 1.0;

    for (size_t i = 0; i < f->n_tail; i++)
        scale = fmax(scale, fmax(fabs(f->tail[i].low_pct), fabs(f->tail[i].high_pct)));
    scale = fmax(scale, fmax(fabs(f->bandwidth.low_pct), fabs(f->bandwidth.high_pct)));
    return fmin(scale, 200.0); /* one huge interval must not flatten all the others */
}

enum { COL_NAME, COL_CHANGE, COL_INTERVAL, COL_BAR, COL_ABSOLUTE, N_COLS };

/* A change that rounds to nothing has no sign: never "-0.0". */
static double shown(double pct)
{
    return fabs(pct) < 0.05 ? 0.0 : pct;
}

static bool fill_row(const struct wi_change *c, const char *name, const char *unit, double scale,
                     int width, char **row)
{
    char bar[BAR_WIDTH * 4 + 1];

    format_bar(c, scale, width, bar, sizeof(bar));
    row[COL_NAME] = strdup(name);
    row[COL_BAR] = strdup(bar);
    if (asprintf(&row[COL_CHANGE], "%+.1f %%", shown(c->change_pct)) < 0)
        row[COL_CHANGE] = NULL;
    if (asprintf(&row[COL_INTERVAL], "%+.1f to %+.1f", shown(c->low_pct), shown(c->high_pct)) < 0)
        row[COL_INTERVAL] = NULL;
    if (isfinite(c->value) && asprintf(&row[COL_ABSOLUTE], "%.4g %s", c->value, unit) < 0)
        row[COL_ABSOLUTE] = NULL;
    return row[COL_NAME] && row[COL_BAR] && row[COL_CHANGE] && row[COL_INTERVAL];
}

static void print_numbers(const struct wi_prediction *p)
{
    const struct wi_forecast *f = &p->forecast;
    char head[32];
    const char *const heads[N_COLS] = {"", ">CHANGE", head, "", ">VALUE"};
    size_t n_rows = f->n_tail + 1;
    double scale = bar_scale(f);
    bool absolute = isfinite(f->bandwidth.value);
    char **cells = calloc(n_rows * N_COLS, sizeof(*cells));
    bool ok = cells != NULL;
    int width;

    for (size_t i = 0; i < f->n_tail; i++)
        absolute = absolute || isfinite(f->tail[i].value);
    width = absolute ? BAR_NARROW : BAR_WIDTH;
    snprintf(head, sizeof(head), ">%g %% INTERVAL", 100.0 * p->scenario.confidence);
    for (size_t i = 0; i < f->n_tail && ok; i++) {
        char name[32];

        if (f->tail[i].percentile >= 100.0)
            snprintf(name, sizeof(name), "max latency");
        else
            snprintf(name, sizeof(name), "p%.8g latency", f->tail[i].percentile);
        ok = fill_row(&f->tail[i], name, "us", scale, width, cells + i * N_COLS);
    }
    if (ok)
        ok = fill_row(&f->bandwidth, "bandwidth", "MB/s", scale, width,
                      cells + (n_rows - 1) * N_COLS);
    if (ok && absolute) {
        ok = cli_print_table(heads, N_COLS, cells, n_rows);
    } else if (ok) {
        char **narrow = calloc(n_rows * COL_ABSOLUTE, sizeof(*narrow));

        for (size_t i = 0; i < n_rows && narrow; i++)
            memcpy(narrow + i * COL_ABSOLUTE, cells + i * N_COLS, COL_ABSOLUTE * sizeof(*narrow));
        ok = narrow && cli_print_table(heads, COL_ABSOLUTE, narrow, n_rows);
        free(narrow);
    }
    if (!ok)
        fputs("ssd-whatif: out of memory\n", stderr);
    for (size_t i = 0; cells && i < n_rows * N_COLS; i++)
        free(cells[i]);
    free(cells);
    puts("Latency: + is slower, worse. Bandwidth: + is faster, better.");
}

static void print_assumed(const struct wi_prediction *p)
{
    char text[512];

    wi_scenario_format_assumed(&p->scenario, text, sizeof(text));
    cli_print_paragraph("Assumed:   ", *text ? text : "nothing");
}

static void print_domain(const struct wi_prediction *p)
{
    static const char *const sentences[] = {"inside what was measured",
                                            "at the edge of what was measured",
                                            "outside anything measured"};
    const struct wi_texts *reasons = &p->forecast.domain_reasons;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return;
    fputs(sentences[p->forecast.domain], out);
    for (size_t i = 0; i < reasons->n; i++)
        fprintf(out, "%s %s", i ? ";" : ":", reasons->items[i].text);
    fputc('.', out);
    if (fclose(out) == 0)
        cli_print_paragraph("Domain:    ", text);
    free(text);
}

static void print_item(const char *label, const struct wi_item *item)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s - %s", item->id, item->embedded ? "" : " (your own)",
                 item->summary && *item->summary ? item->summary : item->title) < 0)
        return;
    cli_print_paragraph(label, text);
    free(text);
}

/* The strongest two, and what the user measured: that it was found must be seen. */
static void print_evidence(const struct wi_prediction *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_evidence && n < EVIDENCE_MAX; i++) {
        if (i < EVIDENCE_STRONGEST || !p->evidence[i].embedded)
            print_item(n++ ? "           " : "Evidence:  ", &p->evidence[i]);
    }
}

static bool among(const struct wi_texts *texts, const char *text)
{
    for (size_t i = 0; texts && i < texts->n; i++) {
        if (strcmp(texts->items[i].text, text) == 0)
            return true;
    }
    return false;
}

static void print_warnings(const struct wi_prediction *p, const struct wi_texts *printed)
{
    const struct wi_texts *warnings = &p->forecast.warnings;

    for (size_t i = 0; i < warnings->n; i++) {
        if (!among(printed, warnings->items[i].text))
            cli_print_paragraph("Warning:   ", warnings->items[i].text);
    }
}

void cli_print_prediction(const struct wi_prediction *p, const struct wi_texts *reading)
{
    char understood[512];

    wi_scenario_format(&p->scenario, understood, sizeof(understood));
    cli_print_paragraph("Understood:", understood);
    print_assumed(p);
    for (size_t i = 0; reading && i < reading->n; i++)
        cli_print_paragraph(i ? "           " : "But:       ", reading->items[i].text);
    putchar('\n');
    print_numbers(p);
    putchar('\n');
    print_domain(p);
    print_evidence(p);
    print_warnings(p, reading);
}
