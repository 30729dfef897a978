#include "knowledge/lsa.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/linalg.h"

#define MAGIC 0x3261736c2d6977ull /* "wi-lsa2", little end first */
#define NGRAM 4
#define NGRAM_MIN_WORD 5 /* shorter words are their own n-gram */
#define RANK_EPSILON 1e-9
#define DIM_MAX 1024
#define VOCABULARY_MAX (1u << 22)

/* What a feature counts beside a whole word. */
enum kind { WORD, PAIR, GRAM };
static const struct {
    float weight;
    size_t min_docs; /* rarer ones say nothing about other texts */
} kinds[] = {{1.0f, 1}, {0.3f, 2}, {0.15f, 2}};

struct feature {
    uint64_t hash; /* of the kind and the letters; the two lowest bits are the kind */
    float weight;
};

/* The features of one text, sorted by hash once complete. */
struct features {
    struct feature *p;
    size_t n, cap;
    char last[64]; /* the term before, for pairs */
};

struct head {
    uint64_t magic;
    uint64_t n, dim; /* vocabulary, components */
};

/*
 * All of it lies in one block: head, n hashes, n weights, n scales, n rows of the basis in eight
 * bits each. A quarter of the size is a quarter of the time to read it, and the rounding (0.4 % of
 * a row's largest component) is far below what separates two texts.
 */
struct wi_lsa {
    const struct wi_terms *terms;
    void *bytes;
    size_t n_bytes;
    size_t n, dim;
    const uint64_t *hashes; /* ascending */
    const float *weights;   /* inverse document frequency times the weight of the kind */
    const float *scales;    /* of each row */
    const int8_t *basis;    /* (n, dim), times the scale of its row */
};

/* ---- features of a text ---- */

static uint64_t hash_bytes(enum kind kind, const char *a, size_t n, const char *b)
{
    uint64_t h = 14695981039346656037u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)a[i]) * 1099511628211u;
    h = (h ^ 0x1f) * 1099511628211u;
    for (; *b; b++)
        h = (h ^ (unsigned char)*b) * 1099511628211u;
    h ^= h >> 29;
    h *= 0x9e3779b97f4a7c15u;
    return (h & ~(uint64_t)3) | (uint64_t)kind;
}

static enum wi_status add_feature(struct features *f, uint64_t hash, struct wi_err *err)
{
    if (f->n == f->cap) {
        size_t cap = f->cap ? 2 * f->cap : 256;
        struct feature *p = realloc(f->p, cap * sizeof(*p));

        if (!p)
            return wi_fail_nomem(err);
        f->p = p;
        f->cap = cap;
    }
    f->p[f->n++] = (struct feature){hash, 1.0f};
    return WI_OK;
}

static enum wi_status add_grams(struct features *f, const char *term, struct wi_err *err)
{
    char padded[80];
    int n = snprintf(padded, sizeof(padded), "^%s$", term);
    enum wi_status st = WI_OK;

    if (n < NGRAM_MIN_WORD + 2 || (size_t)n >= sizeof(padded) || term[0] < 'a' || term[0] > 'z')
        return WI_OK;
    for (int i = 0; st == WI_OK && i + NGRAM <= n; i++)
        st = add_feature(f, hash_bytes(GRAM, padded + i, NGRAM, ""), err);
    return st;
}

static enum wi_status add_term(void *ctx, const char *term, const char *words, struct wi_err *err)
{
    struct features *f = ctx;
    enum wi_status st = add_feature(f, hash_bytes(WORD, term, strlen(term), ""), err);

    (void)words;
    if (st == WI_OK && f->last[0])
        st = add_feature(f, hash_bytes(PAIR, f->last, strlen(f->last), term), err);
    if (st == WI_OK)
        st = add_grams(f, term, err);
    snprintf(f->last, sizeof(f->last), "%s", term);
    return st;
}

