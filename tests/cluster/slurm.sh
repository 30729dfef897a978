#!/bin/sh
# slurm: a sweep as a job array on a one-node Slurm gives the bytes of the plain run; so do tasks
# run again after their output was cut off or lost. Needs root: Slurm's daemons run in a Debian root of their
# own (debootstrap), in a private mount and process namespace that ends with this script.
set -eu
cd "$(dirname "$0")/../.."
build=$(cd "${BUILD:-build}" && pwd)
if [ "$(id -u)" -ne 0 ]; then
    echo "slurm: debootstrap and chroot need root" >&2
    exit 1
fi
base=$(mktemp -d "${TMPDIR:-/tmp}/ssd-whatif-slurm.XXXXXX")
root=${SLURM_ROOT:-$base/root} # SLURM_ROOT: a root of an earlier run, made if it is not there
export root
trap 'rm -rf --one-file-system "$base"' EXIT
trap 'exit 130' HUP INT TERM

mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -1)
if [ ! -e "$root/ready" ]; then
    # A package's daemons are started here, and not by its installation.
    mkdir -p "$root/usr/sbin"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod +x "$root/usr/sbin/policy-rc.d"
    debootstrap --variant=minbase --include=slurm-wlm,munge,libcjson1,libnlopt0,libsmartcols1 \
        bookworm "$root" ${mirror:+"$mirror"} >"$base/log" 2>&1 || {
        tail -5 "$base/log" >&2
        exit 1
    }
    touch "$root/ready"
fi
rm -rf "$root/sweep"
mkdir -p "$root/sweep"
cp "$build/ssd-whatif" experiments/cluster/sweep.sbatch tests/cluster/in_slurm.sh \
    tests/cluster/grid.json "$root/sweep"
printf '127.0.0.1 localhost %s\n' "$(hostname -s)" >"$root/etc/hosts"

unshare --mount --pid --fork --kill-child --propagation private sh -c '
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        chroot "$root" timeout 300 sh /sweep/in_slurm.sh'
