"""How deep the loops of a program in C are nested: the degree of its work in its sizes, each loop counted once.

Loops between two numbers do not count.  A call of BLAS counts for the loops that it stands for.
"""

from __future__ import annotations

import re

_FOR = re.compile(r"(?P<indent> *)for \((?P<head>.*)\)")
_NUMBERS = re.compile(r"\w+ \w+ = -?\d+; \w+ (<|<=|>|>=) -?\d+;")
_CALL = re.compile(r"(?P<indent> *).*\bcblas_[sd](?P<routine>\w+)\(")
_LEVELS = {
    1: ("dot", "axpy", "scal", "copy", "swap", "nrm2", "asum"),
    3: ("gemm", "symm", "syrk", "syr2k", "trmm", "trsm"),
}


def loop_depth(text: str) -> int:
    """Return the depth of the deepest nest of loops, by the indentation that our printer gives."""
    deepest, open_loops = 0, list[int]()
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith(("#", "}")):
            continue
        while open_loops and open_loops[-1] >= indent:
            open_loops.pop()
        loop, call = _FOR.match(line), _CALL.match(line)
        if loop is not None and not _NUMBERS.match(loop["head"]):
            open_loops.append(indent)
        level = 0 if call is None else next((k for k, names in _LEVELS.items() if call["routine"] in names), 2)
        deepest = max(deepest, len(open_loops) + level)
    return deepest
