#!/usr/bin/env bats
# Help, man pages and completion all come from the option tables; here they are held against each
# other, against the sources, and against what the program accepts.

load ../common

# COMMANDS: their names, one a line; without them no test below has anything to say.
read_commands() {
    COMMANDS=$(ssd-whatif --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z0-9-]*\) .*/\1/p')
    [ "$(wc -l <<<"$COMMANDS")" -ge 7 ] || fail "only these commands: $COMMANDS"
}

options_of() { # COMMAND: long options of its help
    ssd-whatif "$1" --help | sed -n '/^Options:/,$s/^ *\(-., \)\{0,1\}\(--[a-z][a-z0-9-]*\).*/\2/p' | sort
}

@test "there are commands, and each has a help with a usage line, a summary and options" {
    read_commands
    for c in $COMMANDS; do
        run_split ssd-whatif "$c" --help
        [ "$status" -eq 0 ] || fail "$c --help: exit code $status"
        grep -q "^Usage: ssd-whatif $c" out || fail "$c: no usage"
        [ -n "$(options_of "$c")" ] || fail "$c: no options"
        [ ! -s err ] || fail "$c: stderr"
        [ ! -e "$DB" ] || fail "$c --help created a store"
    done
}

@test "help fits 100 columns, and every option is explained" {
    read_commands
    for c in $COMMANDS; do
        ssd-whatif "$c" --help >out
        [ "$(awk 'length > 100' out | wc -l)" -eq 0 ] || fail "$c: a line is too long"
        # An option alone on its line has its text on the next.
        awk '/^Options:/ { on = 1; next }
             on && /^ +(-., )?--/ { if (open) exit 1; open = !($0 ~ /--[a-z0-9-]+( [^ ]+)?  +[^ ]/); next }
             on && open { if ($0 !~ /^ +[^ ]/) exit 1; open = 0 }
             END { if (open) exit 1 }' out || fail "$c: an option without a text"
    done
}

@test "every option of a table in cli/ is in the help of a command" {
    read_commands
    for c in $COMMANDS; do options_of "$c"; done | sort -u >in_help
    # {"name", 'n', "ARG", "text", CLI_...} or .name = "name" of a cli_option
    perl -0777 -ne '
        while (/struct cli_option \w+\[\] = \{(.*?)\n?\s*\{0\}\s*\}/gs) {
            my $table = $1;
            print "--$1\n" while $table =~ /\{\s*(?:\.name\s*=\s*)?"([a-z][a-z0-9-]*)"/g;
        }' "$TESTS"/../cli/*.c | sort -u >in_tables
    [ -s in_tables ]
    diff in_tables in_help
}

@test "every option of the help is accepted" {
    read_commands
    for c in $COMMANDS; do
        for o in $(options_of "$c"); do
            # x is its value or an operand; --help after it, so that nothing is computed.
            status=0
            timeout 20 ssd-whatif "$c" "$o" x --help >/dev/null 2>err </dev/null || status=$?
            [ "$status" -ne 124 ] || fail "$c $o runs on"
            refute grep -q 'unknown option' err
        done
    done
}

@test "an unknown option and an unknown command are refused with exit code 2" {
    read_commands
    for c in $COMMANDS; do
        run_split ssd-whatif "$c" --no-such-option
        expect_error 2 "no-such-option"
    done
    run_split ssd-whatif no-such-command
    expect_error 2 'no-such-command'
}

@test "the man pages have the same commands and options" {
    read_commands
    command -v help2man >/dev/null || skip "help2man is not installed"
    "$TESTS/../.ci/man" "$BUILD/ssd-whatif" "$PWD/man"
    for c in $COMMANDS; do
        [ -s "man/ssd-whatif-$c.1" ] || fail "no page of $c"
        # In a page an option reads \fB\-\-top\-k\fR.
        sed -n 's/\\-/-/g; s/^\(\\fB-.\\fR, \)\{0,1\}\\fB\(--[a-z0-9-]*\)\\fR.*/\2/p' "man/ssd-whatif-$c.1" |
            sort >in_man
        options_of "$c" | diff - in_man || fail "man page of $c"
        grep -q "$c" man/ssd-whatif.1 || fail "$c is not in ssd-whatif.1"
    done
    [ "$(find man -name '*.1' | wc -l)" -eq $(($(wc -l <<<"$COMMANDS") + 1)) ]
}

# complete WORD...: what bash would offer for the last word.
complete_words() {
    bash -c 'source "$0"; COMP_WORDS=(ssd-whatif "$@"); COMP_CWORD=$#
             _ssd_whatif ssd-whatif "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
             printf "%s\n" "${COMPREPLY[@]}"' "$TESTS/../cli/completion/ssd-whatif" "$@"
}

@test "completion offers the same commands and options, and the values of a choice" {
    read_commands
    [ "$(complete_words "" | grep -v '^-' | sort)" = "$(sort <<<"$COMMANDS")" ]
    for c in $COMMANDS; do
        complete_words "$c" -- | sort | diff <(options_of "$c") - || fail "completion of $c"
    done
    [ "$(complete_words predict --nand t)" = tlc ]
    [ "$(complete_words predict --format "" | tr '\n' ' ')" = "table json csv " ]
}

@test "--version names the program and a version" {
    [[ "$(ssd-whatif --version)" =~ ^ssd-whatif\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "no command at all shows the overview on stderr, exit code 2" {
    run_split ssd-whatif
    [ "$status" -eq 2 ]
    [ ! -s out ]
    grep -q '^Commands:' err
}
