#include "core/question_text.h"

#include <stdbool.h>
#include <string.h>

/*
 * Decode one code point.
 * returns its length in bytes; invalid bytes give U+0020 and length 1
 */
static size_t decode(const unsigned char *p, size_t n, uint32_t *cp)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = p[0] < 0x80             ? 1
                 : (p[0] & 0xe0) == 0xc0 ? 2
                 : (p[0] & 0xf0) == 0xe0 ? 3
                 : (p[0] & 0xf8) == 0xf0 ? 4
                                         : 0;

    *cp = ' ';
    if (len == 1) {
        *cp = p[0];
        return 1;
    }
    if (len == 0 || len > n)
        return 1;
    uint32_t v = p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 1;
        v = v << 6 | (p[i] & 0x3f);
    }
    if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
        return 1;
    *cp = v;
    return len;
}

/* Code points that become other text; each text is no longer than the code point's UTF-8 form. */
static const struct {
    uint32_t first, last;
    const char *text;
} replaced[] = {
    {0x00, 0x1f, " "},
    {0x7f, 0x9f, " "},
    {'{', '{', "("},
    {'}', '}', ")"},
    {0xa0, 0xa0, " "},
    {0xad, 0xad, ""},
    {0xb0, 0xb0, "\xc2\xb0"},
    {0xb2, 0xb2, "2"},
    {0xb4, 0xb4, "'"},
    {0xba, 0xba, "\xc2\xb0"},
    {0xbf, 0xbf, " "},
    {0xa1, 0xa1, " "},
    {0xbd, 0xbd, ".5"},
    {0xc0, 0xc5, "a"},
    {0xc6, 0xc6, "ae"},
    {0xc7, 0xc7, "c"},
    {0xc8, 0xcb, "e"},
    {0xcc, 0xcf, "i"},
    {0xd1, 0xd1, "n"},
    {0xd2, 0xd6, "o"},
    {0xd8, 0xd8, "o"},
    {0xd9, 0xdc, "u"},
    {0xdd, 0xdd, "y"},
    {0xdf, 0xdf, "ss"},
    {0xe0, 0xe5, "a"},
    {0xe6, 0xe6, "ae"},
    {0xe7, 0xe7, "c"},
    {0xe8, 0xeb, "e"},
    {0xec, 0xef, "i"},
    {0xf1, 0xf1, "n"},
    {0xf2, 0xf6, "o"},
    {0xf8, 0xf8, "o"},
    {0xf9, 0xfc, "u"},
    {0xfd, 0xfd, "y"},
    {0xff, 0xff, "y"},
    {0x152, 0x153, "oe"},
    {0x2da, 0x2da, "\xc2\xb0"},
    {0x2b9, 0x2bc, "'"},
    {0x300, 0x309, ""},
    {0x30a, 0x30a, "\xc2\xb0"}, /* a combining ring used as a degree sign */
    {0x66a, 0x66a, "%"},
    {0x2000, 0x200a, " "},
    {0x200b, 0x200f, ""},
    {0x2010, 0x2015, "-"},
    {0x2018, 0x201b, "'"},
    {0x201c, 0x201f, "\""},
    {0x2026, 0x2026, "..."},
    {0x2028, 0x202f, " "},
    {0x2032, 0x2032, "'"},
    {0x205f, 0x205f, " "},
    {0x2060, 0x2064, ""},
    {0x2103, 0x2103,
     "\xc2\xb0"
     "c"},
    {0x2109, 0x2109,
     "\xc2\xb0"
     "f"},
    {0x212a, 0x212a, "k"},
    {0x2192, 0x2192, "->"},
    {0x21d2, 0x21d2, "->"},
    {0x2794, 0x2794, "->"},
    {0x279c, 0x279c, "->"},
    {0x27a1, 0x27a1, "->"},
    {0x2212, 0x2212, "-"},
    {0x223c, 0x223c, "~"},
    {0x3000, 0x3000, " "},
    {0x3002, 0x3002, "."},
    {0xfe58, 0xfe58, "-"},
    {0xfe63, 0xfe63, "-"},
    {0xfe6a, 0xfe6a, "%"},
    {0xfeff, 0xfeff, ""},
};

