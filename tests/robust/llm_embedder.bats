#!/usr/bin/env bats
# --embedder openai:MODEL against tests/fault_server.c: what is asked, kept, asked again, and refused.

load ../common

SEARCH=(ssd-whatif search 'heat makes reads slower' --embedder openai:e --format json)

setup_file() {
    start_fault_server
}

teardown_file() {
    stop_fault_server
}

vectors() { # EMBEDDER: how many are stored
    sqlite3 "$SSD_WHATIF_DB" "select count(*) from text_vectors where embedder = '$1'"
}

items() {
    sqlite3 "$SSD_WHATIF_DB" 'select count(*) from item_texts'
}

# Requests for all texts: experiments and principles are embedded apart.
batches() {
    sqlite3 "$SSD_WHATIF_DB" 'select sum((n + 15) / 16) from (select count(*) n from item_texts group by item & 1)'
}

# What stays, whoever embeds: every table but the vectors and what caches or logs.
data() {
    sqlite3 "$SSD_WHATIF_DB" .dump | grep -vE 'INSERT INTO "?(text_vectors|cache|replies|endpoint_facts|sqlite_sequence)"?'
}

@test "texts go in batches of 16, and a second run asks nothing and gives the same bytes" {
    use_server embed batches && copy_store
    run_split "${SEARCH[@]}"
    [ "$status" -eq 0 ] || fail "exit code $status"
    n=$(items)
    # one text for the dimension, all items, the question
    [ "$(requests batches)" -eq $((1 + $(batches) + 1)) ] || fail "$(requests batches) requests for $n items"
    [ "$(vectors openai:e)" -eq "$n" ]
    sqlite3 "$SSD_WHATIF_DB" 'select request from replies' | while read -r request; do
        jq -e '.model == "e" and (.input | length) <= 16 and (.input | all(. != ""))' <<<"$request"
    done
    cp out first
    "$TESTS/schema/validate" search <first
    for options in '' --offline; do
        # shellcheck disable=SC2086
        run_split "${SEARCH[@]}" $options
        [ "$status" -eq 0 ] && cmp out first
        [ ! -s err ] || fail 'notes where nothing was made anew'
    done
    [ "$(requests batches)" -eq $((1 + $(batches) + 1)) ]
    # Another question is one request, whatever the log still knows.
    ssd-whatif log prune --all >/dev/null
    ssd-whatif search 'cold start' --embedder openai:e >/dev/null
    [ "$(requests batches)" -eq $((1 + $(batches) + 2)) ]
}

@test "the vectors are the server's: in their order, at unit length" {
    use_server embed order && copy_store
    ssd-whatif search 'x' --embedder openai:e >/dev/null
    sqlite3 "$SSD_WHATIF_DB" "select hex(vec), body from text_vectors join item_texts using (item) where embedder = 'openai:e'" >rows
    # The server counts letters by their code modulo 8.
    python3 - <<'PY'
import struct
rows = [line.rstrip("\n").split("|", 1) for line in open("rows", encoding="utf-8")]
assert len(rows) > 100
for blob, body in rows:
    body = body.encode()
    if len(body) > 1400 or any(c < 0x20 or c > 0x7e for c in body):
        continue
    count = [0] * 8
    for c in body:
        count[c % 8] += 1
    size = sum(x * x for x in count) ** 0.5
    vec = struct.unpack("8f", bytes.fromhex(blob))
    assert all(abs(a - b / size) < 1e-5 for a, b in zip(vec, count)), body
PY
}

@test "killed half-way, it goes on without asking again for what it has" {
    use_server embed_hangs killed && copy_store
    "${SEARCH[@]}" >out 2>err &
    pid=$!
    for _ in {1..200}; do [ "$(requests killed)" -ge 4 ] && break; sleep 0.05; done
    kill -KILL "$pid"
    wait "$pid" || :
    store_is_whole "$SSD_WHATIF_DB"
    [ "$(vectors openai:e)" -eq 16 ] # one batch; before it the dimension and the question
    n=$(items)
    run_split "${SEARCH[@]}"
    [ "$status" -eq 0 ] || fail "exit code $status"
    # The four requests before, and all batches but the one that was kept.
    [ "$(requests killed)" -eq $((4 + $(batches) - 1)) ] || fail "$(requests killed) requests for $n items"
    [ "$(vectors openai:e)" -eq "$n" ]
}

@test "refused half-way, what came is kept, also without the log" {
    use_server embed_stops stops && copy_store
    run_split "${SEARCH[@]}" --no-cache
    expect_error 4 'does not allow this key to ask \(403\): no more today'
    [ "$(requests stops)" -eq 4 ]
    [ "$(vectors openai:e)" -eq 16 ]
    [ "$(ssd-whatif log list --format json)" = '[]' ]
}

