#include "experiments/series_value.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/units.h"

/* ---- numbers ---------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/*
 * Up to 15 digits are exact in a double, and so is dividing by up to 1e22: the usual readings need
 * no strtod, which takes four times as long.
 */
static const char *short_number(const char *p, char mark, double *value)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t mantissa = 0;
    int n = 0;
    int n_frac = 0;
    bool minus = *p == '-';

    if (*p == '-' || *p == '+')
        p++;
    for (; *p >= '0' && *p <= '9'; p++, n++)
        mantissa = 10 * mantissa + (uint64_t)(*p - '0');
    if (*p == mark) {
        for (p++; *p >= '0' && *p <= '9'; p++, n++, n_frac++)
            mantissa = 10 * mantissa + (uint64_t)(*p - '0');
    }
    if (n == 0 || n > 15 || *p == 'e' || *p == 'E')
        return NULL;
    *value = (double)mantissa / powers[n_frac];
    if (minus)
        *value = -*value;
    return p;
}

bool wi_value_is_short(const char *text, double *value)
{
    double v;
    const char *end = short_number(text, '.', &v);

    if (!end || *end)
        return false;
    *value = v;
    return true;
}

/*
 * A number at the start of a text; NULL if there is none. mark is '.' or ','; the other one, where
 * it stands before the mark, groups thousands.
 */
static const char *number(const char *p, char mark, double *value)
{
    char buf[64];
    char group = mark == '.' ? ',' : '.';
    bool grouped = strchr(p, mark) && strchr(p, group) && strchr(p, group) < strchr(p, mark);
    size_t n = 0;
    const char *start = p;
    const char *end = grouped ? NULL : short_number(p, mark, value);
    char *stop;

    if (end)
        return end;
    for (; n + 1 < sizeof(buf) && *p && strchr("+-0123456789.,eE", *p); p++) {
        if (!grouped || *p != group)
            buf[n++] = *p == mark ? '.' : *p;
    }
    buf[n] = '\0';
    if (!n || !strpbrk(buf, "0123456789"))
        return NULL;
    *value = strtod(buf, &stop);
    if (stop == buf || !isfinite(*value))
        return NULL;
    if (grouped)
        return *stop ? NULL : p;
    return start + (stop - buf);
}

static char decimal_mark(const char *text, bool comma)
{
    const char *dot = strrchr(text, '.');
    const char *com = strrchr(text, ',');

    if (com && (!dot || com > dot))
        return ',';
    return comma && !dot ? ',' : '.';
}

bool wi_value_is_missing(const char *text)
{
    static const char *const words[] = {"",     "unavailable", "unknown", "nan", "null", "none",
                                        "-nan", "n/a",         "na",      "-",   "--",   "error"};

    text = skip_blanks(text);
    if (isdigit((unsigned char)*text)) /* nearly every cell of a long file */
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(text, words[i]) == 0)
            return true;
    }
    return false;
}

bool wi_value_is_number(const char *text)
{
    double v;
    const char *end = number(skip_blanks(text), decimal_mark(text, false), &v);

    return end && *skip_blanks(end) == '\0';
}

/* "5. Okt", "10-May", "Oct 5", "05.Mai 10": a month's name and a digit, and nothing else. */
static bool is_month_text(const char *text)
{
    static const char *const months[] = {"jan", "feb", "mar", "mär", "mrz", "apr",
                                         "may", "mai", "jun", "jul", "aug", "sep",
                                         "oct", "okt", "nov", "dec", "dez"};
    bool digit = false;
    bool month = false;

    if (strnlen(text, 17) > 16) /* a cell may be as long as a row */
        return false;
    for (const char *p = text; *p; p++) {
        digit = digit || isdigit((unsigned char)*p);
        for (size_t i = 0; !month && i < sizeof(months) / sizeof(months[0]); i++)
            month = strncasecmp(p, months[i], strlen(months[i])) == 0 &&
                    (p == text || !isalpha((unsigned char)p[-1]));
    }
    return digit && month;
}

enum wi_value_kind wi_value_parse(const char *text, bool comma, double *value, enum wi_unit *unit)
{
    const char *end;
    enum wi_unit stated;

