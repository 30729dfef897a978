load ../common

# A grid of 4116 scenarios whose factors reach everything that a row can hold.
make_spec() {
    cat >spec.json <<'E2'
{ "schema": "ssd-whatif/sweep/1", "design": "grid",
  "factors": { "nand": ["mlc", "tlc", "unknown"], "phase": ["running", "post"], "vib_axis": ["none", "parallel"],
               "temp_c": {"from": -20, "to": 80, "step": 2.083333}, "rh_pct": {"from": 20, "to": 80, "step": 10} } }
E2
}

sweep() { ssd-whatif sweep spec.json "$@"; }

same_as_plain() {
    for f; do cmp plain.csv "$f" || fail "$f differs from the plain run"; done
}

@test "parts one after the other, and any number of threads, give the bytes of the plain run" {
    make_spec
    sweep -o plain.csv
    sweep >stdout.csv
    sweep -j2 >two.csv
    sweep -j7 | cat >seven.csv
    for k in 1 2 3 4 5; do sweep --shard $k/5 -o part.$k -j$k; done
    cat part.[1-5] >parts.csv
    same_as_plain stdout.csv two.csv seven.csv parts.csv
    sweep --format jsonl >plain.jsonl
    for k in 1 2 3; do sweep --shard $k/3 --format json; done | cmp - plain.jsonl
    [ "$(jq -s length plain.jsonl)" -eq $(($(wc -l <plain.csv) - 1)) ]
}

@test "more parts than scenarios: some are empty, together they are the whole" {
    echo '{"schema": "ssd-whatif/sweep/1", "factors": {"nand": ["mlc", "tlc"]}}' >spec.json
    sweep -o plain.csv
    for k in 1 2 3 4; do sweep --shard $k/4 -o part.$k; done
    cat part.[1-4] >parts.csv
    same_as_plain parts.csv
    [ ! -s part.4 ]
    sweep --shard 4/4 -o part.4 --resume
    [ ! -s part.4 ]
}

@test "killed at random moments and resumed, no row is missing or repeated" {
    make_spec
    sweep -o plain.csv
    "$TESTS/robust/sweep_kills" spec.json killed.csv "${KILLS:-12}"
    same_as_plain killed.csv
    sweep -o killed.csv --resume
    same_as_plain killed.csv
}

@test "an SQLite table holds the same rows, also after kills" {
    make_spec
    sweep -o plain.csv
    "$TESTS/robust/sweep_kills" spec.json killed.sqlite 4
    sweep -o whole.sqlite
    for db in killed whole; do
        sqlite3 $db.sqlite 'select * from sweep order by rowid' >$db.rows
        [ "$(sqlite3 $db.sqlite 'pragma integrity_check')" = ok ]
    done
    cmp killed.rows whole.rows
    # The same numbers as in the CSV, read by sqlite3's own importer.
    sqlite3 whole.sqlite -cmd '.import --csv plain.csv csv' "
        select count(*) from sweep s join csv c on s.scenario = c.scenario and s.metric = c.metric
            and ifnull(s.percentile, 0.0) = cast(c.percentile as real)
        where s.change_pct = cast(c.change_pct as real) and s.low_pct = cast(c.low_pct as real)
            and s.high_pct = cast(c.high_pct as real) and s.domain = c.domain and s.evidence = c.evidence
            and s.temp_c = cast(c.temp_c as real) and s.vib_axis = c.vib_axis" >same
    [ "$(cat same)" -eq $(($(wc -l <plain.csv) - 1)) ]
}

@test "wherever the file was cut, --resume completes it" {
    make_spec
    sweep -o plain.csv
    size=$(wc -c <plain.csv)
    for cut in 0 1 100 200 201 1000 $((size / 2)) $((size - 1)) "$size"; do
        sweep -o cut.csv --shard 1/1
        head -c "$cut" plain.csv >head
        cat head >cut.csv
        sweep -o cut.csv --resume -j2
        same_as_plain cut.csv
    done
}

