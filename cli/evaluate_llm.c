#include "cli/evaluate_llm.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/llm_config.h"
#include "cli/llm_options.h"
#include "cli/print.h"
#include "core/json.h"

static size_t n_questions;
static bool ablations;

static const struct cli_option table[] = {
    {.name = "questions",
     .arg = "N",
     .help = "llm: ask at most N of the held-out questions (default all)",
     .type = CLI_COUNT,
     .value = &n_questions,
     .min = 1,
     .max = 1e6},
    {.name = "ablations",
     .help = "llm: every variant of the prompt, not just the one asked for",
     .type = CLI_FLAG,
     .value = &ablations},
    {0}};

const struct cli_option *cli_evaluate_llm_table(void)
{
    return table;
}

#define VARIANTS_MAX 6

/* The variant that the options ask for, or all of them. */
static size_t list_variants(struct wi_llm_variant *v)
{
    const struct wi_prompt_options *o = cli_prompt_options();
    size_t budget = o->budget_tokens;

    if (!ablations) {
        v[0] = (struct wi_llm_variant){"as asked", *o};
        return 1;
    }
    v[0] = (struct wi_llm_variant){"full", {.budget_tokens = budget}};
    v[1] = (struct wi_llm_variant){"no-cot", {.budget_tokens = budget, .no_cot = true}};
    v[2] = (struct wi_llm_variant){"no-evidence", {.budget_tokens = budget, .no_evidence = true}};
    v[3] =
        (struct wi_llm_variant){"no-principles", {.budget_tokens = budget, .no_principles = true}};
    v[4] = (struct wi_llm_variant){"no-estimate", {.budget_tokens = budget, .no_estimate = true}};
    v[5] = (struct wi_llm_variant){
        "examples", {.budget_tokens = budget, .n_examples = o->n_examples ? o->n_examples : 1}};
    return VARIANTS_MAX;
}

/* --- output ------------------------------------------------------------------------------------
 */

static void add_scores(cJSON *list, const char *variant, enum wi_llm_view v, enum wi_family f,
                       const struct wi_scores *s)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "predictor", wi_llm_view_name(v));
    cJSON_AddStringToObject(o, "variant", variant);
    cJSON_AddStringToObject(o, "family", wi_family_name(f));
    cJSON_AddNumberToObject(o, "n", (double)s->n);
    wi_json_add_num(o, "mae_points", s->mae_points, NULL);
    wi_json_add_num(o, "rel_mse_pct", s->rel_mse_pct, NULL);
    wi_json_add_num(o, "sign_right_pct", s->sign_right_pct, NULL);
    wi_json_add_num(o, "coverage_pct", s->coverage_pct, NULL);
    wi_json_add_num(o, "interval_score", s->interval_score, NULL);
    cJSON_AddItemToArray(list, o);
}

static int print_json(const struct wi_evaluation *ev, const struct wi_llm_variant *variants,
                      const struct wi_llm_evaluation *e, size_t n)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *results, *runs;

    cJSON_AddStringToObject(root, "schema", "ssd-whatif/evaluation/1");
    cJSON_AddStringToObject(root, "engine", "llm");
    cJSON_AddStringToObject(root, "holdout", wi_holdout_name(ev->holdout));
    results = cJSON_AddArrayToObject(root, "results");
    runs = cJSON_AddArrayToObject(root, "runs");
    for (size_t i = 0; i < n; i++) {
        cJSON *run = cJSON_CreateObject();

        for (int f = 0; f < WI_N_FAMILIES; f++) {
            for (int v = 0; v < WI_LLM_N_VIEWS; v++) {
                if (e[i].scores[v][f].n)
                    add_scores(results, variants[i].name, (enum wi_llm_view)v, (enum wi_family)f,
                               &e[i].scores[v][f]);
            }
        }
        cJSON_AddStringToObject(run, "variant", variants[i].name);
        cJSON_AddNumberToObject(run, "questions", (double)e[i].n_questions);
        cJSON_AddNumberToObject(run, "failed", (double)e[i].n_failed);
        cJSON_AddNumberToObject(run, "unsupported", (double)e[i].n_unsupported);
        cJSON_AddNumberToObject(run, "calls", (double)e[i].usage.n_replies);
        cJSON_AddNumberToObject(run, "prompt_tokens", (double)e[i].usage.prompt_tokens);
        cJSON_AddNumberToObject(run, "completion_tokens", (double)e[i].usage.completion_tokens);
        cJSON_AddItemToArray(runs, run);
    }
    return cli_print_json(root);
}

