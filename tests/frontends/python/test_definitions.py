"""Definitions of functions of NumPy, run as Python, are what NumPy computes, types included; help of refusals helps."""

from __future__ import annotations

import ast
import copy
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.frontends.python.defining import Given
from tensorlift.frontends.python.definitions import FUNCTIONS, NAMED_BY_ARGUMENTS, call_of, definition
from tensorlift.frontends.python.masked import REDUCED
from tensorlift.frontends.python.places import STORING, entries_of
from tensorlift.frontends.python.scalars import DTYPES
from tensorlift.frontends.python.shapes import grouped
from tensorlift.frontends.python.syntax import only_slices
from tensorlift.languages.python import read_python
from tensorlift.poly.polynomial import Polynomial

if TYPE_CHECKING:
    from collections.abc import Mapping

_RNG = np.random.default_rng(5)
_X = _RNG.integers(-3, 4, 7) / 2
_NAMES: dict[str, Any] = {
    "x": _X,
    "y": _X[::-1] + 1,
    "z": np.zeros(0),
    "f": _X.astype(np.float32),
    "i": _RNG.integers(-3, 4, 7, dtype=np.int32),
    "u": _RNG.integers(0, 4, 7).astype(np.uint8),
    "h": np.full(7, 100, np.int8),
    "t": _X > 0,
    "A": _RNG.integers(-3, 4, (3, 4)) / 2,
    "B": _RNG.integers(-3, 4, (4, 2)) / 2,
    "I": _RNG.integers(-3, 4, (3, 4)),
    "T": _RNG.integers(-3, 4, (2, 3, 4)) / 2,
    "w": np.round(np.arange(40) * 0.1, 1) % 1.3,
    "g": np.array([1.0, np.nan, -2.5, np.nan]),
    "G": np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, np.nan], [4.0, 5.0, 0.5]]),
    "k": 2,
    "a": 1.5,
    "np": np,
}
_CUBE = np.arange(60).reshape(5, 3, 4)
_CALLS = [
    *("flip(x)", "flip(A)", "flip(A, 1)", "flip(T, axis=-2)", "fliplr(A)", "flipud(I)", "flip(z)"),
    *("roll(x, 1)", "roll(x, -k)", "roll(x, 9)", "roll(z, 1)", "roll(A, k, axis=1)", "roll(I, -1, 0)", "roll(t, 1)"),
    *("take(x, u)", "take(A, u % 3, axis=0)", "take(T, I % 2, axis=0)", "take(I, u, axis=1)"),
    *("append(x, a)", "append(i, u)", "append(k, x)", "append(z, z)"),
    *("diff(x)", "diff(x, 2)", "diff(i)", "diff(t)", "diff(A)", "diff(A, axis=0)", "diff(x, n=0)"),
    *("concatenate((x, y))", "concatenate([x, i, f])", "concatenate((A, I), axis=1)", "concatenate((z, x))"),
    *("stack((x, y))", "stack([x, i, x], axis=1)", "stack((A, A), axis=-1)", "stack((A, I), 1)", "stack([f, f])"),
    *("hstack((x, i))", "hstack((A, A))", "vstack((x, y))", "vstack((A, I))", "column_stack((x, u))"),
    *("linspace(0, 1, 5)", "linspace(a, k)", "linspace(k, a, 4, endpoint=False)", "linspace(0, 1, num=1)"),
    *("linspace(0, 1)", "linspace(np.uint8(5), np.uint8(2), 4)"),
    *("argmin(x)", "argmax(i)", "argmax(t)", "argmin(A, axis=0)", "argmax(T, axis=1)", "argmax(I, axis=-1)"),
    *("cumsum(x)", "cumsum(i)", "cumsum(t)", "cumsum(z)", "cumsum(f)", "cumsum(A, axis=0)", "cumprod(u)"),
    *("linalg.norm(x)", "linalg.norm(A)", "linalg.norm(I, axis=1)", "linalg.norm(x, 1)", "linalg.norm(i, np.inf)"),
    *("linalg.norm(A, axis=0, keepdims=True)", "linalg.norm(f)", "linalg.norm(x, ord=-np.inf)", "linalg.norm(x, 0)"),
    *("linalg.norm(A, keepdims=True)", "linalg.norm(x, 1, keepdims=True)", "linalg.norm(f, 0)", "linalg.norm(i, 0)"),
    *("einsum('ij,jk->ik', A, B)", "einsum('ij,jk', A, B)", "einsum('i,i->', x, y)", "einsum('ij->ji', I)"),
    *("einsum('bij,jk->bik', T, B)", "einsum('i,j->ij', f, f)", "einsum('ij->j', I)", "einsum('aij->', T)"),
    *("histogram(x, bins=4, range=(-1.0, 1.5))", "histogram(A)", "histogram(u, 5)", "histogram(i, range=(0, k))"),
    *("histogram(w)", "histogram(w, 7, (0, 0.7))", "histogram(x - x, k)", "histogram(x, k, (1, 1))"),
    *("einsum('ij', A)", "einsum('abc->cba', T)", "einsum('i,i,i->', h, h, i)", "einsum('i,i->i', h, x)"),
    *("nansum(g)", "nanmean(g)", "nanmean(G, axis=1)", "nanstd(G, axis=0)", "nanvar(g)", "nansum(i)", "nanmax(g)"),
    *("nanmin(G, axis=0)", "nanmax(g * np.nan)", "nanmax(G, 1, keepdims=True)", "nanmean(f)", "nanvar(f)"),
    *("ptp(x)", "ptp(u)", "ptp(A, axis=1)", "average(x, weights=u)", "average(I, 0, u[:3] + 1)", "average(A)"),
    *("average(A, axis=1, weights=np.arange(4.0))", "average(f, weights=f)", "cov(A)", "cov(x, y)", "corrcoef(A)"),
    *("cov(A, rowvar=False)", "corrcoef(x, y)", "trapezoid(x)", "trapezoid(y, x)", "trapezoid(A, dx=a, axis=0)"),
    *("trapezoid(A, np.arange(3.0), axis=0)", "gradient(x)", "gradient(i, k)", "gradient(A, a, axis=1)", "gradient(f)"),
    *("polyval(x, a)", "polyval(y, A)", "polyval(u, k)", "logaddexp(x, y)", "heaviside(x, a)", "heaviside(f, f)"),
    *("isclose(x, y)", "allclose(x, x)", "isclose(A, 0.5, atol=1.0)", "logical_xor(t, x)", "ediff1d(i)"),
    *("convolve(x, y)", "convolve(x, i[:3], 'same')", "convolve(x, y[:4], mode='same')", "convolve(i, u, 'valid')"),
    *("correlate(x, y[:3])", "correlate(x, y[:2], 'same')", "correlate(f, f, mode='full')", "convolve(x, f[:1])"),
    *("pad(x, 2)", "pad(A, ((1, 0), (2, k)), constant_values=7)", "pad(x, (1, 3), 'edge')", "pad(I, 1, mode='wrap')"),
    *("pad(A, 2, 'reflect')", "pad(A, (1, 2), mode='edge')", "tril(A)", "triu(I, 1)", "tril(T, k=-1)", "triu(A, -k)"),
    *("cross(A[:, :3], T[0, :, 1:])", "cross(x[:3], y[:3])", "cross(A[:, 1:], x[:3])", "cross(i[:3], u[:3])"),
    *("rot90(A)", "rot90(I, 2)", "rot90(A, k=-1)", "expand_dims(A, 1)"),
    *("expand_dims(x, -1)", "logspace(0, 1, 5)", "logspace(a, k)", "maximum.accumulate(x)", "add.accumulate(A)"),
    *("minimum.accumulate(I, axis=1)", "multiply.outer(x, i)", "subtract.outer(f, x)", "add.reduce(A)"),
    *(
        "maximum.reduce(x)",
        "minimum.reduce(A, axis=None)",
        "add.outer(x, u)",
    ),
    *("multiply.accumulate(i)", "multiply.reduce(x)", "divide.outer(y, i[:3] + 4)"),
    *("bincount(u, minlength=4)", "bincount(u, x, minlength=4)", "bincount(u, weights=i, minlength=5)"),
]
_NAMED_OTHERWISE = {"trapz", *NAMED_BY_ARGUMENTS.values()}  # of a NumPy that was, and told by the number of arguments


