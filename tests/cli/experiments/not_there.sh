. "$TESTS/cli/try.sh"
try ssd-whatif experiments show no-such-experiment
try ssd-whatif experiments
try ssd-whatif experiments eat
