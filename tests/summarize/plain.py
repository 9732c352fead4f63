"""A second opinion: evaluates a summary cell by cell on Python numbers and compares with the loop IR's interpreter."""

from __future__ import annotations

import itertools
import math
import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import islpy as isl
import numpy as np

from tensorlift.comprehension.definition import Definition, KeptLoop, Summary
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.ir.interpreter import Interpreter, InterpreterError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ops.dtypes import is_float, is_integer, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.ir import Operation

    from tensorlift.poly.affine import Affine
    from tensorlift.poly.domain import Domain

_PARAM = isl.dim_type.param


def _tdiv(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _fmax(a: float, b: float) -> float:
    return a if math.isnan(b) or a > b else b


def _fmin(a: float, b: float) -> float:
    return a if math.isnan(b) or a < b else b


_NUMBERS: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "tdiv": _tdiv,
    "div": lambda a, b: a / b if b else math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a),
    "rem": lambda a, b: math.fmod(a, b) if isinstance(a, float) else a - b * _tdiv(a, b),
    "floordiv": operator.floordiv, "mod": operator.mod,
    "max": max, "min": min, "fmax": _fmax, "fmin": _fmin,
    "eq": operator.eq, "ne": operator.ne, "hits": operator.eq,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "and": lambda a, b: bool(a) and bool(b), "or": lambda a, b: bool(a) or bool(b), "not": operator.not_,
    "bitand": operator.and_, "bitor": operator.or_, "bitxor": operator.xor, "bitnot": operator.invert,
    "shl": operator.lshift, "shr": operator.rshift, "abs": abs, "infinity": lambda: math.inf, "nan": lambda: math.nan,
    "rint": round, "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
    "exp": lambda a: math.exp(a) if a < 700 else math.inf,
}  # fmt: skip
_FOLDS: dict[str, Any] = {
    "sum": (operator.add, 0), "prod": (operator.mul, 1), "max": (max, -math.inf), "min": (min, math.inf),
    "fmax": (max, -math.inf), "fmin": (min, math.inf), "any": (lambda a, b: a or b, False),
    "all": (lambda a, b: a and b, True),
}  # fmt: skip

Point = dict[str, int]


class Plain:
    """One run of a summary: ``cells`` holds every version of every array."""

    def __init__(self, summary: Summary, sizes: Mapping[str, int], scalars: Mapping[str, Any]) -> None:
        self.summary = summary
        self.point: Point = _with_derived(summary, sizes)
        self.scalars = scalars
        self.cells: dict[str, Any] = {}
        self._inside: dict[tuple[Domain, tuple[Any, ...]], bool] = {}

    def run(self, arrays: Mapping[str, Any]) -> None:
        self.cells.update((name, array) for name, array in arrays.items())
        self._items(self.summary.items)

    def _items(self, items: tuple[Any, ...]) -> None:
        for item in items:
            if isinstance(item, Definition):
                self.cells[item.name] = self._define(item)
            else:
                self._loop(item)

    def _loop(self, loop: KeptLoop) -> None:
        for c in loop.carried:
            self.cells[c.name] = self.cells[c.before]
        lower, upper = loop.lower.evaluate(self.point), loop.upper.evaluate(self.point)
        for value in range(lower, upper, loop.step):
            self.point[loop.variable] = value
            assert self.inside(loop.domain, self.point), "an iteration outside the loop's domain"
            self._items(loop.body)
            ends = [(c.name, self.cells[c.after]) for c in loop.carried]
            self.cells.update(ends)
        self.point.pop(loop.variable, None)

    def _define(self, d: Definition) -> Any:
        shape = tuple(e.evaluate(self.point) for e in d.shape)
        array = np.empty(shape, dtype=object)
        for cell in itertools.product(*map(range, shape)):
            point = {**self.point, **dict(zip(d.indices, cell, strict=True))}
            terms = [t for domain, t in d.pieces if self.inside(domain, point)]
            assert len(terms) == 1, f"{len(terms)} pieces of {d.name} hold {point}"
            array[cell] = self.value(terms[0], point)
        return array

    def inside(self, domain: Domain, point: Point) -> bool:
        key = (domain, tuple(sorted((v, point[v]) for v in domain.variables())))
        if key not in self._inside:
            self._inside[key] = not _fixed(domain, point).is_empty()
        return self._inside[key]

    def value(self, t: Term, point: Point) -> Any:
        if isinstance(t, Constant):
            return float(t.value) if is_float(t.dtype) else int(t.value)
        if isinstance(t, Scalar):
            return self.scalars[t.name]
        if isinstance(t, Index):
            return t.affine.evaluate(point)
        if isinstance(t, Read):
            array = self.cells[t.array]
            cell = tuple(_at(i, point) for i in t.indices)
            assert all(0 <= c < n for c, n in zip(cell, array.shape, strict=True)), f"{t} leaves its array"
            return array[cell]
        if isinstance(t, Piecewise):
            chosen = [p for domain, p in t.pieces if self.inside(domain, point)]
            assert len(chosen) == 1, f"{len(chosen)} pieces hold {point}"
            return self.value(chosen[0], point)
        if isinstance(t, Reduce):
            return self._reduce(t, point)
        assert isinstance(t, Apply)
        return self._apply(t, point)

    def _apply(self, t: Apply, point: Point) -> Any:
        if t.op == "select":
            return self.value(t.args[1 if self.value(t.args[0], point) else 2], point)
        args = [self.value(a, point) for a in t.args]
        if t.op == "cast":
            return _cast(args[0], t)
        function = _NUMBERS.get(t.op) or getattr(math, t.op)
        return _normal(function(*args), t)

    def _reduce(self, t: Reduce, point: Point) -> Any:
        fold, result = _FOLDS[t.op]
        for values in _points(t.domain, t.bound, point):
            inner = {**point, **dict(zip(t.bound, values, strict=True))}
            result = fold(result, self.value(t.body, inner))
        return _normal(result, t) if math.isfinite(result) or not is_integer(t.dtype) else result


