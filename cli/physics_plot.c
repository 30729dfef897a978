#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/physics_table.h"

#define PATH_MAX_BYTES 4096
#define LOG_SCALE_FROM 100.0 /* largest / smallest value from which the axis is logarithmic */

static bool is_installed(const char *program)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX_BYTES];

    while (path && *path) {
        size_t n = strcspn(path, ":");
        int len = snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, program);

        if (len > 0 && (size_t)len < sizeof(file) && access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* gnuplot's single quotes know one escape: a doubled quote. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

static bool wants_log_scale(const struct physics_table *t, size_t output)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t r = 0; r < t->n; r++) {
        low = fmin(low, t->rows[r].res.low[output]);
        high = fmax(high, t->rows[r].res.high[output]);
    }
    return low > 0.0 && high / low >= LOG_SCALE_FROM;
}

static void put_label(FILE *out, const char *axis, const char *name, const char *unit)
{
    char text[160];

    snprintf(text, sizeof(text), "%s (%s)", name, strcmp(unit, "1") == 0 ? "-" : unit);
    fprintf(out, "set %slabel ", axis);
    put_quoted(out, text);
    fputs(" noenhanced\n", out);
}

static void put_script(FILE *out, const struct physics_table *t, size_t axis, const char *file)
{
    const struct wi_physics_model *m = t->ask->model;
    size_t output = t->ask->first_output;

    if (file) {
        fputs("set terminal pngcairo size 900,600\nset output ", out);
        put_quoted(out, file);
        fputc('\n', out);
    } else {
        fputs("set terminal dumb size 79,24\n", out);
    }
    fputs("set title ", out);
    put_quoted(out, m->title);
    fputs(" noenhanced\nset key noenhanced\nset grid\n", out);
    put_label(out, "x", m->params[axis].name, m->params[axis].unit);
    put_label(out, "y", m->outputs[output].name, m->outputs[output].unit);
    if (wants_log_scale(t, output))
        fputs("set logscale y\n", out);
    fputs("$d << EOD\n", out);
    for (size_t r = 0; r < t->n; r++)
        fprintf(out, "%.17g %.17g %.17g %.17g\n", t->rows[r].in[axis], t->rows[r].res.out[output],
                t->rows[r].res.low[output], t->rows[r].res.high[output]);
    fputs("EOD\nplot ", out);
    if (t->has_band && file)
        fputs("$d using 1:3:4 with filledcurves fillcolor rgb '#c6d8ea' title 'band', ", out);
    else if (t->has_band)
        fputs("$d using 1:3 with lines title 'low', $d using 1:4 with lines title 'high', ", out);
    fputs("$d using 1:2 with lines linewidth 2 title ", out);
    put_quoted(out, m->outputs[output].name);
    fputc('\n', out);
}

/* Run gnuplot over the script; true if it took all of it and ended well. */
static bool run_gnuplot(const struct physics_table *t, size_t axis, const char *file)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    FILE *out;
    bool ok;
    int rc;

    fflush(stdout);
    sigaction(SIGPIPE, &ignore, &old); /* a gnuplot that dies must not take us with it */
    /* Without its output file gnuplot would write the PNG to our standard output. */
    out = popen(file ? "exec gnuplot >/dev/null 2>&1" : "exec gnuplot 2>/dev/null", "w");
    if (!out) {
        sigaction(SIGPIPE, &old, NULL);
        return false;
    }
    put_script(out, t, axis, file);
    ok = !ferror(out);
    rc = pclose(out);
    sigaction(SIGPIPE, &old, NULL);
    return ok && rc != -1 && WIFEXITED(rc) && WEXITSTATUS(rc) == 0;
}

static int plot_error(const char *what, const char *file, const char *why)
{
    struct wi_err err = {0};

    wi_fail(&err, WI_EIO, "%s '%s': %s", what, file, why);
    return cli_error(&err);
}

static int write_png(const struct physics_table *t, size_t axis, const char *file)
{
    char tmp[PATH_MAX_BYTES];
    struct stat st;
    int n = snprintf(tmp, sizeof(tmp), "%s.%ld.tmp", file, (long)getpid());

    int fd;

    if (n < 0 || (size_t)n >= sizeof(tmp))
        return plot_error("cannot write", file, "the name is too long");
    fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0)
        return plot_error("cannot write", file, strerror(errno));
    close(fd);
    if (!run_gnuplot(t, axis, tmp) || stat(tmp, &st) != 0 || st.st_size == 0) {
        unlink(tmp);
        return plot_error("cannot write", file, "gnuplot failed");
    }
    if (rename(tmp, file) != 0) {
        n = errno;
        unlink(tmp);
        return plot_error("cannot write", file, strerror(n));
    }
    return CLI_EXIT_OK;
}

int physics_plot(const struct physics_table *t, const char *file)
{
    const struct wi_physics_model *m = t->ask->model;
    size_t axis = m->n_params, ranges = 0;
    bool terminal = strcmp(file, "-") == 0;

    for (size_t i = 0; i < m->n_params; i++) {
        if (t->ask->axes[i].n > 1) {
            axis = i;
            ranges++;
        }
    }
    if (ranges != 1)
        return cli_usage_error("--plot needs exactly one range, from:to:step, %zu are given",
                               ranges);
    for (const char *p = file; *p; p++) {
        if ((unsigned char)*p < 0x20)
            return cli_usage_error("--plot: the file name holds a control character");
    }
    if (!is_installed("gnuplot"))
        return plot_error("cannot plot to", file, "gnuplot is not installed");
    if (!terminal)
        return write_png(t, axis, file);
    return run_gnuplot(t, axis, NULL) ? CLI_EXIT_OK
                                      : plot_error("cannot plot to", "-", "gnuplot failed");
}