static int compare_features(const void *a, const void *b)
{
    const struct feature *x = a, *y = b;

    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* Sorted, each once, with 1 + log(count). */
static enum wi_status extract(const struct wi_terms *terms, const char *text, struct features *f,
                              struct wi_err *err)
{
    enum wi_status st = wi_terms_each(terms, text, add_term, f, err);
    size_t out = 0;

    if (st != WI_OK || f->n == 0)
        return st;
    qsort(f->p, f->n, sizeof(*f->p), compare_features);
    for (size_t i = 0; i < f->n;) {
        size_t j = i;

        while (j < f->n && f->p[j].hash == f->p[i].hash)
            j++;
        f->p[out++] = (struct feature){f->p[i].hash, 1.0f + logf((float)(j - i))};
        i = j;
    }
    f->n = out;
    return WI_OK;
}

/* ---- the basis as one block ---- */

static size_t block_size(size_t n, size_t dim)
{
    return sizeof(struct head) + n * (sizeof(uint64_t) + 2 * sizeof(float) + dim);
}

static enum wi_status view(const struct wi_terms *terms, void *bytes, size_t n_bytes,
                           struct wi_lsa **lsa, struct wi_err *err)
{
    struct wi_lsa *out = malloc(sizeof(*out));
    const struct head *head = bytes;

    if (!out) {
        free(bytes);
        return wi_fail_nomem(err);
    }
    size_t n = (size_t)head->n;
    const uint64_t *hashes = (const uint64_t *)(const void *)(head + 1);
    const float *weights = (const float *)(const void *)(hashes + n);
    *out = (struct wi_lsa){.terms = terms,
                           .bytes = bytes,
                           .n_bytes = n_bytes,
                           .n = n,
                           .dim = (size_t)head->dim,
                           .hashes = hashes,
                           .weights = weights,
                           .scales = weights + n,
                           .basis = (const int8_t *)(weights + 2 * n)};
    *lsa = out;
    return WI_OK;
}

enum wi_status wi_lsa_load(const struct wi_terms *terms, void *bytes, size_t n_bytes,
                           struct wi_lsa **lsa, struct wi_err *err)
{
    const struct head *h = bytes;

    if (n_bytes < sizeof(*h) || h->magic != MAGIC || h->n < 1 || h->n > VOCABULARY_MAX ||
        h->dim < 1 || h->dim > DIM_MAX || n_bytes != block_size((size_t)h->n, (size_t)h->dim)) {
        free(bytes);
        return wi_fail(err, WI_EDATA, "the stored basis of the text embedder is damaged");
    }
    return view(terms, bytes, n_bytes, lsa, err);
}

void wi_lsa_free(struct wi_lsa *lsa)
{
    if (!lsa)
        return;
    free(lsa->bytes);
    free(lsa);
}

size_t wi_lsa_dim(const struct wi_lsa *lsa)
{
    return lsa->dim;
}

const void *wi_lsa_bytes(const struct wi_lsa *lsa, size_t *n_bytes)
{
    *n_bytes = lsa->n_bytes;
    return lsa->bytes;
}

/* ---- fitting ---- */

struct fit {
    size_t n; /* texts */
    struct features *texts;
    struct feature *vocabulary; /* sorted; weight = inverse document frequency */
    size_t n_vocabulary;
    double *gram;   /* (n, n) */
    double *lambda; /* (n,) */
};

static void release(struct fit *f)
{
    for (size_t i = 0; f->texts && i < f->n; i++)
        free(f->texts[i].p);
    free(f->texts);
    free(f->vocabulary);
    free(f->gram);
    free(f->lambda);
}

static enum wi_status make_vocabulary(struct fit *f, struct wi_err *err)
{
    size_t total = 0, out = 0;

    for (size_t i = 0; i < f->n; i++)
        total += f->texts[i].n;
    struct feature *v = malloc((total ? total : 1) * sizeof(*v));
    if (!v)
        return wi_fail_nomem(err);
    total = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->texts[i].n)
            memcpy(v + total, f->texts[i].p, f->texts[i].n * sizeof(*v));
        total += f->texts[i].n;
    }
    qsort(v, total, sizeof(*v), compare_features);
    for (size_t i = 0; i < total;) {
        size_t j = i;

        while (j < total && v[j].hash == v[i].hash)
            j++;
        size_t kind = v[i].hash & 3;
        if (j - i >= kinds[kind].min_docs) {
            double idf = log(((double)f->n + 1) / ((double)(j - i) + 0.5));

            v[out++] = (struct feature){v[i].hash, kinds[kind].weight * (float)idf};
        }
        i = j;
    }
    f->vocabulary = v;
    f->n_vocabulary = out;
    return out > 0 ? WI_OK : wi_fail(err, WI_EDATA, "the corpus of the text embedder has no words");
}

