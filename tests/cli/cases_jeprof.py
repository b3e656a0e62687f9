"""Tests jeprof's command line: the calls in public scripts, its shell, its messages on stderr."""
import collections
import functools
import os
import pathlib
import re
import shlex
import subprocess

import harness
from harness import ROOT, check
from rooted import gone

TABLE = pathlib.Path(__file__).with_name("jeprof-invocations")
VALUES = {"--base": "{other}", "--lib_prefix": "/nowhere,/srv", "--exclude": "_+rjem_|prof_.*",
          "--focus": "main", "--nodecount": "10000", "--add_lib": "/lib/libnone.so",
          "--tools": "addr2line:/usr/bin/addr2line,nm:/usr/bin/nm"}
USES = {"glob", "server", "pipe", "interactive", "url", "rawfile", "nobinary"}


def case(function):
    """A case in which no map of a dump names a path of a machine."""
    @functools.wraps(function)
    def without_machine(bench):
        function(harness.Bench(bench.binary, gone(bench.testdata), bench.folder))
    return harness.case(without_machine)


def jeprof(bench, *args, **more):
    return bench.run("jeprof", *args, **more)


def codes(bench, *args, **more):
    return jeprof(bench, *args, is_coded=True, **more)


def command_of(bench, words):
    """A line of the table as a command line, and its standard input."""
    uses = {word for word in words if word in USES}
    options = []
    for word in words:
        name, _, abbreviated = word.partition("(abbr)")
        if name in USES:
            continue
        value = VALUES.get(name, "").format(other=bench.other)
        name = name[:-1] if abbreviated or "(abbr)" in word else name
        options += [f"{name}={value}"] if value else [name]
    series = sorted(map(str, (bench.testdata / "series").glob("*.heap")))
    if "url" in uses:
        inputs = ["http://localhost:8080/pprof/heap"]
    elif "rawfile" in uses:
        inputs = [str(bench.testdata / "jeprof-raw-symbolized.heap")]
    else:
        inputs = [] if "nobinary" in uses else [str(bench.testdata / "alloc_c")]
        inputs += series if "glob" in uses else [str(bench.testdata / "jemalloc-lg0-accum.heap")]
    typed = b"top3 --cum\nquit\n" if "interactive" in uses else None
    return options + inputs, typed


@case
def every_public_command_line_is_understood(b):
    lines = [line.split("|") for line in TABLE.read_text().splitlines()
             if not line.startswith("#")]
    assert len(lines) == 161, len(lines)
    known = {}
    for options, status, first in lines:
        command, typed = command_of(b, options.split())
        key = (tuple(command), typed)
        got = known[key] if key in known else jeprof(b, *command, text=typed)
        known[key] = got
        assert got.status == int(status) and got.out.startswith(first.strip()), (options, got)
        assert bool(got.out) == (got.status == 0), (options, got)
        assert "no option" not in got.err and "more than one option" not in got.err, (options, got)
        assert got.status == 0 or got.err.splitlines()[-1].startswith("hprof-agg: "), (options, got)


@case
def it_is_meant_by_the_name_of_the_program(b):
    wanted = jeprof(b, "--text", b.dump).out
    for name in ("jeprof", "hprof-jeprof", "google-pprof"):
        link = b.folder / name
        link.symlink_to(os.path.abspath(b.binary))
        got = subprocess.run([link, "--text", b.dump], capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, check=True,
                             env=b.environment(None))
        assert got.stdout == wanted, (name, got)


@case
def memory_is_limited_and_binaries_are_read_confined(b):
    wanted = jeprof(b, "--text", b.dump).out
    assert wanted == jeprof(b, "--text", "--max-memory", "none", "-sandbox=off", b.dump).out
    for word, said in (("--max-memory=8GB", "value-did-you-mean: max-memory 8GB GiB"),
                       ("--max-memory=", "value-wrong: max-memory "), ("--sandbox=on", "choice-unknown: sandbox on "),
                       ("--max-memory", "jeprof-needs-value: max-memory"),
                       ("--nosandbox", "jeprof-option-unknown: no nosandbox")):
        got = codes(b, "--text", b.dump, word)
        assert got.status == 1 and not got.out and said in got.err, (word, got)
    required = jeprof(b, "--text", "--sandbox=require", b.dump)
    lacking = b.run("top", "--sandbox=require", b.dump)
    assert (required.status == 0) == (lacking.status == 0), (required, lacking)
    assert required.out == wanted or required.err == lacking.err, (required, lacking)


