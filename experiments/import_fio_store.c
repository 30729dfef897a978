/*
 * fio runs as experiments. With a baseline: a change per percentile with its sampling error.
 * Without: the figures as they are, and no change is claimed.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/import_fio_internal.h"
#include "experiments/import_smart.h"
#include "experiments/order_stat.h"

#define TAIL_PERCENTILE_MIN 90.0 /* below it a figure is kept, but is no tail latency */

struct job_task {
    const struct wi_fio_runs *exposed, *baseline; /* baseline->n 0 = none */
    const struct wi_import_options *opt;
    struct wi_texts *warnings;
    struct wi_dataset *ds;
};

/* Percentiles of one operation that are not stored, for one warning about all of them. */
struct left_out {
    char too_few[160]; /* more than the sample supports */
    char not_everywhere[160];
    double needed; /* samples that the lowest of too_few takes */
};

static void append_percentile(char *list, size_t size, double percentile)
{
    size_t used = strlen(list);

    snprintf(list + used, size - used, "%sp%g", used ? ", " : "", percentile);
}

static void leave_out(struct left_out *l, double percentile, double n_samples)
{
    double needed = wi_order_samples_needed(percentile / 100.0, WI_IMPORT_CONFIDENCE);

    if (n_samples >= needed) {
        append_percentile(l->not_everywhere, sizeof(l->not_everywhere), percentile);
        return;
    }
    if (!*l->too_few)
        l->needed = needed;
    append_percentile(l->too_few, sizeof(l->too_few), percentile);
}

static enum wi_status warn_left_out(const struct job_task *task, const struct wi_fio_question *q,
                                    const struct left_out *l, struct wi_err *err)
{
    const char *file = task->exposed->items[0].file;
    const char *op = wi_op_name(q->op);
    enum wi_status st = WI_OK;

    if (*l->too_few)
        st = wi_texts_add(task->warnings, "", err,
                          "%s: job '%.60s' %s: %.0f samples cannot support %s: not stored (the "
                          "lowest takes %.0f samples)",
                          file, q->job->name, op, q->job->ops[q->op].n_ios, l->too_few, l->needed);
    if (st == WI_OK && *l->not_everywhere)
        st = wi_texts_add(task->warnings, "", err,
                          "%s: job '%.60s' %s: %s not stored: not in every run and baseline with "
                          "enough samples",
                          file, q->job->name, op, l->not_everywhere);
    return st;
}

static enum wi_status add_figure(const struct job_task *task, const struct wi_fio_question *q,
                                 const char *exp_id, struct left_out *out, struct wi_err *err)
{
    struct wi_fio_figure exposed;
    struct wi_fio_figure base;
    struct wi_observation o;
    bool known;
    bool has_base = false;
    bool bandwidth = isnan(q->percentile);
    enum wi_status st = wi_fio_figure_pool(task->exposed, q, &known, &exposed, err);

    if (st == WI_OK && known && task->baseline->n)
        st = wi_fio_figure_pool(task->baseline, q, &has_base, &base, err);
    if (st != WI_OK)
        return st;
    if (!known || (task->baseline->n && !has_base)) {
        if (!bandwidth)
            leave_out(out, q->percentile, q->job->ops[q->op].n_ios);
        return WI_OK;
    }
    wi_import_observation(exp_id, q->op, bandwidth ? WI_METRIC_BANDWIDTH : WI_METRIC_TAIL_LATENCY,
                          q->percentile, &o);
    o.exp = task->ds->n_exps;
    if (has_base && (bandwidth || q->percentile >= TAIL_PERCENTILE_MIN) && isfinite(exposed.up) &&
        isfinite(base.up)) {
        wi_fio_figure_to_change(&exposed, &base, &o);
    } else {
        wi_fio_figure_to_absolute(&exposed, &o);
        if (has_base)
            o.base_value = exp(base.log_value);
        if (has_base && bandwidth)
            st = wi_texts_add(task->warnings, "", err,
                              "%s: job '%.60s' %s: the sampling error of the bandwidth is unknown "
                              "(no bandwidth samples, no latencies): no change is claimed; repeat "
                              "the run",
                              task->exposed->items[0].file, q->job->name, wi_op_name(q->op));
    }
    snprintf(o.locator, sizeof(o.locator), "%.100s", q->job->name);
    return st == WI_OK ? wi_dataset_add_observation(task->ds, &o, err) : st;
}

static void describe_job(const struct job_task *task, const struct wi_fio_job *job,
                         struct wi_experiment *e)
{
    const struct wi_fio_run *run = &task->exposed->items[0].run;
    enum wi_fio_kind kind = WI_FIO_CLAT;
    int used;

