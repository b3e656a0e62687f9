"""Tests names of generated code: which maps are used, and which are not."""
import json
import os
import struct

from harness import ROOT, case, check

JIT = 0x7E0000001000


def process(t, name, pid, at=JIT, stack="7ffc00021000", shift=0):
    """A dump with two functions of generated code at `at`, in a folder of its own, and a map for it."""
    folder = os.path.join(t.folder, name)
    os.makedirs(folder, exist_ok=True)
    dump = os.path.join(folder, f"jeprof.{pid}.0.m0.heap")
    with open(dump, "w") as file:
        file.write("heap_v2/1\n  t*: 4: 2097152 [0: 0]\n"
                   f"@ 0x401000 {at + 0x10 + shift:#x} 0x402000\n  t*: 1: 524288 [0: 0]\n"
                   f"@ 0x401000 {at + 0x210 + shift:#x} {at + 0x10 + shift:#x} 0x402000\n  t*: 3: 1572864 [0: 0]\n"
                   "\nMAPPED_LIBRARIES:\n400000-500000 r-xp 00000000 fe:00 1 /srv/app\n"
                   f"{at:x}-{at + 0x1000:x} rwxp 00000000 00:00 0\n"
                   f"7ff{pid:02x}0000000-7ff{pid:02x}0002000 r-xp 00000000 00:00 0 [vdso]\n"
                   f"7ffc00000000-{stack} rw-p 00000000 00:00 0 [stack]\n")
    entries = f"{at:x} 100 py::main:/srv/a.py\n{at + 0x200:x} 100 py::leak:/srv/a.py\n"
    return folder, dump, entries


