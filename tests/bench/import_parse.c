/*
 * The parsers of the importers against a bare reading of the same bytes, in one process:
 * cJSON_Parse for fio, libcsv with counting callbacks for tables and sensor logs. Processor time,
 * the best of five turns of each; reading the file is part of both, and the digest of the file part
 * of ours.
 *
 *   import_parse fio FILE... | table FILE | sensors FILE
 */
#include <cjson/cJSON.h>
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/sha256.h"
#include "experiments/experiments_io.h"
#include "experiments/import_fio.h"
#include "experiments/import_sensors.h"
#include "experiments/input.h"

#define CHUNK 262144u
#define TURNS 5

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop_on(enum wi_status st, const struct wi_err *err)
{
    if (st == WI_OK)
        return;
    fprintf(stderr, "import_parse: %s\n", err->msg);
    exit(1);
}

/* ---- one reading each ------------------------------------------------------------------- */

static void bare_json(const char *path)
{
    char *text = NULL;
    size_t n;
    struct wi_err err;
    cJSON *json;

    stop_on(wi_input_read_all(path, WI_JSON_BYTES_MAX, &text, &n, NULL, &err), &err);
    json = cJSON_Parse(text);
    if (!json)
        exit(1);
    cJSON_Delete(json);
    free(text);
}

static void parse_fio(const char *path)
{
    char sha256[WI_SHA256_HEX];
    char *text = NULL;
    size_t n;
    struct wi_err err;
    struct wi_fio_run run = {0};

    stop_on(wi_input_read_all(path, WI_JSON_BYTES_MAX, &text, &n, sha256, &err), &err);
    stop_on(wi_fio_parse(text, n, path, &run, &err), &err);
    wi_fio_run_release(&run);
    free(text);
}

static void on_field(void *bytes, size_t n, void *ctx)
{
    (void)bytes;
    (void)n;
    ++*(size_t *)ctx;
}

static void on_row(int c, void *ctx)
{
    (void)c;
    (void)ctx;
}

typedef void (*chunk_fn)(void *ctx, const char *bytes, size_t n);

static void each_chunk(const char *path, chunk_fn use, void *ctx)
{
    static char buf[CHUNK];
    struct wi_input in;
    struct wi_err err;
    size_t n = 1;

    stop_on(wi_input_open(path, &in, &err), &err);
    while (n) {
        stop_on(wi_input_read(&in, path, buf, CHUNK, &n, &err), &err);
        use(ctx, buf, n);
    }
    wi_input_close(&in);
}

struct bare {
    struct csv_parser parser;
    size_t n_fields;
};

static void use_bare(void *ctx, const char *bytes, size_t n)
{
    struct bare *b = ctx;

    csv_parse(&b->parser, bytes, n, on_field, on_row, &b->n_fields);
}

static void bare_csv(const char *path)
{
    struct bare b = {0};

    if (csv_init(&b.parser, 0) != 0)
        exit(1);
    each_chunk(path, use_bare, &b);
    csv_fini(&b.parser, on_field, on_row, &b.n_fields);
    csv_free(&b.parser);
}

struct ours {
    struct wi_sha256_state *sha;
    struct wi_sensors *sensors;
    struct wi_table_reader *table;
};

static void use_ours(void *ctx, const char *bytes, size_t n)
{
    struct ours *o = ctx;
    struct wi_err err;

    wi_sha256_add(o->sha, bytes, n);
    stop_on(o->table ? wi_table_reader_feed(o->table, bytes, n, &err)
                     : wi_sensors_feed(o->sensors, bytes, n, &err),
            &err);
}

static enum wi_status drop_batch(void *ctx, const struct wi_dataset *ds,
                                 const struct wi_provenance *provenance, struct wi_err *err)
{
    (void)ctx;
    (void)ds;
    (void)provenance;
    (void)err;
    return WI_OK;
}

static void parse_table(const char *path)
{
    struct ours o = {0};
    struct wi_err err;
    char sha256[WI_SHA256_HEX];

    stop_on(wi_sha256_new(&o.sha, &err), &err);
    stop_on(wi_table_reader_new(path, drop_batch, NULL, &o.table, &err), &err);
    each_chunk(path, use_ours, &o);
    stop_on(wi_table_reader_finish(o.table, &err), &err);
    wi_table_reader_free(o.table);
    wi_sha256_finish(o.sha, sha256);
}

static void parse_sensors(const char *path)
{
    struct ours o = {0};
    struct wi_series *series = NULL;
    struct wi_exposure_record record = {.file = path};
    struct wi_err err;
    char sha256[WI_SHA256_HEX];

    stop_on(wi_sha256_new(&o.sha, &err), &err);
    stop_on(wi_series_new(&series, &err), &err);
    stop_on(wi_sensors_new(path, NULL, series, &record, &o.sensors, &err), &err);
    each_chunk(path, use_ours, &o);
    stop_on(wi_sensors_finish(o.sensors, &err), &err);
    stop_on(wi_series_segment(series, WI_AXIS_NONE, false, &record, &err), &err);
    wi_exposure_record_release(&record);
    wi_sensors_free(o.sensors);
    wi_series_free(series);
    wi_sha256_finish(o.sha, sha256);
}

/* ---- the comparison --------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*bare)(const char *path);
    void (*ours)(const char *path);
} kinds[] = {{"fio", bare_json, parse_fio},
             {"table", bare_csv, parse_table},
             {"sensors", bare_csv, parse_sensors}};

static double time_all(void (*read)(const char *path), char **files, int n)
{
    double start_s = now_s();

    for (int i = 0; i < n; i++)
        read(files[i]);
    return now_s() - start_s;
}

int main(int argc, char **argv)
{
    for (size_t k = 0; argc > 2 && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        double bare_s = 1e9;
        double ours_s = 1e9;

        if (strcmp(argv[1], kinds[k].name) != 0)
            continue;
        for (int turn = 0; turn < TURNS; turn++) {
            double s = time_all(kinds[k].bare, argv + 2, argc - 2);

            bare_s = s < bare_s ? s : bare_s;
            s = time_all(kinds[k].ours, argv + 2, argc - 2);
            ours_s = s < ours_s ? s : ours_s;
        }
        printf("%-8s bare %.3f s   import %.3f s   ratio %.2f   (aim: <= 2)\n", argv[1], bare_s,
               ours_s, ours_s / bare_s);
        return 0;
    }
    fprintf(stderr, "import_parse fio FILE... | table FILE | sensors FILE\n");
    return 2;
}
