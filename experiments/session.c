#include "experiments/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/baseline.h"
#include "experiments/llm_input.h"
#include "experiments/reasoning.h"

#define TOP_K_DEFAULT 5
#define N_MODELS 2

struct wi_session {
    struct wi_embedder *embedder; /* owned; NULL = the built-in one */
    pthread_mutex_t lock;         /* recursive: the public calls use one another */
    struct wi_store *store;
    struct wi_knowledge *knowledge;
    struct wi_evidence *evidence;
    /* Models of older revisions: another thread may still predict from one. */
    struct wi_evidence **retired;
    size_t n_retired;
    int64_t knowledge_revision, evidence_revision;
    enum wi_model_kind model;
    wi_note_fn note, progress;
    void *note_ctx;
};

/* From here on, conditioning may take longer than somebody waits without a word: 50,000 rows at as
 * many places take ten seconds. */
#define MANY_OBSERVATIONS 5000

static const char *const evidence_cache_names[N_MODELS] = {"evidence-default", "evidence-study"};
static const char *const fit_cache_names[N_MODELS] = {"fit-default", "fit-study"};

/* --- where the store lives ---------------------------------------------------------------------
 */

/* mkdir -p for the folders above a file. */
static bool make_parents(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            *p = '/';
            return false;
        }
        *p = '/';
    }
    return true;
}

/* The default place; false when the environment names no home. */
static bool default_path(char *buf, size_t size)
{
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    int n = -1;

    /* The XDG specification says that relative paths are to be ignored. */
    if (data && data[0] == '/')
        n = snprintf(buf, size, "%s/ssd-whatif/knowledge.db", data);
    else if (home && home[0] == '/')
        n = snprintf(buf, size, "%s/.local/share/ssd-whatif/knowledge.db", home);
    return n > 0 && (size_t)n < size;
}

static enum wi_status open_at(const char *path, struct wi_session *session, struct wi_err *err)
{
    struct wi_store_options opt = {.path = path};
    enum wi_status st = wi_store_open(&opt, &session->store, err);

    /* An existing store that may be read but not written still answers. */
    if (st == WI_EIO && path && access(path, R_OK) == 0 && access(path, W_OK) != 0) {
        opt.read_only = true;
        st = wi_store_open(&opt, &session->store, err);
    }
    return st;
}

static enum wi_status open_default(const struct wi_session_options *opt, struct wi_session *session,
                                   struct wi_err *err)
{
    char path[4096];
    char line[WI_ERR_MAX + 128];
    struct wi_err why = {0};
    enum wi_status st = WI_EIO;

    if (!default_path(path, sizeof(path)))
        wi_fail(&why, WI_EIO, "neither HOME nor XDG_DATA_HOME names a folder");
    else if (!make_parents(path))
        wi_fail(&why, WI_EIO, "cannot create the folder of '%s': %s", path, strerror(errno));
    else
        st = open_at(path, session, &why);
    if (st == WI_OK)
        return WI_OK;
    if (why.status != WI_EIO || opt->need_save) {
        if (err)
            *err = why;
        return why.status;
    }
    st = open_at(NULL, session, err);
    if (st == WI_OK && opt->note) {
        snprintf(line, sizeof(line), "using a store in memory, nothing will be saved: %s", why.msg);
        opt->note(opt->note_ctx, line);
    }
    return st;
}

static bool init_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attr;
    bool ok = pthread_mutexattr_init(&attr) == 0;

    if (!ok)
        return false;
    ok = pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE) == 0 &&
         pthread_mutex_init(lock, &attr) == 0;
    pthread_mutexattr_destroy(&attr);
    return ok;
}

enum wi_status wi_session_open(const struct wi_session_options *opt, struct wi_session **out,
                               struct wi_err *err)
{
    struct wi_session *session = calloc(1, sizeof(*session));
    const char *path = opt->db ? opt->db : getenv("SSD_WHATIF_DB");
    enum wi_status st;

    if (!session || !init_lock(&session->lock)) {
        free(session);
        return wi_fail_nomem(err);
    }
    session->model = opt->model;
    session->note = opt->note;
    session->progress = opt->progress;
    session->note_ctx = opt->note_ctx;
    if (path && *path)
        st = open_at(path, session, err);
    else
        st = open_default(opt, session, err);
    if (st != WI_OK) {
        wi_session_close(session);
        return st;
    }
    *out = session;
    return WI_OK;
}