    for (size_t k = 0; k < 3; k++) {
        if (job->ops[k].measured && job->ops[k].kind == WI_FIO_LAT)
            kind = WI_FIO_LAT;
    }
    snprintf(e->workload, sizeof(e->workload), "%s", job->workload);
    used = snprintf(e->note, sizeof(e->note), "%s, job %.60s, percentiles of %s; %zu run%s",
                    run->version, job->name, wi_fio_latency_name(kind), task->exposed->n,
                    task->exposed->n == 1 ? "" : "s");
    if (task->baseline->n && used > 0 && (size_t)used < sizeof(e->note))
        used += snprintf(e->note + used, sizeof(e->note) - (size_t)used, " against %zu baseline%s",
                         task->baseline->n, task->baseline->n == 1 ? "" : "s");
    if (isfinite(job->sync_p99_us) && used > 0 && (size_t)used < sizeof(e->note))
        snprintf(e->note + used, sizeof(e->note) - (size_t)used, "; fsync p99 %g us",
                 job->sync_p99_us);
}

/* Letters, digits, dot and dash of a job's name, for an id. */
static void slug(const char *name, char *buf, size_t size)
{
    size_t n = 0;

    for (; *name && n + 1 < size; name++) {
        unsigned char c = (unsigned char)*name;
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     c == '.' || c == '_';

        if (plain)
            buf[n++] = (char)c;
        else if (n && buf[n - 1] != '-')
            buf[n++] = '-';
    }
    buf[n] = '\0';
}

static bool find_counterpart(const struct wi_fio_runs *runs, const struct wi_fio_job *job)
{
    for (size_t i = 0; i < runs->n; i++) {
        bool found = false;

        for (size_t j = 0; j < runs->items[i].run.n_jobs; j++)
            found = found || wi_fio_same_job(&runs->items[i].run.jobs[j], job);
        if (!found)
            return false;
    }
    return true;
}

static bool all_hold_one_job(const struct job_task *task)
{
    for (size_t i = 0; i < task->exposed->n; i++) {
        if (task->exposed->items[i].run.n_jobs != 1)
            return false;
    }
    for (size_t i = 0; i < task->baseline->n; i++) {
        if (task->baseline->items[i].run.n_jobs != 1)
            return false;
    }
    return true;
}

static enum wi_status add_job(const struct job_task *task, const struct wi_fio_job *job,
                              const char *exp_id, const char *smart_note, double pe_cycles,
                              struct wi_err *err)
{
    static const enum wi_op order[] = {WI_OP_MIXED, WI_OP_READ, WI_OP_WRITE};
    struct wi_fio_question q = {.job = job, .any_name = all_hold_one_job(task)};
    struct wi_experiment e;
    size_t n_before = task->ds->n_obs;
    enum wi_status st = WI_OK;

    if (!q.any_name &&
        !(find_counterpart(task->exposed, job) && find_counterpart(task->baseline, job)))
        return wi_fail(err, WI_EDATA,
                       "%s: job '%.60s' does not stand in every run and baseline: repetitions and "
                       "baselines must hold the same jobs",
                       task->exposed->items[0].file, job->name);
    for (size_t k = 0; k < 3 && st == WI_OK; k++) {
        const struct wi_fio_op *op = &job->ops[order[k]];
        struct left_out out = {0};

        q.op = order[k];
        for (size_t i = 0; op->measured && i < op->n_percentiles && st == WI_OK; i++) {
            q.percentile = op->percentiles[i].percentile;
            if (q.percentile >= WI_PERCENTILE_MIN && q.percentile < 100.0)
                st = add_figure(task, &q, exp_id, &out, err);
        }
        q.percentile = NAN;
        if (st == WI_OK && op->measured)
            st = add_figure(task, &q, exp_id, &out, err);
        if (st == WI_OK)
            st = warn_left_out(task, &q, &out, err);
    }
    if (st != WI_OK || task->ds->n_obs == n_before)
        return st;
    wi_import_experiment(task->opt->scenario, exp_id, &e);
    if (isnan(e.pe_cycles))
        e.pe_cycles = pe_cycles;
    describe_job(task, job, &e);
    if (*smart_note && strlen(e.note) + strlen(smart_note) + 3 < sizeof(e.note)) {
        size_t used = strlen(e.note);

        snprintf(e.note + used, sizeof(e.note) - used, "; %s", smart_note);
    }
    return wi_dataset_add_experiment(task->ds, &e, err);
}

/* Clones of a job that was already added. */
static bool seen_before(const struct wi_fio_run *run, size_t j)
{
    for (size_t i = 0; i < j; i++) {
        if (wi_fio_same_job(&run->jobs[i], &run->jobs[j]))
            return true;
    }
    return false;
}

static enum wi_status build_dataset(const struct job_task *task, const char *sha256,
                                    struct wi_err *err)
{
    const struct wi_fio_run *run = &task->exposed->items[0].run;
    char smart_note[256] = "";
    double pe_cycles = NAN;
    size_t n_distinct = 0;
    enum wi_status st = WI_OK;

