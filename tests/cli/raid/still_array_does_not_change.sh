# Without exposure the array keeps its percentiles exactly, in every state.
jq 'del(.members[1]) | .members[0].count = 5' "$TESTS/fixtures/studies/array-hot-slot.json" >still.json
jq '. + {state: "degraded", failed: [1]}' still.json >degraded.json
jq '. + {state: "rebuilding", failed: [1], rebuild_frac: 0.25}' still.json >rebuilding.json
for study in still degraded rebuilding; do
    ssd-whatif raid $study.json --format json >$study.out
    jq -c '[.latency[][] | .change_pct] | unique' $study.out
done
# A degraded array is slower than a healthy one, a rebuilding one slower still.
jq -s -c '[.[].latency.read[] | select(.percentile == 99.9) | .after_us] | . == sort and (unique | length) == 3' \
    still.out degraded.out rebuilding.out
