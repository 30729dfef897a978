/* The state of a drive as a line of text. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/import_smart.h"
#include "experiments/input.h"

static const char *const counter_names[WI_N_COUNTERS] = {"data_units_read",
                                                         "data_units_written",
                                                         "lbas_written",
                                                         "host_reads",
                                                         "host_writes",
                                                         "busy_min",
                                                         "power_cycles",
                                                         "power_on_h",
                                                         "unsafe_shutdowns",
                                                         "media_errors",
                                                         "error_log_entries",
                                                         "warning_temp_time_min",
                                                         "critical_temp_time_min",
                                                         "tmt1_transitions",
                                                         "tmt2_transitions",
                                                         "tmt1_time_s",
                                                         "tmt2_time_s",
                                                         "reallocated"};

const char *wi_counter_name(enum wi_counter c)
{
    return c < WI_N_COUNTERS ? counter_names[c] : "?";
}

struct line {
    char *buf;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *l, const char *fmt, ...)
{
    va_list ap;
    int n;

    va_start(ap, fmt);
    n = vsnprintf(l->used < l->size ? l->buf + l->used : NULL,
                  l->used < l->size ? l->size - l->used : 0, fmt, ap);
    va_end(ap);
    l->used += n > 0 ? (size_t)n : 0;
}

int wi_drive_state_format(const struct wi_drive_state *s, char *buf, size_t size)
{
    /* What bears on latency stands first, since a note may be cut. */
    static const enum wi_counter order[] = {
        WI_CTR_MEDIA_ERRORS,      WI_CTR_TMT1_TRANSITIONS, WI_CTR_TMT2_TRANSITIONS,
        WI_CTR_TMT1_TIME_S,       WI_CTR_TMT2_TIME_S,      WI_CTR_WARNING_TEMP_MIN,
        WI_CTR_CRITICAL_TEMP_MIN, WI_CTR_REALLOCATED,      WI_CTR_POWER_ON_H,
        WI_CTR_DATA_WRITTEN,      WI_CTR_LBAS_WRITTEN,     WI_CTR_POWER_CYCLES,
        WI_CTR_UNSAFE_SHUTDOWNS};
    struct line l = {buf, size, 0};

    if (size)
        *buf = '\0';
    append(&l, "%s", s->tool);
    if (isfinite(s->temp_c))
        append(&l, ", drive %.4g C", s->temp_c);
    for (size_t i = 0; i < s->n_sensors; i++) {
        if (isfinite(s->sensors_c[i]))
            append(&l, ", sensor %zu %.4g C", i + 1, s->sensors_c[i]);
    }
    if (isfinite(s->used_pct))
        append(&l, ", used %g %%", s->used_pct);
    if (isfinite(s->pe_cycles))
        append(&l, ", %.0f erase cycles", s->pe_cycles);
    if (isfinite(s->spare_pct))
        append(&l, ", spare %g %%", s->spare_pct);
    if (s->critical_warning >= 0)
        append(&l, ", critical warning 0x%02x", (unsigned)s->critical_warning);
    if (s->passed >= 0)
        append(&l, ", self-assessment %s", s->passed ? "passed" : "FAILED");
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        const struct wi_exact *c = &s->counters[order[i]];

        if (*c->text)
            append(&l, ", %s %s", wi_counter_name(order[i]), c->text);
    }
    return (int)l.used;
}

enum wi_status wi_drive_state_describe(const char *path, char *buf, size_t size, double *pe_cycles,
                                       struct wi_texts *warnings, struct wi_err *err)
{
    struct wi_drive_state state;
    char *text = NULL;
    size_t n = 0;
    struct wi_err first;
    enum wi_status st = wi_input_read_all(path, WI_JSON_BYTES_MAX, &text, &n, NULL, err);

    if (st == WI_OK) {
        st = wi_smartctl_parse(text, n, wi_input_name(path), &state, warnings, &first);
        if (st == WI_EDATA && strstr(first.msg, "not smartctl's"))
            st = wi_nvme_parse(text, n, wi_input_name(path), &state, warnings, err);
        else if (st != WI_OK && err)
            *err = first;
    }
    if (st == WI_OK) {
        wi_drive_state_format(&state, buf, size);
        *pe_cycles = state.pe_cycles;
    }
    free(text);
    return st;
}
