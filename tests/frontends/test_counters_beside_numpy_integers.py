"""A counter beside an integer of NumPy makes an integer of that type, which wraps: conditions leave those sizes out."""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.contract.decide import holds
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

VALUES = [
    "i << np.int8(3)",
    "i * np.int8(3)",
    "i >> np.int8(3)",
    "i & np.int8(3)",
    "i + np.int8(3) - 1",
    "(i + 1) << np.int16(9)",
    "np.int8(i) * 3 // 2",
    "np.int16(i) * 300 % 7",
    "np.uint8(i) * 5 + 200",
    "i * np.int32(100003)",
    "i * np.int32(100003) % 1000",
    "np.int32(i) << 20",
    "5 - i * np.int32(70000)",
    "-(np.int32(i) * np.int32(70000)) // 3",
    "np.int32(i) + 2147480000",
]
SIZES = (0, 1, 2, 3, 17, 43, 44, 64, 100, 128, 129, 2049, 5000, 21475, 21476, 30000)


def _source() -> str:
    functions = [
        f"def f{k}(n: int, o: 'int64[:]'):\n    for i in range(n):\n        o[i] = {value}\n"
        for k, value in enumerate(VALUES)
    ]
    return "import numpy as np\n" + "\n".join(functions)


@cache
def _lifted() -> dict[str, FunctionRecord]:
    return {f.name: f for f in lift_source(source_from_text(_source(), "f.py"), LiftOptions()).functions}


@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize("position", range(len(VALUES)), ids=VALUES)
def test_a_program_gives_what_the_function_gives_wherever_its_conditions_hold(position: int) -> None:
    function = _lifted()[f"f{position}"]
    original: dict[str, Any] = {}
    program: dict[str, Any] = {}
    exec(_source(), original)
    exec(function.program, program)
    taken = 0
    for n in SIZES:
        o = np.zeros(n, np.int64)
        given = {"n": n, "o": o}
        if not all(holds(p.condition, given) for p in function.preconditions if p.condition is not None):
            continue
        taken += 1
        entry = program[function.name]
        found = entry(*[given[name] for name in inspect.signature(entry).parameters])
        try:
            original[function.name](n, o)
        except OverflowError:
            continue
        np.testing.assert_array_equal(found, o, f"n = {n}")
    assert taken >= 4, function.preconditions
