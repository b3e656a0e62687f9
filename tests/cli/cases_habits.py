"""Tests command lines that users of jeprof and pprof try first, and the answers to them."""
import gzip
import http.server
import os
import pathlib
import re
import threading

from harness import ROOT, case, check, without_next

SVG = "hprof-agg top -o x.svg INPUT..."
# Unknown options and what their answers name.  "-" is pprof's style, "--" is jeprof's.
UNKNOWN = {
    "--text": "hprof-agg top INPUT...",
    "-top": "hprof-agg top INPUT...",
    "-tree": "hprof-agg tree INPUT...",
    "-peek=alloc": "hprof-agg peek REGEX INPUT...",
    "--list=alloc": "hprof-agg list REGEX INPUT...",
    "-weblist=alloc": "hprof-agg list REGEX INPUT...",
    "--disasm=alloc": "hprof-agg list REGEX INPUT...",
    "-traces": "hprof-agg stacks INPUT...",
    "-tags": "hprof-agg top --by=label:KEY INPUT...",
    "--svg": SVG,
    "--gif": SVG,
    "--ps": SVG,
    "-png": SVG,
    "--web": SVG,
    "--gv": SVG,
    "--pdf": "hprof-agg top -o x.pdf INPUT...",
    "-http=:8080": "hprof-agg merge -o x.pb.gz INPUT...",
    "--dot": "hprof-agg dot INPUT...",
    "--callgrind": "hprof-agg callgrind -o callgrind.out.x INPUT...",
    "--collapsed": "hprof-agg folded INPUT...",
    "--collaps": "hprof-agg folded INPUT...",
    "-proto": "hprof-agg merge -o x.pb.gz INPUT...",
    "--raw": "hprof-agg merge -o x.pb.gz INPUT...",
    "--interactive": "hprof-agg help",
    "--functions": "--by=function",
    "--lines": "--by=line",
    "--files": "--by=file",
    "--addresses": "--by=address",
    "-call_tree": "hprof-agg tree INPUT...",
    "-tagfocus=x": "--by=label:KEY",
    "-sample_index=inuse_space": "--metric=inuse-space",
    "--show_bytes": "--unit=B",
    "--show_byte": "--unit=B",
    "-diff_base=a.heap": "hprof-agg diff --base=A B",
    "-normalize": "hprof-agg diff",
    "--drop_negative": "hprof-agg diff",
    "-relative_percentages": "",
    "-flat": "--sort=flat",
    "--nodecount=10": "--limit=N",
    "--edgefraction=0": "--min-share=PERCENT",
    "-trim=false": "--min-share=PERCENT",
    "--trim": "--min-share=PERCENT",
    "--retain=x": "--show=REGEX",
    "--exclude=x": "--hide=REGEX",
    "--heapcheck": "",
    "--lib_prefix=/x": "--symbol-dir=DIR",
    "--add_lib=x.so": "--symbol-dir=DIR",
    "-symbolize=none": "--no-symbols",
    "-source_path=/x": "--source-dir=DIR",
    "--tools=addr2line:x": "",
    "-seconds=30": "hprof-agg top -",
}
# Commands that people try, and what their answers name.
TRIED = {
    "leak": "hprof-agg trend INPUT...",
    "leaks": "hprof-agg trend INPUT...",
    "compare": "hprof-agg diff BASE NEW",
    "flamegraph": "hprof-agg top -o x.svg INPUT...",
    "report": "hprof-agg top INPUT...",
    "serve": "hprof-agg top -o x.html INPUT...",
    "web": SVG,
    "callers": "hprof-agg peek REGEX INPUT...",
    "rss": "hprof-agg account DUMP --stats=FILE",
    "convert": "hprof-agg merge -o FILE INPUT...",
    "record": "docs/howto/get-a-dump.md",
}
# Options that exist here, too, but with two dashes.
TWO_DASHES = ("-focus=x", "-hide=x", "-ignore=x", "-cum", "-inuse_space", "-alloc_objects", "-unit=MiB", "-help", "-output=x")
# Options that work unchanged.
WORKS = ("--inuse_space", "--inuse_objects", "--focus=alloc", "--ignore=nothing", "--cum", "--unit=KiB")


def name_of(option):
    return option.partition("=")[0]


def answers(err, code, word, instead):
    """Whether the answer to a word, without its dashes, is one line and names what does it here."""
    start = f"hprof-agg: {code}: {name_of(word).lstrip('-')} "
    return err.startswith(start) and instead in err and err.count("\n") == 1


