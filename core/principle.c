#include "core/principle.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define TITLE_MAX 160 /* one line of a table or a prompt */

static const char *const members[] = {
    "id",       "title",     "statement", "latency_effect", "bandwidth_effect", "equation",
    "validity", "stressors", "nand",      "sources",        "contradicted_by",  "own",
    NULL}; /* own: what 'principles show' says of one, no matter here */
static const char *const source_members[] = {"id", "confidence", NULL};
static const char *const stressor_names[] = {"temperature", "humidity",  "vibration", "time",
                                             "wear",        "radiation", NULL};
static const char *const nand_names[] = {"slc", "mlc", "tlc", "qlc", "any", NULL};

/* The plain texts: where each stands in the file and in the struct. */
static const struct {
    const char *key;
    size_t offset;
    size_t max; /* bytes, without the NUL */
    bool may_be_empty;
} texts[] = {
    {"title", offsetof(struct wi_principle, title), TITLE_MAX, false},
    {"statement", offsetof(struct wi_principle, statement), WI_TEXT_MAX, false},
    {"latency_effect", offsetof(struct wi_principle, latency_effect), WI_TEXT_MAX, false},
    {"bandwidth_effect", offsetof(struct wi_principle, bandwidth_effect), WI_TEXT_MAX, false},
    {"equation", offsetof(struct wi_principle, equation), WI_TEXT_MAX, true},
    {"validity", offsetof(struct wi_principle, validity), WI_TEXT_MAX, false},
};

static char **text_at(struct wi_principle *p, size_t offset)
{
    return (char **)(void *)((char *)p + offset);
}

void wi_principle_release(struct wi_principle *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < COUNT(texts); i++)
        free(*text_at(p, texts[i].offset));
    free(p->stressors);
    free(p->nand);
    *p = (struct wi_principle){0};
}

void wi_principles_free(struct wi_principle *list, size_t n)
{
    for (size_t i = 0; list && i < n; i++)
        wi_principle_release(&list[i]);
    free(list);
}

/* Bytes outside of printable text would reach terminals and prompts. */
static bool has_control(const char *text)
{
    for (; *text; text++) {
        if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
            return true;
    }
    return false;
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \n")] == '\0';
}

static enum wi_status read_text(const cJSON *json, const char *name, size_t row,
                                struct wi_principle *p, struct wi_err *err)
{
    const char *key = texts[row].key;
    const cJSON *item = wi_json_get(json, key);
    const char *value = cJSON_IsString(item) ? item->valuestring : NULL;
    char *copy;

    if (!item && texts[row].may_be_empty)
        value = "";
    if (!value)
        return wi_fail(err, WI_EDATA, "%s: '%s' is %s, must be a text", name, key,
                       item ? "something else" : "missing");
    if (!texts[row].may_be_empty && is_blank(value))
        return wi_fail(err, WI_EDATA, "%s: '%s' is empty", name, key);
    if (strlen(value) > texts[row].max)
        return wi_fail(err, WI_EDATA, "%s: '%s' has %zu bytes, at most %zu are allowed", name, key,
                       strlen(value), texts[row].max);
    if (has_control(value))
        return wi_fail(err, WI_EDATA, "%s: '%s' has a control character", name, key);
    copy = strdup(value);
    if (!copy)
        return wi_fail_nomem(err);
    *text_at(p, texts[row].offset) = copy;
    return WI_OK;
}

static bool copy_id(char *out, const char *text, const char *allowed)
{
    size_t len = text ? strlen(text) : 0;

    if (len == 0 || len >= WI_ID_MAX || strspn(text, allowed) != len)
        return false;
    memcpy(out, text, len + 1);
    return true;
}

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static enum wi_status read_id(const cJSON *json, const char *name, struct wi_principle *p,
                              struct wi_err *err)
{
    if (!copy_id(p->id, wi_json_str(json, "id"), LOWER DIGITS "-"))
        return wi_fail(err, WI_EDATA, "%s: 'id' must be 1 to %d of a-z, 0-9 and '-'", name,
                       WI_ID_MAX - 1);
    return WI_OK;
}

