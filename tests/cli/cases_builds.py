"""Tests whether binaries are recognized by return addresses as those that ran."""
import json
import os
import pathlib
import random
import re
import struct

from harness import case, check
from profile_writer import Profile
from rooted import gone

REBUILT = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "rebuilt"
DUMP = (REBUILT / "a.1.heap").read_text(encoding="utf-8")
PATH = "/srv/rebuilt/app"
OPTION = f"--path-map=/srv/rebuilt={REBUILT}/right"
ROW = re.search(rf"^(\w+)-(\w+) r-xp .* {PATH}$", DUMP, re.M)


def code():
    """The return addresses of the program; one byte after each there is no return address."""
    low, high = (int(word, 16) for word in ROW.groups())
    found = {int(word, 16) for line in re.findall("^@ (.*)$", DUMP, re.M) for word in line.split()}
    return sorted(address for address in found if low < address < high)


def dump(t, name, *stacks, process=0):
    """Write a dump of stacks, leaf first.  Its map has the program and an anonymous page, by which processes
    differ."""
    maps = [line for line in DUMP.splitlines() if line.endswith(PATH)]
    lines = ["heap_v2/524288", f"  t*: {len(stacks)}: {64 * len(stacks)} [0: 0]"]
    for stack in stacks:
        lines += ["@ " + " ".join(map(hex, stack)), "  t*: 1: 64 [0: 0]"]
    page = 0x7fff00000000 + 0x1000 * process
    lines += ["", "MAPPED_LIBRARIES:", *maps, f"{page:x}-{page + 0x1000:x} r-xp 00000000 00:00 0   [vdso]", ""]
    return t.file(name, "\n".join(lines))


def look(t, *arguments):
    """(return addresses of the program, its symbols, warnings)"""
    report = json.loads(check(t.codes("info", "-v", "-q", "--format=json", OPTION, *arguments)).out)
    row = next(row for row in report["modules"] if row["path"] == PATH)
    counts = row["return_addresses"] or {"checked": 0, "not_after_call": 0}
    return (counts["not_after_call"], counts["checked"]), row["symbols"], [one["text"] for one in report["warnings"]]


def fold(t, *arguments):
    return sorted(check(t.run("folded", "-q", OPTION, *arguments)).out.splitlines())


@case
def one_address_that_follows_no_call_shows_another_build(t):
    good = code()
    counts, symbols, warnings = look(t, dump(t, "odd.heap", [good[0], good[1] + 1, good[2]]))
    assert counts == (1, 2) and symbols.startswith("another build") and len(warnings) == 1, (counts, warnings)


@case
def a_path_of_path_map_may_be_relative(t):
    option = f"--path-map=/srv/rebuilt={os.path.relpath(REBUILT, t.folder)}/right"
    report = json.loads(check(t.run("info", "-v", "-q", "--format=json", option, dump(t, "right.heap", code()))).out)
    row = next(row for row in report["modules"] if row["path"] == PATH)
    assert row["symbols"].startswith("function"), row


@case
def three_of_few_addresses_show_another_build(t):
    good = code()
    odd = [address + 1 for address in good[:3]]
    for stack, wanted in (([*odd, good[3]], (3, 3)), ([*odd, *good[3:15]], (3, 14))):
        counts, symbols, warnings = look(t, dump(t, "other.heap", stack))
        assert counts == wanted and symbols.startswith("another build") and len(warnings) == 1, (counts, warnings)


@case
def B5_the_last_frame_of_a_stack_is_not_compared(t):
    good = code()
    counts, symbols, warnings = look(t, dump(t, "coroutine.heap", [*good[:9], good[9] + 1]))
    assert counts == (0, 9) and symbols.startswith("function") and not warnings, (counts, warnings)


