#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/llm_options.h"
#include "cli/print.h"
#include "core/json.h"

static const char *const method_names[] = {"fused", "scenario", "text", "bm25", NULL};
static const unsigned method_bits[] = {WI_SEARCH_FUSED, WI_SEARCH_SCENARIO, WI_SEARCH_TEXT,
                                       WI_SEARCH_BM25};
static const char *const kind_names[] = {"all", "experiments", "principles", NULL};

static struct {
    int method, kind;
    size_t top_k;
} options = {.top_k = 5};

static const struct cli_option search_table[] = {
    {"top-k", 'k', "N", "hits of each kind (default 5)", CLI_COUNT, &options.top_k, 1, WI_TOP_K_MAX,
     NULL, NULL},
    {"method", 0, "fused|scenario|text|bm25", "how to search (default fused)", CLI_CHOICE,
     &options.method, 0, 0, method_names, NULL},
    {"kind", 0, "all|experiments|principles", "what to search (default all)", CLI_CHOICE,
     &options.kind, 0, 0, kind_names, NULL},
    {0}};

static const struct cli_option *const *search_options(void)
{
    static const struct cli_option *tables[4];

    tables[0] = search_table;
    tables[1] = cli_embedder_table();
    tables[2] = cli_network_table();

    return tables;
}

static const char *kind_name(const struct wi_item *item)
{
    return item->kind == WI_ITEM_EXPERIMENT ? "experiment" : "principle";
}

static int print_json(const struct wi_item *items, size_t n)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < n; i++) {
        cJSON *obj = cJSON_CreateObject();

        cJSON_AddItemToArray(list, obj);
        cJSON_AddStringToObject(obj, "id", items[i].id);
        cJSON_AddStringToObject(obj, "kind", kind_name(&items[i]));
        wi_json_add_num(obj, "score", items[i].score, NULL);
        cJSON_AddStringToObject(obj, "title", items[i].title ? items[i].title : "");
        cJSON_AddStringToObject(obj, "summary", items[i].summary ? items[i].summary : "");
        cJSON_AddStringToObject(obj, "source", items[i].source);
        cJSON_AddStringToObject(obj, "why", items[i].why ? items[i].why : "");
        cJSON_AddBoolToObject(obj, "own", !items[i].embedded);
    }
    return cli_print_json(list);
}

static void print_csv(const struct wi_item *items, size_t n)
{
    puts("id,kind,score,title,why");
    for (size_t i = 0; i < n; i++) {
        char score[32];
        char *row[] = {(char *)items[i].id, (char *)kind_name(&items[i]), score, items[i].title,
                       items[i].why};

        snprintf(score, sizeof(score), "%.4f", items[i].score);
        cli_print_csv_row(row, 5);
    }
}

static void print_text(const struct wi_item *items, size_t n)
{
    if (n == 0)
        puts("Nothing found.");
    for (size_t i = 0; i < n; i++) {
        char head[WI_ID_MAX + 64];

        snprintf(head, sizeof(head), "%s %.2f", kind_name(&items[i]), items[i].score);
        cli_print_paragraph(head, items[i].id);
        cli_print_paragraph("   ", items[i].title ? items[i].title : "");
        cli_print_paragraph("    found by", items[i].why ? items[i].why : "");
    }
}

/* Words that describe a condition find scenario neighbours too; other words are no error here. */
static const struct wi_scenario *read_scenario(const char *text, struct wi_reading *reading)
{
    if (wi_question_parse(text, NULL, reading, NULL) == WI_OK && reading->n_scenarios)
        return &reading->scenarios[0];
    return NULL;
}

static int search(struct wi_session *session, const char *text)
{
    struct wi_reading reading = {0};
    struct wi_search_query q = {.text = text,
                                .scenario = read_scenario(text, &reading),
                                .methods = method_bits[options.method],
                                .top_k = options.top_k,
                                .experiments = options.kind != 2,
                                .principles = options.kind != 1};
    struct wi_knowledge *k = NULL;
    struct wi_item *items = NULL;
    struct wi_err err = {0};
    size_t n = 0;
    enum wi_status st = wi_session_knowledge(session, &k, &err);
    int code = CLI_EXIT_OK;

    if (st == WI_OK)
        st = wi_knowledge_search(k, &q, &items, &n, &err);
    if (st != WI_OK)
        code = cli_error(&err);
    else if (cli_common.format == CLI_JSON)
        code = print_json(items, n);
    else if (cli_common.format == CLI_CSV)
        print_csv(items, n);
    else
        print_text(items, n);
    wi_items_free(items, n);
    wi_reading_release(&reading);
    return code;
}

static int run_search(int argc, char **argv)
{
    struct wi_session *session = NULL;
    char **args = NULL;
    char *text = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_search, argc, argv, &n_args, &args);

    if (code < 0)
        code = cli_read_operand(n_args, args, "text", &text);
    if (code < 0)
        code = cli_open_session(false, &session);
    if (code < 0)
        code = search(session, text);
    wi_session_close(session);
    free(text);
    return code;
}

const struct cli_command cmd_search = {.name = "search",
                                       .args = "\"TEXT\"",
                                       .summary = "what the knowledge index returns, and why",
                                       .details =
                                           "With --embedder each stored text is sent to the "
                                           "endpoint once. The vectors of every\nembedder stay in "
                                           "the store, so that changing back asks nothing.",
                                       .options = search_options,
                                       .run = run_search};
