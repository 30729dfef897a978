/*
 * The parts of a prompt that are computed: scenario, estimate, schema. Shared inside prompts/.
 */
#ifndef WI_PROMPTS_PROMPT_PARTS_H
#define WI_PROMPTS_PROMPT_PARTS_H

#include "core/prediction.h"
#include "prompts/buf.h"

/* "TLC SSD, read, running (...). Before: 22.5 C, 50 %RH, still. During: ...". */
void wi_part_scenario(struct wi_buf *b, const struct wi_scenario *s);

/* "Assumed, not stated: op, exposure.before.temp_c.\n", or nothing. */
void wi_part_assumed(struct wi_buf *b, const struct wi_scenario *s);

/* "90, 95, 99.9". */
void wi_part_percentiles(struct wi_buf *b, const struct wi_scenario *s);

/* The evidence engine's numbers as one sentence. */
void wi_part_estimate(struct wi_buf *b, const struct wi_scenario *s, const struct wi_forecast *f);

/* Key of a percentile in the reply's object: "99.9". */
#define WI_PERCENTILE_KEY 32
void wi_percentile_key(double percentile, char key[WI_PERCENTILE_KEY]);

/* JSON Schema of the reply for a scenario, one line; free with free(). */
enum wi_status wi_part_schema(const struct wi_scenario *s, bool no_cot, char **text,
                              struct wi_err *err);

#endif
