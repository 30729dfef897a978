#!/bin/sh
# Run by slurm.sh inside its root: start Slurm, run the arrays, compare.
set -eu
cd /sweep
export PATH="/sweep:$PATH" SSD_WHATIF_DB=/sweep/k.db
host=$(hostname -s)
state=$(mktemp -d)
mkdir "$state/state" "$state/spool"
install -d -o munge -g munge -m 755 /run/munge
runuser -u munge -- munged
cat >"$state/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation=$state/state
SlurmdSpoolDir=$state/spool
SlurmctldPidFile=$state/ctld.pid
SlurmdPidFile=$state/d.pid
SlurmctldLogFile=$state/ctld.log
SlurmdLogFile=$state/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF="$state/slurm.conf"
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
waited=0
until sinfo -h -o %t 2>/dev/null | grep -q idle; do
    sleep 0.5
    waited=$((waited + 1))
    if [ $waited -gt 60 ]; then
        echo "slurm: the node did not come up" >&2
        tail -5 "$state"/*.log >&2
        exit 1
    fi
done

ssd-whatif sweep grid.json -o plain.csv
want=$(sha256sum <plain.csv)

check() { # NAME FILE...
    name=$1
    shift
    got=$(cat "$@" | sha256sum)
    if [ "$got" = "$want" ]; then
        echo "ok - $name ($# parts)"
    else
        echo "not ok - $name ($# parts)"
        exit 1
    fi
}

sbatch --wait --array=1-10 -o "$state/%a.log" sweep.sbatch grid.json rows.csv >/dev/null ||
    { cat "$state"/[0-9]*.log >&2; exit 1; }
check 'the parts of a job array are the whole' rows.[0-9]*.csv

# A part that lost its second half, as after a node's death, is completed by running its task again.
size=$(wc -c <rows.03.csv)
head -c $((size / 2)) rows.03.csv >half
cat half >rows.03.csv
rm rows.07.csv
PARTS=10 sbatch --wait --array=3,7 -o "$state/again%a.log" sweep.sbatch grid.json rows.csv >/dev/null ||
    { cat "$state"/again*.log >&2; exit 1; }
check 'tasks run again complete what was cut off or lost' rows.[0-9]*.csv
kill "$(cat "$state/d.pid")" "$(cat "$state/ctld.pid")"
