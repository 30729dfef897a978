#include "experiments/sweep.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sha256.h"
#include "experiments/sweep_engine.h"
#include "experiments/sweep_out.h"

/* Scenarios in a block: enough that threads seldom wait for each other. */
#define BLOCK 128

/* A block with its own storage. */
struct slot {
    struct sweep_block block;
    struct wi_scenario *scenarios;
    struct wi_fast_row *rows;
    char ids[WI_FORECAST_EXPS][WI_ID_MAX]; /* llm, with one scenario per block */
    bool done;
    enum wi_status st;
    struct wi_err err;
};

/* One run, shared by its threads. */
struct run {
    const struct wi_sweep_spec *spec;
    const struct wi_evidence *ev;
    const struct wi_sweep_options *opt;
    struct sweep_columns columns;
    struct sweep_out *out;
    uint64_t first, end; /* of this part */
    uint64_t start;      /* where this run begins */
    size_t block;        /* scenarios in a block */
    uint64_t n_blocks;
    struct slot *slots; /* block b is computed in slot b % n_slots */
    size_t n_slots;
    pthread_mutex_t lock;
    pthread_cond_t taken, finished; /* slots became free; blocks became done */
    uint64_t next_block, next_write;
    bool stop;
    struct sweep_budget budget;
};

void wi_sweep_part(uint64_t n, uint64_t shard, uint64_t n_shards, uint64_t *first, uint64_t *end)
{
    uint64_t size;
    uint64_t rest;

    if (n_shards == 0) {
        *first = 0;
        *end = n;
        return;
    }
    /* The first `rest` parts have one scenario more. */
    size = n / n_shards;
    rest = n % n_shards;
    *first = (shard - 1) * size + (shard - 1 < rest ? shard - 1 : rest);
    *end = *first + size + (shard - 1 < rest);
}

/* --- blocks ------------------------------------------------------------------------------------
 */

static enum wi_status slot_init(struct slot *s, struct wi_err *err)
{
    s->scenarios = calloc(BLOCK, sizeof(*s->scenarios));
    s->rows = calloc(BLOCK, sizeof(*s->rows));
    s->block.scenarios = s->scenarios;
    s->block.rows = s->rows;
    return s->scenarios && s->rows ? WI_OK : wi_fail_nomem(err);
}

static void slot_release(struct slot *s)
{
    free(s->scenarios);
    free(s->rows);
    sweep_text_release(&s->block.text);
}

/* Predict and format one block; what precedes a bad scenario is kept. */
static void compute(const struct run *run, uint64_t index, struct sweep_engine *engine,
                    struct slot *slot)
{
    struct sweep_block *b = &slot->block;
    uint64_t left;
    size_t n;
    size_t n_ready = 0;
    enum wi_status made;
    struct wi_err why;

    b->first = run->start + index * run->block;
    b->text.n = 0;
    b->n = 0;
    slot->st = WI_OK;
    left = run->end - b->first;
    n = left < run->block ? (size_t)left : run->block;
    made = wi_sweep_scenarios(run->spec, b->first, n, slot->scenarios, &n_ready, &why);
    while (b->n < n_ready && slot->st == WI_OK) {
        const struct wi_scenario *s = &slot->scenarios[b->n];
        struct wi_fast_row *row = &slot->rows[b->n];

        slot->st = sweep_engine_predict(engine, s, row, slot->ids, &slot->err);
        if (slot->st == WI_OK && run->opt->format != WI_SWEEP_SQLITE)
            slot->st = sweep_rows_add(&run->columns, run->opt->format, b->first + b->n, s, row,
                                      &b->text, &slot->err);
        b->n += slot->st == WI_OK;
    }
    if (slot->st == WI_OK && made != WI_OK) {
        slot->st = made;
        slot->err = why;
    }
}

static enum wi_status write_block(struct run *run, const struct slot *slot, struct wi_err *err)
{
    enum wi_status st = run->out->methods->add(run->out, &slot->block, err);

    if (st == WI_OK && run->opt->progress)
        run->opt->progress(run->opt->progress_ctx, slot->block.first + slot->block.n - run->first,
                           run->end - run->first);
    if (st == WI_OK && slot->st != WI_OK) {
        if (err)
            *err = slot->err;
        return slot->st;
    }
    return st;
}

