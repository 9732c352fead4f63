"""The loop IR of a program computes what the interpreter computes for the program as it was written."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tensorlift.contract.required import required
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.interpreter import Interpreter, InterpreterError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ir.text import parse_module
from tensorlift.languages.mlir import read_mlir
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.summarize import summarise

PROGRAMS = sorted((Path(__file__).parents[3] / "bench" / "mlir_programs").glob("*.mlir"))
NOT_INTERPRETED = {"calls", "copy", "parallel", "scf_parallel"}  # they hold operations that the loop IR has not


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("generalise", [False, True])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_translation_keeps_the_meaning(path: Path, generalise: bool) -> None:  # noqa: FBT001 - a parameter of a test
    text = path.read_text()
    (read,) = read_mlir(text, path.name, generalise=generalise)
    assert read.module is not None
    translated = functions(read.module)[0]
    written = functions(parse_module(text, path.name))[-1]
    try:
        original = Interpreter(written)
    except InterpreterError:
        assert path.stem in NOT_INTERPRETED
        return
    assert path.stem not in NOT_INTERPRETED
    for seed, sizes in enumerate(_sizes(translated, path.stem, generalise=generalise)):
        assert _run(Interpreter(translated), translated, sizes, seed) == _run(original, translated, sizes, seed)


def _sizes(function: Any, name: str, *, generalise: bool) -> list[dict[str, int]]:
    """Choose sizes; what was generalised has those of the source, for which alone the two must agree."""
    if generalise and name.startswith("static"):
        return [{"static_shapes": {"n": 40, "n_2": 30}, "static_stencil": {"steps": 3, "n": 64}}[name]]
    if generalise and name == "flat_index":
        return [{"n": 5, "src_d0": 80, "n_2": 16, "dst_d1": 17}]
    view = FunctionView(function)
    domain = summarise(function).context & required(view)
    return list(choose_sizes(view.parameters, domain, Random(1), 4))


def _run(program: Interpreter, translated: Any, sizes: dict[str, int], seed: int) -> list[Any]:
    """Run on arguments that depend on the seed alone, given by position."""
    random = np.random.default_rng(seed)
    arguments: list[Any] = []
    for parameter in FunctionView(translated).parameters:
        kind = NUMPY_TYPES[parameter.dtype]
        if parameter.role == "size":
            arguments.append(sizes[parameter.name])
        elif parameter.role == "scalar":
            arguments.append(kind.type(random.integers(1, 9)))
        else:
            assert parameter.extents is not None
            shape = [extent.at(sizes) for extent in parameter.extents]
            arguments.append(random.integers(-9, 9, shape).astype(kind))
    given = dict(zip((p.name for p in program.view.parameters), arguments, strict=False))
    result = program(given)
    return [result.value, *(a.tolist() for a in arguments if isinstance(a, np.ndarray))]
