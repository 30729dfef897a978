#include "knowledge/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wi_query_release(struct wi_query *q)
{
    for (size_t i = 0; i < q->n; i++) {
        free(q->terms[i]);
        free(q->words[i]);
    }
    free(q->terms);
    free(q->words);
    free(q->text);
    free(q->match);
    *q = (struct wi_query){0};
}

/* ---- a scenario in the words of the corpus ---- */

static size_t say(char *buf, size_t size, size_t n, const char *text)
{
    return n < size ? n + (size_t)snprintf(buf + n, size - n, "%s ", text) : n;
}

static size_t say_environment(const struct wi_scenario *s, char *buf, size_t size, size_t n)
{
    const struct wi_step *b = &s->exposure.before, *d = &s->exposure.during;
    struct wi_stressors is = wi_scenario_stressors(s);

    if (is.temp)
        n = say(buf, size, n,
                d->temp_c < b->temp_c ? "temperature decrease cooling cold"
                                      : "temperature increase heating hot");
    if (is.rh)
        n = say(buf, size, n,
                d->rh_pct < b->rh_pct ? "humidity decrease drying" : "humidity increase damp");
    if (is.vib) {
        n = say(buf, size, n, "vibration shaking");
        n = say(buf, size, n, wi_axis_name(d->vib.axis));
    }
    return n;
}

static char *scenario_words(const struct wi_scenario *s, bool beside)
{
    static const char *const phases[] = {"running", "after it has ended post", "long-term"};
    char buf[512] = "";
    size_t n = 0;

    if (s->nand != WI_NAND_UNKNOWN)
        n = say(buf, sizeof(buf), n, wi_nand_name(s->nand));
    n = say_environment(s, buf, sizeof(buf), n);
    if (s->op != WI_OP_MIXED)
        n = say(buf, sizeof(buf), n, wi_op_name(s->op));
    n = say(buf, sizeof(buf), n, phases[s->phase]);
    if (s->vendor[0]) {
        n = say(buf, sizeof(buf), n, "vendor");
        n = say(buf, sizeof(buf), n, s->vendor);
    }
    if (!beside)
        say(buf, sizeof(buf), n, "tail latency bandwidth");
    return strdup(buf);
}

/* ---- terms ---- */

static enum wi_status add_term(void *ctx, const char *term, const char *words, struct wi_err *err)
{
    struct wi_query *q = ctx;

    for (size_t i = 0; i < q->n; i++) {
        if (strcmp(q->terms[i], term) == 0)
            return WI_OK;
    }
    if (q->n == WI_QUERY_TERMS_MAX)
        return WI_OK; /* what follows in so long a question adds nothing */
    q->terms[q->n] = strdup(term);
    q->words[q->n] = strdup(words);
    if (!q->terms[q->n] || !q->words[q->n]) {
        free(q->terms[q->n]);
        free(q->words[q->n]);
        return wi_fail_nomem(err);
    }
    q->n++;
    return WI_OK;
}

/* Terms hold neither quotes nor control characters; quoted all the same, since FTS5 has operators.
 */
static enum wi_status make_match(struct wi_query *q, struct wi_err *err)
{
    size_t size = 1, n = 0;

    for (size_t i = 0; i < q->n; i++)
        size += 2 * strlen(q->terms[i]) + 8;
    q->match = malloc(size);
    if (!q->match)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < q->n; i++) {
        n += (size_t)snprintf(q->match + n, size - n, "%s\"", i ? " OR " : "");
        for (const char *p = q->terms[i]; *p; p++) {
            if (*p == '"')
                q->match[n++] = '"';
            q->match[n++] = *p;
        }
        q->match[n++] = '"';
    }
    q->match[n] = '\0';
    return WI_OK;
}

enum wi_status wi_query_make(const struct wi_terms *terms, const char *text,
                             const struct wi_scenario *scenario, struct wi_query *out,
                             struct wi_err *err)
{
    struct wi_query q = {0};
    enum wi_status st = WI_OK;

    char *words = scenario ? scenario_words(scenario, text != NULL) : strdup("");
    if (!words || asprintf(&q.text, "%s%s%s", text ? text : "", text ? " " : "", words) < 0)
        q.text = NULL;
    free(words);
    q.terms = calloc(WI_QUERY_TERMS_MAX, sizeof(*q.terms));
    q.words = calloc(WI_QUERY_TERMS_MAX, sizeof(*q.words));
    if (!q.text || !q.terms || !q.words)
        st = wi_fail_nomem(err);
    if (st == WI_OK)
        st = wi_terms_each(terms, q.text, add_term, &q, err);
    if (st == WI_OK)
        st = make_match(&q, err);
    if (st != WI_OK) {
        wi_query_release(&q);
        return st;
    }
    *out = q;
    return WI_OK;
}
