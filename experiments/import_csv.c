/* `import csv`: an observation table into the store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/experiments_io.h"
#include "experiments/input.h"

#define CHUNK 262144u

struct storing {
    struct wi_store *store;
    const char *file;
    char sha256[WI_SHA256_HEX];
    char now[32];
    size_t n_added, n_obs, n_exps;
    char first[WI_ID_MAX];
    struct wi_import_combined combined;
};

/* Rows without a provenance of their own come from this file. */
static enum wi_status store_batch(void *ctx, const struct wi_dataset *ds,
                                  const struct wi_provenance *provenance, struct wi_err *err)
{
    struct storing *s = ctx;
    struct wi_provenance *list = calloc(ds->n_exps, sizeof(*list));
    size_t n_added = 0;
    enum wi_status st;

    if (!list)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < ds->n_exps; i++) {
        if (provenance)
            list[i] = provenance[i];
        if (*list[i].sha256 || *list[i].file)
            continue;
        snprintf(list[i].file, sizeof(list[i].file), "%s", s->file);
        memcpy(list[i].sha256, s->sha256, sizeof(list[i].sha256));
        snprintf(list[i].tool, sizeof(list[i].tool), "observation table");
        memcpy(list[i].imported_at, s->now, sizeof(s->now));
        snprintf(list[i].options, sizeof(list[i].options), "{}");
    }
    if (!s->n_exps)
        memcpy(s->first, ds->exps[0].id, sizeof(s->first));
    st = wi_store_add_experiments(s->store, ds, list, &n_added, err);
    s->n_added += n_added;
    s->n_exps += ds->n_exps;
    s->n_obs += ds->n_obs;
    wi_import_count_combined(&s->combined, ds);
    free(list);
    return st;
}

static enum wi_status feed(struct wi_input *in, const char *name, struct wi_table_reader *reader,
                           const struct wi_import_options *opt, struct wi_err *err)
{
    char *buf = malloc(CHUNK);
    size_t n = 1;
    enum wi_status st = buf ? WI_OK : wi_fail_nomem(err);

    while (st == WI_OK && n) {
        if (wi_import_stopped(opt))
            st = wi_fail(err, WI_ECANCEL, "'%s': interrupted, nothing of it is stored", name);
        else
            st = wi_input_read(in, name, buf, CHUNK, &n, err);
        if (st == WI_OK && n)
            st = wi_table_reader_feed(reader, buf, n, err);
    }
    free(buf);
    return st == WI_OK ? wi_table_reader_finish(reader, err) : st;
}

/* One transaction. */
static enum wi_status store_table(struct wi_input *in, struct storing *s,
                                  const struct wi_import_options *opt, struct wi_err *err)
{
    struct wi_table_reader *reader = NULL;
    enum wi_status st = wi_store_begin(s->store, err);

    if (st != WI_OK)
        return st;
    st = wi_table_reader_new(s->file, store_batch, s, &reader, err);
    if (st == WI_OK)
        st = feed(in, s->file, reader, opt, err);
    wi_table_reader_free(reader);
    return wi_store_end(s->store, st, err);
}

static enum wi_status report_table(const struct storing *s, struct wi_import_report *report,
                                   struct wi_err *err)
{
    char ids[WI_ID_MAX + 64];

    report->n_added += s->n_added;
    if (s->n_exps == 1)
        snprintf(ids, sizeof(ids), "%s", s->first);
    else
        snprintf(ids, sizeof(ids), "%s and %zu more", s->first, s->n_exps - 1);
    return wi_import_report_add(report, s->file, s->n_added ? WI_IMPORT_ADDED : WI_IMPORT_KNOWN,
                                ids, s->n_obs, err);
}

static enum wi_status import_table(struct wi_store *store, const char *path,
                                   const struct wi_import_options *opt,
                                   struct wi_import_report *report, struct wi_err *err)
{
    struct storing s = {.store = store, .file = wi_input_name(path)};
    struct wi_input in = {.fd = -1};
    bool known = false;
    enum wi_status st = wi_input_open(path, &in, err);

    wi_import_now(s.now, sizeof(s.now));
    if (st == WI_OK)
        st = wi_input_sha256(&in, path, s.sha256, err);
    if (st == WI_OK)
        st = wi_import_check_known(store, s.file, s.sha256, report, &known, err);
    if (st == WI_OK && !known)
        st = store_table(&in, &s, opt, err);
    if (st == WI_OK && !known)
        st = report_table(&s, report, err);
    if (st == WI_OK && s.n_added)
        wi_import_note_combined(&s.combined, opt);
    wi_input_close(&in);
    return st;
}

enum wi_status wi_import_csv(struct wi_store *store, const char *const *files, size_t n,
                             const struct wi_import_options *opt, struct wi_import_report *report,
                             struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < n && st == WI_OK; i++)
        st = import_table(store, files[i], opt, report, err);
    return st;
}
