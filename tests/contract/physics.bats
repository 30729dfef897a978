#!/usr/bin/env bats
# The physics command: its JSON, and every model on its own example.

load ../common

# Parameters without a verified figure must be given.
needed() {
    case $1 in
    peck) echo "--n 2.7 --ea-ev 0.75" ;;
    steinberg) echo "--b 6.4" ;;
    esac
}

@test "list names every model, each with equation, validity and sourced parameters" {
    ssd-whatif physics list --format json >list
    "$TESTS/schema/validate" physics-list <list
    jq -e 'length >= 20' list
    jq -e 'all(.[].parameters[].figures[]; .source != "" or .id == "")' list
}

@test "every model computes and prints all three formats" {
    for model in $(ssd-whatif physics list --format json | jq -r '.[].name'); do
        # shellcheck disable=SC2046
        ssd-whatif physics "$model" $(needed "$model") --format json >out
        "$TESTS/schema/validate" physics <out || fail "$model"
        jq -e 'all(.rows[].outputs[]; .low == null or (.low <= .value and .value <= .high))' out
        # shellcheck disable=SC2046
        ssd-whatif physics "$model" $(needed "$model") --quiet >table
        # shellcheck disable=SC2046
        [ "$(ssd-whatif physics "$model" $(needed "$model") --quiet --format csv | wc -l)" -eq 2 ]
        [ "$(wc -L <table)" -le 80 ] || fail "$model is wider than 80 columns"
        ssd-whatif physics "$model" --help >help
    done
}

@test "every source of a figure is a stored source" {
    ssd-whatif physics list --format json |
        jq -r '.[] | (.parameters[].figures[], .constants[]) | .source | select(. != "")' | sort -u >named
    tail -n +2 "$TESTS/../data/sources.csv" | cut -d, -f1 | sort -u >known
    [ -s named ]
    [ -z "$(comm -23 named known)" ] || fail "unknown: $(comm -23 named known)"
}
