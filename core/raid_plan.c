#include "core/raid_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t n_parity(const struct wi_raid *r)
{
    return r->level == WI_RAID_5 ? 1 : r->level == WI_RAID_6 ? 2 : 0;
}

size_t wi_raid_data_units(const struct wi_raid *r)
{
    if (r->level == WI_RAID_1)
        return 1;
    if (r->level == WI_RAID_10)
        return r->n_members / 2;
    return r->n_members - n_parity(r);
}

static enum wi_status check_failures(const struct wi_raid *r, struct wi_err *err)
{
    size_t n_failed = 0;
    size_t survives = r->level == WI_RAID_0    ? 0
                      : r->level == WI_RAID_1  ? r->n_members - 1
                      : r->level == WI_RAID_10 ? r->n_members / 2
                                               : n_parity(r);

    for (size_t i = 0; i < r->n_members; i++) {
        n_failed += r->failed[i];
        if (r->level == WI_RAID_10 && r->failed[i] && r->failed[i ^ 1u])
            return wi_fail(err, WI_EDATA,
                           "failed: members %zu and %zu are one mirror, data is "
                           "lost",
                           i & ~(size_t)1, i | 1u);
    }
    if (n_failed > survives)
        return wi_fail(err, WI_EDATA,
                       "failed: RAID-%s with %zu members survives %zu failure(s), "
                       "%zu given",
                       wi_raid_level_name(r->level), r->n_members, survives, n_failed);
    if ((n_failed > 0) != (r->state != WI_RAID_NORMAL))
        return wi_fail(err, WI_EDATA, "state: %s with %zu failed member(s)",
                       wi_raid_state_name(r->state), n_failed);
    return WI_OK;
}

enum wi_status wi_raid_check(const struct wi_raid *r, struct wi_err *err)
{
    static const size_t fewest[] = {1, 2, 3, 4, 4};

    if (r->n_members < fewest[r->level] || r->n_members > WI_RAID_MEMBERS_MAX)
        return wi_fail(err, WI_EDATA, "members: RAID-%s takes %zu to %d members, %zu given",
                       wi_raid_level_name(r->level), fewest[r->level], WI_RAID_MEMBERS_MAX,
                       r->n_members);
    if (r->level == WI_RAID_10 && r->n_members % 2)
        return wi_fail(err, WI_EDATA, "members: RAID-10 takes an even number, %zu given",
                       r->n_members);
    if (r->n_types < 1 || r->n_types > WI_RAID_TYPES_MAX)
        return wi_fail(err, WI_EDATA, "members: at most %d different kinds, %zu given",
                       WI_RAID_TYPES_MAX, r->n_types);
    if (!(r->rho >= 0.0 && r->rho < 1.0))
        return wi_fail(err, WI_EDATA, "rho: %g is outside [0, 1)", r->rho);
    if (!(r->rebuild_frac >= 0.0 && r->rebuild_frac < 1.0))
        return wi_fail(err, WI_EDATA, "rebuild_frac: %g is outside [0, 1)", r->rebuild_frac);
    if (r->rebuild_frac > 0.0 && r->state != WI_RAID_REBUILDING)
        return wi_fail(err, WI_EDATA, "rebuild_frac: only a rebuilding array has one");
    if (!isnan(r->hedge_us) && !(r->hedge_us >= 0.0))
        return wi_fail(err, WI_EDATA, "hedge_us: %g is negative", r->hedge_us);
    return check_failures(r, err);
}

/* --- collecting --------------------------------------------------------------------------------
 */

struct collector {
    const struct wi_raid *r;
    struct raid_plan *plans;
    size_t n, size;
    bool out_of_memory;
};

static bool same_plan(const struct raid_plan *a, const struct raid_plan *b)
{
    return a->kind == b->kind && memcmp(&a->first, &b->first, sizeof(a->first)) == 0 &&
           memcmp(&a->second, &b->second, sizeof(a->second)) == 0;
}

static void collect(struct collector *c, const struct raid_plan *plan)
{
    struct raid_plan *grown;

    for (size_t i = 0; i < c->n; i++) {
        if (same_plan(&c->plans[i], plan)) {
            c->plans[i].weight += plan->weight;
            return;
        }
    }
    if (c->n == c->size) {
        grown = realloc(c->plans, (2 * c->size + 8) * sizeof(*grown));
        if (!grown) {
            c->out_of_memory = true;
            return;
        }
        c->plans = grown;
        c->size = 2 * c->size + 8;
    }
    c->plans[c->n++] = *plan;
}

