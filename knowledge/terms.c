#include "knowledge/terms.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"

#define WORD_MAX 48  /* bytes of a word with the NUL; longer ones are cut */
#define PHRASE_MAX 6 /* words of a phrase of the table */
#define KEY_MAX (PHRASE_MAX * WORD_MAX)

/* ---- words: folded to lower case without accents ---- */

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

/* The next word of a text; false at its end. */
static bool next_word(const char **text, char word[WORD_MAX])
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
        if (n + k < WORD_MAX) {
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

static void stem(char *w)
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

/* ---- the table ---- */

#define MAGIC 0x31736d72u
#define N_ENDS 1024
#define STRINGS_MAX (16u << 20)

/* One block: head, slots, starts of the lists by end, the lists, strings. Offsets and indexes are
 * 32 bits; string 0 is empty, so that offset 0 is an empty slot. */
struct head {
    uint32_t magic, cap, n_ends, n_strings;
};

/* Phrase -> canonical terms, both stemmed words joined by single spaces; open addressing. */
struct slot {
    uint32_t key, value;
};

struct wi_terms {
    void *block;
    size_t n_block;
    uint32_t cap; /* a power of two */
    const struct slot *slots;
    /* single words of the table by their first and by their last two letters, for typing errors */
    const uint32_t *end_start; /* (2 N_ENDS + 1,) */
    const uint32_t *by_end;    /* slot numbers */
    const char *strings;
};

/* The table while it grows. */
struct builder {
    const char *name;
    struct slot *slots;
    uint32_t n, cap;
    char *strings;
    size_t n_strings, cap_strings;
};

static uint32_t hash(const char *s)
{
    uint64_t h = 14695981039346656037u;

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return (uint32_t)(h ^ h >> 32);
}

/* Where a key stands or would stand. */
static uint32_t find_slot(const struct slot *slots, uint32_t cap, const char *strings,
                          const char *key)
{
    uint32_t i = hash(key) & (cap - 1);

    while (slots[i].key && strcmp(strings + slots[i].key, key) != 0)
        i = (i + 1) & (cap - 1);
    return i;
}

static enum wi_status grow(struct builder *b, struct wi_err *err)
{
    uint32_t cap = b->cap ? 2 * b->cap : 1024;
    struct slot *slots = calloc(cap, sizeof(*slots));

    if (!slots)
        return wi_fail_nomem(err);
    for (uint32_t i = 0; i < b->cap; i++) {
        if (b->slots[i].key)
            slots[find_slot(slots, cap, b->strings, b->strings + b->slots[i].key)] = b->slots[i];
    }
    free(b->slots);
    b->slots = slots;
    b->cap = cap;
    return WI_OK;
}

static enum wi_status add_string(struct builder *b, const char *text, uint32_t *at,
                                 struct wi_err *err)
{
    size_t n = strlen(text) + 1;

    if (b->n_strings + n > b->cap_strings) {
        size_t cap = 2 * (b->cap_strings + n + 4096);
        char *p = cap > STRINGS_MAX ? NULL : realloc(b->strings, cap);

        if (!p)
            return wi_fail_nomem(err);
        b->strings = p;
        b->cap_strings = cap;
    }
    memcpy(b->strings + b->n_strings, text, n);
    *at = (uint32_t)b->n_strings;
    b->n_strings += n;
    return WI_OK;
}

/* Stemmed words of a text joined by spaces; false if there are more than PHRASE_MAX. */
static bool make_key(const char *text, char key[KEY_MAX])
{
    char word[WORD_MAX];
    size_t n = 0;
    int words = 0;

    key[0] = '\0';
    while (next_word(&text, word)) {
        if (++words > PHRASE_MAX)
            return false;
        stem(word);
        n += (size_t)snprintf(key + n, KEY_MAX - n, "%s%s", n ? " " : "", word);
    }
    return true;
}

static enum wi_status add_row(void *ctx, size_t line, char *const *fields, size_t n,
                              struct wi_err *err)
{
    struct builder *b = ctx;
    char key[KEY_MAX], value[KEY_MAX];
    enum wi_status st = WI_OK;

    if (n != 2)
        return wi_fail(err, WI_EDATA, "%s:%zu: %zu fields, must be term and canonical", b->name,
                       line, n);
    if (line == 1)
        return WI_OK; /* the header */
    if (!make_key(fields[0], key) || !make_key(fields[1], value))
        return wi_fail(err, WI_EDATA, "%s:%zu: more than %d words", b->name, line, PHRASE_MAX);
    if (!key[0])
        return wi_fail(err, WI_EDATA, "%s:%zu: the term is empty", b->name, line);
    if (2 * (b->n + 1) > b->cap)
        st = grow(b, err);
    if (st != WI_OK)
        return st;
    struct slot *s = &b->slots[find_slot(b->slots, b->cap, b->strings, key)];
    if (s->key && strcmp(b->strings + s->value, value) == 0)
        return WI_OK; /* two spellings with the same stem */
    if (s->key)
        return wi_fail(err, WI_EDATA, "%s:%zu: '%s' has two canonical forms, '%s' and '%s'",
                       b->name, line, key, b->strings + s->value, value);
    st = add_string(b, value, &s->value, err);
    if (st == WI_OK)
        st = add_string(b, key, &s->key, err);
    if (st == WI_OK)
        b->n++;
    return st;
}

/* ---- typing errors ---- */

#define FUZZY_MIN 6 /* letters; shorter words have too many neighbours that mean something else */

static size_t end_of(const char *word, size_t n, int end)
{
    const unsigned char *p = (const unsigned char *)word + (end ? n - 2 : 0);

    return (size_t)end * N_ENDS + (p[0] * 31u + p[1]) % N_ENDS;
}

static bool is_fuzzy(const char *word)
{
    size_t n = strlen(word);

    return n >= FUZZY_MIN && strspn(word, "abcdefghijklmnopqrstuvwxyz") == n;
}

/* One letter too many, missing, wrong, or two exchanged. */
static bool one_edit(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), i = 0, j = 0;

    while (a[i] && a[i] == b[i])
        i++;
    while (j < n - i && j < m - i && a[n - 1 - j] == b[m - 1 - j])
        j++;
    size_t x = n - i - j, y = m - i - j; /* letters that differ in the middle */
    return (x <= 1 && y <= 1) || (x == 2 && y == 2 && a[i] == b[i + 1] && a[i + 1] == b[i]);
}

