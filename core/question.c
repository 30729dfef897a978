#include "core/question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/question_reader.h"

#define EXAMPLE "as in 'p99 read latency of a TLC SSD at 60 C'"

void wi_reading_release(struct wi_reading *r)
{
    if (!r)
        return;
    wi_texts_release(&r->warnings);
    *r = (struct wi_reading){0};
}

static bool is_blank(const struct q_text *t)
{
    return strspn(t->norm, " ") == t->len;
}

static enum wi_status check_topic(struct q_reader *r, struct wi_err *err)
{
    bool one_hint = r->weak && (r->weak & (r->weak - 1)) == 0;

    if (r->hdd[0] && !r->strong)
        return wi_fail(err, WI_EDATA,
                       "'%s' is a hard disk, which is not modelled: ask about an SSD, " EXAMPLE,
                       r->hdd);
    if (!r->strong && (r->off || (!r->weak && !r->disk)))
        return wi_fail(
            err, WI_EDATA,
            "the question is not about an SSD: name the drive and what it goes through, " EXAMPLE);
    if (r->hdd[0])
        return wi_texts_add(
            &r->out->warnings, "", err,
            "'%s' is a hard disk, which is not modelled: the answer is about the SSD", r->hdd);
    if (!r->strong && r->disk)
        return wi_texts_add(&r->out->warnings, "", err, "'%s' is read as an SSD", r->disk_word);
    if (!r->strong && one_hint)
        return wi_texts_add(&r->out->warnings, "", err, "this is read as a question about an SSD");
    return WI_OK;
}

static enum wi_status read_all(struct q_reader *r, const struct wi_scenario *base,
                               struct wi_err *err)
{
    enum wi_status st = q_reader_keys(r, err);

    if (st == WI_OK)
        st = q_reader_words(r, err);
    if (st == WI_OK)
        st = check_topic(r, err);
    if (st == WI_OK)
        st = q_reader_quantities(r, err);
    if (st == WI_OK)
        st = q_reader_relations(r, err);
    return st == WI_OK ? q_reader_settle(r, base, err) : st;
}

enum wi_status wi_question_parse(const char *text, const struct wi_scenario *base,
                                 struct wi_reading *out, struct wi_err *err)
{
    size_t len = strlen(text);
    struct q_reader *r;
    enum wi_status st;

    *out = (struct wi_reading){0};
    if (len > WI_QUESTION_MAX)
        return wi_fail(err, WI_EDATA, "the question is %zu bytes long, at most %d are read", len,
                       WI_QUESTION_MAX);
    r = calloc(1, sizeof(*r));
    if (!r)
        return wi_fail_nomem(err);
    r->out = out;
    r->during_of_nand[0][0] = r->during_of_nand[0][1] = NAN;
    r->during_of_nand[1][0] = r->during_of_nand[1][1] = NAN;
    wi_scenario_init(&r->words);
    wi_scenario_init(&r->keys);
    q_text_init(&r->text, text, len);
    q_text_number_words(&r->text);
    st = is_blank(&r->text)
             ? wi_fail(err, WI_EDATA, "the question is empty: ask about an SSD, " EXAMPLE)
             : read_all(r, base, err);
    if (st != WI_OK)
        wi_reading_release(out);
    free(r);
    return st;
}