static const char *replacement(uint32_t cp)
{
    for (size_t i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++) {
        if (cp >= replaced[i].first && cp <= replaced[i].last)
            return replaced[i].text;
    }
    return NULL;
}

static void put(struct q_text *t, char c, size_t origin)
{
    t->norm[t->len] = c;
    t->origin[t->len++] = (uint16_t)origin;
}

static bool norm_ends_with(const struct q_text *t, const char *tail)
{
    size_t n = strlen(tail);

    return t->len >= n && memcmp(t->norm + t->len - n, tail, n) == 0;
}

/* "=>" is an arrow, "vs." no end of a sentence. */
static void put_ascii(struct q_text *t, char c, size_t origin)
{
    if (c >= 'A' && c <= 'Z')
        c = (char)(c - 'A' + 'a');
    if (c == '>' && norm_ends_with(t, "="))
        t->norm[t->len - 1] = '-';
    if (c == '.' && norm_ends_with(t, " vs"))
        c = ' ';
    put(t, c, origin);
}

void q_text_init(struct q_text *t, const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text;

    t->len = 0;
    t->original = text;
    t->original_len = len;
    for (size_t i = 0; i < len;) {
        uint32_t cp;
        size_t n = decode(p + i, len - i, &cp);
        const char *r;

        if (cp >= 0xff01 && cp <= 0xff5e) /* full-width forms of ASCII */
            cp = cp - 0xff01 + '!';
        r = replacement(cp);
        if (r) {
            for (; *r; r++)
                put(t, *r, i);
        } else if (cp < 0x80) {
            put_ascii(t, (char)cp, i);
        } else {
            for (size_t k = 0; k < n; k++)
                put(t, text[i + k], i + k);
        }
        i += n;
    }
    t->norm[t->len] = '\0';
    t->origin[t->len] = (uint16_t)len;
}

void q_text_quote(const struct q_text *t, size_t start, size_t end, char *buf, size_t size)
{
    size_t from = t->origin[start], to = t->origin[end], n = 0;

    while (to > from && t->original[to - 1] == ' ')
        to--;
    for (size_t i = from; i < to && n + 1 < size; i++) {
        unsigned char c = (unsigned char)t->original[i];

        buf[n++] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
    }
    /* Do not end inside a character. */
    while (from + n < to && n > 0 && ((unsigned char)t->original[from + n] & 0xc0) == 0x80)
        n--;
    buf[n] = '\0';
}

/* ---- number words ---- */

enum word_kind { UNIT, TEEN, TENS, HUNDRED, THOUSAND, ORDINAL, TENS_ORDINAL };

static const struct {
    const char *word;
    enum word_kind kind;
    unsigned value;
} number_words[] = {
    {"zero", UNIT, 0},
    {"one", UNIT, 1},
    {"two", UNIT, 2},
    {"three", UNIT, 3},
    {"four", UNIT, 4},
    {"five", UNIT, 5},
    {"six", UNIT, 6},
    {"seven", UNIT, 7},
    {"eight", UNIT, 8},
    {"nine", UNIT, 9},
    {"ten", TEEN, 10},
    {"eleven", TEEN, 11},
    {"twelve", TEEN, 12},
    {"thirteen", TEEN, 13},
    {"fourteen", TEEN, 14},
    {"fifteen", TEEN, 15},
    {"sixteen", TEEN, 16},
    {"seventeen", TEEN, 17},
    {"eighteen", TEEN, 18},
    {"nineteen", TEEN, 19},
    {"twenty", TENS, 20},
    {"thirty", TENS, 30},
    {"forty", TENS, 40},
    {"fourty", TENS, 40},
    {"fifty", TENS, 50},
    {"sixty", TENS, 60},
    {"seventy", TENS, 70},
    {"eighty", TENS, 80},
    {"ninety", TENS, 90},
    {"hundred", HUNDRED, 100},
    {"thousand", THOUSAND, 1000},
    {"first", ORDINAL, 1},
    {"second", ORDINAL, 2},
    {"third", ORDINAL, 3},
    {"fourth", ORDINAL, 4},
    {"fifth", ORDINAL, 5},
    {"sixth", ORDINAL, 6},
    {"seventh", ORDINAL, 7},
    {"eighth", ORDINAL, 8},
    {"ninth", ORDINAL, 9},
    {"fiftieth", TENS_ORDINAL, 50},
    {"ninetieth", TENS_ORDINAL, 90},
};
#define N_NUMBER_WORDS (sizeof(number_words) / sizeof(number_words[0]))

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Length of the word at i, 0 if none starts there. */
static size_t word_at(const struct q_text *t, size_t i)
{
    size_t n = 0;

    if (i > 0 && is_letter(t->norm[i - 1]))
        return 0;
    while (i + n < t->len && t->norm[i + n] >= 'a' && t->norm[i + n] <= 'z')
        n++;
    return i + n < t->len && is_letter(t->norm[i + n]) ? 0 : n;
}