@test "without a server, endpoint or name the command fails, and the built-in one still answers" {
    use_server embed nobody && copy_store
    OPENAI_BASE_URL=http://127.0.0.1:1/v1 run_split "${SEARCH[@]}"
    expect_error 4 'no server answers at'
    OPENAI_BASE_URL='' run_split "${SEARCH[@]}"
    expect_error 4 'no endpoint is set'
    run_split "${SEARCH[@]}" --offline
    expect_error 4 'never answered before'
    for name in openai: openai word2vec ''; do
        run_split ssd-whatif search heat --embedder "$name"
        expect_error 2 "--embedder: '$name' is unknown, allowed is built-in, openai:MODEL"
    done
    use_server s401 nobody401
    run_split "${SEARCH[@]}"
    expect_error 4 'refused the key'
    use_server html nobodyhtml
    run_split "${SEARCH[@]}"
    expect_error 4 'HTML page'
    use_server good nobodychat
    run_split "${SEARCH[@]}"
    expect_error 4 'sent no embedding'
    [ "$(vectors openai:e)" -eq 0 ]
    ssd-whatif search heat --format json | jq -e 'length > 0'
}

@test "vectors that are none are refused, and asked for again next time" {
    copy_store
    n=0
    while IFS='|' read -r scenario message; do
        use_server "$scenario" "bad$n"
        for _ in 1 2; do
            before=$(requests "bad$n")
            run_split "${SEARCH[@]}"
            expect_error 4 "$message" || fail "$scenario"
            [ "$(requests "bad$n")" -gt "$before" ] || fail "$scenario: a bad reply was given again"
        done
        [ "$(vectors openai:e)" -eq 0 ]
        n=$((n + 1))
    done <<'CASES'
embed_nan|sent no embedding \(200\)
embed_huge|no usable number|sent no embedding
embed_word|no usable number
embed_empty|a vector of 0 numbers, must be 1 to 16384
embed_few|sent 0 embeddings for 1 text
embed_many|sent 2 embeddings for 1 text
embed_short|gave vectors of
embed_twice|numbers its embeddings wrongly
CASES
    [ "$n" -eq 8 ]
}

@test "another dimension than recorded is refused until --refresh makes all vectors anew" {
    use_server embed first && copy_store
    "${SEARCH[@]}" >/dev/null 2>&1
    n=$(items)
    use_server embed12 second
    run_split "${SEARCH[@]}"
    expect_error 3 "'openai:e' gave a vector of 12 numbers, 8 are recorded: another model answers under this name"
    [ "$(vectors openai:e)" -eq "$n" ]
    run_split "${SEARCH[@]}"
    expect_error 3 '8 are recorded'
    run_split "${SEARCH[@]}" --refresh
    [ "$status" -eq 0 ] || fail "exit code $status"
    [ "$(sqlite3 "$SSD_WHATIF_DB" "select count(*), min(length(vec)), max(length(vec)) from text_vectors where embedder = 'openai:e'")" = "$n|48|48" ]
    run_split "${SEARCH[@]}"
    [ "$status" -eq 0 ]
}

@test "changing the embedder makes the text index anew, keeps both sets of vectors and all data" {
    use_server embed both && copy_store
    ssd-whatif search heat --format json >own
    data >before
    own=$(vectors "$(sqlite3 "$SSD_WHATIF_DB" "select distinct embedder from text_vectors where embedder like 'lsa/%'")")
    run_split "${SEARCH[@]}"
    grep -q 'note: the text index is made anew: .*stale' err
    n=$(requests both)
    ssd-whatif search heat --format json 2>err >again
    grep -q 'note: the text index is made anew' err
    cmp own again
    run_split ssd-whatif search heat --embedder openai:other
    [ "$status" -eq 0 ]
    # Back again: the vectors are still there, nothing is asked.
    m=$(requests both)
    run_split "${SEARCH[@]}"
    [ "$status" -eq 0 ] && [ "$(requests both)" -eq "$m" ] && [ "$m" -gt "$n" ]
    data >after
    cmp before after
    [ "$(sqlite3 "$SSD_WHATIF_DB" 'select count(distinct embedder) from text_vectors')" -eq 3 ]
    [ "$own" -eq "$(items)" ] && [ "$(vectors openai:e)" -eq "$own" ] && [ "$(vectors openai:other)" -eq "$own" ]
    store_is_whole "$SSD_WHATIF_DB"
}

@test "an experiment of one's own is one more text to embed" {
    use_server embed own && copy_store
    "${SEARCH[@]}" >/dev/null 2>&1
    n=$(requests own)
    printf 'experiment,during_temp_c,op,metric,kind,change_pct,reading_error_pct,note\nmine,60,read,bandwidth,value,-1,3,zebra\n' >own.csv
    ssd-whatif import csv own.csv >/dev/null
    "${SEARCH[@]}" >/dev/null 2>&1
    [ "$(requests own)" -eq $((n + 1)) ]
    [ "$(last_request own | jq '.input | length')" -eq 1 ]
    [ "$(vectors openai:e)" -eq "$(items)" ]
    ssd-whatif experiments remove mine >/dev/null
    [ "$(vectors openai:e)" -eq "$(items)" ]
}

@test "ask, predict and prompt retrieve by it, and predict's numbers do not depend on it" {
    use_server embed uses && copy_store
    ssd-whatif predict --nand tlc --temp 25:60 --format json | jq -c '.tail_latency, .bandwidth' >own
    ssd-whatif predict --nand tlc --temp 25:60 --embedder openai:e --format json | jq -c '.tail_latency, .bandwidth' >other
    cmp own other
    ssd-whatif ask 'TLC at 60 C' --embedder openai:e --format json | jq -e '.evidence | length > 0'
    ssd-whatif prompt 'TLC at 60 C' --embedder openai:e --format json | jq -e '.sent_ids != ""'
}
