"""Lift random functions on whole arrays beside their originals: ``python bench/fuzz_arrays.py FIRST COUNT``.

Each function is a few idioms one after the other, which bind arrays again, call functions of NumPy that have
definitions, fill lists and call inner functions.  It is judged as ``bench/fuzz_python.py`` judges its functions.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzz_python import LIMIT, judge
from bench.fuzzing import Outcome, add_arguments, fuzz, within
from bench.random_python.generate import Program
from bench.random_python.scope import Array

_PARAMETERS = (Array("m", "int", ()), Array("x", "float64", ("n",)), Array("y", "float64", ("n",)))
_IDIOMS = [
    "x = x * 2",
    "x, y = y, x + y",
    "x = x - np.roll(x, 1)",
    "u = x + 0\nfor t in range(3):\n  u = u / 2 + y\nx = u",
    "if m > 3:\n  x = x + 1",
    "w = []\nfor v in x:\n  w.append(v * m)\nx = np.array(w)",
    "x = np.concatenate((x[1:], x[:1]))",
    "y = np.cumsum(x)",
    "y[m:] = x[:-m]",
    "i = np.argmax(x)\nx[i] = 0.5",
    "def g(v):\n  if v > 1:\n    return v\n  return m * 0.5\nfor i in range(len(x)):\n  y[i] = g(x[i])",
    "y = np.flip(x) + y",
    "u, v = x + 1, y + 1\nfor t in range(2):\n  v[1:] = u[:-1]\n  u, v = v, u\nx = u - v",
    "x = x[np.arange(len(x)) // 2]",
    "y = np.where(np.isnan(x), 0.0, x)",
    "x = x / (np.linalg.norm(x) + 1)",
    "for i in range(len(x)):\n  if i in (0, 2):\n    continue\n  x[i] = y[i]",
    "x = np.diff(np.concatenate((x, y[:1])))",
    "counts, edges = np.histogram(x, 4, (-3, 3))\ny[0] = counts[1] + edges[2]",
    "y[:] = np.einsum('i,j->i', x, y)",
]
_RETURNS = ["return x", "return x, y", "return x.sum(), y"]


def generate(seed: int) -> Program:
    """Write the program of a seed."""
    rng = random.Random(seed)
    lines = "\n".join([*rng.choices(_IDIOMS, k=rng.choice([1, 2, 2, 3])), rng.choice(_RETURNS)]).splitlines()
    head = "import numpy as np\n\n\ndef f(m: int, x: 'float64[:]', y: 'float64[:]'):\n"
    return Program(head + "".join(f"    {line}\n" for line in lines), _PARAMETERS)


def run(seed: int) -> Outcome:
    """Lift and call the function of one seed within the limit."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return within(LIMIT, partial(judge, generate(seed), seed, "numpy"))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Lift random functions on whole arrays.")
    add_arguments(parser)
    return fuzz(parser.parse_args(), run, lambda seed: generate(seed).text)


if __name__ == "__main__":
    sys.exit(main())
