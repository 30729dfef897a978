#!/usr/bin/env bats
# evaluate --engine llm against tests/fault_server.c, with a hold-out that is cheap to refit.

load ../common

EVALUATE=(ssd-whatif evaluate --engine llm --holdout vendor)
VARIANTS=(full no-cot no-evidence no-principles no-estimate examples)

setup_file() {
    start_fault_server
}

teardown_file() {
    stop_fault_server
}

@test "every ablation is asked, scored on the same cases and counted; again it costs nothing" {
    use_server asked all && copy_store
    run_split "${EVALUATE[@]}" --ablations --questions 10 --format json
    [ "$status" -eq 0 ] || fail "exit code $status"
    "$TESTS/schema/validate" evaluation <out
    [ "$(requests all)" -eq 60 ]
    grep -q 'language model: 60 requests, 0 replies from the log' err
    jq -e --args '[.runs[].variant] == $ARGS.positional' out "${VARIANTS[@]}"
    jq -e '.runs | all(.questions == 10 and .failed == 0 and .calls == 10 and .prompt_tokens == 110 and .completion_tokens == 70)' out
    # The reply cites [E1] where a reasoning is asked for, which only one variant is not sent.
    jq -e '[.runs[] | select(.unsupported > 0) | .variant] == ["no-evidence"]' out
    jq -e '.runs[] | select(.variant == "no-evidence") | .unsupported == 10' out
    # Each variant has every predictor, in every family that was asked about, on equally many cases.
    jq -e '[.results[] | select(.family == "all") | .n] | length == 18 and (unique | length) == 1 and .[0] >= 10' out
    jq -e '[.results[] | select(.family == "all" and .predictor == "evidence") | .mae_points] | unique | length == 1' out
    jq -e '[.results[] | select(.family == "all" and .predictor == "llm_alone") | .mae_points] | unique | length == 6' out
    cp out first
    for options in '' --offline; do
        # shellcheck disable=SC2086
        run_split "${EVALUATE[@]}" --ablations --questions 10 --format json $options
        cmp out first
        grep -q 'language model: 0 requests, 60 replies from the log, 660 tokens in, 420 out' err || fail "$options"
    done
    [ "$(requests all)" -eq 60 ]
    # A worked example comes from another study than the question.
    [ "$(sqlite3 "$SSD_WHATIF_DB" "select count(*) from replies where request like '%[X1] DATE22-%'")" -eq 10 ]
    # The same for people and as CSV.
    run_split "${EVALUATE[@]}" --ablations --questions 10 --offline
    for variant in "${VARIANTS[@]}"; do
        [ "$(grep -cE "^$variant +all +(llm|llm_alone|evidence) " out)" -eq 3 ] || fail "$variant is not in the table"
        grep -q "^$variant: 10 questions, 0 without a usable reply, [0-9]* unsupported claims, 10 calls, 110 tokens in, 70 out$" out ||
            fail "$variant is not counted"
    done
    ssd-whatif evaluate --engine llm --holdout vendor --ablations --questions 10 --offline --format csv 2>err >out
    [ "$(head -1 out)" = variant,family,predictor,n,mae_points,rel_mse_pct,sign_right_pct,coverage_pct ]
    [ "$(grep -c ',"all",' out)" -eq 18 ]
}

@test "no prompt holds what was left out" {
    use_server asked held && copy_store
    "${EVALUATE[@]}" --questions 12 --format json >out 2>err
    ssd-whatif experiments list --format json | jq -r '.[] | select(.source == "DAC19") | .id' >dac19
    [ "$(wc -l <dac19)" -gt 10 ]
    [ "$(sqlite3 "$SSD_WHATIF_DB" 'select count(*) from replies')" -eq 12 ]
    # A vendor is left out: no prompt names experiments of all three.
    sqlite3 "$SSD_WHATIF_DB" 'select request from replies' >requests
    while read -r request; do
        seen=$(grep -oE 'DAC19-[ABC]-' <<<"$request" | sort -u | wc -l)
        [ "$seen" -ge 1 ] && [ "$seen" -le 2 ] || fail "a prompt names experiments of $seen vendors"
    done <requests
}

@test "a reply without a forecast is counted and left out; an endpoint that fails ends the run" {
    use_server prose_only none && copy_store
    run_split "${EVALUATE[@]}" --questions 4 --format json
    [ "$status" -eq 0 ] || fail "exit code $status"
    jq -e '.results == [] and .runs[0].failed == 4 and .runs[0].questions == 4 and .runs[0].calls >= 4' out
    "$TESTS/schema/validate" evaluation <out
    use_server s401 refused
    run_split "${EVALUATE[@]}" --questions 4 --format json
    expect_error 4 'refused the key'
    [ "$(requests refused)" -eq 1 ]
    run_split "${EVALUATE[@]}" --questions 4 --seed 9 --offline
    expect_error 4 'never answered before'
}

@test "a run that breaks off keeps what was paid for and goes on from there" {
    use_server asked_4 broken && copy_store
    run_split "${EVALUATE[@]}" --questions 6 --format json
    [ "$status" -eq 4 ] && [ ! -s out ] || fail "exit code $status"
    grep -q 'no more today' err
    grep -q 'note: language model: 5 requests' err
    [ "$(requests broken)" -eq 5 ]
    run_split "${EVALUATE[@]}" --questions 6 --format json
    [ "$status" -eq 0 ] || fail "exit code $status"
    grep -q 'language model: 2 requests, 4 replies from the log' err
    jq -e '.runs[0].questions == 6 and .runs[0].calls == 6' out
}

@test "settings that cannot work are told before anything is refitted" {
    use_server asked unset && copy_store
    unset OPENAI_BASE_URL
    run_split timeout 3 ssd-whatif evaluate --engine llm --holdout curve
    expect_error 4 'no endpoint is set'
}
