"""Tests inputs: their sources, and the handling of bad ones."""
import gzip
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import socket
import subprocess
import tarfile
import time

from harness import ROOT, case, check, nameless, without_next
from profile_writer import Profile


def bad_files(t, count):
    return [str(t.file(f"bad{i:02}.heap", "this is no dump\n")) for i in range(count)]


@case
def standard_input_is_an_input(t):
    data = pathlib.Path(t.dump).read_bytes()
    wanted = check(t.run("folded", "--no-symbols", t.dump)).out
    assert check(t.run("folded", "--no-symbols", "-", text=data)).out == wanted


@case
def an_empty_standard_input_is_a_bad_input(t):
    check(t.run("folded", "-"), 5, "", "standard input")


@case
def a_list_of_inputs_is_read(t):
    wanted = check(t.run("folded", "--no-symbols", *t.procs)).out
    t.file("list", "\n".join(t.procs) + "\n\n")
    assert t.run("folded", "--no-symbols", "--files-from=list").out == wanted
    t.file("list", "\n".join(t.procs[1:]))
    assert t.run("folded", "--no-symbols", "--files-from=list", t.procs[0]).out == wanted
    t.file("rest", t.procs[0])
    for lists in ("list", "rest"), ("rest", "list"):
        options = [f"--files-from={name}" for name in lists]
        assert t.run("folded", "--no-symbols", *options).out == wanted, "each list is read"


@case
def a_list_comes_from_standard_input(t):
    wanted = check(t.run("folded", "--no-symbols", *t.procs)).out
    text = "\n".join(t.procs).encode()
    assert t.run("folded", "--no-symbols", "--files-from=-", text=text).out == wanted
    text = "\0".join(t.procs).encode()
    assert t.run("folded", "--no-symbols", "--files-from", "-", "-0", text=text).out == wanted


@case
def a_list_can_contain_a_path_with_a_newline(t):
    t.copy("a\nb.heap")
    wanted = check(t.run("folded", "--no-symbols", t.dump)).out
    result = t.run("folded", "--no-symbols", "-0", "--files-from=-", text=b"a\nb.heap\0")
    assert result.out == wanted


@case
def a_list_that_cannot_be_read_is_bad_input(t):
    check(t.codes("top", "--files-from=nowhere"), 5, "",
          "named-file-not-read: open list: No such file or directory")
    check(t.run("top", "--files-from=."), 5, "", "Is a directory")
    t.file("empty", "\n\n")
    for command in "top", "info":
        check(t.codes(command, "--files-from=empty"), 5, "", "list-empty")


@case
def info_reports_why_a_file_cannot_be_opened(t):
    why = "file-not-opened: No such file or directory"
    check(t.codes("info", "-v", "nowhere.heap"), 5, f"status       info-skipped: {why}\n")
    told = json.loads(check(t.codes("info", "-v", "-q", "-fjson", "nowhere.heap"), 5).out)
    assert told["inputs"][0]["reason"] == why, told


@case
def info_shows_the_facts_of_each_input(t):
    accum = t.testdata / "jemalloc-lg0-accum.heap"
    out = check(t.run("info", "-v", "--no-symbols", t.dump, accum)).out
    first, second = (part.partition("\nmodule ")[0] for part in out.split("input ")[1:3])
    told = {str(accum): "allocated    96.0 MiB   143,624 objects", t.dump: "allocated"}
    for part in first, second:
        name = part.partition("\n")[0]
        assert (told[name] in part) == (name == str(accum)), out


@case
def a_null_list_without_null_is_explained(t):
    for command in "top", "info":
        check(t.codes(command, "--files-from=-", text=b"a\0b\0"), 5, "",
              "list-nul")


@case
def standard_input_cannot_be_list_and_input(t):
    check(t.codes("top", "--files-from=-", "-", text=b""), 2, "", "stdin-twice")


@case
def a_missing_input_is_named_with_its_reason(t):
    result = check(t.run("top", "nowhere.heap"), 5, "", "hprof-agg: nowhere.heap: ")
    assert "No such file or directory" in result.err
    assert result.err.count("No such file") == 1


@case
def a_bad_input_is_named(t):
    (bad,) = bad_files(t, 1)
    result = check(t.run("top", "--no-symbols", t.dump, bad), 5, "", f"hprof-agg: {bad}:")
    assert result.err.count(bad) == 1


@case
def skipped_inputs_within_the_limit_give_status_3(t):
    (bad,) = bad_files(t, 1)
    for limit in ("1", "50%", "60.5%", "100%"):
        check(t.run("top", "--no-symbols", "--max-skipped=" + limit, t.dump, bad), 3,
              None, f"hprof-agg: {bad}:")
    check(t.run("top", "--no-symbols", "--max-skipped=10%", t.dump, bad), 5, "", bad)


@case
def quiet_hides_messages_about_tolerated_inputs(t):
    (bad,) = bad_files(t, 1)
    check(t.run("top", "--no-symbols", "-q", "--max-skipped=1", t.dump, bad), 3, None, "")


@case
def only_the_first_ten_skipped_inputs_are_reported(t):
    bad = bad_files(t, 25)
    result = check(t.codes("top", "--no-symbols", "--max-skipped=25", t.dump, *bad), 3)
    named = [line for line in result.err.splitlines() if "bad" in line]
    assert len(named) == 10, result
    assert "hprof-agg: more-skipped: 15\n" in result.err
    result = t.codes("top", "--no-symbols", "-v", "--max-skipped=25", t.dump, *bad)
    assert all(name in result.err for name in bad), result
    assert "more-skipped" not in result.err


def faulty(maps=""):
    """A dump with a fault of each kind, and its map."""
    return ("heap_v2/524288\n  t*: 9: 576 [0: 0]\n"
            "@ 0x5010\n  t*: 1: 64 [0: 0]\n  x: 1\nnonsense\n@ 0x5020\n"
            f"  t*: 18446744073709551615: 1 [0: 0]\n\nMAPPED_LIBRARIES:\n{maps}")


