"""Evaluates summaries cell by cell, with no cleverness: what derived programs are compared with."""

from __future__ import annotations

import itertools
import math
import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition, KeptLoop
from tensorlift.ops.dtypes import is_integer, wrap
from tensorlift.poly.domain import Domain, NotAffine, equal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.definition import Item, Summary
    from tensorlift.comprehension.terms import Term
    from tensorlift.poly.domain import Constraint

NUMPY = {"f64": np.float64, "f32": np.float32, "i32": np.int32, "i64": np.int64, "bool": np.bool_, "i8": np.int8}


def _tdiv(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_OPS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "div": operator.truediv,
    "tdiv": _tdiv, "rem": math.fmod, "max": max, "min": min, "fmax": max, "fmin": min, "eq": operator.eq,
    "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "sqrt": math.sqrt,
    "exp": math.exp, "abs": abs, "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": operator.not_,
}  # fmt: skip
_FOLDS: dict[str, Callable[[list[Any]], Any]] = {"sum": sum, "prod": math.prod, "max": max, "min": min}


def evaluate(summary: Summary, values: dict[str, Any]) -> list[Any]:
    """Return the outputs, then the result, for sizes, scalars and arrays by name."""
    arrays: dict[str, Any] = {k: v for k, v in values.items() if k in summary.arrays}
    plain = {k: v for k, v in values.items() if k not in summary.arrays}
    _run(summary.items, summary, arrays, plain)
    names = [name for _, name in summary.outputs] + ([summary.result] if summary.result else [])
    return [arrays[name] for name in names]


def _run(items: tuple[Item, ...], summary: Summary, arrays: dict[str, Any], values: dict[str, Any]) -> None:
    for item in items:
        if isinstance(item, Definition):
            arrays[item.name] = _define(item, arrays, values)
        else:
            _loop(item, summary, arrays, values)


def _loop(loop: KeptLoop, summary: Summary, arrays: dict[str, Any], values: dict[str, Any]) -> None:
    for carried in loop.carried:
        arrays[carried.name] = arrays[carried.before]
    for step in range(loop.lower.evaluate(values), loop.upper.evaluate(values), loop.step):
        _run(loop.body, summary, arrays, {**values, loop.variable: step})
        arrays |= {c.name: arrays[c.after] for c in loop.carried}


def _define(definition: Definition, arrays: dict[str, Any], values: dict[str, Any]) -> Any:
    shape = tuple(e.evaluate(values) for e in definition.shape)
    result: Any = np.zeros(shape, NUMPY[definition.dtype])
    for cell in np.ndindex(shape):
        point = {**values, **dict(zip(definition.indices, cell, strict=True))}
        term = next(t for d, t in definition.pieces if _holds(d, point))
        result[cell] = _value(term, point, arrays)
    return result


@lru_cache(maxsize=4096)
def _conjuncts(domain: Domain) -> list[list[Constraint]] | None:
    try:
        return domain.conjuncts()
    except NotAffine:
        return None


def _holds(domain: Domain, point: dict[str, Any]) -> bool:
    parts = _conjuncts(domain)
    if parts is None:
        return not (domain & Domain.of(*(equal(v, int(point[v])) for v in domain.variables()))).is_empty()
    return any(
        all(c.affine.evaluate(point) == 0 if c.is_equality else c.affine.evaluate(point) >= 0 for c in part)
        for part in parts
    )


def _value(term: Term, point: dict[str, Any], arrays: dict[str, Any]) -> Any:
    value = _raw(term, point, arrays)
    return wrap(int(value), term.dtype) if is_integer(term.dtype) else value


def _raw(term: Term, point: dict[str, Any], arrays: dict[str, Any]) -> Any:
    if isinstance(term, terms.Constant):
        return int(term.value) if is_integer(term.dtype) else float(term.value)
    if isinstance(term, terms.Scalar):
        return point[term.name]
    if isinstance(term, terms.Index):
        return term.affine.evaluate(point)
    if isinstance(term, terms.Read):
        return arrays[term.array][tuple(i.evaluate(point) for i in term.indices)].item()
    if isinstance(term, terms.Piecewise):
        return _value(next(t for d, t in term.pieces if _holds(d, point)), point, arrays)
    if isinstance(term, terms.Reduce):
        largest = max((v for v in point.values() if isinstance(v, int)), default=0)
        everywhere = itertools.product(range(-1, 2 * largest + 2), repeat=len(term.bound))
        points = [{**point, **dict(zip(term.bound, values, strict=True))} for values in everywhere]
        return _FOLDS[term.op]([_value(term.body, p, arrays) for p in points if _holds(term.domain, p)])
    assert isinstance(term, terms.Apply)
    if term.op == "select":
        return _value(term.args[1 if _value(term.args[0], point, arrays) else 2], point, arrays)
    operands = [_value(a, point, arrays) for a in term.args]
    return operands[0] if term.op == "cast" else _OPS[term.op](*operands)
