# A threshold is found where the rows of the sweep pass it: between the last row below and the first above.
cat >s.json <<'E2'
{ "schema": "ssd-whatif/sweep/1", "base": {"nand": "tlc", "op": "read", "percentiles": [90]},
  "factors": { "rh_pct": [50, 80], "temp_c": {"from": 22.5, "to": 60, "step": 0.5} } }
E2
ssd-whatif sweep s.json --format csv --no-evidence-ids >rows.csv
ssd-whatif sweep s.json --find 'temp_c: bandwidth > 10 %' --format json >found.json
"$TESTS/schema/validate" sweep-find <found.json
jq -r '[.schema, .factor, .metric, .passes, .threshold_pct] | join(" ")' found.json
jq -r '.answers[] | [.levels.rh_pct, (.change.at | . * 2 | floor / 2), (.change.at | . * 2 | ceil / 2)] | @tsv' found.json |
    while read -r rh below above; do
        for t in "$below" "$above"; do
            awk -F, -v rh="$rh" -v t="$t" '$8 == rh && $7 == t && $10 == "bandwidth" {
                print "rh", rh, ($12 > 10 ? "above" : "not above") }' rows.csv
        done
    done
# Earliest is where the upper bound passes, so never later than the prediction; latest never earlier.
jq '[.answers[] | .earliest.at <= .change.at and (.latest.at == null or .latest.at >= .change.at)] | all' found.json
ssd-whatif sweep s.json --find 'temp_c: bandwidth > 1000' --format csv
ssd-whatif sweep s.json --find 'temp_c: bandwidth > 1000'
