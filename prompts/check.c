#include "prompts/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/units.h"
#include "prompts/buf.h"
#include "prompts/numbers.h"
#include "prompts/prompt_parts.h"

#define NUMBERS_MAX 128
#define TOGETHER_PCT 5.0 /* latency and bandwidth moving the same way by more is worth a word */

void wi_check_release(struct wi_check *c)
{
    for (size_t i = 0; i < c->n_verdicts; i++) {
        free(c->verdicts[i].ids);
        free(c->verdicts[i].why);
    }
    free(c->verdicts);
    wi_texts_release(&c->warnings);
    *c = (struct wi_check){0};
}

static const struct wi_sent *find_sent(const struct wi_prompt *p, const char *name, size_t n)
{
    for (size_t i = 0; i < p->n_sent; i++) {
        const struct wi_sent *s = &p->sent[i];

        if ((strlen(s->tag) == n && strncasecmp(s->tag, name, n) == 0) ||
            (*s->id && strlen(s->id) == n && memcmp(s->id, name, n) == 0))
            return s;
    }
    return NULL;
}

static bool is_id_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
}

/* "E3" and the like: a tag, sent or not. */
static bool is_tag(const char *word, size_t n)
{
    if (n < 2 || n > 4 || !strchr("EPMX", word[0]))
        return false;
    for (size_t i = 1; i < n; i++) {
        if (word[i] < '0' || word[i] > '9')
            return false;
    }
    return true;
}

/*
 * Whether a word has the form of the ids that were sent: the source of one of them, "DAC19-", and
 * then two parts or more, so that "DAC19-based" is a word.
 */
static bool is_like_id(const struct wi_prompt *p, const char *word, size_t n)
{
    const char *dash = memchr(word, '-', n);
    size_t k = dash ? (size_t)(dash - word) + 1 : 0;
    bool parts = false, digit = false;

    for (size_t i = 0; i < n; i++) {
        parts = parts || (i >= k && word[i] == '-');
        digit = digit || (i < k && word[i] >= '0' && word[i] <= '9');
    }
    for (size_t i = 0; parts && digit && i < p->n_sent; i++) {
        if (strlen(p->sent[i].id) > k && memcmp(p->sent[i].id, word, k) == 0)
            return true;
    }
    return false;
}

/* What one claim cites, in its list and in its text. */
struct cited {
    const struct wi_sent *items[64];
    size_t n;
    char unknown[WI_ID_MAX]; /* the first that was not sent, "" = none */
};

static void add_cited(struct cited *c, const struct wi_sent *s)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->items[i] == s)
            return;
    }
    if (c->n < sizeof(c->items) / sizeof(c->items[0]))
        c->items[c->n++] = s;
}

/* Words of a text that are tags or ids; `strict`: every word must be one. */
static void scan(const struct wi_prompt *p, const char *text, bool strict, struct cited *c)
{
    while (*text) {
        size_t n = 0;
        const struct wi_sent *s;

        while (*text && !is_id_char(*text))
            text++;
        while (is_id_char(text[n]))
            n++;
        while (n > 0 && !strict && (text[n - 1] == '.' || text[n - 1] == '-'))
            n--; /* the end of a sentence */
        if (n == 0) {
            text += *text != '\0';
            continue;
        }
        s = find_sent(p, text, n);
        if (s)
            add_cited(c, s);
        else if ((strict || is_tag(text, n) || is_like_id(p, text, n)) && !*c->unknown &&
                 n < sizeof(c->unknown))
            memcpy(c->unknown, text, n);
        text += n;
    }
}

/* True if one of the numbers of a text is the claimed one. */
static bool stands_in(const struct wi_number *claimed, const char *text)
{
    struct wi_number found[NUMBERS_MAX];
    size_t n = wi_numbers_find(text, found, NUMBERS_MAX);

    for (size_t i = 0; i < n && i < NUMBERS_MAX; i++) {
        if (wi_number_matches(claimed, &found[i]))
            return true;
    }
    return false;
}

static void add_own(struct wi_buf *b, const struct wi_change *c)
{
    wi_buf_addf(b, "; %+.10g %%, %+.10g %%, %+.10g %%", c->change_pct, c->low_pct, c->high_pct);
}

