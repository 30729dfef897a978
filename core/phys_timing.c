#include "core/phys_models.h"
#include "core/phys_rows.h"

#define REFERENCE_C 25.0
#define ROOM_TO_NITROGEN_K 221.0 /* 25 C to -196 C */

/* As in data/devices.csv; one figure with both ends equal is a single constant. */
static const struct {
    double read_us[2], program_us[2], erase_us[2];
} table[] = {
    [WI_NAND_SLC] = {{40, 40}, {800, 800}, {2000, 2000}},
    [WI_NAND_MLC] = {{29.8, 100}, {185, 2300}, {3000, 3000}},
    [WI_NAND_TLC] = {{25, 106}, {820.5, 5734}, {3000, 3000}},
    [WI_NAND_QLC] = {{47.9, 228.1}, {861.5, 9174.4}, {3000, 3000}},
};

static const struct wi_physics_figure constants[] = {
    {"heatwatch.program_variation", 21, 21, 21, "charge-trap 3D MLC, program variation, 0 to 70 C",
     "HEATWATCH18", WI_CONF_SECONDARY, WI_FIGURE_BAND},
    {"cryogenic.program", 5, 4, 6, "program time of flash ICs at -196 C", "IHMIG15",
     WI_CONF_SECONDARY, WI_FIGURE_BAND},
};

/* The geometric middle of a range: the ends differ by factors, not by differences. */
static struct wi_phys_range range_of(const double ends[2])
{
    struct wi_phys_range r = {sqrt(ends[0] * ends[1]), ends[0], ends[1]};

    return r;
}

/*
 * Chen 2021 finds program time strongly dependent on temperature and gives no magnitude. Two
 * figures bound it: 21 % program variation over 0..70 C, and 4 to 6 times at -196 C, log-linear in
 * between. They widen the range of program and erase; the value stays, since the sign is not known.
 */
static double widening(double temp_c)
{
    double per_k = log1p(constants[0].value / 100.0) / 70.0;
    double cold_per_k = log(constants[1].high) / ROOM_TO_NITROGEN_K;
    double away_k = temp_c - REFERENCE_C;

    return away_k >= 0.0 ? exp(per_k * away_k) : exp(cold_per_k * -away_k);
}

struct wi_phys_timing wi_phys_nand_timing(enum wi_nand nand, double temp_c)
{
    struct wi_phys_timing t = {range_of(table[nand].read_us), range_of(table[nand].program_us),
                               range_of(table[nand].erase_us)};
    double wide = widening(temp_c);

    t.program_us.low /= wide;
    t.program_us.high *= wide;
    t.erase_us.low /= wide;
    t.erase_us.high *= wide;
    return t;
}

static const char *const nand_names[] = {"slc", "mlc", "tlc", "qlc", NULL};

static const struct wi_physics_param params[] = {
    {"nand", "", "", "slc, mlc, tlc or qlc", 2, 0, 3, 0, 3, nand_names, NULL, 0},
    {"temp-c", "T", "C", "temperature of the die", 25, WI_ANY_TEMP, 0, 70, WI_NO_CHOICE},
};

static const struct wi_physics_output outputs[] = {
    {"read_us", "us", "page read, geometric middle of the sources"},
    {"read_low_us", "us", "fastest source or page type"},
    {"read_high_us", "us", "slowest source or page type"},
    {"program_us", "us", "page program, geometric middle"},
    {"program_low_us", "us", "fastest, widened by temperature"},
    {"program_high_us", "us", "slowest, widened by temperature"},
    {"erase_us", "us", "block erase, geometric middle"},
    {"erase_low_us", "us", "fastest, widened by temperature"},
    {"erase_high_us", "us", "slowest, widened by temperature"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    enum wi_nand nand = (enum wi_nand)(WI_NAND_SLC + (int)(in[0] + 0.5));
    struct wi_phys_timing t = wi_phys_nand_timing(nand, in[1]);
    const struct wi_phys_range *r[] = {&t.read_us, &t.program_us, &t.erase_us};

    (void)err;
    for (size_t i = 0; i < WI_COUNT(r); i++) {
        out[3 * i] = r[i]->value;
        out[3 * i + 1] = r[i]->low;
        out[3 * i + 2] = r[i]->high;
    }
    if (in[1] != REFERENCE_C)
        wi_physics_note(notes, "no source gives timing against temperature; only the range of "
                               "program and erase widens");
    return WI_OK;
}

const struct wi_physics_model wi_phys_timing_model = {
    "timing",
    "Read, program and erase time by NAND type and temperature",
    "ranges of simulators' and papers' constants; range of program and erase x exp(c |T - 25|)",
    "chips of 2012 to 2022; page types of one chip differ by up to 7 in program",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    constants,
    WI_COUNT(constants),
    eval};
