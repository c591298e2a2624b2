"""Mutants that are known to survive, from survivors.txt:

    function: statement
        what becomes what: why no test can notice
        anything: why no test can notice what becomes of this statement
    function: ...
        anything: the same, of a whole function
        0 becomes 1: the same, of each 0 in it
"""
import re

from harness import Wrong


def read_survivors(text):
    """{(place, what): reason}"""
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


def whole(mutant):
    """As what it is listed together with others."""
    each = re.sub(r"^(\S+) \d+ becomes", r"\1 becomes", mutant.what)
    return [(mutant.place, "anything"),
            (f"{mutant.statement.function}: ...", "anything"),
            (f"{mutant.statement.function}: ...", each)]