    if (task->opt->smart)
        st = wi_drive_state_describe(task->opt->smart, smart_note, sizeof(smart_note), &pe_cycles,
                                     task->warnings, err);
    for (size_t j = 0; j < run->n_jobs; j++)
        n_distinct += !seen_before(run, j);
    for (size_t j = 0; j < run->n_jobs && st == WI_OK; j++) {
        char id[WI_ID_MAX];
        char name[40];

        if (seen_before(run, j))
            continue;
        slug(run->jobs[j].name, name, sizeof(name));
        if (n_distinct > 1)
            snprintf(id, sizeof(id), "own-%.12s-%zu-%s", sha256, j, name);
        else
            snprintf(id, sizeof(id), "own-%.12s", sha256);
        st = add_job(task, &run->jobs[j], id, smart_note, pe_cycles, err);
    }
    if (st == WI_OK && !task->ds->n_exps)
        st = wi_fail(err, WI_EDATA,
                     "%s: nothing in it can be stored: no percentile has enough samples and no "
                     "bandwidth was measured",
                     task->exposed->items[0].file);
    return st;
}

static enum wi_status list_files(const struct wi_fio_runs *runs, const char *role, cJSON *array,
                                 struct wi_err *err)
{
    for (size_t i = 0; i < runs->n; i++) {
        cJSON *o = cJSON_CreateObject();

        if (!o || !cJSON_AddStringToObject(o, "role", role) ||
            !cJSON_AddStringToObject(o, "file", runs->items[i].file) ||
            !cJSON_AddStringToObject(o, "sha256", runs->items[i].sha256) ||
            !cJSON_AddItemToArray(array, o)) {
            cJSON_Delete(o);
            return wi_fail_nomem(err);
        }
    }
    return WI_OK;
}

static enum wi_status files_text(const struct job_task *task, char **text, struct wi_err *err)
{
    cJSON *array = cJSON_CreateArray();
    enum wi_status st = array ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK)
        st = list_files(task->exposed, "exposed", array, err);
    if (st == WI_OK)
        st = list_files(task->baseline, "baseline", array, err);
    if (st == WI_OK)
        st = wi_json_format(array, false, text, err);
    cJSON_Delete(array);
    return st;
}

/* The runs are repetitions of one experiment. */
static enum wi_status import_set(struct wi_store *store, const struct wi_fio_runs *exposed,
                                 const struct wi_fio_runs *baseline,
                                 const struct wi_import_options *opt,
                                 struct wi_import_report *report, struct wi_err *err)
{
    struct wi_dataset ds = {0};
    struct wi_texts warnings = {0};
    struct job_task task = {exposed, baseline, opt, &warnings, &ds};
    struct wi_import_origin origin = {.file = exposed->items[0].file,
                                      .tool = exposed->items[0].run.version};
    char *extra = NULL;
    bool known = false;
    enum wi_status st = wi_fio_runs_digest(exposed, origin.sha256, err);

    if (st == WI_OK)
        st = wi_import_check_known(store, origin.file, origin.sha256, report, &known, err);
    if (st == WI_OK && !known)
        st = wi_fio_runs_check_new(store, exposed, err);
    if (st == WI_OK && !known)
        st = wi_fio_runs_check_kinds(exposed, baseline, err);
    if (st == WI_OK && !known)
        st = wi_fio_runs_check_pair(exposed, baseline, &warnings, err);
    if (st == WI_OK && !known)
        st = build_dataset(&task, origin.sha256, err);
    if (st == WI_OK && !known && (exposed->n > 1 || baseline->n))
        st = files_text(&task, &extra, err);
    origin.extra = extra;
    if (st == WI_OK && !known)
        st = wi_import_store(store, &ds, &origin, opt, report, err);
    wi_import_notes(opt, &warnings);
    free(extra);
    wi_dataset_release(&ds);
    return st;
}

static enum wi_status import_one_by_one(struct wi_store *store, const char *const *files, size_t n,
                                        const struct wi_import_options *opt,
                                        struct wi_import_report *report, struct wi_err *err)
{
    struct wi_fio_runs none = {0};
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < n && st == WI_OK; i++) {
        struct wi_fio_runs one = {0};

        st = wi_fio_runs_load(&files[i], 1, opt, &one, err);
        if (st == WI_OK)
            st = import_set(store, &one, &none, opt, report, err);
        wi_fio_runs_release(&one);
        if (st == WI_OK && opt->progress && i + 1 < n && i % 16 == 15) {
            char line[128];

            snprintf(line, sizeof(line), "%zu of %zu files", i + 1, n);
            opt->progress(opt->note_ctx, line);
        }
    }
    return st;
}

enum wi_status wi_import_fio(struct wi_store *store, const char *const *files, size_t n,
                             const struct wi_import_options *opt, struct wi_import_report *report,
                             struct wi_err *err)
{
    struct wi_fio_runs exposed = {0};
    struct wi_fio_runs baseline = {0};
    enum wi_status st;

    if (!opt->n_baselines)
        return import_one_by_one(store, files, n, opt, report, err);
    st = wi_fio_runs_load(opt->baselines, opt->n_baselines, opt, &baseline, err);
    if (st == WI_OK)
        st = wi_fio_runs_load(files, n, opt, &exposed, err);
    if (st == WI_OK)
        st = import_set(store, &exposed, &baseline, opt, report, err);
    wi_fio_runs_release(&exposed);
    wi_fio_runs_release(&baseline);
    return st;
}
