"""Conversions through a middle type, at the corners of the types: meaning, compiled C and lifted program agree."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tensorlift.ops.conversions import value_of
from tensorlift.ops.dtypes import DType, integer_range, is_float, rounded
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

NAMES: dict[DType, tuple[str, Any]] = {
    "i8": ("signed char", np.int8), "u8": ("unsigned char", np.uint8), "i16": ("short", np.int16),
    "u16": ("unsigned short", np.uint16), "i32": ("int", np.int32), "u32": ("unsigned", np.uint32),
    "i64": ("long", np.int64), "u64": ("unsigned long", np.uint64), "f32": ("float", np.float32),
    "f64": ("double", np.float64),
}  # fmt: skip
POWERS = [Fraction(2) ** power for power in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64)]
CORNERS = [sign * (power + near) for power in POWERS for near in (-1, 0, 1) for sign in (1, -1)]
CORNERS += [Fraction(x) for x in (0, 1, -1, "300.7", "-1.5", "0.5", 5 * 10**9, -5 * 10**9, "1e-30")]
SOURCES: tuple[DType, ...] = ("u8", "i16", "i32", "u32", "i64", "f32", "f64")
CHAINS = [chain for chain in itertools.product(SOURCES, NAMES, NAMES) if chain[0] != chain[1] != chain[2]]


def corners(dtype: DType) -> list[Fraction]:
    """Give the corners that are values of a type."""
    if is_float(dtype):
        return list(dict.fromkeys(rounded(value, dtype) for value in CORNERS))
    low, high = integer_range(dtype)
    return [value for value in CORNERS if value.denominator == 1 and low <= value <= high]


def through(value: Fraction, chain: tuple[DType, ...]) -> Fraction | None:
    """Convert a value of the first type to the second and on to the third, None where a step is undefined."""
    source, middle, target = chain
    between = value_of(value, source, middle)
    return None if between is None else value_of(between, middle, target)


def in_c(name: str, chain: tuple[DType, ...]) -> str:
    source, middle, target = (NAMES[dtype][0] for dtype in chain)
    body = f"for (long i = 0; i < n; i++) o[i] = ({target})({middle})a[i];"
    return f"void {name}(long n, const {source} *a, {target} *o) {{ {body} }}\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("conversions")
    text = "".join(in_c(f"f{k}", chain) for k, chain in enumerate(CHAINS))
    command = ["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(folder / "conversions.so")]
    subprocess.run(command, input=text, text=True, check=True)
    return ctypes.CDLL(str(folder / "conversions.so"))


def data_of(chain: tuple[DType, ...]) -> tuple[Any, Any]:
    """Give the corners for which a chain is defined, and what they become."""
    pairs = [(value, result) for value in corners(chain[0]) if (result := through(value, chain)) is not None]
    kinds = [NAMES[chain[0]][1], NAMES[chain[-1]][1]]
    convert = [float if is_float(dtype) else int for dtype in (chain[0], chain[-1])]
    return tuple(np.array([convert[k](pair[k]) for pair in pairs], dtype=kinds[k]) for k in (0, 1))  # type: ignore[return-value]  # two of them


def test_the_meaning_of_conversions_is_that_of_the_compiler(library: ctypes.CDLL) -> None:
    for k, chain in enumerate(CHAINS):
        given, expected = data_of(chain)
        result = np.empty_like(expected)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (given, result)]
        getattr(library, f"f{k}")(ctypes.c_long(len(given)), *pointers)
        np.testing.assert_array_equal(result, expected, str(chain))


@pytest.mark.in_turns(3)
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize(("target", "every"), [("numpy", 3), ("jax", 11), ("torch", 11)])
def test_programs_convert_as_the_source(target: str, every: int) -> None:
    if target != "numpy":
        pytest.importorskip(target)
    chains = CHAINS[::every]
    if target == "torch":  # which lacks most unsigned types
        chains = [chain for chain in chains if not {"u16", "u32", "u64"}.intersection(chain)]
    text = "".join(in_c(f"f{k}", chain) for k, chain in enumerate(chains))
    functions = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions
    for function, chain in zip(functions, chains, strict=True):
        if not function.lifted:
            refused = [kind for kind in itertools.pairwise(chain) if is_float(kind[0]) and kind[1][0] == "u"]
            assert target != "numpy", function.diagnostics
            assert refused, function.diagnostics  # what these libraries make of a negative real is not C's
            continue
        given, expected = data_of(chain)
        names: dict[str, Any] = {}
        exec(function.program, names)
        argument = given
        if target == "torch":
            import torch  # noqa: PLC0415 - only where it is asked for

            argument = torch.from_numpy(given)
        elif target == "jax":
            import jax.numpy as jnp  # noqa: PLC0415 - only where it is asked for

            argument = jnp.asarray(given)
        result = np.asarray(names[function.name](argument))
        np.testing.assert_array_equal(result, expected, f"{chain}\n{function.program}")
        assert result.dtype == expected.dtype
