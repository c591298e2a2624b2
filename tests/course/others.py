"""others.py ALGORITHM HEADER...: which functions have the types of an algorithm?

For each function of the headers that returns what the algorithm does and takes
all its matrices, tokens and parameters, a body of the algorithm that calls it.
What it takes besides are numbers, or what is in USUAL.
"""
import re
import sys

USUAL = {"int": "1", "double": "1", "bool": "true", "bool*": "NULL", "Mask": "bidirectional",
         "Arena*": "tape_arena(tape)",
         "Inference*": "&(Inference){ .ell_gen = ell_gen, .tau = tau, .random = random }"}
PARAMETERS = re.compile("Mat|Tokens|Theta|W_qkv|W_multi")


def declared(text):
    """The type and the name; an array is a pointer."""
    kind, name, array = re.fullmatch(r"\s*(.*?)(\w*)(\[.*)?", text.replace("const ", "")).groups()
    return kind.replace(" ", "") + ("*" if array else ""), name


algorithm, *headers = sys.argv[1:]
text = " ".join(re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.DOTALL)
                for header in headers)
functions = [(declared(before), [declared(one) for one in arguments.split(",")]) for
             before, arguments in re.findall(r"(\w+\s+\*?[a-z_0-9]+)\(([^()]*)\);", text)]
(result, _), given = next(one for one in functions if one[0][1] == algorithm)
for (kind, name), wanted in functions:
    left, words = given[:], []
    for taken, _ in wanted:         # of several of a type the first one first
        own = next((one for one in left if one[0] == taken), (taken, USUAL.get(taken)))
        left = [one for one in left if one != own]
        words.append(own[1])
    if (kind == result and name != algorithm and not name.endswith("_") and None not in words
            and not any(PARAMETERS.match(kind) for kind, _ in left)):
        print(f"return {name}({', '.join(words)});")
