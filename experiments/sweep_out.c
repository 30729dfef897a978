#include "experiments/sweep_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- records -----------------------------------------------------------------------------------
 */

/* What a differing line of the record means. */
static const struct {
    const char *key, *meaning;
} record_keys[] = {
    {"format", "with another form of output"},
    {"shard", "as another part (--shard)"},
    {"spec", "with another spec"},
    {"list", "with another list of scenarios"},
    {"data", "with other stored experiments or another model"},
    {"evidence-ids", "with another choice of --no-evidence-ids"},
    {"engine", "with another engine"},
};

const char *sweep_record_value(const char *record, const char *key, size_t *len)
{
    size_t n = strlen(key);

    for (const char *line = record; *line;) {
        size_t width = strcspn(line, "\n");

        if (width > n && strncmp(line, key, n) == 0 && line[n] == ' ') {
            *len = width - n - 1;
            return line + n + 1;
        }
        line += width + (line[width] == '\n');
    }
    return NULL;
}

const char *sweep_record_difference(const char *before, const char *now, bool any_part)
{
    for (size_t i = 0; i < sizeof(record_keys) / sizeof(record_keys[0]); i++) {
        size_t len_a = 0;
        size_t len_b = 0;
        const char *a = sweep_record_value(before, record_keys[i].key, &len_a);
        const char *b = sweep_record_value(now, record_keys[i].key, &len_b);

        if (any_part && strcmp(record_keys[i].key, "shard") == 0)
            continue;
        if (!a || !b || len_a != len_b || memcmp(a, b, len_a) != 0)
            return record_keys[i].meaning;
    }
    return NULL;
}

enum wi_status sweep_record_compare(const char *path, const char *before, const char *now,
                                    struct wi_err *err)
{
    const char *meaning = sweep_record_difference(before, now, false);

    return meaning ? wi_fail(err, WI_EDATA,
                             "cannot resume '%s': it was begun %s; without --resume it is written "
                             "anew",
                             path, meaning)
                   : WI_OK;
}

/* --- streams -----------------------------------------------------------------------------------
 */

int sweep_write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(fd, bytes, n);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno;
        bytes += done;
        n -= (size_t)done;
    }
    return 0;
}

struct stream {
    struct sweep_out base;
    char *path; /* NULL = given as a descriptor */
    int fd;
    bool close_it;
};

static enum wi_status stream_fail(const struct stream *s, int error, struct wi_err *err)
{
    return wi_fail(err, WI_EIO, "cannot write to %s%s%s: %s", s->path ? "'" : "",
                   s->path ? s->path : "the output", s->path ? "'" : "", strerror(error));
}

static enum wi_status stream_add(struct sweep_out *out, const struct sweep_block *block,
                                 struct wi_err *err)
{
    struct stream *s = (struct stream *)out;
    int error = sweep_write_all(s->fd, block->text.bytes, block->text.n);

    return error ? stream_fail(s, error, err) : WI_OK;
}

static enum wi_status stream_finish(struct sweep_out *out, struct wi_err *err)
{
    struct stream *s = (struct stream *)out;
    int fd = s->fd;

    if (!s->close_it)
        return WI_OK;
    s->close_it = false;
    return close(fd) == 0 ? WI_OK : stream_fail(s, errno, err);
}

static void stream_close(struct sweep_out *out)
{
    struct stream *s = (struct stream *)out;

    if (s->close_it)
        close(s->fd);
    free(s->path);
    free(s);
}

static const struct sweep_out_methods stream_methods = {stream_add, stream_finish, stream_close};

enum wi_status sweep_out_stream(const struct sweep_out_options *options, int fd, bool close_it,
                                struct sweep_out **out, struct wi_err *err)
{
    struct stream *s = calloc(1, sizeof(*s));
    struct sweep_text head = {0};
    enum wi_status st = WI_OK;

    if (!s || (options->path && !(s->path = strdup(options->path)))) {
        free(s);
        if (close_it)
            close(fd);
        return wi_fail_nomem(err);
    }
    s->base.methods = &stream_methods;
    s->fd = fd;
    s->close_it = close_it;
    if (options->header)
        st = sweep_rows_header(options->columns, options->format, &head, err);
    if (st == WI_OK) {
        int error = sweep_write_all(fd, head.bytes, head.n);

        st = error ? stream_fail(s, error, err) : WI_OK;
    }
    sweep_text_release(&head);
    if (st != WI_OK) {
        stream_close(&s->base);
        return st;
    }
    *out = &s->base;
    return WI_OK;
}

/* --- choosing ----------------------------------------------------------------------------------
 */

enum wi_status sweep_out_open(const struct sweep_out_options *options, struct sweep_out **out,
                              uint64_t *next, struct wi_err *err)
{
    struct stat info;
    int fd;

    *next = options->first;
    if (options->format == WI_SWEEP_SQLITE && !options->path)
        return wi_fail(err, WI_EUSAGE, "an SQLite table needs a file, give one with -o");
    if (options->format == WI_SWEEP_SQLITE)
        return sweep_out_table(options, out, next, err);
    if (!options->path && options->resume)
        return wi_fail(err, WI_EUSAGE, "only a file can be resumed, give it with -o");
    if (!options->path)
        return sweep_out_stream(options, options->fd, false, out, err);
    /* Not truncated here: another process may be writing it. */
    /* Opened for reading too, a pipe that nobody reads would take the rows, and they were lost. */
    if (stat(options->path, &info) == 0 && S_ISFIFO(info.st_mode))
        fd = open(options->path, O_WRONLY | O_CLOEXEC);
    else
        fd = open(options->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EISDIR)
        fd = open(options->path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &info) != 0) {
        int error = errno;

        if (fd >= 0)
            close(fd);
        return wi_fail(err, WI_EIO, "cannot write '%s': %s", options->path, strerror(error));
    }
    if (!S_ISREG(info.st_mode)) {
        if (options->resume) {
            close(fd);
            return wi_fail(err, WI_EUSAGE, "only a file can be resumed, '%s' is none",
                           options->path);
        }
        return sweep_out_stream(options, fd, true, out, err);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return wi_fail(err, WI_EBUSY, "'%s' is being written by another process", options->path);
    }
    return sweep_out_file(options, fd, out, next, err);
}
