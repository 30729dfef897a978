/*
 * Fuzzer of the export's bases. The first byte chooses the target ('0' = the first), the second of
 * which operations there is a prediction, the rest is the base. Its corpus replays in
 * tests/unit/test_export.c.
 *
 *   make fuzz && build-fuzz/fuzz_export -max_len=4096 -timeout=5 tests/fuzz/corpus/export
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/export_internal.h"

int fuzz_export(const uint8_t *data, size_t size);

#define N_TARGETS 7

static void make_side(struct export_side *side, enum wi_op op, double factor)
{
    struct wi_forecast *f = &side->prediction.forecast;

    wi_scenario_init(&side->prediction.scenario);
    side->prediction.scenario.op = op;
    wi_scenario_complete(&side->prediction.scenario, NULL);
    f->tail[0] = (struct wi_change){
        .percentile = 99.0, .change_pct = 25.0, .low_pct = 10.0, .high_pct = 50.0};
    f->tail[0].value = f->tail[0].low = f->tail[0].high = NAN;
    f->n_tail = 1;
    f->bandwidth = f->tail[0];
    f->bandwidth.percentile = NAN;
    side->asked = true;
    side->change = &f->tail[0];
    side->factor = factor;
}

/* Nothing was scaled: the base is there byte for byte, with one comment in it. */
static void check_kept(const struct wi_export_options *opt, const struct wi_buf *out)
{
    size_t n = opt->base_len;
    size_t front = 0;
    size_t back = 0;

    while (front < n && front < out->n && opt->base[front] == out->text[front])
        front++;
    while (back < n - front && opt->base[n - 1 - back] == out->text[out->n - 1 - back])
        back++;
    if (out->n <= n || front + back != n)
        abort();
}

static void export_once(const struct wi_export_options *opt, size_t target, char ops, double factor)
{
    struct export_job job = {.target = wi_export_targets[target], .opt = opt};
    struct wi_buf out = {0};
    struct wi_err err = {0};
    enum wi_status st = WI_OK;

    job.bound = job.target->bound;
    for (int op = WI_OP_READ; op <= WI_OP_WRITE && st == WI_OK; op++) {
        struct wi_scenario s;
        bool asked = ops == 'b' || ops == (op == WI_OP_READ ? 'r' : 'w');

        wi_scenario_init(&s);
        if (asked && job.target->prepare)
            st = job.target->prepare(&job, (enum wi_op)op, &s, &asked, &err);
        if (asked || (job.target->reads_only && op == WI_OP_READ))
            make_side(&job.side[op], (enum wi_op)op, factor);
    }
    if (st == WI_OK)
        st = job.target->write(&job, &out, &err);
    if (st == WI_OK ? !out.text || out.failed : !*err.msg || strchr(err.msg, '\n') != NULL)
        abort();
    if (st == WI_OK && !job.target->prepare && !job.target->reads_only && factor == 1.0)
        check_kept(opt, &out);
    wi_buf_release(&out);
    for (int op = 0; op < 3; op++)
        wi_prediction_release(&job.side[op].prediction);
    free(job.baseline);
}

int fuzz_export(const uint8_t *data, size_t size)
{
    struct wi_export_options opt = {.base_name = "f", .percentile = NAN, .bound = -1, .osds = "1"};
    size_t target = size > 2 ? (size_t)(data[0] - '0') : N_TARGETS;
    char *base;

    if (target >= N_TARGETS)
        return 0;
    base = strndup((const char *)data + 2, size - 2);
    if (!base)
        return 0;
    opt.base = base;
    opt.base_len = strlen(base);
    export_once(&opt, target, (char)data[1], 1.0);
    export_once(&opt, target, (char)data[1], 1.25);
    free(base);
    return 0;
}

#ifndef FUZZ_REPLAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_export(data, size);
}
#endif