/* A word with one typing error keeps its first two or its last two letters. */
static void index_ends(const struct builder *b, uint32_t *end_start, uint32_t *by_end)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->cap; i++) {
        const char *key = b->slots[i].key ? b->strings + b->slots[i].key : "";

        for (int end = 0; is_fuzzy(key) && end < 2; end++)
            end_start[end_of(key, strlen(key), end)]++;
    }
    for (size_t e = 0; e <= 2 * N_ENDS; e++) { /* counts to ends of the lists */
        n += end_start[e];
        end_start[e] = n;
    }
    for (uint32_t i = 0; i < b->cap; i++) { /* and from the ends to the starts */
        const char *key = b->slots[i].key ? b->strings + b->slots[i].key : "";

        for (int end = 0; is_fuzzy(key) && end < 2; end++)
            by_end[--end_start[end_of(key, strlen(key), end)]] = i;
    }
}

/* The word of the table that was meant; of several the first in the alphabet. */
static const char *match_fuzzy(const struct wi_terms *t, const char *word)
{
    const char *best = NULL, *value = NULL;

    for (int end = 0; is_fuzzy(word) && end < 2; end++) {
        size_t e = end_of(word, strlen(word), end);

        for (uint32_t i = t->end_start[e]; i < t->end_start[e + 1]; i++) {
            const struct slot *s = &t->slots[t->by_end[i]];
            const char *key = t->strings + s->key;

            if (one_edit(word, key) && (!best || strcmp(key, best) < 0)) {
                best = key;
                value = t->strings + s->value;
            }
        }
    }
    return value;
}

/* ---- the block ---- */

