/*
 * Fuzzer of the sensor series: reader, segmentation, exposure file and back. Its corpus replays in
 * tests/unit/test_import_corpus.c.
 *
 *   make fuzz && build-fuzz/fuzz_sensors -max_len=2048 -timeout=5 tests/fuzz/corpus/sensors
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "experiments/import_sensors.h"

int fuzz_sensors(const uint8_t *data, size_t size);

/* Every exposure that is written can be read, and is a scenario. */
static void check_record(const struct wi_exposure_record *r)
{
    cJSON *json = NULL;
    char *text = NULL;
    struct wi_scenario s;

    if (r->n_steps < 1 || r->n_steps > 3 || !(r->end_s >= r->start_s))
        abort();
    for (size_t i = 0; i < r->n_steps; i++) {
        if (!(r->steps[i].end_s >= r->steps[i].start_s))
            abort();
    }
    if (wi_exposure_record_to_json(r, &json, NULL) != WI_OK ||
        wi_json_format(json, false, &text, NULL) != WI_OK)
        abort();
    wi_scenario_init(&s);
    if (wi_exposure_parse(text, strlen(text), "x", &s, NULL) != WI_OK)
        abort();
    if (wi_scenario_complete(&s, NULL) != WI_OK)
        abort();
    cJSON_Delete(json);
    free(text);
}

int fuzz_sensors(const uint8_t *data, size_t size)
{
    struct wi_series_options opt = {0};
    struct wi_exposure_record record = {.file = "f"};
    struct wi_series *series = NULL;
    struct wi_sensors *sensors = NULL;
    struct wi_err err = {0};
    enum wi_status st;

    if (size < 1)
        return 0;
    opt.date_order = "\0dm"[data[0] % 3]; /* the first byte chooses options */
    opt.interval_s = data[0] & 64 ? 60.0 : 0.0;
    if (wi_series_new(&series, NULL) != WI_OK)
        abort();
    if (wi_sensors_new("f", &opt, series, &record, &sensors, NULL) != WI_OK)
        abort();
    st = wi_sensors_feed(sensors, (const char *)data + 1, size - 1, &err);
    if (st == WI_OK)
        st = wi_sensors_finish(sensors, &err);
    if (st == WI_OK)
        st = wi_series_segment(series, WI_AXIS_NONE, false, &record, &err);
    if (st == WI_OK)
        check_record(&record);
    else if (st != WI_EDATA || !err.msg[0])
        abort();
    wi_exposure_record_release(&record);
    wi_sensors_free(sensors);
    wi_series_free(series);
    return 0;
}

#ifndef FUZZ_REPLAY
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_sensors(data, size);
}
#endif
