# Options that are malformed or contradict each other.
. "$TESTS/cli/try.sh"
echo '{"schema": "ssd-whatif/sweep/1", "factors": {"temp_c": [30, 40]}}' >s.json
try ssd-whatif sweep
try ssd-whatif sweep s.json s.json
try ssd-whatif sweep missing.json
for shard in 0/4 5/4 1/0 -1/4 1 1/ /4 1/4/2 a/b 1/99999999999; do
    try ssd-whatif sweep s.json --shard "$shard"
done
try ssd-whatif sweep s.json --jobs 0
try ssd-whatif sweep s.json --resume
try ssd-whatif sweep s.json --resume -o /dev/null
try ssd-whatif sweep s.json --format sqlite
try ssd-whatif sweep s.json --format table
try ssd-whatif sweep s.json --points 100
try ssd-whatif sweep s.json --list list.csv
try ssd-whatif sweep s.json -o no/such/folder/a.csv
try ssd-whatif sweep s.json --summary --find 'temp_c: p99 > 5'
try ssd-whatif sweep s.json --summary -o a.csv
for question in '' 'temp_c' 'temp_c: p99' 'temp_c: p101 > 5' 'temp_c: p99 = 5' 'temp_c: p99 > much' 'temp_c: p99 > 5 6' \
    'rh_pct: p99 > 5' 'nand: p99 > 5'; do
    try ssd-whatif sweep s.json --find "$question"
done
try ssd-whatif sweep s.json --join
try ssd-whatif sweep s.json --join no-such-part.csv
try ssd-whatif sweep s.json --join s.json --shard 1/2
try ssd-whatif sweep s.json --join s.json -o all.sqlite
try ssd-whatif sweep s.json --join s.json -o all.csv
try test -e all.csv
