"""Tests the rows of diff: p-value, interval, mark and order never contradict each other."""
import json
import os
import re

from harness import case, check

PERIOD = 524288
# Address of the stack, size of its objects, and number of sampled objects before and after.
ROWS = ((0x401000, 4096, 1000, 1040),    # the largest change, which may well be chance
        (0x402000, 4096, 10, 40),
        (0x403000, 4096, 50, 10),
        (0x404000, 4096, 5, 25),
        (0x405000, 4096, 30, 30),
        (0x406000, 4096, 30, 30),
        (0x407000, 4096, 0, 2),          # not tested
        (0x408000, 8 << 20, 3, 4),
        (0x409000, 16, 10, 20))
MARKED = ["0x403000", "0x402000", "0x404000", "0x408000"]
OTHERS = ["0x401000", "0x409000", "0x407000", "0x405000", "0x406000"]


def dump(path, side):
    """Write a dump with raw numbers, as jemalloc does without prof_unbias."""
    counts = [(row[0], row[1], row[2 + side]) for row in ROWS]
    total = sum(n for _, _, n in counts), sum(n * size for _, size, n in counts)
    lines = [f"heap_v2/{PERIOD}", f"  t*: {total[0]}: {total[1]} [0: 0]"]
    for address, size, n in counts:
        lines += [f"@ {address:#x}", f"  t*: {n}: {n * size} [0: 0]"] if n else []
    path.write_text("\n".join([*lines, "", "MAPPED_LIBRARIES:", ""]), encoding="ascii")
    return str(path)


def pair(t):
    return [dump(t.folder / name, side) for side, name in enumerate(("base", "new"))]


def report(t, *args):
    return json.loads(check(t.run("diff", "--no-symbols", "-n0", "-fjson", *args), 0).out)


def text_rows(out):
    """(p, whether it is marked, name) of each."""
    return [(p, mark == "*", name) for p, mark, name in
            re.findall(r" (<?0\.\d+|1\.0000|-)([* ])  (?:new: |gone: )?(\S+)$", out, re.M)]


@case
def marked_rows_come_first_and_then_the_largest_changes(t):
    rows = report(t, *pair(t))["rows"]
    assert [row["name"] for row in rows if row["significant"]] == MARKED, rows
    assert [row["name"] for row in rows] == MARKED + OTHERS, rows
    shown = text_rows(check(t.run("diff", "--no-symbols", *pair(t)), 0).out)
    # Rows without change are counted, not shown.
    changed = [row["name"] for row in rows if row["delta"]["estimate"] != 0 or row["significant"]]
    assert [(mark, name) for _, mark, name in shown] == [(name in MARKED, name) for name in changed], shown


@case
def a_limit_on_rows_reports_the_marked_rows_that_it_drops(t):
    for limit, line in ((1, "MARK 3, "), (3, "MARK 1, "), (4, ", ")):
        out = check(t.codes("diff", "--no-symbols", f"-n{limit}", *pair(t)), 0).out
        line = line.replace("MARK ", "marked-left-too:  and  ")
        assert re.search(rf"^… (marked-left: \d+)?{line}[-+].* togetherrows-unchanged: ;  2 \(cut-by-limit", out, re.M), out
        assert len(text_rows(out)) == limit, out


@case
def p_is_two_sided_and_says_so(t):
    got = report(t, *pair(t))
    assert all(row["p_sides"] == 2 for row in (got["total"], *got["rows"])), got
    # The p-value of a growth from 10 to 20 samples is 0.04937 (the exact conditional test).
    p = {row["name"]: row["p"] for row in got["rows"]}
    assert abs(p["0x409000"] - 2 * 0.04936857335) < 1e-5, p
    assert p["0x405000"] == 1 and p["0x407000"] is None, p
    out = check(t.run("diff", "--no-symbols", *pair(t)), 0).out
    assert re.search(r" 95% CI +p   function\n", out) and "two-sided" not in out, out
    out = check(t.codes("diff", "--no-symbols", "-v", *pair(t)), 0).out
    assert "note-p-two-sided" in out and "verdict-rows: 4 8 function s " in out, out
    out = check(t.codes("diff", "--no-symbols", "--focus=0x409000", *pair(t)), 0).out
    assert re.search("^verdict-(none: 1|rows: 1 1) function ", out, re.M), out


