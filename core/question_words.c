/* Phrases with a fixed meaning, and key=value. */
#include "core/question_reader.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void q_quote(const struct q_reader *r, size_t start, size_t end, char quote[Q_QUOTE_MAX])
{
    q_text_quote(&r->text, start, end, quote, Q_QUOTE_MAX);
}

double q_number(const char *text, size_t len, bool comma_decimal)
{
    char buf[64];
    size_t n = 0;
    const char *comma = memchr(text, ',', len);
    bool thousands = comma && !comma_decimal && len - (size_t)(comma - text) >= 4 &&
                     isdigit((unsigned char)comma[3]) && text[0] != '0';

    for (size_t i = 0; i < len && n + 1 < sizeof(buf); i++) {
        if (text[i] == ' ' || (text[i] == ',' && thousands))
            continue;
        buf[n++] = text[i] == ',' ? '.' : text[i];
    }
    buf[n] = '\0';
    return strtod(buf, NULL);
}

bool q_choices_add(struct q_choices *c, int value, size_t at)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->items[i].value == value) {
            if (at < c->items[i].at)
                c->items[i].at = at;
            return true;
        }
    }
    if (c->n == Q_CHOICES_MAX)
        return false;
    c->items[c->n++] = (struct q_choice){value, at};
    return true;
}

/* ---- percentiles ---- */

static enum wi_status add_percentile(struct q_reader *r, double p, const char *quote,
                                     struct wi_err *err)
{
    if (!(p >= WI_PERCENTILE_MIN && p <= WI_PERCENTILE_MAX))
        return wi_fail(err, WI_ERANGE,
                       "'%s': percentile %g does not exist, must be %g..%g (100 = maximum)", quote,
                       p, WI_PERCENTILE_MIN, WI_PERCENTILE_MAX);
    for (size_t i = 0; i < r->n_percentiles; i++) {
        if (r->percentiles[i] == p)
            return WI_OK;
    }
    if (r->n_percentiles == WI_PERCENTILES_MAX)
        return wi_fail(err, WI_ERANGE, "more than %d percentiles are named", WI_PERCENTILES_MAX);
    r->percentiles[r->n_percentiles++] = p;
    return WI_OK;
}

/* "p99.9"; without a point, digits after the second belong behind it: p999 is 99.9. */
static enum wi_status add_p_form(struct q_reader *r, const char *text, size_t len,
                                 const char *quote, struct wi_err *err)
{
    double p = q_number(text, len, true);
    bool nines = len > 2 && strspn(text, "9") >= len;

    if (!nines)
        return add_percentile(r, p, quote, err);
    for (size_t i = 2; i < len; i++)
        p /= 10.0;
    p = round(p * 1e6) / 1e6;
    enum wi_status st =
        wi_texts_add(&r->out->warnings, "", err, "'%s' is read as percentile %g", quote, p);
    return st == WI_OK ? add_percentile(r, p, quote, err) : st;
}

/* Is the comma at `i` a decimal one? "99,9" it is; "95,99" and "90,95,99" separate. */
static bool is_decimal_comma(const char *text, size_t len, size_t i)
{
    size_t n_commas = 0;

    if (i + 1 >= len || !isdigit((unsigned char)text[i + 1]) || i == 0 ||
        !isdigit((unsigned char)text[i - 1]))
        return false;
    for (size_t k = 0; k < len; k++) {
        if (text[k] == '.' && k + 1 < len && isdigit((unsigned char)text[k + 1]))
            return false;
        n_commas += text[k] == ',';
    }
    return n_commas == 1 ? i + 2 == len || !isdigit((unsigned char)text[i + 2]) ||
                               (i >= 2 && text[i - 1] == '9' && text[i - 2] == '9')
                         : i >= 2 && text[i - 1] == '9' && text[i - 2] == '9' && text[i + 1] == '9';
}

static enum wi_status add_percentile_list(struct q_reader *r, const char *text, size_t len,
                                          const char *quote, struct wi_err *err)
{
    for (size_t i = 0; i < len;) {
        size_t n = 0;
        enum wi_status st;

        if (!isdigit((unsigned char)text[i])) {
            i++;
            continue;
        }
        while (i + n < len && (isdigit((unsigned char)text[i + n]) ||
                               (text[i + n] == '.' && i + n + 1 < len &&
                                isdigit((unsigned char)text[i + n + 1])) ||
                               (text[i + n] == ',' && is_decimal_comma(text, len, i + n))))
            n++;
        st = add_percentile(r, q_number(text + i, n, true), quote, err);
        if (st != WI_OK)
            return st;
        i += n;
    }
    return WI_OK;
}

