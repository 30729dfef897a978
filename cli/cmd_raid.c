#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "core/json.h"
#include "experiments/input.h"
#include "experiments/raid_study.h"
#include "experiments/tiering.h"

#define STUDY_BYTES_MAX (8u << 20)

static bool robust;

static const struct cli_option raid_table[] = {{"robust", 0, NULL,
                                                "tiering: minimise the upper end of the intervals",
                                                CLI_FLAG, &robust, 0, 0, NULL, NULL},
                                               {0}};

static const struct cli_option *const *raid_options(void)
{
    static const struct cli_option *const tables[] = {raid_table, NULL};

    return tables;
}

/* Grow a table cell by cell; all cells are freed together. */
struct cells {
    char **items;
    size_t n;
    bool failed;
};

static void add_cell(struct cells *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_cell(struct cells *c, const char *fmt, ...)
{
    char **items = realloc(c->items, (c->n + 1) * sizeof(*items));
    va_list ap;

    if (!items) {
        c->failed = true;
        return;
    }
    c->items = items;
    va_start(ap, fmt);
    if (vasprintf(&items[c->n], fmt, ap) < 0) {
        items[c->n] = NULL;
        c->failed = true;
    }
    va_end(ap);
    c->n++;
}

static int print_cells(struct cells *c, const char *const *heads, const char *csv_heads,
                       size_t n_columns)
{
    size_t n_rows = c->n / n_columns;
    bool ok = !c->failed;

    if (ok && cli_common.format == CLI_CSV) {
        puts(csv_heads);
        for (size_t r = 0; r < n_rows; r++)
            cli_print_csv_row(c->items + r * n_columns, n_columns);
    } else if (ok) {
        ok = cli_print_table(heads, n_columns, c->items, n_rows);
    }
    for (size_t i = 0; i < c->n; i++)
        free(c->items[i]);
    free(c->items);
    return ok ? CLI_EXIT_OK : CLI_EXIT_IO;
}

/* --- arrays ------------------------------------------------------------------------------------
 */

static void add_raid_rows(struct cells *c, const struct wi_raid_study *s, int block,
                          const char *name)
{
    for (size_t i = 0; i < s->n_percentiles; i++) {
        const struct wi_raid_quantile *v = s->rows[block][i].value;
        double before = v[WI_CURVE_BEFORE].lat_us;
        bool extrapolated = false;

        for (int k = 0; k < WI_N_CURVES; k++)
            extrapolated = extrapolated || v[k].extrapolated;
        add_cell(c, "%s", name);
        add_cell(c, "p%.8g", s->rows[block][i].percentile);
        add_cell(c, "%.4g", before);
        add_cell(c, "%.4g", v[WI_CURVE_AFTER].lat_us);
        add_cell(c, "%.4g to %.4g", v[WI_CURVE_LOW].lat_us, v[WI_CURVE_HIGH].lat_us);
        add_cell(c, "%+.1f %%", 100.0 * (v[WI_CURVE_AFTER].lat_us / before - 1.0));
        add_cell(c, "%s", extrapolated ? "extrapolated" : "");
    }
}

/* With all its reasons: the last of them may be that drives failed. */
static void print_member(const char *label, const struct wi_member *m)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return;
    fprintf(out, "%zu x %s, %s what was measured", m->count, m->name, wi_domain_name(m->domain));
    for (size_t i = 0; i < m->reasons.n; i++)
        fprintf(out, "%s %s", i ? ";" : ":", m->reasons.items[i].text);
    if (fclose(out) == 0)
        cli_print_paragraph(label, text);
    free(text);
}

static void print_array_head(const struct wi_raid_study *s)
{
    char text[512];

    snprintf(text, sizeof(text),
             "RAID-%s of %zu drives, %s; requests of %g KiB = %zu stripe unit(s), %g %% reads; a "
             "write costs %zu reads and %zu writes; rho %g",
             wi_raid_level_name(s->raid.level), s->raid.n_members,
             wi_raid_state_name(s->raid.state), s->request_kib, s->n_units, 100.0 * s->read_frac,
             s->write_ios.n_reads, s->write_ios.n_writes, s->raid.rho);
    cli_print_paragraph("Array: ", text);
    for (size_t i = 0; i < s->n_members; i++)
        print_member(i ? "       " : "Drives:", &s->members[i]);
    putchar('\n');
}

