#!/bin/bash
# llm_torture.sh KILLS: kills the program with SIGKILL at random moments of runs of 200 calls against
# the fault server. After each kill: every committed reply is readable and none was committed twice,
# and the server has seen at most one request per kill beyond the committed ones (the one in flight).
# BUILD names the build folder; SEED the sequence of moments.
set -u
kills=$1
RANDOM=${SEED:-1}
: "${BUILD:?the build folder}"
dir=$(mktemp -d)
trap 'exec 9>&-; wait; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export PATH="$BUILD:$PATH" HOME="$dir" OPENAI_API_KEY=key-of-the-torture SSD_WHATIF_MODEL=m
export SSD_WHATIF_DB="$dir/store.db"
mkfifo stop
"$BUILD/tests/fault_server" <stop >ports &
exec 9>stop
for _ in {1..200}; do [ -s ports ] && break; sleep 0.05; done
read -r port _ <ports
server="http://127.0.0.1:$port"
ask() { # SEED; becomes the program, so that the kill hits it and not a shell around it
    exec env OPENAI_BASE_URL="$server/slow/run$1/v1" ssd-whatif predict --engine llm --samples 200 --seed "$1" \
        --nand tlc --op read --temp 22.5:60 --percentiles 99,99.9 --format json
}
requests() { curl -s --noproxy '*' "$server/_count/run$1"; }
committed() { sqlite3 "$SSD_WHATIF_DB" "select count(*) from replies where endpoint like '%/run$1/%'"; }
fail() { echo "llm_torture: $*" >&2; exit 1; }

ssd-whatif predict --nand tlc >/dev/null 2>&1 || fail "no store"
run=0 in_run=0 repeated=0 finished=0 total=0
for ((k = 1; k <= kills; k++)); do
    ask "$run" >out 2>/dev/null &
    pid=$!
    sleep "$(printf '0.%03d' $((20 + RANDOM % 400)))"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    in_run=$((in_run + 1))
    sent=$(requests "$run") kept=$(committed "$run")
    [ "$((sent - kept))" -ge 0 ] || fail "kill $k: $kept replies kept of $sent requests"
    [ "$((sent - kept))" -le "$in_run" ] || fail "kill $k: $sent requests for $kept kept replies after $in_run kills"
    [ "$(sqlite3 "$SSD_WHATIF_DB" 'select count(*) - count(distinct key) from replies')" -eq 0 ] ||
        fail "kill $k: a committed reply was asked for again"
    if [ "$kept" -ge 200 ] || [ "$in_run" -ge 40 ]; then
        (ask "$run") >out 2>err || fail "run $run does not finish: $(tail -1 err)"
        jq -e '.llm.usable_samples == 200' out >/dev/null || fail "run $run lost replies"
        sent=$(requests "$run")
        [ "$sent" -le $((200 + in_run)) ] || fail "run $run: $sent requests"
        repeated=$((repeated + sent - 200)) total=$((total + 200)) finished=$((finished + 1))
        run=$((run + 1000)) in_run=0
    fi
done
[ "$(sqlite3 "$SSD_WHATIF_DB" 'pragma integrity_check')" = ok ] || fail "the store is damaged"
unreadable=$(sqlite3 "$SSD_WHATIF_DB" "select count(*) from replies where json_valid(cast(response as text)) = 0")
[ "$unreadable" -eq 0 ] || fail "$unreadable committed replies are unreadable"
kept=$(sqlite3 "$SSD_WHATIF_DB" 'select count(*) from replies')
echo "$kills kills, $kept replies kept, $finished runs finished, $repeated of $total calls sent twice"