@case
def what_scripts_shorten_is_an_option_of_jeprof(b):
    for word, same in (("--max=2", "--maxdegree=2"), ("--ex=x", "--exclude=x")):
        got = jeprof(b, "--dot", word, b.dump)
        assert got.status == 0 and got.out == jeprof(b, "--dot", same, b.dump).out, (word, got)
    assert jeprof(b, "--text", "--exact", b.dump).out == jeprof(b, "--text", "--exact-jeprof", b.dump).out


@case
def it_is_a_command_among_the_others(b):
    wanted = jeprof(b, "--help").out
    assert "jeprof" in re.findall(r"^  (\w+) ", b.run("help", "--all").out.partition("\nInput:")[0], re.M)
    for words in (("help", "jeprof"), ("--help", "jeprof")):
        got = b.run(*words)
        assert (got.status, got.out) == (0, wanted), (words, got)
    for words, said in ((("--", "jeprof", b.dump), "jeprof-first"),
                        (("-q", "jeprof", b.dump), "option-not-of-command: jeprof quiet")):
        got = b.codes(*words)
        assert got.status == 2 and said in got.err, (words, got)


@case
def options_are_read_as_by_getopt_long(b):
    wanted = jeprof(b, "--text", "--show_bytes", f"--base={b.other}", b.dump).out
    assert wanted.startswith("Total: ") and wanted.splitlines()[0].endswith(" B"), wanted
    for words in (["-text", "-show_b", "-base", b.other, b.dump],
                  [b.dump, "--TEXT", "--show", f"-base={b.other}"],
                  ["--cum", "--nocum", "--tex", "--show_byte", "--no-cum", b.dump, "--bas", b.other],
                  ["--text", "--show_bytes", f"--base={b.other}", "--", b.dump]):
        assert jeprof(b, *words).out == wanted, words
    for words, told in ((["--inuse", b.dump], "jeprof-option-unknown: more than one inuse\n"),
                        (["--te", b.dump], "jeprof-option-unknown: more than one te\n"),
                        (["--frobnicate", b.dump], "jeprof-option-unknown: no frobnicate\n"),
                        (["--text", "--dot", b.dump], "jeprof-exclusive: "),
                        (["--lines", "--files", b.dump], "jeprof-exclusive: "),
                        (["--nodecount=x", b.dump], "jeprof-not-a-number: nodecount x"),
                        (["--text=1", b.dump], "jeprof-takes-no-value: text"),
                        (["--base"], "jeprof-needs-value: base"),
                        ([], "jeprof-no-program"),
                        ([str(b.testdata / "alloc_c")], "jeprof-no-profile")):
        got = codes(b, *words)
        assert got.status == 1 and told in got.err and not got.out, (words, got)


@case
def files_that_are_used_are_told_as_scripts_expect(b):
    program = str(b.testdata / "alloc_c")
    err = codes(b, "--text", program, b.dump).err
    assert err.splitlines()[:2] == [f"jeprof-local-file: {name}" for name in (program, b.dump)], err


@case
def a_program_at_another_path_names_the_frames(b):
    copy = b.folder / "elsewhere"
    copy.write_bytes((b.testdata / "alloc_c").read_bytes())
    rows = jeprof(b, "--text", copy, b.dump).out
    assert " leaf_mixed\n" in rows, rows
    assert "leaf_mixed" not in jeprof(b, "--text", b.dump).out
    assert jeprof(b, "--text", b.dump, copy).out == rows  # at any path
    below = ROOT / "testdata" / "root"
    assert " leaf_mixed\n" in jeprof(b, "--text", f"--lib_prefix=/none,{below}", b.dump).out


@case
def of_one_process_the_newest_dump_counts_unless_sums_are_asked_for(b):
    series = sorted(map(str, (b.testdata / "series").glob("*.heap")))
    last = codes(b, "--text", "--show_bytes", *series)
    each = [jeprof(b, "--text", "--show_bytes", name).out for name in series]
    assert last.out in each, last
    notes = [line for line in last.err.splitlines() if "jeprof-moment: " in line]
    assert len(notes) == 1, last.err
    total = (lambda out: int(out.split()[1]))
    summed = codes(b, "--text", "--show_bytes", "--sum", *series)
    assert abs(total(summed.out) - sum(map(total, each))) <= len(each), summed
    assert "jeprof-moment" not in summed.err