def _given(value: Any) -> Given:
    own = np.asarray(value)
    return Given(own.ndim, DTYPES[own.dtype.name])


def _computed(text: str, named: Mapping[str, Any] = _NAMES) -> tuple[Any, dict[str, Any]]:
    """Compute a call by the definition of its function; give the values of its arguments, too."""
    node = ast.parse(f"np.{text}", mode="eval").body
    assert isinstance(node, ast.Call)
    name = text.partition("(")[0]
    call = call_of(name, node)
    values = {parameter: eval(ast.unparse(value), dict(named)) for parameter, value in call.values.items()}
    function = definition(name, {parameter: _given(value) for parameter, value in values.items()}, call.stated)
    names: dict[str, Any] = {"np": np}
    exec(ast.unparse(function).replace(f"def np.{name}", "def f"), names)
    return names["f"](**values), values


@pytest.mark.parametrize("text", _CALLS)
def test_a_definition_computes_what_numpy_does(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, values = _computed(text)
        expected = eval(f"np.{text}", dict(_NAMES))
    parts = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for one, other in parts:
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(
            one, other, rtol=1e-6 if np.asarray(other).dtype == np.float32 else 1e-14, atol=1e-15
        )
        for value in values.values():
            assert np.shares_memory(one, value) is np.shares_memory(other, value)


@pytest.mark.parametrize(
    "text",
    [
        *("add.at(x, u, y[:7])", "subtract.at(A, (u % 3, u), 1.5)", "multiply.at(I, u % 3, 2)", "add.at(x, I + 3, A)"),
        *("maximum.at(i, u, 1)", "minimum.at(A, (0, u), x)", "add.at(A, u % 3, A[0])"),
    ],
)
def test_what_is_updated_at_places_is_what_numpy_updates(text: str) -> None:
    mine, others = copy.deepcopy(_NAMES | {"np": 0}), copy.deepcopy(_NAMES | {"np": 0})
    _computed(text, mine | {"np": np})
    eval(f"np.{text}", others | {"np": np})
    for name, value in mine.items():
        np.testing.assert_array_equal(value, others[name])


@pytest.mark.parametrize(
    "text", ["x[I + 3]", "A[u % 3, i]", "T[:, i % 3, u]", "T[1, u % 3]", "I[u % 3, ::2]", "T[..., 0, u]"]
)
@pytest.mark.parametrize("value", [None, "1", "x", "i"])
def test_a_subscript_at_places_is_what_numpy_has(text: str, value: str | None) -> None:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Subscript)
    names = copy.deepcopy(_NAMES | {"np": 0})
    array = names[ast.unparse(node.value)]
    entries, sliced = only_slices(node, array.ndim)
    own = entries_of(entries)
    places = {e: eval(ast.unparse(i), names) for e, i in zip(own, entries, strict=True) if i is not None}
    given = {"a": array if sliced is None else eval(ast.unparse(sliced), names), **places}
    part = eval(text, names)
    if value is not None:
        given["v"] = np.resize(eval(value, names), part.shape)[()]
    name, found = "a[k]" if value is None else "a[k] = v", dict[str, Any]({"np": np})
    function = definition(name, {parameter: _given(one) for parameter, one in given.items()}, {"entries": own})
    expected = array.copy()
    exec(ast.unparse(function).replace(f"def np.{name}", "def f"), found)
    result = found["f"](**given)
    if value is None:
        assert np.array_equal(result, part)
        assert result.dtype == part.dtype
    else:
        index = ast.unparse(node).partition("[")[2]
        exec(f"a[{index} = v", names | {"a": expected, "v": given["v"]})
        assert np.array_equal(array, expected)


