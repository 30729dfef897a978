# fio's own parser takes the job, its own run passes or fails the assertion, csv says the same numbers.
fio --name=rw --rw=randrw --bs=4k --size=8m --ioengine=psync --filename=scratch --randseed=1 \
    --output-format=json --output=before.json >/dev/null
hot="--nand tlc --temp 22.5:60"
ssd-whatif export fio $hot --base before.json --percentiles 90,99 -o hot.fio
fio --parse-only hot.fio && echo "fio takes it"
fio --showcmd hot.fio | tr ' ' '\n' | grep -E '^--(rw|bs|size|ioengine|percentile_list|latency_w|latency_p|name)'
sed -n 's/^# \(jq.*\)/\1/p' hot.fio >assert
echo "-- asserted are base x (1 + the upper end)"
ssd-whatif export csv $hot --base before.json --percentiles 90,99 -o hot.csv
python3 - <<'PY'
import csv, json, re, subprocess
fio = json.load(open("before.json"))["jobs"][0]
rows = list(csv.DictReader(open("hot.csv")))
limits = re.findall(r"\.(read|write)\.clat_ns\.percentile\.\"([\d.]+)\" // infinite\) <= (\d+)", open("assert").read())
latency = [r for r in rows if r["metric"] == "latency_us"]
assert len(latency) == len(limits) == 4
for row, (op, p, ns) in zip(latency, limits):
    base = fio[op]["clat_ns"]["percentile"][p] / 1000
    assert row["op"] == op and float(row["percentile"]) == float(p)
    assert abs(float(row["base"]) / base - 1) < 0.02, (row, base)          # rank correction of the baseline
    assert abs(float(row["scaled"]) / (float(row["base"]) * (1 + float(row["change_pct"]) / 100)) - 1) < 1e-4
    assert abs(float(row["scaled_high"]) * 1000 / int(ns) - 1) < 1e-4
    assert float(row["scaled_low"]) < float(row["scaled"]) < float(row["scaled_high"])
    assert float(row["scaled_high"]) >= float(row["base"]) * (1 + float(row["high_pct"]) / 100) * 0.9999
bandwidth = [r for r in rows if r["metric"] == "bandwidth_mbps"]
for row in bandwidth:
    assert abs(float(row["base"]) / (fio[row["op"]]["bw_bytes"] / 1e6) - 1) < 1e-4, row
print(len(latency), "latencies and", len(bandwidth), "bandwidths agree")
PY
echo "-- the assertion, on runs of fio"
fio --section=assert --output-format=json --output=after.json hot.fio >/dev/null
for us in 1e9 0.001; do # far above and far below what any machine does
    ssd-whatif export fio $hot --set read.p90=${us}us --set write.p99=${us}us -o limit.fio
    sed -n 's/^# \(jq.*\)/\1/p' limit.fio >limit
    sh -c "$(cat limit) after.json" || echo "jq says $?"
done
echo "-- the target, as fio understands it: in ns the largest lowest percentile, rounded up to 1 us"
fio --section=target --output-format=json --output=target.json hot.fio >/dev/null
jq -r '.jobs[0] | .latency_target, .latency_percentile' target.json >understood
python3 - <<'PY'
import csv, math
want = max(float(r["scaled_high"]) for r in csv.DictReader(open("hot.csv")) if r["percentile"] == "90")
got, percentile = open("understood").read().split()
assert 0 <= int(got) / 1000 - want < 1 + want * 1e-5, (got, want)
assert float(percentile) == 90
print("understood")
PY
echo "-- total latency where the base has it"
jq 'del(.jobs[][].clat_ns?.percentile?)' before.json | jq '.jobs[0].read.lat_ns.percentile = {"90.000000": 70000, "99.000000": 90000} | .jobs[0].write.lat_ns.percentile = .jobs[0].read.lat_ns.percentile' >total.json
ssd-whatif export fio $hot --base total.json --percentiles 90,99 | grep -oE '^c?lat_percentiles=1|c?lat_ns' | sort -u
echo "-- what was not reported is not below anything"
jq 'del(.jobs[].read)' after.json >without.json
ssd-whatif export fio $hot --set read.p90=1e9us -o limit.fio
sed -n 's/^# \(jq.*\)/\1/p' limit.fio >limit
sh -c "$(cat limit) without.json" || echo "jq says $?"
echo '{"jobs": []}' >none.json
sh -c "$(cat limit) none.json" || echo "jq says $?"
echo "-- reads and writes in one"
unified="$TESTS/fixtures/fio/fio-3.33.unified_mixed.json"
ssd-whatif export csv $hot --percentiles 90 --op mixed --base "$unified" | cut -d, -f1-4
ssd-whatif export fio $hot --percentiles 90 --op mixed --base "$unified" -o mixed.fio
grep -o 'mixed.clat_ns\|^unified.*' mixed.fio
fio --parse-only mixed.fio && echo "fio takes it"
ssd-whatif export csv $hot --op mixed --base before.json || echo "exit code $?"
ssd-whatif export csv $hot --base - <"$unified" || echo "exit code $?"
