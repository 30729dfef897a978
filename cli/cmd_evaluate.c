#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/evaluate_llm.h"
#include "cli/llm_options.h"
#include "cli/print.h"
#include "experiments/evaluate.h"

static int engine, model;
static enum wi_holdout holdout = WI_HOLDOUT_CURVE;

static enum wi_status set_holdout(void *value, const char *text, struct wi_err *err)
{
    if (wi_holdout_parse(text, value))
        return WI_OK;
    return wi_fail(err, WI_EUSAGE,
                   "'%s' is unknown, allowed is curve, experiment, condition, vendor, source, none",
                   text);
}

static const char *const engines[] = {"evidence", "llm", NULL};
static const char *const models[] = {"default", "study", NULL};

static const struct cli_option table[] = {
    {"holdout", 0, "KIND", "curve, experiment, condition, vendor, source, or none (in-sample)",
     CLI_CALL, &holdout, 0, 0, NULL, set_holdout},
    {"model", 0, "KIND", "default, or study for the configuration of the reference study",
     CLI_CHOICE, &model, 0, 0, models, NULL},
    {"engine", 0, "evidence|llm", "whose predictions (default evidence)", CLI_CHOICE, &engine, 0, 0,
     engines, NULL},
    {0}};

static const struct cli_option *const *evaluate_options(void)
{
    static const struct cli_option *tables[6];

    tables[0] = table;
    tables[1] = cli_evaluate_llm_table();
    tables[2] = cli_prompt_table();
    tables[3] = cli_llm_table();
    tables[4] = cli_network_table();
    return tables;
}

static void show_progress(void *ctx, size_t done, size_t total)
{
    (void)ctx;
    if (isatty(STDERR_FILENO) && !cli_common.quiet)
        fprintf(stderr, "\rfold %zu of %zu%s", done, total, done == total ? "\n" : "");
}

#define N_COLUMNS 8

static const char *const heads[N_COLUMNS] = {"FAMILY",   "PREDICTOR", ">N",        ">MAE",
                                             ">REL.MSE", ">SIGN",     ">COVERAGE", ">SCORE"};

static void format_number(char *buf, size_t size, double v)
{
    if (isfinite(v))
        snprintf(buf, size, "%.2f", v);
    else
        snprintf(buf, size, "-");
}

struct lines {
    char (*text)[32];
    char **cells;
    size_t n;
};

static void add_line(struct lines *l, enum wi_family f, const char *predictor,
                     const struct wi_scores *s)
{
    const double v[5] = {s->mae_points, s->rel_mse_pct, s->sign_right_pct, s->coverage_pct,
                         s->interval_score};
    size_t base = l->n * N_COLUMNS;

    snprintf(l->text[base], sizeof(*l->text), "%s", wi_family_name(f));
    snprintf(l->text[base + 1], sizeof(*l->text), "%s", predictor);
    snprintf(l->text[base + 2], sizeof(*l->text), "%zu", s->n);
    for (size_t k = 0; k < 5; k++)
        format_number(l->text[base + 3 + k], sizeof(*l->text), v[k]);
    for (size_t k = 0; k < N_COLUMNS; k++)
        l->cells[base + k] = l->text[base + k];
    l->n++;
}

static enum wi_status fill_lines(const struct wi_evaluation *ev, struct lines *l,
                                 struct wi_err *err)
{
    enum wi_status st = WI_OK;
    struct wi_scores s;

    for (int f = 0; f < WI_N_FAMILIES && st == WI_OK; f++) {
        for (int p = 0; p < WI_N_PREDICTORS && st == WI_OK; p++) {
            st = wi_evaluation_scores(ev, (enum wi_predictor)p, (enum wi_family)f, NULL, &s, err);
            if (st == WI_OK && s.n)
                add_line(l, (enum wi_family)f, wi_predictor_name((enum wi_predictor)p), &s);
        }
        for (enum wi_domain d = WI_DOMAIN_INSIDE; d <= WI_DOMAIN_OUTSIDE && st == WI_OK; d++) {
            char name[32];

            st = wi_evaluation_scores(ev, WI_PREDICT_EVIDENCE, (enum wi_family)f, &d, &s, err);
            snprintf(name, sizeof(name), "evidence, %s", wi_domain_name(d));
            if (st == WI_OK && s.n)
                add_line(l, (enum wi_family)f, name, &s);
        }
    }
    return st;
}