@case
def a_warning_names_the_first_line_of_its_kind(t):
    row = "5000-6000 r-xp 00000000 fe:00 1 /bin/x\n"
    told = t.codes("top", "-v", "--no-symbols", t.file("a.heap", faulty(row + "-\n" + row))).out
    for line, says in ((8, "input-wrapped: 1"), (6, "input-malformed: 2 stack-or-map-expected"),
                       (13, "input-overlaps: 1"), (5, "input-unknown-lines: 1")):
        assert re.search(f"^warning: input-warning: .*/a.heap :{line} {says.replace(' ', ' *')}", told, re.M), (says, told)
    told = t.run("info", "-v", "--no-symbols", "a.heap").out
    for line, what in ((8, "1 count that had wrapped around"), (6, "2 malformed lines"),
                       (13, "1 overlapping row in the memory map"),
                       (5, "1 indented line of an unknown kind")):
        assert f"passed over  {what}, the first is line {line}\n" in told, (what, told)


@case
def a_contradicting_total_is_reported_with_its_line(t):
    raw = "heap profile: 2: 128 [2: 128] @ heapprofile\n1: 64 [1: 64] @ 0x10\n\nMAPPED_LIBRARIES:\n"
    told = t.codes("top", "-v", "--no-symbols", t.file("a.heap", "%warn\n" + raw)).out
    assert "/a.heap :2 input-total-contradicts" in told, told


@case
def the_head_mentions_sampling_only_in_sampled_dumps(t):
    body = "1: 64 [1: 64] @ 0x10\n\nMAPPED_LIBRARIES:\n"
    for period, head in (("heap_v2/524288", "· sample period 512 KiB · 1 stack · scaled up from samples, per stack\n"),
                         ("heap_v2/1", "· every allocation sampled · 1 stack\n"),
                         ("heap_v2/0", "· no sample period · 1 stack\n")):
        told = t.run("top", "-v", "--no-symbols", t.file("a.heap", f"heap profile: 1: 64 [1: 64] @ {period}\n" + body)).out
        assert head in told, told


@case
def a_dump_that_comes_with_a_warning_passes_it_on(t):
    raw = "heap profile: 1: 64 [1: 64] @ heapprofile\n1: 64 [1: 64] @ 0x10\n\nMAPPED_LIBRARIES:\n"
    for i in range(5):
        t.file(f"{i}.heap", f"%warn\n%warn \x1b[31mno data,\n%warn it is off {i}.\n" + raw)
    said = (lambda name, i: rf"^warning: input-warning: {name} :2 input-with-warning +\\x1B\[31mno data, it is off {i}\.$")
    told = t.codes("top", "--no-symbols", "-", text=(t.folder / "1.heap").read_bytes()).out
    assert re.search(said("standard input", 1), told, re.M), told
    told = t.codes("top", "-v", "--no-symbols", "-j3", *(f"{i}.heap" for i in range(5))).out
    for i in range(3):
        assert re.search(said(f"{i}.heap", i), told, re.M), told
    assert "warning: inputs-warning: 2 more  s input-with-warning\n" in told, told
    nothing = pathlib.Path(t.dump).parent / "gperftools-heap_v2-nosampling.heap"
    for command in ("top", "info"):
        result = check(t.run(command, "--no-symbols", nothing), 0)
        assert "was run with heap sampling turned off." in result.out, result


@case
def unreasonable_numbers_are_reported_with_their_stack(t):
    stacks = "0: 0 [0: 0] @ 0x10\n1: 99999 [0: 0] @ 0x20\n1: 64 [0: 0] @ 0x30\n"
    t.file("a.heap", f"heap profile: 2: 100063 [0: 0] @ heap_v2/{2**64 - 1}\n{stacks}\n"
                     "MAPPED_LIBRARIES:\n")
    check(t.codes("top", "a.heap"), 7, "", "dump-numbers-too-large: 2 3")


@case
def known_errors_add_up_beyond_64_bits(t):
    paths = [os.path.join(t.folder, f"huge-{i}.heap") for i in range(6)]
    for i, path in enumerate(paths):
        with open(path, "w") as file:
            file.write("heap_v2/524288\n  t*: 1: 4000000000000000000 [0: 0]\n@ 0x401000\n"
                       f"  t*: 1: 4000000000000000000 [0: 0]\n\nMAPPED_LIBRARIES:\n"
                       f"400000-500000 r-xp 00000000 fe:00 {i} /srv/app\n")
    told = json.loads(check(t.run("top", "--no-symbols", "-fjson", "--dumps=sum", *paths), 0).out)
    assert told["total"]["inuse-space"] == {"estimate": 2.4e19, "low": 2.4e19, "high": 2.4e19}, told["total"]


def jit_dump(t, name, pid, jit):
    """A dump with two calls in the code of a JIT compiler, each twice in the stack, and a thread for each half."""
    counts = "2: 1048576 [0: 0]\n  t1: 1: 524288 [0: 0]\n  t2: 1: 524288 [0: 0]\n"
    path = os.path.join(t.folder, name)
    with open(path, "w") as file:
        file.write(f"heap_v2/1\n  t*: 4: 2097152 [0: 0]\n"
                   f"@ {jit:#x} {jit + 77:#x} 0x401000 {jit + 5:#x} 0x402000\n  t*: {counts}"
                   f"@ {jit + 9:#x} 0x401000 {jit + 6:#x} {jit + 7:#x} {jit:#x} 0x402000\n  t*: {counts}"
                   f"\nMAPPED_LIBRARIES:\n400000-500000 r-xp 00000000 fe:00 1 /srv/app\n"
                   f"7ff{pid:02x}0000000-7ff{pid:02x}0002000 r-xp 00000000 00:00 0 [vdso]\n")
    return path


@case
def frames_outside_mappings_are_the_same_in_all_processes(t):
    a, b = jit_dump(t, "jit.1.0.i0.heap", 1, 0x7E0000001000), jit_dump(t, "jit.2.0.i0.heap", 2, 0x7D0000002000)
    result = check(t.codes("folded", "--no-symbols", a, b), 0)
    assert result.out == "app+0x402000;[unmapped];app+0x401000;[unmapped] 4194304\n", result.out
    assert "addresses-unmapped: 100.0 whole-in-use 12 " in result.err, result.err
    assert check(t.run("folded", "--no-symbols", b, a), 0).out == result.out
    for keeps in ("--keep-unmapped", "--by=address"):
        kept = check(t.codes("folded", "--no-symbols", keeps, a, b), 0)
        assert len(kept.out.splitlines()) == 4 and "0x7d0000002000" in kept.out, kept.out
        assert sum(int(line.split()[-1]) for line in kept.out.splitlines()) == 4194304
        assert "addresses-unmapped: 100.0 whole-in-use 12 " in kept.err and "--keep" not in kept.err, kept.err
    merged = os.path.join(t.folder, "jit.pb.gz")
    check(t.run("merge", "--no-symbols", "-o", merged, a, b), 0)
    assert check(t.run("folded", "--no-symbols", merged), 0).out == result.out
    threads = check(t.run("top", "--no-symbols", "-ftsv", "--by=thread", a, b), 0).out
    assert threads.count("2097152") >= 2, threads
    assert check(t.run("top", "--no-symbols", "-n9", "-ftsv", "--thread=t2", a, b), 0).out.count("[unmapped]") == 1


