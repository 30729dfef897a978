/*
 * The answer to one scenario, as every engine gives it and every output prints it.
 */
#ifndef WI_CORE_PREDICTION_H
#define WI_CORE_PREDICTION_H

#include "core/scenario.h"

enum wi_domain { WI_DOMAIN_INSIDE, WI_DOMAIN_EDGE, WI_DOMAIN_OUTSIDE };
const char *wi_domain_name(enum wi_domain v); /* "inside" "edge" "outside" */

/* A change against the before condition. Latency +: slower (worse); bandwidth +: faster (better).
 */
struct wi_change {
    double percentile; /* 1..100; NaN for bandwidth */
    double change_pct; /* percent, > -100 */
    double low_pct;    /* interval at the scenario's confidence: low < change < high */
    double high_pct;
    double value, low, high; /* absolute, us or MB/s, with a baseline; NaN without */
};

/* Growing list of texts; `cites` lists ids separated by single spaces, "" = none. */
struct wi_text {
    char *text;
    char *cites;
};
struct wi_texts {
    struct wi_text *items;
    size_t n;
};
enum wi_status wi_texts_add(struct wi_texts *list, const char *cites, struct wi_err *err,
                            const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void wi_texts_release(struct wi_texts *list);

#define WI_FORECAST_EXPS 3

/* The numbers alone, as the evidence model computes them; no allocation except the texts. */
struct wi_forecast {
    struct wi_change tail[WI_PERCENTILES_MAX];
    size_t n_tail;
    struct wi_change bandwidth;
    enum wi_domain domain;
    struct wi_texts domain_reasons;
    struct wi_texts warnings;
    /* experiments with the largest weight in the prediction, strongest first */
    struct {
        char id[WI_ID_MAX];
        double weight_frac; /* share of the total absolute weight, 0..1 */
    } top[WI_FORECAST_EXPS];
    size_t n_top;
    bool from_physics; /* physics carries the numbers, not what was measured of such a case */
};
void wi_forecast_release(struct wi_forecast *f);

enum wi_item_kind { WI_ITEM_EXPERIMENT, WI_ITEM_PRINCIPLE };

/* A stored item that bears on the question. */
struct wi_item {
    enum wi_item_kind kind;
    char id[WI_ID_MAX];
    char source[WI_ID_MAX]; /* experiments: source id; principles: first source id */
    double score;           /* 0..1, relevance to the question */
    char *title;            /* one line */
    char *summary;          /* experiments: condition and figures; principles: the statement */
    char *why;              /* how it was found */
    bool embedded;          /* false = the user's own */
};
void wi_item_release(struct wi_item *item);

enum wi_step_kind { /* order of the reasoning */
                    WI_REASON_DEVICE,
                    WI_REASON_EXPOSURE,
                    WI_REASON_MECHANISM,
                    WI_REASON_EVIDENCE,
                    WI_REASON_PERCENTILE,
                    WI_REASON_BANDWIDTH,
                    WI_REASON_LIMITS
};
const char *wi_step_kind_name(enum wi_step_kind v); /* "device" "exposure" ... */

struct wi_reason {
    enum wi_step_kind step;
    char *text;
    char *cites; /* ids separated by single spaces, each in evidence or principles */
};

struct wi_prediction {
    char engine[16]; /* "evidence" or "llm" */
    char *question;  /* NULL when the scenario was given as options */
    struct wi_scenario scenario;
    struct wi_forecast forecast;
    struct wi_item *evidence;
    size_t n_evidence;
    struct wi_item *principles;
    size_t n_principles;
    struct wi_reason *reasoning;
    size_t n_reasoning;
    size_t n_unsupported; /* llm: claims of the reply that failed the check */
    char *llm_json;       /* llm: JSON object with model, samples, usage, disagreement; else NULL */
};
void wi_prediction_release(struct wi_prediction *p);

/*
 * The prediction as a JSON object of schema ssd-whatif/prediction/1.
 *
 * out:  json  allocated object, the caller frees it with cJSON_Delete
 * returns WI_OK; WI_ENOMEM. Non-finite numbers become null.
 */
struct cJSON;
enum wi_status wi_prediction_to_json(const struct wi_prediction *p, struct cJSON **json,
                                     struct wi_err *err);

/*
 * One prediction as above; several as {"schema": "ssd-whatif/predictions/1", "predictions": [...]}.
 * in:   n   >= 1
 */
enum wi_status wi_predictions_to_json(const struct wi_prediction *list, size_t n,
                                      struct cJSON **json, struct wi_err *err);

/*
 * A scenario as JSON (the object under "scenario") and back. The reader accepts an object without
 * `assumed`, ignores no unknown field (WI_EDATA names it by path), and does not complete it.
 */
enum wi_status wi_scenario_to_json(const struct wi_scenario *s, struct cJSON **json,
                                   struct wi_err *err);
enum wi_status wi_scenario_from_json(const struct cJSON *json, struct wi_scenario *s,
                                     struct wi_err *err);

#endif