/*
 * Numbers that need no citation.
 * out:  given      question, scenario, percentiles, confidence
 *       concluded  the forecast's own numbers, also rounded as people write them
 */
static void uncited(const struct wi_prompt_input *in, const struct wi_forecast_reply *reply,
                    struct wi_buf *given, struct wi_buf *concluded)
{
    const struct wi_scenario *s = in->scenario;

    wi_part_scenario(given, s);
    for (size_t i = 0; i < s->n_percentiles; i++) {
        char key[WI_PERCENTILE_KEY];

        wi_percentile_key(s->percentiles[i], key);
        wi_buf_addf(given, "; p%s", key);
    }
    wi_buf_addf(given, "; %.6g %%", s->confidence * 100.0);
    if (in->question)
        wi_buf_addf(given, "; %s", in->question);
    for (size_t i = 0; i < reply->n_tail; i++)
        add_own(concluded, &reply->tail[i]);
    add_own(concluded, &reply->bandwidth);
}

static bool is_conclusion(enum wi_step_kind step)
{
    return step == WI_REASON_PERCENTILE || step == WI_REASON_BANDWIDTH || step == WI_REASON_LIMITS;
}

/* Whether the digits at a place of a text belong to the id of an item that was sent. */
static bool is_in_id(const struct wi_prompt *p, const char *text, size_t at)
{
    size_t from = at, to = at;

    while (from > 0 && is_id_char(text[from - 1]))
        from--;
    while (is_id_char(text[to]))
        to++;
    while (to > at && (text[to - 1] == '.' || text[to - 1] == '-'))
        to--; /* the end of a sentence */
    /* An id that begins with a digit, as a user's own may, would hide the number itself. */
    return (text[from] | 32) >= 'a' && (text[from] | 32) <= 'z' &&
           find_sent(p, text + from, to - from) != NULL;
}

/* The numbers that a claim quotes: those of an id that it names are none ("DATE22-1-MLC"). */
static size_t quoted_numbers(const struct wi_prompt *p, const char *text, struct wi_number *numbers)
{
    size_t n = wi_numbers_find(text, numbers, NUMBERS_MAX), kept = 0;

    for (size_t i = 0; i < n && i < NUMBERS_MAX; i++) {
        if (!is_in_id(p, text, numbers[i].at))
            numbers[kept++] = numbers[i];
    }
    return kept;
}

/* The first number of a claim that stands nowhere it may; NULL if all do. */
static const struct wi_number *unfounded(const struct wi_claim *claim, const struct cited *cited,
                                         const char *given, const char *concluded,
                                         struct wi_number *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool found = stands_in(&numbers[i], given) ||
                     (is_conclusion(claim->step) && stands_in(&numbers[i], concluded));

        for (size_t k = 0; k < cited->n && !found; k++)
            found = stands_in(&numbers[i], cited->items[k]->text);
        if (!found)
            return &numbers[i];
    }
    return NULL;
}

static enum wi_status judge(const struct wi_prompt *sent, const struct wi_claim *claim,
                            const char *given, const char *concluded, struct wi_verdict *v,
                            struct wi_err *err)
{
    struct cited cited = {0};
    struct wi_number numbers[NUMBERS_MAX];
    struct wi_buf why = {0}, ids = {0};
    const struct wi_number *bad;
    size_t n = quoted_numbers(sent, claim->text, numbers);
    enum wi_status st;

    scan(sent, claim->cites, true, &cited);
    scan(sent, claim->text, false, &cited);
    bad = unfounded(claim, &cited, given, concluded, numbers, n);
    if (*cited.unknown)
        wi_buf_addf(&why, "it cites '%s', which was not sent", cited.unknown);
    else if (bad)
        wi_buf_addf(&why, "it quotes '%s%.*s', which does not stand so in %s",
                    bad->sign < 0 ? "-" : "", (int)bad->n, claim->text + bad->at,
                    cited.n ? "what it cites" : "the question, and it cites nothing");
    for (size_t i = 0; i < cited.n; i++) {
        if (*cited.items[i]->id)
            wi_buf_addf(&ids, "%s%s", ids.n ? " " : "", cited.items[i]->id);
    }
    st = wi_buf_take(&why, &v->why, err);
    if (st == WI_OK)
        st = wi_buf_take(&ids, &v->ids, err);
    wi_buf_release(&ids);
    return st;
}

