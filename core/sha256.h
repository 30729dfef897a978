/*
 * SHA-256 of bytes: keys of the reply log, identity of imported files. Built on libnettle.
 */
#ifndef WI_CORE_SHA256_H
#define WI_CORE_SHA256_H

#include <stddef.h>

#include "core/status.h"

#define WI_SHA256_HEX 65 /* 64 hex digits and the NUL */

/* The digest of n bytes as lower-case hex. */
void wi_sha256(const void *bytes, size_t n, char hex[WI_SHA256_HEX]);

/* In pieces: the state is a heap object; _finish writes the digest and frees it. */
struct wi_sha256_state;
enum wi_status wi_sha256_new(struct wi_sha256_state **state, struct wi_err *err);
void wi_sha256_add(struct wi_sha256_state *state, const void *bytes, size_t n);
void wi_sha256_finish(struct wi_sha256_state *state, char hex[WI_SHA256_HEX]);

#endif
