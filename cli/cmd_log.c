#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/llm_options.h"
#include "cli/print.h"
#include "core/json.h"

static struct {
    size_t limit, keep;
    const char *before;
    bool all;
} options = {.limit = 50, .keep = SIZE_MAX};

static const struct cli_option table[] = {
    {.name = "limit",
     .arg = "N",
     .help = "list: the newest N calls (default 50, 0 = all)",
     .type = CLI_COUNT,
     .value = &options.limit,
     .min = 0,
     .max = 1e9},
    {.name = "before",
     .arg = "DATE",
     .help = "prune: calls before this moment, as 2026-03 or 2026-03-14T10:00",
     .type = CLI_TEXT,
     .value = &options.before},
    {.name = "keep",
     .arg = "N",
     .help = "prune: all but the newest N calls",
     .type = CLI_COUNT,
     .value = &options.keep,
     .min = 0,
     .max = 1e9},
    {.name = "all", .help = "prune: all calls", .type = CLI_FLAG, .value = &options.all},
    {0}};

static const struct cli_option *const *log_options(void)
{
    static const struct cli_option *const tables[] = {table, NULL};

    return tables;
}

/* --- list --------------------------------------------------------------------------------------
 */

static void add_count(cJSON *obj, const char *key, int64_t v)
{
    wi_json_add_num(obj, key, v < 0 ? (double)NAN : (double)v, NULL);
}

static cJSON *call_json(const struct wi_logged_reply *r)
{
    cJSON *obj = cJSON_CreateObject();

    cJSON_AddNumberToObject(obj, "id", (double)r->n);
    cJSON_AddStringToObject(obj, "key", r->key);
    cJSON_AddStringToObject(obj, "logged_at", r->logged_at);
    cJSON_AddStringToObject(obj, "endpoint", r->endpoint);
    cJSON_AddStringToObject(obj, "model", r->model);
    cJSON_AddNumberToObject(obj, "http_status", r->http_status);
    add_count(obj, "prompt_tokens", r->prompt_tokens);
    add_count(obj, "completion_tokens", r->completion_tokens);
    wi_json_add_num(obj, "wall_s", r->wall_s, NULL);
    wi_json_add_num(obj, "cost", cli_llm_cost(r->model, r->prompt_tokens, r->completion_tokens),
                    NULL);
    cJSON_AddNumberToObject(obj, "response_bytes", (double)r->n_response);
    return obj;
}

static int list_json(const struct wi_logged_reply *list, size_t n)
{
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(array, call_json(&list[i]));
    return cli_print_json(array);
}

enum { COLUMNS = 7, CELL = 40 };

static void put_count(char *cell, int64_t v)
{
    if (v < 0)
        snprintf(cell, CELL, "-");
    else
        snprintf(cell, CELL, "%lld", (long long)v);
}

static void fill_row(const struct wi_logged_reply *r, char (*cell)[CELL])
{
    double cost = cli_llm_cost(r->model, r->prompt_tokens, r->completion_tokens);

    snprintf(cell[0], CELL, "%lld", (long long)r->n);
    snprintf(cell[1], CELL, "%s", r->logged_at);
    snprintf(cell[2], CELL, "%s", r->model);
    put_count(cell[3], r->prompt_tokens);
    put_count(cell[4], r->completion_tokens);
    snprintf(cell[5], CELL, isfinite(cost) ? "%.6f" : "-", cost);
    snprintf(cell[6], CELL, "%.2f", r->wall_s);
}

