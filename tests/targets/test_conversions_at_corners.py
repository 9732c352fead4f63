"""Conversions between all types, at the corners of their ranges: what lifted programs compute is what C computes.

Where a value has no meaning in the target type (a real whose whole part does not fit), it is left out.
"""

from __future__ import annotations

import math
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift import lift
from tensorlift.ir.arithmetic import round_to_single

if TYPE_CHECKING:
    from pathlib import Path

_TYPES = {
    "b1": "_Bool", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long", "u1": "unsigned char",
    "u2": "unsigned short", "u4": "unsigned int", "u8": "unsigned long", "f4": "float", "f8": "double",
}  # fmt: skip
_POWERS = [2**k for k in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64)]
_NUMBERS = [
    *(sign * (power + step) for power in _POWERS for step in (-1, 0, 1) for sign in (1, -1)),
    *(0, 1, -1, 2, 100, 300, 5_000_000_000, 2**25 + 3, 2**54 + 3, 2**24 + 2**53 + 1),
]
_REALS = [
    *(300.7, -1.5, -0.0, 0.5, -0.5, 0.999999999, 127.9, -128.9, 255.5, 5e9, 5e-324, 1e-45, 1e300, 3.4028236e38, 1e-40),
    *(math.nan, math.inf, -math.inf, 2.0**24 + 1, 2.0**53 - 1, 16777217.5, -(2.0**31) - 0.5, 2.0**63, 2.0**64),
]


def _dtype(kind: str) -> np.dtype[Any]:
    return np.dtype("?" if kind == "b1" else kind)


def _range(kind: str) -> tuple[int, int]:
    info = np.iinfo(kind)
    return int(info.min), int(info.max)


def _corners(kind: str) -> list[float]:
    """Give the corners that a type holds."""
    if kind == "b1":
        return [0, 1]
    if kind[0] != "f":
        low, high = _range(kind)
        return [value for value in _NUMBERS if low <= value <= high]
    rounded = round_to_single if kind == "f4" else float
    return [rounded(value) for value in (*_NUMBERS, *_REALS)]


def _converted(value: float, source: str, target: str) -> float | None:
    """Give what a value becomes, None where that is undefined."""
    if target == "b1":
        return value != 0
    if target[0] == "f":
        if source[0] == "f":
            return round_to_single(value) if target == "f4" else value
        return float(value) if target == "f8" else _single(int(value))
    low, high = _range(target)
    if source[0] != "f":
        return (int(value) - low) % (high - low + 1) + low
    return int(value) if math.isfinite(value) and low <= int(value) <= high else None


def _single(value: int) -> float:
    """Round an integer to the nearest number of 24 bits, ties to even."""
    excess = max(abs(value).bit_length() - 24, 0)
    half, rest = (1 << excess) >> 1, abs(value) & ((1 << excess) - 1)
    whole = abs(value) >> excess
    whole += rest > half or (rest == half and excess > 0 and whole % 2 == 1)
    return math.copysign(float(whole << excess), value)


def _is_subnormal(value: float) -> bool:
    """Tell whether XLA takes a number for zero, as it does on processors where that is quicker."""
    return 0 < abs(value) < 2.0**-126


def _array_of(target: str, given: Any) -> Any:
    if target == "numpy":
        return given
    library = import_module("torch" if target == "torch" else "jax.numpy")
    return library.from_numpy(given) if target == "torch" else library.asarray(given)


def _source(source: str, result: str) -> str:
    given, made = _TYPES[source], _TYPES[result]
    body = f"for (int i = 0; i < n; i++) o[i] = ({made})a[i];"
    return f"void {source}_{result}(int n, const {given} *restrict a, {made} *restrict o) {{ {body} }}\n"


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_conversions_at_the_corners_of_types_are_those_of_c(target: str, tmp_path: Path) -> None:
    if target != "numpy" and find_spec(target) is None:
        pytest.skip(f"{target} is not installed")
    kinds = [kind for kind in _TYPES if target != "torch" or kind not in {"u2", "u4", "u8"}]  # which it lacks
    pairs = [(source, result) for source in kinds for result in kinds if (source[0], result[0]) != ("f", "u")]
    pairs = pairs[:: 4 if target == "jax" else 1]  # a compile each
    file = tmp_path / "conversions.c"
    file.write_text("".join(_source(*pair) for pair in pairs), encoding="utf-8")
    wrong = []
    for function, (source, result) in zip(lift(file, to=target).functions, pairs, strict=True):
        assert function.lifted, function.diagnostics
        corners = [value for value in _corners(source) if target != "jax" or not _is_subnormal(value)]
        wanted = [(value, want) for value in corners if (want := _converted(value, source, result)) is not None]
        names: dict[str, Any] = {}
        exec(function.program, names)
        given = np.array([value for value, _ in wanted], _dtype(source))
        found = np.asarray(names[function.name](_array_of(target, given))).tolist()
        for (value, want), one in zip(wanted, found, strict=True):
            if want != one and not (want != want and one != one):  # noqa: PLR0124 - NaN
                wrong.append(f"{source} {value!r} as {result}: {one!r} instead of {want!r}")
    assert not wrong, "\n".join(wrong[:60])
