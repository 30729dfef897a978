#include "cli/answer.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/llm_options.h"
#include "cli/print.h"
#include "core/json.h"
#include "experiments/baseline.h"

enum { ENGINE_EVIDENCE, ENGINE_LLM };
static const char *const engine_names[] = {"evidence", "llm", NULL};
static const char *const model_names[] = {"default", "study", NULL};

static struct {
    int engine, model;
    size_t top_k;
} options = {.top_k = 5};

/* The drive's own figures, when --baseline gave them. */
static struct wi_baseline baseline;
static bool has_baseline;

static enum wi_status load_baseline(void *value, const char *text, struct wi_err *err)
{
    struct wi_texts warnings = {0};
    enum wi_status st;

    if (has_baseline)
        return wi_fail(err, WI_EUSAGE,
                       "one FILE only: repetitions are pooled by 'import fio', not here");
    st = wi_baseline_load(text, value, &warnings, err);
    has_baseline = st == WI_OK;
    for (size_t i = 0; i < warnings.n; i++)
        cli_note(NULL, warnings.items[i].text);
    wi_texts_release(&warnings);
    return st;
}

static const struct cli_option answer_options[] = {
    {"engine", 0, "evidence|llm", "what answers (default evidence)", CLI_CHOICE, &options.engine, 0,
     0, engine_names, NULL},
    {"model", 0, "default|study", "evidence model: the default, or the study as published",
     CLI_CHOICE, &options.model, 0, 0, model_names, NULL},
    {"top-k", 'k', "N", "items of each kind that retrieval brings (default 5)", CLI_COUNT,
     &options.top_k, 1, WI_TOP_K_MAX, NULL, NULL},
    {"baseline", 0, "FILE", "fio output of your drive before the change: adds us and MB/s",
     CLI_FILE, &baseline, 0, 0, NULL, load_baseline},
    {0}};

const struct cli_option *cli_answer_options(void)
{
    return answer_options;
}

const struct cli_option *const *cli_answer_tables(void)
{
    static const struct cli_option *tables[7];

    tables[0] = cli_scenario_options();
    tables[1] = answer_options;
    tables[2] = cli_prompt_table();
    tables[3] = cli_llm_table();
    tables[4] = cli_embedder_table();
    tables[5] = cli_network_table();
    return tables;
}

bool cli_answer_is_llm(void)
{
    return options.engine == ENGINE_LLM;
}

size_t cli_answer_top_k(void)
{
    return options.top_k;
}

static void show_progress(void *ctx, const char *line)
{
    if (isatty(STDERR_FILENO))
        cli_note(ctx, line);
}

enum wi_status cli_answer_open(bool need_save, struct wi_session **session, struct wi_err *err)
{
    struct wi_session_options opt = {.db = cli_common.db,
                                     .need_save = need_save,
                                     .model = (enum wi_model_kind)options.model,
                                     .note = cli_note,
                                     .progress = show_progress};

    return wi_session_open(&opt, session, err);
}

int cli_open_session(bool need_save, struct wi_session **session)
{
    struct wi_err err = {0};

    if (cli_answer_open(need_save, session, &err) != WI_OK)
        return cli_error(&err);
    if (cli_use_embedder(*session, &err) == WI_OK)
        return -1;
    wi_session_close(*session);
    *session = NULL;
    return cli_error(&err);
}

/* --- output ------------------------------------------------------------------------------------
 */

static int print_json(const struct wi_prediction *list, size_t n)
{
    struct wi_err err = {0};
    cJSON *root = NULL;

    return wi_predictions_to_json(list, n, &root, &err) == WI_OK ? cli_print_json(root)
                                                                 : cli_error(&err);
}

