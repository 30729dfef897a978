#include "core/dataset.h"

#include <stdlib.h>

#include "core/enum_names.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Index order is that of the enums. */
static const char *const metric_names[] = {"tail_latency", "bandwidth"};
static const char *const obs_kind_names[] = {"value", "bound", "too_small", "no_change",
                                             "text",  "box",   "absolute"};
static const char *const stat_names[] = {"", "min", "q1", "median", "q3", "max"};
static const char *const confidence_names[] = {"read",    "digitised",  "abstract", "secondary",
                                               "derived", "unverified", "measured"};

void wi_dataset_release(struct wi_dataset *ds)
{
    if (!ds)
        return;
    free(ds->exps);
    free(ds->obs);
    *ds = (struct wi_dataset){0};
}

const char *wi_metric_name(enum wi_metric v)
{
    return wi_enum_name(metric_names, COUNT(metric_names), (size_t)v);
}

const char *wi_obs_kind_name(enum wi_obs_kind v)
{
    return wi_enum_name(obs_kind_names, COUNT(obs_kind_names), (size_t)v);
}

const char *wi_stat_name(enum wi_stat v)
{
    return wi_enum_name(stat_names, COUNT(stat_names), (size_t)v);
}

const char *wi_confidence_name(enum wi_confidence v)
{
    return wi_enum_name(confidence_names, COUNT(confidence_names), (size_t)v);
}

bool wi_metric_parse(const char *text, enum wi_metric *out)
{
    size_t v;

    if (!wi_enum_find(metric_names, COUNT(metric_names), text, &v))
        return false;
    *out = (enum wi_metric)v;
    return true;
}

bool wi_obs_kind_parse(const char *text, enum wi_obs_kind *out)
{
    size_t v;

    if (!wi_enum_find(obs_kind_names, COUNT(obs_kind_names), text, &v))
        return false;
    *out = (enum wi_obs_kind)v;
    return true;
}

bool wi_stat_parse(const char *text, enum wi_stat *out)
{
    size_t v;

    if (!wi_enum_find(stat_names, COUNT(stat_names), text, &v))
        return false;
    *out = (enum wi_stat)v;
    return true;
}

bool wi_confidence_parse(const char *text, enum wi_confidence *out)
{
    size_t v;

    if (!wi_enum_find(confidence_names, COUNT(confidence_names), text, &v))
        return false;
    *out = (enum wi_confidence)v;
    return true;
}
