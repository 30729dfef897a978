/*
 * Which workload belongs on which drive at which site, when the environment counts.
 */
#ifndef WI_EXPERIMENTS_TIERING_H
#define WI_EXPERIMENTS_TIERING_H

#include "core/placement.h"
#include "experiments/member.h"

/* A drive at a site. */
struct wi_tier {
    char drive[WI_NAME_MAX], site[WI_NAME_MAX];
    double capacity_gb;
    struct wi_member member;
};

struct wi_workload {
    char name[WI_NAME_MAX];
    double capacity_gb;
    double requests_per_s;
    double read_frac;
    double slo_us; /* a request that takes longer misses */
};

struct wi_tiering {
    struct wi_tier *tiers;
    size_t n_tiers;
    struct wi_workload *workloads;
    size_t n_workloads;
    double confidence;
    bool robust;    /* the upper end of the interval was minimised */
    bool is_greedy; /* the solver ran out of time */
    /* misses per second, (n_workloads, n_tiers), by enum wi_curve; INFINITY = not allowed */
    double *misses[WI_N_CURVES];
    size_t *blind, *aware; /* (n_workloads,) tier without and with the environment */
};
void wi_tiering_release(struct wi_tiering *t);

/*
 * Read a study of schema ssd-whatif/tiering/1 and place its workloads.
 *
 * in:   robust   minimise the misses at the slow end of every interval instead of the expected ones
 * returns WI_OK; WI_EDATA or WI_ERANGE naming the JSON path, also when no placement fits
 * source: the generalised assignment problem, see core/placement.h
 */
enum wi_status wi_tiering_run(struct wi_session *session, const char *text, size_t len,
                              const char *name, bool robust, struct wi_tiering *t,
                              struct wi_err *err);

/* Sum of the misses per second of a placement on a curve. */
double wi_tiering_misses(const struct wi_tiering *t, const size_t *placement, enum wi_curve curve);

/* The result as JSON of schema ssd-whatif/tiering-result/1. */
enum wi_status wi_tiering_to_json(const struct wi_tiering *t, struct cJSON **json,
                                  struct wi_err *err);

#endif
