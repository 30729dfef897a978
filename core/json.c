#include "core/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/utf8.h"

static void locate(const char *text, size_t offset, size_t *line, size_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            (*line)++;
            *column = 1;
        } else {
            (*column)++;
        }
    }
}

static int compare_key(const void *a, const void *b)
{
    const char *const *x = a;
    const char *const *y = b;

    return strcmp(*x, *y);
}

/* Sorted, since fio's json+ bins are objects with thousands of members. */
static enum wi_status check_duplicate_keys(const cJSON *obj, const char *name, struct wi_err *err)
{
    size_t n = 0;
    size_t i = 0;
    const char **keys;
    enum wi_status st = WI_OK;

    for (const cJSON *m = obj->child; m; m = m->next)
        n++;
    if (n < 2)
        return WI_OK;
    keys = malloc(n * sizeof(*keys));
    if (!keys)
        return wi_fail_nomem(err);
    for (const cJSON *m = obj->child; m; m = m->next)
        keys[i++] = m->string ? m->string : "";
    qsort(keys, n, sizeof(*keys), compare_key);
    for (i = 1; i < n && st == WI_OK; i++) {
        if (strcmp(keys[i - 1], keys[i]) == 0)
            st = wi_fail(err, WI_EDATA, "%s: member '%.80s' stands twice in one object", name,
                         keys[i]);
    }
    free(keys);
    return st;
}

/* cJSON stops at 1000 levels by itself, so this recursion is bounded. */
static enum wi_status check_tree(const cJSON *node, size_t depth, bool unique, const char *name,
                                 struct wi_err *err)
{
    enum wi_status st = WI_OK;

    if (depth > WI_JSON_DEPTH_MAX)
        return wi_fail(err, WI_EDATA, "%s: nested deeper than %d levels", name, WI_JSON_DEPTH_MAX);
    if (unique && cJSON_IsObject(node))
        st = check_duplicate_keys(node, name, err);
    for (const cJSON *m = node->child; m && st == WI_OK; m = m->next)
        st = check_tree(m, depth + 1, unique, name, err);
    return st;
}

static enum wi_status parse_prefix(const char *text, size_t len, const char *name, bool unique,
                                   cJSON **json, size_t *used, struct wi_err *err)
{
    const char *end = NULL;
    cJSON *tree;
    enum wi_status st;

    if (len > WI_JSON_BYTES_MAX)
        return wi_fail(err, WI_EDATA, "%s: %zu bytes of JSON, at most %u are read", name, len,
                       WI_JSON_BYTES_MAX);
    tree = cJSON_ParseWithLengthOpts(text, len, &end, 0);
    if (!tree) {
        size_t line;
        size_t column;

        locate(text, end ? (size_t)(end - text) : 0, &line, &column);
        return wi_fail(err, WI_EDATA, "%s:%zu:%zu: not valid JSON", name, line, column);
    }
    st = check_tree(tree, 0, unique, name, err);
    if (st != WI_OK) {
        cJSON_Delete(tree);
        return st;
    }
    *used = (size_t)(end - text);
    *json = tree;
    return WI_OK;
}

enum wi_status wi_json_parse_prefix(const char *text, size_t len, const char *name, cJSON **json,
                                    size_t *used, struct wi_err *err)
{
    return parse_prefix(text, len, name, true, json, used, err);
}

enum wi_status wi_json_parse_foreign(const char *text, size_t len, const char *name, cJSON **json,
                                     size_t *used, struct wi_err *err)
{
    return parse_prefix(text, len, name, false, json, used, err);
}

enum wi_status wi_json_parse(const char *text, size_t len, const char *name, cJSON **json,
                             struct wi_err *err)
{
    size_t used = 0;
    cJSON *tree = NULL;
    enum wi_status st = wi_json_parse_prefix(text, len, name, &tree, &used, err);

    if (st != WI_OK)
        return st;
    while (used < len && strchr(" \t\r\n", text[used]) && text[used])
        used++;
    if (used < len) {
        size_t line;
        size_t column;

        locate(text, used, &line, &column);
        cJSON_Delete(tree);
        return wi_fail(err, WI_EDATA, "%s:%zu:%zu: text after the end of the JSON document", name,
                       line, column);
    }
    *json = tree;
    return WI_OK;
}

const cJSON *wi_json_get(const cJSON *obj, const char *key)
{
    return cJSON_IsObject(obj) ? cJSON_GetObjectItemCaseSensitive(obj, key) : NULL;
}

const char *wi_json_str(const cJSON *obj, const char *key)
{
    const cJSON *item = wi_json_get(obj, key);

    return cJSON_IsString(item) ? item->valuestring : NULL;
}

bool wi_json_num(const cJSON *obj, const char *key, double *out)
{
    const cJSON *item = wi_json_get(obj, key);

    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return false;
    *out = item->valuedouble;
    return true;
}

enum wi_status wi_json_add_num(cJSON *obj, const char *key, double value, struct wi_err *err)
{
    const cJSON *item = isfinite(value) ? cJSON_AddNumberToObject(obj, key, value)
                                        : cJSON_AddNullToObject(obj, key);

    return item ? WI_OK : wi_fail_nomem(err);
}

enum wi_status wi_json_only(const cJSON *obj, const char *path, const char *const *known,
                            struct wi_err *err)
{
    if (!cJSON_IsObject(obj))
        return wi_fail(err, WI_EDATA, "%s: must be an object", *path ? path : "document");
    for (const cJSON *m = obj->child; m; m = m->next) {
        const char *const *k = known;

        while (*k && strcmp(*k, m->string) != 0)
            k++;
        if (!*k) {
            char list[256] = "";
            size_t used = 0;

            for (k = known; *k && used < sizeof(list); k++)
                used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                         k == known ? "" : ", ", *k);
            return wi_fail(err, WI_EDATA, "%s%s%.80s: unknown member, known here: %s%s", path,
                           *path ? "." : "", m->string, list, used < sizeof(list) ? "" : " ...");
        }
    }
    return WI_OK;
}

/* Names come from command lines and other people's files in any encoding; cJSON lets them through.
 */
static void replace_invalid_utf8(char *text)
{
    while (*text) {
        size_t n = wi_utf8_length(text);

        if (n == 0)
            *text = '?';
        text += n ? n : 1;
    }
}

enum wi_status wi_json_format(const cJSON *json, bool pretty, char **text, struct wi_err *err)
{
    char *printed = pretty ? cJSON_Print(json) : cJSON_PrintUnformatted(json);

    if (!printed)
        return wi_fail_nomem(err);
    replace_invalid_utf8(printed);
    *text = printed; /* cJSON uses malloc unless hooks are set, which we never do */
    return WI_OK;
}
