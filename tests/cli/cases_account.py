"""Tests `account`: which files belong together, and which are refused."""
import gzip
import json
import os
import re
import shutil
import subprocess

from harness import ROOT, case, check

ACCOUNT = ROOT / "testdata/account"
FILES = ("heap", "json", "smaps")


def copies(t, stem="app", of="jemalloc-5.3.0"):
    """The three files of a process under one name, unpacked."""
    for ending in FILES:
        packed = ACCOUNT / f"{of}.{ending}.gz"
        if packed.exists():
            (t.folder / f"{stem}.{ending}").write_bytes(gzip.decompress(packed.read_bytes()))
    return [f"{stem}.{ending}" for ending in FILES]


def frag(t):
    for name in ("frag.heap", "frag.json", "frag.smaps_rollup"):
        shutil.copyfile(ACCOUNT / name, t.folder / name)


@case
def account_recognizes_the_kind_of_each_file(t):
    files = copies(t)
    wanted = check(t.run("account", "-q", "--no-symbols", "app.heap", "--stats=app.json",
                         "--smaps=app.smaps"), 0, err="").out
    for order in (files, files[::-1], [files[1], files[0], files[2]]):
        assert check(t.run("account", "-q", "--no-symbols", *order), 0).out == wanted
    assert "Kernel (smaps)" in wanted
    alone = check(t.run("account", "-q", "--no-symbols", *files[:2]), 0).out
    assert "Kernel (smaps)" not in alone and wanted.startswith(alone.rstrip("\n"))


def parts_of(rows):
    """The name of each row, and the bytes by which it exceeds the parts that add up to it."""
    for number, row in enumerate(rows):
        parts = [part["bytes"]["estimate"] for part in rows if part["parent"] == number and part["adds"]]
        if parts:
            yield row["name"], row["bytes"]["estimate"] - sum(parts)


@case
def account_adds_up_to_the_byte_in_both_versions(t):
    frag(t)
    copies(t, "a", "jemalloc-5.3.0")
    copies(t, "b", "jemalloc-5.3.1")
    copies(t, "c", "jemalloc-4.5.0")
    for stem in ("frag", "a", "b", "c"):
        report = json.loads(check(t.run("account", "-q", "-fjson", "--no-symbols", f"{stem}.heap", f"{stem}.json"), 0).out)
        rows = report["rows"]
        assert not [name for name, rest in parts_of(rows) if rest], list(parts_of(rows))
        of = {row["name"]: row["bytes"]["estimate"] for row in rows}
        assert "[the books do not balance]" not in of, of
        if stem == "c":
            assert of["free in slabs"] == 19237888 and "thread caches" not in of, of
        else:
            assert 0 <= of["rounding of base"] < 65536
        assert sum(name.startswith("resident") for name in of) == 1
    of = {row["name"]: (row["bytes"]["estimate"], row["objects"]) for row in json.loads(check(t.run(
        "account", "-q", "-fjson", "--no-symbols", "frag.heap", "frag.json"), 0).out)["rows"]}
    assert of["allocated"][0] == 15762432 and of["active"][0] == 35840000
    assert of["objects of the program"][0] == 8146432
    assert of["profiler: extra size of sampled objects"] == (7378464, 453)
    assert (of["thread caches"][0], of["the allocator's own (internal)"][0]) == (55296, 182240)
    assert of["free in slabs"][0] == 16968704 and of["a page beside each large object"][0] == 759 * 4096


def waste_dump(t, others):
    """The class of 96 bytes of `frag`, 453 samples of one stack, and some of another."""
    frag(t)
    text = (t.folder / "frag.heap").read_text()
    first = text.index("@", text.index("453: 43528"))
    stack = text[text.rindex("@", 0, text.index("453: 43528")):first]
    more = stack.replace("0x55b32094127b", "0x55b320941299").replace("453: 43528", f"{others}: {others * 96}")
    t.file("w.heap", text[:first] + (more if others else "") + text[first:])
    shutil.copyfile(t.folder / "frag.json", t.folder / "w.json")
    return json.loads(check(t.codes("account", "--waste", "-q", "-fjson", "--no-symbols", "w.heap", "w.json"), 0).out)["rows"]


@case
def waste_blames_no_stack_if_another_may_keep_the_slabs(t):
    rows = waste_dump(t, 0)
    assert rows[0]["size"] == 96 and rows[0]["free"] == 1527 * 12288 - 19563 * 96
    assert rows[0]["note"].startswith("holder-of-size: 96 B ") and len([row for row in rows if row["parent"] == 0]) == 1
    # Four of 457 samples represent 172 objects, which is enough for a ninth of the slabs.
    rows = waste_dump(t, 4)
    shares = [row["share"] for row in rows if row["parent"] == 0]
    assert shares[0] > 0.98 and len(shares) == 2, shares
    assert rows[0]["note"] == "holders-of-size: 96 B several-holders"
    assert all(row["free"] is None and row["note"] == "" for row in rows if row["parent"] is not None)


