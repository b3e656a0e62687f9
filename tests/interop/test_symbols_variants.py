#!/usr/bin/env python3
"""Test the symbolizer on variants of debug information: compilers, versions, split, stripped, shared, damaged.

    test_symbols_variants.py SYMBOL_DUMP BUILD_DIR [--without SYMBOL_DUMP_WITHOUT] [--mutants N]
    test_symbols_variants.py SYMBOL_DUMP BUILD_DIR --units N
    test_symbols_variants.py SYMBOL_DUMP BUILD_DIR --files N
    test_symbols_variants.py SYMBOL_DUMP BUILD_DIR --compare FILES... [--count N] [--symbol-dir DIR]

Builds one small C++ program in many ways and asks for all addresses of some functions
whose chains of inlined calls are known, in the sandbox and without it, and with units and line
tables read by libdw alone, which have to say the same.  Variants whose tools are missing are skipped.

--compare: instead, N addresses of the text of any files, by our readers of units and of line programs and by libdw's;
the number of those that only libdw could read is printed, and has to be less than 1 %.  --units, --files: instead,
that many damaged units by both, that many damaged files by the child.
"""
import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import zlib

SOURCE = r"""
#include <cstdlib>
#include <cstring>
#include <vector>
namespace outer {
namespace {
struct Hidden {
    static inline __attribute__((always_inline)) void *deep(unsigned n) {
        void *p = malloc(n);
        memset(p, 1, n);
        return p;
    }
};
}
inline __attribute__((always_inline)) void *middle(unsigned n) { return Hidden::deep(n + 1); }
__attribute__((noinline)) void *make(unsigned n) { return middle(n); }
template <typename T> struct Box {
    std::vector<T> held;
    __attribute__((noinline)) void add(T value) { held.push_back(value); }
};
}
static __attribute__((noinline)) int apply(void *p, int n) {
    auto twice = [n](void *q) __attribute__((noinline)) { return q ? 2 * n : n; };
    return twice(p) + twice(&n);
}
int main(int argc, char **) {
    outer::Box<int> box;
    void *p = outer::make((unsigned)argc);
    box.add(apply(p, argc));
    free(p);
    return box.held.size() == 1 ? 0 : 1;
}
"""

COROUTINES = r"""
#include <coroutine>
#include <cstdlib>
namespace {
struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int) { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
Task count(int n) { for (int i = 0; i < n; i++) { free(malloc(n)); co_yield i; } }
}
Task outer(int n) { for (int i = 0; i < n; i++) { free(malloc(3)); co_yield i; } }
struct Early { Early() : x(rand()) {} int x; };
static Early early;
int main(int argc, char **) {
    Task a = count(argc), b = outer(early.x);
    a.handle.resume(), b.handle.resume();
    return 0;
}
"""

ASSEMBLER = """
    .globl main
    .type main, @function
    .text
main: xorl %eax, %eax
    ret
.Lend:
    .size main, . - main
    .section .note.GNU-stack, "", @progbits
    .section .debug_abbrev, "", @progbits
    .uleb128 1, 0x11            # a unit with children, low_pc, high_pc
    .byte 1
    .uleb128 0x11, 1, 0x12, 1, 0, 0
    .uleb128 2, 0x39            # a namespace with children, sibling
    .byte 1
    .uleb128 1, 0x13, 0, 0, 0
    .section .debug_info, "", @progbits
.Lunit: .long .Llast - .Lfirst
.Lfirst: .value 4
    .long 0
    .byte 8
    .uleb128 1
    .quad main, .Lend
"""

FOLDED = """
int first(int n) { return n * n + 7; }
int second(int n) { return n * n + 7; }
int main(int argc, char **argv) { return first(argc) - second(argc + !argv); }
"""

# A unit of either tag with a line table, but without a record of its addresses.
ONLY_LINES = """
    .globl main
    .type main, @function
    .file 1 "lines.s"
    .text
main: .loc 1 7
    xorl %eax, %eax
    ret
    .size main, . - main
    .section .note.GNU-stack, "", @progbits
    .section .debug_line, "", @progbits
.Llines:
    .section .debug_abbrev, "", @progbits
    .uleb128 1, TAG
    .byte 0
    .uleb128 0x10, 0x17, 0, 0, 0    # stmt_list
    .section .debug_info, "", @progbits
    .long .Llast - .Lfirst
.Lfirst: .value 4
    .long 0
    .byte 8
    .uleb128 1
    .long .Llines
.Llast:
"""

# Without a header, so that clang records the MD5 of every file.
PLAIN = """
void *malloc(unsigned long);
static inline __attribute__((always_inline)) void *deep(unsigned n) { return malloc(n); }
__attribute__((noinline)) void *make(unsigned n) { return deep(n + 1); }
int main(int argc, char **argv) { return make((unsigned)argc) == argv; }
"""

