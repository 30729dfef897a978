#include "knowledge/partners.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "knowledge/store_internal.h"
#include "knowledge/store_vectors.h"

struct list {
    struct wi_partner *p;
    size_t n, cap;
};

void wi_partners_release(struct wi_partners *p)
{
    free(p->p);
    *p = (struct wi_partners){0};
}

static enum wi_status add(struct list *l, int64_t item, const char *via, bool direct,
                          struct wi_err *err)
{
    struct wi_partner *p = wi_list_push(&l->p, &l->n, &l->cap, sizeof(*p));

    if (!p)
        return wi_fail_nomem(err);
    p->item = item;
    p->direct = direct;
    snprintf(p->via, sizeof(p->via), "%s", via);
    return WI_OK;
}

/* What an experiment is about, so that two drives in the same condition count as one side. */
static enum wi_status condition_of(struct wi_store *store, int64_t item, char *out, size_t size,
                                   struct wi_err *err)
{
    return wi_sql_text(store, out, size, err,
                       "SELECT phase || ' ' || during_vib_axis || ' ' || nand FROM experiments "
                       "WHERE n = ?",
                       "i", item >> 1);
}

/* Links stand in the file of one principle; they hold in both directions. */
static enum wi_status add_links(struct wi_store *store, int64_t item, const char *id,
                                struct list *l, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    enum wi_status st = wi_sql_query(
        store, &stmt, err,
        "SELECT 2 * p.n + 1 FROM principle_links l JOIN principles p ON p.id = l.target "
        "WHERE l.principle = ?1 UNION SELECT 2 * principle + 1 FROM principle_links "
        "WHERE target = ?2 ORDER BY 1",
        "it", item >> 1, id);

    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        if (sqlite3_column_int64(stmt, 0) != item)
            st = add(l, sqlite3_column_int64(stmt, 0), id, true, err);
    }
    wi_sql_done(store, stmt);
    return st;
}

static enum wi_status add_members(struct wi_store *store, int64_t item, const char *via,
                                  const char *ids, struct list *l, struct wi_err *err)
{
    char own[64], other[64];
    enum wi_status st = condition_of(store, item, own, sizeof(own), err);

    while (st == WI_OK && *ids) {
        char id[WI_ID_MAX];
        size_t n = strcspn(ids, " ");
        int64_t member = 0;

        snprintf(id, sizeof(id), "%.*s", (int)n, ids);
        ids += n + (ids[n] == ' ');
        st = wi_store_find_item(store, id, &member, err);
        if (st == WI_ENOTFOUND || (st == WI_OK && member == item)) {
            st = WI_OK;
            continue;
        }
        if (st == WI_OK)
            st = add(l, member, via, false, err);
        if (st == WI_OK && !(item & 1) && !(member & 1)) {
            st = condition_of(store, member, other, sizeof(other), err);
            l->p[l->n - 1].same_side = strcmp(own, other) == 0;
        }
    }
    return st;
}

static enum wi_status add_contradictions(struct wi_store *store, int64_t item, const char *id,
                                         struct list *l, struct wi_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    enum wi_status st = wi_sql_query(store, &stmt, err,
                                     "SELECT id, items FROM contradictions WHERE "
                                     "instr(' ' || items || ' ', ' ' || ? || ' ') ORDER BY id",
                                     "t", id);

    while (st == WI_OK) {
        st = wi_sql_step(store, stmt, &row, err);
        if (st != WI_OK || !row)
            break;
        st = add_members(store, item, (const char *)sqlite3_column_text(stmt, 0),
                         (const char *)sqlite3_column_text(stmt, 1), l, err);
    }
    wi_sql_done(store, stmt);
    return st;
}

enum wi_status wi_store_load_partners(struct wi_store *store, int64_t item, struct wi_partners *out,
                                      struct wi_err *err)
{
    struct list l = {0};
    char id[WI_ID_MAX];
    enum wi_status st = wi_store_item_id(store, item, id, err);

    if (st == WI_OK && item & 1)
        st = add_links(store, item, id, &l, err);
    if (st == WI_OK)
        st = add_contradictions(store, item, id, &l, err);
    if (st != WI_OK) {
        free(l.p);
        return st;
    }
    *out = (struct wi_partners){l.p, l.n};
    return WI_OK;
}