def generated_dump(t, name, pid, jit):
    """A dump with calls in the code of a JIT compiler, in an anonymous executable mapping."""
    path = os.path.join(t.folder, name)
    with open(path, "w") as file:
        file.write(f"heap_v2/1\n  t*: 4: 2097152 [0: 0]\n"
                   f"@ 0x401000 {jit:#x} {jit + 5:#x} 0x402000\n  t*: 2: 1048576 [0: 0]\n"
                   f"@ 0x401000 {jit + 9:#x} 0x402000 {jit + 6:#x}\n  t*: 2: 1048576 [0: 0]\n"
                   f"\nMAPPED_LIBRARIES:\n400000-500000 r-xp 00000000 fe:00 1 /srv/app\n"
                   f"{jit & ~0xfff:x}-{(jit & ~0xfff) + 0x1000:x} rwxp 00000000 00:00 0\n"
                   f"7ff{pid:02x}0000000-7ff{pid:02x}0002000 r-xp 00000000 00:00 0 [vdso]\n")
    return path


@case
def generated_code_is_one_frame_in_all_processes_and_formats(t):
    a = generated_dump(t, "jit.1.0.i0.heap", 1, 0x7E0000001010)
    b = generated_dump(t, "jit.2.0.i0.heap", 2, 0x7D0000002020)
    wanted = ("[jit];app+0x402000;[jit];app+0x401000 2097152\n"
              "app+0x402000;[jit];app+0x401000 2097152\n")
    result = check(t.codes("folded", "--no-symbols", a, b), 0)
    assert result.out == wanted, result.out
    assert "addresses-generated: 8 " in result.err and "addresses-unmapped" not in result.err, result.err
    for name in ("jit.pb.gz", "jit.hpa"):
        merged = os.path.join(t.folder, name)
        check(t.run("merge", "--no-symbols", "-o", merged, b, a), 0)
        assert check(t.run("folded", "--no-symbols", merged), 0).out == wanted, name
    check(t.codes("top", "--no-symbols", "--by=address", merged), 2, "", "partial-without-unmapped")
    for keeps in ("--keep-unmapped", "--by=address"):
        kept = check(t.codes("folded", "--no-symbols", keeps, a, b), 0)
        assert len(kept.out.splitlines()) == 4 and "[anon]+0x7d0000002020" in kept.out, kept.out
        assert "addresses-generated" not in kept.err, kept.err
    modules = check(t.run("top", "--no-symbols", "--by=module", "-ftsv", a), 0).out
    assert "[jit]" in modules, modules


def fleet(t, count):
    """Write dumps of processes that hold objects of mixed sizes; few of the objects were sampled."""
    paths = []
    for i in range(count):
        rows = [(0x401000 + 64 * k, (i * 7 + k * 3) % 4, (24, 80, 700, 5000, 90000, 1 << 20)[k % 6])
                for k in range(40)]
        paths.append(os.path.join(t.folder, f"fleet.{i + 1}.0.i0.heap"))
        with open(paths[-1], "w") as file:
            counts = [(at, n, n * size + (n > 1) * 16) for at, n, size in rows if n > 0]
            total = f"{sum(n for _, n, _ in counts)}: {sum(b for *_, b in counts)} [0: 0]"
            file.write(f"heap_v2/524288\n  t*: {total}\n")
            file.writelines(f"@ {at:#x} 0x402000\n  t*: {n}: {b} [0: 0]\n" for at, n, b in counts)
            file.write("\nMAPPED_LIBRARIES:\n400000-500000 r-xp 00000000 fe:00 1 /srv/app\n"
                       f"7ffa{i:03x}00000-7ffa{i:03x}02000 r-xp 00000000 00:00 0 [vdso]\n")
    return paths


@case
def merged_profiles_keep_the_errors_of_their_inputs(t):
    paths, parts = fleet(t, 60), []
    for i in range(0, 60, 10):
        parts.append(os.path.join(t.folder, f"part{i}.pb.gz"))
        check(t.run("merge", "--no-symbols", "--with-error", "-o", parts[-1], *paths[i:i + 10]), 0)
    both = os.path.join(t.folder, "both.pb.gz")
    check(t.run("merge", "--no-symbols", "--with-error", "-o", both, *parts), 0)

    def total(*given):
        told = json.loads(check(t.run("top", "--no-symbols", "-fjson", *given), 0).out)
        return told["total"]["inuse-space"], told["unsampled"]

    (whole, unseen), (merged, unknown), (again, _) = total(*paths), total(*parts), total(both)
    assert unseen["high"] > 0 and unknown is None, (unseen, unknown)
    width = whole["high"] - whole["low"]
    for found in (merged, again):
        assert 0.99 < (found["high"] - found["low"]) / width < 1.1, (whole, found)
        assert abs(found["low"] - whole["low"]) < width / 100, (whole, found)
    for given, how in ((parts, "60 inputs in 6 files"), ([both], "60 inputs in 1 file")):
        text = check(t.codes("top", "-v", "--no-symbols", *given), 0).out
        assert how in text and "not-shown" not in text, text
    assert "not-shown" in check(t.codes("top", "-v", "--no-symbols", *paths), 0).out
    plain = os.path.join(t.folder, "plain.pb.gz")
    check(t.run("merge", "--no-symbols", "-o", plain, *paths), 0)
    assert "60 inputs in 1 file" in check(t.run("top", "-v", "--no-symbols", plain), 0).out


@case
def a_repeated_dump_is_rejected(t):
    check(t.run("top", "--no-symbols", t.dump, t.dump), 4, "", t.dump)


