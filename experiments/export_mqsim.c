/*
 * MQSim: the SSD configuration, XML, times in nanoseconds. Read with Expat, which knows the byte
 * of every tag, so that only the digits between two tags change.
 *
 * source: Tavakkol et al., MQSim, FAST 2018; github.com/CMU-SAFARI/MQSim, README.md "NAND Flash"
 *         (names and units), src/exec/Flash_Parameter_Set.cpp (where they are read: unsigned whole
 *         numbers below Execution_Parameter_Set/Device_Parameter_Set/Flash_Parameter_Set; what a
 *         file does not hold keeps its default)
 */
#include <expat.h>
#include <string.h>

#include "experiments/export_internal.h"

static const struct export_field fields[] = {
    {"Page_Read_Latency_LSB", WI_OP_READ},     {"Page_Read_Latency_CSB", WI_OP_READ},
    {"Page_Read_Latency_MSB", WI_OP_READ},     {"Page_Program_Latency_LSB", WI_OP_WRITE},
    {"Page_Program_Latency_CSB", WI_OP_WRITE}, {"Page_Program_Latency_MSB", WI_OP_WRITE}};

static const char *const path[] = {"Execution_Parameter_Set", "Device_Parameter_Set",
                                   "Flash_Parameter_Set"};
#define PATH_DEPTH (sizeof(path) / sizeof(path[0]))

static enum wi_status find(struct export_sites *s, struct wi_err *err);

static void begin(struct wi_buf *out)
{
    wi_buf_puts(out, "<?xml version=\"1.0\" encoding=\"us-ascii\"?>\n<Execution_Parameter_Set>\n"
                     "\t<Device_Parameter_Set>\n\t\t<Flash_Parameter_Set>\n");
}

static void number(struct wi_buf *out, const char *name, double value)
{
    wi_buf_addf(out, "\t\t\t<%s>%.0f</%s>\n", name, value, name);
}

static void end(struct wi_buf *out)
{
    wi_buf_puts(out, "\t\t</Flash_Parameter_Set>\n\t</Device_Parameter_Set>\n"
                     "</Execution_Parameter_Set>\n");
}

static const struct export_form form = {
    .fields = fields,
    .n_fields = sizeof(fields) / sizeof(fields[0]),
    .max = EXPORT_EXACT_MAX, /* it reads 64 bits */
    .style = EXPORT_XML,
    .source = "github.com/CMU-SAFARI/MQSim README.md, section NAND Flash",
    .left_alone = "Block_Erase_Latency and suspend times (not measured), Channel_Transfer_Rate and "
                  "PCIe (bandwidth follows from the page times)",
    .find = find,
    .begin = begin,
    .number = number,
    .end = end};

struct reader {
    struct export_sites *sites;
    XML_Parser parser;
    size_t depth;    /* open elements */
    size_t matching; /* of them, on the path */
    size_t field;    /* the one that is open, form.n_fields = none */
    size_t from;     /* its first byte after the tag */
    enum wi_status st;
    struct wi_err *err;
};

static void stop(struct reader *r, enum wi_status st)
{
    r->st = st;
    XML_StopParser(r->parser, XML_FALSE);
}

static void on_start(void *ctx, const XML_Char *name, const XML_Char **attributes)
{
    struct reader *r = ctx;
    size_t at = (size_t)XML_GetCurrentByteIndex(r->parser);

    (void)attributes;
    if (r->st != WI_OK) /* a stopped parser may still report the tag it was in */
        return;
    if (r->depth == 0) {
        r->sites->comment_at = at;
        if (strcmp(name, path[0]) != 0)
            stop(r, wi_fail(r->err, WI_EDATA,
                            "%s:%zu: not an MQSim SSD configuration: the outermost element is "
                            "'%.60s', not '%s'",
                            r->sites->name, export_line(r->sites->text, at), name, path[0]));
    }
    if (r->field != form.n_fields)
        stop(r,
             wi_fail(r->err, WI_EDATA, "%s:%zu: '%s' holds an element, must hold a number",
                     r->sites->name, export_line(r->sites->text, at), form.fields[r->field].name));
    if (r->depth == r->matching && r->depth < PATH_DEPTH && strcmp(name, path[r->depth]) == 0)
        r->matching++;
    else if (r->depth == PATH_DEPTH && r->matching == PATH_DEPTH)
        r->field = export_field_find(&form, name, strlen(name));
    r->from = at + (size_t)XML_GetCurrentByteCount(r->parser);
    r->depth++;
}

static void on_end(void *ctx, const XML_Char *name)
{
    struct reader *r = ctx;
    size_t at = (size_t)XML_GetCurrentByteIndex(r->parser);
    enum wi_status st;

    (void)name;
    if (r->st != WI_OK)
        return;
    r->depth--;
    if (r->matching > r->depth)
        r->matching = r->depth;
    if (r->field == form.n_fields)
        return;
    /* <X/> has no text: its start and end are one tag */
    st = export_sites_add(r->sites, &form, r->field, r->from, at > r->from ? at - r->from : 0,
                          r->err);
    r->field = form.n_fields;
    if (st != WI_OK)
        stop(r, st);
}

static void on_doctype(void *ctx, const XML_Char *name, const XML_Char *system_id,
                       const XML_Char *public_id, int has_internal)
{
    struct reader *r = ctx;

    (void)name, (void)system_id, (void)public_id, (void)has_internal;
    stop(r,
         wi_fail(r->err, WI_EDATA, "%s: has a DOCTYPE, which MQSim does not read", r->sites->name));
}

static enum wi_status find(struct export_sites *s, struct wi_err *err)
{
    struct reader r = {.sites = s, .field = form.n_fields, .err = err};

    r.parser = XML_ParserCreate(NULL);
    if (!r.parser)
        return wi_fail_nomem(err);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
    if (XML_Parse(r.parser, s->text, (int)s->len, 1) != XML_STATUS_OK && r.st == WI_OK) {
        enum XML_Error code = XML_GetErrorCode(r.parser);

        r.st = code == XML_ERROR_NO_MEMORY
                   ? wi_fail_nomem(err)
                   : wi_fail(err, WI_EDATA, "%s:%lu:%lu: not XML: %s", s->name,
                             XML_GetCurrentLineNumber(r.parser),
                             XML_GetCurrentColumnNumber(r.parser) + 1, XML_ErrorString(code));
    }
    XML_ParserFree(r.parser);
    return r.st;
}

const struct wi_export_target export_mqsim = {
    .name = "mqsim",
    .title = "MQSim's SSD configuration, page times in ns",
    .base = "its ssdconfig.xml",
    .unit = "ns",
    .takes = WI_EXPORT_TAKES_PERCENTILE | WI_EXPORT_TAKES_BOUND,
    .form = &form,
    .write = export_fields_write};