enum { COLUMNS = 8, CELL = 32 };

static void fill_row(char (*cell)[CELL], const char *variant, enum wi_llm_view v, enum wi_family f,
                     const struct wi_scores *s)
{
    const double numbers[] = {s->mae_points, s->rel_mse_pct, s->sign_right_pct, s->coverage_pct};

    snprintf(cell[0], CELL, "%s", variant);
    snprintf(cell[1], CELL, "%s", wi_family_name(f));
    snprintf(cell[2], CELL, "%s", wi_llm_view_name(v));
    snprintf(cell[3], CELL, "%zu", s->n);
    for (size_t k = 0; k < 4; k++)
        snprintf(cell[4 + k], CELL, isfinite(numbers[k]) ? "%.2f" : "-", numbers[k]);
}

static int print_rows(const struct wi_llm_variant *variants, const struct wi_llm_evaluation *e,
                      size_t n)
{
    static const char *const heads[COLUMNS] = {"VARIANT", "FAMILY",   "PREDICTOR", ">N",
                                               ">MAE",    ">REL.MSE", ">SIGN",     ">COVERAGE"};
    const size_t most = VARIANTS_MAX * WI_N_FAMILIES * WI_LLM_N_VIEWS;
    char(*text)[CELL] = calloc(most * COLUMNS, sizeof(*text));
    char **cells = calloc(most * COLUMNS, sizeof(*cells));
    bool ok = text && cells;
    size_t rows = 0;

    for (size_t i = 0; ok && i < n; i++) {
        for (int f = 0; f < WI_N_FAMILIES; f++) {
            for (int v = 0; v < WI_LLM_N_VIEWS; v++) {
                if (e[i].scores[v][f].n)
                    fill_row(text + COLUMNS * rows++, variants[i].name, (enum wi_llm_view)v,
                             (enum wi_family)f, &e[i].scores[v][f]);
            }
        }
    }
    for (size_t i = 0; ok && i < rows * COLUMNS; i++)
        cells[i] = text[i];
    if (ok && cli_common.format == CLI_CSV) {
        puts("variant,family,predictor,n,mae_points,rel_mse_pct,sign_right_pct,coverage_pct");
        for (size_t i = 0; i < rows; i++)
            cli_print_csv_row(cells + i * COLUMNS, COLUMNS);
    } else if (ok) {
        ok = cli_print_table(heads, COLUMNS, cells, rows);
        for (size_t i = 0; i < n; i++)
            printf("%s: %zu questions, %zu without a usable reply, %zu unsupported claims, %zu "
                   "calls, %lld tokens in, %lld out\n",
                   variants[i].name, e[i].n_questions, e[i].n_failed, e[i].n_unsupported,
                   e[i].usage.n_replies, (long long)e[i].usage.prompt_tokens,
                   (long long)e[i].usage.completion_tokens);
    }
    free(text);
    free(cells);
    return ok ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static void show_progress(void *ctx, size_t done, size_t total)
{
    const struct wi_llm_variant *v = ctx;

    if (cli_stderr_is_terminal() && !cli_common.quiet)
        fprintf(stderr, "\r%s: question %zu of %zu%s", v->name, done, total,
                done == total ? "\n" : "");
}

int cli_evaluate_llm(struct wi_session *session, const struct wi_dataset *ds,
                     const struct wi_evaluation *ev, struct wi_llm *llm)
{
    struct wi_llm_variant variants[VARIANTS_MAX];
    struct wi_llm_evaluation e[VARIANTS_MAX] = {0};
    struct wi_err err = {0};
    size_t n = list_variants(variants);
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < n && st == WI_OK; i++)
        st = wi_evaluate_llm(session, ds, ev, llm, &variants[i], n_questions, show_progress,
                             &variants[i], &e[i], &err);
    /* Also of a run that broke off: its replies were paid for. */
    if (st == WI_OK || wi_llm_usage(llm).n_replies > 0)
        cli_llm_report(llm);
    if (st != WI_OK)
        return cli_error(&err);
    return cli_common.format == CLI_JSON ? print_json(ev, variants, e, n)
                                         : print_rows(variants, e, n);
}
