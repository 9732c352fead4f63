"""Types of live functions: told by annotations of all kinds, by names that stand for them, by use and by calls."""

# mypy: allow-untyped-calls

from __future__ import annotations

import numpy as np
import pytest
from tests.calls import functions_of_types as functions

from tensorlift import ArgumentTypeError, lift

X = np.arange(1.0, 5.0)


def test_names_stand_for_annotations() -> None:
    lifted = lift(functions.named)
    assert lifted(X, X.astype("f4"), 2).tolist() == functions.named(X, X.astype("f4"), 2).tolist()
    with pytest.raises(ArgumentTypeError, match="`y` is a float64 array of 1 dimension, but the function"):
        lifted(X, X, 2)


def test_annotations_of_jaxtyping_are_read() -> None:
    pytest.importorskip("jaxtyping")
    lifted, matrix = lift(functions.of_jaxtyping), np.ones((4, 4), np.float32)
    for kind in ("f4", "f8"):  # ``Float`` is any type of floats
        x = X.astype(kind)
        found, expected = lifted(x, matrix, np.array([3, 0])), functions.of_jaxtyping(x, matrix, np.array([3, 0]))
        assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
    with pytest.raises(ArgumentTypeError, match=r"`A` is a float64 array of 2 dimensions, but .* float32\[:, :\]"):
        lifted(X, matrix.astype("f8"), np.array([3, 0]))


def test_places_need_no_annotation() -> None:
    lifted = lift(functions.scattered)
    assert (lifted.verdict, lifted.level) == ("loop-free", "proved")
    x, y = X.copy(), X.copy()
    lifted(x, np.array([3, 3, 0]), X[:3])
    functions.scattered(y, np.array([3, 3, 0]), X[:3])
    assert x.tolist() == y.tolist()


@pytest.mark.parametrize(("labels", "message"), [([0, 3], "labels < n"), ([-1], "0 <= labels")])
def test_places_of_arrays_that_the_function_makes_are_checked(labels: list[int], message: str) -> None:
    lifted = lift(functions.counted)
    assert lifted(np.array([0, 2, 2, 1]), 3).tolist() == [1, 1, 2]
    with pytest.raises(ValueError, match=message):
        lifted(np.array(labels), 3)


def test_the_type_of_floats_that_nobody_tells_may_be_given() -> None:
    for dtype in ("float32", np.float32, np.dtype("f4")):
        lifted = lift(functions.scattered, dtype=dtype)
        assert {one.name: one.dtype for one in lifted.record.parameters}["x"] == "float32"
    for wrong in ("float31", "int64", 3, object()):
        with pytest.raises(ArgumentTypeError, match=r"(?s)which is no type of floats .* float64, float32"):
            lift(functions.scattered, dtype=wrong)