static bool word_is(const struct q_text *t, size_t i, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(t->norm + i, word, n) == 0;
}

/* Row of the number word at i, N_NUMBER_WORDS if it is none. */
static size_t find_number_word(const struct q_text *t, size_t i, size_t n)
{
    for (size_t r = 0; r < N_NUMBER_WORDS; r++) {
        if (word_is(t, i, n, number_words[r].word))
            return r;
    }
    return N_NUMBER_WORDS;
}

struct spelled {
    unsigned long value;
    char decimals[8];
    size_t n_decimals;
    bool ordinal;
    size_t end; /* after the last word */
    size_t n_words;
};

/* May `kind` follow the words so far? `last` is what they end in. */
static bool may_follow(const struct spelled *s, enum word_kind last, enum word_kind kind)
{
    if (s->n_words == 0)
        return kind != ORDINAL && kind != HUNDRED && kind != THOUSAND;
    switch (kind) {
    case UNIT:
    case ORDINAL:
        return last == TENS || last == HUNDRED || last == THOUSAND;
    case TEEN:
    case TENS:
    case TENS_ORDINAL:
        return last == HUNDRED || last == THOUSAND;
    case HUNDRED:
        return last == UNIT;
    case THOUSAND:
        return last != THOUSAND;
    }
    return false;
}

/* Where the next word of a number may start: over one blank or hyphen, and over "and". */
static size_t next_word(const struct q_text *t, size_t i, bool and_allowed)
{
    if (i >= t->len || (t->norm[i] != ' ' && t->norm[i] != '-'))
        return t->len;
    i++;
    if (and_allowed && i + 4 < t->len && memcmp(t->norm + i, "and ", 4) == 0)
        i += 4;
    return i;
}

/* "point nine nine" after the whole part. */
static void read_decimals(const struct q_text *t, struct spelled *s)
{
    size_t i = next_word(t, s->end, false);
    size_t n = word_at(t, i);

    if (!word_is(t, i, n, "point"))
        return;
    for (i = next_word(t, i + n, false); s->n_decimals < sizeof(s->decimals);
         i = next_word(t, i + n, false)) {
        size_t row;

        n = word_at(t, i);
        row = find_number_word(t, i, n);
        if (row == N_NUMBER_WORDS || number_words[row].kind != UNIT)
            return;
        s->decimals[s->n_decimals++] = (char)('0' + number_words[row].value);
        s->end = i + n;
    }
}

/* Read the number spelled at i. returns false if there is none */
static bool read_spelled(const struct q_text *t, size_t i, struct spelled *s)
{
    enum word_kind last = UNIT;

    *s = (struct spelled){0};
    while (i < t->len && s->n_words < 12) {
        size_t n = word_at(t, i);
        size_t row = n ? find_number_word(t, i, n) : N_NUMBER_WORDS;
        enum word_kind kind;

        if (n == 1 && t->norm[i] == 'a' && s->n_words == 0) { /* "a hundred" */
            size_t k = next_word(t, i + 1, false);

            row = find_number_word(t, k, word_at(t, k));
            if (row == N_NUMBER_WORDS ||
                (number_words[row].kind != HUNDRED && number_words[row].kind != THOUSAND))
                return false;
            s->value = 1;
            s->n_words = 1;
            i = k;
            last = UNIT;
            continue;
        }
        if (row == N_NUMBER_WORDS)
            break;
        kind = number_words[row].kind;
        if (!may_follow(s, last, kind))
            break;
        if (kind == HUNDRED)
            s->value = s->value / 100 * 100 + s->value % 100 * 100;
        else if (kind == THOUSAND)
            s->value *= 1000;
        else
            s->value += number_words[row].value;
        s->n_words++;
        s->end = i + n;
        last = kind;
        s->ordinal = kind == ORDINAL || kind == TENS_ORDINAL;
        if (s->ordinal)
            break;
        i = next_word(t, i + n, last == HUNDRED || last == THOUSAND);
    }
    if (s->n_words == 0)
        return false;
    if (!s->ordinal)
        read_decimals(t, s);
    return true;
}