static enum wi_status judge_all(const struct wi_prompt_input *in, const struct wi_prompt *sent,
                                const struct wi_forecast_reply *reply, struct wi_check *c,
                                struct wi_err *err)
{
    struct wi_buf given = {0}, concluded = {0};
    enum wi_status st = WI_OK;

    uncited(in, reply, &given, &concluded);
    c->verdicts = calloc(reply->n_claims + 1, sizeof(*c->verdicts));
    if (!c->verdicts || given.failed || concluded.failed)
        st = wi_fail_nomem(err);
    for (size_t i = 0; i < reply->n_claims && st == WI_OK; i++) {
        st = judge(sent, &reply->claims[i], given.text, concluded.text, &c->verdicts[i], err);
        c->n_verdicts++;
        if (st == WI_OK && *c->verdicts[i].why)
            c->n_unsupported++;
    }
    wi_buf_release(&given);
    wi_buf_release(&concluded);
    return st;
}

/* The engine's interval lies on one side of zero, the reply on the other. */
static bool contrary(const struct wi_change *said, const struct wi_change *estimate)
{
    return (estimate->low_pct > 0 && said->change_pct < 0) ||
           (estimate->high_pct < 0 && said->change_pct > 0);
}

static enum wi_status check_directions(const struct wi_prompt_input *in,
                                       const struct wi_forecast_reply *r, struct wi_check *c,
                                       struct wi_err *err)
{
    const struct wi_forecast *e = in->estimate;
    enum wi_status st = WI_OK;

    for (size_t i = 0; e && i < r->n_tail && i < e->n_tail && st == WI_OK; i++) {
        if (contrary(&r->tail[i], &e->tail[i]))
            st = wi_texts_add(&c->warnings, "", err,
                              "direction: the model says %+.1f %% for p%.10g tail latency, the "
                              "evidence allows only %+.1f %% to %+.1f %%",
                              r->tail[i].change_pct, r->tail[i].percentile, e->tail[i].low_pct,
                              e->tail[i].high_pct);
    }
    if (st == WI_OK && e && contrary(&r->bandwidth, &e->bandwidth))
        st = wi_texts_add(&c->warnings, "", err,
                          "direction: the model says %+.1f %% for bandwidth, the evidence allows "
                          "only %+.1f %% to %+.1f %%",
                          r->bandwidth.change_pct, e->bandwidth.low_pct, e->bandwidth.high_pct);
    return st;
}

/* Little's law at constant queue depth: the longer requests take, the fewer complete. */
static enum wi_status check_together(const struct wi_forecast_reply *r, struct wi_check *c,
                                     struct wi_err *err)
{
    double bandwidth_pct = r->bandwidth.change_pct;
    bool up = bandwidth_pct > TOGETHER_PCT, down = bandwidth_pct < -TOGETHER_PCT;

    for (size_t i = 0; i < r->n_tail; i++) {
        up = up && r->tail[i].change_pct > TOGETHER_PCT;
        down = down && r->tail[i].change_pct < -TOGETHER_PCT;
    }
    if (!r->n_tail || (!up && !down))
        return WI_OK;
    return wi_texts_add(&c->warnings, "", err,
                        "the model lets tail latency and bandwidth both %s at every percentile, "
                        "which a constant queue depth does not allow on average",
                        up ? "rise" : "fall");
}

/*
 * Latency must not fall with rank. With a baseline that is exact; without, the undisturbed tail is
 * taken to rise by at most a factor of ten per nine, steeper than any stored experiment.
 */
