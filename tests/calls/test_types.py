"""Types of live functions: told by annotations of all kinds, by names that stand for them, by use and by calls."""

# mypy: allow-untyped-calls

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.calls import functions_of_types as functions

from tensorlift import ArgumentTypeError, LiftError, lift

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


def _found(call: Any, *arguments: Any, **named: Any) -> Any:
    given = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)
    found = call(*given, **named)
    return [(str(getattr(v, "dtype", type(v))), np.asarray(v).tolist()) for v in (found, *given)]


def test_types_that_are_passed_are_those_of_the_function() -> None:
    lifted = lift(functions.filled)
    assert (lifted.verdict, lifted.record.outputs[0].dtype) == ("loop-free", "float64")
    for dtype in (np.float32, "int64", np.dtype("i4"), float, int, np.float64):
        assert _found(lifted, 3, dtype) == _found(functions.filled, 3, dtype)
    assert _found(lifted, 3) == _found(lifted, 3, dtype=np.float64)
    with pytest.raises(LiftError, match="the element type `dtype` is not lifted"):
        lifted(3, np.longdouble)
    with pytest.raises(LiftError, match="`n` is no variable of the function"):
        lifted(np.float32)
    with pytest.raises(ArgumentTypeError, match="`n` is an object of type type"):
        lift(functions.named)(X, X.astype("f4"), np.float32)
    lifted = lift(functions.converted)
    for dtype in (np.float32, float, np.float32):
        assert _found(lifted, X, dtype, k=2) == _found(functions.converted, X, dtype, k=2)
    assert _found(lift(functions.of_global_type), X) == _found(functions.of_global_type, X)


def test_types_go_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    lifted = lift(functions.filled)
    expected = [lifted(3, dtype).tolist() for dtype in (np.float32, int)]
    monkeypatch.setattr(lifted, "_checked_call", None)
    assert [lifted(3, dtype).tolist() for dtype in (np.float32, int)] == expected
    with pytest.raises(TypeError, match="not callable"):
        lifted(3, np.int32)


@pytest.mark.parametrize("function", [functions.polynomial, functions.grown])
def test_functions_take_complex_numbers_without_annotations(function: Any) -> None:
    lifted, z = lift(function), np.array([1 + 2j, 3 - 1j, 0.5])
    for arguments in (X, 2.0), (z, 2j), (z, 2.0), (z.astype("c8"), 0.5), (z.astype("c8"), np.complex64(2j)), (X, 2.0):
        assert _found(lifted, *arguments) == _found(function, *arguments)
    for wrong in ((X, 2j), (z, "a")):
        with pytest.raises(LiftError):
            lifted(*wrong)


def test_complex_numbers_of_libraries_need_no_annotation() -> None:
    torch = pytest.importorskip("torch")
    z = torch.tensor([1 + 2j, 3 - 1j])
    lift(functions.grown, to="torch")(z, 2j)
    assert z.tolist() == [-4 + 2j, 2 + 6j]


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_halves_are_computed_in_their_type(target: str) -> None:
    pytest.importorskip(target)
    half = X.astype(np.float16)
    lifted = lift(functions.grown, to=target)
    assert _found(lifted, half, 2.0) == _found(functions.grown, half, 2.0)
    brain = X.astype(pytest.importorskip("ml_dtypes").bfloat16)
    if target == "numpy":
        with pytest.raises(LiftError, match="NumPy does not compute in the type bf16"):
            lifted(brain, 2.0)
    else:
        assert _found(lifted, brain, 2.0) == _found(functions.grown, brain, 2.0)


def test_floats_of_python_that_jax_traces_are_refused_beside_halves() -> None:
    jax = pytest.importorskip("jax")
    lifted, half = lift(functions.polynomial, to="jax"), jax.numpy.ones(3, "float16")
    with jax.enable_x64(new_val=False):
        assert lifted(half, 0.5).dtype == functions.polynomial(half, 0.5).dtype == np.float16
        with pytest.raises(
            ArgumentTypeError, match="is a float of Python as an array of JAX, beside arrays of 16 bits"
        ):
            jax.jit(lifted)(half, 0.5)


def test_means_of_halves_are_computed_in_single_precision() -> None:
    many = np.full(3000, 100, np.float16)  # whose sum is beyond the largest
    assert lift(functions.averaged)(many) == functions.averaged(many) == 100


@pytest.mark.parametrize(
    ("function", "types", "refused"),
    [
        (functions.powers, ("f8", "f4", "f2", "i1", "i8"), {"?": "a power of a truth value of NumPy"}),
        (functions.power_by_a_number_of_numpy, ("f8", "f4", "i1", "i8"), {}),
        (functions.written, ("f8", "i8"), {"f4": "an array of numbers of Python and of numbers that are float32"}),
        (functions.written_as_single, ("f8", "f4"), {}),
        (functions.rounded, ("f8", "f4"), {"i4": "rounding of integers, which NumPy gives as floats or not"}),
    ],
)
def test_what_is_computed_is_of_the_type_of_numpy(function: Any, types: tuple[str, ...], refused: Any) -> None:
    lifted = lift(function)
    for dtype in types:
        found, expected = lifted(X.astype(dtype)), function(X.astype(dtype))
        for one, other in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, expected)), strict=True):
            assert (np.asarray(one).dtype, np.asarray(one).tolist()) == (other.dtype, other.tolist())
    for dtype, message in refused.items():
        with pytest.raises(LiftError, match=message):
            lifted(X.astype(dtype))