@case
def options_of_jeprof_and_pprof_get_a_hint_with_our_option(t):
    for option, instead in UNKNOWN.items():
        for words in ([option, t.dump], ["top", t.dump, option], ["/bin/true", t.dump, option]):
            code = "option-hint" if option.startswith("--") else "letter-hint"
            assert answers(check(t.codes(*words), 2, "").err, code, option, instead), option


@case
def commands_that_people_try_get_a_hint(t):
    for word, instead in TRIED.items():
        err = check(t.codes(word, t.dump), 2, "").err
        assert answers(err, "command-hint", word, instead), err
    check(t.codes("trendd", t.dump), 2, "", "command-did-you-mean: trendd trend")
    check(t.codes("nosuch.heap"), 2, "", "command-unknown: nosuch.heap")
    check(t.codes("top", "--by=host", t.dump), 2, "", "choice-label: by host host")
    check(t.codes("top", "--by=proces", t.dump), 2, "", "choice-did-you-mean: by proces process")


@case
def options_with_one_dash_instead_of_two_get_a_hint(t):
    for option in TWO_DASHES:
        name = name_of(option)
        result = check(t.codes("top", t.dump, option), 2, "")
        assert result.err == f"hprof-agg: option-two-dashes: {name[1:]} {name[1:]}\n", result.err
    assert not (t.folder / "utput=x").exists()


@case
def letters_after_one_dash_are_separate_options(t):
    wanted = check(t.run("top", "--no-symbols", "--limit=1", t.dump)).out
    assert t.run("top", "--no-symbols", "-qn1", t.dump).out == wanted
    check(t.run("merge", "--no-symbols", "-ffolded", "-ox", t.dump), 0, "", "")
    assert (t.folder / "x").stat().st_size > 0


@case
def some_options_of_jeprof_and_pprof_work_unchanged(t):
    for option in WORKS:
        check(t.run("/bin/true", t.dump, "--no-symbols", option), 0, "function\n")


@case
def every_option_of_recorded_jeprof_commands_works_or_gets_a_hint(t):
    """The options occur in 161 public command lines, and there is an answer to each."""
    seen = ("--text --svg --pdf --gif --dot --web --raw --callgrind --collapsed --base --show_bytes --lines --cum "
            "--inuse_space --alloc_space --functions --exclude --lib_prefix --add_lib --tools --nodecount "
            "--drop_negative --heapcheck --focus").split()
    for option in seen:
        value = "=x" if option in ("--base", "--exclude", "--tools", "--nodecount", "--focus") else ""
        result = t.codes("top", "--no-symbols", option + value, t.dump)
        assert not re.search(r"-did-you-mean:|-unknown:", result.err), (option, result)


@case
def hints_name_existing_commands_and_options(t):
    text = "".join(t.run("top", t.dump, option).err.split(": ", 2)[2] for option in UNKNOWN)
    text += "".join(t.run(word, t.dump).err.split(": ", 2)[2] for word in TRIED)
    commands = {*t.reports(), *t.patterns_of()}
    options = set(re.findall(r"--[a-z][a-z-]+", t.run("help", "--all", env={"COLUMNS": "250"}).out +
                             t.run("jeprof", "--help").out))
    for command in re.findall(r"hprof-agg ([a-z]+)", text):
        assert command in commands | {"account", "help"}, command
    for option in re.findall(r"--[a-z][a-z-]+", text):
        assert option in options, option


@case
def base_names_dumps_of_the_base(t):
    wanted = check(t.run("diff", "--no-symbols", t.dump, t.other)).out
    assert check(t.run("diff", "--no-symbols", f"--base={t.dump}", t.other)).out == wanted
    assert check(t.run("diff", "--no-symbols", t.other, "--base", t.dump)).out == wanted
    two = check(t.run("diff", "--no-symbols", t.dump, t.procs[0], "--to", t.other)).out
    assert check(t.run("diff", "--no-symbols", f"--base={t.dump}", f"--base={t.procs[0]}", t.other)).out == two
    check(t.codes("diff", f"--base={t.dump}"), 2, "", "diff-side-empty: new")


@case
def a_file_instead_of_a_command_is_reported_by_top(t):
    t.copy("a.heap")
    t.copy("top.heap", t.other)
    wanted = check(t.run("top", "--no-symbols", "a.heap", "top.heap")).out
    assert check(t.run("--no-symbols", "a.heap", "top.heap")).out == wanted
    assert check(t.run("a.heap", "--no-symbols", "top.heap")).out == wanted
    dump = pathlib.Path(t.dump).read_bytes()
    assert check(t.run("-", "--no-symbols", text=dump)).out == t.run("top", "--no-symbols", "-", text=dump).out
    assert check(t.run("a.heap", "--help")).out == t.run("top", "--help").out
    check(t.codes("a.haep"), 2, "", "command-unknown: a.haep\n")


