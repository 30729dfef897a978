#!/usr/bin/env bats
# make install, make uninstall, and the checks of make check.

load ../common

@test "what make install puts there works from there, and make uninstall takes all of it away" {
    command -v help2man >/dev/null || skip "help2man is not installed"
    cd "$TESTS/.."
    at="$BATS_TEST_TMPDIR/stage"
    make -s BUILD="$BUILD" man lib >/dev/null
    make -s BUILD="$BUILD" DESTDIR="$at" PREFIX=/opt/what-if install >"$BATS_TEST_TMPDIR/list"
    [ "$(find "$at" -type f | sort)" = "$(sort "$BATS_TEST_TMPDIR/list")" ]
    [ "$(stat -c %a "$at/opt/what-if/bin/ssd-whatif")" = 755 ]
    "$at/opt/what-if/bin/ssd-whatif" sweep "$at/opt/what-if/share/ssd-whatif/examples/example-grid.json" | grep -q tail_latency
    jq -e . "$at/opt/what-if/share/ssd-whatif/schema/"{sweep,raid-study,tiering-study}.json >"$BATS_TEST_TMPDIR/schemas"
    cd /
    "$at/opt/what-if/bin/ssd-whatif" predict --nand tlc --temp 25:60 --format json | jq -e .schema
    man -l "$at/opt/what-if/share/man/man1/ssd-whatif-predict.1" 2>/dev/null | grep -q . ||
        grep -q '^.TH SSD-WHATIF-PREDICT' "$at/opt/what-if/share/man/man1/ssd-whatif-predict.1"
    cd "$TESTS/.."
    make -s BUILD="$BUILD" DESTDIR="$at" PREFIX=/opt/what-if uninstall
    [ -z "$(find "$at" -type f)" ]
}

@test "elsewhere than Debian make deps names each missing part in one line" {
    # A PATH with a shell, a compiler and little else: no dpkg, no apt.
    mkdir bin
    for tool in sh sed cut cat dirname make cc gcc as ld nproc; do ln -s "$(command -v $tool)" bin/; done
    status=0
    PATH="$PWD/bin" "$TESTS/../.ci/deps" test >out 2>err || status=$?
    [ "$status" -eq 1 ]
    grep -q '^missing: .*(bats; Debian package bats)$' err
    refute grep -qv '^missing: ' err
    [ "$(sort err | uniq -d | wc -l)" -eq 0 ]
}

@test "make deps finds nothing missing here" {
    run_split "$TESTS/../.ci/deps" run test
    [ "$status" -eq 0 ]
    [ ! -s out ]
}

# The sources with one mistake each; the finding must name it.
planted() { # FILE LINE TEXT
    printf '%s\n' "$2" >>"$1"
    run_split env SKIP_BUILD=1 .ci/check
    git checkout -q -- "$1"
    [ "$status" -eq 1 ] || fail "not found: $2"
    grep -q "^$1:.*$3" out || fail "no finding '$3'"
}

@test "make check finds what it is there for" {
    git -C "$TESTS/.." rev-parse --git-dir >/dev/null 2>&1 || skip "not a git checkout"
    git clone -q "$TESTS/.." copy
    cp "$TESTS/../.ci/check" copy/.ci/check
    cd copy
    planted core/units.c '#include "knowledge/store.h"' 'layer rule'
    planted prompts/prompt.h '#include "knowledge/store.h"' 'layer rule'
    planted core/units.c '#include "units.h"' 'from the root'
    planted core/units.c '#include <sqlite3.h>' 'third-party'
    planted core/units.h '#include <cjson/cJSON.h>' 'third-party'
    planted core/units.c 'int bad(char *s) { return atoi(s); }' 'forbidden call'
    planted core/units.c 'void bad(void) { printf("x"); }' 'below cli'
    planted core/units.c 'void *bad(void) { return stderr; }' 'neither stdout nor stderr'
    planted core/units.c 'int  bad ( void );' 'clang-format'
    planted core/units.h 'struct bad { uintmax_t n; };' 'complete on its own'
    # In comments and strings all of it may stand.
    printf '%s\n' '/* atoi(s), printf("x"), stderr */' >>core/units.c
    env SKIP_BUILD=1 .ci/check >out || :
    refute grep -q '^core/units.c:' out
}
