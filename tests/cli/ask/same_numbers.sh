# The question, its JSON and predict with the same scenario give the same numbers.
question='What happens to the 99.99th percentile read latency of a TLC SSD when the temperature goes from 25 °C to 60 °C?'
ssd-whatif ask "$question" --format json >ask.json
ssd-whatif predict --nand tlc --op read --temp 25:60 --percentiles 99.99 --format json >predict.json
jq -c '{tail_latency, bandwidth, domain}' ask.json >a
jq -c '{tail_latency, bandwidth, domain}' predict.json >b
cmp a b
jq -c '.scenario | {nand, op, phase, percentiles}, .exposure.before.temp_c, .exposure.during.temp_c' ask.json
# The table shows them, rounded to one decimal.
ssd-whatif ask "$question" >table
jq -r '.tail_latency[0], .bandwidth | .change_pct' ask.json | while read -r value; do
    grep -qF -- "$(printf '%.1f' "$value")" table || echo "the table has no $value"
done
