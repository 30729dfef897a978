/*
 * Numbers of a JSON text as they stand there: cJSON keeps doubles, which end at 2^53.
 */
#ifndef WI_KNOWLEDGE_STORE_JSON_H
#define WI_KNOWLEDGE_STORE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

/*
 * The text of the value at a path, by SQLite's JSON functions, in a database of its own.
 *
 * in:   json, len   one JSON document
 *       path        SQLite's form, "$.a.b[3].c"
 *       size        of buf; a longer value is cut
 * out:  found       false where the path leads nowhere or the text is not JSON
 *       buf         the value as written
 * returns WI_OK; WI_ENOMEM
 */
enum wi_status wi_store_json_text(const char *json, size_t len, const char *path, char *buf,
                                  size_t size, bool *found, struct wi_err *err);

#endif
