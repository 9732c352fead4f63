"""The loop IR of a C function, run by the interpreter, agrees with the function compiled by cc."""

from __future__ import annotations

import copy
import re
import shutil
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.contract.required import required
from tensorlift.ir.function import FunctionView
from tensorlift.ir.interpreter import Interpreter, UndefinedError
from tensorlift.languages.c import read_c
from tensorlift.runtime.cases import Called
from tensorlift.runtime.compare import Tolerance, compare
from tensorlift.runtime.data import STYLES, random_arguments, seeded
from tensorlift.runtime.original import Original, run_original
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.runtime.workers import Limits

if TYPE_CHECKING:
    from random import Random

    from tensorlift.frontends.read_function import ReadFunction

PROGRAM = Path(__file__).parent / "agreement.c"
SOURCE = PROGRAM.read_text(encoding="utf-8")
NAMES = re.findall(r"^[a-z].*?(\w+)\(", SOURCE, re.MULTILINE)
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")


@cache
def _functions() -> dict[str, ReadFunction]:
    return {item.name: item for item in read_c(SOURCE, PROGRAM.name)}


def _defined_cases(interpreter: Interpreter, rng: Random) -> list[tuple[dict[str, Any], Called]]:
    """Draw arguments at several sizes on which C gives the program a meaning, with what the interpreter leaves."""
    view = interpreter.view
    cases: list[tuple[dict[str, Any], Called]] = []
    for sizes in choose_sizes(view.parameters, required(view), rng, 4):
        for style in STYLES:
            arguments = random_arguments(view.parameters, sizes, rng, style)
            after = copy.deepcopy(arguments)
            try:
                result = interpreter(after)
            except UndefinedError:
                continue
            cases.append((arguments, Called(after, result.value)))
            break
    return cases


def test_every_function_is_read() -> None:
    assert sorted(_functions()) == sorted(NAMES)
    assert {name: item.diagnostics for name, item in _functions().items() if item.module is None} == {}


@pytest.mark.in_turns(4)
@needs_compiler
@pytest.mark.parametrize("name", sorted(NAMES))
def test_interpreter_and_compiler_agree(name: str) -> None:
    module = _functions()[name].module
    assert module is not None
    (func_op,) = module.ops
    cases = _defined_cases(Interpreter(func_op), seeded(zlib.crc32(name.encode())))
    assert cases
    arguments = [case for case, _ in cases]
    called = run_original(Original(SOURCE, PROGRAM.name), FunctionView(func_op), arguments, Limits())
    for (_, mine), theirs in zip(cases, called, strict=True):
        for array, given in theirs.arrays.items():
            assert not compare(array, mine.arrays[array], given, Tolerance()).complaint
        assert (mine.value is None) == (theirs.value is None)
        if mine.value is not None:
            assert not compare("return", np.asarray(mine.value), np.asarray(theirs.value), Tolerance()).complaint
