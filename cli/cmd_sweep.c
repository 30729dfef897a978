#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/llm_options.h"
#include "cli/sweep_print.h"
#include "experiments/input.h"
#include "experiments/sweep.h"
#include "experiments/sweep_join.h"

#define SPEC_BYTES_MAX (64u << 20)

enum { FORMAT_CSV, FORMAT_JSONL, FORMAT_SQLITE, FORMAT_TABLE, FORMAT_JSON, FORMAT_UNSET };
static const char *const format_names[] = {"csv", "jsonl", "sqlite", "table", "json", NULL};

static struct {
    const char *output, *list;
    int format;
    bool resume, yes, no_evidence_ids, summary, join;
    const char *find;
    size_t points, max_calls, max_tokens;
    uint64_t shard, n_shards;
    size_t n_jobs;
} options = {.format = FORMAT_UNSET, .n_jobs = 1};

static enum wi_status parse_shard(void *value, const char *text, struct wi_err *err)
{
    char *end = NULL;
    unsigned long long k;
    unsigned long long n = 0;

    (void)value;
    errno = 0;
    k = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '/' && end[1] >= '0' && end[1] <= '9')
        n = strtoull(end + 1, &end, 10);
    if (*end || errno || k < 1 || k > n || n > WI_SWEEP_SHARDS_MAX)
        return wi_fail(err, WI_EUSAGE, "'%s' is no part, allowed is 1/N to N/N", text);
    options.shard = k;
    options.n_shards = n;
    return WI_OK;
}

static const struct cli_option sweep_options[] = {
    {"output", 'o', "FILE", "where rows go; the suffix .csv, .jsonl or .sqlite sets the form",
     CLI_TEXT, &options.output, 0, 0, NULL, NULL},
    {"format", 0, "csv|jsonl|sqlite", "form of the rows; of a summary: table, json, csv",
     CLI_CHOICE, &options.format, 0, 0, format_names, NULL},
    {"list", 0, "FILE", "scenarios of a design 'list', CSV or JSON lines; - = stdin", CLI_TEXT,
     &options.list, 0, 0, NULL, NULL},
    {"resume", 0, NULL, "go on with an interrupted sweep of the same spec", CLI_FLAG,
     &options.resume, 0, 0, NULL, NULL},
    {"shard", 0, "K/N", "only part K of N; the parts one after the other are the whole", CLI_CALL,
     NULL, 0, 0, NULL, parse_shard},
    {"join", 0, NULL, "put parts together: sweep SPEC.json --join PART... [-o OUT]", CLI_FLAG,
     &options.join, 0, 0, NULL, NULL},
    {"jobs", 'j', "N", "threads (default 1); the output is the same", CLI_COUNT, &options.n_jobs, 1,
     WI_SWEEP_JOBS_MAX, NULL, NULL},
    {"no-evidence-ids", 0, NULL, "leave out which experiments a row leans on", CLI_FLAG,
     &options.no_evidence_ids, 0, 0, NULL, NULL},
    {"summary", 0, NULL, "instead of rows: what moves the prediction; worst and best case",
     CLI_FLAG, &options.summary, 0, 0, NULL, NULL},
    {"points", 0, "N", "base points of the summary (default 4096)", CLI_COUNT, &options.points, 64,
     WI_SUMMARY_POINTS_MAX, NULL, NULL},
    {"find", 0, "QUESTION", "where a threshold is first passed: 'temp_c: p99.99 > 20'", CLI_TEXT,
     &options.find, 0, 0, NULL, NULL},
    {"budget-calls", 0, "N", "engine llm: stop after N requests; replies in the log are free",
     CLI_COUNT, &options.max_calls, 1, 1e15, NULL, NULL},
    {"budget-tokens", 0, "N", "engine llm: stop when N tokens are used", CLI_COUNT,
     &options.max_tokens, 1, 1e15, NULL, NULL},
    {"yes", 0, NULL, "more than 10^9 scenarios are meant", CLI_FLAG, &options.yes, 0, 0, NULL,
     NULL},
    {0}};

static const struct cli_option *const *all_options(void)
{
    static const struct cli_option *tables[6];

    tables[0] = sweep_options;
    tables[1] = cli_answer_options();
    tables[2] = cli_prompt_table();
    tables[3] = cli_llm_table();
    tables[4] = cli_network_table();
    return tables;
}

