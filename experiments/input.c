#include "experiments/input.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_CHUNK 65536u

const char *wi_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a FIFO; pipe it into '-' instead";
    if (S_ISSOCK(mode))
        return "a socket";
    return "a device";
}

enum wi_status wi_input_open(const char *path, struct wi_input *in, struct wi_err *err)
{
    struct stat info;
    int fd;

    if (strcmp(path, "-") == 0) {
        *in = (struct wi_input){.fd = STDIN_FILENO, .is_stdin = true, .n_bytes = NAN};
        return WI_OK;
    }
    /* Without O_NONBLOCK the open of a FIFO would wait for a writer. */
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return wi_fail(err, WI_EIO, "cannot open '%s': %s", path, strerrordesc_np(errno));
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return wi_fail(err, WI_EDATA, "'%s' is %s, a file is needed", path, kind_of(info.st_mode));
    }
    *in = (struct wi_input){.fd = fd, .n_bytes = (double)info.st_size};
    return WI_OK;
}

void wi_input_close(struct wi_input *in)
{
    if (!in->is_stdin && in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}

enum wi_status wi_input_read(struct wi_input *in, const char *path, char *buf, size_t size,
                             size_t *n, struct wi_err *err)
{
    ssize_t got;

    do
        got = read(in->fd, buf, size);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return wi_fail(err, WI_EIO, "cannot read '%s': %s", wi_input_name(path),
                       strerrordesc_np(errno));
    *n = (size_t)got;
    return WI_OK;
}

static enum wi_status read_rest(struct wi_input *in, const char *path, size_t max_bytes,
                                char **text, size_t *n, struct wi_err *err)
{
    size_t size = isfinite(in->n_bytes) ? (size_t)in->n_bytes + 2 : FIRST_CHUNK;
    char *buf = malloc(size);
    size_t used = 0;
    size_t got = 1;
    enum wi_status st = buf ? WI_OK : wi_fail_nomem(err);

    while (st == WI_OK && got) {
        if (used + 1 >= size) {
            char *more = realloc(buf, 2 * size);

            if (!more) {
                st = wi_fail_nomem(err);
                break;
            }
            buf = more;
            size *= 2;
        }
        st = wi_input_read(in, path, buf + used, size - used - 1, &got, err);
        used += st == WI_OK ? got : 0;
        if (st == WI_OK && used > max_bytes)
            st = wi_fail(err, WI_EDATA, "'%s' holds more than %zu bytes", wi_input_name(path),
                         max_bytes);
    }
    if (st != WI_OK) {
        free(buf);
        return st;
    }
    buf[used] = '\0';
    *text = buf;
    *n = used;
    return WI_OK;
}

enum wi_status wi_input_read_all(const char *path, size_t max_bytes, char **text, size_t *n,
                                 char sha256[WI_SHA256_HEX], struct wi_err *err)
{
    struct wi_input in;
    enum wi_status st = wi_input_open(path, &in, err);

    if (st != WI_OK)
        return st;
    if (in.n_bytes > (double)max_bytes)
        st = wi_fail(err, WI_EDATA, "'%s' holds %.0f bytes, at most %zu are read", path, in.n_bytes,
                     max_bytes);
    if (st == WI_OK)
        st = read_rest(&in, path, max_bytes, text, n, err);
    wi_input_close(&in);
    if (st == WI_OK && sha256)
        wi_sha256(*text, *n, sha256);
    return st;
}

/* Standard input from now on comes from this file. */
static enum wi_status take_copy(struct wi_input *in, FILE *copy, struct wi_err *err)
{
    int fd = fflush(copy) == 0 ? fcntl(fileno(copy), F_DUPFD_CLOEXEC, 0) : -1;

    if (fd < 0)
        return wi_fail(err, WI_EIO, "cannot keep standard input in a temporary file: %s",
                       strerrordesc_np(errno));
    *in = (struct wi_input){.fd = fd, .n_bytes = NAN};
    return WI_OK;
}

static enum wi_status digest_rest(struct wi_input *in, const char *path, FILE *copy,
                                  struct wi_sha256_state *sha, struct wi_err *err)
{
    char *buf = malloc(FIRST_CHUNK);
    size_t n = 1;
    enum wi_status st = buf ? WI_OK : wi_fail_nomem(err);

    while (st == WI_OK && n) {
        st = wi_input_read(in, path, buf, FIRST_CHUNK, &n, err);
        if (st != WI_OK)
            break;
        wi_sha256_add(sha, buf, n);
        if (copy && fwrite(buf, 1, n, copy) != n)
            st = wi_fail(err, WI_EIO, "cannot keep standard input in a temporary file: %s",
                         strerrordesc_np(errno));
    }
    free(buf);
    return st;
}

enum wi_status wi_input_sha256(struct wi_input *in, const char *path, char sha256[WI_SHA256_HEX],
                               struct wi_err *err)
{
    off_t start = lseek(in->fd, 0, SEEK_CUR);
    FILE *copy = start < 0 ? tmpfile() : NULL;
    struct wi_sha256_state *sha = NULL;
    enum wi_status st;

    if (start < 0 && !copy)
        return wi_fail(err, WI_EIO, "cannot make a temporary file: %s", strerrordesc_np(errno));
    st = wi_sha256_new(&sha, err);
    if (st == WI_OK)
        st = digest_rest(in, path, copy, sha, err);
    if (sha)
        wi_sha256_finish(sha, sha256);
    if (st == WI_OK && copy)
        st = take_copy(in, copy, err);
    if (st == WI_OK && lseek(in->fd, copy ? 0 : start, SEEK_SET) < 0)
        st = wi_fail(err, WI_EIO, "cannot read '%s' again: %s", wi_input_name(path),
                     strerrordesc_np(errno));
    if (copy)
        fclose(copy);
    return st;
}

static enum wi_status write_all(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t put = write(fd, text, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return WI_EIO;
        text += put;
        n -= (size_t)put;
    }
    return WI_OK;
}

/* A device or a pipe is written to: a rename would put a file in its place. */
static bool is_special(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static enum wi_status save_special(const char *path, const char *text, size_t n, struct wi_err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, text, n) == WI_OK;
    int error = errno;

    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        error = errno;
    }
    return ok ? WI_OK : wi_fail(err, WI_EIO, "cannot write '%s': %s", path, strerrordesc_np(error));
}

