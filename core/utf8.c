#include "core/utf8.h"

#include <stdbool.h>

static bool is_between(unsigned char c, unsigned char low, unsigned char high)
{
    return c >= low && c <= high;
}

size_t wi_utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    size_t n;

    if (p[0] < 0x80)
        return 1;
    if (!is_between(p[0], 0xc2, 0xf4))
        return 0;
    n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        low = 0xa0;
    if (p[0] == 0xed)
        high = 0x9f;
    if (p[0] == 0xf0)
        low = 0x90;
    if (p[0] == 0xf4)
        high = 0x8f;
    if (!is_between(p[1], low, high))
        return 0;
    for (size_t i = 2; i < n; i++) {
        if (!is_between(p[i], 0x80, 0xbf))
            return 0;
    }
    return n;
}
