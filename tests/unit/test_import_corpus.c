/* Replays the corpora of the importers' fuzzers: what once broke one, and what leads it far. */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define FUZZ_REPLAY
#include "../fuzz/fuzz_csv.c"
#include "../fuzz/fuzz_fio.c"
#include "../fuzz/fuzz_sensors.c"
#include "../fuzz/fuzz_smart.c"

#define INPUT_MAX 65536

static size_t replay_folder(const char *folder, int (*run)(const uint8_t *data, size_t size))
{
    uint8_t *bytes = malloc(INPUT_MAX);
    size_t n_files = 0;
    DIR *dir = opendir(folder);

    if (!dir || !bytes)
        fail_msg("cannot open %s: run the tests at the top of the project", folder);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char path[512];
        FILE *in;
        size_t n;

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
        in = fopen(path, "rb");
        if (!in)
            fail_msg("cannot open %s", path);
        n = fread(bytes, 1, INPUT_MAX, in);
        fclose(in);
        assert_int_equal(run(bytes, n), 0);
        n_files++;
    }
    closedir(dir);
    free(bytes);
    return n_files;
}

static void every_fio_input_is_read_or_refused(void **state)
{
    (void)state;
    assert_true(replay_folder("tests/fuzz/corpus/fio", fuzz_fio) >= 15);
}

static void every_smart_input_is_read_or_refused(void **state)
{
    (void)state;
    assert_true(replay_folder("tests/fuzz/corpus/smart", fuzz_smart) >= 15);
}

static void every_sensor_input_is_read_or_refused(void **state)
{
    (void)state;
    assert_true(replay_folder("tests/fuzz/corpus/sensors", fuzz_sensors) >= 15);
}

static void every_table_is_read_or_refused(void **state)
{
    (void)state;
    assert_true(replay_folder("tests/fuzz/corpus/csv", fuzz_csv) >= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fio_input_is_read_or_refused),
        cmocka_unit_test(every_smart_input_is_read_or_refused),
        cmocka_unit_test(every_sensor_input_is_read_or_refused),
        cmocka_unit_test(every_table_is_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
