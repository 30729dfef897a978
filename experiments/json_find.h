/*
 * Finding JSON documents in the output of tools that print other things too.
 */
#ifndef WI_EXPERIMENTS_JSON_FIND_H
#define WI_EXPERIMENTS_JSON_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

struct wi_json_span {
    size_t start, len;   /* of the last complete document; len 0 = there is none */
    size_t line;         /* line it starts on, from 1 */
    size_t n_complete;   /* documents that ended */
    size_t n_non_finite; /* nan, -nan, inf outside strings in that document */
    bool cut_off;        /* a later document starts and does not end */
    size_t cut_line;     /* line on which the text ends then */
    size_t n_open;       /* brackets still open then */
};

/*
 * Find the last complete object. A document starts at a '{' whose next visible character is a
 * quotation mark or '}'.
 *
 * returns WI_OK, also if there is none; WI_EDATA for nesting deeper than depth_max or a NUL byte
 * cost:   one pass
 */
enum wi_status wi_json_find_last(const char *text, size_t len, const char *name, size_t depth_max,
                                 struct wi_json_span *span, struct wi_err *err);

/*
 * A copy of a document in which nan, -nan, inf and -inf outside strings became null.
 * out:  copy   free with free()
 */
enum wi_status wi_json_null_non_finite(const char *text, size_t len, char **copy, size_t *n,
                                       struct wi_err *err);

struct cJSON;

/*
 * Parse the last complete object of a tool's output; nan and inf become null.
 *
 * in:   hint   how to make the tool write JSON: "run fio with --output-format=json"
 * out:  json   free with cJSON_Delete
 *       span   where it stood
 * returns WI_OK; WI_EDATA naming the line: empty, no JSON in it, cut off, malformed, too deep
 */
enum wi_status wi_json_parse_last(const char *text, size_t len, const char *name, size_t depth_max,
                                  const char *hint, struct cJSON **json, struct wi_json_span *span,
                                  struct wi_err *err);

#endif
