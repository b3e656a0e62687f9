"""Tests that the total is what the headers of rewritten dumps show, and that everything else is a sum of stacks."""
import json
import math
import random
import re

from cases_partials import digest
from cases_sizes import PERIOD, estimated, printed
from harness import case, check

SMALL = 32
# No line of a stack shows how many objects of each size were sampled.  Together with the first of these sizes the numbers of a
# stack are always rounded down, with the other one up.
LARGE = 2 << 20, 768 << 10


def stacks_of(seed, count=40):
    """The sizes of the sampled objects of each stack."""
    r = random.Random(seed)
    return [[SMALL] * r.randint(2, 9) + [LARGE[seed % 2]] * r.randint(1, 4) for _ in range(count)]


def write(t, pid, stacks, number=0, counts=printed, more=lambda i: "", threads=False, accum=False):
    """Write a dump of a process.  `more`: further lines of a stack; `accum`: all memory is still in use."""
    base = 0x550000000000 + pid * 0x10000000

    def numbers(sizes):
        own = counts(sizes)
        return f"{own} [{own if accum else '0: 0'}]"

    lines = "".join(f"@ {base + 0x100 + i:#x} {base + 0x10:#x}\n  t*: {numbers(sizes)}\n"
                    + (f"  t{i % 2}: {numbers(sizes)}\n" if threads else "") + more(i) for i, sizes in enumerate(stacks))
    names = "".join(f"  t{i}: {numbers(sum(stacks[i::2], []))} name{i}\n" for i in (0, 1)) if threads else ""
    return t.file(f"app.{pid}.{number}.i{number}.heap",
                  f"heap_v2/{PERIOD}\n  t*: {numbers(sum(stacks, []))}\n{names}{lines}\nMAPPED_LIBRARIES:\n"
                  f"{base:x}-{base + 0x10000000:x} r-xp 00000000 fe:00 1  /srv/program\n")


def report(t, *args, command="top"):
    return json.loads(check(t.run(command, "-fjson", "-q", "-n0", "--no-symbols", *args)).out)


def both(told, metric="inuse-space"):
    """The total and the sum of all stacks."""
    assert "stacks_total" in told, told["total"]
    return told["total"][metric], told["stacks_total"][metric]


def sum_of_rows(told):
    return sum(row["flat"]["inuse-space"]["estimate"] for row in told["rows"])


def is_near(a, b):
    return abs(a - b) < .01 + 1e-8 * abs(a)  # ends of ranges have nine digits


@case
def the_total_is_that_of_the_header_and_shares_are_those_of_the_stacks(t):
    for seed in range(10):
        stacks = stacks_of(seed)
        path = write(t, seed, stacks)
        total, of_stacks = both(told := report(t, path))
        truth, rounding = estimated(sum(stacks, [])), total["rounding"]
        assert abs(total["estimate"] - truth) < .51 * PERIOD, (total, truth)
        assert rounding["low"] <= truth <= rounding["high"], (total, truth)
        assert .9 * PERIOD < rounding["high"] - rounding["low"] < 1.02 * PERIOD, rounding
        assert (of_stacks["estimate"] - truth) * (-1, 1)[seed % 2] > PERIOD, (of_stacks, truth)
        assert is_near(sum_of_rows(told), of_stacks["estimate"])
        text = check(t.run("top", "-v", "--no-symbols", path)).out
        says = re.search(r"^stacks +add up to ", text, re.M)
        assert bool(says) == (abs(1 - of_stacks["estimate"] / total["estimate"]) > .005), text
        folded = check(t.run("folded", "-q", "--no-symbols", path)).out
        whole = sum(int(line.rpartition(" ")[2]) for line in folded.splitlines())
        assert abs(whole - of_stacks["estimate"]) < 1, (whole, of_stacks)


@case
def totals_of_merged_dumps_add_up_in_any_order_and_grouping(t):
    paths = [write(t, pid, stacks_of(pid), accum=pid % 2) for pid in range(1, 7)]
    alone = [report(t, path) for path in paths]
    check(t.run("merge", "-q", "-o", "first.hpa", *paths[:2]))
    check(t.run("merge", "-q", "-o", "rest.hpa", *paths[:1:-1]))
    check(t.run("merge", "-q", "-o", "all.hpa", *paths))
    check(t.run("merge", "-q", "-o", "joined.hpa", "rest.hpa", "first.hpa"))
    assert digest(t, "all.hpa") == digest(t, "joined.hpa")
    merged = report(t, *paths)
    for metric in "inuse-space", "alloc-space":
        total, of_stacks = both(merged, metric)
        for of, key in (total, "total"), (of_stacks, "stacks_total"):
            each = [one[key][metric] or {"estimate": 0, "rounding": {"low": 0, "high": 0}} for one in alone]
            assert is_near(of["estimate"], sum(one["estimate"] for one in each)), (metric, key)
            for end in "low", "high":
                want = sum(one["rounding"][end] for one in each)
                assert abs(of["rounding"][end] - want) < 1e-7 * want, (metric, key, end)
    for inputs in paths[::-1], ["joined.hpa"], ["rest.hpa", paths[1], paths[0]]:
        other = report(t, *inputs)
        assert [other[key] for key in ("total", "stacks_total")] == [merged[key] for key in ("total", "stacks_total")]