@case
def a_repeated_dump_can_be_counted_once(t):
    wanted = check(t.run("folded", "--no-symbols", t.dump)).out
    result = t.run("folded", "--no-symbols", "--on-duplicate=skip", t.dump, t.dump)
    assert check(result, 0).out == wanted


@case
def a_repeated_dump_can_be_counted_twice(t):
    def total(*arguments):
        told = json.loads(check(t.run("top", "--no-symbols", "-fjson", *arguments), 0).out)
        return told["total"]["inuse-space"]["estimate"]

    once = total(t.dump)
    both = ("--on-duplicate=count", t.dump, t.dump)
    assert abs(total("--dumps=sum", *both) - 2 * once) < 1
    assert total(*both) == once, "of one process, of which one dump counts"
    assert total("--on-duplicate=skip", "--dumps=sum", t.dump, t.dump) == once
    check(t.run("diff", "--no-symbols", t.dump, t.dump, "--to", t.dump, t.dump, "--on-duplicate=count"), 0)
    check(t.run("top", "--on-duplicate=refuse", t.dump, t.dump), 4, "", "--on-duplicate=skip")
    check(t.codes("top", "--on-duplicate=error", t.dump), 2, "", "choice-unknown: on-duplicate error ")


@case
def a_program_among_the_inputs_is_skipped(t):
    wanted = check(t.run("folded", "--no-symbols", t.dump)).out
    result = check(t.codes("folded", "--no-symbols", t.binary, t.dump), 0, None,
                   f"program-ignored: {t.binary}")
    assert result.out == wanted
    check(t.codes("folded", t.binary, t.dump), 0, None, f"program-for-names: {t.binary}")
    assert "not a dump" not in t.run("folded", "-q", "--no-symbols", t.binary, t.dump).err


@case
def a_program_without_dumps_is_nothing_to_report(t):
    check(t.run("top", t.binary), 5, "")


@case
def control_characters_in_a_name_are_escaped(t):
    name = b"a\x1b[31m\xff\xe2\x80\xae\n\x7f.heap".decode("utf-8", "surrogateescape")
    result = check(t.run("top", name), 5, "")
    assert "a\\x1B[31m\\xFF\\u{202E}\\x0A\\x7F.heap" in result.err, result
    assert "\x1b" not in result.err and result.err.count("\n") == 1
    assert "\x1b" not in t.run("top", "--by=\x1b[31m", t.dump).err
    assert "\x1b" not in t.run("\x1b[31m").err


@case
def the_order_of_inputs_does_not_matter(t):
    for command in ("top", "stacks", "folded", "info"):
        wanted = check(t.run(command, "--no-symbols", *t.procs)).out
        if command != "info":
            result = t.run(command, "--no-symbols", "-j1", *reversed(t.procs))
            assert result.out == wanted, command


@case
def every_command_reports(t):
    for args in (["top"], ["stacks"], ["info"], ["folded"], ["top", "--by=module"],
                 ["stacks", "-n", "2"], ["top", "--metric=inuse-objects"]):
        result = check(t.run(*args, t.dump), 0)
        assert result.out, args


@case
def a_limit_is_kept(t):
    lines = [check(t.run("top", "--no-symbols", "--by=address", f"-n{n}", t.dump))
             .out.count("\n") for n in (1, 2, 0)]
    assert lines[0] + 1 == lines[1] < lines[2], lines


@case
def a_size_may_be_in_any_unit(t):
    size = pathlib.Path(t.dump).stat().st_size
    for text in (str(size), f"{size}B", "0.5MiB", "7KiB" if size <= 7168 else "8KiB", "2GiB"):
        check(t.run("top", "--no-symbols", f"--max-input-size={text}", t.dump), 0)
    for text in (str(size - 1), "1KiB", "0.5KiB"):
        check(t.codes("top", "--no-symbols", f"--max-input-size={text}", t.dump), 7, "",
              "input-too-large")
    for text in ("", "0", "-1", "x", "1TiB", "1 KiB", "1e3", "99999999999GiB"):
        check(t.codes("top", f"--max-input-size={text}", t.dump), 2, "", "value-wrong")


@case
def the_used_inputs_can_be_listed(t):
    folder = os.path.join(os.path.dirname(t.dump), "series")
    dumps = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    listed = check(t.run("info", "-v", "-q", "--used", *dumps[::-1], *t.procs)).out.splitlines()
    assert len(listed) == 1 + len(t.procs) and set(t.procs) < set(listed) and set(listed) < {*dumps, *t.procs}
    assert check(t.run("info", "-v", "-q", "--used", "--dumps=each", *dumps)).out.splitlines() == dumps
    check(t.run("info", "-v", "-q", "--used", "-o", "list", *dumps))
    assert check(t.run("info", "-v", "-q", "--used", "--files-from=list")).out == check(
        t.run("info", "-v", "-q", "--used", *dumps)).out, "what was chosen stays chosen"
    assert t.run("folded", "--no-symbols", "--files-from=list").out == \
        t.run("folded", "--no-symbols", *dumps).out
    # Inputs that are not used are not listed; unreadable ones are reported as usual.
    t.file("bad", "no dump\n")
    result = check(t.run("info", "-v", "-q", "--used", "--max-skipped=1", "bad", *t.procs), 3)
    assert result.out.splitlines() == sorted(t.procs), result
    check(t.codes("info", "-v", "-q", "--used", "bad", *t.procs), 5, "", "too-many-skipped: 1 5")


@case
def an_input_without_a_path_cannot_be_listed(t):
    t.copy("a\nb.heap")
    check(t.codes("info", "-q", "--used", "a\nb.heap"), 2, "", "used-newline")
    assert check(t.run("info", "-q", "--used", "-0", "a\nb.heap")).out == "a\nb.heap\0"
    data = open(t.dump, "rb").read()
    check(t.codes("info", "-q", "--used", "-", text=data), 2, "", "used-stdin")
    check(t.codes("info", "--used", "--tar=x.tar"), 2, "", "used-archive")
    check(t.codes("info", "--used", "-fjson", t.dump), 2, "", "used-with-format")
    check(t.codes("info", "--used=all", t.dump), 2, "", "option-takes-no-value: used")
    check(t.codes("top", "--used", t.dump), 2, "", "option-not-of-command: top used")
    check(t.codes("top", "-0", t.dump), 2, "", "null-alone")


