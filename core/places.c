#include "core/places.h"

#include <stdlib.h>
#include <string.h>

/* All of a row that a covariance sees; filled with zeros first, so that it compares as bytes. */
struct inputs {
    double nines, w_read, w_write, temp_c[3], rh_pct[3], ln_freq, ln_grms;
    int group, phase, axis, nand, vendor, device, letter;
    bool bandwidth, reference, fresh;
};

struct placed {
    struct inputs inputs;
    size_t at, head; /* the row, and the first one of its place */
};

static void take_inputs(const struct wi_row *r, struct inputs *in)
{
    memset(in, 0, sizeof(*in));
    in->nines = r->nines;
    in->w_read = r->w_read;
    in->w_write = r->w_write;
    memcpy(in->temp_c, r->temp_c, sizeof(r->temp_c));
    memcpy(in->rh_pct, r->rh_pct, sizeof(r->rh_pct));
    in->ln_freq = r->ln_freq;
    in->ln_grms = r->ln_grms;
    in->group = (int)r->group;
    in->phase = (int)r->phase;
    in->axis = (int)r->axis;
    in->nand = (int)r->nand;
    in->vendor = r->vendor;
    in->device = r->device;
    in->letter = r->letter;
    in->bandwidth = r->bandwidth;
    in->reference = r->reference;
    in->fresh = r->fresh;
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int order = memcmp(&x->inputs, &y->inputs, sizeof(x->inputs));

    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static int compare_heads(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void wi_places_release(struct wi_places *places)
{
    free(places->rows);
    free(places->of);
    free(places->from);
    free(places->at);
    *places = (struct wi_places){0};
}

enum wi_status wi_places_init(struct wi_places *places, const struct wi_row *rows, size_t n,
                              struct wi_err *err)
{
    struct placed *all = calloc(n + 1, sizeof(*all));

    places->rows = calloc(n + 1, sizeof(*places->rows));
    places->of = calloc(n + 1, sizeof(*places->of));
    places->from = calloc(n + 1, sizeof(*places->from));
    places->at = calloc(n + 1, sizeof(*places->at));
    if (!all || !places->rows || !places->of || !places->from || !places->at) {
        free(all);
        wi_places_release(places);
        return wi_fail_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        take_inputs(&rows[i], &all[i].inputs);
        all[i].at = i;
    }
    qsort(all, n, sizeof(*all), compare_placed);
    for (size_t i = 0; i < n; i++) {
        bool same = i > 0 && memcmp(&all[i].inputs, &all[i - 1].inputs, sizeof(all->inputs)) == 0;

        all[i].head = same ? all[i - 1].head : all[i].at;
    }
    qsort(all, n, sizeof(*all), compare_heads);
    for (size_t i = 0; i < n; i++) {
        if (all[i].head == all[i].at) {
            places->from[places->n] = i;
            places->rows[places->n++] = rows[all[i].at];
        }
        places->at[i] = all[i].at;
        places->of[all[i].at] = places->n - 1;
    }
    places->from[places->n] = n;
    free(all);
    return WI_OK;
}
