#!/usr/bin/env bats
# Every command that prints JSON prints one document of its schema, on any result.

load ../common

valid() { # SCHEMA COMMAND...
    local schema=$1
    shift
    run_split "$@" --format json
    [ "$status" -eq 0 ] || fail "exit code $status: $*"
    "$TESTS/schema/validate" "$schema" <out || fail "not a document of $schema: $*"
}

@test "the validator refuses what is wrong" {
    ssd-whatif predict --nand tlc --temp 25:60 --format json >good
    "$TESTS/schema/validate" prediction <good
    for change in 'del(.domain)' '.tail_latency[0].percentile = 101' '.bandwidth.change_pct = "1"' \
        '.scenario.nand = "plc"' '.evidence[0].score = 2' '.schema = "ssd-whatif/prediction/2"'; do
        jq "$change" good >bad
        refute "$TESTS/schema/validate" prediction <bad
    done
    sed 's/"confidence":[[:space:]]*0.9/"confidence": NaN/' good >bad
    refute "$TESTS/schema/validate" prediction <bad
}

@test "predict: every kind, operation, phase and stressor" {
    for nand in slc mlc tlc qlc; do
        for op in read write mixed; do
            for phase in running post long_term; do
                valid prediction ssd-whatif predict --nand $nand --op $op --phase $phase --temp 25:60 --rh 50:80
            done
        done
    done
    valid prediction ssd-whatif predict
    valid prediction ssd-whatif predict --vib perpendicular@20:1.14 --percentiles 99,99.9999,max
    valid prediction ssd-whatif predict --temp 22.5:60:22.5 --hours 168 --confidence 0.5
    valid prediction ssd-whatif predict --temp=-55:125 --rh 0:100 --vib parallel --nand mlc --top-k 50
}

@test "predict: low <= change <= high, and each asked percentile once, ascending" {
    for options in "--nand tlc --temp 25:60" "--nand mlc --vib parallel" "--nand qlc --rh 50:90 --temp 25:70"; do
        # shellcheck disable=SC2086
        ssd-whatif predict $options --percentiles 99.9,50,max,99 --format json >out
        jq -e '[.tail_latency[].percentile] == [50, 99, 99.9, 100]' out
        jq -e '[.tail_latency[], .bandwidth] | all(.low_pct <= .change_pct and .change_pct <= .high_pct)' out
    done
}

@test "ask: one device, two devices, another language" {
    valid prediction ssd-whatif ask 'TLC SSD at 60 °C'
    valid prediction ssd-whatif ask 'compare MLC and TLC at 60 °C'
    valid prediction ssd-whatif ask 'Was passiert mit der Leselatenz einer TLC-SSD bei 60 Grad?'
}

@test "search: hits, and nothing found" {
    valid search ssd-whatif search 'heat and read retry'
    valid search ssd-whatif search 'zzzzqqq xxyyzz' --method bm25
    [ "$(jq length out)" -eq 0 ]
    for method in fused scenario text bm25; do
        valid search ssd-whatif search 'TLC at 60 °C' --method $method
    done
}

@test "prompt" {
    valid prompt ssd-whatif prompt 'TLC SSD at 60 °C'
    valid prompt ssd-whatif prompt --nand mlc --vib parallel
}

@test "experiments: the list, an empty list, each one" {
    valid experiments-list ssd-whatif experiments list
    jq -r '.[].id' out >ids
    valid experiments-list ssd-whatif experiments list --own
    [ "$(jq length out)" -eq 0 ]
    while read -r id; do
        valid experiments-show ssd-whatif experiments show "$id"
        [ "$(jq -r .id out)" = "$id" ]
    done <ids
}

@test "principles: the list, each one, and the way through a file" {
    valid principles-list ssd-whatif principles list
    jq -r '.[].id' out >ids
    while read -r id; do valid principles-show ssd-whatif principles show "$id"; done < <(head -20 ids)
    ssd-whatif principles show "$(head -1 ids)" --format json | jq 'del(.own) | .id = "mine" | .title = "My own"' >mine.json
    ssd-whatif principles add mine.json
    valid principles-show ssd-whatif principles show mine
    jq -e '.own' out
    ssd-whatif principles remove mine
    run_split ssd-whatif principles show mine
    expect_error 3 mine
}

@test "doctor" {
    valid doctor ssd-whatif doctor
    HOME=/proc/nobody valid doctor ssd-whatif doctor
}

@test "no output holds a number that is not finite" {
    ssd-whatif predict --format json >all
    ssd-whatif experiments list --format json >>all
    ssd-whatif predict --nand tlc --temp 25:60 --format csv >>all
    ssd-whatif predict --nand tlc --temp 25:60 >>all
    refute grep -qiwE -- '-?(nan|inf|infinity)' all
}
