"""The completions, asked of the shells themselves."""
import os
import pty
import re
import shutil
import subprocess

from harness import ROOT, Skip, case, read_terminal


def need(program):
    if shutil.which(program) is None:
        raise Skip(f"no {program}")


def ask_bash(t, *words):
    need("bash")
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hprof_agg; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    result = subprocess.run(
        ["bash", "--norc", "-c", script, "bash", ROOT / "completions/hprof-agg.bash",
         "hprof-agg", *words], cwd=t.folder, capture_output=True, text=True, check=True)
    assert result.stderr == "", result.stderr
    return result.stdout.split()


@case
def bash_completes_commands(t):
    assert ask_bash(t, "st") == ["stacks"]
    assert {"top", "merge", "help", "folded"} <= set(ask_bash(t, ""))
    assert ask_bash(t, "help", "in") == ["info"]
    assert ask_bash(t, "difff") == ["difffolded"]
    assert {"tree", "peek", "list"} <= set(ask_bash(t, ""))


@case
def bash_completes_options_of_the_command(t):
    assert ask_bash(t, "top", "--li") == ["--limit="]
    assert ask_bash(t, "info", "--li") == []
    assert ask_bash(t, "folded", "a.heap", "--dam") == ["--damaged="]
    assert ask_bash(t, "difffolded", "a.heap", "--to") == ["--to"]
    assert ask_bash(t, "tree", "--inv") == ["--invert"]
    assert ask_bash(t, "top", "--inv") == []
    assert ask_bash(t, "list", "f", "--source") == ["--source-dir="]
    assert set(ask_bash(t, "peek", "f", "a.heap", "--sh")) == {
        "--show=", "--show-from="}


@case
def bash_completes_choices(t):
    assert ask_bash(t, "top", "--by", "=", "li") == ["line"]
    assert ask_bash(t, "top", "--by", "li") == ["line"]
    assert "function" in ask_bash(t, "top", "--by", "=")
    assert "label:KEY" not in ask_bash(t, "top", "--by", "=")
    assert ask_bash(t, "merge", "-f", "fo") == ["folded"]
    assert ask_bash(t, "rows", "-f", "") == ["ndjson.zst", "ndjson.gz", "ndjson"]


@case
def bash_completes_folders(t):
    (t.folder / "some folder").mkdir()
    t.file("some file")
    assert ask_bash(t, "top", "--symbol-dir", "=", "some") == ["some", "folder"]
    assert ask_bash(t, "list", "f", "--source-dir", "=", "some") == ["some", "folder"]


def ask_fish(t, line):
    need("fish")
    result = subprocess.run(
        ["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]',
         ROOT / "completions/hprof-agg.fish", line],
        cwd=t.folder, env=t.environment(None), capture_output=True, text=True, check=True)
    assert result.stderr == "", result.stderr
    return [candidate.split("\t")[0] for candidate in result.stdout.splitlines()]


@case
def fish_completes(t):
    assert "stacks" in ask_fish(t, "hprof-agg st")
    assert ask_fish(t, "hprof-agg top --by=li") == ["--by=line"]
    assert "--damaged=use" in ask_fish(t, "hprof-agg folded --damaged=u")
    assert "--limit" in " ".join(ask_fish(t, "hprof-agg top --lim"))
    assert "tree" in ask_fish(t, "hprof-agg tr")
    assert "--invert" in ask_fish(t, "hprof-agg tree --inv")
    assert ask_fish(t, "hprof-agg list --sort=fl") == []
    assert "--format=ndjson.gz" in ask_fish(t, "hprof-agg rows --format=nd")
    assert ask_fish(t, "hprof-agg top --format=ndj") == []
    assert ask_fish(t, "hprof-agg peek --sort=fl") == ["--sort=flat"]
    assert "--show-from" in " ".join(ask_fish(t, "hprof-agg diff --show-f"))
    assert "--limit" not in " ".join(ask_fish(t, "hprof-agg info --lim"))
    t.copy("some.heap")
    assert "some.heap" in ask_fish(t, "hprof-agg top so")


ZSH_SETUP = b"""PS1='> '; fpath=($FUNCTIONS $fpath); bindkey -e
autoload -Uz compinit; compinit -u -D; print START''ED
"""


def ask_zsh(t, line):
    """The output of a real zsh in which the line and a tab are typed."""
    need("zsh")
    master, slave = pty.openpty()
    env = t.environment({"TERM": "dumb", "FUNCTIONS": str(ROOT / "completions")})
    process = subprocess.Popen(["zsh", "-f", "-i"], stdin=slave, stdout=slave,
                               stderr=slave, cwd=t.folder, env=env, start_new_session=True)
    os.close(slave)
    os.write(master, ZSH_SETUP)
    read_terminal(master, lambda data: b"STARTED" in data, 20)
    os.write(master, line.encode() + b"\t")
    shown = read_terminal(master, lambda data: False, 2)
    os.write(master, b"\x15exit\n")
    read_terminal(master, lambda data: False, 5)
    process.wait(timeout=20)
    os.close(master)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\a\r]", "", shown)


@case
def zsh_completes(t):
    t.copy("some.heap")
    for typed, wanted in (("hprof-agg stac", "hprof-agg stacks"),
                          ("hprof-agg top --damaged=u", "--damaged=use"),
                          ("hprof-agg top --by=li", "--by=line"),
                          ("hprof-agg folded --metric=inuse-s", "inuse-space"),
                          ("hprof-agg pe", "hprof-agg peek"),
                          ("hprof-agg tree --inv", "--invert"),
                          ("hprof-agg list f --source-d", "--source-dir="),
                          ("hprof-agg peek --sort=fl", "--sort=flat"),
                          ("hprof-agg list f so", "some.heap"),
                          ("hprof-agg top so", "some.heap")):
        shown = ask_zsh(t, typed)
        assert wanted in shown, (typed, shown)
        assert "error" not in shown and "invalid" not in shown, shown
