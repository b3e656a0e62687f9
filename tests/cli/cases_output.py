"""Standard output and --output: complete, or not at all."""
import os
import signal
import stat
import subprocess
import threading

from harness import Skip, case, check, ignoring, nameless, with_defaults, without_handlers, without_next


@case
def a_closed_standard_output_is_a_failure(t):
    for args in (["help"], ["version"], ["top", "--no-symbols", t.dump]):
        result = t.codes(*args, stdout=None, preexec_fn=lambda: os.close(1))
        check(result, 6, None, "standard output: output-closed: Bad file descriptor")


@case
def R36_closed_standard_input_and_error_do_no_harm(t):
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    result = t.run("top", "--no-symbols", t.dump, stderr=None, stdin=None,
                   preexec_fn=lambda: (os.close(0), os.close(2)))
    assert check(result).out == wanted
    out = t.folder / "out"
    result = t.run("top", "--no-symbols", "-o", out, t.dump, stdout=None,
                   preexec_fn=lambda: os.close(1))
    check(result, 0)
    assert out.read_text() == wanted


@case
def a_full_device_is_a_failure(t):
    for args in (["help"], ["version"], ["top", "--no-symbols", t.dump],
                 ["stacks", "--no-symbols", t.dump], ["folded", "--no-symbols", t.dump],
                 ["info", "-v", "--no-symbols", t.dump]):
        with open("/dev/full", "wb") as full:
            check(t.codes(*args, stdout=full), 6, None,
                  "output-not-written: No space left on device")
        if args[0] not in ("help", "version"):
            check(t.codes(*args, "-o/dev/full"), 6, None,
                  "output-not-written: No space left on device")


def run_into_broken_pipe(t, *args, **more):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return t.run(*args, stdout=writer, **more)
    finally:
        os.close(writer)


@case
def R17_a_broken_pipe_is_a_silent_failure_with_any_signal_setting(t):
    for args in (["help"], ["version"], ["top", "--no-symbols", t.dump],
                 ["stacks", t.dump], ["folded", "--no-symbols", "-o-", t.dump],
                 ["stacks", "--no-symbols", "-o/dev/stdout", t.dump]):
        check(run_into_broken_pipe(t, *args), 6, None, "")
        result = run_into_broken_pipe(t, *args, restore_signals=False,
                                      preexec_fn=ignoring(signal.SIGPIPE))
        check(result, 6, None, "")


@case
def a_broken_pipe_of_standard_error_does_no_harm(t):
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    reader, writer = os.pipe()
    os.close(reader)
    result = t.run("top", "--no-symbols", "--progress=always", "--max-skipped=1", t.dump,
                   "not-there.heap", stderr=writer)
    os.close(writer)
    assert without_next(check(result, 3).out).splitlines()[-1] == without_next(wanted).splitlines()[-1]


@case
def a_named_pipe_that_loses_its_reader_is_reported(t):
    os.mkfifo(t.folder / "out")
    with t.waiting("top", "--no-symbols", "-o", "out", t.dump, is_coded=True) as process:
        os.close(os.open(t.folder / "out", os.O_RDONLY))
        t.feed()
        check(t.finish(process), 6, "", "out: output-not-written: Broken pipe")


@case
def output_goes_to_a_file(t):
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    check(t.run("top", "--no-symbols", "-o", "out", t.dump), 0, "", "")
    assert (t.folder / "out").read_text() == wanted
    assert t.run("top", "--no-symbols", "--output=-", t.dump).out == wanted
    assert not t.left_behind()


@case
def the_file_name_selects_the_format(t):
    for command, name, files in (
            ("top", "text", "x.txt x.text x x.9 report.of.monday x.log"),
            ("top", "json", "x.json X.JSON"), ("top", "tsv", "x.tsv x.tab"),
            ("merge", "folded", "x.folded x.collapsed x.FOLDED"),
            ("merge", "pprof", "x.pb.gz x.pb x.pprof mem.prof"),
            ("merge", "firefox", "x.firefox.json"), ("merge", "dot", "x.dot x.gv"),
            ("top", "svg", "x.svg X.SVG"), ("top", "pdf", "x.pdf"),
            ("merge", "callgrind", "x.callgrind callgrind.out.7 callgrind.out"),
            ("merge", "speedscope", "x.speedscope.json x.speedscope"),
            ("merge", "dhat", "x.dhat.json x.dhat dhat.out.7 dhat-heap.json")):
        wanted = check(t.run(command, "--no-symbols", "-f", name, t.dump)).out
        for file in files.split():
            check(t.run(command, "--no-symbols", "-o", file, t.dump), 0)
            got = (t.folder / file).read_bytes().decode("utf-8", "surrogateescape")
            assert got == wanted, file
            (t.folder / file).unlink()