def _with_derived(summary: Summary, sizes: Mapping[str, int]) -> Point:
    point = dict(sizes)
    for derived in summary.derived:
        point[derived.name] = derived.at(point)
    return point


def _at(index: Affine, point: Point) -> int:
    return index.evaluate(point)


def _normal(value: Any, t: Term) -> Any:
    return wrap(value, t.dtype) if is_integer(t.dtype) else value


def _cast(value: Any, t: Term) -> Any:
    if t.dtype == "bool":
        return value != 0
    return float(value) if is_float(t.dtype) else wrap(int(value), t.dtype)


@lru_cache(1024)
def _read(text: str) -> isl.Set:
    return isl.Set(text)


def _fixed(domain: Domain, point: Point) -> isl.Set:
    found = _read(domain.text)
    for position in range(found.dim(_PARAM)):
        name = found.get_dim_name(_PARAM, position)
        if name in point:
            found = found.fix_val(_PARAM, position, isl.Val.int_from_si(isl.DEFAULT_CONTEXT, point[name]))
    return found


def _points(domain: Domain, bound: tuple[str, ...], point: Point) -> Iterator[tuple[int, ...]]:
    found = _fixed(domain, {v: x for v, x in point.items() if v not in bound}).from_params()
    for number, name in enumerate(bound):
        found = found.move_dims(isl.dim_type.set, number, _PARAM, found.find_dim_by_name(_PARAM, name), 1)
    found = found.project_out(_PARAM, 0, found.dim(_PARAM))
    values: list[tuple[int, ...]] = []
    found.foreach_point(
        lambda p: values.append(tuple(p.get_coordinate_val(isl.dim_type.set, k).to_python() for k in range(len(bound))))
    )
    yield from sorted(values)


def random_arguments(summary: Summary, sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    """Return arguments by source name; floats are small multiples of a quarter."""
    arguments: dict[str, Any] = dict(sizes)
    point = _with_derived(summary, sizes)
    for name, dtype in summary.scalars.items():
        arguments[name] = _numbers(dtype, (), rng).item()
    for name, info in summary.arrays.items():
        if info.is_parameter:
            arguments[name] = _numbers(info.dtype, tuple(e.evaluate(point) for e in info.shape), rng)
    return arguments


def _numbers(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    if dtype in ("f32", "f64"):
        return (rng.integers(1, 17, shape) / 4).astype(NUMPY_TYPES[dtype])
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    low, high = (0, 200) if dtype[0] == "u" else (-90, 90)
    return rng.integers(low, high, shape).astype(NUMPY_TYPES[dtype])


def agrees(run: Operation | Interpreter, summary: Summary, sizes: Mapping[str, int], seed: int = 0) -> bool | None:
    """Run both; None where the program goes wrong on these arguments, or the sizes are outside the context.

    Raises AssertionError with the first array that differs.
    """
    point = _with_derived(summary, sizes)
    if _fixed(summary.context, point).is_empty():
        return None
    arguments = random_arguments(summary, sizes, np.random.default_rng(seed))
    arrays = {n: a.astype(object) for n, a in arguments.items() if isinstance(a, np.ndarray)}
    try:
        with np.errstate(all="ignore"):
            returned = (run if isinstance(run, Interpreter) else Interpreter(run))(arguments).value
    except (InterpreterError, ArithmeticError):
        return None
    plain = Plain(summary, sizes, {n: arguments[n] for n in summary.scalars})
    plain.run(arrays)
    for name, version in summary.outputs:
        _compare(name, plain.cells[version], arguments[name])
    if summary.result is not None:
        _compare("result", plain.cells[summary.result], np.asarray(returned))
    return True


def _compare(name: str, got: Any, wanted: np.ndarray[Any, Any]) -> None:
    tolerance = 1e-9 if wanted.dtype != np.float32 else 1e-3
    same = np.allclose(
        np.asarray(got, dtype=float), wanted.astype(float), rtol=tolerance, atol=tolerance, equal_nan=True
    )
    assert same, f"{name} differs:\n{got}\n{wanted}"