    text = skip_blanks(text);
    end = short_number(text, comma ? ',' : '.', value);
    if (end && !*end) /* nearly every cell of a long file */
        return WI_VALUE_NUMBER;
    end = number(text, decimal_mark(text, comma), value);
    if (end && !*end)
        return WI_VALUE_NUMBER;
    if (is_month_text(text))
        return WI_VALUE_DATE;
    if (!end)
        return WI_VALUE_MISSING;
    end = skip_blanks(end);
    if (!*end)
        return WI_VALUE_NUMBER;
    stated = wi_unit_parse(end);
    if (stated == WI_UNIT_NONE || isdigit((unsigned char)*end) || *end == '.' || *end == ',' ||
        *end == ':')
        return WI_VALUE_MISSING;
    *unit = stated;
    return WI_VALUE_NUMBER;
}

/* ---- units ------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    enum wi_unit unit;
} unit_words[] = {
    {"°c", WI_UNIT_C},         {"°f", WI_UNIT_F},        {"°k", WI_UNIT_K},
    {"º c", WI_UNIT_C},        {"ºc", WI_UNIT_C},        {"ºf", WI_UNIT_F},
    {"℃", WI_UNIT_C},          {"℉", WI_UNIT_F},         {"degrees c", WI_UNIT_C},
    {"degrees f", WI_UNIT_F},  {"degrees k", WI_UNIT_K}, {"degc", WI_UNIT_C},
    {"degf", WI_UNIT_F},       {"deg c", WI_UNIT_C},     {"deg f", WI_UNIT_F},
    {"deg_c", WI_UNIT_C},      {"deg_f", WI_UNIT_F},     {"celsius", WI_UNIT_C},
    {"fahrenheit", WI_UNIT_F}, {"kelvin", WI_UNIT_K},    {"m/s²", WI_UNIT_M_S2},
    {"m/s2", WI_UNIT_M_S2},    {"m/s^2", WI_UNIT_M_S2},  {"mm/s", WI_UNIT_OTHER},
    {"in/s", WI_UNIT_OTHER},   {"ips", WI_UNIT_OTHER},   {"mg", WI_UNIT_MG},
    {"grms", WI_UNIT_G},       {"g rms", WI_UNIT_G},     {"%", WI_UNIT_PCT},
    {"percent", WI_UNIT_PCT},  {"hz", WI_UNIT_HZ},       {"rpm", WI_UNIT_OTHER},
    {"volts", WI_UNIT_OTHER},  {"c", WI_UNIT_C},         {"f", WI_UNIT_F},
    {"k", WI_UNIT_K},          {"g", WI_UNIT_G},
};

enum wi_unit wi_unit_parse(const char *text)
{
    text = skip_blanks(text);
    for (size_t i = 0; i < sizeof(unit_words) / sizeof(unit_words[0]); i++) {
        size_t n = strlen(unit_words[i].text);

        if (strncasecmp(text, unit_words[i].text, n) == 0 && !isalnum((unsigned char)text[n]))
            return unit_words[i].unit;
    }
    return *text ? WI_UNIT_OTHER : WI_UNIT_NONE;
}

bool wi_unit_convert(enum wi_channel channel, enum wi_unit unit, double *value)
{
    switch (channel) {
    case WI_CH_TEMP:
        if (unit == WI_UNIT_F)
            *value = wi_c_from_f(*value);
        else if (unit == WI_UNIT_K)
            *value = wi_c_from_k(*value);
        return unit <= WI_UNIT_K;
    case WI_CH_RH:
        return unit == WI_UNIT_NONE || unit == WI_UNIT_PCT;
    case WI_CH_FREQ:
        return unit == WI_UNIT_NONE || unit == WI_UNIT_HZ;
    default:
        if (unit == WI_UNIT_MG)
            *value /= 1000.0;
        else if (unit == WI_UNIT_M_S2)
            *value /= WI_GRAVITY_M_S2;
        return unit == WI_UNIT_NONE || unit == WI_UNIT_G || unit == WI_UNIT_MG ||
               unit == WI_UNIT_M_S2;
    }
}

/* ---- columns ---------------------------------------------------------------------------- */

