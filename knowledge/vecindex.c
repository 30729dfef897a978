#include "knowledge/vecindex.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <faiss/c_api/IndexFlat_c.h>
#include <faiss/c_api/Index_c.h>
#include <faiss/c_api/MetaIndexes_c.h>
#include <faiss/c_api/error_c.h>
#include <faiss/c_api/index_io_c.h>
#include <omp.h>

#define MAGIC "wi-vecindex/1"
#define HEADER_MAX 1024
#define FILE_MAX ((size_t)2 << 30)

struct wi_vecindex {
    FaissIndex *faiss;
    size_t dim;
};

static enum wi_status faiss_failed(const char *what, struct wi_err *err)
{
    const char *why = faiss_get_last_error();

    return wi_fail(err, WI_ENOMEM, "vector index: %s failed: %s", what, why ? why : "no reason");
}

static enum wi_status check_vectors(const struct wi_vecindex *index, const float *vec, size_t n,
                                    size_t dim, struct wi_err *err)
{
    if (dim != index->dim)
        return wi_fail(err, WI_ERANGE, "vector index: a vector of %zu components, must be %zu", dim,
                       index->dim);
    for (size_t i = 0; i < n * dim; i++) {
        if (!isfinite(vec[i]))
            return wi_fail(err, WI_ERANGE,
                           "vector index: component %zu of vector %zu is not finite", i % dim,
                           i / dim);
    }
    return WI_OK;
}

static enum wi_status wrap(FaissIndex *faiss, size_t dim, struct wi_vecindex **index,
                           struct wi_err *err)
{
    struct wi_vecindex *out = malloc(sizeof(*out));

    if (!out) {
        faiss_Index_free(faiss);
        return wi_fail_nomem(err);
    }
    *out = (struct wi_vecindex){faiss, dim};
    *index = out;
    return WI_OK;
}

enum wi_status wi_vecindex_new(size_t dim, struct wi_vecindex **index, struct wi_err *err)
{
    FaissIndexFlatIP *flat = NULL;
    FaissIndexIDMap2 *map = NULL;

    if (dim < 1 || dim > WI_VECINDEX_DIM_MAX)
        return wi_fail(err, WI_ERANGE, "vector index: dimension %zu, must be 1 to %d", dim,
                       WI_VECINDEX_DIM_MAX);
    if (faiss_IndexFlatIP_new_with(&flat, (idx_t)dim) != 0)
        return faiss_failed("creation", err);
    if (faiss_IndexIDMap2_new(&map, (FaissIndex *)flat) != 0) {
        faiss_Index_free((FaissIndex *)flat);
        return faiss_failed("creation", err);
    }
    faiss_IndexIDMap2_set_own_fields(map, 1); /* freeing the map frees the flat index */
    return wrap((FaissIndex *)map, dim, index, err);
}

void wi_vecindex_free(struct wi_vecindex *index)
{
    if (!index)
        return;
    faiss_Index_free(index->faiss);
    free(index);
}

size_t wi_vecindex_size(const struct wi_vecindex *index)
{
    return (size_t)faiss_Index_ntotal(index->faiss);
}

enum wi_status wi_vecindex_add(struct wi_vecindex *index, size_t n, const int64_t *ids,
                               const float *vec, size_t dim, struct wi_err *err)
{
    enum wi_status st = check_vectors(index, vec, n, dim, err);

    if (st != WI_OK || n == 0)
        return st;
    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0)
            return wi_fail(err, WI_ERANGE, "vector index: id %lld is negative", (long long)ids[i]);
    }
    if (faiss_Index_add_with_ids(index->faiss, (idx_t)n, vec, ids) != 0)
        return faiss_failed("adding", err);
    return WI_OK;
}

struct hit {
    int64_t id;
    float score;
};

static int compare_hits(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->score > y->score || x->score < y->score)
        return x->score > y->score ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* FAISS leaves the order of equal scores to its heap; ours is fixed. */
static enum wi_status sort_hits(int64_t *ids, float *scores, size_t n, struct wi_err *err)
{
    struct hit *hits = malloc((n ? n : 1) * sizeof(*hits));

