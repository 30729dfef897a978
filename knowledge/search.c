/*
 * Hybrid retrieval: three rankings of the same items, fused.
 *
 * source: Cormack, Clarke & Buettcher 2009, "Reciprocal rank fusion": score = sum w / (K + rank).
 *         Departures: weights per method, and a scale on which an item that is first everywhere
 *         has 1.
 */
#include "knowledge/knowledge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/partners.h"
#include "knowledge/query.h"
#include "knowledge/store_vectors.h"

#define N_METHODS 3
#define RRF_K 8.0 /* not the usual 60: the lists are short, and their heads matter */
/* The other side of a hit has at least this share of its score, by how closely they are tied. */
#define DIRECT_SHARE 0.97
#define MEMBER_SHARE 0.75
#define DEPTH_MIN 60 /* ranks looked at per method */

enum method { SCENARIO, TEXT, BM25 };

static const struct {
    unsigned bit;
    double weight;
} methods[N_METHODS] = {{WI_SEARCH_SCENARIO, 1.0}, {WI_SEARCH_TEXT, 1.0}, {WI_SEARCH_BM25, 1.0}};

/* One item and where each method has it. */
struct candidate {
    int64_t item;
    size_t rank[N_METHODS]; /* from 1; 0 = not found */
    double closeness[N_METHODS];
    double score;
    char via[WI_ID_MAX]; /* what brought it in as the other side; "" = a hit of its own */
};

struct search {
    struct wi_knowledge *k;
    const struct wi_search_query *q;
    struct wi_query words;
    unsigned kinds; /* bit 0 experiments, bit 1 principles */
    size_t depth;
    struct candidate *list;
    size_t n, cap;
};

static bool wanted(const struct search *s, int64_t item)
{
    return (s->kinds >> (item & 1)) & 1;
}

static struct candidate *candidate_of(struct search *s, int64_t item)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->list[i].item == item)
            return &s->list[i];
    }
    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 256;
        struct candidate *p = realloc(s->list, cap * sizeof(*p));

        if (!p)
            return NULL;
        s->list = p;
        s->cap = cap;
    }
    s->list[s->n] = (struct candidate){.item = item};
    return &s->list[s->n++];
}

static enum wi_status note_rank(struct search *s, enum method m, int64_t item, size_t rank,
                                double closeness, struct wi_err *err)
{
    struct candidate *c = candidate_of(s, item);

    if (!c)
        return wi_fail_nomem(err);
    c->rank[m] = rank;
    c->closeness[m] = closeness;
    return WI_OK;
}

/* The nearest of one index, which holds items of one kind. Equal ones are put in order among twice
 * as many as are wanted. */
static enum wi_status rank_neighbours(struct search *s, enum method m, enum wi_index which,
                                      const float *query, size_t dim,
                                      double (*closeness)(const float *, float), struct wi_err *err)
{
    const struct wi_vecindex *index = NULL;
    size_t k = 2 * s->depth, n = 0, rank = 0;
    int64_t *items = malloc(k * sizeof(*items));
    float *scores = malloc(k * sizeof(*scores));
    enum wi_status st = items && scores ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK)
        st = wi_knowledge_index(s->k, which, &index, err);
    if (st == WI_OK)
        st = wi_vecindex_search(index, query, dim, k, items, scores, &n, err);
    for (size_t i = 0; st == WI_OK && i < n && rank < s->depth; i++) {
        double c = closeness(query, scores[i]);

        if (c > 0)
            st = note_rank(s, m, items[i], ++rank, c, err);
    }
    free(items);
    free(scores);
    return st;
}

static double cosine(const float *query, float score)
{
    (void)query;
    return (double)score;
}

static enum wi_status rank_scenarios(struct search *s, struct wi_err *err)
{
    float query[WI_SCENARIO_DIM];

    if (!s->q->scenario || !(s->kinds & 1))
        return WI_OK;
    wi_scenario_vector_of_query(s->q->scenario, query);
    return rank_neighbours(s, SCENARIO, WI_INDEX_SCENARIO, query, WI_SCENARIO_DIM,
                           wi_scenario_closeness, err);
}

static enum wi_status embed_question(struct wi_knowledge *k, const char *text, struct wi_err *err)
{
    size_t dim = k->embedder->dim;
    char *copy;

    if (k->last_text && strcmp(k->last_text, text) == 0)
        return WI_OK;
    free(k->last_text);
    k->last_text = NULL;
    if (!k->last_vec && !(k->last_vec = calloc(dim ? dim : 1, sizeof(*k->last_vec))))
        return wi_fail_nomem(err);
    enum wi_status st = wi_knowledge_embed(k, 1, &text, k->last_vec, err);
    if (st == WI_OK && (copy = strdup(text)))
        k->last_text = copy;
    return st;
}

struct similar {
    int64_t item;
    float score;
};

