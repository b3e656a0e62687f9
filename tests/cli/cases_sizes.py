"""Tests the sizes of objects that are inferred from the two numbers of a line."""
import json
import math
import pathlib

from harness import case, check

PERIOD = 524288
TRUTH = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "truth"


def printed(sizes, period=PERIOD):
    """The numbers that jemalloc prints with prof_unbias for sampled objects of these sizes."""
    chances = [(size, 1 - math.exp(-size / period)) for size in sizes]
    objects = sum(round(8 / p) for _, p in chances) / 8
    space = sum(round(size / p) for size, p in chances)
    share = 1 - math.exp(-(space / objects) / period)
    return f"{math.floor(objects * share + .5)}: {math.floor(space * share + .5)}"


def estimated(sizes, period=PERIOD):
    return sum(size / -math.expm1(size * math.log1p(-1 / period)) for size in sizes)


def dump(t, name, *stacks, period=PERIOD, total="1: 1"):
    """Write a dump of stacks (leaf, counts); the default total is not the sum, so that the numbers count as unbiased."""
    lines = "".join(f"@ 0x5555{leaf:08x} 0x55550000{100 + i:04x}\n  t*: {counts} [0: 0]\n"
                    for i, (leaf, counts) in enumerate(stacks))
    return t.file(f"{name}.heap", f"heap_v2/{period}\n  t*: {total} [0: 0]\n{lines}\nMAPPED_LIBRARIES:\n"
                                  "555500000000-555510000000 r-xp 00000000 fe:00 1  /srv/program\n")


def row_of(t, *args):
    told = json.loads(check(t.run("top", "--format=json", "--no-symbols", "-j1", *args)).out)
    row = told["rows"][0]
    return row["flat"]["inuse-space"], row["sizes"], told["total"]["inuse-space"]["estimate"]


@case
def sizes_are_known_if_no_others_print_the_same_numbers(t):
    for sizes in ([262144, 1310720], [393216, 458752, 1048576],
                  [262144, 393216, 655360, 1572864], [327680, 393216, 524288, 655360, 786432]):
        flat, read, _ = row_of(t, dump(t, "known", (1, printed(sizes))))
        assert read == {"unique": 1, "several": 0, "none": 0}, (sizes, read)
        assert math.isclose(flat["estimate"], estimated(sizes), rel_tol=1e-6), (sizes, flat)
        assert flat["low"] >= sum(sizes), (sizes, flat)


@case
def bounds_of_several_readings_contain_all_of_them(t):
    # Other sizes that print the same numbers have a mean that is 7 % less, in each of a thousand stacks.
    sizes = [64, 112, 262144]
    alike = dump(t, "alike", *[(i, printed(sizes)) for i in range(1000)])
    told = json.loads(check(t.run("top", "--format=json", "--no-symbols", alike)).out)
    rows = [row for row in told["rows"] if row["flat"]["inuse-space"]["estimate"] > 0]
    assert len(rows) == 1000 and all(row["sizes"]["several"] == 1 for row in rows)
    total, truth = told["total"]["inuse-space"], 1000 * estimated(sizes)
    assert total["low"] < total["estimate"] < .95 * truth < truth < total["high"], (total, truth)


@case
def raw_sizes_above_32_KiB_need_not_be_size_classes(t):
    counts = "2: 90112"  # 40 + 48 KiB; or 36 + 52 KiB, from jemalloc 5.3.1 on
    alone = dump(t, "pages", (1, counts), period=65536, total=counts)
    flat, read, _ = row_of(t, alone)
    assert read == {"unique": 0, "several": 0, "none": 1}, read
    assert flat["high"] > 2 * 65536 + 90112, flat
    _, read, _ = row_of(t, "--large-sizes=classes", alone)
    assert read["none"] == 0, read


@case
def sizes_outside_of_classes_are_never_more_certain_than_classes(t):
    for counts in ("2: 262144", "3: 786432", "2: 131072", "3: 393216"):  # one class, or several that add up to it
        alone = dump(t, counts.replace(": ", "-"), (1, counts), period=65536, total=counts)
        pages, classes = (row_of(t, f"--large-sizes={sizes}", alone)[0] for sizes in ("pages", "classes"))
        assert pages["low"] <= classes["low"] and classes["high"] <= pages["high"], (pages, classes)
        assert classes["high"] > 1.05 * classes["estimate"], classes


@case
def raw_counts_that_fit_other_sizes_have_no_upper_bound(t):
    # The numbers fit 4,097 objects of the classes 16 bytes and 128 KiB, and other sizes as well.
    counts = "2: 131088"
    alone = dump(t, "open", (1, counts), period=65536, total=counts)
    told = json.loads(check(t.run("top", "--format=json", "--no-symbols", alone)).out)
    objects = told["rows"][0]["flat"]["inuse-objects"]
    assert objects["low"] == 2 and objects["high"] is None, objects


@case
def the_reading_of_a_dump_is_independent_of_earlier_dumps(t):
    open_sizes = [64, 112, 262144], [192, 384], [48, 112]
    several = dump(t, "several", *[(1, printed(sizes)) for sizes in open_sizes])
    known = [[size] for size in (16, 48, 64, 192, 262144) for _ in range(9)]
    both_kinds = dump(t, "known", *[(1, printed(sizes)) for sizes in [*known, [48, 80]]])
    alone = row_of(t, several)[2] + row_of(t, both_kinds)[2]
    for both in ((several, both_kinds), (both_kinds, several)):
        assert abs(row_of(t, "--dumps=sum", *both)[2] - alone) < .01, both


