. "$TESTS/cli/try.sh"
try ssd-whatif fit --output fit.csv
head -1 fit.csv
cut -d, -f1,2 fit.csv | sed -n 2,4p
try ssd-whatif fit
ssd-whatif predict --nand tlc --temp 60 --quiet --format json | jq .engine