void wi_session_close(struct wi_session *session)
{
    if (!session)
        return;
    wi_knowledge_close(session->knowledge);
    wi_evidence_free(session->evidence);
    for (size_t i = 0; i < session->n_retired; i++)
        wi_evidence_free(session->retired[i]);
    free(session->retired);
    if (session->embedder)
        session->embedder->free(session->embedder);
    wi_store_close(session->store);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

void wi_session_set_embedder(struct wi_session *session, struct wi_embedder *embedder)
{
    wi_knowledge_close(session->knowledge);
    session->knowledge = NULL;
    if (session->embedder)
        session->embedder->free(session->embedder);
    session->embedder = embedder;
}

struct wi_store *wi_session_store(struct wi_session *session)
{
    return session->store;
}

/* --- caches of the store -----------------------------------------------------------------------
 */

static enum wi_status open_knowledge(struct wi_session *session, struct wi_knowledge **k,
                                     struct wi_err *err)
{
    int64_t revision = 0;
    enum wi_status st = wi_store_revision(session->store, &revision, err);

    if (st != WI_OK)
        return st;
    if (session->knowledge && session->knowledge_revision != revision) {
        wi_knowledge_close(session->knowledge);
        session->knowledge = NULL;
    }
    if (!session->knowledge) {
        st = wi_knowledge_open(session->store, session->embedder, session->note, session->note_ctx,
                               &session->knowledge, err);
        session->knowledge_revision = revision;
    }
    *k = session->knowledge;
    return st;
}

/* The hyper-parameters in force: the user's own refit, else the fit that came with the program. */
static enum wi_status load_fit(struct wi_session *session, struct wi_fit **fit, struct wi_err *err)
{
    void *bytes = NULL;
    size_t n = 0;
    enum wi_status st = wi_store_get_cache(session->store, fit_cache_names[session->model],
                                           WI_SESSION_FIT_REVISION, &bytes, &n, NULL);

    if (st == WI_OK)
        st = wi_fit_parse(bytes, n, fit, NULL);
    free(bytes);
    if (st != WI_OK)
        st = wi_fit_embedded(session->model, fit, err);
    return st;
}

static void tell_progress(const struct wi_session *session, size_t n_obs)
{
    char line[128];

    if (!session->progress || n_obs <= MANY_OBSERVATIONS)
        return;
    snprintf(line, sizeof(line), "taking %zu observations into the model, once after an import",
             n_obs);
    session->progress(session->note_ctx, line);
}

static enum wi_status condition(struct wi_session *session, int64_t revision, struct wi_err *err)
{
    struct wi_dataset ds = {0};
    struct wi_fit *fit = NULL;
    void *bytes = NULL;
    size_t n = 0;
    enum wi_status st = load_fit(session, &fit, err);

    if (st == WI_OK)
        st = wi_store_load_dataset(session->store, NULL, &ds, err);
    if (st == WI_OK)
        tell_progress(session, ds.n_obs);
    if (st == WI_OK)
        st = wi_evidence_new(&ds, fit, &session->evidence, err);
    /* The state is a cache: where it cannot be saved it is made again next time. */
    if (st == WI_OK && wi_evidence_save(session->evidence, &bytes, &n, NULL) == WI_OK)
        wi_store_put_cache(session->store, evidence_cache_names[session->model], revision, bytes, n,
                           NULL);
    free(bytes);
    wi_fit_free(fit);
    wi_dataset_release(&ds);
    return st;
}

/* Set the model in force aside: the next call makes a new one. */
static enum wi_status retire_evidence(struct wi_session *session, struct wi_err *err)
{
    struct wi_evidence **retired;

    if (!session->evidence)
        return WI_OK;
    retired = realloc(session->retired, (session->n_retired + 1) * sizeof(*retired));
    if (!retired)
        return wi_fail_nomem(err);
    session->retired = retired;
    retired[session->n_retired++] = session->evidence;
    session->evidence = NULL;
    return WI_OK;
}

static enum wi_status open_evidence(struct wi_session *session, const struct wi_evidence **ev,
                                    struct wi_err *err)
{
    int64_t revision = 0;
    void *bytes = NULL;
    size_t n = 0;
    enum wi_status st = wi_store_revision(session->store, &revision, err);

    if (st != WI_OK)
        return st;
    if (session->evidence && session->evidence_revision == revision) {
        *ev = session->evidence;
        return WI_OK;
    }
    st = retire_evidence(session, err);
    if (st != WI_OK)
        return st;
    st = wi_store_get_cache(session->store, evidence_cache_names[session->model], revision, &bytes,
                            &n, NULL);
    if (st == WI_OK)
        st = wi_evidence_load_owned(bytes, n, &session->evidence, NULL);
    if (st != WI_OK)
        st = condition(session, revision, err);
    session->evidence_revision = revision;
    *ev = session->evidence;
    return st;
}

enum wi_status wi_session_knowledge(struct wi_session *session, struct wi_knowledge **k,
                                    struct wi_err *err)
{
    enum wi_status st;

    pthread_mutex_lock(&session->lock);
    st = open_knowledge(session, k, err);
    pthread_mutex_unlock(&session->lock);
    return st;
}

enum wi_status wi_session_evidence(struct wi_session *session, const struct wi_evidence **ev,
                                   struct wi_err *err)
{
    enum wi_status st;

    pthread_mutex_lock(&session->lock);
    st = open_evidence(session, ev, err);
    pthread_mutex_unlock(&session->lock);
    return st;
}

static enum wi_status refit(struct wi_session *session, struct wi_err *err)
{
    struct wi_dataset ds = {0};
    struct wi_fit *fit = NULL;
    char *text = NULL;
    enum wi_status st = wi_store_load_dataset(session->store, NULL, &ds, err);

    if (st == WI_OK)
        st = wi_fit_new(&ds, session->model, &fit, err);
    if (st == WI_OK)
        st = wi_fit_format(fit, &text, err);
    if (st == WI_OK)
        st = wi_store_put_cache(session->store, fit_cache_names[session->model],
                                WI_SESSION_FIT_REVISION, text, strlen(text), err);
    /* The conditioned state belongs to the old fit. */
    if (st == WI_OK)
        st = wi_store_put_cache(session->store, evidence_cache_names[session->model], -1, "", 0,
                                err);
    if (st == WI_OK)
        st = retire_evidence(session, err);
    free(text);
    wi_fit_free(fit);
    wi_dataset_release(&ds);
    return st;
}

enum wi_status wi_session_refit(struct wi_session *session, struct wi_err *err)
{
    enum wi_status st;

    pthread_mutex_lock(&session->lock);
    st = refit(session, err);
    pthread_mutex_unlock(&session->lock);
    return st;
}

/* --- one question ------------------------------------------------------------------------------
 */

static struct wi_item *find_item(struct wi_item *items, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(items[i].id, id) == 0)
            return &items[i];
    }
    return NULL;
}

