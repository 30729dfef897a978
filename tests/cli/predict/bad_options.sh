# One line that says what, where and what is allowed; exit code 2.
. "$TESTS/cli/try.sh"
try ssd-whatif predict --bogus
try ssd-whatif predict --temp
try ssd-whatif predict --temp warm
try ssd-whatif predict --temp 25:
try ssd-whatif predict --temp 25:60:25:60
try ssd-whatif predict --temp 500
try ssd-whatif predict --temp=-300
try ssd-whatif predict --temp nan
try ssd-whatif predict --rh 130
try ssd-whatif predict --rh=-1
try ssd-whatif predict --vib sideways
try ssd-whatif predict --vib parallel@
try ssd-whatif predict --vib parallel@0
try ssd-whatif predict --nand plc
try ssd-whatif predict --op erase
try ssd-whatif predict --phase later
try ssd-whatif predict --hours=-1
try ssd-whatif predict --percentiles 101
try ssd-whatif predict --percentiles ''
try ssd-whatif predict --percentiles 99,,99.9
try ssd-whatif predict --confidence 1.5
try ssd-whatif predict --pe-cycles many
try ssd-whatif predict --capacity 0
try ssd-whatif predict --top-k 0
try ssd-whatif predict --top-k 3.5
try ssd-whatif predict --format yaml
try ssd-whatif predict --engine guess
try ssd-whatif predict stray
