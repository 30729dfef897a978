#!/usr/bin/env bats
# Language model endpoints that misbehave: tests/golden/llm_faults.csv, one line per case, against
# tests/fault_server.c; and what is wrong before any request is sent.

load ../common

KEY=secret-key-of-the-test
ASK=(ssd-whatif predict --engine llm --nand tlc --op read --temp 22.5:60 --percentiles 99,99.9 --format json)

setup_file() {
    start_fault_server
}

teardown_file() {
    stop_fault_server
}

settings() { # PORT SCENARIO CASE
    export OPENAI_API_KEY=$KEY SSD_WHATIF_MODEL=m
    export OPENAI_BASE_URL="http://127.0.0.1:$1/$2/$3/v1"
    copy_store
}

# The key is in nothing that a run leaves behind.
no_key_left() {
    ! grep -rqF "$KEY" . && ! grep -rqF "$KEY" "$HOME"
}

one_case() { # LINE PORT SCENARIO OPTIONS EXIT REQUESTS MESSAGE
    local port=$HTTP_PORT line=$1 why= said=
    [ "$2" = raw ] && port=$RAW_PORT
    mkdir -p "case$line" && cd "case$line" || return 1
    settings "$port" "$3" "c$line"
    # shellcheck disable=SC2086
    run_split timeout 60 "${ASK[@]}" $4
    [ "$status" -eq "$5" ] || why="exit $status, not $5"
    [ "$(requests "c$line")" -eq "$6" ] || why="$why; $(requests "c$line") requests, not $6"
    grep -qE -- "$7" err || why="$why; stderr does not say '$7'"
    grep -q "[^[:print:][:space:]]" out err && why="$why; control characters"
    if [ "$5" -eq 0 ]; then
        jq -e '.engine == "llm" and (.tail_latency | length) == 2' out >/dev/null || why="$why; no prediction"
    else
        [ -s out ] && why="$why; something on stdout"
        [ "$(grep -vc '^ssd-whatif: note: ' err)" -eq 1 ] || why="$why; not one line of error"
    fi
    no_key_left || why="$why; the key is in a file"
    said=$(tail -n 3 err)
    cd .. && rm -rf "case$line"
    [ -z "$why" ] || { echo "line $line ($2 $3 $4): $why"; echo "$said" | sed 's/^/    /'; return 1; }
}

@test "every case of llm_faults.csv: exit code, message, number of requests, no key anywhere" {
    line=1 bad=0
    while IFS=, read -r port scenario options code n message; do
        line=$((line + 1))
        one_case "$line" "$port" "$scenario" "$options" "$code" "$n" "${message//;/[;,]}" || bad=$((bad + 1))
    done < <(tail -n +2 "$TESTS/golden/llm_faults.csv")
    [ "$line" -gt 60 ] || fail "only $line lines"
    [ "$bad" -eq 0 ] || fail "$bad cases failed"
}

@test "a reply is given again without a request, with the same bytes" {
    settings "$HTTP_PORT" good again
    "${ASK[@]}" --samples 3 >first 2>/dev/null
    "${ASK[@]}" --samples 3 >second 2>/dev/null
    "${ASK[@]}" --samples 3 --offline >third 2>/dev/null
    [ "$(requests again)" -eq 3 ]
    cmp first second
    cmp first third
}

@test "--offline without a kept reply fails and sends nothing; --refresh and --no-cache ask again" {
    settings "$HTTP_PORT" good modes
    run_split "${ASK[@]}" --offline
    expect_error 4 'never answered before'
    [ "$(requests modes)" -eq 0 ]
    "${ASK[@]}" >/dev/null 2>&1
    "${ASK[@]}" --refresh >/dev/null 2>&1
    [ "$(requests modes)" -eq 2 ]
    "${ASK[@]}" --no-cache --seed 7 >/dev/null 2>&1
    "${ASK[@]}" --no-cache --seed 7 >/dev/null 2>&1
    [ "$(requests modes)" -eq 4 ]
    [ "$(ssd-whatif log list --format json | jq length)" -eq 2 ]
}

