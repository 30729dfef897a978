#!/usr/bin/env bats
# Engine llm against a real llama.cpp server with a small model, started and stopped here, on loopback.

load ../common

start_server() {
    local dir="$TESTS/../build-model"
    [ -x "$dir/venv/bin/python" ] || fail "no model server: .ci/model build-model"
    mkfifo hold
    "$dir/venv/bin/python" "$TESTS/llm/serve.py" "$dir/model.gguf" <hold >url 2>server.log 3>&- &
    SERVER=$!
    exec 7>hold # it ends when this is closed, however the test ends
    for _ in $(seq 600); do
        [ ! -s url ] || break
        kill -0 $SERVER 2>/dev/null || fail "the server ended: $(tail -3 server.log)"
        sleep 0.1
    done
    OPENAI_BASE_URL=$(cat url)
    export OPENAI_BASE_URL OPENAI_API_KEY=test-key-of-the-llama-server SSD_WHATIF_MODEL=smollm2
}

teardown() {
    if [ -n "${SERVER:-}" ]; then
        exec 7>&-
        wait "$SERVER" || :
    fi
}

@test "engine llm answers against a llama.cpp server, and a wrong key is exit code 4" {
    start_server
    ask=(ssd-whatif predict --nand tlc --op read --temp 25:60 --percentiles 99 --engine llm --format json)
    for base in "$OPENAI_BASE_URL" "$OPENAI_BASE_URL/v1" "$OPENAI_BASE_URL/v1/"; do
        OPENAI_BASE_URL=$base run_split timeout 240 "${ask[@]}"
        [ "$status" -eq 0 ] || fail "exit code $status with $base"
        "$TESTS/schema/validate" prediction <out
        jq -e '.engine == "llm" and .tail_latency[0].percentile == 99' out
        # Whatever it cites was sent and is stored.
        jq -e '(.evidence + .principles | map(.id)) as $known | [.reasoning[].cites[]] | all(IN($known[]))' out
    done
    # Asked anew: the reply that is kept would answer without any key.
    OPENAI_API_KEY=sk-wrong run_split timeout 60 "${ask[@]}" --refresh
    expect_error 4 'key'
    refute grep -q sk-wrong err
}
