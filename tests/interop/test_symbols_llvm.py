#!/usr/bin/env python3
"""Compare the symbolizer with llvm-symbolizer, address by address.

    test_symbols_llvm.py SYMBOL_DUMP [--formats DIR] [--rust PROGRAM]
                         [--binary FILE --debug FILE [--symbol-dir DIR]] [--count N]

--formats: every address of the dumps in DIR that is in a program of DIR, and random ones.
--rust: a Rust program, built by this script where PROGRAM does not exist and rustc does.
--binary: a large program and its separate debug file, for example Debian's ceph-mgr with
ceph-mgr-dbg: `dpkg -x` both into a folder and give that as --symbol-dir.

Chains of inlined calls, names, lines and files must be equal.  Each allowed difference is a rule below, and is
counted; any other difference fails.
"""
import argparse
import collections
import os
import random
import re
import subprocess
import sys

RUST = """
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
trait Shape { fn area(&self) -> f64; fn name(&self) -> String { format!("{:.2}", self.area()) } }
struct Square(f64);
struct Circle { r: f64 }
impl Shape for Square { fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Circle { fn area(&self) -> f64 { self.r * self.r * 3.0 } }
enum Tree<T> { Leaf, Node(Box<Tree<T>>, T, Box<Tree<T>>) }
impl<T: Ord + Clone> Tree<T> {
    fn insert(self, x: T) -> Tree<T> { match self {
        Tree::Leaf => Tree::Node(Box::new(Tree::Leaf), x, Box::new(Tree::Leaf)),
        Tree::Node(l, y, r) => if x < y { Tree::Node(Box::new(l.insert(x)), y, r) }
                               else { Tree::Node(l, y, Box::new(r.insert(x))) } } }
    fn walk(&self, out: &mut Vec<T>) { if let Tree::Node(l, y, r) = self {
        l.walk(out); out.push(y.clone()); r.walk(out); } }
}
fn main() {
    let n = std::env::args().count() as u64 * 1000;
    let mut m: HashMap<String, Vec<u64>> = HashMap::new();
    let mut b: BTreeMap<u64, String> = BTreeMap::new();
    let mut t = Tree::Leaf;
    for i in 0..n {
        m.entry(format!("k{}", i % 37)).or_default().push(i);
        b.insert(i * 7919 % 1009, i.to_string());
        t = t.insert(i * 31 % 997);
    }
    let s: HashSet<u64> = m.values().flatten().copied().filter(|x| x % 3 == 0).collect();
    let mut q: VecDeque<_> = s.iter().map(|x| x * 2).collect();
    q.rotate_left(3);
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Circle { r: 1.5 })];
    let mut v: Vec<(usize, String)> = shapes.iter().map(|s| s.name()).enumerate().collect();
    v.sort_by(|a, b| b.1.cmp(&a.1));
    let mut o = vec![];
    t.walk(&mut o);
    println!("{:?} {} {} {}", v, b.len(), q.len(), o.len());
    let h = std::thread::spawn(move || b.into_iter().map(|(k, v)| k as usize + v.len()).sum::<usize>());
    println!("{}", h.join().unwrap());
}
"""


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True,
                          errors="surrogateescape", **options).stdout


def blocks(text):
    return [block.split("\n") for block in text.rstrip("\n").split("\n\n")] if text else []


def of_ours(dump, binary, folders, addresses):
    text = run([dump, binary, *folders], input="".join(f"{a:#x}\n" for a in addresses))
    chains = {}
    for block in blocks(text):
        frames = [line.split("\t") for line in block[1:]]
        chains[int(block[0], 16)] = [(n, l, *p.rsplit(":", 1)) for n, l, p in frames]
    return chains


def of_llvm(binary, addresses, *options):
    text = run(["llvm-symbolizer", f"--obj={binary}", "--inlines", *options],
               input="".join(f"{a:#x}\n" for a in addresses))
    chains = {}
    for address, block in zip(addresses, blocks(text)):
        pairs = zip(block[::2], block[1::2])
        chains[address] = [(n, *p.rsplit(":", 2)[:2]) for n, p in pairs]
    return chains


def symbol_addresses(binary):
    found = collections.defaultdict(set)
    for line in run(["nm", "-a", binary]).splitlines():
        fields = line.split()
        if len(fields) == 3:
            found[re.sub(r"\.llvm\.\d+$", "", fields[2])].add(fields[0])
    return found


