"""Runs hprof-agg in any environment, and checks the results."""
import contextlib
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/properties"))
import nameless  # noqa: E402
from program import Program, without_next  # noqa: E402, F401  cases take without_next() from here
CASES = []


class Skip(Exception):
    """Raised by a case whose requirements are missing on this machine."""


def case(function):
    CASES.append(function)
    return function


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


class Bench(Program):
    """The scratch folder of one case, and ways to run the program in it."""

    def __init__(self, binary, testdata, folder):
        super().__init__(binary)
        self.testdata, self.folder = testdata, folder
        self.dump = str(testdata / "jemalloc-lg0.heap")
        self.other = str(testdata / "jemalloc-default-lg19.heap")
        self.procs = sorted(str(p) for p in (testdata / "procs").glob("*.heap"))

    def environment(self, extra):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(extra or {})
        return env

    def start(self, *args, env=None, is_rooted=True, is_coded=False, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(self.command(*args, is_rooted=is_rooted, is_coded=is_coded),
                                cwd=self.folder, env=self.environment(env), **more)

    def run(self, *args, text=None, env=None, **more):
        if text is not None:
            more["stdin"] = subprocess.PIPE
        process = self.start(*args, env=env, **more)
        return self.finish(process, text)

    def codes(self, *args, **more):
        """Run, with the codes and values of messages in place of their sentences."""
        return self.run(*args, is_coded=True, **more)

    @staticmethod
    def finish(process, text=None):
        try:
            out, err = process.communicate(text, timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        decode = (lambda b: (b or b"").decode("utf-8", "surrogateescape"))
        return Result(process.returncode, decode(out), decode(err))

    def help(self, *topic):
        return check(self.run("help", *topic, env={"COLUMNS": "250"})).out

    def run_on_terminal(self, *args, env=None, stdout=None, is_coded=False):
        """Run with both outputs, or only standard error, on a terminal; `out` is what the terminal received."""
        master, slave = pty.openpty()
        process = self.start(*args, env={"TERM": "xterm", **(env or {})}, is_coded=is_coded,
                             stdout=stdout or slave, stderr=slave)
        os.close(slave)
        shown = read_terminal(master, lambda data: False, 60)
        os.close(master)
        return Result(process.wait(timeout=60), shown, "")

    def file(self, name, content="old\n"):
        path = self.folder / name
        path.write_text(content)
        return path

    def copy(self, name, source=None):
        path = self.folder / name
        shutil.copyfile(source or self.dump, path)
        return path

    def left_behind(self):
        return [p.name for p in self.folder.iterdir() if p.name.startswith(".hprof-agg")]

    def is_writing(self, process):
        """Whether it has an output open that is not whole: with a name or without."""
        return self.left_behind() or nameless.is_open(process.pid, self.folder)

    @contextlib.contextmanager
    def waiting(self, *args, **more):
        """The program, with its output open, while it waits for the FIFO `late.heap`."""
        os.mkfifo(self.folder / "late.heap")
        process = self.start(*args, "--wait", "late.heap", **more)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    def feed(self, source=None):
        """Give the waiting program its last input."""
        with open(self.folder / "late.heap", "wb") as fifo:
            fifo.write(pathlib.Path(source or self.other).read_bytes())

    def wait_for(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            time.sleep(0.02)


def read_terminal(master, enough, seconds):
    data = b""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not enough(data):
        if not select.select([master], [], [], 0.2)[0]:
            continue
        try:
            more = os.read(master, 65536)
        except OSError:  # the other side is closed
            break
        if not more:
            break
        data += more
    return data.decode("utf-8", "surrogateescape")


def ignoring(*numbers):
    return lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers]


def without_handlers():
    """The environment in which sanitizers leave faults to the program."""
    off = ":".join(f"handle_{name}=0" for name in
                   "segv sigbus sigfpe sigill sigtrap abort".split())
    return {f"{name}_OPTIONS": f"{os.environ.get(name + '_OPTIONS', '')}:{off}"
            for name in ("ASAN", "UBSAN", "TSAN")}


def with_defaults(*numbers):
    """Restore default signal handlers: nohup(1) and background jobs of shells ignore signals."""
    return lambda: [signal.signal(number, signal.SIG_DFL) for number in numbers]


def check(result, status=0, out=None, err=None):
    """`out` and `err`: a text to be found, or "" for nothing at all."""
    assert result.status == status, f"expected status {status}, got {result}"
    for want, got in ((out, result.out), (err, result.err)):
        if want == "":
            assert got == "", f"expected nothing, got {result}"
        elif want is not None:
            assert want in got, f"expected {want!r} in {result}"
    return result


def run_all(binary, testdata, wanted):
    passed = failed = 0
    binary = str(pathlib.Path(binary).resolve())
    testdata = pathlib.Path(testdata).resolve()
    for function in CASES:
        if wanted and function.__name__ not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(Bench(binary, testdata, pathlib.Path(folder)))
                passed += 1
            except Skip as reason:
                print(f"skip {function.__name__}: {reason}")
            except Exception:
                failed += 1
                print(f"FAIL {function.__name__}")
                traceback.print_exc(limit=-2)
    print(f"{passed} passed, {failed} failed", flush=True)
    return failed > 0
