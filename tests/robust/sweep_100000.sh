#!/bin/sh
# sweep_100000: 10^5 scenarios: plain, on two threads, in 8 parts, by mpirun and after 100 SIGKILLs at
# random moments must have one SHA-256.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(cd "${BUILD:-build}" && pwd):$PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' HUP INT TERM
cd "$dir"
export SSD_WHATIF_DB="$dir/k.db"
cat >spec.json <<'E2'
{ "schema": "ssd-whatif/sweep/1", "design": "grid",
  "factors": { "nand": ["mlc", "tlc"], "op": ["read", "write"], "vib_axis": ["none", "perpendicular"],
               "temp_c": {"from": 0, "to": 62.4, "step": 0.1}, "rh_pct": {"from": 20, "to": 77, "step": 3} } }
E2
ssd-whatif sweep spec.json -o plain.csv
[ "$(tail -1 plain.csv | cut -d, -f1)" -eq 99999 ]
ssd-whatif sweep spec.json -j2 -o jobs.csv
for k in 1 2 3 4 5 6 7 8; do ssd-whatif sweep spec.json --shard $k/8; done >shards.csv
mpirun --allow-run-as-root --oversubscribe -n 2 "$here/../../experiments/cluster/sweep-mpi.sh" spec.json rank.csv
cat rank.[12].csv >mpirun.csv
"$here/sweep_kills" spec.json kills.csv "${KILLS:-100}"
sha256sum plain.csv jobs.csv shards.csv mpirun.csv kills.csv
[ "$(sha256sum plain.csv jobs.csv shards.csv mpirun.csv kills.csv | cut -d' ' -f1 | sort -u | wc -l)" -eq 1 ]