    if (!hits)
        return wi_fail_nomem(err);
    for (size_t i = 0; i < n; i++)
        hits[i] = (struct hit){ids[i], scores[i]};
    qsort(hits, n, sizeof(*hits), compare_hits);
    for (size_t i = 0; i < n; i++) {
        ids[i] = hits[i].id;
        scores[i] = hits[i].score;
    }
    free(hits);
    return WI_OK;
}

enum wi_status wi_vecindex_search(const struct wi_vecindex *index, const float *query, size_t dim,
                                  size_t k, int64_t *ids, float *scores, size_t *n,
                                  struct wi_err *err)
{
    size_t total = wi_vecindex_size(index), found = 0;
    enum wi_status st = check_vectors(index, query, 1, dim, err);

    /* A thread pool for a few hundred vectors costs milliseconds of start and spinning; the setting
     * is this thread's alone (OpenMP 5.2, section 2.4). */
    omp_set_num_threads(1);

    *n = 0;
    if (k > total)
        k = total;
    if (st != WI_OK || k == 0)
        return st;
    if (faiss_Index_search(index->faiss, 1, query, (idx_t)k, scores, ids) != 0)
        return faiss_failed("search", err);
    while (found < k && ids[found] >= 0) /* too few hits are filled up with -1 */
        found++;
    st = sort_hits(ids, scores, found, err);
    if (st == WI_OK)
        *n = found;
    return st;
}

/* FNV-1a over eight bytes at a time: finds damage, is no defence against intent. */
static uint64_t checksum(const char *bytes, size_t n)
{
    uint64_t h = 14695981039346656037u, word;

    for (; n >= 8; bytes += 8, n -= 8) {
        memcpy(&word, bytes, 8);
        h = (h ^ word) * 1099511628211u;
        h ^= h >> 32;
    }
    for (; n > 0; bytes++, n--)
        h = (h ^ (unsigned char)*bytes) * 1099511628211u;
    return h;
}

static int format_header(char *out, size_t size, const struct wi_vecindex_label *label,
                         const char *payload, size_t n)
{
    return snprintf(out, size, MAGIC " dim %zu revision %lld bytes %zu checksum %016llx name %s\n",
                    label->dim, (long long)label->revision, n,
                    (unsigned long long)checksum(payload, n), label->name);
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, bytes, n);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        bytes += k;
        n -= (size_t)k;
    }
    return true;
}

static enum wi_status write_file(const char *path, const char *header, size_t n_header,
                                 const char *payload, size_t n, struct wi_err *err)
{
    char *tmp = NULL;
    int fd = -1;
    bool ok = false;

    if (asprintf(&tmp, "%s.XXXXXX", path) < 0)
        return wi_fail_nomem(err);
    fd = mkstemp(tmp);
    if (fd >= 0) {
        ok = fchmod(fd, 0644) == 0 && write_all(fd, header, n_header) &&
             write_all(fd, payload, n) && fsync(fd) == 0;
        ok = close(fd) == 0 && ok;
        ok = ok && rename(tmp, path) == 0;
    }
    enum wi_status st =
        ok ? WI_OK : wi_fail(err, WI_EIO, "cannot write '%s': %s", path, strerror(errno));
    if (fd >= 0 && !ok)
        unlink(tmp);
    free(tmp);
    return st;
}

enum wi_status wi_vecindex_save(const struct wi_vecindex *index, const char *path,
                                const struct wi_vecindex_label *label, struct wi_err *err)
{
    char header[HEADER_MAX];
    char *payload = NULL;
    size_t n = 0;
    FILE *mem = open_memstream(&payload, &n);

    if (!mem)
        return wi_fail_nomem(err);
    int rc = faiss_write_index(index->faiss, mem);
    if (fclose(mem) != 0 || rc != 0) {
        free(payload);
        return faiss_failed("serialising", err);
    }
    int len = format_header(header, sizeof(header), label, payload, n);
    enum wi_status st = len < 0 || (size_t)len >= sizeof(header)
                            ? wi_fail(err, WI_ERANGE, "the name of a vector index is too long")
                            : write_file(path, header, (size_t)len, payload, n, err);
    free(payload);
    return st;
}

