"""Calls with arguments of types that are known go a quick way, which does what the long one does, or nothing."""

# mypy: allow-untyped-calls

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.calls import functions, functions_of_arrays

from tensorlift import LiftError, lift

if TYPE_CHECKING:
    from collections.abc import Callable

X, A = np.arange(1.0, 6.0), np.arange(12.0).reshape(3, 4)


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


# Functions with what they take, made anew of two arrays: the first makes the quick way, all others may go it.
CALLS: dict[Callable[..., Any], Callable[[Any, Any], list[tuple[Any, ...]]]] = {
    functions.smooth: lambda x, y: [
        (x, y),
        (x[:0], y[:0]),
        (x, y[:3]),
        (x[::2], y[:3]),
        (x, y.astype("f4")),
        (x, y[::-1]),
        (x, x),
        (x[:3], x[2:]),
        (x[::2], x[1::2]),
        (x, np.lib.stride_tricks.as_strided(y, (5,), (0,))),
        (x, _frozen(y.copy())),
        (x, A),
        (x.tolist(), y.tolist()),
    ],
    functions.gemm: lambda x, y: [
        (A, A.T.copy(), np.zeros((3, 3)), 2.0),
        (A, A.T, np.zeros((3, 3)), 2),
        (A, A, np.zeros((3, 3)), 2.0),
        (A, A.T, np.zeros((3, 3)), 2**60),
        (A, A.T, np.zeros((3, 3)), np.float32(0.5)),
        (A, A.T, np.zeros((3, 3)), True),
        (A, A.T, np.zeros((3, 3), order="F"), 1.5),
        (x, y, x),
    ],
    functions.shifted: lambda x, y: [(x, y), (x, x), (x, x[:]), (x, y[:4]), (x[:0], y[:0])],
    functions.several: lambda x, y: [(x,), (y,), (x[:0],), (x.astype("f4"),), (A,)],
    functions.is_rising: lambda x, y: [(x,), (y,), (x[::-1],), (np.array([1.0, np.nan]),)],
    functions.first: lambda x, y: [(x,), (x[:0],), (y.astype("f4"),), (x.astype("i8"),), (A.copy(),)],
    functions.thrice: lambda x, y: [(3,), (2**61,), (True,), (np.int8(40),), (x[0],), (y,)],
    functions.scaled: lambda x, y: [
        (x.astype("f4"), 0.1),
        (x.astype("f4"), np.float32(0.1)),
        (x.astype("f4"), 2),
        (y, 0.1),
    ],
    functions.gathered: lambda x, y: [
        (x, np.array([4, 0, 4])),
        (x, np.array([5])),
        (x, np.array([-1])),
        (x, np.zeros(0, int)),
        (x[:0], np.zeros(0, int)),
        (x, np.array([1], "u1")),
        (x, y),
    ],
    functions.scale_complex: lambda x, y: [(x + 1j * x, 2j), (x + 1j * x, 2), (x, 2j), (x + 1j * y, y)],
    functions.stretched: lambda x, y: [(2 + 1j, x), (2j, y), (2, x), (1j, x.astype("f4")), (x, y)],
    functions.spectrum: lambda x, y: [(x,), (y,), (x[:0],), (x + 1j,)],
    functions.halved: lambda x, y: [(x, 2), (x, 3), (x, 5), (y, 6), (x, 0), (x, -1), (x, 2.0)],
}


def _outcome(call: Callable[..., Any], function: Callable[..., Any], number: int) -> Any:
    """Give what a call returns, with its arguments afterwards, or what it raises."""
    arguments = CALLS[function](X.copy(), np.zeros(5))[number]
    try:
        returned = call(*arguments)
    except LiftError as error:
        return type(error), str(error)
    return [(type(v), getattr(v, "dtype", None), repr(np.asarray(v).tolist())) for v in (*arguments, *_items(returned))]


def _items(returned: Any) -> tuple[Any, ...]:
    return returned if isinstance(returned, tuple) else (returned,)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_a_quick_way_gives_what_the_long_one_gives(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lifted, numbers = lift(function), range(len(CALLS[function](X, X)))
    quick, long = lift(function), [_outcome(lifted._checked_call, function, number) for number in numbers]
    assert [_outcome(quick, function, number) for number in (0, *numbers)] == [long[0], *long]
    monkeypatch.setattr(quick, "_checked_call", None)
    assert _outcome(quick, function, 0) == long[0]  # by the quick way


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_arrays_of_libraries_go_quick_ways_too(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip(library)
    make = module.numpy.asarray if library == "jax" else module.tensor
    lifted = lift(functions_of_arrays.grown, to=library)
    x = X.astype("f4")
    long = lifted(2.0, make(x))
    with pytest.raises(LiftError):
        lifted("2", make(x))
    monkeypatch.setattr(lifted, "_checked_call", None)
    assert str(lifted(2.0, make(x))) == str(long)
    with pytest.raises(TypeError, match="not callable"):  # each of these goes the long way
        lifted(np.float64(2.0), make(x))
    with pytest.raises(TypeError, match="not callable"):
        lifted(2.0, x)
    if library == "torch":
        with pytest.raises(TypeError, match="not callable"):
            lifted(2.0, module.tensor(x, requires_grad=True))
        with pytest.raises(TypeError, match="not callable"):
            lifted(2.0, module.zeros(1).expand(5))


def test_what_names_of_other_scopes_mean_is_looked_up_on_the_quick_way(monkeypatch: pytest.MonkeyPatch) -> None:
    lifted, x, y = lift(functions.shifted), np.ones(2), np.zeros(2)
    for shift in (3, 3, 5, 5, 3):
        monkeypatch.setattr(functions, "SHIFT", shift)
        assert lifted(x, y).tolist() == functions.shifted(x, y.copy()).tolist()


def test_many_kinds_of_arguments_are_all_quick() -> None:
    lifted = lift(functions.total)
    arrays = [X.astype(kind) for kind in ("f8", "f4", "i8", "i4", "u1", "?")]
    expected = [functions.total(array) for array in arrays]
    for _ in range(3):
        assert [lifted(array) for array in arrays] == expected


def test_a_quick_way_binds_as_the_function_does() -> None:
    lifted = lift(functions.gemm)
    c, d = np.zeros((3, 3)), np.zeros((3, 3))
    lifted(A, A.T, c)
    lifted(A, C=d, B=A.T, alpha=2.0)
    assert c.tolist() == d.tolist()
    with pytest.raises(TypeError, match=r"gemm\(\) got an unexpected keyword argument 'D'"):
        lifted(A, A.T, D=d)