/* An array of words out of a fixed set, joined by single spaces. */
static enum wi_status read_words(const cJSON *json, const char *name, const char *key,
                                 const char *const *allowed, bool may_be_empty, char **out,
                                 struct wi_err *err)
{
    const cJSON *array = wi_json_get(json, key);
    const cJSON *item;
    size_t n_allowed = 0;
    size_t size = 1;
    char *text;

    while (allowed[n_allowed])
        size += strlen(allowed[n_allowed++]) + 1;
    if (!cJSON_IsArray(array) || (!may_be_empty && !array->child))
        return wi_fail(err, WI_EDATA, "%s: '%s' must be a list of names", name, key);
    if ((size_t)cJSON_GetArraySize(array) > n_allowed)
        return wi_fail(err, WI_EDATA, "%s: '%s' has more than %zu names", name, key, n_allowed);
    text = calloc(1, size);
    if (!text)
        return wi_fail_nomem(err);
    cJSON_ArrayForEach(item, array)
    {
        const char *word = cJSON_IsString(item) ? item->valuestring : "";
        size_t k = 0;
        size_t len = strlen(text);

        while (allowed[k] && strcmp(allowed[k], word) != 0)
            k++;
        if (!allowed[k] || strstr(text, word)) {
            free(text);
            return wi_fail(err, WI_EDATA, "%s: '%s' names '%.40s' %s", name, key, word,
                           allowed[k] ? "twice" : "which is not known");
        }
        if (len)
            text[len++] = ' ';
        memcpy(text + len, word, strlen(word) + 1);
    }
    *out = text;
    return WI_OK;
}

static enum wi_status read_sources(const cJSON *json, const char *name, struct wi_principle *p,
                                   struct wi_err *err)
{
    const cJSON *array = wi_json_get(json, "sources");
    const cJSON *item;
    int n = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0;

    if (n < 1 || n > WI_PRINCIPLE_SOURCES_MAX)
        return wi_fail(err, WI_EDATA, "%s: 'sources' must be a list of 1 to %d sources", name,
                       WI_PRINCIPLE_SOURCES_MAX);
    cJSON_ArrayForEach(item, array)
    {
        char path[512];
        const char *confidence = wi_json_str(item, "confidence");
        enum wi_status st;

        snprintf(path, sizeof(path), "%.400s: sources[%zu]", name, p->n_sources);
        st = wi_json_only(item, path, source_members, err);
        if (st != WI_OK)
            return st;
        if (!copy_id(p->sources[p->n_sources].id, wi_json_str(item, "id"),
                     LOWER UPPER DIGITS "-_."))
            return wi_fail(err, WI_EDATA, "%s: 'id' must be the id of a source", path);
        if (!confidence || !wi_confidence_parse(confidence, &p->sources[p->n_sources].confidence))
            return wi_fail(err, WI_EDATA,
                           "%s: 'confidence' must be one of read, digitised, abstract, secondary, "
                           "derived, unverified, measured",
                           path);
        p->n_sources++;
    }
    return WI_OK;
}

static enum wi_status read_links(const cJSON *json, const char *name, struct wi_principle *p,
                                 struct wi_err *err)
{
    const cJSON *array = wi_json_get(json, "contradicted_by");
    const cJSON *item;

    if (!array)
        return WI_OK;
    if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) > WI_PRINCIPLE_LINKS_MAX)
        return wi_fail(err, WI_EDATA, "%s: 'contradicted_by' must be a list of at most %d ids",
                       name, WI_PRINCIPLE_LINKS_MAX);
    cJSON_ArrayForEach(item, array)
    {
        if (!copy_id(p->contradicted_by[p->n_contradicted_by],
                     cJSON_IsString(item) ? item->valuestring : NULL, LOWER UPPER DIGITS "-_."))
            return wi_fail(err, WI_EDATA, "%s: contradicted_by[%zu] is not an id", name,
                           p->n_contradicted_by);
        p->n_contradicted_by++;
    }
    return WI_OK;
}

