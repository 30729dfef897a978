#!/usr/bin/env bats
# Studies and their results against their schemas.

load ../common

valid() { "$TESTS/schema/validate" "$1" <"$2" || fail "$2 is not a document of $1"; }

@test "array: the study and its result, in every state and level" {
    study=$TESTS/fixtures/studies/array-hot-slot.json
    valid raid-study "$study"
    for change in '.' '.level = 0' '.level = 6' '.read_frac = 1 | .hedge_us = 400' '.level = 10 | .members[1].count = 2' \
        '.level = 1 | .members = [.members[1]] | .members[0].count = 2' '.state = "degraded" | .failed = [0]' \
        '.state = "rebuilding" | .failed = [4] | .rebuild_frac = 0.4' '.members[].baseline = {profile: "mlc"}'; do
        jq "$change" "$study" >study.json
        valid raid-study study.json
        ssd-whatif raid study.json --format json >out.json
        valid raid-result out.json
        jq -e '[.latency[][]] | all(.low_us <= .after_us and .after_us <= .high_us)' out.json
    done
}

@test "tiers: the study and its result" {
    study=$TESTS/fixtures/studies/tiers-two-sites.json
    valid tiering-study "$study"
    for options in "" "--robust"; do
        # shellcheck disable=SC2086
        ssd-whatif raid "$study" $options --format json >out.json
        valid tiering-result out.json
    done
}

@test "the schemas refuse what the command refuses" {
    study=$TESTS/fixtures/studies/array-hot-slot.json
    for change in '.level = 4' '.rho = 1' '.spare = 1' '.members = []' 'del(.members[0].baseline)' '.percentiles = [100]' \
        '.members[0].scenario.nand = "plc"' '.members[1].scenario.exposure.during.temp_c = 500'; do
        jq "$change" "$study" >study.json
        refute "$TESTS/schema/validate" raid-study <study.json
        refute ssd-whatif raid study.json
    done
}
