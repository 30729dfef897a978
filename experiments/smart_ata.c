/* The table of ATA attributes. */
#include "experiments/import_smart_internal.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/json.h"

/* ATA attributes whose raw value is a plain count. */
static const struct {
    int id;
    enum wi_counter counter;
} ata_counters[] = {{5, WI_CTR_REALLOCATED},
                    {9, WI_CTR_POWER_ON_H},
                    {12, WI_CTR_POWER_CYCLES},
                    {187, WI_CTR_MEDIA_ERRORS},
                    {241, WI_CTR_LBAS_WRITTEN}};

static double word_of(double raw, int index)
{
    double word = fmod(floor(raw / pow(65536.0, index)), 65536.0);

    return word >= 32768.0 ? word - 65536.0 : word; /* 16 bits, signed */
}

/*
 * Attribute 194: six raw bytes, the current temperature in the lowest 16 bits, the lifetime
 * extremes in the other two words where the vendor keeps them: 240518299684 = 0x0038 0x0002 0x0024
 * is 36 now, 2 lowest, 56 highest. The string, where printed, starts with the current one.
 */
static enum wi_status read_attribute_194(const struct wi_smart_reading *r, const cJSON *row,
                                         const char *path, struct wi_err *err)
{
    struct wi_drive_state *s = r->state;
    const cJSON *raw = wi_json_get(row, "raw");
    const char *text = wi_json_str(raw, "string");
    char *end = NULL;
    double stated = text ? strtod(text, &end) : NAN;
    double value = NAN;
    double low;
    double high;

    wi_json_num(raw, "value", &value);
    if (!text || end == text)
        stated = value >= 0.0 && value < 281474976710656.0 ? word_of(value, 0) : NAN;
    if (isnan(stated) || stated == 0.0 || !wi_smart_temp_is_plausible(stated))
        return wi_texts_add(
            r->warnings, "", err,
            "%s: %s: attribute 194 holds no plausible temperature (%.0f): not taken", r->name, path,
            value);
    s->temp_c = stated;
    if (!(value >= 65536.0 && value < 281474976710656.0))
        return WI_OK;
    low = fmin(word_of(value, 1), word_of(value, 2));
    high = fmax(word_of(value, 1), word_of(value, 2));
    if (wi_smart_temp_is_plausible(low) && wi_smart_temp_is_plausible(high) && low <= stated &&
        stated <= high) {
        s->temp_low_c = low;
        s->temp_high_c = high;
    }
    return WI_OK;
}

/* The leading integer of the raw string, since raw values pack several counts ("1234h+56m"). */
static enum wi_status read_ata_count(const struct wi_smart_reading *r, const cJSON *row,
                                     const char *path, struct wi_exact *out, struct wi_err *err)
{
    const cJSON *raw = wi_json_get(row, "raw");
    const char *text = wi_json_str(raw, "string");
    char digits[WI_EXACT_MAX];
    size_t n = 0;

    while (text && isdigit((unsigned char)text[n]) && n + 1 < sizeof(digits)) {
        digits[n] = text[n];
        n++;
    }
    digits[n] = '\0';
    return n ? wi_smart_exact_set(r, path, digits, out, err)
             : wi_smart_exact_read(r, raw, path, "value", out, err);
}

static enum wi_status read_attribute(const struct wi_smart_reading *r, const cJSON *row,
                                     size_t index, struct wi_err *err)
{
    double id;
    char path[64];
    struct wi_exact cycles = {.approx = NAN};
    enum wi_status st;

    if (!wi_json_num(row, "id", &id))
        return WI_OK;
    snprintf(path, sizeof(path), "ata_smart_attributes.table[%zu].raw", index);
    if (id == 194.0)
        return read_attribute_194(r, row, path, err);
    for (size_t i = 0; i < sizeof(ata_counters) / sizeof(ata_counters[0]); i++) {
        if (id == ata_counters[i].id)
            return read_ata_count(r, row, path, &r->state->counters[ata_counters[i].counter], err);
    }
    if (id != 173.0 && id != 177.0) /* average erase count: Micron, Crucial; Samsung */
        return WI_OK;
    st = read_ata_count(r, row, path, &cycles, err);
    if (cycles.approx >= 0.0 && cycles.approx <= WI_PE_CYCLES_MAX)
        r->state->pe_cycles = cycles.approx;
    return st;
}

enum wi_status wi_smart_attributes_read(const struct wi_smart_reading *r, struct wi_err *err)
{
    const cJSON *table = wi_json_get(wi_json_get(r->doc, "ata_smart_attributes"), "table");
    enum wi_status st = WI_OK;
    size_t index = 0;
    const cJSON *row;

    cJSON_ArrayForEach(row, table)
    {
        st = read_attribute(r, row, index++, err);
        if (st != WI_OK)
            break;
    }
    return st;
}
