# Loaded by every .bats file: the program on PATH, a home of its own, nothing of the caller's settings.
: "${BUILD:?the build folder; run through make test}"
TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

setup() {
    while read -r name; do unset "$name"; done < <(compgen -e | grep -E '^(XDG_|OPENAI_|SSD_WHATIF_|NO_COLOR)')
    export PATH="$BUILD:$PATH" HOME="$BATS_TEST_TMPDIR/home" LC_ALL=C.UTF-8 TZ=UTC
    mkdir -p "$HOME"
    DB="$HOME/.local/share/ssd-whatif/knowledge.db"
    cd "$BATS_TEST_TMPDIR" || return 1
}

PREDICT=(ssd-whatif predict --nand tlc --op read --temp 25:60 --format json)

# run_split COMMAND...: like bats' run, with stdout in ./out, stderr in ./err, the code in $status.
run_split() {
    status=0
    "$@" >out 2>err || status=$?
}

fail() {
    echo "$*"
    for f in out err; do
        if [ -s "$f" ]; then echo "-- $f"; head -c 2000 "$f"; fi
    done
    return 1
}

# refute COMMAND...: the command must fail (a plain `!` does not end a bats test).
refute() {
    if "$@"; then fail "should not succeed: $*"; fi
}

# expect_error CODE TEXT: that exit code, nothing on stdout, one line on stderr that holds TEXT.
expect_error() {
    [ "$status" -eq "$1" ] || fail "exit code $status, not $1"
    [ ! -s out ] || fail "something on stdout"
    [ "$(grep -vc '^ssd-whatif: note: ' err)" -eq 1 ] || fail "stderr is not one line"
    grep -q '^ssd-whatif: ' err || fail "stderr does not name the program"
    grep -qiE -- "$2" err || fail "stderr does not say '$2'"
}

# store_is_whole DB: SQLite finds nothing wrong with it.
store_is_whole() {
    [ "$(sqlite3 "$1" 'pragma integrity_check')" = ok ] || fail "integrity_check of $1"
    [ -z "$(sqlite3 "$1" 'pragma foreign_key_check')" ] || fail "foreign_key_check of $1"
}

# store_counts DB: every table of ours with its number of rows.
store_counts() {
    sqlite3 "$1" "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by 1" |
        while read -r table; do echo "$table $(sqlite3 "$1" "select count(*) from \"$table\"")"; done
}

# with_mount OPTIONS DIR COMMAND...: the command with a tmpfs of these options on DIR, that only it sees.
with_mount() {
    local options=$1 dir=$2
    shift 2
    unshare --mount --propagation private sh -c '
        mount -t tmpfs -o "$1" none "$2" || exit 99
        shift 2
        exec "$@"' sh "$options" "$dir" "$@"
}

can_mount() {
    [ "$(id -u)" -eq 0 ] && with_mount size=4k "$HOME" true 2>/dev/null
}

# start_fault_server, from setup_file: tests/fault_server.c on HTTP_PORT, RAW_PORT and FULL_PORT, with the
# texts of its scenario "say" in $SERVER_DIR, beside a store.db that cases copy instead of making one.
start_fault_server() {
    export SERVER_DIR="$BATS_FILE_TMPDIR"
    mkfifo "$SERVER_DIR/stop"
    "$BUILD/tests/fault_server" "$SERVER_DIR" <"$SERVER_DIR/stop" >"$SERVER_DIR/ports" &
    exec 9>"$SERVER_DIR/stop"
    for _ in {1..100}; do [ -s "$SERVER_DIR/ports" ] && break; sleep 0.05; done
    read -r HTTP_PORT RAW_PORT FULL_PORT <"$SERVER_DIR/ports"
    export HTTP_PORT RAW_PORT FULL_PORT
    PATH="$BUILD:$PATH" ssd-whatif predict --db "$SERVER_DIR/store.db" --nand tlc >/dev/null 2>&1
}

stop_fault_server() {
    exec 9>&-
}

# use_server SCENARIO CASE: the settings for it.
use_server() {
    export OPENAI_API_KEY=secret-key-of-the-test SSD_WHATIF_MODEL=m OPENAI_BASE_URL="http://127.0.0.1:$HTTP_PORT/$1/$2/v1"
}

# copy_store: the store that start_fault_server made, as one of this case's own.
copy_store() {
    for f in "$SERVER_DIR"/store.db*; do cp "$f" "./${f##*/}"; done
    export SSD_WHATIF_DB="$PWD/store.db"
}

# requests CASE: how many the server has seen; last_request CASE: the body of the newest.
requests() {
    curl -s --noproxy '*' "http://127.0.0.1:$HTTP_PORT/_count/$1"
}
last_request() {
    curl -s --noproxy '*' "http://127.0.0.1:$HTTP_PORT/_last/$1"
}
