# "One drive per cell type was measured" is said while that is so, and not of a type with drives of the user's own.
said() { ssd-whatif predict --nand "$1" --temp 60 --format json -q | jq '[.domain.reasons[] | select(test("one drive per cell type"))] | length'; }
said tlc
ssd-whatif import csv "$TESTS/fixtures/own-tlc-60c.csv" -q >/dev/null
said tlc
said mlc
