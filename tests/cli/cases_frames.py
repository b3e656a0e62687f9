"""Tests which frames are shown, and the rules that classify them."""
import json

from harness import ROOT, case, check

GOLDEN = ROOT / "testdata" / "golden"
CXX = GOLDEN / "cxx.heap"
SYMBOLS = f"--symbol-dir={ROOT}/testdata/root"


def classes(t, *args, **more):
    """{name: class} of the rows of top."""
    told = json.loads(check(t.run("top", "-q", "-fjson", "--frames=no-alloc", SYMBOLS, *args, CXX,
                                  **more)).out)
    return {row["name"]: row["class"] for row in told["rows"]}


def flats(t, *args):
    rows = json.loads(check(t.run("top", "-q", "-fjson", SYMBOLS, *args, CXX)).out)["rows"]
    return {row["name"]: row["flat"]["inuse-space"]["estimate"] for row in rows}


@case
def views_fold_more_and_more(t):
    shown = {which: classes(t, f"--frames={which}") for which in ("all", "no-alloc", "no-std", "no-libs")}
    assert "allocator" in shown["all"].values()
    assert set(shown["no-alloc"]) < set(shown["all"]) and "allocator" not in shown["no-alloc"].values()
    assert set(shown["no-std"]) < set(shown["no-alloc"]), shown["no-std"]
    assert set(shown["no-std"].values()) <= {"own", "library", "standard"}, shown["no-std"]


@case
def show_replaces_the_view_and_hide_adds_to_it(t):
    vectors = flats(t, "--frames=no-std", "--show=push_back")
    assert vectors and all("push_back" in name for name in vectors), vectors
    code, hidden = flats(t, "--frames=no-std"), flats(t, "--frames=no-std", "--hide=^main")
    assert "main" in code and set(hidden) == {n for n in code if not n.startswith("main")}, hidden


@case
def filters_of_stacks_match_folded_frames(t):
    folded = flats(t, "--frames=no-std", "--focus=push_back")
    assert folded and not any("push_back" in name for name in folded), folded
    assert folded == flats(t, "--frames=no-std", "--focus=push_back", "--ignore=nosuch")
    rest = flats(t, "--frames=no-std", "--ignore=push_back")
    assert abs(sum(folded.values()) + sum(rest.values()) - sum(flats(t).values())) < 1
    assert flats(t, "--frames=no-std", "--focus=libjemalloc")


@case
def functions_named_by_peek_and_list_are_shown(t):
    for command in "peek", "list":
        told = json.loads(check(t.run(command, "-q", "-fjson", "--frames=no-std", SYMBOLS, "push_back",
                                      CXX)).out)
        assert any("push_back" in row["name"] and row["class"] == "standard"
                   for row in told["rows"]), told["rows"]


@case
def rules_of_the_user_come_before_all_others(t):
    plain, told = classes(t), classes(t, "--wrapper=^over", "--own=push_back")
    assert plain["over(int)"] == "own" and told["over(int)"] == "wrapper"
    assert not any(name.startswith("over(") for name in classes(t, "--frames=no-std", "--wrapper=^over"))
    pushes = [name for name in plain if "push_back" in name]
    assert pushes and all((plain[n], told[n]) == ("standard", "own") for n in pushes)
    assert classes(t, "--wrapper=^over", "--own=^over")["over(int)"] == "wrapper"
    assert classes(t, "--own=^over", "--wrapper=^over")["over(int)"] == "own"


@case
def rules_come_from_files(t):
    t.file("rules", "# of ours\n\nlibrary\tname\t^over$\r\nown\tfile\t/stl_vector\\.h$\n")
    told = classes(t, "--frame-rules=rules")
    assert told["over(int)"] == "library", told
    assert any(which == "own" and name.startswith("std::") for name, which in told.items()), told
    assert classes(t, "--wrapper=over", "--frame-rules=rules")["over(int)"] == "wrapper"
    assert classes(t, "--frame-rules=rules", "--wrapper=over")["over(int)"] == "library"
    environment = {"HPROF_AGG_FRAME_RULES": "rules"}
    assert classes(t, env=environment) == told
    assert classes(t, "--own=over", env=environment)["over(int)"] == "own"


@case
def malformed_rules_are_rejected_with_their_line(t):
    for text, message in (("own\tname\n", "rules:1: rule-field"),
                          ("\nmine\tname\tf\n", "rules:2: rule-class"),
                          ("none\tname\tf\n", "rules:1: rule-class"),
                          ("own name f\n", "rules:1: rule-class"),
                          ("own\tlabel\tf\n", "rules:1: rule-field"),
                          ("own\tname\t(\n", "rules:1: pattern-wrong: ( "),
                          ("own\tname\t\n", "rules:1: rule-pattern-empty"),
                          ("own\tname\ta\0b\n", "rules: rules-nul"),
                          ("#" * (1 << 20) + "\n", "rules: rules-too-long")):
        t.file("rules", text)
        check(t.codes("top", "--frame-rules=rules", CXX), 2, "", message)
    check(t.codes("top", "--frame-rules=nosuch", CXX), 2, "", "named-file-not-read: open rules: No such file or directory")
    check(t.codes("top", CXX, env={"HPROF_AGG_FRAME_RULES": "nosuch"}), 2, "", "named-file-not-read: open rules: No such file or directory")
    check(t.codes("top", "--wrapper=(", CXX), 2, "", "pattern-wrong: ( ")
    check(t.codes("info", "-v", "--own=x", CXX), 2, "", "option-not-of-command: info own")


@case
def help_prints_the_rules_as_a_file_with_the_same_effect(t):
    text = check(t.run("help", "frame-rules")).out
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    assert len(lines) > 30 and all(len(line.split("\t")) == 3 for line in lines), lines
    takes = [line for line in lines if line.split("\t")[1] in ("name", "file", "module") and
             not line.startswith("none") and line.split("\t")[2]]
    before = "\n".join(line for line in takes[:takes.index("own\tfile\t.")])
    t.file("rules", before + "\n")
    assert classes(t, "--frame-rules=rules") == classes(t)