/* --- one thread --------------------------------------------------------------------------------
 */

static enum wi_status run_alone(struct run *run, struct wi_err *err)
{
    struct sweep_engine *engine = NULL;
    enum wi_status st = sweep_engine_new(run->ev, run->opt, &run->budget, &engine, err);

    for (uint64_t b = 0; b < run->n_blocks && st == WI_OK; b++) {
        compute(run, b, engine, &run->slots[0]);
        st = write_block(run, &run->slots[0], err);
    }
    sweep_engine_free(engine);
    return st;
}

/* --- several threads ---------------------------------------------------------------------------
 */

/* Take the next block once its slot was written; false when there is none left. */
static bool take(struct run *run, uint64_t *index)
{
    bool got = false;

    pthread_mutex_lock(&run->lock);
    while (!run->stop && run->next_block < run->n_blocks &&
           run->next_block >= run->next_write + run->n_slots)
        pthread_cond_wait(&run->taken, &run->lock);
    if (!run->stop && run->next_block < run->n_blocks) {
        *index = run->next_block++;
        got = true;
    }
    pthread_mutex_unlock(&run->lock);
    return got;
}

static void *work(void *ctx)
{
    struct run *run = ctx;
    struct sweep_engine *engine = NULL;
    struct wi_err err = {0};
    enum wi_status st = sweep_engine_new(run->ev, run->opt, &run->budget, &engine, &err);
    uint64_t index;

    while (take(run, &index)) {
        struct slot *slot = &run->slots[index % run->n_slots];

        if (st == WI_OK) {
            compute(run, index, engine, slot);
        } else {
            slot->block.n = 0;
            slot->block.text.n = 0;
            slot->st = st;
            slot->err = err;
        }
        pthread_mutex_lock(&run->lock);
        slot->done = true;
        pthread_cond_signal(&run->finished);
        pthread_mutex_unlock(&run->lock);
    }
    sweep_engine_free(engine);
    return NULL;
}

/* Write the blocks in order as they become done. */
static enum wi_status write_all(struct run *run, struct wi_err *err)
{
    enum wi_status st = WI_OK;

    for (uint64_t b = 0; b < run->n_blocks && st == WI_OK; b++) {
        struct slot *slot = &run->slots[b % run->n_slots];

        pthread_mutex_lock(&run->lock);
        while (!slot->done)
            pthread_cond_wait(&run->finished, &run->lock);
        pthread_mutex_unlock(&run->lock);
        st = write_block(run, slot, err);
        pthread_mutex_lock(&run->lock);
        slot->done = false;
        run->next_write = b + 1;
        run->stop = st != WI_OK;
        pthread_cond_broadcast(&run->taken);
        pthread_mutex_unlock(&run->lock);
    }
    return st;
}

static enum wi_status run_threads(struct run *run, size_t n_jobs, struct wi_err *err)
{
    pthread_t threads[WI_SWEEP_JOBS_MAX];
    size_t n = 0;
    enum wi_status st = WI_OK;

    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->taken, NULL);
    pthread_cond_init(&run->finished, NULL);
    while (n < n_jobs && pthread_create(&threads[n], NULL, work, run) == 0)
        n++;
    /* Fewer threads than wished for are no error, none at all is. */
    st = n ? write_all(run, err) : wi_fail(err, WI_ENOMEM, "cannot start a thread");
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&run->finished);
    pthread_cond_destroy(&run->taken);
    pthread_mutex_destroy(&run->lock);
    return st;
}

/* --- the whole ---------------------------------------------------------------------------------
 */

/* Everything that the bytes depend on. */
static enum wi_status make_record(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                                  const struct wi_sweep_options *opt, char *record, size_t size,
                                  struct wi_err *err)
{
    static const char *const formats[] = {"csv", "jsonl", "sqlite"};
    char data[WI_SHA256_HEX];
    void *bytes = NULL;
    size_t n = 0;
    enum wi_status st = wi_evidence_save(ev, &bytes, &n, err);

