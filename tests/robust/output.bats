#!/usr/bin/env bats
# Output that cannot be written, servers that are not there.

load ../common

@test "a full standard output is an error, exit code 1" {
    "${PREDICT[@]}" >/dev/null
    for format in table json csv; do
        status=0
        ssd-whatif predict --nand tlc --temp 25:60 --format $format >/dev/full 2>err || status=$?
        : >out
        expect_error 1 'standard output|space'
    done
}

@test "a reader that goes away does not leave a hung program" {
    "${PREDICT[@]}" >/dev/null
    timeout 20 sh -c 'ssd-whatif experiments list --format json | head -c 1 >/dev/null'
}

@test "no server behind the base URL: one line, exit code 4" {
    export OPENAI_BASE_URL=http://127.0.0.1:9/v1 OPENAI_API_KEY=sk-test-not-a-key SSD_WHATIF_MODEL=m
    run_split timeout 60 "${PREDICT[@]}" --engine llm
    expect_error 4 '127\.0\.0\.1:9'
    refute grep -q sk-test-not-a-key err
}

@test "the key is in no output, whatever the command" {
    export OPENAI_BASE_URL=http://127.0.0.1:9/v1 OPENAI_API_KEY=sk-test-not-a-key SSD_WHATIF_MODEL=m
    for command in doctor "prompt --nand tlc --temp 25:60" "ask cold?" "search heat"; do
        # shellcheck disable=SC2086
        ssd-whatif $command >>all 2>&1 || :
    done
    refute grep -q sk-test-not-a-key all
    refute grep -rq sk-test-not-a-key "$HOME"
}
