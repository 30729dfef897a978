/*
 * Words of a text: folded to lower case without accents, and their stems.
 */
#ifndef WI_KNOWLEDGE_WORDS_H
#define WI_KNOWLEDGE_WORDS_H

#include <stdbool.h>

#define WI_WORD_MAX 48 /* bytes of a word with the NUL; longer ones are cut */

/* The next word; false at the end. Moves text on. */
bool wi_word_next(const char **text, char word[WI_WORD_MAX]);

/* Cut plural, -ing, -ed and final e, in place: enough for technical English. */
void wi_word_stem(char *word);

#endif
