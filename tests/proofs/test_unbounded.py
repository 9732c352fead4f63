"""Loops of which data say how long they run: programs and literal IR that go on otherwise fall."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from bench.first_half import Subject, decide, subjects

from tensorlift.deep import with_deep_stack
from tensorlift.pipeline import LiftOptions, lift_source, read_functions, verify
from tensorlift.proofs.certificate import seal_of
from tensorlift.proofs.failure import LOOP
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

SOURCE = """#include <math.h>
int smooth(int n, double u[n], double tol, int most) {
  int it = 0;
  double change = 9.0;
  while (change > tol && it < most) {
    change = 0.0;
    for (int i = 0; i < n; i++) { u[i] = 0.5 * u[i]; change += fabs(u[i]); }
    it++;
  }
  return it;
}
"""
_LEFT = """#include <math.h>
double root(double x, int n) {
  for (int i = 0; i < n; i++) {
    double d = (x * x - 2.0) / (2.0 * x);
    x -= d;
    if (fabs(d) < 0.1) break;
  }
  return x;
}
"""
_DO = "int halve(int n) { int k = 0; do { n /= 2; k++; } while (n > 1); return k; }"
_CERTIFICATES: dict[str, dict[str, Any]] = {}


def _certificate(target: str) -> dict[str, Any]:
    if target not in _CERTIFICATES:
        (found,) = lift_source(source_from_text(SOURCE, "k.c"), LiftOptions(target=target)).functions
        assert found.certificate is not None, found.diagnostics
        _CERTIFICATES[target] = dict(found.certificate)
    return _CERTIFICATES[target]


@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "stablehlo", "linalg", "c"])
def test_what_is_written_holds(target: str) -> None:
    assert verify(_certificate(target)) == ()


@pytest.mark.parametrize(
    ("target", "old", "new"),
    [
        ("numpy", "while goes_on:", "while change > tol:"),
        ("numpy", "while goes_on:", "while it:"),
        ("numpy", "while goes_on:", "for t in range(most):"),
        ("numpy", "while goes_on:", "if goes_on:"),
        ("numpy", "(9.0 > tol) & (0 < most)", "9.0 > tol"),
        ("numpy", "(change > tol) & (it + 1 < most)", "(change > tol) & (it < most)"),
        ("numpy", "(change > tol) & (it + 1 < most)", "(change > tol) | (it + 1 < most)"),
        ("numpy", "it = it + 1", "it = it + 2"),
        ("numpy", "0.5 * u", "0.25 * u"),
        ("jax", "lambda state: state[1]", "lambda state: state[2]"),
        ("jax", "lambda state: state[1]", "lambda state: ~state[1]"),
        ("jax", "(it + 1 < most)", "(it < most)"),
        ("torch", "while goes_on:", "while not goes_on:"),
        ("stablehlo", "stablehlo.compare GT, ", "stablehlo.compare GE, "),
        ("stablehlo", "stablehlo.return %7 : tensor<i1>", "stablehlo.return %6 : tensor<i32>"),
        ("linalg", "arith.cmpf ogt", "arith.cmpf oge"),
        ("c", "while (goes_on)", "while (!goes_on)"),
        ("c", "while (goes_on)", "if (goes_on)"),
        ("c", "it + 1 < most", "it < most"),
    ],
)
def test_a_program_that_goes_on_otherwise_is_rejected(target: str, old: str, new: str) -> None:
    certificate = _certificate(target)
    text = certificate["program"]
    assert old in text, text
    for place in (text.replace(old, new, 1), new.join(text.rsplit(old, 1))):
        changed = {**certificate, "program": place}
        assert verify({**changed, "seal": seal_of(changed)}), place


def _subject(text: str) -> Subject:
    found = dict(with_deep_stack(partial(subjects, source_from_text(text, "f.c")))).popitem()[1]
    assert isinstance(found, Subject), found
    return found


def _literal(text: str) -> ModuleOp:
    (function,) = read_functions(source_from_text(text, "f.c"), LiftOptions())
    assert function.literally is not None
    return with_deep_stack(function.literally)


@pytest.mark.parametrize("text", [SOURCE, _LEFT, _DO], ids=["while", "break", "do"])
def test_the_source_is_shown_to_be_its_definitions(text: str) -> None:
    subject = _subject(text)
    assert with_deep_stack(partial(decide, subject, _literal(text))) == "decided"


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (SOURCE, "change > tol &&", "change >= tol &&"),
        (SOURCE, "it < most", "it <= most"),
        (SOURCE, "= 9.0", "= 8.0"),
        (SOURCE, "int it = 0", "int it = 1"),
        (SOURCE, "0.5 *", "0.25 *"),
        (SOURCE, "return it", "return it + 1"),
        (SOURCE, "    it++;", "    it++; if (it == 7) break;"),
        (SOURCE, "    it++;", "    if (change > 9.0) u[0] = 1.0; it++;"),
        (_LEFT, "fabs(d) < 0.1", "fabs(d) > 0.1"),
        (_LEFT, "i < n", "i <= n"),
        (_LEFT, "    x -= d;\n    if (fabs(d) < 0.1) break;", "    if (fabs(d) < 0.1) break;\n    x -= d;"),
        (_LEFT, "break", "return d"),
        (_LEFT, "int i = 0", "int i = 1"),
        (_DO, "n > 1", "n > 2"),
        (_DO, "do { n /= 2; k++; } while (n > 1);", "while (n > 1) { n /= 2; k++; }"),
    ],
)
def test_a_source_that_goes_on_otherwise_is_not_taken(text: str, old: str, new: str) -> None:
    assert old in text
    answer = with_deep_stack(partial(decide, _subject(text), _literal(text.replace(old, new, 1))))
    assert answer != "decided"


_GCD = "int f(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }"
_HANDED = """
def f(a, b):
    b = np.int32(b)
    goes_on = b != 0
    b2 = b
    a2 = np.int32(a)
    while goes_on:
        goes_on = np.fmod(a2, b2) != 0
        t = b2
        b2 = np.fmod(a2, b2)
        a2 = t
    return a2
"""


def test_numbers_that_iterations_hand_on_are_no_memory(
    accept: Callable[..., object], reject: Callable[..., str]
) -> None:
    accept(_GCD, _HANDED)
    assert reject(_GCD, _HANDED.replace("a2 = t\n", "a2 = b2\n")) == LOOP
