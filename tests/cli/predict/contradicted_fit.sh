# One drive measured far from what the fit expects: no negative share of a variance, and the remedy is named;
# after 'fit' the answer for that drive holds its own measurements.
ssd-whatif import csv "$TESTS/fixtures/own-tlc-60c.csv" -q >/dev/null
drive() {
    ssd-whatif predict --nand tlc --op read --temp 60 --device nvme0 -p 99,99.9,99.99 --format json -q >out.json
    jq -r '.domain.reasons[] | select(test("-[0-9]+ %|fit"))' out.json
    jq -r '[[.tail_latency[], .bandwidth], [40, 80, 150, -40]] | transpose[] | .[0].low_pct <= .[1] and .[0].high_pct >= .[1]' out.json | sort | uniq -c | awk '{print $1, $2}'
}
drive
ssd-whatif fit -q >/dev/null
drive
