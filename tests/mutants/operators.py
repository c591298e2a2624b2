"""Operator mutants: one small change at one place in a statement."""
import re
from dataclasses import dataclass

from source import HEADS, Statement, closing

OTHERS = {
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+=": ["-=", "="], "-=": ["+=", "="], "*=": ["/=", "="], "/=": ["*=", "="],
    "|=": ["&="], "&=": ["|="], "^=": ["="], "%=": ["="],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "++": ["--"], "--": ["++"],
}
ASSIGNS = {"=", "++", "--"} | {sign for sign in OTHERS if sign.endswith("=")
                               and sign not in ("<=", ">=", "==", "!=")}

# Of the size of a buffer and of what is freed no test can tell; the address
# sanitizer of CI does.
ALLOCATE = {"arena_alloc", "malloc", "calloc", "realloc"}
FREE = {"free", "arena_free", "tape_free", "free_values", "trainer_free"}

# To change who is started, waited for or ended could end strangers.
PROCESSES = {"fork", "kill", "killpg", "waitpid", "setsid", "setpgid",
             "execv", "execvp", "execl", "execve", "system", "signal",
             "setrlimit", "ptrace"}

COMMUTE = {"add", "calloc", "hadamard", "fmax", "fmin", "larger", "least",
           "least_of", "strcmp", "strncmp",
           "memcmp", "are_one", "same", "same_number", "same_place", "has_same_numbers",
           "has_same_bytes", "share_a_place", "REQUIRE"}


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
    def key(self):
        return self.place, self.what

    @property
    def lines(self):
        return self.statement.lines

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


def is_binary(source, token, before):
    """The code is laid out so that a sign between blanks has two operands."""
    behind = source.text[token.end:token.end + 1]
    return (before is not None and behind in (" ", "\n")
            and (before.kind in ("name", "number") or before.text in (")", "]"))
            and before.text != "return")


def of_token(source, statement, k):
    """(what it becomes, text) for the token at k."""
    token = statement.tokens[k]
    before = statement.tokens[k - 1] if k > 0 else None
    if token.kind == "number":
        text = statement.tokens[0].text == "char" and before.text == "["
        if not text:                        # a longer one harms nobody
            yield next_number(token.text)
    elif token.text == "!":
        yield ""
    elif token.text == "-" and not is_binary(source, token, before):
        yield ""
    elif token.text == "?":
        yield "|| 1 ?"
        yield "&& 0 ?"
    elif token.text in ("*", "&") and not is_binary(source, token, before):
        return
    else:
        yield from OTHERS.get(token.text, [])


def is_dropped(statement):
    """Whether it still compiles when it is left out: no declaration."""
    words = statement.tokens
    if words[-1].text != ";" or len(words) < 2:
        return False
    if words[0].text in ("break", "continue"):
        return True
    if words[0].text in ("return", "goto", "typedef", "struct", "enum",
                         "union", "extern", "static", "const", "case", "default"):
        return words[0].text == "return" and words[1].text == ";"
    declares = words[0].kind == "name" and (
        words[1].kind == "name"
        or words[1].text == "*" and words[1].end == words[2].start)
    calls = words[0].kind == "name" and words[1].text == "("
    return not declares and (calls or any(t.text in ASSIGNS for t in words))


def arguments(tokens, k):
    """The first and last token of each argument of the call whose ( is at k."""
    last, parts, first, n = closing(tokens, k), [], k + 1, k + 1
    while n < last:
        if tokens[n].text in ("(", "[", "{"):
            n = closing(tokens, n)
        elif tokens[n].text == ",":
            parts.append((tokens[first], tokens[n - 1]))
            first = n + 1
        n += 1
    if first < last:
        parts.append((tokens[first], tokens[last - 1]))
    return parts


def exchanged(source, statement):
    """Calls with their first two arguments exchanged."""
    tokens = statement.tokens
    for k in range(len(tokens) - 1):
        name = tokens[k]
        if (name.kind != "name" or tokens[k + 1].text != "("
                or name.text in HEADS | COMMUTE | {"sizeof", "return"}):
            continue
        parts = arguments(tokens, k + 1)
        if len(parts) < 2:
            continue
        (a, b), (c, d) = parts[:2]
        text = source.text
        one, two = text[a.start:b.end], text[c.start:d.end]
        if one != two and '"' not in one + two:
            yield (f"{name.text} with its first two arguments exchanged",
                   a.start, d.end, two + text[b.end:c.start] + one)


def sizes_in(tokens):
    """The places of the tokens that say how much is allocated."""
    return {n for k, token in enumerate(tokens) if token.text in ALLOCATE
            for n in range(k, closing(tokens, k + 1))}


def of_statement(source, statement):
    tokens = statement.tokens
    seen, sizes = {}, sizes_in(tokens)
    for k, token in enumerate(tokens):
        if k in sizes:
            continue
        for new in of_token(source, statement, k):
            seen[token.text] = seen.get(token.text, set()) | {k}
            number = len(seen[token.text])
            nth = f" {number}" if number > 1 else ""
            yield (f"{token.text}{nth} becomes {new or 'nothing'}",
                   token.start, token.end, new)
    if tokens[0].text in ("if", "while"):
        start, end = tokens[1].end, tokens[-1].start
        if tokens[0].text == "if":
            yield "always true", start, end, "1"
        yield "never true", start, end, "0"
    if is_dropped(statement) and tokens[0].text not in FREE:
        yield "left out", tokens[0].start, tokens[-1].end, ";"
    yield from exchanged(source, statement)


def mutants_of(source):
    """All operator mutants of a file, in the order of its text."""
    unsafe = {s.function for s in source.statements
              if any(t.text in PROCESSES for t in s.tokens)}
    times = {}
    for statement in source.statements:
        if statement.function in unsafe:
            continue
        place = statement.function, statement.text
        times[place] = times.get(place, 0) + 1
        for what, start, end, new in of_statement(source, statement):
            yield Mutant(source.path, statement, what, start, end, new, times[place])
