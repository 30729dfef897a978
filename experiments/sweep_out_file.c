/*
 * Rows in a file that can be continued. Beside the file OUT stands .OUT.resume, the record of what
 * it was begun with: hidden, so that `cat OUT*` does not catch it, and kept when the sweep is done,
 * so that a finished sweep can be told from a changed one. How far it got is read from the last
 * rows, so that nothing has to be kept in step with them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/sweep_out.h"

/* The rows of one scenario are far shorter. */
#define TAIL_MAX (4u << 20)

struct file {
    struct sweep_out base;
    char *path, *record_path;
    int fd;
    off_t size; /* of what is complete */
};

static enum wi_status fail_io(const char *path, const char *what, int error, struct wi_err *err)
{
    return wi_fail(err, WI_EIO, "cannot %s '%s': %s", what, path, strerror(error));
}

/* What was complete before stays so: half a block is cut off again. */
static enum wi_status append(struct file *f, const char *bytes, size_t n, struct wi_err *err)
{
    int error = sweep_write_all(f->fd, bytes, n);

    if (error) {
        if (ftruncate(f->fd, f->size) != 0)
            return fail_io(f->path, "shorten", errno, err);
        return wi_fail(err, WI_EIO,
                       "cannot write '%s': %s; the rows before stay, --resume goes on after them",
                       f->path, strerror(error));
    }
    f->size += (off_t)n;
    return WI_OK;
}

static enum wi_status file_add(struct sweep_out *out, const struct sweep_block *block,
                               struct wi_err *err)
{
    return append((struct file *)out, block->text.bytes, block->text.n, err);
}

static enum wi_status file_finish(struct sweep_out *out, struct wi_err *err)
{
    struct file *f = (struct file *)out;
    int fd = f->fd;

    if (fsync(fd) != 0)
        return fail_io(f->path, "write", errno, err);
    f->fd = -1;
    return close(fd) == 0 ? WI_OK : fail_io(f->path, "write", errno, err);
}

static void file_close(struct sweep_out *out)
{
    struct file *f = (struct file *)out;

    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
    free(f->record_path);
    free(f);
}

static const struct sweep_out_methods file_methods = {file_add, file_finish, file_close};

/* --- the record --------------------------------------------------------------------------------
 */

/* Under another name first, so that a record is whole or not there. */
static enum wi_status save_record(const struct file *f, const char *record, struct wi_err *err)
{
    char *tmp = NULL;
    int fd;
    int error = 0;

    if (asprintf(&tmp, "%s.new", f->record_path) < 0)
        return wi_fail_nomem(err);
    fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        error = errno;
    } else {
        error = sweep_write_all(fd, record, strlen(record));
        if (!error && fsync(fd) != 0)
            error = errno;
        if (close(fd) != 0 && !error)
            error = errno;
        if (!error && rename(tmp, f->record_path) != 0)
            error = errno;
        if (error)
            unlink(tmp);
    }
    free(tmp);
    return error ? fail_io(f->record_path, "write", error, err) : WI_OK;
}

/* out: found false without a record. */
static enum wi_status check_record(const struct file *f, const char *record, bool *found,
                                   struct wi_err *err)
{
    char text[SWEEP_RECORD_MAX];
    FILE *in = fopen(f->record_path, "r");
    size_t n;

    *found = in != NULL;
    if (!in)
        return errno == ENOENT ? WI_OK : fail_io(f->record_path, "read", errno, err);
    n = fread(text, 1, sizeof(text) - 1, in);
    fclose(in);
    text[n] = '\0';
    return sweep_record_compare(f->path, text, record, err);
}

/* --- where an earlier run stopped --------------------------------------------------------------
 */