@case
def account_skips_incomplete_sets_of_files_and_names_them(t):
    files = copies(t)
    lonely = copies(t, "b", "jemalloc-5.3.1")
    result = check(t.codes("account", "-fjson", "--no-symbols", *files, "b.heap"), 0)
    assert "account-name-alone: b.heap statistics\n" in result.err
    assert json.loads(result.out)["inputs"]["used"] == 1
    result = check(t.codes("account", "-fjson", "--no-symbols", *files, "b.json"), 0)
    assert "account-name-alone: b.json dump\n" in result.err
    for wrong in (files[:1], files[1:], ["app.heap", *lonely[1:]]):
        check(t.codes("account", *wrong), 2, "", "stats-none")
    check(t.codes("account", *files, "--stats=app.json"), 2, "", "stats-of-one-dump")
    shutil.copyfile(t.folder / "app.heap", t.folder / "app.other")
    check(t.codes("account", *files, "app.other"), 2, "", "account-name-twice: ")


@case
def account_gives_the_same_report_in_any_order_of_files(t):
    files = copies(t) + copies(t, "b", "jemalloc-5.3.1")
    for name in ("x.heap", "y.heap", "z.json"):
        shutil.copyfile(t.folder / f"app.{name[2:]}", t.folder / name)
        files.append(name)
    wanted = check(t.codes("account", "--no-symbols", *files), 0)
    assert "account-name-alone: x.heap statistics\n" in wanted.out + wanted.err
    for order in (files[::-1], files[4:] + files[:4]):
        assert vars(check(t.codes("account", "--no-symbols", *order), 0)) == vars(wanted)
    shutil.copyfile(t.folder / "app.heap", t.folder / "app.other")
    refusals = {check(t.codes("account", *order), 2, "", "account-name-twice: ").err
                for order in (["app.heap", "app.other"], ["app.other", "app.heap"])}
    assert len(refusals) == 1, refusals


@case
def account_of_several_processes_is_their_sum(t):
    def rows(*files):
        report = json.loads(check(t.run("account", "-q", "-fjson", "--no-symbols", *files), 0).out)
        return {row["name"]: row["bytes"]["estimate"] for row in report["rows"]}
    one, two = copies(t), copies(t, "b", "jemalloc-5.3.1")
    first, second, both = rows(*one[:2]), rows(*two[:2]), rows(*one[:2], *two[:2])
    for name in ("resident", "active", "allocated", "free in slabs", "dirty pages", "thread caches",
                 "objects by malloc_stats"):
        assert both[name] == first[name] + second[name], name
    with_maps = rows(*one, *two)
    assert "Pss" in with_maps and "Rss" not in with_maps


@case
def account_adds_up_processes_that_hold_more_than_any_machine(t):
    frag(t)
    of, most = (t.folder / "frag.json").read_text(), 1 << 56
    heap, files = (t.folder / "frag.heap").read_text(), []
    for key in ("allocated", "active", "resident", "mapped"):
        of = re.sub(rf'("stats":{{.*?"{key}":)\d+', rf"\g<1>{most}", of, count=1)
    for i in range(300):
        files += [t.file(f"p{i}.heap", heap.replace("7ff5", f"7{i:03x}")), t.file(f"p{i}.json", of)]
    report = json.loads(check(t.run("account", "-q", "-fjson", "--no-symbols", *files), 0).out)
    rows = {row["name"]: row["bytes"]["estimate"] for row in report["rows"]}
    for name in ("resident", "active", "allocated", "mapped: address space"):
        assert rows[name] == 300 * most, (name, rows[name])


