#include "core/phys_models.h"
#include "core/phys_rows.h"

/*
 * P(X > n_correct) for X binomial: the first term by lgamma, the rest by the ratio of neighbours.
 * Above the mean the terms fall at least geometrically, so the sum stops when they no longer count.
 */
double wi_phys_ecc_fail_frac(double rber, double n_bits, double n_correct)
{
    double n = floor(n_bits), first = floor(n_correct) + 1.0;
    double odds, term, sum = 0.0;
    bool upper = first > n * rber; /* else sum the complement, which is the smaller tail */
    double j = upper ? first : first - 1.0;

    if (rber <= 0.0 || first > n)
        return 0.0;
    if (rber >= 1.0)
        return 1.0;
    odds = rber / (1.0 - rber);
    term = exp(lgamma(n + 1.0) - lgamma(j + 1.0) - lgamma(n - j + 1.0) + j * log(rber) +
               (n - j) * log1p(-rber));
    while (term > 0.0 && sum + term != sum) {
        sum += term;
        if (upper) {
            term *= odds * (n - j) / (j + 1.0);
            j += 1.0;
        } else {
            term *= j / (odds * (n - j + 1.0));
            j -= 1.0;
        }
    }
    return upper ? fmin(sum, 1.0) : fmax(1.0 - sum, 0.0);
}

static const struct wi_physics_figure limit_figures[] = {
    {"ecc.bch.rber_limit", 1e-3, 1e-3, 1e-3, "MLC with a code of 40 bit per KB", "HPCA15",
     WI_CONF_READ, WI_FIGURE_BAND},
};

enum { RBER, BITS, CORRECT, LIMIT };

static const struct wi_physics_param params[] = {
    {"rber", "p", "1", "raw bit error rate", 1e-3, 0, 0.5, 0, 0.05, WI_NO_CHOICE},
    {"bits", "n", "bit", "length of a codeword", 8192, 1, 1e6, 512, 65536, WI_NO_CHOICE},
    {"correct", "c", "bit", "errors that the code corrects", 40, 0, 1e5, 1, 1000, WI_NO_CHOICE},
    {"limit", "L", "1", "error rate above which a page counts as uncorrectable", 1e-3, 1e-9, 0.5, 0,
     0.05, WI_FIGURES(limit_figures)},
};

static const struct wi_physics_output outputs[] = {
    {"expected_errors", "bit", "mean errors per codeword"},
    {"fail_frac", "1", "share of codewords that the code cannot correct"},
    {"uber", "1", "uncorrectable bit error rate, fail_frac / n"},
    {"limit_ratio", "1", "error rate / limit"},
};

static enum wi_status eval(const double *in, double *out, struct wi_physics_notes *notes,
                           struct wi_err *err)
{
    (void)err;
    out[0] = in[RBER] * in[BITS];
    out[1] = wi_phys_ecc_fail_frac(in[RBER], in[BITS], in[CORRECT]);
    out[2] = out[1] / in[BITS];
    out[3] = in[RBER] / in[LIMIT];
    wi_physics_note(notes, "independent errors and a hard-decision code; LDPC codes correct more");
    return WI_OK;
}

const struct wi_physics_model wi_phys_ecc_model = {
    "ecc",
    "Error correction: share of unreadable codewords",
    "P(X > c), X ~ Binomial(n, p)",
    "independent errors; real ones cluster, so this is a lower bound",
    params,
    WI_COUNT(params),
    outputs,
    WI_COUNT(outputs),
    NULL,
    0,
    eval};
