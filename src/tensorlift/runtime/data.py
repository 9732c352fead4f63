"""Random inputs for tests, with fixed seeds: small integers whose sums do not overflow, well-conditioned floats.

The numbers at which a source may change its mind, for drawing inputs, and the sizes at which its narrow types wrap.

They are the constants that it compares with and their neighbours, the extremes of the types of its parameters, and
numbers that do not fit a narrower type, or that a float cannot hold.  Floats are finite, as a proof is over the reals,
but for sources that ask for NaNs.  None is subnormal: XLA takes such numbers for zero.
"""

from __future__ import annotations

from functools import cache
from math import ceil, floor, inf, isfinite, isnan, nan, prod
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from xdsl.dialects.builtin import IndexType

from tensorlift.ir.arithmetic import ArithmeticFault, constant, evaluator, is_one_value, width_of
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ops.dtypes import FLOATS, FRACTION_BITS, round_float, smallest_normal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.ir.function import FunctionView, Parameter
    from tensorlift.runtime.compare import Array


_CHOOSING = {"arith.cmpi", "arith.cmpf", "arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"}
_CHOOSING |= {"arith.minimumf", "arith.maximumf", "arith.minnumf", "arith.maxnumf"}
_ADDS, _TO_INTEGERS = {"arith.addf", "arith.subf"}, {"arith.fptosi", "arith.fptoui"}
_MOST = (1 << 62, (1 << 31) - 128)  # which fit 64 and 32 bits, also after they were rounded to a float
_LEAST_MOST = (1 << 7) - 1
_WIDTHS = (8, 16, 32, 53)
_LEAST_WIDE = 8  # bits; a signed integer below them is a truth value
_FLOATS = (5e9, -3e9, 300.7, -1.5, 0.1, 2.5, -0.0, 127.5, -129.0, 65536.25, 2147483648.0)
_FRACTION_BITS = {NUMPY_TYPES[dtype]: bits for dtype, bits in FRACTION_BITS.items() if dtype in NUMPY_TYPES}
_TINY = {dtype: smallest_normal(dtype) for dtype in FLOATS}
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
        compared = tuple(dict.fromkeys(_compared(view.operations))) + (nan,) * asks_for_nan(view)
        ranges = [(-inf, inf), *((-most, most) for most in _MOST)]
        levels: list[tuple[Style, Corners]] = [("any", Corners(compared, *ends)) for ends in ranges]
        if adds_floats(view) and any(op.name in _TO_INTEGERS for op in view.operations):
            levels = []
        return (*levels, ("positive", Corners(compared, 0, _LEAST_MOST)))

    @property
    def has_nan(self) -> bool:
        """Whether a NaN is among them."""
        return any(map(isnan, self._compared))

    def of(self, dtype: str) -> Array:
        """Give the numbers of an element type (``i32``, ``f64``, ``bool``, ...), each once; at least 1 and 0."""
        if dtype not in self._known:
            every = dict.fromkeys([*self._near(dtype), *_extremes(dtype)])
            found = [number for number in every if self._low <= number <= self._high or isnan(number)]
            self._known[dtype] = np.array(found or [1, 0], NUMPY_TYPES[dtype])
        return self._known[dtype]

    def _near(self, dtype: str) -> Iterator[float]:
        """Yield the constants of comparisons, as far as a type has them, with the numbers beside them."""
        kind = NUMPY_TYPES[dtype].type
        for number in self._compared:
            if isnan(number):
                yield from [number] * (dtype in FLOATS)
            elif dtype in FLOATS:
                with np.errstate(over="ignore"):  # beside the largest number
                    near = [np.nextafter(kind(number), kind(end)) for end in (-np.inf, np.inf)]
                normal = [np.copysign(max(abs(value), kind(_TINY[dtype])), value) for value in near]
                beside = (kind(number - 1), kind(number), kind(number + 1))
                yield from (float(value) for value in (*beside, *normal) if np.isfinite(value))
            elif dtype != "bool":
                yield from _fitting(dtype, {floor(number) - 1, floor(number), ceil(number), ceil(number) + 1})


def adds_floats(view: FunctionView) -> bool:
    """Tell whether a function adds floats, so that a program may add them in another order."""
    return any(op.name in _ADDS for op in view.operations)


def asks_for_nan(view: FunctionView) -> bool:
    """Tell whether a function compares a float with itself in a way that comes out otherwise for a NaN."""
    asked = (op for op in view.operations if op.name == "arith.cmpf" and is_one_value(*op.operands))
    return any(compare is not None and compare(0.0, 0.0) != compare(nan, nan) for compare in map(evaluator, asked))


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
    if dtype in FLOATS:
        held = (round_float(float(number), dtype) for number in (*_FLOATS, _SINGLE + 1, (1 << 53) + 1))
        return [number for number in held if isfinite(number)]
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


# "any" has zeros and both signs; "nonzero" may be divided by; "positive" may be rooted, summed and divided by.  "tame"
# is positive, with integers from 2 on, floats that are small beside the number of elements of a row, and symmetric
# square matrices that their diagonals dominate: what solves equations is stable on it at large sizes.
Style = Literal["any", "nonzero", "positive", "tame"]
STYLES: tuple[Style, ...] = ("any", "nonzero", "positive")
LARGE_STYLES: tuple[Style, ...] = (*STYLES, "tame")

_MAGNITUDE = 9
BITS = 8  # epsilons by which inputs are changed to see whether the source is stable
_SQUARE = 2  # dimensions
_DIAGONAL = 4.0  # above the sum of a row, which is at most 2
_BYTES, _RANGE = 4, 2.0**32  # of one number drawn


