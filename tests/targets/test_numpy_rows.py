"""Every row of the NumPy table means what NumPy does."""

from __future__ import annotations

import contextlib
import re
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.targets.sampling import NUMPY_TYPES, Library, Trial, try_row

from tensorlift.diagnostics import LiftError
from tensorlift.proofs.failure import CheckFailure
from tensorlift.targets import get_target, target_names
from tensorlift.targets.numpy import NUMBERS, ROWS, promote
from tensorlift.targets.target import Sample, by_spelling, row

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType

NUMPY = Library(
    get_target("numpy"),
    {"np": np, "sliding_window_view": np.lib.stride_tricks.sliding_window_view},
    give=lambda array: array[()],
    take=np.asarray,
    is_number=lambda value: isinstance(value, bool | int | float) and not isinstance(value, np.generic),
)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("spelling", sorted(ROWS))
def test_a_row_means_what_numpy_does(spelling: str) -> None:
    try_row(NUMPY, ROWS[spelling])


@pytest.mark.parametrize("spelling", sorted(ROWS))
def test_a_row_means_the_same_of_a_python_number(spelling: str) -> None:
    """Where a number stands for an operand, NumPy takes its type for that of the others, or for 64 bits with a sign."""
    for entry in ROWS[spelling].samples if spelling.startswith("np.") else ():
        for left_out in entry.operands if len(entry.operands) > 1 else ():
            for number, dtype in product(("3", "0.1"), ("u64", "f32")):
                text = re.sub(rf"\b{left_out}\b", number, entry.text)
                rest = {k: re.sub(r"^\w+", dtype, kind) for k, kind in entry.operands.items() if k != left_out}
                with contextlib.suppress(CheckFailure):  # many take arrays alone
                    trial = Trial(NUMPY, Sample(text, rest, entry.least), 0)
                    trial.compare(trial.run(trial.given))


@pytest.mark.parametrize("function", ["np.add.at", "np.maximum.at", "np.minimum.at"])
@pytest.mark.parametrize(("dtype", "number"), [("u64", "3"), ("f32", "0.1"), ("f32", "16777217")])
def test_cells_that_a_number_of_64_bits_changes_otherwise_are_folded_with_none(
    function: str, dtype: str, number: str
) -> None:
    entry = Sample(f"{function}(a, (b > 0).astype(int), {number})", {"a": f"{dtype}[n + 1]", "b": "f64[n]"})
    with pytest.raises(CheckFailure, match="a Python number has 64 bits and a sign here"):
        Trial(NUMPY, entry, 0)


def _attempts(spelling: str) -> list[str]:
    if spelling == "x[]":
        return ["a[0]", "k[()]", "a[k]"]
    if not spelling[0].isalpha() and spelling[0] != ".":
        return [spelling.replace("x", "k"), f"k {spelling} k", f"a {spelling} a"]
    if spelling[0] == ".":
        return [f"a{spelling}", f"a{spelling[:-1]}a)"]
    return [f"{spelling.removesuffix('()')}({given})" for given in ("a", "k", "a, a", "a[:, None]", "'i->', a")]


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
