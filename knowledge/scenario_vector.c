#include "knowledge/scenario_vector.h"

#include <math.h>
#include <string.h>

/*
 * One unit of distance in each direction. The scales are the spacing of conditions in the stored
 * studies (10 to 40 C, 30 %RH, one octave and more); which stressor acts, and when one looks,
 * separate experiments more than how strong it is.
 */
#define DELTA_TEMP_C 25.0
#define DELTA_RH_PCT 25.0
#define LEVEL_TEMP_C 40.0
#define LEVEL_RH_PCT 40.0
#define W_STRESSOR 1.6
#define W_AXIS 1.2
#define W_PHASE 1.4
#define W_OP 0.4
#define W_NAND 0.7
#define W_HOURS 0.4
#define DEFAULT_FREQ_HZ 20.0 /* what the vibration study used */
#define DEFAULT_H 6.0
#define DEFAULT_LONG_H 120.0

/* What both a stored experiment and a question have. */
struct facts {
    const struct wi_exposure *x;
    enum wi_phase phase;
    enum wi_nand nand;
    bool read, write, mixed;
    double temp_span_c, rh_span_pct; /* range walked, 0 = constant */
    bool failing;
};

static double or_zero(double v)
{
    return isfinite(v) ? v : 0.0;
}

static double squash(double v, double limit)
{
    return v < -limit ? -limit : v > limit ? limit : v;
}

/* Bits per cell around the middle of MLC and TLC; unknown sits between them. */
static double nand_level(enum wi_nand nand)
{
    switch (nand) {
    case WI_NAND_SLC:
        return -1.5;
    case WI_NAND_MLC:
        return -0.5;
    case WI_NAND_TLC:
        return 0.5;
    case WI_NAND_QLC:
        return 1.5;
    default:
        return 0.0;
    }
}

static void fill_environment(const struct facts *f, float *v)
{
    const struct wi_step *b = &f->x->before, *d = &f->x->during, *a = &f->x->after;
    double dt = or_zero(d->temp_c - b->temp_c), dh = or_zero(d->rh_pct - b->rh_pct);
    double st = fmax(fabs(dt), f->temp_span_c), sh = fmax(fabs(dh), f->rh_span_pct);

    v[0] = (float)(st > 0.5 ? W_STRESSOR : 0.0);
    v[1] = (float)(sh > 0.5 ? W_STRESSOR : 0.0);
    v[2] = (float)squash(dt / DELTA_TEMP_C, 4);
    v[3] = (float)squash(dh / DELTA_RH_PCT, 4);
    v[4] = (float)squash(or_zero(d->temp_c - WI_ROOM_TEMP_C) / LEVEL_TEMP_C, 4);
    v[5] = (float)squash(or_zero(d->rh_pct - WI_ROOM_RH_PCT) / LEVEL_RH_PCT, 4);
    v[6] = (float)squash(f->temp_span_c / (4 * DELTA_TEMP_C), 2);
    v[7] = (float)squash(f->rh_span_pct / (4 * DELTA_RH_PCT), 2);
    if (f->x->has_after) {
        v[8] = (float)squash(or_zero(a->temp_c - d->temp_c) / (2 * DELTA_TEMP_C), 4);
        v[9] = (float)squash(or_zero(a->rh_pct - d->rh_pct) / (2 * DELTA_RH_PCT), 4);
    }
}

static void fill_vibration(const struct facts *f, float *v)
{
    const struct wi_vib *vib = &f->x->during.vib;

    if (vib->axis == WI_AXIS_NONE)
        return;
    double freq = isfinite(vib->freq_hz) && vib->freq_hz > 0 ? vib->freq_hz : DEFAULT_FREQ_HZ;
    double grms = isfinite(vib->grms) ? vib->grms : 1.0;
    v[10] = (float)W_STRESSOR;
    v[11] = (float)(vib->axis == WI_AXIS_PARALLEL ? W_AXIS / 2 : -W_AXIS / 2);
    v[12] = (float)(0.5 * log10(freq / DEFAULT_FREQ_HZ));
    v[13] = (float)(0.3 * log1p(grms));
}

static void fill_rest(const struct facts *f, float *v)
{
    double hours = or_zero(f->x->during_h);

    if (!(hours > 0))
        hours = f->phase == WI_PHASE_LONG_TERM ? DEFAULT_LONG_H : DEFAULT_H;
    v[14 + (int)f->phase] = (float)(W_PHASE / sqrt(2.0));
    v[17] = (float)(f->read ? W_OP : 0.0);
    v[18] = (float)(f->write ? W_OP : 0.0);
    v[19] = (float)(f->mixed ? W_OP : 0.0);
    v[20] = (float)(W_NAND * nand_level(f->nand));
    v[21] = (float)(W_HOURS * log10(hours / DEFAULT_H));
    v[22] = f->failing ? 1.0f : 0.0f;
}

static void fill(const struct facts *f, float *v)
{
    memset(v, 0, WI_SCENARIO_DIM * sizeof(*v));
    fill_environment(f, v);
    fill_vibration(f, v);
    fill_rest(f, v);
}

static double half_square(const float *v)
{
    double sum = 0;

    for (int i = 0; i < WI_SCENARIO_DIM - 1; i++)
        sum += (double)v[i] * (double)v[i];
    return sum / 2;
}

void wi_scenario_vector_of_experiment(const struct wi_experiment *exp,
                                      const struct wi_observation *obs, size_t n_obs, float *vec)
{
    struct facts f = {.x = &exp->exposure,
                      .phase = exp->phase,
                      .nand = exp->nand,
                      .temp_span_c = fabs(or_zero(exp->temp_high_c - exp->temp_low_c)),
                      .rh_span_pct = fabs(or_zero(exp->rh_high_pct - exp->rh_low_pct)),
                      .failing = exp->failing};

    for (size_t i = 0; i < n_obs; i++) {
        f.read = f.read || obs[i].op == WI_OP_READ;
        f.write = f.write || obs[i].op == WI_OP_WRITE;
        f.mixed = f.mixed || obs[i].op == WI_OP_MIXED;
    }
    fill(&f, vec);
    vec[WI_SCENARIO_DIM - 1] = (float)-half_square(vec);
}

void wi_scenario_vector_of_query(const struct wi_scenario *s, float *vec)
{
    struct facts f = {.x = &s->exposure,
                      .phase = s->phase,
                      .nand = s->nand,
                      .read = s->op == WI_OP_READ,
                      .write = s->op == WI_OP_WRITE,
                      .mixed = s->op == WI_OP_MIXED};

    fill(&f, vec);
    vec[WI_SCENARIO_DIM - 1] = 1.0f;
}

double wi_scenario_closeness(const float *query, float score)
{
    double distance2 = 2 * (half_square(query) - (double)score);

    return exp(-fmax(distance2, 0.0) / 4);
}
