/*
 * Names of enum values by table: how every _name and _parse function of an enum works.
 */
#ifndef WI_CORE_ENUM_NAMES_H
#define WI_CORE_ENUM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <strings.h>

/* The name of value v; "?" for a value without one. */
static inline const char *wi_enum_name(const char *const *names, size_t n, size_t v)
{
    return v < n ? names[v] : "?";
}

/* The value of a name, case ignored. */
static inline bool wi_enum_find(const char *const *names, size_t n, const char *text, size_t *v)
{
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(names[i], text) == 0) {
            *v = i;
            return true;
        }
    }
    return false;
}

#endif