/* Written beside the file and moved over it, so that it is whole or as it was. */
static enum wi_status save_file(const char *path, const char *text, size_t n, struct wi_err *err)
{
    size_t size = strlen(path) + 8;
    char *tmp = malloc(size);
    int fd = -1;
    enum wi_status st = tmp ? WI_OK : wi_fail_nomem(err);

    if (st == WI_OK) {
        snprintf(tmp, size, "%s.XXXXXX", path);
        fd = mkstemp(tmp);
        if (fd < 0)
            st = wi_fail(err, WI_EIO, "cannot write '%s': %s", path, strerrordesc_np(errno));
    }
    if (st == WI_OK && (write_all(fd, text, n) != WI_OK || fchmod(fd, 0644) != 0 || fsync(fd) != 0))
        st = wi_fail(err, WI_EIO, "cannot write '%s': %s", path, strerrordesc_np(errno));
    if (fd >= 0 && close(fd) != 0 && st == WI_OK)
        st = wi_fail(err, WI_EIO, "cannot write '%s': %s", path, strerrordesc_np(errno));
    if (st == WI_OK && rename(tmp, path) != 0)
        st = wi_fail(err, WI_EIO, "cannot write '%s': %s", path, strerrordesc_np(errno));
    if (st != WI_OK && fd >= 0)
        unlink(tmp);
    free(tmp);
    return st;
}

enum wi_status wi_output_save(const char *path, const char *text, size_t n, struct wi_err *err)
{
    struct stat info;
    char *target = NULL;
    enum wi_status st;

    if (is_special(path))
        return save_special(path, text, n, err);
    /* What a link leads to, or the file would take the place of the link (/dev/stdout is one). */
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        target = realpath(path, NULL);
    st = save_file(target ? target : path, text, n, err);
    free(target);
    return st;
}
