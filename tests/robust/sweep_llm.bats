load ../common

# The engine llm in a sweep, against tests/fault_server.c, whose /_count/CASE tells how often it was asked.

setup_file() {
    export SERVER_DIR="$BATS_FILE_TMPDIR"
    mkfifo "$SERVER_DIR/stop"
    "$BUILD/tests/fault_server" <"$SERVER_DIR/stop" >"$SERVER_DIR/ports" &
    exec 9>"$SERVER_DIR/stop"
    for _ in {1..100}; do [ -s "$SERVER_DIR/ports" ] && break; sleep 0.05; done
    read -r HTTP_PORT _ <"$SERVER_DIR/ports"
    export HTTP_PORT
}

teardown_file() {
    exec 9>&-
}

endpoint() { # SCENARIO CASE
    export OPENAI_API_KEY=secret SSD_WHATIF_MODEL=m OPENAI_BASE_URL="http://127.0.0.1:$HTTP_PORT/$1/$2/v1"
    cat >spec.json <<'E2'
{ "schema": "ssd-whatif/sweep/1", "base": {"nand": "tlc", "op": "read", "percentiles": [99, 99.9]},
  "factors": {"temp_c": {"from": 30, "to": 60, "step": 5}} }
E2
}

requests() { # CASE
    curl -s --noproxy '*' "http://127.0.0.1:$HTTP_PORT/_count/$1"
}

sweep() { ssd-whatif sweep spec.json --engine llm "$@"; }

@test "each scenario is one call; the same sweep again costs none" {
    endpoint good once
    sweep -o a.csv 2>err
    [ "$(requests once)" -eq 7 ]
    grep -q '7 requests sent' err
    [ "$(wc -l <a.csv)" -eq 22 ]
    sweep -j4 >b.csv 2>err
    [ "$(requests once)" -eq 7 ]
    grep -q '0 requests sent' err
    cmp a.csv b.csv
}

@test "several threads ask at once and give the same rows" {
    endpoint good one
    sweep -o a.csv --no-cache
    sweep -o b.csv --no-cache -j4
    cmp a.csv b.csv
    [ "$(requests one)" -eq 14 ]
}

@test "a budget of calls ends the sweep; resumed, no call is made twice" {
    endpoint good calls
    run_split sweep -o a.csv --budget-calls 3
    expect_error 1 "budget of 3 calls is used up"
    [ "$(requests calls)" -eq 3 ]
    [ "$(wc -l <a.csv)" -eq 10 ]
    run_split sweep -o a.csv --budget-calls 3 --resume -j4
    expect_error 1 "budget of 3 calls"
    [ "$(requests calls)" -le 7 ]
    sweep -o a.csv --resume
    [ "$(requests calls)" -eq 7 ]
    sweep >b.csv
    cmp a.csv b.csv
}

@test "a budget of tokens ends the sweep" {
    endpoint good tokens
    run_split sweep -o a.csv --budget-tokens 1
    expect_error 1 "budget of 1 tokens is used up"
    [ "$(requests tokens)" -eq 1 ]
    [ "$(wc -l <a.csv)" -eq 4 ]
}

@test "an endpoint that fails ends the sweep with its error; another engine cannot go on with it" {
    endpoint refusal fails
    run_split sweep -o a.csv
    expect_error 4 "refuses to answer"
    run_split ssd-whatif sweep spec.json -o a.csv --resume
    expect_error 3 "another engine"
    endpoint good elsewhere
    run_split sweep -o a.csv --resume
    expect_error 3 "another engine"
}

@test "questions of thousands are for the evidence engine" {
    endpoint good many
    run_split sweep --summary
    expect_error 2 "evidence only"
    run_split sweep --find 'temp_c: p99 > 5'
    expect_error 2 "evidence only"
    run_split ssd-whatif sweep spec.json --budget-calls 5
    expect_error 2 "go with --engine llm"
    [ "$(requests many)" -eq 0 ]
}
