#include "core/prediction.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wi_domain_name(enum wi_domain v)
{
    static const char *const names[] = {"inside", "edge", "outside"};

    return names[v];
}

const char *wi_step_kind_name(enum wi_step_kind v)
{
    static const char *const names[] = {"device",     "exposure",  "mechanism", "evidence",
                                        "percentile", "bandwidth", "limits"};

    return names[v];
}

enum wi_status wi_texts_add(struct wi_texts *list, const char *cites, struct wi_err *err,
                            const char *fmt, ...)
{
    struct wi_text *items = realloc(list->items, (list->n + 1) * sizeof(*items));
    struct wi_text item = {0};
    va_list ap;
    int n;

    if (!items)
        return wi_fail_nomem(err);
    list->items = items;
    va_start(ap, fmt);
    n = vasprintf(&item.text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return wi_fail_nomem(err);
    item.cites = strdup(cites ? cites : "");
    if (!item.cites) {
        free(item.text);
        return wi_fail_nomem(err);
    }
    list->items[list->n++] = item;
    return WI_OK;
}

void wi_texts_release(struct wi_texts *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].text);
        free(list->items[i].cites);
    }
    free(list->items);
    *list = (struct wi_texts){0};
}

void wi_forecast_release(struct wi_forecast *f)
{
    wi_texts_release(&f->domain_reasons);
    wi_texts_release(&f->warnings);
}

void wi_item_release(struct wi_item *item)
{
    free(item->title);
    free(item->summary);
    free(item->why);
    *item = (struct wi_item){0};
}

void wi_prediction_release(struct wi_prediction *p)
{
    free(p->question);
    wi_forecast_release(&p->forecast);
    for (size_t i = 0; i < p->n_evidence; i++)
        wi_item_release(&p->evidence[i]);
    free(p->evidence);
    for (size_t i = 0; i < p->n_principles; i++)
        wi_item_release(&p->principles[i]);
    free(p->principles);
    for (size_t i = 0; i < p->n_reasoning; i++) {
        free(p->reasoning[i].text);
        free(p->reasoning[i].cites);
    }
    free(p->reasoning);
    free(p->llm_json);
    *p = (struct wi_prediction){0};
}