@test "without a key the endpoint that wants one is named as such" {
    settings "$HTTP_PORT" needs_key nokey
    unset OPENAI_API_KEY
    run_split "${ASK[@]}"
    expect_error 4 'wants a key, and none is set \(OPENAI_API_KEY\) \(401\): who are you'
    [ "$(requests nokey)" -eq 1 ]
}

@test "worked examples come from another study, and what is missing of them is told" {
    settings "$HTTP_PORT" good examples
    run_split "${ASK[@]}" --examples 2
    [ "$status" -eq 0 ]
    last_request examples | jq -r '.messages[1].content' | grep -E '^\[X' >shown
    n=$(wc -l <shown)
    [ "$n" -ge 1 ] && [ "$(jq .llm.prompt.examples out)" -eq "$n" ]
    refute grep -q DATE22 shown
    run_split "${ASK[@]}" --examples 20
    jq -e '.llm.prompt.examples < 20 and (.warnings | map(select(contains("of the 20 worked examples asked for"))) | length == 1)' out
}

@test "--stream shows progress on a terminal, and only there" {
    settings "$HTTP_PORT" sse progress
    script -qec "${ASK[*]} --stream --format csv" /dev/null >tty </dev/null
    grep -q 'received [0-9]* bytes' tty || fail 'no progress'
    grep -q '"tail_latency"' tty
    "${ASK[@]}" --stream --refresh >out 2>err
    refute grep -q 'received' err
}

@test "what an endpoint refuses is remembered" {
    settings "$HTTP_PORT" no_format facts
    "${ASK[@]}" >/dev/null 2>&1
    [ "$(requests facts)" -eq 4 ]
    "${ASK[@]}" --seed 5 >/dev/null 2>&1
    [ "$(requests facts)" -eq 5 ]
}

@test "an answer that is none is kept but never given again" {
    settings "$HTTP_PORT" html page
    run_split "${ASK[@]}"
    run_split "${ASK[@]}"
    [ "$(requests page)" -eq 2 ]
    [ "$(ssd-whatif log list --format json | jq length)" -eq 2 ]
}

@test "log shows prompt, reply, tokens and cost, and prune removes" {
    settings "$HTTP_PORT" good log
    mkdir -p "$HOME/.config/ssd-whatif"
    echo '{"prices": {"m": {"prompt_per_million": 1000000, "completion_per_million": 2000000}}}' >"$HOME/.config/ssd-whatif/config.json"
    "${ASK[@]}" >/dev/null 2>&1
    ssd-whatif log list --format json | jq -e '.[0].cost == 25 and .[0].prompt_tokens == 11'
    ssd-whatif log show 1 | grep -q 'Reason step by step'
    ssd-whatif log show 1 --format json | jq -e '.response.model == "fault"'
    run_split ssd-whatif log show 99
    expect_error 3 'no call 99'
    run_split ssd-whatif log prune
    expect_error 2 'needs --before'
    ssd-whatif log prune --all | grep -q 'removed 1 call'
    [ "$(ssd-whatif log list --format json)" = "[]" ]
}

@test "eight programs write the cache at once" {
    settings "$HTTP_PORT" good many
    for i in {1..8}; do "${ASK[@]}" --seed "$i" >"o$i" 2>"e$i" & done
    wait
    for i in {1..8}; do jq -e '.engine == "llm"' "o$i" >/dev/null || fail "$(cat "e$i")"; done
    [ "$(ssd-whatif log list --format json | jq length)" -eq 8 ]
    store_is_whole "$SSD_WHATIF_DB"
}

