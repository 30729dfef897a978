/* Sets of fio runs: loading them, and whether they may be compared. */
#include "experiments/import_fio_internal.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/input.h"

void wi_fio_runs_release(struct wi_fio_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        wi_fio_run_release(&runs->items[i].run);
    free(runs->items);
    *runs = (struct wi_fio_runs){0};
}

static enum wi_status load_run(const char *path, struct wi_fio_file *out, struct wi_err *err)
{
    char *text = NULL;
    size_t n = 0;
    enum wi_status st = wi_input_read_all(path, WI_JSON_BYTES_MAX, &text, &n, out->sha256, err);

    out->file = wi_input_name(path);
    if (st == WI_OK)
        st = wi_fio_parse(text, n, out->file, &out->run, err);
    free(text);
    return st;
}

enum wi_status wi_fio_runs_load(const char *const *files, size_t n,
                                const struct wi_import_options *opt, struct wi_fio_runs *runs,
                                struct wi_err *err)
{
    enum wi_status st = WI_OK;

    runs->items = calloc(n, sizeof(*runs->items));
    if (!runs->items)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < n && st == WI_OK; i++) {
        if (wi_import_stopped(opt))
            return wi_fail(err, WI_ECANCEL, "interrupted before '%s'", files[i]);
        st = load_run(files[i], &runs->items[runs->n], err);
        if (st == WI_OK)
            wi_import_notes(opt, &runs->items[runs->n++].run.warnings);
    }
    return st;
}

static int compare_sha(const void *a, const void *b)
{
    return memcmp(a, b, WI_SHA256_HEX);
}

enum wi_status wi_fio_runs_digest(const struct wi_fio_runs *runs, char sha256[WI_SHA256_HEX],
                                  struct wi_err *err)
{
    char(*list)[WI_SHA256_HEX];

    if (runs->n == 1) {
        memcpy(sha256, runs->items[0].sha256, WI_SHA256_HEX);
        return WI_OK;
    }
    list = calloc(runs->n, sizeof(*list));
    if (!list)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < runs->n; i++)
        memcpy(list[i], runs->items[i].sha256, WI_SHA256_HEX);
    qsort(list, runs->n, sizeof(*list), compare_sha);
    wi_sha256(list, runs->n * sizeof(*list), sha256);
    free(list);
    return WI_OK;
}

const char *wi_fio_latency_name(enum wi_fio_kind kind)
{
    return kind == WI_FIO_LAT ? "lat" : "clat";
}

bool wi_fio_same_job(const struct wi_fio_job *a, const struct wi_fio_job *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->host, b->host) == 0;
}

static enum wi_fio_kind kind_of(const struct wi_fio_run *run)
{
    for (size_t j = 0; j < run->n_jobs; j++) {
        for (size_t k = 0; k < 3; k++) {
            if (run->jobs[j].ops[k].n_percentiles)
                return run->jobs[j].ops[k].kind;
        }
    }
    return WI_FIO_NO_LATENCY;
}

enum wi_status wi_fio_runs_check_kinds(const struct wi_fio_runs *exposed,
                                       const struct wi_fio_runs *baseline, struct wi_err *err)
{
    const struct wi_fio_file *first = &exposed->items[0];
    enum wi_fio_kind want = kind_of(&first->run);

    for (size_t i = 0; i < exposed->n + baseline->n; i++) {
        const struct wi_fio_file *r =
            i < exposed->n ? &exposed->items[i] : &baseline->items[i - exposed->n];
        enum wi_fio_kind have = kind_of(&r->run);

        if (want != WI_FIO_NO_LATENCY && have != WI_FIO_NO_LATENCY && have != want)
            return wi_fail(
                err, WI_EDATA,
                "percentiles of '%s' are of %s, those of '%s' of %s: they do not compare; "
                "run both with the same clat_percentiles and lat_percentiles",
                first->file, wi_fio_latency_name(want), r->file, wi_fio_latency_name(have));
    }
    return WI_OK;
}

