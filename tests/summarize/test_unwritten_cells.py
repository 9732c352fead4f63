"""Random programs that write a part of a local array: refused where the other cells make a difference."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.shared import sampled
from tests.summarize.programs import function_of, summary_of

from tensorlift.diagnostics import LiftError
from tensorlift.ir.interpreter import Interpreter, UndefinedError

if TYPE_CHECKING:
    from xdsl.ir import Operation

_RANGES = [
    "i = 0; i < n; i++", "i = 0; i < n; i += 2", "i = 1; i < n; i += 2", "i = 1; i < n - 1; i++", "i = 0; i < m; i++",
]  # fmt: skip
_CELLS = ["i", "n - 1 - i", "0", "n - 1", "n / 2"]
_TESTS = ["", "", "if (i > 2) ", "if (2 * i < n) ", "if (i != 1) ", "if (b[i] > 0) "]
_KEEPING = ["", "", "t = sin(t * a[i]); "]  # the last one keeps the loop


def _write(rng: random.Random) -> str:
    keeping, test = rng.choice(_KEEPING), rng.choice(_TESTS[:-1] if rng.random() < 0.5 else _TESTS)
    return f"for (int {rng.choice(_RANGES)}) {{ {keeping}{test}s[{rng.choice(_CELLS)}] = t + i; }}"


def _body(seed: int) -> str:
    rng = random.Random(seed)
    writes = " ".join(_write(rng) for _ in range(rng.randint(1, 3)))
    copy = rng.choice(["", "double u[n]; for (int i = 0; i < n; i++) u[i] = s[i];"])
    array = "u" if copy else "s"
    keeping = rng.choice(["", "t = sin(t + 1); ", f"if (i > 0) {array}[i] = {array}[i - 1]; "])
    read = (
        f"for (int {rng.choice(_RANGES)}) {{ {keeping}{rng.choice(_TESTS)}c[i] = {array}[{rng.choice(_CELLS)}] * t; }}"
    )
    return f"if (m <= n) {{ {writes} {copy} {read} }}"


def _function(body: str, before: str = "") -> Operation:
    head = "void f(int n, int m, double rest, double c[n], const double a[n], const double b[n])"
    return function_of(f"{head} {{ double s[n], t = 1; {before} {body} }}")


def _outputs(function: Operation, rest: float = 0) -> list[np.ndarray[Any, Any]]:
    """Run the program for several sizes, with a number that the local array may be filled with at first."""
    run, found = Interpreter(function), []
    for n in range(2, 11):  # loops up to n - 1 assume as much
        for m in {1, (n + 1) // 2, n}:
            rng = np.random.default_rng(n)
            result = np.ones(n)
            arrays = {"c": result, "a": rng.uniform(1, 2, n), "b": rng.choice([-1.0, 1.0], n)}
            run({"n": n, "m": m, "rest": rest, **arrays})
            found.append(result)
    return found


def _reads_early(function: Operation) -> bool:
    try:
        _outputs(function)
    except UndefinedError:
        return True
    return False


@pytest.mark.parametrize("seed", range(sampled(25, 80)))
def test_a_program_is_refused_where_it_depends_on_an_unwritten_cell(seed: int) -> None:
    """One that reads such a cell, as loops that hand it on do, may be refused as well; no other may."""
    body = _body(seed)
    function, filled = _function(body), _function(body, "for (int i = 0; i < n; i++) s[i] = rest;")
    matters = not all(map(np.array_equal, _outputs(filled, 0.5), _outputs(filled, -3.5)))
    code = _refusal(function)
    assert code in (["TL204"] if matters else ["", "TL204"] if _reads_early(function) else [""])


def _refusal(function: Operation) -> str:
    try:
        summary_of(function)
    except LiftError as refusal:
        return refusal.diagnostics[0].code
    return ""