@test "settings that cannot work are told before anything is sent" {
    settings "$HTTP_PORT" good settings
    n=0
    while IFS='|' read -r name value code message; do
        run_split env "$name=$value" "${ASK[@]}"
        expect_error "$code" "$message" || fail "$name=$value"
        n=$((n + 1))
    done <<'CASES'
OPENAI_BASE_URL||4|no endpoint is set
OPENAI_BASE_URL|127.0.0.1:8080/v1|4|does not begin with http:// or https://
OPENAI_BASE_URL|file:///etc/passwd|4|does not begin with http
OPENAI_BASE_URL|ftp://host/v1|4|does not begin with http
OPENAI_BASE_URL|http://user:secret@127.0.0.1/v1|4|holds credentials
OPENAI_BASE_URL|https://key@host/v1|4|holds credentials
OPENAI_BASE_URL|http://127.0.0.1/v1?x=1|4|has '\?' in its path
OPENAI_BASE_URL|http://127.0.0.1:0/v1|4|has port '0'
OPENAI_BASE_URL|http://127.0.0.1:99999/v1|4|has port
OPENAI_BASE_URL|http:///v1|4|no usable host name
OPENAI_BASE_URL|http://[::1/v1|4|without ']'
OPENAI_BASE_URL|http://192.0.2.1/v1|4|unencrypted.*--insecure-http
OPENAI_BASE_URL|http://127.0.0.1.example.org/v1|4|unencrypted
OPENAI_BASE_URL|https://no-such-host.invalid/v1|4|is not known|resolve
OPENAI_BASE_URL|http://127.0.0.1:1/v1|4|no server answers at
OPENAI_API_KEY||4|the API key is empty
OPENAI_API_KEY|two words|4|no header can carry
SSD_WHATIF_MODEL||4|no model is set
CASES
    [ "$n" -eq 18 ]
    OPENAI_API_KEY=$'sk-a\nX-Evil: 1' run_split "${ASK[@]}"
    expect_error 4 'no header can carry'
    [ "$(requests settings)" -eq 0 ]
}

@test "a config file with a key must be its owner's alone, and gives the settings" {
    settings "$HTTP_PORT" needs_key config
    mkdir -p "$HOME/.config/ssd-whatif"
    config="$HOME/.config/ssd-whatif/config.json"
    printf '{"base_url": "%s", "api_key": "%s", "model": "m"}' "$OPENAI_BASE_URL" "$KEY" >"$config"
    unset OPENAI_API_KEY OPENAI_BASE_URL SSD_WHATIF_MODEL
    chmod 640 "$config"
    run_split "${ASK[@]}"
    expect_error 1 'others can read it'
    chmod 600 "$config"
    "${ASK[@]}" 2>/dev/null | jq -e '.llm.model == "m"'
    echo '{"modle": "m"}' >"$config"
    run_split "${ASK[@]}"
    expect_error 3 'modle'
    echo '{"model": 5}' >"$config"
    run_split "${ASK[@]}"
    expect_error 3 "'model' must be a text"
    echo '{' >"$config"
    run_split "${ASK[@]}"
    expect_error 3 'config.json'
}

@test "a proxy is used for other hosts and never for loopback" {
    settings "$HTTP_PORT" good proxied
    http_proxy="http://127.0.0.1:1" "${ASK[@]}" >/dev/null 2>&1
    [ "$(requests proxied)" -eq 1 ]
    OPENAI_BASE_URL=http://llm.invalid/v1 http_proxy="http://127.0.0.1:1" run_split "${ASK[@]}" --insecure-http
    expect_error 4 'no server answers'
}

@test "what could not be sent is tried again, what was sent and not answered in time is not" {
    settings "$FULL_PORT" good full
    run_split timeout 30 "${ASK[@]}" --timeout 1 --retries 1
    [ "$status" -eq 4 ]
    [ "$(grep -c "note: the connection failed; try 2 of 2" err)" -eq 1 ] || fail 'not tried again'
    grep -q "no connection to 'http://127.0.0.1:$FULL_PORT/good/full/v1' within 1 s" err || fail 'not told why'
    settings "$RAW_PORT" silent sent
    run_split timeout 30 "${ASK[@]}" --timeout 1 --retries 1
    expect_error 4 'sent nothing within 1 s|did not finish within the time'
    [ "$(requests sent)" -eq 1 ]
}

@test "a certificate for another name, or of an unknown authority, is refused" {
    settings "$HTTP_PORT" good tls
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=other.example -addext 'subjectAltName=DNS:other.example' 2>/dev/null
    openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -www >tls.log 2>&1 &
    server=$!
    for _ in {1..100}; do port=$(sed -n 's/^ACCEPT 127.0.0.1:\([0-9]*\).*/\1/p' tls.log); [ -n "$port" ] && break; sleep 0.05; done
    export OPENAI_BASE_URL="https://127.0.0.1:$port/v1"
    run_split "${ASK[@]}"
    unknown_status=$status && cp err unknown
    CURL_CA_BUNDLE="$PWD/cert.pem" run_split "${ASK[@]}"
    kill "$server"
    [ "$unknown_status" -eq 4 ] && grep -q 'certificate.*is not trusted' unknown || fail "$(cat unknown)"
    expect_error 4 'certificate.*is not trusted.*(name|match)'
}