static void print_csv_change(const struct wi_prediction *p, enum wi_metric metric,
                             const struct wi_change *c)
{
    enum { N_CELLS = 17, FIRST_NUMBER = 4 };
    char cells[N_CELLS][64] = {""};
    char *row[N_CELLS];
    const struct wi_scenario *s = &p->scenario;
    const struct wi_step *during = &s->exposure.during;
    const char *unit = metric == WI_METRIC_BANDWIDTH ? "MB/s" : "us";
    const char *const names[] = {wi_nand_name(s->nand), wi_op_name(s->op), wi_phase_name(s->phase),
                                 wi_metric_name(metric)};
    const double numbers[] = {c->percentile, c->change_pct, c->low_pct, c->high_pct,
                              c->value,      c->low,        c->high};

    for (size_t i = 0; i < N_CELLS; i++)
        row[i] = cells[i];
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        snprintf(cells[i], sizeof(cells[i]), "%s", names[i]);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (isfinite(numbers[i]))
            snprintf(cells[FIRST_NUMBER + i], sizeof(cells[0]), i ? "%.4f" : "%.8g", numbers[i]);
    }
    snprintf(cells[11], sizeof(cells[0]), "%s", isfinite(c->value) ? unit : "");
    snprintf(cells[12], sizeof(cells[0]), "%g", during->temp_c);
    snprintf(cells[13], sizeof(cells[0]), "%g", during->rh_pct);
    snprintf(cells[14], sizeof(cells[0]), "%s", wi_axis_name(during->vib.axis));
    snprintf(cells[15], sizeof(cells[0]), "%g", s->confidence);
    snprintf(cells[16], sizeof(cells[0]), "%s", wi_domain_name(p->forecast.domain));
    cli_print_csv_row(row, N_CELLS);
}

static void print_csv(const struct wi_prediction *list, size_t n)
{
    puts("nand,op,phase,metric,percentile,change_pct,low_pct,high_pct,value,value_low,value_high,"
         "unit,temp_c,rh_pct,vib_axis,confidence,domain");
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < list[i].forecast.n_tail; j++)
            print_csv_change(&list[i], WI_METRIC_TAIL_LATENCY, &list[i].forecast.tail[j]);
        print_csv_change(&list[i], WI_METRIC_BANDWIDTH, &list[i].forecast.bandwidth);
    }
}

static int print_all(const struct wi_prediction *list, size_t n, const struct wi_texts *reading)
{
    if (cli_common.format == CLI_JSON)
        return print_json(list, n);
    if (cli_common.format == CLI_CSV) {
        print_csv(list, n);
        return CLI_EXIT_OK;
    }
    for (size_t i = 0; i < n; i++) {
        if (i)
            puts("");
        cli_print_prediction(&list[i], reading);
    }
    return CLI_EXIT_OK;
}

/* --- running -----------------------------------------------------------------------------------
 */

/*
 * A baseline that measured one operation only can be about no other: where none is named, that one
 * is meant, as in "fio's randread, and what at 60 C?".
 */
static void take_op_of_baseline(struct wi_scenario *s)
{
    size_t n_known = 0;
    enum wi_op only = s->op;

    if (!has_baseline || s->given & WI_F_OP)
        return;
    for (int op = 0; op < 3; op++) {
        if (baseline.ops[op].known) {
            only = (enum wi_op)op;
            n_known++;
        }
    }
    if (n_known == 1)
        s->op = only;
}

int cli_answer(const struct wi_scenario *scenarios, size_t n, const char *question,
               const struct wi_texts *warnings)
{
    struct wi_prediction *list = calloc(n, sizeof(*list));
    struct wi_predict_options opt = {.question = question,
                                     .top_k = options.top_k,
                                     .baseline = has_baseline ? &baseline : NULL,
                                     .warnings = warnings,
                                     .prompt = cli_prompt_options()};
    struct wi_session *session = NULL;
    struct wi_err err = {0};
    enum wi_status st = WI_OK;
    int code;

    if (!list)
        return wi_fail_nomem(&err), cli_error(&err);
    code = cli_open_session(false, &session);
    if (code < 0 && options.engine == ENGINE_LLM)
        st = cli_llm_open(wi_store_reply_log(wi_session_store(session)), &opt.llm, &err);
    for (size_t i = 0; i < n && st == WI_OK && code < 0; i++) {
        struct wi_scenario scenario = scenarios[i];

        take_op_of_baseline(&scenario);
        st = wi_session_predict(session, &scenario, &opt, &list[i], &err);
    }
    if (opt.llm && st == WI_OK)
        cli_llm_report(opt.llm);
    if (code < 0)
        code = st == WI_OK ? print_all(list, n, warnings) : cli_error(&err);
    wi_llm_close(opt.llm);
    wi_session_close(session);
    for (size_t i = 0; i < n; i++)
        wi_prediction_release(&list[i]);
    free(list);
    return code;
}