@case
def account_rejects_files_of_other_processes(t):
    copies(t)
    copies(t, "b", "jemalloc-5.3.1")
    frag(t)
    check(t.codes("account", "app.heap", "--stats=app.json", "--smaps=b.smaps"), 5, "",
          "smaps-of-other-process")
    check(t.codes("account", "app.heap", "--stats=app.json", "--smaps=frag.smaps_rollup"), 5, "",
          "smaps-of-other-process")
    text = (t.folder / "app.json").read_text().replace('"lg_sample":12', '"lg_sample":19')
    t.file("c.json", text)
    check(t.codes("account", "app.heap", "--stats=c.json"), 5, "",
          "stats-period-differs: 4096 524288")
    check(t.codes("account", t.testdata / "gperftools-growth.heap", "--stats=app.json"), 5, "",
          "account-not-jemalloc: gperftools heap growth")
    # Two moments of one process: only the numbers show the difference.
    text = (t.folder / "app.json").read_text()
    told = json.loads(text)["jemalloc"]["stats"]["allocated"]
    assert text.count(f'"allocated":{told}') == 1
    out = check(t.codes("account", "-q", "--no-symbols", "b.heap", "--stats=app.json"), 0).out
    assert re.search(r"account-books-differ: [^%]* 5\s", out), out
    t.file("every.json", text.replace('"lg_sample":12', '"lg_sample":0'))  # the dump has every object
    out = check(t.codes("account", "-q", "--no-symbols", t.testdata / "jemalloc-lg0.heap", "--stats=every.json"), 0).out
    assert re.search(r"account-books-differ: [^%]* 0\s", out), out


@case
def account_names_the_parts_that_are_missing(t):
    frag(t)
    report = json.loads((t.folder / "frag.json").read_text())
    report["jemalloc"]["stats"]["active"] -= 4096
    t.file("frag.json", json.dumps(report))
    out = check(t.run("account", "-q", "-fjson", "--no-symbols", "frag.heap", "frag.json"), 0, err="").out
    rests = [row["bytes"]["estimate"] for row in json.loads(out)["rows"] if row["name"] == "[the books do not balance]"]
    assert rests == [-4096], rests


@case
def account_rejects_files_of_other_kinds(t):
    copies(t)
    t.file("text.json", "___ Begin jemalloc statistics ___\n")
    t.file("cut.json", (t.folder / "app.json").read_text()[:2000])
    t.file("map.smaps", "".join(line for line in (t.folder / "app.smaps").open() if ":" not in line.split()[0]))
    check(t.codes("account", "app.heap", "--stats=text.json"), 5, "",
          "stats-other-file: malloc_stats_print's text")
    check(t.run("account", "app.heap", "--stats=cut.json"), 5, "", "cut.json")
    check(t.codes("account", "app.heap", "--stats=app.json", "--smaps=map.smaps"), 5, "",
          "smaps-no-rss")
    check(t.run("account", "app.heap", "--stats=none.json"), 5, "", "none.json")
    check(t.codes("account", "app.heap", "--stats=app.heap"), 5, "", "stats-other-file: no JSON")
    check(t.codes("account", "app.heap"), 2, "", "stats-none")
    check(t.codes("tree", "app.heap", "--stats=app.json"), 2, "", "option-not-of-command: tree stats")
    check(t.codes("account", "app.heap", "--stats=app.json", "--by=line"), 2, "", "option-not-of-command: account by")
    check(t.codes("account", "app.heap", "--stats=app.json", "-ffolded"), 2, "",
          "format-not-of-command: account  folded ")


