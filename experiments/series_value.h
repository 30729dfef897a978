/*
 * Cells and column names of loggers: numbers with units, and which quantity a name means.
 */
#ifndef WI_EXPERIMENTS_SERIES_VALUE_H
#define WI_EXPERIMENTS_SERIES_VALUE_H

#include "experiments/exposure_series.h"

enum wi_unit {
    WI_UNIT_NONE,
    WI_UNIT_C,
    WI_UNIT_F,
    WI_UNIT_K,
    WI_UNIT_PCT,
    WI_UNIT_G,
    WI_UNIT_MG,
    WI_UNIT_M_S2,
    WI_UNIT_HZ,
    WI_UNIT_OTHER /* stated, and not one of these */
};

enum wi_value_kind {
    WI_VALUE_NUMBER,
    WI_VALUE_MISSING, /* empty, "unavailable", "nan", or text */
    WI_VALUE_DATE     /* "5. Okt", "10-May": a spreadsheet's doing */
};

/*
 * in:   comma   a comma is the decimal mark; else it is, too, where it stands alone in a cell
 * out:  value   set for WI_VALUE_NUMBER
 *       unit    as stated in the cell, else left alone
 */
enum wi_value_kind wi_value_parse(const char *text, bool comma, double *value, enum wi_unit *unit);

/* A plain number of up to 15 digits, exactly as strtod reads it but four times as fast. */
bool wi_value_is_short(const char *text, double *value);

bool wi_value_is_missing(const char *text); /* empty or a word for it */
bool wi_value_is_number(const char *text);  /* a plain number, nothing after it */

/* "°C", "celsius", "F", "%", "g", "m/s²", ... at the start of a text. */
enum wi_unit wi_unit_parse(const char *text);

/* To the channel's own unit; false for a unit that is not one of this quantity. */
bool wi_unit_convert(enum wi_channel channel, enum wi_unit unit, double *value);

enum wi_role {
    WI_ROLE_IGNORE,
    WI_ROLE_TIME,
    WI_ROLE_DATE,
    WI_ROLE_CLOCK,
    WI_ROLE_NAME,
    WI_ROLE_VALUE,
    WI_ROLE_UNIT,
    WI_ROLE_CHANNEL /* + enum wi_channel */
};

struct wi_series_column {
    int role; /* enum wi_role, or WI_ROLE_CHANNEL + channel */
    enum wi_unit unit;
    bool preferred; /* its name speaks of the air around: ambient, inlet, chamber, room */
    char name[64];
};

/* What a column's (or sensor's) name means. */
void wi_series_column_read(const char *name, struct wi_series_column *column);

/* "temp=Inlet,rh=Hum": roles by option; other columns of those quantities are ignored. */
enum wi_status wi_series_columns_by_option(const char *option, char *const *names, size_t n,
                                           struct wi_series_column *columns, struct wi_err *err);

/* Which column serves what; -1 = none. */
struct wi_series_layout {
    int time, date, clock, name, value, unit;
    int channels[WI_N_CHANNELS];
    bool is_long; /* one row per sensor */
};

/*
 * Of several columns of one quantity the preferred one, else the first; the others are warned of in
 * one line per quantity.
 *
 * in:   warnings   NULL = silent
 */
enum wi_status wi_series_layout_choose(const struct wi_series_column *columns, size_t n,
                                       struct wi_series_layout *layout, struct wi_texts *warnings,
                                       const char *file, struct wi_err *err);

#endif
