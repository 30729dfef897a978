/*
 * A session: the store, its indexes and the evidence model, opened once and used for any number of
 * questions. The one place where knowledge, prompts and core meet.
 */
#ifndef WI_EXPERIMENTS_SESSION_H
#define WI_EXPERIMENTS_SESSION_H

#include "core/evidence.h"
#include "core/question.h"
#include "knowledge/search.h"
#include "prompts/llm.h"

struct wi_session;

struct wi_session_options {
    const char *db; /* NULL = $SSD_WHATIF_DB, else the XDG data directory */
    bool need_save; /* the caller writes: a store that cannot be saved is an error */
    enum wi_model_kind model;
    wi_note_fn note;     /* one line for stderr: in-memory store, rebuilt index */
    wi_note_fn progress; /* one line for a terminal, before what may take seconds; NULL = silent */
    void *note_ctx;      /* of both */
};

enum wi_status wi_session_open(const struct wi_session_options *opt, struct wi_session **session,
                               struct wi_err *err);
void wi_session_close(struct wi_session *session);

struct wi_store *wi_session_store(struct wi_session *session);

/*
 * Retrieve by another embedder than the built-in one, from the next use of the indexes on. The
 * session takes it over and frees it. Vectors of both stay in the store, side by side.
 */
void wi_session_set_embedder(struct wi_session *session, struct wi_embedder *embedder);

/*
 * The indexes, the model: made at first use, renewed when the store's revision has changed. A model
 * stays valid until the session is closed; the indexes belong to one thread at a time.
 */
enum wi_status wi_session_knowledge(struct wi_session *session, struct wi_knowledge **k,
                                    struct wi_err *err);
enum wi_status wi_session_evidence(struct wi_session *session, const struct wi_evidence **ev,
                                   struct wi_err *err);

/*
 * Refit the evidence model on all that is stored and keep the fit in the store; predictions of this
 * and later sessions use it.
 */
enum wi_status wi_session_refit(struct wi_session *session, struct wi_err *err);

/* A fit is not tied to one revision of the data: an import conditions it, it does not replace it.
 */
#define WI_SESSION_FIT_REVISION 0

struct wi_baseline; /* experiments/baseline.h */

struct wi_predict_options {
    const char *question; /* words of the question, for retrieval and the record; NULL = none */
    size_t top_k;         /* 0 = 5 */
    struct wi_llm *llm;   /* NULL = engine evidence */
    const struct wi_prompt_options *prompt;
    const struct wi_baseline *baseline; /* NULL = percent only */
    const struct wi_texts *warnings;    /* of the reading of the question; NULL = none */
};

/*
 * Answer one completed scenario with either engine.
 * out:  p   zeroed before; release with wi_prediction_release
 * cost:   about 1 ms for engine evidence; an endpoint takes what it takes
 * threads: safe concurrently on one session; calls take turns, except while an endpoint answers
 */
enum wi_status wi_session_predict(struct wi_session *session, const struct wi_scenario *s,
                                  const struct wi_predict_options *opt, struct wi_prediction *p,
                                  struct wi_err *err);

/* The prompt that the llm engine would send for it. */
enum wi_status wi_session_prompt(struct wi_session *session, const struct wi_scenario *s,
                                 const struct wi_predict_options *opt, struct wi_prompt *prompt,
                                 struct wi_err *err);

#endif
