"""Comparing programs that write in the caller's memory, as C does: interpreted as they were read, or compiled."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.ir.interpreter import Interpreter, InterpreterError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.cases import MOST_ITERATIONS, Called, DifferentialReport, Tally, draw_cases, reference
from tensorlift.runtime.compare import Tolerance
from tensorlift.runtime.compilers import openmp
from tensorlift.runtime.data import seeded
from tensorlift.runtime.layout import layout_of
from tensorlift.runtime.original import CHECKED, Original, run_original
from tensorlift.runtime.python_original import SUFFIX, run_python_original
from tensorlift.runtime.sandbox import Limits
from tensorlift.runtime.sizes import choose_sizes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.comprehension.domain import Domain
    from tensorlift.ir.function import FunctionView
    from tensorlift.runtime.cases import Case
    from tensorlift.runtime.literal import LiteralRun

_FILE = "program.c"
_UNSET = 3.25  # what scratch memory holds before the call
_CASES = 5
_THREADS = 2


def compare_as_read(
    source: FunctionView, program: FunctionView, sizes: Iterable[Mapping[str, int]], literal: LiteralRun | None = None
) -> DifferentialReport:
    """Interpret a program as it was read back, against the interpreted source; nothing is compiled or executed."""
    mine = Interpreter(program, 4 * MOST_ITERATIONS)
    tally = Tally("interpreter", Tolerance())
    for case in draw_cases(reference(source, literal), sizes, seeded(0), tally):
        tally.cases.append(case.sizes)
        arguments = _arguments(program, case)
        try:
            value = mine(arguments).value
        except (InterpreterError, ValueError) as error:
            tally.fail(case.sizes, str(error))
        else:
            tally.compare(case, _pairs(source, case.expected, Called(arguments, value)))
    return tally.report()


def compare_compiled(
    source: Original, view: FunctionView, text: str, program: FunctionView, domain: Domain
) -> DifferentialReport:
    """Compile the source, or run it where it is in Python, and the program, and call both on the same memory.

    Raises LiftError TL601 to TL605 where one cannot be compiled or called, or writes outside of its arrays.
    """
    tally = Tally("python" if source.filename.endswith(SUFFIX) else "compiled", Tolerance())
    rng = seeded(*range(_CASES))
    sizes = choose_sizes(view.parameters, domain, rng, _CASES)
    cases = list(draw_cases(reference(view), sizes, rng, tally))
    if not cases:
        return tally.report()
    run = run_python_original if source.filename.endswith(SUFFIX) else run_original
    originals: Sequence[Called | None] = run(source, view, [case.arguments for case in cases], Limits())
    for case, original, reply in zip(cases, originals, _replies(view, text, program, cases), strict=True):
        if original is not None:
            tally.cases.append(case.sizes)
            tally.compare(case, _pairs(view, original, reply))
    return tally.report()


def compare_with_compiled(
    view: FunctionView, text: str, program: FunctionView, sizes: Iterable[Mapping[str, int]]
) -> DifferentialReport:
    """Compile the program alone, and compare it with the interpreted source; raises as `compare_compiled` does."""
    tally = Tally("interpreter", Tolerance())
    cases = list(draw_cases(reference(view), sizes, seeded(0), tally))
    for case, reply in zip(cases, _replies(view, text, program, cases) if cases else (), strict=True):
        tally.cases.append(case.sizes)
        tally.compare(case, _pairs(view, case.expected, reply))
    return tally.report()


def _replies(view: FunctionView, text: str, program: FunctionView, cases: Sequence[Case]) -> Sequence[Called]:
    """Compile a program, and call it for each case, by the signature of the source where it has one."""
    stubbed = without_original(text, view.name)
    called, arguments = (
        (program, [_arguments(program, case) for case in cases])
        if stubbed == text
        else (view, [case.arguments for case in cases])
    )
    build = replace(CHECKED, flags=(*CHECKED.flags, *openmp(CHECKED.compiler("C"))))
    return run_original(Original(always_on_threads(stubbed), _FILE), called, arguments, Limits(threads=_THREADS), build)


def without_original(text: str, name: str) -> str:
    """Let the function with the signature of the source, if there is one, trap where it would call the original."""
    return re.sub(rf"^(.*\b{name}_original\(.*\));$", r"\1 { __builtin_trap(); }", text, count=1, flags=re.MULTILINE)


def always_on_threads(text: str) -> str:
    """Let loops that may run on several threads do so, however few iterations they have."""
    return re.sub(r"^(\s*#pragma omp .*) if \(.*\)$", r"\1", text, flags=re.MULTILINE)


def _arguments(program: FunctionView, case: Case) -> dict[str, Any]:
    """Give a program the arguments of a case, and scratch memory of any contents."""
    found: dict[str, Any] = {}
    for parameter in program.parameters:
        given = case.arguments.get(parameter.name)
        if parameter.role == "array":
            shape = layout_of(parameter, case.sizes).shape
            if given is not None and shape:  # to C the outermost extent says nothing
                shape = (max(shape[0], len(given)), *shape[1:])
            memory = np.full(shape, _UNSET, NUMPY_TYPES[parameter.dtype])
            if given is not None:  # a matrix whose rows have gaps is seen with them
                memory[tuple(map(slice, np.shape(given)))] = given
            given = memory
        found[parameter.name] = given
    return found


def _pairs(view: FunctionView, expected: Called, given: Called) -> Sequence[tuple[str, Any, Any]]:
    """Pair what the source leaves with what the program leaves: the written arrays, then the result."""
    arrays = {name: given.arrays[name][tuple(map(slice, expected.arrays[name].shape))] for name in view.written}
    pairs: list[tuple[str, Any, Any]] = [(name, expected.arrays[name], arrays[name]) for name in view.written]
    if expected.value is not None:
        pairs.append(("the result", expected.value, given.value))
    return pairs
