#include "knowledge/terms.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/csv_read.h"
#include "knowledge/words.h"

#define PHRASE_MAX 6 /* words of a phrase of the table */
#define KEY_MAX (PHRASE_MAX * WI_WORD_MAX)

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
    char word[WI_WORD_MAX];
    size_t n = 0;
    int words = 0;

    key[0] = '\0';
    while (wi_word_next(&text, word)) {
        if (++words > PHRASE_MAX)
            return false;
        wi_word_stem(word);
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
    char words[PHRASE_MAX][WI_WORD_MAX]; /* stemmed */
    char raw[PHRASE_MAX][WI_WORD_MAX];
    int n;
};

static void refill(struct window *w)
{
    while (w->n < PHRASE_MAX && wi_word_next(&w->text, w->raw[w->n])) {
        memcpy(w->words[w->n], w->raw[w->n], WI_WORD_MAX);
        wi_word_stem(w->words[w->n]);
        w->n++;
    }
}

static void drop(struct window *w, int k)
{
    memmove(w->words, w->words + k, (size_t)(w->n - k) * WI_WORD_MAX);
    memmove(w->raw, w->raw + k, (size_t)(w->n - k) * WI_WORD_MAX);
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
    char word[WI_WORD_MAX];

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