@case
def an_interval_excludes_0_exactly_if_p_is_below_the_level(t):
    found = set()
    for percent in (50, 80, 90, 90.12, 90.13, 95, 99):
        for row in report(t, f"--confidence={percent}", *pair(t))["rows"]:
            excludes = row["delta"]["low"] > 0 or row["delta"]["high"] < 0
            if row["p"] is not None:
                assert excludes == (row["p"] < 1 - percent / 100), (percent, row)
            assert excludes or not row["significant"], (percent, row)
            found.add((excludes, row["significant"]))
    assert found == {(True, True), (True, False), (False, False)}, found


@case
def equal_dumps_give_one_line(t):
    for extra in ([], ["--cum"], ["--metric=inuse-objects"], ["--confidence=none"], ["-n1"]):
        out = check(t.codes("diff", "--no-symbols", t.dump, t.dump, *extra), 0).out
        assert re.match(r"no-change: \S+( [KM]iB)? \w", out) and not out.endswith("\n\n") and "function" not in out, out
    for row in report(t, t.dump, t.dump)["rows"]:
        assert row["p"] in (1, None) and row["delta"]["low"] <= 0 <= row["delta"]["high"], row
    assert "no-change" not in check(t.codes("diff", "--no-symbols", *pair(t)), 0).out


@case
def a_condition_on_p_uses_the_shown_p(t):
    row = next(row for row in report(t, *pair(t))["rows"] if row["name"] == "0x402000")
    for limit, status in ((row["q"] * 1.01, 1), (row["q"] * 0.99, 0)):
        # Only one other row has as much growth, and that may be chance.
        condition = f"--fail-if=growth>{row['delta']['estimate'] - 1:.0f},p<{limit:.7g}"
        done = check(t.codes("diff", "--no-symbols", condition, *pair(t)), status)
        assert ("fail-if-exceeded: 0x402000 fail-if-grew: " in done.err) == (status == 1), done.err
        least = min(limit, 1e-4)
        shown = f"-below: adjusted p {least:.6g}" if row["q"] < least else f": adjusted p {row['q']:.4f}"
        assert (f", fail-if-p{shown} , sampling error only" in done.err) == (status == 1), done.err


def several(t, counts):
    """Write dumps of processes, each with the given number of samples in one stack, and 40 in another."""
    paths = []
    for number, n in enumerate(counts):
        path = t.folder / f"several{len(list(t.folder.iterdir()))}"
        vdso = 0x7f0000000000 + (0x10000 * len(list(t.folder.iterdir())) << 4)
        lines = [f"heap_v2/{PERIOD}", f"  t*: {n + 40}: {64 * (n + 40)} [0: 0]", "@ 0x401000", f"  t*: {n}: {64 * n} [0: 0]",
                 "@ 0x402000", f"  t*: 40: {64 * 40} [0: 0]", "", "MAPPED_LIBRARIES:",
                 f"{vdso:x}-{vdso + 0x2000:x} r-xp 0 00:00 0 [vdso]", ""]
        path.write_text("\n".join(lines), encoding="ascii")
        paths.append(str(path))
    return paths


@case
def an_interval_that_too_few_processes_leave_open_has_no_number(t):
    few = [*several(t, [10, 200]), "--to", *several(t, [75])]
    for inputs, is_open in ((few, True), ([*several(t, [60, 90, 70, 80] * 3), "--to", *several(t, [75, 85, 65] * 4)], False)):
        told = report(t, "--keep-unmapped", *inputs)
        ends = [[row["delta"]["low"], row["delta"]["high"]] for row in (told["total"], *told["rows"][:1])]
        assert (ends == [[None, None]] * 2) == is_open and is_open == (None in sum(ends, [])), (told["test"], ends)
        most = 10 * max(told["total"][side]["high"] for side in ("base", "new"))
        assert is_open or all(abs(end) <= most for end in ends[0]), ends
        assert all(row["p"] > 0.05 for row in (told["total"], told["rows"][0])), told
        found = told["detectable"]
        assert (found["change"] is None, found["share"] is None) == (is_open, is_open), found
        assert is_open or 0 < found["share"] <= 10, found
        text = check(t.codes("diff", "--no-symbols", "--keep-unmapped", *inputs), 0).out
        assert ("detectable-too-few: 10" in text, "mark-open" in text, "MiB (?): " in text) == (is_open,) * 3, text
        for form in ("text", "markdown", "html"):
            page = os.path.join(t.folder, f"page.{form}")
            check(t.run("diff", "-q", "--no-symbols", "--keep-unmapped", f"-f{form}", "-o", page, *inputs), 0)
            with open(page, encoding="utf-8") as file:
                shown = file.read()
            assert bool(re.search(r' \? +\d\.|\| \? \||"delta-interval">\?<', shown)) == is_open, (form, shown)
        table = [line.split("\t") for line in check(t.run("diff", "-q", "--no-symbols", "--keep-unmapped", "-ftsv", *inputs), 0)
                 .out.splitlines()]
        assert (table[1][table[0].index("delta_low")] == "") == is_open, table


