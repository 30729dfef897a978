/*
 * Ceph: suggestions for primary-affinity. Reads go to the primary OSD of a placement group, and an
 * affinity below 1 makes an OSD less often the primary.
 *
 * What is suggested: affinity / (1 + change of read latency) for the OSDs whose drives are exposed.
 * By Little's law the reads in flight on an OSD are their rate times their latency; a rate divided
 * by the growth of the latency leaves them as they were. Where that would exceed 1 (the drives get
 * faster), all OSDs are divided by the largest, which keeps their proportions.
 *
 * source: Red Hat Ceph Storage, Storage Strategies, "Primary affinity": `ceph osd primary-affinity
 *         <osd-id> <weight>`, 0 to 1, below 1 less likely the primary; Little, Operations Research
 * 9 (1961) 383. Base: the JSON of `ceph osd tree` ("nodes", type "osd") or `ceph osd dump` ("osds")
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/export_internal.h"

#define OSDS_MAX 65536

struct osd {
    int id;
    bool exposed;
    double old, now;
};

struct osds {
    struct osd *items;
    size_t n;
};

static enum wi_status add(struct osds *list, int id, double old, const char *where,
                          struct wi_err *err)
{
    struct osd *items;

    if (!(old >= 0.0 && old <= 1.0))
        return wi_fail(err, WI_EDATA, "%s: primary affinity of osd.%d is %g, must be 0 to 1", where,
                       id, old);
    if (list->n == OSDS_MAX)
        return wi_fail(err, WI_EDATA, "%s: more than %d OSDs", where, OSDS_MAX);
    items = realloc(list->items, (list->n + 1) * sizeof(*items));
    if (!items)
        return wi_fail_nomem(err);
    list->items = items;
    items[list->n++] = (struct osd){.id = id, .old = old};
    return WI_OK;
}

/* A number of an OSD at the start of a text; -1: none. */
static int id_parse(const char *text, const char **rest)
{
    char *end = NULL;
    long id;

    errno = 0;
    id = *text >= '0' && *text <= '9' ? strtol(text, &end, 10) : -1;
    if (id < 0 || id > 1000000 || errno)
        return -1;
    *rest = end;
    return (int)id;
}

/* ---- the base ---------------------------------------------------------------------------- */

static enum wi_status add_nodes(struct osds *list, const cJSON *array, const char *id_key,
                                bool typed, const char *where, struct wi_err *err)
{
    const cJSON *node = NULL;

    cJSON_ArrayForEach(node, array)
    {
        const char *type = wi_json_str(node, "type");
        double id;
        double affinity;
        enum wi_status st;

        if (typed && (!type || strcmp(type, "osd") != 0))
            continue;
        if (!wi_json_num(node, id_key, &id) || id != floor(id) || id < 0.0 || id > 1e6)
            return wi_fail(err, WI_EDATA, "%s: an OSD without '%s'", where, id_key);
        if (!wi_json_num(node, "primary_affinity", &affinity))
            return wi_fail(err, WI_EDATA, "%s: osd.%d has no primary_affinity", where, (int)id);
        st = add(list, (int)id, affinity, where, err);
        if (st != WI_OK)
            return st;
    }
    return WI_OK;
}

static enum wi_status read_base(const struct wi_export_options *opt, struct osds *list,
                                struct wi_err *err)
{
    cJSON *root = NULL;
    enum wi_status st = wi_json_parse(opt->base, opt->base_len, opt->base_name, &root, err);

    if (st != WI_OK)
        return st;
    st = add_nodes(list, wi_json_get(root, "nodes"), "id", true, opt->base_name, err);
    if (st == WI_OK)
        st = add_nodes(list, wi_json_get(root, "osds"), "osd", false, opt->base_name, err);
    if (st == WI_OK && list->n == 0)
        st = wi_fail(err, WI_EDATA,
                     "%s: no OSD in it, must be the output of ceph osd tree or ceph osd dump with "
                     "--format json",
                     opt->base_name);
    cJSON_Delete(root);
    return st;
}

static enum wi_status mark_exposed(const struct wi_export_options *opt, struct osds *list,
                                   struct wi_err *err)
{
    const char *at = opt->osds;

    if (!at)
        return wi_fail(err, WI_EUSAGE, "export ceph needs --osd LIST, the OSDs that are exposed");
    while (true) {
        size_t i = 0;
        int id;

        if (strncmp(at, "osd.", 4) == 0)
            at += 4;
        id = id_parse(at, &at);
        if (id < 0 || (*at && *at != ','))
            return wi_fail(err, WI_EUSAGE, "--osd '%s' is not a list like 3,7", opt->osds);
        while (i < list->n && list->items[i].id != id)
            i++;
        if (i == list->n)
            return wi_fail(err, WI_EDATA, "%s: has no osd.%d", opt->base_name, id);
        list->items[i].exposed = true;
        if (!*at)
            return WI_OK;
        at++;
    }
}

