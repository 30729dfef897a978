/*
 * Reading JSON from outside and writing ours: size and depth limits, errors with a path, exact
 * number text. Built on cJSON; nobody else calls its parser.
 */
#ifndef WI_CORE_JSON_H
#define WI_CORE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct cJSON;

/*
 * Parse one document.
 *
 * in:   text, len   UTF-8, BOM allowed; need not end in NUL
 *       name        file name or "reply", for messages
 * out:  json        free with cJSON_Delete
 * returns WI_OK; WI_EDATA with name:line:column for text that is not JSON, nests deeper than
 *         WI_JSON_DEPTH_MAX, is longer than WI_JSON_BYTES_MAX, has trailing text or a duplicate key
 */
enum wi_status wi_json_parse(const char *text, size_t len, const char *name, struct cJSON **json,
                             struct wi_err *err);

/*
 * Like wi_json_parse, but text may follow the document.
 * out:  used   bytes consumed, up to the end of the document
 */
enum wi_status wi_json_parse_prefix(const char *text, size_t len, const char *name,
                                    struct cJSON **json, size_t *used, struct wi_err *err);

/*
 * Like wi_json_parse_prefix for the output of other people's tools: a key may stand twice in one
 * object (fio 2.1 writes "0.00" a dozen times); wi_json_get finds the first.
 */
enum wi_status wi_json_parse_foreign(const char *text, size_t len, const char *name,
                                     struct cJSON **json, size_t *used, struct wi_err *err);

/* A member of an object, NULL if absent or `obj` is no object. Case matters. */
const struct cJSON *wi_json_get(const struct cJSON *obj, const char *key);

/* A string member, or NULL where absent or not a string. */
const char *wi_json_str(const struct cJSON *obj, const char *key);

/* A number member; false where absent, not a number, or not finite. */
bool wi_json_num(const struct cJSON *obj, const char *key, double *out);

/* Add a number, or null where it is not finite, so that no output ever holds NaN. */
enum wi_status wi_json_add_num(struct cJSON *obj, const char *key, double value,
                               struct wi_err *err);

/*
 * Refuse members that the format does not have.
 * in:   path    where obj stands, for the message ("exposure.before")
 *       known   NULL-terminated names
 * returns WI_OK; WI_EDATA naming path and member
 */
enum wi_status wi_json_only(const struct cJSON *obj, const char *path, const char *const *known,
                            struct wi_err *err);

/*
 * The text of a document, two-space indented or on one line; bytes of it that are no UTF-8 come
 * out as '?'. Free with free().
 */
enum wi_status wi_json_format(const struct cJSON *json, bool pretty, char **text,
                              struct wi_err *err);

#endif
