"""Bugs to be planted: operator mutants, one small change at one place in a
statement, and the named bugs of named.txt, whose first lines explain them."""
import re
from collections import namedtuple
from dataclasses import dataclass

from source import HEADS, TAG, Statement, closing, tokens_of


class Wrong(Exception):
    """The harness, a test or a named bug is at fault; nothing is proved."""


# ------------------------------------------------------- operator mutants

OTHERS = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="], "/=": ["*=", "="],
    "|=": ["&="], "&=": ["|="], "^=": ["="], "%=": ["="],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "++": ["--"], "--": ["++"],
    "!": [""], "?": ["|| 1 ?", "&& 0 ?"],
}
ASSIGNS = {"=", "++", "--"} | {sign for sign in OTHERS if sign.endswith("=")
                               and sign not in ("<=", ">=", "==", "!=")}
# Of the size of a buffer and of what is freed no test can tell; the address
# sanitizer of CI does. To change who is started or ended could end strangers.
ALLOCATE = {"arena_alloc", "malloc", "calloc", "realloc"}
FREE = {"free", "arena_free", "tape_free", "free_values", "trainer_free"}
PROCESSES = set("""fork kill killpg waitpid setsid setpgid execv execvp execl execve system
    signal setrlimit ptrace""".split())
COMMUTE = set("""add calloc hadamard fmax fmin larger larger_of least smaller strcmp strncmp
    memcmp same same_number same_place is_same_place are_near has_same_numbers rivals
    REQUIRE""".split())
NO_DECLARATION = set("""return goto typedef struct enum union extern static const case
    default""".split())


@dataclass
class Mutant:
    path: str
    statement: Statement
    what: str                   # "< becomes <=", "left out"
    start: int                  # of the text that is replaced
    end: int
    new: str
    nth: int = 1                # of the same statement in the function

    @property
    def place(self):
        again = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.statement.function}{again}: {self.statement.text}"

    @property
    def keys(self):
        """As what it may be listed, alone or together with others."""
        return [(self.place, self.what), (self.place, "anything"),
                (f"{self.statement.function}: ...", self.what),
                (f"{self.statement.function}: ...", "anything")]

    def changed(self, text):
        return {self.path: text[:self.start] + self.new + text[self.end:]}


def next_number(text):
    """0 and 1 become each other, any other number one more."""
    if re.fullmatch(r"\d+", text):
        return {"0": "1", "1": "0"}.get(text, str(int(text) + 1))
    if re.fullmatch(r"\d+\.\d+", text):
        whole, _, rest = text.partition(".")
        return f"{int(whole) + 1}.{rest}"
    return f"({text} + 1)"


def of_token(source, tokens, k):
    """What the token at k may become."""
    token, before = tokens[k], tokens[k - 1] if k > 0 else None
    if token.kind == "number":
        is_size = tokens[0].text == "char" and before.text == "["
        return [] if is_size else [next_number(token.text)]
    # The code is laid out so that a sign between blanks has two operands.
    is_binary = (source.text[token.end:token.end + 1] in (" ", "\n") and before is not None
                 and (before.kind in ("name", "number") or before.text in (")", "]"))
                 and before.text != "return")
    if token.text in ("-", "*", "&") and not is_binary:
        return [""] if token.text == "-" else []
    return OTHERS.get(token.text, [])


def is_dropped(statement):
    """Whether it still compiles when it is left out: no declaration."""
    words = statement.tokens
    if words[-1].text != ";" or len(words) < 2:
        return False
    if words[0].text in ("break", "continue"):
        return True
    if words[0].text in NO_DECLARATION:
        return words[0].text == "return" and words[1].text == ";"
    is_name = words[0].kind == "name"
    if is_name and (words[1].kind == "name" or words[1].text == "*"
                    and words[1].end == words[2].start):
        return False
    return (is_name and words[1].text == "(") or any(t.text in ASSIGNS for t in words)


def arguments(tokens, k):
    """The tokens of each argument of the call whose ( is at k."""
    n, parts = k + 1, [[]]
    while n < closing(tokens, k):
        end = closing(tokens, n)
        if tokens[n].text == ",":
            parts.append([])
        else:
            parts[-1] += tokens[n:end + 1]
        n = end + 1
    return parts


def exchanged(source, tokens):
    """Calls with their first two arguments exchanged."""
    text = source.text
    for k, name in enumerate(tokens[:-1]):
        if (name.kind != "name" or tokens[k + 1].text != "("
                or name.text in HEADS | COMMUTE | {"sizeof", "return"}):
            continue
        parts = arguments(tokens, k + 1)
        if len(parts) < 2:
            continue
        a, b = [(part[0].start, part[-1].end) for part in parts[:2]]
        one, two = text[slice(*a)], text[slice(*b)]
        if one != two and '"' not in one + two:
            yield (f"{name.text} with its first two arguments exchanged",
                   a[0], b[1], two + text[a[1]:b[0]] + one)


