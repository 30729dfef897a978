#!/bin/sh
# import: the parsers against a bare reading of the same 100 MB in one process (aim: at most 2 times), a
# whole import into a store, peak memory of a 1 GB sensor log (aim: at most 64 MB), and what 10,000 imported
# experiments cost an answer (aim: at most 3 times the answer on the embedded data), at few conditions and at many.
#   BYTES=1e8 SENSOR_BYTES=1e9 tests/bench/import.sh
set -eu
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build}
program=$(cd "$BUILD" && pwd)/ssd-whatif
[ -x "$BUILD/bench/import_parse" ] || make -s BUILD="$BUILD" "$BUILD/bench/import_parse"
parse=$(cd "$BUILD" && pwd)/bench/import_parse
data=$PWD/tests/bench/import_data.py
bytes=${BYTES:-1e8}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' HUP INT TERM
mkdir "$dir/fio"
python3 "$data" "$dir/fio" fio "$bytes"
python3 "$data" "$dir/table.csv" table "$bytes"
python3 "$data" "$dir/sensors.csv" sensors "$bytes"

echo "-- parsers alone, $bytes bytes each"
"$parse" fio "$dir"/fio/*
"$parse" table "$dir/table.csv"
"$parse" sensors "$dir/sensors.csv"

echo "-- whole imports"
seconds() { # LABEL COMMAND...
    label=$1
    shift
    /usr/bin/time -o "$dir/time" -f "$label %U s processor time, %M KiB at most" "$@" >/dev/null
    cat "$dir/time"
}
seconds 'fio      into a store' "$program" import fio "$dir"/fio/* --temp 60 --db "$dir/fio.db" --quiet
seconds 'sensors  to an exposure' "$program" import sensors "$dir/sensors.csv" -o "$dir/x.json" --quiet
rm -rf "$dir/fio" "$dir/sensors.csv"

echo "-- memory of a sensor log of ${SENSOR_BYTES:-1e9} bytes"
python3 "$data" "$dir/big.csv" sensors "${SENSOR_BYTES:-1e9}"
seconds 'sensors ' "$program" import sensors "$dir/big.csv" -o "$dir/x.json" --quiet
rm -f "$dir/big.csv"

answer() { # CSV: the first 10,000 experiments of it
    head -n 50001 "$1" >"$dir/many.csv"
    rm -f "$dir"/many.db*
    seconds 'import  ' "$program" import csv "$dir/many.csv" --db "$dir/many.db" --quiet
    predict="$program predict --nand tlc --op read --temp 22.5:60 --format json --quiet --db"
    # shellcheck disable=SC2086
    seconds 'first   ' $predict "$dir/many.db"
    # shellcheck disable=SC2086
    $predict "$dir/embedded.db" >/dev/null
    hyperfine --style none --shell none --warmup 3 --runs "${RUNS:-40}" --output null --export-json "$dir/t.json" \
        "$predict $dir/many.db" "$predict $dir/embedded.db" >/dev/null 2>&1
    jq -r '.results as [$m, $e] | "predict  \($m.min * 1e4 | round / 10) ms, embedded data alone \($e.min * 1e4 | round / 10) ms, ratio \($m.min / $e.min * 100 | round / 100)   (aim: <= 3)"' "$dir/t.json"
}
echo "-- an answer over 10,000 imported experiments, 50,000 rows, at 150 conditions"
answer "$dir/table.csv"
echo "-- the same, each at a condition of its own"
python3 "$data" "$dir/spread.csv" spread 1e7
answer "$dir/spread.csv"
