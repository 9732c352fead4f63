"""The differential test of an emitted program against the compiled original.

Where the loop IR's interpreter and the original disagree, the front end is wrong, and the report says so.

Compares an emitted program with the interpreters of its source, in this process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.contract.required import required
from tensorlift.diagnostics import refuse
from tensorlift.runtime.cases import (
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
from tensorlift.runtime.data import seeded
from tensorlift.runtime.libraries import PACKAGES, require_library
from tensorlift.runtime.original import CompileOptions, Original, run_original
from tensorlift.runtime.program import ContractError, call_program
from tensorlift.runtime.program_worker import loaded
from tensorlift.runtime.python_original import SUFFIX, run_python_original
from tensorlift.runtime.sandbox import Limits
from tensorlift.runtime.sizes import choose_sizes, stretched
from tensorlift.runtime.workers import WorkerError, run_worker

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.ir import Operation

    from tensorlift.comprehension.domain import Domain
    from tensorlift.ir.function import FunctionView
    from tensorlift.runtime.literal import LiteralRun


def compare_with_interpreter(  # noqa: PLR0913 - two programs and how to compare them
    function: Operation | FunctionView,
    program: str,
    entry: str,
    outputs: Sequence[str],
    sizes: Iterable[Mapping[str, int]],
    *,
    seed: int = 0,
    tolerance: Tolerance | None = None,
    library: str = "",
    literal: LiteralRun | None = None,
) -> DifferentialReport:
    """Run an emitted program against the interpreter at the given sizes, in this process.

    ``program`` is trusted, as the own emitter's text, and written for NumPy or another ``library``; ``outputs`` are the
    written arrays that it returns, in order.
    """
    source = reference(function, literal)
    tally = Tally("interpreter", tolerance or Tolerance())
    try:
        ready = loaded(program, entry, library)
    except Exception as error:  # noqa: BLE001 - whatever the text raises, it is no program
        tally.fail({}, f"the program does not load: {type(error).__name__}: {error}")
        return tally.report()
    for case in draw_cases(source, sizes, seeded(seed), tally):
        tally.cases.append(case.sizes)
        try:
            results = call_program(ready, case.arguments, result_count(source.view, outputs))
        except ContractError as error:
            tally.fail(case.sizes, str(error))
        else:
            tally.compare(case, result_pairs(case.expected, outputs, results))
    return tally.report()


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
    tally = Tally("python" if filename.endswith(SUFFIX) else "compiled", tolerance or Tolerance())
    rng = seeded(*seeds)
    domain = required(view) if domain is None else domain
    chosen = choose_sizes(view.parameters, domain, rng, len(seeds))
    sizes = stretched(view, domain, chosen)
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
        if isinstance(reply, str):
            tally.fail(case.sizes, reply)
        else:
            tally.compare(case, result_pairs(original, outputs, reply))
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
    view, tally = compared.view, Tally("interpreter", Tolerance())
    cases = list(draw_cases(compared, sizes, seeded(0), tally))
    emitted = {"program": program, "entry": entry, "outputs": result_count(view, outputs), "library": library}
    replies = _run_program(view, emitted, [case.arguments for case in cases], Limits())
    for case, reply in zip(cases, replies, strict=True):
        tally.cases.append(case.sizes)
        if isinstance(reply, str):
            tally.fail(case.sizes, reply)
        else:
            tally.compare(case, result_pairs(case.expected, outputs, reply))
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
