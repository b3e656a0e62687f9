"""Tests the sampling errors that are shown: intervals have the unit of their value, or there is no interval."""
import json
import math
import re

from harness import case, check


def dump(t, name, counts):
    """A dump of one stack, as jemalloc rewrites it; without counts, of none."""
    stack = f"@ 0x55550000{int(name):04x}\n  t*: {counts} [0: 0]\n" if counts else ""
    t.file(f"{name}.heap", f"heap_v2/524288\n  t*: {counts or '0: 0'} [0: 0]\n{stack}"
                           "\nMAPPED_LIBRARIES:\n"
                           "555500000000-555500010000 r-xp 00000000 fe:00 1  /srv/program\n")
    return f"{name}.heap"


@case
def exact_dumps_have_no_error(t):
    accum = t.testdata / "jemalloc-lg0-accum.heap"
    for args in (["top"], ["top", "--cum"], ["top", "--metric=inuse-objects"], ["stacks"],
                 ["top", "--metric=alloc-space"], ["stacks", "--metric=alloc-objects"]):
        out = check(t.run(*args, "-v", "--no-symbols", accum), 0, "every allocation sampled").out
        assert "±" not in out and "never sampled" not in out, out
    for command in ("diff", "trend"):
        out = check(t.run(command, "--no-symbols", t.dump, accum)).out
        header, _, _ = out.partition("\n\n")
        assert "±" not in header, header
    told = json.loads(check(t.run("top", "--format=json", "--no-symbols", accum)).out)
    space = told["total"]["inuse-space"]
    assert space["low"] == space["estimate"] == space["high"], space


@case
def exact_dumps_do_not_change_the_errors_of_other_dumps(t):
    out = check(t.codes("top", "-v", "--no-symbols", t.dump, t.other), 0, "not-shown: 0 B 1.8 MiB 1.8 MiB").out
    assert " 95% CI " in out and "in use     89.3 MiB ± " in out, out


@case
def a_dump_without_samples_has_a_bound_for_unnoticed_memory(t):
    told = json.loads(check(t.run("top", "--format=json", dump(t, 1, None))).out)
    high = told["total"]["inuse-space"]["high"]
    assert abs(high / 524288 - 3.6888794541) < 1e-6, high
    one = told["unsampled"]["stack"] / 524288
    assert abs(high / 524288 / one * math.exp(-one) - 0.05) < 1e-6, told["unsampled"]
    assert told["total"]["inuse-objects"]["high"] is None, told["total"]
    out = check(t.run("top", "-v", dump(t, 1, None)), 0, "in use     0 B (0.0 … 1.9 MiB)   0 objects\n").out
    assert "mixed sizes" not in out, out


@case
def intervals_contain_all_values_of_rounded_counts(t):
    # The rounding error of objects of several sizes: R/2 t^2 e^-t / (1 - e^-t)^2 each, t = 1000001 / 2 / R.
    rounding = 7.0 * 2**20
    many = [dump(t, i, f"2: {1000001 + 8 * i}") for i in range(1, 31)]
    told = json.loads(check(t.run("top", "--format=json", "--no-symbols", "--dumps=sum", *many)).out)
    total = told["total"]["inuse-space"]
    assert total["low"] < total["estimate"] - rounding < total["estimate"], total
    assert total["high"] > total["estimate"] + rounding, total
    assert all(row["sizes"] == {"unique": 0, "several": 0, "none": 1} for row in told["rows"])


@case
def unit_applies_also_above_the_table(t):
    for unit in ("B", "KiB", "MiB", "GiB"):
        out = check(t.codes("top", "-v", "--no-symbols", f"--unit={unit}", "--focus=0x", t.procs[0])).out
        rows, _, head = out.rpartition("\n\n")
        number = rf"\d+(?:\.\d+)? {unit}"
        for line in (rf"in use     {number} ± {number}   [\d,]+ objects.*",
                     rf"allocated  {number} ± {number}   [\d,]+ objects.*",
                     rf"unsampled  not-shown: {number} {number} {number}",
                     rf"filters    --focus=0x leave {number} ± {number} of {number} \(.*"):
            assert re.search(f"^{line}$", head, re.M), (line, head)
        shown = re.sub("sample period .*? ·|warning: .*", "", head + rows)
        assert set(re.findall(r"\d ([KMGT]?i?B)\b", shown)) == {unit}, out


@case
def unit_applies_also_above_comparisons(t):
    first, *rest = t.procs
    for command in (["diff", first, "--to", *rest], ["trend", *t.procs]):
        for unit in ("B", "KiB", "MiB", "GiB"):
            out = check(t.run(*command, "--no-symbols", f"--unit={unit}", "--focus=0x")).out
            assert " leave " in out, out
            shown = re.sub("sample period .*? ·|warning: .*", "", out)
            assert set(re.findall(r"\d ([KMGT]?i?B)\b", shown)) == {unit}, out


@case
def one_object_is_written_in_the_singular(t):
    one = dump(t, 1, "1: 16777216")
    for command in ("top", "stacks", "info"):
        out = check(t.run(command, "-v", "--no-symbols", one)).out
        assert re.search("   1 object( |$)", out, re.M) and "1 objects" not in out, out
    assert "contents     1 stack, 0 threads, 1 mapped file, 1 distinct address\n" in out, out


@case
def a_one_sided_interval_shows_both_ends(t):
    out = check(t.run("top", "-v", "--no-symbols", dump(t, 1, "1: 16777216"))).out
    assert "\nin use     16.0 MiB (16.0 … 17.9 MiB)   1 object " in out, out
    assert re.search("^ *16.0 MiB 100.0% 100.0% +16.0 MiB 100.0% +16.0 … 17.9 MiB   ", out, re.M), out


@case
def the_uncertainty_of_objects_is_reported_for_the_measured_total(t):
    stacks = "".join(f"@ 0x5555{i:04x}\n  t*: 3: {3 * 65536 + 8} [9: {9 * 65536 + 8}]\n"
                     for i in range(10))
    mixed = t.file("mixed.heap", f"heap_v2/65536\n  t*: 30: {30 * 65536 + 80} [90: {90 * 65536 + 80}]\n"
                                 f"{stacks}\nMAPPED_LIBRARIES:\n")
    for metric, label in (("inuse-space", "in use"), ("alloc-space", "allocated")):
        out = check(t.run("top", "-v", "--no-symbols", f"--metric={metric}", mixed)).out
        assert re.search(rf"^{label} .* MiB (± |\().*objects \([\d,]+ or more: mixed sizes\)$",
                         out, re.M), out