static enum wi_status check_rank(const struct wi_prompt_input *in,
                                 const struct wi_forecast_reply *r, struct wi_check *c,
                                 struct wi_err *err)
{
    for (size_t i = 1; i < r->n_tail; i++) {
        const struct wi_change *a = &r->tail[i - 1], *b = &r->tail[i];
        double factor_a = 1.0 + a->change_pct / 100.0, factor_b = 1.0 + b->change_pct / 100.0;
        double rise = pow(10.0, wi_nines_from_percentile(b->percentile) -
                                    wi_nines_from_percentile(a->percentile));

        if (in->estimate && in->estimate->n_tail == r->n_tail) {
            const struct wi_change *x = &in->estimate->tail[i - 1], *y = &in->estimate->tail[i];
            double base_x = x->value / (1.0 + x->change_pct / 100.0);
            double base_y = y->value / (1.0 + y->change_pct / 100.0);

            if (isfinite(base_x) && isfinite(base_y) && base_x > 0)
                rise = base_y / base_x;
        }
        if (factor_b * rise < factor_a)
            return wi_texts_add(
                &c->warnings, "", err,
                "the model's changes would make latency fall from p%.10g (%+.1f %%) "
                "to p%.10g (%+.1f %%)",
                a->percentile, a->change_pct, b->percentile, b->change_pct);
    }
    return WI_OK;
}

static bool beyond(double change_pct, const double measured[2])
{
    return (measured[0] < 0 || measured[1] > 0) &&
           (change_pct < measured[0] || change_pct > measured[1]);
}

static enum wi_status check_measured(const struct wi_prompt_input *in,
                                     const struct wi_forecast_reply *r, struct wi_check *c,
                                     struct wi_err *err)
{
    const double *m = in->measured_tail_pct;
    enum wi_status st = WI_OK;

    for (size_t i = 0; i < r->n_tail && st == WI_OK; i++) {
        if (beyond(r->tail[i].change_pct, m))
            st = wi_texts_add(&c->warnings, "", err,
                              "the model says %+.1f %% for p%.10g tail latency, beyond anything "
                              "measured (%+.1f %% to %+.1f %%)",
                              r->tail[i].change_pct, r->tail[i].percentile, m[0], m[1]);
    }
    m = in->measured_bandwidth_pct;
    if (st == WI_OK && beyond(r->bandwidth.change_pct, m))
        st = wi_texts_add(&c->warnings, "", err,
                          "the model says %+.1f %% for bandwidth, beyond anything measured "
                          "(%+.1f %% to %+.1f %%)",
                          r->bandwidth.change_pct, m[0], m[1]);
    return st;
}

enum wi_status wi_check_reply(const struct wi_prompt_input *in, const struct wi_prompt *sent,
                              const struct wi_forecast_reply *reply, struct wi_check *c,
                              struct wi_err *err)
{
    enum wi_status st = judge_all(in, sent, reply, c, err);

    if (st == WI_OK)
        st = check_directions(in, reply, c, err);
    if (st == WI_OK)
        st = check_together(reply, c, err);
    if (st == WI_OK)
        st = check_rank(in, reply, c, err);
    if (st == WI_OK)
        st = check_measured(in, reply, c, err);
    if (st == WI_OK && reply->n_mended)
        st = wi_texts_add(&c->warnings, "", err,
                          "%zu interval%s of the model did not hold %s own change and %s mended",
                          reply->n_mended, reply->n_mended == 1 ? "" : "s",
                          reply->n_mended == 1 ? "its" : "their",
                          reply->n_mended == 1 ? "was" : "were");
    if (st != WI_OK)
        wi_check_release(c);
    return st;
}

enum wi_status wi_check_problems(const struct wi_forecast_reply *reply, const struct wi_check *c,
                                 char **text, struct wi_err *err)
{
    struct wi_buf b = {0};

    for (size_t i = 0; i < c->n_verdicts; i++) {
        if (*c->verdicts[i].why)
            wi_buf_addf(&b, "- reasoning step %zu (%s): %s\n", i + 1,
                        wi_step_kind_name(reply->claims[i].step), c->verdicts[i].why);
    }
    for (size_t i = 0; i < c->warnings.n; i++)
        wi_buf_addf(&b, "- %s\n", c->warnings.items[i].text);
    return wi_buf_take(&b, text, err);
}