@case
def each_file_pattern_of_a_format_selects_it(t):
    for name, patterns in t.patterns_of().items():
        command = next(command for command in t.reports() if name in t.patterns_of(command))
        inputs = t.procs[:2] if command == "diff" else t.procs[:1]
        wanted = check(t.run(command, "--no-symbols", "-f", name, *inputs)).out
        for file in (pattern.replace("*", "x") for pattern in patterns):
            check(t.run(command, "--no-symbols", "-o", file, *inputs), 0)
            got = (t.folder / file).read_bytes().decode("utf-8", "surrogateescape")
            assert got == wanted, (command, name, file)


@case
def a_file_name_of_an_unsupported_format_is_rejected(t):
    for file in ("x.xml", "x.YAML", "x.folded.gz", "x.heap", "x.json.zst"):
        for command in ("top", "merge"):
            check(t.codes(command, "-o", file, t.dump), 2, "", f"format-unknown: {file}\n")
        assert not (t.folder / file).exists()
    check(t.run("folded", "--no-symbols", "-o", "x.heap", t.dump))


@case
def file_patterns_belong_to_one_format(t):
    wanted = check(t.run("diff", "--no-symbols", "-fdifffolded", *t.procs[:2])).out
    check(t.run("diff", "--no-symbols", "-o", "x.difffolded", *t.procs[:2]), 0)
    assert (t.folder / "x.difffolded").read_text() == wanted
    check(t.codes("diff", "-o", "x.folded", *t.procs[:2]), 2, "", "format-not-of-command: diff  folded ")
    check(t.run("top", "--no-symbols", "-ftext", "-o", "y.folded", t.dump), 0)
    assert (t.folder / "y.folded").read_text() == t.run("top", "--no-symbols", t.dump).out


@case
def a_new_file_follows_the_umask(t):
    for mask in (0o022, 0o077):
        (t.folder / "out").unlink(missing_ok=True)
        check(t.run("top", "--no-symbols", "-o", "out", t.dump,
                    preexec_fn=lambda: os.umask(mask)))
        assert stat.S_IMODE((t.folder / "out").stat().st_mode) == 0o666 & ~mask


@case
def a_replaced_file_keeps_its_permissions(t):
    out = t.file("out")
    for mode in (0o600, 0o664):
        out.chmod(mode)
        check(t.run("top", "--no-symbols", "-o", out, t.dump,
                    preexec_fn=lambda: os.umask(0o022)))
        assert stat.S_IMODE(out.stat().st_mode) == mode


@case
def a_symbolic_link_is_replaced_not_followed(t):
    target = t.file("target")
    (t.folder / "link").symlink_to(target)
    check(t.run("top", "--no-symbols", "-o", "link", t.dump))
    assert target.read_text() == "old\n"
    assert not (t.folder / "link").is_symlink()


@case
def a_hard_link_keeps_its_old_content(t):
    out = t.file("out")
    os.link(out, t.folder / "other")
    check(t.run("top", "--no-symbols", "-o", out, t.dump))
    assert (t.folder / "other").read_text() == "old\n"


@case
def a_failure_leaves_the_old_file(t):
    out = t.file("out")
    bad = t.file("bad.heap", "this is no dump\n")
    check(t.run("top", "-o", out, bad), 5, "")
    assert out.read_text() == "old\n"
    check(t.run("top", "-o", "new", bad), 5, "")
    assert not (t.folder / "new").exists() and not t.left_behind()


@case
def a_failing_write_leaves_the_old_file(t):
    import resource
    out = t.file("out")
    result = t.codes("top", "--no-symbols", "-o", out, t.dump, restore_signals=False,
                     preexec_fn=lambda: (with_defaults(signal.SIGXFSZ)(),
                                         resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))))
    check(result, 6, "", f"{out}: output-not-written: File too large")
    assert out.read_text() == "old\n" and not t.left_behind()


@case
def a_folder_that_does_not_exist_is_known_before_reading(t):
    check(t.run("top", "-o", "nowhere/out", "no.heap"), 6, "", "nowhere/out: ")
    check(t.run("top", "-o", ".", "no.heap"), 6, "", "Is a directory")


@case
def an_input_is_not_replaced(t):
    dump = t.copy("a.heap")
    before = dump.read_bytes()
    (t.folder / "link").symlink_to(dump)
    os.link(dump, t.folder / "hard")
    for name in ("a.heap", "./a.heap", "link", "hard"):
        check(t.codes("top", "--no-symbols", "-ftext", "-o", name, "a.heap"), 2, "",
              f"output-is-input: --output= {name} input a.heap")
    with open(dump, "rb") as opened:
        check(t.codes("top", "--no-symbols", "-ftext", "-o", "a.heap", "-",
                    stdin=opened), 2, "", "output-is-input: --output= a.heap input -")
    t.file("list", "a.heap\n")
    check(t.codes("top", "-ftext", "-o", "a.heap", "--files-from=list"), 2, "", "output-is-input: --output= a.heap input a.heap")
    assert dump.read_bytes() == before


