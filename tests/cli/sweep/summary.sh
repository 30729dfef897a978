# The indices of a summary: each factor and output has them, with their intervals; the worst case is no
# better than any row of the sweep.
cat >s.json <<'E2'
{ "schema": "ssd-whatif/sweep/1", "base": {"op": "read", "percentiles": [90, 99]},
  "factors": { "nand": ["mlc", "tlc"], "temp_c": {"from": 22.5, "to": 60, "step": 2.5}, "rh_pct": [20, 50, 80] } }
E2
ssd-whatif sweep s.json --summary --points 256 --format json >sum.json
ssd-whatif sweep s.json --summary --points 256 --format json | cmp - sum.json
"$TESTS/schema/validate" sweep-summary <sum.json
jq -r '.outputs[] | [.metric, .percentile // "-", (.factors | map(.factor) | join(" "))] | @tsv' sum.json
jq '[.outputs[].factors[] | .first.low <= .first.value and .first.value <= .first.high and
     .total.low <= .total.value and .total.value <= .total.high] | all' sum.json
ssd-whatif sweep s.json --no-evidence-ids >rows.csv
awk -F, '$11 == 90' rows.csv | sort -t, -k12,12g | tail -1 | cut -d, -f12 >highest
jq -r --argjson highest "$(cat highest)" '.outputs[0] | .worst.change_pct >= $highest - 0.0001' sum.json
ssd-whatif sweep s.json --summary --points 256 --format csv | cut -d, -f1-3
ssd-whatif sweep s.json --summary --points 256 | grep -c 'worst:'