static enum wi_status read_file(const char *path, char **bytes, size_t *n, struct wi_err *err)
{
    struct stat sb;
    enum wi_status st = WI_OK;
    char *out = NULL;
    FILE *in = fopen(path, "rb");

    if (!in)
        return wi_fail(err, errno == ENOENT ? WI_ENOTFOUND : WI_EIO, "cannot open '%s': %s", path,
                       strerror(errno));
    if (fstat(fileno(in), &sb) != 0 || !S_ISREG(sb.st_mode) || (size_t)sb.st_size > FILE_MAX)
        st = wi_fail(err, WI_EDATA, "'%s' is damaged: no file of a possible size", path);
    else if (!(out = malloc((size_t)sb.st_size + 1)))
        st = wi_fail_nomem(err);
    else if (fread(out, 1, (size_t)sb.st_size, in) != (size_t)sb.st_size)
        st = wi_fail(err, WI_EIO, "cannot read '%s'", path);
    fclose(in);
    if (st != WI_OK) {
        free(out);
        return st;
    }
    *bytes = out;
    *n = (size_t)sb.st_size;
    return WI_OK;
}

/*
 * The header that this file would have if it were what the label says; only where they differ is
 * it worth finding out why.
 */
static enum wi_status check_header(const char *path, const char *bytes, size_t n,
                                   const struct wi_vecindex_label *label, size_t *n_header,
                                   struct wi_err *err)
{
    char want[HEADER_MAX];
    const char *end = memchr(bytes, '\n', n < HEADER_MAX ? n : HEADER_MAX);

    if (!end || strncmp(bytes, MAGIC " ", sizeof(MAGIC)) != 0)
        return wi_fail(err, WI_EDATA, "'%s' is damaged: no header", path);
    size_t len = (size_t)(end - bytes) + 1;
    int k = format_header(want, sizeof(want), label, bytes + len, n - len);
    if (k == (int)len && memcmp(want, bytes, len) == 0) {
        *n_header = len;
        return WI_OK;
    }
    /* Same bytes and checksum, other label: stale. Else what follows the header is not whole. */
    const char *sum = memmem(bytes, len, " bytes ", 7), *own = strstr(want, " bytes ");
    size_t n_sum = own ? (size_t)(strstr(own, " name ") - own) : 0;
    if (sum && own && (size_t)(end - sum) > n_sum && memcmp(sum, own, n_sum) == 0)
        return wi_fail(err, WI_EDATA, "'%s' is stale: the data or the embedder changed since",
                       path);
    return wi_fail(err, WI_EDATA, "'%s' is damaged: wrong length or checksum", path);
}

static enum wi_status parse(const char *path, char *payload, size_t n, size_t dim,
                            struct wi_vecindex **index, struct wi_err *err)
{
    FaissIndex *faiss = NULL;
    FILE *mem = fmemopen(payload, n, "rb");

    if (!mem)
        return wi_fail_nomem(err);
    int rc = faiss_read_index(mem, 0, &faiss);
    fclose(mem);
    if (rc != 0 || !faiss)
        return wi_fail(err, WI_EDATA, "'%s' is damaged: FAISS cannot read it", path);
    if (!faiss_IndexIDMap2_cast(faiss) || (size_t)faiss_Index_d(faiss) != dim ||
        faiss_Index_metric_type(faiss) != METRIC_INNER_PRODUCT) {
        faiss_Index_free(faiss);
        return wi_fail(err, WI_EDATA, "'%s' is damaged: another kind of index", path);
    }
    return wrap(faiss, dim, index, err);
}

enum wi_status wi_vecindex_load(const char *path, const struct wi_vecindex_label *label,
                                struct wi_vecindex **index, struct wi_err *err)
{
    char *bytes = NULL;
    size_t n = 0, n_header = 0;
    enum wi_status st = read_file(path, &bytes, &n, err);

    if (st == WI_OK)
        st = check_header(path, bytes, n, label, &n_header, err);
    if (st == WI_OK)
        st = parse(path, bytes + n_header, n - n_header, label->dim, index, err);
    free(bytes);
    return st;
}
