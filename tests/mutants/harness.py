"""Building ftx with a bug in it, and running the tests against it.

A worker has a copy of the sources and of what rules.mk builds of them. The tests
of the changed file run first, then those of its folder, then the others."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import LifoQueue

from bugs import Wrong

RULES = Path(__file__).resolve().parent / "rules.mk"
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


# Killed, survived, equal, stillborn or wrong; and the test that noticed, or what is wrong.
Result = namedtuple("Result", "verdict by", defaults=[""])


class Harness:
    def __init__(self, root, work, real="double"):
        self.root, self.work = Path(root).resolve(), Path(work).resolve()
        self.tree, self.jobs, self.real = self.work / "tree", os.cpu_count() or 1, real
        self.free = LifoQueue()     # of workers, those that have a copy first
        for number in range(self.jobs):
            self.free.put(self.work / f"worker{number}")
        self.kills = Counter()      # (folder, test): how often
        os.environ.pop("MAKEFLAGS", None)   # of `make mutants`

    # ------------------------------------------------------- without a bug

    def prepare(self):
        """Everything without a bug. A test that fails is left out."""
        try:                        # until this program ends
            fcntl.flock(os.open(self.root, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Wrong(f"{self.root} has planted bugs already: another run is in it") from None
        shutil.rmtree(self.work, ignore_errors=True)
        for part in ("tangled", "tests"):
            shutil.copytree(self.root / part, self.tree / part,
                            ignore=shutil.ignore_patterns("build", "__pycache__"))
        for other in self.root.iterdir():
            if other.name not in ("tangled", "tests", "build", ".git"):
                (self.tree / other.name).symlink_to(other)
        fault = self.make(self.tree, "all", f"-j{self.jobs}")
        if fault:
            raise Wrong(f"it does not compile without a bug:\n{fault}")
        objects = self.tree / "objects"
        self.reads = {str(rule.relative_to(objects))[:-2]:          # tests/check/judge: {files}
                      set(rule.read_text().split()) for rule in objects.rglob("*.d")}
        self.tests = [Test(name) for name in sorted(self.reads) if name.startswith("tests/")]
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self.try_plain, self.tests))
        if not any(test.laws for test in self.tests):
            raise Wrong("no test passes without a bug")

    def make(self, tree, *arguments):
        """What it says if it fails; else nothing."""
        done = subprocess.run(["make", "-s", "-C", str(tree), "-f", str(RULES),
                               f"REAL={self.real}", *arguments], capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def readers(self, path, folder):
        """The files of tangled/ or of tests/ that include this one."""
        return [name for name, read in self.reads.items()
                if name.startswith(folder) and path in read]

    def try_plain(self, test):
        """How many laws a test has, and how long it takes."""
        with self.worker() as worker:
            output, laws, test.seconds = self.start(test, worker, 600)
        test.laws = laws or 0
        if test.laws == 0:
            print(f"LEFT OUT  {test.name} fails without a bug:\n{output[-3000:]}",
                  file=sys.stderr, flush=True)

    # ------------------------------------------------------- running a test

    def start(self, test, worker, seconds):
        """What it printed; how many laws passed, 0 if one failed, None if it had to be ended; and
        the seconds of a processor that it took. No process and no file of it is left."""
        files, build, log = worker / "files", worker / "build", worker / "log"
        for place in files, build:
            place.mkdir(exist_ok=True)
        with open(log, "wb") as out:
            child = subprocess.Popen(
                ["sh", "-c", LIMITS.format(seconds) + 'exec "$0"', worker / "bin" / test.name],
                env={**os.environ, **SETTINGS, "LD_LIBRARY_PATH": str(worker / "lib"),
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
        shutil.rmtree(files, ignore_errors=True)
        for place in build.iterdir():               # what a test has left there
            if place.name != "released":
                shutil.rmtree(place) if place.is_dir() else place.unlink()
        output = log.read_text(errors="replace")
        laws = status == 0 and re.search(r"^\[  PASSED  \] (\d+) test\(s\)", output, re.MULTILINE)
        ended |= status in (-signal.SIGXCPU, -signal.SIGKILL)
        passed = None if ended else int(laws.group(1)) if laws else 0
        return output, passed, used.ru_utime + used.ru_stime

    def notices(self, test, worker):
        """Twice, or it was chance; but what does not end, never is."""
        for _ in range(2):
            _, laws, _ = self.start(test, worker, 2 + int(4 * test.seconds))
            if laws is None:
                break
            if laws == test.laws:
                return False
        return True

    # ----------------------------------------------------------- with a bug

    @contextmanager
    def worker(self):
        """A copy that nobody else changes."""
        place = self.free.get()
        if not place.exists():
            shutil.copytree(self.tree, place, symlinks=True)
        try:
            yield place
        finally:
            self.free.put(place)

    def judge(self, changed, may_be_equal=True, seconds=float("inf")):
        """Plants a bug, {path: text}, and runs the tests, so many seconds of them, in the order
        in which it is likely that they notice, until one does."""
        with self.worker() as worker:
            try:
                for path, text in changed.items():
                    (worker / path).write_text(text)
                return self.judge_in(worker, changed, may_be_equal, seconds)
            finally:
                for path in changed:
                    shutil.copyfile(self.tree / path, worker / path)

    def judge_in(self, worker, changed, may_be_equal, seconds):
        own = {f"bin/{name}" for path in changed for name in self.readers(path, "tests/")}
        if self.make(worker, "lib/libftx.so", *own):
            return Result("stillborn")
        same = [(tree / "lib/libftx.so").read_bytes() for tree in (worker, self.tree)]
        if same[0] == same[1] and not own and may_be_equal:
            return Result("equal")
        path = next(iter(changed))
        for test in self.ordered(path):
            if seconds <= 0:
                break
            seconds -= test.seconds
            if test.laws and self.notices(test, worker):
                self.kills[os.path.dirname(path), test.name] += 1
                return Result("killed", test.name)
        return Result("survived")

    def ordered(self, path):
        """The shortest wait first for a test that is near, or that noticed
        other bugs of the folder."""
        home = "tests" + path[len("tangled"):-2]

        def wait(test):
            near = 100 if test.name == home else \
                5 if os.path.dirname(test.name) == os.path.dirname(home) else 0.3
            return (test.seconds + 0.02) / (near + 4 * self.kills[os.path.dirname(path), test.name])
        return sorted(self.tests, key=wait)


def end_all_of(group):
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