static void print_notes(const struct wi_evaluation *ev)
{
    struct wi_err err;
    struct wi_scores s;

    if (ev->holdout == WI_HOLDOUT_NONE)
        puts("IN-SAMPLE: the predictions have seen these measurements.");
    printf("%zu folds, everything refitted in each; %u designs were looked at on these hold-outs, "
           "so new data will do worse.\n",
           ev->n_folds, WI_VARIANTS_STUDY + wi_variants_own);
    puts("SCORE is the 90 % interval score. evidence: as the known drive; evidence_new_drive: as a "
         "drive of its kind.");
    for (int f = 0; f < WI_N_FAMILIES; f++) {
        const struct wi_eval_floor *x = &ev->floor[f];

        if (x->n == 0 || wi_evaluation_scores(ev, WI_PREDICT_EVIDENCE, (enum wi_family)f, NULL, &s,
                                              &err) != WI_OK)
            continue;
        printf("%s: reading error %.2f points, with the noise of a curve %.2f, one point unseen "
               "%.2f, this hold-out %.2f\n",
               wi_family_name((enum wi_family)f), x->reading, x->noise, x->point, s.mae_points);
    }
    if (wi_evaluation_scores(ev, WI_PREDICT_EVIDENCE, WI_FAMILY_HOTSTORAGE25, NULL, &s, &err) ==
            WI_OK &&
        s.n)
        printf("published comparison (its model was shown the test conditions): MAE 6.60, relative "
               "MSE 34.5 %%; ours %.2f [%.2f, %.2f], %.1f %% [%.1f, %.1f]\n",
               s.mae_points, ev->published_mae[0], ev->published_mae[1], s.rel_mse_pct,
               ev->published_rel[0], ev->published_rel[1]);
}

static int print_table(const struct wi_evaluation *ev)
{
    const size_t n_max = WI_N_FAMILIES * (WI_N_PREDICTORS + 3);
    struct lines l = {calloc(n_max * N_COLUMNS, sizeof(*l.text)),
                      calloc(n_max * N_COLUMNS, sizeof(*l.cells)), 0};
    struct wi_err err = {0};
    enum wi_status st = l.text && l.cells ? fill_lines(ev, &l, &err) : wi_fail_nomem(&err);
    int code = CLI_EXIT_OK;

    if (st != WI_OK) {
        code = cli_error(&err);
    } else if (cli_common.format == CLI_CSV) {
        puts(
            "family,predictor,n,mae_points,rel_mse_pct,sign_right_pct,coverage_pct,interval_score");
        for (size_t i = 0; i < l.n; i++)
            cli_print_csv_row(l.cells + i * N_COLUMNS, N_COLUMNS);
    } else {
        code = cli_print_table(heads, N_COLUMNS, l.cells, l.n) ? CLI_EXIT_OK : CLI_EXIT_IO;
        print_notes(ev);
    }
    free(l.text);
    free(l.cells);
    return code;
}

static int print_evaluation(const struct wi_evaluation *ev)
{
    struct wi_err err = {0};
    cJSON *json = NULL;

    if (cli_common.format != CLI_JSON)
        return print_table(ev);
    if (wi_evaluation_to_json(ev, &json, &err) != WI_OK)
        return cli_error(&err);
    return cli_print_json(json);
}

static int run(int argc, char **argv)
{
    struct wi_session *session = NULL;
    struct wi_llm *llm = NULL;
    struct wi_evaluation ev = {0};
    struct wi_dataset ds = {0};
    struct wi_err err = {0};
    size_t n_args;
    char **args;
    int code = cli_parse(&cmd_evaluate, argc, argv, &n_args, &args);

    if (code >= 0)
        return code;
    if (n_args)
        return cli_usage_error("'%s' is not expected: evaluate takes options only", args[0]);
    code = cli_open_session(false, &session);
    if (code >= 0)
        return code;
    /* Before half a minute of refitting: settings that cannot work are told at once. */
    if ((engine &&
         cli_llm_open(wi_store_reply_log(wi_session_store(session)), &llm, &err) != WI_OK) ||
        wi_store_load_dataset(wi_session_store(session), NULL, &ds, &err) != WI_OK ||
        wi_evaluate(&ds, model ? WI_MODEL_STUDY : WI_MODEL_DEFAULT, holdout, show_progress, NULL,
                    &ev, &err) != WI_OK)
        code = cli_error(&err);
    else if (engine)
        code = cli_evaluate_llm(session, &ds, &ev, llm);
    else
        code = print_evaluation(&ev);
    wi_evaluation_release(&ev);
    wi_dataset_release(&ds);
    wi_llm_close(llm);
    wi_session_close(session);
    return code;
}

const struct cli_command cmd_evaluate = {
    "evaluate",
    "[options]",
    "how well predictions do on measurements they have not seen",
    "Leaves parts of the stored measurements out, refits the model without them and predicts "
    "them,\n"
    "beside five baselines. Half a minute for the embedded data. With --engine llm the language\n"
    "model is asked about them, from a prompt that holds nothing of what was left out.",
    evaluate_options,
    run,
};
