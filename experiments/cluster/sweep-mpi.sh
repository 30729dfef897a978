#!/bin/sh
# A sweep over the ranks that an MPI launcher starts: each computes one part. No MPI library is
# needed, the launcher's environment says which rank this is.
#
#   mpirun -n 8 sweep-mpi.sh SPEC.json rows.csv [sweep options]
#   ssd-whatif sweep SPEC.json --join rows.[0-9]*.csv -o rows.csv      when all ranks are done
#
# Parts are rows.1.csv .. rows.8.csv. Started again with as many ranks, it goes on where it stopped.
set -eu
rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-}}}}
n=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:-}}}
if [ $# -lt 2 ] || [ -z "$rank" ] || [ -z "$n" ]; then
    echo "usage: mpirun -n N sweep-mpi.sh SPEC.json OUT.csv [sweep options]" >&2
    exit 2
fi
spec=$1 out=$2
shift 2
k=$((rank + 1))
part=$(printf "%0${#n}d" "$k")
exec ssd-whatif sweep "$spec" --shard "$k/$n" --resume -o "${out%.*}.$part.${out##*.}" "$@"