static enum wi_status read_all(const cJSON *json, const char *name, struct wi_principle *p,
                               struct wi_err *err)
{
    char path[512];
    enum wi_status st;

    snprintf(path, sizeof(path), "%.500s", name);
    st = wi_json_only(json, path, members, err);
    if (st == WI_OK)
        st = read_id(json, name, p, err);
    for (size_t i = 0; i < COUNT(texts) && st == WI_OK; i++)
        st = read_text(json, name, i, p, err);
    if (st == WI_OK)
        st = read_words(json, name, "stressors", stressor_names, true, &p->stressors, err);
    if (st == WI_OK)
        st = read_words(json, name, "nand", nand_names, false, &p->nand, err);
    if (st == WI_OK)
        st = read_sources(json, name, p, err);
    if (st == WI_OK)
        st = read_links(json, name, p, err);
    return st;
}

enum wi_status wi_principle_parse(const char *text, size_t len, const char *name,
                                  struct wi_principle *out, struct wi_err *err)
{
    struct wi_principle p = {0};
    cJSON *json = NULL;
    enum wi_status st = wi_json_parse(text, len, name, &json, err);

    if (st == WI_OK)
        st = read_all(json, name, &p, err);
    if (st == WI_OK) {
        *out = p;
        p = (struct wi_principle){0};
    }
    wi_principle_release(&p);
    cJSON_Delete(json);
    return st;
}

/* Splits at single spaces; what the reader has joined. */
static bool add_words(cJSON *json, const char *key, const char *words)
{
    cJSON *array = cJSON_AddArrayToObject(json, key);

    while (array && words && *words) {
        char word[WI_ID_MAX];
        size_t n = strcspn(words, " ");
        cJSON *item;

        snprintf(word, sizeof(word), "%.*s", (int)n, words);
        item = cJSON_CreateString(word);
        if (!item || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            return false;
        }
        words += n + (words[n] == ' ');
    }
    return array != NULL;
}

static bool add_sources(cJSON *json, const struct wi_principle *p)
{
    cJSON *array = cJSON_AddArrayToObject(json, "sources");

    for (size_t i = 0; array && i < p->n_sources; i++) {
        cJSON *item = cJSON_CreateObject();

        if (!item || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            return false;
        }
        if (!cJSON_AddStringToObject(item, "id", p->sources[i].id) ||
            !cJSON_AddStringToObject(item, "confidence",
                                     wi_confidence_name(p->sources[i].confidence)))
            return false;
    }
    return array != NULL;
}

static bool add_links(cJSON *json, const struct wi_principle *p)
{
    cJSON *array = cJSON_AddArrayToObject(json, "contradicted_by");

    for (size_t i = 0; array && i < p->n_contradicted_by; i++) {
        cJSON *item = cJSON_CreateString(p->contradicted_by[i]);

        if (!item || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            return false;
        }
    }
    return array != NULL;
}

enum wi_status wi_principle_format(const struct wi_principle *p, char **text, struct wi_err *err)
{
    cJSON *json = cJSON_CreateObject();
    bool ok = json && cJSON_AddStringToObject(json, "id", p->id);
    enum wi_status st;

    for (size_t i = 0; i < COUNT(texts) && ok; i++) {
        const char *value = *(char *const *)(const void *)((const char *)p + texts[i].offset);

        ok = cJSON_AddStringToObject(json, texts[i].key, value ? value : "") != NULL;
    }
    ok = ok && add_words(json, "stressors", p->stressors) && add_words(json, "nand", p->nand) &&
         add_sources(json, p) && add_links(json, p);
    st = ok ? wi_json_format(json, true, text, err) : wi_fail_nomem(err);
    cJSON_Delete(json);
    return st;
}
