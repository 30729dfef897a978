/*
 * The conditioned state as bytes: a header, then names, then each Gaussian process. Numbers are
 * those of the machine that wrote them; the header says so, and another machine's bytes are
 * refused. It is a cache that can always be made again.
 */
#include "core/evidence_model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x3145495774736957u /* changes with byte order */
#define VERSION 6u
#define ROWS_MAX 1000000u

struct header {
    uint64_t magic, version, n_bytes, checksum;
    uint64_t kind, row_size, n_par[WI_N_GROUPS];
};

/* Four independent lanes: about 10 GB/s, since a warm start reads all of it. */
static uint64_t checksum(const unsigned char *p, size_t n)
{
    uint64_t lane[4] = {1, 2, 3, 4}, sum = n;

    for (; n >= 32; n -= 32, p += 32) {
        uint64_t w[4];

        memcpy(w, p, 32);
        for (int i = 0; i < 4; i++)
            lane[i] = (lane[i] ^ w[i]) * 0x9e3779b97f4a7c15u;
    }
    for (int i = 0; i < 4; i++)
        sum = (sum ^ lane[i] ^ (lane[i] >> 29)) * 0xbf58476d1ce4e5b9u;
    for (; n; n--)
        sum = (sum ^ *p++) * 0x100000001b3u;
    return sum;
}

/* ------------------------------------------------------------------ writing */

struct writer {
    unsigned char *p;
    size_t n, cap;
    bool failed;
};

static void put(struct writer *w, const void *data, size_t n)
{
    if (w->failed || n == 0)
        return;
    if (w->cap - w->n < n) {
        size_t cap = (w->n + n) * 2;
        void *p = realloc(w->p, cap);

        if (!p) {
            w->failed = true;
            return;
        }
        w->p = p;
        w->cap = cap;
    }
    memcpy(w->p + w->n, data, n);
    w->n += n;
}

static void put_count(struct writer *w, size_t n)
{
    uint64_t v = n;

    put(w, &v, sizeof(v));
}

/* Arrays of numbers stand at multiples of 8, so that they can be used where they are. */
static void put_padding(struct writer *w)
{
    static const char zeros[8];

    put(w, zeros, (8 - w->n % 8) % 8);
}

static void put_names(struct writer *w, const struct wi_names *names)
{
    put_count(w, names->n);
    for (size_t i = 0; i < names->n; i++) {
        const struct wi_named *name = &names->items[i];
        size_t len = strnlen(name->text, WI_NAME_MAX - 1);

        put_count(w, len);
        put(w, name->text, len);
        put(w, &name->vendor, sizeof(name->vendor));
    }
}

static void put_gp(struct writer *w, const struct wi_gp *gp)
{
    put_count(w, gp->n);
    put_count(w, gp->n_points);
    put_count(w, gp->sparse);
    put(w, gp->rows, gp->n * sizeof(*gp->rows));
    put(w, gp->t, gp->n_points * gp->kernel->n_par * sizeof(*gp->t));
    put(w, gp->alpha, gp->n_points * gp->n * sizeof(*gp->alpha));
    put(w, gp->root, gp->n_points * (gp->n * (gp->n + 1) / 2) * sizeof(*gp->root));
}

static void put_misfit(struct writer *w, const struct wi_misfit *misfit)
{
    put_count(w, misfit->n);
    put(w, misfit->rows, misfit->n * sizeof(*misfit->rows));
    put(w, misfit->within, misfit->n * sizeof(*misfit->within));
    put(w, misfit->between, misfit->n * sizeof(*misfit->between));
    put(w, misfit->prior, misfit->n * sizeof(*misfit->prior));
}

static struct header header_of(enum wi_model_kind kind)
{
    struct header h = {.magic = MAGIC,
                       .version = VERSION,
                       .kind = (uint64_t)kind,
                       .row_size = sizeof(struct wi_row)};

    for (int g = 0; g < WI_N_GROUPS; g++)
        h.n_par[g] = wi_kernel_of((enum wi_group)g)->n_par;
    return h;
}

enum wi_status wi_evidence_save(const struct wi_evidence *ev, void **bytes, size_t *n_bytes,
                                struct wi_err *err)
{
    struct writer w = {0};
    struct header h = header_of(ev->kind);

