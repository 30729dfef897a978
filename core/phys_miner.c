#include "core/phys_models.h"
#include "core/phys_rows.h"

enum { LOADS = 4 };

double wi_phys_miner_damage(size_t count, const double *n_cycles, const double *life_cycles)
{
    double damage = 0.0;

    for (size_t i = 0; i < count; i++)
        damage += n_cycles[i] / life_cycles[i];
    return damage;
}

static const struct wi_physics_figure limit_figures[] = {
    {"miner.damage_limit", 1, 1, 1, "damage sum at failure", "NOVASOLVER", WI_CONF_ABSTRACT,
     WI_FIGURE_BAND},
};

#define CYCLES_MAX 1e15
#define LOAD_ROWS(i, n)                                                                            \
    {"n" #i, "n" #i,     "cycles",    "cycles spent under load " #i, n, 0, CYCLES_MAX,             \
     0,      CYCLES_MAX, WI_NO_CHOICE},                                                            \
    {                                                                                              \
        "life" #i, "N" #i, "cycles", "cycles to failure under load " #i, 1e6, 1, CYCLES_MAX, 1,    \
            CYCLES_MAX, WI_NO_CHOICE                                                               \
    }

static const struct wi_physics_param params[] = {
    LOAD_ROWS(1, 1e5),
    LOAD_ROWS(2, 0),
    LOAD_ROWS(3, 0),
    LOAD_ROWS(4, 0),
    {"limit", "D", "1", "damage sum at failure", 1, 0.01, 100, 0.3, 3, WI_FIGURES(limit_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"damage", "1", "sum of n_i / N_i"},
    {"used_frac", "1", "damage / limit; fails at 1"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    double n[LOADS], life[LOADS];

    (void)err;
    for (size_t i = 0; i < LOADS; i++) {
        n[i] = in[2 * i];
        life[i] = in[2 * i + 1];
    }
    out[0] = wi_phys_miner_damage(LOADS, n, life);
    out[1] = out[0] / in[2 * LOADS];
    wi_physics_note(notes, "a linear sum; the order of the loads matters in reality and the sum at "
                           "failure scatters widely");
    return WI_OK;
}

const struct wi_physics_model wi_phys_miner_model = {"miner",
                                                     "Miner's rule, damage of several loads",
                                                     "D = sum(n_i/N_i), fails at D = 1",
                                                     "independent loads of one failure mode",
                                                     params,
                                                     WI_COUNT(params),
                                                     outputs,
                                                     WI_COUNT(outputs),
                                                     NULL,
                                                     0,
                                                     eval};