static enum wi_status note_weight(struct wi_item *item, double weight_frac, struct wi_err *err)
{
    char *why = NULL;

    if (asprintf(&why, "%.0f %% of the weight in the prediction%s%s", 100.0 * weight_frac,
                 item->why && *item->why ? "; " : "", item->why ? item->why : "") < 0)
        return wi_fail_nomem(err);
    free(item->why);
    item->why = why;
    return WI_OK;
}

/*
 * Evidence = what the model leans on, strongest first, then what retrieval found beside it. An
 * experiment that carries weight is shown even where no word of the question resembles it.
 */
static enum wi_status order_evidence(struct wi_knowledge *k, struct wi_prediction *p, size_t top_k,
                                     struct wi_err *err)
{
    const struct wi_forecast *f = &p->forecast;
    struct wi_item *list = calloc(f->n_top + p->n_evidence + 1, sizeof(*list));
    size_t n = 0;
    enum wi_status st = WI_OK;

    if (!list)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < f->n_top && st == WI_OK; i++) {
        struct wi_item *found = find_item(p->evidence, p->n_evidence, f->top[i].id);

        if (found) {
            list[n] = *found;
            *found = (struct wi_item){0};
        } else {
            st = wi_knowledge_get(k, f->top[i].id, &list[n], err);
            list[n].score = f->top[i].weight_frac;
            free(list[n].why); /* not found by the question */
            list[n].why = NULL;
        }
        if (st == WI_OK)
            st = note_weight(&list[n++], f->top[i].weight_frac, err);
    }
    for (size_t i = 0; i < p->n_evidence; i++) {
        if (p->evidence[i].id[0] && st == WI_OK && n < top_k + f->n_top)
            list[n++] = p->evidence[i];
        else
            wi_item_release(&p->evidence[i]);
    }
    free(p->evidence);
    p->evidence = list;
    p->n_evidence = n;
    return st;
}

static enum wi_status retrieve(struct wi_session *session, const struct wi_predict_options *opt,
                               struct wi_prediction *p, struct wi_err *err)
{
    struct wi_search_query q = {.text = opt->question,
                                .scenario = &p->scenario,
                                .top_k = opt->top_k ? opt->top_k : TOP_K_DEFAULT};
    struct wi_knowledge *k = NULL;
    enum wi_status st = wi_session_knowledge(session, &k, err);