/* "one" is mostly a pronoun; it is a number before these. */
static bool one_is_a_number(const struct q_text *t, size_t end)
{
    static const char *const units[] = {
        "hour",    "hours", "day",   "week", "month", "year", "minute", "bit", "degree", "degrees",
        "percent", "in",    "hertz", "hz",   "g",     "grms", "tb",     "gb",  "nine"};
    size_t i = next_word(t, end, false);
    size_t n = i < t->len ? word_at(t, i) : 0;

    for (size_t k = 0; k < sizeof(units) / sizeof(units[0]); k++) {
        if (word_is(t, i, n, units[k]))
            return true;
    }
    return false;
}

/* "minus 10", "minus ten": a sign. */
static size_t minus_at(const struct q_text *t, size_t i)
{
    size_t n = word_at(t, i), k;
    struct spelled s;

    if (!(word_is(t, i, n, "minus") || word_is(t, i, n, "negative") || word_is(t, i, n, "menos") ||
          word_is(t, i, n, "moins")))
        return 0;
    k = i + n + 1;
    if (k >= t->len || t->norm[i + n] != ' ')
        return 0;
    if (t->norm[k] >= '0' && t->norm[k] <= '9')
        return n + 1;
    return read_spelled(t, k, &s) ? n + 1 : 0;
}

static size_t format_spelled(const struct spelled *s, char *buf)
{
    char digits[24];
    size_t n = 0, len = 0;
    unsigned long v = s->value;

    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v && n < sizeof(digits));
    while (n > 0)
        buf[len++] = digits[--n];
    if (s->n_decimals)
        buf[len++] = '.';
    for (size_t i = 0; i < s->n_decimals; i++)
        buf[len++] = s->decimals[i];
    if (s->ordinal) {
        buf[len++] = 't';
        buf[len++] = 'h';
    }
    return len;
}

void q_text_number_words(struct q_text *t)
{
    size_t out = 0;

    /* The digits are never longer than the words, so that writing stays behind reading; each read
     * looks at unwritten text only, except for the one byte before it. */
    for (size_t i = 0; i < t->len;) {
        struct spelled s;
        char buf[48];
        size_t len, minus = 0;

        if (t->norm[i] >= 'a' && t->norm[i] <= 'z')
            minus = minus_at(t, i);
        if (minus) {
            t->norm[out] = '-';
            t->origin[out++] = t->origin[i];
            i += minus;
            continue;
        }
        if (t->norm[i] < 'a' || t->norm[i] > 'z' || !read_spelled(t, i, &s) ||
            (s.value == 1 && s.n_words == 1 && !s.n_decimals && !one_is_a_number(t, s.end)) ||
            (len = format_spelled(&s, buf)) > s.end - i) {
            /* A whole word at once, so that its tail is not taken for a word. */
            do {
                t->norm[out] = t->norm[i];
                t->origin[out++] = t->origin[i++];
            } while (i < t->len && is_letter(t->norm[i]) && is_letter(t->norm[i - 1]));
            continue;
        }
        for (size_t k = 0; k < len; k++) {
            t->norm[out] = buf[k];
            t->origin[out++] = t->origin[i + (k < s.end - i ? k : 0)];
        }
        i = s.end;
    }
    t->norm[out] = '\0';
    t->origin[out] = (uint16_t)t->original_len;
    t->len = out;
}