static size_t block_size(const struct head *h)
{
    return sizeof(*h) + h->cap * sizeof(struct slot) + (2 * N_ENDS + 1) * sizeof(uint32_t) +
           h->n_ends * sizeof(uint32_t) + h->n_strings;
}

/* Numbers that point outside would be read from anywhere. */
static bool is_whole(const struct wi_terms *t, const struct head *h)
{
    size_t used = 0;

    if (t->strings[0] || t->strings[h->n_strings - 1] || t->end_start[2 * N_ENDS] != h->n_ends)
        return false;
    for (uint32_t i = 0; i < h->cap; i++) {
        if (t->slots[i].key >= h->n_strings || t->slots[i].value >= h->n_strings)
            return false;
        used += t->slots[i].key != 0;
    }
    for (size_t e = 0; e < 2 * N_ENDS; e++) {
        if (t->end_start[e] > t->end_start[e + 1])
            return false;
    }
    for (uint32_t i = 0; i < h->n_ends; i++) {
        if (t->by_end[i] >= h->cap)
            return false;
    }
    return used < h->cap; /* a lookup ends at an empty slot */
}

enum wi_status wi_terms_load(void *bytes, size_t n, struct wi_terms **terms, struct wi_err *err)
{
    const struct head *h = bytes;
    struct wi_terms *t = calloc(1, sizeof(*t));

    if (!t) {
        free(bytes);
        return wi_fail_nomem(err);
    }
    if (n >= sizeof(*h) && h->magic == MAGIC && h->cap > 0 && (h->cap & (h->cap - 1)) == 0 &&
        h->cap <= STRINGS_MAX && h->n_ends <= 2 * h->cap && h->n_strings > 0 &&
        h->n_strings <= STRINGS_MAX && n == block_size(h)) {
        t->cap = h->cap;
        t->slots = (const struct slot *)(const void *)(h + 1);
        t->end_start = (const uint32_t *)(const void *)(t->slots + h->cap);
        t->by_end = t->end_start + 2 * N_ENDS + 1;
        t->strings = (const char *)(t->by_end + h->n_ends);
    }
    t->block = bytes;
    t->n_block = n;
    if (!t->cap || !is_whole(t, h)) {
        wi_terms_free(t);
        return wi_fail(err, WI_EDATA, "the stored table of terms is damaged");
    }
    *terms = t;
    return WI_OK;
}

const void *wi_terms_bytes(const struct wi_terms *terms, size_t *n)
{
    *n = terms->n_block;
    return terms->block;
}

static enum wi_status flatten(const struct builder *b, struct wi_terms **terms, struct wi_err *err)
{
    struct head h = {MAGIC, b->cap, 0, (uint32_t)b->n_strings};

    for (uint32_t i = 0; i < b->cap; i++)
        h.n_ends += b->slots[i].key && is_fuzzy(b->strings + b->slots[i].key) ? 2u : 0u;
    size_t n = block_size(&h);
    char *block = calloc(1, n), *p = block;
    if (!block)
        return wi_fail_nomem(err);
    memcpy(p, &h, sizeof(h));
    p += sizeof(h);
    memcpy(p, b->slots, b->cap * sizeof(*b->slots));
    p += b->cap * sizeof(*b->slots);
    uint32_t *end_start = (uint32_t *)(void *)p;
    index_ends(b, end_start, end_start + 2 * N_ENDS + 1);
    memcpy(end_start + 2 * N_ENDS + 1 + h.n_ends, b->strings, b->n_strings);
    return wi_terms_load(block, n, terms, err);
}

enum wi_status wi_terms_new(const char *csv, size_t len, const char *name, struct wi_terms **terms,
                            struct wi_err *err)
{
    struct builder b = {.name = name};
    uint32_t empty = 0;
    enum wi_status st = grow(&b, err);

    if (st == WI_OK)
        st = add_string(&b, "", &empty, err);
    if (st == WI_OK)
        st = wi_csv_parse(name, csv, len, NULL, add_row, &b, err);
    if (st == WI_OK)
        st = flatten(&b, terms, err);
    free(b.slots);
    free(b.strings);
    return st;
}

void wi_terms_free(struct wi_terms *terms)
{
    if (!terms)
        return;
    free(terms->block);
    free(terms);
}