/* ---- one phrase ---- */

static uint8_t group_of(const struct q_word_rule *rule)
{
    switch (rule->act) {
    case Q_NAND:
        return Q_G_NAND;
    case Q_OP:
        return Q_G_OP;
    case Q_PCTL:
    case Q_PCTL_LIST:
    case Q_PCTL_P:
    case Q_PCTL_NINES:
    case Q_PCTL_SLOWEST:
    case Q_PCTL_ONE_IN:
        return Q_G_PERCENTILE;
    case Q_VIB:
    case Q_VIB_IMPLIED:
    case Q_VIB_NONE:
        return Q_G_VIB;
    case Q_AXIS:
        return Q_G_AXIS;
    case Q_SKIP:
        return rule->value ? (uint8_t)rule->value : Q_G_OTHER;
    case Q_CAPACITY:
    case Q_PE_CYCLES:
    case Q_CONFIDENCE:
    case Q_CLIMATE:
    case Q_INTERFACE:
        return Q_G_OTHER;
    default:
        return 0;
    }
}

static bool is_claimed(const struct q_reader *r, const struct q_span *span, uint8_t group)
{
    for (size_t i = span->start; i < span->end; i++) {
        if (r->claimed[i] & group)
            return true;
    }
    return false;
}

/* The digits inside a phrase are no quantities of their own. */
static void claim(struct q_reader *r, const struct q_span *span, uint8_t group)
{
    for (size_t i = span->start; i < span->end; i++) {
        r->claimed[i] |= group;
        if (isdigit((unsigned char)r->text.norm[i]))
            r->taken[i] = 1;
    }
}

static enum wi_status warn_phrase(struct q_reader *r, const char *quote, const char *note,
                                  struct wi_err *err)
{
    return wi_texts_add(&r->out->warnings, "", err, "'%s' %s", quote, note);
}

static enum wi_status percentile_phrase(struct q_reader *r, const struct q_span *g,
                                        const char *quote, struct wi_err *err)
{
    const char *text = g[1].start == SIZE_MAX ? "" : r->text.norm + g[1].start;
    size_t len = g[1].start == SIZE_MAX ? 0 : g[1].end - g[1].start;

    switch (r->word_rule->act) {
    case Q_PCTL_LIST:
        return add_percentile_list(r, text, len, quote, err);
    case Q_PCTL_P:
        return add_p_form(r, text, len, quote, err);
    case Q_PCTL_NINES:
        return add_percentile(
            r, text[0] == '0' ? 0 : round((100 - 100 * pow(10, -(text[0] - '0'))) * 1e9) / 1e9,
            quote, err);
    case Q_PCTL_SLOWEST:
        return add_percentile(r, round((100 - q_number(text, len, false)) * 1e9) / 1e9, quote, err);
    case Q_PCTL_ONE_IN:
        return add_percentile(r, round((100 - 100 / q_number(text, len, false)) * 1e9) / 1e9, quote,
                              err);
    default:
        return add_percentile(r, r->word_rule->value, quote, err);
    }
}

static void add_quantity(struct q_reader *r, char kind, double value, const struct q_span *span)
{
    if (r->n_quantities == Q_QUANTITIES_MAX)
        return;
    r->quantities[r->n_quantities++] = (struct q_quantity){
        .kind = kind, .unit = Q_U_C, .value = value, .start = span->start, .end = span->end};
}

static enum wi_status device_phrase(struct q_reader *r, const struct q_span *g)
{
    const struct q_word_rule *rule = r->word_rule;
    double v = g[1].start == SIZE_MAX
                   ? 0
                   : q_number(r->text.norm + g[1].start, g[1].end - g[1].start, false);

    switch (rule->act) {
    case Q_VENDOR: {
        /* A lone "a" is an article unless it was written as a name. */
        char c = r->text.original[r->text.origin[g[1].start]];

        if (isupper((unsigned char)c) || c != 'a')
            q_choices_add(&r->vendors, toupper((unsigned char)c), g[0].start);
        return WI_OK;
    }
    case Q_INTERFACE:
        snprintf(r->words.interface, sizeof(r->words.interface), "%s", rule->note);
        return WI_OK;
    case Q_CAPACITY:
        r->words.capacity_gb = v * rule->value;
        return WI_OK;
    case Q_PE_CYCLES:
        r->words.pe_cycles = v * rule->value;
        return WI_OK;
    case Q_CONFIDENCE:
        r->words.confidence = v / 100.0;
        r->words.given |= WI_F_CONFIDENCE;
        return WI_OK;
    case Q_CLIMATE:
        add_quantity(r, 't', v, &g[1]);
        add_quantity(r, 'h', q_number(r->text.norm + g[2].start, g[2].end - g[2].start, false),
                     &g[2]);
        return WI_OK;
    default:
        assert(false); /* act_on sends device phrases only */
        return WI_OK;
    }
}

