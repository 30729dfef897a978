/*
 * Text from outside, made harmless: what may stand in a prompt, and what may come out of a reply.
 */
#ifndef WI_PROMPTS_QUOTE_H
#define WI_PROMPTS_QUOTE_H

#include "prompts/buf.h"

/*
 * Append a text as quoted data of a prompt: one line between double quotes.
 *
 * Control characters (C0, C1, escape sequences), zero-width and direction marks go away; line ends
 * and tabs become one space; invalid UTF-8 becomes '?'. What could be taken for a delimiter of the
 * prompt or of a chat template loses its form: a double quote becomes a single one, [ ] become ( ),
 * { } become ( ), a row of back quotes, dashes, hashes or equal signs becomes one of them, and '<'
 * before a letter, '/', '|' or '!' gets a space after it. Full-width and other look-alikes of these
 * characters are first read as what they look like.
 *
 * in:   max   bytes of the result without quotes; a longer text ends in " (cut)"
 */
void wi_quote(struct wi_buf *b, const char *text, size_t max);

/*
 * Append a text of a reply for people and JSON: control characters, escape sequences, direction and
 * zero-width marks removed, line ends and tabs as spaces, invalid UTF-8 as '?'; nothing else.
 */
void wi_clean(struct wi_buf *b, const char *text, size_t n, size_t max);

#endif
