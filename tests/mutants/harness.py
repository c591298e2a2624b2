"""Building ftx with a bug in it, and running the tests against it.

A worker has a copy of the sources of its own. The library is one shared
object; a bug costs compiling what includes the changed file, and one link.
The tests are linked once, to whichever libftx.so the loader is told. Those of
the changed file run first, then those of its folder, then the others."""
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PLAIN = "cc -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno -Itangled"
STRICT = ["-O1", "-g0", "-fPIC", "-Werror=incompatible-pointer-types",
          "-Werror=int-conversion", "-Werror=implicit-function-declaration"]
FOR_TESTS = ["-O0", "-Itests/tools", "-Itests", "-Itests/data"]
STARTED = re.compile(r"^\[=+\] Running (\d+) test\(s\)", re.MULTILINE)
PASSED = re.compile(r"^\[  PASSED  \] (\d+) test\(s\)", re.MULTILINE)
# Folders of tests/ whose programs are no tests.
NO_TESTS = tuple(f"tests/{name}/" for name in ("bench", "data", "fuzz", "mutants", "oracle"))


class Wrong(Exception):
    """The harness, a test or a named bug is at fault; nothing is proved."""


@dataclass
class Test:
    """A program of tests, as it is without a bug."""
    name: str                   # tests/check/judge
    laws: int = 0               # none: it fails without a bug and is left out
    seconds: float = 0.0
    is_sound: bool = None       # it passes beside others, too; None: unknown

    @property
    def source(self):
        return self.name + ".c"


@dataclass
class Result:
    verdict: str                # killed, survived, equal, stillborn, wrong
    by: str = ""                # the test that noticed, or what is wrong


