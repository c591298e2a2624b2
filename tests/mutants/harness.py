"""Building ftx with a bug in it, and running the tests against it.

A worker has a copy of the sources of its own. The library is one shared
object; a bug costs compiling what includes the changed file, and one link.
The tests are linked once, to whichever libftx.so the loader is told."""
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PLAIN = "cc -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno -Itangled"
STRICT = ["-O1", "-g0", "-fPIC", "-Werror=incompatible-pointer-types",
          "-Werror=int-conversion", "-Werror=implicit-function-declaration"]
STARTED = re.compile(r"^\[=+\] Running (\d+) test\(s\)", re.MULTILINE)
FAILED, FOREVER = "failed", "forever"
DUMP = """#include <sys/syscall.h>
long syscall(long number, ...);
void __gcov_dump(void);
_Noreturn void _exit(int status)        /* not without its counts */
{
    __gcov_dump();
    for (;;)
        syscall(SYS_exit_group, status);
}
"""
PASSED = re.compile(r"^\[  PASSED  \] (\d+) test\(s\)", re.MULTILINE)


class Wrong(Exception):
    """The harness, a test or a named bug is at fault; nothing is proved."""


class Alone:
    """Many share; or one is alone."""

    def __init__(self):
        self.changed = threading.Condition()
        self.sharing, self.waiting, self.taken = 0, 0, False

    @contextmanager
    def shared(self):
        with self.changed:
            self.changed.wait_for(lambda: not self.taken and not self.waiting)
            self.sharing += 1
        try:
            yield
        finally:
            with self.changed:
                self.sharing -= 1
                self.changed.notify_all()

    @contextmanager
    def alone(self):
        with self.changed:
            self.waiting += 1
            self.changed.wait_for(lambda: not self.taken and not self.sharing)
            self.waiting -= 1
            self.taken = True
        try:
            yield
        finally:
            with self.changed:
                self.taken = False
                self.changed.notify_all()

# Folders of tests/ whose programs are no tests.
NO_TESTS = tuple(f"tests/{name}/" for name in ("bench", "data", "fuzz", "mutants", "oracle"))


@dataclass
class Test:
    """A program of tests, as it is without a bug."""
    name: str                   # tests/check/judge
    laws: int = 0               # none: it fails without a bug and is left out
    seconds: float = 0.0

    @property
    def source(self):
        return self.name + ".c"


@dataclass
class Result:
    verdict: str                # killed, survived, equal, stillborn, wrong, late
    by: str = ""                # the test that noticed, or what is wrong
    kept: tuple = ()            # of a kill that is not confirmed


