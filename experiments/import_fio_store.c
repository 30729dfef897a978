/*
 * fio runs as experiments. With a baseline: a change per percentile with its sampling error.
 * Without: the figures as they are, and no change is claimed.
 *
 * Error of a change. Each run knows ln(latency) within an asymmetric interval. Over R repetitions
 * the half widths combine as a mean; where the repetitions scatter more than their samples say
 * (latencies of one run are not independent), Student's interval of the scatter counts instead.
 * The interval of a difference of two such figures is MOVER: Zou & Donner, Statistics in Medicine
 * 27:1693, 2008, equation 2, on the log scale.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/import.h"
#include "experiments/import_fio.h"
#include "experiments/import_smart.h"
#include "experiments/input.h"
#include "experiments/order_stat.h"

#define TAIL_PERCENTILE_MIN 90.0 /* below it a figure is kept, but is no tail latency */
#define NORMAL_95 1.6448536269514722

struct file_run {
    const char *file;
    char sha256[WI_SHA256_HEX];
    struct wi_fio_run run;
};

struct runs {
    struct file_run *items;
    size_t n;
};

static void runs_release(struct runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        wi_fio_run_release(&runs->items[i].run);
    free(runs->items);
    *runs = (struct runs){0};
}

static const char *latency_name(enum wi_fio_kind kind)
{
    return kind == WI_FIO_LAT ? "lat" : "clat";
}

static enum wi_status load_run(const char *path, struct file_run *out, struct wi_err *err)
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

static enum wi_status load_runs(const char *const *files, size_t n,
                                const struct wi_import_options *opt, struct runs *runs,
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

/* One figure as the logarithm of its value, with half widths of its interval. */
struct figure {
    double log_value, down, up;
    double n_samples;
};

/* A direction of a job in one run; clones of a job (numjobs without group_reporting) count as one.
 */
struct part {
    const struct wi_fio_op *ops[64];
    size_t n_ops;
    double unit_us;
};

static bool same_job(const struct wi_fio_job *a, const struct wi_fio_job *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->host, b->host) == 0;
}

static void collect_part(const struct wi_fio_run *run, const struct wi_fio_job *job, bool any_name,
                         enum wi_op op, struct part *part)
{
    *part = (struct part){.unit_us = run->unit_us};
    for (size_t i = 0; i < run->n_jobs && part->n_ops < 64; i++) {
        if ((any_name || same_job(&run->jobs[i], job)) && run->jobs[i].ops[op].measured)
            part->ops[part->n_ops++] = &run->jobs[i].ops[op];
    }
}

static bool op_percentile(const struct wi_fio_op *op, double percentile, size_t *index)
{
    for (size_t i = 0; i < op->n_percentiles; i++) {
        if (op->percentiles[i].percentile == percentile) {
            *index = i;
            return true;
        }
    }
    return false;
}

/*
 * The percentile of one run. The percentile of several clones together lies between the smallest
 * and the largest of theirs, whatever their shapes; the middle is their mean, weighted by I/Os.
 */
static bool part_percentile(const struct part *part, double percentile, struct figure *out)
{
    double sum = 0.0;
    double low = INFINITY;
    double high = 0.0;

    *out = (struct figure){0};
    for (size_t k = 0; k < part->n_ops; k++) {
        struct wi_fio_estimate e;
        size_t i;

        if (!op_percentile(part->ops[k], percentile, &i) ||
            !wi_fio_estimate(part->ops[k], part->unit_us, i, WI_IMPORT_CONFIDENCE, &e))
            return false;
        sum += part->ops[k]->n_ios * log(e.lat_us);
        out->n_samples += part->ops[k]->n_ios;
        low = fmin(low, e.low_us);
        high = fmax(high, e.high_us);
    }
    if (!part->n_ops)
        return false;
    out->log_value = sum / out->n_samples;
    out->down = fmax(0.0, out->log_value - log(low));
    out->up = fmax(0.0, log(high) - out->log_value);
    return true;
}

/*
 * Sampling error of a bandwidth: from fio's own bandwidth samples, from the scatter of latencies
 * (a closed loop moves its block size per mean latency), and from the millisecond of its clock;
 * the largest of what is known. NaN where nothing is.
 */
static double bandwidth_error(const struct wi_fio_op *op)
{
    double error = NAN;

    if (op->n_bw_samples >= 2.0 && isfinite(op->bw_rel_sd))
        error = wi_student_t_quantile(0.95, op->n_bw_samples - 1.0) * op->bw_rel_sd /
                sqrt(op->n_bw_samples);
    if (op->kind != WI_FIO_NO_LATENCY && op->mean_us > 0.0 && op->n_ios >= 2.0)
        error = fmax(error, NORMAL_95 * op->stddev_us / op->mean_us / sqrt(op->n_ios));
    if (isfinite(error) && op->runtime_s > 0.0)
        error = fmax(error, 0.0005 / op->runtime_s);
    return error;
}

