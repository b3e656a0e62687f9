"""Tests diff and trend: which inputs are compared, in which order, and the exit status."""
import gzip
import json
import os
import random
import re
import shutil

from harness import ROOT, case, check


def series(t):
    folder = os.path.join(os.path.dirname(t.dump), "series")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def rows(result):
    return {row["name"]: row for row in json.loads(result.out)["rows"]}


@case
def diff_of_a_dump_with_itself_finds_nothing(t):
    for extra in ([], ["--cum"], ["--metric=inuse-objects"]):
        out = check(t.run("diff", "--no-symbols", "-fjson", t.dump, t.dump, *extra), 0).out
        for row in json.loads(out)["rows"]:
            assert row["delta"]["estimate"] == 0 and not row["significant"], row
            assert row["status"] == "same", row


@case
def a_diff_without_changes_ends_with_its_last_line(t):
    for more in ([], ["-v"]):
        out = check(t.run("diff", "--no-symbols", *more, t.dump, t.dump), 0).out
        assert "\n\n\n" not in out and not out.endswith("\n\n"), out


@case
def a_dump_on_both_sides_of_a_diff_is_rejected(t):
    one, two, three = golden(1, 2, 3)
    for arguments in ([one, two, "--to", one, three], [one, two, "--to", one], [two, "--to", one, two],
                      [one, two, "--to", three, one, "--on-duplicate=skip"]):
        check(t.run("diff", "--no-symbols", *arguments), 4, "",
              " of the base. Sides are compared as different processes")
    check(t.run("diff", "--no-symbols", one, one, "--to", one), 4, "", "Give it once, or use --on-duplicate=skip")
    check(t.run("diff", "--no-symbols", one, one, "--to", one, "--on-duplicate=skip"), 0)
    check(t.run("diff", "--no-symbols", one, two, "--to", three), 0)


@case
def diff_needs_both_sides(t):
    check(t.codes("diff", t.dump), 2, "", "diff-sides")
    check(t.codes("diff", t.dump, t.dump, t.dump), 2, "", "diff-two-inputs")
    check(t.codes("diff", "--to", t.dump), 2, "", "diff-side-empty: base")
    check(t.codes("diff", t.dump, "--to"), 2, "", "diff-side-empty: new")
    check(t.codes("top", t.dump, "--to"), 2, "", "option-not-of-command: top to  (only diff )")


@case
def sides_of_a_diff_come_from_words_and_lists(t):
    first, *_, last = series(t)
    plain = check(t.run("diff", "--no-symbols", first, last), 0).out
    listed = os.path.join(t.folder, "list")
    for name, path in (("base", first), ("new", last)):
        with open(f"{listed}-{name}", "w") as file:
            file.write(path + "\n")
    for arguments in ([first, "--to", last], [f"--files-from={listed}-base", "--to", last],
                      [first, f"--files-from={listed}-new"],
                      [f"--files-from={listed}-base", "--to", f"--files-from={listed}-new"]):
        assert check(t.run("diff", "--no-symbols", *arguments), 0).out == plain, arguments


@case
def diff_of_several_dumps_compares_averages(t):
    first, second, *_, before_last, last = series(t)
    sums = json.loads(check(t.run("diff", "--no-symbols", "-fjson", "--dumps=sum", first, second,
                                  "--to", before_last, last), 0).out)
    assert sums["test"] == "fleets"
    single = [json.loads(check(t.run("diff", "--no-symbols", "-fjson", a, b), 0).out)["total"]
              for a, b in ((first, before_last), (second, last))]
    for side in ("base", "new"):
        mean = sum(total[side]["estimate"] for total in single) / 2
        assert abs(sums["total"][side]["estimate"] - mean) < 0.01, side


@case
def the_dumps_determine_the_statistical_test(t):
    def chosen(*arguments):
        return json.loads(check(t.run("diff", "--no-symbols", "-fjson", *arguments), 0).out)["test"]
    first, second, *_, last = series(t)
    assert chosen(first, last) == "process"
    assert chosen(first, t.dump) == "independent"
    assert chosen(first, "--to", second, last) == "process"  # one dump of the new side is used
    assert chosen(first, "--to", second, last, "--dumps=sum") == "one-against-several"
    assert chosen(first, last, "--confidence=none") == "none"


def mapped(t, name, *rows):
    """A dump with more memory than its base, unless `name` is a base, mapped by `rows`: (start, end, path)."""
    text = open(procs(t)[0]).read()
    if not name.startswith("base"):  # doubles all counts, as in a later dump
        text = re.sub(r"(\d+): (\d+) \[(\d+): (\d+)\]", lambda found: "{}: {} [{}: {}]".format(
            *(2 * int(number) for number in found.groups())), text)
    path = os.path.join(t.folder, name)
    with open(path, "w") as file:
        file.write(text[:text.index("MAPPED_LIBRARIES:")] + "MAPPED_LIBRARIES:\n")
        for start, end, where in rows:
            file.write(f"{start:x}-{end:x} r-xp 00000000 08:01 5 {where}\n")
    return path


APP = (0x400000, 0x600000, "/srv/app")
PIE = (0x55d0a1b2c000, 0x55d0a1d2c000, "/srv/app")
VDSO = (0x7f3a12345000, 0x7f3a12347000, "[vdso]")
STACK = (0x7ffd12300000, 0x7ffd12345000, "[stack]")
LIBRARY = (0x7f3a11000000, 0x7f3a11001000, "/srv/plugin.so")
UNRANDOM = [(0x555555554000, 0x555555556000, "/srv/app"), (0x7ffff7dd5000, 0x7ffff7f00000, "/lib/libc.so.6"),
            (0x7ffff7fc1000, 0x7ffff7fc3000, "[vdso]"), (0x7ffffffde000, 0x7ffffffff000, "[stack]")]


def moved(row, by=0x1000000):
    return (row[0] + by, row[1] + by, row[2])


