"""Conversions between all types, at the corners of their ranges: what lifted programs compute is what C computes.

Where a value has no meaning in the target type (a real whose whole part does not fit), it is left out.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
from shutil import which
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.ops.dtypes import DType, round_float
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.runtime.libraries import installation
from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.program import call_program
from tensorlift.runtime.program_worker import loaded
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tensorlift.record import FunctionRecord

_XLA = {"jax", "stablehlo"}
_TYPES = {
    "b1": "_Bool", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long", "u1": "unsigned char",
    "u2": "unsigned short", "u4": "unsigned int", "u8": "unsigned long", "f4": "float", "f8": "double",
}  # fmt: skip
_FLOATS: dict[str, DType] = {"f4": "f32", "f8": "f64"}
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
    return [round_float(float(value), _FLOATS[kind]) for value in (*_NUMBERS, *_REALS)]


def _converted(value: float, source: str, target: str) -> float | None:
    """Give what a value becomes, None where that is undefined."""
    if target == "b1":
        return value != 0
    if target[0] == "f":
        if source[0] == "f":
            return round_float(value, _FLOATS[target])
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


def _source(source: str, results: Sequence[str]) -> str:
    """Write a function that converts the elements of an array to each of some types."""
    outputs = ", ".join(f"{_TYPES[kind]} *restrict {kind}" for kind in results)
    body = " ".join(f"{kind}[i] = ({_TYPES[kind]})a[i];" for kind in results)
    parameters = f"int n, const {_TYPES[source]} *restrict a, {outputs}"
    return f"void from_{source}({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}\n"


def _compiled(functions: Sequence[FunctionRecord], folder: Path) -> ctypes.CDLL:
    """Compile programs together with the originals that they call for arrays that overlap, which here do nothing."""
    for function in functions:
        (folder / f"{function.name}.c").write_text(function.program or "")
    (folder / "originals.c").write_text("".join(f"void {f.name}_original(void) {{}}\n" for f in functions))
    flags = ["-O1", "-shared", "-fPIC", "-o", "all.so"]
    subprocess.run(["cc", *flags, "originals.c", *(f"{f.name}.c" for f in functions), "-lm"], check=True, cwd=folder)
    return ctypes.CDLL(str(folder / "all.so"))


_UNSIGNED = {"u1", "u2", "u4", "u8"}
_LACKS = {"torch": _UNSIGNED - {"u1"}}


@pytest.mark.in_turns(3)
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("target", ["numpy", "jax", "torch", "stablehlo", "linalg", "c"])
def test_conversions_at_the_corners_of_types_are_those_of_c(target: str, tmp_path: Path) -> None:
    library = get_target(target).library
    if installation(library):
        pytest.skip(f"{target} is not installed")
    if target == "c" and which("cc") is None:
        pytest.skip("no C compiler")
    kinds = [kind for kind in _TYPES if kind not in _LACKS.get(target, ())]
    pairs = {source: [kind for kind in kinds if (source[0], kind[0]) != ("f", "u")] for source in kinds}
    text = "".join(_source(*pair) for pair in pairs.items())
    record = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target))
    compiled = _compiled(record.functions, tmp_path) if target == "c" else None
    lowered = Module("\n".join(f.program for f in record.functions)) if target == "linalg" else None
    wrong = []
    for function, (source, results) in zip(record.functions, pairs.items(), strict=True):
        assert function.lifted, function.diagnostics
        corners = [value for value in _corners(source) if library not in _XLA or not _is_subnormal(value)]
        given, found = np.array(corners, _dtype(source)), [np.zeros(len(corners), _dtype(kind)) for kind in results]
        if compiled is not None:
            getattr(compiled, function.name)(len(given), *(ctypes.c_void_p(a.ctypes.data) for a in (given, *found)))
        else:
            run = lowered.function(function.name) if lowered else loaded(function.program, function.name, library)
            found = call_program(run, {"n": len(given), "a": given}, len(results))
        for result, ones in zip(results, found, strict=True):
            for value, one in zip(corners, ones.view(_dtype(result)).tolist(), strict=True):  # MLIR's have no sign
                want = _converted(value, source, result)
                if want is not None and want != one and not (want != want and one != one):  # noqa: PLR0124 - NaN
                    wrong.append(f"{source} {value!r} as {result}: {one!r} instead of {want!r}")
    assert not wrong, "\n".join(wrong[:60])


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("source", _TYPES)
def test_a_number_that_is_converted_twice_is_rounded_twice(source: str) -> None:
    """Parameters are converted, by way of each type to each other one, by one function for each type in between."""
    results = [kind for kind in _TYPES if kind[0] != "u"]
    declared = ", ".join(f"{_TYPES[kind]} *{kind}" for kind in results)
    text = "".join(
        f"void by_{way}({_TYPES[source]} x, {declared}) "
        f"{{ {' '.join(f'*{kind} = ({_TYPES[kind]})({_TYPES[way]})x;' for kind in results)} }}\n"
        for way in _TYPES
    )
    record = lift_source(source_from_text(text, "f.c"), LiftOptions())
    wrong = []
    for function, way in zip(record.functions, _TYPES, strict=True):
        assert function.lifted, function.diagnostics
        run = loaded(function.program, function.name, "")
        for value in _corners(source):
            between = _converted(value, source, way)
            if between is None:
                continue
            wanted = [_converted(between, way, kind) for kind in results]
            found = call_program(run, {"x": _dtype(source).type(value)}, len(results))
            for kind, one, want in zip(results, found, wanted, strict=True):
                if want is not None and want != one and not (want != want and one != one):  # noqa: PLR0124 - NaN
                    wrong.append(f"{source} {value!r} by {way} as {kind}: {one!r} instead of {want!r}")
    assert not wrong, "\n".join(wrong[:60])
