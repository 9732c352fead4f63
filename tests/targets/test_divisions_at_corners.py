"""Quotients and remainders, rounded down, of the least and the greatest integers of each width, in all targets."""

from __future__ import annotations

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.runtime.libraries import installation
from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.program import call_program
from tensorlift.runtime.program_worker import loaded
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint32")
DIVIDED = ("a[i] // 3", "a[i] % 3", "a[i] // 7 + a[i] % 7", "a[i] // 2", "a[i] >> 1", "(a[i] // 100) % 3")


def _source() -> str:
    return "import numpy as np\n" + "".join(
        f"def f_{dtype}_{k}(n: int, a: '{dtype}[:]'):\n    o = np.zeros(n, dtype=np.{dtype})\n"
        f"    for i in range(n):\n        o[i] = {text}\n    return o\n"
        for dtype in TYPES
        for k, text in enumerate(DIVIDED)
    )


def _corners(dtype: str) -> np.ndarray[tuple[int], np.dtype[np.integer]]:
    limits = np.iinfo(dtype)
    near = [end + step for end in (limits.min, limits.max, 0) for step in range(-8, 9)]
    return np.array([one for one in near if limits.min <= one <= limits.max], dtype)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize(
    ("target", "least"), [("numpy", 36), ("jax", 36), ("torch", 30), ("stablehlo", 36), ("linalg", 36)]
)
def test_a_division_rounds_down_at_the_ends_of_each_type(target: str, least: int) -> None:
    if installation(get_target(target).library):
        pytest.skip(f"{target} is not installed")
    text = _source()
    names: dict[str, object] = {}
    exec(text, names)
    record = lift_source(source_from_text(text, "f.py"), LiftOptions(target=target, test=False))
    lifted = [function for function in record.functions if function.lifted]
    assert len(lifted) >= least, [f.diagnostics for f in record.functions if not f.lifted]
    lowered = Module("\n".join(f.program for f in lifted)) if target == "linalg" else None
    for function in lifted:
        given = _corners(function.name.split("_")[1])
        library = get_target(target).library
        run = lowered.function(function.name) if lowered else loaded(function.program, function.name, library)
        (found,) = call_program(run, {"n": len(given), "a": given}, 1)
        wanted = names[function.name](len(given), given)  # type: ignore[operator]  # a function of the source
        found = found.view(wanted.dtype) if lowered else found  # MLIR's integers have no sign
        np.testing.assert_array_equal(found, wanted, function.program, strict=True)