@case
def differences_between_processes_are_allowed_for_if_one_side_shows_them(t):
    keep = "--keep-unmapped"
    quiet, loud = several(t, (100, 102, 99)), several(t, (60, 100, 150))
    one = several(t, (170,))
    for base, test in ((quiet, "one-against-several"), (loud, "one-against-several")):
        got = report(t, keep, *base, "--to", *one)
        row = next(row for row in got["rows"] if row["name"] == "0x401000")
        assert got["test"] == test and row["significant"] == (base is quiet), got
        low, high = row["delta"]["low"], row["delta"]["high"]
        assert (low > 0) == (row["p"] < .05) == (base is quiet), row
    assert report(t, *quiet, "--to", *loud)["test"] == "fleets"


@case
def two_processes_give_no_significant_rows(t):
    base, new = several(t, (50,)), several(t, (150,))
    condition = ("--keep-unmapped", "--fail-if=growth>5%,p<0.01")
    done = check(t.codes("diff", "--no-symbols", *condition, *base, "--to", *new), 1)
    assert "verdict-samplingp < " in done.out and "verdict-rows: 1 2 " in done.out, done.out
    assert "significant" not in done.out and "false" not in done.out, done.out
    assert "spread-not-known" in done.out and ", sampling error only" in done.err, done.out + done.err
    more = several(t, (152, 148, 160, 151))
    done = check(t.codes("diff", "--no-symbols", *condition, *base, *several(t, (51, 49)), "--to", *new, *more), 1)
    assert "verdict-significantp < " in done.out and "mark-significant: significant 5" in done.out, done.out
    assert "sampling" not in done.out and "sampling alone" not in done.err, done.out + done.err


@case
def memory_sampled_with_two_periods_does_not_cancel_out(t):
    paths = []
    for number, period in enumerate((65536, 4096)):
        paths.append(t.folder / f"app.7.{number}.m{number}.heap")
        paths[-1].write_text(f"heap_v2/{period}\n  t*: 80: 5120 [90: 5760]\n@ 0x401000\n  t*: 80: 5120 [90: 5760]\n\n"
                             "MAPPED_LIBRARIES:\n7f0000000000-7f0000002000 r-xp 0 00:00 0 [vdso]\n", encoding="ascii")
    assert report(t, *map(str, paths))["test"] == "independent"  # a reset is between them
    paths[1].write_text(paths[1].read_text().replace("/4096", "/65536").replace("80: 5120 [90: 5760]", "81: 5184 [91: 5824]"))
    assert report(t, *map(str, paths))["test"] == "process-accum"


@case
def processes_on_both_sides_are_counted_whether_merged_or_not(t):
    early = several(t, (100, 102, 99))
    late = []
    for number, path in enumerate(early):
        late.append(str(t.folder / f"late{number}"))
        with open(path) as old, open(late[-1], "w") as new:
            new.write(old.read().replace("t*: 40: 2560", f"t*: {41 + number}: {64 * (41 + number)}", 1))
    others = several(t, (101, 100))
    merged = {}
    for name, dumps in ("early", early), ("late", late), ("others", others):
        merged[name] = str(t.folder / f"{name}.pb.gz")
        check(t.run("merge", "-q", "--format=pprof", "-o", merged[name], *dumps))
    for base, new, test, shared in (
            (early, late, "fleets", 3), (early, [*others, late[1]], "fleets", 1), (early, others, "fleets", 0),
            ([merged["early"]], [merged["late"]], "sampling", 3), ([merged["early"]], late, "one-against-several", 3),
            ([merged["early"]], [merged["others"]], "sampling", 0), ([merged["others"]], early, "one-against-several", 0)):
        got = report(t, *base, "--to", *new)
        assert got["test"] == test and got.get("shared_processes", 0) == shared, (base, new, got["test"], got.get("shared_processes"))
    out = check(t.codes("diff", "-v", "--no-symbols", merged["early"], "--to", merged["late"]), 0).out
    assert "processes-on-both-sides: 3 " in out and "verdict-significant" not in out, out