#define CHANNEL(c) (WI_ROLE_CHANNEL + (c))

/*
 * The first row that matches decides. `word` matches a whole word, else any part of the name; names
 * are lower case by then.
 */
static const struct {
    const char *text;
    bool word;
    int role;
} name_rules[] = {
    {"dew", false, WI_ROLE_IGNORE},
    {"taupunkt", false, WI_ROLE_IGNORE},
    {"setpoint", false, WI_ROLE_IGNORE},
    {"set_point", false, WI_ROLE_IGNORE},
    {"target", false, WI_ROLE_IGNORE},
    {"sollwert", false, WI_ROLE_IGNORE},
    {"heat index", false, WI_ROLE_IGNORE},
    {"heat_index", false, WI_ROLE_IGNORE},
    {"heatindex", false, WI_ROLE_IGNORE},
    {"battery", false, WI_ROLE_IGNORE},
    {"absolute", false, WI_ROLE_IGNORE},
    {"_start", true, WI_ROLE_IGNORE},
    {"_stop", true, WI_ROLE_IGNORE},
    {"unit_of_measurement", true, WI_ROLE_UNIT},
    {"unit", true, WI_ROLE_UNIT},
    {"units", true, WI_ROLE_UNIT},
    {"einheit", true, WI_ROLE_UNIT},
    {"temp", false, CHANNEL(WI_CH_TEMP)},
    {"humid", false, CHANNEL(WI_CH_RH)},
    {"feuchte", false, CHANNEL(WI_CH_RH)},
    {"feuchtigkeit", false, CHANNEL(WI_CH_RH)},
    {"rh", true, CHANNEL(WI_CH_RH)},
    {"rh_pct", true, CHANNEL(WI_CH_RH)},
    {"hum", true, CHANNEL(WI_CH_RH)},
    {"freq", false, CHANNEL(WI_CH_FREQ)},
    {"frequenz", false, CHANNEL(WI_CH_FREQ)},
    {"grms", false, CHANNEL(WI_CH_GRMS)},
    {"rms", false, CHANNEL(WI_CH_GRMS)},
    {"vib", false, CHANNEL(WI_CH_GRMS)},
    {"acc_x", false, CHANNEL(WI_CH_ACC_X)},
    {"acc_y", false, CHANNEL(WI_CH_ACC_Y)},
    {"acc_z", false, CHANNEL(WI_CH_ACC_Z)},
    {"accel_x", false, CHANNEL(WI_CH_ACC_X)},
    {"accel_y", false, CHANNEL(WI_CH_ACC_Y)},
    {"accel_z", false, CHANNEL(WI_CH_ACC_Z)},
    {"ax", true, CHANNEL(WI_CH_ACC_X)},
    {"ay", true, CHANNEL(WI_CH_ACC_Y)},
    {"az", true, CHANNEL(WI_CH_ACC_Z)},
    {"timestamp", false, WI_ROLE_TIME},
    {"datetime", false, WI_ROLE_TIME},
    {"date_time", false, WI_ROLE_TIME},
    {"date time", false, WI_ROLE_TIME},
    {"date/time", false, WI_ROLE_TIME},
    {"_time", true, WI_ROLE_TIME},
    {"last_changed", true, WI_ROLE_TIME},
    {"last_updated", true, WI_ROLE_TIME},
    {"created_at", true, WI_ROLE_TIME},
    {"epoch", false, WI_ROLE_TIME},
    {"zeitstempel", false, WI_ROLE_TIME},
    {"unixtime", false, WI_ROLE_TIME},
    {"ts", true, WI_ROLE_TIME},
    {"elapsed", false, WI_ROLE_TIME},
    {"seconds", false, WI_ROLE_TIME},
    {"time_s", true, WI_ROLE_TIME},
    {"date", false, WI_ROLE_DATE},
    {"datum", false, WI_ROLE_DATE},
    {"time", false, WI_ROLE_CLOCK},
    {"uhrzeit", false, WI_ROLE_CLOCK},
    {"zeit", false, WI_ROLE_CLOCK},
    {"entity_id", true, WI_ROLE_NAME},
    {"_field", true, WI_ROLE_NAME},
    {"field", true, WI_ROLE_NAME},
    {"sensor", true, WI_ROLE_NAME},
    {"name", true, WI_ROLE_NAME},
    {"metric", true, WI_ROLE_NAME},
    {"_value", true, WI_ROLE_VALUE},
    {"value", true, WI_ROLE_VALUE},
    {"state", true, WI_ROLE_VALUE},
    {"reading", true, WI_ROLE_VALUE},
    {"wert", true, WI_ROLE_VALUE},
    {"t", true, CHANNEL(WI_CH_TEMP)},
    {"h", true, CHANNEL(WI_CH_RH)},
};

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *name, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = strstr(name, word); p; p = strstr(p + 1, word)) {
        if ((p == name || !is_word_byte(p[-1])) && !is_word_byte(p[n]))
            return true;
    }
    return false;
}

