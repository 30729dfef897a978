/*
 * The program: finds the command, runs it, and fails if its output could not be written.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "cli/cli.h"
#include "cli/llm_options.h"

static int print_overview(FILE *out)
{
    fprintf(out,
            "Usage: ssd-whatif COMMAND [options]\n\n"
            "What would this SSD do if the environment changed? Predicts tail latency and\n"
            "bandwidth under temperature, humidity and vibration, with intervals and evidence.\n\n"
            "Commands:\n");
    for (const struct cli_command *const *c = cli_commands; *c; c++)
        fprintf(out, "  %-12s  %s\n", (*c)->name, (*c)->summary);
    fprintf(out, "\n'ssd-whatif COMMAND --help' shows the options of a command.\n\n"
                 "Options:\n"
                 "  -h, --help                    show this help\n"
                 "      --version                 show the version\n\n"
                 "Exit codes: 0 done, 1 input/output, 2 command line, 3 question, file or data,\n"
                 "4 endpoint or key.\n");
    return CLI_EXIT_OK;
}

/* OpenBLAS takes one block of 128 MB at first use, and tries for ever where it cannot have it. */
#define ADDRESS_SPACE_MB 144

/* False if a limit (ulimit -v) keeps the linear algebra from ever getting its memory. */
static bool has_address_space(void)
{
    const size_t size = (size_t)ADDRESS_SPACE_MB << 20;
    struct rlimit limit;
    void *block;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return false;
    munmap(block, size);
    return true;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return print_overview(stdout);
    if (strcmp(argv[1], "--version") == 0) {
        printf("ssd-whatif %s\n", WI_VERSION);
        return CLI_EXIT_OK;
    }
    for (const struct cli_command *const *c = cli_commands; *c; c++) {
        if (strcmp((*c)->name, argv[1]) != 0)
            continue;
        if (!has_address_space()) {
            fprintf(stderr,
                    "ssd-whatif: the limit of address space (ulimit -v) leaves less than %d MB, "
                    "which linear algebra needs; raise it\n",
                    ADDRESS_SPACE_MB);
            return CLI_EXIT_IO;
        }
        return (*c)->run(argc - 1, argv + 1);
    }
    return cli_usage_error("unknown command '%s'; 'ssd-whatif --help' lists them", argv[1]);
}

int main(int argc, char **argv)
{
    int code;

    /* Before anything can fail: a core file would hold the environment. */
    if (getenv("OPENAI_API_KEY"))
        cli_guard_secrets();
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit is an error to report, not a death */
    setlocale(LC_CTYPE, "");  /* widths of UTF-8 text in tables; numbers stay in the C locale */
    code = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "ssd-whatif: cannot write to standard output: %s\n", strerror(errno));
        if (code == CLI_EXIT_OK)
            code = CLI_EXIT_IO;
    }
    return code;
}
