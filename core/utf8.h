/*
 * Telling UTF-8 from other bytes.
 */
#ifndef WI_CORE_UTF8_H
#define WI_CORE_UTF8_H

#include <stddef.h>

/*
 * The character at the start of a text.
 *
 * in:   text   NUL-terminated, any bytes
 * returns its length, 1 to 4 bytes (NUL counts as one); 0 where the bytes are no UTF-8: cut short,
 *         longer than needed, a surrogate, above U+10FFFF
 * source: Unicode 15, table 3-7
 */
size_t wi_utf8_length(const char *text);

#endif
