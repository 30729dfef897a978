#!/usr/bin/env bats
# What is handed in: what cannot be opened is 1, what is no file is 3, nothing is waited for.

load ../common

FIXTURES=$TESTS/fixtures

# each_reader NAME CHECK...: CHECK after every command that reads a file of that name.
each_reader() {
    local name=$1
    shift
    for kind in fio smartctl nvme csv sensors; do
        run_split timeout 20 ssd-whatif import "$kind" "$name"
        "$@" || fail "import $kind $name"
    done
    for command in "import fio $FIXTURES/fio/fio-3.33.basic.json --baseline" "import fio $FIXTURES/fio/fio-3.33.basic.json --smart" \
        'predict --temp 60 --baseline' 'predict --exposure' 'export mqsim --temp 60 --base' 'sweep' \
        'sweep list.json --list' 'raid' 'principles add'; do
        # shellcheck disable=SC2086
        run_split timeout 20 ssd-whatif $command "$name"
        "$@" || fail "$command $name"
    done
}

@test "a directory, a FIFO, a device: exit code 3, at once, and nothing is stored" {
    echo '{"schema":"ssd-whatif/sweep/1","design":"list"}' >list.json
    mkdir directory
    each_reader directory expect_error 3 "'directory' is a directory, a file is needed"
    mkfifo fifo
    each_reader fifo expect_error 3 "'fifo' is a FIFO; pipe it into '-' instead"
    each_reader /dev/zero expect_error 3 "'/dev/zero' is a device"
    [ "$(ssd-whatif experiments list --own --format json | jq length)" -eq 0 ]
}

@test "a missing file, a loop of links: exit code 1" {
    echo '{"schema":"ssd-whatif/sweep/1","design":"list"}' >list.json
    ln -s loop loop
    each_reader missing expect_error 1 "cannot open 'missing': No such file"
    each_reader loop expect_error 1 "cannot open 'loop': Too many levels"
}

@test "every kind reads standard input, from a pipe and from a file" {
    one_experiment() {
        jq -e '.n_added == 1 and .files[0].file == "standard input"' out >/dev/null || fail "$1 from $2"
        ssd-whatif experiments remove "$(jq -r '.files[0].experiments' out)"
    }
    while read -r kind file; do
        for from in pipe file; do
            if [ $from = pipe ]; then
                # shellcheck disable=SC2002
                cat "$FIXTURES/$file" | ssd-whatif import "$kind" - --temp 60 --quiet --format json >out
            else
                ssd-whatif import "$kind" - --temp 60 --quiet --format json <"$FIXTURES/$file" >out
            fi
            one_experiment "$kind" $from
        done
    done <<-'END'
		fio fio/fio-3.33.status-interval.json
		smartctl smart/smartctl-7.3-nvme.json
		nvme smart/nvme-1.12-kelvin.json
		csv own-tlc-60c.csv
	END
    printf 'time,temp\n0,20\n60,21\n120,22\n' | ssd-whatif import sensors - --quiet >exposure.json
    jq -e '.during.temp_c == 21' exposure.json
}

@test "a table from a pipe is known again, also as a file, and half a table stores nothing" {
    # shellcheck disable=SC2002
    cat "$FIXTURES/own-tlc-60c.csv" | ssd-whatif import csv - --quiet
    ssd-whatif import csv "$FIXTURES/own-tlc-60c.csv" --format json >again.json
    jq -e '.n_added == 0 and .files[0].outcome == "already imported"' again.json
    n=$(ssd-whatif experiments list --own --format json | jq length)
    { cat "$FIXTURES/own-tlc-60c.csv" | sed 's/^own/other/'; printf 'x,"'; } >broken.csv
    run_split ssd-whatif import csv - <broken.csv
    expect_error 3 'standard input:'
    [ "$(ssd-whatif experiments list --own --format json | jq length)" -eq "$n" ]
}

@test "a table is CSV: --format json is refused where it does not apply" {
    run_split ssd-whatif import csv --template --format json
    expect_error 2 'template is CSV'
    run_split ssd-whatif experiments export --format json
    expect_error 2 'experiments export writes CSV'
    ssd-whatif import csv --template --format csv >a
    ssd-whatif import csv --template >b
    cmp a b
    ssd-whatif experiments export --format csv >a
    ssd-whatif experiments export >b
    cmp a b
}
