"""Tests partials: the part of one dump, and its bytes, depend neither on other dumps nor on the order of
merging."""
import json
import os
import pathlib
import struct
import subprocess
import time

from cases_sizes import PERIOD, printed
from harness import ROOT, case, check


def dump(t, number, stacks, program="/srv/program", total="1: 1"):
    """Write a dump of a separate process, loaded at the same address as the others; stacks are (leaf,
    counts)."""
    base = 0x550000000000
    lines = "".join(f"@ {base + leaf:#x} {base + 0x100 + i:#x}\n  t*: {counts} [0: 0]\n"
                    for i, (leaf, counts) in enumerate(stacks))
    return t.file(f"app.{number}.0.i0.heap", f"heap_v2/{PERIOD}\n  t*: {total} [0: 0]\n{lines}\nMAPPED_LIBRARIES:\n"
                                             f"{base:x}-{base + 0x800000:x} r-xp 00000000 fe:00 1  {program}\n")


def merged(t, name, *inputs):
    check(t.run("merge", "-q", "-j1", "--dumps=sum", "-o", name, *inputs))
    return name


def digest(t, name):
    return check(t.run("digest", name)).out.split()[0]


def same_in_parts(t, dumps, cuts):
    whole = digest(t, merged(t, "whole.hpa", *dumps))
    for number, cut in enumerate(cuts):
        parts = [merged(t, f"{number}-{i}.hpa", *part) for i, part in enumerate((dumps[:cut], dumps[cut:]))]
        found = digest(t, merged(t, f"{number}.hpa", *parts))
        assert found == whole, f"{cut} of {len(dumps)} dumps first: {found}, not {whole}"
        assert digest(t, merged(t, "again.hpa", f"{number}.hpa")) == whole


@case
def dumps_read_in_parts_give_the_result_of_all_together(t):
    open_sizes = [64, 112, 262144], [192, 384], [48, 112]
    known = [[size] for size in (16, 48, 64, 192, 262144) for _ in range(9)]
    dumps = [dump(t, 1, [(1, printed(sizes)) for sizes in [*known, [48, 80]]]),
             dump(t, 2, [(1, printed(sizes)) for sizes in open_sizes]),
             dump(t, 3, [(0x7000000000, "3: 4096"), (2, "1: 64")], "/srv/other")]
    same_in_parts(t, dumps, (1, 2))


@case
def dumps_are_listed_individually_depending_on_their_total_number(t):
    dumps = [dump(t, i, [(1, "1: 16")]) for i in range(1, 259)]
    for count in (256, 258):
        same_in_parts(t, dumps[:count], (1, 128))


@case
def blocks_of_an_aggregate_file_end_at_256_KiB(t):
    """The manual documents the size of blocks, because the digest covers it."""
    base, names = 0x550000000000, [f"/srv/{i:04}/{'long' * 50}" for i in range(3000)]
    stacks = "".join(f"@ {base + i % 3000 * 0x2000 + 0x1001 + i // 3000:#x}\n  t*: 1: {16 * (1 + i % 9)} [0: 0]\n"
                     for i in range(60000))
    maps = "".join(f"{base + i * 0x2000:x}-{base + i * 0x2000 + 0x1800:x} r-xp 00000000 fe:00 {i} {name}\n"
                   for i, name in enumerate(names))
    path = t.file("app.1.0.i0.heap", f"heap_v2/524288\n  t*: 3000: 48000 [0: 0]\n{stacks}\nMAPPED_LIBRARIES:\n{maps}")
    data, at, sizes = pathlib.Path(t.folder, merged(t, "x.hpa", path)).read_bytes(), 12, {}
    while at < len(data):
        section, _, raw, packed = struct.unpack_from("<HHII", data, at)
        sizes.setdefault(section, []).append(raw)
        at += 12 + packed + 8
    assert len(sizes[2]) == 3 and len(sizes[12]) > 2 and len(sizes[0]) == 1, sizes
    for section, of in sizes.items():
        assert all(262144 <= size < 262144 + 500 for size in of[:-1]) and of[-1] < 262144 + 500, (section, of)


@case
def a_dump_counted_twice_is_reported_from_an_aggregate_file(t):
    one = t.procs[0]
    for options in ((), ("--dumps=sum",)):
        check(t.run("merge", "-q", "--on-duplicate=count", *options, "-o", "x.hpa", one, one))
        want = check(t.run("top", "-ftsv", "--no-symbols", "--on-duplicate=count", *options, one, one))
        assert check(t.run("top", "-ftsv", "--no-symbols", "x.hpa")).out == want.out
        check(t.run("merge", "-q", "-o", "y.hpa", "x.hpa"))
        assert digest(t, "y.hpa") == digest(t, "x.hpa")


