/*
 * Fails one allocation of the test program on purpose, whoever makes it, and counts what is live.
 * Include it in the one .c file of a test. glibc only; under a sanitizer or valgrind, which bring
 * an allocator of their own, nothing fails and alloc_fail_works() is false.
 *
 *   for (long n = 0; alloc_fail_at(n), st = call(...), alloc_has_failed(); n++)
 *       check that st is an error and that nothing leaked
 */
#ifndef WI_TESTS_ALLOC_FAIL_H
#define WI_TESTS_ALLOC_FAIL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static long alloc_countdown = -1; /* allocations until one fails; -1 = none will */
static bool alloc_failed;
static long alloc_live; /* blocks allocated and not yet freed */

/* The n-th allocation from now on fails, counted from 0; only that one. */
static inline void alloc_fail_at(long n)
{
    alloc_countdown = n;
    alloc_failed = false;
}

/* Whether it came to that; switches the failing off. */
static inline bool alloc_has_failed(void)
{
    alloc_countdown = -1;
    return alloc_failed;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALLOC_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define ALLOC_SANITIZED 1
#endif

#ifndef ALLOC_SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *block);

/* Visible, so that the shared libraries call these too. */
#pragma GCC visibility push(default)
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *old, size_t size);
void free(void *block);
#pragma GCC visibility pop

static bool alloc_refused(void)
{
    if (alloc_countdown < 0 || alloc_countdown-- > 0)
        return false;
    alloc_failed = true;
    errno = ENOMEM; /* as malloc does */
    return true;
}

void *malloc(size_t size)
{
    void *block = alloc_refused() ? NULL : __libc_malloc(size);

    alloc_live += block != NULL;
    return block;
}

void *calloc(size_t n, size_t size)
{
    void *block = alloc_refused() ? NULL : __libc_calloc(n, size);

    alloc_live += block != NULL;
    return block;
}

void *realloc(void *old, size_t size)
{
    void *block = alloc_refused() ? NULL : __libc_realloc(old, size);

    alloc_live += block != NULL && !old;
    return block;
}

void free(void *block)
{
    alloc_live -= block != NULL;
    __libc_free(block);
}
#endif

/* Whether the allocator here is ours; a sanitizer and valgrind bring their own. */
static inline bool alloc_fail_works(void)
{
    void *(*volatile allocate)(size_t) =
        malloc; /* volatile: an unused block may be optimised out */
    void *block;

    alloc_fail_at(0);
    block = allocate(1);
    free(block);
    return alloc_has_failed() && !block;
}

#endif
