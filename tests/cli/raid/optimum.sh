# The placement with the environment never misses more than the blind one, and neither does the
# robust one at the slow end.
study=$TESTS/fixtures/studies/tiers-two-sites.json
ssd-whatif raid "$study" --format json >mean.json
ssd-whatif raid "$study" --robust --format json >robust.json
jq '.aware.misses_per_s <= .blind.misses_per_s, .method, .objective' mean.json
jq '.aware.high_per_s <= .blind.high_per_s, .method, .objective' robust.json
jq '[.workloads[] | select(.moves)] | length > 0' mean.json
jq -s '.[1].aware.high_per_s <= .[0].aware.high_per_s' mean.json robust.json
