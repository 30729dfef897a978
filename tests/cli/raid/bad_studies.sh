. "$TESTS/cli/try.sh"
array=$TESTS/fixtures/studies/array-hot-slot.json
tiers=$TESTS/fixtures/studies/tiers-two-sites.json
bad() { # bad BASE FILTER: a study changed by a jq filter
    jq "$2" "$1" >study.json
    try ssd-whatif raid study.json
}
bad "$array" '.level = 6 | .members = .members[1:] | .members[0].count = 3'
bad "$array" '.level = 4'
bad "$array" '.stripe_unit_kib = 0'
bad "$array" '.rho = 1'
bad "$array" '.rho = -0.1'
bad "$array" '.request_kib = 1000'
bad "$array" '.state = "degraded"'
bad "$array" '.failed = [7] | .state = "degraded"'
bad "$array" '.failed = [0, 1] | .state = "degraded"'
bad "$array" '.hedge_us = 500 | .request_kib = 128'
bad "$array" '.percentiles = [100]'
bad "$array" '.spare = 1'
bad "$array" '.members = []'
bad "$array" '.members[0].baseline.read.percentiles."99" = 100'
bad "$array" '.members[0].baseline.read.percentiles = {"50": 80}'
bad "$array" '.members[0].baseline.write.percentiles."50" = 0'
bad "$array" '.members[0].baseline = {"profile": "plc"}'
bad "$array" '.members[1].scenario.exposure.during.temp_c = 500'
bad "$array" '.members[0].scenario.nand = "plc"'
bad "$tiers" '.workloads[0].capacity_gb = 9000'
bad "$tiers" '.workloads[0].sites = ["moon"]'
bad "$tiers" '.workloads[0].slo_us = 0'
bad "$tiers" '.drives = []'
bad "$tiers" '.schema = "ssd-whatif/tiers/9"'
echo '{"schema": ' >study.json
try ssd-whatif raid study.json
try ssd-whatif raid no-such-file.json
try ssd-whatif raid