static void add_read(const struct wi_raid *r, struct raid_phase *phase, size_t member)
{
    phase->n_reads[r->type[member]]++;
}

static void add_write(const struct wi_raid *r, struct raid_phase *phase, size_t member)
{
    phase->n_writes[r->type[member]]++;
}

/* --- mirrors and plain stripes -----------------------------------------------------------------
 */

/* Members of the mirror that unit u lives on. */
static void mirror_of(const struct wi_raid *r, size_t u, size_t *start, size_t *n)
{
    *start = r->level == WI_RAID_1 ? 0 : r->level == WI_RAID_10 ? 2 * u : u;
    *n = r->level == WI_RAID_1 ? r->n_members : r->level == WI_RAID_10 ? 2 : 1;
}

/* All ways to read unit u, added to one way of reading the units before it. */
static void extend_mirror_read(struct collector *c, const struct raid_plan *so_far, size_t u)
{
    const struct wi_raid *r = c->r;
    size_t start;
    size_t n;
    double healthy = 0.0;

    mirror_of(r, u, &start, &n);
    for (size_t i = start; i < start + n; i++)
        healthy += !r->failed[i];
    for (size_t i = start; i < start + n; i++) {
        struct raid_plan plan = *so_far;

        if (r->failed[i])
            continue;
        add_read(r, &plan.first, i);
        plan.weight /= healthy;
        collect(c, &plan);
    }
}

/* Each unit is read from one healthy mirror, all equally likely. Equal plans are merged after every
 * unit, so that their number stays polynomial. */
static void plan_mirror_reads(struct collector *c, size_t first_unit, size_t n_units, double weight)
{
    struct collector now = {.r = c->r};
    const struct raid_plan none = {.kind = RAID_ONE_PHASE, .weight = weight};

    collect(&now, &none);
    for (size_t u = first_unit; u < first_unit + n_units; u++) {
        struct collector next = {.r = c->r};

        for (size_t i = 0; i < now.n; i++)
            extend_mirror_read(&next, &now.plans[i], u);
        next.out_of_memory = next.out_of_memory || now.out_of_memory;
        free(now.plans);
        now = next;
    }
    for (size_t i = 0; i < now.n; i++)
        collect(c, &now.plans[i]);
    c->out_of_memory = c->out_of_memory || now.out_of_memory;
    free(now.plans);
}

/* One unit, hedged: first one healthy mirror, later another. */
static void plan_mirror_hedge(struct collector *c, size_t unit, double weight)
{
    const struct wi_raid *r = c->r;
    size_t start;
    size_t n;
    size_t healthy = 0;

    mirror_of(r, unit, &start, &n);
    for (size_t i = start; i < start + n; i++)
        healthy += !r->failed[i];
    for (size_t i = start; i < start + n; i++) {
        for (size_t j = start; j < start + n; j++) {
            struct raid_plan plan = {.kind = RAID_HEDGED};

            if (i == j || r->failed[i] || r->failed[j])
                continue;
            add_read(r, &plan.first, i);
            add_read(r, &plan.second, j);
            plan.weight = weight / (double)(healthy * (healthy - 1));
            collect(c, &plan);
        }
        if (healthy == 1 && !r->failed[i]) {
            struct raid_plan plan = {.kind = RAID_ONE_PHASE, .weight = weight};

            add_read(r, &plan.first, i);
            collect(c, &plan);
        }
    }
}

static void plan_mirror_writes(struct collector *c, size_t first_unit, size_t n_units,
                               double weight)
{
    const struct wi_raid *r = c->r;
    struct raid_plan plan = {.kind = RAID_ONE_PHASE, .weight = weight};

    for (size_t u = first_unit; u < first_unit + n_units; u++) {
        size_t start;
        size_t n;

        mirror_of(r, u, &start, &n);
        for (size_t i = start; i < start + n; i++) {
            if (!r->failed[i])
                add_write(r, &plan.first, i);
        }
    }
    collect(c, &plan);
}