/* --- input -------------------------------------------------------------------------------------
 */

static enum wi_status read_spec(const char *path, struct wi_sweep_spec **spec, struct wi_err *err)
{
    char *text = NULL;
    size_t len = 0;
    enum wi_status st = wi_input_read_all(path, SPEC_BYTES_MAX, &text, &len, NULL, err);

    if (st == WI_OK)
        st = wi_sweep_parse(text, len, wi_input_name(path), spec, err);
    free(text);
    return st;
}

/* A list named in a spec stands beside the spec. NULL = out of memory. */
static char *list_beside(const char *spec_path, const char *list)
{
    const char *slash = strrchr(spec_path, '/');
    char *path = NULL;

    if (!slash || list[0] == '/' || strcmp(list, "-") == 0)
        return strdup(list);
    return asprintf(&path, "%.*s/%s", (int)(slash - spec_path), spec_path, list) < 0 ? NULL : path;
}

static enum wi_status read_list(const char *spec_path, struct wi_sweep_spec *spec,
                                struct wi_err *err)
{
    const char *named = wi_sweep_list_path(spec);
    char *path = options.list ? strdup(options.list) : list_beside(spec_path, named ? named : "-");
    struct wi_input input = {.fd = -1};
    FILE *in = NULL;
    enum wi_status st = path ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK && strcmp(path, "-") == 0 && strcmp(spec_path, "-") == 0)
        st = wi_fail(err, WI_EUSAGE, "spec and list cannot both come from standard input");
    if (st == WI_OK)
        st = wi_input_open(path, &input, err);
    if (st == WI_OK) {
        in = input.is_stdin ? stdin : fdopen(input.fd, "rb");
        st = in ? wi_sweep_read_list(spec, in, wi_input_name(path), err) : wi_fail_nomem(err);
    }
    if (in && in != stdin)
        fclose(in); /* the descriptor, too */
    else
        wi_input_close(&input);
    free(path);
    return st;
}

/* --- output ------------------------------------------------------------------------------------
 */

static bool ends_with(const char *text, const char *suffix)
{
    size_t n = strlen(text);
    size_t m = strlen(suffix);

    return n >= m && strcmp(text + n - m, suffix) == 0;
}

static enum wi_sweep_format choose_format(void)
{
    if (options.format == FORMAT_UNSET && options.output) {
        if (ends_with(options.output, ".jsonl"))
            return WI_SWEEP_JSONL;
        if (ends_with(options.output, ".sqlite"))
            return WI_SWEEP_SQLITE;
    }
    if (options.format == FORMAT_JSONL || options.format == FORMAT_JSON)
        return WI_SWEEP_JSONL;
    return options.format == FORMAT_SQLITE ? WI_SWEEP_SQLITE : WI_SWEEP_CSV;
}

/* --- progress ----------------------------------------------------------------------------------
 */

struct progress {
    double start_s, shown_s;
    uint64_t n_before; /* done when this run began */
    bool shown;
};

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void show_progress(void *ctx, uint64_t n_done, uint64_t n_total)
{
    struct progress *p = ctx;
    double now = now_s();
    double rate;
    unsigned long long left_s;

    if (p->start_s == 0.0) {
        p->start_s = p->shown_s = now;
        p->n_before = n_done;
    }
    if (now - p->shown_s < 0.5)
        return;
    p->shown_s = now;
    p->shown = true;
    rate = (double)(n_done - p->n_before) / (now - p->start_s);
    left_s = (unsigned long long)fmin((double)(n_total - n_done) / fmax(rate, 1e-3), 3.6e9);
    fprintf(stderr, "\r%5.1f %%  %.4g scenarios/s  %llu:%02llu:%02llu left\033[K",
            100.0 * (double)n_done / (double)n_total, rate, left_s / 3600, left_s / 60 % 60,
            left_s % 60);
}

/* --- the command -------------------------------------------------------------------------------
 */

/* Each thread has its own connection to the store and to the endpoint. */
static enum wi_status open_llm(void *ctx, struct wi_session **session, struct wi_llm **llm,
                               struct wi_err *err)
{
    static pthread_mutex_t settings = PTHREAD_MUTEX_INITIALIZER; /* they are read once */
    enum wi_status st = cli_answer_open(false, session, err);

