. "$TESTS/cli/try.sh"
try ssd-whatif principles show no-such-principle
try ssd-whatif principles remove no-such-principle
try ssd-whatif principles add no-such-file.txt
try ssd-whatif principles
