#include "prompts/prompt.h"

#include <assert.h>
#include <string.h>

#include "core/embedded.h"
#include "prompts/buf.h"

static const char *value_of(const char *name, size_t n, const char *const (*pairs)[2],
                            size_t n_pairs)
{
    for (size_t i = 0; i < n_pairs; i++) {
        if (strlen(pairs[i][0]) == n && memcmp(pairs[i][0], name, n) == 0)
            return pairs[i][1];
    }
    return NULL;
}

enum wi_status wi_template_fill(const char *path, const char *const (*pairs)[2], size_t n_pairs,
                                char **text, struct wi_err *err)
{
    const struct wi_embedded_file *file = wi_embedded_find(path);
    const char *at, *end;
    struct wi_buf out = {0};

    assert(file);
    at = file->bytes;
    end = at + file->n_bytes;
    /* One pass: what is filled in is never looked at for names again. */
    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open ? memmem(open + 2, (size_t)(end - open) - 2, "}}", 2) : NULL;
        const char *value;

        if (!close) {
            wi_buf_add(&out, at, (size_t)(end - at));
            break;
        }
        value = value_of(open + 2, (size_t)(close - open) - 2, pairs, n_pairs);
        if (!value) {
            wi_buf_release(&out);
            return wi_fail(err, WI_EDATA, "template '%s' asks for unknown '%.*s'", path,
                           (int)(close - open) - 2, open + 2);
        }
        wi_buf_add(&out, at, (size_t)(open - at));
        wi_buf_puts(&out, value);
        at = close + 2;
    }
    return wi_buf_take(&out, text, err);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_mark(char c)
{
    return c > ' ' && c < 0x7f && !is_letter(c) && !(c >= '0' && c <= '9');
}

/* Tokens of a word of n letters. */
static size_t word_tokens(const char *word, size_t n)
{
    bool capitals = n > 1;

    for (size_t i = 0; i < n; i++)
        capitals = capitals && word[i] < 'a';
    if (capitals)
        return n;
    return n <= 5 ? 1 : 1 + (n - 5 + 3) / 4;
}

size_t wi_prompt_tokens(const char *text)
{
    size_t n = 0;

    while (*text) {
        size_t run = 1;

        if (is_letter(*text)) {
            while (is_letter(text[run]))
                run++;
            n += word_tokens(text, run);
        } else if (is_mark(*text)) {
            while (is_mark(text[run]))
                run++;
            n += (run + 1) / 2;
        } else if (*text != ' ' || text[1] == ' ' || (text[1] >= '0' && text[1] <= '9')) {
            n++; /* else the blank belongs to the word that follows it */
        }
        text += run;
    }
    return n;
}

static size_t further(size_t n_percentiles)
{
    return n_percentiles > WI_PROMPT_PERCENTILES ? n_percentiles - WI_PROMPT_PERCENTILES : 0;
}

size_t wi_prompt_default_budget(size_t n_percentiles)
{
    /* its name in the task, and with three numbers in the estimate */
    return WI_PROMPT_BUDGET + 45 * further(n_percentiles);
}

size_t wi_prompt_default_reply(size_t n_percentiles, bool no_cot)
{
    return (no_cot ? WI_PROMPT_REPLY / 2 : WI_PROMPT_REPLY) + 45 * further(n_percentiles);
}
