# What is wrong with a spec, by its JSON path.
. "$TESTS/cli/try.sh"
while read -r spec; do
    printf '%s\n' "$spec" | tee spec.json
    try ssd-whatif sweep spec.json
done <"$TESTS/cli/sweep/bad_specs"
echo '{"schema": "ssd-whatif/sweep/1", "factors": {"temp_c": {"from": 20, "to": 80, "step": -1}}}' >spec.json
try ssd-whatif sweep spec.json
echo '{"schema": "ssd-whatif/sweep/1", "factors": {' >spec.json
try ssd-whatif sweep spec.json
echo '{"schema": "ssd-whatif/sweep/1", "factors": {"temp_c": {"from": 20, "to": 80, "step": 0.0001},
       "rh_pct": {"from": 0, "to": 100, "step": 0.0001}, "temp_c_before": {"from": 20, "to": 80, "step": 0.06}}}' >spec.json
try ssd-whatif sweep spec.json -o huge.csv
try ls huge.csv