def direct_calls():
    """{return address: where its call goes}, of the calls of the program to itself that name where."""
    low, high = (int(word, 16) for word in ROW.groups())
    start = int(re.search(r"r-xp (\w+)", ROW[0])[1], 16)
    text = (REBUILT / "right" / "app").read_bytes()[start:start + high - low]
    found = {}
    for address in code():
        at = address - low
        if text[at - 5] == 0xe8:
            target = at + int.from_bytes(text[at - 4:at], "little", signed=True)
            if text[target:target + 2] != b"\xff\x25" and text[target:target + 4] != b"\xf3\x0f\x1e\xfa":  # no stubs
                found[address] = low + target
    return found


@case
def B35_a_caller_excuses_a_misfit_in_the_function_that_it_calls(t):
    good, calls = code(), direct_calls()
    caller, other = list(calls)[0], next(each for each in calls if calls[each] != calls[list(calls)[0]])
    assert not {calls[caller] + 2, calls[other] + 2} & set(good)
    stack = [good[0], calls[caller] + 2, caller, good[-1]]
    counts, symbols, warnings = look(t, dump(t, "odd.heap", stack))
    assert counts == (1, 3) and symbols.startswith("function") and not warnings, (counts, symbols, warnings)
    wrong = [good[0], calls[other] + 2, caller, good[-1]]
    counts, symbols, warnings = look(t, dump(t, "wrong.heap", wrong, good))
    assert counts[0] == 1 and symbols.startswith("another build") and len(warnings) == 1, (counts, symbols, warnings)


@case
def B35_starts_of_functions_are_no_return_addresses(t):
    """An unwinder by frame pointers takes {pointer to the stack, function} for a frame; five addresses fit beside it."""
    good = code()
    start = int(ROW[1], 16) - int(re.search(r"r-xp (\w+)", ROW[0])[1], 16) + 0x23b2  # main.cold, right behind a jump in handle.cold
    assert start not in good
    counts, symbols, warnings = look(t, dump(t, "list.heap", [*good[:5], start, start, good[5]]))
    assert counts == (1, 6) and symbols.startswith("function") and not warnings, (counts, symbols, warnings)
    stack = fold(t, t.folder / "list.heap")[0].split(";")
    assert ["+0x" in frame for frame in stack] == [False, True, True] + [False] * 5, stack
    for frames in ([*good[:3], start, good[5]], [*good[:5], start + 2, good[5]]):
        counts, symbols, warnings = look(t, dump(t, "other.heap", frames))
        assert counts[0] == 1 and symbols.startswith("another build") and len(warnings) == 1, (counts, symbols, warnings)


@case
def a_file_with_the_recorded_build_id_shows_elf_addresses(t):
    own = (REBUILT / "right" / "app").read_bytes()
    build_id = own[own.index(b"\3\0\0\0GNU\0") + 8:][:20].hex()
    for recorded, option, wanted in ((build_id, OPTION, "elf"), (build_id, f"--symbol-dir={t.folder}", "file-offset"),
                                     (build_id[::-1], OPTION, "file-offset")):
        profile = Profile()
        app = profile.mapping(PATH, 0x555500002000, 0x555500006000, 0x2000, recorded)
        profile.sample([profile.location(0x555500002500, app), profile.location(0x555500002900, app)], [1, 64])
        (t.folder / "x.pb").write_bytes(profile.bytes())
        report = json.loads(check(t.run("info", "-q", "-fjson", option, t.folder / "x.pb")).out)
        kinds = [(row["address_kind"], row["build_id"]) for row in report["modules"]]
        assert kinds == [(wanted, recorded)], (wanted, kinds)


@case
def each_dump_has_its_own_build(t):
    good = code()
    right = dump(t, "right.heap", good)
    other = dump(t, "other.heap", [address + 1 for address in good], process=1)
    names = [re.sub(r" \d+$", "", line) for line in fold(t, right)]
    for inputs in ((right, other), (other, right), (right, other, "-j4")):
        assert set(names) <= {re.sub(r" \d+$", "", line) for line in fold(t, *inputs)}
    report = json.loads(check(t.codes("info", "-v", "-q", "--format=json", OPTION, right, other)).out)
    assert ["builds-without-names: 1 of 2 " in text for text in [one["text"] for one in report["warnings"]]] == [True], [one["text"] for one in report["warnings"]]