@case
def an_aggregate_file_of_version_1_is_read_and_written_as_version_2(t):
    """Its frames are offsets in files.  With binaries it has the names and numbers of its dumps, except for
    intervals: for objects of known sizes it has only a bound of the variance.  It has not what headers show of
    totals: they are sums of stacks."""
    old, symbols = str(ROOT / "testdata/partials/version-1.hpa"), f"--symbol-dir={ROOT}/testdata/root"
    dumps = [*t.procs, str(t.testdata / "jemalloc-cxx.heap")]
    for command in ("top", "-n0", "-ftsv", "--confidence=none"), ("folded",), ("info", "-v", "-fjson"):
        of_dumps = check(t.run(*command, "-q", symbols, *dumps)).out
        of_old = check(t.run(*command, "-q", symbols, old)).out
        if command[0] == "info":
            of_dumps, of_old = json.loads(of_dumps), json.loads(of_old)
            assert not any("stacks_total" in each for each in of_old["inputs"])
            sums = [each.get("stacks_total", each["total"]) for each in of_dumps["inputs"]]
            of_dumps = {metric: round(sum(each[metric] or 0 for each in sums), 3) for metric in sums[0]}
            of_old = of_old["total"]
        else:  # libraries of the system without names have equal addresses and offsets
            of_dumps, of_old = (sorted(out.replace("@0x", "+0x").splitlines()) for out in (of_dumps, of_old))
        assert of_dumps == of_old, (command, of_dumps, of_old)
    assert "alloc_c@0x1300" in check(t.run("folded", "-q", "--no-symbols", old)).out
    # A frame has its ELF address where a file fits, and is compared by it with one of a dump; where none does, an
    # offset is compared with no ELF address.
    by_address = check(t.run("top", "-n0", "-ftsv", "-q", "--by=address", symbols, old)).out
    assert "alloc_c+0x1300" in by_address and "alloc_c@" not in by_address, by_address
    for options in (symbols,), (symbols, "--frames=no-alloc"), ("--symbol-dir-only", symbols), ("--no-symbols",):
        report = json.loads(check(t.run("diff", "-q", "-fjson", "-n0", "--on-duplicate=count", *options, old, "--to", *dumps)).out)
        claimed = [row["name"] for row in report["rows"] if row["status"] in ("new", "gone")]
        apart = [row["name"] for row in report["rows"] if "alloc_c" in row["name"] and row["status"] != "same"]
        assert not claimed and bool(apart) == ("--no-symbols" in options), (options, claimed, apart)
    for inputs in (old,), (old, t.dump):
        check(t.run("merge", "-q", "-o", "new.hpa", *inputs))
        new = (t.folder / "new.hpa").read_bytes()
        assert new[8:10] == b"\2\0", new[:12]
        assert check(t.run("folded", "-q", "--no-symbols", "new.hpa")).out == check(
            t.run("folded", "-q", "--no-symbols", *inputs)).out
    (t.folder / "later.hpa").write_bytes(new[:8] + b"\3" + new[9:])
    check(t.codes("top", "later.hpa"), 5, "", "partial-version: 3 0 1 2")


@case
def few_threads_read_aggregate_files(t):
    """Files that nothing is written to hold up each thread that reads one."""
    def threads_for(ending):
        paths = [t.folder / f"{i}{ending}" for i in range(25)]
        for path in paths:
            os.mkfifo(path)
        writers = [os.open(path, os.O_RDWR) for path in paths]
        process = subprocess.Popen(t.command("merge", "-q", "-j20", "-fhpa", "-oall", *paths), cwd=t.folder,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tasks = pathlib.Path("/proc", str(process.pid), "task")
        most, end = 0, time.monotonic() + 20
        while most < 20 and time.monotonic() < end:
            before, most = most, max(most, len(list(tasks.iterdir())))
            end = end if most == before else time.monotonic() + 1
            time.sleep(.02)
        process.kill()
        process.wait()
        for writer in writers:
            os.close(writer)
        return most

    assert threads_for(".heap") >= 20
    assert 4 <= threads_for(".hpa") <= 8, "5 threads, and one of a sanitizer"