static enum wi_status read_values(const struct wi_export_options *opt, struct osds *list,
                                  struct wi_err *err)
{
    if (opt->osds)
        return wi_fail(err, WI_EUSAGE, "--osd goes with --base; --set names the OSDs itself");
    for (size_t i = 0; i < opt->n_values; i++) {
        const struct wi_export_value *v = &opt->values[i];
        const char *rest = "";
        int id = strncmp(v->name, "osd.", 4) == 0 ? id_parse(v->name + 4, &rest) : -1;
        enum wi_status st;

        if (id < 0 || *rest)
            return wi_fail(err, WI_EUSAGE, "export ceph has no '%s', allowed is osd.N", v->name);
        if (*v->unit)
            return wi_fail(err, WI_EUSAGE, "'%s': an affinity has no unit, not '%s'", v->name,
                           v->unit);
        if (v->value > 1.0)
            return wi_fail(err, WI_EUSAGE, "'%s' is %g, must be 0 to 1", v->name, v->value);
        st = add(list, id, v->value, "--set", err);
        if (st != WI_OK)
            return st;
        list->items[list->n - 1].exposed = true;
    }
    return WI_OK;
}

/* ---- the suggestion ---------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    return ((const struct osd *)a)->id - ((const struct osd *)b)->id;
}

static enum wi_status sort(struct osds *list, const char *where, struct wi_err *err)
{
    qsort(list->items, list->n, sizeof(*list->items), by_id);
    for (size_t i = 1; i < list->n; i++) {
        if (list->items[i - 1].id == list->items[i].id)
            return wi_fail(err, WI_EDATA, "%s: osd.%d stands there twice", where,
                           list->items[i].id);
    }
    return WI_OK;
}

/* returns the number that all were divided by, 1 = none */
static double suggest(struct osds *list, double factor)
{
    double largest = 1.0;

    for (size_t i = 0; i < list->n; i++) {
        struct osd *o = &list->items[i];

        o->now = o->exposed ? o->old / factor : o->old;
        largest = fmax(largest, o->now);
    }
    for (size_t i = 0; i < list->n; i++)
        list->items[i].now /= largest;
    return largest;
}

static void print(const struct export_job *job, const struct osds *list, double divisor, bool sure,
                  struct wi_buf *out)
{
    size_t n = 0;

    wi_buf_puts(out, "#!/bin/sh\n");
    export_comment_head(out, EXPORT_HASH, job, "suggestions for primary affinity");
    export_comment(out, EXPORT_HASH,
                   "affinity of the exposed OSDs / %.4f: as many reads in flight as before "
                   "(Little's law)",
                   job->side[WI_OP_READ].factor);
    if (divisor > 1.0 && sure)
        export_comment(out, EXPORT_HASH, "all / %.4f, since none may exceed 1", divisor);
    export_comment(out, EXPORT_HASH,
                   "assumption: the share of primaries follows the affinity, and the mean latency "
                   "this percentile");
    export_comment(out, EXPORT_HASH,
                   "format: Red Hat Ceph Storage, Storage Strategies, Primary affinity");
    for (size_t i = 0; i < list->n && sure; i++) {
        const struct osd *o = &list->items[i];

        if (fabs(o->now - o->old) < 0.0005)
            continue;
        wi_buf_addf(out, "ceph osd primary-affinity osd.%d %.3f # was %.3f\n", o->id, o->now,
                    o->old);
        n++;
    }
    if (!sure)
        export_comment(out, EXPORT_HASH,
                       "the interval holds 0: no change is suggested; --bound low or high shows "
                       "what its ends would mean");
    else if (n == 0)
        export_comment(out, EXPORT_HASH, "nothing to change");
}

static enum wi_status write_ceph(struct export_job *job, struct wi_buf *out, struct wi_err *err)
{
    const struct export_side *side = &job->side[WI_OP_READ];
    struct osds list = {0};
    bool sure = job->opt->bound >= 0 || side->change->low_pct > 0.0 || side->change->high_pct < 0.0;
    enum wi_status st =
        job->opt->base_name ? read_base(job->opt, &list, err) : read_values(job->opt, &list, err);

    if (st == WI_OK && job->opt->base_name)
        st = mark_exposed(job->opt, &list, err);
    if (st == WI_OK)
        st = sort(&list, job->opt->base_name ? job->opt->base_name : "--set", err);
    if (st == WI_OK) {
        double divisor = suggest(&list, side->factor);

        print(job, &list, divisor, sure, out);
    }
    free(list.items);
    return st;
}

const struct wi_export_target export_ceph = {
    .name = "ceph",
    .title = "Ceph commands: primary affinity by read latency",
    .base = "ceph osd tree or dump, --format json",
    .unit = "affinity",
    .takes = WI_EXPORT_TAKES_PERCENTILE | WI_EXPORT_TAKES_BOUND | WI_EXPORT_TAKES_OSDS,
    .reads_only = true,
    .write = write_ceph};