    put(&w, &h, sizeof(h));
    put_names(&w, &ev->rows.vendors);
    put_names(&w, &ev->rows.devices);
    put_names(&w, &ev->rows.exps);
    put_padding(&w);
    put_count(&w, ev->rows.n_combined);
    put(&w, &ev->hull, sizeof(ev->hull));
    for (int p = 0; p < WI_N_PARTS; p++)
        put_gp(&w, &ev->gp[p]);
    for (int p = 0; p < WI_N_PARTS; p++)
        put_misfit(&w, &ev->misfit[p]);
    if (w.failed) {
        free(w.p);
        return wi_fail_nomem(err);
    }
    h.n_bytes = w.n;
    h.checksum = checksum(w.p + sizeof(h), w.n - sizeof(h));
    memcpy(w.p, &h, sizeof(h));
    *bytes = w.p;
    *n_bytes = w.n;
    return WI_OK;
}

/* ------------------------------------------------------------------ reading */

struct reader {
    unsigned char *p;
    size_t n, whole; /* bytes left, bytes in all */
    struct wi_err *err;
};

static enum wi_status damaged(const struct reader *r)
{
    return wi_fail(r->err, WI_EDATA, "model state is damaged");
}

static enum wi_status get(struct reader *r, void *out, size_t n)
{
    if (r->n < n)
        return damaged(r);
    if (n)
        memcpy(out, r->p, n);
    r->p += n;
    r->n -= n;
    return WI_OK;
}

static enum wi_status get_count(struct reader *r, size_t max, size_t *out)
{
    uint64_t v = 0;
    enum wi_status st = get(r, &v, sizeof(v));

    if (st == WI_OK && v > max)
        st = damaged(r);
    *out = (size_t)v;
    return st;
}

static enum wi_status get_names(struct reader *r, struct wi_names *names)
{
    size_t n, len;
    enum wi_status st = get_count(r, ROWS_MAX, &n);

    if (st != WI_OK || n == 0)
        return st;
    names->items = calloc(n, sizeof(*names->items));
    if (!names->items)
        return wi_fail_nomem(r->err);
    for (names->cap = n; names->n < n && st == WI_OK; names->n++) {
        struct wi_named *name = &names->items[names->n];

        st = get_count(r, WI_NAME_MAX - 1, &len);
        if (st == WI_OK)
            st = get(r, name->text, len);
        if (st == WI_OK)
            st = get(r, &name->vendor, sizeof(name->vendor));
    }
    return st;
}

/* An array of n elements; its size has been bounded by the bytes that are left. */
static enum wi_status get_array(struct reader *r, void **out, size_t n, size_t size)
{
    if (n > r->n / size)
        return damaged(r);
    *out = malloc(n * size + 1);
    return *out ? get(r, *out, n * size) : wi_fail_nomem(r->err);
}

/* An array where it is: at a multiple of 8 by its writer. */
static enum wi_status borrow(struct reader *r, void **out, size_t n, size_t size)
{
    if (n > r->n / size)
        return damaged(r);
    *out = r->p;
    r->p += n * size;
    r->n -= n * size;
    return WI_OK;
}

static enum wi_status borrow_root(struct reader *r, struct wi_gp *gp)
{
    size_t packed = gp->n * (gp->n + 1) / 2;

    gp->borrowed = true;
    return borrow(r, (void **)&gp->root, packed ? gp->n_points : 0,
                  (packed ? packed : 1) * sizeof(double));
}

static enum wi_status get_gp(struct reader *r, const struct wi_kernel *kernel, size_t n_exps,
                             struct wi_gp *gp)
{
    size_t sparse = 0;
    enum wi_status st = get_count(r, ROWS_MAX, &gp->n);

