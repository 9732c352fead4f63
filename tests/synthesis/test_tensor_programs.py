"""Random tensor programs, solved by sketches through all their nests at once; what spines and parts do."""

from __future__ import annotations

import pytest
from bench.random_programs.tensors import tensor_program
from bench.tensor_programs import result

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import FunctionRecord, Level
from tensorlift.source import source_from_text

_SIZES = "#include <math.h>\nvoid f(int m, int n, double a[m][n], double b[n][m], double x[n], double o[m]) {\n"
_EACH = "for (int i = 0; i < m; i++)"


def _whole(body: str) -> FunctionRecord:
    options = LiftOptions(engine="sketch-whole")
    (function,) = lift_source(source_from_text(f"{_SIZES}{body}\n}}\n", "k.c"), options).functions
    return function


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("length", [4, 8, 16])
@pytest.mark.parametrize("seed", range(3))
def test_a_program_is_solved_through_all_its_nests(seed: int, length: int) -> None:
    found = result(seed, length, "sketch-whole")
    assert found.is_proved, found.remark


def test_the_same_seed_gives_the_same_program() -> None:
    assert tensor_program(5, 8) == tensor_program(5, 8)
    assert tensor_program(5, 8) != tensor_program(6, 8)
    assert tensor_program(5, 8).count("  for (int i") == 8


def test_what_nests_undo_is_not_computed() -> None:
    """Only together do the nests say that nothing is left of the first."""
    function = _whole(f"double t[m];\n{_EACH} t[i] = a[i][0] + exp(o[i]);\n{_EACH} o[i] = t[i] - exp(o[i]);")
    assert function.level is Level.PROVED
    assert "exp" not in function.program


def test_parts_of_a_solution_are_named_after_the_source() -> None:
    """A proof through all operations at once would be long: variables say on which way the program is."""
    body = (
        "double t[m]; double u[m]; double v[n]; double w[m];\n"
        f"{_EACH} {{ t[i] = 0; for (int j = 0; j < n; j++) t[i] += a[i][j] * x[j]; }}\n"
        f"{_EACH} u[i] = fmax(t[i], 0);\n"
        "for (int i = 0; i < n; i++) { v[i] = 0; for (int j = 0; j < m; j++) v[i] += b[i][j] * u[j]; }\n"
        f"{_EACH} {{ w[i] = 0; for (int j = 0; j < n; j++) w[i] += a[i][j] * v[j]; }}\n"
        f"{_EACH} o[i] = w[i] * t[i];"
    )
    function = _whole(body)
    assert function.level is Level.PROVED
    for line in ("t = a @ x", "w = a @ v"):
        assert line in function.program


_PAIRS = f"{_EACH} for (int j = 0; j < m; j++)"
_SQUARES = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"


@pytest.mark.parametrize(
    "nests",
    [
        (  # products that are equal by value: of rows of one matrix
            f"double t[m][m];\n{_PAIRS} {{ t[i][j] = 0; for (int k = 0; k < n; k++) t[i][j] += a[i][k] * a[j][k]; }}",
            f"{_EACH} {{ o[i] = 0; for (int j = 0; j < m; j++) o[i] += fabs(t[i][j]) * t[j][i]; }}",
        ),
        (  # the same of a vector with itself
            f"double t[n][n]; double u[n];\n{_SQUARES} t[i][j] = x[i] * x[j];",
            "for (int i = 0; i < n; i++) { u[i] = 0; for (int j = 0; j < n; j++) u[i] += tanh(t[i][j]) * x[j]; }",
            f"{_EACH} {{ o[i] = 0; for (int j = 0; j < n; j++) o[i] += a[i][j] * u[j]; }}",
        ),
        (  # an extreme of extremes, of which one value is the same in all
            f"double t[m][n];\n{_EACH} for (int j = 0; j < n; j++) t[i][j] = fmax(a[i][j] * x[j], 0);",
            f"{_EACH} {{ o[i] = t[i][0]; for (int j = 1; j < n; j++) o[i] = fmax(o[i], t[i][j]); }}",
        ),
    ],
)
def test_spines_tell_factors_apart(nests: tuple[str, ...]) -> None:
    function = _whole("\n".join(nests))
    assert function.level is Level.PROVED, function.diagnostics
    assert "for " not in function.program


def test_kept_loops_are_not_looked_through() -> None:
    function = _whole(f"{_EACH} for (int j = 1; j < n; j++) a[i][j] = sqrt(a[i][j - 1]) + x[j];")
    assert function.level is Level.PROVED
    assert "for " in function.program