/* --- parity stripes ----------------------------------------------------------------------------
 */

/* One placement of a request on one stripe. */
struct placement {
    size_t data[WI_RAID_MEMBERS_MAX]; /* members in order of the data units */
    size_t n_data;
    size_t parity[2];
    size_t n_parity;
    size_t first, n_units; /* data[first .. first + n_units - 1] are requested */
};

static bool is_requested(const struct placement *p, size_t unit)
{
    return unit >= p->first && unit < p->first + p->n_units;
}

/* Parity sits on member `turn` (and the next one), as it rotates from stripe to stripe. */
static void place(const struct wi_raid *r, size_t turn, struct placement *p)
{
    p->n_data = 0;
    p->n_parity = n_parity(r);
    for (size_t i = 0; i < p->n_parity; i++)
        p->parity[i] = (turn + i) % r->n_members;
    for (size_t i = 0; i < r->n_members - p->n_parity; i++)
        p->data[p->n_data++] = (turn + p->n_parity + i) % r->n_members;
}

/* Reads that rebuild the requested units which are lost: as many others as a stripe has data. */
static void read_around(const struct wi_raid *r, const struct placement *p,
                        struct raid_phase *phase)
{
    size_t needed = p->n_data;

    for (size_t u = 0; u < p->n_data; u++) {
        if (!r->failed[p->data[u]]) {
            add_read(r, phase, p->data[u]);
            needed--;
        }
    }
    for (size_t i = 0; i < p->n_parity && needed; i++) {
        if (!r->failed[p->parity[i]]) {
            add_read(r, phase, p->parity[i]);
            needed--;
        }
    }
}

static void plan_parity_read(struct collector *c, const struct placement *p, double weight)
{
    const struct wi_raid *r = c->r;
    struct raid_plan plan = {.kind = RAID_ONE_PHASE, .weight = weight};
    bool lost = false;

    for (size_t u = p->first; u < p->first + p->n_units; u++)
        lost = lost || r->failed[p->data[u]];
    if (lost) {
        read_around(r, p, &plan.first);
    } else {
        for (size_t u = p->first; u < p->first + p->n_units; u++)
            add_read(r, &plan.first, p->data[u]);
    }
    if (!lost && !isnan(r->hedge_us)) {
        /* The redundancy of one unit: everything else that a rebuild of it would read. */
        size_t member = p->data[p->first];
        struct wi_raid without = *r;

        without.failed[member] = true;
        read_around(&without, p, &plan.second);
        plan.kind = RAID_HEDGED;
    }
    collect(c, &plan);
}

/* How a write finds the new parity. */
static void plan_parity_reads_of_write(const struct wi_raid *r, const struct placement *p,
                                       size_t healthy_parity, struct raid_phase *phase)
{
    size_t lost_requested = 0;
    size_t lost_other = 0;

    for (size_t u = 0; u < p->n_data; u++) {
        if (r->failed[p->data[u]])
            *(is_requested(p, u) ? &lost_requested : &lost_other) += 1;
    }
    if (p->n_units == p->n_data || healthy_parity == 0)
        return; /* full stripe, or no parity left to keep */
    if (lost_requested && lost_other) {
        read_around(r, p, phase);
        return;
    }
    /* Read-modify-write: old data and old parity. Reconstruct-write: the data not written. The one
     * with fewer reads is taken, as Linux md does. */
    if (lost_requested == 0 &&
        (lost_other || p->n_units + healthy_parity <= p->n_data - p->n_units)) {
        for (size_t u = p->first; u < p->first + p->n_units; u++)
            add_read(r, phase, p->data[u]);
        for (size_t i = 0; i < p->n_parity; i++) {
            if (!r->failed[p->parity[i]])
                add_read(r, phase, p->parity[i]);
        }
        return;
    }
    for (size_t u = 0; u < p->n_data; u++) {
        if (!is_requested(p, u))
            add_read(r, phase, p->data[u]);
    }
}

static bool is_empty(const struct raid_phase *phase)
{
    static const struct raid_phase empty;

    return memcmp(phase, &empty, sizeof(empty)) == 0;
}

