"""Whether binaries are those that ran, as return addresses tell."""
import json
import os
import pathlib
import re

from harness import case, check

REBUILT = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "rebuilt"
DUMP = (REBUILT / "a.1.heap").read_text(encoding="utf-8")
PATH = "/srv/rebuilt/app"
ROW = re.search(rf"^(\w+)-(\w+) r-xp .* {PATH}$", DUMP, re.M)


def code():
    """Return addresses of the program, and one that is none: a byte behind each."""
    low, high = (int(word, 16) for word in ROW.groups())
    found = {int(word, 16) for line in re.findall("^@ (.*)$", DUMP, re.M) for word in line.split()}
    return sorted(address for address in found if low < address < high)


def dump(t, name, *stacks):
    """Stacks of addresses, leaf first, with the map of the program alone and a page of nobody's."""
    maps = [line for line in DUMP.splitlines() if line.endswith(PATH)]
    lines = ["heap_v2/524288", f"  t*: {len(stacks)}: {64 * len(stacks)} [0: 0]"]
    for stack in stacks:
        lines += ["@ " + " ".join(map(hex, stack)), "  t*: 1: 64 [0: 0]"]
    lines += ["", "MAPPED_LIBRARIES:", *maps, "7fff00000000-7fff00001000 r-xp 00000000 00:00 0   [vdso]", ""]
    return t.file(name, "\n".join(lines))


def look(t, *arguments):
    """(return addresses of the program, its symbols, warnings)"""
    option = f"--path-map=/srv/rebuilt={REBUILT}/right"
    report = json.loads(check(t.run("info", "-q", "--format=json", option, *arguments)).out)
    row = next(row for row in report["modules"] if row["path"] == PATH)
    counts = row["return_addresses"] or {"checked": 0, "follow_no_call": 0}
    return (counts["follow_no_call"], counts["checked"]), row["symbols"], report["warnings"]


@case
def one_address_that_follows_no_call_is_no_other_build(t):
    good = code()
    for few, said in (([good[0], good[1] + 1], "1 of 2 return addresses follows no call"),
                      ([*good[:9], good[9] + 1], None)):
        counts, symbols, warnings = look(t, dump(t, "odd.heap", few))
        assert counts == (1, len(few)) and symbols != "another build than the one that was mapped"
        assert [said in text for text in warnings] == [True] if said else not warnings, warnings


@case
def a_path_of_path_map_may_be_relative(t):
    option = f"--path-map=/srv/rebuilt={os.path.relpath(REBUILT, t.folder)}/right"
    report = json.loads(check(t.run("info", "-q", "--format=json", option, dump(t, "right.heap", code()))).out)
    row = next(row for row in report["modules"] if row["path"] == PATH)
    assert row["symbols"].startswith("function"), row


@case
def three_of_few_are_another_build(t):
    good = code()
    odd = [address + 1 for address in good[:3]]
    counts, symbols, warnings = look(t, dump(t, "other.heap", odd))
    assert counts == (3, 3) and symbols.startswith("another build") and len(warnings) == 1
    counts, symbols, warnings = look(t, dump(t, "differs.heap", [*odd, *good[3:15]]))
    assert counts == (3, 15) and symbols.startswith("function")
    assert ["differs from what ran: 3 of 15 return addresses follow no call" in text
            for text in warnings] == [True], warnings


@case
def what_a_signal_interrupted_is_no_return_address(t):
    good, vdso = code(), 0x7fff00000800
    stacks = [[good[i], vdso, good[i] + 1, good[i + 5]] for i in range(5)]
    counts, _, warnings = look(t, dump(t, "signal.heap", *stacks))
    assert counts == (0, 10) and not warnings, (counts, warnings)
    counts, _, warnings = look(t, dump(t, "none.heap", *[[*stack[:1], *stack[2:]] for stack in stacks]))
    assert counts == (5, 15) and warnings, (counts, warnings)


@case
def addresses_of_pprof_are_those_of_calls(t):
    path = dump(t, "calls.heap", code())
    merged = check(t.run("merge", "--no-symbols", "--format=pprof", "-o", "calls.pb.gz", path))
    assert merged.out == ""
    counts, symbols, warnings = look(t, "calls.pb.gz")
    assert counts == (0, len(code()) - 1) and not warnings, (counts, warnings)  # a leaf may be anything
    assert symbols == look(t, path)[1]


@case
def leaves_of_gperftools_and_ends_of_stacks_are_no_return_addresses(t):
    good = code()
    stack = [good[0] + 1, *good[1:6], 0]
    path = dump(t, "jemalloc.heap", stack)
    assert look(t, path)[0] == (1, 6)
    maps = path.read_text(encoding="utf-8").partition("MAPPED_LIBRARIES:\n")[2]
    counts = "1:       64 [     1:       64] @"
    text = (f"heap profile:      {counts} heapprofile\n     {counts} {' '.join(map(hex, stack))}\n\n"
            f"MAPPED_LIBRARIES:\n{maps}")
    counts, _, warnings = look(t, t.file("gperftools.heap", text))
    assert counts == (0, 5) and not warnings, (counts, warnings)