@case
def R15_F10_a_list_or_an_archive_is_not_replaced(t):
    t.copy("a.heap")
    archive = t.folder / "a.tar"
    subprocess.run(["tar", "-cf", archive, "a.heap"], cwd=t.folder, check=True)
    files = t.file("list", "a.heap\n")
    for path in (files, archive):
        (t.folder / f"{path.name}.link").symlink_to(path)
        os.link(path, t.folder / f"{path.name}.hard")
    for command, option in (("top", "--files-from"), ("diff", "--files-from"), ("top", "--tar")):
        path = archive if option == "--tar" else files
        before = path.read_bytes()
        more = ["--to", "a.heap"] if command == "diff" else []
        with open(path, "rb") as opened:
            number = opened.fileno()
            for out in (path.name, f"./{path.name}", f"{path.name}.link", f"{path.name}.hard",
                        f"/dev/fd/{number}"):
                for given, stdin in ((path.name, None), (f"/dev/fd/{number}", None), ("-", opened)):
                    opened.seek(0)
                    result = t.codes(command, "--no-symbols", "-ftext", "-o", out, f"{option}={given}",
                                     *more, stdin=stdin, pass_fds=[number])
                    check(result, 2, "", f"output-is-input: --output= {out} ")
                    assert path.read_bytes() == before and not t.left_behind(), (out, given)


@case
def other_kinds_of_files_are_written_directly(t):
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    assert check(t.run("top", "--no-symbols", "-o/dev/stdout", t.dump)).out == wanted
    check(t.run("top", "--no-symbols", "-o/dev/null", t.dump), 0, "")
    os.mkfifo(t.folder / "fifo")
    got = []
    reader = threading.Thread(
        target=lambda: got.append((t.folder / "fifo").read_text()), daemon=True)
    reader.start()
    check(t.run("top", "--no-symbols", "-o", "fifo", t.dump), 0, "")
    reader.join(20)
    assert got == [wanted] and stat.S_ISFIFO((t.folder / "fifo").stat().st_mode)


@case
def dev_stdout_is_standard_output_even_if_that_is_a_file(t):
    wanted = check(t.run("top", "--no-symbols", t.dump)).out
    with open(t.folder / "redirected", "w", encoding="utf-8") as out:
        out.write("before\n")
        out.flush()
        check(t.run("top", "--no-symbols", "-o/dev/stdout", t.dump, stdout=out))
    assert (t.folder / "redirected").read_text() == "before\n" + wanted
    assert os.path.islink("/dev/stdout")


FATAL = [getattr(signal, "SIG" + name) for name in
         "HUP INT QUIT TERM ALRM VTALRM PROF USR1 USR2 XCPU POLL PWR SEGV BUS FPE ILL ABRT SYS TRAP".split()]
FATAL += [16, signal.SIGRTMIN, signal.SIGRTMAX]  # SIGSTKFLT has no name in older Pythons


def without_core():
    import resource
    with_defaults(*FATAL)()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@case
def R37_F7_every_signal_that_can_be_caught_leaves_the_old_file(t):
    for number in FATAL:
        out = t.file("out")
        with t.waiting("top", "--no-symbols", "-o", out, env=without_handlers(),
                       preexec_fn=lambda: (without_core(), nameless.deny())) as process:
            t.wait_for(t.left_behind)
            process.send_signal(number)
            assert process.wait(timeout=20) == -number, (number, process.returncode)
        assert out.read_text() == "old\n" and not t.left_behind(), number
        (t.folder / "late.heap").unlink()


@case
def R37_a_killed_program_leaves_no_file_beside_the_old_one(t):
    if not nameless.works_in(t.folder):
        raise Skip("files without a name")
    out = t.file("out")
    with t.waiting("top", "--no-symbols", "-o", out) as process:
        t.wait_for(lambda: t.is_writing(process))
        assert not t.left_behind()
        process.kill()
        process.wait(timeout=20)
    assert out.read_text() == "old\n" and not t.left_behind()


@case
def R37_ignored_signals_stay_ignored(t):
    numbers = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM)
    with t.waiting("top", "--no-symbols", "-o", "out", restore_signals=False,
                   preexec_fn=ignoring(*numbers)) as process:
        t.wait_for(lambda: t.is_writing(process))
        for number in numbers:
            process.send_signal(number)
        t.feed(t.dump)
        check(t.finish(process), 0)
    wanted = t.run("top", "--no-symbols", t.dump).out
    assert without_next((t.folder / "out").read_text()) == without_next(wanted)


@case
def warnings_do_not_mix_with_a_report_for_programs(t):
    for args in (["folded", *t.procs], ["folded", t.dump, t.other]):
        result = check(t.run(*args))
        for line in result.err.splitlines():
            assert line.startswith("hprof-agg: "), line
        assert "warning" not in result.out
        check(t.run(*args, "-q"), 0, None, "")


@case
def text_contains_its_warnings(t):
    check(t.run("top", "--no-symbols", t.dump, t.other), 0, None, "")
