/*
 * ssdwhatif.h - predict what the environment does to an SSD.
 *
 * This file is the manual of the library, easiest call first. Everything declared here is API;
 * nothing else is exported. Link with `pkg-config --cflags --libs ssdwhatif`.
 *
 *   1. One question, one JSON answer           wi_ask_json
 *   2. Many questions to one store             wi_session_open, wi_session_predict
 *   3. Numbers only, from many threads         wi_session_evidence, wi_evidence_predict
 *   4. Numbers by the million                  wi_fast_new, wi_fast_predict
 *   5. Arrays of drives                        wi_latency_init, wi_raid_latency
 *   6. Your own measurements                   wi_import_run
 *
 * Conventions
 *   Every fallible function returns enum wi_status (0 = WI_OK) and fills a struct wi_err, which may
 *   be NULL; results come back through the last parameters before it and are set only on success.
 *   Quantities end in their unit: temp_c, rh_pct, lat_us, bw_mbps, dur_h. NaN = not stated.
 *   Changes are percent against the same drive in the before step. Latency +: slower. Bandwidth +:
 *   faster. Every change has an interval at the scenario's confidence, low < change < high.
 *   Strings are UTF-8. What a call allocates it says how to free.
 *
 * Threads
 *   A session may be used by any number of threads; its calls take turns. A struct wi_evidence is
 *   immutable: any number of threads predict from one at the same time. A struct wi_fast belongs to
 *   one thread. The library prints nothing, never exits, installs no signal handler and keeps no
 *   global state but the lock around OpenBLAS.
 *
 * Versions
 *   WI_ABI_VERSION is the number in the name of the shared library; it changes when a structure or
 *   the meaning of a call does.
 */
#ifndef SSDWHATIF_H
#define SSDWHATIF_H

#ifdef __cplusplus
extern "C" {
#endif

#define WI_ABI_VERSION 0

#include "core/status.h"
#include "core/scenario.h"
#include "core/question.h"
#include "core/prediction.h"
#include "core/evidence.h"
#include "core/fastpath.h"
#include "core/latency.h"
#include "core/raid.h"
#include "experiments/session.h"

/*
 * Answer a question in words.
 *
 * in:   db        knowledge base; NULL = $SSD_WHATIF_DB, else the XDG data directory, created at
 *                 first use (in memory where it cannot be)
 *       question  as `ssd-whatif ask` takes it
 * out:  json      the prediction (ssd-whatif/prediction/1), or several (ssd-whatif/predictions/1);
 *                 free with free()
 * returns WI_OK; WI_EDATA or WI_ERANGE for the question, WI_EIO, WI_EBUSY, WI_ENOMEM
 * threads: safe; opens and closes a session, so for more than one question open one yourself
 */
enum wi_status wi_ask_json(const char *db, const char *question, char **json, struct wi_err *err);

/*
 * Answer a scenario.
 * in:   scenario_json  the object under "scenario" of a prediction; what it leaves out is assumed
 * The rest is as for wi_ask_json.
 */
enum wi_status wi_predict_json(const char *db, const char *scenario_json, char **json,
                               struct wi_err *err);

/* Version of the library, "0.1.0". */
const char *wi_version(void);

#ifdef __cplusplus
}
#endif

#endif
