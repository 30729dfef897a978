#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/llm_options.h"
#include "cli/print.h"
#include "core/embedded.h"

#define DOCTOR_S 60 /* enough for a model that has to be loaded first */

/* One check: what was looked at, how it stands, and what to do about it. */
struct finding {
    const char *name;
    bool ok;
    char text[WI_ERR_MAX];
};

static void set(struct finding *f, const char *name, bool ok, const char *text)
{
    f->name = name;
    f->ok = ok;
    snprintf(f->text, sizeof(f->text), "%s", text);
}

static void check_store(struct wi_session *session, struct finding *f)
{
    struct wi_store *store = wi_session_store(session);

    if (wi_store_is_memory(store))
        set(f, "store", false,
            "in memory only: set HOME, XDG_DATA_HOME or --db to a place that "
            "can be written");
    else
        set(f, "store", true, wi_store_path(store));
}

static void check_data(struct wi_session *session, struct finding *f)
{
    struct wi_dataset ds = {0};
    struct wi_principle *principles = NULL;
    struct wi_err err = {0};
    size_t n = 0;
    size_t n_own = 0;
    enum wi_status st = wi_store_load_dataset(wi_session_store(session), NULL, &ds, &err);

    if (st == WI_OK)
        st = wi_store_load_principles(wi_session_store(session), &principles, &n, &err);
    for (size_t i = 0; i < ds.n_exps; i++)
        n_own += !ds.exps[i].embedded;
    if (st == WI_OK)
        snprintf(err.msg, sizeof(err.msg),
                 "%zu experiments (%zu your own), %zu observations, %zu principles; embedded data "
                 "%.12s",
                 ds.n_exps, n_own, ds.n_obs, n, wi_embedded_sha256);
    set(f, "data", st == WI_OK, err.msg);
    wi_principles_free(principles, n);
    wi_dataset_release(&ds);
}

static void check_index(struct wi_session *session, struct finding *f)
{
    struct wi_knowledge *k = NULL;
    struct wi_err err = {0};

    if (wi_session_knowledge(session, &k, &err) == WI_OK)
        set(f, "index", true, "scenario and text vectors match the store");
    else
        set(f, "index", false, err.msg);
}

static void check_model(struct wi_session *session, struct finding *f)
{
    const struct wi_evidence *ev = NULL;
    struct wi_forecast forecast = {0};
    struct wi_scenario s;
    struct wi_err err = {0};
    enum wi_status st;

    wi_scenario_init(&s);
    st = wi_scenario_complete(&s, &err);
    if (st == WI_OK)
        st = wi_session_evidence(session, &ev, &err);
    if (st == WI_OK)
        st = wi_evidence_predict(ev, &s, &forecast, &err);
    set(f, "model", st == WI_OK, st == WI_OK ? "the evidence model answers" : err.msg);
    wi_forecast_release(&forecast);
}

/* The endpoint, if one is set up: what it is, and whether it answers. */
static size_t check_endpoint(struct wi_session *session, struct finding *f)
{
    struct wi_llm *llm = NULL;
    char text[WI_ERR_MAX];
    struct wi_err err = {0};
    enum wi_status st = cli_llm_describe(text, sizeof(text), &err);

    cli_llm_hurry(DOCTOR_S);
    set(&f[0], "llm", st == WI_OK, st == WI_OK ? text : err.msg);
    if (st != WI_OK || !cli_llm_is_configured())
        return 1;
    st = cli_llm_open(wi_store_reply_log(wi_session_store(session)), &llm, &err);
    if (st == WI_OK)
        st = wi_llm_probe(llm, text, sizeof(text), &err);
    set(&f[1], "endpoint", st == WI_OK, st == WI_OK ? text : err.msg);
    wi_llm_close(llm);
    return 2;
}

static int print_json(const struct finding *list, size_t n)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *array;

    cJSON_AddStringToObject(root, "schema", "ssd-whatif/doctor/1");
    cJSON_AddStringToObject(root, "version", WI_VERSION);
    array = cJSON_AddArrayToObject(root, "checks");
    for (size_t i = 0; i < n; i++) {
        cJSON *obj = cJSON_CreateObject();

        cJSON_AddItemToArray(array, obj);
        cJSON_AddStringToObject(obj, "name", list[i].name);
        cJSON_AddBoolToObject(obj, "ok", list[i].ok);
        cJSON_AddStringToObject(obj, "text", list[i].text);
    }
    return cli_print_json(root);
}

static const struct cli_option *const *doctor_options(void)
{
    static const struct cli_option *tables[2];

    tables[0] = cli_network_table();
    return tables;
}

static int run_doctor(int argc, char **argv)
{
    struct finding list[8];
    struct wi_session *session = NULL;
    char **args = NULL;
    size_t n_args = 0;
    size_t n = 0;
    int code = cli_parse(&cmd_doctor, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (n_args)
        return cli_usage_error("doctor takes no '%s'", args[0]);
    code = cli_open_session(false, &session);
    if (code >= 0)
        return code;
    set(&list[n++], "version", true, WI_VERSION);
    check_store(session, &list[n++]);
    check_data(session, &list[n++]);
    check_index(session, &list[n++]);
    check_model(session, &list[n++]);
    n += check_endpoint(session, &list[n]);
    wi_session_close(session);
    if (cli_common.format == CLI_JSON)
        return print_json(list, n);
    if (cli_common.format == CLI_CSV) {
        puts("name,ok,text");
        for (size_t i = 0; i < n; i++) {
            char *row[] = {(char *)list[i].name, (char *)(list[i].ok ? "1" : "0"), list[i].text};

            cli_print_csv_row(row, 3);
        }
        return CLI_EXIT_OK;
    }
    for (size_t i = 0; i < n; i++) {
        char label[32];

        snprintf(label, sizeof(label), "%-5s %-8s", list[i].ok ? "ok" : "LOOK", list[i].name);
        cli_print_paragraph(label, list[i].text);
    }
    return CLI_EXIT_OK;
}

const struct cli_command cmd_doctor = {.name = "doctor",
                                       .args = "",
                                       .summary = "what is installed, configured, reachable",
                                       .details = "",
                                       .options = doctor_options,
                                       .run = run_doctor};