    if (st != WI_OK)
        return st;
    q.experiments = true;
    /* Without words of a question the condition itself finds its experiments; their texts would all
     * match the same few words, which costs most where a store is large. */
    if (!opt->question)
        q.methods = WI_SEARCH_SCENARIO | WI_SEARCH_TEXT;
    st = wi_knowledge_search(k, &q, &p->evidence, &p->n_evidence, err);
    if (st != WI_OK)
        return st;
    q.experiments = false;
    q.principles = true;
    q.methods = WI_SEARCH_FUSED;
    st = wi_knowledge_search(k, &q, &p->principles, &p->n_principles, err);
    if (st != WI_OK)
        return st;
    return order_evidence(k, p, q.top_k, err);
}

static enum wi_status make_input(struct wi_session *session, const struct wi_predict_options *opt,
                                 const struct wi_prediction *p, struct wi_llm_input *input,
                                 struct wi_err *err)
{
    struct wi_knowledge *k = NULL;
    enum wi_status st = wi_session_knowledge(session, &k, err);

    return st == WI_OK
               ? wi_llm_input_make(session->store, k, p, opt->prompt->n_examples, input, err)
               : st;
}

/* Everything before an engine speaks: the estimate of the evidence model and what was retrieved. */
static enum wi_status prepare(struct wi_session *session, const struct wi_scenario *s,
                              const struct wi_predict_options *opt, struct wi_prediction *p,
                              struct wi_err *err)
{
    const struct wi_evidence *ev = NULL;
    enum wi_status st = wi_session_evidence(session, &ev, err);

    p->scenario = *s;
    snprintf(p->engine, sizeof(p->engine), "evidence");
    if (opt->question) {
        p->question = strdup(opt->question);
        if (!p->question)
            return wi_fail_nomem(err);
    }
    if (st == WI_OK)
        st = wi_evidence_predict(ev, s, &p->forecast, err);
    if (st == WI_OK) {
        wi_store_hold(session->store);
        st = retrieve(session, opt, p, err);
        wi_store_let_go(session->store);
    }
    return st;
}

enum wi_status wi_session_predict(struct wi_session *session, const struct wi_scenario *s,
                                  const struct wi_predict_options *opt, struct wi_prediction *out,
                                  struct wi_err *err)
{
    struct wi_prediction p = {0};
    enum wi_status st;

    pthread_mutex_lock(&session->lock);
    st = prepare(session, s, opt, &p, err);
    pthread_mutex_unlock(&session->lock);
    if (st == WI_OK && opt->llm) {
        struct wi_llm_input input = {0};

        pthread_mutex_lock(&session->lock);
        st = make_input(session, opt, &p, &input, err);
        pthread_mutex_unlock(&session->lock);
        if (st == WI_OK)
            st = wi_llm_predict(opt->llm, &input.in, opt->prompt, &p, err);
        wi_llm_input_release(&input);
    } else if (st == WI_OK) {
        pthread_mutex_lock(&session->lock);
        st = wi_reasoning_add(session->store, &p, err);
        pthread_mutex_unlock(&session->lock);
    }
    for (size_t i = 0; st == WI_OK && opt->warnings && i < opt->warnings->n; i++)
        st = wi_texts_add(&p.forecast.warnings, NULL, err, "%s", opt->warnings->items[i].text);
    if (st == WI_OK && opt->baseline)
        st = wi_baseline_apply(opt->baseline, &p, err);
    if (st != WI_OK) {
        wi_prediction_release(&p);
        return st;
    }
    *out = p;
    return WI_OK;
}

enum wi_status wi_session_prompt(struct wi_session *session, const struct wi_scenario *s,
                                 const struct wi_predict_options *opt, struct wi_prompt *prompt,
                                 struct wi_err *err)
{
    struct wi_prediction p = {0};
    struct wi_llm_input input = {0};
    enum wi_status st;

    pthread_mutex_lock(&session->lock);
    st = prepare(session, s, opt, &p, err);
    if (st == WI_OK)
        st = make_input(session, opt, &p, &input, err);
    pthread_mutex_unlock(&session->lock);
    if (st == WI_OK)
        st = wi_prompt_build(&input.in, opt->prompt, prompt, err);
    wi_llm_input_release(&input);
    wi_prediction_release(&p);
    return st;
}
