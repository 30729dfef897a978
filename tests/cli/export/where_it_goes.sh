# -o is written whole or not at all, whatever stood there; a full disk is an error either way.
f=$TESTS/fixtures/export
run() { ssd-whatif export mqsim --quiet --nand tlc --temp 22.5:60 --base "$f/mqsim.xml" "$@"; }
run -o one.xml && run >two.xml && cmp one.xml two.xml && echo "the same bytes"
run -o no/such/dir/out.xml || echo "exit code $?"
echo precious >kept
(ulimit -f 1 && trap '' XFSZ && run -o kept) || echo "exit code $?"
cat kept
ls
mkfifo pipe
cmp one.xml - <pipe && echo "the same bytes" &
run -o pipe
wait
[ -p pipe ] && echo "still a pipe"
run -o . || echo "exit code $?"
run >/dev/full || echo "exit code $?"