@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.parametrize("text", ["x[t]", "f[x > 0]", "A[A > 0]", "T[t[:2]]", "i[t]", "x[x > 9]"])
def test_what_is_reduced_under_a_mask_is_what_numpy_reduces(name: str, text: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Subscript)
    given = {"a": eval(ast.unparse(node.value), dict(_NAMES)), "m": eval(ast.unparse(node.slice), dict(_NAMES))}
    kinds = {parameter: _given(value) for parameter, value in given.items()}
    part = given["a"][given["m"]]
    if name in {"max", "min"} and (not part.size or part.dtype.kind == "i"):
        return
    names: dict[str, Any] = {"np": np}
    function = definition(f"{name} under a mask", kinds, {})
    exec(ast.unparse(function).replace(f"def np.{name} under a mask", "def f"), names)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = names["f"](**given), len(part) if name == "len" else getattr(np, name)(part)
    np.testing.assert_allclose(found, expected, rtol=1e-6 if part.dtype == np.float32 else 1e-14)
    assert np.asarray(found).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize(
    ("array", "target"),
    [
        *((_X[:6], shape) for shape in ((-1,), (6,), (-1, 3), (3, 2), (2, -1, 1), (1, -1, 3), (6, 1))),
        *((_CUBE, shape) for shape in ((5, 3, 4), (5, 3, 2, 2), (-1, 3, 4), (5, 1, 3, 4, 1), (5, 3, 1, -1, 2))),
        (_X[None, :4, None], (-1, 2)),
    ],
)
def test_an_array_in_another_shape_is_what_numpy_has(array: Any, target: tuple[int, ...]) -> None:
    symbols = [Polynomial.constant(1) if n == 1 else Polynomial.variable(f"n{n}") for n in array.shape]
    named = dict(zip(array.shape, symbols, strict=True))
    groups = grouped(symbols, [None if n == -1 else named.get(n, Polynomial.constant(n)) for n in target])
    if groups is None:  # an axis is split into one that is not the rest, and one
        assert target == (2, -1, 1)
        return
    names: dict[str, Any] = {"np": np}
    function = definition("reshape", {"a": _given(array)}, {"groups": tuple(groups)})
    exec(ast.unparse(function).replace("def np.reshape", "def f"), names)
    assert np.array_equal(names["f"](array), array.reshape(target))


