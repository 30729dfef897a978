# Commands for ceph, run by sh with a stand-in for ceph; the arithmetic against predict.
cat >ceph <<'SH'
#!/bin/sh
[ "$1 $2" = "osd primary-affinity" ] && echo "$3 $4"
SH
chmod +x ceph
PATH=$PWD:$PATH
f=$TESTS/fixtures/export
for end in low high; do
    ssd-whatif predict --nand tlc --op read --temp 22.5:60 --percentiles 90 --format json >p.json
    for base in tree dump; do
        ssd-whatif export ceph --nand tlc --temp 22.5:60 --bound $end --base "$f/osd-$base.json" --osd 1,osd.2 -o out.sh
        sh out.sh >$base
    done
    cmp tree dump
    python3 - $end <<'PY'
import json, sys
f = 1 + json.load(open("p.json"))["tail_latency"][0][sys.argv[1] + "_pct"] / 100
raw = {0: 1.0, 1: 1 / f, 2: 0.5 / f}
top = max(1, *raw.values())
old = {0: 1.0, 1: 1.0, 2: 0.5}
want = {k: v / top for k, v in raw.items() if abs(v / top - old[k]) >= 0.0005}
got = {int(a[4:]): float(b) for a, b in (line.split() for line in open("tree"))}
assert got.keys() == want.keys() and all(abs(got[k] - want[k]) <= 0.00051 for k in want), (got, want)
print(sys.argv[1], "end:", sorted(got), "changed, largest", max(max(got.values()), old[0] if 0 not in got else 0))
PY
done
echo "-- an unsettled sign suggests nothing"
ssd-whatif export ceph --nand tlc --temp 22.5:60 --base "$f/osd-tree.json" --osd 1 | grep -v '^#' || echo "no command"
