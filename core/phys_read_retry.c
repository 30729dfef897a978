#include "core/phys_models.h"
#include "core/phys_rows.h"

double wi_phys_read_retry_us(double n_retries, double t_read_us, double t_dma_us, double t_ecc_us)
{
    return (1.0 + n_retries) * (t_read_us + t_dma_us + t_ecc_us);
}

static const struct wi_physics_figure retry_figures[] = {
    {"read-retry.worn.n_retries", 6.6, 6.6, 6.6, "64-layer TLC, 5000 P/E cycles and one year",
     "MICRO20", WI_CONF_READ, WI_FIGURE_BAND},
    {"read-retry.sentinel.n_retries", 1.2, 1.2, 1.2, "the same chip with sentinel cells", "MICRO20",
     WI_CONF_READ, WI_FIGURE_CHOICE},
};
static const struct wi_physics_figure read_figures[] = {
    {"ecc.mlc.read_us", 100, 100, 100, "MLC, sensing and transfer of one page", "HPCA15",
     WI_CONF_READ, WI_FIGURE_BAND},
};
static const struct wi_physics_figure ecc_figures[] = {
    {"ecc.mlc.decode_us", 32, 32, 32, "MLC, one decoding", "HPCA15", WI_CONF_READ, WI_FIGURE_BAND},
};

static const struct wi_physics_param params[] = {
    {"retries", "n", "1", "mean retries per read", 6.6, 0, 1000, 0, 40, WI_FIGURES(retry_figures)},
    {"read-us", "tR", "us", "sensing of one page", 100, 0, 1e5, 10, 1000, WI_FIGURES(read_figures)},
    {"dma-us", "tDMA", "us", "transfer, 0 = part of read-us", 0, 0, 1e5, 0, 1000, WI_NO_CHOICE},
    {"ecc-us", "tECC", "us", "one decoding", 32, 0, 1e5, 0, 1000, WI_FIGURES(ecc_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"read_us", "us", "time of one page read with its retries"},
    {"first_us", "us", "time of a read without retry"},
    {"factor", "1", "slowdown of the page read"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)notes;
    (void)err;
    out[0] = wi_phys_read_retry_us(in[0], in[1], in[2], in[3]);
    out[1] = wi_phys_read_retry_us(0.0, in[1], in[2], in[3]);
    out[2] = 1.0 + in[0];
    return WI_OK;
}

const struct wi_physics_model wi_phys_read_retry_model = {
    "read-retry",
    "Time of a page read with retries",
    "t = (1+n)(tR + tDMA + tECC)",
    "every retry repeats the whole read; controllers that pipeline retries do better",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