    (void)ctx;
    pthread_mutex_lock(&settings);
    if (st == WI_OK)
        st = cli_llm_open(wi_store_reply_log(wi_session_store(*session)), llm, err);
    pthread_mutex_unlock(&settings);
    return st;
}

static void report_llm(const struct wi_sweep_result *result)
{
    char line[128];

    snprintf(line, sizeof(line), "%zu requests sent, %lld tokens", result->n_calls,
             (long long)result->n_tokens);
    cli_note(NULL, line);
}

static int run_rows(struct wi_sweep_spec *spec)
{
    struct progress progress = {0};
    struct wi_sweep_options opt = {.path = options.output,
                                   .fd = STDOUT_FILENO,
                                   .format = choose_format(),
                                   .no_evidence_ids = options.no_evidence_ids,
                                   .resume = options.resume,
                                   .huge = options.yes,
                                   .shard = options.shard,
                                   .n_shards = options.n_shards,
                                   .n_jobs = options.n_jobs};
    char engine[512] = "llm ";
    struct wi_sweep_llm llm = {.open = open_llm,
                               .name = engine,
                               .prompt = cli_prompt_options(),
                               .top_k = cli_answer_top_k(),
                               .max_calls = options.max_calls,
                               .max_tokens = (int64_t)options.max_tokens};
    struct wi_sweep_result result = {0};
    struct wi_session *session = NULL;
    const struct wi_evidence *ev = NULL;
    struct wi_err err = {0};
    enum wi_status st;
    int code = cli_open_session(false, &session);

    if (code >= 0)
        return code;
    if (opt.path && strcmp(opt.path, "-") == 0)
        opt.path = NULL;
    if (isatty(STDERR_FILENO) && !cli_common.quiet && !(isatty(STDOUT_FILENO) && !opt.path)) {
        opt.progress = show_progress;
        opt.progress_ctx = &progress;
    }
    st = wi_session_evidence(session, &ev, &err);
    if (cli_answer_is_llm() && st == WI_OK) {
        opt.llm = &llm;
        st = cli_llm_describe(engine + strlen(engine), sizeof(engine) - strlen(engine), &err);
    }
    if (st == WI_OK)
        st = wi_sweep_run(spec, ev, &opt, &result, &err);
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
    if (opt.llm)
        report_llm(&result);
    wi_session_close(session);
    return st == WI_OK ? CLI_EXIT_OK : cli_error(&err);
}

/* Parts of an earlier sweep as one; a file appears when all of it is there. */
static int run_join(const struct wi_sweep_spec *spec, char **parts, size_t n)
{
    struct wi_err err = {0};
    char *tmp = NULL;
    FILE *out = stdout;
    enum wi_status st;

    if (options.output && strcmp(options.output, "-") != 0) {
        if (asprintf(&tmp, "%s.new", options.output) < 0)
            return wi_fail_nomem(&err), cli_error(&err);
        out = fopen(tmp, "w");
    }
    if (!out)
        st = wi_fail(&err, WI_EIO, "cannot write '%s': %s", tmp, strerror(errno));
    else
        st = wi_sweep_join(spec, choose_format(), parts, n, out, &err);
    if (tmp && out && (fflush(out) != 0 || fsync(fileno(out)) != 0) && st == WI_OK)
        st = wi_fail(&err, WI_EIO, "cannot write '%s': %s", tmp, strerror(errno));
    if (tmp && out && fclose(out) != 0 && st == WI_OK)
        st = wi_fail(&err, WI_EIO, "cannot write '%s': %s", tmp, strerror(errno));
    if (tmp && st == WI_OK && rename(tmp, options.output) != 0)
        st = wi_fail(&err, WI_EIO, "cannot write '%s': %s", options.output, strerror(errno));
    if (tmp && out && st != WI_OK)
        unlink(tmp);
    free(tmp);
    return st == WI_OK ? CLI_EXIT_OK : cli_error(&err);
}

static enum cli_format table_format(void)
{
    if (options.format == FORMAT_JSON)
        return CLI_JSON;
    return options.format == FORMAT_CSV ? CLI_CSV : CLI_TABLE;
}

