# Each simulator's file, read back by an independent parser: xml.etree, configparser, bash, cpp and cc.
f=$TESTS/fixtures/export
hot="--nand tlc --temp 22.5:60"
predictions() { # predictions OPS PERCENTILES
    for op in $1; do ssd-whatif predict $hot --op $op --percentiles $2 --format json; done | jq -s . >predicted.json
}
check() { python3 "$TESTS/cli/export/read_back.py" "$@"; }
predictions "read write" 90
for t in "mqsim mqsim.xml" "simplessd simplessd.cfg" "femu femu.sh"; do
    set -- $t
    ssd-whatif export $1 $hot --base "$f/$2" -o out.$1
    check $1 "$f/$2" out.$1 predicted.json
    ssd-whatif export $1 $hot --base - <"$f/$2" | sed 's/standard input/BASE/' >again
    sed "s#$f/$2#BASE#" out.$1 | cmp - again
done
for ssd in SAMSUNG_970PRO ZNS_PROTOTYPE; do
    ssd-whatif export nvmevirt $hot --base-ssd $ssd --base "$f/ssd_config.h.txt" -o out.h
    ONLY=$ssd check nvmevirt "$f/ssd_config.h.txt" out.h predicted.json
done
echo "-- one operation, another percentile, the ends of the interval"
predictions read 99.9
ssd-whatif export mqsim $hot --op read --percentile 99.9 --bound high --base "$f/mqsim.xml" -o out.xml
check mqsim "$f/mqsim.xml" out.xml predicted.json high
predictions write 99
ssd-whatif export femu $hot --op write --percentile 99 --bound low --base "$f/femu.sh" -o out.sh
check femu "$f/femu.sh" out.sh predicted.json low
echo "-- only comment and numbers differ"
diff "$f/mqsim.xml" out.mqsim | grep '^[<>]' | grep -v '^>   ' | sed 's/[0-9]\{5,\}/N/'
echo "-- no exposure changes nothing"
ssd-whatif export simplessd --nand tlc --temp 22.5 --base "$f/simplessd.cfg" | sed '/^# ssd-whatif/,/^# format/d' | cmp - "$f/simplessd.cfg" && echo the same
mkdir "a*"
echo "-- a file name cannot end the comment"
for t in "mqsim mqsim.xml a--><x>--.xml" "nvmevirt ssd_config.h.txt a*/x.h" "femu femu.sh a
touch owned"; do
    target=${t%% *} rest=${t#* }
    name=${rest#* }
    cp "$f/${rest%% *}" "$name"
    ssd-whatif export $target $hot --op read $([ $target != nvmevirt ] || echo --base-ssd ZNS_PROTOTYPE) --base "$name" -o out.named
    sed -n '/base: /{s/.*base: //p;q}' out.named
done
predictions read 90
ssd-whatif export mqsim $hot --op read --base "a--><x>--.xml" -o out.named && check mqsim "$f/mqsim.xml" out.named predicted.json
