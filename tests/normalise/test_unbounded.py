"""Loops of which data say how long they run stay loops in loop IR; those that cannot end, or need an index, do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.function import functions
from tensorlift.ir.interpreter import Interpreter
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.frontends.read_function import ReadFunction


def _read(text: str) -> ReadFunction:
    return read_functions(source_from_text(text, "k.c"), LiftOptions())[-1]


@pytest.mark.parametrize(
    ("text", "given", "result"),
    [
        ("int f(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }", (84, 36), 12),
        ("int f(int a, int b) { int k = 0; do { a /= b; k++; } while (a > 0); return k; }", (0, 3), 1),
        ("int f(int a, int b) { int k = 0; do { a /= b; k++; } while (a > 0); return k; }", (30, 3), 4),
        (
            "int f(int a, int b) { for (int i = 0; i < b; i++) { a = a * 3 % 7; if (a == 1) break; } return a; }",
            (3, 2),
            6,
        ),
        (
            "int f(int a, int b) { for (int i = 0; i < b; i++) { a = a * 3 % 7; if (a == 1) break; } return a; }",
            (3, 9),
            1,
        ),
        ("int f(int a, int b) { while (a > 0) { a -= b; if (a == 4) return -1; b++; } return b; }", (9, 5), -1),
        ("int f(int a, int b) { while (a > 0) { a -= b; if (a == 4) return -1; b++; } return b; }", (9, 3), 6),
        ("int f(int a, int b) { int x; while ((x = a / 2) > b) a = x; return x * 100 + a; }", (40, 3), 205),
        (
            "int f(int a, int b) { int x = 1, y = 2; while (x < a) { int t = x; x = y; y = t + y; } return x * b; }",
            (9, 1),
            13,
        ),
        ("int f(int a, int b) { int k = 0; again: if (a > b) { a /= 2; k++; goto again; } return k; }", (64, 1), 6),
    ],
)
def test_the_loop_that_stays_does_what_the_source_does(text: str, given: tuple[int, int], result: int) -> None:
    module = _read(text).module
    assert module is not None
    (function,) = functions(module)
    assert "scf.while" in {op.name for op in function.walk()}
    assert Interpreter(function)(dict(zip(("a", "b"), given, strict=True))).value == result


@pytest.mark.parametrize(
    "text",
    [
        "void f(double *a) { while (1) a[0] = 1; }",
        "void f(int n) { do { } while (n > 3); }",
    ],
)
def test_what_never_ends_is_refused(text: str) -> None:
    found = _read(text)
    assert found.module is None
    assert found.diagnostics[0].code in {"TL110", "TL112", "TL122", "TL126"}
