"""The numbers at which a source may change its mind, for drawing inputs, and the sizes at which its narrow types wrap.

They are the constants that it compares with and their neighbours, the extremes of the types of its parameters, and
numbers that do not fit a narrower type, or that a float cannot hold.  All floats are finite: a proof is over the reals.
None is subnormal: XLA takes such numbers for zero.
"""

from __future__ import annotations

from functools import cache
from math import ceil, floor, inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.builtin import IndexType

from tensorlift.ir.arithmetic import ArithmeticFault, constant, width_of
from tensorlift.ir.memory import NUMPY_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.ir.function import FunctionView
    from tensorlift.runtime.compare import Array
    from tensorlift.runtime.data import Style

_CHOOSING = {"arith.cmpi", "arith.cmpf", "arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"}
_CHOOSING |= {"arith.minimumf", "arith.maximumf", "arith.minnumf", "arith.maxnumf"}
_ADDS, _TO_INTEGERS = {"arith.addf", "arith.subf"}, {"arith.fptosi", "arith.fptoui"}
_MOST = (1 << 62, (1 << 31) - 128)  # which fit 64 and 32 bits, also after they were rounded to a float
_LEAST_MOST = (1 << 7) - 1
_WIDTHS = (8, 16, 32, 53)
_LEAST_WIDE = 8  # bits; a signed integer below them is a truth value
_FLOATS = (5e9, -3e9, 300.7, -1.5, 0.1, 2.5, -0.0, 127.5, -129.0, 65536.25, 2147483648.0)
_SINGLE = 1 << 24  # beyond, a float of single precision holds no odd integer


class Corners:
    """The corners of one function; ``of`` gives those of an element type."""

    def __init__(self, compared: Sequence[float], low: float = -inf, high: float = inf) -> None:
        """Take the constants that a source compares with, and the range from which corners are."""
        self._compared, self._low, self._high = compared, low, high
        self._known: dict[str, Array] = {}

    @staticmethod
    def levels(view: FunctionView) -> tuple[tuple[Style, Corners], ...]:
        """Give all corners, then those that narrower types hold too, each with the style of the other numbers.

        Where sums of floats become integers, small ones alone are given: of others the order of additions would show.
        """
        compared = tuple(dict.fromkeys(_compared(view.operations)))
        ranges = [(-inf, inf), *((-most, most) for most in _MOST)]
        levels: list[tuple[Style, Corners]] = [("any", Corners(compared, *ends)) for ends in ranges]
        if adds_floats(view) and any(op.name in _TO_INTEGERS for op in view.operations):
            levels = []
        return (*levels, ("positive", Corners(compared, 0, _LEAST_MOST)))

    def of(self, dtype: str) -> Array:
        """Give the numbers of an element type (``i32``, ``f64``, ``bool``, ...), each once; at least 1 and 0."""
        if dtype not in self._known:
            every = dict.fromkeys([*self._near(dtype), *_extremes(dtype)])
            found = [number for number in every if self._low <= number <= self._high]
            self._known[dtype] = np.array(found or [1, 0], NUMPY_TYPES[dtype])
        return self._known[dtype]

    def _near(self, dtype: str) -> Iterator[float]:
        """Yield the constants of comparisons, as far as a type has them, with the numbers beside them."""
        kind = NUMPY_TYPES[dtype].type
        for number in self._compared:
            if dtype[0] == "f":
                near = [np.nextafter(kind(number), kind(end)) for end in (-np.inf, np.inf)]
                normal = [np.copysign(max(abs(value), np.finfo(kind).tiny), value) for value in near]
                beside = (kind(number - 1), kind(number), kind(number + 1))
                yield from (float(value) for value in (*beside, *normal) if np.isfinite(value))
            elif dtype != "bool":
                yield from _fitting(dtype, {floor(number) - 1, floor(number), ceil(number), ceil(number) + 1})


def adds_floats(view: FunctionView) -> bool:
    """Tell whether a function adds floats, so that a program may add them in another order."""
    return any(op.name in _ADDS for op in view.operations)


def _compared(operations: Sequence[Operation]) -> Iterator[float]:
    for op in operations:
        for operand in op.operands if op.name in _CHOOSING else ():
            owner: Any = operand.owner
            if getattr(owner, "name", "") == "arith.constant":
                try:
                    number = constant(owner)
                except ArithmeticFault:
                    continue
                if isfinite(number):
                    yield number


@cache
def _extremes(dtype: str) -> Sequence[float]:
    if dtype == "bool":
        return [0, 1]
    if dtype[0] == "f":
        return [float(NUMPY_TYPES[dtype].type(number)) for number in (*_FLOATS, _SINGLE + 1, (1 << 53) + 1)]
    edges = {edge for width in _WIDTHS for edge in ((1 << width) - 1, 1 << width, 1 << (width - 1), -1 << (width - 1))}
    limits = np.iinfo(NUMPY_TYPES[dtype])
    return _fitting(dtype, {int(limits.min), int(limits.max), *edges, _SINGLE + 1, (1 << 53) + 1, 300, -1, 0})


def _fitting(dtype: str, numbers: set[int]) -> list[float]:
    limits = np.iinfo(NUMPY_TYPES[dtype])
    return [number for number in sorted(numbers) if limits.min <= number <= limits.max]


def beyond_narrow(view: FunctionView, sizes: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Yield size sets in which one size is beyond the narrowest type that holds what comes from sizes or indices."""
    widths = [width_of(op.results[0].type) for op in view.operations if _narrows_index(op)]
    if widths and min(widths) == _LEAST_WIDE:
        yield from ({**sizes, name: _BEYOND} for name in sizes)


_BEYOND = 300  # more than 8 bits hold


def _narrows_index(op: Operation) -> bool:
    """Tell whether an operation gives fewer than 64 bits of a number that comes from an index."""
    if op.name not in {"arith.trunci", "arith.index_cast", "arith.index_castui"}:
        return False
    return not isinstance(op.results[0].type, IndexType) and _from_index(op.operands[0], set())


def _from_index(value: SSAValue, seen: set[SSAValue]) -> bool:
    if isinstance(value.type, IndexType):
        return True
    owner: Any = value.owner
    if value in seen or not getattr(owner, "name", "").startswith("arith."):
        return False
    seen.add(value)
    return any(_from_index(operand, seen) for operand in owner.operands)
