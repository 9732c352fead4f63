"""Calls with complex numbers: arrays are taken and changed in place, and complex numbers are given back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.calls.functions import escapes, expectation, shown, spectrum
from tests.calls.functions import scale_complex as scale

from tensorlift import LiftError, lift
from tensorlift.calls.errors import ArgumentTypeError

X = np.array([1 + 2j, 3 - 1j, 4, -2j])


def test_arrays_of_numpy_are_changed_in_place_and_results_are_complex() -> None:
    lifted, x = lift(scale), X.copy()
    part = x[::2]
    same, first, real = lifted(part, 2j)
    assert same is part
    assert type(first) is np.complex128
    np.testing.assert_array_equal(x, [X[0] * 2j, X[1], X[2] * 2j, X[3]])
    assert (first, real.dtype) == (X[0] * 2j * 1j, np.float64)
    lifted(part, 3)  # numbers may be real
    np.testing.assert_array_equal(part, X[::2] * 6j)
    np.testing.assert_allclose(lift(spectrum)(np.arange(3.0)), np.exp(1j * np.arange(3.0)), rtol=1e-15)


@pytest.mark.parametrize("arguments", [(np.ones(3), 1j), (X.astype("c8"), 1j), (X[:1], "a"), (X[0], 1j), (X, X)])
def test_what_is_no_complex_number_is_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ArgumentTypeError):
        lift(scale)(*arguments)


def test_a_call_tells_what_is_complex() -> None:
    lifted, h = lift(expectation, cache=False), np.arange(16.0).reshape(4, 4)
    for matrix in (h, h + 1j * h.T):
        for found, expected in zip(lifted(X, matrix), lifted.original(X, matrix), strict=True):
            np.testing.assert_allclose(found, expected)


def test_arrays_that_no_other_name_shows_are_bound_again() -> None:
    c = X[:, None] / 4 - X / 5
    lifted = lift(escapes, cache=False)
    assert lifted(c, 4).tolist() == lifted.original(c, 4).tolist()
    with pytest.raises(LiftError, match="is bound again"):
        lift(shown, cache=False)(X)


def test_tensors_are_changed_in_place_and_differentiated() -> None:
    torch = pytest.importorskip("torch")
    lifted, x = lift(scale, to="torch"), torch.tensor(X)
    same, _, _ = lifted(x[1:], 2j)
    np.testing.assert_array_equal(x.numpy(), [X[0], *(X[1:] * 2j)])
    np.testing.assert_array_equal(same.numpy(), X[1:] * 2j)
    t = torch.arange(3.0, dtype=torch.float64, requires_grad=True)
    lift(spectrum, to="torch")(t).imag.sum().backward()
    np.testing.assert_allclose(t.grad.numpy(), np.cos(np.arange(3.0)), rtol=1e-12)


def test_arrays_of_jax_are_traced_and_new_ones_returned() -> None:
    jax = pytest.importorskip("jax")
    lifted = lift(scale, to="jax")
    with jax.enable_x64(new_val=True):
        x, first, _ = jax.jit(lambda x: lifted(x, 2j))(jax.numpy.asarray(X))
    np.testing.assert_allclose(x, X * 2j)
    np.testing.assert_allclose(first, X[0] * 2j * 1j)
