/*
 * The evidence model: two structured Gaussian processes over log-ratios, one for vibration, one for
 * temperature and humidity, conditioned on a dataset.
 *
 *   fit        hyper-parameters (mode and cloud) of a dataset; seconds; cached by the caller
 *   evidence   a fit conditioned on a dataset; immutable, so any number of threads may predict
 *   forecast   the numbers for one scenario; microseconds
 */
#ifndef WI_CORE_EVIDENCE_H
#define WI_CORE_EVIDENCE_H

#include "core/dataset.h"
#include "core/prediction.h"

enum wi_model_kind {
    WI_MODEL_DEFAULT, /* the study's model with the spread between drives, censoring, widening */
    WI_MODEL_STUDY    /* the configuration of the reference study, for comparison */
};

struct wi_fit;
struct wi_evidence;

/*
 * Fit the hyper-parameters.
 * in:   ds    dataset; failing drives are left out
 * out:  fit   heap object, free with wi_fit_free
 * returns WI_OK; WI_ENUMERIC if no usable optimum exists (never for an empty dataset, whose fit is
 *         the prior mode)
 * cost:   about 1-2 s for the embedded data
 */
enum wi_status wi_fit_new(const struct wi_dataset *ds, enum wi_model_kind kind, struct wi_fit **fit,
                          struct wi_err *err);
void wi_fit_free(struct wi_fit *fit);

/* A fit as CSV text (names, mode, cloud) and back: the form of data/fit-*.csv and of the cache. */
enum wi_status wi_fit_format(const struct wi_fit *fit, char **text, struct wi_err *err);
enum wi_status wi_fit_parse(const char *text, size_t len, struct wi_fit **fit, struct wi_err *err);

/* The fit of the embedded data that is compiled in (data/fit-default.csv, data/fit-study.csv). */
enum wi_status wi_fit_embedded(enum wi_model_kind kind, struct wi_fit **fit, struct wi_err *err);

/*
 * Condition a fit on a dataset; hyper-parameters stay as they are.
 * out:  ev   heap object, free with wi_evidence_free
 * returns WI_OK; WI_EDATA for a non-finite row (named); WI_ENUMERIC for a singular system
 */
enum wi_status wi_evidence_new(const struct wi_dataset *ds, const struct wi_fit *fit,
                               struct wi_evidence **ev, struct wi_err *err);
void wi_evidence_free(struct wi_evidence *ev);

/*
 * Numbers for one completed scenario.
 * out:  out   caller's storage, zeroed before; release with wi_forecast_release
 * returns WI_OK; WI_ENOMEM
 * threads: safe concurrently on one ev
 */
enum wi_status wi_evidence_predict(const struct wi_evidence *ev, const struct wi_scenario *s,
                                   struct wi_forecast *out, struct wi_err *err);

/*
 * The conditioned state as bytes and back, so that a warm start does not touch the observations.
 * The reader refuses (WI_EDATA) bytes of another version or with a wrong checksum.
 */
enum wi_status wi_evidence_save(const struct wi_evidence *ev, void **bytes, size_t *n_bytes,
                                struct wi_err *err);
enum wi_status wi_evidence_load(const void *bytes, size_t n_bytes, struct wi_evidence **ev,
                                struct wi_err *err);

/*
 * The same without a copy of the large arrays: `bytes`, from malloc, belongs to the evidence
 * afterwards, also where this fails.
 */
enum wi_status wi_evidence_load_owned(void *bytes, size_t n_bytes, struct wi_evidence **ev,
                                      struct wi_err *err);

#endif