static void plan_parity_write(struct collector *c, const struct placement *p, double weight)
{
    const struct wi_raid *r = c->r;
    struct raid_plan plan = {.kind = RAID_TWO_PHASES, .weight = weight};
    size_t healthy_parity = 0;

    for (size_t i = 0; i < p->n_parity; i++)
        healthy_parity += !r->failed[p->parity[i]];
    plan_parity_reads_of_write(r, p, healthy_parity, &plan.first);
    for (size_t u = p->first; u < p->first + p->n_units; u++) {
        if (!r->failed[p->data[u]])
            add_write(r, &plan.second, p->data[u]);
    }
    for (size_t i = 0; i < p->n_parity; i++) {
        if (!r->failed[p->parity[i]])
            add_write(r, &plan.second, p->parity[i]);
    }
    if (is_empty(&plan.first)) {
        plan.kind = RAID_ONE_PHASE;
        plan.first = plan.second;
        plan.second = (struct raid_phase){{0}, {0}};
    }
    collect(c, &plan);
}

/* --- all placements ----------------------------------------------------------------------------
 */

static void plan_parity(struct collector *c, const struct wi_raid_request *q)
{
    const struct wi_raid *r = c->r;
    size_t starts = wi_raid_data_units(r) - q->n_units + 1;
    double weight = q->share / (double)(r->n_members * starts);

    for (size_t turn = 0; turn < r->n_members; turn++) {
        for (size_t first = 0; first < starts; first++) {
            struct placement p = {.first = first, .n_units = q->n_units};

            place(r, turn, &p);
            if (q->op == WI_OP_READ)
                plan_parity_read(c, &p, weight);
            else
                plan_parity_write(c, &p, weight);
        }
    }
}

static void plan_mirrors(struct collector *c, const struct wi_raid_request *q)
{
    size_t starts = wi_raid_data_units(c->r) - q->n_units + 1;
    double weight = q->share / (double)starts;

    for (size_t first = 0; first < starts; first++) {
        if (q->op == WI_OP_WRITE)
            plan_mirror_writes(c, first, q->n_units, weight);
        else if (!isnan(c->r->hedge_us) && c->r->level != WI_RAID_0)
            plan_mirror_hedge(c, first, weight);
        else
            plan_mirror_reads(c, first, q->n_units, weight);
    }
}

enum wi_status raid_plan_make(const struct wi_raid *r, const struct wi_raid_request *requests,
                              size_t n_requests, struct raid_plan **plans, size_t *n_plans,
                              struct wi_err *err)
{
    struct collector c = {.r = r};

    for (size_t i = 0; i < n_requests; i++) {
        const struct wi_raid_request *q = &requests[i];
        enum wi_status st = WI_OK;

        if (q->n_units < 1 || q->n_units > wi_raid_data_units(r))
            st = wi_fail(err, WI_EDATA, "request of %zu stripe units, a stripe has 1 to %zu",
                         q->n_units, wi_raid_data_units(r));
        else if (q->op == WI_OP_READ && !isnan(r->hedge_us) && q->n_units != 1)
            st = wi_fail(err, WI_EDATA, "hedge_us: hedging applies to reads of one stripe unit");
        else if (n_parity(r))
            plan_parity(&c, q);
        else
            plan_mirrors(&c, q);
        if (st == WI_OK && c.out_of_memory)
            st = wi_fail_nomem(err);
        if (st != WI_OK) {
            free(c.plans);
            return st;
        }
    }
    *plans = c.plans;
    *n_plans = c.n;
    return WI_OK;
}

struct wi_raid_ios wi_raid_write_ios(const struct wi_raid *r, size_t n_units)
{
    const struct wi_raid_request write = {WI_OP_WRITE, n_units, 1.0};
    struct wi_raid healthy = *r;
    struct raid_plan *plans = NULL;
    struct wi_raid_ios ios = {0, 0};
    size_t n = 0;

    memset(healthy.failed, 0, sizeof(healthy.failed));
    if (raid_plan_make(&healthy, &write, 1, &plans, &n, NULL) != WI_OK)
        return ios;
    for (size_t t = 0; t < r->n_types; t++) {
        ios.n_reads += plans[0].first.n_reads[t] + plans[0].second.n_reads[t];
        ios.n_writes += plans[0].first.n_writes[t] + plans[0].second.n_writes[t];
    }
    free(plans);
    return ios;
}
