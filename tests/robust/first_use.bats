#!/usr/bin/env bats
# What may happen to the store while it is created.

load ../common

@test "killed at 50 random moments of first use, the next run uses or completes the store" {
    start=$(date +%s%N)
    "${PREDICT[@]}" >want
    took_ms=$((($(date +%s%N) - start) / 1000000))
    store_counts "$DB" >want_counts
    RANDOM=3
    cut_short=0
    for i in $(seq 50); do
        export HOME="$BATS_TEST_TMPDIR/home$i"
        mkdir "$HOME"
        DB="$HOME/.local/share/ssd-whatif/knowledge.db"
        # 32768 values over a little more than the whole run
        after=$(awk "BEGIN { printf \"%.4f\", $RANDOM / 32768 * ($took_ms + 10) * 1.05 / 1000 }")
        code=0
        timeout --signal=KILL "$after" "${PREDICT[@]}" >/dev/null 2>&1 || code=$?
        if [ "$code" -eq 137 ]; then cut_short=$((cut_short + 1)); fi
        run_split "${PREDICT[@]}"
        [ "$status" -eq 0 ] || fail "after a kill at $after s: exit code $status"
        cmp out want || fail "after a kill at $after s: another answer"
        store_is_whole "$DB"
        store_counts "$DB" >counts
        diff want_counts counts || fail "after a kill at $after s: another number of rows"
        rm -rf "$HOME"
    done
    echo "# $cut_short of 50 were cut short; a whole run took $took_ms ms" >&3
    [ "$cut_short" -ge 25 ]
}

@test "eight processes that create the store at once all succeed, with the same answer" {
    for i in $(seq 8); do
        { "${PREDICT[@]}" >"out$i" 2>"err$i"; echo $? >"code$i"; } &
    done
    wait
    for i in $(seq 8); do
        [ "$(cat "code$i")" -eq 0 ] || fail "process $i: $(cat "code$i") $(cat "err$i")"
        cmp out1 "out$i"
    done
    store_is_whole "$DB"
    store_counts "$DB" >counts
    export HOME="$BATS_TEST_TMPDIR/alone"
    mkdir "$HOME"
    "${PREDICT[@]}" >out
    cmp out out1
    store_counts "$HOME/.local/share/ssd-whatif/knowledge.db" | diff - counts
}

@test "after first use no temporary file is left beside the store" {
    "${PREDICT[@]}" >/dev/null
    run find "$HOME" -name '*tmp*' -o -name '*journal*'
    [ -z "$output" ]
}

# What is left in the folder is either nothing, or something that the next run uses.
@test "a disk that is full at first use: one line, exit code 1, and the next run works" {
    can_mount || skip "needs root to mount a small tmpfs"
    mkdir small
    for size in 4k 64k 256k; do
        run_split with_mount size=$size,mode=755 "$PWD/small" sh -c '
            db=$PWD/small/k.db
            code=0
            "$@" --db "$db" || code=$?
            mount -o remount,size=64m "$PWD/small"
            "$@" --db "$db" >again 2>again.err || { echo "next run: $(cat again.err)" >&2; exit 98; }
            exit $code' sh "${PREDICT[@]}"
        expect_error 1 'full|space'
        "${PREDICT[@]}" >want
        cmp want again || fail "size $size: another answer after the disk had room again"
    done
}
