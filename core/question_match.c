#include "core/question_match.h"

#include <assert.h>
#include <stdint.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/*
 * Backtracking steps of one match attempt. The rules are written without nested repetition and need
 * a few hundred steps per candidate; a hostile text may cost this many at each of its bytes, so the
 * total is bounded as well.
 */
#define STEPS_PER_MATCH 4000u
#define DEPTH_MAX 1000u

static void copy_groups(pcre2_match_data *data, int n, struct q_span *groups)
{
    const PCRE2_SIZE *v = pcre2_get_ovector_pointer(data);

    for (int i = 0; i < Q_GROUPS_MAX; i++) {
        bool set = i < n && v[2 * i] != PCRE2_UNSET;

        groups[i].start = set ? v[2 * i] : SIZE_MAX;
        groups[i].end = set ? v[2 * i + 1] : SIZE_MAX;
    }
}

static enum wi_status search(const pcre2_code *code, pcre2_match_data *data,
                             pcre2_match_context *mc, const char *text, size_t len, q_hit_fn hit,
                             void *ctx, bool *cut, struct wi_err *err)
{
    size_t at = 0;

    while (at < len) {
        struct q_span groups[Q_GROUPS_MAX];
        int n = pcre2_match(code, (PCRE2_SPTR)text, len, at, PCRE2_NO_UTF_CHECK, data, mc);
        enum wi_status st;

        if (n == PCRE2_ERROR_NOMATCH)
            return WI_OK;
        if (n == PCRE2_ERROR_NOMEMORY)
            return wi_fail_nomem(err);
        if (n < 0) { /* a limit was reached */
            *cut = true;
            return WI_OK;
        }
        copy_groups(data, n, groups);
        st = hit(ctx, groups, err);
        if (st != WI_OK)
            return st;
        assert(groups[0].end > groups[0].start); /* no rule matches the empty text */
        at = groups[0].end;
    }
    return WI_OK;
}

enum wi_status q_match_each(const char *pattern, const char *text, size_t len, q_hit_fn hit,
                            void *ctx, bool *cut, struct wi_err *err)
{
    int code_error = 0;
    PCRE2_SIZE where = 0;
    enum wi_status st = WI_OK;
    pcre2_match_data *data = NULL;
    pcre2_match_context *mc = NULL;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, PCRE2_UTF,
                                     &code_error, &where, NULL);

    assert(code || code_error == PCRE2_ERROR_NOMEMORY || code_error == PCRE2_ERROR_HEAP_FAILED);
    if (code) {
        data = pcre2_match_data_create(Q_GROUPS_MAX, NULL);
        mc = pcre2_match_context_create(NULL);
    }
    if (!code || !data || !mc) {
        st = wi_fail_nomem(err);
        goto cleanup;
    }
    pcre2_set_match_limit(mc, STEPS_PER_MATCH);
    pcre2_set_depth_limit(mc, DEPTH_MAX);
    st = search(code, data, mc, text, len, hit, ctx, cut, err);

cleanup:
    pcre2_match_context_free(mc);
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return st;
}