# The chain of calls at one of the addresses of `make`, the innermost first: function and line.
CHAIN = [("outer::(anonymous namespace)::Hidden::deep", 9), ("outer::middle", 15),
         ("outer::make", 16)]


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True,
                          errors="surrogateescape", **options)


def addresses(binary, name):
    for line in run("nm", "-SC", binary).stdout.splitlines():
        fields = line.split(" ", 3)
        if len(fields) == 4 and fields[3].startswith(name):
            start, size = int(fields[0], 16), int(fields[1], 16)
            return range(start, start + size)
    raise SystemExit(f"{binary}: no symbol {name}")


def section(binary, name):
    """Address, offset and size."""
    for line in run("readelf", "-SW", binary).stdout.splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1] == name:
            return tuple(int(field, 16) for field in fields[3:6])
    raise SystemExit(f"{binary}: no {name}")


def whole_text(binary):
    """All addresses of .text."""
    address, _, size = section(binary, ".text")
    return range(address, address + size)


def raw(dump, binary, wanted, folders=(), **environment):
    done = run(dump, binary, *folders, timeout=120, env={**os.environ, **environment},
               input="".join(f"{a:#x}\n" for a in wanted))
    return done.stdout, done.stderr


def ask(dump, binary, wanted, folders=()):
    told = [raw(dump, binary, wanted, folders, SANDBOX=mode) for mode in ("require", "off")]
    if told[0] != told[1]:
        raise SystemExit(f"{binary}: the sandbox costs names: {told[0][1]} | {told[1][1]}")
    for part in ("LINES", "UNITS"):
        by_libdw = raw(dump, binary, wanted, folders, **{f"{part}_BY_LIBDW": "1"})
        if told[0] != by_libdw:
            raise SystemExit(f"{binary}: libdw has other {part.lower()}: {told[0]} | {by_libdw}")
    done = subprocess.CompletedProcess([], 0, *told[0])
    chains = []
    for block in done.stdout.rstrip("\n").split("\n\n"):
        frames = [line.split("\t") for line in block.split("\n")[1:]]
        chains.append([(f, p.rsplit(":", 1)[0], int(p.rsplit(":", 1)[1]))
                       for f, _, p in frames])
    return chains, done.stderr.strip()


def without_arguments(name):
    return name.split("(unsigned")[0].replace("{anonymous}", "(anonymous namespace)")


def check_chain(chains):
    for chain in chains:
        if [(without_arguments(f), line) for f, _, line in chain] == CHAIN:
            return all(os.path.basename(file) == "variant.cc" for _, file, _ in chain)
    return False


# The system calls that the sandbox permits; `hprof-agg --selftest-sandbox` knows no others.
CALLS = """pread64 mmap mprotect munmap mremap brk madvise futex fcntl close exit rt_sigaction rt_sigprocmask
sendmsg recvmsg sendto recvfrom clone set_robust_list rseq""".split()
# One of them implements fstat() in the C library; clock_gettime is used if the vDSO has none; exit_group is for the
# unit tests of the child, which examine its exit status.  rt_sigreturn ends the handler of refused calls.
EITHER = ("fstat", "newfstatat")


def compare(dump, path, count, folders):
    """Line tables, those of libdw, the same of units, and how many of some addresses have other names or
    lines."""
    text = whole_text(path)
    wanted = sorted(random.Random(3).sample(text, min(count, len(text))))
    ours, note = raw(dump, path, wanted, folders, READERS="1")
    theirs, _ = raw(dump, path, wanted, folders, LINES_BY_LIBDW="1", UNITS_BY_LIBDW="1")
    tables = [int(word) for word in note.replace(",", "").split("\n")[0].split() if word.isdigit()]
    differ = sum(a != b for a, b in zip(ours.split("\n\n"), theirs.split("\n\n")))
    return (*tables, differ + (len(ours.split("\n\n")) != len(theirs.split("\n\n"))))


def told_of(found):
    return (f"{found[0]} line tables, {found[1]} by libdw, {found[2]} units, {found[3]} by libdw, "
            f"{found[4]} addresses differ")


def compare_all(options):
    sums, compared, debugged = [0] * 5, 0, 0
    for path in map(os.path.abspath, options.compare):
        try:
            found = compare(options.dump, path, options.count, options.symbol_dir)
        except (subprocess.CalledProcessError, SystemExit):
            print(f"skip {path}: no ELF file with a .text")
            continue
        compared += 1
        debugged += found[2] > 0
        sums = [a + b for a, b in zip(sums, found)]
        if found[1] or found[3] or found[4]:
            print(f"{'FAIL' if found[4] else 'ok  '} {path}: {told_of(found)}")
    parts = sums[0] + sums[2]
    by_libdw = (sums[1] + sums[3]) / parts if parts else 0
    print(f"{compared} files, {debugged} with debug information: {told_of(sums)}; {by_libdw:.2%} of all that was read by libdw")
    sys.exit(1 if sums[4] or by_libdw >= 0.01 else 0)


