#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "experiments/input.h"

#define PRINCIPLE_BYTES_MAX (256 * 1024)

/* --- list, show --------------------------------------------------------------------------------
 */

static cJSON *principle_json(const struct wi_principle *p)
{
    struct wi_err err = {0};
    char *text = NULL;
    cJSON *obj = NULL;

    if (wi_principle_format(p, &text, &err) == WI_OK)
        obj = cJSON_Parse(text); /* our own text */
    free(text);
    if (obj)
        cJSON_AddBoolToObject(obj, "own", !p->embedded);
    return obj;
}

enum { LIST_COLS = 4 };

static int print_list(const struct wi_principle *items, size_t n)
{
    char **cells = calloc(LIST_COLS * n + 1, sizeof(*cells));
    bool ok = cells != NULL;

    for (size_t i = 0; i < n && ok; i++) {
        char **row = cells + LIST_COLS * i;

        row[0] = (char *)items[i].id;
        row[1] = items[i].stressors;
        row[2] = items[i].title;
        row[3] = (char *)(items[i].embedded ? "" : "own");
    }
    if (ok && cli_common.format == CLI_CSV) {
        puts("id,stressors,title,own");
        for (size_t i = 0; i < n; i++)
            cli_print_csv_row(cells + LIST_COLS * i, LIST_COLS);
    } else {
        for (size_t i = 0; i < n && ok; i++) {
            /* Titles are sentences; a line each reads better than a squeezed column. */
            printf("%s%s\n", items[i].id, items[i].embedded ? "" : " (your own)");
            cli_print_paragraph("   ", items[i].title);
        }
    }
    free(cells);
    return ok ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static int list(struct wi_store *store)
{
    struct wi_principle *items = NULL;
    struct wi_err err = {0};
    size_t n = 0;
    int code;

    if (wi_store_load_principles(store, &items, &n, &err) != WI_OK)
        return cli_error(&err);
    if (cli_common.format == CLI_JSON) {
        cJSON *array = cJSON_CreateArray();

        for (size_t i = 0; i < n; i++)
            cJSON_AddItemToArray(array, principle_json(&items[i]));
        code = cli_print_json(array);
    } else {
        code = print_list(items, n);
    }
    wi_principles_free(items, n);
    return code;
}

static void print_principle(const struct wi_principle *p)
{
    cli_print_paragraph("Principle: ", p->id);
    cli_print_paragraph("Title:     ", p->title);
    cli_print_paragraph("Statement: ", p->statement);
    cli_print_paragraph("Latency:   ", p->latency_effect);
    cli_print_paragraph("Bandwidth: ", p->bandwidth_effect);
    if (*p->equation)
        cli_print_paragraph("Equation:  ", p->equation);
    cli_print_paragraph("Valid for: ", p->validity);
    for (size_t i = 0; i < p->n_sources; i++) {
        char text[WI_ID_MAX + 64];

        snprintf(text, sizeof(text), "%s (%s)", p->sources[i].id,
                 wi_confidence_name(p->sources[i].confidence));
        cli_print_paragraph(i ? "           " : "Sources:   ", text);
    }
    for (size_t i = 0; i < p->n_contradicted_by; i++)
        cli_print_paragraph(i ? "           " : "Against:   ", p->contradicted_by[i]);
    if (!p->embedded)
        cli_print_paragraph("Origin:    ", "your own");
}

static int show(struct wi_store *store, const char *id)
{
    struct wi_principle p = {0};
    struct wi_err err = {0};
    int code = CLI_EXIT_OK;

    if (wi_store_get_principle(store, id, &p, &err) != WI_OK)
        return cli_error(&err);
    if (cli_common.format == CLI_CSV)
        code = cli_usage_error("principles show prints a table or JSON");
    else if (cli_common.format == CLI_JSON)
        code = cli_print_json(principle_json(&p));
    else
        print_principle(&p);
    wi_principle_release(&p);
    return code;
}

/* --- add, remove -------------------------------------------------------------------------------
 */

static int add(struct wi_store *store, const char *path)
{
    struct wi_principle p = {0};
    struct wi_err err = {0};
    char *text = NULL;
    size_t len = 0;
    enum wi_status st = wi_input_read_all(path, PRINCIPLE_BYTES_MAX, &text, &len, NULL, &err);

    if (st == WI_OK)
        st = wi_principle_parse(text, len, path, &p, &err);
    if (st == WI_OK)
        st = wi_store_add_principle(store, &p, &err);
    if (st == WI_OK && !cli_common.quiet)
        printf("added principle '%s'\n", p.id);
    wi_principle_release(&p);
    free(text);
    return st == WI_OK ? CLI_EXIT_OK : cli_error(&err);
}

static int remove_one(struct wi_store *store, const char *id)
{
    struct wi_err err = {0};

    if (wi_store_remove_principle(store, id, &err) != WI_OK)
        return cli_error(&err);
    if (!cli_common.quiet)
        printf("removed principle '%.*s'\n", WI_ID_MAX, id);
    return CLI_EXIT_OK;
}

static int run_verb(size_t n_args, char **args)
{
    const char *verb = n_args ? args[0] : "";
    bool writes = strcmp(verb, "add") == 0 || strcmp(verb, "remove") == 0;
    struct wi_session *session = NULL;
    int code;

    if (!(strcmp(verb, "list") == 0 && n_args == 1) &&
        !((writes || strcmp(verb, "show") == 0) && n_args == 2))
        return cli_usage_error("principles takes: list | show ID | add FILE | remove ID");
    code = cli_open_session(writes, &session);
    if (code < 0) {
        struct wi_store *store = wi_session_store(session);

        if (strcmp(verb, "list") == 0)
            code = list(store);
        else if (strcmp(verb, "show") == 0)
            code = show(store, args[1]);
        else if (strcmp(verb, "add") == 0)
            code = add(store, args[1]);
        else
            code = remove_one(store, args[1]);
    }
    wi_session_close(session);
    return code;
}

static int run_principles(int argc, char **argv)
{
    char **args = NULL;
    size_t n_args = 0;
    int code = cli_parse(&cmd_principles, argc, argv, &n_args, &args);

    return code >= 0 ? code : run_verb(n_args, args);
}

const struct cli_command cmd_principles = {
    .name = "principles",
    .args = "list | show ID | add FILE | remove ID",
    .summary = "physical principles, your own included",
    .details = "FILE is JSON in the form of 'principles show ID --format json'; - reads stdin.",
    .options = NULL,
    .run = run_principles};
