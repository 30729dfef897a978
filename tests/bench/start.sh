#!/bin/sh
# start: whole-process time and peak memory of a warm `predict --format json`, against sqlite3 opening
# the same file. The ratio is what to compare between machines; the aim is at most 5.
set -eu
program=$(cd "${BUILD:-build}" && pwd)/ssd-whatif
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' HUP INT TERM
db=$dir/k.db
predict="$program predict --nand tlc --op read --temp 25:60 --format json --db $db"
$predict >/dev/null

hyperfine --style none --shell none --warmup 5 --runs "${RUNS:-100}" --output null --export-json "$dir/t.json" \
    "$predict" "sqlite3 $db 'select 1'" >/dev/null 2>&1
jq -r '.results as [$p, $s] | [$p.min, $p.median, $s.min, $s.median] | map(. * 1e5 | round / 100) |
    "predict --format json   min \(.[0]) ms   median \(.[1]) ms",
    "sqlite3 \"select 1\"      min \(.[2]) ms   median \(.[3]) ms",
    "ratio                   min \(.[0] / .[2] * 100 | round / 100)      median \(.[1] / .[3] * 100 | round / 100)   (aim: <= 5)"' "$dir/t.json"
/usr/bin/time -f 'peak memory             %M KiB' $predict 2>&1 >/dev/null | tail -1
/usr/bin/time -f 'peak memory, first use  %M KiB' "$program" predict --nand tlc --temp 25:60 --db "$dir/new.db" 2>&1 >/dev/null | tail -1
