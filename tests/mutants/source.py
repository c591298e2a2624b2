"""C as tokens and statements, each under the function that it stands in."""
import re
from collections import namedtuple
from dataclasses import dataclass, field

TOKEN = re.compile(r"""
      (?P<blank>   [ \t\r\f\v]+ | \\\n )
    | (?P<newline> \n )
    | (?P<comment> //[^\n]* | /\*.*?\*/ )
    | (?P<name>    [A-Za-z_]\w* )
    | (?P<number>  \.?\d(?:[eEpP][-+]|[\w.])* )
    | (?P<string>  "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' )
    | (?P<sign>    \.\.\. | <<= | >>= | -> | \+\+ | -- | << | >> | [-+*/%&|^<>=!]=
                 | && | \|\| | \#\# | . )
""", re.VERBOSE | re.DOTALL)

HEADS = {"if", "for", "while", "switch", "EACH_ENTRY"}
OPEN, CLOSE = {"(", "[", "{"}, {")", "]", "}"}
TAG = re.compile(r"\b\d{1,2}\.\d{1,2}\b")


Token = namedtuple("Token", "kind text start end line")


@dataclass
class Statement:
    """A statement, or the head of one: if (...), for (...)."""
    function: str
    tokens: list
    tags: set = field(default_factory=set)      # of the paper's lines

    @property
    def text(self):
        return " ".join(token.text for token in self.tokens)

    @property
    def is_record(self):
        """SEE(4.4, S) records a value and computes none."""
        return self.tokens[0].text.startswith("SEE")


def tokens_of(text):
    """All tokens but comments; of directives only those of #define, each as
    a list of its own; and the comments by line."""
    main, macros, comments = [], [], {}
    into, line, is_fresh = main, 1, True
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match.group()
        if kind == "newline":
            into, is_fresh = main, True
        elif kind == "comment":
            comments.setdefault(line, []).append(word)
        elif word == "#" and is_fresh:
            into = []
            macros.append(into)
            is_fresh = False
        elif kind != "blank":
            into.append(Token(kind, word, match.start(), match.end(), line))
            is_fresh = False
        line += word.count("\n")
    return main, [m for m in macros if len(m) > 2 and m[0].text == "define"], comments


def closing(tokens, k):
    """The index of the bracket that closes the one at k."""
    depth = 0
    for n in range(k, len(tokens)):
        depth += (tokens[n].text in OPEN) - (tokens[n].text in CLOSE)
        if depth == 0:
            return n
    return len(tokens) - 1


def name_of_declared(tokens):
    """Of a function the name before its parameters, of data that before = or
    [; NAMED(tile)(...) is called tile."""
    name = found = tokens[0].text
    parens = braces = 0
    for token in tokens:
        if token.text in ("=", "[") and parens == braces == 0:
            return name
        if token.text == "(" and parens == 0:
            found = name
        parens += (token.text == "(") - (token.text == ")")
        braces += (token.text == "{") - (token.text == "}")
        if token.kind == "name" and braces == 0:
            name = token.text
    return found if tokens[-1].text == ")" else name


def opens_block(statement, in_function):
    """Whether a { after these tokens begins a block, not a value or type."""
    words = [token.text for token in statement]
    if not words:
        return True
    if words[0] in ("struct", "union", "enum", "typedef") and words[-1] != ")":
        return False
    return not in_function and words[-1] == ")" and "=" not in words


def split(tokens, function=None):
    """The statements of a list of tokens."""
    found, current, depth, inside, k = [], [], 0, function, 0

    def end():
        if current:
            found.append(Statement(inside or name_of_declared(current), current[:]))
            current.clear()

    while k < len(tokens):
        token = tokens[k]
        if token.text in HEADS or token.text in ("else", "do"):
            end()                           # what stands before is a macro
        if token.text in HEADS and k + 1 < len(tokens):
            last = closing(tokens, k + 1)
            current.extend(tokens[k:last + 1])
            end()
            k = last
        elif token.text in ("else", "do"):
            pass
        elif token.text == "{" and opens_block(current, inside is not None):
            if inside is None:
                inside = name_of_declared(current)
                current.clear()
            depth += 1
        elif token.text in OPEN:
            last = closing(tokens, k)
            current.extend(tokens[k:last + 1])
            k = last
        elif token.text == "}":
            end()
            depth -= 1
            if depth == 0 and function is None:
                inside = None
        else:
            current.append(token)
            if token.text == ";" or (token.text == ":" and current[0].text in ("case", "default")):
                end()
        k += 1
    end()
    return found


class Source:
    """A file of C, its text and its statements."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        tokens, macros, comments = tokens_of(text)
        self.statements = split(tokens)
        self.mark_tags(comments)
        for macro in macros:
            first = 2
            if macro[2].text == "(" and macro[2].start == macro[1].end:
                first = closing(macro, 2) + 1
            self.statements += split(macro[first:], macro[1].text)

    def mark_tags(self, comments):
        """A statement has the tags that a // comment or a SEE on one of its lines names."""
        by_line = {line: set(TAG.findall(" ".join(words))) for line, words in comments.items()
                   if all(word.startswith("//") for word in words)}
        for statement in self.statements:
            if statement.is_record:
                tags = {t.text for t in statement.tokens if TAG.fullmatch(t.text)}
                by_line.setdefault(statement.tokens[0].line, set()).update(tags)
        for s in self.statements:
            for line in range(s.tokens[0].line, s.tokens[-1].line + 1):
                s.tags |= by_line.get(line, set())