@test "doctor names endpoint, model, format and round trip, and never the key" {
    settings "$HTTP_PORT" good doc
    run_split ssd-whatif doctor
    [ "$status" -eq 0 ]
    grep -q 'key set' out
    tr '\n' ' ' <out | tr -s ' ' | grep -q 'model m .*reply format json_schema, round trip' || fail doctor
    OPENAI_API_KEY=$KEY run_split ssd-whatif doctor --format json
    jq -e '.checks[] | select(.name == "endpoint") | .ok' out
    no_key_left
}

@test "doctor tells what is wrong and what to do, and soon" {
    n=0
    while IFS='|' read -r url message; do
        settings "$HTTP_PORT" good "sick$n"
        url=${url//HTTP/http://127.0.0.1:$HTTP_PORT} url=${url//RAW/http://127.0.0.1:$RAW_PORT}
        OPENAI_BASE_URL=$url run_split timeout 30 ssd-whatif doctor --timeout 1
        [ "$status" -eq 0 ] || fail "$url: exit code $status"
        grep -qE '^LOOK  (llm|endpoint)' out || fail "$url: nothing is wrong"
        tr -s ' \n' ' ' <out | grep -qE "$message" || fail "$url: not '$message'"
        n=$((n + 1))
    done <<'CASES'
HTTP/s401/sick/v1|refused the key \(OPENAI_API_KEY\)
HTTP/s403/sick/v1|does not allow this key
HTTP/s404/sick/v1|does not know this model or path \(SSD_WHATIF_MODEL
HTTP/html/sick/v1|as a proxy or a login does
HTTP/prose_only/sick/v1|with no JSON in any reply format
HTTP/s429_hour/sick/v1|it asks to wait 3600 s
RAW/silent/sick/v1|sent nothing within 1 s|did not finish
http://127.0.0.1:1/v1|start it, or correct OPENAI_BASE_URL
http://192.0.2.1/v1|use https, or --insecure-http
127.0.0.1/v1|does not begin with http
CASES
    [ "$n" -eq 10 ]
    for scenario in no_schema:json_object no_format:text good:json_schema prose:json_schema; do
        settings "$HTTP_PORT" "${scenario%:*}" "well-${scenario%:*}"
        run_split ssd-whatif doctor
        tr -s ' \n' ' ' <out | grep -q "reply format ${scenario#*:}, round trip" || fail "$scenario"
    done
}

@test "the key is in the request header and in nothing else: output, log, store, argv, writes, core" {
    settings "$HTTP_PORT" needs_key leak
    # A leak check cannot run under a tracer.
    ASAN_OPTIONS=detect_leaks=0 strace -f -s 100000 -e trace=write,writev,pwrite64,execve,openat -o trace "${ASK[@]}" --verbose >out 2>err
    jq -e '.engine == "llm"' out
    no_key_left || fail "the key is in $(grep -rlF "$KEY" . "$HOME")"
    ulimit -c unlimited
    "${ASK[@]}" --seed 3 --timeout 30 >/dev/null 2>&1
    OPENAI_BASE_URL="http://127.0.0.1:$RAW_PORT/silent/abort/v1" "${ASK[@]}" --timeout 20 >/dev/null 2>&1 &
    pid=$!
    for _ in {1..100}; do [ "$(requests abort)" -eq 1 ] && break; sleep 0.05; done
    # While it waits with the key in hand: no other process of this user may read it.
    grep -q 'Max core file size *0 *0' "/proc/$pid/limits" || fail "core files are allowed"
    kill -ABRT "$pid"
    wait "$pid" || true
    [ -z "$(find . "$HOME" -name 'core*')" ] || fail "there is a core file"
    no_key_left
}

@test "kills at random moments lose no reply and repeat at most the one in flight" {
    run "$TESTS/robust/llm_torture.sh" 15
    [ "$status" -eq 0 ] || fail "$output"
    [[ $output == "15 kills, "* ]]
}
