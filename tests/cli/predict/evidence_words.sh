# A bound without a percentile is one on the whole curve, and percentiles below the tail are not listed.
lines() { ssd-whatif predict --nand tlc --temp 22.5:60 "$@" --format json -q | jq -r '.. | strings'; }
lines | grep -o 'p99.99 -2 %, the whole curve.*'
ssd-whatif import csv "$TESTS/fixtures/own-tlc-60c.csv" -q >/dev/null
lines --op read --device nvme0 | grep -o 'read tail latency p[0-9]* .*' | head -1