def function_starts(binary, symbols):
    """Addresses at which functions start, by symbols and by tables for unwinding."""
    found = {int(each, 16) for places in symbols.values() for each in places}
    return found | {int(each, 16) for each in re.findall(r" FDE .*pc=(\w+)\.\.", run(["readelf", "--debug-dump=frames-interp", binary]))}


def variant(name):
    """Constructors and destructors of one body: complete, base, ... object."""
    return re.sub(r"(C[1-5]|D[0-5])(?=E|I)", lambda m: m[0][0], name)


# Each takes (our linkage name, llvm's name, is it the outermost frame, symbols).
NAME_RULES = {
    # LLVM puts the ELF symbol in place of the outermost DWARF name: the compiler's clones.
    "symbol of a clone (.cold, .isra.0, ...)":
        lambda o, l, outer, symbols: outer and l.startswith(o + "."),
    "constructor or destructor variant":
        lambda o, l, outer, symbols: outer and variant(o) == variant(l.split(".")[0]),
    # Equal functions that were merged.
    "another symbol at the same address":
        lambda o, l, outer, symbols:
            outer and not symbols[o].isdisjoint(symbols[re.sub(r"\.llvm\.\d+$", "", l)]),
    # LLVM shows the DW_AT_name of functions without a linkage name; we add their scope.
    "name with its scope":
        lambda o, l, outer, symbols: not outer and o.endswith("::" + l),
}


def legacy(name):
    """Rust's older mangling."""
    return re.search("17h[0-9a-f]{16}E", name)


def plain(name):
    """The common part of a C++ name in GNU's and LLVM's spelling."""
    name = re.sub(r"\[clone [^]]*\]|\(\.[a-z.0-9]+\)$|\[abi:\w+\]", "", name)
    name = re.sub(r"\{lambda\(|'lambda\d*'\(", "(", name)
    name = re.sub(r"#\d+\}|\{unnamed type|'unnamed\d*'", "", name)
    name = re.sub(r"\bunsigned long long\b|\bunsigned long\b|\bunsigned int\b", "U", name)
    return re.sub(r"[^\w:<>,*&~]|(?<=\d)u?l?l?(?=\W)", "", name)


class Comparison:
    def __init__(self):
        self.rules = collections.Counter()
        self.failures = []
        self.frames = self.addresses = 0
        self.other_words = {}

    def fail(self, what, address, ours, theirs):
        self.failures.append(f"{what} at {address:#x}:\n  ours {ours}\n  llvm {theirs}")

    def name(self, address, ours, theirs, outer, symbols):
        linkage, name = ours[1] or "??", theirs[0]
        if linkage == name:
            return
        for rule, fits in NAME_RULES.items():
            if fits(linkage, name, outer, symbols):
                self.rules[rule] += 1
                return
        self.fail("name", address, ours, theirs)

    def frame(self, address, ours, theirs, outer, symbols):
        self.frames += 1
        self.name(address, ours, theirs, outer, symbols)
        if ours[3] != theirs[2]:
            self.fail("line", address, ours, theirs)
        elif ours[2] != theirs[1] and not (ours[2] == "" and theirs[1] == "??"):
            if ours[2] == "" and ours[3] == "0" and "/" not in theirs[1]:
                # The name of an STT_FILE symbol, which is no path.
                self.rules["file of a symbol without DWARF"] += 1
            elif os.path.normpath(ours[2]) == os.path.normpath(theirs[1]):
                self.rules["path spelled otherwise"] += 1
            else:
                self.fail("file", address, ours, theirs)

    def chains(self, ours, theirs, symbols, starts):
        for address in theirs:
            self.addresses += 1
            mine, other = ours.get(address, []), theirs[address]
            if not mine and other == [("??", "??", "0")]:
                continue
            if not mine and address + 1 in starts:  # of a frame that points to a function, which is no call
                self.rules["last byte before a function"] += 1
                continue
            if len(mine) != len(other):
                self.fail("chain", address, mine, other)
                continue
            for i, (a, b) in enumerate(zip(mine, other)):
                self.frame(address, a, b, i == len(mine) - 1, symbols)

    def demangled(self, ours, raw, pretty):
        """Names that were mangled in both: the same text except for the spelling."""
        for address in raw:
            for a, b, c in zip(ours.get(address, []), raw[address], pretty[address]):
                mangled = a[1].startswith("_Z") and not legacy(a[1])
                if a[1] == b[0] and mangled and c[0] != a[1]:
                    self.rules["(C++ names demangled by both)"] += 1
                    if plain(a[0]) != plain(c[0]):
                        self.other_words[a[1]] = a[0]
        names = run(["c++filt", "-r"], input="\n".join(self.other_words) + "\n")
        for name, (mangled, ours) in zip(names.split("\n"), self.other_words.items()):
            self.rules["distinct names in other words than LLVM's, but as c++filt's"] += 1
            if name != ours:
                self.failures.append(f"demangled: {mangled}\n  ours {ours}\n  c++filt {name}")


