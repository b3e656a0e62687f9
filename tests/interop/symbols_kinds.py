#!/usr/bin/env python3
"""Compare the symbolizer with llvm-symbolizer on every available kind of binary and debug information; run by hand.

    symbols_kinds.py SYMBOL_DUMP FOLDER [--count N] [KIND...]

Builds one C++ program in FOLDER, which keeps it, in each way for which there are tools, programs of Go and Rust, and
small libraries of other machines.  It asks for N addresses of each, half of them after calls.  Chains of inlined
calls, lines and files have to equal those of llvm-symbolizer, for the kind itself, or, if the installed version
cannot read it, for the same program in a form that it reads.  Our readers of units and of line programs have to give
the same as libdw.  There may be no more differences than `MOST` allows, with llvm-symbolizer 19.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import test_symbols_llvm as llvm  # noqa: E402

SOURCES = {"app.cc": r"""
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
int other(const std::string &text);
namespace shop {
struct Item { virtual ~Item() = default; virtual int price() const { return 1; } std::string name; };
template <int N> struct Priced : Item { int price() const override { return N * (int)name.size(); } };
namespace {
struct Basket {
    std::vector<std::unique_ptr<Item>> items;
    std::map<std::string, int> sums;
    __attribute__((cold)) void fail(const std::string &why) { throw std::runtime_error(why); }
    void add(std::unique_ptr<Item> item) {
        if (item->name.empty()) fail("no name");
        sums[item->name] += item->price();
        items.push_back(std::move(item));
    }
};
}
std::string show(int n) {
    Basket basket;
    for (int i = 1; i <= n; i++) {
        auto item = i % 2 ? std::unique_ptr<Item>(new Priced<3>) : std::unique_ptr<Item>(new Priced<5>);
        item->name = std::to_string(i);
        basket.add(std::move(item));
    }
    std::sort(basket.items.begin(), basket.items.end(), [](auto &a, auto &b) { return a->price() < b->price(); });
    std::ostringstream out;
    for (auto &item : basket.items) out << item->name << ' ' << item->price() << '\n';
    return out.str();
}
}
int main(int argc, char **) { return other(shop::show(argc)); }
""", "other.cc": r"""
#include <algorithm>
#include <deque>
#include <numeric>
#include <string>
#include <unordered_map>
namespace {
struct Counter {
    std::unordered_map<std::string, std::deque<int>> places;
    void note(const std::string &word, int at) { places[word].push_back(at); }
    template <class F> int all(F f) const {
        return std::accumulate(places.begin(), places.end(), 0, [&](int sum, auto &each) { return sum + f(each.second); });
    }
};
}
int other(const std::string &text) {
    Counter counter;
    for (size_t i = 0, end; i < text.size(); i = end + 1) {
        end = std::min(text.find('\n', i), text.size());
        counter.note(text.substr(i, end - i), (int)i);
    }
    return counter.all([](const std::deque<int> &places) { return (int)std::count_if(places.begin(), places.end(),
        [](int at) { return at % 3 == 0; }); });
}
"""}

PLAIN = """
void *malloc(unsigned long);
struct node { struct node *next; unsigned n; };
static inline struct node *make(unsigned n, struct node *next) {
    struct node *node = malloc(sizeof *node);
    node->next = next, node->n = n;
    return node;
}
struct node *list(unsigned n) { struct node *all = 0; while (n--) all = make(n * n, all); return all; }
unsigned sum(struct node *at) { unsigned s = 0; for (; at; at = at->next) s += at->n % 7; return s; }
struct node *turn(struct node *at) { struct node *all = 0; for (; at; at = at->next) all = make(at->n, all); return all; }
unsigned both(unsigned n) { return sum(list(n)) + sum(turn(list(n + 1))); }
"""

GO = """
package main
import ("fmt"; "os"; "sort"; "strings")
func main() {
	words := strings.Fields(strings.Repeat("a bc def ", len(os.Args)))
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	fmt.Println(words)
}
"""

# The number of 5,000 addresses whose answer may differ from that of llvm-symbolizer 19; it may decrease.  Several
# equal sequences of rows exist for a folded function; its sorting decides which one it takes, and it mixes some of
# the calls inlined into these functions.  For Go it takes some names from symbols.
FOLDED = {"line": 5}
MOST = {"lld --icf=all": FOLDED, "mold --icf=all": FOLDED, "gold --icf=all": {"chain": 5, "line": 4},
        "go": {"name": 2}, "go, not packed": {"name": 2}}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options)


class Kinds:
    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        os.makedirs(self.folder, exist_ok=True)
        for name, text in {**SOURCES, "app.go": GO, "app.rs": llvm.RUST, "plain.c": PLAIN}.items():
            with open(self.path(name), "w") as file:
                file.write(text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def compiled(self, name, compiler, *flags, link=()):
        """Compile a program once, in a separate folder, because files of split units are written next to it."""
        at = self.path(name)
        if os.path.exists(os.path.join(at, "app")):
            return os.path.join(at, "app")
        os.makedirs(at, exist_ok=True)
        for source in SOURCES:
            run(compiler, "-std=c++17", "-O2", *flags, "-c", self.path(source), cwd=at)
        run(compiler, *flags, *link, "-o", "app", "app.o", "other.o", cwd=at)
        return os.path.join(at, "app")

    def linked(self, name, like, compiler, *link):
        at = self.path(name)
        run(compiler, *link, "-o", at, *(os.path.join(os.path.dirname(like), o) for o in ("app.o", "other.o")))
        return at

    def copied(self, name, binary, *command):
        """The path of a copy of the binary, to which `command` was applied."""
        at = self.path(name)
        shutil.copy(binary, at)
        run(*command, at)
        return at

    def of_compilers(self):
        for compiler, word in (("g++", "gcc"), ("clang++", "clang")):
            for version in "45":
                flags = ["-gdwarf-" + version]
                yield f"{word} DWARF {version}", self.compiled(f"{word}-{version}", compiler, *flags)
                yield f"{word} DWARF {version} split", self.compiled(f"{word}-{version}-split", compiler, *flags, "-gsplit-dwarf")
                yield f"{word} DWARF {version} type units", self.compiled(f"{word}-{version}-types", compiler, *flags,
                                                                          "-fdebug-types-section")
                yield f"{word} DWARF {version} split type units", self.compiled(
                    f"{word}-{version}-split-types", compiler, *flags, "-gsplit-dwarf", "-fdebug-types-section")
            yield f"{word} -g1", self.compiled(f"{word}-g1", compiler, "-g1")
            yield f"{word} -O3 LTO", self.compiled(f"{word}-lto", compiler, "-g", "-O3", "-flto")

    def of_packages(self):
        for word, compiler, version in (("clang", "clang++", 4), ("clang", "clang++", 5), ("gcc", "g++", 4), ("gcc", "g++", 5)):
            binary = self.compiled(f"{word}-{version}-package", compiler, f"-gdwarf-{version}", "-gsplit-dwarf")
            units = [os.path.join(os.path.dirname(binary), unit) for unit in ("app.dwo", "other.dwo")]
            if all(map(os.path.exists, units)):
                subprocess.run(["llvm-dwp", *units, "-o", binary + ".dwp"], check=True, timeout=120)
                for unit in units:
                    os.remove(unit)
            yield f"{word} DWARF {version} package", binary, self.path(f"{word}-{version}-split", "app")

    def of_linkers(self):
        gcc = self.path("gcc-5", "app")
        yield "static-pie", self.linked("static-pie", gcc, "g++", "-static-pie")
        yield "no-pie", self.linked("no-pie", gcc, "g++", "-no-pie")
        for linker, ways in (("lld", ((), ("--icf=all",), ("-zmax-page-size=2097152", "-zseparate-loadable-segments"))),
                             ("gold", ((), ("--icf=all",))), ("mold", ((), ("--icf=all",)))):
            for i, way in enumerate(ways):
                if shutil.which("ld." + linker):
                    name = f"{linker} {' '.join(way)}".strip()
                    yield name, self.linked(f"{linker}-{i}", gcc, "g++", f"-fuse-ld={linker}", *(f"-Wl,{w}" for w in way))

    def of_forms(self):
        gcc = self.path("gcc-5", "app")
        for way in ("zlib", "zlib-gnu", "zstd"):
            yield way, self.copied(way, gcc, "objcopy", f"--compress-debug-sections={way}"), gcc
        if shutil.which("dwz"):
            yield "dwz", self.copied("dwz", gcc, "dwz"), gcc
            for name in ("dwz-a", "dwz-b"):
                shutil.copy(self.path("gcc-4", "app"), self.path(name))
            run("dwz", "-m", self.path("dwz.alt"), self.path("dwz-a"), self.path("dwz-b"))
            yield "dwz -m", self.path("dwz-a"), self.path("gcc-4", "app")
        debug = self.path("bare.debug")
        run("objcopy", "--only-keep-debug", gcc, debug)
        yield "debug link", self.copied("bare", gcc, "objcopy", "--strip-all", f"--add-gnu-debuglink={debug}"), gcc
        symbols = self.copied("symbols", gcc, "strip", "-g")
        yield "strip -g", symbols
        small, bare = self.path("small"), self.path("minidebug")
        run("objcopy", "--only-keep-debug", symbols, small)
        run("xz", "-k", "-f", small)
        run("objcopy", "-S", f"--add-section=.gnu_debugdata={small}.xz", symbols, bare)
        yield ".gnu_debugdata", bare, symbols

    def of_machines(self):
        for target, flags in (("aarch64", ()), ("riscv64", ()), ("i386", ()), ("mips64", ()), ("aarch64", ("-gdwarf64",)),
                              ("x86_64", ("-gdwarf64",)), ("armv7", ())):
            name = f"{target}{''.join(flags)}"
            at = self.path("of-" + name)
            done = subprocess.run(["clang", f"--target={target}-linux-gnu", "-O2", "-gdwarf-5", *flags, "-fuse-ld=lld",
                                   "-nostdlib", "-shared", "-fPIC", self.path("plain.c"), "-o", at], capture_output=True)
            if done.returncode == 0:
                # RISC-V's assemblers leave symbols without a name, which llvm-symbolizer 19 takes for a function's.
                yield name, at, self.copied(name + "-named", at, "llvm-objcopy", "--strip-symbol=")

    def of_languages(self):
        if shutil.which("rustc"):
            for name, flags in (("=2", ["-Cdebuginfo=2"]), ("=1", ["-Cdebuginfo=1"]),
                                ("split", ["-Cdebuginfo=2", "-Csplit-debuginfo=unpacked"]),
                                ("packed", ["-Cdebuginfo=2", "-Csplit-debuginfo=packed"])):
                at = self.path("rust" + name)
                os.makedirs(at, exist_ok=True)
                run("rustc", "-O", *flags, "-o", os.path.join(at, "app"), self.path("app.rs"), cwd=at)
                yield "rust " + name, os.path.join(at, "app")
        if shutil.which("go"):
            for name, flags in (("go", []), ("go, not packed", ["-ldflags=-compressdwarf=false"])):
                at = self.path(name.replace(", ", "-").replace(" ", "-"))
                run("go", "build", *flags, "-o", at, self.path("app.go"), cwd=self.folder)
                yield name, at

    def all(self):
        for kinds in (self.of_compilers, self.of_packages, self.of_linkers, self.of_forms, self.of_machines,
                      self.of_languages):
            for name, binary, *debug in kinds():
                yield name, binary, debug[0] if debug else binary


def after_calls(binary):
    """The last bytes of calls, where the machine is one that objdump knows."""
    done = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-j", ".text", binary], capture_output=True, text=True)
    found, was_call = [], False
    for line in done.stdout.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(\S+)", line)
        if match:
            found += [int(match[1], 16) - 1] if was_call else []
            was_call = match[2].startswith("call") or match[2] in ("bl", "blr", "jal", "jalr")
    return found


def addresses_of(binary, count):
    calls = after_calls(binary)
    chosen = set(random.Random(2).sample(calls, min(count // 2, len(calls))))
    return sorted(chosen | llvm.text_addresses(binary, count - len(chosen)))


def told(dump, binary, wanted, **environment):
    done = subprocess.run([dump, binary], input="".join(f"{a:#x}\n" for a in wanted), capture_output=True, text=True,
                          env={**os.environ, **environment}, timeout=600)
    return done.stdout, done.stderr


def look_at(dump, name, binary, debug, count):
    wanted = addresses_of(binary, count)
    result = llvm.Comparison()
    ours = llvm.of_ours(dump, binary, (), wanted)
    result.chains(ours, llvm.of_llvm(debug, wanted, "--no-demangle"), llvm.symbol_addresses(debug))
    differ = {what: sum(f.startswith(what) for f in result.failures) for what in ("chain", "line", "file", "name")}
    own, note = told(dump, binary, wanted, READERS="1")
    foreign = told(dump, binary, wanted, UNITS_BY_LIBDW="1", LINES_BY_LIBDW="1")[0]
    tables, by_libdw, units, units_by_libdw = map(int, re.findall(r"\d+", note.split("\n")[0]))
    most = MOST.get(name, {})
    good = own == foreign and all(count <= most.get(what, 0) for what, count in differ.items())
    print(f"{'ok  ' if good else 'FAIL'} {name:28} {len(wanted):5} addresses: {differ['chain']} chains, {differ['line']} lines, "
          f"{differ['file']} files, {differ['name']} names; {by_libdw} of {tables} line tables and {units_by_libdw} of {units} "
          f"units by libdw{'' if own == foreign else ', WHICH SAYS SOMETHING ELSE'}", flush=True)
    for failure in result.failures[:0 if good else 3]:
        print("    " + failure.replace("\n", "\n    "))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=os.path.abspath)
    parser.add_argument("folder")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--count", type=int, default=5000)
    options = parser.parse_args()
    print(run("llvm-symbolizer", "--version").stdout.splitlines()[1].strip())
    bad = all_ = 0
    for name, binary, debug in Kinds(options.folder).all():
        if not options.kinds or name in options.kinds:
            all_ += 1
            bad += not look_at(options.dump, name, binary, debug, options.count)
    print(f"{all_} kinds, {bad} differ")
    sys.exit(1 if bad else 0)


main()
