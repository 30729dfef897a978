# A fio run with reads and writes is a baseline; one of reads alone is refused.
. "$TESTS/cli/try.sh"
bad() {
    jq --arg f "$1" '.members[].baseline = {fio: $f}' "$TESTS/fixtures/studies/array-hot-slot.json" >study.json
    code=0
    ssd-whatif raid study.json --format json >out.json 2>err || code=$?
    echo "exit code $code"
    sed "s#$TESTS##g" err
}
fio --name=rw --rw=randrw --bs=4k --size=4m --ioengine=psync --filename=scratch --output-format=json --output=rw.json >/dev/null
bad rw.json
jq '.latency.read | length > 0' out.json
fio --name=r --rw=randread --bs=4k --size=4m --ioengine=psync --filename=scratch --output-format=json --output=r.json >/dev/null
bad r.json
bad no-such-file.json
