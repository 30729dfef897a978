#include "core/phys_models.h"
#include "core/phys_rows.h"
#include "core/units.h"

#define PI 3.14159265358979323846

double wi_phys_sine_peak_g(double amp_mm, double freq_hz)
{
    double omega = 2.0 * PI * freq_hz;

    return amp_mm * 1e-3 * omega * omega / WI_GRAVITY_M_S2;
}

static const struct wi_physics_param params[] = {
    {"amp-mm", "x0", "mm", "displacement, zero to peak", 1, 0, 1000, 0, 25, WI_NO_CHOICE},
    {"freq-hz", "f", "Hz", "frequency", 20, WI_FREQ_HZ_MIN, WI_FREQ_HZ_MAX, 1, 2000, WI_NO_CHOICE},
};

static const struct wi_physics_output outputs[] = {
    {"peak_g", "g", "peak acceleration"},
    {"grms_g", "g", "root mean square acceleration"},
    {"peak_mm_s", "mm/s", "peak velocity"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)notes;
    (void)err;
    out[0] = wi_phys_sine_peak_g(in[0], in[1]);
    out[1] = out[0] / sqrt(2.0);
    out[2] = 2.0 * PI * in[1] * in[0];
    return WI_OK;
}

const struct wi_physics_model wi_phys_sine_model = {
    "sine",
    "Acceleration of a sinusoidal vibration",
    "g = x0 (2 pi f)^2 / 9.80665",
    "a rigid body on a shaker; the amplitude of DAC19 is printed without a unit, so its g is "
    "unknown",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
