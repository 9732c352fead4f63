"""The differential test of an emitted program against the compiled original.

Where the loop IR's interpreter and the original disagree, the front end is wrong, and the report says so.

Comparing programs that write in the caller's memory, as C does: interpreted as they were read, or compiled.
"""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.contract.required import required
from tensorlift.diagnostics import refuse
from tensorlift.ir.function import as_c_calls
from tensorlift.ir.interpreter import Interpreter, InterpreterError
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.runtime.cases import (
    MOST_ITERATIONS,
    Called,
    Case,
    DifferentialReport,
    Tally,
    draw_cases,
    reference,
    result_count,
    result_pairs,
)
from tensorlift.runtime.compare import Tolerance
from tensorlift.runtime.compilers import openmp
from tensorlift.runtime.data import seeded
from tensorlift.runtime.layout import layout_of
from tensorlift.runtime.libraries import PACKAGES, require_library
from tensorlift.runtime.original import CHECKED, SUFFIX, CompileOptions, Original, run_original, run_python_original
from tensorlift.runtime.sizes import choose_sizes, stretched
from tensorlift.runtime.workers import Limits, WorkerError, run_worker

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import DerivedSize
    from tensorlift.ir.function import FunctionView
    from tensorlift.poly.domain import Domain
    from tensorlift.runtime.literal import LiteralRun


def differential_test(  # noqa: PLR0913 - two programs and how to compare them
    source: str,
    filename: str,
    function: Operation | FunctionView,
    program: str,
    entry: str,
    *,
    outputs: Sequence[str],
    library: str = "",
    compile_options: CompileOptions | None = None,
    domain: Domain | None = None,
    derived: Collection[DerivedSize] = (),
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    tolerance: Tolerance | None = None,
    limits: Limits | None = None,
) -> DifferentialReport:
    """Run an emitted program against the compiled original, one case for each seed, both in limited subprocesses.

    ``library`` is the array library that the program is written for, where that is not NumPy.

    Raises LiftError TL601 to TL605 where the original cannot be compiled or called, TL606 where the program's process
    fails, TL607 where its library is missing, TL610 where no sizes meet the preconditions,
    TL611 where they are too large.
    """
    require_library(library)
    compared = reference(function)
    view, limits = compared.view, limits or Limits()
    tally = Tally("python" if filename.endswith(SUFFIX) else "compiled", tolerance or Tolerance.of(library))
    rng = seeded(*seeds)
    domain = required(view) if domain is None else domain
    chosen = choose_sizes(view.parameters, domain, rng, len(seeds), derived=derived)
    sizes = stretched(view, domain, chosen, derived)
    cases = list(draw_cases(compared, sizes, rng, tally))
    if not cases:
        return tally.report()
    arguments = [case.arguments for case in cases]
    original_file = Original(source, filename, compile_options or CompileOptions())
    run = run_python_original if filename.endswith(SUFFIX) else run_original
    originals: Sequence[Called | None] = run(original_file, view, arguments, limits)
    emitted = {"program": program, "entry": entry, "outputs": result_count(view, outputs), "library": library}
    replies = _run_program(view, emitted, arguments, limits)
    for case, original, reply in zip(cases, originals, replies, strict=True):
        if original is None:
            continue
        tally.cases.append(case.sizes)
        _check_interpreter(view, case, original, tally)
        tally.judge(case, original, outputs, reply)
    return tally.report()


def interpreter_test(  # noqa: PLR0913 - two programs and how to compare them
    function: Operation | FunctionView,
    program: str,
    entry: str,
    *,
    outputs: Sequence[str],
    sizes: Iterable[Mapping[str, int]],
    library: str,
    literal: LiteralRun | None = None,
) -> DifferentialReport:
    """Run an emitted program for an array library against the interpreter, the program in a limited subprocess.

    Raises LiftError TL606 where the program's process fails, TL607 where its library is missing.
    """
    require_library(library)
    compared = reference(function, literal)
    view, tally = compared.view, Tally("interpreter", Tolerance.of(library))
    cases = list(draw_cases(compared, sizes, seeded(0), tally))
    emitted = {"program": program, "entry": entry, "outputs": result_count(view, outputs), "library": library}
    replies = _run_program(view, emitted, [case.arguments for case in cases], Limits())
    for case, reply in zip(cases, replies, strict=True):
        tally.cases.append(case.sizes)
        tally.judge(case, case.expected, outputs, reply)
    return tally.report()


def _check_interpreter(view: FunctionView, case: Case, original: Called, tally: Tally) -> None:
    """Compare the loop IR with the original: where they differ, the front end is wrong."""
    pairs = result_pairs(original, view.written, [case.expected.arrays[name] for name in view.written])
    tally.compare(case, ((f"(interpreter) {name}", *rest) for name, *rest in pairs), "interpreter")
    if view.result_dtype is not None:
        tally.compare(case, [("(interpreter) result", original.value, case.expected.value)], "interpreter")