def dump_of_libraries(**callers):
    """A dump of a program with 99 % of the bytes, of much.so with .9 % and little.so with .1 %.  None of the
    files exists.  Callers are named by the file in which they are mapped."""
    above = "".join(f" 0x{at}010" for at in callers.values())
    stacks = "".join(f"@ 0x{at}010{more}\n  t*: 1: {size} [0: 0]\n"
                     for at, more, size in (("10", above, 99000), ("20", "", 900), ("30", "", 100)))
    names = ("app", "much.so", "little.so", "x86_64-linux-gnu/libc.so.6")
    rows = "".join(f"{i}0000-{i}1000 r-xp 00000000 08:01 {i} /gone/{name}\n" for i, name in enumerate(names, 1))
    return f"heap_v2/1\n  t*: 3: 100000 [0: 0]\n{stacks}\nMAPPED_LIBRARIES:\n{rows}"


@case
def a_warning_about_few_bytes_is_shown_by_info_only(t):
    """A module with less than 1/200 of the bytes is no reason for a warning; folded calls do not count."""
    plain = t.file("plain.heap", dump_of_libraries())
    little = "module-without-names: little.so  (0.1% of whole-in-use) file not found"
    many = "modules-without-names: app  (99.0% of whole-in-use) 1  file not found"
    for args in (["top"], ["stacks"], ["top", "-fjson"], ["folded"], ["merge", "-fcallgrind"], ["info"], ["info", "-v", "-fjson"]):
        result = check(t.codes(*args, plain), 0)
        said = (result.out + result.err).replace("/gone/", "")
        assert many in said, said
        assert (little in said) == (args[0] == "info"), said
    called = t.file("called.heap", dump_of_libraries(little="30"))
    check(t.codes("top", called), 0, "modules-without-names: ")
    libc = t.file("libc.heap", dump_of_libraries(libc="40"))
    check(t.codes("top", libc), 0, "modules-without-names: ")
    check(t.codes("info", "-v", libc), 0, "modules-without-names: /gone/little.so ")


@case
def a_warning_of_damage_is_shown_even_for_few_bytes(t):
    damaged = t.file("damaged.heap", dump_of_libraries().replace("\nMAPPED", "nonsense\n\nMAPPED"))
    check(t.codes("top", damaged), 0, "input-warning")


@case
def R31_F11_a_path_in_a_list_must_be_valid_for_the_kernel(t):
    longest = "x" * 4095
    t.file("good", f"{longest}\n")
    check(t.run("top", "--files-from=good"), 5, "", "File name too long")
    t.file("bad", f"a.heap\nb.heap\n{longest}x\n")
    check(t.codes("top", "--files-from=bad"), 5, "", "path-over-limit: 4096\n")
    (t.folder / "nul").write_text(f"a.heap\0{longest}x\0")
    check(t.codes("top", "-0", "--files-from=nul"), 5, "", "path-over-limit: 4096\n")
    check(t.codes("top", "--files-from=/dev/zero"), 5, "", "file-device\n")
    check(t.codes("top", "-0", "--files-from=/dev/zero"), 5, "", "file-device\n")
    endless = subprocess.run(["sh", "-c", f"cat /dev/zero | {t.binary} --message-codes top --files-from=-"],
                             capture_output=True, timeout=20, check=False)
    assert endless.returncode == 5 and b":1: path-over-limit: 4096\n" in endless.stderr


@case
def R02_F11_a_pipe_without_a_writer_is_not_waited_for(t):
    os.mkfifo(t.folder / "a.heap")
    for name in ("a.heap", "./a.heap"):
        check(t.codes("top", name), 5, None, f"{name}: fifo-no-writer")
        check(t.codes("top", f"--tar={name}"), 5, None, "fifo-no-writer")
    for name in ("/dev/zero", "/dev/full", "/proc/self/maps"):
        for wait in ([], ["--wait"]):
            check(t.codes("top", *wait, name), 5, None, f"{name}: file-{'of-proc' if 'proc' in name else 'device'}")
    check(t.run("top", "/dev/null"), 5, None, "/dev/null")
    wanted = check(t.run("tree", "--no-symbols", t.dump)).out
    with t.waiting("tree", "--no-symbols") as process:
        t.feed(t.dump)
        assert wanted in check(t.finish(process)).out
    with open(t.dump, "rb") as dump:
        for name in ("-", "/dev/stdin", f"/dev/fd/{dump.fileno()}", f"/proc/self/fd/{dump.fileno()}"):
            dump.seek(0)
            assert check(t.run("tree", "--no-symbols", name, stdin=dump, pass_fds=[dump.fileno()])).out == wanted
    shell = "exec 3< <(cat {0}); exec {1} tree --no-symbols /dev/fd/3".format(t.dump, t.binary)
    assert subprocess.run(["bash", "-c", shell], capture_output=True, check=True).stdout.decode() == wanted


def options_that_take_files(t):
    """Each option that names a file to be read: its name, and the words of a command that takes it."""
    account, dump = ROOT / "testdata/account", t.dump
    commands = {"account": [account / "frag.heap", f"--stats={account / 'frag.json'}"],
                "lifetime": [account / "frag.heap"], "diff": [dump], "top": [dump]}
    found = {}
    for command, words in commands.items():
        options = re.findall(r"^ +(?:-\w, )?(--[\w-]+)=FILE", check(t.run("help", "--all", command)).out, re.M)
        for option in set(options) - {"--output"} - found.keys():
            found[option] = [command, *(word for word in words if not str(word).startswith(option))]
    return found


@case
def H8_no_option_waits_for_a_pipe_without_a_writer(t):
    refused = {"fifo": "fifo-no-writer", "socket": "file-socket", "/dev/zero": "file-device", "folder": "Is a directory"}
    os.mkfifo(t.folder / "fifo")
    os.mkdir(t.folder / "folder")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(t.folder / "socket"))
    options = options_that_take_files(t)
    assert len(options) >= 8, options
    for option, words in options.items():
        for name, why in refused.items() if option != "--perf-map" else list(refused.items())[:3]:  # takes folders
            begin = time.monotonic()
            done = t.codes(*words, f"{option}={name}")
            assert done.status in (2, 5) and done.out == "" and f"{name}: " in done.err and why in done.err, (option, done)
            assert time.monotonic() - begin < 10, f"{option}={name}"
    environment = {"HPROF_AGG_FRAME_RULES": "fifo"}
    check(t.codes("top", t.dump, env=environment), 2, "", "fifo: fifo-no-writer")
    check(t.codes("manifest", "--tasks=2", "-opart.", "--files-from=fifo"), 5, "", "fifo: fifo-no-writer")