    gp->kernel = kernel;
    if (st == WI_OK)
        st = get_count(r, 1000, &gp->n_points);
    if (st == WI_OK)
        st = get_count(r, 1, &sparse);
    gp->sparse = sparse != 0;
    if (st == WI_OK)
        st = get_array(r, (void **)&gp->rows, gp->n, sizeof(*gp->rows));
    if (st == WI_OK)
        st = get_array(r, (void **)&gp->t, gp->n_points * kernel->n_par, sizeof(*gp->t));
    if (st == WI_OK)
        st = get_array(r, (void **)&gp->alpha, gp->n_points * gp->n, sizeof(*gp->alpha));
    if (st == WI_OK)
        st = borrow_root(r, gp);
    for (size_t i = 0; i < gp->n && st == WI_OK; i++) {
        if (gp->rows[i].exp >= n_exps)
            st = damaged(r);
    }
    if (st == WI_OK)
        st = wi_gp_set_levels(gp, r->err);
    if (st == WI_OK)
        st = wi_gp_set_cross(gp, r->err);
    return st;
}

static enum wi_status get_misfit(struct reader *r, struct wi_misfit *misfit)
{
    enum wi_status st = get_count(r, ROWS_MAX, &misfit->n);

    misfit->borrowed = true;
    if (st == WI_OK)
        st = borrow(r, (void **)&misfit->rows, misfit->n, sizeof(*misfit->rows));
    if (st == WI_OK)
        st = borrow(r, (void **)&misfit->within, misfit->n, sizeof(*misfit->within));
    if (st == WI_OK)
        st = borrow(r, (void **)&misfit->between, misfit->n, sizeof(*misfit->between));
    if (st == WI_OK)
        st = borrow(r, (void **)&misfit->prior, misfit->n, sizeof(*misfit->prior));
    return st;
}

static enum wi_status get_header(struct reader *r, size_t n_bytes, struct header *h)
{
    struct header want;

    if (get(r, h, sizeof(*h)) != WI_OK)
        return WI_EDATA;
    want = header_of((enum wi_model_kind)(h->kind & 1u));
    want.n_bytes = n_bytes;
    want.checksum = h->checksum;
    if (memcmp(h, &want, sizeof(want)) != 0)
        return wi_fail(r->err, WI_EDATA, "model state is of another version or machine");
    return checksum(r->p, r->n) == h->checksum ? WI_OK : damaged(r);
}

static enum wi_status get_all(struct reader *r, struct wi_evidence *e)
{
    struct header h;
    enum wi_status st = get_header(r, r->whole, &h);
    char padding[8];

    if (st == WI_OK) {
        e->kind = (enum wi_model_kind)h.kind;
        st = get_names(r, &e->rows.vendors);
    }
    if (st == WI_OK)
        st = get_names(r, &e->rows.devices);
    if (st == WI_OK)
        st = get_names(r, &e->rows.exps);
    if (st == WI_OK)
        st = get(r, padding, (8 - (r->whole - r->n) % 8) % 8);
    if (st == WI_OK)
        st = get_count(r, SIZE_MAX, &e->rows.n_combined);
    if (st == WI_OK)
        st = get(r, &e->hull, sizeof(e->hull));
    for (int p = 0; p < WI_N_PARTS && st == WI_OK; p++)
        st = get_gp(r, wi_kernel_of(p == WI_PART_TH ? WI_GROUP_TH : WI_GROUP_VIB), e->rows.exps.n,
                    &e->gp[p]);
    for (int p = 0; p < WI_N_PARTS && st == WI_OK; p++)
        st = get_misfit(r, &e->misfit[p]);
    return st == WI_OK && r->n != 0 ? damaged(r) : st;
}

enum wi_status wi_evidence_load_owned(void *bytes, size_t n_bytes, struct wi_evidence **ev,
                                      struct wi_err *err)
{
    struct reader r = {bytes, n_bytes, n_bytes, err};
    struct wi_evidence *e = calloc(1, sizeof(*e));
    enum wi_status st;

    *ev = NULL;
    if (!e) {
        free(bytes);
        return wi_fail_nomem(err);
    }
    e->bytes = bytes;
    st = get_all(&r, e);
    if (st != WI_OK) {
        wi_evidence_free(e);
        return st;
    }
    *ev = e;
    return WI_OK;
}

enum wi_status wi_evidence_load(const void *bytes, size_t n_bytes, struct wi_evidence **ev,
                                struct wi_err *err)
{
    void *copy = malloc(n_bytes + 1);

    *ev = NULL;
    if (!copy)
        return wi_fail_nomem(err);
    if (n_bytes)
        memcpy(copy, bytes, n_bytes);
    return wi_evidence_load_owned(copy, n_bytes, ev, err);
}
