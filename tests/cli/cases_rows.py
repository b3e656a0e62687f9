"""Tests which rows are shown if no limit is given, and the summary of the others in the last line."""
import json
import re

from harness import ROOT, case, check

REAL = ROOT / "testdata" / "real"
SERIES = [REAL / f"redis_lg13.27533.{name}.heap.gz" for name in ("0.i0", "6.i6", "13.f")]
DUMPS = [REAL / f"{name}.heap.gz" for name in ("clang_json_lg17.21618.0.f", "node_lg12.12298.0.f",
                                              "git_gc_lg13.12631.0.f")] + SERIES[:1]
MIB = 1 << 20


def dump(path, *sizes):
    """A function for each size, all of them called by one; each object was counted."""
    total = sum(sizes)
    lines = ["heap_v2/1", f"  t*: {len(sizes)}: {total} [0: 0]"]
    for i, size in enumerate(sizes):
        lines += [f"@ {0x401010 + 16 * i:#x} 0x500001", f"  t*: {1 if size else 0}: {size} [1: {size or 5}]"]
    maps = ["", "MAPPED_LIBRARIES:", "400000-600000 r-xp 00400000 08:01 7 /srv/app", ""]
    path.write_text("\n".join(lines + maps), encoding="ascii")
    return str(path)


def counted(out):
    """(number of rows shown, number of further rows by the last line)"""
    shown = len(re.findall(r"^ +\S.*  (?:\w+: )?\S+(?:[+@]0x[0-9a-f]+|0x[0-9a-f]+)$", out, re.M))
    more = re.search(r"^rows-left: ([\d,]+)", out, re.M) or re.search(
        r"^… (?:marked-left: (\d+))?(?:marked-left-too:  (?:and )? (\d+))?.*?(?:rows-unchanged: (?:; )? (\d+))?"
        r"(?= \(cut-by-limit)", out, re.M)
    return shown, sum(int(n.replace(",", "")) for n in more.groups() if n) if more else 0


def enough(sizes, whole=None):
    """The number of the first sizes that are shown: up to 95 % of all, or down to 1 % of the whole."""
    rows, sum_of_rows = 0, 0
    if whole is not None:
        rows = next((i for i, size in enumerate(sizes) if size < whole / 100), len(sizes))
    while whole is None and rows < len(sizes) and sum_of_rows < sum(sizes) * .95:
        sum_of_rows += sizes[rows]
        rows += 1
    return min(max(rows, 10), 20, sum(size != 0 for size in sizes))


def faults_of(t, command, sizes_of, *args):
    """Faults unless text shows the right number of JSON's rows, and counts the others."""
    command = [command, "-q", "--no-symbols", *args]
    report = json.loads(check(t.run(*command, "-fjson")).out)
    sizes, whole = sizes_of(report)
    want = enough(sizes, whole)
    got = counted(check(t.codes(*command)).out)
    return [] if got == (want, len(sizes) - want) else [f"{args}: {got} for {want} of {len(sizes)}"]


def flats(report):
    rows = [(row["flat"]["inuse-space"]["estimate"], row["cum"]["inuse-space"]["estimate"])
            for row in report["rows"]]
    return [flat for flat, cum in rows if flat or cum], None


def cums(report):
    return ([row["cum"]["inuse-space"]["estimate"] for row in report["rows"]
             if row["cum"]["inuse-space"]["estimate"]], report["total"]["inuse-space"]["estimate"])


@case
def a_table_shows_enough_rows_and_no_more(t):
    faults = []
    for path in DUMPS:
        faults += faults_of(t, "top", flats, path) + faults_of(t, "top", cums, "--cum", path)
    faults += faults_of(t, "diff", lambda report: (
        [abs(row["delta"]["estimate"]) for row in report["rows"]], None), *SERIES[::2])
    faults += faults_of(t, "trend", lambda report: (
        [abs(row["last"] - row["first"]) for row in report["rows"]], None), *SERIES)
    assert not faults, faults


@case
def one_row_makes_no_table_and_long_tables_are_limited(t):
    for sizes, shown in (((1000 * MIB, *[100] * 30), 10), ([MIB] * 200, 20), ([MIB] * 5, 5),
                         ([MIB] * 12, 12), ([MIB] * 30, 20)):
        path = dump(t.folder / "a", *sizes)
        out = check(t.codes("top", "--no-symbols", path)).out
        assert counted(out) == (shown, len(sizes) + 1 - shown), (shown, out)


@case
def the_last_line_shows_the_bytes_of_the_other_rows(t):
    path = dump(t.folder / "a", 1000 * MIB, *[MIB] * 30)
    out = check(t.codes("top", "--no-symbols", path)).out
    assert "\nrows-left: 22 function s 2.0% (cut-by-limit " in out, out
    out = check(t.codes("top", "--no-symbols", "-v", "-n30", "--metric=inuse-objects", path)).out
    assert "\nrows-left: 2 function s 1 object (3.2%) (cut-by-limit" in out, out
    out = check(t.codes("stacks", "--no-symbols", path)).out
    assert "\nrows-left: 21 stack s 2.0% (cut-by-limit " in out, out
    out = check(t.codes("peek", "--no-symbols", r"@0x500000|@0x500001", path)).out
    assert " calls-left: 21 1.0 MiB\n" in out, out
    new = dump(t.folder / "b", 1000 * MIB, *[MIB + 65536 * (i % 3 - 1) for i in range(30)])
    out = check(t.codes("diff", "--no-symbols", "-n4", path, new)).out
    assert ("\n… marked-left-too:  16, +384.0 KiB and -640.0 KiB togetherrows-unchanged: ;  11 (cut-by-limit "
            in out), out
    out = check(t.codes("diff", "--no-symbols", "-n20", path, new)).out
    assert "\n… rows-unchanged:  11 (cut-by-limit " in out, out
    out = check(t.codes("diff", "--no-symbols", "--cum", "-n4", path, new)).out
    assert ", rows-changed-less: 64.0 KiBrows-unchanged: ;  12 (cut-by-limit " in out, out


