/*
 * cmocka with the headers that it needs before it.
 */
#ifndef WI_TESTS_UNIT_H
#define WI_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
