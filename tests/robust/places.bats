#!/usr/bin/env bats
# Where the store may or may not be.

load ../common

# expect_memory: an answer, and one note that it came from memory.
expect_memory() {
    [ "$status" -eq 0 ] || fail "exit code $status"
    "$TESTS/schema/validate" prediction <out
    [ "$(wc -l <err)" -eq 1 ] || fail "stderr is not one line"
    grep -qiE '^ssd-whatif: note: .*memory' err || fail "no note of the memory"
}

@test "a read-only home: the answer comes from memory, with one note" {
    if can_mount; then
        run_split with_mount ro "$HOME" "${PREDICT[@]}"
    elif [ "$(id -u)" -eq 0 ]; then
        skip "root writes anywhere, and nothing can be mounted here"
    else
        chmod 500 "$HOME"
        run_split "${PREDICT[@]}"
        chmod 700 "$HOME"
    fi
    expect_memory
}

@test "a home that does not exist and cannot be created: memory, one note" {
    HOME=/proc/nobody run_split "${PREDICT[@]}"
    expect_memory
}

@test "HOME not set: memory, one note" {
    run_split env -u HOME "${PREDICT[@]}"
    expect_memory
}

@test "--quiet keeps the note back" {
    HOME=/proc/nobody run_split "${PREDICT[@]}" --quiet
    [ "$status" -eq 0 ]
    [ ! -s err ]
}

@test "an in-memory answer is the same as a stored one" {
    "${PREDICT[@]}" >stored
    HOME=/proc/nobody "${PREDICT[@]}" --quiet >memory
    cmp stored memory
}

@test "what must be saved fails where nothing can be saved" {
    printf -- '---\n' >mine.txt
    HOME=/proc/nobody run_split ssd-whatif principles add mine.txt
    [ "$status" -ne 0 ]
    [ ! -s out ]
}

@test "--db wins over SSD_WHATIF_DB, and that over XDG_DATA_HOME" {
    export XDG_DATA_HOME="$PWD/xdg"
    "${PREDICT[@]}" >/dev/null
    [ -f xdg/ssd-whatif/knowledge.db ]
    export SSD_WHATIF_DB="$PWD/variable.db"
    "${PREDICT[@]}" >/dev/null
    [ -f variable.db ]
    "${PREDICT[@]}" --db "$PWD/option.db" >/dev/null
    [ -f option.db ]
}

@test "a --db in a folder that does not exist is an error, exit code 1" {
    run_split "${PREDICT[@]}" --db "$PWD/no/such/k.db"
    expect_error 1 'no/such'
}

@test "a folder as --db is an error, exit code 1" {
    mkdir folder.db
    run_split "${PREDICT[@]}" --db "$PWD/folder.db"
    expect_error 1 'folder.db'
}

# A file that is not ours is refused and left as it was, byte for byte.
refused_untouched() { # FILE TEXT
    before=$(sha256sum "$1")
    run_split "${PREDICT[@]}" --db "$1"
    expect_error 3 "$2"
    grep -q "${1##*/}" err || fail "the file is not named"
    [ "$(sha256sum "$1")" = "$before" ] || fail "$1 was changed"
    [ ! -e "$1-wal" ] && [ ! -e "$1-journal" ] || fail "something was left beside $1"
}

@test "a foreign SQLite database is refused and not touched" {
    sqlite3 foreign.db 'create table photos(id integer primary key, name text); insert into photos values (1, 2)'
    refused_untouched "$PWD/foreign.db" 'not|database'
}

@test "a foreign database that uses our application's table names is refused" {
    sqlite3 foreign.db 'create table experiment(x); create table observation(y); create table meta(key, value)'
    refused_untouched "$PWD/foreign.db" 'not|database'
}

@test "a file that is no database is refused and not touched" {
    head -c 50000 /dev/urandom >garbage.db
    refused_untouched "$PWD/garbage.db" 'not|database'
}

@test "a text file is refused and not touched" {
    echo 'a shopping list' >list.db
    refused_untouched "$PWD/list.db" 'not|database'
}

@test "a store of a newer schema is refused, and the message says that it is newer" {
    "${PREDICT[@]}" --db "$PWD/k.db" >/dev/null
    sqlite3 k.db 'pragma wal_checkpoint(truncate)' >/dev/null
    version=$(sqlite3 k.db 'pragma user_version')
    sqlite3 k.db "pragma journal_mode = delete; pragma user_version = $((version + 1000))" >/dev/null
    refused_untouched "$PWD/k.db" 'newer'
}

@test "a store cut in half is refused or rebuilt, never answered from" {
    "${PREDICT[@]}" --db "$PWD/k.db" >want
    sqlite3 k.db 'pragma wal_checkpoint(truncate); pragma journal_mode = delete' >/dev/null
    truncate -s $(($(stat -c %s k.db) / 2 / 4096 * 4096)) k.db
    run_split "${PREDICT[@]}" --db "$PWD/k.db"
    expect_error 3 'k.db'
}

@test "too little address space is told at once" {
    # Sanitizers need terabytes.
    bash -c 'ulimit -v 260000 && exec ssd-whatif --version' >/dev/null 2>&1 || skip 'the program does not start within any limit'
    for kb in 60000 100000 150000; do
        run_split bash -c "ulimit -v $kb && exec timeout 20 ssd-whatif predict --nand tlc --temp 60"
        expect_error 1 'ulimit -v. leaves less than 144 MB'
    done
    run_split bash -c "ulimit -v 60000 && exec ssd-whatif --version"
    [ "$status" -eq 0 ]
    run_split bash -c "ulimit -v 260000 && exec timeout 60 ssd-whatif fit"
    [ "$status" -eq 0 ]
}