    if (st != WI_OK)
        return st;
    wi_sha256(bytes, n, data);
    free(bytes);
    snprintf(record, size,
             "spec %s\nlist %s\ndata %s\nengine %s\nformat %s\nevidence-ids %d\nshard %" PRIu64
             "/%" PRIu64 "\n",
             wi_sweep_spec_sha256(spec), wi_sweep_list_sha256(spec), data,
             opt->llm ? opt->llm->name : "evidence", formats[opt->format], !opt->no_evidence_ids,
             opt->n_shards ? opt->shard : 1, opt->n_shards ? opt->n_shards : 1);
    return WI_OK;
}

static enum wi_status check_size(uint64_t n, const struct wi_sweep_options *opt, struct wi_err *err)
{
    if (n <= WI_SWEEP_UNASKED_MAX || opt->huge)
        return WI_OK;
    return wi_fail(err, WI_EDATA,
                   "factors: %" PRIu64 " scenarios, more than 10^9; use fewer levels, --shard, or "
                   "--yes if it is meant",
                   n);
}

static enum wi_status open_out(struct run *run, struct wi_err *err)
{
    char record[SWEEP_RECORD_MAX];
    struct sweep_out_options o = {.path = run->opt->path,
                                  .fd = run->opt->fd,
                                  .format = run->opt->format,
                                  .columns = &run->columns,
                                  .first = run->first,
                                  .end = run->end,
                                  .header = run->opt->n_shards == 0 || run->opt->shard == 1,
                                  .resume = run->opt->resume,
                                  .record = record};
    enum wi_status st = make_record(run->spec, run->ev, run->opt, record, sizeof(record), err);

    return st == WI_OK ? sweep_out_open(&o, &run->out, &run->start, err) : st;
}

static enum wi_status run_blocks(struct run *run, struct wi_err *err)
{
    size_t n_jobs = run->opt->n_jobs ? run->opt->n_jobs : 1;
    enum wi_status st = WI_OK;

    if (n_jobs > WI_SWEEP_JOBS_MAX)
        n_jobs = WI_SWEEP_JOBS_MAX;
    if (n_jobs > run->n_blocks)
        n_jobs = run->n_blocks ? (size_t)run->n_blocks : 1;
    run->n_slots = n_jobs == 1 ? 1 : 2 * n_jobs;
    run->slots = calloc(run->n_slots, sizeof(*run->slots));
    if (!run->slots)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < run->n_slots && st == WI_OK; i++)
        st = slot_init(&run->slots[i], err);
    if (st == WI_OK)
        st = n_jobs == 1 ? run_alone(run, err) : run_threads(run, n_jobs, err);
    for (size_t i = 0; i < run->n_slots; i++)
        slot_release(&run->slots[i]);
    free(run->slots);
    return st;
}

enum wi_status wi_sweep_run(const struct wi_sweep_spec *spec, const struct wi_evidence *ev,
                            const struct wi_sweep_options *opt, struct wi_sweep_result *result,
                            struct wi_err *err)
{
    struct run run = {.spec = spec, .ev = ev, .opt = opt};
    struct wi_err ignored;
    enum wi_status st;

    wi_sweep_part(wi_sweep_size(spec), opt->shard, opt->n_shards, &run.first, &run.end);
    sweep_columns_init(&run.columns, spec, !opt->no_evidence_ids);
    st = check_size(run.end - run.first, opt, err);
    if (st == WI_OK)
        st = open_out(&run, err);
    if (st != WI_OK)
        return st;
    /* A reply takes seconds: each is written as it comes, and shared out one by one. */
    run.block = opt->llm ? 1 : BLOCK;
    run.n_blocks = (run.end - run.start + run.block - 1) / run.block;
    pthread_mutex_init(&run.budget.lock, NULL);
    st = run_blocks(&run, err);
    pthread_mutex_destroy(&run.budget.lock);
    /* Also after an error: what is there stays. */
    if (st == WI_OK)
        st = run.out->methods->finish(run.out, err);
    else
        run.out->methods->finish(run.out, &ignored);
    run.out->methods->close(run.out);
    if (result)
        *result = (struct wi_sweep_result){.n_scenarios = run.end - run.first,
                                           .n_new = run.end - run.start,
                                           .n_calls = run.budget.n_calls,
                                           .n_tokens = run.budget.n_tokens};
    return st;
}
