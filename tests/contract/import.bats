#!/usr/bin/env bats
# Measurements in: real fio runs against fio's own normal output, and the way from a file to an answer.

load ../common

FIXTURES=$TESTS/fixtures

# check_normal FILE EXPERIMENT: every percentile and bandwidth that was stored stands in the normal
# output of the same run, to the digits printed there.
check_normal() {
    ssd-whatif experiments show "$2" --format json >show.json
    python3 - "$1" show.json <<'PY'
import json, re, sys
text = open(sys.argv[1]).read()
stored = json.load(open(sys.argv[2]))["observations"]
normal = text[text.rindex("\n}"):]
seen = 0
for op in ("read", "write"):
    block = re.search(r"^  %s: IOPS=.*?(?=^  (?:read|write|lat|cpu)\b|\Z)" % op, normal, re.S | re.M)
    if not block:
        continue
    block = block.group(0)
    unit = {"nsec": 1e-3, "usec": 1.0, "msec": 1e3}[re.search(r"clat percentiles \((\w+)\)", block).group(1)]
    mb = float(re.search(r"\(([\d.]+)MB/s\)", block).group(1))
    figures = {float(p): float(v) * unit for p, v in re.findall(r"([\d.]+)th=\[ *(\d+)\]", block)}
    for o in stored:
        if o["op"] != op:
            continue
        if o["metric"] == "bandwidth":
            digits = 0.5 if mb >= 100 else 0.05
            assert abs(o["value"] - mb) <= digits * 1.01 + 1e-9, (op, o["value"], mb)
        else:
            want = figures[o["percentile"]]
            assert -1e-9 <= want - o["value"] < unit, (op, o["percentile"], o["value"], want)  # fio rounds up here
        seen += 1
assert seen >= 10, seen
PY
}

run_fio() { # FORMAT OUTPUT [OPTIONS]
    fio --name=t --filename="$PWD/data" --size=4m --bs=4k --rw=randrw --runtime=1 --time_based \
        --output-format="$1" --output="$2" "${@:3}" >/dev/null
}

@test "fio json: what is stored is what fio prints for people" {
    run_fio json,normal out.txt --ioengine=psync
    id=$(ssd-whatif import fio out.txt --temp 40 --quiet --format json | jq -r '.files[0].experiments')
    check_normal out.txt "$id"
}

@test "fio json+: the same, with bins and libaio" {
    run_fio json+,normal out.txt --ioengine=libaio --iodepth=4
    id=$(ssd-whatif import fio out.txt --temp 40 --quiet --format json | jq -r '.files[0].experiments')
    check_normal out.txt "$id"
}

@test "fio: two runs of one drive give a change, and the answer's evidence shows it at once" {
    run_fio json+ base.json --ioengine=psync
    run_fio json+ hot.json --ioengine=psync
    ssd-whatif import fio hot.json --baseline base.json --device 'my drive' --nand tlc --temp 22.5:60 --quiet
    ssd-whatif import fio hot.json --baseline base.json --format json --quiet >import.json
    "$TESTS/schema/validate" import <import.json
    id=$(ssd-whatif experiments list --own --format json | jq -r '.[0].id')
    ssd-whatif experiments diff "$id" DATE22-1-TLC --format json >diff.json
    "$TESTS/schema/validate" experiments-diff <diff.json
    ssd-whatif experiments show "$id" --format json >show.json
    jq -e '[.observations[] | select(.kind == "value")] | length >= 4 and
        all(.low_pct < .change_pct and .change_pct < .high_pct and .reading_error_pct > 0)' show.json
    jq -e '.provenance | .tool == "fio-3.33" or (.tool | startswith("fio-")) and (.sha256 | length == 64)' show.json
    ssd-whatif predict --device 'my drive' --nand tlc --op read --temp 22.5:60 --format json >answer.json
    jq -e --arg id "$id" '[.evidence[].id] | index($id) != null' answer.json
}

