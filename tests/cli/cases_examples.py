"""Runs the examples of the documents and the manual literally, in a folder that has the files they name.

Blocks ```console of documents, which show what they print, are of tests/style/documents.py.
"""
import gzip
import itertools
import os
import re
import shutil
import subprocess
import textwrap

from harness import ROOT, Skip, case

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MANUAL = "".join(path.read_text() for path in sorted((ROOT / "man").glob("hprof-agg*.[17]")))
# Replacements for names of the reader's machine or program.
INSTEAD = {"Cache::insert": "over", "^net::": "^leaf", "^Server::run": "^main", "/var/dumps": "var/dumps", "/srv/image": "srv/image",
           "/var/tmp/dumps": "hprof-sets", "build/sampler/record/": "", "doctor PID": "doctor app.heap", "doctor ./app": "doctor program",
           "/tmp/perf-": "perf-", "/tmp/app": "app", " NAME ": " over ", " COMMAND": " top", " FILE": " app.heap", "account app.heap --stats=app.json": "account run/app.heap --stats=run/app.json"}
# Commands that show their input, which must not be empty.
SHOWS_INPUT = ("flamegraph.pl", "dot")
SHOWS_FILE = ("kcachegrind", "go")
OURS = re.compile(r"(?:^|\| )hprof-(?:agg|jeprof) ", re.M)