@case
def H8_with_wait_an_option_waits_for_its_file(t):
    account = ROOT / "testdata/account"
    os.mkfifo(t.folder / "fifo")
    t.file("rules", "# none\n")
    for words, option, file in ((["account", account / "frag.heap"], "--stats", account / "frag.json"),
                                (["top", t.dump], "--frame-rules", t.folder / "rules")):
        wanted = without_next(check(t.run(*words, "--no-symbols", f"{option}={file}")).out)
        process = t.start(*words, "--no-symbols", f"{option}=fifo", "--wait")
        with subprocess.Popen(["sh", "-c", f"cat {file} >fifo"], cwd=t.folder) as writer:
            assert without_next(check(t.finish(process)).out) == wanted
            writer.kill()


@case
def H8_process_substitution_of_a_shell_is_read(t):
    account = ROOT / "testdata/account"
    heap, stats, smaps, recent = (account / f"frag.{end}" for end in ("heap", "json", "smaps_rollup", "recent.json.gz"))
    t.file("list", f"{t.dump}\n")
    t.file("rules", "# none\n")
    t.file("key", "0123456789abcdef\n")
    commands = [("account", ["{}", "--stats={}", "--smaps={}"], [heap, stats, smaps]),
                ("lifetime", [str(heap), "--recent={}"], [recent]),
                ("top", ["{}"], [t.dump]),
                ("top", ["--files-from={}", "--frame-rules={}", "--redact-key={}"], ["list", "rules", "key"]),
                ("diff", ["--files-from={}", "--to", t.other], ["list"])]
    for command, words, files in commands:
        words, files = " ".join(words), [f"<(cat {file})" for file in files]
        shell = f"{t.binary} {command} -ftsv --no-symbols " + words.format(*files)
        done = subprocess.run(["bash", "-c", shell], cwd=t.folder, capture_output=True, check=False)
        plain = check(t.run(command, "-ftsv", "--no-symbols", *words.format(*(file[6:-1] for file in files)).split()))
        assert (done.returncode, done.stdout.decode()) == (0, plain.out), (shell, done)
    with open(t.folder / "list", "rb") as listed:
        for name in ("-", "/dev/stdin", f"/dev/fd/{listed.fileno()}"):
            listed.seek(0)
            check(t.run("top", "--no-symbols", f"--files-from={name}", stdin=listed, pass_fds=[listed.fileno()]))


@case
def H14_threads_that_lack_a_descriptor_wait_for_another_to_close_its_file(t):
    stacks = "".join(f"@ {i:#x} {2 * i:#x} {3 * i:#x}\n  t*: 1: 4096 [0: 0]\n" for i in range(1, 3000))
    dumps = [t.file(f"{i:02}.heap", f"heap_v2/524288\n  t*: 0: 0 [0: 0]\n{stacks}\nMAPPED_LIBRARIES:\n") for i in range(20)]
    with tarfile.open(t.folder / "dumps.tar.gz", "w:gz") as archive:
        for dump in dumps:
            archive.add(dump, dump.name)
    words = ("top", "-q", "--no-symbols", "--on-duplicate=count", "-ftsv", *dumps, "--tar=dumps.tar.gz")
    wanted = check(t.run(*words)).out
    for limit in (4, 5, 6, 7):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        results = {(done.status, done.out) for done in (t.run(*words, "-j8", preexec_fn=few) for _ in range(5))}
        assert len(results) == 1, (limit, results)
        assert limit < 7 or results == {(0, wanted)}, (limit, results)


@case
def R03_F9_symbol_dir_only_opens_nothing_elsewhere(t):
    inside, outside = t.folder / "root", t.folder / "outside"
    dump = ROOT / "testdata/golden/procs1.heap"
    program = ROOT / "testdata/root/srv/corpus/formats/alloc_c"
    for folder in (inside, outside):
        folder.mkdir()
    shutil.copy(program, outside / "alloc_c")
    text = dump.read_bytes().replace(b"/srv/corpus/formats/alloc_c", bytes(outside / "alloc_c"))
    (t.folder / "a.heap").write_bytes(text.replace(b" /usr/", b" /nowhere/usr/"))

    def status(*args):
        out = check(t.run("info", "-v", *args, "a.heap", is_rooted=False)).out
        return out.partition(f"module {outside}/alloc_c\n")[2].partition("symbols      ")[2].partition("\n")[0]
    only = ("--symbol-dir=root", "--symbol-dir-only")
    assert status() == status("--symbol-dir=root") == "functions and lines"
    assert status(*only) == "file not found"
    target = inside / str(outside / "alloc_c").lstrip("/")
    target.parent.mkdir(parents=True)
    shutil.copy(program, target)
    assert status(*only) == "functions and lines"
    check(t.codes("top", "--symbol-dir-only", t.dump), 2, "", "symbol-dir-only-alone")
    check(t.codes("top", *only, "--path-map=/a=/b", t.dump), 2, "", "symbol-dir-only-path-map")


def undefined_symbols(t):
    out = subprocess.run(["nm", "-D", "--undefined-only", t.binary], capture_output=True, check=True, text=True).stdout
    return {word.partition("@")[0] for word in out.split()}


@case
def R01_R09_the_program_can_neither_run_others_nor_connect(t):
    bad = {"system", "popen", "wordexp", "posix_spawn", "posix_spawnp", "connect", "getaddrinfo", "bind"}
    bad |= {f"{f}exec{how}" for f in ("", "f") for how in ("l", "le", "lp", "v", "ve", "vp", "vpe", "veat")}
    assert not undefined_symbols(t) & bad
    args = ("info", "-v", "--symbol-dir=" + str(ROOT / "testdata/root"), ROOT / "testdata/golden/procs1.heap")
    assert check(t.run(*args)).out == t.run(*args, env={"DEBUGINFOD_URLS": "http://127.0.0.1:9"}).out


@case
def R10_only_plain_streams_of_zlib_are_used(t):
    assert not undefined_symbols(t) & {"inflateGetHeader", "gzopen", "gzread", "uncompress"}