@case
def a_program_among_the_inputs_gives_names_to_its_dumps(t):
    program = t.folder / "any-name"
    program.write_bytes((REBUILT / "right" / "app").read_bytes())  # the file is not executable
    path = dump(t, "right.heap", code())
    wanted = fold(t, path)
    for given in (program, "any-name"):
        assert sorted(check(t.run("folded", "-q", given, path)).out.splitlines()) == wanted, given


@case
def a_library_version_is_found_by_the_beginning_of_its_name(t):
    path = dump(t, "right.heap", code())
    for place in ("app-1.4", "1.4/app", "1.4/bin/app.new"):
        file = t.folder / f"root{place.count('/')}" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((REBUILT / "right" / "app").read_bytes())
        out = check(t.run("folded", "-q", f"--symbol-dir={t.folder}/root{place.count('/')}", path)).out
        assert sorted(out.splitlines()) == fold(t, path), place
        file.unlink()


@case
def an_aggregate_file_has_the_build_of_its_dumps(t):
    good = code()
    right = dump(t, "right.heap", good)
    other = dump(t, "other.heap", [address + 1 for address in good], process=1)
    for name, path in (("right.hpa", right), ("other.hpa", other)):
        check(t.run("merge", "-q", "-o", name, path))
    for inputs in (("right.hpa", "other.hpa"), ("right.hpa", other), (right, "other.hpa")):
        assert fold(t, *inputs) == fold(t, right, other), inputs
    for i in range(3):
        check(t.run("merge", "-q", "-o", f"{i}.hpa", f"--shard={i}/3", right))
    assert fold(t, "0.hpa", "1.hpa", "2.hpa") == fold(t, right)


@case
def an_address_interrupted_by_a_signal_is_not_a_return_address(t):
    good, vdso = code(), 0x7fff00000800
    stacks = [[good[i], vdso, good[i] + 1, good[i + 5]] for i in range(5)]
    counts, _, warnings = look(t, dump(t, "signal.heap", *stacks))
    assert counts == (0, 5) and not warnings, (counts, warnings)
    counts, _, warnings = look(t, dump(t, "none.heap", *[[*stack[:1], *stack[2:]] for stack in stacks]))
    assert counts == (5, 10) and warnings, (counts, warnings)


@case
def addresses_in_pprof_profiles_are_those_of_calls(t):
    path = dump(t, "calls.heap", code())
    merged = check(t.run("merge", "--no-symbols", "--format=pprof", "-o", "calls.pb.gz", path))
    assert merged.out == ""
    counts, symbols, warnings = look(t, "calls.pb.gz")
    assert counts == (0, len(code()) - 2) and not warnings, (counts, warnings)  # a leaf may be anything
    assert symbols == look(t, path)[1]


@case
def leaves_of_gperftools_and_ends_of_stacks_are_not_return_addresses(t):
    good = code()
    stack = [good[0] + 1, *good[1:6], 0]
    path = dump(t, "jemalloc.heap", stack)
    assert look(t, path)[0] == (1, 6)
    maps = path.read_text(encoding="utf-8").partition("MAPPED_LIBRARIES:\n")[2]
    counts = "1:       64 [     1:       64] @"
    text = (f"heap profile:      {counts} heapprofile\n     {counts} {' '.join(map(hex, stack))}\n\n"
            f"MAPPED_LIBRARIES:\n{maps}")
    counts, _, warnings = look(t, t.file("gperftools.heap", text))
    assert counts == (0, 4) and not warnings, (counts, warnings)


# --- addresses that are not plainly those of a map ------------------------------------------

ADDRESSES = gone(REBUILT.parent / "addresses")
PLUG = f"--path-map=/srv/addresses={ADDRESSES}"


