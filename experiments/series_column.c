/* What the columns and sensors of a logger are, by their names. */
#include "experiments/series_value.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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