@case
def R14_the_unfinished_file_is_next_to_the_output_and_unpredictable(t):
    (t.folder / "deep").mkdir()
    names = set()
    for _ in range(2):
        with t.waiting("top", "--no-symbols", "-o", "deep/out", env={"TMPDIR": "/nowhere"},
                       preexec_fn=nameless.deny) as process:
            t.wait_for(lambda: any((t.folder / "deep").iterdir()))
            names |= {path.name for path in (t.folder / "deep").iterdir()}
            t.feed(t.dump)
            check(t.finish(process), 0)
        (t.folder / "deep/out").unlink()
        (t.folder / "late.heap").unlink()
    assert len(names) == 2 and all(re.fullmatch(r"\.hprof-agg-[0-9a-f]{16}", name) for name in names), names


@case
def R24_the_load_address_of_a_program_makes_no_difference(t):
    """Each process of a dump has another place for its program, and the rows are those of one."""
    text = (ROOT / "testdata/golden/procs1.heap").read_text()
    begin, end = (int(word, 16) for word in re.search(r"^(\w+)-(\w+) r-xp .*alloc_c$", text, re.M).groups())
    low = begin - 0x100000

    def moved(by):
        return re.sub(r"(?<![0-9a-f])(0x)?([0-9a-f]{12})(?![0-9a-f])", lambda m: (m[1] or "") + (
            f"{int(m[2], 16) + by:x}" if low <= int(m[2], 16) < end + 0x100000 else m[2]), text)
    paths = [t.file(f"a.{i}.heap", moved(i * 0x5000000)) for i in range(1, 4)]
    rows = [json.loads(check(t.run("top", "--no-symbols", "--by=address", "-fjson", "-n0", path)).out)["rows"]
            for path in paths]
    names = [[row["name"] for row in each] for each in rows]
    assert len(names[0]) > 5 and names[0] == names[1] == names[2], names


@case
def R39_the_user_nobody_gets_the_same_report(t):
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    if os.getuid() == 0:
        text = pathlib.Path(t.dump).read_bytes()
        program = t.copy("program", t.binary)  # the build may be in a directory that only root can read
        for path in program, t.folder:
            path.chmod(0o755)
        got = t.run("top", "--no-symbols", "-", text=text, executable=program, user=65534, group=65534, extra_groups=[])
        assert without_next(check(got).out) == without_next(wanted)


# --- what gets past a refusal, and why a dump may be empty ------------------------------


EMPTY = "heap_v2/524288\n  t*: 0: 0 [0: 0]\n\nMAPPED_LIBRARIES:\n"


@case
def a_refusal_names_the_option_that_gets_past_it(t):
    """And following it works; where no option helps none is named."""
    (bad,) = bad_files(t, 1)
    cut = t.file("cut.heap", pathlib.Path(t.dump).read_text()[:400])
    check(t.codes("top", t.dump, bad), 5, "", "too-many-skipped: 1 2 option-max-skipped: 1\n")
    check(t.codes("top", t.dump, bad, cut), 5, "",
          "too-many-skipped: 2 3 option-max-skipped: 2option-keep-damaged")
    check(t.run("top", "--no-symbols", "--max-skipped=2", t.dump, bad, cut), 3)
    assert "option-" not in check(t.codes("top", bad, str(bad) + ".gone"), 5, "").err
    check(t.codes("top", cut), 5, "", "option-for-damaged")
    for command in ("top", "stacks", "tree", "info", "merge"):  # not all was used
        check(t.run(command, "--no-symbols", "--damaged=use", "-o", t.folder / "kept.json"
                    if command != "merge" else t.folder / "kept.hpa", cut), 3)
    for command in ("top", "stacks", "tree"):
        done = check(t.codes(command, "--no-symbols", "--damaged=use", cut), 3)
        assert "headline-truncated" in done.out.partition("\n")[0], done.out
        assert re.search(r"warning: input-warning: .* input-damaged *truncated-total: [\d.]+ [KM]iB", done.out), done.out
        assert "input-total-contradicts" not in done.out and "input-malformed" not in done.out, done.out
    done = check(t.codes("diff", "--no-symbols", "--damaged=use", cut, t.dump), 3)
    assert "headline-some-truncated: 1" in done.out.partition("\n")[0], done.out
    for command in ("top", "tree", "stacks"):  # the first line says that a file is not in the numbers
        done = check(t.codes(command, "--no-symbols", "--max-skipped=1", t.dump, bad), 3)
        assert "headline-skipped:  ( 1 2" in done.out.partition("\n")[0], done.out
        assert "headline-skipped" not in check(t.codes(command, "--no-symbols", t.dump), 0).out
    broken = t.folder / "x.pb.gz"
    broken.write_bytes((ROOT / "testdata/formats/go-protobuf.pb.gz").read_bytes()[:300])
    assert "option-" not in check(t.codes("top", broken), 5, "", "damaged").err
    check(t.run("top", "--damaged=use", broken), 5)