@test "--join puts parts together in any order, and says which overlap, are missing or cut off" {
    make_spec
    sweep -o plain.csv
    for k in 1 2 3 4 5; do sweep --shard $k/5 -o rows.$k.csv; done
    sweep --shard 2/4 -o other.csv
    sweep --join rows.5.csv rows.1.csv rows.4.csv rows.2.csv rows.3.csv >a.csv
    sweep --join rows.[1-5].csv -o b.csv
    same_as_plain a.csv b.csv
    run_split sweep --join rows.[1-5].csv other.csv -o c.csv
    expect_error 3 "overlap: both hold scenario"
    run_split sweep --join rows.[1345].csv -o c.csv
    expect_error 3 "no part holds scenarios"
    run_split sweep --join rows.[1-4].csv -o c.csv
    expect_error 3 "no part holds scenarios"
    size=$(wc -c <rows.3.csv)
    head -c $((size - 5)) rows.3.csv >cut.csv
    run_split sweep --join rows.[1245].csv cut.csv
    expect_error 3 "the last row is cut off"
    head -n -2 rows.3.csv >cut.csv
    run_split sweep --join rows.[1245].csv cut.csv
    expect_error 3 "ends within scenario"
    # Even where the numbers fit: begun with another model, or another spec.
    sweep --shard 3/5 --model study -o study.csv
    run_split sweep --join rows.[1245].csv study.csv -o c.csv
    expect_error 3 "another model"
    sed 's/"parallel"/"perpendicular"/' spec.json >other.json
    run_split ssd-whatif sweep other.json --join rows.[1-5].csv -o c.csv
    expect_error 3 "begun with another spec"
    [ ! -e c.csv ]
    [ ! -e c.csv.new ]
    for k in 1 2 3; do sweep --shard $k/3 -o rows.$k.jsonl; done
    sweep -o plain.jsonl
    sweep --join rows.[123].jsonl --format jsonl | cmp - plain.jsonl
}

@test "a changed spec, part, form, list or knowledge base is refused on --resume" {
    make_spec
    sweep --shard 1/2 -o a.csv
    cp a.csv before
    sed 's/"step": 10/"step": 20/' spec.json >other.json
    run_split ssd-whatif sweep other.json --shard 1/2 -o a.csv --resume
    expect_error 3 "another spec"
    run_split sweep -o a.csv --resume
    expect_error 3 "another part"
    run_split sweep --shard 1/3 -o a.csv --resume
    expect_error 3 "another part"
    run_split sweep --shard 1/2 --no-evidence-ids -o a.csv --resume
    expect_error 3 "no-evidence-ids"
    run_split sweep --shard 1/2 --format jsonl -o a.csv --resume
    expect_error 3 "another form"
    run_split sweep --shard 1/2 --model study -o a.csv --resume
    expect_error 3 "another model"
    cmp before a.csv
    rm .a.csv.resume
    run_split sweep --shard 1/2 -o a.csv --resume
    expect_error 3 "no record"
    echo '{"schema": "ssd-whatif/sweep/1", "design": "list"}' >spec.json
    printf 'temp_c\n40\n50\n' >l1
    printf 'temp_c\n40\n51\n' >l2
    sweep --list l1 -o l.csv
    run_split sweep --list l2 -o l.csv --resume
    expect_error 3 "another list"
}

@test "what is no row of a sweep is not resumed" {
    make_spec
    sweep -o a.csv
    echo 'something else' >>a.csv
    cp a.csv before
    run_split sweep -o a.csv --resume
    expect_error 3 "no row of a sweep"
    cmp before a.csv
}

@test "a full disk is one error; the rows before are whole, and --resume goes on with room" {
    can_mount || skip "needs root and mount namespaces"
    make_spec
    sweep -o plain.csv
    mkdir disk
    with_mount size=200k disk sh -c '
        ssd-whatif sweep spec.json -o disk/a.csv >out 2>err
        echo $? >code
        cp disk/a.csv disk/.a.csv.resume .'
    [ "$(cat code)" -eq 1 ] || fail "exit code $(cat code)"
    [ "$(wc -l <err)" -eq 1 ]
    grep -q "No space left on device" err
    cmp -n "$(wc -c <a.csv)" plain.csv a.csv
    [ "$(tail -c1 a.csv | od -An -tx1)" = " 0a" ]
    sweep -o a.csv --resume
    same_as_plain a.csv
    run_split sh -c 'ssd-whatif sweep spec.json >/dev/full'
    expect_error 1 "No space left"
}

@test "one file is written by one sweep at a time" {
    make_spec
    # The lock that a sweep holds.
    (flock 9; sleep 2) 9>a.csv &
    sleep 0.3
    run_split sweep -o a.csv
    wait
    expect_error 1 "being written by another process"
}

