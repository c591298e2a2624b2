#!/usr/bin/env python3
"""Plants bugs in a copy of tangled/ and demands that a test notices each.

    mutate.py named [NAME...]     the bugs of named.txt
    mutate.py operators [FILE...] mutants made by program
    mutate.py both [FILE...]      the one, then the other
    mutate.py write DIR           the changed files of each named bug
    mutate.py --self-test         the harness proves itself

NAME: a part of it. FILE: the beginning of a path or of a file's name, such as
tangled/ (all) or alg; without one, the algorithms and the library.
"""
import argparse
import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import date
from pathlib import Path

from harness import Harness, Result, Wrong
from named import planted, read_bugs
from operators import mutants_of
from source import Source
from survivors import read_survivors, whole

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def sources_of(root, tree="tangled"):
    return [Source(str(path.relative_to(root)), path.read_text())
            for path in sorted((root / tree).rglob("*.[ch]"))]


def readers_of(harness, path):
    return [s for s, read in harness.includes.items() if path in read] + [path]


def tests_of(harness, reach, places):
    """The tests that run one of the places that are changed."""
    names = set()
    for path, statement in places:
        names |= reach.tests_of(path, statement.function, statement.lines,
                                readers_of(harness, path))
    return [harness.tests[name] for name in names]


def first_of(tests, seconds):
    """The quickest of them, so many seconds in all."""
    chosen = []
    for test in sorted(tests, key=lambda test: test.seconds):
        seconds -= test.seconds
        if seconds > 0:
            chosen.append(test)
    return chosen


class Report:
    """A line a bug that is not killed, and the sums."""

    def __init__(self, total, quiet_for=10):
        self.begin, self.told, self.total = time.monotonic(), 0.0, total
        self.done, self.counts = 0, {}

    def count(self, group, verdict):
        of = self.counts.setdefault(group, {})
        of[verdict] = of.get(verdict, 0) + 1
        self.done += 1
        now = time.monotonic()
        if now - self.told > 10 or self.done == self.total:
            self.told = now
            rate = self.done / (now - self.begin + 1e-9)
            print(f"  {self.done} of {self.total}, {rate:.1f} a second",
                  file=sys.stderr, flush=True)

    def sum(self, *verdicts):
        return sum(of.get(v, 0) for of in self.counts.values() for v in verdicts)

    def table(self):
        print(f"{'file':32} mutants  equal  killed  survived   killed of those not equal")
        rows = sorted(self.counts.items())
        total = {}
        for _, of in rows:
            for verdict, n in of.items():
                total[verdict] = total.get(verdict, 0) + n
        for name, of in rows + [("all", total)]:
            equal = of.get("equal", 0) + of.get("equal in effect", 0)
            killed, alive = of.get("killed", 0), of.get("survived", 0)
            share = 100 * killed / (killed + alive) if killed + alive else 100
            print(f"{name:32} {equal + killed + alive:7} {equal:6} {killed:7} "
                  f"{alive:9}   {share:6.1f} %")


LATE = Result("late")
AT_ONCE = 40        # kills are confirmed while nothing else runs
JUDGED = 30         # of fewer mutants a share says nothing


def all_judged(harness, jobs, seconds, report):
    """Runs (key, function) until time is up; {key: result}."""
    results, late, unconfirmed = {}, 0, []
    end = harness.end = time.monotonic() + seconds

    def settle(key, result):
        results[key] = result
        report(key, result)

    def confirm():
        for key, result in unconfirmed:
            settle(key, harness.confirm(result))
        unconfirmed.clear()

    with ThreadPoolExecutor(harness.jobs) as pool:
        def begin(work):
            return work() if time.monotonic() < end else LATE
        waiting = {pool.submit(begin, work): key for key, work in jobs}
        for done in as_completed(waiting):
            key, result = waiting[done], done.result()
            if not isinstance(result, Result):
                raise Wrong(f"bug {key} has no result")
            if result == LATE:
                late += 1
            elif result.kept:
                unconfirmed.append((key, result))
            else:
                settle(key, result)
            if len(unconfirmed) == AT_ONCE:
                confirm()
    confirm()
    harness.remembered.write_text(json.dumps(harness.kills))
    if len(results) + late != len(jobs):
        raise Wrong(f"{len(jobs)} bugs, but {len(results)} results")
    return results