@case
def dumps_are_of_one_process_only_if_random_addresses_agree(t):
    one, two = "process-accum", "independent"
    for number, (base, new, test) in enumerate([
            ([APP], [APP], two), (UNRANDOM, UNRANDOM, two), ([PIE], [PIE], one), ([PIE], [moved(PIE)], two),
            ([APP, VDSO, STACK], [APP, VDSO, STACK], one),
            ([APP, VDSO, STACK], [APP, moved(VDSO), STACK], two),
            ([APP, VDSO, STACK], [APP, VDSO, moved(STACK)], two),
            ([APP, VDSO], [APP, VDSO, LIBRARY], one),
            ([APP, VDSO, STACK], [APP, VDSO, (STACK[0] - 0x8000, *STACK[1:])], one)]):
        paths = [mapped(t, f"base{number}", *base), mapped(t, f"new{number}", *new)]
        report = json.loads(check(t.run("diff", "--no-symbols", "-fjson", *paths), 0).out)
        assert report["test"] == test, (base, new, report["test"])
        told = "moment-sum:  2 1 " in check(t.codes("top", "-v", "--no-symbols", *paths), 0).out
        assert told == (test == one), (base, new)


@case
def the_memory_map_overrides_names_for_processes(t):
    base = mapped(t, "base.1.0.i0.heap", APP, VDSO, STACK)
    for stack, one in ((STACK, True), (moved(STACK), False)):
        new = os.path.join(t.folder, "base.1.1.i1.heap")
        os.rename(mapped(t, "new", APP, VDSO, stack), new)
        report = json.loads(check(t.run("diff", "--no-symbols", "-fjson", base, new), 0).out)
        assert report["test"] == ("process-accum" if one else "independent"), stack
        told = "moment-of-one:  i1 newest" in check(t.codes("top", "-v", "--no-symbols", base, new), 0).out
        assert told == one, stack


@case
def merged_profiles_belong_to_no_single_process(t):
    for number in (0, 3):
        check(t.run("merge", "--no-symbols", procs(t)[number], "-o", f"m{number}.pb.gz"), 0)
    report = json.loads(check(t.run("diff", "--no-symbols", "-fjson", "m0.pb.gz", "m3.pb.gz"), 0).out)
    assert report["test"] == "independent"


def golden(*numbers):
    return [str(ROOT / "testdata" / "golden" / f"procs{number}.heap") for number in numbers]


@case
def untested_rows_have_no_p_in_any_format(t):
    for metric in ("inuse-space", "inuse-objects"):
        command = ["diff", "-q", "--no-symbols", "-n0", f"--metric={metric}", *golden(1, 4)]
        report = json.loads(check(t.run(*command, "-fjson"), 0).out)["rows"]
        by_json = [(row["name"], row["p"], row["status"]) for row in report]
        lines = [line.split("\t") for line in check(t.run(*command, "-ftsv"), 0).out.splitlines()]
        columns = [lines[0].index(title) for title in ("name", "p", "status")]
        by_tsv = [tuple(line[i] for i in columns) for line in lines[1:]]
        by_text = re.findall(r"(<?0\.\d+|1\.0000|-)[* ]  (?:new: |gone: )?(\S+)$",
                             check(t.run(*command), 0).out, re.M)
        assert len(by_json) == len(by_tsv) == len(by_text) > 3
        for (name, p, status), cells, (shown, shown_name) in zip(by_json, by_tsv, by_text):
            assert (name, p is None, status) == (cells[0], cells[1] == "", cells[2]), (name, cells)
            assert (name, p is None) == (shown_name, shown == "-"), (name, shown)
        for row in report:
            status = {"same"} if row["delta"]["estimate"] == 0 else {"untested", "new", "gone"}
            assert row["p"] is not None or row["status"] in status, row
        assert {p is None for _, p, _ in by_json} == {True, False}, by_json
    assert "mark-untested: " in t.codes(*command).out


@case
def changes_that_are_not_significant_are_unsure_and_not_equal(t):
    one, two, three, four = golden(1, 2, 3, 4)
    report = json.loads(check(t.run("diff", "--no-symbols", "-fjson", one, two, "--to", three, four), 0).out)
    told = {(row["delta"]["estimate"] == 0, row["status"]) for row in report["rows"] if not row["significant"]}
    assert told == {(True, "same"), (False, "unsure"), (False, "untested")}, told
    assert report["total"]["status"] == "unsure"


@case
def rows_without_a_test_are_not_called_equal(t):
    for extra in (["--confidence=none"], ["--estimator=none"]):
        report = json.loads(check(t.run("diff", "--no-symbols", "-fjson", *extra, *golden(1, 4)), 0).out)
        for row in (report["total"], *report["rows"]):
            same = row["delta"]["estimate"] == 0
            assert row["status"] in (("same",) if same else ("untested", "new", "gone")), row
        assert report["total"]["status"] == "untested"


@case
def fail_if_ends_with_1_when_it_holds(t):
    first, *_, last = series(t)
    leak = program(t.folder, 10, [[1000 + 20 * j + wobble(j, 5) for j in range(10)]])
    for command in (["diff", first, last], ["trend", *leak]):
        if command[0] == "diff":  # its other formats show no p
            check(t.run(*command, "--no-symbols", "-fdifffolded", "--fail-if=growth>5%,p<0.01"), 1)
        for condition, status in (("growth>5%,p<0.01", 1), ("growth>1MiB", 1), ("growth>1", 1),
                                  ("growth>100GiB", 0), ("growth>5%,p<1e-300", 0)):
            done = check(t.codes(*command, "--no-symbols", f"--fail-if={condition}"), status)
            limit = {"growth>1MiB": "1.0 MiB", "growth>1": "1 B", "growth>100GiB": "100.0 GiB"}.get(condition, "5%")
            most = " +fail-if-p-limit: " + condition.split("<")[1] if "," in condition else " "
            verdict = "exceeded" if status else "passed"
            said = (rf"hprof-agg: fail-if-{verdict}: total fail-if-grew: \d[\d.]+ [KM]iB  \+\d+\.\d% "
                    rf", fail-if-p(-below: p (0\.0001|1e-300)|: p [\d.e-]+) +{re.escape(limit)}{most}\n")
            assert re.fullmatch(said, done.err), (condition, done.err)
            assert "fail-if" not in t.run("-q", *command, "--no-symbols", "--fail-if=growth>100GiB").err
    check(t.run("diff", last, first, "--no-symbols", "--fail-if=growth>1"), 0)
    # Memory that goes up and down has grown from the first dump to the last, and that is all.
    up_and_down = program(t.folder, 10, [[1000, 1150, 1020, 1190, 980, 1010, 1170, 990, 1180, 1160]])
    check(t.run("trend", "--no-symbols", "--fail-if=growth>5%", *up_and_down), 1)
    check(t.run("trend", "--no-symbols", "--fail-if=growth>5%,p<0.05", *up_and_down), 0)