static bool part_bandwidth(const struct part *part, struct figure *out)
{
    double sum = 0.0;
    double variance = 0.0;

    *out = (struct figure){0};
    for (size_t k = 0; k < part->n_ops; k++) {
        double error = bandwidth_error(part->ops[k]);

        if (!isfinite(part->ops[k]->bw_mbps))
            return false;
        sum += part->ops[k]->bw_mbps;
        variance += pow(error * part->ops[k]->bw_mbps, 2.0);
        out->n_samples += part->ops[k]->n_ios;
    }
    if (!(sum > 0.0))
        return false;
    out->log_value = log(sum);
    out->up = out->down = sqrt(variance) / sum; /* NaN = unknown */
    return true;
}

/* Mean over repetitions. */
static void pool(const struct figure *figures, size_t n, struct figure *out)
{
    double scatter = 0.0;
    double t_half = NAN;

    *out = (struct figure){0};
    for (size_t i = 0; i < n; i++) {
        out->log_value += figures[i].log_value / (double)n;
        out->down += pow(figures[i].down, 2.0);
        out->up += pow(figures[i].up, 2.0);
        out->n_samples += figures[i].n_samples;
    }
    out->down = sqrt(out->down) / (double)n;
    out->up = sqrt(out->up) / (double)n;
    for (size_t i = 0; i < n; i++)
        scatter += pow(figures[i].log_value - out->log_value, 2.0);
    if (n >= 2)
        t_half = wi_student_t_quantile(0.95, (double)n - 1.0) *
                 sqrt(scatter / ((double)n - 1.0) / (double)n);
    out->down = fmax(out->down, t_half); /* fmax passes over the NaN of an unknown error */
    out->up = fmax(out->up, t_half);
}

/* What is asked of every run: a percentile of an operation, or its bandwidth (percentile NaN). */
struct question {
    const struct wi_fio_job *job;
    bool any_name; /* each run holds one job only: names need not agree */
    enum wi_op op;
    double percentile;
};

static enum wi_status pool_runs(const struct runs *runs, const struct question *q, bool *known,
                                struct figure *out, struct wi_err *err)
{
    struct figure *figures = calloc(runs->n, sizeof(*figures));

    if (!figures)
        return wi_fail_nomem(err);
    *known = true;
    for (size_t i = 0; i < runs->n && *known; i++) {
        struct part part;

        collect_part(&runs->items[i].run, q->job, q->any_name, q->op, &part);
        *known = isnan(q->percentile) ? part_bandwidth(&part, &figures[i])
                                      : part_percentile(&part, q->percentile, &figures[i]);
    }
    if (*known)
        pool(figures, runs->n, out);
    free(figures);
    return WI_OK;
}

static double percent(double log_ratio)
{
    return 100.0 * expm1(log_ratio);
}

static void fill_absolute(const struct figure *f, struct wi_observation *o)
{
    o->kind = WI_OBS_ABSOLUTE;
    o->value = exp(f->log_value);
    o->n_samples = f->n_samples;
    o->reading_error_pct = isfinite(f->up) ? (percent(f->up) - percent(-f->down)) / 2.0 : 0.0;
    snprintf(o->note, sizeof(o->note), "%s",
             isfinite(f->up) ? "reading error: 90 % interval of the sample"
                             : "sampling error unknown");
}

static void fill_change(const struct figure *exposed, const struct figure *base,
                        struct wi_observation *o)
{
    double d = exposed->log_value - base->log_value;

    o->value = exp(exposed->log_value);
    o->base_value = exp(base->log_value);
    o->n_samples = fmin(exposed->n_samples, base->n_samples);
    o->change_pct = percent(d);
    o->low_pct = percent(d - hypot(exposed->down, base->up));
    o->high_pct = percent(d + hypot(exposed->up, base->down));
    o->reading_error_pct = (o->high_pct - o->low_pct) / 2.0;
    snprintf(o->note, sizeof(o->note), "90 %% interval of the sampling error, MOVER on logarithms");
}

