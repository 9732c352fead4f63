"""An allowance ends questions about sets that take too long, and those alone."""

from __future__ import annotations

import pytest

from tensorlift import restricted
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly import isl
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, at_least, equal, less
from tensorlift.poly.isl import TooManyPartsError
from tensorlift.poly.variables import extreme_of
from tensorlift.record import Level
from tensorlift.source import source_from_text


def is_inside(addends: int) -> bool:
    """Tell whether a sum of so many or more has an addend of one or more."""
    names = [f"x{k}" for k in range(addends)]
    total = sum((Affine.var(name) for name in names), Affine(0))
    return Domain.of(at_least(total, addends)).is_subset(Domain.union(Domain.of(at_least(n, 1)) for n in names))


def test_a_question_beyond_its_allowance_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isl, "_OPERATIONS", 100)
    with pytest.raises(TooManyPartsError, match="TL291"):
        is_inside(12)


def test_each_question_has_an_allowance_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as small:
        small.setattr(isl, "_OPERATIONS", 100)
        with pytest.raises(TooManyPartsError):
            is_inside(13)
    assert all(is_inside(addends) for addends in range(2, 40))


def test_all_questions_together_have_an_allowance_where_it_is_given() -> None:
    with isl.together(2_000) as allowance:
        assert not allowance.is_spent
        assert is_inside(4)
        rest = allowance.left
        assert rest < 2_000  # so isl's count is found in its context
        with isl.together(100), pytest.raises(TooManyPartsError):
            is_inside(9)
        assert rest - 200 < allowance.left < rest
        with pytest.raises(TooManyPartsError):
            [is_inside(addends) for addends in range(5, 40)]
        assert allowance.is_spent
    assert is_inside(40)


def test_each_function_has_an_allowance_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < i; j += 3) if ((2 * i + j) % 7 < 3) a[i][j] += a[j][i];"
    texts = [f"void f(int n, double a[n][n]) {{ {body * 3} }}", "void g(int n, double a[n]) { a[0] = 1; }"]
    monkeypatch.setattr(isl, "_TOGETHER", 10_000)
    record = lift_source(source_from_text("\n".join(texts), "f.c"), LiftOptions())
    spent, lifted = record.functions
    assert [(d.code, d.location.line) for d in spent.diagnostics if d.location] == [("TL291", 1)]
    assert lifted.lifted
    assert lifted.definitions is Level.PROVED


def test_an_end_that_takes_too_long_to_find_is_none() -> None:
    left = Affine.var("i", 31) + Affine.var("j", 17) + Affine.var("k", 7)
    box = [c for name in "ijk" for c in (at_least(name, 0), less(name, f"n_{name}"))]
    points = Domain.of(equal(left, Affine.var("r", 101) + 3), *box).project_out("r", "j", "k")
    with pytest.raises(NotAffine, match="the least i of"):
        extreme_of(points, "i", maximum=False)


@pytest.mark.parametrize(
    "cell", ["((i * 3 + j) * 100003) % 1000", "(i * 31 + j * 17) % 101 == 3", "(i * 3 + j) / 1001 % 2"]
)
def test_what_is_done_about_remainders_of_large_numbers_ends(cell: str) -> None:
    text = "void f(long n, long m, _Bool o[n][m]) {\n"
    text += f"  for (long i = 0; i < n; i++) for (long j = 0; j < m; j++) o[i][j] = {cell};\n}}\n"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert function.lifted or {d.code for d in function.diagnostics} == {"TL304"}


def test_many_arrays_restrict_no_program_where_each_has_the_cells_that_loops_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(restricted, "_OPERATIONS", 20_000)
    names = [f"a{number}" for number in range(8)]
    text = f"def f(n: int, {', '.join(names)}):\n    for i in range(1, n - 1):\n"
    text += "".join(f"        {name}[i] = {name}[i - 1] + {name}[i + 1]\n" for name in names)
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert function.lifted
    assert not function.restricted