/* The unit after the name: "Temp (°F)", "temp [K]", "temperature_c", "Feuchte in %". */
static enum wi_unit unit_in_name(const char *name)
{
    static const struct {
        const char *ending;
        enum wi_unit unit;
    } endings[] = {{"_c", WI_UNIT_C},         {"_f", WI_UNIT_F},      {"_k", WI_UNIT_K},
                   {"_mg", WI_UNIT_MG},       {"_ms2", WI_UNIT_M_S2}, {"_celsius", WI_UNIT_C},
                   {"_fahrenheit", WI_UNIT_F}};
    const char *open = strpbrk(name, "([");
    size_t n = strlen(name);
    const char *in = strstr(name, " in ");

    if (open)
        return wi_unit_parse(open + 1);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t k = strlen(endings[i].ending);

        if (n > k && strcmp(name + n - k, endings[i].ending) == 0)
            return endings[i].unit;
    }
    if (in)
        return wi_unit_parse(in + 4);
    if (strstr(name, "°c") || strstr(name, "celsius"))
        return WI_UNIT_C;
    if (strstr(name, "°f") || strstr(name, "fahrenheit"))
        return WI_UNIT_F;
    return WI_UNIT_NONE;
}

void wi_series_column_read(const char *name, struct wi_series_column *c)
{
    static const char *const around[] = {"ambient", "inlet",   "chamber", "room",    "air",
                                         "env",     "outside", "kammer",  "umgebung"};
    size_t n = 0;

    *c = (struct wi_series_column){.role = WI_ROLE_IGNORE};
    for (; name[n] && n + 1 < sizeof(c->name); n++)
        c->name[n] = (char)tolower((unsigned char)name[n]);
    c->name[n] = '\0';
    for (size_t i = 0; i < sizeof(name_rules) / sizeof(name_rules[0]); i++) {
        if (name_rules[i].word ? has_word(c->name, name_rules[i].text)
                               : strstr(c->name, name_rules[i].text) != NULL) {
            c->role = name_rules[i].role;
            break;
        }
    }
    c->unit = unit_in_name(c->name);
    for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++)
        c->preferred = c->preferred || strstr(c->name, around[i]) != NULL;
}

enum wi_status wi_series_columns_by_option(const char *option, char *const *names, size_t n,
                                           struct wi_series_column *columns, struct wi_err *err)
{
    static const struct {
        const char *key;
        int role;
    } keys[] = {{"time", WI_ROLE_TIME},          {"temp", CHANNEL(WI_CH_TEMP)},
                {"rh", CHANNEL(WI_CH_RH)},       {"grms", CHANNEL(WI_CH_GRMS)},
                {"freq", CHANNEL(WI_CH_FREQ)},   {"acc_x", CHANNEL(WI_CH_ACC_X)},
                {"acc_y", CHANNEL(WI_CH_ACC_Y)}, {"acc_z", CHANNEL(WI_CH_ACC_Z)}};