@case
def a_dump_that_is_given_twice_counts_once_unless_exactly_as_in_jeprof(b):
    copy = b.folder / "copy.heap"
    copy.write_bytes(pathlib.Path(b.dump).read_bytes())
    total = (lambda *words: int(jeprof(b, "--text", "--show_bytes", *words).out.split()[1]))
    for again in (b.dump, copy):
        for words in ((), ("--sum",)):
            got = codes(b, "--text", "--show_bytes", *words, b.dump, again)
            assert got.out == jeprof(b, "--text", "--show_bytes", b.dump).out, (words, got)
            assert got.err.count("inputs-repeated: 1 2") == 1, got
        once = total("--exact-jeprof", b.dump)
        assert abs(total("--exact-jeprof", b.dump, again) - 2 * once) <= 1, (again, once)


@case
def a_glob_of_many_dumps_of_a_process_shows_the_newest(b):
    """In the shell's order of names, the newest of 17 dumps is not the last."""
    first = sorted((b.testdata / "series").glob("*.heap"))[0].read_text()
    sample = re.compile(r"^( +t[0-9*]+: )(\d+): (\d+)", re.M)
    for i in range(17):
        (b.folder / f"jp.10978.{i}.i{i}.heap").write_text(sample.sub(
            lambda found: f"{found[1]}{int(found[2]) * (i + 1)}: {int(found[3]) * (i + 1)}", first))
    (b.folder / "jeprof").symlink_to(os.path.abspath(b.binary))
    (b.folder / "program").symlink_to(os.path.abspath(b.testdata / "alloc_c"))
    ask = (lambda line: subprocess.run(
        ["sh", "-c", f'PATH="$PWD:$PATH"; {line}'], cwd=b.folder, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, check=True, env=b.environment(None)))
    total = (lambda dumps: int(ask(f"jeprof --text --show_bytes {dumps}").stdout.split()[1]))
    got = ask("jeprof --message-codes --text --show_bytes program jp.10978.*.heap")
    assert got.stdout == ask("jeprof --text --show_bytes program jp.10978.16.i16.heap").stdout, got
    assert got.stderr.count("jeprof-moment: ") == 1 and got.stderr.count("jeprof-local-file: ") == 18, got
    each = sum(total(f"jp.10978.{i}.i{i}.heap") for i in range(17))
    assert abs(total("--sum jp.10978.*.heap") - each) <= 17, each


@case
def names_of_cxx_are_whole_in_stacks_and_short_in_rows_as_in_jeprof(b):
    words = (b.testdata / "alloc_cxx", b.testdata / "jemalloc-cxx.heap")
    rows = jeprof(b, "--text", *words).out
    stacks = jeprof(b, "--collapsed", *words).out
    assert re.search(r"std::__cxx11::basic_string::\w+( |$)", rows, re.M), rows
    assert "std::__cxx11::basic_string<char, " in stacks and "(" in stacks, stacks
    assert "\u2026" not in rows + stacks, rows + stacks


@case
def a_graph_without_nodes_is_told_in_these_words_and_fails(b):
    for form in ("--dot", "--svg", "--pdf", "--ps"):
        got = jeprof(b, form, "--focus=nobody_is_called_so", b.dump)
        assert got.status == 1 and not got.out, got
        assert got.err.splitlines()[-1] == "No nodes to print", got


@case
def a_picture_has_the_functions_of_the_program_and_what_is_left_of_two_dumps(b):
    words = (b.testdata / "alloc_c", b.dump)
    drawn = jeprof(b, "--svg", *words)
    assert drawn.status == 0 and ">leaf_mixed</text>" in drawn.out, drawn
    assert "Dropping nodes with" in drawn.err, drawn.err
    assert "leaf_mixed" not in jeprof(b, "--svg", "--exclude=leaf_mixed", *words).out
    assert ">0.0 (" not in jeprof(b, "--svg", "--show_bytes", *words).out
    less = jeprof(b, "--svg", f"--base={b.other}", *words)
    assert less.status == 0 and less.out != drawn.out, less
    assert jeprof(b, "--pdf", *words).out.startswith("%PDF-1.4")
    assert jeprof(b, "--ps", *words).out.startswith("%!PS-Adobe-3.0\n%%BoundingBox: 0 0 ")


