/*
 * Physical principles, sources, devices and contradictions: the knowledge beside the measurements.
 */
#ifndef WI_CORE_PRINCIPLE_H
#define WI_CORE_PRINCIPLE_H

#include "core/dataset.h"

#define WI_PRINCIPLE_SOURCES_MAX 12
#define WI_PRINCIPLE_LINKS_MAX 12

/* One file data/principles/<id>.json; `principles add FILE` takes the same form. */
struct wi_principle {
    char id[WI_ID_MAX];
    char *title;
    char *statement;        /* what holds, in one to four sentences */
    char *latency_effect;   /* what it implies for tail latency */
    char *bandwidth_effect; /* what it implies for bandwidth */
    char *equation;         /* "" where there is none */
    char *validity;         /* range in which it holds */
    char *stressors; /* space separated: temperature humidity vibration time wear radiation */
    char *nand;      /* space separated nand names, "any" */
    struct {
        char id[WI_ID_MAX]; /* source id */
        enum wi_confidence confidence;
    } sources[WI_PRINCIPLE_SOURCES_MAX];
    size_t n_sources;
    char contradicted_by[WI_PRINCIPLE_LINKS_MAX]
                        [WI_ID_MAX]; /* contradiction, principle or exp ids */
    size_t n_contradicted_by;
    bool embedded; /* false = the user's own */
};
void wi_principle_release(struct wi_principle *p);
void wi_principles_free(struct wi_principle *list, size_t n);

/*
 * Read the file form.
 * in:   name   for messages
 * returns WI_OK; WI_EDATA naming file and member: id not [a-z0-9-]+, text missing or too long,
 *         unknown member, no source
 */
enum wi_status wi_principle_parse(const char *text, size_t len, const char *name,
                                  struct wi_principle *out, struct wi_err *err);
enum wi_status wi_principle_format(const struct wi_principle *p, char **text, struct wi_err *err);

struct wi_source {
    char id[WI_ID_MAX];
    char citation[512];
    char url[256];    /* DOI or address, "" = none */
    char access[256]; /* how far it was read */
};

/* Timing and endurance of one NAND type, ranges from several sources. */
struct wi_device {
    enum wi_nand nand;
    double read_us_low, read_us_high;
    double program_us_low, program_us_high;
    double erase_us_low, erase_us_high;
    double pe_cycles_low, pe_cycles_high; /* rated endurance */
    char sources[256];                    /* space separated source ids */
    char note[512];
};

/* Two figures or statements that do not agree; both are kept. */
struct wi_contradiction {
    char id[WI_ID_MAX]; /* "contradiction-01" ... */
    char title[160];
    char side_a[512];
    char side_b[512];
    char handling[512]; /* what the models do with it */
    char items[512];    /* space separated experiment and principle ids concerned */
};

#endif