static void print_bandwidth(const char *name, const double *mbps)
{
    if (isfinite(mbps[WI_CURVE_BEFORE]))
        printf("Bandwidth, %s: %.4g MB/s -> %.4g (%.4g to %.4g)\n", name, mbps[WI_CURVE_BEFORE],
               mbps[WI_CURVE_AFTER], mbps[WI_CURVE_LOW], mbps[WI_CURVE_HIGH]);
}

static int print_array(const struct wi_raid_study *s)
{
    static const char *const names[] = {"read", "write", "mix"};
    static const char *const heads[] = {"REQUEST", "", ">BEFORE us", ">AFTER us", ">INTERVAL",
                                        ">CHANGE", ""};
    struct cells cells = {0};
    int code;

    if (cli_common.format == CLI_TABLE)
        print_array_head(s);
    for (int block = 0; block < 3; block++) {
        if (s->has[block])
            add_raid_rows(&cells, s, block, names[block]);
    }
    code = print_cells(&cells, heads,
                       "request,percentile,before_us,after_us,interval_us,change,extrapolated", 7);
    if (cli_common.format == CLI_TABLE) {
        print_bandwidth("read", s->read_mbps);
        print_bandwidth("write", s->write_mbps);
    }
    return code;
}

static int run_array(struct wi_session *session, const char *text, size_t len, const char *name)
{
    struct wi_raid_study study = {0};
    struct wi_err err = {0};
    cJSON *json = NULL;
    int code;

    if (wi_raid_study_run(session, text, len, name, &study, &err) != WI_OK)
        return cli_error(&err);
    if (cli_common.format == CLI_JSON)
        code = wi_raid_study_to_json(&study, &json, &err) == WI_OK ? cli_print_json(json)
                                                                   : cli_error(&err);
    else
        code = print_array(&study);
    wi_raid_study_release(&study);
    return code;
}

/* --- tiers -------------------------------------------------------------------------------------
 */

static void print_moves(const struct wi_tiering *t)
{
    for (size_t w = 0; w < t->n_workloads; w++) {
        const struct wi_tier *from = &t->tiers[t->blind[w]];
        const struct wi_tier *to = &t->tiers[t->aware[w]];
        const double *after = t->misses[WI_CURVE_AFTER] + w * t->n_tiers;
        const double *before = t->misses[WI_CURVE_BEFORE] + w * t->n_tiers;
        char text[1024];

        if (t->blind[w] == t->aware[w])
            continue;
        if (after[t->aware[w]] > after[t->blind[w]])
            snprintf(text, sizeof(text),
                     "%s moves from %s/%s to %s/%s to make room: it misses %.3g times a second "
                     "there, %.3g here",
                     t->workloads[w].name, from->drive, from->site, to->drive, to->site,
                     after[t->blind[w]], after[t->aware[w]]);
        else
            snprintf(text, sizeof(text),
                     "%s moves from %s/%s to %s/%s: there the environment makes it miss %.3g times "
                     "a second, not %.3g; here it misses %.3g",
                     t->workloads[w].name, from->drive, from->site, to->drive, to->site,
                     after[t->blind[w]], before[t->blind[w]], after[t->aware[w]]);
        cli_print_paragraph("-", text);
    }
}