def peak_of(t, *args):
    """(status, messages, peak memory in bytes) of a run."""
    with open(t.folder / "said", "w+b") as said:
        process = subprocess.Popen(t.command(*args, is_coded=True), cwd=t.folder, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return process.returncode, said.read().decode(), used.ru_maxrss << 10


@case
def each_bad_input_ends_with_one_message(t):
    """Tests bad statistics, prof_recent and smaps.  The memory stays small for a file of 1 GiB."""
    copies(t)
    copies(t, "b", "jemalloc-5.3.1")
    frag(t)
    stats = (t.folder / "app.json").read_text()
    recent = gzip.decompress((ACCOUNT / "frag.recent.json.gz").read_bytes()).decode()
    smaps = (t.folder / "app.smaps").read_text()
    told = re.search(r'"allocated":\d+', stats)[0]
    curregs = re.search(r'"curregs":\d+', stats[stats.index('"merged"'):])[0]
    huge = t.folder / "huge"
    with open(huge, "wb") as file:
        file.truncate(1 << 30)
    deep = "[" * 10**6
    as_stats = ("account", "app.heap", "--stats=bad")
    as_smaps = ("account", "app.heap", "--stats=app.json", "--smaps=bad")
    as_recent = ("lifetime", "frag.heap", "--recent=bad")
    for args, says, text in (
            (as_stats, "json-cut", stats[:len(stats) // 2]), (as_stats, "JSON of something else", '{"a": 1}'),
            (as_stats, "stats . allocated stats-below-zero", stats.replace(told, '"allocated":-5', 1)),
            (as_stats, "stats . active stats-allocated-zero", re.sub(r'"active":\d+', '"active":0', stats)),
            (as_stats, "stats . resident stats-below-active", re.sub(r'"resident":\d+', '"resident":0', stats, count=1)),
            (as_stats, "too big integer", stats.replace(told, f'"allocated":{2**64}', 1)),
            (as_stats, "depth", '{"jemalloc": ' + deep), (as_stats, "prof_recent", recent),
            (as_stats, "stats-objects-exceed-slabs", stats.replace(curregs, f'"curregs":{2**40}')),
            (as_recent, "json-cut", recent[:len(recent) // 2]), (as_recent, "malloc_stats_print's JSON", stats),
            (as_recent, "usize recent-below-zero", re.sub(r'"usize":\d+', '"usize":-1', recent, count=1)),
            (as_recent, "too big integer", re.sub(r'"usize":\d+', f'"usize":{2**64}', recent, count=1)),
            (as_recent, "depth", '{"recent_alloc": ' + deep),
            (as_smaps, "smaps-of-other-process", (t.folder / "b.smaps").read_text()), (as_smaps, "smaps-other-line", smaps[:-30] + "\n"),
            (as_smaps, "smaps-kb-expected", re.sub(r"Rss: +\d+", f"Rss: {2**64}", smaps, count=1)),
            (as_smaps, "smaps-kb-expected", re.sub(r"Rss: +\d+", "Rss: -4", smaps, count=1)),
            (as_smaps, "smaps-other-line", stats)):
        t.file("bad", text)
        code, said, peak = peak_of(t, *args, "--no-symbols")
        assert code == 5 and says in said and said.count("\n") == 1, (args, says, code, said)
        assert peak < 1 << 29, (args, says, peak)
    (t.folder / "bad").unlink()
    huge.rename(t.folder / "bad")
    for args in (as_stats, as_smaps, as_recent):
        code, said, peak = peak_of(t, *args, "--no-symbols")
        assert code == 7 and "input-too-large" in said and said.count("\n") == 1 and peak < 1 << 30, (args, code, said, peak)
    # A repeated entry is no error: the last one is used.
    t.file("bad", stats.replace(told, f"{told},{told}", 1))
    both = [check(t.run("account", "-q", "-fjson", "--no-symbols", "app.heap", f"--stats={name}"), 0).out
            for name in ("app.json", "bad")]
    assert both[0] == both[1]


@case
def waste_of_redis_is_in_the_class_of_its_deleted_keys(t):
    """In the dump 90 % of 400,000 keys of 100 bytes were deleted; one stack holds the rest."""
    files = copies(t, "redis", "redis")[:2]
    bins = json.loads((t.folder / "redis.json").read_text())["jemalloc"]["stats.arenas"]["0"]["bins"]
    sizes = json.loads((t.folder / "redis.json").read_text())["jemalloc"]["arenas"]["bin"]
    rows = json.loads(check(t.codes("account", "--waste", "-q", "-fjson", "--no-symbols", *files), 0).out)["rows"]
    classes = {row["size"]: row for row in rows if row["parent"] is None}
    assert list(classes)[:3] == [112, 32, 16], list(classes)[:3]
    for size, bin_ in zip(sizes, bins):
        free = bin_["curslabs"] * size["slab_size"] - bin_["curregs"] * size["size"]
        assert classes.get(size["size"], {"free": 0})["free"] == free, size
    holders = [row for row in rows if row["parent"] == 0]
    assert len(holders) == 1 and holders[0]["share"] == 1 and rows[0]["note"].startswith("holder-of-size: "), rows[:3]
    assert rows[0]["free"] == 40162976 and (rows[0]["slabs"], rows[0]["nonfull_slabs"]) == (1557, 1556), rows[0]
    others = [row for row in rows if row["size"] in (32, 16) and row["parent"] is None]
    assert all("several-holders" in row["note"] for row in others), others


@case
def V25_statistics_show_whether_large_sizes_are_pages(t):
    one, two = copies(t)[:2], copies(t, "b", "jemalloc-5.3.1")[:2]
    for files, wanted, *option in ((one, 0), (two, 1), (one + two, 1), (two, 0, "--large-sizes=classes")):
        told = json.loads(check(t.run("account", "-q", "-fjson", "--no-symbols", *option, *files), 0).out)["inputs"]
        assert told.get("large_sizes", {"pages": 0})["pages"] == wanted, (files, told)


@case
def the_limit_of_frames_in_the_statistics_shows_which_stacks_are_cut(t):
    frag(t)
    stats = json.loads((t.folder / "frag.json").read_text())
    stats["jemalloc"]["opt"]["prof_bt_max"] = 9  # the depth of nearly all stacks
    t.file("nine.json", json.dumps(stats))
    for command in "top", "info":
        for name, says in (("nine.json", True), ("frag.json", False)):
            result = check(t.codes(command, "--no-symbols", f"--stats={name}", "frag.heap"), 0)
            assert ("end-limit" in result.out + result.err) == says, (command, name, result)
