#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "core/fit.h"
#include "experiments/input.h"

static int model;
static const char *output;

static const char *const models[] = {"default", "study", NULL};

static const struct cli_option table[] = {
    {"model", 0, "KIND", "default, or study for the configuration of the reference study",
     CLI_CHOICE, &model, 0, 0, models, NULL},
    {"output", 'o', "FILE", "write the fit to a file instead of keeping it in the store", CLI_TEXT,
     &output, 0, 0, NULL, NULL},
    {0}};

static const struct cli_option *const *fit_options(void)
{
    static const struct cli_option *const tables[] = {table, NULL};

    return tables;
}

static int print_fit(const struct wi_fit *fit)
{
    cJSON *root;

    if (cli_common.format != CLI_JSON) {
        for (int g = 0; g < WI_N_GROUPS; g++)
            printf("%s: %zu rows, negative log posterior %.3f\n",
                   wi_kernel_of((enum wi_group)g)->name, fit->group[g].n_rows,
                   fit->group[g].objective);
        return CLI_EXIT_OK;
    }
    root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "ssd-whatif/fit/1");
    cJSON_AddStringToObject(root, "model", models[model]);
    for (int g = 0; g < WI_N_GROUPS; g++) {
        cJSON *o = cJSON_AddObjectToObject(root, wi_kernel_of((enum wi_group)g)->name);

        cJSON_AddNumberToObject(o, "rows", (double)fit->group[g].n_rows);
        cJSON_AddNumberToObject(o, "objective", fit->group[g].objective);
    }
    return cli_print_json(root);
}

static int fit_store(struct wi_session *session)
{
    struct wi_dataset ds = {0};
    struct wi_fit *fit = NULL;
    struct wi_err err = {0};
    char *text = NULL;
    enum wi_status st = wi_store_load_dataset(wi_session_store(session), NULL, &ds, &err);
    int code;

    if (st == WI_OK)
        st = wi_fit_new(&ds, model ? WI_MODEL_STUDY : WI_MODEL_DEFAULT, &fit, &err);
    if (st == WI_OK)
        st = wi_fit_format(fit, &text, &err);
    if (st == WI_OK)
        st = output ? wi_output_save(output, text, strlen(text), &err)
                    : wi_session_refit(session, &err);
    code = st == WI_OK ? print_fit(fit) : cli_error(&err);
    free(text);
    wi_fit_free(fit);
    wi_dataset_release(&ds);
    return code;
}

static int run(int argc, char **argv)
{
    struct wi_session_options opt = {.note = cli_note};
    struct wi_session *session = NULL;
    struct wi_err err = {0};
    size_t n_args;
    char **args;
    int code = cli_parse(&cmd_fit, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (n_args)
        return cli_usage_error("'%s' is not expected: fit takes options only", args[0]);
    opt.db = cli_common.db;
    opt.need_save = output == NULL;
    opt.model = model ? WI_MODEL_STUDY : WI_MODEL_DEFAULT;
    if (wi_session_open(&opt, &session, &err) != WI_OK)
        return cli_error(&err);
    code = fit_store(session);
    wi_session_close(session);
    return code;
}

const struct cli_command cmd_fit = {
    "fit",
    "[options]",
    "refit the evidence model on all that is stored",
    "An import conditions the model on the new rows without a refit; this also renews the\n"
    "hyper-parameters, and keeps them in the store until the next fit.",
    fit_options,
    run,
};