/* --summary and --find, from standard output only. */
static int run_insight(const struct wi_sweep_spec *spec)
{
    struct wi_session *session = NULL;
    const struct wi_evidence *ev = NULL;
    struct wi_sweep_question question = {0};
    struct wi_summary summary = {0};
    struct wi_err err = {0};
    int code = CLI_EXIT_OK;

    if (options.find && wi_sweep_question_parse(options.find, &question, &err) != WI_OK)
        return cli_usage_error("--find: %s", err.msg);
    code = cli_open_session(false, &session);
    if (code >= 0)
        return code;
    if (wi_session_evidence(session, &ev, &err) != WI_OK) {
        code = cli_error(&err);
    } else if (options.find) {
        code = cli_print_find(spec, ev, &question, table_format());
    } else if (wi_sweep_summary(spec, ev, options.points, &summary, &err) != WI_OK) {
        code = cli_error(&err);
    } else {
        code = cli_print_summary(spec, &summary, table_format());
        wi_summary_release(&summary);
    }
    wi_session_close(session);
    return code;
}

/* Options that contradict each other. Returns -1 to go on. */
static int check_options(void)
{
    bool insight = options.summary || options.find;

    if (options.summary && options.find)
        return cli_usage_error("--summary and --find are two questions, ask one");
    if (insight && (options.output || options.resume || options.n_shards || options.list))
        return cli_usage_error("--%s prints one answer, without -o, --resume, --shard or --list",
                               options.summary ? "summary" : "find");
    if (options.join && (insight || options.resume || options.n_shards))
        return cli_usage_error("--join only puts parts together, without --resume, --shard, "
                               "--summary or --find");
    if (options.join && choose_format() == WI_SWEEP_SQLITE)
        return cli_usage_error("--join: parts are csv or jsonl");
    if (insight && (options.format == FORMAT_JSONL || options.format == FORMAT_SQLITE))
        return cli_usage_error("--format: allowed with --%s is table, json, csv",
                               options.summary ? "summary" : "find");
    if (!insight && options.format == FORMAT_TABLE)
        return cli_usage_error("--format: rows have csv, jsonl or sqlite; table is for --summary "
                               "and --find");
    if ((options.max_calls || options.max_tokens) && !cli_answer_is_llm())
        return cli_usage_error("--budget-calls and --budget-tokens go with --engine llm");
    if (insight && cli_answer_is_llm())
        return cli_usage_error("--%s asks thousands of questions, of the engine evidence only",
                               options.summary ? "summary" : "find");
    if (!insight && options.points)
        return cli_usage_error("--points goes with --summary");
    return -1;
}

static int run_sweep(int argc, char **argv)
{
    struct wi_sweep_spec *spec = NULL;
    struct wi_err err = {0};
    char **args = NULL;
    size_t n_args = 0;
    enum wi_status st;
    int code = cli_parse(&cmd_sweep, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    code = check_options();
    if (code >= 0)
        return code;
    if (options.join && n_args < 2)
        return cli_usage_error("--join takes the spec and the files of its parts");
    if (!options.join && n_args != 1)
        return cli_usage_error("sweep takes one spec, got %zu; - is standard input", n_args);
    st = read_spec(args[0], &spec, &err);
    if (st == WI_OK && wi_sweep_is_list(spec) && (options.summary || options.find))
        st = wi_fail(&err, WI_EDATA, "%s: design: a list has no factors to ask about", args[0]);
    else if (st == WI_OK && wi_sweep_is_list(spec))
        st = read_list(args[0], spec, &err);
    if (st == WI_OK && options.list && !wi_sweep_is_list(spec))
        st = wi_fail(&err, WI_EUSAGE, "--list goes with a spec of design 'list'");
    if (st != WI_OK)
        code = cli_error(&err);
    else if (options.join)
        code = run_join(spec, args + 1, n_args - 1);
    else
        code = options.summary || options.find ? run_insight(spec) : run_rows(spec);
    wi_sweep_free(spec);
    return code;
}

const struct cli_command cmd_sweep = {
    .name = "sweep",
    .args = "SPEC.json [-o OUT]",
    .summary = "predict many scenarios",
    .details =
        "SPEC.json names factors and a design: grid, ofat, lhs, sobol, or list. One row per\n"
        "scenario and percentile, and one for bandwidth. Beside OUT stands .OUT.resume, by\n"
        "which --resume knows what OUT was begun with. Parts made with --shard are the whole\n"
        "one after the other; --join also sees to it that none overlap, miss rows or belong\n"
        "to another spec.",
    .options = all_options,
    .run = run_sweep};