def rows(t, *arguments):
    """(name, status) -> bytes in the new or only profile."""
    report = json.loads(check(t.run(*arguments, "-q", "-n0", "--format=json")).out)
    return report["rows"], [one["text"] for one in report["warnings"]]


def tagged(text, seed):
    """Each return address with a signature, as arm64 puts it above the bits of a place."""
    bits = random.Random(seed)
    sign = lambda line: re.sub("0x[0-9a-f]+", lambda m: hex(int(m[0], 16) | bits.randrange(1, 128) << 48), line[0])  # noqa: E731
    return re.sub("^@ .*$", sign, text, flags=re.M)


@case
def B21_tags_of_addresses_are_cleared(t):
    plain = fold(t, dump(t, "plain.heap", code(), code()[5:]))
    text = (t.folder / "plain.heap").read_text()
    for seed in range(3):
        path = t.file("tagged.heap", tagged(text, seed))
        assert fold(t, path) == plain, seed
        assert sum("addresses-signed: " in warning for warning in look(t, path)[2]) == 1
    nowhere = text.replace("@ ", "@ 0x7100000000000042 ", 1)  # mapped neither with its tag nor without
    lost = fold(t, t.file("nowhere.heap", nowhere))
    assert sum("[unmapped]" in line for line in lost) == 1, lost
    both = "".join(fold(t, t.file("both.heap", tagged(nowhere, 1))))  # then no tag is one
    assert "[unmapped]" in both and not any(name in both for line in plain for name in line.rpartition(" ")[0].split(";")), both


@case
def signed_dump_of_arm64_has_the_stacks_that_ran(t):
    path = ADDRESSES / "aarch64-pac.heap"
    report = json.loads(check(t.run("info", "-v", "-q", "--format=json", path)).out)
    assert (report["inputs"][0]["addresses"], report["inputs"][0]["unmapped_addresses"]) == (17, 0), report["inputs"]
    lines = check(t.run("folded", "-q", path)).out.splitlines()
    assert len(lines) == 3 and all(re.fullmatch(r"(pac\+0x\w+;?)+ \d+", line) for line in lines), lines
    check(t.run("merge", "-q", "-o", "pac.hpa", path))
    assert check(t.run("folded", "-q", "pac.hpa")).out.splitlines() == lines


def with_map(text, change):
    """The dump with other rows of the program: change(start, end, offset) of its text."""
    low, high = (int(word, 16) for word in ROW.groups())
    row = ROW[0]
    return text.replace(row, "\n".join(change(row, low, high)))


def split(row, low, high, name, offset):
    """The text with its middle moved to pages of that name."""
    a, b = low + 0x1000, high - 0x1000
    own = re.sub(r"^\w+-\w+ (\S+) (\w+)", r"{:x}-{:x} \1 {:08x}", row)
    start = int(re.search(r"r-xp (\w+)", row)[1], 16)
    return [own.format(low, a, start), f"{a:x}-{b:x} r-xp {offset:08x} 00:0e 991   {name}".rstrip(),
            own.format(b, high, start + b - low)]


@case
def B22_moved_code_belongs_to_its_file(t):
    path = dump(t, "whole.heap", code())
    whole, text = fold(t, path), (t.folder / "whole.heap").read_text()
    for name in ("", "[anon:zend_huge_code_pages]", "/dev/hugepages/libhugetlbfs.tmp.dLkB1r (deleted)", "/memfd:text (deleted)",
                 "/anon_hugepage (deleted)", "/mnt/huge/libhugetlbfs.tmp.dLkB1r (deleted)"):
        moved = with_map(text, lambda row, low, high: split(row, low, high, name, 0))
        assert fold(t, t.file("moved.heap", moved)) == whole, name
    lines = []  # makes the mapping around it inconsistent: it ends a page earlier in the file
    other = with_map(text, lambda row, low, high: lines.extend(split(row, low, high, "/srv/other.so", 0)) or [
        *lines[:2], re.sub(r"r-xp (\w+)", lambda m: f"r-xp {int(m[1], 16) - 0x1000:08x}", lines[2])])
    assert "other.so+0x" in "".join(fold(t, t.file("other.heap", other)))