class Harness:
    def __init__(self, root, work, real="double", jobs=None):
        self.root, self.work = Path(root).resolve(), Path(work).resolve()
        self.real, self.jobs = real, jobs or os.cpu_count() or 1
        self.compiler = ((os.environ.get("CC11") or PLAIN).split()
                         + STRICT + [f"-DREAL={real}"])
        self.still = 20         # seconds without a processor: it waits for itself
        self.end = float("inf")     # from when on no other test is begun
        self.turn = Alone()
        self.includes = {}      # what is compiled: the files that it reads
        self.lent = set()       # numbers of workers that are busy
        self.lock = threading.Lock()
        self.kills = {}         # function or file: {test: how often}
        self.kills_so_far = 0

    # ------------------------------------------------------- without a bug

    def prepare(self):
        """Everything without a bug. A test that fails three times is told,
        and left out. What was prepared before for the very same files is
        taken again."""
        self.work.mkdir(parents=True, exist_ok=True)
        self.own = open(self.work.with_suffix(".lock"), "w")
        try:
            fcntl.flock(self.own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Wrong(f"another run is at work in {self.work}") from None
        self.key = digest_of(self.root, " ".join(self.compiler))
        self.sound = {}         # test: does it pass without a bug?
        for rest in (*self.work.glob("worker*"), self.work / "kept"):
            shutil.rmtree(rest, ignore_errors=True)
        self.tree = self.work / "tree"
        if not self.was_prepared():
            shutil.rmtree(self.work)
            self.copy_tree()
            self.build()
            reached = self.measure()
            ready = {"key": self.key, "library": self.library,
                     "includes": {k: sorted(v) for k, v in self.includes.items()},
                     "tests": [vars(test) for test in self.tests.values()],
                     "reached": reached}
            self.reach = reach_from(reached)
            (self.work / "ready.json").write_text(json.dumps(ready))
        self.remembered = self.work.with_suffix(".kills")
        if self.remembered.exists():
            self.kills = json.loads(self.remembered.read_text())
        if not any(test.laws for test in self.tests.values()):
            raise Wrong("no test passes without a bug")

    def was_prepared(self):
        ready = self.work / "ready.json"
        if not ready.exists():
            return False
        known = json.loads(ready.read_text())
        self.library = known["library"]
        self.includes = {k: set(v) for k, v in known["includes"].items()}
        self.tests = {test["name"]: Test(**test) for test in known["tests"]}
        self.reach = reach_from(known["reached"])
        return known["key"] == self.key

    def copy_tree(self):
        for part in ("tangled", "tests"):
            shutil.copytree(self.root / part, self.tree / part,
                            ignore=shutil.ignore_patterns("build", "__pycache__"))
        for other in self.root.iterdir():
            if other.name not in ("tangled", "tests", "build", ".git"):
                (self.tree / other.name).symlink_to(other)

    def build(self):
        def found(folder, pattern):
            return sorted(str(path.relative_to(self.tree))
                          for path in (self.tree / folder).rglob(pattern))

        programs = [name[:-2] for name in found("tests", "*.c")
                    if not name.startswith(NO_TESTS)]
        with ThreadPoolExecutor(self.jobs) as pool:
            for path in pool.map(self.compile_plain, [name + ".c" for name in programs]):
                self.includes[path] = self.read_by(path)
            self.tests = {name: Test(name) for name in programs}
            taken = {f for t in self.test_sources() for f in self.includes[t]}
            self.library = [s for s in found("tangled", "*.c") if s not in taken]
            for path in pool.map(self.compile_plain, self.library):
                self.includes[path] = self.read_by(path)
            self.link_library(self.work / "lib", {})
            list(pool.map(self.link_test, programs))

    def test_sources(self):
        return sorted({test.source for test in self.tests.values()})

    def object_of(self, path):
        return self.work / "objects" / (path[:-2] + ".o")

    def compile_plain(self, path):
        fault = self.compile(self.tree, path, self.object_of(path))
        if fault:
            raise Wrong(f"{path} does not compile without a bug:\n{fault}")
        return path

    def compile(self, tree, path, to, more=[]):
        """What the compiler says if it fails; else nothing."""
        to.parent.mkdir(parents=True, exist_ok=True)
        extra = ["-O0", "-Itests/tools", "-Itests", "-Itests/data"] if path.startswith("tests/") else []
        done = subprocess.run(
            self.compiler + extra + more + ["-MMD", "-c", "-o", str(to), path],
            cwd=tree, capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def read_by(self, path):
        """The files of the project that compiling this one reads."""
        rule = self.object_of(path).with_suffix(".d").read_text()
        names = rule.replace("\\\n", " ").split()[1:]
        return {os.path.normpath(name) for name in names if name[0] != "/"}

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

    # ------------------------------------ without a bug: what the tests reach

    def measure(self):
        """{test: {path: {known lines, run lines, functions run}}}, by gcov.
        Each test is run once for it, beside a library that counts; that says
        how many laws it has, and how long it takes."""
        at = self.work / "coverage"
        with ThreadPoolExecutor(self.jobs) as pool:
            counting = [s for s in self.test_sources() if any(
                path.endswith(".c") and path.startswith("tangled/")
                for path in self.includes[s])]
            list(pool.map(lambda path: self.compile_counting(at, path),
                          self.library + counting))
            dump = at / "dump.c"
            dump.write_text(DUMP)
            self.link(["--coverage", "-shared", "-o", str(at / "libftx.so"), str(dump)]
                      + [str(at / (s[:-2] + ".o")) for s in self.library])
            for source in counting:
                program = at / "bin" / source[:-2]
                program.parent.mkdir(parents=True, exist_ok=True)
                self.link(["--coverage", "-o", str(program), str(at / (source[:-2] + ".o")),
                           f"-L{at}", "-lftx", "-lcmocka"])
            reached = dict(pool.map(lambda test: self.reached_by(at, test),
                                    self.longest_first()))
        shutil.rmtree(at)
        return reached

    def longest_first(self):
        """The tests in the order of the Makefile."""
        rules = self.root / "Makefile"
        said = re.search(r"^LONGEST = (.*)", rules.read_text() if rules.exists() else "",
                         re.MULTILINE)
        first = said.group(1).split() if said else []
        return sorted(self.tests.values(),
                      key=lambda test: Path(test.name).name not in first)

    def compile_counting(self, at, path):
        to = at / (path[:-2] + ".o")
        fault = self.compile(self.tree, path, to, ["--coverage", "-w", "-D_exit=exit"])
        if fault:
            raise Wrong(f"{path} does not compile with --coverage:\n{fault}")

    def reached_by(self, at, test):
        program = at / "bin" / test.name
        if not program.exists():
            program = self.work / "bin" / test.name
        mine = at / "of" / test.name
        mine.mkdir(parents=True)
        with self.worker() as worker:
            output, status, test.seconds = self.start(
                program, worker, at, 600, {"GCOV_PREFIX": str(mine),
                                           "CMOCKA_TEST_ABORT": "0"})
        laws = PASSED.search(output)
        if status == 0 and laws:
            test.laws = int(laws.group(1))
        else:
            self.try_without_bug(test)
        known = read_gcov(self, mine)
        shutil.rmtree(mine)
        return test.name, known

    def try_without_bug(self, test):
        """Whether it passes; a test that fails three times is left out."""
        for _ in range(3):
            with self.worker() as worker:
                output, status, seconds = self.start(
                    self.work / "bin" / test.name, worker, self.work / "lib", 600)
            laws = PASSED.search(output)
            if status == 0 and laws:
                test.laws, test.seconds = int(laws.group(1)), seconds
                return True
        test.laws = 0
        print(f"LEFT OUT  {test.name} fails without a bug:\n{output[-3000:]}",
              file=sys.stderr, flush=True)
        return False

    def is_sound(self, test):
        """Whether it passes without a bug; tried when it first notices one."""
        with self.lock:
            known = self.sound.setdefault(test.name, [threading.Lock(), None])
        with known[0]:
            if known[1] is None:
                known[1] = self.try_without_bug(test)
        return known[1]

    # ------------------------------------------------------- running a test

    def start(self, program, worker, library, seconds, more={}):
        """What it printed, its exit status, and the seconds of a processor
        that it took. When it is over, nothing of it is left: no process, no
        file."""
        files, build, log = worker / "files", worker / "build", worker / "log"
        for place in files, build:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(exist_ok=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(library),
                       "FTX_FILES": files.name, "TMPDIR": str(files),
                       "FTX_SHEETS": "2", "FTX_AMOUNT": "2",
                       "FTX_VARIANTS": "all",
                       "CMOCKA_TEST_ABORT": "1", "MALLOC_PERTURB_": "165",
                       "MALLOC_ARENA_MAX": "2", "MALLOC_TOP_PAD_": "10000000",
                       "MALLOC_TRIM_THRESHOLD_": "1000000000",  # or pages come and go
                       "MALLOC_MMAP_THRESHOLD_": "1000000000", **more}
        limits = (f"ulimit -S -t {seconds}; ulimit -H -t {seconds + 5}; "
                  "ulimit -c 0; ulimit -f 200000")
        with open(log, "wb") as out:
            child = subprocess.Popen(
                ["sh", "-c", limits + '; ulimit -v 4000000; exec "$0"', str(program)],
                cwd=worker, env=environment, stdin=subprocess.DEVNULL,
                stdout=out, stderr=out, start_new_session=True)
            over = threading.Event()
            watch = threading.Thread(target=end_if_still, args=[child.pid, self.still, over])
            watch.start()
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = status = os.waitstatus_to_exitcode(status)
            over.set()
            end_all_of(child.pid)
            watch.join()
        for place in files, build:
            shutil.rmtree(place, ignore_errors=True)
        output = log.read_text(errors="replace")
        log.unlink()
        return output, status, used.ru_utime + used.ru_stime

    def noticed(self, test, program, worker, library):
        """How a test notices the bug: FAILED, or FOREVER where it had to be
        stopped; or None. The seconds are a processor's, so that it does not
        matter what runs beside it."""
        limit = 5 + int(4 * test.seconds)
        for _ in range(3):
            output, status, _ = self.start(program, worker, library, limit)
            if status == -signal.SIGXCPU:
                return FOREVER
            if STARTED.search(output):
                break
        else:
            raise Wrong(f"{test.name} could not be started "
                        f"(exit status {status}): {output[:300]}")
        laws = PASSED.search(output)
        passed = status == 0 and laws is not None and int(laws.group(1)) == test.laws
        return None if passed else FAILED

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

    def judge(self, changed, tests, place=("",), may_be_equal=True,
              seconds=float("inf")):
        """Plants a bug, {path: text}, and runs the tests, so many seconds of
        them, in the order in which it is likely that they notice, until one
        does; the kill is to be confirmed. place: names of the function and
        the file."""
        with self.worker() as worker:
            try:
                for path, text in changed.items():
                    (worker / path).write_text(text)
                return self.judge_in(worker, changed, tests, place, may_be_equal, seconds)
            except Wrong as wrong:
                return Result("wrong", str(wrong))
            finally:
                for path in changed:
                    shutil.copy2(self.tree / path, worker / path)
                shutil.rmtree(worker / "lib", ignore_errors=True)
                shutil.rmtree(worker / "changed", ignore_errors=True)

    def judge_in(self, worker, changed, tests, place, may_be_equal, seconds):
        objects = {}
        for source in self.library:
            if self.includes[source] & changed.keys():
                to = worker / "changed" / (source[:-2] + ".o")
                if self.compile(worker, source, to):
                    return Result("stillborn")
                if to.read_bytes() != self.object_of(source).read_bytes():
                    objects[source] = to
        own = {test.name for test in self.tests.values()
               if self.includes[test.source] & changed.keys()}
        if not objects and not own and may_be_equal:
            return Result("equal")
        self.link_library(worker / "lib", objects)
        same = set()
        for test in self.affordable(self.ordered(tests, place), seconds):
            program = self.work / "bin" / test.name
            if test.name in own:
                program = worker / "changed" / "bin" / test.name
            if not program.exists():
                to = worker / "changed" / (test.name + ".o")
                if self.compile(worker, test.source, to):
                    return Result("stillborn")
                if to.read_bytes() == self.object_of(test.source).read_bytes():
                    same.add(test.name)
                self.link_test(test.name, worker / "changed" / "bin", to)
            with self.turn.shared():
                noticed = self.noticed(test, program, worker, worker / "lib")
            if noticed and not self.is_sound(test):
                noticed = None
            if noticed:
                self.remember(test, place)
                with self.turn.shared():
                    if noticed == FOREVER or self.noticed(
                            test, program, worker, worker / "lib"):
                        return Result("killed", test.name)
                return Result("killed", test.name, self.kept(worker, program))
            if time.monotonic() > self.end:
                return Result("late")
        if not objects and same == own and may_be_equal:
            return Result("equal")
        return Result("survived")

    def kept(self, worker, program):
        """The library and the program of a kill, until it is confirmed."""
        with self.lock:
            self.kills_so_far += 1
            to = self.work / "kept" / str(self.kills_so_far)
        to.mkdir(parents=True)
        (worker / "lib").rename(to / "lib")
        if program.is_relative_to(worker):
            program = program.rename(to / program.name)
        return to / "lib", program

    def confirm(self, result):
        """A test that failed once of two times beside others is run again
        alone; up to three times, since threads that race need not meet each
        time."""
        test, (library, program) = self.tests[result.by], result.kept
        try:
            with self.turn.alone(), self.worker() as worker:
                noticed = any(self.noticed(test, program, worker, library)
                              for _ in range(3))
        except Wrong as wrong:
            return Result("wrong", str(wrong))
        finally:
            shutil.rmtree(library.parent)
        return Result("killed", test.name) if noticed else Result(
            "survived", f"{test.name} failed beside others, but passes alone")

    def remember(self, test, place):
        with self.lock:
            for name in place:
                of = self.kills.setdefault(name, {})
                of[test.name] = of.get(test.name, 0) + 1

    def affordable(self, tests, seconds):
        for test in tests:
            if seconds > 0 and test.laws > 0:
                yield test
                seconds -= test.seconds

    def ordered(self, tests, place):
        """The shortest wait first for a test that noticed such bugs."""
        def wait(test):
            noticed = sum((4 - 3 * k) * self.kills.get(name, {}).get(test.name, 0)
                          for k, name in enumerate(place))
            return (test.seconds + 0.02) / (noticed + 0.3)
        return sorted(tests, key=wait)


def digest_of(root, *words):
    """Of all that the tests could read, and of some words."""
    digest = hashlib.sha256("\n".join(words).encode())
    for folder in ("tangled", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc" and path.parent.name != "mutants":
                digest.update(str(path.relative_to(root)).encode() + b"\0")
                digest.update(path.read_bytes())
    return digest.hexdigest()


def used_by(session):
    """What of a processor's time its processes took that live; None where
    no /proc tells."""
    used = None
    for about in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = about.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(session):
            used = (used or 0) + sum(map(int, fields[11:15]))
    return used


def end_if_still(session, seconds, over):
    """Ends what waits for itself: it takes nothing of a processor for long,
    and what else runs on the machine can hardly be why."""
    before, since = None, time.monotonic()
    while not over.wait(1):
        used = used_by(session)
        if used != before or used is None:
            before, since = used, time.monotonic()
        elif time.monotonic() > since + seconds:
            end_all_of(session)


def end_all_of(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


# ------------------------------------------------- which tests reach a line

class Reach:
    """The tests that run a line, a function or a file, by gcov."""

    def __init__(self, lines, functions):
        self.lines, self.functions = lines, functions
        self.files = {}
        for (path, _), tests in [*functions.items(), *lines.items()]:
            self.files.setdefault(path, set()).update(tests)

    def tests_of(self, path, function, lines, readers):
        """Those that run one of the lines; if gcov knows none of them, those
        that run the function; else those that run a file that reads it."""
        known = [self.lines[path, line] for line in lines
                 if (path, line) in self.lines]
        if known:
            return set().union(*known)
        if (path, function) in self.functions:
            return self.functions[path, function]
        return set().union(*(self.files.get(reader, set()) for reader in readers))


def reach_from(reached):
    lines, functions = {}, {}
    for test, files in reached.items():
        for path, known in files.items():
            for line in known["known"]:
                lines.setdefault((path, line), set())
            for line in known["run"]:
                lines[path, line].add(test)
            for name in known["functions"]:
                functions.setdefault((path, name), set()).add(test)
    return Reach(lines, functions)


def read_gcov(harness, mine):
    found = {}
    data = sorted(mine.rglob("*.gcda"))
    for path in data:
        notes = Path("/") / path.relative_to(mine).with_suffix(".gcno")
        shutil.copy(notes, path.with_suffix(".gcno"))
    if not data:                # it was aborted
        return {}
    said = subprocess.run(["gcov", "--json-format", "--stdout"] + [str(p) for p in data],
                          cwd=harness.tree, capture_output=True, text=True, check=True)
    for line in said.stdout.splitlines():
        for file in json.loads(line)["files"]:
            name = os.path.normpath(file["file"])
            if not name.startswith("tangled/"):
                continue
            of = found.setdefault(name, {"known": set(), "run": set(), "functions": set()})
            for function in file["functions"]:
                if function["execution_count"] > 0:
                    of["functions"].add(function["name"])
            for entry in file["lines"]:
                of["known"].add(entry["line_number"])
                if entry["count"] > 0:
                    of["run"].add(entry["line_number"])
    return {name: {k: sorted(v) for k, v in of.items()} for name, of in found.items()}
