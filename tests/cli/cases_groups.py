"""Tests --by=group: rules assign each stack to one group."""
import json

from harness import ROOT, case, check

GOLDEN = ROOT / "testdata" / "golden"
DUMPS = [str(GOLDEN / name) for name in ("procs1.heap", "procs4.heap")]
SYMBOLS = f"--symbol-dir={ROOT}/testdata/root"
RULES = ("# who owns it\n\nmixed\tfunction\tleaf_mixed\nlibs\tmodule\tlibstdc\n"
         "sources\tfile\talloc_c[.]c$\nmixed\tfunction\trealloc\n")


def rows_of(t, command, *args):
    report = json.loads(check(t.run(command, "-q", "-fjson", "-n0", SYMBOLS, *args)).out)
    return report, {row["name"]: row for row in report["rows"]}


@case
def each_stack_is_in_one_group_and_sums_add_up(t):
    t.file("groups", RULES)
    group = ["--by=group", "--groups=groups"]
    check(t.run("merge", "-q", *DUMPS, "-o", "both.hpa"))
    for inputs in (DUMPS[:1], DUMPS, ["both.hpa"]):
        report, rows = rows_of(t, "top", *group, *inputs)
        whole = (report.get("stacks_total") or report["total"])["inuse-space"]["estimate"]
        assert report["by"] == "group" and report["next"] == []
        assert abs(sum(row["flat"]["inuse-space"]["estimate"] for row in rows.values()) - whole) < .01
        assert all(row["flat"] == row["cum"] for row in rows.values())
        assert set(rows) <= {"mixed", "libs", "sources", "(no group)"} and "mixed" in rows
    assert rows == rows_of(t, "top", *group, *DUMPS)[1], "an aggregate file has the groups of its dumps"
    one = check(t.run("folded", "-q", "--names=full", SYMBOLS, DUMPS[0])).out.splitlines()
    mixed = sum(int(line.rpartition(" ")[2]) for line in one if "leaf_mixed" in line)
    value = rows_of(t, "top", *group, DUMPS[0])[1]["mixed"]["flat"]["inuse-space"]["estimate"]
    assert abs(value - mixed) < 5, (value, mixed)


@case
def stacks_have_the_groups_of_top_as_a_column(t):
    t.file("groups", RULES)
    check(t.run("merge", "-q", *DUMPS, "-o", "both.hpa"))
    for inputs in (DUMPS[:1], DUMPS, ["both.hpa"]):
        rows = rows_of(t, "top", "--by=group", "--groups=groups", *inputs)[1]
        report = check(t.run("stacks", "-q", "-fjson", "-n0", SYMBOLS, "--groups=groups", *inputs)).out
        sums = {}
        for row in json.loads(report)["rows"]:
            sums[row["group"]] = sums.get(row["group"], 0) + row["value"]["inuse-space"]["estimate"]
        assert set(sums) == set(rows), (sums, list(rows))
        for name, row in rows.items():
            assert abs(sums[name] - row["flat"]["inuse-space"]["estimate"]) < .01, name
    table = check(t.run("stacks", "-q", "-ftsv", "-n0", SYMBOLS, "--groups=groups", DUMPS[0])).out.splitlines()
    place = table[0].split("\t").index("group")
    assert {line.split("\t")[place] for line in table[1:]} == set(rows_of(t, "top", "--by=group", "--groups=groups",
                                                                          DUMPS[0])[1])
    text = check(t.run("stacks", "-q", "-n0", SYMBOLS, "--groups=groups", DUMPS[0])).out
    assert text.count("\n     group: ") == len(table) - 1, text
    both = check(t.run("stacks", "-q", "-fjson", "-n0", SYMBOLS, "--groups=groups", "--label-from=(?<v>procs.)",
                       "--by=label:v", *DUMPS)).out
    assert all("group" in row for row in json.loads(both)["rows"])


@case
def the_table_of_stacks_has_groups(t):
    t.file("groups", RULES)
    inputs = ["-q", "--format=ndjson", "-o", "out"]

    def table():
        files = list((t.folder / "out" / "stacks").iterdir())
        return {row["stack"]: row for path in files for row in map(json.loads, path.read_text().splitlines())}

    check(t.run("rows", *inputs, *DUMPS))
    assert {row["stack_group"] for row in table().values()} == {None}
    check(t.run("rows", *inputs, "--add-names", SYMBOLS, "--groups=groups"))
    named, sums = table(), {}
    rows = [json.loads(line) for path in (t.folder / "out" / "rows").iterdir() for line in path.read_text().splitlines()]
    for row in rows:
        group = named[row["stack"]]["stack_group"]
        sums[group] = sums.get(group, 0) + row["inuse_bytes"]
    wanted = rows_of(t, "top", "--by=group", "--groups=groups", *DUMPS)[1]
    assert set(sums) == set(wanted), (sums, list(wanted))
    for name, row in wanted.items():
        assert abs(sums[name] - row["flat"]["inuse-space"]["estimate"]) <= .5 * len(rows), name
    t.file("groups", "a\tfunction\t(\n")
    check(t.codes("rows", *inputs, "--add-names", SYMBOLS, "--groups=groups"), 2, "", "groups:1: ")


