"""Gato's patches and its ResNet block by PyTorch, in float64: writes vision.h.

    python3 tests/oracle/vision.py > tests/oracle/vision.h

Conv2d, GroupNorm, GELU, Linear and Embedding are PyTorch's own; a patch is
channels x rows x columns there. A weight of a convolution is recorded as the
matrix that ftx multiplies the nine neighbours by, row after row. The loss is
the sum of G * result, with a random G; d_M is its derivative by M.
"""
import torch
from torch import nn

torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
SIDE, CHANNELS, GROUPS, D_E, PLACES = 4, 6, 3, 5, 7
SIZES = [(4, 8), (8, 12)]       # two images: 2 patches, and 2 x 3


def record(name, matrix):
    matrix = matrix.detach()
    if matrix.dim() == 1:
        matrix = matrix[:, None]
    rows, cols = matrix.shape
    print(f"\n/* {rows} x {cols} */\nstatic const double vision_{name}[] = {{")
    for row in matrix:
        print("    " + ",\n    ".join(
            ", ".join(f"{x:.17g}" for x in row[k:k + 3].tolist())
            for k in range(0, cols, 3)) + ",")
    print("};")


def as_matrix(weight):
    """Of a convolution: neighbour after neighbour, channels within."""
    return weight.permute(0, 2, 3, 1).flatten(1)


def by_pixels(weight):
    """Of W_v: pixel after pixel, channels within."""
    return weight.view(D_E, CHANNELS, SIDE * SIDE).transpose(1, 2).flatten(1)


class Block(nn.Module):
    """Version 2: norm and activation before each convolution."""

    def __init__(self):
        super().__init__()
        self.lift = nn.Conv2d(3, CHANNELS, 3, padding=1)
        self.norm_1 = nn.GroupNorm(GROUPS, CHANNELS)
        self.conv_1 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.norm_2 = nn.GroupNorm(GROUPS, CHANNELS)
        self.conv_2 = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1)
        self.last = nn.Linear(CHANNELS * SIDE * SIDE, D_E)
        self.row, self.col = nn.Embedding(PLACES, D_E), nn.Embedding(PLACES, D_E)

    def forward(self, x, row, col):
        x = self.lift(x)
        y = self.conv_1(nn.functional.gelu(self.norm_1(x)))
        y = self.conv_2(nn.functional.gelu(self.norm_2(y)))
        return self.last((x + y).flatten(1)) + self.row(row) + self.col(col)


def middle(k, n):
    """The place in the middle of part k of n, from 0."""
    first, last = k * PLACES // n, (k + 1) * PLACES // n - 1
    return (first + last + 1) // 2


patches, rows, cols = [], [], []
print("/* Recorded values of Gato's patches and its block. Written by vision.py"
      f"\n   with PyTorch {torch.__version__.split('+')[0]} in float64. */")
for n, (height, width) in enumerate(SIZES, 1):
    image = torch.randint(0, 256, (height, width, 3), dtype=torch.uint8)
    numbers = image.flatten().tolist()
    print(f"\n/* {height} x {width} pixels */\n"
          f"static const unsigned char vision_image_{n}[] = {{")
    for k in range(0, len(numbers), 12):
        print("    " + ", ".join(map(str, numbers[k:k + 12])) + ",")
    print("};")
    pixels = (image.double() / 255 * 2 - 1) / SIDE ** 0.5
    for i in range(height // SIDE):
        for j in range(width // SIDE):
            patches.append(pixels[i * SIDE:(i + 1) * SIDE,
                                  j * SIDE:(j + 1) * SIDE].permute(2, 0, 1))
            rows.append(middle(i, height // SIDE))
            cols.append(middle(j, width // SIDE))

block = Block()
for p in block.parameters():
    nn.init.normal_(p)
result = block(torch.stack(patches), torch.tensor(rows), torch.tensor(cols)).T
G = torch.randn_like(result)
(G * result).sum().backward()
record("E", result)
record("G", G)
same = lambda M: M
for name, M, shape in (
        ("W_0", block.lift.weight, as_matrix), ("b_0", block.lift.bias, same),
        ("gamma_1", block.norm_1.weight, same),
        ("beta_1", block.norm_1.bias, same),
        ("W_1", block.conv_1.weight, as_matrix),
        ("b_1", block.conv_1.bias, same),
        ("gamma_2", block.norm_2.weight, same),
        ("beta_2", block.norm_2.bias, same),
        ("W_2", block.conv_2.weight, as_matrix),
        ("b_2", block.conv_2.bias, same),
        ("W_v", block.last.weight, by_pixels), ("b_v", block.last.bias, same),
        ("W_row", block.row.weight, torch.t), ("W_col", block.col.weight,
                                               torch.t)):
    record(name, shape(M))
    record("d_" + name, shape(M.grad))
