#!/bin/sh
# kernel: the prediction kernel on one core against a plain Gaussian process of scikit-learn, another
# model, on the same observations, in one run. The ratio is what to compare between machines; the aim
# is at least 60. Then a whole sweep to CSV: its rate, its peak memory, and the share of formatting.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
make --no-print-directory -s BUILD="$build" "$build/bench/kernel"
venv=${BENCH_VENV:-$build/bench-venv}
if ! "$venv/bin/python" -c 'import sklearn' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" --quiet --disable-pip-version-check install numpy==2.0.2 scipy==1.13.1 scikit-learn==1.5.2
fi
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
reference=$(taskset -c 0 "$venv/bin/python" tests/bench/sklearn_gp.py data)
set -- $reference
printf '%-28s %12s scenarios/s   (scikit-learn GP, %s rows, %s features)\n' reference "$1" "$2" "$3"
taskset -c 0 "$build/bench/kernel" | awk -v ref="$1" '{ print $0 "   x" sprintf("%.1f", $(NF-1) / ref) }'

program=$(cd "$build" && pwd)/ssd-whatif
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' HUP INT TERM
export SSD_WHATIF_DB="$dir/k.db"
cat >"$dir/grid.json" <<'E2'
{ "schema": "ssd-whatif/sweep/1", "base": { "nand": "tlc", "op": "read" },
  "factors": { "temp_c": {"from": 20, "to": 60, "step": 0.02}, "rh_pct": {"from": 20, "to": 80, "step": 0.6} } }
E2
"$program" predict --nand tlc >/dev/null 2>&1
for options in '' --no-evidence-ids; do
    /usr/bin/time -f '%U %S %M' "$program" sweep "$dir/grid.json" $options 2>"$dir/time" >/dev/null
    awk -v what="sweep to CSV $options" '{ printf "%-30s %10.0f scenarios/s, %.1f MB\n", what, 202101 / ($1 + $2), $3 / 1024 }' "$dir/time"
done
if command -v valgrind >/dev/null; then
    cat >"$dir/small.json" <<'E2'
{ "schema": "ssd-whatif/sweep/1", "base": { "nand": "tlc", "op": "read" },
  "factors": { "temp_c": {"from": 20, "to": 60, "step": 0.2}, "rh_pct": {"from": 20, "to": 80, "step": 1} } }
E2
    valgrind --tool=callgrind --callgrind-out-file="$dir/calls" "$program" sweep "$dir/small.json" >/dev/null 2>&1
    callgrind_annotate --inclusive=yes "$dir/calls" | awk '
        /:compute( |$)/ && !all { gsub(",", "", $1); all = $1 }
        /:sweep_rows_add( |$)/ && !rows { gsub(",", "", $1); rows = $1 }
        END { if (all) printf "%-30s %9.0f %% of the instructions per block\n", "share of formatting", 100 * rows / all }'
fi
