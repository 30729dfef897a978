#include "core/physics.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/phys_models.h"

#define BANDS_MAX 6

const struct wi_physics_model *const wi_physics_models[] = {
    &wi_phys_arrhenius_model,
    &wi_phys_peck_model,
    &wi_phys_hallberg_peck_model,
    &wi_phys_fides_humidity_model,
    &wi_phys_norris_landzberg_model,
    &wi_phys_coffin_manson_model,
    &wi_phys_basquin_model,
    &wi_phys_steinberg_model,
    &wi_phys_miner_model,
    &wi_phys_dew_point_model,
    &wi_phys_condensation_model,
    &wi_phys_rber_model,
    &wi_phys_ecc_model,
    &wi_phys_read_retry_model,
    &wi_phys_read_tail_model,
    &wi_phys_timing_model,
    &wi_phys_cross_temperature_model,
    &wi_phys_throttle_model,
    &wi_phys_jesd218_model,
    &wi_phys_sine_model,
};
const size_t wi_n_physics_models = sizeof(wi_physics_models) / sizeof(wi_physics_models[0]);

const struct wi_physics_model *wi_physics_find(const char *name)
{
    for (size_t i = 0; i < wi_n_physics_models; i++) {
        if (strcmp(wi_physics_models[i]->name, name) == 0)
            return wi_physics_models[i];
    }
    return NULL;
}

size_t wi_physics_param_find(const struct wi_physics_model *m, const char *name)
{
    size_t i = 0;

    while (i < m->n_params && strcmp(m->params[i].name, name) != 0)
        i++;
    return i;
}

void wi_physics_note(struct wi_physics_notes *notes, const char *fmt, ...)
{
    char text[WI_PHYS_NOTE_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < notes->n; i++) {
        if (strcmp(notes->text[i], text) == 0)
            return;
    }
    if (notes->n == WI_PHYS_NOTES_MAX)
        return;
    memcpy(notes->text[notes->n++], text, sizeof(text));
}

bool wi_physics_band(const struct wi_physics_param *p, double *low, double *high)
{
    double lo = INFINITY, hi = -INFINITY;

    for (size_t i = 0; i < p->n_figures; i++) {
        if (p->figures[i].role != WI_FIGURE_BAND)
            continue;
        lo = fmin(lo, p->figures[i].low);
        hi = fmax(hi, p->figures[i].high);
    }
    *low = lo;
    *high = hi;
    return lo < hi;
}

void wi_physics_defaults(const struct wi_physics_model *m, double in[WI_PHYS_PARAMS_MAX])
{
    for (size_t i = 0; i < m->n_params; i++)
        in[i] = m->params[i].value;
}

static enum wi_status check_inputs(const struct wi_physics_model *m, const double *in,
                                   struct wi_physics_notes *notes, struct wi_err *err)
{
    for (size_t i = 0; i < m->n_params; i++) {
        const struct wi_physics_param *p = &m->params[i];

        if (isnan(in[i]) && isnan(p->value))
            return wi_fail(err, WI_EUSAGE,
                           "%s needs '%s': only unverified figures are known, %.6g..%.6g", m->name,
                           p->name, p->figures[0].low, p->figures[0].high);
        if (!(in[i] >= p->min && in[i] <= p->max))
            return wi_fail(err, WI_ERANGE, "'%s' is %.6g, allowed %.6g..%.6g", p->name, in[i],
                           p->min, p->max);
        if (in[i] < p->valid_low || in[i] > p->valid_high)
            wi_physics_note(notes, "%s %.6g %s is outside %.6g..%.6g, where %s was checked",
                            p->name, in[i], p->unit, p->valid_low, p->valid_high, m->name);
    }
    return WI_OK;
}

static enum wi_status eval_once(const struct wi_physics_model *m, const double *in, double *out,
                                struct wi_physics_notes *notes, struct wi_err *err)
{
    enum wi_status st = m->eval(in, out, notes, err);

    for (size_t i = 0; st == WI_OK && i < m->n_outputs; i++) {
        if (!isfinite(out[i]))
            return wi_fail(err, WI_ENUMERIC, "%s: '%s' is not finite for these inputs", m->name,
                           m->outputs[i].name);
    }
    return st;
}

enum wi_status wi_physics_eval(const struct wi_physics_model *m, const double *in, unsigned given,
                               struct wi_physics_result *res, struct wi_err *err)
{
    double corner[WI_PHYS_PARAMS_MAX], out[WI_PHYS_OUTPUTS_MAX];
    double low[BANDS_MAX], high[BANDS_MAX];
    size_t banded[BANDS_MAX], n_banded = 0;
    struct wi_physics_notes unused = {0};
    enum wi_status st;

    assert(m->n_params <= WI_PHYS_PARAMS_MAX && m->n_outputs <= WI_PHYS_OUTPUTS_MAX);
    memset(res, 0, sizeof(*res));
    st = check_inputs(m, in, &res->notes, err);
    if (st == WI_OK)
        st = eval_once(m, in, res->out, &res->notes, err);
    if (st != WI_OK)
        return st;
    memcpy(res->low, res->out, sizeof(res->out));
    memcpy(res->high, res->out, sizeof(res->out));
    for (size_t i = 0; i < m->n_params; i++) {
        if (!(given & (1u << i)) && n_banded < BANDS_MAX &&
            wi_physics_band(&m->params[i], &low[n_banded], &high[n_banded]))
            banded[n_banded++] = i;
    }
    res->has_band = n_banded > 0;
    memcpy(corner, in, m->n_params * sizeof(in[0]));
    for (unsigned c = 0; n_banded && c < (1u << n_banded); c++) {
        for (size_t b = 0; b < n_banded; b++)
            corner[banded[b]] = c & (1u << b) ? high[b] : low[b];
        st = eval_once(m, corner, out, &unused, err);
        if (st != WI_OK)
            return st;
        for (size_t i = 0; i < m->n_outputs; i++) {
            res->low[i] = fmin(res->low[i], out[i]);
            res->high[i] = fmax(res->high[i], out[i]);
        }
    }
    return WI_OK;
}