@case
def a_program_before_the_dump_is_skipped(t):
    result = check(t.run("--no-symbols", t.binary, t.dump), 0)
    assert without_next(result.out) == without_next(t.run("top", "--no-symbols", t.dump).out)


@case
def a_file_named_like_a_command_does_not_replace_it(t):
    for name in ("info", "-v", "text", "folded", "tpo"):
        t.copy(name)
    check(t.codes("info"), 2, "", "no-input")
    check(t.run("folded", "--no-symbols", t.dump), 0, ";")
    check(t.codes("text", t.dump), 2, "", "format-as-command: text text")
    check(t.run("tpo", "--no-symbols"), 0, "function\n")
    os.remove(t.folder / "tpo")
    check(t.codes("tpo", "--no-symbols"), 2, "", "command-did-you-mean: tpo top")


@case
def commands_of_their_shells_get_a_hint_with_our_command(t):
    for word, instead in (("web", SVG), ("png", SVG), ("weblist", UNKNOWN["-weblist=alloc"]), ("traces", UNKNOWN["-traces"]),
                          ("raw", UNKNOWN["--raw"]), ("proto", UNKNOWN["-proto"])):
        assert answers(check(t.codes(word, t.dump), 2, "").err, "command-hint", word, instead), word
    check(t.codes("top20", t.dump), 2, "", "command-did-you-mean: top20 top\n")


@case
def an_address_on_the_net_is_not_opened(t):
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for scheme in ("http://", ""):
            url = f"{scheme}127.0.0.1:{server.server_port}/debug/pprof/heap"
            told = f"hprof-agg: {url}: net-url-of-command: {url}"
            assert check(t.codes(url), 2, "").err == f"{told} top \n"
            assert check(t.codes("tree", url), 2, "").err == f"{told} tree \n"
            assert check(t.codes("peek", "x", url), 2, "").err == f"{told} peek  REGEX\n"
            assert check(t.codes("diff", t.dump, url), 2, "").err == f"hprof-agg: {url}: net-url: {url}\n"
        server.shutdown()
    assert not asked, asked
    check(t.codes("https://h/heap?debug=0&seconds=3"), 2, "", ": net-url-of-command: 'https://h/heap?debug=0&seconds=3' top \n")
    check(t.codes("http://h/" + "x" * 5000), 2, "", ": net-url-of-command: URL top \n")
    (t.folder / "h:1").mkdir()
    t.copy("h:1/heap")
    check(t.run("top", "--no-symbols", "h:1/heap"), 0)


@case
def a_folder_is_the_dumps_in_it(t):
    (t.folder / "dumps/deeper").mkdir(parents=True)
    t.copy("dumps/b.heap")
    t.copy("dumps/a.7.f.heap.old", t.other)
    (t.folder / "dumps/c.heap.gz").write_bytes(gzip.compress(pathlib.Path(t.procs[0]).read_bytes()))
    check(t.run("merge", "--no-symbols", "-o", "dumps/d.pb.gz", t.procs[1]), 0)
    for name in ("notes.txt", "x.heat", ".hidden.heap"):
        t.file("dumps/" + name)
    t.copy("dumps/deeper/e.heap", t.procs[2])
    os.mkfifo(t.folder / "dumps/f.heap")
    wanted = "dumps/a.7.f.heap.old\ndumps/b.heap\ndumps/c.heap.gz\ndumps/d.pb.gz\ndumps/deeper/e.heap\n"
    for folder in ("dumps", "dumps/"):
        assert check(t.run("info", "-v", "--used", folder)).out == wanted
    names = wanted.split()
    wanted = without_next(check(t.run("top", "--no-symbols", *names)).out)
    assert without_next(t.run("top", "--no-symbols", "dumps").out) == wanted
    assert without_next(t.run("dumps", "--no-symbols").out) == wanted
    t.copy("base.heap", t.procs[3])
    assert (t.run("diff", "--no-symbols", "base.heap", "dumps").out
            == check(t.run("diff", "--no-symbols", "base.heap", "--to", *names)).out)
    assert (t.run("diff", "--no-symbols", "dumps", "base.heap").out
            == check(t.run("diff", "--no-symbols", *names, "--to", "base.heap")).out)
    check(t.codes("merge", "-o", "dumps/b.heap", "-fpprof", "dumps"), 2, "", "output-is-input: --output= dumps/b.heap input dumps/b.heap")


