"""The harness proves itself on a project of two functions: a bug is killed only
by a test that really ran and really noticed. All named bugs fit their places."""
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from bugs import Wrong, mutants_of, planted
from harness import Harness, Result
from mutate import ROOT, named_bugs, sources_of, survivors
from source import Source

FILES = {
    "tangled/one.h": "static inline int one(void) { return 1; }\n",
    "tangled/next.h": '#include "one.h"\nint next(int a);\nint sum(int a, int b);\n',
    "tangled/next.c": '#include "next.h"\nint next(int a) { return a + one(); /* 1 + 1 */ }\n',
    "tangled/part/sum.c": '#include "next.h"\nint sum(int a, int b)\n{\n    int unused = 3;\n'
                          "    (void)unused;\n    return a + b;\n}\n",
    "tests/next.c": "assert_int_equal(next(1), 2);",
    "tests/part/sum.c": """if (sum(2, 3) != 5) {
        fclose(fopen("build/left", "w"));
        if (fork() == 0) { execlp("sleep", "ftx-left", "7531", (char *)0); _exit(1); }
    }
    assert_int_equal(sum(2, 3), 5);""",
    "tests/broken.c": "fail();",
}
TEST = """#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>
#include "next.h"
static void law(void **state) { %s }
int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(law) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
"""
failures = []


def that(law, holds, seen=""):
    if not holds:
        failures.append(law)
        print(f"FAILED  {law}: {seen}")


def check_judging(harness):
    harness.prepare()
    that("a test that fails without a bug is left out",
         {test.name: test.laws for test in harness.tests}
         == {"tests/next": 1, "tests/part/sum": 1, "tests/broken": 0}, harness.tests)
    with suppress(Wrong):
        Harness(harness.root, harness.work).prepare()
        that("a tree has one run at a time", False)
    killed, sum_c = Result("killed", "tests/part/sum"), "tangled/part/sum.c"
    for law, path, old, new, expected in [
            ("the same machine code is equal", sum_c, "= 3", "= 4", Result("equal")),
            ("a bug is killed by the test that notices", sum_c, "a + b", "a - b", killed),
            ("a header reaches those that include it", "tangled/one.h", "return 1", "return 2",
             Result("killed", "tests/next")),
            ("what does not compile is stillborn", sum_c, "a + b", "a +", Result("stillborn")),
            ("an endless loop is noticed", sum_c, "return a + b", "for (;;) a++", killed),
            ("to end before the laws is noticed", sum_c, "return a + b",
             "_Noreturn void exit(int); exit(0)", killed)]:
        result = harness.judge({path: FILES[path].replace(old, new)})
        that(law, result == expected, result)
    result = harness.judge({sum_c: FILES[sum_c]}, may_be_equal=False)
    that("what was changed is put back", result == Result("survived"), result)
    that("no file is left", not list(harness.work.rglob("left")))
    that("no process is left", "ftx-left" not in os.popen("ps -eo args").read())


def check_lists():
    whats = {(m.statement.function, m.what)
             for m in mutants_of(Source("tangled/next.c", FILES["tangled/next.c"]))}
    that("a comment has no mutants", whats == {("next", "+ becomes -")}, whats)
    sources = sources_of(ROOT)
    for bug in named_bugs():
        try:
            planted(bug, sources)
        except Wrong as wrong:
            that(f"a named bug fits: {bug.name}", False, wrong)
    survivors(sources)


def run():
    os.environ.pop("CC11", None)
    with tempfile.TemporaryDirectory() as place:
        for path, text in FILES.items():
            to = Path(place) / path
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text(TEST % text if path.startswith("tests/") else text)
        check_judging(Harness(place, Path(place) / "build" / "mutants"))
    check_lists()
    print(f"the harness of planted bugs: {len(failures)} failed")
    return not failures