def prepared(arguments):
    harness = Harness(ROOT, ROOT / "build" / "mutants" / arguments.real,
                      arguments.real, arguments.jobs)
    harness.prepare()
    passed = sum(test.laws > 0 for test in harness.tests.values())
    print(f"{passed} tests of {len(harness.tests)} pass without a bug ({arguments.real})",
          file=sys.stderr, flush=True)
    return harness, harness.reach


def named(arguments, harness, reach):
    bugs = read_bugs((HERE / "named.txt").read_text())
    if arguments.command == "named" and arguments.what:
        bugs = [bug for bug in bugs if any(w in bug.name for w in arguments.what)]
    bugs = bugs[turn() % arguments.share::arguments.share]
    sources = sources_of(harness.tree)

    def judge(bug):
        try:
            changed, places = planted(bug, sources)
        except Wrong as wrong:
            return Result("wrong", f"does not apply: {wrong}")
        path, statement = places[0]
        tests = tests_of(harness, reach, places)
        result = harness.judge(changed, tests, (statement.function, path),
                               may_be_equal=False)
        if result.verdict == "stillborn":
            return Result("wrong", "does not compile")
        left_out = [test.name for test in tests if test.laws == 0]
        if result.verdict == "survived" and left_out:
            return Result("told", f"{', '.join(left_out)} cannot be asked on this machine")
        return result

    report = Report(len(bugs))

    def tell(name, result):
        verdict = result.verdict
        if verdict == "survived" and result.by:     # noticed, but not each time
            verdict = "told"
        report.count("named", verdict)
        if verdict != "killed" or arguments.verbose:
            print(f"{verdict.upper():9} {name}: {result.by}", flush=True)

    results = all_judged(harness, [(bug.name, lambda bug=bug: judge(bug)) for bug in bugs],
                           float("inf"), tell)
    killed, told = report.sum("killed"), report.sum("told")
    failed = len(results) - killed - told
    print(f"named bugs in {arguments.real}: {killed} passed, {failed} failed, "
          f"{told} only told")
    return killed > 0 and failed == 0


def turn():
    """The number of the day: another one each day."""
    return date.today().toordinal()


