/*
 * Scenario fields by name, one row each: where the value goes and which mark it leaves.
 */
#include <stddef.h>
#include <string.h>

#include "experiments/sweep_spec.h"

static enum wi_status unknown_name(const char *text, const char *allowed, struct wi_err *err)
{
    return wi_fail(err, WI_EDATA, "'%.60s' is unknown, allowed is %s", text, allowed);
}

#define AT(member) offsetof(struct wi_scenario, member)
static const struct sweep_field fields[] = {
    {"nand", SWEEP_NAND, 0, 0, AT(nand), WI_F_NAND},
    {"op", SWEEP_OP, 0, 0, AT(op), WI_F_OP},
    {"phase", SWEEP_PHASE, 0, 0, AT(phase), WI_F_PHASE},
    {"temp_c_before", SWEEP_NUMBER, WI_TEMP_C_MIN, WI_TEMP_C_MAX, AT(exposure.before.temp_c),
     WI_F_BEFORE_TEMP},
    {"rh_pct_before", SWEEP_NUMBER, WI_RH_PCT_MIN, WI_RH_PCT_MAX, AT(exposure.before.rh_pct),
     WI_F_BEFORE_RH},
    {"vib_axis_before", SWEEP_AXIS, 0, 0, AT(exposure.before.vib.axis), WI_F_BEFORE_VIB},
    {"vib_freq_hz_before", SWEEP_NUMBER, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX,
     AT(exposure.before.vib.freq_hz), 0},
    {"vib_grms_before", SWEEP_NUMBER, WI_GRMS_MIN, WI_GRMS_MAX, AT(exposure.before.vib.grms), 0},
    {"temp_c", SWEEP_NUMBER, WI_TEMP_C_MIN, WI_TEMP_C_MAX, AT(exposure.during.temp_c),
     WI_F_DURING_TEMP},
    {"rh_pct", SWEEP_NUMBER, WI_RH_PCT_MIN, WI_RH_PCT_MAX, AT(exposure.during.rh_pct),
     WI_F_DURING_RH},
    {"vib_axis", SWEEP_AXIS, 0, 0, AT(exposure.during.vib.axis),
     WI_F_DURING_VIB | WI_F_DURING_AXIS},
    {"vib_freq_hz", SWEEP_NUMBER, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX, AT(exposure.during.vib.freq_hz),
     0},
    {"vib_grms", SWEEP_NUMBER, WI_GRMS_MIN, WI_GRMS_MAX, AT(exposure.during.vib.grms), 0},
    {"temp_c_after", SWEEP_NUMBER, WI_TEMP_C_MIN, WI_TEMP_C_MAX, AT(exposure.after.temp_c),
     WI_F_AFTER_TEMP},
    {"rh_pct_after", SWEEP_NUMBER, WI_RH_PCT_MIN, WI_RH_PCT_MAX, AT(exposure.after.rh_pct),
     WI_F_AFTER_RH},
    {"vib_axis_after", SWEEP_AXIS, 0, 0, AT(exposure.after.vib.axis), WI_F_AFTER_VIB},
    {"vib_freq_hz_after", SWEEP_NUMBER, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX,
     AT(exposure.after.vib.freq_hz), 0},
    {"vib_grms_after", SWEEP_NUMBER, WI_GRMS_MIN, WI_GRMS_MAX, AT(exposure.after.vib.grms), 0},
    {"dur_h", SWEEP_NUMBER, WI_DUR_H_MIN, WI_DUR_H_MAX, AT(exposure.during_h), WI_F_DURING_HOURS},
    {"vendor", SWEEP_NAME, 0, 0, AT(vendor), 0},
    {"device", SWEEP_NAME, 0, 0, AT(device), 0},
    {"interface", SWEEP_NAME, 0, 0, AT(interface), 0},
    {"capacity_gb", SWEEP_NUMBER, 0, WI_CAPACITY_GB_MAX, AT(capacity_gb), 0},
    {"tmt1_c", SWEEP_NUMBER, WI_TMT1_C_MIN, WI_TMT1_C_MAX, AT(tmt1_c), 0},
    {"pe_cycles", SWEEP_NUMBER, 0, WI_PE_CYCLES_MAX, AT(pe_cycles), 0},
    {"percentiles", SWEEP_PERCENTILES, 0, 0, 0, WI_F_PERCENTILES},
    {"confidence", SWEEP_NUMBER, WI_CONFIDENCE_MIN, WI_CONFIDENCE_MAX, AT(confidence),
     WI_F_CONFIDENCE},
};

const struct sweep_field *sweep_field_find(const char *name)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    }
    return NULL;
}

_Static_assert(sizeof(fields) / sizeof(fields[0]) <= SWEEP_FIELDS_MAX, "one bit per field");

const struct sweep_field *sweep_field_at(size_t index)
{
    return index < sizeof(fields) / sizeof(fields[0]) ? &fields[index] : NULL;
}

enum wi_status sweep_field_set(const struct sweep_field *f, struct wi_scenario *s, double number,
                               const char *text, struct wi_err *err)
{
    void *place = (char *)s + f->offset;
    bool known = true;
    const char *allowed = "";

    switch (f->kind) {
    case SWEEP_NUMBER:
        *(double *)place = number;
        break;
    case SWEEP_NAND:
        known = wi_nand_parse(text, place);
        allowed = "slc, mlc, tlc, qlc, unknown";
        break;
    case SWEEP_OP:
        known = wi_op_parse(text, place);
        allowed = "read, write, mixed";
        break;
    case SWEEP_PHASE:
        known = wi_phase_parse(text, place);
        allowed = "running, post, long_term";
        break;
    case SWEEP_AXIS:
        known = wi_axis_parse(text, place);
        allowed = "none, parallel, perpendicular";
        break;
    case SWEEP_NAME:
        if (strlen(text) >= WI_NAME_MAX)
            return wi_fail(err, WI_EDATA, "longer than %d bytes", WI_NAME_MAX - 1);
        for (const char *p = text; *p; p++) {
            if ((unsigned char)*p < 0x20 || *p == 0x7f)
                return wi_fail(err, WI_EDATA, "a control character in a name");
        }
        memcpy(place, text, strlen(text) + 1);
        break;
    case SWEEP_PERCENTILES:
        return wi_scenario_parse_percentiles(s, text, err);
    }
    if (!known)
        return unknown_name(text, allowed, err);
    s->given |= f->given;
    return WI_OK;
}