@case
def intervals_of_merged_dumps_have_their_parts_in_json(t):
    """Roundings add up, while sampling errors of the dumps cancel out."""
    paths = [write(t, pid, stacks_of(pid, 5)) for pid in range(1, 26)]
    assert "sampling" not in both(report(t, paths[0]))[0]
    told, shares = report(t, *paths), []
    for row in [told["total"], told["stacks_total"], *(row["flat"] for row in told["rows"])]:
        one = row["inuse-space"]
        if "rounding" in one:
            low, high = (abs(one[end] - one["sampling"][end]) for end in ("low", "high"))
            parts = [one["rounding"][end] - one["estimate"] for end in ("low", "high")]
            assert one["low"] <= one["sampling"]["low"] <= one["estimate"] <= one["sampling"]["high"] <= one["high"], one
            # A bound moves its end by itself, and a little more, as the variance belongs to a larger number.
            assert -.9 * parts[0] - 1 <= low <= -1.1 * parts[0] + 1 and .9 * parts[1] - 1 <= high <= 1.1 * parts[1] + 1, one
            shares.append((parts[1] - parts[0]) / (one["high"] - one["low"]))
    assert len(shares) > 3 and max(shares) > .2, shares
    info = json.loads(check(t.run("info", "-fjson", "-q", "--no-symbols", *paths)).out)
    of_stacks = told["stacks_total"]["inuse-space"]
    assert info["error"]["inuse-space"] == {part: of_stacks[part] for part in ("sampling", "rounding")}, info["error"]


@case
def totals_of_many_dumps_are_those_of_their_headers(t):
    """They are too many to be recorded one by one."""
    paths = [write(t, pid, stacks_of(pid, 3)) for pid in range(1, 301)]
    info = json.loads(check(t.run("info", "-v", "-fjson", "-q", "--no-symbols", *paths)).out)
    check(t.run("merge", "-q", "-o", "a.hpa", *paths[:140]))
    check(t.run("merge", "-q", "-o", "b.hpa", *paths[140:]))
    check(t.run("merge", "-q", "-o", "all.hpa", "b.hpa", "a.hpa"))
    for inputs in paths, ["all.hpa"], ["a.hpa", "b.hpa"]:
        for of, key in zip(both(report(t, *inputs)), ("total", "stacks_total")):
            want = sum(one[key]["inuse-space"] for one in info["inputs"])
            assert is_near(of["estimate"], want), (inputs[0], key, of, want)
    text = check(t.codes("info", "-v", "-q", "--no-symbols", "all.hpa")).out
    assert "headers-taken" in text and is_near(info["total"]["inuse-space"],
                                              float(re.search(r"^total inuse-space (.*)$", text, re.M)[1])), text


@case
def the_total_after_filters_is_the_sum_of_the_stacks(t):
    before, after = write(t, 1, stacks_of(1)), write(t, 2, stacks_of(2))
    most = "--ignore=@0x100$"  # one of forty stacks
    left = []
    for path in before, after:
        whole, told = report(t, path), report(t, most, path)
        assert told["total"] == whole["total"] and told["stacks_total"] == whole["stacks_total"]
        assert is_near(told["filtered"]["inuse-space"]["estimate"], sum_of_rows(told))
        left.append(told["filtered"]["inuse-space"]["estimate"])
    diff = report(t, most, before, after, command="diff")
    assert [diff["filtered"][side]["estimate"] for side in ("base", "new")] == left, (diff["filtered"], left)
    for number in range(2):
        write(t, 3, stacks_of(number + 1), number)
    trend = report(t, most, *sorted(t.folder.glob("app.3.*")), command="trend")
    assert [trend["filtered"][end] for end in ("first", "last")] == left, (trend["filtered"], left)


@case
def comparisons_have_the_totals_of_headers(t):
    paths = [write(t, pid, stacks_of(pid)) for pid in range(1, 6)]
    totals = [both(report(t, path))[0]["estimate"] for path in paths]
    for base, new in (paths[:1], paths[1:2]), (paths[:2], paths[2:]), (paths[:1], paths[1:]):
        told = report(t, *base, "--to", *new, command="diff")["total"]
        means = [sum(totals[paths.index(path)] for path in side) / len(side) for side in (base, new)]
        for side, mean in zip(("base", "new"), means):
            assert is_near(told[side]["estimate"], mean), (side, told, means)
        assert is_near(told["delta"]["estimate"], means[1] - means[0])
        assert told["delta"]["low"] <= told["delta"]["estimate"] <= told["delta"]["high"]
    grown = totals[1] - totals[0]
    limits = [f"--fail-if=growth>{grown + more:.0f}" for more in (-.01 * PERIOD, .01 * PERIOD)]
    assert [t.run("diff", "-q", "--no-symbols", limit, *paths[:2]).status for limit in limits] == [1, 0], grown


