/* The p99.9 of a full-stripe read over five drives, one of them 20 % slower. */
#include <math.h>
#include <stdio.h>

#include <ssdwhatif.h>

int main(void)
{
    const double percentiles[] = {50, 90, 99, 99.9, 99.99};
    const double lat_us[] = {80, 120, 300, 900, 4000};
    const double p = 99.9;
    struct wi_raid_type types[2];
    struct wi_raid array = {.level = WI_RAID_5,
                            .n_members = 5,
                            .types = types,
                            .n_types = 2,
                            .type = {0, 0, 0, 0, 1},
                            .rho = 0.2,
                            .hedge_us = NAN};
    struct wi_raid_quantile out;
    struct wi_err err;

    for (int t = 0; t < 2; t++) {
        types[t].read_mbps = types[t].write_mbps = NAN;
        if (wi_latency_init(&types[t].read, percentiles, lat_us, 5, &err) != WI_OK)
            return 1;
        types[t].write = types[t].read;
    }
    wi_latency_scale(&types[1].read, 1.2);
    const struct wi_raid_request stripe = {WI_OP_READ, wi_raid_data_units(&array), 1.0};
    if (wi_raid_check(&array, &err) != WI_OK ||
        wi_raid_latency(&array, &stripe, 1, &p, 1, &out, &err) != WI_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    printf("p99.9 of a full-stripe read: %.0f us%s\n", out.lat_us,
           out.extrapolated ? " (extrapolated)" : "");
    return 0;
}
