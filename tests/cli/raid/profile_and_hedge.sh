# A profile is an assumption about NAND timing; a hedged read is never slower in the tail.
jq '.members[].baseline = {"profile": "tlc"} | .read_frac = 1' "$TESTS/fixtures/studies/array-hot-slot.json" >plain.json
jq '. + {hedge_us: 500}' plain.json >hedged.json
ssd-whatif raid plain.json --format json >plain.out
ssd-whatif raid hedged.json --format json >hedged.out
jq -s -c '[.[0].latency.read, .[1].latency.read] | transpose | map(.[1].after_us <= .[0].after_us * 1.000001) | all' plain.out hedged.out
jq -c '.bandwidth.read.before_mbps' plain.out
