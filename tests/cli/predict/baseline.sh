# A baseline of reads alone is about reads where no operation is named; with it the table still fits 80 columns.
. "$TESTS/cli/try.sh"
fio --name=r --rw=randread --bs=4k --size=4m --ioengine=psync --filename=scratch --output-format=json --output=r.json >/dev/null
ssd-whatif predict --temp 60 --baseline r.json -p 99,99.9999 2>/dev/null >table
sed -n 's/^Understood: //p' table
grep -c 'MB/s$' table
wc -L <table | awk '{ print ($1 <= 80) ? "fits" : "too wide: " $1 }'
ssd-whatif predict --temp 60 --baseline r.json -q -p 99,99.9999 --format json 2>/dev/null | jq -r '.warnings[] | select(test("baseline")) | sub("\\(.*\\)"; "(n)") | sub("[0-9.]+ to [0-9.]+"; "a to b")'
try ssd-whatif predict --op write --temp 60 --baseline r.json -q 2>&1 | grep -v note:
