#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/physics_table.h"
#include "experiments/input.h"

#define PATH_MAX_BYTES 4096
#define PNG_BYTES_MAX (16u << 20)
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

/* gnuplot draws into a file of ours: it may fail halfway, and `file` may be a device or a link. */
static int write_png(const struct physics_table *t, size_t axis, const char *file)
{
    const char *dir = getenv("TMPDIR");
    char tmp[PATH_MAX_BYTES];
    struct wi_err err = {0};
    char *png = NULL;
    size_t len = 0;
    int n = snprintf(tmp, sizeof(tmp), "%s/ssd-whatif.XXXXXX", dir && *dir ? dir : "/tmp");
    int fd = n > 0 && (size_t)n < sizeof(tmp) ? mkstemp(tmp) : -1;
    enum wi_status st;

    if (fd < 0)
        return plot_error("cannot plot to", file, "no temporary file could be made");
    close(fd);
    if (run_gnuplot(t, axis, tmp))
        st = wi_input_read_all(tmp, PNG_BYTES_MAX, &png, &len, NULL, &err);
    else
        st = wi_fail(&err, WI_EIO, "cannot write '%s': gnuplot failed", file);
    unlink(tmp);
    if (st == WI_OK && len == 0)
        st = wi_fail(&err, WI_EIO, "cannot write '%s': gnuplot failed", file);
    if (st == WI_OK)
        st = wi_output_save(file, png, len, &err);
    free(png);
    return st == WI_OK ? CLI_EXIT_OK : cli_error(&err);
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
