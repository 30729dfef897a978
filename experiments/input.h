/*
 * Opening files that a user hands in: a name may be a directory, a FIFO, a loop, or 2 GB of holes.
 */
#ifndef WI_EXPERIMENTS_INPUT_H
#define WI_EXPERIMENTS_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/sha256.h"

struct wi_input {
    int fd;
    bool is_stdin;
    double n_bytes; /* size of a regular file; NaN for stdin */
};

/*
 * Open a regular file; "-" is standard input, which may be a pipe. All that a user names is opened
 * here: what cannot be opened or read is WI_EIO (exit code 1), what is no file WI_EDATA (3).
 *
 * returns WI_OK; WI_EIO: missing, forbidden, a loop of links; WI_EDATA: a directory, FIFO, socket
 * or device, none of which may be waited for
 */
enum wi_status wi_input_open(const char *path, struct wi_input *in, struct wi_err *err);
void wi_input_close(struct wi_input *in);

/*
 * Read up to size bytes.
 * out:  n   0 at the end
 */
enum wi_status wi_input_read(struct wi_input *in, const char *path, char *buf, size_t size,
                             size_t *n, struct wi_err *err);

/*
 * A whole file, with its digest.
 *
 * in:   max_bytes   more is refused (WI_EDATA) before a byte of a regular file is read
 *       sha256      NULL to skip
 * out:  text        NUL-terminated, free with free()
 */
enum wi_status wi_input_read_all(const char *path, size_t max_bytes, char **text, size_t *n,
                                 char sha256[WI_SHA256_HEX], struct wi_err *err);

/*
 * The digest of all that is left of an input, which then stands where it stood. What cannot be read
 * twice (a pipe on standard input) is kept in an unnamed temporary file, and read from there.
 */
enum wi_status wi_input_sha256(struct wi_input *in, const char *path, char sha256[WI_SHA256_HEX],
                               struct wi_err *err);

/*
 * Write a file whole or not at all: temporary name beside it, fsync, rename. A device or pipe that
 * is there already is written to, and so is the file behind a link.
 */
enum wi_status wi_output_save(const char *path, const char *text, size_t n, struct wi_err *err);

/* The name for messages: "standard input" for "-". */
const char *wi_input_name(const char *path);

#endif