def operators(arguments, harness, reach):
    sources = sources_of(harness.tree)
    listed = read_survivors((HERE / "survivors.txt").read_text())
    for place, what in gone(listed, sources):
        print(f"GONE      {place}\n          {what}: listed among the survivors")
    mutants = [m for source in sources
               if wanted(source.path, arguments.what, len(readers_of(harness, source.path)))
               for m in mutants_of(source)]
    if not mutants:
        raise Wrong(f"no file has such a name: {' '.join(arguments.what)}")
    random.Random(arguments.seed or turn()).shuffle(mutants)
    if arguments.sample:
        mutants = mutants[:arguments.sample]
    texts = {source.path: source.text for source in sources}

    def is_listed(mutant):
        return any(key in listed for key in (mutant.key, *whole(mutant)))

    def judge(mutant):
        tests = tests_of(harness, reach, [(mutant.path, mutant.statement)])
        if is_listed(mutant):
            tests = first_of(tests, seconds=3)
        return harness.judge(mutant.changed(texts[mutant.path]), tests,
                             (mutant.statement.function, mutant.path),
                             seconds=arguments.budget)

    report = Report(len(mutants))
    dead, log = [], []

    def tell(key, result):
        mutant = mutants[key]
        verdict = result.verdict
        log.append((mutant.path, *mutant.key, verdict, result.by))
        if verdict == "survived" and is_listed(mutant):
            verdict = "equal in effect"
        elif verdict == "killed" and mutant.key in listed:
            dead.append(mutant)
        report.count(mutant.path, verdict)
        if verdict in ("survived", "wrong") or arguments.verbose:
            print(f"{verdict.upper():9} {mutant.path}:{mutant.lines[0]}\n{mutant.place:.300}\n"
                  f"    {mutant.what}: {result.by}", flush=True)

    results = all_judged(harness, [(k, lambda m=m: judge(m)) for k, m in enumerate(mutants)],
                      arguments.seconds, tell)
    (ROOT / "build" / "mutants" / "log.json").write_text(json.dumps(log, indent=1))
    for mutant in dead:
        print(f"DIES      {mutant.place}\n          {mutant.what}: listed among the survivors")
    report.table()
    killed, alive = report.sum("killed"), report.sum("survived")
    wrong, made = report.sum("wrong"), len(results)
    least, judged = arguments.least, killed + alive + wrong
    fine = killed >= least / 100 * judged
    print(f"operator mutants in {arguments.real}: {made} of {len(mutants)} made, "
          f"{report.sum('stillborn')} do not compile, "
          f"{report.sum('equal', 'equal in effect')} are equal, {killed} killed, "
          f"{alive} survived, {wrong} could not be judged; "
          f"{'at' if fine else 'NOT at'} least {least:g} % killed"
          f"{'' if judged >= JUDGED else ', too few to say'}")
    return fine or judged < JUDGED


def gone(listed, sources):
    """What is listed among the survivors, but stands nowhere."""
    known = {key for source in sources for m in mutants_of(source)
             for key in (m.key, *whole(m))}
    return [key for key in listed if key not in known]


MOST_READERS = 12   # of a header whose mutants are made unless it is named


def wanted(path, patterns, readers):
    """Whether FILE names it; without one, the algorithms and the library,
    which stand in no folder of tangled/. An interface that all read makes
    all be compiled again: only if its own path is given."""
    name = Path(path).name
    if readers > MOST_READERS and path not in patterns:
        return False
    if not patterns:
        return path == f"tangled/{name}"
    return any(path.startswith(p) or name.startswith(p) for p in patterns)


def both(arguments, harness, reach):
    fine = named(arguments, harness, reach)
    return operators(arguments, harness, reach) and fine


def write(arguments):
    """For other tests: the changed files of each named bug in a folder of
    its own, and a line with the folder, the files and the name."""
    sources = sources_of(ROOT)
    for k, bug in enumerate(read_bugs((HERE / "named.txt").read_text()), 1):
        changed, _ = planted(bug, sources)
        folder = Path(arguments.what[0]) / str(k)
        for path, text in changed.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        print(f"{folder}|{' '.join(sorted(changed))}|{bug.name}")
    return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?",
                        choices=["named", "operators", "both", "write"])
    parser.add_argument("what", nargs="*")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--real", choices=["double", "float"], default="double")
    parser.add_argument("--seconds", type=float, default=float("inf"),
                        help="how long operator mutants are made")
    parser.add_argument("--budget", type=float, default=60,
                        help="seconds of tests for a bug that none notices")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, help="of the order of mutants; else the day")
    parser.add_argument("--sample", type=int, help="so many mutants at most")
    parser.add_argument("--share", type=int, default=1,
                        help="one named bug in so many, others each day")
    parser.add_argument("--least", type=float, default=92,
                        help="per cent that must die of those that are not listed; what "
                             "survives is to be listed with its reason, or killed by a test")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        import selftest
        return selftest.run()
    if arguments.command is None:
        parser.print_help()
        return False
    if arguments.command == "write":
        return write(arguments)
    work = {"named": named, "operators": operators, "both": both}[arguments.command]
    return work(arguments, *prepared(arguments))


if __name__ == "__main__":
    try:
        sys.exit(0 if main() else 1)
    except Wrong as wrong:
        sys.exit(f"mutate.py: {wrong}")
