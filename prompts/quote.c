#include "prompts/quote.h"

#include <stdint.h>
#include <string.h>

/*
 * Decode one code point.
 * out:  cp   0xFFFFFFFF for an invalid byte
 * returns bytes used, >= 1
 */
static size_t decode(const unsigned char *s, size_t n, uint32_t *cp)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t need = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    uint32_t v;

    *cp = UINT32_MAX;
    if (need == 1) {
        *cp = s[0];
        return 1;
    }
    if (s[0] < 0xc2 || s[0] > 0xf4 || need > n)
        return 1;
    v = s[0] & (0x7fu >> need);
    for (size_t i = 1; i < need; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 1;
        v = v << 6 | (s[i] & 0x3fu);
    }
    if (v < lowest[need] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
        return 1;
    *cp = v;
    return need;
}

struct range {
    uint32_t first, last;
};

static bool in_ranges(uint32_t cp, const struct range *r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (cp >= r[i].first && cp <= r[i].last)
            return true;
    }
    return false;
}

/* Invisible or able to change what a reader sees (Unicode 15, categories Cc, Cf, Zl, Zp, Co). */
static bool is_hidden(uint32_t cp)
{
    static const struct range hidden[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x061c, 0x061c},
        {0x115f, 0x1160}, {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f}, {0x3164, 0x3164}, {0xe000, 0xf8ff},   {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff},
    };

    return in_ranges(cp, hidden, sizeof(hidden) / sizeof(hidden[0]));
}

static bool is_space(uint32_t cp)
{
    return cp == '\n' || cp == '\r' || cp == '\t' || cp == 0x85 || cp == 0x2028 || cp == 0x2029;
}

/* ASCII that a code point looks like; itself if none. */
static uint32_t unmask(uint32_t cp)
{
    static const struct {
        uint32_t cp, ascii;
    } twins[] = {
        {0x2039, '<'}, {0x203a, '>'}, {0x27e8, '<'}, {0x27e9, '>'}, {0x3008, '<'}, {0x3009, '>'},
        {0x2329, '<'}, {0x232a, '>'}, {0xfe64, '<'}, {0xfe65, '>'}, {0x201c, '"'}, {0x201d, '"'},
        {0x201e, '"'}, {0x201f, '"'}, {0x2033, '"'}, {0x3010, '['}, {0x3011, ']'}, {0x301a, '['},
        {0x301b, ']'}, {0x27e6, '['}, {0x27e7, ']'}, {0x2774, '{'}, {0x2775, '}'}, {0x2502, '|'},
        {0x2223, '|'}, {0x01c0, '|'}, {0x2758, '|'}, {0x2044, '/'}, {0x2215, '/'}, {0x2581, '_'},
    };

    if (cp >= 0xff01 && cp <= 0xff5e) /* full-width forms of 0x21..0x7e */
        return cp - 0xff01 + 0x21;
    for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
        if (twins[i].cp == cp)
            return twins[i].ascii;
    }
    return cp;
}

static size_t encode(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

/* Bytes of an escape sequence that starts at s[0] == ESC or the C1 introducer: CSI, OSC, others. */
static size_t escape_length(const unsigned char *s, size_t n, size_t intro)
{
    size_t i = intro;
    unsigned char kind;

    if (s[0] == 0x1b) {
        if (n < 2)
            return 1;
        kind = s[1];
        i = 2;
    } else {
        kind = s[intro - 1] == 0x9b ? '[' : ']';
    }
    if (kind == '[') {
        while (i < n && s[i] >= 0x20 && s[i] <= 0x3f)
            i++;
        return i < n && s[i] >= 0x40 && s[i] <= 0x7e ? i + 1 : i;
    }
    if (kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X') {
        /* Ends with BEL or ST; without an end only the introducer goes, the text stays visible. */
        for (size_t j = i; j < n && j < i + 4096; j++) {
            if (s[j] == 0x07)
                return j + 1;
            if (s[j] == 0x1b && j + 1 < n && s[j + 1] == '\\')
                return j + 2;
        }
        return i;
    }
    return kind >= 0x20 && kind <= 0x7e ? 2 : 1;
}

static bool starts_escape(uint32_t cp)
{
    return cp == 0x1b || cp == 0x9b || cp == 0x9d;
}

struct writer {
    struct wi_buf *b;
    size_t max, start;
    bool cut;
};

static void put(struct writer *w, uint32_t cp)
{
    char bytes[4];
    size_t n = encode(cp, bytes);

    if (w->b->n - w->start + n > w->max) {
        w->cut = true;
        return;
    }
    wi_buf_add(w->b, bytes, n);
}

static char last_char(const struct writer *w)
{
    return w->b->n > w->start ? w->b->text[w->b->n - 1] : '\0';
}

static void put_space(struct writer *w)
{
    if (w->b->n > w->start && last_char(w) != ' ')
        put(w, ' ');
}

/* One visible code point of quoted data, without the form of a delimiter. */
static void put_quoted(struct writer *w, uint32_t cp)
{
    static const char runs[] = "`-#=~_";
    static const char from[] = "\"[]{}", to[] = "'()()";
    const char *at;

    cp = unmask(cp);
    if (cp < 0x80 && cp != 0 && (at = strchr(from, (int)cp)))
        cp = (uint32_t)to[at - from];
    if (cp < 0x80 && cp != 0 && strchr(runs, (int)cp) && last_char(w) == (char)cp)
        return;
    if (last_char(w) == '<' &&
        (cp == '/' || cp == '|' || cp == '!' || cp == '?' || cp == '<' || (cp | 32) - 'a' < 26u))
        put(w, ' ');
    put(w, cp);
}

static void copy(struct writer *w, const char *text, size_t n, bool quoted)
{
    const unsigned char *s = (const unsigned char *)text;

    for (size_t i = 0, used; i < n && !w->cut; i += used) {
        uint32_t cp;

        used = decode(s + i, n - i, &cp);
        if (starts_escape(cp))
            used = escape_length(s + i, n - i, used);
        else if (cp == UINT32_MAX)
            put(w, '?');
        else if (is_space(cp))
            put_space(w);
        else if (is_hidden(cp))
            continue;
        else if (quoted)
            put_quoted(w, cp);
        else
            put(w, cp);
    }
}

/* Makes room for the mark, on a boundary between code points. */
static void mark_cut(struct writer *w)
{
    static const char mark[] = " (cut)";
    size_t room = sizeof(mark) - 1;
    size_t keep = w->max > room ? w->max - room : 0;

    if (w->b->n - w->start > keep) {
        while (keep > 0 && ((unsigned char)w->b->text[w->start + keep] & 0xc0) == 0x80)
            keep--;
        wi_buf_cut(w->b, w->start + keep);
    }
    wi_buf_puts(w->b, mark);
}

void wi_quote(struct wi_buf *b, const char *text, size_t max)
{
    struct writer w = {.b = b, .max = max};

    wi_buf_puts(b, "\"");
    w.start = b->n;
    copy(&w, text, strlen(text), true);
    if (w.cut)
        mark_cut(&w);
    wi_buf_puts(b, "\"");
}

void wi_clean(struct wi_buf *b, const char *text, size_t n, size_t max)
{
    struct writer w = {.b = b, .max = max, .start = b->n};

    copy(&w, text, n, false);
    if (w.cut && !b->failed)
        mark_cut(&w);
}