@case
def what_is_no_picture_of_ours_is_refused_with_what_does_it(b):
    for option, told in (("--gif", "dot -Tgif"), ("--web", "--svg > x.svg"),
                         ("--gv", "--svg > x.svg"), ("--evince", "--svg > x.svg")):
        got = jeprof(b, option, b.dump)
        assert got.status == 1 and not got.out and told in got.err, got


@case
def a_url_is_refused_with_the_line_that_does_it(b):
    for url in ("http://host/pprof/heap", "host:8080/pprof/heap"):
        got = codes(b, "--raw", url)
        assert got.status == 1 and "jeprof-net-url: '" in got.err and f"{url}'\n" in got.err, got
    piped = jeprof(b, "-", "--text", text=pathlib.Path(b.dump).read_bytes())
    assert piped.status == 0 and piped.out == jeprof(b, "--text", b.dump).out, piped


@case
def H14_a_url_is_suggested_only_as_one_word_that_a_shell_takes(b):
    for url in ("http://h/';touch PWN;'", "host:80/$(touch PWN)`touch PWN`", "http://h/\\"):
        got = codes(b, url)
        code, _, word = got.err.removeprefix("hprof-agg: ").partition(": ")
        assert (got.status, code) == (1, "jeprof-net-url"), got
        assert shlex.split(word) == [url if "://" in url else f"http://{url}"], got
    for url in ("http://h/\x1b]0;x\x07", "http://h/\nforged", "http://h/\u202e", "-o://x", "'://x", f"http://h/{'x' * 600}"):
        got = codes(b, "--", url)
        assert (got.status, got.err) == (1, "hprof-agg: jeprof-net\n"), (url, got)


@case
def sources_are_looked_for_below_a_directory_that_is_named(b):
    words = (str(b.testdata / "alloc_c"), b.dump)
    got = jeprof(b, "--list=leaf_big", *words)
    assert got.status == 0 and "not found; --source-dir=DIR looks below DIR" in got.out, got
    got = jeprof(b, "--list=leaf_big", "--source-dir", str(b.testdata), *words)
    assert got.status == 0 and "leaf_big" in got.out and "no source" not in got.out, got
    check(codes(b, "--list=leaf_big", "--source-dir=/nowhere/at/all", *words), 1, "", "folder-missing: ")


@case
def H9_the_shell_replaces_no_file_that_is_read(b):
    dump, base, program = b.copy("in.heap"), b.copy("base.heap", b.other), b.copy("program", b.testdata / "alloc_c")
    (b.folder / "link").hardlink_to(dump)
    (b.folder / "symbolic").symlink_to(base)
    typed = b.folder / "typed"
    writes = {"in.heap": f"dump {dump}", "./in.heap": f"dump {dump}", "link": f"dump {dump}", "symbolic": f"dump {base}",
              "base.heap": f"dump {base}", "program": f"program {program}", "typed": "list of commands -"}
    for command in ("dot", "svg", "pdf", "callgrind"):
        typed.write_text("".join(f"{command} {name}\n" for name in writes) + f"{command} fresh\ntop1\n")
        before = {name: (b.folder / name).read_bytes() for name in writes}
        with typed.open() as lines:
            got = codes(b, "--interactive", f"--base={base}", program, dump, stdin=lines)
        assert got.status == 0 and {name: (b.folder / name).read_bytes() for name in writes} == before, got
        for name, what in writes.items():
            assert f"hprof-agg: output-is-input:  {name} {what}\n" in got.err, (name, got)
        assert got.err.count("shell-writing: ") == 1 and (b.folder / "fresh").stat().st_size > 0, got
        assert got.out.count("Total: ") == 1, got
        (b.folder / "fresh").unlink()
    assert not b.left_behind()