static void topic_phrase(struct q_reader *r, const char *quote)
{
    switch (r->word_rule->act) {
    case Q_STRONG:
        r->strong = true;
        break;
    case Q_WEAK:
        r->weak |= (unsigned)r->word_rule->value;
        break;
    case Q_OFF:
        r->off = true;
        break;
    case Q_DISK:
        r->disk = true;
        snprintf(r->disk_word, sizeof(r->disk_word), "%s", quote);
        break;
    case Q_HDD:
        snprintf(r->hdd, sizeof(r->hdd), "%s", quote);
        break;
    case Q_HEAT_WORD:
        r->heat_word = true;
        break;
    case Q_HUMID_WORD:
        r->humid_word = true;
        break;
    default:
        break;
    }
}

static void vib_phrase(struct q_reader *r, const char *quote)
{
    switch (r->word_rule->act) {
    case Q_VIB:
        r->vib = true;
        break;
    case Q_VIB_NONE:
        r->vib_none = true;
        snprintf(r->still_word, sizeof(r->still_word), "%s", quote);
        break;
    default:
        r->vib_implied = true;
        if (!r->implied_word[0])
            snprintf(r->implied_word, sizeof(r->implied_word), "%s", quote);
        r->implied_note = r->word_rule->note;
        break;
    }
}

static enum wi_status act_on(struct q_reader *r, const struct q_span *g, const char *quote,
                             struct wi_err *err)
{
    const struct q_word_rule *rule = r->word_rule;

    switch (rule->act) {
    case Q_NAND:
        q_choices_add(&r->nands, rule->value, g[0].start);
        return rule->note ? warn_phrase(r, quote, rule->note, err) : WI_OK;
    case Q_CONSTRUCTION:
        snprintf(r->construction, sizeof(r->construction), "%s", quote);
        r->construction_note = rule->note;
        return WI_OK;
    case Q_OP:
        q_choices_add(&r->ops, rule->value, g[0].start);
        return WI_OK;
    case Q_AXIS:
        q_choices_add(&r->axes, rule->value, g[0].start);
        return WI_OK;
    case Q_LATENCY:
        r->out->wants_latency = true;
        return WI_OK;
    case Q_BANDWIDTH:
        r->out->wants_bandwidth = true;
        return rule->note ? warn_phrase(r, quote, rule->note, err) : WI_OK;
    case Q_PCTL:
    case Q_PCTL_LIST:
    case Q_PCTL_P:
    case Q_PCTL_NINES:
    case Q_PCTL_SLOWEST:
    case Q_PCTL_ONE_IN:
        r->out->wants_latency = true;
        return percentile_phrase(r, g, quote, err);
    case Q_VIB:
    case Q_VIB_IMPLIED:
    case Q_VIB_NONE:
        vib_phrase(r, quote);
        return WI_OK;
    case Q_REFUSE:
        return wi_fail(err, WI_EDATA, "'%s': %s", quote, rule->note);
    case Q_WARN:
        claim(r, &g[0], Q_G_OTHER);
        return warn_phrase(r, quote, rule->note, err);
    case Q_SKIP:
        return WI_OK;
    case Q_VENDOR:
    case Q_INTERFACE:
    case Q_CAPACITY:
    case Q_PE_CYCLES:
    case Q_CONFIDENCE:
    case Q_CLIMATE:
        return device_phrase(r, g);
    default:
        topic_phrase(r, quote);
        return WI_OK;
    }
}

static enum wi_status on_word(void *ctx, const struct q_span *g, struct wi_err *err)
{
    struct q_reader *r = ctx;
    uint8_t group = group_of(r->word_rule);
    char quote[Q_QUOTE_MAX];

    if (group && is_claimed(r, &g[0], group))
        return WI_OK;
    if (group)
        claim(r, &g[0], group);
    q_quote(r, g[0].start, g[0].end, quote);
    return act_on(r, g, quote, err);
}

enum wi_status q_reader_words(struct q_reader *r, struct wi_err *err)
{
    for (size_t i = 0; i < q_n_word_rules; i++) {
        enum wi_status st;

        r->word_rule = &q_word_rules[i];
        st = q_match_each(r->word_rule->pattern, r->text.norm, r->text.len, on_word, r, &r->cut,
                          err);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}