@case
def map_rows_without_permissions_or_offsets_are_used(t):
    path = dump(t, "whole.heap", code())
    whole, text = fold(t, path), (t.folder / "whole.heap").read_text()
    assert fold(t, t.file("qemu.heap", text.replace("r-xp", "r--p"))) == whole
    freebsd = re.sub(r"^(\w+)-(\w+) (...)p \w+ \S+ \d+ +(/\S+)$",
                     r"0x\1 0x\2 192 0 0xfffff80012345678 \3 1 0 0x1000 COW NC vnode \4 NCH -1", text, flags=re.M)
    assert freebsd != text and fold(t, t.file("freebsd.heap", freebsd)) == whole


@case
def a_file_that_fits_shows_the_addresses_of_offsets(t):
    """The map of a 32-bit process does not show the ELF addresses of a file, nor does one without the first row."""
    data, (low, high) = bytearray((REBUILT / "right" / "app").read_bytes()), ROW.groups()
    at = next(at for at in range(64, 64 + 56 * 9, 56) if struct.unpack_from("<II", data, at) == (1, 5))
    offset, address = struct.unpack_from("<QQ", data, at + 8)
    struct.pack_into("<QQ", data, at + 16, address + 0x10000, address + 0x10000)
    (t.folder / "moved").mkdir()
    (t.folder / "moved" / "app").write_bytes(data)
    text = f"{low}-{high} r-xp {offset:08x} fe:00 7 {PATH}\n"
    whole = dump(t, "whole.heap", code()[:9])
    part = t.file("part.heap", re.sub(rf"(^.* {PATH}\n)+", text, pathlib.Path(whole).read_text(), flags=re.M))
    places = [place - int(low, 16) + offset for place in code()[:9]]

    def has(mark, shift, *options):
        out = check(t.run("folded", "-q", *options, part)).out
        return all(f"app{mark}{place + shift:#x}" in out for place in places)
    assert has("@", 0, "--no-symbols") and has("+", address + 0x10000 - offset, f"--symbol-dir={t.folder}/moved")


@case
def B23_a_file_that_cannot_be_compared_is_not_called_another_build(t):
    last = dump(t, "last.heap", code()[:1])  # the last of its stack is not compared
    text = (t.folder / "last.heap").read_text()
    _, symbols, _ = look(t, t.file("qemu.heap", text.replace("r-xp", "r--p")))
    assert "another build" not in symbols and not symbols.startswith("function"), symbols
    longer = re.sub(r"^(\w+)-(\w+) r-xp", lambda m: f"{m[1]}-{int(m[2], 16) - 0x1000:x} r-xp", text, flags=re.M)
    _, symbols, _ = look(t, t.file("longer.heap", longer))
    assert symbols.startswith("another build"), symbols
    assert look(t, last)[1].startswith("function")


def renamed(t, name, path, process):
    file = dump(t, name, code(), process=process)
    (t.folder / name).write_text((t.folder / name).read_text().replace(PATH, path))
    return file


@case
def B24_temporary_copies_of_a_library_are_one_module(t):
    pair = [ADDRESSES / f"jni-j.{pid}.0.heap" for pid in (14297, 14302)]
    table, _ = rows(t, "diff", pair[0], "--to", pair[1])
    assert [row["name"] for row in table if "rocksdb" in row["name"]] == ["librocksdbjni*.so+0x1115"], table
    assert not {row["status"] for row in table} & {"new", "gone"}, table
    for first, second, wanted in (
            ("/tmp/x/libcoder1234567.so", "/tmp/x/libcoder7654321.so", "libcoder*.so"),
            ("/tmp/coder-1.1-0f8fad5b-d9cb-469f-a165-70867728950e-lib.so", "/tmp/coder-1.1-7c9e6679-7425-40de-944b-e07fc1f90ae7-lib.so",
             "coder-1.1-*-lib.so"),
            ("/srv/coder_00ffee (deleted)", "/srv/coder_12beef (deleted)", "coder_*"),
            ("/tmp/libx1234567.so", "/tmp/libx7654321.so", None), ("/srv/coder1234567", "/srv/coder7654321", None)):
        one, two = renamed(t, "one.heap", first, 1), renamed(t, "two.heap", second, 2)
        lines = "\n".join(check(t.run("folded", "-q", "--no-symbols", one, two)).out.splitlines())
        seen = set(re.findall(r"([^;\s]*)\+0x", lines))
        assert seen == {wanted} if wanted else len(seen) == 2, (seen, wanted)