/* The job of the same name, or the only one; NULL = none. */
static const struct wi_fio_job *partner_of(const struct wi_fio_run *run,
                                           const struct wi_fio_job *job, bool only)
{
    for (size_t i = 0; i < run->n_jobs; i++) {
        if (wi_fio_same_job(&run->jobs[i], job) || (only && run->n_jobs == 1))
            return &run->jobs[i];
    }
    return NULL;
}

/* All but the size of the file, which describe_workload puts last. */
static bool same_but_size(const char *a, const char *b)
{
    const char *size_a = strstr(a, " size="), *size_b = strstr(b, " size=");
    size_t n_a = size_a ? (size_t)(size_a - a) : strlen(a);
    size_t n_b = size_b ? (size_t)(size_b - b) : strlen(b);

    return n_a == n_b && memcmp(a, b, n_a) == 0;
}

static enum wi_status check_workloads(const struct wi_fio_file *exposed,
                                      const struct wi_fio_file *baseline, bool *unknown,
                                      bool *other_size, struct wi_err *err)
{
    for (size_t i = 0; i < exposed->run.n_jobs; i++) {
        const struct wi_fio_job *a = &exposed->run.jobs[i];
        const struct wi_fio_job *b = partner_of(&baseline->run, a, exposed->run.n_jobs == 1);

        if (!b || strcmp(a->workload, b->workload) == 0)
            continue;
        if (strcmp(a->workload, WI_FIO_NO_OPTIONS) == 0 ||
            strcmp(b->workload, WI_FIO_NO_OPTIONS) == 0) {
            *unknown = true;
            continue;
        }
        if (same_but_size(a->workload, b->workload)) {
            *other_size = true;
            continue;
        }
        return wi_fail(err, WI_EDATA,
                       "'%s' ran '%.100s', its baseline '%s' ran '%.100s': the change is not that "
                       "of the environment; run both with the same job file",
                       exposed->file, a->workload, baseline->file, b->workload);
    }
    return WI_OK;
}

enum wi_status wi_fio_runs_check_pair(const struct wi_fio_runs *exposed,
                                      const struct wi_fio_runs *baseline, struct wi_texts *warnings,
                                      struct wi_err *err)
{
    const char *file = exposed->items[0].file;
    bool unknown = false, other_size = false;
    enum wi_status st = WI_OK;

    for (size_t i = 0; st == WI_OK && i < baseline->n; i++) {
        for (size_t k = 0; st == WI_OK && k < exposed->n; k++) {
            if (strcmp(baseline->items[i].sha256, exposed->items[k].sha256) == 0)
                return wi_fail(err, WI_EDATA, "'%s' is the baseline and the exposed run at once",
                               exposed->items[k].file);
            st = check_workloads(&exposed->items[k], &baseline->items[i], &unknown, &other_size,
                                 err);
        }
    }
    if (st == WI_OK && unknown)
        st = wi_texts_add(warnings, "", err,
                          "%s: this version of fio prints no job options: whether the workload is "
                          "that of the baseline cannot be checked",
                          file);
    if (st == WI_OK && other_size)
        st =
            wi_texts_add(warnings, "", err,
                         "%s: the size of its file is not that of the baseline: part of the change "
                         "may be that",
                         file);
    if (st == WI_OK && baseline->n && (exposed->n == 1 || baseline->n == 1))
        st = wi_texts_add(
            warnings, "", err,
            "%s: exposed runs: %zu, of the baseline: %zu: how far runs differ when nothing "
            "changes is assumed, not measured; repeat both, each repetition as one "
            "more file",
            file, exposed->n, baseline->n);
    return st;
}

enum wi_status wi_fio_runs_check_new(struct wi_store *store, const struct wi_fio_runs *exposed,
                                     struct wi_err *err)
{
    for (size_t i = 0; exposed->n > 1 && i < exposed->n; i++) {
        char *ids = NULL;
        struct wi_err ignored;
        enum wi_status st = wi_store_find_import(store, exposed->items[i].sha256, &ids, &ignored);

        if (st == WI_OK)
            st = wi_fail(err, WI_EDATA,
                         "'%s' was imported before as %.80s: remove that first, or leave it out",
                         exposed->items[i].file, ids);
        else if (st == WI_ENOTFOUND)
            st = WI_OK;
        else if (err)
            *err = ignored;
        free(ids);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}