/* Index of a hash in n sorted features; n if it is not there. */
static size_t find_feature(const struct feature *v, size_t n, uint64_t hash)
{
    struct feature key = {hash, 0};
    const struct feature *p = bsearch(&key, v, n, sizeof(*v), compare_features);

    return p ? (size_t)(p - v) : n;
}

/* Unit length in the weighted space; features outside the vocabulary go. hash becomes the index. */
static void weigh(struct fit *f, struct features *text)
{
    size_t out = 0;
    double sum = 0;

    for (size_t i = 0; i < text->n; i++) {
        size_t t = find_feature(f->vocabulary, f->n_vocabulary, text->p[i].hash);

        if (t == f->n_vocabulary)
            continue;
        float w = text->p[i].weight * f->vocabulary[t].weight;
        text->p[out++] = (struct feature){t, w};
        sum += (double)w * (double)w;
    }
    text->n = out;
    for (size_t i = 0; i < out && sum > 0; i++)
        text->p[i].weight = (float)((double)text->p[i].weight / sqrt(sum));
}

static double dot(const struct features *a, const struct features *b)
{
    double sum = 0;
    size_t i = 0, j = 0;

    while (i < a->n && j < b->n) {
        if (a->p[i].hash == b->p[j].hash)
            sum += (double)a->p[i++].weight * (double)b->p[j++].weight;
        else if (a->p[i].hash < b->p[j].hash)
            i++;
        else
            j++;
    }
    return sum;
}

static enum wi_status decompose(struct fit *f, struct wi_err *err)
{
    size_t n = f->n;

    f->gram = malloc(n * n * sizeof(*f->gram));
    f->lambda = malloc(n * sizeof(*f->lambda));
    if (!f->gram || !f->lambda)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++)
            f->gram[i * n + j] = f->gram[j * n + i] = dot(&f->texts[i], &f->texts[j]);
    }
    return wi_linalg_eigen_sym(f->gram, n, f->lambda, err);
}

/* An eigenvector is defined up to its sign: the largest component is made positive. */
static double sign_of(const double *u, size_t n)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++) {
        if (fabs(u[i]) > fabs(u[best]) * (1 + 1e-9))
            best = i;
    }
    return u[best] < 0 ? -1.0 : 1.0;
}

/* V = A' U S^-1, the columns in order of falling singular value. */
static void fill_basis(const struct fit *f, size_t dim, size_t rank, float *basis)
{
    size_t n = f->n;

    memset(basis, 0, f->n_vocabulary * dim * sizeof(*basis));
    for (size_t k = 0; k < rank; k++) {
        const double *u = f->gram + (n - 1 - k) * n; /* row = eigenvector, ascending order */
        double scale = sign_of(u, n) / sqrt(f->lambda[n - 1 - k]);

        for (size_t d = 0; d < n; d++) {
            for (size_t i = 0; i < f->texts[d].n; i++) {
                float *row = basis + f->texts[d].p[i].hash * dim;

                row[k] += (float)((double)f->texts[d].p[i].weight * u[d] * scale);
            }
        }
    }
}

/* A row as bytes. returns its scale; 0 for a row of zeros */
static float quantise(const float *row, size_t dim, int8_t *out)
{
    float largest = 0;

    for (size_t k = 0; k < dim; k++)
        largest = fmaxf(largest, fabsf(row[k]));
    for (size_t k = 0; k < dim; k++)
        out[k] = largest > 0 ? (int8_t)lrintf(127 * row[k] / largest) : 0;
    return largest / 127;
}

static size_t rank_of(const struct fit *f, size_t dim)
{
    size_t rank = 0;

    while (rank < f->n && rank < dim &&
           f->lambda[f->n - 1 - rank] > RANK_EPSILON * f->lambda[f->n - 1])
        rank++;
    return rank;
}