def seeded(*seeds: int) -> Random:
    """Give a source of numbers that are the same in every run and with every version of NumPy."""
    return Random(".".join(map(str, seeds)))  # noqa: S311 - the numbers are test data and keep no secret


def random_array(dtype: str, shape: tuple[int, ...], rng: Random, style: Style) -> Array:
    """Draw an array of ``dtype`` (``i32``, ``f64``, ``bool``, ...): integers of at most 9, floats of at most 2."""
    drawn = np.frombuffer(rng.randbytes(_BYTES * prod(shape)), np.uint32).reshape(shape)
    if dtype == "bool":
        return np.asarray(drawn % 2 > 0)
    if dtype in FLOATS:
        values = 0.5 + drawn * (1.5 / _RANGE)
        if style == "tame":
            return _tame(values).astype(NUMPY_TYPES[dtype])
        return np.asarray(
            values if style == "positive" else np.where(drawn % 2 > 0, values, -values), NUMPY_TYPES[dtype]
        )
    low = 2 if style == "tame" else 1 if style == "positive" else 0 if dtype[0] == "u" else -_MAGNITUDE
    integers = (drawn % (_MAGNITUDE + 1 - low)).astype(np.int64) + low
    return np.asarray(np.where(integers == 0, 1, integers) if style == "nonzero" else integers, NUMPY_TYPES[dtype])


def _tame(values: Array) -> Array:
    """Scale positive numbers down by the last extent; let the diagonals of symmetric square matrices dominate."""
    if values.ndim == 0:
        return values
    scaled = values / max(values.shape[-1], 1)
    if values.ndim < _SQUARE or values.shape[-1] != values.shape[-2]:
        return np.asarray(scaled)
    return np.asarray((scaled + scaled.swapaxes(-1, -2)) / 2 + _DIAGONAL * np.eye(values.shape[-1]))


def random_arguments(  # noqa: PLR0913, PLR0917 - what is drawn, and from what
    parameters: Sequence[Parameter],
    sizes: Mapping[str, int],
    rng: Random,
    style: Style,
    ranges: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    corners: Corners | None = None,
) -> dict[str, Any]:
    """Draw an argument for every parameter by source name: sizes as given, NumPy scalars, arrays in logical shape.

    ``ranges`` holds, for arrays of integers, the least value and the one behind the greatest; ``corners`` are mixed
    into the other arrays and the scalars.
    Raises ValueError for an array whose extents are not known.
    """
    drawn = {parameter.name: _argument(parameter, sizes, rng, style) for parameter in parameters}
    if corners is not None:
        mixed = [p for p in parameters if p.role != "size" and p.name not in ranges]
        drawn |= {p.name: _mixed(drawn[p.name], corners.of(p.dtype), rng) for p in mixed}
    return drawn | {name: within(drawn[name], *ends) for name, ends in ranges.items()}


def _mixed(values: Any, corners: Array, rng: Random) -> Any:
    """Replace each second number by a corner, one after the other from any of them on; a single one by chance."""
    position = np.arange(values.size).reshape(values.shape) + rng.randrange(len(corners) * 2)
    mixed = np.where(position % 2 > 0, corners[position // 2 % len(corners)], values).astype(values.dtype)
    return mixed if isinstance(values, np.ndarray) else mixed[()]


def random_places(like: Array, low: int, high: int, rng: Random, *, rising: bool) -> Array:
    """Draw integers from all of a range, for a large array; where they bound segments, each is no less than the last.

    So segments share few cells, and a loop over all of them takes as long as the array has cells.
    """
    drawn = np.frombuffer(rng.randbytes(_BYTES * like.size), np.uint32).astype(np.int64).reshape(like.shape)
    places = within(drawn, low, high, like.dtype)
    return np.sort(places) if rising and like.ndim else places


def within(values: Array, low: int, high: int, dtype: Any = None) -> Array:
    """Move integers into a range, as far as their type has it; an empty range stands for its first value."""
    limits = np.iinfo(dtype or values.dtype)
    least, most = max(low, int(limits.min)), min(max(high, low + 1), int(limits.max) + 1)
    return np.asarray(least + values.astype(np.int64) % max(most - least, 1), dtype or values.dtype)


def _argument(parameter: Parameter, sizes: Mapping[str, int], rng: Random, style: Style) -> Any:
    if parameter.role == "size":
        return sizes[parameter.name]
    if parameter.role == "scalar":
        return random_array(parameter.dtype, (), rng, style)[()]
    if parameter.extents is None:
        raise ValueError(f"the extents of {parameter.name} are not known")
    return random_array(parameter.dtype, tuple(extent.at(sizes) for extent in parameter.extents), rng, style)


def nudged(value: Any, share: float = 0.0, *, whole: bool = True) -> Any:
    """Change the last bits of floats, some up and some down, so that proportions do not stay; copy the rest.

    Without ``whole``, whole numbers are part of the rest: what only converts them is not unstable.

    A ``share`` of the magnitude is changed where that is more than the last bits.
    """
    array = np.array(value)
    bits = _FRACTION_BITS.get(array.dtype)
    if bits is None:
        return array if isinstance(value, np.ndarray) else value
    directions = np.where(np.arange(array.size) % 3 == 1, -1, 1).reshape(array.shape)
    moved = array * (1 + directions * max(share, BITS * 2.0 ** (1 - bits)))
    changed = np.where((not whole) & (array == np.floor(array)), array, moved).astype(array.dtype)
    return changed if isinstance(value, np.ndarray) else changed[()]
