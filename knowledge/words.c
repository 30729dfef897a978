#include "knowledge/words.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Latin-1 and a little more to ASCII. Sorted by code point ranges as they stand in Unicode. */
static const struct {
    uint32_t first, last;
    const char *ascii;
} folds[] = {
    {0x00b5, 0x00b5, "u"}, {0x00c0, 0x00c5, "a"},  {0x00c6, 0x00c6, "ae"}, {0x00c7, 0x00c7, "c"},
    {0x00c8, 0x00cb, "e"}, {0x00cc, 0x00cf, "i"},  {0x00d1, 0x00d1, "n"},  {0x00d2, 0x00d6, "o"},
    {0x00d8, 0x00d8, "o"}, {0x00d9, 0x00dc, "u"},  {0x00dd, 0x00dd, "y"},  {0x00df, 0x00df, "ss"},
    {0x00e0, 0x00e5, "a"}, {0x00e6, 0x00e6, "ae"}, {0x00e7, 0x00e7, "c"},  {0x00e8, 0x00eb, "e"},
    {0x00ec, 0x00ef, "i"}, {0x00f1, 0x00f1, "n"},  {0x00f2, 0x00f6, "o"},  {0x00f8, 0x00f8, "o"},
    {0x00f9, 0x00fc, "u"}, {0x00fd, 0x00fd, "y"},  {0x00ff, 0x00ff, "y"},  {0x0152, 0x0153, "oe"},
    {0x03bc, 0x03bc, "u"},
};

/* One code point; bytes that are not UTF-8 come back as 0, a separator. */
static uint32_t next_code(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    uint32_t c = *p;
    int more = c < 0x80 ? 0 : c >= 0xf0 && c < 0xf8 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : -1;

    *text += 1;
    if (more <= 0 || c >= 0xf8)
        return more == 0 ? c : 0;
    c &= 0x3fu >> more;
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    *text += more;
    return c;
}

/* Scripts without spaces: every character is a word, the table joins them. */
static bool is_ideograph(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) ||
           (c >= 0xac00 && c <= 0xd7af);
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

/* The folded form of a letter or digit in buf; "" for a separator. */
static void fold(uint32_t c, const char *from, size_t len, char buf[8])
{
    buf[0] = buf[1] = '\0';
    if (is_digit(c) || (c >= 'a' && c <= 'z')) {
        buf[0] = (char)c;
    } else if (c >= 'A' && c <= 'Z') {
        buf[0] = (char)(c - 'A' + 'a');
    } else if (c >= 0x80) {
        for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++) {
            if (c >= folds[i].first && c <= folds[i].last)
                snprintf(buf, 8, "%s", folds[i].ascii);
        }
        if (!buf[0] && c >= 0x100 && c != 0x2019 && !(c >= 0x2000 && c <= 0x206f) && len < 8) {
            memcpy(buf, from, len); /* other scripts stay as they are */
            buf[len] = '\0';
        }
    }
}

bool wi_word_next(const char **text, char word[WI_WORD_MAX])
{
    size_t n = 0;

    while (**text) {
        const char *from = *text;
        uint32_t c = next_code(text);
        size_t len = (size_t)(*text - from);
        char buf[8];

        if (is_ideograph(c)) {
            if (n > 0) {
                *text = from;
                break;
            }
            memcpy(word, from, len);
            word[len] = '\0';
            return true;
        }
        /* "99.99" and "1.1" are one word, the end of a sentence is not. */
        if (c == '.' && n > 0 && is_digit((unsigned char)word[n - 1]) &&
            is_digit((unsigned char)**text)) {
            buf[0] = '.';
            buf[1] = '\0';
        } else {
            fold(c, from, len, buf);
        }
        if (!buf[0]) {
            if (n > 0)
                break;
            continue;
        }
        size_t k = strlen(buf);
        if (n + k < WI_WORD_MAX) {
            memcpy(word + n, buf, k);
            n += k;
        }
    }
    word[n] = '\0';
    return n > 0;
}

/* ---- stems: plural, -ing, -ed, final e; enough for technical English ---- */

static bool ends(const char *w, size_t n, const char *suffix)
{
    size_t k = strlen(suffix);

    return n > k && memcmp(w + n - k, suffix, k) == 0;
}

static size_t undouble(char *w, size_t n)
{
    bool twice = n > 3 && w[n - 1] == w[n - 2] && !strchr("lsz", w[n - 1]);

    return twice ? n - 1 : n;
}

/* "60c", "99.99th", "280gb": the number; "3d" is a word. */
static void cut_unit(char *w)
{
    size_t digits = strspn(w, "0123456789."), rest = strlen(w + digits);

    if (digits > 0 && rest > 0 && rest <= 2 && strcmp(w + digits, "d") != 0)
        w[digits] = '\0';
}

void wi_word_stem(char *w)
{
    size_t n = strlen(w);

    if (is_digit((unsigned char)w[0]))
        cut_unit(w);
    if (n < 4 || w[0] < 'a' || w[0] > 'z')
        return;
    if (ends(w, n, "ies") && n > 4) {
        n -= 2;
        w[n - 1] = 'y';
    } else if (ends(w, n, "sses")) {
        n -= 2;
    } else if (ends(w, n, "s") && !ends(w, n, "ss") && !ends(w, n, "us") && !ends(w, n, "is")) {
        n -= 1;
    }
    if (ends(w, n, "ing") && n >= 6)
        n = undouble(w, n - 3);
    else if (ends(w, n, "ed") && n >= 5)
        n = undouble(w, n - 2);
    if (n > 4 && w[n - 1] == 'e')
        n--;
    w[n] = '\0';
}