@case
def temporary_copies_are_named_by_the_library_in_a_folder(t):
    program = t.folder / "libs" / "libcoder-linux64.so"
    program.parent.mkdir()
    program.write_bytes((REBUILT / "right" / "app").read_bytes())
    copy = t.folder / "libcoder1234567.so"
    one, two = renamed(t, "one.heap", "/tmp/libcoder1234567.so", 1), renamed(t, "two.heap", "/tmp/libcoder7654321.so", 2)
    names = {line.rpartition(" ")[0] for line in fold(t, dump(t, "right.heap", code()))}
    for inputs in ((one, two), (two, one)):
        out = check(t.run("folded", "-q", f"--symbol-dir={program.parent}", *inputs)).out
        assert {line.rpartition(" ")[0] for line in out.splitlines()} == names, out
    copy.write_bytes(program.read_bytes())  # only the file of one process still exists
    out = check(t.run("folded", "-q", f"--path-map=/tmp={t.folder}", one)).out
    assert {line.rpartition(" ")[0] for line in out.splitlines()} == names, out


@case
def B25_an_unloaded_library_is_found_in_other_dumps(t):
    before, after = ADDRESSES / "s.1.0.i0.heap", ADDRESSES / "s.1.1.i1.heap"
    for extra in ((), (PLUG,)):
        table, _ = rows(t, "diff", *extra, before, "--to", after)
        name = "plugin_alloc" if extra else "plug.so+0x1115"
        row = next(row for row in table if row["name"] == name)
        assert row["base"]["estimate"] > 11e6 and row["delta"]["estimate"] > 2.5e6, row
        assert not any("[unmapped]" in row["name"] or row["status"] == "gone" for row in table), table
    warnings = json.loads(check(t.run("info", "-q", "--format=json", before, after)).out)["warnings"]
    assert sum("unloaded" in one["text"] for one in warnings) == 1, warnings
    both = [rows(t, "top", *inputs)[0] for inputs in ((before, after), (after, before), (after, before, "-j4"))]
    assert both[0] == both[1] == both[2] and "plug.so+0x1115" in {row["name"] for row in both[0]}
    assert "[unmapped]" in {row["name"] for row in rows(t, "top", after)[0]}
    check(t.run("merge", "-q", "-o", "one.hpa", after))
    check(t.run("merge", "-q", "-o", "two.hpa", before, after))
    assert rows(t, "top", "one.hpa")[0] == rows(t, "top", "two.hpa")[0]


@case
def B26_an_address_of_two_libraries_stays_unmapped(t):
    before, after = ADDRESSES / "s.1.0.i0.heap", ADDRESSES / "s.1.1.i1.heap"
    other = t.file("s.1.2.i2.heap", before.read_text().replace("plug.so", "other.so").replace("t*: 669", "t*: 668"))
    table, _ = rows(t, "top", before, after, other, "--by=function", "--dumps=latest")
    assert "other.so" in "".join(row["name"] for row in table)  # i2 counts
    for inputs in ((before, other, "--to", after), (other, before, "--to", after)):
        names = {row["name"] for row in rows(t, "diff", *inputs)[0]}
        assert "[unmapped]" in names, names


# --- files of other names ------------------------------------------------------------------


