"""Every row of the NumPy table means what NumPy does."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.targets.sampling import NUMPY_TYPES, Library, try_row

from tensorlift.diagnostics import LiftError
from tensorlift.targets import get_target, target_names
from tensorlift.targets.numpy import NUMBERS, ROWS, promote
from tensorlift.targets.target import by_spelling, row

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType

NUMPY = Library(
    get_target("numpy"),
    {"np": np, "sliding_window_view": np.lib.stride_tricks.sliding_window_view},
    give=lambda array: array[()],
    take=np.asarray,
    is_number=lambda value: isinstance(value, bool | int | float) and not isinstance(value, np.generic),
)


@pytest.mark.parametrize("spelling", sorted(ROWS))
def test_a_row_means_what_numpy_does(spelling: str) -> None:
    try_row(NUMPY, ROWS[spelling])


def _attempts(spelling: str) -> list[str]:
    if spelling == "x[]":
        return ["a[0]", "k[()]", "a[k]"]
    if not spelling[0].isalpha() and spelling[0] != ".":
        return [spelling.replace("x", "k"), f"k {spelling} k", f"a {spelling} a"]
    if spelling[0] == ".":
        return [f"a{spelling}", f"a{spelling[:-1]}a)"]
    return [f"{spelling}({given})" for given in ("a", "k", "a, a", "a[:, None]", "'i->', a")]


@pytest.mark.parametrize("spelling", sorted(NUMBERS))
def test_a_number_is_none_that_anybody_can_write(spelling: str) -> None:
    names = {"np": np, "a": np.array([1, 2, 3]), "k": np.array(2)}
    found = []
    for text in _attempts(spelling):
        with contextlib.suppress(ValueError, TypeError, SyntaxError):
            found.append(eval(text, names))
    assert found
    assert not any(isinstance(value, np.ndarray) for value in found if not np.ndim(value))


@pytest.mark.parametrize("left", sorted(NUMPY_TYPES))
@pytest.mark.parametrize("right", sorted(NUMPY_TYPES))
def test_types_promote_as_in_numpy(left: DType, right: DType) -> None:
    assert NUMPY_TYPES[promote(left, right)] == np.promote_types(NUMPY_TYPES[left], NUMPY_TYPES[right])


def test_a_target_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(LiftError) as caught:
        get_target("fortran")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "TL502"
    assert all(name in diagnostic.remedy for name in target_names())


def test_a_row_that_nothing_tests_or_that_stands_twice_is_refused() -> None:
    meaning = ROWS["np.exp"].meaning
    with pytest.raises(ValueError, match="no sample"):
        row("np.name", meaning)
    with pytest.raises(ValueError, match="twice"):
        by_spelling([ROWS["np.exp"], row("np.exp", meaning, "np.exp(a)", name="other", a="f64[n]")])
