"""Loops that stay because their closed forms have no array operations, or none that is proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import UNEQUAL, CheckFailure
from tensorlift.proofs.parse import parse_program
from tensorlift.record import FunctionRecord, Level, Verdict
from tensorlift.source import read_source, source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.proofs import Certificate

_DIAGONAL = Path(__file__).parent / "programs" / "every_third_on_the_diagonal.c"
_SCALED = "void f(int n, double a[n], double b[n]) { for (int i = 0; i < n; i++) { a[i] = 2.0 * b[i]; } }"


def _lift_diagonal() -> FunctionRecord:
    (function,) = lift_source(read_source(str(_DIAGONAL)), LiftOptions()).functions
    return function


def test_the_loop_without_array_operations_is_kept_and_its_body_lifted() -> None:
    function = _lift_diagonal()
    assert (function.verdict, function.level) == (Verdict.UNCHANGED, Level.PROVED)
    assert "for i in range(n_plus_2_div_3):\n        u[3 * i, 3 * i] += s\n" in function.program
    (kept,) = function.residual_loops
    assert kept.loop == "for i"
    assert "has no proved form in array operations" in kept.reason


def test_attempts_leave_no_trace() -> None:
    """The same function gives the same bytes after one that took several attempts."""
    before = _lift_diagonal()
    assert (before.program, before.certificate) == (_lift_diagonal().program, _lift_diagonal().certificate)


def test_a_program_that_is_not_proved_is_refused_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason of the first attempt, at the place of the loop."""

    def never(*_: object, **__: object) -> None:
        raise CheckFailure(UNEQUAL, "no program is good enough")

    monkeypatch.setattr("tensorlift.attempts.check", never)
    (function,) = lift_source(source_from_text(_SCALED, "scaled.c"), LiftOptions()).functions
    assert function.verdict is Verdict.REFUSED
    (diagnostic,) = function.diagnostics
    assert diagnostic.message == "no program is good enough"
    assert diagnostic.location is not None


def test_a_loop_behind_a_returned_value_is_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value has no place of its own among the loops."""
    source = "double f(int n, double x) { double p = 1.0; for (int i = 0; i < n; i++) p *= x; return p; }"
    real = check

    def only_loops(text: str, *rest: Any, **named: Any) -> Certificate:
        if "for " not in text:
            raise CheckFailure(UNEQUAL, "no program is good enough")
        return real(text, *rest, **named)

    monkeypatch.setattr("tensorlift.attempts.check", only_loops)
    (function,) = lift_source(source_from_text(source, "power.c"), LiftOptions()).functions
    assert (function.verdict, function.level) == (Verdict.UNCHANGED, Level.PROVED)


_OF_ONE_LOOP = {
    "what came before": "o[i] = s; s += a[i];",
    "what comes behind": "o[n - 1 - i] = s; s += a[n - 1 - i];",
    "from the other end": "o[i] = s; s += a[n - 1 - i];",
    "squares": "o[i] = s; s += a[i] * a[i];",
    "the value before and after": "o[i] = s; s += a[i]; o[i] -= s;",
    "a product": "o[i] = s + 1; s = s * a[i] + a[i];",
    "a difference": "o[i] = a[i] - s; s = s + a[i];",
    "weights": "o[i] = s; s += i * a[i];",
    "every other cell": "o[n / 2] = 0; if (2 * i + 1 < n) o[2 * i + 1] = a[i];",
    "a count": "o[i] = s; s += a[i] > 0.5;",
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("body", _OF_ONE_LOOP.values(), ids=_OF_ONE_LOOP)
def test_a_single_loop_becomes_no_matrix(body: str) -> None:
    text = f"void f(int n, const double *a, double *o) {{ double s = 0; for (int i = 0; i < n; i++) {{ {body} }} }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(test=True)).functions
    assert function.lifted, function.diagnostics
    assert "tri(" not in function.program
    assert "None]" not in function.program


def test_a_loop_is_kept_where_a_matrix_would_be_slower_by_degree() -> None:
    inner = "for (int j = 0; j < m; j++) s += a[i][j];"
    loop = f"double s = 0; for (int i = 0; i < n; i++) {{ o[i] = s; {inner} }}"
    text = f"void f(int n, int m, const double a[n][m], double *o) {{ {loop} }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    (kept,) = function.residual_loops
    assert kept.reason.endswith("o would be slower by degree in array operations")
    assert "s = s + a[i].sum()" in function.program


def test_cells_between_those_of_a_stride_stay_as_they_were() -> None:
    body = "    y = np.zeros(len(x))\n    for i in range(len(x) // 2):\n        y[2 * i + 1] = x[i]\n    return y\n"
    text = f"import numpy as np\n\n\ndef f(x: 'float64[:]'):\n{body}"
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert "y[1::2] = x[" in function.program


def test_a_parameter_may_have_the_name_of_its_function() -> None:
    source = source_from_text("void f(int n, double *f) { for (int i = 0; i < n; i++) f[i] *= 2; }", "f.c")
    (function,) = lift_source(source, LiftOptions()).functions
    assert (function.verdict, function.level) == (Verdict.LOOP_FREE, Level.PROVED)
    text = function.program.replace("return f * 2.0", "return f(f) * 2.0")
    assert text != function.program
    with pytest.raises(CheckFailure, match="hides a module or a function"):
        parse_program(text, get_target("numpy").modules, {})
