"""Color and progress."""
import os
import pathlib
import re
import threading
import time

from harness import case, check, read_terminal
import pty

ESCAPE = "\x1b["


@case
def color_is_used_on_terminals_only(t):
    args = ("top", "--no-symbols", t.dump)
    assert ESCAPE in t.run_on_terminal(*args).out
    assert ESCAPE not in t.run(*args).out
    assert ESCAPE not in t.run_on_terminal(*args, env={"TERM": "dumb"}).out


@case
def color_can_be_forced_and_forbidden(t):
    args = ("top", "--no-symbols", t.dump)
    assert ESCAPE in t.run(*args, "--color=always").out
    assert ESCAPE not in t.run_on_terminal(*args, "--color=never").out
    assert ESCAPE not in t.run("folded", "--no-symbols", t.dump, "--color=always").out


@case
def color_changes_nothing_but_color(t):
    plain = check(t.run("top", "--no-symbols", t.dump)).out
    colored = check(t.run("top", "--no-symbols", t.dump, "--color=always")).out
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


@case
def the_variable_NO_COLOR_is_honoured(t):
    args = ("top", "--no-symbols", t.dump)
    assert ESCAPE not in t.run_on_terminal(*args, env={"NO_COLOR": "1"}).out
    assert ESCAPE in t.run_on_terminal(*args, env={"NO_COLOR": ""}).out
    assert ESCAPE in t.run(*args, "--color=always", env={"NO_COLOR": "1"}).out


@case
def a_short_run_shows_no_progress(t):
    for args in ([], ["--progress=always"]):
        result = t.run_on_terminal("folded", "--no-symbols", "-q", t.dump, *args,
                                   stdout=open(os.devnull, "wb"))
        check(result, 0, "")


def slow_run(t, *args, env=None, terminal=True):
    """The standard error of a run that reads one dump at once and one after a second."""
    os.mkfifo(t.folder / "late.heap")
    master, slave = pty.openpty() if terminal else os.pipe()
    process = t.start("folded", "--no-symbols", "-j1", "--wait", *args, t.dump, "late.heap",
                      t.copy("last.heap", t.procs[0]), stdout=open(os.devnull, "wb"),
                      stderr=slave, env={"TERM": "xterm", "COLUMNS": "60", **(env or {})})
    os.close(slave)

    def feed():
        time.sleep(1)
        (t.folder / "late.heap").write_bytes(pathlib.Path(t.other).read_bytes())

    threading.Thread(target=feed, daemon=True).start()
    shown = read_terminal(master, lambda data: False, 60)
    os.close(master)
    assert process.wait(timeout=60) == 0, shown
    return shown


@case
def a_long_run_shows_progress_on_a_terminal(t):
    shown = slow_run(t)
    assert "/3 inputs" in shown, shown
    assert shown.count("\r\x1b[K") + shown.count("\x1b[K") >= 2, shown
    for line in re.split(r"[\r\n]|\x1b\[K", shown):
        assert "/3 inputs" not in line or len(line) < 60, line


@case
def the_progress_line_is_gone_at_the_end(t):
    shown = slow_run(t, "-q", "--progress=always")
    assert shown.endswith("\r\x1b[K"), shown


@case
def progress_can_be_forced_into_a_file(t):
    shown = slow_run(t, "-q", "--progress=always", terminal=False)
    assert re.search(r"^reading [123]/3 inputs", shown, re.M) and ESCAPE not in shown, shown


@case
def progress_is_not_shown_elsewhere(t):
    assert "/3 inputs" not in slow_run(t, terminal=False)


@case
def progress_can_be_forbidden(t):
    assert "/3 inputs" not in slow_run(t, "--progress=never")


@case
def quiet_means_no_progress(t):
    assert slow_run(t, "--quiet") == ""


@case
def binary_output_is_not_written_to_terminals(t):
    for output in ((), ("--output=-",)):
        result = t.run_on_terminal("merge", "--no-symbols", *output, t.dump, is_coded=True)
        assert result.status == 2 and "not-for-terminal: pprof " in result.out, result