def strangers(folder, count):
    """Programs with the layout of that which ran, and other code at each of its addresses."""
    data = (REBUILT / "right" / "app").read_bytes()
    low, high = (int(word, 16) for word in ROW.groups())
    start = int(re.search(r"r-xp (\w+)", ROW[0])[1], 16)
    text = data[start:start + high - low]
    folder.mkdir()
    for i in range(count):
        at = 24 + 24 * i % (len(text) - 48)
        file = folder / f"{i:03}"
        file.write_bytes(data[:start] + text[at:] + text[:at] + data[start + len(text):])


@case
def B31_none_of_250_foreign_files_is_used(t):
    strangers(t.folder / "others", 250)
    option = f"--symbol-dir={t.folder}/others"
    for count in (1, 2, 3, 9, 30):
        path = dump(t, "few.heap", code()[:count])
        report = json.loads(check(t.run("info", "-v", "-q", "--format=json", option, path)).out)
        row = next(row for row in report["modules"] if row["path"] == PATH)
        assert row["symbols"] == "file not found", (count, row)
    path = dump(t, "all.heap", code())
    names = fold(t, path)
    for place in ("000", "0", "125-x", "999"):  # before, between and after the others
        file = t.folder / "others" / place
        kept = file.read_bytes() if file.exists() else None
        file.write_bytes((REBUILT / "right" / "app").read_bytes())
        assert sorted(check(t.run("folded", "-q", option, path)).out.splitlines()) == names, place
        file.unlink()
        if kept:
            file.write_bytes(kept)


@case
def few_addresses_find_no_file_of_another_name(t):
    strangers(t.folder / "others", 1)
    (t.folder / "others" / "other-name").write_bytes((REBUILT / "right" / "app").read_bytes())
    for count, wanted in ((2, False), (9, True)):
        path = dump(t, "few.heap", code()[:count])
        report = json.loads(check(t.run("info", "-v", "-q", "--format=json", f"--symbol-dir={t.folder}/others", path)).out)
        row = next(row for row in report["modules"] if row["path"] == PATH)
        assert row["symbols"].startswith("function") == wanted, row


@case
def a_folder_without_the_file_suggests_the_option_for_another_name(t):
    (t.folder / "empty").mkdir()
    path, file = dump(t, "few.heap", code()[:2]), REBUILT / "right" / "app"
    for options, is_shown in ((["--symbol-dir=empty"], True), ([], False), (["--symbol-dir=empty", "--symbol-dir-only"], False),
                              ([f"--symbol-dir={file.parent}"], False), (["--symbol-dir=empty", f"--path-map={PATH}={file}"], False)):
        out = check(t.run("top", *options, path, is_rooted=False)).out
        assert ("--path-map=PATH=FILE" in out) == is_shown, (options, out)


# --- what the allocator's file says of large sizes -------------------------------------------------

LARGE = "100: 63980001"  # objects of 640 KiB, or of 516 KiB, as jemalloc from 5.3.1 on allocates them


VERSIONS = b"\x005.3.0-1-g", b"\x005.3.1-0-g"  # the commit follows


def program(t, folder, has_pages):
    """A copy of the program; where constants end, with the version of a jemalloc, and of 5.3.1 with the name of an option."""
    data = bytearray((REBUILT / "right" / "app").read_bytes())
    start, size, count = (int.from_bytes(data[at:at + n], "little") for at, n in ((32, 8), (54, 2), (56, 2)))
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    end = max(offset + length for kind, flags, offset, _, _, length in headers if (kind, flags) == (1, 4))
    name = VERSIONS[has_pages] + (b"a1" * 20 + b"\0" + b"disable_large_size_classes" * has_pages)
    data[end - len(name):end] = name
    (pathlib.Path(t.folder) / folder).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(t.folder) / folder / "app").write_bytes(data)
    return f"--path-map=/srv/rebuilt={folder}"


def large_dump(t, name, stack, process=0):
    path = dump(t, name, stack, process=process)
    return t.file(name, re.sub(r"t\*: 1: 64 ", f"t*: {LARGE} ", (pathlib.Path(t.folder) / path).read_text()))