class Variants:
    def __init__(self, dump, folder):
        self.dump, self.folder = os.path.abspath(dump), os.path.realpath(folder)
        self.bad = 0
        os.makedirs(self.folder, exist_ok=True)
        with open(self.path("variant.cc"), "w") as file:
            file.write(SOURCE)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def report(self, name, good, detail=""):
        self.bad += not good
        print(f"{'ok  ' if good else 'FAIL'} {name}{'' if good else ': ' + str(detail)[:2000]}")

    def build(self, name, compiler, *flags):
        binary = self.path(name)
        run(compiler, "-O2", "-fno-semantic-interposition", *flags, "-o", binary, "variant.cc",
            cwd=self.folder)
        return binary

    def dwarf(self, name, binary, where=None, folders=()):
        """`where` is the copy with symbols, to know the addresses from."""
        where = where or binary
        make, note = ask(self.dump, binary, addresses(where, "outer::make("), folders)
        add, _ = ask(self.dump, binary, addresses(where, "outer::Box<int>::add("), folders)
        lamb, _ = ask(self.dump, binary, addresses(where, "apply(void*, int)::"), folders)
        outer = {chain[-1][0] for chain in add if chain}
        closures = {chain[-1][0] for chain in lamb if chain}
        good = (check_chain(make) and outer == {"outer::Box<int>::add(int)"} and
                closures and all(c.startswith("apply(void*, int)::") and
                                 ("lambda" in c or "$_0" in c) for c in closures))
        self.report(name, good, (make[len(make) // 2], outer, closures, note))

    def compilers(self):
        for compiler in ("g++", "clang++"):
            if not shutil.which(compiler):
                continue
            for version in ("4", "5"):
                flags = ["-gdwarf-" + version]
                name = f"{compiler}-{version}"
                self.dwarf(name, self.build(name, compiler, *flags))
                self.dwarf(name + "-split",
                           self.build(name + "-split", compiler, *flags, "-gsplit-dwarf"))
                for packed in ((), ("-gz",)):
                    types = f"{name}-split-types{''.join(packed)}"
                    self.dwarf(types, self.build(types, compiler, *flags, *packed, "-gsplit-dwarf",
                                                 "-fdebug-types-section"))
                for way in ("zlib", "zstd"):
                    packed = self.build(f"{name}-{way}", compiler, *flags)
                    run("objcopy", f"--compress-debug-sections={way}", packed)
                    self.dwarf(f"{name}-{way}", packed)
            self.dwarf(compiler + "-static-pie",
                       self.build(compiler + "-sp", compiler, "-g", "-static-pie", "-fPIE"))
            self.dwarf(compiler + "-no-pie",
                       self.build(compiler + "-np", compiler, "-g", "-no-pie"))
            self.dwarf(compiler + "-lto",
                       self.build(compiler + "-lto", compiler, "-g", "-flto"))
            if shutil.which("ld.lld"):
                self.dwarf(compiler + "-lld", self.build(compiler + "-lld", compiler, "-g",
                                                         "-fuse-ld=lld"))

    def dots(self):
        """Names that contain dots themselves: gcc's coroutines, and functions that run before main()."""
        with open(self.path("dots.file.cc"), "w") as file:
            file.write(COROUTINES)
        done = subprocess.run(["g++", "-std=c++20", "-O2", "-g", "-o", "dots", "dots.file.cc"], cwd=self.folder,
                              capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            print("skip coroutines")
            return
        symbols = [line.split(" ", 3) for line in run("nm", "-S", self.path("dots")).stdout.splitlines()]
        found = {}
        for name in [symbol[3] for symbol in symbols if len(symbol) == 4]:
            if name.endswith((".actor", ".destroy")) or name.startswith("_GLOBAL__sub_I"):
                start = next(int(symbol[0], 16) for symbol in symbols if symbol[-1] == name)
                chains, _ = ask(self.dump, self.path("dots"), range(start, start + 1))
                bare = name[:name.rindex(".")] if name.startswith("_Z") else name
                found[name] = (chains[0][-1][0], run("c++filt", bare).stdout.strip())
        self.report("names with dots of their own", len(found) >= 5 and all(
            ours == theirs and ("Frame*)" in ours or ours.startswith("_GLOBAL__")) for ours, theirs in found.values()),
            found)

    def text(self, binary, wanted, folders=()):
        """The answers for addresses, and the note."""
        told = raw(self.dump, binary, wanted, folders, SANDBOX="require")
        other = raw(self.dump, binary, wanted, folders, SANDBOX="off")
        if told != other:
            raise SystemExit(f"{binary}: the sandbox costs names: {told[1]} | {other[1]}")
        return told[0], told[1].strip()

    def packed(self):
        """Compressed sections: the same names, of machines of another size and order of bytes as well."""
        builds = {}
        if shutil.which("clang") and shutil.which("ld.lld"):
            for target in ("i386", "mips64", "aarch64", "x86_64"):
                builds[target] = self.path("packed-" + target)
                run("clang", f"--target={target}-linux-gnu", "-O2", "-gdwarf-5", "-fuse-ld=lld", "-nostdlib", "-shared",
                    "-fPIC", "-x", "c", "-", "-o", builds[target], input=PLAIN)
        builds["g++"] = self.build("packed-g++", "g++", "-gdwarf-5")
        for name, binary in builds.items():
            wanted = list(addresses(binary, "outer::make(" if name == "g++" else "make"))
            want = self.text(binary, wanted)[0]
            is_foreign = name in ("mips64", "aarch64")
            for way in ("zlib", "zlib-gnu") if is_foreign else ("zlib", "zstd", "zlib-gnu"):
                run("llvm-objcopy" if is_foreign else "objcopy", f"--compress-debug-sections={way}", binary,
                    binary + ".packed")
                got = self.text(binary + ".packed", wanted)
                self.report(f"{name} packed by {way}", got[0] == want and "deep" in want, (got, want[:300]))

    def packed_split(self):
        """Split units, with either or both files compressed, compiled in any folder."""
        binary = self.build("packed-split", "g++", "-g", "-gsplit-dwarf")
        units = self.path("packed-split-variant.dwo")
        wanted = addresses(binary, "outer::make(")
        want = self.text(binary, wanted)[0]
        for packed in ([binary], [units], [binary, units]):
            for each in packed:
                run("objcopy", "--compress-debug-sections=zstd", each)
            got = self.text(binary, wanted)
            self.report(f"split, {len(packed)} packed", got[0] == want and "deep" in want, (got, want[:300]))
            for each in packed:
                run("objcopy", "--decompress-debug-sections", each)

    def split_of(self, name, compiler, version, packer):
        """(a split program, the answers for all its text, its package)"""
        folder = self.path(name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for source, text in (("variant.cc", SOURCE), ("other.cc", SOURCE.replace("main(", "other(").replace("outer", "second"))):
            with open(os.path.join(folder, source), "w") as file:
                file.write(text)
            run(compiler, "-O2", f"-gdwarf-{version}", "-gsplit-dwarf", "-ffunction-sections", "-c", source, cwd=folder)
        run(compiler, "-o", "app", "variant.o", "other.o", cwd=folder)
        units = [os.path.join(folder, file) for file in ("variant.dwo", "other.dwo")]
        subprocess.run([packer, *units, "-o", "package"], cwd=folder, check=True, timeout=60, capture_output=True)
        binary = os.path.join(folder, "app")
        wanted = list(whole_text(binary))
        return binary, units, os.path.join(folder, "package"), wanted, self.text(binary, wanted)

    def packages(self):
        """The units of a program in one file, as llvm-dwp and binutils make it, in both versions of its index, with
        and without their own files, compressed, and without one of them."""
        for name, compiler, version, packer in (
                ("dwp-clang-4", "clang++", 4, "llvm-dwp"), ("dwp-clang-5", "clang++", 5, "llvm-dwp"),
                ("dwp-gcc-4", "g++", 4, "dwp"), ("dwp-gcc-4-llvm", "g++", 4, "llvm-dwp")):
            if not shutil.which(compiler) or not shutil.which(packer):
                print(f"skip {name}")
                continue
            binary, units, package, wanted, want = self.split_of(name, compiler, version, packer)
            self.report(f"{name}: units in files", all(f"{word}::(anonymous namespace)::Hidden::deep" in
                        want[0].replace("{anonymous}", "(anonymous namespace)") for word in ("outer", "second")), want[1])
            os.rename(package, binary + ".dwp")
            self.report(f"{name}: both", self.text(binary, wanted) == want)
            for unit in units:
                os.rename(unit, unit + ".away")
            self.report(f"{name}: in a package", self.text(binary, wanted) == want, self.text(binary, wanted)[1])
            by_libdw = raw(self.dump, binary, wanted, UNITS_BY_LIBDW="1")
            self.report(f"{name}: by libdw's units", by_libdw[0] == want[0])
            for way in ("zlib", "zstd"):
                run("objcopy", f"--compress-debug-sections={way}", binary + ".dwp")
                self.report(f"{name}: packed by {way}", self.text(binary, wanted) == want, self.text(binary, wanted)[1])
            subprocess.run([packer, units[1] + ".away", "-o", binary + ".dwp"], check=True, timeout=60, capture_output=True)
            got = self.text(binary, wanted)
            self.report(f"{name}: one unit is missing", "(.dwp) lacks a unit" in got[1] and "second::" in got[0] and
                        got[0] != want[0], got[1])
            with open(binary + ".dwp", "r+b") as file:
                file.truncate(200)
            got = self.text(binary, wanted)
            self.report(f"{name}: truncated", "app.dwp: truncated" in got[1], got[1])

    def damaged_packages(self, count):
        """With any damage to the index of a package, each address has an answer, and no other unit adds inlined calls
        to it."""
        binary, units, package, wanted, _ = self.split_of("dwp-damaged", "clang++", 5, "llvm-dwp")
        wanted = wanted[:len(wanted) // 2:5]
        want = raw(self.dump, binary, wanted)[0].split("\n\n")
        for unit in units:
            os.remove(unit)
        with open(package, "rb") as file:
            content = file.read()
        _, start, size = section(package, ".debug_cu_index")
        chosen, wrong, kept = random.Random(5), [], 0
        for i in range(count):
            mutant = bytearray(content)
            for _ in range(chosen.choice((1, 2, 8))):
                mutant[start + chosen.randrange(size)] = chosen.choice((0, 1, 2, 0x7f, 0xff, chosen.randrange(256)))
            with open(binary + ".dwp", "wb") as file:
                file.write(mutant)
            text, told = raw(self.dump, binary, wanted)
            got = text.split("\n\n")
            kept += got == want
            if len(got) != len(want) or "reading it" in told or any(
                    g.count("\n") > w.count("\n") for g, w in zip(got, want)):
                wrong.append((i, told))
        self.report(f"{count} damaged indices of packages, {kept} with all names", not wrong and 0 < kept < count, wrong)

    def relative_folder(self):
        """A compressed program whose compilation folder is recorded only in its units, as a path relative to the
        program."""
        folder = self.path("relative")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "units"))
        shutil.copy(self.path("variant.cc"), os.path.join(folder, "units"))
        run("g++", "-O2", "-g", "-gsplit-dwarf", f"-fdebug-prefix-map={folder}/units=units", "-c", "variant.cc",
            cwd=os.path.join(folder, "units"))
        binary, unit = os.path.join(folder, "app"), os.path.join(folder, "units", "variant.dwo")
        run("g++", "-o", binary, os.path.join(folder, "units", "variant.o"))
        wanted = addresses(binary, "outer::make(")
        want = self.text(binary, wanted)
        self.report("units below a folder as seen from the program", "deep" in want[0], want)
        for way in ("zlib", "zstd"):
            for each in (binary, unit):
                run("objcopy", f"--compress-debug-sections={way}", each)
                got = self.text(binary, wanted)
                self.report(f"the same, {os.path.basename(each)} packed by {way}", got == want, got)
                run("objcopy", "--decompress-debug-sections", each)

    def packed_badly(self):
        """Compressed sections with claims, methods and contents that no compressor makes."""
        source = self.build("badly", "g++", "-gdwarf-5")
        wanted = addresses(source, "outer::make(")
        run("objcopy", "--compress-debug-sections=zlib", source)
        with open(source, "rb") as file:
            content = file.read()
        _, start, size = section(source, ".debug_info")
        for what, at, bytes_, note in (
                ("a claim of 64 PiB", 8, (1 << 56).to_bytes(8, "little"), "its .debug_info claims more than it can hold"),
                ("a claim of 1032 times", 8, (1032 * (size - 24)).to_bytes(8, "little"), "is not what it was compressed from"),
                ("a claim of half", 8, (size // 2).to_bytes(8, "little"), "is not what it was compressed from"),
                ("an unknown way", 0, b"\x4d", "its .debug_info is compressed in an unknown way"),
                ("zstd that is zlib", 0, b"\x02", "is not what it was compressed from"),
                ("other bytes", 24 + (size - 24) // 2, bytes(8), "is not what it was compressed from"),
                ("nothing", 24, bytes(size - 24), "is not what it was compressed from")):
            mutant = self.path("mutant")
            with open(mutant, "wb") as file:
                file.write(content[:start + at] + bytes_ + content[start + at + len(bytes_):])
            got, told = self.text(mutant, wanted)
            self.report(f"{what}: symbols, and told", note in told and "outer::make" in got and "function names only" in told,
                        (got, told))

    def packed_unread(self):
        """Unused sections are not unpacked, although libdw would: half a GiB in a section of half a MiB."""
        binary, bomb, mutant = self.build("unread", "g++", "-gdwarf-5"), self.path("bomb"), self.path("mutant")
        wanted = addresses(binary, "outer::make(")
        with open(bomb, "wb") as file:
            file.write(struct.pack("<IIQQ", 1, 0, 1 << 29, 1) + zlib.compress(bytes(1 << 29), 9))
        run("objcopy", f"--add-section=.debug_loc={bomb}", binary, mutant)
        _, start, _ = section(mutant, ".debug_loc")
        with open(mutant, "rb") as file:
            content = bytearray(file.read())
        table, = struct.unpack_from("<Q", content, 0x28)
        entry = next(at for at in range(table, len(content), 64) if struct.unpack_from("<Q", content, at + 24) == (start,))
        struct.pack_into("<Q", content, entry + 8, 0x800)  # SHF_COMPRESSED
        with open(mutant, "wb") as file:
            file.write(content)
        whole = raw(self.dump, binary, wanted)[0]
        got = run("prlimit", "--data=268435456", self.dump, mutant, timeout=120, input="".join(f"{a:#x}\n" for a in wanted))
        self.report("half a GiB that nobody reads", got.stdout == whole and "outer::make" in whole, (got.stdout, got.stderr))

    def shared(self):
        if not shutil.which("dwz"):
            print("skip dwz")
            return
        for version in ("4", "5"):
            one = self.build("dwz-one-" + version, "g++", "-gdwarf-" + version)
            run("dwz", one)
            self.dwarf("dwz DWARF " + version, one)
        pair = [self.build(f"dwz-{i}", "g++", "-gdwarf-4", f"-DN{i}") for i in (1, 2)]
        alt = self.path("dwz.alt")
        if os.path.exists(alt):
            os.remove(alt)
        run("dwz", "-m", alt, *pair)
        self.dwarf("dwz with a shared file", pair[0])
        for packed in ([alt], [alt, pair[0]]):
            for each in packed:
                run("objcopy", "--compress-debug-sections=zstd", each)
            self.dwarf(f"dwz with a shared file, {len(packed)} packed", pair[0])
        os.rename(alt, alt + ".away")
        chains, note = ask(self.dump, pair[0], addresses(pair[0], "outer::make("))
        self.report("dwz without its shared file",
                    "function names only" in note and "shared debug file" in note and
                    all("outer::make" in c[-1][0] for c in chains), (chains, note))

    def separate(self):
        whole = self.build("whole", "g++", "-g", "-Wl,--build-id=sha1")
        stripped, debug = self.path("stripped"), self.path("stripped.debug")
        run("objcopy", "--only-keep-debug", whole, debug)
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", whole, stripped)
        self.dwarf("debug link beside", stripped, whole)
        os.makedirs(self.path(".debug"), exist_ok=True)
        shutil.move(debug, self.path(".debug", "stripped.debug"))
        self.dwarf("debug link in .debug", stripped, whole)
        root = self.path("root")
        build_id = run("readelf", "-n", whole).stdout.split("Build ID: ")[1].split()[0]
        for place in (".build-id", "usr/lib/debug/.build-id"):
            shutil.rmtree(root, ignore_errors=True)
            folder = os.path.join(root, place, build_id[:2])
            os.makedirs(folder)
            shutil.copy(self.path(".debug", "stripped.debug"),
                        os.path.join(folder, build_id[2:] + ".debug"))
            os.rename(self.path(".debug"), self.path("away"))
            self.dwarf("build id in " + place, stripped, whole, [root])
            os.rename(self.path("away"), self.path(".debug"))
        self.wrong_debug_file(stripped, whole)

    def wrong_debug_file(self, stripped, whole):
        other = self.build("other", "clang++", "-g", "-Wl,--build-id=sha1")
        run("objcopy", "--only-keep-debug", other, self.path(".debug", "stripped.debug"))
        chains, note = ask(self.dump, stripped, addresses(whole, "outer::make("))
        self.report("debug file of another build is refused",
                    not any(chains) and "no debug file stripped.debug that fits" in note,
                    (chains, note))
        plain = self.build("no-id", "g++", "-g", "-Wl,--build-id=none")
        bare, debug = self.path("no-id-bare"), self.path("no-id.debug")
        run("objcopy", "--only-keep-debug", plain, debug)
        run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", plain, bare)
        self.dwarf("debug link proved by its CRC", bare, plain)
        with open(debug, "ab") as file:
            file.write(b"x")
        chains, note = ask(self.dump, bare, addresses(plain, "outer::make("))
        self.report("debug link with another CRC is refused", not any(chains), note)

    def missing_split(self):
        binary = self.build("lone-split", "g++", "-g", "-gsplit-dwarf")
        for name in os.listdir(self.folder):
            if name.startswith("lone-split") and name.endswith(".dwo"):
                os.remove(self.path(name))
        chains, note = ask(self.dump, binary, addresses(binary, "outer::make("))
        self.report("split DWARF without its .dwo", "(.dwo) is missing" in note and
                    all("outer::make" in c[-1][0] and c[-1][2] for c in chains),
                    (chains, note))

    def calls(self, without):
        """Each call that the sandbox permits is necessary: without it, an answer is missing or an error is reported."""
        asked = [(self.path(binary), list(addresses(self.path(where), "outer::"))) for binary, where in
                 (("g++-5", "g++-5"), ("g++-5-split", "g++-5-split"), ("dwz-1", "dwz-1"), ("no-id-bare", "no-id"))]
        asked.append((self.path("g++-sp"), whole_text(self.path("g++-sp"))[:80000]))
        want = [raw(without, *each, SANDBOX="require") for each in asked]
        self.report("the program that leaves calls out names as the other does",
                    want == [raw(self.dump, *each, SANDBOX="off") for each in asked], want)
        breaks = {name: [raw(without, *each, LEAVE_OUT=name) for each in asked] != want
                  for name in (*CALLS, *EITHER)}
        for name in CALLS:
            self.report(f"the sandbox has to let {name} by", breaks[name])
        self.report(f"the sandbox has to let one of {EITHER} by", any(breaks[name] for name in EITHER))

    def circular(self):
        """Siblings that are children: there are 2^60 paths through 60 DIEs."""
        names = [f".Ldie{i}" for i in range(60)] + [".Lends"]
        text = ASSEMBLER
        for here, there in zip(names, names[1:]):
            text += f"{here}: .uleb128 2\n    .long {there} - .Lunit\n"
        text += ".Lends: .zero 61\n.Llast:\n"
        run("gcc", "-x", "assembler", "-", "-o", self.path("circular"), input=text)
        binary = self.path("circular")
        chains, note = ask(self.dump, binary, addresses(binary, "main"))
        self.report("siblings in a circle", "is circular" in note and
                    all(c and c[0][0] == "main" for c in chains), (chains, note))

    def only_lines(self):
        """Line tables are used for units of an assembler, which have no functions.  dwz's partial units share the
        line table of the units that import them; only these say which addresses they have."""
        found = {}
        for name, tag in (("assembler", 0x11), ("partial", 0x3c)):
            binary = self.path("only-lines-" + name)
            run("gcc", "-x", "assembler", "-", "-o", binary, input=ONLY_LINES.replace("TAG", str(tag)))
            found[name] = [(os.path.basename(file), line) for chain in ask(self.dump, binary, addresses(binary, "main"))[0]
                           for _, file, line in chain]
        self.report("lines of units that tell no addresses", found == {"assembler": [("lines.s", 7)] * 3,
                                                                       "partial": [("", 0)] * 3}, found)

    def folded(self):
        """gold folds several functions into one; the last of them is used, as in llvm-symbolizer: gcc writes the
        first one last."""
        if not shutil.which("ld.gold"):
            print("skip folded functions")
            return
        binary = self.path("folded")
        run("gcc", "-g", "-ffunction-sections", "-fuse-ld=gold", "-Wl,--icf=all", "-x", "c", "-", "-o", binary, input=FOLDED)
        wanted = addresses(binary, "first")
        names = {frame[0] for chain in ask(self.dump, binary, wanted)[0] for frame in chain}
        self.report("folded functions", wanted == addresses(binary, "second") and names == {"first"}, names)

    def line_headers(self, count):
        """Damaged headers of line programs: files and lines may be lost, and no name."""
        if not shutil.which("clang"):
            return
        source = self.path("digests")
        run("clang", "-O2", "-gdwarf-5", "-x", "c", "-", "-o", source, input=PLAIN)
        wanted = addresses(source, "make")
        with open(source, "rb") as file:
            content = file.read()
        _, start, size = section(source, ".debug_line")
        names = [[f for f, _, _ in chain] for chain in ask(self.dump, source, wanted)[0]]
        self.report("the header is one with MD5, and names are there",
                    "MD5" in run("readelf", "--debug-dump=rawline", source).stdout and
                    ["deep", "make"] in names, names)
        chosen, lost = random.Random(11), []
        for i in range(4 * count):
            mutant = bytearray(content)
            for _ in range(2 ** chosen.randrange(6)):
                mutant[start + chosen.randrange(size)] = chosen.choice((0, 1, 5, 0x1e, 0x7f, 0x80, 0xff))
            with open(self.path("mutant"), "wb") as file:
                file.write(mutant)
            chains, note = ask(self.dump, self.path("mutant"), wanted)
            if [[f for f, _, _ in chain] for chain in chains] != names:
                lost.append((i, note))
        self.report(f"{4 * count} damaged headers of line programs lose no name", not lost, lost)

    def units(self, count):
        """For damaged units, our cursor gives the same as libdw."""
        chosen = random.Random(11)
        sources = [self.path(n) for n in ("g++-4", "g++-5", "clang++-4", "clang++-5", "dwz-one-4")
                   if os.path.exists(self.path(n))]
        differ = []
        for i in range(count):
            source = sources[i % len(sources)]
            wanted = addresses(source, "outer::make(")
            with open(source, "rb") as file:
                content = bytearray(file.read())
            _, start, size = section(source, (".debug_info", ".debug_abbrev")[i // len(sources) % 2])
            for _ in range(chosen.choice((1, 1, 2, 8))):
                content[start + chosen.randrange(size)] = chosen.choice((0, 1, 5, 0x7f, 0x80, chosen.randrange(256)))
            with open(self.path("mutant"), "wb") as file:
                file.write(content)
            ours, theirs = (raw(self.dump, self.path("mutant"), wanted, **how)
                            for how in ({}, {"UNITS_BY_LIBDW": "1"}))
            if ours != theirs:
                differ.append(i)
        self.report(f"{count} damaged units have the names that libdw finds", not differ, differ)

    def damageable(self, name):
        """A file, the ranges of it that are read, and some addresses."""
        path = self.path(name)
        found = [line.replace("[ ", "[").split() for line in run("readelf", "-SW", path).stdout.splitlines()]
        debug = [(int(s[4], 16), int(s[5], 16)) for s in found
                 if len(s) > 5 and s[1].startswith((".debug", ".symtab", ".note", ".eh_frame")) and int(s[5], 16)]
        with open(path, "rb") as file:
            return file.read(), debug, "".join(f"{a:#x}\n" for a in addresses(path, "outer::make(")).encode()

    def mutants(self, count):
        """Damaged files: the parent crashes never, the child ends when its time is up, and mostly has an answer."""
        chosen, mutant = random.Random(7), self.path("mutant")
        sources = [self.damageable(n) for n in ("g++-5", "clang++-4", "clang++-5", "dwz-one-4", "g++-5-zlib", "clang++-5-zstd")
                   if os.path.exists(self.path(n))]
        ends = dict.fromkeys(("crashed", "too long", "signal", "reading it failed", "circular"), 0)
        for i in range(count):
            content, debug, wanted = sources[i % len(sources)]
            content = bytearray(content)
            headers = [(0, 64), (64, 900)] if i % 10 == 0 else []
            for _ in range(2 ** chosen.randrange(10)):
                start, size = chosen.choice(debug + headers)
                content[start + chosen.randrange(size)] = chosen.randrange(256)
            if i % 25 == 0:
                del content[chosen.randrange(len(content)):]
            with open(mutant, "wb") as file:
                file.write(content)
            done = subprocess.run([self.dump, mutant], capture_output=True, timeout=200, input=wanted)
            ends["crashed"] += done.returncode not in (0, 2) or b"Sanitizer" in done.stderr or b"runtime error" in done.stderr
            for end in list(ends)[1:]:
                ends[end] += end.encode() in done.stderr
        told = ", ".join(f"{what}: {times}" for what, times in ends.items())
        self.report(f"{count} damaged files ({told})", ends["crashed"] == ends["too long"] == 0, ends)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump")
    parser.add_argument("folder")
    parser.add_argument("--mutants", type=int, default=40)
    parser.add_argument("--without", help="symbol-dump-without, where there is a sandbox")
    parser.add_argument("--compare", nargs="+", metavar="FILE")
    parser.add_argument("--units", type=int, default=0)
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--symbol-dir", action="append", default=[])
    options = parser.parse_args()
    if options.compare:
        compare_all(options)
    variants = Variants(options.dump, options.folder)
    if options.units or options.files:
        for what, count in ((variants.units, options.units), (variants.mutants, options.files)):
            what(count) if count else None
        sys.exit(1 if variants.bad else 0)
    variants.compilers()
    variants.dots()
    variants.packed()
    variants.packed_split()
    variants.relative_folder()
    variants.packages()
    variants.damaged_packages(options.mutants)
    variants.packed_badly()
    variants.shared()
    variants.separate()
    variants.missing_split()
    if options.without:  # sanitizers need more memory than they use
        variants.packed_unread()
        variants.calls(options.without)
    variants.circular()
    variants.only_lines()
    variants.folded()
    variants.line_headers(options.mutants)
    variants.units(2 * options.mutants)
    variants.mutants(options.mutants)
    sys.exit(1 if variants.bad else 0)


main()