@case
def the_newest_dump_of_each_process_in_a_folder_is_used(t):
    (t.folder / "dumps").mkdir()
    for number, source in enumerate(sorted((ROOT / "testdata/golden/series").glob("*.heap"))):
        t.copy(f"dumps/app.7.{number}.i{number}.heap", source)
    check(t.codes("top", "-v", "--no-symbols", "dumps"), 0, f"moment-sum:  {number + 1} 1 moment-of-one:  i{number} ")


@case
def folders_are_read_with_those_below(t):
    """Hidden folders, links to folders and other files are skipped; the order of the system does not matter."""
    names = ["dumps/a/b/1.heap", "dumps/a.heap", "dumps/c/2.heap"]
    for name, source in zip(names, t.procs):
        (t.folder / name).parent.mkdir(parents=True, exist_ok=True)
        t.copy(name, source)
    (t.folder / "dumps/.hidden").mkdir()
    t.copy("dumps/.hidden/3.heap", t.procs[3])
    t.copy("dumps/.4.heap", t.procs[3])
    t.file("dumps/c/notes.txt")
    (t.folder / "dumps/a/up").symlink_to("..")
    (t.folder / "dumps/c/link.heap").symlink_to("../.4.heap")
    check(t.codes("top", "--no-symbols", *names, "dumps/c/link.heap"), 0, "headline-processes: 4")
    wanted = check(t.run("top", "--no-symbols", *names, "dumps/c/link.heap"), 0).out
    assert without_next(check(t.run("top", "--no-symbols", "dumps")).out) == without_next(wanted)
    (t.folder / "link").symlink_to("dumps")
    assert without_next(check(t.run("top", "--no-symbols", "link")).out) == without_next(wanted)  # one that is named is followed
    deep = t.folder / "deep" / "/".join(["x"] * 70)
    deep.mkdir(parents=True)
    t.copy(f"{deep.relative_to(t.folder)}/1.heap", t.procs[0])
    check(t.run("top", "--no-symbols", "deep"), 5, "", "Is a directory")
    shallow = t.folder / "deep" / "/".join(["x"] * 60)
    t.copy(f"{shallow.relative_to(t.folder)}/1.heap", t.procs[0])
    check(t.run("top", "--no-symbols", "--max-skipped=1", "deep"), 3, "function\n", "x: ")
    if os.geteuid() != 0:
        (t.folder / "dumps/c").chmod(0)
        check(t.run("top", "--no-symbols", "dumps"), 5, "", "dumps/c: ")
        (t.folder / "dumps/c").chmod(0o755)


@case
def a_folder_without_dumps_is_reported(t):
    (t.folder / "dumps").mkdir()
    t.file("dumps/notes.txt")
    said = "hprof-agg: dumps: folder-without-dumps\n"
    assert check(t.codes("top", "dumps"), 5, "").err == said
    assert check(t.codes("dumps"), 5, "").err == said
    check(t.run("top", "--no-symbols", t.dump, "dumps"), 5, "", "dumps: ")
    check(t.run("top", "--no-symbols", "--max-skipped=1", t.dump, "dumps"), 3, "function\n", "dumps: ")


@case
def names_of_files_without_a_format_get_a_hint(t):
    for kind, instead in (("gif", SVG), ("png", SVG), ("ps", SVG), ("csv", "--format=tsv")):
        err = check(t.codes("top", "-o", f"out.{kind}", t.dump), 2, "").err
        assert answers(err, "format-of-file", f"out.{kind}", instead), err
        assert not (t.folder / f"out.{kind}").exists()
        err = check(t.codes("top", "-f", kind, t.dump), 2, "").err
        assert answers(err, "choice-hint", "format", instead), err
    check(t.run("dot", "--no-symbols", "-o", "out.png", t.dump), 0)


@case
def an_old_name_of_an_option_gives_the_new_one(t):
    table = [line.split("\t") for line in (ROOT / "scripts" / "renames-public.tsv").read_text().splitlines()]
    names = {old[2:]: new[2:] for kind, old, new in (row[:3] for row in table if len(row) > 2) if kind == "option" and "=" not in old}
    names |= {"all-frames": "frames=all", "base-files-from": "files-from=FILE --to"}
    assert len(names) == 16, names
    for old, new in names.items():
        check(t.codes("top", f"--{old}=x", t.dump), 2, "", f"option-did-you-mean: {old} {new}")
