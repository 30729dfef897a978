. "$TESTS/cli/try.sh"
try ssd-whatif search
try ssd-whatif search a b
try ssd-whatif search heat --method magic
try ssd-whatif search heat --top-k -1
