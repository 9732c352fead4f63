"""``@lift`` to the other array libraries: the function takes and gives what the original does, arrays of NumPy too."""

# mypy: allow-untyped-calls

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from bench.fuzz_python import lift_seed
from tests.calls import functions
from tests.shared import sampled

from tensorlift import ArgumentTypeError, LiftError, lift

_LIBRARIES = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(name) is None, reason=f"{name} is not installed"))
    for name in ("jax", "torch")
]


@pytest.mark.parametrize("library", _LIBRARIES)
def test_arrays_are_written_in_place_and_checked(library: str) -> None:
    lifted, c = lift(functions.gemm, to=library), np.zeros((2, 4))
    assert lifted.target == library
    assert library in lifted.source
    assert lifted(np.ones((2, 3)), np.ones((3, 4)), c) is None
    assert c.tolist() == [[6.0] * 4] * 2
    with pytest.raises(ArgumentTypeError, match="`C` is a float32 array"):
        lifted(np.ones((2, 3)), np.ones((3, 4)), c.astype(np.float32))


@pytest.mark.parametrize("library", _LIBRARIES)
def test_numbers_lists_and_truth_values_come_back_as_python_gives_them(library: str) -> None:
    x = np.array([2.0, 3.0, 5.0])
    found, expected = lift(functions.several, to=library)(x), functions.several(x)
    assert found[0].tolist() == expected[0].tolist()
    assert isinstance(found[0], np.ndarray)
    assert found[1:] == expected[1:]
    assert [type(item) for item in found] == [type(item) for item in expected]
    assert lift(functions.is_rising, to=library)(x) is True
    nested = [[1.0, 2.0], [3.0, 4.0]]
    lift(functions.scale_rows, to=library)(nested, [2.0, 0.5])
    assert nested == [[2.0, 4.0], [1.5, 2.0]]


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_what_is_refused_is_refused_with_its_line_for_every_library(library: str) -> None:
    with pytest.raises(LiftError, match=r"the loop bound depends on data \[TL122\]"):
        lift(functions.halve_until_one, to=library)


@pytest.mark.parametrize("library", _LIBRARIES)
def test_no_random_function_has_a_fault(library: str) -> None:
    outcomes = {seed: lift_seed(seed, library) for seed in range(sampled(3, 6))}
    assert {seed: outcome for seed, outcome in outcomes.items() if outcome.fault} == {}