def _run_program(
    view: FunctionView, emitted: Mapping[str, Any], cases: Sequence[Mapping[str, Any]], limits: Limits
) -> list[list[Any] | str]:
    """Run the program on every case; give its results, or how it broke its contract."""
    roles = {parameter.name: parameter.role for parameter in view.parameters}
    facts = {**emitted, "roles": roles, "cases": len(cases)}
    arrays = {f"{k}:{name}": np.asarray(value) for k, case in enumerate(cases) for name, value in case.items()}
    try:
        reply, results = run_worker("program_worker", facts, arrays, limits, PACKAGES.get(emitted["library"], ""))
    except WorkerError as error:
        remedy = "report it as a defect of tensorlift"
        raise refuse("TL606", f"running the lifted program failed: {error}", view.location, remedy) from None
    broken = reply["broken"]
    return [
        broken.get(str(k)) or [results[f"{k}:{position}"] for position in range(emitted["outputs"])]
        for k in range(len(cases))
    ]


_FILE = "program.c"
_LEAST = re.compile(r"^((?:  if \(|      && )(?:[\w *+().]|->)+ )> \d+(?=$|\) \{$)", re.MULTILINE)  # asked of sizes
_UNSET = 3.25  # what scratch memory holds before the call
_MOST_CELLS = 1 << 28  # of one array that a program declares
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
            tally.compare(case, pairs_of(source, case.expected, Called(arguments, value)))
    return tally.report()


def compare_compiled(  # noqa: PLR0913 - two programs, and the sizes to compare them at
    source: Original,
    view: FunctionView,
    text: str,
    program: FunctionView,
    domain: Domain,
    *,
    derived: Collection[DerivedSize] = (),
) -> DifferentialReport:
    """Compile the source, or run it where it is in Python, and the program, and call both on the same memory.

    Raises LiftError TL601 to TL605 where one cannot be compiled or called, or writes outside of its arrays.
    """
    tally = Tally("python" if source.filename.endswith(SUFFIX) else "compiled", Tolerance())
    rng = seeded(*range(_CASES))
    sizes = choose_sizes(view.parameters, domain, rng, _CASES, derived=derived)
    cases = list(draw_cases(reference(view), sizes, rng, tally))
    if not cases:
        return tally.report()
    run = run_python_original if source.filename.endswith(SUFFIX) else run_original
    originals: Sequence[Called | None] = run(source, view, [case.arguments for case in cases], Limits())
    for case, original, reply in zip(cases, originals, _replies(view, text, program, cases), strict=True):
        if original is not None:
            tally.cases.append(case.sizes)
            tally.compare(case, pairs_of(view, original, reply))
    return tally.report()


def compare_with_compiled(
    view: FunctionView, text: str, program: FunctionView, sizes: Iterable[Mapping[str, int]]
) -> DifferentialReport:
    """Compile the program alone, and compare it with the interpreted source; raises as `compare_compiled` does.

    Raises MemoryError where it declares an array of over 2**28 cells, which it need not read.
    """
    tally = Tally("interpreter", Tolerance())
    cases = list(draw_cases(reference(view), sizes, seeded(0), tally))
    for case, reply in zip(cases, _replies(view, text, program, cases) if cases else (), strict=True):
        tally.cases.append(case.sizes)
        tally.compare(case, pairs_of(view, case.expected, reply))
    return tally.report()


def _replies(view: FunctionView, text: str, program: FunctionView, cases: Sequence[Case]) -> Sequence[Called]:
    """Compile a program, and call it for each case, by the signature of the source where it has one."""
    stubbed = without_original(text, view.name)
    called, arguments = (
        (program, [_arguments(program, case) for case in cases])
        if stubbed == text
        else (as_c_calls(view), [case.arguments for case in cases])
    )
    build = replace(CHECKED, flags=(*CHECKED.flags, *openmp(CHECKED.compiler("C"))))
    return run_original(Original(always_on_threads(stubbed), _FILE), called, arguments, Limits(threads=_THREADS), build)


def without_original(text: str, name: str) -> str:
    """Let the function with the signature of the source, if there is one, trap where it would call the original.

    It calls the program at small sizes and on one thread too.
    """
    text = re.sub(rf"^(.*\b{name}_original\(.*\));$", r"\1 { __builtin_trap(); }", text, count=1, flags=re.MULTILINE)
    return _LEAST.sub(r"\1>= 0", text.replace("on_threads()", "1"))


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
            if prod(shape) > _MOST_CELLS:
                raise MemoryError
            memory = np.full(shape, _UNSET, NUMPY_TYPES[parameter.dtype])
            if given is not None:  # a matrix whose rows have gaps is seen with them
                memory[tuple(map(slice, np.shape(given)))] = given
            given = memory
        found[parameter.name] = given
    return found


def pairs_of(view: FunctionView, expected: Called, given: Called) -> Sequence[tuple[str, Any, Any]]:
    """Pair what the source leaves with what the program leaves: the written arrays, then the result."""
    arrays = {name: given.arrays[name][tuple(map(slice, expected.arrays[name].shape))] for name in view.written}
    pairs: list[tuple[str, Any, Any]] = [(name, expected.arrays[name], arrays[name]) for name in view.written]
    if expected.value is not None:
        pairs.append(("the result", expected.value, given.value))
    return pairs
