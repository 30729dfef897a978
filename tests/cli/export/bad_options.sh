. "$TESTS/cli/try.sh"
f=$TESTS/fixtures/export
cp "$f/mqsim.xml" "$f/osd-tree.json" .
try ssd-whatif export
try ssd-whatif export mqsim femu
try ssd-whatif export disksim --base mqsim.xml
try ssd-whatif export mqsim --temp 60
try ssd-whatif export mqsim --temp 60 --base mqsim.xml --set Page_Read_Latency_LSB=1us
try ssd-whatif export mqsim --temp 500 --base mqsim.xml
try ssd-whatif export mqsim --temp 60 --base mqsim.xml --percentile 101
try ssd-whatif export mqsim --temp 60 --base mqsim.xml --bound middle
try ssd-whatif export mqsim --temp 60 --base mqsim.xml --osd 3
try ssd-whatif export mqsim --temp 60 --base mqsim.xml --base-ssd MI
try ssd-whatif export csv --temp 60 --set read.p99=1us --percentile 99
try ssd-whatif export femu --temp 60 --set pg_rd_lat=40parsec
try ssd-whatif export femu --temp 60 --set pg_rd_lat=40ly
try ssd-whatif export femu --temp 60 --set pg_rd_lat
try ssd-whatif export femu --temp 60 --set pg_rd_lat=fast
try ssd-whatif export femu --temp 60 --set pg_rd_lat=-1us
try ssd-whatif export femu --temp 60 --set pg_rd_lat=nan
try ssd-whatif export femu --temp 60 --op read --set pg_rd_lat=0.5ns
try ssd-whatif export femu --temp 60 --op read --set pg_rd_lat=3s
try ssd-whatif export femu --temp 60 --set erase=1us
try ssd-whatif export femu --temp 60 --set pg_rd_lat=1us --set pg_rd_lat=2us
try ssd-whatif export femu --temp 60 --op read --set pg_rd_lat=0
try ssd-whatif export fio --temp 60 --set p99=1us
try ssd-whatif export fio --temp 60 --op read --set p99=0us
try ssd-whatif export fio --temp 60 --set read.p100.5=1us
try ssd-whatif export csv --temp 60 --op read --set p99=1us --set read.p99.0=2us
try ssd-whatif export csv --temp 60 --op read --set write.p99=2us
try ssd-whatif export csv --temp 60 --set read.p99=2us --format json
try ssd-whatif export ceph --temp 60 --op write --set osd.1=1
try ssd-whatif export ceph --temp 60 --set osd.1=2
try ssd-whatif export ceph --temp 60 --set osd.x=1
try ssd-whatif export ceph --temp 60 --set osd.1=1us
try ssd-whatif export ceph --temp 60 --base osd-tree.json
try ssd-whatif export ceph --temp 60 --base osd-tree.json --osd 9
try ssd-whatif export ceph --temp 60 --base osd-tree.json --osd 1,