@test "an impossible point is named before anything is written" {
    echo '{"schema": "ssd-whatif/sweep/1", "factors": {"temp_c": [30, 40], "rh_pct": [50, 140]}}' >spec.json
    run_split sweep -o a.csv
    expect_error 3 'spec.json: factors.rh_pct\[1\]: 140 is out of range'
    [ ! -e a.csv ]
    echo '{"schema": "ssd-whatif/sweep/1", "design": "list", "list": "l.csv"}' >spec.json
    printf 'temp_c,rh_pct\n40,50\n40,140\n' >l.csv
    run_split sweep -o a.csv
    expect_error 3 'l.csv:3: rh_pct: 140 is out of range'
    [ ! -e a.csv ]
}

@test "a list from a file, from standard input, as CSV and as JSON lines is the same sweep" {
    make_spec
    sweep -o plain.csv
    cut -d, -f2-4,7-9 plain.csv | uniq >list.csv
    printf '%s\n' '{"schema": "ssd-whatif/sweep/1", "design": "list"}' >list.json
    jq -R -c 'split(",") | {nand: .[0], op: .[1], phase: .[2], temp_c: (.[3] | tonumber),
        rh_pct: (.[4] | tonumber), vib_axis: .[5]}' <(tail -n +2 list.csv) >list.jsonl
    ssd-whatif sweep list.json <list.csv >a.csv
    cat list.csv | ssd-whatif sweep list.json -j2 >b.csv
    cat list.jsonl | ssd-whatif sweep list.json >c.csv
    for k in 1 2 3; do ssd-whatif sweep list.json --list list.jsonl --shard $k/3; done >d.csv
    same_as_plain a.csv b.csv c.csv d.csv
}

@test "specs of the examples and of the tests fit the schema; what the program refuses does not" {
    for f in "$TESTS"/cli/sweep/example-*.json "$TESTS"/cluster/*.json; do
        [ "$("$TESTS/schema/validate" sweep <"$f")" = valid ] || fail "$f"
        ssd-whatif sweep "$f" --shard 1/1000 -o x.csv </dev/null || [ "$(jq -r .design "$f")" = list ]
    done
    n=0
    while read -r spec; do
        printf '%s\n' "$spec" >spec.json
        refute "$TESTS/schema/validate" sweep <spec.json
        run_split sweep
        [ "$status" -eq 3 ] || fail "exit code $status for $spec"
        n=$((n + 1))
    done <"$TESTS/cli/sweep/bad_specs"
    [ "$n" -gt 15 ]
}

@test "ranks that mpirun starts give the bytes of the plain run" {
    command -v mpirun >/dev/null || fail "mpirun (Debian package openmpi-bin) is missing"
    make_spec
    sweep -o plain.csv
    mpirun --allow-run-as-root --oversubscribe -n 2 "$TESTS/../experiments/cluster/sweep-mpi.sh" \
        spec.json rows.csv
    cat rows.[12].csv >parts.csv
    same_as_plain parts.csv
    head -c 3000 rows.2.csv >half && cat half >rows.2.csv
    mpirun --allow-run-as-root --oversubscribe -n 2 "$TESTS/../experiments/cluster/sweep-mpi.sh" \
        spec.json rows.csv
    cat rows.[12].csv >parts.csv
    same_as_plain parts.csv
}

@test "twenty thousand scenarios into a pipe need no more memory than a few" {
    echo '{"schema": "ssd-whatif/sweep/1", "factors": {"temp_c": [30, 40]}}' >spec.json
    few=$(/usr/bin/time -f %M ssd-whatif sweep spec.json 2>&1 >/dev/null | tail -1)
    echo '{"schema": "ssd-whatif/sweep/1", "design": "lhs", "n": 20000,
           "factors": {"temp_c": {"from": 20, "to": 60}, "rh_pct": {"from": 20, "to": 80}}}' >spec.json
    many=$(/usr/bin/time -f %M ssd-whatif sweep spec.json 2>&1 >/dev/null | tail -1)
    [ "$many" -lt $((few + 4096)) ] || fail "$few KiB for 2 scenarios, $many KiB for 20000"
    [ "$many" -le 65536 ] || fail "$many KiB"
}