@case
def fail_if_finds_a_row_when_the_total_has_shrunk(t):
    first, *_, last = series(t)
    one, other = rows(t.run("diff", "--no-symbols", "-fjson", last, t.dump)), None
    other = [name for name, row in one.items() if row["status"] == "new"]
    assert other, one
    done = check(t.codes("diff", "--no-symbols", "--fail-if=growth>1", last, t.dump, "--metric",
                         "inuse-objects"), 1)
    assert re.search(r"^hprof-agg: fail-if-exceeded: \S+ fail-if-grew: [\d,]+  objects \+[\d.]+% .* 1 $",
                     done.err, re.M), done.err


@case
def fail_if_says_which_row_comes_nearest(t):
    # The leak hides in a program that shrinks: the row is tested by its adjusted p.
    leak = program(t.folder, 10, [[1000 + 20 * j + wobble(j, 5) for j in range(10)],
                                  [9000 - 500 * j for j in range(10)], [50] * 10])
    for command in (["diff", leak[0], leak[-1]], ["trend", *leak]):
        done = check(t.codes(*command, "--no-symbols", "-fjson", "--fail-if=growth>1KiB,p<1e-300"), 0)
        found, report = done.err, json.loads(done.out)
        tested = report["gate_tested"]
        row = next(each for each in report["rows"] if each["name"] == tested["name"])
        grown = row["delta"]["estimate"] if command[0] == "diff" else row["last"] - row["first"]
        assert report["gate"] == "none" and tested["is_row"] and tested["p_limit"] == 1e-300, tested
        assert tested["p"] == row["q"] and abs(tested["growth"] - grown) < .01 * grown, (tested, row)
        assert tested["growth"] > tested["limit"] == 1024, tested
        assert re.search(rf"fail-if-passed: {re.escape(row['name'])} fail-if-grew: .* fail-if-p.*: adjusted p ", found), found
    done = check(t.codes("diff", leak[-1], leak[0], "--no-symbols", "--fail-if=growth>90%"), 0)
    assert "fail-if-passed: " in done.err, done.err


@case
def unmatched_addresses_are_not_called_uncompared(t):
    def dump(name, base, stacks):
        text = [f"heap_v2/524288\n  t*: {sum(stacks.values())}: {1024 * sum(stacks.values())} [0: 0]\n"]
        for place, count in stacks.items():
            text.append(f"@ {base + place:#x}\n  t*: {count}: {1024 * count} [0: 0]\n")
        text.append(f"\nMAPPED_LIBRARIES:\n{base:x}-{base + 0x100000:x} r-xp 00000000 08:01 123 /srv/app\n")
        return t.file(name, "".join(text))
    old = dump("app.1.0.i0.heap", 0x400000, {0x1000: 1000})
    new = dump("app.2.0.i0.heap", 0x800000, {0x1000: 3000, 0x2000: 500})
    freed = dump("app.3.0.i0.heap", 0xc00000, {0x1000: 3000, 0x2000: 0})
    done = check(t.codes("diff", old, new), 0)
    assert re.search(r"warning: open-unmatched: app .* 1 2  \(open-change: .* < 0\.0001 ", done.out), done.out
    assert "open-module" not in done.out, done.out
    first, _, rest = done.out.partition("\n")
    assert " app headline-open" in first and "headline-open" not in rest, done.out
    for name in ("new: app@0x2000", "app@0x1000"):  # they have p-values, as the warning says
        assert re.search(rf"<0\.0001\* +{name}", done.out), done.out
    done = check(t.codes("diff", old, freed), 0)
    assert "open-" not in done.out, done.out  # no memory is unmatched


@case
def malformed_conditions_are_usage_errors(t):
    for condition in ("", "growth", "growth>", "growth>x", "growth>5 %", "growth>-1", "p<0.01",
                      "growth>5%,p<", "growth>5%,p<2", "growth>5%,p<0", "growth>5%;p<0.1",
                      "growth>5TB"):
        check(t.codes("diff", t.dump, t.dump, f"--fail-if={condition}"), 2, "",
              "value-wrong")


@case
def conditions_that_can_never_be_true_are_usage_errors(t):
    for command in ("diff", "trend"):
        for option in ("--confidence=none", "--estimator=none", "--estimator=jeprof"):
            check(t.codes(command, option, "--fail-if=growth>5%,p<0.01", t.dump, t.other), 2,
                  "", f"fail-if-without-p: {option}")
            check(t.run(command, option, "--fail-if=growth>100GiB", "--no-symbols", t.dump, t.other), 0)
        for unit in ("B", "KiB", "MiB", "GiB"):
            check(t.codes(command, "--metric=inuse-objects", f"--fail-if=growth>0.1{unit}", t.dump, t.other), 2,
                  "", "fail-if-objects")


@case
def trend_needs_two_dumps(t):
    check(t.codes("trend", "--no-symbols", t.dump), 5, "", "trend-needs-dumps")


def program(folder, dumps, courses):
    """Raw dumps of stacks whose numbers of sampled objects, one size each, are courses[name][dump]."""
    paths = []
    for j in range(dumps):
        counts = [course[j] for course in courses]
        text = [f"heap_v2/524288\n  t*: {sum(counts)}: {16 * sum(counts)} [0: 0]\n"
                f"  t0: {sum(counts)}: {16 * sum(counts)} [0: 0]\n"]
        for i, count in enumerate(counts):
            text.append(f"@ {0x401000 + 0x1000 * i:#x}\n  t*: {count}: {16 * count} [0: 0]\n"
                        f"  t0: {count}: {16 * count} [0: 0]\n")
        text.append("\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 123 /srv/app\n")
        paths.append(os.path.join(folder, f"app.7.{j}.i{j}.heap"))
        with open(paths[-1], "w", encoding="utf-8") as out:
            out.write("".join(text))
    return paths


def wobble(j, size):
    """A random number in [-size, size], the same for each j."""
    return random.Random(j).randint(-size, size)


