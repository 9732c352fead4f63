"""Trying rows: each sample is run for real in its library and compared cell by cell with its meaning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.comprehension.evaluate import contains, points
from tests.shared import is_exhaustive

from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce
from tensorlift.ops.dtypes import is_integer, wrap
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, equal
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.obligations import Ledger
from tensorlift.proofs.samples import held_of_sample, meaning_of_sample
from tensorlift.proofs.values import Buffer, Held
from tensorlift.targets.mlir_text.samples import SIZES, sample_operand, sample_types

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import OpRow, Sample, Target

    Run = Callable[[Sequence[Mapping[str, Any]]], Sequence[Any]]

NUMPY_TYPES: dict[str, str] = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip
WITH_BRAIN = {**NUMPY_TYPES, "bf16": "bfloat16"}  # of libraries that compute in bf16
TRIALS = (2, 0, 3, 1)  # by number: with sizes drawn, the least, drawn, and of one, each with other types
LARGEST = 3


@dataclass(frozen=True)
class Library:
    """An array library: its target, the names that samples use, and how arrays go there and come back.

    ``is_number`` tells a result whose type counts only by its kind; ``lacks`` are element types that it has not.
    ``enough`` trials of a sample are taken that have a meaning, where each is compiled; with ``--exhaustive`` all are.
    ``together`` takes a function that runs trials on their arrays, and may compile it.
    """

    target: Target
    names: Mapping[str, Any]
    give: Callable[[np.ndarray[Any, Any]], Any]
    take: Callable[[Any], np.ndarray[Any, Any]]
    is_number: Callable[[Any], bool]
    lacks: frozenset[str] = frozenset()
    enough: int = len(TRIALS)
    together: Callable[[Run], Run] = lambda run: run

    @cached_property
    def helpers(self) -> Mapping[str, Any]:
        """The functions that texts define themselves."""
        found: dict[str, Any] = {}
        for text in self.target.helpers.values():
            exec(text, {**self.names}, found)
        return found


# -- the value of a term, by brute force


class Meaning:
    """The values of terms where every size and every array is given."""

    def __init__(self, sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self.arrays = arrays
        self.sizes = dict(sizes)

    def value(self, term: Term, point: Mapping[str, int]) -> Any:
        if isinstance(term, Constant):
            return bool(term.value) if term.dtype == "bool" else _number(term.value, term.dtype)
        if isinstance(term, Index):
            return _number(term.affine.evaluate(point), term.dtype)
        if isinstance(term, Read):
            return self.arrays[term.array][tuple(i.evaluate(point) for i in term.indices)].item()
        if isinstance(term, Piecewise):
            (chosen,) = [t for d, t in term.pieces if contains(d, point)]
            return self.value(chosen, point)
        if isinstance(term, Reduce):
            return self.fold(term, point)
        assert isinstance(term, Apply)
        if term.op == "select":
            condition, chosen, other = term.args
            return self.value(chosen if self.value(condition, point) else other, point)
        return apply(term, [self.value(a, point) for a in term.args])

    def fold(self, term: Reduce, point: Mapping[str, int]) -> Any:
        among = range(-1, 3 * LARGEST + 2)
        values = [self.value(term.body, inner) for inner in points(term.bound, term.domain, point, among)]
        if term.op in ("max", "min", "fmax", "fmin"):
            best = max if term.op.endswith("max") else min
            return best(values) if values else (-math.inf if term.op.endswith("max") else math.inf)
        folds: dict[str, Callable[..., Any]] = {"sum": sum, "prod": math.prod, "any": any, "all": all}
        return _number(folds[term.op](values), term.dtype)


def _number(value: Any, dtype: DType) -> Any:
    if dtype == "bool":
        return bool(value)
    return wrap(int(value), dtype) if is_integer(dtype) else float(value)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: Any, b: Any) -> Any:
    return math.fmod(a, b) if isinstance(a, float) else a - b * _truncated(a, b)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
    "div": lambda a, b: a / b if b else math.nan, "tdiv": _truncated, "rem": _remainder,
    "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
    "max": max, "min": min, "fmax": max, "fmin": min, "abs": abs, "pow": lambda a, b: a**b,
    "hits": lambda a, b: a == b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
    "not": lambda a: not a, "within": lambda a, b, c: b <= a < c,
    "bitand": lambda a, b: a & b, "bitor": lambda a, b: a | b, "bitxor": lambda a, b: a ^ b, "bitnot": lambda a: ~a,
    "shl": lambda a, b: a << b, "shr": lambda a, b: a >> b, "cast": lambda a: a,
    "infinity": lambda: math.inf, "nan": lambda: math.nan,
    "atan2": math.atan2, "copysign": math.copysign, "rint": round,
    "round": lambda a: math.copysign(math.floor(abs(a) + 0.5), a), "cbrt": math.cbrt, "exp2": math.exp2,
}  # fmt: skip


def apply(term: Apply, args: list[Any]) -> Any:
    function = OPERATIONS.get(term.op) or getattr(math, term.op)
    return _number(function(*args), term.dtype)


# -- a sample, run and meant


def values(kind: str, dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    if kind in ("sparse", "tied"):
        return rng.integers(0, 2, shape).astype(NUMPY_TYPES[dtype])
    if kind == "fraction":
        return rng.uniform(-0.9, 0.9, shape).astype(NUMPY_TYPES[dtype])
    if dtype.startswith("f"):
        low, high = {"positive_real": (0.2, 2), "above_one": (1.1, 3), "positive": (0.5, 3)}.get(kind, (-2, 2))
        return rng.uniform(low, high, shape).astype(NUMPY_TYPES[dtype])
    low = 1 if kind.startswith("positive") else 0 if kind == "count" or dtype.startswith("u") else -7
    high = 7 if kind in ("count", "positive_wide_integer") or dtype == "i8" else 120
    return rng.integers(low, high, shape).astype(NUMPY_TYPES[dtype])


class Trial:
    """One sample with sizes, types and values filled in."""

    def __init__(self, library: Library, entry: Sample, number: int) -> None:
        self.library = library
        self.text = entry.text
        rng = np.random.default_rng(number * 7919 + sum(map(ord, entry.text)))
        least = entry.least
        self.sizes = {n: int(rng.integers(least, LARGEST + 1)) if number else least for n in SIZES}
        if number == 1:
            self.sizes = dict.fromkeys(self.sizes, max(1, least))
        self.context = Domain.of(*(equal(n, v) for n, v in self.sizes.items()))
        self.ledger = Ledger(self.context, (), library.target.types, lambda _divisor, _context: True, lambda *_: True)
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.tensors: dict[str, SymbolicTensor] = {}
        for position, (name, spec) in enumerate(entry.operands.items()):
            self._operand(name, spec, number + position * 5 if number % 2 else number, rng)
        self.given = {name: library.give(array.copy()) for name, array in self.arrays.items()}
        self.meant = meaning_of_sample(self.text, self.tensors, self.sizes, library.target, self.ledger)

    def _operand(self, name: str, spec: str, number: int, rng: np.random.Generator) -> None:
        choices = sample_types(spec, self.library.lacks)
        dtype = choices[number % len(choices)]
        tensor = self.tensors[name] = sample_operand(name, spec, dtype)
        shape = tuple(extent.evaluate(self.sizes) for extent in tensor.shape)
        self.arrays[name] = values(spec.partition("[")[0], dtype, shape, rng)

    def run(self, given: Mapping[str, Any]) -> Any:
        names = {**self.library.names, **self.library.helpers, **self.sizes, **given}
        with np.errstate(all="ignore"):
            if " = " not in self.text:
                result = eval(self.text, names)
                return names["a"] if result is None else result  # an update of the first operand gives nothing
            exec(self.text, names)
        return names["a"]

    def compare(self, result: Any) -> None:
        meant, got = self.meant, self.library.take(result)
        for quotient in self.ledger.quotients():
            self.sizes[quotient.name] = quotient.at(self.sizes)
        assert tuple(e.evaluate(self.sizes) for e in meant.shape) == got.shape
        assert meant.is_strong != self.library.is_number(result)
        if meant.is_strong:
            assert got.dtype == WITH_BRAIN[meant.dtype], (got.dtype, meant.dtype)
        else:
            assert got.dtype.kind == {"i64": "i", "f64": "f", "bool": "b"}[meant.dtype]
        compare_cells(got, meant, Meaning(self.sizes, self.arrays))
        is_update = any(part in self.text for part in (" = ", ".at(", "_("))
        is_value = not is_update and not isinstance(result, np.generic)
        if self.library.target.changes_arrays and is_value:
            self._compare_memory(got)

    def _compare_memory(self, got: np.ndarray[Any, Any]) -> None:
        """Fail where a result lives in the memory of an operand, and the checker does not know."""
        operands = {name: Held(tensor, Buffer()) for name, tensor in self.tensors.items()}
        meant = held_of_sample(self.text, operands, self.sizes, self.library.target, self.ledger)
        assert isinstance(meant, Held)
        for name, given in self.given.items():
            if np.shares_memory(got, self.library.take(given)):
                assert meant.buffer is operands[name].buffer, f"shares the memory of {name}"


_TOLERANCES = {"float32": 2e-4, "float16": 1e-2, "bfloat16": 5e-2}


def compare_cells(got: np.ndarray[Any, Any], meant: SymbolicTensor, model: Meaning) -> None:
    """Fail where a cell is not what it means."""
    tolerance = max(_TOLERANCES.get(a.dtype.name, 1e-9) for a in [got, *model.arrays.values()])
    for indices in np.ndindex(got.shape):
        cell = model.value(meant.at(tuple(map(Affine, indices))), model.sizes)
        assert np.isclose(got[indices], cell, rtol=tolerance, atol=tolerance, equal_nan=True), (
            indices,
            got[indices],
            cell,
        )


def try_row(library: Library, row: OpRow) -> None:
    """Fail where a sample of a row has another value than its meaning, or has no meaning in any trial."""
    trials = [trial for entry in row.samples for trial in _meaningful(library, entry)]
    run = library.together(lambda given: [trial.run(own) for trial, own in zip(trials, given, strict=True)])
    for trial, result in zip(trials, run([trial.given for trial in trials]), strict=True):
        try:
            trial.compare(result)
        except AssertionError as difference:
            types = {n: a.dtype.name for n, a in trial.arrays.items()}
            pytest.fail(f"{trial.text} with {types}, {trial.sizes}: {difference}")


def _meaningful(library: Library, entry: Sample) -> list[Trial]:
    """Return as many trials of a sample as are to be taken, of those that have a meaning."""
    found: list[Trial] = []
    refused: list[CheckFailure] = []
    for number in TRIALS:
        if len(found) == library.enough and not is_exhaustive():
            break
        try:
            found.append(Trial(library, entry, number))
        except CheckFailure as failure:
            refused.append(failure)
    assert found, f"{entry.text} has no meaning: {refused[0]}"
    return found