    while (*option) {
        size_t len = strcspn(option, ",");
        size_t k = 0;
        size_t i = 0;

        while (k < sizeof(keys) / sizeof(keys[0]) &&
               !(strncmp(option, keys[k].key, strlen(keys[k].key)) == 0 &&
                 option[strlen(keys[k].key)] == '='))
            k++;
        if (k == sizeof(keys) / sizeof(keys[0]))
            return wi_fail(err, WI_EUSAGE,
                           "columns: '%.*s' is not KEY=NAME with KEY time, temp, rh, grms, freq, "
                           "acc_x, acc_y, acc_z",
                           (int)(len < 60 ? len : 60), option);
        const char *wanted = option + strlen(keys[k].key) + 1;
        size_t wanted_len = len - strlen(keys[k].key) - 1;

        while (i < n &&
               !(strlen(names[i]) == wanted_len && strncasecmp(names[i], wanted, wanted_len) == 0))
            i++;
        if (i == n)
            return wi_fail(err, WI_EUSAGE, "columns: the header has no '%.*s'",
                           (int)(wanted_len < 60 ? wanted_len : 60), wanted);
        for (size_t j = 0; j < n; j++) {
            if (columns[j].role == keys[k].role)
                columns[j].role = WI_ROLE_IGNORE;
        }
        columns[i].role = keys[k].role;
        option += len + (option[len] == ',');
    }
    return WI_OK;
}

static void choose_times(const struct wi_series_column *columns, size_t n,
                         struct wi_series_layout *l)
{
    int *const slots[] = {NULL, &l->time, &l->date, &l->clock, &l->name, &l->value, &l->unit};

    for (size_t i = 0; i < n; i++) {
        int role = columns[i].role;

        if (role > WI_ROLE_IGNORE && role < WI_ROLE_CHANNEL && *slots[role] < 0)
            *slots[role] = (int)i;
    }
    /* "time" alone is the whole time; beside a date it is the clock. */
    if (l->time < 0 && l->date < 0 && l->clock >= 0) {
        l->time = l->clock;
        l->clock = -1;
    }
}

/* One line about all columns of a quantity that stand back. */
static enum wi_status warn_unused(const struct wi_series_column *columns, size_t n, int channel,
                                  int used, struct wi_texts *warnings, const char *file,
                                  struct wi_err *err)
{
    char list[256] = "";
    size_t n_unused = 0;
    size_t n_listed = 0;

    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(list);

        if (columns[i].role != CHANNEL(channel) || (int)i == used)
            continue;
        n_unused++;
        if (n_listed + 1 < n_unused || len + strlen(columns[i].name) + 5 > sizeof(list))
            continue;
        n_listed++;
        snprintf(list + len, sizeof(list) - len, "%s'%s'", len ? ", " : "", columns[i].name);
    }
    if (!n_unused)
        return WI_OK;
    if (n_listed < n_unused)
        return wi_texts_add(warnings, "", err,
                            "%s: columns %s and %zu more are not used: '%s' stands for this "
                            "quantity; --columns chooses",
                            file, list, n_unused - n_listed, columns[used].name);
    return wi_texts_add(warnings, "", err,
                        "%s: column%s %s %s not used: '%s' stands for this quantity; --columns "
                        "chooses",
                        file, n_unused > 1 ? "s" : "", list, n_unused > 1 ? "are" : "is",
                        columns[used].name);
}

enum wi_status wi_series_layout_choose(const struct wi_series_column *columns, size_t n,
                                       struct wi_series_layout *l, struct wi_texts *warnings,
                                       const char *file, struct wi_err *err)
{
    bool any = false;
    enum wi_status st = WI_OK;

    *l = (struct wi_series_layout){-1, -1, -1, -1, -1, -1, {-1, -1, -1, -1, -1, -1, -1}, false};
    choose_times(columns, n, l);
    for (size_t i = 0; i < n; i++) {
        int ch = columns[i].role - WI_ROLE_CHANNEL;

        if (ch < 0)
            continue;
        any = true;
        if (l->channels[ch] < 0 || (columns[i].preferred && !columns[l->channels[ch]].preferred))
            l->channels[ch] = (int)i;
    }
    l->is_long = !any && l->name >= 0 && l->value >= 0;
    for (int ch = 0; warnings && ch < WI_N_CHANNELS && st == WI_OK; ch++) {
        if (l->channels[ch] >= 0)
            st = warn_unused(columns, n, ch, l->channels[ch], warnings, file, err);
    }
    return st;
}
