"""Algorithm @N@, as `make check` asks it. On its sheets there are
@NAMES@.
"""
import numpy as np


def algorithm(given, see):
@LINES@
    return np.zeros((1, 1))
