#include "experiments/ssdwhatif.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

const char *wi_version(void)
{
    return WI_VERSION;
}

/* Predict n scenarios on a session of its own and print them as one document. */
static enum wi_status predict_all(const char *db, const struct wi_scenario *scenarios, size_t n,
                                  const char *question, const struct wi_texts *warnings,
                                  char **json, struct wi_err *err)
{
    const struct wi_session_options session_opt = {.db = db};
    const struct wi_predict_options opt = {.question = question, .warnings = warnings};
    struct wi_prediction *list = calloc(n, sizeof(*list));
    struct wi_session *session = NULL;
    cJSON *root = NULL;
    enum wi_status st = list ? wi_session_open(&session_opt, &session, err) : wi_fail_nomem(err);

    for (size_t i = 0; i < n && st == WI_OK; i++)
        st = wi_session_predict(session, &scenarios[i], &opt, &list[i], err);
    if (st == WI_OK)
        st = wi_predictions_to_json(list, n, &root, err);
    if (st == WI_OK)
        st = wi_json_format(root, true, json, err);
    cJSON_Delete(root);
    for (size_t i = 0; list && i < n; i++)
        wi_prediction_release(&list[i]);
    free(list);
    wi_session_close(session);
    return st;
}

enum wi_status wi_ask_json(const char *db, const char *question, char **json, struct wi_err *err)
{
    struct wi_reading reading = {0};
    enum wi_status st = wi_question_parse(question, NULL, &reading, err);

    if (st == WI_OK)
        st = predict_all(db, reading.scenarios, reading.n_scenarios, question, &reading.warnings,
                         json, err);
    wi_reading_release(&reading);
    return st;
}

enum wi_status wi_predict_json(const char *db, const char *scenario_json, char **json,
                               struct wi_err *err)
{
    struct wi_scenario s;
    cJSON *root = NULL;
    enum wi_status st = wi_json_parse(scenario_json, strlen(scenario_json), "scenario", &root, err);

    if (st == WI_OK)
        st = wi_scenario_from_json(root, &s, err);
    cJSON_Delete(root);
    if (st == WI_OK)
        st = wi_scenario_complete(&s, err);
    return st == WI_OK ? predict_all(db, &s, 1, NULL, NULL, json, err) : st;
}