def of_statement(source, statement):
    tokens, seen = statement.tokens, {}
    sizes = {n for k, token in enumerate(tokens) if token.text in ALLOCATE
             for n in range(k, closing(tokens, k + 1))}
    for k, token in enumerate(tokens):
        for new in [] if k in sizes else of_token(source, tokens, k):
            seen.setdefault(token.text, []).append(k)
            number = len(set(seen[token.text]))
            nth = f" {number}" if number > 1 else ""
            yield (f"{token.text}{nth} becomes {new or 'nothing'}", token.start, token.end, new)
    head, start, end = tokens[0].text, tokens[1 % len(tokens)].end, tokens[-1].start
    if head == "if":
        yield "always true", start, end, "1"
    if head in ("if", "while"):
        yield "never true", start, end, "0"
    if is_dropped(statement) and head not in FREE:
        yield "left out", tokens[0].start, tokens[-1].end, ";"
    yield from exchanged(source, tokens)


def mutants_of(source):
    """All operator mutants of a file, in the order of its text."""
    unsafe = {s.function for s in source.statements if any(t.text in PROCESSES for t in s.tokens)}
    times = {}
    for statement in source.statements:
        if statement.function in unsafe:
            continue
        place = statement.function, statement.text
        times[place] = times.get(place, 0) + 1
        for what, start, end, new in of_statement(source, statement):
            yield Mutant(source.path, statement, what, start, end, new, times[place])


# ------------------------------------------------------------- named bugs

Bug = namedtuple("Bug", "name changes")     # of each change: function, tag, old, new


def read_bugs(text):
    bugs = []
    for line in text.splitlines():
        where, found, what = line.strip().partition(": ")
        old, arrow, new = (what + " ").partition(" => ")
        if not line.strip() or line.startswith("#"):
            continue
        if not line[0].isspace():
            bugs.append(Bug(line, []))
        elif bugs and found and arrow:
            tag = next((word for word in where.split() if TAG.fullmatch(word)), None)
            name = next((word for word in where.split() if word != tag), None)
            bugs[-1].changes.append((name, tag, old.strip(), new.strip()))
        else:
            raise Wrong(f"named bugs: what is this? {line}")
    if len({bug.name for bug in bugs}) < len(bugs) or not all(bug.changes for bug in bugs):
        raise Wrong("named bugs: one is there twice, or changes nothing")
    return bugs


STRING = r'"(?:\\.|[^"\\])*"'
PIECE = rf"(?:{STRING}|[^\s()\[\]{{}}]+)"
for _ in range(4):              # brackets in brackets
    PIECE = rf"(?:{STRING}|[^\s()\[\]{{}}]+|[(\[{{](?: {PIECE})* [)\]}}])"


def pattern_of(old):
    """A regular expression for a pattern, in tokens with a blank before each.
    A hole $x is a group of that name, a gap ... one without a name."""
    parts, names = [], set()
    for token in tokens_of(old.replace("$", "HOLE_"))[0]:
        word = token.text
        if word == "...":
            parts.append(f"((?: {PIECE})*?)")
        elif word in names:
            parts.append(f" (?P={word})")
        elif word.startswith("HOLE_"):
            names.add(word)
            parts.append(rf" (?P<{word}>[\w.]+)")
        else:
            parts.append(" " + re.escape(word))
    return re.compile("".join(parts) + "(?= |$)")


def substitute(match, new):
    """The right of a change, with what its holes and gaps stand for."""
    named = match.re.groupindex.values()
    gaps = iter([g for k, g in enumerate(match.groups(), 1) if k not in named])
    return re.sub(r"\$\w+|\.\.\.", lambda word: next(gaps) if word[0] == "..."
                  else match["HOLE_" + word[0][1:]], new)


def planted(bug, sources):
    """The bug as {path: changed text}."""
    edits = {}                              # {source: [(start, end, new)]}
    for function, tag, old, new in bug.changes:
        pattern, places = pattern_of(old), []
        for source, s in ((source, s) for source in sources for s in source.statements):
            if (function not in (None, "*", s.function, s.function.rstrip("_"))
                    or tag and tag not in s.tags or s.is_record and not old.startswith("SEE")):
                continue
            text = " " + s.text
            for match in pattern.finditer(text):
                # Where only a line is named, it may stand in several functions.
                places.append((source.path, s.function) if tag and not function else None)
                edits.setdefault(source, []).append((
                    s.tokens[0].start, s.tokens[-1].end, text[:match.start()] + " "
                    + substitute(match, new) + text[match.end():]))
        if not places or len(set(places)) < len(places):
            raise Wrong(f"{len(places)} places fit: {old}")
    changed = {}
    for source, changes in edits.items():
        changed[source.path] = source.text
        for start, end, new in sorted(changes, reverse=True):
            changed[source.path] = changed[source.path][:start] + new + changed[source.path][end:]
    return changed
