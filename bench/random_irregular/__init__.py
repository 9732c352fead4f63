"""Random irregular functions: ``python -m bench.random_irregular SEED [py]`` prints one, in C or in Python.

A function is one to three phrases over arrays of ``n`` cells and tables of ``n`` by ``m``: gathers, stores at places
that depend on data, counters under conditions, loops that end early or at data, recurrences, symbolic steps, ragged
rows, extremes with places, counts of integers of any type, windows, quotients, scans with resets, wavefronts, pairs
that are complex numbers. Their parts are drawn at random and nested, so that most functions are of no kind that has a
name. The same seed gives the same text.
"""

from __future__ import annotations

import random

from bench.random_irregular.phrases import PHRASES
from bench.random_irregular.writer import COUNTED, INPUTS, OUTPUTS, PLACES, TABLES, Writer

_INDENT = "    "
_LEAST = "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\n"


def generate(seed: int, language: str = "c") -> str:
    """Write the function of a seed."""
    writer = Writer(random.Random(seed))
    for _ in range(writer.rng.choice((1, 1, 1, 2, 2, 3))):
        (phrase,) = writer.rng.choices(list(PHRASES), list(PHRASES.values()))
        phrase(writer)
    result = writer.result()
    text = "\n".join(_INDENT * (depth + 1) + (c if language == "c" else py) for depth, c, py in writer.lines)
    return (_c_function if language == "c" else _python_function)(text, result, writer.counted)


def _c_function(body: str, result: str, counted: str) -> str:
    reals = ", ".join(f"const double *{name}" for name in INPUTS)
    places = ", ".join(f"const int *{name}" for name in PLACES)
    outs = ", ".join(f"double *{name}" for name in OUTPUTS)
    tables = "".join(f", double {name}[n][m]" for name in _tables(body))
    sizes, least = ("int n, int m" if tables else "int n"), (_LEAST if "MIN(" in body or "MAX(" in body else "")
    arrays = f"{reals}, {places}, const int *ptr, {outs}, {counted} *h{tables}"
    head = f"{'double' if result else 'void'} f({sizes}, int s, double t, {arrays})"
    close = f"\n    return {result};" if result else ""
    return f"#include <math.h>\n\n{least}{head}\n{{\n{_closed(body)}{close}\n}}\n"


def _closed(body: str) -> str:
    """Close the blocks of C, which end where the indentation does."""
    lines, open_at = [], list[int]()
    for line in body.split("\n"):
        depth = (len(line) - len(line.lstrip())) // len(_INDENT)
        while open_at and depth <= open_at[-1]:
            lines.append(_INDENT * open_at.pop() + "}")
        lines.append(line)
        if line.endswith("{"):
            open_at.append(depth)
    lines += [_INDENT * depth + "}" for depth in reversed(open_at)]
    return "\n".join(lines)


def _python_function(body: str, result: str, counted: str) -> str:
    reals = ", ".join(f'{name}: "float64[:]"' for name in (*INPUTS, *OUTPUTS))
    places = ", ".join(f'{name}: "int64[:]"' for name in (*PLACES, "ptr"))
    places += f', h: "{COUNTED[counted]}[:]"'
    tables = "".join(f', {name}: "float64[:, :]"' for name in _tables(body))
    columns = f"    m = {_tables(body)[0]}.shape[1]\n" if tables else ""
    close = f"\n    return {result}" if result else ""
    head = f"def f({reals}, {places}{tables}, s: int, t: float):\n    n = len(x)\n{columns}"
    return f"import math\n\n\n{head}{body}{close}\n"


def _tables(body: str) -> list[str]:
    return [name for name in TABLES if f"{name}[" in body]
