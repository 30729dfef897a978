#include "experiments/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/export_internal.h"

const struct wi_export_target *const wi_export_targets[] = {
    &export_fio,      &export_mqsim, &export_simplessd, &export_femu,
    &export_nvmevirt, &export_ceph,  &export_csv,       NULL,
};

const struct wi_export_target *wi_export_find(const char *name)
{
    for (size_t i = 0; wi_export_targets[i]; i++) {
        if (strcmp(wi_export_targets[i]->name, name) == 0)
            return wi_export_targets[i];
    }
    return NULL;
}

double export_unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ps", 1e-3}, {"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(units[i].name, unit) == 0)
            return units[i].ns;
    }
    return NAN;
}

enum wi_status wi_export_value_parse(const char *text, struct wi_export_value *value,
                                     struct wi_err *err)
{
    const char *equals = strchr(text, '=');
    struct wi_export_value v = {0};
    char *end = NULL;

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof(v.name))
        return wi_fail(err, WI_EUSAGE, "'%s' is not of the form NAME=NUMBER[ps|ns|us|ms|s]", text);
    memcpy(v.name, text, (size_t)(equals - text));
    errno = 0;
    v.value = strtod(equals + 1, &end);
    if (end == equals + 1 || errno == ERANGE || !isfinite(v.value))
        return wi_fail(err, WI_EUSAGE, "'%s': '%s' is not a number", text, equals + 1);
    if (*end && (strlen(end) >= sizeof(v.unit) || isnan(export_unit_ns(end))))
        return wi_fail(err, WI_EUSAGE, "'%s': unit '%s' is unknown, allowed is ps, ns, us, ms, s",
                       text, end);
    if (v.value < 0.0 || v.value > 1e18)
        return wi_fail(err, WI_ERANGE, "'%s': %g is out of range, allowed is 0 to 1e18", text,
                       v.value);
    snprintf(v.unit, sizeof(v.unit), "%s", end);
    *value = v;
    return WI_OK;
}

double export_bound_pct(const struct wi_change *c, enum wi_export_bound bound)
{
    if (bound == WI_EXPORT_LOW)
        return c->low_pct;
    return bound == WI_EXPORT_HIGH ? c->high_pct : c->change_pct;
}

/* ---- checking ---------------------------------------------------------------------------- */

static enum wi_status check_options(const struct wi_export_target *t,
                                    const struct wi_export_options *opt, struct wi_err *err)
{
    const struct {
        bool given;
        unsigned takes;
        const char *option;
    } rows[] = {{!isnan(opt->percentile), WI_EXPORT_TAKES_PERCENTILE, "--percentile"},
                {opt->bound >= 0, WI_EXPORT_TAKES_BOUND, "--bound"},
                {opt->base_ssd != NULL, WI_EXPORT_TAKES_BASE_SSD, "--base-ssd"},
                {opt->osds != NULL, WI_EXPORT_TAKES_OSDS, "--osd"}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].given && !(t->takes & rows[i].takes))
            return wi_fail(err, WI_EUSAGE, "export %s does not take %s", t->name, rows[i].option);
    }
    if (!opt->base_name && !opt->n_values)
        return wi_fail(err, WI_EUSAGE, "export %s needs a base: --base FILE (%s), or --set",
                       t->name, t->base);
    if (opt->base_name && opt->n_values)
        return wi_fail(err, WI_EUSAGE, "--base and --set do not go together");
    if (opt->base_name && memchr(opt->base, '\0', opt->base_len))
        return wi_fail(err, WI_EDATA, "%s: holds a NUL byte, a base is text", opt->base_name);
    return WI_OK;
}

/* ---- predicting -------------------------------------------------------------------------- */

static enum wi_status predict_side(struct wi_session *session, const struct wi_scenario *scenario,
                                   const struct wi_export_options *opt, struct export_job *job,
                                   enum wi_op op, struct wi_err *err)
{
    struct export_side *side = &job->side[op];
    const struct wi_evidence *ev = NULL;
    struct wi_scenario s = *scenario;
    enum wi_status st = WI_OK;
    bool asked = true;

    s.op = op;
    if (!isnan(opt->percentile))
        st = wi_scenario_set_percentiles(&s, &opt->percentile, 1, err);
    if (st == WI_OK && job->target->prepare)
        st = job->target->prepare(job, op, &s, &asked, err);
    if (st == WI_OK && asked)
        st = wi_session_evidence(session, &ev, err);
    if (st == WI_OK && asked)
        st = wi_evidence_predict(ev, &s, &side->prediction.forecast, err);
    if (st != WI_OK || !asked)
        return st;
    side->asked = true;
    side->prediction.scenario = s;
    side->change = &side->prediction.forecast.tail[0];
    side->factor = 1.0 + export_bound_pct(side->change, job->bound) / 100.0;
    return WI_OK;
}

static enum wi_status predict(struct wi_session *session, const struct wi_scenario *scenario,
                              const struct wi_export_options *opt, struct export_job *job,
                              struct wi_err *err)
{
    bool mixed = (scenario->given & WI_F_OP) && scenario->op == WI_OP_MIXED;
    bool given = (scenario->given & WI_F_OP) && !mixed;
    bool read = !given || scenario->op == WI_OP_READ;
    bool write = (!given || scenario->op == WI_OP_WRITE) && !job->target->reads_only;
    enum wi_status st = WI_OK;

    if (mixed && job->target->prepare) /* latencies may be of both together, page times are not */
        return predict_side(session, scenario, opt, job, WI_OP_MIXED, err);
    if (!read && !write)
        return wi_fail(err, WI_EUSAGE, "export %s is about reads, --op write has nothing for it",
                       job->target->name);
    if (read)
        st = predict_side(session, scenario, opt, job, WI_OP_READ, err);
    if (write && st == WI_OK)
        st = predict_side(session, scenario, opt, job, WI_OP_WRITE, err);
    return st;
}

enum wi_status wi_export_run(struct wi_session *session, const struct wi_export_target *target,
                             const struct wi_scenario *scenario,
                             const struct wi_export_options *opt, char **text, struct wi_err *err)
{
    struct export_job job = {.target = target,
                             .opt = opt,
                             .bound =
                                 opt->bound < 0 ? target->bound : (enum wi_export_bound)opt->bound};
    struct wi_buf out = {0};
    enum wi_status st = check_options(target, opt, err);

    if (st == WI_OK)
        st = predict(session, scenario, opt, &job, err);
    if (st == WI_OK)
        st = target->write(&job, &out, err);
    if (st == WI_OK)
        st = wi_buf_take(&out, text, err);
    wi_buf_release(&out);
    for (int op = 0; op < 3; op++)
        wi_prediction_release(&job.side[op].prediction);
    free(job.baseline);
    return st;
}
