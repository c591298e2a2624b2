"""Mutants that are known to survive, from survivors.txt:

    function: statement
        what becomes what: why no test can notice
"""
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
