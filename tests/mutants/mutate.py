#!/usr/bin/env python3
"""Plants bugs in a copy of tangled/ and demands that a test notices each.

    mutate.py named [NAME...]     the bugs of named.txt
    mutate.py operators [FILE...] mutants made by program
    mutate.py both [FILE...]      the one, then the other
    mutate.py write DIR           the changed files of each named bug
    mutate.py --self-test         the harness proves itself

NAME: a part of it. FILE: the beginning of a path or of a file's name, such as
tangled/ (all) or alg; without one, the algorithms, library, practice and text.
"""
import argparse
import random
import re
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import date
from pathlib import Path

from bugs import Wrong, mutants_of, planted, read_bugs
from harness import Harness, Result
from source import Source

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TODAY = date.today().toordinal()    # others each day
ENOUGH = 30         # seconds of tests for a mutant that none notices
JUDGED = 30         # of fewer mutants a share says nothing
MOST_READERS = 12   # of a header whose mutants are made unless it is named


def sources_of(root):
    return [Source(str(path.relative_to(root)), path.read_text())
            for path in sorted((root / "tangled").rglob("*.[ch]"))]


def named_bugs():
    return read_bugs((HERE / "named.txt").read_text())


def survivors(sources):
    """{(place, what): reason}, from survivors.txt, whose head explains it. What
    stands nowhere any more is printed."""
    listed, text = {}, re.sub("(?m)^#.*\n", "", (HERE / "survivors.txt").read_text())
    for places, lines in re.findall(r"((?:\S.*\n)+)((?: .*\n)+)", text):
        for line in lines.splitlines():
            whats, found, reason = line.strip().partition(": ")
            if not found or not reason:
                raise Wrong(f"survivors: a reason is missing: {line}")
            listed |= {(place, what): reason
                       for place in places.splitlines() for what in whats.split(", ")}
    known = {key for source in sources for m in mutants_of(source) for key in m.keys}
    for place, what in listed.keys() - known:
        print(f"GONE      {place}\n          {what}: listed among the survivors")
    return listed


def all_judged(harness, jobs, seconds=float("inf")):
    """Runs (key, function) until time is up; yields each key and its result."""
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(harness.jobs) as pool:
        waiting = {pool.submit(lambda work=work: work() if time.monotonic() < end else None):
                   key for key, work in jobs}
        for done in as_completed(waiting):
            if done.result() is not None:
                yield waiting[done], done.result()


def judge_named(arguments, harness, sources):
    bugs = named_bugs()
    if arguments.command == "named" and arguments.what:
        bugs = [bug for bug in bugs if any(w in bug.name for w in arguments.what)]
    bugs = bugs[TODAY % arguments.share::arguments.share]

    def judge(bug):
        try:
            return harness.judge(planted(bug, sources), may_be_equal=False)
        except Wrong as wrong:
            return Result("wrong", f"does not apply: {wrong}")

    killed = 0
    for name, result in all_judged(harness, [(bug.name, lambda bug=bug: judge(bug))
                                             for bug in bugs]):
        killed += result.verdict == "killed"
        if result.verdict != "killed":
            print(f"{result.verdict.upper():9} {name}: {result.by}", flush=True)
    print(f"named bugs in {arguments.real}: {killed} passed, {len(bugs) - killed} failed")
    return 0 < killed == len(bugs)


def is_wanted(harness, path, patterns):
    """An interface that all read makes all be compiled again: only if its own path is given."""
    if len(harness.readers(path, "tangled/")) > MOST_READERS and path not in patterns:
        return False
    if not patterns:
        return Path(path).parent.name in ("tangled", "library", "practice", "text")
    return any(path.startswith(p) or Path(path).name.startswith(p) for p in patterns)


def judge_operators(arguments, harness, sources):
    listed = survivors(sources)
    texts = {source.path: source.text for source in sources}
    mutants = [m for s in sources if is_wanted(harness, s.path, arguments.what)
               for m in mutants_of(s)]
    if not mutants:
        raise Wrong(f"no file has such a name: {' '.join(arguments.what)}")
    # An order for the day that changes elsewhere leave alone.
    mutants.sort(key=lambda m: random.Random(f"{TODAY} {m.place} {m.what}").random())
    counts = {}                         # of verdicts, by folder

    def judge(mutant):
        if any(key in listed for key in mutant.keys):
            return Result("listed")
        return harness.judge(mutant.changed(texts[mutant.path]), seconds=ENOUGH)

    for m, result in all_judged(harness, [(m, lambda m=m: judge(m)) for m in mutants],
                                arguments.seconds):
        counts.setdefault(str(Path(m.path).parent), Counter())[result.verdict] += 1
        if result.verdict in ("survived", "wrong"):
            print(f"{result.verdict.upper():9} {m.path}:{m.statement.tokens[0].line}\n"
                  f"{m.place:.300}\n    {m.what}: {result.by}", flush=True)
    counts["all"] = sum(counts.values(), Counter())
    print(f"{'folder':20}  equal  listed  killed  survived   killed of the last two")
    for name, of in counts.items():
        judged = of["killed"] + of["survived"] + of["wrong"]
        print(f"{name:20} {of['equal'] + of['stillborn']:6} {of['listed']:7} {of['killed']:7} "
              f"{judged - of['killed']:9}   {100 * of['killed'] / max(1, judged):6.1f} %")
    fine = of["killed"] >= arguments.least / 100 * judged
    print(f"operator mutants in {arguments.real}: {sum(of.values())} of {len(mutants)} made, "
          f"{judged} judged, {of['killed']} killed; {'at' if fine else 'NOT at'} least "
          f"{arguments.least:g} % killed{'' if judged >= JUDGED else ', too few to say'}")
    return fine or judged < JUDGED


def write(folder):
    """For other tests: the changed files of each named bug in a folder of
    its own, and a line with the folder, the files and the name."""
    sources = sources_of(ROOT)
    for k, bug in enumerate(named_bugs(), 1):
        changed = planted(bug, sources)
        for path, text in changed.items():
            to = Path(folder) / str(k) / path
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(text)
        print(f"{Path(folder) / str(k)}|{' '.join(sorted(changed))}|{bug.name}")
    return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("command", nargs="?", choices=["named", "operators", "both", "write"], default="both")
    option("what", nargs="*")
    option("--self-test", action="store_true")
    option("--real", choices=["double", "float"], default="double")
    option("--seconds", type=float, default=float("inf"), help="how long operator mutants are made")
    option("--share", type=int, default=1, help="one named bug in so many, others each day")
    option("--least", type=float, default=92, help="per cent that must die of those not listed")
    arguments = parser.parse_args()
    if arguments.self_test:
        import selftest
        return selftest.run()
    if arguments.command == "write":
        return write(arguments.what[0])
    harness = Harness(ROOT, ROOT / "build" / "mutants" / arguments.real, arguments.real)
    harness.prepare()
    print(f"{sum(test.laws > 0 for test in harness.tests)} tests of {len(harness.tests)} pass "
          f"without a bug ({arguments.real})", file=sys.stderr, flush=True)
    sources = sources_of(harness.tree)
    named = arguments.command == "operators" or judge_named(arguments, harness, sources)
    return (arguments.command == "named" or judge_operators(arguments, harness, sources)) and named


if __name__ == "__main__":
    try:
        sys.exit(0 if main() else 1)
    except Wrong as wrong:
        sys.exit(f"mutate.py: {wrong}")
