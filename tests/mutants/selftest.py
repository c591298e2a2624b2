"""The harness proves itself on a project of two functions: a bug is killed
only by a test that really ran and really noticed."""
import os
import tempfile
import time
from pathlib import Path

from bugs import Wrong, mutants_of, planted, read_bugs
from harness import Harness, Result
from mutate import ROOT, named_bugs, sources_of, survivors
from source import Source

FILES = {
    "tangled/deep/one.h": "static inline int one(void) { return 1; }\n",
    "tangled/next.h": '#include "deep/one.h"\nint next(int a);\nint sum(int a, int b);\n',
    "tangled/next.c": '#include "next.h"\n\nint next(int a)\n{\n'
                      "    return a + one();                   // 1.2\n}\n",
    "tangled/part/sum.c": '#include "next.h"\n\nint sum(int a, int b)\n{\n'
                          "    int unused = 3;\n    (void)unused;\n"
                          "    return a + b;\n}\n",
    "tests/next.c": "assert_int_equal(next(1), 2);",
    "tests/part/sum.c": """if (sum(2, 3) != 5) {
        fclose(fopen("build/left", "w"));
        if (fork() == 0) { execlp("sleep", "ftx-left", "7531", (char *)0); _exit(1); }
    }
    assert_int_equal(sum(2, 3), 5);""",
    "tests/broken.c": "fail();",
    "tangled/part/alone.c": "int alone(void);\nint alone(void) { return 7; }\n",
    "tests/alone.c": "assert_int_equal(alone(), 7);",   # it includes what it tests
}
TEST = """#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>
#include "next.h"
static void law(void **state)
{
    %s
}
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


def is_wrong(law, work):
    try:
        work()
        that(law, False, "nothing was wrong")
    except Wrong:
        pass


def run():
    os.environ.pop("CC11", None)
    with tempfile.TemporaryDirectory() as place:
        for path, text in FILES.items():
            to = Path(place) / path
            to.parent.mkdir(parents=True, exist_ok=True)
            if path.startswith("tests/"):
                text = TEST % text
            to.write_text(text.replace("next.h", "part/alone.c") if path == "tests/alone.c" else text)
        check_judging(Harness(place, Path(place) / "build" / "mutants"))
    check_reading()
    sources = sources_of(ROOT)
    for bug in named_bugs():
        try:
            planted(bug, sources)
        except Wrong as wrong:
            that(f"a named bug fits: {bug.name}", False, wrong)
    survivors(sources)
    print(f"the harness of planted bugs: {len(failures)} failed")
    return not failures


def check_judging(harness):
    harness.prepare()
    that("a test that fails without a bug is left out",
         {test.name: test.laws for test in harness.tests}
         == {"tests/next": 1, "tests/part/sum": 1, "tests/broken": 0, "tests/alone": 1}, harness.tests)
    that("the tests of a file come first",
         harness.ordered("tangled/part/sum.c")[0].name == "tests/part/sum")
    killed, by_next = Result("killed", "tests/part/sum"), Result("killed", "tests/next")
    sum_c, one_h = "tangled/part/sum.c", "tangled/deep/one.h"
    begin = time.monotonic()
    for law, path, old, new, expected in [
            ("the same machine code is equal", sum_c, "= 3", "= 4", Result("equal")),
            ("a bug is killed by the test that notices", sum_c, "a + b", "a - b", killed),
            ("a header reaches those that include it", one_h, "return 1", "return 2", by_next),
            ("a source reaches the test that includes it", "tangled/part/alone.c", "return 7",
             "return 8", Result("killed", "tests/alone")),
            ("what does not compile is stillborn", sum_c, "a + b", "a +", Result("stillborn")),
            ("an endless loop is noticed", sum_c, "return a + b", "for (;;) a++", killed),
            ("to end before the laws is noticed", sum_c, "return a + b",
             "_Noreturn void exit(int); exit(0)", killed)]:
        result = harness.judge({path: FILES[path].replace(old, new)})
        that(law, result == expected, result)
    that("in good time", time.monotonic() - begin < 120)
    that("what was changed is put back", harness.judge(
        {sum_c: FILES[sum_c]}, may_be_equal=False)
        == Result("survived"))
    that("no file is left", not list(harness.work.rglob("left")))
    that("no process is left", "ftx-left" not in os.popen("ps -eo args").read())


def check_reading():
    text = FILES["tangled/next.c"] + (
        "/* + */ #define TWICE(x) ((x) + 1)\n#define THRICE(x) \\\n    ((x) + 2)\n"
        'int f(int n) { int k = 0; if (n < 0 && k == 1) return g("+", n); k++; free(k); '
        "return -n; }\n")
    source = Source("tangled/next.c", text)
    whats = {(m.statement.function, m.what) for m in mutants_of(source)}
    for mutant in [("next", "+ becomes -"), ("THRICE", "2 becomes 3"), ("f", "< becomes <="),
                   ("f", "&& becomes ||"), ("f", "always true"), ("f", "never true"),
                   ("f", "left out"), ("f", "- becomes nothing"),
                   ("f", "0 becomes 1"), ("f", "++ becomes --")]:
        that(f"there is a mutant {mutant}", mutant in whats, whats)
    that("comments and texts have none",
         sum(what.startswith("+ ") for _, what in whats) == 3, whats)
    moved = Source("tangled/else/where.c", "\n\n/* moved */\n" + text)
    that("a mutant's name stays when its code moves",
         {m.keys[0] for m in mutants_of(moved)} == {m.keys[0] for m in mutants_of(source)})
    [bug] = read_bugs("name\n    next 1.2: $a + one() => one() + one() - $a\n")
    that("a named bug is planted by its line's tag", "one()+one()-a;"
         in planted(bug, [source])["tangled/next.c"].replace(" ", ""))
    for what in "nothing => something", "(x) => (y)":
        odd = read_bugs(f"name\n    *: {what}\n")[0]
        is_wrong(f"a named bug that does not fit once is a failure: {what}",
                 lambda odd=odd: planted(odd, [source]))
    is_wrong("a survivor without a reason is a failure",
             lambda: survivors([], "f: k ++ ;\n    left out:\n"))