static int print_tiers(const struct wi_tiering *t)
{
    static const char *const heads[] = {"WORKLOAD", "BLIND", "WITH ENVIRONMENT", ">MISSES/s",
                                        ">INTERVAL"};
    struct cells cells = {0};
    int code;

    for (size_t w = 0; w < t->n_workloads; w++) {
        const struct wi_tier *blind = &t->tiers[t->blind[w]];
        const struct wi_tier *aware = &t->tiers[t->aware[w]];
        size_t cell = w * t->n_tiers + t->aware[w];

        add_cell(&cells, "%s", t->workloads[w].name);
        add_cell(&cells, "%s/%s", blind->drive, blind->site);
        add_cell(&cells, "%s/%s", aware->drive, aware->site);
        add_cell(&cells, "%.4g", t->misses[WI_CURVE_AFTER][cell]);
        add_cell(&cells, "%.3g to %.3g", t->misses[WI_CURVE_LOW][cell],
                 t->misses[WI_CURVE_HIGH][cell]);
    }
    code = print_cells(&cells, heads, "workload,blind,aware,misses_per_s,interval_per_s", 5);
    if (cli_common.format != CLI_TABLE)
        return code;
    putchar('\n');
    print_moves(t);
    printf("SLO misses per second: blind %.4g (up to %.4g), with the environment %.4g (up to "
           "%.4g)%s\n",
           wi_tiering_misses(t, t->blind, WI_CURVE_AFTER),
           wi_tiering_misses(t, t->blind, WI_CURVE_HIGH),
           wi_tiering_misses(t, t->aware, WI_CURVE_AFTER),
           wi_tiering_misses(t, t->aware, WI_CURVE_HIGH),
           t->is_greedy ? "; greedy placement, the solver ran out of time" : "");
    return code;
}

static int run_tiers(struct wi_session *session, const char *text, size_t len, const char *name)
{
    struct wi_tiering t = {0};
    struct wi_err err = {0};
    cJSON *json = NULL;
    int code;

    if (wi_tiering_run(session, text, len, name, robust, &t, &err) != WI_OK)
        return cli_error(&err);
    if (cli_common.format == CLI_JSON)
        code =
            wi_tiering_to_json(&t, &json, &err) == WI_OK ? cli_print_json(json) : cli_error(&err);
    else
        code = print_tiers(&t);
    wi_tiering_release(&t);
    return code;
}

/* --- command -----------------------------------------------------------------------------------
 */

static enum wi_status read_schema(const char *text, size_t len, const char *name, bool *is_array,
                                  struct wi_err *err)
{
    cJSON *root = NULL;
    const char *schema;
    enum wi_status st = wi_json_parse(text, len, name, &root, err);

    if (st != WI_OK)
        return st;
    schema = wi_json_str(root, "schema");
    *is_array = schema && strcmp(schema, "ssd-whatif/raid/1") == 0;
    if (!*is_array && !(schema && strcmp(schema, "ssd-whatif/tiering/1") == 0))
        st = wi_fail(err, WI_EDATA, "%s: schema: must be ssd-whatif/raid/1 or ssd-whatif/tiering/1",
                     name);
    cJSON_Delete(root);
    return st;
}

static int run_raid(int argc, char **argv)
{
    struct wi_session *session = NULL;
    struct wi_err err = {0};
    char **args = NULL;
    char *text = NULL;
    size_t n_args = 0;
    size_t len = 0;
    bool is_array = false;
    int code = cli_parse(&cmd_raid, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (n_args != 1)
        return cli_usage_error("raid takes one study file, or - for standard input");
    if (wi_input_read_all(args[0], STUDY_BYTES_MAX, &text, &len, NULL, &err) != WI_OK ||
        read_schema(text, len, args[0], &is_array, &err) != WI_OK)
        code = cli_error(&err);
    if (code < 0)
        code = cli_open_session(false, &session);
    if (code < 0)
        code = is_array ? run_array(session, text, len, args[0])
                        : run_tiers(session, text, len, args[0]);
    wi_session_close(session);
    free(text);
    return code;
}

const struct cli_command cmd_raid = {
    .name = "raid",
    .args = "STUDY.json",
    .summary = "arrays and tiers: what an exposure does to them",
    .details = "STUDY.json has schema ssd-whatif/raid/1 (an array) or ssd-whatif/tiering/1\n"
               "(which workload on which drive at which site).",
    .options = raid_options,
    .run = run_raid};
