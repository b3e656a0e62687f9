"""Tests which frames patterns match, and how a pattern that matches nothing is reported."""
import json
import re

from harness import ROOT, case, check

GOLDEN = ROOT / "testdata" / "golden"
P1, P4 = GOLDEN / "procs1.heap", GOLDEN / "procs4.heap"
SYMBOLS = f"--symbol-dir={ROOT}/testdata/root"


def escaped(name):
    return "^" + "".join(c if c.isalnum() or c in "/ _…" else f"\\x{ord(c):02x}" for c in name) + "$"


@case
def peek_finds_each_row_of_top_by_its_name(t):
    go = ROOT / "testdata" / "formats" / "go-text.heap"
    for args in ([SYMBOLS, P1], ["--no-symbols", P1], [SYMBOLS, "--by=line", P1],
                 [SYMBOLS, "--by=address", P1], [SYMBOLS, "--by=file", P1],
                 [SYMBOLS, "--by=module", P1], ["--by=module", go],
                 [SYMBOLS, "--names=short", GOLDEN / "cxx.heap"]):
        rows = json.loads(check(t.run("top", "-q", "-fjson", "-n6", *args)).out)["rows"]
        for row in rows:
            result = t.run("peek", "-q", "-fjson", escaped(row["name"]), *args)
            found = [other["name"] for other in json.loads(check(result).out)["rows"]]
            assert row["name"] in found, (args, row["name"], found)


@case
def peek_finds_parts_of_rows(t):
    check(t.run("peek", "-q", SYMBOLS, "--by=line", r"alloc_c\.c:21", P1), 0, "leaf_mixed /srv")
    check(t.run("peek", "-q", r"alloc_c.0x1300$", P1), 0, "  alloc_c+0x1300\n")
    check(t.run("peek", "-q", "--no-symbols", r"/usr/lib/.*/libstdc", P1), 0, "libstdc++.so.6.0.30+0xa57ba")


@case
def the_pattern_of_peek_and_list_is_not_a_filter(t):
    for command in "peek", "list":
        told = json.loads(check(t.run(command, "-q", "-fjson", SYMBOLS, "leaf", P1)).out)
        assert told["patterns"] == ["leaf"] and "filters" not in told and "filtered" not in told, told
        told = json.loads(check(t.run(command, "-q", "-fjson", SYMBOLS, "--focus=main", "leaf",
                                      P1)).out)
        assert told["filters"] == [{"rule": "focus", "pattern": "main"}] and "filtered" in told, told


@case
def filters_that_drop_everything_are_reported_and_write_nothing(t):
    for args in (["folded"], ["merge"], ["top"], ["top", "-fjson"], ["top", "-ftsv"], ["tree"],
                 ["stacks"], ["diff", P4], ["trend", P4], ["callgrind"], ["peek", "leaf"],
                 ["list", "leaf"], ["top", "--by=input"], ["merge", "--timeline"]):
        for option in "--focus=nosuch", "--ignore=.", "--hide=.", "--show-from=nosuch":
            out = t.file("out", "old\n")
            check(t.codes(*args, "-q", SYMBOLS, option, "-o", out, P1), 5, "",
                  "filters-leave-nothing")
            assert out.read_text() == "old\n", args


@case
def filters_of_a_dump_without_stacks_are_not_an_error(t):
    t.file("empty.heap", "heap_v2/524288\n  t*: 0: 0 [0: 0]\n\nMAPPED_LIBRARIES:\n")
    check(t.run("top", "-v", "--focus=nosuch", "empty.heap"), 0, "in use     0 B")
    check(t.run("info", "-v", P1), 0)


@case
def a_pattern_without_a_match_is_reported_with_the_reason(t):
    check(t.codes("peek", "-q", SYMBOLS, "--focus=main", "nosuch", P1), 5, "",
          "peek-no-match: function of-peek-filtered")
    check(t.codes("list", "-q", SYMBOLS, "nosuch", P1), 5, "", "list-no-match: ")
    check(t.codes("peek", "-q", SYMBOLS, "--by=module", "nosuch", P1), 5, "",
          "peek-no-match: module")
    for args in (["list", "."], ["list", "-fjson", "."], ["peek", "nosuch"],
                 ["top", "--focus=nosuch"]):
        assert t.codes(*args, P1).err.count("\n") == 1  # without -v the error alone
        err = check(t.codes(*args, "-v", P1), 5, "").err
        lines = err.splitlines()  # including minor warnings
        assert "without-names: /gone/usr/lib/" in err and len(set(lines)) == len(lines), err
        assert ("list-no-names\n" in err) == (args[0] == "list"), err


@case
def B7_rows_without_names_are_found_as_they_are_printed(t):
    rows = json.loads(check(t.run("top", "--no-symbols", "--frames=all", "-n0", "-fjson", t.dump)).out)["rows"]
    names = [row["name"] for row in rows if "+0x" in row["name"]]
    assert len(names) > 20, names
    for name in names[::4]:
        only = ["top", "--no-symbols", "--frames=all", "-n0", "-fjson", f"--focus=^{re.escape(name)}$", t.dump]
        found = {row["name"]: row for row in json.loads(check(t.run(*only)).out)["rows"]}
        wanted = next(row for row in rows if row["name"] == name)
        assert found[name]["cum"] == wanted["cum"], name
    gone = check(t.run("top", "--no-symbols", "--frames=all", "-n0", f"--hide=^{re.escape(names[0])}$", t.dump)).out
    assert not re.search(f"{re.escape(names[0])}$", gone, re.M), gone


@case
def a_set_of_characters_matches_no_addresses(t):
    top = ["top", "-q", "--no-symbols", "--frames=all", "-n0", "-fjson", t.dump]
    rows = json.loads(check(t.run(*top)).out)["rows"]
    assert sum("+0x" in row["name"] for row in rows) > 20, rows
    for characters in "[+]0", "[@+]0":
        check(t.codes(*top, f"--focus={characters}"), 5, "", "filters-leave-nothing")