class Harness:
    def __init__(self, root, work, real="double", jobs=None):
        self.root, self.work = Path(root).resolve(), Path(work).resolve()
        self.jobs = jobs or os.cpu_count() or 1
        self.compiler = ((os.environ.get("CC11") or PLAIN).split()
                         + STRICT + [f"-DREAL={real}"])
        self.includes = {}      # what is compiled: the files that it reads
        self.lent = set()       # numbers of workers that are busy
        self.lock = threading.Lock()
        self.kills = {}         # file: {test: how often}

    # ------------------------------------------------------- without a bug

    def prepare(self):
        """Everything without a bug. A test that fails is left out."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.tree = self.work / "tree"
        for part in ("tangled", "tests"):
            shutil.copytree(self.root / part, self.tree / part,
                            ignore=shutil.ignore_patterns("build", "__pycache__"))
        for other in self.root.iterdir():
            if other.name not in ("tangled", "tests", "build", ".git"):
                (self.tree / other.name).symlink_to(other)
        programs = [name[:-2] for name in self.found("tests", "*.c")
                    if not name.startswith(NO_TESTS)]
        with ThreadPoolExecutor(self.jobs) as pool:
            self.tests = {name: Test(name) for name in programs}
            list(pool.map(self.compile_plain, [name + ".c" for name in programs]))
            taken = set().union(*self.includes.values())
            self.library = [s for s in self.found("tangled", "*.c") if s not in taken]
            list(pool.map(self.compile_plain, self.library))
            self.link_library(self.work / "lib", {})
            list(pool.map(self.link_test, programs))
            list(pool.map(self.try_plain, self.tests.values()))
        if not any(test.laws for test in self.tests.values()):
            raise Wrong("no test passes without a bug")

    def found(self, folder, pattern):
        return sorted(str(path.relative_to(self.tree))
                      for path in (self.tree / folder).rglob(pattern))

    def object_of(self, path):
        return self.work / "objects" / (path[:-2] + ".o")

    def compile_plain(self, path):
        fault = self.compile(self.tree, path, self.object_of(path))
        if fault:
            raise Wrong(f"{path} does not compile without a bug:\n{fault}")
        rule = self.object_of(path).with_suffix(".d").read_text()
        names = rule.replace("\\\n", " ").split()[1:]
        self.includes[path] = {os.path.normpath(n) for n in names if n[0] != "/"}

    def compile(self, tree, path, to):
        """What the compiler says if it fails; else nothing."""
        to.parent.mkdir(parents=True, exist_ok=True)
        extra = FOR_TESTS if path.startswith("tests/") else []
        done = subprocess.run(
            self.compiler + extra + ["-MMD", "-c", "-o", str(to), path],
            cwd=tree, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def link_library(self, to, changed):
        """libftx.so of the objects without a bug and the changed ones."""
        to.mkdir(parents=True, exist_ok=True)
        objects = [str(changed.get(s) or self.object_of(s)) for s in self.library]
        self.link(["-shared", "-o", str(to / "libftx.so")] + objects)

    def link_test(self, program, into=None, compiled=None):
        to = (into or self.work / "bin") / program
        to.parent.mkdir(parents=True, exist_ok=True)
        self.link(["-o", str(to), str(compiled or self.object_of(program + ".c")),
                   f"-L{self.work / 'lib'}", "-lftx", "-lcmocka"])
        return to

    def link(self, arguments):
        done = subprocess.run(self.compiler + arguments + ["-pthread", "-lm"],
                              capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"cannot link: {done.stderr}")

    def try_plain(self, test):
        """How many laws a test has, and how long it takes."""
        with self.worker() as worker:
            output, status, test.seconds = self.start(
                self.work / "bin" / test.name, worker, self.work / "lib", 600)
        laws = PASSED.search(output)
        test.laws = int(laws.group(1)) if status == 0 and laws else 0
        if test.laws == 0:
            print(f"LEFT OUT  {test.name} fails without a bug:\n{output[-3000:]}",
                  file=sys.stderr, flush=True)

    # ------------------------------------------------------- running a test

    def start(self, program, worker, library, seconds):
        """What it printed, its exit status, None if it had to be ended, and
        the seconds of a processor that it took. When it is over, nothing of
        it is left: no process, no file."""
        files, build, log = worker / "files", worker / "build", worker / "log"
        for place in files, build:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
        environment = {**os.environ, "LD_LIBRARY_PATH": str(library),
                       "FTX_FILES": str(files), "TMPDIR": str(files), "FTX_AMOUNT": "2",
                       "CMOCKA_TEST_ABORT": "1", "MALLOC_PERTURB_": "165",
                       "MALLOC_ARENA_MAX": "2", "MALLOC_TOP_PAD_": "10000000",
                       "MALLOC_TRIM_THRESHOLD_": "1000000000",  # or pages come and go
                       "MALLOC_MMAP_THRESHOLD_": "1000000000"}
        limits = f"ulimit -t {seconds}; ulimit -c 0; ulimit -f 200000; ulimit -v 4000000"
        with open(log, "wb") as out:
            child = subprocess.Popen(
                ["sh", "-c", limits + '; exec "$0"', str(program)], cwd=worker,
                env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                start_new_session=True)
            # What waits for nothing uses no processor; others may be busy.
            alarm = threading.Timer(60 + 10 * seconds, end_all_of, [child.pid])
            alarm.start()
            _, status, used = os.wait4(child.pid, 0)
            ended = not alarm.is_alive()
            alarm.cancel()
            child.returncode = status = os.waitstatus_to_exitcode(status)
            end_all_of(child.pid)
        for place in files, build:
            shutil.rmtree(place, ignore_errors=True)
        output = log.read_text(errors="replace")
        log.unlink()
        if ended or status in (-signal.SIGXCPU, -signal.SIGKILL):
            status = None
        return output, status, used.ru_utime + used.ru_stime

    def fails(self, test, program, worker, library):
        for _ in range(3):
            output, status, _ = self.start(program, worker, library,
                                           5 + int(4 * test.seconds))
            if status is None:
                return True
            if STARTED.search(output):
                laws = PASSED.search(output)
                return status != 0 or not laws or int(laws.group(1)) != test.laws
        raise Wrong(f"{test.name} could not be started "
                    f"(exit status {status}): {output[:300]}")

    def notices(self, test, program, worker, library):
        """Twice of three times, and it passes without the bug."""
        if not self.fails(test, program, worker, library):
            return False
        if test.is_sound is None:
            test.is_sound = not self.fails(test, self.work / "bin" / test.name,
                                           worker, self.work / "lib")
        return test.is_sound and any(
            self.fails(test, program, worker, library) for _ in range(2))

    # ----------------------------------------------------------- with a bug

    @contextmanager
    def worker(self):
        """A copy of the sources that nobody else changes."""
        with self.lock:
            number = min(set(range(len(self.lent) + 1)) - self.lent)
            self.lent.add(number)
        place = self.work / f"worker{number}"
        if not place.exists():
            shutil.copytree(self.tree, place, symlinks=True)
        try:
            yield place
        finally:
            with self.lock:
                self.lent.remove(number)

    def judge(self, changed, may_be_equal=True, seconds=float("inf")):
        """Plants a bug, {path: text}, and runs the tests, so many seconds of
        them, in the order in which it is likely that they notice, until one
        does."""
        with self.worker() as worker:
            try:
                for path, text in changed.items():
                    (worker / path).write_text(text)
                return self.judge_in(worker, changed, may_be_equal, seconds)
            except Wrong as wrong:
                return Result("wrong", str(wrong))
            finally:
                for path in changed:
                    shutil.copy2(self.tree / path, worker / path)
                for rest in "lib", "changed":
                    shutil.rmtree(worker / rest, ignore_errors=True)

    def judge_in(self, worker, changed, may_be_equal, seconds):
        objects, to = {}, worker / "changed"
        for source in self.library:
            if self.includes[source] & changed.keys():
                compiled = to / (source[:-2] + ".o")
                if self.compile(worker, source, compiled):
                    return Result("stillborn")
                if compiled.read_bytes() != self.object_of(source).read_bytes():
                    objects[source] = compiled
        own = {test.name for test in self.tests.values()
               if self.includes[test.source] & changed.keys()}
        if not objects and not own and may_be_equal:
            return Result("equal")
        self.link_library(worker / "lib", objects)
        path = next(iter(changed))
        for test in self.ordered(path):
            if seconds <= 0 or test.laws == 0:
                continue
            seconds -= test.seconds
            program = self.work / "bin" / test.name
            if test.name in own:
                compiled = to / (test.name + ".o")
                if self.compile(worker, test.source, compiled):
                    return Result("stillborn")
                program = self.link_test(test.name, to / "bin", compiled)
            if self.notices(test, program, worker, worker / "lib"):
                with self.lock:
                    of = self.kills.setdefault(path, {})
                    of[test.name] = of.get(test.name, 0) + 1
                return Result("killed", test.name)
        return Result("survived")

    def ordered(self, path):
        """The shortest wait first for a test that is near, or that noticed
        other bugs of the file."""
        home = "tests" + path[len("tangled"):-2]

        def wait(test):
            near = 100 if test.name == home else \
                5 if os.path.dirname(test.name) == os.path.dirname(home) else 0.3
            return (test.seconds + 0.02) / (near + 4 * self.kills.get(path, {}).get(test.name, 0))
        return sorted(self.tests.values(), key=wait)


def end_all_of(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