def put(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def run(t, *args):
    """The stacks, and the codes on standard error; no binary is looked for, and no map beside the dump."""
    result = check(t.codes("folded", "--no-symbols", *args), 0)
    return result.out, result.err


def near(t, folder, dump):
    """The same with the maps in a folder of binaries, which is the dump's."""
    result = check(t.codes("folded", f"--symbol-dir={folder}", "--symbol-dir-only", dump), 0)
    return result.out, result.err


NAMED = ("app+0x402000;main;app+0x401000 524288\napp+0x402000;main;leak;app+0x401000 1572864\n")
NAMELESS = "app+0x402000;[jit];app+0x401000 2097152\n"


def sorted_lines(text):
    return sorted(text.splitlines())


@case
def a_perf_map_names_generated_code(t):
    folder, dump, entries = process(t, "p", 7)
    assert run(t, dump)[0] == NAMELESS
    perf = put(t.folder, "perf-7.map", entries)
    for given in (perf, t.folder):
        out, err = run(t, f"--perf-map={given}", dump)
        assert sorted_lines(out) == sorted_lines(NAMED) and "addresses-generated" not in err, (out, err)
    rows = json.loads(check(t.run("top", "--no-symbols", "-fjson", "--by=line", f"--perf-map={perf}", dump), 0).out)
    assert any(row["name"] == "leak /srv/a.py" for row in rows["rows"]), rows
    kept = run(t, "--keep-unmapped", f"--perf-map={perf}", dump)[0]
    assert sorted_lines(kept) == sorted_lines(NAMED), kept
    addresses = run(t, "--by=address", f"--perf-map={perf}", dump)[0]
    assert f"[anon]+{JIT + 0x10:#x} main /srv/a.py" in addresses, addresses
    fifo = os.path.join(t.folder, "fifo")
    os.mkfifo(fifo)
    check(t.codes("top", "--no-symbols", f"--perf-map={t.folder}/no", dump), 5, "", "perf-map-missing")
    assert t.codes("top", "--no-symbols", f"--perf-map={fifo}", dump).status in (2, 5)


@case
def R43_maps_beside_a_dump_are_used_if_they_are_its_owners(t):
    folder, dump, entries = process(t, "p", 7)
    path = put(folder, "perf-7.map", entries)
    assert sorted_lines(near(t, folder, dump)[0]) == sorted_lines(NAMED)
    beside = check(t.codes("folded", "--path-map=/srv=/nowhere", dump), 0).out
    assert sorted_lines(beside) == sorted_lines(NAMED), beside
    assert run(t, dump)[0] == NAMELESS  # --no-symbols
    real = os.path.join(t.folder, "real.map")
    os.rename(path, real)
    os.symlink(real, path)
    out, err = check(t.codes("folded", "--path-map=/srv=/nowhere", dump), 0).out, ""
    assert out == NAMELESS, out
    os.remove(path)
    os.mkfifo(path)
    out, err = near(t, folder, dump)
    assert out == NAMELESS and "map-untrusted" in err, err
    os.remove(path)
    if os.getuid() == 0:
        put(folder, "perf-7.map", entries)
        os.chown(path, 12345, 12345)
        out, err = near(t, folder, dump)
        assert out == NAMELESS and "map-untrusted" in err, err
        os.chown(dump, 12345, 12345)
        assert sorted_lines(near(t, folder, dump)[0]) == sorted_lines(NAMED)


@case
def R43_a_map_of_other_addresses_names_nothing(t):
    folder, dump, _ = process(t, "p", 7)
    _, _, others = process(t, "q", 8, at=JIT + (1 << 30))
    path = put(folder, "perf-7.map", others)
    out, err = near(t, folder, dump)
    assert out == NAMELESS and "map-holds-nothing" in err, err
    out, err = run(t, f"--perf-map={path}", dump)
    assert out == NAMELESS and "perf-map-unused" in err, err
    for text in ("", "\0" * 4096, "garbage\n", f"{JIT:x} 0 no\n", f"{JIT:x} ffffffffffffffff all\n",
                 f"{JIT - 16:x} 2000 more\n", f"{JIT:x} 100 cut"):
        put(folder, "perf-7.map", text)
        out, err = near(t, folder, dump)
        assert out == NAMELESS, (text, out)


@case
def a_second_map_needs_half_of_the_missing_names(t):
    _, dump, entries = process(t, "p", 7)
    parent = put(t.folder, "perf-6.map", entries.splitlines(True)[0])
    out, _ = run(t, f"--perf-map={parent}", dump)
    assert ";main;" in out and "leak" not in out, out
    folder = os.path.join(t.folder, "maps")
    os.mkdir(folder)
    put(folder, "perf-6.map", entries)  # of a folder only the map of the process
    out, err = run(t, f"--perf-map={folder}", dump)
    assert out == NAMELESS and "perf-map-unused" in err, err
    own = put(t.folder, "perf-7.map", entries.splitlines(True)[1])
    out, _ = run(t, f"--perf-map={parent}", f"--perf-map={own}", dump)
    assert sorted_lines(out) == sorted_lines(NAMED), out


@case
def the_map_of_the_parent_in_a_set_is_used(t):
    for parent, named in ((6, NAMED), (5, NAMELESS)):
        folder, dump, entries = process(t, f"set-{parent}", 7)
        put(folder, "perf-6.map", entries)
        put(folder, "facts.json", json.dumps({"version": 1, "program": "app", "pid": 7, "start": 9, "parent": parent,
                                              "host": "h", "boot": "b", "time_ns": 1}))
        assert sorted_lines(check(t.codes("folded", "--path-map=/srv=/nowhere", dump), 0).out) == \
            sorted_lines(named)


@case
def R43_without_random_addresses_only_a_named_map_is_used(t):
    folder, dump, entries = process(t, "p", 7, stack="7ffffffff000")
    path = put(folder, "perf-7.map", entries)
    out, err = near(t, folder, dump)
    assert out == NAMELESS and "map-fixed" in err, (out, err)
    assert sorted_lines(run(t, f"--perf-map={path}", dump)[0]) == sorted_lines(NAMED)


@case
def generated_functions_merge_by_name_in_every_format(t):
    dumps, maps, parts = [], [], []
    for i in range(4):
        folder, dump, entries = process(t, f"p{i}", i + 1, at=JIT + i * 0x10000)
        dumps.append(dump)
        maps.append(f"--perf-map={put(folder, f'perf-{i + 1}.map', entries)}")
    wanted = run(t, *maps, *dumps)[0]
    assert len(wanted.splitlines()) == 2 and "8388608" in check(t.run("top", "--no-symbols", "-ftsv", *maps, *dumps), 0).out
    for name in ("all.hpa", "all.pb.gz"):
        path = os.path.join(t.folder, name)
        check(t.run("merge", "--no-symbols", "-o", path, *maps, *dumps), 0)
        assert run(t, path)[0] == wanted, name
    for i, dump in enumerate(dumps):
        parts.append(os.path.join(t.folder, f"part{i}.hpa"))
        check(t.run("merge", "--no-symbols", "-o", parts[-1], maps[i], dump), 0)
    again = os.path.join(t.folder, "again.hpa")
    check(t.run("merge", "--no-symbols", "-o", again, *reversed(parts)), 0)
    digests = {check(t.run("digest", path), 0).out.split()[0] for path in (again, os.path.join(t.folder, "all.hpa"))}
    assert len(digests) == 1, digests


def corpus(t, name):
    return str(ROOT / "testdata" / "generated" / name)


def shares(t, *args, names="--no-symbols"):
    """The rows of real processes, whose native names are not at hand; their share of the bytes."""
    result = check(t.run("top", names, "-fjson", *args), 0)
    table = json.loads(result.out)
    total = table["total"]["inuse-space"]["estimate"]
    flat, cum = ([row[kind]["inuse-space"]["estimate"] / total for row in table["rows"]] for kind in ("flat", "cum"))
    return [(row["name"], row["class"], *both) for row, *both in zip(table["rows"], flat, cum)]


@case
def real_maps_name_the_function_that_holds_the_memory(t):
    for dump, given, own, flat, how in (
            ("python.heap", "python.map.gz", "parse_thing", 0.985, "--frames=no-libs"),
            ("java.heap.gz", "java.map.gz", "Leak.cacheInsert(int)", 0.95, "--frames=no-libs")):
        name, which, share, _ = shares(t, how, f"--perf-map={corpus(t, given)}", corpus(t, dump))[0]
        assert (name, which) == (own, "generated") and share >= flat, (name, which, share)
        plain = {row[0]: row for row in shares(t, "--frames=no-libs", corpus(t, dump))}
        assert plain["[jit]"][2] >= flat, plain
    rows = shares(t, "-n0", f"--perf-map={corpus(t, 'node.map')}", corpus(t, "node.heap.gz"))
    cum = {name: (which, share) for name, which, _, share in rows}
    which, share = cum["parseThing [2 names]"]
    assert which == "generated" and share > 0.87, cum
    assert "allocUnsafeSlow" not in cum, cum  # of the standard library


@case
def a_forked_child_needs_the_map_of_its_parent_too(t):
    own, parent = (f"--perf-map={corpus(t, name)}" for name in ("perf-2403.map", "perf-2402.map.gz"))
    child = corpus(t, "fk.2403.0.m0.heap")
    cum = {name: share for name, _, _, share in shares(t, "-n0", own, child)}
    assert cum["[jit]"] > 0.7 and 0.27 < cum["child_only"] < 0.29, cum
    cum = {name: share for name, _, _, share in shares(t, "-n0", own, parent, child)}
    assert "[jit]" not in cum and cum["parse_thing"] > 0.7, cum


@case
def what_runtimes_allocate_is_charged_to_their_callers(t):
    stacks = (("app_make", "os::malloc(unsigned long, MEMFLAGS)"), ("app_make", "PyByteArray_Resize"),
              ("app_make", "_cgo_0a1b2c3d_Cfunc_make_block"), ("app_make", "_mi_prof_stack_intern"),
              ("app_make", "node::NodeArrayBufferAllocator::Allocate(unsigned long)"),
              ("app_make", "v8::internal::Execution::Call"), ("app_make", "AllocSetAllocLarge"))
    names, text = [], ""
    for i, (caller, callee) in enumerate(stacks):
        at = 0x401000 + 0x100 * i
        names += [f"{at + 0xf:#x} {callee}", f"{at + 0x1f:#x} {caller}"]
        text += f"@ {at + 0x10:#x} {at + 0x20:#x}\n  t*: 1: 1024 [0: 0]\n"
    dump = t.file("raw.heap", "--- symbol\nbinary=/srv/app\n" + "\n".join(names) + "\n---\n--- heap\nheap_v2/1\n"
                  f"  t*: {len(stacks)}: {1024 * len(stacks)} [0: 0]\n{text}"
                  "\nMAPPED_LIBRARIES:\n400000-500000 r-xp 00000000 fe:00 1 /srv/app\n")
    rows = shares(t, dump)
    assert [row[:2] for row in rows] == [("app_make", "own")] and rows[0][2] == 1, rows


@case
def stacks_that_end_too_early_are_said_with_their_share_and_cause(t):
    def dump(name, stack, symbols="", library="libjemalloc.so.2"):
        head = f"--- symbol\nbinary=/srv/app\n{symbols}---\n--- heap\n" if symbols else ""
        return t.file(name, f"{head}heap_v2/1\n  t*: 4: 4096 [0: 0]\n@ {stack}\n  t*: 3: 3072 [0: 0]\n"
                            "@ 0x401000 0x402000\n  t*: 1: 1024 [0: 0]\n\nMAPPED_LIBRARIES:\n"
                            "400000-500000 r-xp 00000000 fe:00 1 /srv/app\n"
                            f"700000000000-700000100000 r-xp 00000000 fe:00 2 /usr/lib/{library}\n"
                            "7e0000001000-7e0000002000 rwxp 00000000 00:00 0\n")

    for code, path in (("end-empty", dump("a.heap", "")),
                       ("end-allocator", dump("b.heap", "0x700000001000 0x700000002000")),
                       ("end-generated", dump("c.heap", "0x401000 0x7e0000001010")),
                       ("end-limit", dump("d.heap", " ".join(f"{0x401000 + 16 * i:#x}" for i in range(128)))),
                       ("end-boundary", dump("e.heap", "0x401000 0x403000", "0x402fff runtime.asmcgocall\n"))):
        for command in (("top",), ("info",)):
            result = t.codes(*command, "--no-symbols", path)
            text = result.out + result.err
            assert "stacks-end-early: 75.0" in text and code in text, (code, command, text)
    good = dump("good.heap", "0x401000 0x402000 0x403000")
    assert "stacks-end-early" not in t.codes("info", "--no-symbols", good).err
    few = t.file("few.heap", open(dump("f.heap", "")).read().replace("t*: 3: 3072", "t*: 1: 128"))
    for command, says in (("top", False), ("info", True)):
        result = t.codes(command, "--no-symbols", few)
        assert ("stacks-end-early" in result.out + result.err) == says, (command, result)


@case
def the_later_of_two_names_is_shown_and_marked(t):
    _, dump, entries = process(t, "p", 7)
    perf = put(t.folder, "perf-7.map", f"{JIT:x} 100 py::old:/srv/a.py\n{entries}{JIT + 0x200:x} 100 py::leak:/srv/a.py\n")
    out, _ = run(t, f"--perf-map={perf}", dump)
    assert sorted_lines(out) == sorted_lines(NAMED.replace("main", "main [2 names]")), out
    result = t.codes("info", "--no-symbols", f"--perf-map={perf}", dump)
    assert "stacks-two-names: 100.0" in result.out + result.err, result
    part = os.path.join(t.folder, "part.hpa")
    check(t.run("merge", "--no-symbols", "-o", part, f"--perf-map={perf}", dump), 0)
    assert run(t, part)[0] == out


def jitdump(records, flags=0):
    """A jitdump of loads (address, size, code, name), moves (address, size, code) and lines (code, address, line, file).
    The time of a record is its number, from 1 on."""
    text = struct.pack("=IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 7, 0, flags)
    for time, (kind, *values) in enumerate(records, 1):
        if kind == "load":
            at, size, code, name = values
            body = struct.pack("=IIQQQQ", 7, 7, at, at, size, code) + name.encode() + b"\0" + bytes(size)
        elif kind == "move":
            at, size, code = values
            body = struct.pack("=IIQQQQQ", 7, 7, at, 0, at, size, code)
        else:
            code, at, line, path = values
            body = struct.pack("=QQQII", code, 1, at, line, 0) + path.encode() + b"\0"
        text += struct.pack("=IIQ", ("load", "move", "lines").index(kind), 16 + len(body), time) + body
    return text


@case
def a_jitdump_gives_names_files_lines_and_moved_code(t):
    folder, dump, entries = process(t, "p", 7)
    put(folder, "perf-7.map", entries.replace("main", "other"))  # the jitdump is preferred
    with open(os.path.join(folder, "jit-7.dump"), "wb") as file:
        file.write(jitdump([("lines", JIT, JIT, 12, "/srv/main.jl"), ("load", JIT, 0x100, 1, "main"),
                            ("load", JIT + 0x10000, 0x100, 2, "leak"), ("move", JIT + 0x200, 0x100, 2)]))
    assert sorted_lines(near(t, folder, dump)[0]) == sorted_lines(NAMED)
    given = f"--perf-map={folder}"
    assert "main /srv/main.jl:12" in run(t, "--by=line", given, dump)[0]
    for cut in (30, 39, 41, 60, 100):
        with open(os.path.join(folder, "jit-7.dump"), "r+b") as file:
            file.truncate(cut)
        assert "other" in run(t, given, dump)[0], cut


@case
def code_that_a_jitdump_records_after_the_dump_is_ignored(t):
    folder, dump, _ = process(t, "set", 7)
    loads = [("load", JIT, 0x100, 1, "main"), ("load", JIT + 0x200, 0x100, 2, "leak"), ("load", JIT + 0x200, 0x100, 3, "later")]
    shown = {}
    for until, flags in ((2, 0), (3, 0), (None, 0), (2, 1)):
        facts = {"version": 1, "program": "app", "pid": 7, "start": 9, "parent": 1, "host": "h", "boot": "b", "time_ns": 1}
        put(folder, "facts.json", json.dumps(facts | ({"monotonic_ns": until} if until else {})))
        with open(os.path.join(folder, "jit-7.dump"), "wb") as file:
            file.write(jitdump(loads, flags))
        shown[until, flags] = sorted_lines(check(t.codes("folded", "--path-map=/srv=/nowhere", dump), 0).out)
    assert shown[2, 0] != shown[3, 0] == shown[None, 0] == shown[2, 1], shown
    assert "leak" in str(shown[2, 0]) and "later" not in str(shown[2, 0]) and "2 names" not in str(shown[2, 0]), shown
    assert "later [2 names]" in str(shown[3, 0]), shown


@case
def the_emergency_pool_of_libstdcxx_has_a_name_in_each_format(t):
    text = ("heap_v2/1\n  t*: 3: 73728 [0: 0]\n@ 0x700000001000 0x710000001000 0x720000001000\n  t*: 1: 72704 [0: 0]\n"
            "@ 0x700000001000 0x710000002000 0x401000\n  t*: 1: 512 [0: 0]\n"
            "@ 0x700000001000 0x710000003000\n  t*: 1: 512 [0: 0]\n\nMAPPED_LIBRARIES:\n"
            "400000-500000 r-xp 00000000 fe:00 1 /srv/app\n")
    for i, name in enumerate(("libjemalloc.so.2", "libstdc++.so.6.0.30", "ld-linux-x86-64.so.2")):
        text += f"7{i}0000000000-7{i}0000100000 r-xp 00000000 fe:00 {i + 2} /usr/lib/{name}\n"
    dump, name = t.file("pool.heap", text), "[emergency-pool-of-libstdc++]"
    rows = shares(t, "--frames=no-alloc", dump, names="-q")
    assert [row[0] for row in rows if row[2]] == [name, "libstdc++.so.6.0.30+0x2000", "libstdc++.so.6.0.30+0x3000"], rows
    for form in "pprof", "folded", "hpa":
        check(t.run("merge", "-q", f"-f{form}", "-o", "out", dump), 0)
        if form != "folded":
            assert shares(t, "--frames=no-alloc", "out", names="-q")[0][0] == name, form
        else:
            assert name in (t.folder / "out").read_text()


@case
def the_hint_offers_all_nameless_functions_of_an_allocator_in_one_paste(t):
    stacks = "".join(f"@ 0x401010 0x401110 {0x401210 + 0x100 * (i % 2):#x} {0x402010 + 0x100 * i:#x} 0x403010\n"
                     "  t*: 1: 1048576 [0: 0]\n" for i in range(6))
    dump = t.file("app.heap", f"heap_v2/1\n  t*: 6: 6291456 [0: 0]\n{stacks}\nMAPPED_LIBRARIES:\n"
                  "400000-500000 r-xp 00000000 fe:00 1 /srv/app\n")
    text = check(t.run("top", "-v", "--no-symbols", dump), 0).out
    pattern = "^app@0x(1010|1110|1210|1310)$"
    assert f"--wrapper='{pattern}' attributes" in text, text
    assert "has-jemalloc" not in t.codes("top", "-v", dump).out  # its binary is not at hand
    line = check(t.run("top", "--no-symbols", dump), 0).out.splitlines()[-1]
    assert line == f"next: hprof-agg top '--wrapper={pattern}' --no-symbols {dump}", line
    rows = shares(t, f"--wrapper={pattern}", dump)
    assert rows[0][0].startswith("app@0x2") and all(row[2] < 0.2 for row in rows), rows
    alone = t.file("alone.heap", "heap_v2/1\n  t*: 1: 1048576 [0: 0]\n@ 0x401010\n  t*: 1: 1048576 [0: 0]\n"
                   "\nMAPPED_LIBRARIES:\n400000-500000 r-xp 00000000 fe:00 1 /srv/app\n")
    assert "--wrapper" not in check(t.run("top", "-v", "--no-symbols", alone), 0).out


@case
def the_process_of_a_dump_of_our_sampler_is_in_its_name(t):
    folder, dump, entries = process(t, "p", 7)
    put(folder, "perf-4711.map", entries)
    for name, is_found in (("app.4711.heap", True), ("app.4711.1.heap", True), ("app.04711.heap", False),
                           ("app.4711x.heap", False), ("4711", False)):
        path = os.path.join(folder, name)
        os.rename(dump, path)
        dump = path
        assert (near(t, folder, dump)[0] != NAMELESS) == is_found, name


@case
def two_containers_with_one_process_id_have_their_own_maps(t):
    folders, dumps = [], []
    for name, at in (("one", JIT), ("two", JIT + (1 << 30))):
        folder, dump, entries = process(t, name, 7, at=at)
        put(folder, "perf-7.map", entries.replace("leak", f"leak_{name}"))
        folders.append(folder)
        dumps.append(dump)
    for order in (folders, folders[::-1]):
        out, err = run(t, *(f"--perf-map={folder}" for folder in order), "--dumps=sum", *dumps)
        names = {word for line in out.splitlines() for word in line.split(";") if word.startswith("leak")}
        assert names == {"leak_one", "leak_two"} and "[jit]" not in out, (out, err)


@case
def a_map_larger_than_the_limit_is_not_used(t):
    _, dump, entries = process(t, "p", 7)
    path = put(t.folder, "perf-7.map", entries * 2000)
    assert sorted_lines(run(t, f"--perf-map={path}", dump)[0]) == sorted_lines(NAMED)
    out, err = run(t, f"--perf-map={path}", "--max-input-size=4KiB", dump)
    assert out == NAMELESS and "map-unreadable" in err, (out, err)
