/*
 * The scenario options, shared by every command that takes a scenario.
 */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/exposure_series.h"

struct wi_scenario cli_scenario;

static enum wi_status set_enum_error(const char *text, const char *allowed, struct wi_err *err)
{
    return wi_fail(err, WI_EUSAGE, "'%s' is unknown, allowed is %s", text, allowed);
}

static enum wi_status set_nand(void *value, const char *text, struct wi_err *err)
{
    struct wi_scenario *s = value;

    if (!wi_nand_parse(text, &s->nand) || s->nand == WI_NAND_UNKNOWN)
        return set_enum_error(text, "slc, mlc, tlc, qlc", err);
    s->given |= WI_F_NAND;
    return WI_OK;
}

static enum wi_status set_op(void *value, const char *text, struct wi_err *err)
{
    struct wi_scenario *s = value;

    if (!wi_op_parse(text, &s->op))
        return set_enum_error(text, "read, write, mixed", err);
    s->given |= WI_F_OP;
    return WI_OK;
}

static enum wi_status set_phase(void *value, const char *text, struct wi_err *err)
{
    struct wi_scenario *s = value;

    if (!wi_phase_parse(text, &s->phase))
        return set_enum_error(text, "running, post, long_term", err);
    s->given |= WI_F_PHASE;
    return WI_OK;
}

static enum wi_status set_temp(void *value, const char *text, struct wi_err *err)
{
    return wi_scenario_parse_temp(value, text, err);
}

static enum wi_status set_rh(void *value, const char *text, struct wi_err *err)
{
    return wi_scenario_parse_rh(value, text, err);
}

static enum wi_status set_vib(void *value, const char *text, struct wi_err *err)
{
    return wi_scenario_parse_vib(value, text, err);
}

static enum wi_status set_exposure(void *value, const char *text, struct wi_err *err)
{
    return wi_exposure_load(text, value, err);
}

static enum wi_status set_percentiles(void *value, const char *text, struct wi_err *err)
{
    return wi_scenario_parse_percentiles(value, text, err);
}

static enum wi_status parse_number(const char *text, double min, double max, double *out,
                                   struct wi_err *err)
{
    char *end = NULL;
    double number;

    errno = 0;
    number = strtod(text, &end);
    if (end == text || *end || errno == ERANGE || !isfinite(number))
        return wi_fail(err, WI_EUSAGE, "'%s' is not a number", text);
    if (number < min || number > max)
        return wi_fail(err, WI_ERANGE, "%s is out of range, allowed is %g to %g", text, min, max);
    *out = number;
    return WI_OK;
}

static enum wi_status set_hours(void *value, const char *text, struct wi_err *err)
{
    struct wi_scenario *s = value;
    enum wi_status st = parse_number(text, WI_DUR_H_MIN, WI_DUR_H_MAX, &s->exposure.during_h, err);

    if (st == WI_OK)
        s->given |= WI_F_DURING_HOURS;
    return st;
}

static enum wi_status set_confidence(void *value, const char *text, struct wi_err *err)
{
    struct wi_scenario *s = value;
    enum wi_status st =
        parse_number(text, WI_CONFIDENCE_MIN, WI_CONFIDENCE_MAX, &s->confidence, err);

    if (st == WI_OK)
        s->given |= WI_F_CONFIDENCE;
    return st;
}

static enum wi_status set_name(void *name, const char *text, struct wi_err *err)
{
    if (!*text || strlen(text) >= WI_NAME_MAX)
        return wi_fail(err, WI_EUSAGE, "a name of 1 to %d bytes is needed", WI_NAME_MAX - 1);
    memcpy(name, text, strlen(text) + 1);
    return WI_OK;
}

static const struct cli_option scenario_options[] = {
    {"nand", 0, "slc|mlc|tlc|qlc", "NAND type; default: unknown", CLI_CALL, &cli_scenario, 0, 0,
     NULL, set_nand},
    {"op", 0, "read|write|mixed", "operation (default mixed)", CLI_CALL, &cli_scenario, 0, 0, NULL,
     set_op},
    {"phase", 0, "running|post|long_term", "when it is measured (default running)", CLI_CALL,
     &cli_scenario, 0, 0, NULL, set_phase},
    {"temp", 't', "B:D[:A]", "temperature before:during[:after], or during; suffix C, F or K",
     CLI_CALL, &cli_scenario, 0, 0, NULL, set_temp},
    {"rh", 0, "B:D[:A]", "relative humidity in percent, the same form", CLI_CALL, &cli_scenario, 0,
     0, NULL, set_rh},
    {"vib", 0, "AXIS[@HZ[:GRMS]]", "vibration: none, parallel or perpendicular to the board",
     CLI_CALL, &cli_scenario, 0, 0, NULL, set_vib},
    {"hours", 0, "H", "duration of the during step in hours", CLI_CALL, &cli_scenario, 0, 0, NULL,
     set_hours},
    {"exposure", 0, "FILE", "exposure file of 'import sensors'; options that say otherwise win",
     CLI_FILE, &cli_scenario, 0, 0, NULL, set_exposure},
    {"percentiles", 'p', "LIST", "percentiles of latency, e.g. 99,99.9,max", CLI_CALL,
     &cli_scenario, 0, 0, NULL, set_percentiles},
    {"confidence", 0, "C", "coverage of the intervals, 0.5 to 0.999 (default 0.9)", CLI_CALL,
     &cli_scenario, 0, 0, NULL, set_confidence},
    {"vendor", 0, "NAME", "vendor as named in the store; default: any", CLI_CALL,
     cli_scenario.vendor, 0, 0, NULL, set_name},
    {"device", 0, "NAME", "a known drive of the store; default: a drive of this kind", CLI_CALL,
     cli_scenario.device, 0, 0, NULL, set_name},
    {"interface", 0, "NAME", "SATA, SAS, M.2, U.2, E1, E3 or NVMe; else as not stated", CLI_CALL,
     cli_scenario.interface, 0, 0, NULL, set_name},
    {"capacity", 0, "GB", "capacity in GB", CLI_NUMBER, &cli_scenario.capacity_gb, 1,
     WI_CAPACITY_GB_MAX, NULL, NULL},
    {"tmt1", 0, "C", "temperature at which it starts to throttle (TMT1, else WCTEMP)", CLI_NUMBER,
     &cli_scenario.tmt1_c, WI_TMT1_C_MIN, WI_TMT1_C_MAX, NULL, NULL},
    {"pe-cycles", 0, "N", "program/erase cycles already spent", CLI_NUMBER, &cli_scenario.pe_cycles,
     0, WI_PE_CYCLES_MAX, NULL, NULL},
    {0}};

const struct cli_option *cli_scenario_options(void)
{
    wi_scenario_init(&cli_scenario);
    return scenario_options;
}

int cli_scenario_complete(void)
{
    struct wi_err err = {0};

    if (wi_scenario_complete(&cli_scenario, &err) == WI_OK)
        return -1;
    err.status = WI_EUSAGE; /* whatever is wrong with it was typed as an option */
    return cli_error(&err);
}
