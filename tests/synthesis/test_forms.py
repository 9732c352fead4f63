"""Forms of programs: what each makes of the same definitions, that it is proved, and when the cost model takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.cost import Costs, cost_of
from tensorlift.ir.function import functions
from tensorlift.languages.c import read_c
from tensorlift.proofs.check import check
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.forms import OF_DEFINITIONS, OF_PROGRAMS, Formed, formed
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets import get_target, target_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary

_PAIRS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
_SOURCES = {
    "sliced": f"void f(int n, double A[n][n], double B[n][n]) {{ {_PAIRS} "
    "B[i][j] = A[i][j] * (j < 3 ? 2 * A[i][0] : A[0][j]); }",
    "blocked": "void f(int n, int m, double A[n][n], double B[n][m], double C[n][m]) {"
    " for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { C[i][j] = 0;"
    " for (int k = 0; k <= i; k++) C[i][j] += A[i][k] * B[k][j]; } }",
    "stacked": f"void f(int n, double A[n][n], double u[n], double v[n], double x[n], double y[n]) {{ {_PAIRS} "
    "A[i][j] = A[i][j] + u[i] * v[j] + x[i] * y[j]; }",
    "copied": f"void f(int n, int A[n][n], int B[n][n], int C[n][n]) {{ {_PAIRS} {{ C[i][j] = 0;"
    " for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[j][k]; } }",
    "in place": "void f(int n, double a[n], double b[n], double c[n]) {"
    " for (int i = 1; i < n; i++) c[i] = 0.5 * (a[i] + a[i - 1] - b[i]); }",
}
_PROGRAMS = {
    "sliced": """
def f(A):
    B = A * (2.0 * A[:, 0])[:, None]
    B[:, 3:] = A[:, 3:] * A[0, 3:]
    return B
""",
    "blocked": """
def f(A, B):
    n = A.shape[0]
    m = B.shape[1]
    half = n // 2
    C = np.empty((n, m))
    C[:half] = np.tril(A[:half, :half]) @ B[:half]
    C[half:] = A[half:, :half] @ B[:half] + np.tril(A[half:, half:]) @ B[half:]
    return C
""",
    "stacked": """
def f(A, u, v, x, y):
    n = A.shape[0]
    t = np.empty((n, 2))
    t[:, 0] = u
    t[:, 1] = x
    t2 = np.empty((2, n))
    t2[0] = v
    t2[1] = y
    return A + t @ t2
""",
    "copied": """
def f(A, B):
    return np.einsum("ik,kj->ij", A, B.T.copy())
""",
    "in place": """
def f(a, b, c):
    c = c.copy()
    t = a[1:] + a[:-1]
    t -= b[1:]
    t *= 0.5
    c[1:] = t
    return c
""",
}


def _summary(text: str) -> Summary:
    (read,) = read_c(text, "k.c")
    assert read.module is not None
    return summarise(functions(read.module)[0], nonempty=True)


def _formed(summary: Summary, offered: Sequence[str], costs: Costs, **sizes: int) -> list[Formed]:
    simplified = simplify(summary)
    programs = formed(simplified, derive(simplified), frozenset(offered), lambda p: cost_of(p, costs, sizes))
    return list(programs)


def _function(text: str) -> str:
    """Return the function of a module without its description."""
    lines = text.splitlines(keepends=True)
    start = next(k for k, line in enumerate(lines) if line.startswith("def "))
    return "".join(line for line in lines[start:] if '"""' not in line)


@pytest.mark.parametrize("form", _SOURCES)
def test_a_form_is_written_so_and_proved(form: str) -> None:
    summary, target = _summary(_SOURCES[form]), get_target("numpy")
    (found,) = _formed(summary, [form], target.costs)
    assert found.forms == (form,)
    emitted = target.emit(found.program)
    assert _function(emitted.text) == _PROGRAMS[form].lstrip()
    check(emitted.text, emitted.entry, summary, target, emitted.cuts)


@pytest.mark.parametrize("form", _SOURCES)
def test_a_form_that_changes_nothing_is_none(form: str) -> None:
    summary = _summary("void f(int n, double a[n], double b[n]) { for (int i = 0; i < n; i++) b[i] = 2 * a[i]; }")
    assert not _formed(summary, [form], Costs())


def test_forms_are_tried_on_top_of_cheaper_ones() -> None:
    summary = _summary(_SOURCES["stacked"])
    offered = ["in place", "stacked"]
    cheaper = _formed(summary, offered, Costs(cell=1.0, product=0.01, in_place=0.1))
    assert [found.forms for found in cheaper] == [("stacked",), ("stacked", "in place")]
    dearer = _formed(summary, offered, Costs(cell=1.0, product=10.0, in_place=0.1))
    assert [found.forms for found in dearer] == [("stacked",), ("in place",)]


@pytest.mark.parametrize("name", target_names())
def test_targets_offer_forms_that_exist(name: str) -> None:
    of_loops = {"skewed"}  # `comprehension.skewing`
    assert get_target(name).forms <= {*OF_DEFINITIONS, *OF_PROGRAMS, *of_loops}


def test_small_arrays_are_not_worth_more_operations() -> None:
    """The cost of starting operations decides at small sizes, that of cells at large ones."""
    summary, costs = _summary(_SOURCES["stacked"]), get_target("numpy").costs
    for n, is_cheaper in ((4, False), (2000, True)):
        (stacked,) = _formed(summary, ["stacked"], costs, n=n)
        assert (stacked.cost < cost_of(derive(simplify(summary)), costs, {"n": n})) is is_cheaper


@pytest.mark.parametrize(
    "statement",
    [
        "b[i] = (a[i] + 1) * (a[i] + 1)",  # one result, needed twice
        "b[i] = 1 - (a[i] + b[i])",  # not the first operand of what does not commute
        "b[i] = sqrt(a[i]) + a[i]",
        "b[i] += 2 * a[i] + 3",
        "a[i] = (a[i] + b[i]) * a[i]",
    ],
)
def test_results_in_place_are_proved(statement: str) -> None:
    head = "#include <math.h>\nvoid f(int n, double a[n], double b[n])"
    summary = _summary(f"{head} {{ for (int i = 0; i < n; i++) {statement}; }}")
    for name in ("numpy", "torch"):
        target = get_target(name)
        for found in _formed(summary, ["in place"], target.costs):
            emitted = target.emit(found.program)
            check(emitted.text, emitted.entry, summary, target, emitted.cuts)
