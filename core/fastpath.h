/*
 * The evidence model for sweeps: the same numbers as wi_evidence_predict, a hundred times faster.
 *
 * What depends on the drive, the operation, the phase and the vibration is computed once per
 * distinct combination and kept; temperature and humidity are evaluated in weight space, where the
 * 12 points of hyper-parameters fold into one mean vector and one covariance per percentile.
 *
 * Asked of wi_evidence_predict itself, about fifty times slower: steps that were measured as
 * such, what physics adds to (SLC, QLC, stated wear, long storage), and more than 256 own rows that
 * fit badly.
 *
 * Memory is constant: what is kept is forgotten when there is too much of it. A row is the same
 * bytes whatever was asked before.
 *
 * Difference to wi_evidence_predict: at most 0.001 points in a change, 0.1 % in an sd (tested).
 */
#ifndef WI_CORE_FASTPATH_H
#define WI_CORE_FASTPATH_H

#include "core/evidence.h"

struct wi_fast;

struct wi_fast_row {
    struct {
        double change_pct, low_pct, high_pct; /* as in struct wi_change */
    } out[WI_PERCENTILES_MAX + 1];            /* by percentile of the scenario, then bandwidth */
    enum wi_domain domain;
    /* ids of the experiments with the largest weight, strongest first; owned by fast or its ev */
    const char *evidence[WI_FORECAST_EXPS];
    size_t n_evidence; /* 0 also where ids were not asked for */
};

/*
 * in:   ev             used until wi_fast_free
 *       evidence_ids   whether rows name their experiments, which costs time
 * threads: one wi_fast belongs to one thread; any number may share an ev
 */
enum wi_status wi_fast_new(const struct wi_evidence *ev, bool evidence_ids, struct wi_fast **fast,
                           struct wi_err *err);
void wi_fast_free(struct wi_fast *fast);

/*
 * in:   s     completed scenario; changing one struct in a loop is the intended use
 * cost:   0.25 us where only temperatures and humidities differ from earlier calls and nothing
 *         throttles, 2.5 us where drives throttle; a wi_evidence_predict or two for a new
 * combination of everything else, 3 ms more for another drive, phase or percentiles returns WI_OK;
 * WI_ENOMEM
 */
enum wi_status wi_fast_predict(struct wi_fast *fast, const struct wi_scenario *s,
                               struct wi_fast_row *out, struct wi_err *err);

#endif
