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
import random
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import date
from pathlib import Path

from harness import Harness, Result, Wrong
from named import planted, read_bugs
from operators import mutants_of
from source import Source

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
JUDGED = 30         # of fewer mutants a share says nothing
MOST_READERS = 12   # of a header whose mutants are made unless it is named


def sources_of(root):
    return [Source(str(path.relative_to(root)), path.read_text())
            for path in sorted((root / "tangled").rglob("*.[ch]"))]


def turn():
    """The number of the day: another one each day."""
    return date.today().toordinal()


def all_judged(harness, jobs, seconds, report):
    """Runs (key, function) until time is up; {key: result}."""
    results, late, end = {}, 0, time.monotonic() + seconds
    with ThreadPoolExecutor(harness.jobs) as pool:
        def begin(work):
            return work() if time.monotonic() < end else None
        waiting = {pool.submit(begin, work): key for key, work in jobs}
        for done in as_completed(waiting):
            key, result = waiting[done], done.result()
            if result is None:
                late += 1
                continue
            results[key] = result
            report(key, result)
            if len(results) % 50 == 0:
                print(f"  {len(results)} of {len(jobs)}", file=sys.stderr, flush=True)
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
    return harness


# ------------------------------------------------------------ named bugs

def named(arguments, harness):
    bugs = read_bugs((HERE / "named.txt").read_text())
    if arguments.command == "named" and arguments.what:
        bugs = [bug for bug in bugs if any(w in bug.name for w in arguments.what)]
    bugs = bugs[turn() % arguments.share::arguments.share]
    sources, killed = sources_of(harness.tree), 0

    def judge(bug):
        try:
            changed = planted(bug, sources)
        except Wrong as wrong:
            return Result("wrong", f"does not apply: {wrong}")
        return harness.judge(changed, may_be_equal=False)

    def tell(name, result):
        if result.verdict != "killed" or arguments.verbose:
            print(f"{result.verdict.upper():9} {name}: {result.by}", flush=True)

    results = all_judged(harness, [(bug.name, lambda bug=bug: judge(bug)) for bug in bugs],
                         float("inf"), tell)
    killed = sum(result.verdict == "killed" for result in results.values())
    print(f"named bugs in {arguments.real}: {killed} passed, {len(results) - killed} failed")
    return killed > 0 and killed == len(results)


# ------------------------------------------------------- operator mutants

def read_survivors(text):
    """{(place, what): reason}, from survivors.txt, whose head explains it."""
    listed, place = {}, None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            place = line.strip()
            continue
        what, found, reason = line.strip().partition(": ")
        if place is None or not found or not reason:
            raise Wrong(f"survivors: a reason is missing: {line}")
        listed[place, what] = reason
    return listed


def keys_of(mutant):
    """As what it may be listed, alone or together with others."""
    each = re.sub(r"^(\S+) \d+ becomes", r"\1 becomes", mutant.what)
    every = f"{mutant.statement.function}: ..."
    return [mutant.key, (mutant.place, "anything"), (every, "anything"), (every, each)]


def gone(listed, sources):
    """What is listed among the survivors, but stands nowhere."""
    known = {key for source in sources for m in mutants_of(source) for key in keys_of(m)}
    return [key for key in listed if key not in known]


def wanted(harness, path, patterns):
    """Whether FILE names it; without one, the algorithms and the library,
    practice and text. An interface that all read makes
    all be compiled again: only if its own path is given."""
    name = Path(path).name
    readers = sum(path in read for read in harness.includes.values())
    if readers > MOST_READERS and path not in patterns:
        return False
    if not patterns:
        return Path(path).parent.name in ("tangled", "library", "practice", "text")
    return any(path.startswith(p) or name.startswith(p) for p in patterns)


def table(counts):
    print(f"{'file':32} mutants  equal  killed  survived   killed of those not equal")
    total = {}
    for of in counts.values():
        for verdict, n in of.items():
            total[verdict] = total.get(verdict, 0) + n
    for name, of in sorted(counts.items()) + [("all", total)]:
        equal, killed, alive = (of.get(v, 0) for v in ("equal", "killed", "survived"))
        share = 100 * killed / (killed + alive) if killed + alive else 100
        print(f"{name:32} {equal + killed + alive:7} {equal:6} {killed:7} "
              f"{alive:9}   {share:6.1f} %")
    return total


def operators(arguments, harness):
    sources = sources_of(harness.tree)
    listed = read_survivors((HERE / "survivors.txt").read_text())
    for place, what in gone(listed, sources):
        print(f"GONE      {place}\n          {what}: listed among the survivors")
    mutants = [m for source in sources if wanted(harness, source.path, arguments.what)
               for m in mutants_of(source)]
    if not mutants:
        raise Wrong(f"no file has such a name: {' '.join(arguments.what)}")
    random.Random(arguments.seed or turn()).shuffle(mutants)
    mutants = mutants[:arguments.sample]
    texts = {source.path: source.text for source in sources}
    counts = {}

    def judge(mutant):
        if any(key in listed for key in keys_of(mutant)):
            return Result("equal", "listed")
        return harness.judge(mutant.changed(texts[mutant.path]), seconds=arguments.budget)

    def tell(k, result):
        mutant, of = mutants[k], counts.setdefault(mutants[k].path, {})
        of[result.verdict] = of.get(result.verdict, 0) + 1
        if result.verdict in ("survived", "wrong") or arguments.verbose:
            print(f"{result.verdict.upper():9} {mutant.path}:{mutant.lines[0]}\n"
                  f"{mutant.place:.300}\n    {mutant.what}: {result.by}", flush=True)

    results = all_judged(harness, [(k, lambda m=m: judge(m)) for k, m in enumerate(mutants)],
                         arguments.seconds, tell)
    total = table(counts)
    killed, judged = total.get("killed", 0), sum(
        total.get(verdict, 0) for verdict in ("killed", "survived", "wrong"))
    fine = killed >= arguments.least / 100 * judged
    print(f"operator mutants in {arguments.real}: {len(results)} of {len(mutants)} made, "
          f"{judged} are no equals, {killed} killed; {'at' if fine else 'NOT at'} least "
          f"{arguments.least:g} % killed{'' if judged >= JUDGED else ', too few to say'}")
    return fine or judged < JUDGED


def write(arguments):
    """For other tests: the changed files of each named bug in a folder of
    its own, and a line with the folder, the files and the name."""
    sources = sources_of(ROOT)
    for k, bug in enumerate(read_bugs((HERE / "named.txt").read_text()), 1):
        changed = planted(bug, sources)
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
    parser.add_argument("--budget", type=float, default=30,
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
    harness = prepared(arguments)
    fine = arguments.command == "operators" or named(arguments, harness)
    return (arguments.command == "named" or operators(arguments, harness)) and fine


if __name__ == "__main__":
    try:
        sys.exit(0 if main() else 1)
    except Wrong as wrong:
        sys.exit(f"mutate.py: {wrong}")