def test_the_last_number_of_a_space_is_the_one_that_is_stated() -> None:
    found, _ = _computed("linspace(0, 1, 50)")
    assert np.array_equal(found, np.linspace(0, 1, 50))
    (_, edges), _ = _computed("histogram(x, 49, (0, 1))")
    assert np.array_equal(edges, np.linspace(0, 1, 50))


def test_each_definition_is_tested() -> None:
    assert {text.partition("(")[0] for text in _CALLS} == FUNCTIONS.keys() - STORING - _NAMED_OTHERWISE


@pytest.mark.parametrize(
    ("text", "helped"),
    [
        ("np.argmin(A)", "np.argmin(A, axis=0)"),
        ("np.roll(A, 1)", "np.roll(A, 1, axis=0)"),
        ("np.cumsum(A, axis=2)", "np.cumsum(A, axis=1)"),
        ("np.bincount(i)", "np.bincount(i, minlength=k)"),
        ("np.stack(A)", "np.stack((A, A))"),
        ("np.histogram(x, 3, density=True)[0]", "np.histogram(x, 3)[0]"),
        ("np.roll(x, (1, 2))", "np.roll(x, 1)"),
        ("np.concatenate((x, A))", "np.concatenate((x, x))"),
        ("np.einsum('ij,jk', A, x)", "np.einsum('ij,j', A, x)"),
        ("np.linalg.norm(A, 2)", "np.linalg.norm(A)"),
        ("np.einsum('ii->i', A)", "np.einsum('ij->ji', A)"),
        ("np.linspace(0, 1, k, dtype=int)", "np.linspace(0, 1, k)"),
        ("np.diff(x, k)", "np.diff(x, 2)"),
    ],
)
def test_what_helps_lifts(text: str, helped: str) -> None:
    head = "import numpy as np\ndef f(x: 'float64[:]', i: 'int64[:]', A: 'float64[:, :]', k: int):\n    return "
    (refused,) = read_python(f"{head}{text}\n", "k.py", function="f")
    assert refused.diagnostics[0].code == "TL187"
    assert len(refused.diagnostics[0].remedy) > 10
    (read,) = read_python(f"{head}{helped}\n", "k.py", function="f")
    assert read.module is not None, read.diagnostics
