"""The command manifest: lists by names, of dumps that need not be there."""
import os
import re
import signal

from harness import case, check

SERIES = ["h1/app.12.0.i0.heap", "h1/app.12.1.i1.heap.gz", "h1/app.12.2.f.heap",
          "h2/app.12.0.m0.heap", "h1/app.13.7.f.heap"]


def lists(t, prefix="part."):
    return {path.name: path.read_bytes() for path in t.folder.glob(prefix + "*")}


def listed(t, *args, **more):
    """The paths in the lists, which are then removed."""
    result = check(t.codes("manifest", "--output=part.", *args, **more), 0, "", None)
    found = lists(t)
    for name in found:
        (t.folder / name).unlink()
    return sorted(line for text in found.values() for line in text.decode().splitlines()), result


@case
def manifest_lists_the_newest_dump_of_each_process_by_its_name(t):
    last, result = listed(t, "--tasks=3", *SERIES)
    assert last == sorted(SERIES[1:2] + SERIES[3:]), last
    assert re.search(r"manifest-lists: \d+ \d+ 3 2\n", result.err), result
    final, _ = listed(t, "--tasks=3", "--dumps=exit", *SERIES)
    assert final == sorted(SERIES[2:]), final
    every, _ = listed(t, "--tasks=3", "--dumps=sum", *SERIES)
    assert every == sorted(SERIES), every
    quiet = check(t.run("manifest", "--tasks=3", "-qoquiet.", *SERIES), 0, "", "")
    assert quiet.err == "", quiet
    # A number is no text: 10 is newer than 9.
    ten, _ = listed(t, "--tasks=1", "-ox.", "--output=part.", "a.1.9.i9.heap", "a.1.10.i10.heap")
    assert ten == ["a.1.10.i10.heap"], ten


@case
def manifest_keeps_a_process_in_one_list(t):
    paths = [f"h{host}/app.{pid}.{seq}.i{seq}.heap"
             for host in range(20) for pid in (1, 77) for seq in range(5)]
    check(t.run("manifest", "--tasks=7", "--dumps=sum", "-opart.", *paths), 0, "", None)
    where = {}
    for name, text in lists(t).items():
        for path in text.decode().splitlines():
            where.setdefault(path.split(".")[0] + path.split(".")[1], set()).add(name)
    assert len(where) == 40 and all(len(names) == 1 for names in where.values()), where
    assert len(lists(t)) == 7, lists(t).keys()


@case
def manifest_counts_dumps_whose_names_show_no_process(t):
    # Dumps of one program of gperftools, which may be distinguished only by their maps, stay together.
    names = ["a/prog.0001.heap", "./a/prog.0002.heap", "a//prog.0003.heap.gz", "x.pb.gz", "noise",
             "a.b/plain", "app.1.01.f.heap", "app.0.0.f.heap"]
    check(t.codes("manifest", "--tasks=50", "-opart.", *names, SERIES[0]), 0, "",
          "manifest-unknown-names: 8")
    found = lists(t)
    together = [text for text in found.values() if b"prog" in text]
    assert len(together) == 1 and together[0].count(b"prog") == 3, found
    assert sum(text.count(b"\n") for text in found.values()) == 9, found


@case
def manifest_does_not_use_other_names_for_a_process(t):
    # "app.12." is a program, too.
    found, _ = listed(t, "--tasks=1", "app.12.0.i0.heap", "app.12.0007.heap", "app.12.heap")
    assert len(found) == 3, found


@case
def manifest_is_the_same_in_any_order_and_from_any_source(t):
    text = "\n".join(SERIES)
    check(t.run("manifest", "--tasks=64", "-oa.", *SERIES), 0, "", None)
    check(t.run("manifest", "--tasks=64", "-ob.", "--files-from=-",
                text="\n".join(reversed(SERIES)).encode()), 0, "", None)
    (t.folder / "names").write_bytes(text.replace("\n", "\0").encode())
    check(t.run("manifest", "--tasks=64", "-oc.", "-0", "--files-from=names"), 0, "", None)
    first = {name[2:]: content for name, content in lists(t, "a.").items()}
    assert first == {name[2:]: content for name, content in lists(t, "b.").items()}
    assert first == {name[2:]: content.replace(b"\0", b"\n")
                     for name, content in lists(t, "c.").items()}
    # The division into lists is a documented promise: tasks with different versions must not split a process.
    assert sorted(first) == ["15", "22", "29"], first


@case
def manifest_rejects_dumps_that_would_be_counted_twice(t):
    check(t.codes("manifest", "--tasks=2", "-opart.", "a", "b/c", "./a", "b//./c"), 4, "",
          "path-given-twice: 2 s are a, b/c ")
    check(t.run("manifest", "--tasks=2", "-opart.", "a"), 0, "", None)
    check(t.codes("manifest", "--tasks=3", "-opart.", "b"), 2, "",
          "list-there-already:  part.1")
    check(t.run("manifest", "--tasks=3", "-opart", "b"), 0, "", None)  # "part0" is another's


@case
def manifest_rejects_wrong_options(t):
    check(t.codes("manifest", "-opart.", "a"), 2, "", "manifest-needs")
    check(t.codes("manifest", "--tasks=2", "a"), 2, "", "manifest-needs")
    check(t.codes("manifest", "--tasks=2", "-opart."), 2, "", "no-input")
    for wrong in ("0", "-1", "two", "1000001"):
        check(t.codes("manifest", f"--tasks={wrong}", "-opart.", "a"), 2, "", "tasks")
    for snapshots in ("peak", "each"):
        check(t.codes("manifest", "--tasks=2", f"--dumps={snapshots}", "-opart.", "a"), 2, "",
              "manifest-snapshots")
    check(t.codes("manifest", "--tasks=2", "-opart.", "-"), 2, "", "manifest-stdin")
    check(t.codes("manifest", "--tasks=2", "-opart.", "a\nb"), 2, "", "manifest-newline")
    check(t.run("manifest", "--tasks=2", "-opart.", "-0", "a\nb"), 0, "", None)
    check(t.codes("manifest", "--tasks=2", "-ono/part.", "a"), 6, "", "lists-folder: No such file or directory")
    check(t.run("manifest", "--tasks=2", "-o" + "x" * 4090, "a"), 6, "", "File name too long")
    check(t.codes("manifest", "--tasks=2", "--metric=inuse-space", "-ox.", "a"), 2, "",
          "option-not-of-command: manifest metric")
    check(t.codes("top", "--tasks=2", t.dump), 2, "", "option-not-of-command: top tasks")


@case
def manifest_leaves_no_list_when_one_cannot_be_written(t):
    # Files of 8 KiB at most: the list that is longer fails, those before it go.
    def limit():
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    few = [f"{i}.heap" for i in range(40)]
    many = [f"p/{'x' * 200}.{i:04}.heap" for i in range(100)]
    result = t.run("manifest", "--tasks=16", "-opart.", "--files-from=-", preexec_fn=limit,
                   text="\n".join(few + many).encode())
    check(result, 6, "", "File too large")
    assert os.listdir(t.folder) == [], os.listdir(t.folder)