static int list_rows(const struct wi_logged_reply *list, size_t n)
{
    static const char *const heads[COLUMNS] = {">ID",  "WHEN",  "MODEL",   ">IN",
                                               ">OUT", ">COST", ">SECONDS"};
    char(*text)[CELL] = calloc(n * COLUMNS + 1, sizeof(*text));
    char **cells = calloc(n * COLUMNS + 1, sizeof(*cells));
    bool ok = text && cells;

    for (size_t i = 0; ok && i < n; i++)
        fill_row(&list[i], text + i * COLUMNS);
    for (size_t i = 0; ok && i < n * COLUMNS; i++)
        cells[i] = text[i];
    if (ok && cli_common.format == CLI_CSV) {
        puts("id,logged_at,model,prompt_tokens,completion_tokens,cost,wall_s");
        for (size_t i = 0; i < n * COLUMNS; i++) {
            if (strcmp(text[i], "-") == 0)
                text[i][0] = '\0';
        }
        for (size_t i = 0; i < n; i++)
            cli_print_csv_row(cells + i * COLUMNS, COLUMNS);
    } else if (ok && n == 0) {
        puts("no call to a language model is logged");
    } else if (ok) {
        ok = cli_print_table(heads, COLUMNS, cells, n);
    }
    free(text);
    free(cells);
    return ok ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static int run_list(struct wi_store *store)
{
    struct wi_logged_reply *list = NULL;
    struct wi_err err = {0};
    size_t n = 0;
    int code;

    if (wi_store_list_replies(store, options.limit, &list, &n, &err) != WI_OK)
        return cli_error(&err);
    code = cli_common.format == CLI_JSON ? list_json(list, n) : list_rows(list, n);
    wi_logged_replies_free(list, n);
    return code;
}

/* --- show --------------------------------------------------------------------------------------
 */

static int show_json(const struct wi_logged_reply *r)
{
    cJSON *obj = call_json(r);
    cJSON *request = NULL, *response = NULL;

    cJSON_AddStringToObject(obj, "schema", "ssd-whatif/call/1");
    /* Bodies as JSON where they are JSON, else as text. */
    if (wi_json_parse(r->request, strlen(r->request), "request", &request, NULL) == WI_OK)
        cJSON_AddItemToObject(obj, "request", request);
    else
        cJSON_AddStringToObject(obj, "request", r->request);
    if (wi_json_parse(r->response, r->n_response, "response", &response, NULL) == WI_OK)
        cJSON_AddItemToObject(obj, "response", response);
    else
        cJSON_AddStringToObject(obj, "response", r->response);
    return cli_print_json(obj);
}

static void print_messages(const char *request)
{
    cJSON *json = NULL;
    const cJSON *messages = NULL, *m;

    if (wi_json_parse(request, strlen(request), "request", &json, NULL) == WI_OK)
        messages = wi_json_get(json, "messages");
    if (!cJSON_IsArray(messages)) { /* of an embedder, which has texts and no messages */
        fputs("--- request\n", stdout);
        cli_print_text(stdout, request);
        fputs("\n", stdout);
    }
    cJSON_ArrayForEach(m, messages)
    {
        const char *role = wi_json_str(m, "role");
        const char *content = wi_json_str(m, "content");

        fputs("--- ", stdout);
        cli_print_text(stdout, role ? role : "?");
        fputs("\n", stdout);
        cli_print_text(stdout, content ? content : "");
        fputs("\n", stdout);
    }
    cJSON_Delete(json);
}

static void show_text(const struct wi_logged_reply *r)
{
    char cell[COLUMNS][CELL];

    fill_row(r, cell);
    printf("call %s at %s, %s s, %s tokens in, %s out, cost %s, key %.12s\n", cell[0], cell[1],
           cell[6], cell[3], cell[4], cell[5], r->key);
    fputs("endpoint ", stdout);
    cli_print_text(stdout, r->endpoint);
    fputs(", model ", stdout);
    cli_print_text(stdout, r->model);
    fputs("\n", stdout);
    print_messages(r->request);
    fputs("--- reply\n", stdout);
    cli_print_text(stdout, r->response);
    fputs("\n", stdout);
}

static int run_show(struct wi_store *store, const char *id)
{
    struct wi_logged_reply r = {0};
    struct wi_err err = {0};
    char *end;
    int code = CLI_EXIT_OK;
    long long n;

    errno = 0;
    n = strtoll(id, &end, 10);
    if (end == id || *end || errno || n < 1)
        return cli_usage_error("'%s' is no id of a call; see 'ssd-whatif log list'", id);
    if (wi_store_get_reply(store, n, &r, &err) != WI_OK)
        return cli_error(&err);
    if (cli_common.format == CLI_JSON)
        code = show_json(&r);
    else
        show_text(&r);
    wi_logged_reply_release(&r);
    return code;
}

/* --- prune -------------------------------------------------------------------------------------
 */

/*
 * The beginning of an ISO 8601 moment, in whole parts: "2026", "2026-03", "2026-03-14T10:00:00Z".
 * Moments are compared as texts, in which "2026-3" would come after October.
 */
static bool is_moment(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    static const struct {
        size_t end; /* of the part */
        int low, high;
    } parts[] = {{7, 1, 12}, {10, 1, 31}, {13, 0, 23}, {16, 0, 59}, {19, 0, 60}};
    size_t n = strlen(text);
    bool whole = n == 4 || n == sizeof(form) - 1;

    if (n > sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < n; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';

        if (form[i] == 'd' ? !digit : text[i] != form[i])
            return false;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && parts[i].end <= n; i++) {
        const char *p = text + parts[i].end - 2;
        int v = (p[0] - '0') * 10 + p[1] - '0';

        if (v < parts[i].low || v > parts[i].high)
            return false;
        whole = whole || n == parts[i].end;
    }
    return whole;
}

static int run_prune(struct wi_store *store)
{
    struct wi_err err = {0};
    size_t n = 0;

    if (!options.all && !options.before && options.keep == SIZE_MAX)
        return cli_usage_error("log prune needs --before DATE, --keep N or --all");
    if (options.before && !is_moment(options.before))
        return cli_usage_error("--before: '%s' is no date, allowed is the beginning of "
                               "2026-03-14T10:00:00Z",
                               options.before);
    /* "0000" lies before every call, so that only --keep decides. */
    if (wi_store_prune_replies(store,
                               options.all      ? NULL
                               : options.before ? options.before
                                                : "0000",
                               options.all ? 0 : options.keep, &n, &err) != WI_OK)
        return cli_error(&err);
    if (cli_common.format == CLI_JSON) {
        cJSON *obj = cJSON_CreateObject();

        cJSON_AddNumberToObject(obj, "removed", (double)n);
        return cli_print_json(obj);
    }
    printf("removed %zu call%s\n", n, n == 1 ? "" : "s");
    return CLI_EXIT_OK;
}

static int run_log(int argc, char **argv)
{
    struct wi_session *session = NULL;
    char **args = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_log, argc, argv, &n_args, &args);
    const char *verb;
    bool show;

    if (code >= 0)
        return code;
    verb = n_args ? args[0] : "list";
    show = strcmp(verb, "show") == 0;
    if (!show && strcmp(verb, "list") != 0 && strcmp(verb, "prune") != 0)
        return cli_usage_error("log knows no '%s', allowed is list, show ID, prune", verb);
    if (n_args > (show ? 2u : 1u) || (show && n_args < 2))
        return cli_usage_error("log %s takes %s", verb, show ? "one ID" : "no operand");
    code = cli_open_session(strcmp(verb, "prune") == 0, &session);
    if (code >= 0)
        return code;
    if (show)
        code = run_show(wi_session_store(session), args[1]);
    else if (strcmp(verb, "prune") == 0)
        code = run_prune(wi_session_store(session));
    else
        code = run_list(wi_session_store(session));
    wi_session_close(session);
    return code;
}

const struct cli_command cmd_log = {
    .name = "log",
    .args = "[list | show ID | prune]",
    .summary = "calls to language models: tokens, cost, prompt and reply",
    .details = "Every reply is kept before it is read, and the same request is answered from it.\n"
               "Costs need the prices of the config file.",
    .options = log_options,
    .run = run_log};
