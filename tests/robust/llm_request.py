#!/usr/bin/env python3
"""llm_request.py REQUEST HARMLESS: the body of a request, taken apart as a server reads it. Both have one
system message, the same one; the same frame around the data; and every line of data is one of ours, with
what somebody else wrote inside one pair of quotes. Text marked MARK stands nowhere else."""
import json
import re
import sys
import unicodedata

LINE = re.compile(r'(Question: |\[[EPX][1-9][0-9]*\] [A-Za-z0-9._-]+: |\[M1\] )"([^"\[\]{}\n]*)"')


def read(path):
    with open(path, encoding="utf-8") as f:
        body = json.load(f)
    roles = [m["role"] for m in body["messages"]]
    assert roles == ["system", "user"], roles
    return body, body["messages"][0]["content"], body["messages"][1]["content"]


def split(user):
    """before, lines of data, after; names in the scenario's own quotes taken out of the first."""
    assert user.count("\n<data>\n") == 1 and user.count("\n</data>\n") == 1, "data is not one part"
    assert user.count("<data>") == 1 and user.count("</data>") == 1, "a delimiter too many"
    before, rest = user.split("\n<data>\n")
    data, after = rest.split("\n</data>\n")
    after = re.sub(r"^[0-9]+ less relevant items? (was|were) left out for length\.\n", "", after)
    return re.sub(r'"[^"]*"', '""', before), data.split("\n"), after


def check_lines(lines):
    tags = []
    for line in lines:
        match = LINE.fullmatch(line)
        assert match, f"no line of ours: {line[:120]!r}"
        tags.append(match.group(1).split("]")[0])
        for c in line:
            assert unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp"), f"hidden {c!r}"
        for mark in ("<|", "<<", "</", "```", "{{"):
            assert mark not in match.group(2), f"{mark} in {line[:120]!r}"
    numbered = [t for t in tags if t[0] == "["]
    assert len(set(numbered)) == len(numbered), "a tag twice"
    for kind in "EPX":
        mine = [int(t[2:]) for t in numbered if t[1] == kind]
        assert mine == list(range(1, len(mine) + 1)), f"tags {kind} are {mine}"


body, system, user = read(sys.argv[1])
harmless_body, harmless_system, harmless_user = read(sys.argv[2])
assert system == harmless_system, "another system message"
assert {k: v for k, v in body.items() if k != "messages"} == {
    k: v for k, v in harmless_body.items() if k != "messages"}, "other parameters"
before, lines, after = split(user)
harmless_before, harmless_lines, harmless_after = split(harmless_user)
assert before == harmless_before, f"another beginning: {before!r}"
assert after == harmless_after, f"another end: {after!r}"
check_lines(lines)
assert "MARK" not in before + after + system
assert any("MARK" in line for line in lines), "the text did not arrive"