def large(t, *arguments):
    """(estimate in use, number of inputs with pages; how `info` says that each was read, its warnings)"""
    top = json.loads(check(t.run("top", "-q", "--format=json", *arguments)).out)
    info = json.loads(check(t.codes("info", "-v", "-q", "--format=json", *arguments)).out)
    return (top["total"]["inuse-space"]["estimate"], top["inputs"].get("large_sizes", {"pages": 0})["pages"],
            [row["large_sizes"] for row in info["inputs"]],
            sum("large-sizes-unknown-jemalloc" in warning for warning in [one["text"] for one in info["warnings"]]))


def jemalloc(t, *arguments):
    """The version that `info` shows of an input."""
    return json.loads(check(t.codes("info", "-q", "--format=json", *arguments)).out)["inputs"][0]["jemalloc_version"]


@case
def V23_the_file_that_ran_shows_whether_large_sizes_are_pages(t):
    good = code()
    ran, odd = large_dump(t, "ran.heap", good[:9]), large_dump(t, "odd.heap", [at + 1 for at in good[:9]])
    pages, classes = (large(t, "--no-symbols", f"--large-sizes={kind}", ran)[0] for kind in ("pages", "classes"))
    assert pages < .98 * classes, (pages, classes)
    new, old = program(t, "new", True), program(t, "old", False)
    assert large(t, new, ran) == (pages, 1, ["pages"], 0)
    assert large(t, old, ran) == (classes, 0, ["classes"], 0)
    assert large(t, new, odd) == (classes, 0, [None], 1)
    assert large(t, new, "--no-symbols", ran) == (classes, 0, [None], 1)
    assert large(t, new, "--large-sizes=classes", ran) == (classes, 0, ["classes"], 0)
    assert large(t, new, old.replace("path-map=/srv/rebuilt", "symbol-dir"), ran) == (classes, 0, [None], 1)
    assert [jemalloc(t, *options, ran) for options in ([new], [old], ["--no-symbols"])] == [
        "5.3.1-0-ga1a1a1a", "5.3.0-1-ga1a1a1a", None]
    both = large(t, new, ran, large_dump(t, "again.heap", good[:9], process=1))
    assert both[1:] == (2, ["pages", "pages"], 0) and abs(both[0] - 2 * pages) < 1, both


@case
def V24_an_aggregate_file_records_how_large_sizes_were_read(t):
    good = code()
    dumps = [large_dump(t, f"{i}.heap", good[i:i + 9], process=i) for i in range(4)]
    new, old = program(t, "new", True), program(t, "old", False)
    parts = [("new.hpa", new, dumps[:2]), ("old.hpa", old, dumps[2:3]), ("open.hpa", "--path-map=/srv/rebuilt=none", dumps[3:])]
    for name, option, which in parts:
        check(t.run("merge", "-q", "--with-builds", "-o", name, option, *which))
    names = [name for name, *_ in parts]
    wanted = [large(t, "--no-symbols", name) for name in names]
    assert [one[1:] for one in wanted] == [(2, ["pages"] * 2, 0), (0, ["classes"], 0), (0, [None], 1)], wanted
    check(t.run("merge", "-q", "-o", "two.hpa", *names[1:]))
    for i, order in enumerate((names, names[::-1], ["two.hpa", "new.hpa"])):
        check(t.run("merge", "-q", "-o", f"all{i}.hpa", *order))
    told = [large(t, "--no-symbols", f"all{i}.hpa") for i in range(3)]
    assert told[0] == told[1] == told[2] and told[0][1] == 2, told
    assert sorted(told[0][2], key=str) == [None, "classes", "pages", "pages"], told
    check(t.run("merge", "-q", "--with-builds", "--no-input-ids", "-o", "group.hpa", new, *dumps))
    assert large(t, "--no-symbols", "group.hpa")[1] == 4