def text_addresses(binary, count):
    for line in run(["readelf", "-SW", binary]).splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 5 and fields[1] == ".text":
            start, size = int(fields[3], 16), int(fields[5], 16)
    chosen = random.Random(1)
    return {start + offset for offset in chosen.sample(range(size), min(count, size))}


def dumped_addresses(folder, binary):
    """The calls of the dumps' stacks that are in this program, as its own addresses."""
    found = set()
    segments = re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)",
                          run(["readelf", "-lW", binary]))
    for root, _, files in os.walk(folder):
        for name in sorted(f for f in files if f.endswith(".heap")):
            with open(os.path.join(root, name), errors="surrogateescape") as file:
                text = file.read()
            rows = re.findall(r"^(\w+)-(\w+) \S+ (\w+) \S+ \S+ +(\S+)$", text, re.M)
            calls = {int(a, 16) - 1 for line in re.findall("@((?: 0x\\w+)+)", text)
                     for a in line.split() if int(a, 16)}
            for start, end, offset, path in rows:
                if os.path.basename(path) != os.path.basename(binary):
                    continue
                start, end, offset = int(start, 16), int(end, 16), int(offset, 16)
                for call in (c for c in calls if start <= c < end):
                    at = call - start + offset
                    for at_file, vaddr, size in segments:
                        if 0 <= at - int(at_file, 16) < int(size, 16):
                            found.add(at - int(at_file, 16) + int(vaddr, 16))
    return found


def compare(title, dump, binary, addresses, debug=None, folders=()):
    binary = os.path.abspath(binary)
    debug = debug or binary
    addresses = sorted(addresses)
    result = Comparison()
    ours = of_ours(dump, binary, folders, addresses)
    raw = of_llvm(debug, addresses, "--no-demangle")
    symbols = symbol_addresses(debug)
    result.chains(ours, raw, symbols, function_starts(binary, symbols))
    result.demangled(ours, raw, of_llvm(debug, addresses))
    print(f"{title}: {result.addresses} addresses, {result.frames} frames, "
          f"{len(result.failures)} differences")
    for rule, count in sorted(result.rules.items()):
        print(f"    {count:6} {rule}")
    for failure in result.failures[:20]:
        print(failure)
    return not result.failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump")
    parser.add_argument("--formats")
    parser.add_argument("--rust")
    parser.add_argument("--binary")
    parser.add_argument("--debug")
    parser.add_argument("--symbol-dir", action="append", default=[])
    parser.add_argument("--count", type=int, default=10000)
    options = parser.parse_args()
    good = True
    if options.formats:
        for name in sorted(os.listdir(options.formats)):
            path = os.path.join(options.formats, name)
            with open(path, "rb") if os.path.isfile(path) else open(os.devnull, "rb") as file:
                if file.read(4) != b"\x7fELF":
                    continue
            dumped = dumped_addresses(options.formats, path)
            good &= compare(f"{name}, {len(dumped)} of them from dumps", options.dump, path,
                            dumped | text_addresses(path, 1000))
    if options.rust:
        if not os.path.exists(options.rust):
            subprocess.run(["rustc", "-g", "-O", "-o", options.rust, "-"], input=RUST,
                           text=True, check=True)
        good &= compare("Rust", options.dump, options.rust,
                        text_addresses(options.rust, options.count))
    if options.binary:
        good &= compare(os.path.basename(options.binary), options.dump, options.binary,
                        text_addresses(options.binary, options.count), options.debug,
                        options.symbol_dir)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