@case
def comparisons_of_many_dumps_have_the_totals_of_headers(t):
    """They are in partials that do not record them one by one: what varies is known of classes of dumps only."""
    # Headers change the totals of the two sides in opposite directions.
    sides = [[write(t, pid + 1000 * side, stacks_of(2 * pid + side, 3)) for pid in range(1, 301)] for side in range(2)]
    for side, paths in enumerate(sides):
        check(t.run("merge", "-q", "-o", f"{side}.hpa", *paths))
    each = [json.loads(check(t.run("info", "-v", "-fjson", "-q", "--no-symbols", *paths)).out)["inputs"] for paths in sides]
    means = [sum(one["total"]["inuse-space"] for one in side) / len(side) for side in each]
    of_stacks = [sum(one["stacks_total"]["inuse-space"] for one in side) / len(side) for side in each]
    told = report(t, "0.hpa", "1.hpa", command="diff")
    assert (told["test"], told["base"]["groups"] > 1) == ("fleets", True), told["test"]
    delta, by_stacks = told["total"]["delta"], of_stacks[1] - of_stacks[0]
    assert is_near(delta["estimate"], means[1] - means[0]), (delta, means)
    # The interval is nearly symmetric about the change that headers show, and not about that of the stacks.
    middle = (delta["low"] + delta["high"]) / 2
    assert abs(middle - delta["estimate"]) < .2 * abs(middle - by_stacks), (delta, by_stacks)


@case
def inputs_that_stand_out_have_the_totals_of_headers(t):
    for count in 10, 300:  # so many are not recorded one by one
        paths = [write(t, pid, stacks_of(2 * pid, 200 if pid == count else 2)) for pid in range(1, count + 1)]
        check(t.run("merge", "-q", "-o", "all.hpa", *paths))
        info = json.loads(check(t.run("info", "-v", "-fjson", "-q", "--no-symbols", *paths)).out)["inputs"]
        info.sort(key=lambda one: one["name"] == str(paths[-1]))
        totals = [one["total"]["inuse-space"] for one in info]
        of_stacks = [one.get("stacks_total", one["total"])["inuse-space"] for one in info]
        # Of many dumps only the sum of what headers change is known.
        last = totals[-1] if count == 10 else of_stacks[-1] + (sum(totals) - sum(of_stacks)) / count
        told = report(t, "--columns=spread", "all.hpa")["outliers"][0]
        assert is_near(told["value"], last), (told, totals[-1], of_stacks[-1], last)
        assert is_near(told["others"], (sum(totals) - last) / (count - 1)), (told, count)


@case
def series_have_the_totals_of_headers(t):
    for pid, accum in (1, False), (2, True):
        stacks = stacks_of(9)
        paths = [write(t, pid, stacks[:20 + 2 * number], number, accum=accum) for number in range(10)]
        totals = [both(report(t, path))[0]["estimate"] for path in paths]
        told = report(t, *paths, command="trend")
        trend, of_stacks = told["total"], told["stacks_total"]
        for path, end in (paths[0], "first"), (paths[-1], "last"):
            assert of_stacks[end] == both(report(t, path))[1]["estimate"] != trend[end], (of_stacks, path)
        assert is_near(trend["first"], totals[0]) and is_near(trend["last"], totals[-1]), (trend, totals)
        diff = report(t, paths[0], paths[-1], command="diff")["total"]
        assert [diff[side]["estimate"] for side in ("base", "new")] == [totals[0], totals[-1]], (diff, totals)
        change = diff["delta"]
        assert is_near(change["estimate"], totals[-1] - totals[0]), (change, totals)
        assert change["low"] <= change["estimate"] <= change["high"], change


@case
def headers_that_count_something_else_are_not_used(t):
    stacks = stacks_of(1)
    def as_it_is(sizes):
        return f"{len(sizes)}: {sum(sizes)}"

    def listed(i):
        return "".join(f"  f: {1000 + i} {size} {size} 3 0 {i % 3}\n" for size in stacks[i])

    raw = write(t, 1, stacks, counts=as_it_is)
    by_object = write(t, 2, stacks, more=listed)
    of_threads = write(t, 3, stacks, threads=True)
    wrong = write(t, 4, stacks)
    wrong.write_text(wrong.read_text().replace(f"t*: {printed(sum(stacks, []))}", f"t*: {printed(sum(stacks[3:], []))}", 1))
    check(t.run("merge", "-q", "-o", "part.hpa", "--shard=0/2", write(t, 5, stacks)))
    for args in ([raw], [by_object], [of_threads, "--thread=name0"], [wrong], ["--large-sizes=pages", of_threads],
                 ["--estimator=jeprof", of_threads], ["part.hpa"]):
        told = report(t, *args)
        assert "stacks_total" not in told, args
        assert is_near(told["total"]["inuse-space"]["estimate"], sum_of_rows(told)), args
    assert math.isclose(both(report(t, of_threads))[0]["estimate"], estimated(sum(stacks, [])), rel_tol=.002)
