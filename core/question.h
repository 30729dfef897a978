/*
 * Reading a question in words. Rules stand in tables: a new phrase is one more row.
 */
#ifndef WI_CORE_QUESTION_H
#define WI_CORE_QUESTION_H

#include "core/prediction.h"

#define WI_READING_SCENARIOS_MAX 4

/* What a question was understood to ask. */
struct wi_reading {
    struct wi_scenario
        scenarios[WI_READING_SCENARIOS_MAX]; /* completed; one per device asked about */
    size_t n_scenarios;
    bool wants_latency, wants_bandwidth; /* the metric asked for; both false = not said */
    struct wi_texts warnings; /* e.g. read and write asked together, text that was not understood */
};
void wi_reading_release(struct wi_reading *r);

/*
 * in:   text   the question, UTF-8, at most WI_QUESTION_MAX bytes; may hold anything
 *       base   fields already given by options; they win over the words, with a warning where they
 *              differ; NULL = none
 * out:  out    zeroed before; release with wi_reading_release
 * returns WI_OK; WI_EDATA if it is empty, too long, not about an SSD, about a hard disk, or names
 *         more devices than fit; WI_ERANGE for an impossible value; the message names what is
 *         allowed
 */
enum wi_status wi_question_parse(const char *text, const struct wi_scenario *base,
                                 struct wi_reading *out, struct wi_err *err);

#endif
