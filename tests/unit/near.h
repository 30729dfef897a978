/*
 * Comparing doubles, and reading fixtures; cmocka compares floats only.
 */
#ifndef WI_TESTS_NEAR_H
#define WI_TESTS_NEAR_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double near_a = (a);                                                                       \
        double near_b = (b);                                                                       \
        if (!(fabs(near_a - near_b) <= (tolerance)))                                               \
            fail_msg("%s = %.17g, expected %.17g within %g", #a, near_a, near_b,                   \
                     (double)(tolerance));                                                         \
    } while (0)

/* A whole file, NUL-terminated; fails the test if it cannot be read. */
static inline char *read_fixture(const char *path, size_t *n)
{
    FILE *in = fopen(path, "rb");
    char *text;
    long size;

    if (!in)
        fail_msg("cannot open '%s'", path);
    fseek(in, 0, SEEK_END);
    size = ftell(in);
    rewind(in);
    text = malloc((size_t)size + 1);
    assert_non_null(text);
    *n = fread(text, 1, (size_t)size, in);
    text[*n] = '\0';
    fclose(in);
    return text;
}

#endif
