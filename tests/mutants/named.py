"""Named bugs: read from named.txt, whose first lines explain them."""
import re
from dataclasses import dataclass, field

from harness import Wrong
from operators import is_dropped
from source import TAG, closing, tokens_of

HOLE = re.compile(r"\$\w+|\.\.\.")


@dataclass
class Bug:
    name: str
    changes: list = field(default_factory=list)     # (function, tag, what)


def read_bugs(text):
    bugs = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            bugs.append(Bug(line.strip()))
            continue
        where, found, what = line.strip().partition(": ")
        if not bugs or not found:
            raise Wrong(f"named bugs: what is this? {line}")
        tags = [word for word in where.split() if TAG.fullmatch(word)]
        names = [word for word in where.split() if not TAG.fullmatch(word)]
        bugs[-1].changes.append((names[0] if names else None,
                                 tags[0] if tags else None, what.strip()))
    names = [bug.name for bug in bugs]
    for bug in bugs:
        if names.count(bug.name) > 1 or not bug.changes:
            raise Wrong(f"named bugs: {bug.name} is there twice, or changes nothing")
    return bugs


def planted(bug, sources):
    """The bug as {path: changed text}."""
    edits = {}
    for function, tag, what in bug.changes:
        candidates = [(source, statement) for source in sources
                      for statement in source.statements
                      if function in (None, "*", statement.function,
                                      statement.function.rstrip("_"))
                      and (tag is None or tag in statement.tags)]
        found = edits_of(what, candidates, once_a_function=tag and not function)
        for source, statement, start, end, new in found:
            edits.setdefault(source.path, []).append((start, end, new))
    texts = {source.path: source.text for source in sources}
    for path, changes in edits.items():
        text = texts[path]
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        texts[path] = text
    return {path: texts[path] for path in edits}


def edits_of(what, candidates, once_a_function=False):
    """The changes, as (source, statement, start, end, new text)."""
    if what == "left out":
        found = [(source, statement, statement.tokens[0].start,
                  statement.tokens[-1].end, ";")
                 for source, statement in candidates
                 if is_dropped(statement) and not is_told(statement)]
    elif " <=> " in what:
        one, other = (part.strip() for part in what.split(" <=> "))
        return (replaced(one, other, candidates, many=True)
                + replaced(other, one, candidates, many=True))
    else:
        old, arrow, new = (" " + what + " ").partition(" => ")
        if not arrow:
            raise Wrong(f"no => in: {what}")
        found = replaced(old.strip(), new.strip(), candidates)
    places = [(source.path, statement.function) if once_a_function else None
              for source, statement, *_ in found]
    if not found or len(set(places)) < len(places):
        raise Wrong(f"{len(found)} places fit: {what}")
    return found


def replaced(old, new, candidates, many=False):
    pattern = [token.text for token in tokens_of(old.replace("$", "DOLLAR_"))[0]]
    found = []
    for source, statement in candidates:
        if is_told(statement) and not pattern[0].startswith("SEE"):
            continue
        tokens, k = statement.tokens, 0
        while k < len(tokens):
            match = fits(pattern, tokens, k)
            if match and match[0] > k:
                end, names, gaps = match
                text = filled(new, names, [source.text[a:b] for a, b in gaps])
                found.append((source, statement, tokens[k].start,
                              tokens[end - 1].end, text))
                k = end
            else:
                k += 1
    if many and not found:
        raise Wrong(f"no {old} is there")
    return found


def is_told(statement):
    return statement.tokens[0].text.startswith("SEE")


def fits(pattern, tokens, k):
    """(the end, what each $name is, the text of each gap), or None."""
    if not pattern:
        return k, {}, []
    first, rest = pattern[0], pattern[1:]
    if first == "...":
        end = k
        while True:
            match = fits(rest, tokens, end)
            if match:
                gap = ((tokens[k].start, tokens[end - 1].end) if end > k
                       else (tokens[k].start if k < len(tokens) else 0,) * 2)
                return match[0], match[1], [gap] + match[2]
            if end >= len(tokens) or tokens[end].text in (")", "]", "}"):
                return None
            if tokens[end].text in ("(", "[", "{"):
                end = closing(tokens, end)
            end += 1
    if k >= len(tokens):
        return None
    hole = first.startswith("DOLLAR_")
    if hole and tokens[k].kind not in ("name", "number"):
        return None
    if not hole and first != tokens[k].text:
        return None
    match = fits(rest, tokens, k + 1)
    if match is None or match[1].get(first, tokens[k].text) != tokens[k].text:
        return None
    return match[0], {**match[1], first: tokens[k].text} if hole else match[1], match[2]


def filled(new, names, gaps):
    gaps = iter(gaps)

    def fill(match):
        word = match.group()
        if word != "..." and "DOLLAR_" + word[1:] not in names:
            raise Wrong(f"{word} is not on the left of: {new}")
        return next(gaps) if word == "..." else names["DOLLAR_" + word[1:]]

    return HOLE.sub(fill, new)