static int compare_similar(const void *a, const void *b)
{
    const struct similar *x = a, *y = b;

    if (x->score > y->score || x->score < y->score)
        return x->score > y->score ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/*
 * The neighbours in scenario by their texts. Where nobody has put words, those of the scenario fit
 * every experiment of its kind; they order the neighbours, and the texts of all others, which may
 * be thousands, stay unread.
 */
static enum wi_status rank_texts_of_neighbours(struct search *s, struct wi_err *err)
{
    size_t n = s->n, dim = s->k->embedder->dim, rank = 0;
    struct similar *all = malloc((n + 1) * sizeof(*all));
    int64_t *items = malloc((n + 1) * sizeof(*items));
    float *vec = malloc((n * dim + 1) * sizeof(*vec));
    enum wi_status st = all && items && vec ? WI_OK : wi_fail_nomem(err);

    for (size_t i = 0; st == WI_OK && i < n; i++)
        items[i] = s->list[i].item;
    if (st == WI_OK)
        st = wi_knowledge_text_vectors(s->k, n, items, vec, err);
    for (size_t i = 0; st == WI_OK && i < n; i++) {
        all[i] = (struct similar){items[i], 0};
        for (size_t j = 0; j < dim; j++)
            all[i].score += vec[i * dim + j] * s->k->last_vec[j];
    }
    if (st == WI_OK)
        qsort(all, n, sizeof(*all), compare_similar);
    for (size_t i = 0; st == WI_OK && i < n && all[i].score > 0; i++)
        st = note_rank(s, TEXT, all[i].item, ++rank, (double)all[i].score, err);
    free(all);
    free(items);
    free(vec);
    return st;
}

static enum wi_status rank_texts(struct search *s, bool scenarios, struct wi_err *err)
{
    struct wi_knowledge *k = s->k;
    enum wi_status st = embed_question(k, s->words.text, err);

    if (st == WI_OK && s->kinds & 1)
        st = scenarios && !s->q->text ? rank_texts_of_neighbours(s, err)
                                      : rank_neighbours(s, TEXT, WI_INDEX_TEXT, k->last_vec,
                                                        k->embedder->dim, cosine, err);
    if (st == WI_OK && s->kinds & 2)
        st = rank_neighbours(s, TEXT, WI_INDEX_PRINCIPLE, k->last_vec, k->embedder->dim, cosine,
                             err);
    return st;
}

static enum wi_status rank_words(struct search *s, struct wi_err *err)
{
    int64_t *items = NULL;
    size_t n = 0;
    enum wi_status st = WI_OK;

    if (!s->words.match[0])
        return WI_OK;
    items = malloc(s->depth * sizeof(*items));
    if (!items)
        return wi_fail_nomem(err);
    for (unsigned kind = 0; st == WI_OK && kind < 2; kind++) {
        if (!(s->kinds >> kind & 1))
            continue;
        st = wi_store_bm25(s->k->store, s->words.match, (enum wi_item_kind)kind, s->depth, items,
                           &n, err);
        for (size_t i = 0; st == WI_OK && i < n; i++)
            st = note_rank(s, BM25, items[i], i + 1, 0, err);
    }
    free(items);
    return st;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->score > y->score || x->score < y->score)
        return x->score > y->score ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/*
 * How much a kind of item bears on the question at all, 0..1: ranks are counted within a kind, so
 * that the best experiment for a question about a standard would look as good as the standard.
 */
static void kind_factors(const struct search *s, double factor[2])
{
    double best[2] = {0, 0};

    for (size_t i = 0; i < s->n; i++) {
        const struct candidate *c = &s->list[i];
        double near = fmax(c->closeness[SCENARIO], c->closeness[TEXT]);

        best[c->item & 1] = fmax(best[c->item & 1], near);
    }
    double all = fmax(best[0], best[1]);
    for (size_t kind = 0; kind < 2; kind++)
        factor[kind] = all > 0 ? sqrt(best[kind] / all) : 1;
}

static void fuse(struct search *s, unsigned used)
{
    double best[2] = {0, 0}, factor[2];

    for (size_t m = 0; m < N_METHODS; m++) {
        double w = used & methods[m].bit ? methods[m].weight / (RRF_K + 1) : 0;

        best[0] += w;
        best[1] += m == SCENARIO ? 0 : w; /* principles have no scenario */
    }
    kind_factors(s, factor);
    for (size_t i = 0; i < s->n; i++) {
        struct candidate *c = &s->list[i];
        size_t kind = c->item & 1;

        for (size_t m = 0; m < N_METHODS; m++)
            c->score += c->rank[m] ? methods[m].weight / (RRF_K + (double)c->rank[m]) : 0;
        c->score = best[kind] > 0 ? factor[kind] * c->score / best[kind] : 0;
    }
    if (s->n)
        qsort(s->list, s->n, sizeof(*s->list), compare_candidates);
}

/* ---- contradictions ---- */

/* The hits in order, each followed by its other sides. */
struct result {
    struct candidate *list;
    size_t n, cap;
};

static bool has(const struct result *r, int64_t item)
{
    for (size_t i = 0; i < r->n; i++) {
        if (r->list[i].item == item)
            return true;
    }
    return false;
}

static enum wi_status push(struct result *r, const struct candidate *c, struct wi_err *err)
{
    if (r->n == r->cap) {
        size_t cap = r->cap ? 2 * r->cap : 64;
        struct candidate *p = realloc(r->list, cap * sizeof(*p));

        if (!p)
            return wi_fail_nomem(err);
        r->list = p;
        r->cap = cap;
    }
    r->list[r->n++] = *c;
    return WI_OK;
}

/* As a candidate, with a share of the score of the hit that brings it where its own is lower. */
static struct candidate as_candidate(const struct search *s, const struct wi_partner *p,
                                     double score)
{
    struct candidate c = {.item = p->item};

    for (size_t i = 0; i < s->n; i++) {
        if (s->list[i].item == p->item)
            c = s->list[i];
    }
    c.score = fmax(c.score, (p->direct ? DIRECT_SHARE : MEMBER_SHARE) * score);
    snprintf(c.via, sizeof(c.via), "%s", p->via);
    return c;
}

/*
 * Of the members of one contradiction the one nearest to the question, unless another side is
 * among the results already. Returns NULL for none.
 */
static const struct wi_partner *choose(const struct search *s, const struct result *r,
                                       const struct wi_partner *p, size_t n)
{
    const struct wi_partner *best = NULL;
    double best_score = -1;

    for (size_t i = 0; i < n; i++) {
        if (!wanted(s, p[i].item) || p[i].same_side)
            continue;
        if (has(r, p[i].item))
            return NULL;
        double score = as_candidate(s, &p[i], 0).score;
        if (score > best_score) {
            best = &p[i];
            best_score = score;
        }
    }
    return best;
}

static enum wi_status push_partners(const struct search *s, struct result *r, int64_t item,
                                    double score, struct wi_err *err)
{
    struct wi_partners all = {0};
    enum wi_status st = wi_store_load_partners(s->k->store, item, &all, err);

    if (st == WI_ENOTFOUND) /* removed by another process since the index was opened */
        return WI_OK;
    for (size_t i = 0, to; st == WI_OK && i < all.n; i = to) {
        const struct wi_partner *p = &all.p[i];

        to = i + 1;
        while (!p->direct && to < all.n && strcmp(all.p[to].via, p->via) == 0)
            to++;
        p = choose(s, r, p, to - i);
        if (p) {
            struct candidate c = as_candidate(s, p, score);
            st = push(r, &c, err);
        }
    }
    wi_partners_release(&all);
    return st;
}

/* The best top_k of each kind, and what contradicts them. */
static enum wi_status select_hits(struct search *s, struct wi_err *err)
{
    struct result r = {0};
    size_t count[2] = {0, 0};
    enum wi_status st = WI_OK;

    for (size_t i = 0; st == WI_OK && i < s->n; i++) {
        const struct candidate *c = &s->list[i];

        if (count[c->item & 1] >= s->q->top_k || has(&r, c->item))
            continue;
        count[c->item & 1]++;
        st = push(&r, c, err);
        if (st == WI_OK)
            st = push_partners(s, &r, c->item, c->score, err);
    }
    free(s->list);
    s->list = r.list;
    s->n = r.n;
    return st;
}

/* ---- why ---- */

static size_t append(char *buf, size_t size, size_t n, const char *text)
{
    if (n >= size)
        return n;
    return n + (size_t)snprintf(buf + n, size - n, "%s%s", n ? "; " : "", text);
}

/* The words of the question whose terms stand in the item, each once, at most eight. */
static enum wi_status shared_words(struct search *s, int64_t item, char *out, size_t size,
                                   struct wi_err *err)
{
    char *terms = NULL, *haystack = NULL, padded[96];
    size_t n = 0, found = 0;
    enum wi_status st = wi_store_load_terms(s->k->store, item, &terms, err);

    out[0] = '\0';
    if (st == WI_OK && asprintf(&haystack, " %s ", terms) < 0) {
        haystack = NULL;
        st = wi_fail_nomem(err);
    }
    for (size_t i = 0; st == WI_OK && i < s->words.n && found < 8; i++) {
        bool again = i > 0 && strcmp(s->words.words[i], s->words.words[i - 1]) == 0;

        snprintf(padded, sizeof(padded), " %s ", s->words.terms[i]);
        if (again || n >= size || !strstr(haystack, padded))
            continue;
        n += (size_t)snprintf(out + n, size - n, "%s%s", found ? ", " : "", s->words.words[i]);
        found++;
    }
    free(haystack);
    free(terms);
    return st;
}

static enum wi_status explain(struct search *s, const struct candidate *c, char **why,
                              struct wi_err *err)
{
    char buf[768] = "", part[384], shared[256];
    size_t n = 0;
    enum wi_status st = WI_OK;

    if (c->via[0]) {
        snprintf(part, sizeof(part), "the other side of %s", c->via);
        n = append(buf, sizeof(buf), n, part);
    }
    if (c->rank[SCENARIO]) {
        snprintf(part, sizeof(part), "scenario neighbour %zu (closeness %.2f)", c->rank[SCENARIO],
                 c->closeness[SCENARIO]);
        n = append(buf, sizeof(buf), n, part);
    }
    if (c->rank[TEXT]) {
        snprintf(part, sizeof(part), "similar text, place %zu (cosine %.2f)", c->rank[TEXT],
                 c->closeness[TEXT]);
        n = append(buf, sizeof(buf), n, part);
    }
    if (c->rank[BM25]) {
        st = shared_words(s, c->item, shared, sizeof(shared), err);
        snprintf(part, sizeof(part), "words, place %zu%s%s%s", c->rank[BM25], shared[0] ? " (" : "",
                 shared, shared[0] ? ")" : "");
        n = append(buf, sizeof(buf), n, part);
    }
    if (st == WI_OK && !(*why = strdup(buf)))
        st = wi_fail_nomem(err);
    return st;
}

static enum wi_status make_items(struct search *s, struct wi_item **items, size_t *n,
                                 struct wi_err *err)
{
    struct wi_item *out = calloc(s->n ? s->n : 1, sizeof(*out));
    size_t count = 0;
    enum wi_status st = out ? WI_OK : wi_fail_nomem(err);

    for (size_t i = 0; st == WI_OK && i < s->n; i++) {
        st = wi_store_load_item(s->k->store, s->list[i].item, &out[count], err);
        if (st == WI_ENOTFOUND) { /* removed by another process since the index was opened */
            st = WI_OK;
            continue;
        }
        if (st != WI_OK)
            break;
        out[count].score = s->list[i].score;
        st = explain(s, &s->list[i], &out[count++].why, err);
    }
    if (st != WI_OK) {
        wi_items_free(out, count);
        return st;
    }
    *items = out;
    *n = count;
    return WI_OK;
}

enum wi_status wi_knowledge_search(struct wi_knowledge *k, const struct wi_search_query *q,
                                   struct wi_item **items, size_t *n, struct wi_err *err)
{
    unsigned use = q->methods ? q->methods : (unsigned)WI_SEARCH_FUSED;
    struct search s = {.k = k, .q = q, .depth = DEPTH_MIN + q->top_k};
    enum wi_status st;

    if (q->top_k < 1 || q->top_k > WI_TOP_K_MAX)
        return wi_fail(err, WI_ERANGE, "the number of hits is %zu, must be 1 to %d", q->top_k,
                       WI_TOP_K_MAX);
    s.kinds = q->experiments == q->principles ? 3 : q->experiments ? 1 : 2;
    if (!q->scenario || !(s.kinds & 1))
        use &= ~(unsigned)WI_SEARCH_SCENARIO;
    st = wi_query_make(k->terms, q->text, q->scenario, &s.words, err);
    if (st == WI_OK && use & WI_SEARCH_SCENARIO)
        st = rank_scenarios(&s, err);
    if (st == WI_OK && use & WI_SEARCH_TEXT)
        st = rank_texts(&s, use & WI_SEARCH_SCENARIO, err);
    if (st == WI_OK && use & WI_SEARCH_BM25)
        st = rank_words(&s, err);
    if (st == WI_OK) {
        fuse(&s, use);
        st = select_hits(&s, err);
    }
    if (st == WI_OK) {
        if (s.n)
            qsort(s.list, s.n, sizeof(*s.list), compare_candidates);
        st = make_items(&s, items, n, err);
    }
    wi_query_release(&s.words);
    free(s.list);
    return st;
}

void wi_items_free(struct wi_item *items, size_t n)
{
    for (size_t i = 0; items && i < n; i++)
        wi_item_release(&items[i]);
    free(items);
}

enum wi_status wi_knowledge_get(struct wi_knowledge *k, const char *id, struct wi_item *out,
                                struct wi_err *err)
{
    int64_t item = 0;
    struct wi_item i = {0};
    enum wi_status st = wi_store_find_item(k->store, id, &item, err);

    if (st == WI_OK)
        st = wi_store_load_item(k->store, item, &i, err);
    if (st == WI_OK && !(i.why = strdup("asked for by its id"))) {
        wi_item_release(&i);
        st = wi_fail_nomem(err);
    }
    if (st == WI_OK)
        *out = i;
    return st;
}
