"""Writes tests/data/released/types.safetensors with the package safetensors:

    python3 tests/oracle/tensors.py

a tensor of each type that ftx reads, with numbers that each can hold, and
one of whole numbers. tests/hub/safetensors.c knows what is in it.
"""
from pathlib import Path

import torch
from safetensors.torch import save_file

numbers = torch.tensor([[1.0, -2.5, 0.0], [65504.0, 2.0 ** -14, -0.375]])
save_file({
    "single": numbers, "half": numbers.half(),
    "brain": torch.tensor([1.0, -2.5, 2.0 ** 100]).bfloat16(),
    "double": torch.tensor([1 / 3], dtype=torch.float64),
    "whole": torch.tensor([[7, 8]]), "none": torch.zeros(0, 4),
    "one": torch.tensor(3.0),
}, Path(__file__).parent.parent / "data/released/types.safetensors",
    {"format": "pt"})