def examples_of_page(path):
    """Each indented block with a command of ours is a script, but each line is one if all of them are ours; then the commands in the text."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)
    for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", text, re.M):
        lines = textwrap.dedent(block).splitlines()
        if OURS.search("\n".join(lines)) and "hprof-sim" not in block:
            yield from lines if all(OURS.match(line) and not line.endswith("\\") for line in lines) else ["\n".join(lines)]
    for command in re.findall(r"`(hprof-(?:agg|jeprof) [^`]*)`", text):
        yield command.replace("\\|", "|").replace("\n", " ")


def examples_of_manual():
    text = MANUAL.replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")
    for line in re.findall(r"^\.Dl \$ (.*)$", text, re.M):
        assert len(line) < 66, f"is broken into two lines: {line}"
        yield line
    for block in re.findall(r"^\.Bd -literal.*\n((?:[^.].*\n)*)\.Ed", text, re.M):
        for command in re.split(r"^\$ ", block, flags=re.M)[1:]:
            yield command
    for command in re.findall(r"^The command\s+\\fB(hprof-agg [a-z][^\\]*) a b\\fR", text, re.M):
        yield command + " a.heap b.heap"


def tool(folder, name, script):
    path = folder / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def furnish(t):
    """Make the files that examples name.  All dumps differ, because a repeated dump is an error."""
    golden = ROOT / "testdata/golden"
    for folder in ("bin", "base", "old", "new", "prod", "canary", "dumps/web1", "dumps/web2", "var/dumps", "srv/image", "hosts", "run", "recent", "clickhouse", "web"):
        (t.folder / folder).mkdir(parents=True)
    for link in ("root", "golden", "differences"):
        (t.folder / link).symlink_to(ROOT / "testdata" / link)
    (t.folder / "testdata").symlink_to(ROOT / "testdata")
    tool(t.folder, "hprof-agg", 'case $1 in help | version | manifest | digest | doctor) ;; *) set -- --symbol-dir=root --symbol-dir-only "$@" ;; esac\n'
                                f'exec {t.binary} "$@"')
    (t.folder / "bin/hprof-jeprof").symlink_to(t.binary)
    for name in ("app", "a", "b"):
        t.file(f"{name}.folded", f"main;work;{name} 128\n")
    tool(t.folder, "curl", "cat a.heap")
    tool(t.folder, "hprof-record", "test -d hprof-sets")
    for name in SHOWS_INPUT:
        tool(t.folder, name, 'test "$(wc -c)" -gt 0')
    for name in SHOWS_FILE:
        tool(t.folder, name, 'for file; do :; done; test -s "$file"')
    dumps = sorted(golden.glob("procs*.heap"))
    for name, source in (
            ("app.1.0.f.heap", dumps[0]), ("app.2.0.f.heap", dumps[1]), ("a.heap", dumps[2]),
            ("b.heap", dumps[3]), ("app.heap", golden / "cxx.heap"),
            ("app.truth.heap", t.testdata / "jemalloc-lg0.heap"),
            ("clickhouse/jemalloc.1.0.heap", t.testdata / "jemalloc-clickhouse.heap")):
        t.file(name, source.read_text().replace("worker 2", "io worker"))
    shutil.copyfile(t.testdata / "alloc_c", t.folder / "program")
    shutil.copyfile(golden / "raw-mixed.heap", t.folder / "jeprof.9.0.f.heap")
    for source, name in zip(sorted((golden / "series").glob("*.heap")),
                            ("0.i0", "1.i1", "2.i2", "3.i3", "4.i4", "24.i24"), strict=True):
        shutil.copyfile(source, t.folder / f"app.7.{name}.heap")
    for source, name in zip(itertools.cycle(dumps), (f"{side}/{i}.heap" for side in ("prod", "canary", "base", "old", "new")
                                                     for i in (1, 2))):
        shutil.copyfile(source, t.folder / name)
    for source, name in zip(dumps, ("web1/v1.2-a.heap", "web1/v1.3-a.heap", "web2/v1.2-a.heap")):
        shutil.copyfile(source, t.folder / "dumps" / name)
    for source in dumps:
        shutil.copyfile(source, t.folder / "var/dumps" / source.name)
    for ending in ("heap", "json", "smaps"):
        with gzip.open(ROOT / f"testdata/account/jemalloc-5.3.0.{ending}.gz") as packed:
            (t.folder / "run" / f"app.{ending}").write_bytes(packed.read())
    series = sorted((golden / "series").glob("*.heap"))
    for i, name in enumerate(("app.7.20261130T154430-123Z.200M", "app.7.20261130T154433-123Z.250M", "app.4711.20261130T154434-123Z.291M")):
        path = t.folder / "hprof-sets" / name
        path.mkdir(parents=True)
        (path / "facts.json").write_text("{}")
        for ending in ("heap", "json", "smaps") if "4711" in name else ("heap",):
            source = t.folder / f"run/app.{ending}" if "4711" in name else series[i]
            shutil.copyfile(source, path / f"{'.'.join(name.split('.')[:2])}.{i}.m{i}.{ending}")
    for name, source in (("recent/app.json", "account/frag.recent.json.gz"), ("recent/app.heap", "account/frag.heap"),
                         *((f"redis.9.{i}.i{i}.heap", f"real/redis_lg13.27533.{i}.i{i}.heap.gz") for i in range(3, 6))):
        path = ROOT / "testdata" / source
        (t.folder / name).write_bytes(gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes())
    generated = ROOT / "testdata/generated"
    for name, source in (("web/web.4711.0.m0.heap", "python.heap"), ("perf-4711.map", "python.map.gz"),
                         ("worker.101.0.m0.heap", "fk.2403.0.m0.heap"), ("perf-100.map", "perf-2402.map.gz"),
                         ("perf-101.map", "perf-2403.map")):
        path = generated / source
        (t.folder / name).write_bytes(gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes())
    _, _, rows = (t.folder / "recent/app.heap").read_text().partition("MAPPED_LIBRARIES:\n")
    t.file("recent/app.maps", rows)
    shutil.copyfile(t.folder / "run/app.json", t.folder / "app.json")
    t.file("all", "a.heap\nb.heap\napp.1.0.f.heap\n")
    for part, name in (("aa", "a.heap"), ("ab", "b.heap")):
        t.run("merge", "-o", f"part.{part}.pb.gz", name)


def faults_of(t, example):
    for old, new in INSTEAD.items():
        example = example.replace(old, new)
    environment = t.environment({"PATH": f"{t.folder / 'bin'}:{os.environ['PATH']}"})
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", example], cwd=t.folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    allowed = (0, 1) if "--fail-if" in example else (0,)
    return [] if done.returncode in allowed else [f"{example}: status {done.returncode}: {done.stderr}"]


def run_all(t, examples, least):
    furnish(t)
    faults = [fault for example in examples for fault in faults_of(t, example)]
    assert len(examples) >= least, f"only {len(examples)} were found"
    assert not faults, "\n".join(faults)


@case
def examples_of_the_documents_work_unchanged(t):
    run_all(t, [example for path in DOCUMENTS for example in examples_of_page(path)], 110)
    report = (t.folder / "summary.md").read_text()
    assert "| function |" in report and "| 95% CI | p |" in report, report


@case
def examples_of_the_manual_work_unchanged(t):
    run_all(t, list(examples_of_manual()), 34)


@case
def the_first_five_minutes_are_sixty_lines_and_answer_four_questions(t):
    """Checks the section as mandoc shows it."""
    part = re.search(r"^\.Sh FIRST FIVE MINUTES\n(.*?)^\.Sh ", MANUAL, re.M | re.S)[1]
    questions = re.findall(r"^\.Ss (.*)$", part, re.M)
    assert questions == ["What holds my memory", "Who calls it", "What grew", "Is it real"], questions
    for question, answer in zip(questions, re.split(r"^\.Ss .*$", part, flags=re.M)[1:]):
        assert ".Dl $ hprof\\-agg " in answer, question
    if not shutil.which("mandoc"):
        raise Skip("no mandoc")
    page = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=80", ROOT / "man/hprof-agg.1"], capture_output=True, text=True, check=True).stdout
    page = re.sub(".\b", "", page)
    shown = re.search(r"^FIRST FIVE MINUTES\n(.*?)^COMMON OPTIONS$", page, re.M | re.S)[1].rstrip()
    assert len(shown.splitlines()) < 60, shown