/* The last bytes of the file, from offset *from. */
static enum wi_status read_tail(const struct file *f, off_t size, char **bytes, size_t *n,
                                off_t *from, struct wi_err *err)
{
    size_t want = size < (off_t)TAIL_MAX ? (size_t)size : TAIL_MAX;

    *from = size - (off_t)want;
    *n = 0;
    *bytes = malloc(want + 1);
    if (!*bytes)
        return wi_fail_nomem(err);
    while (*n < want) {
        ssize_t got = pread(f->fd, *bytes + *n, want - *n, *from + (off_t)*n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail_io(f->path, "read", got < 0 ? errno : EIO, err);
        *n += (size_t)got;
    }
    return WI_OK;
}

static size_t line_start(const char *bytes, size_t end)
{
    while (end > 0 && bytes[end - 1] != '\n')
        end--;
    return end;
}

/*
 * Find the first scenario that is not complete, and where its rows begin. The last scenario is
 * always made again, since its rows may be missing.
 */
static enum wi_status find_end(struct file *f, const struct sweep_out_options *o, off_t size,
                               uint64_t *next, struct wi_err *err)
{
    char *bytes = NULL;
    size_t n = 0;
    size_t end;
    off_t from = 0;
    uint64_t last = 0;
    enum wi_status st = read_tail(f, size, &bytes, &n, &from, err);

    if (st != WI_OK) {
        free(bytes);
        return st;
    }
    end = line_start(bytes, n); /* behind the last whole row */
    *next = o->first;
    f->size = from + (off_t)end;
    if (end) {
        size_t at = line_start(bytes, end - 1);
        uint64_t index = 0;

        if (sweep_rows_index(o->format, bytes + at, end - at, &last)) {
            while (at > 0) {
                size_t before = line_start(bytes, at - 1);

                if (!sweep_rows_index(o->format, bytes + before, at - before, &index) ||
                    index != last)
                    break;
                at = before;
            }
            *next = last;
            f->size = from + (off_t)at;
        } else if (!o->header || from + (off_t)at != 0) {
            st = wi_fail(err, WI_EDATA, "cannot resume '%s': its last line is no row of a sweep",
                         f->path);
        }
    } else if (from != 0) {
        st = wi_fail(err, WI_EDATA, "cannot resume '%s': its last line is no row of a sweep",
                     f->path);
    }
    if (st == WI_OK && (*next < o->first || *next >= o->end) && o->first < o->end)
        st = wi_fail(err, WI_EDATA,
                     "cannot resume '%s': its last row is of scenario %llu, this part has %llu to "
                     "%llu",
                     f->path, (unsigned long long)*next, (unsigned long long)o->first,
                     (unsigned long long)o->end - 1);
    free(bytes);
    return st;
}

/* --- opening -----------------------------------------------------------------------------------
 */

static enum wi_status begin(struct file *f, const struct sweep_out_options *o, struct wi_err *err)
{
    struct sweep_text head = {0};
    enum wi_status st = WI_OK;

    /* In this order a kill at any moment leaves nothing that could be taken for ours. */
    if (unlink(f->record_path) != 0 && errno != ENOENT)
        return fail_io(f->record_path, "remove", errno, err);
    if (ftruncate(f->fd, 0) != 0)
        return fail_io(f->path, "write", errno, err);
    st = save_record(f, o->record, err);
    if (st == WI_OK && o->header)
        st = sweep_rows_header(o->columns, o->format, &head, err);
    if (st == WI_OK)
        st = append(f, head.bytes, head.n, err);
    sweep_text_release(&head);
    return st;
}

static enum wi_status go_on(struct file *f, const struct sweep_out_options *o, off_t size,
                            uint64_t *next, struct wi_err *err)
{
    bool found = false;
    enum wi_status st = check_record(f, o->record, &found, err);

    if (st != WI_OK)
        return st;
    if (!found)
        return wi_fail(err, WI_EDATA,
                       "cannot resume '%s': there is no record '%s' of what it was begun with",
                       f->path, f->record_path);
    st = find_end(f, o, size, next, err);
    if (st == WI_OK && f->size == 0)
        return begin(f, o, err); /* not even the header was whole */
    if (st == WI_OK && ftruncate(f->fd, f->size) != 0)
        return fail_io(f->path, "shorten", errno, err);
    return st;
}

/* "dir/.name.resume"; NULL = out of memory */
char *sweep_record_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *text = NULL;

    return asprintf(&text, "%.*s.%s.resume", (int)(name - path), path, name) < 0 ? NULL : text;
}

enum wi_status sweep_out_file(const struct sweep_out_options *o, int fd, struct sweep_out **out,
                              uint64_t *next, struct wi_err *err)
{
    struct file *f = calloc(1, sizeof(*f));
    struct stat info;
    enum wi_status st;

    if (!f) {
        close(fd);
        return wi_fail_nomem(err);
    }
    f->base.methods = &file_methods;
    f->fd = fd;
    f->path = strdup(o->path);
    f->record_path = sweep_record_path(o->path);
    if (!f->path || !f->record_path) {
        st = wi_fail_nomem(err);
    } else if (fstat(fd, &info) != 0) {
        st = fail_io(o->path, "read", errno, err);
    } else if (o->resume && info.st_size > 0) {
        st = go_on(f, o, info.st_size, next, err);
    } else {
        st = begin(f, o, err);
    }
    if (st == WI_OK && lseek(fd, f->size, SEEK_SET) < 0)
        st = fail_io(o->path, "write", errno, err);
    if (st != WI_OK) {
        file_close(&f->base);
        return st;
    }
    *out = &f->base;
    return WI_OK;
}