@case
def groups_are_compared_and_filtered(t):
    t.file("groups", RULES)
    group = ["--by=group", "--groups=groups"]
    sides = [rows_of(t, "top", *group, dump)[1]["mixed"]["flat"]["inuse-space"]["estimate"] for dump in DUMPS]
    delta = rows_of(t, "diff", *group, *DUMPS)[1]["mixed"]
    assert abs(delta["delta"]["estimate"] - (sides[1] - sides[0])) < .01 and delta["p"] is not None
    series = sorted(str(path) for path in (GOLDEN / "series").glob("*.heap"))
    assert "mixed" in rows_of(t, "trend", *group, *series)[1]
    focused = rows_of(t, "top", *group, "--focus=leaf_mixed", DUMPS[0])[1]
    assert list(focused) == ["mixed"], focused
    check(t.run("top", *group, "-fhtml", DUMPS[0]), 0, "(no group)")


@case
def the_first_rule_of_the_nearest_frame_decides(t):
    def first(text):
        t.file("groups", text)
        rows = rows_of(t, "top", "--by=group", "--groups=groups", "--focus=leaf_mixed", DUMPS[0])[1]
        return sorted(rows)

    leaf, root = "leaf\tfunction\tleaf_mixed\n", "start\tfunction\t^(main|start_thread|worker)"
    assert first(leaf + root + "\n") == ["leaf"] == first(root + "\n" + leaf), "the nearest to the leaf"
    assert "start" in first(root + "\troot\n" + leaf), "rules of the root come first"
    assert first(leaf + root + "\troot\n") == ["leaf"], "rules of the leaf come first"
    assert first("a\tfunction\tleaf\nb\tfunction\tmixed\n") == ["a"], "the first of one frame"
    assert first("a\tfunction\tnosuch\n") == ["(no group)"]


@case
def wrong_rules_of_groups_are_refused_with_their_line(t):
    for text, code in (("a\n", "groups:1: group-line"), ("#\na\tname\tx\n", "groups:2: group-line"),
                       ("\tfunction\tx\n", "groups:1: group-line"), ("a\tfunction\t\n", "groups:1: group-pattern"),
                       ("a\tfunction\tx\tleaf\n", "groups:1: group-pattern"), ("a\tfunction\t(\n", "groups:1: ")):
        t.file("groups", text)
        check(t.codes("top", "--by=group", "--groups=groups", t.dump), 2, "", code)
    check(t.codes("top", "--by=group", t.dump), 2, "", "by-group-alone")
    t.file("groups", "a\tfunction\tx\n")
    check(t.codes("top", "--groups=groups", t.dump), 2, "", "groups-alone")
    check(t.codes("tree", "--by=group", t.dump), 2, "", "by-group-alone")
    check(t.codes("stacks", "--by=group", t.dump), 2, "", "by-group-alone")
    t.file("groups", "a\tfunction\tx\n" * 1001)
    check(t.codes("top", "--by=group", "--groups=groups", t.dump), 7, "", "groups-too-many")


@case
def stacks_by_label_add_up_to_the_rows_of_the_label(t):
    labels = ["--label-from=(?<v>procs.)", "--by=label:v"]

    def compared(*inputs):
        _, rows = rows_of(t, "top", *labels, *inputs)
        stacks = json.loads(check(t.run("stacks", "-q", "-fjson", "-n0", SYMBOLS, *labels, *inputs)).out)
        assert stacks["label"] == "v", stacks["label"]
        sums = {}
        for stack in stacks["rows"]:
            value = stack["value"]["inuse-space"]["estimate"]
            sums[stack["frames"][-1]] = sums.get(stack["frames"][-1], 0) + value
        assert set(sums) == {f"v={name}" for name in rows} and len(sums) > 1, sums
        for name, row in rows.items():
            assert abs(sums[f"v={name}"] - row["flat"]["inuse-space"]["estimate"]) < .01, (name, sums)
        return stacks["rows"]

    rows = compared(*DUMPS)
    check(t.run("merge", "-q", *DUMPS, labels[0], "-o", "both.hpa"))
    both = json.loads(check(t.run("stacks", "-q", "-fjson", "-n0", SYMBOLS, labels[1], "both.hpa")).out)
    assert both["rows"] == rows, "an aggregate file has the stacks of its dumps"
    alone = json.loads(check(t.run("stacks", "-q", "-fjson", "-n0", SYMBOLS, DUMPS[0])).out)["rows"]
    for row in rows:
        for numbers in row["value"].values():  # only of several dumps
            numbers.pop("sampling", None)
    assert [row["value"] for row in rows if row["frames"][-1] == "v=procs1"] == [row["value"] for row in alone], \
        "values and intervals are those of the dump with the label"
    focused = check(t.run("stacks", "-q", "-fjson", "-n0", SYMBOLS, *labels, "--focus=^v=procs1$", *DUMPS)).out
    assert {row["frames"][-1] for row in json.loads(focused)["rows"]} == {"v=procs1"}
    check(t.codes("stacks", "--by=label:none", *DUMPS), 5, "", "no-input-has")
    check(t.codes("stacks", labels[0], *DUMPS), 2, "", "label-from-alone")
