#!/usr/bin/env bats
# The library as others use it: installed, found by pkg-config, one header, its exports.

load ../common

stage() {
    STAGE="$BATS_FILE_TMPDIR/stage"
    if [ ! -d "$STAGE" ]; then
        make -s -C "$TESTS/.." BUILD="$BUILD" DESTDIR="$STAGE" PREFIX=/usr lib-install >/dev/null
    fi
    export PKG_CONFIG_SYSROOT_DIR="$STAGE" PKG_CONFIG_PATH="$STAGE/usr/lib/pkgconfig"
    export LD_LIBRARY_PATH="$STAGE/usr/lib"
    SANITIZE=
    if nm -D "$STAGE/usr/lib/libssdwhatif.so" | grep -q __asan_init; then
        SANITIZE=-fsanitize=address,undefined
    fi
}

# with_library COMMAND...: a program that was not built with the sanitizers of the library loads them first.
with_library() {
    if [ -n "$SANITIZE" ]; then
        ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(cc -print-file-name=libasan.so) "$@"
    else
        "$@"
    fi
}

# build NAME [FLAG...]: an example with what pkg-config says and all warnings.
build() {
    local name=$1
    shift
    # shellcheck disable=SC2046,SC2086
    cc -std=c11 -Wall -Wextra -Werror -o "$name" "$TESTS/examples/$name.c" "$@" $SANITIZE \
        $(pkg-config --cflags --libs ssdwhatif) -lpthread -lm
}

@test "one prediction: the answer is the command's" {
    stage
    build one_prediction
    ./one_prediction "p99.99 of a TLC SSD at 60 C" >out
    ssd-whatif ask "p99.99 of a TLC SSD at 60 C" --format json | cmp - out
    refute ./one_prediction "how is the weather" 2>err
    grep -q . err
}

@test "a sweep on two threads gives what one question at a time gives" {
    stage
    build sweep_two_threads
    ./sweep_two_threads >out
    [ "$(wc -l <out)" -eq 36 ]
    want=$(ssd-whatif predict --nand tlc --temp 40 --percentiles 99 --format json |
        jq -r '.tail_latency[0].change_pct')
    got=$(sed -n 's/^40 C: p99 \(.*\) %$/\1/p' out)
    [ "$(echo "d = $want - (${got#+}); if (d < 0) d = -d; d < 0.01" | bc)" -eq 1 ]
}

@test "an array percentile" {
    stage
    build array_percentile
    ./array_percentile >out
    grep -qE '^p99.9 of a full-stripe read: [0-9]+ us$' out
}

@test "the same from Python" {
    stage
    [ "$(wc -l <"$TESTS/examples/predict.py")" -le 20 ]
    with_library python3 "$TESTS/examples/predict.py" "p99 of an MLC SSD at 50 C" >out
    grep -qE '^p99 [-+]' out
    grep -qE '^(inside|edge|outside)$' out
}

@test "the shared library exports wi_ names, and just those of its header" {
    stage
    nm -D --defined-only "$STAGE/usr/lib/libssdwhatif.so" | awk '$2 != "A" {print $3}' |
        sed 's/@.*//' | sort >exported
    refute grep -v '^wi_' exported
    [ "$(wc -l <exported)" -gt 50 ]
    while read -r name; do
        grep -q "\b$name(" "$STAGE/usr/include/ssdwhatif.h" || fail "$name is not in the header"
    done <exported
    readelf -d "$STAGE/usr/lib/libssdwhatif.so" | grep -q 'SONAME.*libssdwhatif\.so\.0'
}

@test "the header stands alone, in C and in C++" {
    stage
    echo '#include <ssdwhatif.h>' >alone.c
    cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$STAGE/usr/include" alone.c
    c++ -Wall -Wextra -Werror -fsyntax-only -x c++ -I"$STAGE/usr/include" alone.c
}

@test "the library prints nothing" {
    stage
    build one_prediction
    ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=write,writev -o writes ./one_prediction >out 2>err
    refute grep -E '^[0-9]+ writev?\(2,' writes
    [ ! -s err ]
}
