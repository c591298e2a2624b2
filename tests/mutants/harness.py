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

from bugs import Wrong

PLAIN = "cc -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno -Itangled"
STRICT = ["-O1", "-g0", "-fPIC", "-Werror=incompatible-pointer-types",
          "-Werror=int-conversion", "-Werror=implicit-function-declaration"]
FOR_TESTS = ["-O0", "-Itests/tools", "-Itests", "-Itests/data"]
PASSED = re.compile(r"^\[  PASSED  \] (\d+) test\(s\)", re.MULTILINE)
NO_TESTS = tuple(f"tests/{name}/" for name in ("bench", "data", "fuzz", "mutants", "oracle"))
LIMITS = "ulimit -t {}; ulimit -c 0; ulimit -f 200000; ulimit -v 4000000; "
SETTINGS = {"FTX_AMOUNT": "2", "CMOCKA_TEST_ABORT": "1", "MALLOC_PERTURB_": "165",
            "MALLOC_ARENA_MAX": "2", "MALLOC_TOP_PAD_": "10000000",   # or pages come and go
            "MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}


@dataclass
class Test:
    """A program of tests, as it is without a bug."""
    name: str                   # tests/check/judge
    laws: int = 0               # none: it fails without a bug and is left out
    seconds: float = 0.0
    includes: frozenset = frozenset()   # the files that it reads


@dataclass
class Result:
    verdict: str                # killed, survived, equal, stillborn, wrong
    by: str = ""                # the test that noticed, or what is wrong


class Harness:
    def __init__(self, root, work, real="double"):
        self.root, self.work = Path(root).resolve(), Path(work).resolve()
        self.tree, self.jobs = self.work / "tree", os.cpu_count() or 1
        self.compiler = ((os.environ.get("CC11") or PLAIN).split()
                         + STRICT + [f"-DREAL={real}"])
        self.includes = {}      # a source of the library: the files that it reads
        self.lent = set()       # numbers of workers that are busy
        self.lock = threading.Lock()
        self.kills = {}         # (file, test): how often

    # ------------------------------------------------------- without a bug

    def prepare(self):
        """Everything without a bug. A test that fails is left out."""
        shutil.rmtree(self.work, ignore_errors=True)
        for part in ("tangled", "tests"):
            shutil.copytree(self.root / part, self.tree / part,
                            ignore=shutil.ignore_patterns("build", "__pycache__"))
        for other in self.root.iterdir():
            if other.name not in ("tangled", "tests", "build", ".git"):
                (self.tree / other.name).symlink_to(other)
        tests = [n for n in self.found("tests") if not n.startswith(NO_TESTS)]
        self.tests = [Test(name[:-2]) for name in tests]
        with ThreadPoolExecutor(self.jobs) as pool:
            for test, read in zip(self.tests, pool.map(self.compile_plain, tests)):
                test.includes = read
            read = set().union(*(test.includes for test in self.tests))
            self.library = [s for s in self.found("tangled") if s not in read]
            self.includes = dict(zip(self.library, pool.map(self.compile_plain, self.library)))
            self.link_library(self.work / "lib", {})
            list(pool.map(self.try_plain, self.tests))
        if not any(test.laws for test in self.tests):
            raise Wrong("no test passes without a bug")

    def found(self, folder):
        return sorted(str(path.relative_to(self.tree))
                      for path in (self.tree / folder).rglob("*.c"))

    def object_of(self, path):
        return self.work / "objects" / (path[:-2] + ".o")

    def compile_plain(self, path):
        """Returns the files of the project that are read."""
        fault = self.compile(self.tree, path, self.object_of(path))
        if fault:
            raise Wrong(f"{path} does not compile without a bug:\n{fault}")
        rule = self.object_of(path).with_suffix(".d").read_text()
        names = rule.replace("\\\n", " ").split()[1:]
        return {os.path.normpath(n) for n in names if n[0] != "/"}

    def compile(self, tree, path, to):
        """What the compiler says if it fails; else nothing."""
        to.parent.mkdir(parents=True, exist_ok=True)
        extra = FOR_TESTS if path.startswith("tests/") else []
        done = subprocess.run(self.compiler + extra + ["-MMD", "-c", "-o", str(to), path],
                              cwd=tree, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def link(self, to, *arguments):
        to.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([*self.compiler, "-o", str(to), *map(str, arguments),
                               "-pthread", "-lm"], capture_output=True, text=True)
        if done.returncode:
            raise Wrong(f"cannot link: {done.stderr}")

    def link_library(self, to, changed):
        """libftx.so of the objects without a bug and the changed ones."""
        self.link(to / "libftx.so", "-shared",
                  *[changed.get(s) or self.object_of(s) for s in self.library])

    def link_test(self, program, compiled):
        self.link(program, compiled, f"-L{self.work / 'lib'}", "-lftx", "-lcmocka")
        return program

    def try_plain(self, test):
        """How many laws a test has, and how long it takes."""
        program = self.link_test(self.work / "bin" / test.name, self.object_of(test.name + ".c"))
        with self.worker() as worker:
            output, status, test.seconds = self.start(program, worker, self.work / "lib", 600)
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
        with open(log, "wb") as out:
            child = subprocess.Popen(
                ["sh", "-c", LIMITS.format(seconds) + 'exec "$0"', program],
                env={**os.environ, **SETTINGS, "LD_LIBRARY_PATH": str(library),
                     "FTX_FILES": str(files), "TMPDIR": str(files)}, cwd=worker,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
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
        if ended or status in (-signal.SIGXCPU, -signal.SIGKILL):
            status = None
        return output, status, used.ru_utime + used.ru_stime

    def notices(self, test, program, worker):
        """Twice, or it was chance."""
        for _ in range(2):
            output, status, _ = self.start(program, worker, worker / "lib",
                                           5 + int(4 * test.seconds))
            laws = PASSED.search(output)
            if status == 0 and laws and int(laws.group(1)) == test.laws:
                return False
        return True

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

    def judge_in(self, worker, changed, may_be_equal, seconds):
        objects = {}
        for source in self.library:
            if self.includes[source] & changed.keys():
                compiled = worker / "changed" / (source[:-2] + ".o")
                if self.compile(worker, source, compiled):
                    return Result("stillborn")
                if compiled.read_bytes() != self.object_of(source).read_bytes():
                    objects[source] = compiled
        own = {test.name for test in self.tests if test.includes & changed.keys()}
        if not objects and not own and may_be_equal:
            return Result("equal")
        self.link_library(worker / "lib", objects)
        path = next(iter(changed))
        for test in self.ordered(path):
            if seconds <= 0:
                break
            seconds -= test.seconds
            program = self.work / "bin" / test.name
            if test.name in own:        # it includes what has changed
                compiled = worker / "changed" / (test.name + ".o")
                if self.compile(worker, test.name + ".c", compiled):
                    return Result("stillborn")
                program = self.link_test(worker / "bin" / test.name, compiled)
            if test.laws and self.notices(test, program, worker):
                with self.lock:
                    self.kills[path, test.name] = self.kills.get((path, test.name), 0) + 1
                return Result("killed", test.name)
        return Result("survived")

    def ordered(self, path):
        """The shortest wait first for a test that is near, or that noticed
        other bugs of the file."""
        home = "tests" + path[len("tangled"):-2]

        def wait(test):
            near = 100 if test.name == home else \
                5 if os.path.dirname(test.name) == os.path.dirname(home) else 0.3
            return (test.seconds + 0.02) / (near + 4 * self.kills.get((path, test.name), 0))
        return sorted(self.tests, key=wait)


def end_all_of(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