/* ---- texts ---- */

/* The words that stand next in a text, so that phrases can be looked up. */
struct window {
    const char *text;
    char words[PHRASE_MAX][WORD_MAX]; /* stemmed */
    char raw[PHRASE_MAX][WORD_MAX];
    int n;
};

static void refill(struct window *w)
{
    while (w->n < PHRASE_MAX && next_word(&w->text, w->raw[w->n])) {
        memcpy(w->words[w->n], w->raw[w->n], WORD_MAX);
        stem(w->words[w->n]);
        w->n++;
    }
}

static void drop(struct window *w, int k)
{
    memmove(w->words, w->words + k, (size_t)(w->n - k) * WORD_MAX);
    memmove(w->raw, w->raw + k, (size_t)(w->n - k) * WORD_MAX);
    w->n -= k;
}

/* The first k words as they were. */
static void join_raw(const struct window *w, int k, char out[KEY_MAX])
{
    size_t n = 0;

    for (int i = 0; i < k; i++)
        n += (size_t)snprintf(out + n, KEY_MAX - n, "%s%s", i ? " " : "", w->raw[i]);
}

/* The longest phrase of the table at the front; NULL = none. out: how many words it takes. */
static const char *match(const struct wi_terms *t, const struct window *w, int *used)
{
    char key[KEY_MAX];
    const char *best = NULL;
    size_t n = 0;

    for (int k = 0; k < w->n; k++) {
        n += (size_t)snprintf(key + n, sizeof(key) - n, "%s%s", k ? " " : "", w->words[k]);
        const struct slot *found = &t->slots[find_slot(t->slots, t->cap, t->strings, key)];
        if (found->key) {
            best = t->strings + found->value;
            *used = k + 1;
        }
    }
    return best;
}

/* Each word of a canonical form. */
static enum wi_status emit(const char *value, const char *words, wi_term_fn fn, void *ctx,
                           struct wi_err *err)
{
    enum wi_status st = WI_OK;
    char word[WORD_MAX];

    while (st == WI_OK && *value) {
        size_t n = strcspn(value, " ");

        snprintf(word, sizeof(word), "%.*s", (int)n, value);
        st = fn(ctx, word, words, err);
        value += n + (value[n] == ' ');
    }
    return st;
}

enum wi_status wi_terms_each(const struct wi_terms *terms, const char *text, wi_term_fn fn,
                             void *ctx, struct wi_err *err)
{
    struct window w = {.text = text};
    enum wi_status st = WI_OK;
    char words[KEY_MAX];

    for (refill(&w); st == WI_OK && w.n > 0; refill(&w)) {
        int used = 1;
        const char *value = match(terms, &w, &used);

        if (!value)
            value = match_fuzzy(terms, w.words[0]);
        join_raw(&w, used, words);
        st = value ? emit(value, words, fn, ctx, err) : fn(ctx, w.words[0], words, err);
        drop(&w, used);
    }
    return st;
}

struct joiner {
    char *p;
    size_t n, cap;
};

static enum wi_status join(void *ctx, const char *term, const char *words, struct wi_err *err)
{
    struct joiner *j = ctx;
    size_t k = strlen(term);

    (void)words;
    if (j->n + k + 2 > j->cap) {
        size_t cap = 2 * (j->cap + k + 64);
        char *p = realloc(j->p, cap);

        if (!p)
            return wi_fail_nomem(err);
        j->p = p;
        j->cap = cap;
    }
    if (j->n)
        j->p[j->n++] = ' ';
    memcpy(j->p + j->n, term, k + 1);
    j->n += k;
    return WI_OK;
}

enum wi_status wi_terms_join(const struct wi_terms *terms, const char *text, char **out,
                             struct wi_err *err)
{
    struct joiner j = {0};
    enum wi_status st = wi_terms_each(terms, text, join, &j, err);

    if (st == WI_OK && !j.p && !(j.p = calloc(1, 1)))
        st = wi_fail_nomem(err);
    if (st != WI_OK) {
        free(j.p);
        return st;
    }
    *out = j.p;
    return WI_OK;
}