@case
def a_replaced_dump_is_not_called_skipped_as_well(t):
    whole = (ROOT / "testdata/golden/procs1.heap").read_text()
    last = t.file("app.7.1.i1.heap", whole[:len(whole) // 2])
    done = check(t.codes("top", "--no-symbols", t.file("app.7.0.i0.heap", whole), last), 3)
    assert "warning: input-replaced" in done.out and "inputs-skipped" not in done.out, done.out


@case
def shares_in_warnings_are_those_of_the_metric(t):
    text = ("heap_v2/1\n  t*: 2: 100000 [2: 1000000]\n"
            "@ 0x401000\n  t*: 1: 90000 [1: 100000]\n@ 0x801000\n  t*: 1: 10000 [1: 900000]\n"
            "\nMAPPED_LIBRARIES:\n00400000-00500000 r-xp 00000000 08:01 12 /srv/kept\n"
            "00800000-00900000 r-xp 00000000 08:01 13 /srv/freed\n")
    dump = t.file("app.heap", text)
    for metric, first, share, whole in (("inuse-space", "kept", "90.0", "whole-in-use"),
                                        ("alloc-space", "freed", "90.0", "whole-allocated")):
        done = check(t.codes("top", f"--metric={metric}", dump), 0)
        assert re.search(rf"modules-without-names: {first}  \({share}% of {whole}\) 1 ", done.out), done.out


@case
def the_next_command_reads_the_same_inputs(t):
    """With the options that it takes to read them, and the words that were given, not the files in them."""
    bad_files(t, 1)
    (t.folder / "some dumps").mkdir()
    shutil.copy(ROOT / "testdata/golden/cxx.heap", t.folder / "some dumps/c.heap")
    merged = ["-o", "all.hpa", "--max-skipped=1", "some dumps/c.heap", "bad00.heap"]
    check(t.run("merge", "-q", *merged), 3)
    with tarfile.open(t.folder / "all.tar", "w") as archive:
        archive.add(t.folder / "some dumps/c.heap", "in/cxx.heap")
    for words, status in ((["--max-skipped=1", "some dumps/c.heap", "bad00.heap"], 3), (["all.hpa"], 3),
                          (["--max-skipped=50%", "some dumps", "bad00.heap"], 3), (["--tar=all.tar"], 0), (["all.tar"], 0),
                          (["--estimator=none", "--dumps=sum", "some dumps"], 0)):
        done = check(t.run("top", "-q", "-n1", *words, is_rooted=False), status)
        command = shlex.split(re.search("^next: hprof-agg (.*)$", done.out, re.M)[1])
        wanted = [word for word in words if word.startswith("--")] + sorted(word for word in words if word[0] != "-")
        assert command[1 if command[0] == "info" else 2:] == wanted, command
        assert check(t.run(*command, is_rooted=False), status).out, command
    redacted = check(t.run("top", "-q", "-n1", "--redact", "--tar=all.tar"), 0).out
    assert "all.tar" not in redacted and "FILE..." in redacted, redacted


@case
def truncated_maps_are_named_as_the_reason(t):
    whole = gzip.decompress((ROOT / "testdata/real/redis_lg13.27533.12.i12.heap.gz").read_bytes()).decode()
    rows = whole.index("MAPPED_LIBRARIES:") + 2000
    line = whole.rindex("\n", 0, rows) + 1
    for name, text, options, status, why in (
            ("in-a-row.heap", whole[:rows], ["--damaged=use"], 3, "unmapped-cut"),
            ("after-a-row.heap", whole[:line], [], 0, "unmapped-open")):
        done = check(t.codes("top", *options, t.file(name, text)), status)
        assert re.search(rf"warning: addresses-unmapped: .*{why}", done.out), done.out
    done = check(t.codes("top", ROOT / "testdata/real/node_lg12.12298.0.f.heap.gz", "-v"), 0)
    assert re.search("addresses-unmapped: .*unmapped-jit", done.out), done.out


@case
def an_empty_dump_says_why_it_may_be_empty(t):
    empty = t.file("empty.heap", EMPTY)
    check(t.codes("top", empty), 0, "warning: no-samples-jemalloc\n")
    assert "no-samples" not in t.codes("top", "--max-skipped=1", t.dump, empty).out
    at_exit = t.file("jeprof.12.0.f.heap", EMPTY)
    check(t.codes("top", at_exit), 0, "warning: no-samples-at-exit\n")
    freed = t.file("freed.heap", EMPTY.replace("[0: 0]", "[7: 4096]"))
    check(t.codes("top", freed), 0, "warning: no-samples-in-use\n")
    other = t.file("other.heap", "heap profile: 0: 0 [0: 0] @ growth\n\nMAPPED_LIBRARIES:\n")
    check(t.codes("top", other), 0, "warning: no-samples\n")


@case
def a_fatal_error_follows_skipped_inputs_alone(t):
    (bad,) = bad_files(t, 1)
    for command in ("peek", "list"):
        for more in ((), ("-fjson",)):
            err = check(t.codes(command, "--max-skipped=1", *more, "nosuch", t.dump, bad), 5, "").err
            assert err.count("\n") == 2 and str(bad) in err.splitlines()[0], err


@case
def a_module_of_windows_is_shown_by_its_name(t):
    for path, name in ((r"C:\Users\My App\app.exe", "app.exe"), (r"\\host\share\app.dll", "app.dll"),
                       ("/srv/a\\b.so", "a\\b.so"), ("C:\\", "C:\\")):
        dump = t.file("win.heap", "heap profile: 1: 64 [0: 0] @ heapprofile\n"
                      "  1: 64 [1: 64] @ 0x401136\n\nMAPPED_LIBRARIES:\n"
                      f"00400000-00402000 r-xp 00000000 08:01 1 {path}\n")
        out = check(t.run("top", "--no-symbols", dump), 0).out
        assert re.search(rf" {re.escape(name)}[+@]0x1136$", out, re.M), out


@case
def info_has_the_command_that_fetches_missing_names(t):
    """It is for a shell, so that nothing but a build id is in it; a hash of one is not printed."""
    for build_id, is_printed in (("0123456789abcdef0123456789abcdef01234567", True), ("$(touch x)", False),
                                 ("0123;ls", False), ("", False)):
        profile, path = Profile(), t.folder / "x.pb"
        mapping = profile.mapping("/srv/gone/app", 0x400000, 0x500000, build_id=build_id)
        profile.sample([profile.location(0x400010, mapping)], [1, 64])
        path.write_bytes(profile.bytes())
        out = check(t.run("info", "-v", path), 0).out
        assert (f"names by     debuginfod-find debuginfo {build_id}\n" in out) == is_printed, out
        assert "debuginfod-find" not in check(t.run("info", "-v", "--redact", path)).out


@case
def a_skipped_input_has_its_name_and_reason_in_every_report(t):
    t.file("bad", "heap_v2/524288\n  t*: 1: 5")
    for words in (["top"], ["info"], ["stacks"]):
        result = t.run(*words, "-q", "--no-symbols", "-fjson", "--max-skipped=1", "bad", *t.procs)
        if words == ["info"]:
            named = [(one["name"], bool(one["reason"])) for one in json.loads(result.out)["inputs"] if one["status"] == "skipped"]
            assert named == [("bad", True)], named
        else:
            skipped = json.loads(check(result, 3).out)["inputs"]["skipped_inputs"]
            assert [(one["name"], one["reason"]) for one in skipped] == [("bad", "malformed")] and skipped[0]["text"], skipped
    sides = json.loads(check(t.run("diff", "-q", "--no-symbols", "-fjson", "--max-skipped=1", "bad", t.dump, "--to", t.other), 3).out)
    assert [one["name"] for one in sides["base"]["skipped_inputs"]] == ["bad"] and "skipped_inputs" not in sides["new"], sides
