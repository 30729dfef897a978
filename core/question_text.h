/*
 * Internal to core/question*.c: a question's text in one plain form.
 */
#ifndef WI_CORE_QUESTION_TEXT_H
#define WI_CORE_QUESTION_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "core/limits.h"

/*
 * Lower case, accents removed, one kind of space, quote, dash, arrow, degree and percent sign,
 * ASCII digits, English number words as digits; braces replaced, since they mark quantities later;
 * valid UTF-8 whatever came in. Never longer than the original.
 */
struct q_text {
    char norm[WI_QUESTION_MAX + 1];
    size_t len;
    uint16_t origin[WI_QUESTION_MAX + 1]; /* byte of the original behind each byte of norm */
    const char *original;
    size_t original_len;
};

/* in: text, len  any bytes, len <= WI_QUESTION_MAX; must outlive t */
void q_text_init(struct q_text *t, const char *text, size_t len);

/* The original bytes behind norm[start..end), control characters as blanks, cut to fit buf. */
void q_text_quote(const struct q_text *t, size_t start, size_t end, char *buf, size_t size);

/*
 * English number words to digits, in place: "sixty" "twenty-five" "one hundred and forty"
 * "ninety-nine point nine" "ninety-ninth".
 */
void q_text_number_words(struct q_text *t);

#endif