static int print_prompt(const struct wi_prompt *prompt)
{
    cJSON *root = cJSON_CreateObject();

    cJSON_AddStringToObject(root, "schema", "ssd-whatif/prompt/1");
    cJSON_AddStringToObject(root, "version", prompt->version);
    cJSON_AddNumberToObject(root, "tokens", (double)prompt->n_tokens);
    cJSON_AddItemToObject(root, "messages", cJSON_Parse(prompt->messages));
    cJSON_AddItemToObject(root, "response_schema", cJSON_Parse(prompt->schema));
    cJSON_AddStringToObject(root, "sent_ids", prompt->sent_ids);
    cJSON_AddStringToObject(root, "dropped_ids", prompt->dropped_ids);
    return cli_print_json(root);
}

static void print_prompt_text(const struct wi_prompt *prompt)
{
    cJSON *messages = cJSON_Parse(prompt->messages);
    const cJSON *message = NULL;

    cJSON_ArrayForEach(message, messages)
    {
        const char *role = wi_json_str(message, "role");
        const char *content = wi_json_str(message, "content");

        printf("--- %s\n", role ? role : "");
        cli_print_text(stdout, content ? content : "");
        putchar('\n');
    }
    cJSON_Delete(messages);
    printf("--- schema of the reply\n%s\n", prompt->schema);
    printf("--- about %zu tokens; template %s; left out: ", prompt->n_tokens, prompt->version);
    cli_print_text(stdout, *prompt->dropped_ids ? prompt->dropped_ids : "nothing");
    putchar('\n');
}

int cli_answer_prompt(const struct wi_scenario *scenario, const char *question)
{
    struct wi_predict_options opt = {.question = question, .top_k = options.top_k};
    struct wi_session *session = NULL;
    struct wi_prompt prompt = {0};
    struct wi_err err = {0};
    int code = cli_open_session(false, &session);

    if (code >= 0)
        return code;
    opt.prompt = cli_prompt_options();
    if (wi_session_prompt(session, scenario, &opt, &prompt, &err) != WI_OK) {
        code = cli_error(&err);
    } else if (cli_common.format == CLI_JSON) {
        code = print_prompt(&prompt);
    } else {
        print_prompt_text(&prompt);
        code = CLI_EXIT_OK;
    }
    wi_prompt_release(&prompt);
    wi_session_close(session);
    return code;
}

static int read_stdin(char **text)
{
    char *buf = malloc(WI_QUESTION_MAX + 2);
    size_t n;
    struct wi_err err = {0};

    if (!buf)
        return wi_fail_nomem(&err), cli_error(&err);
    n = fread(buf, 1, WI_QUESTION_MAX + 1, stdin);
    if (ferror(stdin)) {
        wi_fail(&err, WI_EIO, "cannot read standard input: %s", strerror(errno));
        free(buf);
        return cli_error(&err);
    }
    buf[n] = '\0';
    if (memchr(buf, '\0', n)) {
        wi_fail(&err, WI_EDATA, "standard input holds a NUL byte, a question is text");
        free(buf);
        return cli_error(&err);
    }
    *text = buf;
    return -1;
}

int cli_read_operand(size_t n_args, char **args, const char *what, char **text)
{
    struct wi_err err = {0};

    if (n_args == 0)
        return cli_usage_error("%s is missing; give it as one argument, or - for standard input",
                               what);
    if (n_args > 1)
        return cli_usage_error("one %s expected, got %zu arguments; put it in quotes", what,
                               n_args);
    if (strcmp(args[0], "-") == 0)
        return read_stdin(text);
    *text = strdup(args[0]);
    return *text ? -1 : (wi_fail_nomem(&err), cli_error(&err));
}