@case
def H10_the_shell_takes_filters_of_any_length(b):
    program = str(b.testdata / "alloc_c")
    none, some = "x" * 5000, "|".join(["nobody"] * 300 + ["leaf_big"])
    typed = f"top\ntop {none}\ntop {some}\ntop -{some}\ntop leaf_big -{none}\nlist .  -{some}\npeek . -leaf_big\n"
    got = jeprof(b, program, b.dump, text=typed.encode())
    assert got.status == 0, got
    plain, unmatched, focused, ignored, both = got.out.split("Total: ")[1:]
    rows = (lambda text: [line.split()[-1] for line in text.splitlines() if line.count("%") == 3])
    assert "leaf_big" in rows(plain) and "leaf_mixed" in rows(plain), got
    assert not rows(unmatched) and f"After focusing on '{none}': 0.0 MB" in unmatched, unmatched
    assert "leaf_big" in rows(focused) and "leaf_mixed" not in rows(focused), focused
    assert "leaf_big" not in rows(ignored) and "leaf_mixed" in rows(ignored), ignored
    listed = both.partition("leaf_mixed")
    assert "leaf_big" in rows(both) and listed[1] and " leaf_big" not in listed[2], both


@case
def the_shell_reads_commands_from_a_pipe_until_it_ends(b):
    program = str(b.testdata / "alloc_c")
    out, picture = b.folder / "out.callgrind", b.folder / "x.svg"
    typed = (f"top2\ntop3 --cum\n\ntext leaf -mixed\nnonsense\nlist nobody\nlist leaf_big\n"
             f"peek leaf_big\ncallgrind {out}\nweb\nsvg {picture}\npdf\nhelp\n")
    got = codes(b, program, b.dump, text=typed.encode())
    assert got.status == 0 and got.out.count("Total: ") >= 3, got
    rows = [line for line in got.out.splitlines() if "%" in line]
    plain = jeprof(b, "--text", program, b.dump).out.splitlines()
    assert rows[:2] == plain[1:3], rows
    assert rows[2].endswith("leaf_mixed") and "After focusing on 'leaf': " in got.out, rows
    assert "After ignoring 'mixed': " in got.out and "leaf_big" in got.out, got.out
    assert "shell-unknown\n" in got.err and "shell-no-viewer\n" in got.err, got.err
    assert "shell-no-file\n" in got.err and f"shell-writing: {picture}\n" in got.err, got.err
    assert picture.read_text() == jeprof(b, "--svg", program, b.dump).out
    assert out.read_text().startswith("events: Hits\n"), got.err
    assert codes(b, program, b.dump, text=typed.encode() + b"quit\ntop\n").out == got.out
    # Without input on the terminal a table is printed, as by jeprof without a user.
    assert jeprof(b, program, b.dump, text=b"").out.splitlines() == plain


@case
def filters_see_what_jeprof_leaves(b):
    program = str(b.testdata / "alloc_c")
    ask = (lambda *words: jeprof(b, "--text", "--show_bytes", *words, program, b.dump).out)
    plain = ask()
    assert ask("--ignore=^malloc$") == plain # it is excluded already
    kept = ask("--retain=^leaf_")
    names = {line.split()[5] for line in kept.splitlines()[1:] if "(inline)" not in line}
    assert names and all(name.startswith("leaf_") for name in names), kept
    assert kept.splitlines()[0] == plain.splitlines()[0], kept
    assert "recurse" not in ask("--exclude=recurse") and "recurse" in plain
    focused = ask("--focus=recurse")
    assert " leaf_mixed" not in focused and " recurse" in focused, focused
    assert jeprof(b, "--text", "--focus=(", b.dump).status == 1


@case
def what_shrank_is_dropped_and_said(b):
    got = codes(b, "--text", "--show_bytes", "--drop_negative", f"--base={b.dump}", b.other)
    assert got.status == 0 and "negative-dropped: " in got.err, got
    assert all("-" not in line.split()[0] for line in got.out.splitlines()[1:]), got.out


@case
def hostile_names_do_no_harm(b):
    evil = sorted(b.testdata.glob("*evil*"))
    for mode in ("--text", "--dot", "--collapsed", "--callgrind"):
        for dump in map(str, b.testdata.glob("jemalloc-thread-name-newline.heap")):
            got = jeprof(b, mode, evil[0], dump)
            unsafe = collections.Counter(c for c in got.out if ord(c) < 32 and c != "\n")
            assert got.status == 0 and not unsafe, (mode, got)
