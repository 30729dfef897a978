#!/usr/bin/env bats
# Where results are written to: a file, a link, a pipe, a device.

load ../common

SPEC='{"schema":"ssd-whatif/sweep/1","factors":{"temp_c":[60]}}'
PLOT=(ssd-whatif physics arrhenius --use-c 40:60:10)

# each_writer DO FILE: DO FILE COMMAND... for every command that writes a file, whose name comes last.
each_writer() {
    echo "$SPEC" >spec.json
    printf 'time,temp\n0,20\n60,21\n120,22\n' >series.csv
    "$1" "$2" ssd-whatif sweep spec.json --format csv -o
    "$1" "$2" ssd-whatif fit -o
    "$1" "$2" ssd-whatif import sensors series.csv -o
    if command -v gnuplot >/dev/null; then "$1" "$2" "${PLOT[@]}" --plot; fi
}

through_link() {
    : >"$1"
    ln -sf "$1" link
    "${@:2}" link >/dev/null 2>err || fail "exit code of ${*:2}"
    [ -L link ] || fail "the link was replaced by ${*:2}"
    [ -s "$1" ] || fail "nothing behind the link after ${*:2}"
    rm -f link link.resume "$1"
}

@test "a file is written behind a link, and the link stays" {
    each_writer through_link target
}

into_null() {
    "${@:2}" "$1" >/dev/null 2>err || fail "exit code of ${*:2}"
    [ -c "$1" ] || fail "$1 is no device any more after ${*:2}"
}

@test "a device is written to and never replaced" {
    # Not /dev/null itself: where the program is wrong, root would lose it.
    mknod null c 1 3 2>/dev/null || skip "devices cannot be made here"
    echo x >null || skip "devices cannot be used here"
    each_writer into_null "$PWD/null"
}

into_pipe() {
    mkfifo pipe
    timeout 60 cat pipe >got &
    timeout 60 "${@:2}" pipe >/dev/null 2>err || fail "exit code of ${*:2}"
    wait $!
    [ -p pipe ] || fail "the pipe was replaced by ${*:2}"
    [ -s got ] || fail "nothing came through the pipe from ${*:2}"
    rm pipe
}

@test "a reader of a named pipe gets what is written, and the pipe stays" {
    each_writer into_pipe pipe
}

@test "a sweep waits for the reader of a named pipe instead of losing its rows" {
    echo "$SPEC" >spec.json
    mkfifo pipe
    run_split timeout 3 ssd-whatif sweep spec.json --format csv -o pipe
    [ "$status" -eq 124 ] || fail "exit code $status without a reader"
}

@test "a full disk leaves the file of an earlier fit as it was" {
    can_mount || skip "needs root to mount a small tmpfs"
    mkdir small
    # shellcheck disable=SC2016
    run_split with_mount size=4k,mode=755 "$PWD/small" sh -c '
        echo earlier >small/fit.txt
        ssd-whatif fit -o small/fit.txt; code=$?
        [ "$(cat small/fit.txt)" = earlier ] || exit 98
        exit $code'
    expect_error 1 'space|full'
}

@test "a limit on the size of files ends no run by a signal, and the next run works" {
    for blocks in 0 8 1000; do
        # Through a pipe, since files of this test are under the limit too.
        code=$( (ulimit -f $blocks; "${PREDICT[@]}" --quiet --db "$PWD/k.db" 2>&1 >/dev/null; echo "code $?") | tail -n 1)
        [[ $code =~ ^code\ [01]$ ]] || fail "limit of $blocks blocks: $code"
        "${PREDICT[@]}" --db "$PWD/k.db" >/dev/null
        rm -f k.db*
    done
}