@test "fio: a file twice, refused files, and a baseline of nothing" {
    cp "$FIXTURES"/fio/* .
    ssd-whatif import fio fio-3.33.sigint.json --temp 60 --quiet
    run_split ssd-whatif import fio fio-3.33.sigint.json --temp 60 --quiet
    [ "$status" -eq 0 ] || fail "exit code $status"
    grep -q 'already imported as own-0dac9e7b8c01, nothing added' out
    ssd-whatif import smartctl "$FIXTURES/smart/smartctl-7.3-nvme.json" --format json >import.json
    "$TESTS/schema/validate" import <import.json
    ssd-whatif experiments remove "$(jq -r '.files[0].experiments' import.json)"
    for file in fio-3.33.enospc-devfull.json fio-3.33.killed_empty.json fio-3.33.truncated_3000B.json fio-3.33.null_randtrim.json; do
        run_split ssd-whatif import fio "$file" --temp 60
        expect_error 3 "$file"
    done
    run_split ssd-whatif import fio missing.json --temp 60
    expect_error 1 "cannot open 'missing.json'"
    run_split ssd-whatif import fio . --temp 60
    expect_error 3 'is a directory'
    run_split ssd-whatif import fio
    expect_error 2 'no file to import'
    run_split ssd-whatif import tape x
    expect_error 2 'fio, smartctl, nvme, csv or sensors'
    [ "$(ssd-whatif experiments list --own --format json | jq length)" -eq 1 ]
}

@test "vibration and heat at once: kept and shown, and said to change no prediction" {
    BOTH=(ssd-whatif predict --nand tlc --op read --temp 60 --vib parallel@20 --percentiles 99.9)
    "${BOTH[@]}" --format json 2>/dev/null >before.json
    sed "s/1796058763298/17960587632/" "$FIXTURES/fio/fio-3.33.basic.json" >exposed.json
    run_split ssd-whatif import fio exposed.json --device nvme7 --nand tlc --temp 60 --vib parallel@20 \
        --baseline "$FIXTURES/fio/fio-3.33.basic.json"
    [ "$status" -eq 0 ]
    grep -q 'no part of the model takes it in' err
    "${BOTH[@]}" --format json 2>/dev/null >after.json
    jq -e '[.domain.reasons[] | select(test("by the user alone"))] | length == 1' after.json
    jq -e '[.evidence[] | select(.own)] | length >= 1' after.json
    [ "$(jq -c '[.tail_latency, .bandwidth]' before.json)" = "$(jq -c '[.tail_latency, .bandwidth]' after.json)" ]
    "${BOTH[@]}" 2>/dev/null | grep -q '(your own)'
    ssd-whatif experiments export >table.csv
    # shellcheck disable=SC2046
    ssd-whatif experiments remove $(ssd-whatif experiments list --own --format json | jq -r '.[].id')
    run_split ssd-whatif import csv table.csv
    [ "$status" -eq 0 ]
    [ "$(grep -c 'no part of the model takes it in' err)" -eq 1 ]
}

@test "names that nothing stored has, two baselines, absolute figures, a principle's round trip" {
    ssd-whatif predict --nand tlc --temp 60 --device 970PRO --vendor Samsung >out
    grep -q "names the drive '970PRO'" out
    grep -q "names the vendor 'Samsung'" out
    refute grep -q 'no stored change' <(ssd-whatif predict --vendor A --vib parallel)
    for word in bananas SATA; do
        ssd-whatif predict --nand tlc --temp 60 --interface $word --format json |
            jq '[.warnings[] | if type == "object" then .text else . end | select(test("interface is not stated"))] | length'
    done >counts
    [ "$(cat counts)" = "1
0" ]
    ssd-whatif ask "TLC at 60 C after a humid week" | sed '/^$/q' | grep -q '^But: .*humidity'
    run_split ssd-whatif predict --temp 60 --baseline "$FIXTURES/fio/fio-3.33.status-interval.json" \
        --baseline "$FIXTURES/fio/fio-3.33.sigint.json"
    expect_error 2 'one FILE only'
    ssd-whatif import fio "$FIXTURES/fio/fio-3.33.basic.json" --temp 60 --quiet
    id=$(ssd-whatif experiments list --own --format json | jq -r '.[0].id')
    ssd-whatif experiments show "$id" --format csv >rows.csv
    head -1 rows.csv | grep -q '"change_pct","value"'
    grep -qE '^"read","tail_latency","50","","[0-9.]+ us","absolute"' rows.csv
    ssd-whatif principles show dew-point --format json | jq '.id = "my-dew-point"' >mine.json
    ssd-whatif principles add mine.json
    ssd-whatif principles show my-dew-point --format json | jq -e '.own'
}

@test "export, remove, import: the same bytes; embedded data stay" {
    ssd-whatif import fio "$FIXTURES/fio/fio-3.33.basic.json" --temp 60 --quiet
    ssd-whatif import smartctl "$FIXTURES/smart/smartctl-7.3-nvme.json" --quiet
    embedded=$(ssd-whatif experiments list --format json | jq '[.[] | select(.own | not)] | length')
    ssd-whatif experiments export >first.csv
    # shellcheck disable=SC2046
    ssd-whatif experiments remove $(ssd-whatif experiments list --own --format json | jq -r '.[].id')
    [ "$(ssd-whatif experiments list --own --format json | jq length)" -eq 0 ]
    ssd-whatif import csv first.csv
    ssd-whatif experiments export >second.csv
    cmp first.csv second.csv
    run_split ssd-whatif experiments remove DATE22-1-TLC
    expect_error 3 'embedded data'
    [ "$(ssd-whatif experiments list --format json | jq '[.[] | select(.own | not)] | length')" -eq "$embedded" ]
    store_is_whole "$DB"
}

@test "sensors: an exposure that any command accepts" {
    python3 - <<'PY'
with open("log.csv", "w") as out:
    out.write("time;Temp (°F);RH (%)\n")
    for m in range(600):
        temp = 60 if 120 <= m < 480 else 22.5
        out.write(f"2026-03-01 {m // 60:02d}:{m % 60:02d}:00;{32 + 1.8 * temp:.1f};{50 + 30 * (temp > 30)},5\n")
PY
    ssd-whatif import sensors log.csv -o exposure.json
    "$TESTS/schema/validate" exposure <exposure.json
    ssd-whatif import sensors log.csv --format json >import.json
    "$TESTS/schema/validate" import <import.json
    jq -e '.schema == "ssd-whatif/exposure/1" and .during.temp_c == 60 and .before.temp_c == 22.5 and .during.hours == 6' exposure.json
    ssd-whatif predict --nand tlc --exposure exposure.json --format json >answer.json
    jq -e '.scenario.exposure | .before.temp_c == 22.5 and .during.temp_c == 60 and .during.rh_pct == 80.5 and .during.hours == 6' answer.json
    run_split ssd-whatif predict --nand tlc --exposure log.csv
    expect_error 3 'not valid JSON'
    run_split ssd-whatif predict --nand tlc --exposure missing.json
    expect_error 1 "cannot open 'missing.json'"
}

@test "baseline: microseconds and MB/s that never fall from one percentile to the next" {
    ssd-whatif predict --nand tlc --op read --temp 22.5:60 --format json --quiet \
        --baseline "$FIXTURES/fio/fio-3.33.status-interval.json" >answer.json
    jq -e '[.tail_latency[].value_us] | . == sort and all(. > 0)' answer.json
    jq -e '.bandwidth.value_mbps > 0' answer.json
    run_split ssd-whatif predict --nand tlc --op write --temp 22.5:60 --quiet \
        --baseline "$FIXTURES/fio/fio-3.33.status-interval.json"
    expect_error 3 'did not measure write'
}

@test "an interrupted import leaves whole files" {
    mkdir runs
    for i in $(seq 400); do sed "s/1796058763298/17960587632$i/" "$FIXTURES/fio/fio-3.33.basic.json" >runs/$i.json; done
    ssd-whatif import fio runs/*.json --temp 60 --quiet >out 2>err &
    pid=$!
    sleep 0.3
    kill -INT "$pid" || :
    wait "$pid" || :
    store_is_whole "$DB"
    # three jobs per file: never a part of them
    n=$(ssd-whatif experiments list --own --format json | jq length)
    [ $((n % 3)) -eq 0 ] || fail "$n experiments"
}

@test "csv: the template can be read, a spreadsheet cannot" {
    ssd-whatif import csv --template >table.csv
    run_split ssd-whatif import csv table.csv
    expect_error 3 'a header and no row'
    printf 'PK\003\004' >table.xlsx
    run_split ssd-whatif import csv table.xlsx
    expect_error 3 'save the sheet as CSV'
}
