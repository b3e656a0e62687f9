"""Tests folded stacks as inputs: they are used as written, and nothing is known of their sampling."""
import json
import re

from harness import case, check

LINES = "main 5\nmain;work;grow 128\nmain;work;read(char*) 64\n"
MORE = LINES.replace("128", "1280")
BOUNDS = {"low", "high", "p", "q", "at_least", "p_sampling", "p_if_nothing_freed", "effective_samples"}


def bounds_in(value, found=()):
    """All bounds and p-values in a JSON report."""
    found = list(found)
    if isinstance(value, dict):
        for key, inner in value.items():
            found += [(key, inner)] if key in BOUNDS and inner is not None else bounds_in(inner)
    elif isinstance(value, list):
        for inner in value:
            found += bounds_in(inner)
    return found


@case
def folded_stacks_that_were_written_are_read_back_unchanged(t):
    dumps = [t.dump, *t.procs, *(str(path) for path in sorted(t.testdata.glob("*-*.heap")))]
    for options in ([], ["--names=full"], ["--names=short", "--frames=no-alloc"]):
        for number, dump in enumerate(dumps):
            first = check(t.run("folded", "-q", *options, dump, "-o", "first.folded"))
            if first.status == 0 and ";" in (t.folder / "first.folded").read_text():
                check(t.run("folded", "-q", *options, "first.folded", "-o", "second.folded"))
                assert (t.folder / "first.folded").read_bytes() == (t.folder / "second.folded").read_bytes(), dump
            if options or number > 5:
                break
    check(t.run("merge", "-q", "first.folded", "-o", "first.hpa"))
    check(t.run("folded", "-q", "first.hpa", "-o", "second.folded"))
    assert (t.folder / "first.folded").read_bytes() == (t.folder / "second.folded").read_bytes()


@case
def folded_stacks_have_no_intervals_no_p_and_no_marks(t):
    t.file("a.folded", LINES)
    t.file("b.folded", MORE)
    check(t.run("merge", "-q", "a.folded", "-o", "a.hpa"))
    for command in (["top", "a.folded"], ["top", "a.hpa"], ["tree", "a.folded"], ["stacks", "a.folded"],
                    ["peek", "work", "a.folded"], ["diff", "a.folded", "b.folded"],
                    ["trend", "a.folded", "b.folded"]):
        result = check(t.codes(*command))
        assert result.out.count("folded-sampling-unknown") == 1, result
        assert "±" not in result.out and "mark-" not in result.out, result
        report = json.loads(check(t.run(*command, "-fjson")).out)
        assert bounds_in(report) == [], command
        assert all(not row.get("flags") for row in report.get("rows", [])), report
    page = check(t.codes("top", "-fhtml", "a.folded")).out
    assert "folded-sampling-unknown" in page
    check(t.codes("diff", "--fail-if=growth>1%,p<.05", "a.folded", "b.folded"), 5, None, "gate-without-p")
    check(t.codes("diff", "--fail-if=growth>1%", "a.folded", "b.folded"), 1)


@case
def folded_stacks_are_used_as_written(t):
    t.file("a.folded", LINES)
    report = json.loads(check(t.run("top", "-fjson", "--frames=no-alloc", "a.folded")).out)
    assert report["total"]["inuse-space"]["estimate"] == 197 and report["total"]["inuse-objects"] is None
    assert {row["name"]: row["flat"]["inuse-space"]["estimate"] for row in report["rows"]} == {
        "grow": 128, "read(char*)": 64, "main": 5, "work": 0}
    report = json.loads(check(t.run("top", "-fjson", "--folded-unit=objects", "a.folded")).out)
    assert report["total"]["inuse-objects"]["estimate"] == 197 and report["total"]["inuse-space"] is None
    check(t.run("merge", "--folded-unit=objects", "a.folded", "-o", "a.hpa"))
    check(t.codes("top", "a.hpa"), 5, None, "only-objects-there")
    assert check(t.run("folded", "-q", "--metric=inuse-objects", "--names=full", "a.hpa")).out == LINES


@case
def folded_stacks_are_refused_together_with_dumps(t):
    t.file("a.folded", LINES)
    check(t.run("merge", "-q", "a.folded", "-o", "a.hpa"))
    check(t.run("merge", "-q", t.dump, "-o", "dump.hpa"))
    for inputs in (["a.folded", t.dump], ["a.hpa", t.dump], ["a.folded", "dump.hpa"], ["dump.hpa", "a.hpa"]):
        for command in (["top"], ["merge", "-o", "x.hpa"], ["diff"]):
            check(t.codes(*command, *inputs), 5, None, "folded-with-dumps: ")


@case
def a_text_that_only_looks_like_folded_stacks_is_refused(t):
    for text, code in (("a;b 12\nsome words\n", "x:2: folded-line"),
                       ("a;b 12\n\na;c 3\n", "x:2: folded-line"),
                       ("a;b 12 34\n", "x:1: folded-two-numbers"),
                       ("a;b 12\na;b -3\n", "x:2: folded-line"),
                       ("a;b 12\na;b 1.5\n", "x:2: folded-line"),
                       ("a;b 12\na;\x01b 1\n", "x:2: folded-line"),
                       ("a;b 4611686018427387904\n", "x:1: folded-number"),
                       ("a;b 99999999999999999999\n", "x:1: folded-number"),
                       ("a;b " + "9" * 400 + "\n", "x:1: folded-number"),
                       ("x;" * 65537 + " 1\n", "x:1: folded-too-deep"),
                       ("a;b 12\na;c", "x:2: damaged-dump: ends-in-line"),
                       ("a 12\nb 3\n", "x: not-a-profile-but-text"),
                       ("a;b12\n", "x: not-a-profile-but-text"),
                       ("a;b 12.5\n", "x: not-a-profile-but-text")):
        t.file("x", text)
        result = check(t.codes("top", "x"), 7 if "deep" in code else 5, "", code)
        assert not re.search(r"[\x00-\x08]", result.err)
    t.file("x", "a;b 12\na;c")
    assert check(t.run("folded", "-q", "--damaged=use", "x"), 3).out == "a;b 12\n"