def flats(t, *args):
    told = json.loads(check(t.run("top", "--format=json", "-n0", "-j1", *args)).out)
    return {row["name"]: row["flat"]["inuse-space"] for row in told["rows"]}, told


@case
def exactly_the_objects_that_Go_sampled_are_certain(t):
    # One object of 600 KiB and one of 1 MiB, sampled every 512 KiB.
    rows, told = flats(t, TRUTH / "go-one.pb.gz")
    assert rows["main.six00K"]["low"] == 614400 < rows["main.six00K"]["estimate"], rows
    assert rows["main.oneMiB"]["low"] == 1048576 < rows["main.oneMiB"]["estimate"], rows
    objects = [row["flat"]["inuse-objects"]["estimate"] for row in told["rows"] if row["name"] == "main.six00K"]
    assert math.isclose(objects[0], 1 / -math.expm1(-614400 / PERIOD), abs_tol=.0005), objects


@case
def the_label_of_other_writers_makes_one_object_certain(t):
    # 99 or so were sampled of 100 objects of 303,104 bytes, but the weights are not those of Go.
    rows, _ = flats(t, "--no-symbols", t.testdata / "tcmalloc.pb.gz")
    for about, most in ((24.7e6, .93), (30.3e6, .98)):
        row, = (row for row in rows.values() if .97 < row["estimate"] / about < 1.03)
        assert .8 < row["low"] / row["estimate"] < most, row


@case
def the_interval_of_a_count_is_described_as_for_the_sizes_seen(t):
    told = json.loads(check(t.run("top", "--format=json", "--no-symbols", dump(t, "two", (1, printed([1048576] * 2))))).out)
    flat = told["rows"][0]["flat"]
    assert flat["inuse-objects"]["of"] == "sizes seen" and "of" not in flat["inuse-space"], flat


@case
def few_objects_that_are_certain_are_few_samples(t):
    for count, is_few in ((1, True), (4, True), (5, False)):
        alone = dump(t, f"large{count}", (1, printed([8 * PERIOD] * count)))
        row = json.loads(check(t.run("top", "--format=json", "--no-symbols", alone)).out)["rows"][0]
        assert ("few-samples" in row["flags"]) == is_few and row["effective_samples"] == count, row


@case
def large_sizes_cause_no_warning_without_evidence_of_pages(t):
    alone = dump(t, "one", (1, printed([1048576])))
    for command, is_said in (("top", False), ("info", True)):
        told = json.loads(check(t.codes(command, "--format=json", "--no-symbols", alone)).out)
        assert any("large-sizes-unknown-jemalloc" in warning for warning in [one["text"] for one in told["warnings"]]) == is_said, [one["text"] for one in told["warnings"]]
    large = dump(t, "two", (1, printed([1048576] * 2)))
    check(t.run("diff", "-q", "--no-symbols", "-o", "less.pb.gz", large, alone))
    for command in ("top", "info"):
        told = json.loads(check(t.run(command, "--format=json", "--no-symbols", "less.pb.gz")).out)
        assert not any("large-sizes-unknown" in warning for warning in [one["text"] for one in told["warnings"]]), [one["text"] for one in told["warnings"]]


@case
def V21_large_objects_that_may_be_pages_are_read_in_two_ways(t):
    least, most = 129 * 4096, 655360  # the sizes that jemalloc rounds to 640 KiB
    for period in (65536, PERIOD):
        alone = dump(t, f"pages{period}", (1, printed([most] * 100, period)), period=period)
        flat, read, _ = row_of(t, "--large-sizes=pages", alone)
        ends = [estimated([size] * 100, period) for size in (least, most)]
        assert math.isclose(flat["estimate"], sum(ends) / 2, rel_tol=1e-6), (flat, ends)
        assert flat["low"] < ends[0] and ends[1] < flat["high"] and read["several"] == 1, (flat, ends, read)
    mixed = dump(t, "mixed", (1, printed([262144, 655360] * 50)))
    flat, read, _ = row_of(t, "--large-sizes=pages", mixed)
    whole, _, _ = row_of(t, "--large-sizes=classes", mixed)
    assert read["none"] == 1 and .96 < flat["estimate"] / whole["estimate"] < .99, (flat, whole)
    assert flat["low"] < estimated([225280, least] * 50) and estimated([262144, most] * 50) < flat["high"], flat


@case
def V22_only_the_smallest_possible_size_of_pages_is_certain(t):
    alone = dump(t, "certain", (1, printed([655360] * 100, 65536)), period=65536)
    assert row_of(t, "--large-sizes=pages", alone)[0]["low"] == 100 * 528384
    assert row_of(t, "--large-sizes=classes", alone)[0]["low"] == 100 * 655360
    mix = dump(t, "mix", (1, "100: 65536000"), period=65536)  # 100 objects of 516 KiB may be written like this
    assert row_of(t, "--large-sizes=pages", mix)[0]["low"] < 100 * 528384