struct job_task {
    const struct runs *exposed, *baseline; /* baseline->n 0 = none */
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

static enum wi_status warn_left_out(const struct job_task *task, const struct question *q,
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

static enum wi_status add_figure(const struct job_task *task, const struct question *q,
                                 const char *exp_id, struct left_out *out, struct wi_err *err)
{
    struct figure exposed;
    struct figure base;
    struct wi_observation o;
    bool known;
    bool has_base = false;
    bool bandwidth = isnan(q->percentile);
    enum wi_status st = pool_runs(task->exposed, q, &known, &exposed, err);

    if (st == WI_OK && known && task->baseline->n)
        st = pool_runs(task->baseline, q, &has_base, &base, err);
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
        fill_change(&exposed, &base, &o);
    } else {
        fill_absolute(&exposed, &o);
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
                    run->version, job->name, latency_name(kind), task->exposed->n,
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

static bool find_counterpart(const struct runs *runs, const struct wi_fio_job *job)
{
    for (size_t i = 0; i < runs->n; i++) {
        bool found = false;

        for (size_t j = 0; j < runs->items[i].run.n_jobs; j++)
            found = found || same_job(&runs->items[i].run.jobs[j], job);
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
    struct question q = {.job = job, .any_name = all_hold_one_job(task)};
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
        if (same_job(&run->jobs[i], &run->jobs[j]))
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

/* One digest for a set of runs, whatever their order. */
static int compare_sha(const void *a, const void *b)
{
    return memcmp(a, b, WI_SHA256_HEX);
}

static enum wi_status digest_of(const struct runs *runs, char sha256[WI_SHA256_HEX],
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

static enum wi_status list_files(const struct runs *runs, const char *role, cJSON *array,
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

/* clat leaves out the submission: a change between it and lat is no change of the drive. */
static enum wi_status check_kinds(const struct runs *exposed, const struct runs *baseline,
                                  struct wi_err *err)
{
    const struct file_run *first = &exposed->items[0];
    enum wi_fio_kind want = kind_of(&first->run);

    for (size_t i = 0; i < exposed->n + baseline->n; i++) {
        const struct file_run *r =
            i < exposed->n ? &exposed->items[i] : &baseline->items[i - exposed->n];
        enum wi_fio_kind have = kind_of(&r->run);

        if (want != WI_FIO_NO_LATENCY && have != WI_FIO_NO_LATENCY && have != want)
            return wi_fail(
                err, WI_EDATA,
                "percentiles of '%s' are of %s, those of '%s' of %s: they do not compare; "
                "run both with the same clat_percentiles and lat_percentiles",
                first->file, latency_name(want), r->file, latency_name(have));
    }
    return WI_OK;
}

/* A run compared with itself says nothing; another workload says something else. */
static enum wi_status check_pair(const struct runs *exposed, const struct runs *baseline,
                                 struct wi_texts *warnings, struct wi_err *err)
{
    const char *a = exposed->items[0].run.jobs[0].workload;

    for (size_t i = 0; i < baseline->n; i++) {
        for (size_t k = 0; k < exposed->n; k++) {
            if (strcmp(baseline->items[i].sha256, exposed->items[k].sha256) == 0)
                return wi_fail(err, WI_EDATA, "'%s' is the baseline and the exposed run at once",
                               exposed->items[k].file);
        }
    }
    for (size_t i = 0; i < baseline->n; i++) {
        const char *b = baseline->items[i].run.jobs[0].workload;

        if (strcmp(a, b) != 0)
            return wi_texts_add(
                warnings, "", err,
                "%s: its workload '%s' is not that of the baseline '%s': the change "
                "is not the environment's alone",
                exposed->items[0].file, a, b);
    }
    return WI_OK;
}

/* A repetition that is stored on its own already would count twice. */
static enum wi_status check_new(struct wi_store *store, const struct runs *exposed,
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

/* The runs are repetitions of one experiment. */
static enum wi_status import_set(struct wi_store *store, const struct runs *exposed,
                                 const struct runs *baseline, const struct wi_import_options *opt,
                                 struct wi_import_report *report, struct wi_err *err)
{
    struct wi_dataset ds = {0};
    struct wi_texts warnings = {0};
    struct job_task task = {exposed, baseline, opt, &warnings, &ds};
    struct wi_import_origin origin = {.file = exposed->items[0].file,
                                      .tool = exposed->items[0].run.version};
    char *extra = NULL;
    bool known = false;
    enum wi_status st = digest_of(exposed, origin.sha256, err);

    if (st == WI_OK)
        st = wi_import_check_known(store, origin.file, origin.sha256, report, &known, err);
    if (st == WI_OK && !known)
        st = check_new(store, exposed, err);
    if (st == WI_OK && !known)
        st = check_kinds(exposed, baseline, err);
    if (st == WI_OK && !known)
        st = check_pair(exposed, baseline, &warnings, err);
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
    struct runs none = {0};
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < n && st == WI_OK; i++) {
        struct runs one = {0};

        st = load_runs(&files[i], 1, opt, &one, err);
        if (st == WI_OK)
            st = import_set(store, &one, &none, opt, report, err);
        runs_release(&one);
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
    struct runs exposed = {0};
    struct runs baseline = {0};
    enum wi_status st;

    if (!opt->n_baselines)
        return import_one_by_one(store, files, n, opt, report, err);
    st = load_runs(opt->baselines, opt->n_baselines, opt, &baseline, err);
    if (st == WI_OK)
        st = load_runs(files, n, opt, &exposed, err);
    if (st == WI_OK)
        st = import_set(store, &exposed, &baseline, opt, report, err);
    runs_release(&exposed);
    runs_release(&baseline);
    return st;
}