def courses(dumps):
    span = range(dumps)
    return [[1000 + wobble(j + 3, 12) for j in span],                      # app@0x1000: stays
            [1000 + 10 * j + wobble(j, 12) for j in span],                 # 2000: leaks
            [2000 + 20 * j + wobble(j + 5, 20) for j in span],             # 3000: leaks more
            [1000 + (100 if j >= 2 * dumps // 3 else 0) + wobble(j + 1, 6) for j in span],  # steps
            [9000 - 70 * j + wobble(j + 2, 40) for j in span],             # shrinks
            # 6000: goes up and down by more than it grows.
            [1000 + (0, -95, -59, 59, 95)[j % 5] + 160 * j // dumps for j in span],
            [int(1000 - 900 * 2.718 ** (-5 * j / dumps)) for j in span]]   # 7000: levels off


@case
def trend_claims_growth_from_eight_dumps_on(t):
    paths = program(t.folder, 8, courses(8))
    for count in (2, 4, 7, 8):
        command = ["trend", "-q", "--no-symbols", *paths[-count:]]
        text = check(t.codes(*command), 0).out
        told = json.loads(check(t.run(*command, "-fjson"), 0).out)
        sums = [told["total"], *told["rows"]]
        assert told["variance_tested"] == (count >= 8) == ("trend-few-dumps" not in text), text
        assert (" at least " in text) == (count >= 8), text
        long = check(t.codes(*command, "-v"), 0).out
        assert ("p sampling" not in long) == (count >= 8) and "span-cycle\n" in long, long
        assert all((row["p"] is None) == (row["at_least"] is None) == (row["q"] is None) ==
                   (count < 8) and row["p_sampling"] is not None for row in sums), sums
        assert count >= 8 or not any(row["significant"] or row["shape"] != "none" for row in sums)
        # A condition that can never hold would let everything pass.
        gate = check(t.codes(*command, "--fail-if=growth>1,p<0.5"), 1 if count >= 8 else 5)
        assert count >= 8 or "trend-without-p: 0.5 8" in gate.err, gate.err


@case
def trend_marks_leaks_and_no_other_shapes(t):
    paths = program(t.folder, 40, courses(40))
    command = ["trend", "-q", "--no-symbols", *paths]
    told = rows(check(t.run(*command, "-fjson"), 0))
    shapes = {name[4:]: (row["shape"], row["significant"]) for name, row in told.items()}
    assert shapes == {"0x1000": ("none", False), "0x2000": ("steady", True),
                      "0x3000": ("steady", True), "0x4000": ("step", False),
                      "0x5000": ("none", False), "0x6000": ("cycle", False),
                      "0x7000": ("levelled", False)}, shapes
    assert told["app@0x6000"]["q"] < 0.05, told["app@0x6000"]
    for name, row in told.items():
        assert (row["p"] < 0.05) == (row["at_least"] > 0), (name, row)
        assert row["p"] >= row["p_sampling"] and row["at_least"] <= row["slope"], (name, row)


@case
def trend_shows_marked_rows_first_and_then_the_largest_changes(t):
    paths = program(t.folder, 40, courses(40))
    command = ["trend", "-q", "--no-symbols", *paths]
    told = [*rows(check(t.run(*command, "-fjson"), 0)).values()]
    assert [row["name"][4:] for row in told[:3]] == ["0x3000", "0x2000", "0x5000"], told
    changes = [abs(row["last"] - row["first"]) for row in told[2:]]
    assert changes == sorted(changes, reverse=True), changes
    for limit, line in ((1, "5 marked-left-too: 1, "), (2, "5, ")):
        out = check(t.codes(*command, f"-n{limit}"), 0).out
        line = line.replace(" marked-left-too: 1, ", "marked-left-too:  and  1, ")
        assert re.search(rf"^… marked-left: {line}[-+].* together \(cut-by-limit", out, re.M), out
    # Too few dumps to mark any row: the row with the largest change is shown all the same.
    few = check(t.codes("trend", "-q", "--no-symbols", "-n1", *paths[:3]), 0).out
    assert "app@0x7000" in few and "marked-left-too" not in few, few


@case
def trend_shows_growth_per_day_if_times_are_known(t):
    paths = program(t.folder, 10, courses(10))
    for i, path in enumerate(paths):
        os.utime(path, (i * 7200, i * 7200))
    command = ["trend", "-q", "--no-symbols", *paths]
    told = json.loads(check(t.run(*command, "-fjson", "--time-from=mtime"), 0).out)
    for row in [told["total"], *told["rows"]]:
        assert abs(row["per_day"] - 24 * row["slope"]) <= 1e-6 * abs(row["per_day"]), row
    text = check(t.codes(*command, "-v", "--time-from=mtime"), 0).out
    assert " per day, at least " in text and "\nspan       18 hours; span-cycle\n" in text
    text = check(t.codes(*command, "-v"), 0).out
    assert " per day" not in text and "\nspan       10 dumps, times not known; span-cycle\n" in text, text
    one_time = r"--time-from=/app\.([0-9]+)\."  # the process id
    text = check(t.codes(*command, "-v", one_time), 0).out
    assert text.startswith("trend-one-time") and "p sampling" in text, text
    for i, path in enumerate(paths):
        os.utime(path, (7200 * i, 7200 * i))
    assert "warning: times-" not in check(t.codes("trend", "--time-from=mtime", *paths), 0).out
    check(t.codes(*command, one_time, "--fail-if=growth>1,p<0.5"), 5, "", "trend-without-p: 0.5 ")


@case
def trend_uses_the_times_of_sets(t):
    folders = []
    for i, path in enumerate(program(t.folder, 10, courses(10))):
        folders.append(os.path.join(t.folder, f"app.7.{i}"))
        os.mkdir(folders[-1])
        shutil.move(path, os.path.join(folders[-1], f"app.7.{i}.m{i}.heap"))
        with open(os.path.join(folders[-1], "facts.json"), "w") as facts:
            json.dump({"version": 1, "program": "app", "pid": 7, "start": 1, "host": "h", "boot": "b",
                       "time_ns": (1_700_000_000 + i * 7200) * 10**9}, facts)
    command = ["trend", "-q", "--no-symbols", "-fjson", *folders]
    assert json.loads(check(t.run(*command), 0).out)["hours"] == 18
    os.remove(os.path.join(folders[3], "facts.json"))  # without one of the times none is used
    assert json.loads(check(t.run(*command), 0).out)["hours"] is None


@case
def times_of_copied_files_are_not_used(t):
    paths = program(t.folder, 10, courses(10))
    command = ["trend", "--no-symbols", *paths]
    def told(*options):
        return json.loads(check(t.run(*command, "-q", "-fjson", *options), 0).out)
    plain = told()
    copies = {"times-close: 0 times-left-out": [7200] * 10,
              "times-exchanged: times-left-out": [7200 * (20 - i) for i in range(10)],  # backwards
              "times-close: 9 times-left-out": [7200 + i for i in range(10)],
              "times-exchanged: times-left-out ": [7200 * (i + 5 * (i % 3)) for i in range(10)]}  # in parts
    for code, times in copies.items():
        for path, time in zip(paths, times):
            os.utime(path, (time, time))
        found = told("--time-from=mtime")
        assert (found["hours"], found["total"]["per"]) == (None, "dump"), found
        assert found["total"] == plain["total"] and found["rows"] == plain["rows"], (code, found["total"], plain["total"])
        text = check(t.codes(*command, "-v", "--time-from=mtime"), 0).out
        assert f"warning: {code.strip()}\n" in text and " per day" not in text and "resets" not in text, text
    # Times in the paths are what they are, even if they contradict the numbers.
    by_path = told(r"--time-from=\.([0-9])[0-9]*\.[if]")
    assert by_path["hours"] is not None, by_path


@case
def slopes_use_a_unit_of_time_that_the_dumps_span_twice(t):
    paths = program(t.folder, 10, courses(10))
    def slope_of(seconds):
        folder = t.folder / str(seconds)
        folder.mkdir()
        for i, path in enumerate(paths):
            nanoseconds = int(i * seconds * 10**9) // 9
            shutil.copy(path, folder / f"{i}-at-{10**9 + nanoseconds // 10**9}.{nanoseconds % 10**9:09d}-")
        command = ["trend", "-q", "--no-symbols", "--time-from=at-(.*)-", *sorted(map(str, folder.iterdir()))]
        told = json.loads(check(t.run(*command, "-fjson"), 0).out)
        table = [line.split("\t") for line in check(t.run(*command, "-ftsv"), 0).out.splitlines()]
        text = check(t.run(*command, "-v"), 0).out
        per = told["total"]["per"]
        assert {row[table[0].index("per")] for row in table[1:]} == {row["per"] for row in told["rows"]} == {per}
        assert f" per {per}, " in text and f"  per {per} " in text, text
        assert (" per hour, " in text and " per day, at least " in text) == (per == "hour"), text
        assert abs(told["hours"] * 3600 - seconds) <= 1e-4 * seconds, told["hours"]
        return per, told["total"]["slope"], re.search("^10 dumps over (.*?) ·", text, re.M).group(1)
    slopes = {seconds: slope_of(seconds) for seconds in (0.9, 1.5, 119, 120, 7199, 7200, 172799, 172800, 10**7)}
    assert {seconds: (per, span) for seconds, (per, _, span) in slopes.items()} == {
        0.9: ("second", "0.9 seconds"), 1.5: ("second", "1.5 seconds"), 119: ("second", "119 seconds"),
        120: ("minute", "2 minutes"), 7199: ("minute", "120 minutes"), 7200: ("hour", "2 hours"),
        172799: ("hour", "48 hours"), 172800: ("day", "2 days"), 10**7: ("day", "116 days")}, slopes
    of = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
    rise = [slope * seconds / of[per] for seconds, (per, slope, _) in slopes.items()]
    assert max(rise) <= min(rise) * 1.00001, rise


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


@case
def a_trend_uses_the_times_of_pprof_profiles(t):
    # The order of the names contradicts the times; field 9 is time_nanos.
    points = [path for path in series(t) if ".f." not in path]
    paths = []
    for i, path in enumerate(points):
        paths.append(os.path.join(t.folder, f"{9 - i}.pb"))
        check(t.run("merge", "-q", "--no-symbols", "-o", paths[-1], path), 0)
        with open(paths[-1], "rb") as file:
            plain = gzip.decompress(file.read())
        with open(paths[-1], "wb") as file:
            file.write(plain + varint(9 << 3) + varint(1_800_000_000 * 10**9 + i * 300 * 10**6))
    def trend(*options, inputs=tuple(paths)):
        return json.loads(check(t.run("trend", "-q", "--no-symbols", "-fjson", *options, *inputs), 0).out)
    told, plain = trend(), json.loads(check(t.run("trend", "--no-symbols", "-fjson", *points), 0).out)
    assert (told["total"]["per"], round(told["hours"] * 3600, 3)) == ("second", 0.3 * (len(paths) - 1)), told
    assert all(abs(a - b) < 8 for a, b in zip(told["total"]["values"], plain["total"]["values"])), told
    assert abs(told["total"]["slope"] * 0.3 - plain["total"]["slope"]) < 50, told
    for path in paths:
        os.utime(path, (0, 0))
    copied = t.codes("trend", "--no-symbols", "--time-from=mtime", *paths)
    assert "warning: times-close: 0 times-held\n" in check(copied, 0).out, copied.out
    assert trend("--time-from=mtime")["hours"] == told["hours"], "as without the option"
    assert trend("--time-from=/([0-9])[.]pb")["total"]["slope"] < 0
    # One input has no time: then no times are known, and the names decide the order.
    mixed = trend(inputs=[*paths[:-1], points[-1]])
    assert mixed["hours"] is None and mixed["total"]["per"] == "dump", mixed


@case
def the_head_of_a_trend_has_the_requested_unit(t):
    heads = [re.sub("\n\n(?s:.*?)\n\n", "\n", check(t.run("trend", "-q", "-v", "--no-symbols", unit, *series(t)), 0).out)
             for unit in ("--unit=auto", "--unit=B")]
    assert "MiB per dump" in heads[0], heads
    assert re.search(r"\nslope      \+\d+ B .*per dump", heads[1]) and "MiB" not in heads[1], heads


@case
def trend_is_ordered_by_numbers_in_names(t):
    paths = []
    for number, path in zip((9, 10, 100), series(t)[3:]):
        paths.append(os.path.join(t.folder, f"jp.10978.{number}.i{number}.heap"))
        shutil.copy(path, paths[-1])
    totals = [json.loads(check(t.run("top", "--no-symbols", "-fjson", path), 0).out)
              ["total"]["inuse-space"]["estimate"] for path in paths]
    for order in (paths, paths[::-1]):
        values = json.loads(check(t.run("trend", "--no-symbols", "-fjson", *order), 0).out)
        assert all(abs(a - b) < 1 for a, b in zip(values["total"]["values"], totals)), values


@case
def times_come_from_paths_or_files(t):
    paths = []
    for hour, path in enumerate(series(t)[:3]):
        paths.append(os.path.join(t.folder, f"at-2026-03-0{hour + 1}T12:30:00Z-{9 - hour}.heap"))
        shutil.copy(path, paths[-1])
        os.utime(paths[-1], (1e9 + 7200 * hour, 1e9 + 7200 * hour))
    def trend(*options):
        return json.loads(check(t.run("trend", "--no-symbols", "-fjson", *options, *paths), 0).out)
    per_dump = trend()["total"]["slope"]
    assert trend()["hours"] is None
    by_path, by_file = trend("--time-from=at-(.*)-"), trend("--time-from=mtime")
    assert (by_path["hours"], by_file["hours"]) == (48, 4)
    assert (by_path["total"]["per"], by_file["total"]["per"]) == ("day", "hour")
    # Without times, the names imply the opposite order.
    assert abs(by_path["total"]["slope"] - by_file["total"]["slope"] * 2) < 1e-3
    assert abs(by_file["total"]["slope"] * 2 - per_dump) < 1e-3
    assert re.search(r"3 dumps span 2 days", t.run("trend", "--no-symbols", "--time-from=at-(.*)-",
                                                     *paths).out)


@case
def missing_times_are_usage_errors(t):
    dumps = series(t)
    check(t.codes("trend", "--no-symbols", "--time-from=(nowhere)", *dumps), 2, "", "no-time-in-path: (nowhere)")
    check(t.codes("trend", "--no-symbols", "--time-from=jp", *dumps), 2, "", "no-time-in-path: jp")
    check(t.codes("trend", "--no-symbols", "--time-from=(", *dumps), 2, "", "pattern-wrong: ( missing closing parenthesis 1")


@case
def times_of_unused_dumps_are_not_needed(t):
    paths = []
    for hour, path in enumerate(series(t)[:2]):
        paths.append(os.path.join(t.folder, f"used-2026-04-01T0{hour}:00:00Z.heap"))
        shutil.copy(path, paths[-1])
    copy = shutil.copy(paths[0], os.path.join(t.folder, "yet-again.heap"))
    os.utime(paths[0], (1e9, 1e9))
    missing = os.path.join(t.folder, "missing.heap")
    for source in ("mtime", "used-(.*Z)"):
        trend = ["trend", "--no-symbols", "-fjson", f"--time-from={source}", *paths]
        want = rows(check(t.run(*trend), 0))
        for more, status in (([missing, "--max-skipped=1"], 3), ([t.binary], 0),
                             ([copy, "--on-duplicate=skip"], 0)):
            assert rows(check(t.run(*trend, *more), status)) == want, (source, more)


@case
def each_process_has_a_series_of_its_own(t):
    folder = os.path.join(os.path.dirname(t.dump), "procs")
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    assert "growth-of-two-processes: " in check(t.codes("trend", "--no-symbols", *paths), 0).out
    forks = [shutil.copy(path, os.path.join(t.folder, f"fork.{i + 7}.0.f.heap")) for i, path in
             enumerate(series(t)[:3])]
    check(t.codes("trend", "--no-symbols", *forks), 5, "", "trend-needs-dumps")
    base = mapped(t, "base", APP, VDSO, STACK)
    same = mapped(t, "new.1", APP, LIBRARY, VDSO, STACK)
    others = [mapped(t, name, APP, VDSO, moved(STACK)) for name in ("base.2", "new.2")]
    assert check(t.codes("trend", "--no-symbols", base, same), 0).out.startswith("trend-few-dumps: 2 8 ")
    assert "no-series: 1 " in check(t.codes("trend", "--no-symbols", base, same, others[0]), 0).out
    report = json.loads(check(t.run("trend", "--no-symbols", "-fjson", "-n0", base, same, *others), 0).out)
    assert [series["dumps"] for series in report["series"]] == [2, 2], report["series"]
    alone = json.loads(check(t.run("trend", "--no-symbols", "-fjson", "-n0", base, same), 0).out)
    for name in {series["process"] for series in report["series"]}:
        want = {row["name"]: row["values"] for row in alone["rows"]}
        assert {row["name"]: row["values"] for row in report["rows"] if row["process"] == name} == want
    text = check(t.codes("trend", "-v", "--no-symbols", base, same, *others), 0).out
    assert "\n2 series, each of a process" in text and ": trend-few-dumps: 2 8 " in text.splitlines()[0], text


def procs(t):
    folder = os.path.join(os.path.dirname(t.dump), "procs")
    return sorted(os.path.join(folder, name) for name in os.listdir(folder))


@case
def rows_can_be_inputs_or_labels(t):
    labels = r"--label-from=/(?<host>p\d)\.(?<pid>\d+)"
    for by, name in ((["--by=input"], lambda path: path),
                     (["--by=label:host", labels],
                      lambda path: os.path.basename(path).split(".")[0])):
        report = rows(check(t.run("top", "--no-symbols", "-fjson", *by, *procs(t)), 0))
        assert len(report) == 4, report
        for path in procs(t):
            alone = json.loads(t.run("top", "--no-symbols", "-fjson", path).out)["stacks_total"]
            row = report[name(path)]
            assert row["flat"] == row["cum"], (path, row)
            for numbers in row["flat"].values():  # only of several dumps
                numbers.pop("sampling", None)
            assert row["flat"] == alone, (path, row, alone)


@case
def inputs_without_a_label_are_one_row(t):
    out = check(t.run("top", "--no-symbols", "-fjson", "--by=label:n", "--label-from=p(?<n>[12])",
                      *procs(t)), 0)
    assert set(rows(out)) == {"1", "2", "[no label]"}


@case
def labels_need_an_option_and_a_name(t):
    for command in ("top", "merge"):
        check(t.codes(command, t.dump, "--by=label:x"), 5, "", "no-input-has: a label  x")
    check(t.codes("top", t.dump, "--by=label:"), 2, "", "choice-unknown: by label: ")
    check(t.codes("stacks", t.dump, "--by=input"), 2, "", "rows-not-of-format: stacks")
    check(t.codes("top", "--no-symbols", t.dump, "--by=label:x", "--label-from=(x)"), 2, "",
          "pattern-without-group: (x)")
    check(t.codes("top", t.dump, "--by=input", "--columns=spread"), 2, "", "spread-of-groups")


@case
def spread_names_the_outliers(t):
    folder = os.path.join(t.folder, "fleet")
    os.mkdir(folder)
    plain = open(procs(t)[0]).read()
    def times(match):
        return f": {int(match[1]) * factor}: {int(match[2]) * factor} [0: 0]"
    for i in range(12):
        factor = 5 if i == 7 else 1
        text = re.sub(r": (\d+): (\d+) \[\d+: \d+\]", times, plain)
        # The vdso elsewhere in each, so that it is another process.
        with open(os.path.join(folder, f"h{i}.heap"), "w") as file:
            file.write(re.sub(r"(?m)^.*\[vdso\]$", f"7f00{i:08x}000-7f00{i:08x}fff r-xp 00000000 00:00 0 [vdso]",
                              text))
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    report = json.loads(check(t.run("top", "--no-symbols", "-fjson", "--columns=spread", *paths), 0).out)
    assert [os.path.basename(row["input"]) for row in report["outliers"]] == ["h7.heap"], report["outliers"]
    assert all(row["spread"]["sd"] >= 0 for row in report["rows"])
    text = check(t.run("top", "--no-symbols", "--columns=spread", *paths), 0).out
    assert re.search(r"stands out: .*h7\.heap", text), text


@case
def a_timeline_is_not_for_every_format(t):
    check(t.codes("merge", "--timeline", "--format=folded", t.dump), 2, "",
          "format-not-of-command: merge  --timeline ")
    check(t.codes("folded", "--timeline", t.dump), 2, "", "format-not-of-command: merge  --timeline ")
    check(t.codes("top", "--timeline", t.dump), 2, "", "option-not-of-command: top timeline")


@case
def a_timeline_is_for_one_dump_too(t):
    check(t.run("merge", "--timeline", "--no-symbols", t.dump), 0, None, "")


def difference(t):
    """procs4 - procs1 as a profile, in which no number is above zero."""
    golden = ROOT / "testdata" / "golden"
    dumps = [str(golden / f"procs{i}.heap") for i in (1, 4)]
    check(t.run("diff", "-q", "--no-symbols", "-o", "neg.pb.gz", *reversed(dumps)))
    return "neg.pb.gz", dumps


@case
def formats_without_numbers_below_zero_reject_a_difference(t):
    path, dumps = difference(t)
    for name in "folded", "callgrind", "speedscope", "dhat", "dot":
        result = t.codes(name, "-q", "-o", "out", path)
        check(result, 5, "", f"no-negative-numbers: {name} text, markdown, json, tsv, pprof")
        assert re.search(r"\bfirefox\b.*; --only=grown ", result.err), result
        assert not (t.folder / "out").exists()
    check(t.codes("top", "-q", "-fbenchmark", path), 5, "", "no-negative-numbers: benchmark")
    for name in "callgrind", "difffolded", "speedscope", "svg":
        check(t.codes("diff", "-q", "-f", name, dumps[0], path), 5, "", "input-refused-as-difference")
        check(t.run("diff", "-q", "-f", name, path), 0)
    for args in (["svg"], ["pdf"], ["pprof", "-oout"], ["firefox"], ["top", "-fsvg"],
                 ["top", "-fjson"], ["top", "-ftsv"], ["top"], ["tree"]):
        check(t.run(*args, "-q", path), 0)


@case
def formats_without_numbers_below_zero_accept_filtered_growth(t):
    path, _ = difference(t)
    out = check(t.run("folded", "-q", "--focus=0x148a", path)).out
    assert re.search(" 131096\n$", out), out
    check(t.run("folded", "-q", "--ignore=0x148a", path), 5, "")


@case
def rows_of_differences_have_no_shares(t):
    path, _ = difference(t)
    for command in "top", "tree", "stacks", "peek .":
        out = check(t.run(*command.split(), "-q", "-n0", "--no-symbols", path)).out
        assert not re.search(r"\d%", out), out
    out = check(t.codes("tree", "-q", "-n2", "--no-symbols", path)).out
    assert "nodes-left: " in out and "share-of-total" not in out, out
    out = check(t.run("stacks", "-q", "--no-symbols", "--focus=0x148a", path)).out
    assert not re.search(r"\d%", out), out


@case
def a_leak_since_the_middle_of_a_series_is_found(t):
    dumps = str(ROOT / "testdata" / "series" / "onset24.tgz")
    done = t.run("trend", "--no-symbols", "--cum", "-fjson", "-n0", "--fail-if=growth>10%,p<0.05", "--tar=" + dumps)
    found = rows(check(done, 1))
    leak = found["cartd+0x1106c"]
    assert leak["significant"] and leak["shape"] == "since" and leak["p"] < 0.001, leak
    assert [leak["onset"][key] for key in ("dump", "from", "to")] == ["app.24577.11.m11.heap"] * 3, leak["onset"]
    assert leak["slope"] > 1.5 * leak["slope_whole"] > 0 and leak["onset"]["growth"] > leak["onset"]["at_least"] > 8 << 20, leak
    others = [row for row in found.values() if row["shape"] != "since"]
    assert others and all(row["onset"]["dump"] == "" and row["onset"]["growth"] is None for row in others)


@case
def fewer_than_8_dumps_since_an_onset_are_shown_but_not_marked(t):
    dumps = [t.file(f"app.7.{i}.m{i}.heap", "heap_v2/524288\n  t*: {0}: {1} [0: 0]\n@ 0x401000\n  t*: {0}: {1} [0: 0]\n\nMAPPED_LIBRARIES:\n".format(
        100 + (200 * (i - 6) if i > 6 else 3 * (i % 2 == 0)), 64 * (100 + (200 * (i - 6) if i > 6 else 3 * (i % 2 == 0)))))
        for i in range(14)]
    report = json.loads(check(t.run("trend", "--no-symbols", "-fjson", *dumps), 0).out)
    assert report["total"]["onset"]["steps"] == 7 and not report["total"]["significant"], report["total"]
    assert "rose-recently: 7 " in t.codes("trend", "--no-symbols", "-v", *dumps).out


@case
def spread_names_the_holders_of_a_row(t):
    def dump(host, stacks):
        folder = t.folder / host
        folder.mkdir()
        lines = "".join(f"@ {address:#x}\n  t*: {count}: {count << 16} [0: 0]\n" for address, count in stacks)
        total = sum(count for _, count in stacks)
        page = 0x7fff00000000 + 0x1000 * int(host[4:])
        path = folder / "app.7.1.m1.heap"
        path.write_text(f"heap_v2/65536\n  t*: {total}: {total << 16} [0: 0]\n{lines}\nMAPPED_LIBRARIES:\n"
                        f"{page:x}-{page + 0x1000:x} r-xp 00000000 00:00 0   [vdso]\n")
        return str(path)

    paths = [dump(f"web-{i}", [(0x401000, 200), (0x402000, 100), *([(0x403000, 60)] if i == 5 else [])]) for i in range(1, 7)]
    wanted = [("web-5", 1.0)]
    for labels in ([r"--label-from=(?<host>web-\d)/"], []):
        found = json.loads(check(t.run("top", "--columns=spread", "--no-symbols", "--keep-unmapped", "-fjson", *labels, *paths), 0).out)
        got = [(row["holder"] if labels else re.search(r"web-\d", row["holder"])[0], row["share"]) for row in found["holders"]]
        assert got == wanted and found["holders"][0]["share_low"] > 0.8 and found["row_outliers"] == [], (got, found["holders"])
    two = json.loads(check(t.run("top", "--columns=spread", "--no-symbols", "--keep-unmapped", "-fjson", *paths[3:5]), 0).out)
    assert two["holders"] == []


@case
def dumps_without_allocation_counts_within_a_series_are_compared_by_sampling(t):
    """The first and the last dump of the process allow the test of allocated bytes, those between do not."""
    counts = re.compile(rb"\[\d+: \d+\]")
    inputs = []
    for number in range(13):
        name = f"redis_lg13.27533.{number}.i{number}.heap"
        with gzip.open(os.path.join(ROOT, "testdata", "real", f"{name}.gz")) as file:
            dump = file.read()
        inputs.append(os.path.join(t.folder, name))
        with open(inputs[-1], "wb") as file:
            file.write(counts.sub(b"[0: 0]", dump) if 3 <= number <= 11 else dump)
    report = json.loads(check(t.run("trend", "--no-symbols", "-fjson", "-n0", *inputs), 0).out)
    assert report["rows"] and all(row["name"] for row in report["rows"])


@case
def trend_begins_with_a_verdict(t):
    def answer(*course):
        return check(t.codes("trend", "-q", "--no-symbols", *program(t.folder, len(course), [course])), 0).out.splitlines()[0]
    grows = [1000 + 100 * j + wobble(j, 12) for j in range(12)]
    late = [1000 + wobble(j, 12) for j in range(12)]
    for code, course in (("trend-growing", grows), ("trend-since", late + [1000 + 100 * j + wobble(j, 12) for j in range(14)]),
                         ("trend-step", late + [1500 + wobble(j, 12) for j in range(12)]), ("trend-unsteady", late),
                         ("trend-few-dumps: 7 8 ", grows[:7])):
        said = answer(*course)
        # First and last value.
        assert said.startswith(code) and re.search(r"\d(?: [KM]iB)? → \d\S* [KMG]iB", said), (code, said)
    said = answer(*late, *[1000 + 100 * j + wobble(j, 12) for j in range(14)])
    assert re.match(r"trend-since\W*app\.7\.1[0-3]\.i1[0-3]\.heap: ", said), said


@case
def values_are_a_line_or_a_column_where_there_is_no_utf8(t):
    paths = program(t.folder, 10, courses(10))
    args = ("trend", "-q", "--no-symbols", "-n3", "--width=100", *paths)
    lines = {name: t.run_on_terminal(*args, env={"LC_ALL": name}).out for name in ("C.UTF-8", "C")}
    assert "█" in lines["C.UTF-8"] and " first " not in lines["C.UTF-8"], lines
    assert lines["C"].isascii() and " first " in lines["C"] and " dumps  " not in lines["C"], lines
    # A file is the same in each locale.
    assert len({t.run(*args, env={"LC_ALL": name}).out for name in ("C.UTF-8", "C")}) == 1
    # From zero: a function that stays has full cells; more than 16 dumps are averaged.
    many = check(t.run("trend", "-q", "--no-symbols", "-n0", *program(t.folder, 40, courses(40))), 0).out
    drawn = dict(re.findall(r"([▁▂▃▄▅▆▇█]+)  app@(\S+)", many)[::-1])
    assert {len(text) for text in drawn} == {14} and "██████████████" in drawn, drawn


@case
def screens_of_comparisons_keep_their_budget(t):
    real = ROOT / "testdata" / "real"
    redis = sorted(map(str, real.glob("redis_lg13*")), key=lambda path: int(path.split(".")[-4]))
    golden = sorted(str(path) for path in (ROOT / "testdata" / "golden").glob("procs*.heap"))
    for width in ("80", "120"):
        for args in (("diff", redis[0], redis[-2]), ("trend", *redis), ("lifetime", *redis[3:13]),
                     ("diff", *golden[:2]), ("diff", *golden[:2], "--to", *golden[2:]), ("plan", *golden[:2]),
                     ("trend", f"--tar={ROOT}/testdata/series/onset24.tgz")):
            lines = check(t.run(args[0], "--no-symbols", f"--width={width}", *args[1:]), 0).out.rstrip("\n").split("\n")
            head = lines.index("")
            rows = [i for i, line in enumerate(lines) if re.match(r" *[-\d]\S*( [KMG]?i?B)? +\S", line) and i > head]
            above = lines[:next(i for i, line in enumerate(lines) if line == "" or line.startswith(("warning: ", "note: ")))]
            assert len(above) <= 2 and len(lines) - 1 - max(rows) <= 3, (args[:2], width, lines)
            assert max(map(len, lines)) <= int(width), lines