@case
def rows_without_bytes_are_not_shown(t):
    path = dump(t.folder / "a", MIB, 0, 0, MIB)
    for args in (("top", "-n0"), ("top", "-n0", "--cum"), ("stacks", "-n0"), ("tree", "-n0"),
                 ("peek", ".", "-n0")):
        out = check(t.run(*args, "--no-symbols", path)).out
        assert "0x401020" not in out and "0x401010" in out, out
    tsv = check(t.run("top", "--no-symbols", "-ftsv", path)).out
    assert "0x401020" not in tsv and tsv.count("\n") == 4, tsv
    check(t.codes("peek", "--no-symbols", "0x401020", path), 5, "",
          "peek-holds-nothing: function")
    allocated = check(t.run("top", "--no-symbols", "-n0", "--metric=alloc-space", path)).out
    assert "0x401020" in allocated, allocated
    report = json.loads(check(t.run("top", "--no-symbols", "-fjson", path)).out)
    of_rows = sum(row["flat"]["alloc-space"]["estimate"] for row in report["rows"])
    assert len(report["rows"]) == 5, "JSON has the other metrics, too"
    assert abs(of_rows - report["total"]["alloc-space"]["estimate"]) < .01 and of_rows > 2 * MIB + 9
    empty = dump(t.folder / "empty", 0)
    both = check(t.run("top", "--no-symbols", "--by=input", path, empty)).out
    assert re.search(r" 0 B .* empty$|/empty$", both, re.M), both


@case
def an_explicit_limit_on_rows_is_kept(t):
    path = dump(t.folder / "a", 1000 * MIB, *[100] * 100)
    for limit, shown in ((1, 1), (70, 70), (0, 102), (1000, 101)):  # one row holds nothing
        out = check(t.codes("top", "--no-symbols", f"-n{limit}", path)).out
        assert counted(out) == (shown, 102 - shown), out
    for f in "json", "tsv":
        out = check(t.run("top", "--no-symbols", f"-f{f}", path)).out
        assert out.count("app@0x") >= 102, out
    check(t.codes("top", "--no-symbols", "-n18446744073709551615", path), 2, "", "value-wrong: limit a number ")


def chain(path, *stacks):
    """Frames, the allocating one first: l and a number of a library, o of the program."""
    text = f"heap_v2/1\n  t*: {len(stacks)}: {sum(n for _, n in stacks)} [0: 0]\n"
    for frames, size in stacks:
        places = [hex((0x601001 if f[0] == "l" else 0x401001) + 16 * int(f[1:])) for f in frames.split()]
        text += f"@ {' '.join(places)}\n  t*: 1: {size} [0: 0]\n"
    path.write_text(text + """
MAPPED_LIBRARIES:
400000-500000 r-xp 00000000 08:01 7 /srv/app
600000-700000 r-xp 00000000 08:01 8 /usr/lib/libloop.so.1
""", encoding="ascii")
    return str(path)


def drawn(t, path, *args):
    """The last column, with the frames named as above."""
    head, _, rows = check(t.codes("tree", "-q", "--no-symbols", *args, path)).out.partition("  function\n")
    column = len(head.rpartition("\n")[2]) + 2
    return [re.sub(r"(app|libloop\.so\.1)@0x1(..)1$", lambda m: {"a": "o", "l": "l"}[m[1][0]] + str(int(m[2], 16)),
                   line[column:] if line[0] == " " else line.partition("   ")[0])
            for line in rows.splitlines() if line.startswith((" ", "nodes-left: "))]


@case
def frames_of_libraries_that_hold_the_same_are_one_line_of_a_tree(t):
    path = chain(t.folder / "a", ("o1 l1 l2 l3 o2 l4 l5 o3", 600), ("l6 l1 l2 l3 o2 l4 l5 o3", 400))
    lines = ["o3", "libloop.so.1 … 2 frames", "o2", "libloop.so.1 … 3 frames", "├ o1", "└ l6"]
    opened = ["o3", "l5", "l4", "o2", "l3", "l2", "l1", "├ o1", "└ l6"]
    assert drawn(t, path) == lines
    for frames in "no-alloc", "all":
        assert drawn(t, path, f"--frames={frames}") == opened
    for args in (), ("--frames=no-alloc",):
        rows = json.loads(check(t.run("tree", "-q", "--no-symbols", "-fjson", *args, path)).out)["rows"]
        assert len(rows) == len(opened), rows
    few = ["o3", "libloop.so.1 … 2 frames", "o2", "libloop.so.1 … 3 frames",
           "nodes-left: 2 s 100.0% (cut-by-limit"]
    assert drawn(t, path, "-n4") == few, "a line is one of those that are counted"


@case
def an_allocating_function_has_its_own_line_in_a_tree(t):
    path = chain(t.folder / "a", ("l1 l2 l3 l4 o1", 600), ("l4 o1", 400))
    assert drawn(t, path) == ["o1", "l4", "libloop.so.1 … 2 frames", "l1"]
    assert drawn(t, path, "--invert") == ["├ l1", "│ libloop.so.1 … 3 frames", "│ o1", "└ l4", "  o1"]
