"""What `make` puts before your file: it reads a sheet, calls your algorithm
and writes its answer, as `ftx steps` does. Run by hand:

    build/ftx steps my.sheet
"""
import os
import sys

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np


def number(word):
    try:
        return float(word)
    except ValueError:
        return word


def read_sheet(text):
    """`X = 1 2 ; 3 4` becomes a matrix, `epsilon 0.25` a number or a word."""
    given = {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if "=" in line:
            name, entries = line.split("=", 1)
            rows = [row.split() for row in entries.split(";")]
            given[name.strip()] = np.array(rows, dtype=float)
        elif line:
            name, word = line.split(None, 1)
            given[name] = number(word)
    return given


def completed(given):
    """The mask as a matrix of 0 and 1, positions that are left out as 0, and
    W_u where it is tied to W_e."""
    if "X" in given:
        shape = given.get("Z", given["X"]).shape[1], given["X"].shape[1]
        mask = given.get("mask", "none")
        if isinstance(mask, str):
            mask = np.ones(shape) if mask == "none" else np.triu(np.ones(shape))
        given["mask"] = mask
    if "W_e" in given and "v" not in given:
        given.setdefault("W_p", np.zeros((len(given["W_e"]), 100)))
    if given.get("tied") == "yes":
        given["W_u"] = given["W_e"].T
    return given


class Answer:
    def __init__(self, to):
        self.to, self.times = to, {}

    def matrix(self, words, M):
        M = np.atleast_2d(np.asarray(M, dtype=float))
        entries = [*M.shape, *M.flatten(order="F").tolist()]
        print(words, *map(repr, entries), file=self.to)

    def see(self, line, name, M):
        """Shows the value that a line of the algorithm names."""
        self.times[line, name] = self.times.get((line, name), 0) + 1
        self.matrix(f"step {line} {self.times[line, name]} {name}", M)


def fault_of(error):
    place = [at for at in walk(error.__traceback__) if at[0] == "yours"]
    line = error.lineno if isinstance(error, SyntaxError) else place[-1][1] if place else 0
    where = f"line {line} of your file" if line else "your file"
    return f"{where}: {type(error).__name__}: {error}".replace("\n", " ")


def walk(traceback):
    while traceback is not None:
        yield traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next


def main(sheet, to):
    answer = Answer(to)
    with open(__file__) as script:          # your file stands behind it
        yours = "".join(line[2:] for line in script if line.startswith("#|"))
    try:
        names = {}
        exec(compile(yours, "yours", "exec"), names)
        answer.matrix("result", names["algorithm"](completed(read_sheet(sheet)), answer.see))
        print("end", file=to)
    except Exception as error:
        print("fault", fault_of(error), file=to)
        return 2
    return 0


if sys.argv[1:2] != ["steps"] or len(sys.argv) not in (3, 4):
    sys.exit("say: build/ftx steps SHEET [N], where N is the number of an open file.")
with sys.stdin if sys.argv[2] == "-" else open(sys.argv[2]) as sheet:
    text = sheet.read()
with os.fdopen(int(sys.argv[3]), "w") if len(sys.argv) == 4 else sys.stdout as out:
    status = main(text, out)
sys.exit(status)
