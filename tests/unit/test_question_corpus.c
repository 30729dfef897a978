/* Replays the fuzzer's corpus: what once broke the question reader, and what leads it far. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../fuzz/fuzz_question.c"

#define CORPUS "tests/fuzz/corpus/question"

static void replay(const char *name)
{
    static uint8_t bytes[2 * WI_QUESTION_MAX];
    char path[512];
    FILE *in;
    size_t n;

    snprintf(path, sizeof(path), "%s/%s", CORPUS, name);
    in = fopen(path, "rb");
    if (!in)
        fail_msg("cannot open %s", path);
    n = fread(bytes, 1, sizeof(bytes), in);
    fclose(in);
    assert_int_equal(LLVMFuzzerTestOneInput(bytes, n), 0);
}

static void every_input_of_the_corpus_is_answered_or_refused(void **state)
{
    size_t n = 0;
    DIR *dir = opendir(CORPUS);

    (void)state;
    if (!dir)
        fail_msg("cannot open %s: run the tests at the top of the project", CORPUS);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        if (e->d_name[0] == '.')
            continue;
        replay(e->d_name);
        n++;
    }
    closedir(dir);
    assert_true(n >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_input_of_the_corpus_is_answered_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
