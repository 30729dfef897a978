#include "prompts/prompt_parts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/embedded.h"
#include "core/json.h"
#include "prompts/quote.h"

static void add_step(struct wi_buf *b, const char *name, const struct wi_step *step)
{
    wi_buf_addf(b, " %s: %.6g C, %.6g %%RH, ", name, step->temp_c, step->rh_pct);
    if (step->vib.axis == WI_AXIS_NONE) {
        wi_buf_puts(b, "still");
        return;
    }
    wi_buf_addf(b, "vibration %s", wi_axis_name(step->vib.axis));
    if (isfinite(step->vib.freq_hz))
        wi_buf_addf(b, " %.6g Hz", step->vib.freq_hz);
    if (isfinite(step->vib.grms))
        wi_buf_addf(b, " %.6g grms", step->vib.grms);
}

static void add_named(struct wi_buf *b, const char *name, const char *text)
{
    if (!*text)
        return;
    wi_buf_addf(b, ", %s ", name);
    wi_quote(b, text, WI_NAME_MAX);
}

static const char *nand_words(enum wi_nand nand)
{
    static const char *const words[] = {"NAND type unknown", "SLC SSD", "MLC SSD", "TLC SSD",
                                        "QLC SSD"};

    return words[nand];
}

void wi_part_scenario(struct wi_buf *b, const struct wi_scenario *s)
{
    static const char *const ops[] = {"mixed reads and writes", "reads", "writes"};
    static const char *const phases[] = {"running (measured while the condition holds)",
                                         "post (measured after the condition has ended)",
                                         "long_term (measured after 120 h or more of it)"};

    wi_buf_addf(b, "%s", nand_words(s->nand));
    add_named(b, "vendor", s->vendor);
    add_named(b, "drive", s->device);
    add_named(b, "interface", s->interface);
    if (isfinite(s->capacity_gb))
        wi_buf_addf(b, ", %.6g GB", s->capacity_gb);
    if (isfinite(s->pe_cycles))
        wi_buf_addf(b, ", %.6g P/E cycles spent", s->pe_cycles);
    wi_buf_addf(b, "; %s; phase %s.", ops[s->op], phases[s->phase]);
    add_step(b, "Before", &s->exposure.before);
    wi_buf_puts(b, ".");
    add_step(b, "During", &s->exposure.during);
    if (isfinite(s->exposure.during_h))
        wi_buf_addf(b, ", for %.6g h", s->exposure.during_h);
    wi_buf_puts(b, ".");
    if (s->exposure.has_after) {
        add_step(b, "After", &s->exposure.after);
        wi_buf_puts(b, ".");
    }
}

void wi_part_assumed(struct wi_buf *b, const struct wi_scenario *s)
{
    const char *lead = "Assumed, not stated: ";

    for (unsigned i = 0; i < WI_N_FIELDS; i++) {
        const char *name = s->assumed & 1u << i ? wi_field_name((enum wi_field)(1u << i)) : NULL;

        /* Percentiles and confidence are what is asked for, not part of what happens. */
        if (!name || (1u << i) == WI_F_PERCENTILES || (1u << i) == WI_F_CONFIDENCE)
            continue;
        if (strncmp(name, "exposure.", 9) == 0)
            name += 9;
        wi_buf_addf(b, "%s%s", lead, name);
        lead = ", ";
    }
    if (*lead == ',')
        wi_buf_puts(b, ".\n");
}

void wi_percentile_key(double percentile, char key[WI_PERCENTILE_KEY])
{
    snprintf(key, WI_PERCENTILE_KEY, "%.10g", percentile);
}

void wi_part_percentiles(struct wi_buf *b, const struct wi_scenario *s)
{
    for (size_t i = 0; i < s->n_percentiles; i++) {
        char key[WI_PERCENTILE_KEY];

        wi_percentile_key(s->percentiles[i], key);
        wi_buf_addf(b, "%s%s%s", i ? ", " : "", key,
                    s->percentiles[i] >= 100.0 ? " (the maximum)" : "");
    }
}

static void add_change(struct wi_buf *b, const struct wi_change *c)
{
    wi_buf_addf(b, "%+.1f %% (%+.1f to %+.1f)", c->change_pct, c->low_pct, c->high_pct);
}

void wi_part_estimate(struct wi_buf *b, const struct wi_scenario *s, const struct wi_forecast *f)
{
    wi_buf_addf(b, "model fitted to all experiments, with its %.6g %% interval: tail latency",
                s->confidence * 100.0);
    for (size_t i = 0; i < f->n_tail; i++) {
        char key[WI_PERCENTILE_KEY];

        wi_percentile_key(f->tail[i].percentile, key);
        wi_buf_addf(b, "%s p%s ", i ? "," : "", key);
        add_change(b, &f->tail[i]);
    }
    wi_buf_puts(b, "; bandwidth ");
    add_change(b, &f->bandwidth);
    wi_buf_addf(b, "; this lies %s what was measured",
                f->domain == WI_DOMAIN_INSIDE ? "inside"
                : f->domain == WI_DOMAIN_EDGE ? "at the edge of"
                                              : "outside");
}

/* tail_latency: one required member per percentile, so that none is missing or given twice. */
static bool add_percentiles(struct cJSON *schema, const struct wi_scenario *s)
{
    struct cJSON *tail = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(schema, "properties"), "tail_latency");
    struct cJSON *properties = cJSON_GetObjectItemCaseSensitive(tail, "properties");
    struct cJSON *required = cJSON_GetObjectItemCaseSensitive(tail, "required");

    for (size_t i = 0; i < s->n_percentiles; i++) {
        char key[WI_PERCENTILE_KEY];
        struct cJSON *member = cJSON_CreateObject();
        struct cJSON *name;

        wi_percentile_key(s->percentiles[i], key);
        if (!member || !cJSON_AddStringToObject(member, "$ref", "#/$defs/change") ||
            !cJSON_AddItemToObject(properties, key, member)) {
            cJSON_Delete(member);
            return false;
        }
        name = cJSON_CreateString(key);
        if (!name || !cJSON_AddItemToArray(required, name)) {
            cJSON_Delete(name);
            return false;
        }
    }
    return true;
}

enum wi_status wi_part_schema(const struct wi_scenario *s, bool no_cot, char **text,
                              struct wi_err *err)
{
    const struct wi_embedded_file *file = wi_embedded_find("prompts/schema.json");
    struct cJSON *schema = NULL;
    enum wi_status st;

    assert(file);
    st = wi_json_parse(file->bytes, file->n_bytes, file->path, &schema, err);
    if (st != WI_OK)
        return st;
    if (no_cot) {
        cJSON_DeleteItemFromObjectCaseSensitive(
            cJSON_GetObjectItemCaseSensitive(schema, "properties"), "reasoning");
        cJSON_DeleteItemFromObjectCaseSensitive(cJSON_GetObjectItemCaseSensitive(schema, "$defs"),
                                                "step");
        cJSON_DeleteItemFromArray(cJSON_GetObjectItemCaseSensitive(schema, "required"), 0);
    }
    if (!add_percentiles(schema, s))
        st = wi_fail_nomem(err);
    if (st == WI_OK)
        st = wi_json_format(schema, false, text, err);
    cJSON_Delete(schema);
    return st;
}