static enum wi_status assemble(const struct fit *f, size_t dim, void **bytes, size_t *n_bytes,
                               struct wi_err *err)
{
    size_t n = f->n_vocabulary, rank = rank_of(f, dim);

    if (dim < 1 || dim > DIM_MAX)
        return wi_fail(err, WI_ERANGE, "a text vector of %zu components, must be 1 to %d", dim,
                       DIM_MAX);
    if (rank == 0)
        return wi_fail(err, WI_EDATA, "the corpus of the text embedder has no words");
    float *basis = malloc(n * dim * sizeof(*basis));
    char *block = malloc(block_size(n, dim));
    if (!basis || !block) {
        free(basis);
        free(block);
        return wi_fail_nomem(err);
    }
    fill_basis(f, dim, rank, basis); /* of a smaller rank the last components stay zero */
    struct head head = {MAGIC, n, dim};
    memcpy(block, &head, sizeof(head));
    uint64_t *hashes = (uint64_t *)(void *)(block + sizeof(head));
    float *weights = (float *)(void *)(hashes + n), *scales = weights + n;
    int8_t *rows = (int8_t *)(scales + n);
    for (size_t i = 0; i < n; i++) {
        hashes[i] = f->vocabulary[i].hash;
        weights[i] = f->vocabulary[i].weight;
        scales[i] = quantise(basis + i * dim, dim, rows + i * dim);
    }
    free(basis);
    *bytes = block;
    *n_bytes = block_size(n, dim);
    return WI_OK;
}

enum wi_status wi_lsa_fit(const struct wi_terms *terms, size_t n, const char *const *texts,
                          size_t dim, struct wi_lsa **lsa, struct wi_err *err)
{
    struct fit f = {.n = n, .texts = calloc(n ? n : 1, sizeof(*f.texts))};
    void *bytes = NULL;
    size_t n_bytes = 0;
    enum wi_status st = f.texts ? WI_OK : wi_fail_nomem(err);

    for (size_t i = 0; st == WI_OK && i < n; i++)
        st = extract(terms, texts[i], &f.texts[i], err);
    if (st == WI_OK)
        st = make_vocabulary(&f, err);
    for (size_t i = 0; st == WI_OK && i < n; i++)
        weigh(&f, &f.texts[i]);
    if (st == WI_OK)
        st = decompose(&f, err);
    if (st == WI_OK)
        st = assemble(&f, dim, &bytes, &n_bytes, err);
    release(&f);
    return st == WI_OK ? view(terms, bytes, n_bytes, lsa, err) : st;
}

/* ---- folding in ---- */

static size_t find_hash(const struct wi_lsa *lsa, uint64_t hash)
{
    size_t low = 0, high = lsa->n;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (lsa->hashes[mid] < hash)
            low = mid + 1;
        else
            high = mid;
    }
    return low < lsa->n && lsa->hashes[low] == hash ? low : lsa->n;
}

enum wi_status wi_lsa_embed(const struct wi_lsa *lsa, const char *text, float *vec,
                            struct wi_err *err)
{
    struct features f = {0};
    double sum = 0;
    enum wi_status st = extract(lsa->terms, text, &f, err);

    memset(vec, 0, lsa->dim * sizeof(*vec));
    for (size_t i = 0; st == WI_OK && i < f.n; i++) {
        size_t t = find_hash(lsa, f.p[i].hash);

        if (t == lsa->n)
            continue;
        const int8_t *row = lsa->basis + t * lsa->dim;
        float w = f.p[i].weight * lsa->weights[t] * lsa->scales[t];
        for (size_t k = 0; k < lsa->dim; k++)
            vec[k] += w * (float)row[k];
    }
    free(f.p);
    for (size_t k = 0; k < lsa->dim; k++)
        sum += (double)vec[k] * (double)vec[k];
    /* Words that only occur where nothing else does leave rounding noise: no direction at all. */
    double scale = sum > 1e-16 ? 1 / sqrt(sum) : 0;
    for (size_t k = 0; k < lsa->dim; k++)
        vec[k] = (float)((double)vec[k] * scale);
    return st;
}
