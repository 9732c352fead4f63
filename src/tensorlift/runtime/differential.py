"""Differential tests of an emitted program: against the loop IR's interpreter, and against the compiled original.

The interpreter also chooses the data: inputs on which the source has no defined meaning, such as a division by zero,
are drawn again with no zeros, then all positive.  So neither side is ever run, or compared, where C promises nothing.
Where the interpreter and the original disagree, the front end is wrong, and the report says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.diagnostics import refuse
from tensorlift.ir.interpreter import Interpreter, InterpreterError, UndefinedError
from tensorlift.runtime.compare import Tolerance, compare
from tensorlift.runtime.data import STYLES, random_arguments
from tensorlift.runtime.original import Called, CompileOptions, Original, run_original
from tensorlift.runtime.program import ContractError, call_program, load_program
from tensorlift.runtime.sandbox import Limits, WorkerError, run_worker
from tensorlift.runtime.sizes import choose_sizes, required

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.ir import Operation

    from tensorlift.comprehension.domain import Domain
    from tensorlift.ir.function import FunctionView

    Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that failed: at which sizes, in whose eyes (``interpreter`` or ``compiled``), and how."""

    sizes: Sizes
    against: str
    message: str

    def __str__(self) -> str:
        """Spell it on one line."""
        sizes = ", ".join(f"{name} = {value}" for name, value in self.sizes.items())
        return f"{sizes or 'no sizes'}: {self.message}"


@dataclass(frozen=True, slots=True)
class DifferentialReport:
    """What a differential test found; nothing was tested where ``cases`` is 0."""

    against: str
    cases: int
    worst_error: float
    sizes: tuple[Sizes, ...]
    failures: tuple[Failure, ...] = ()
    undefined: tuple[Sizes, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether something was tested and nothing failed."""
        return self.cases > 0 and not self.failures


@dataclass(slots=True)
class _Case:
    """One set of inputs, as drawn, with the arrays and the value that the interpreter leaves."""

    sizes: Sizes
    arguments: dict[str, Any]
    expected: Called


@dataclass(slots=True)
class _Tally:
    """Collects the outcome of cases."""

    against: str
    tolerance: Tolerance
    cases: list[Sizes] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    undefined: list[Sizes] = field(default_factory=list)
    worst: float = 0.0

    def fail(self, sizes: Sizes, message: str, against: str = "") -> None:
        self.failures.append(Failure(dict(sizes), against or self.against, message))

    def compare(self, sizes: Sizes, pairs: Iterable[tuple[str, Any, Any]], against: str = "") -> None:
        for name, expected, given in pairs:
            difference = compare(name, expected, given, self.tolerance)
            self.worst = max(self.worst, difference.error)
            if difference.complaint:
                self.fail(sizes, difference.complaint, against)

    def report(self) -> DifferentialReport:
        done = tuple(self.cases)
        return DifferentialReport(
            self.against, len(done), self.worst, done, tuple(self.failures), tuple(self.undefined)
        )


def compare_with_interpreter(  # noqa: PLR0913 - two programs and how to compare them
    func_op: Operation,
    program: str,
    entry: str,
    outputs: Sequence[str],
    sizes: Iterable[Sizes],
    *,
    seed: int = 0,
    tolerance: Tolerance | None = None,
) -> DifferentialReport:
    """Run an emitted program against the interpreter at the given sizes, in this process.

    ``program`` is trusted, as the own emitter's text; ``outputs`` are the written arrays that it returns, in order.
    """
    interpreter = Interpreter(func_op)
    tally = _Tally("interpreter", tolerance or Tolerance())
    try:
        function = load_program(program, entry)
    except Exception as error:  # noqa: BLE001 - whatever the text raises, it is no program
        tally.fail({}, f"the program does not load: {type(error).__name__}: {error}")
        return tally.report()
    for case in _cases(interpreter, sizes, np.random.default_rng(seed), tally):
        tally.cases.append(case.sizes)
        try:
            results = call_program(function, case.arguments, _result_count(interpreter.view, outputs))
        except ContractError as error:
            tally.fail(case.sizes, str(error))
        else:
            tally.compare(case.sizes, _pairs(case.expected, outputs, results))
    return tally.report()


def differential_test(  # noqa: PLR0913 - two programs and how to compare them
    source: str,
    filename: str,
    func_op: Operation,
    program: str,
    entry: str,
    *,
    outputs: Sequence[str],
    compile_options: CompileOptions | None = None,
    domain: Domain | None = None,
    seeds: Sequence[int] = (0, 1, 2, 3, 4),
    tolerance: Tolerance | None = None,
    limits: Limits | None = None,
) -> DifferentialReport:
    """Run an emitted program against the compiled original, one case for each seed, both in limited subprocesses.

    Raises LiftError TL601 to TL605 where the original cannot be compiled or called, TL606 where the program's process
    fails, TL610 where no sizes meet the preconditions.
    """
    interpreter = Interpreter(func_op)
    view, limits = interpreter.view, limits or Limits()
    tally = _Tally("compiled", tolerance or Tolerance())
    rng = np.random.default_rng(list(seeds))
    sizes = choose_sizes(view.parameters, required(view) if domain is None else domain, rng, len(seeds))
    cases = list(_cases(interpreter, sizes, rng, tally))
    if not cases:
        return tally.report()
    arguments = [case.arguments for case in cases]
    original_file = Original(source, filename, compile_options or CompileOptions())
    originals = run_original(original_file, view, arguments, limits)
    emitted = {"program": program, "entry": entry, "outputs": _result_count(view, outputs)}
    replies = _run_program(view, emitted, arguments, limits)
    for case, original, reply in zip(cases, originals, replies, strict=True):
        tally.cases.append(case.sizes)
        _check_interpreter(view, case, original, tally)
        if isinstance(reply, str):
            tally.fail(case.sizes, reply)
        else:
            tally.compare(case.sizes, _pairs(original, outputs, reply))
    return tally.report()


def _cases(interpreter: Interpreter, sizes: Iterable[Sizes], rng: np.random.Generator, tally: _Tally) -> list[_Case]:
    """Draw inputs for each size set on which the function has a meaning; note those for which there are none."""
    cases = []
    for at in sizes:
        case = _case(interpreter, at, rng, tally)
        if case is not None:
            cases.append(case)
    return cases


def _case(interpreter: Interpreter, sizes: Sizes, rng: np.random.Generator, tally: _Tally) -> _Case | None:
    fault: Exception | None = None
    for style in STYLES:
        try:
            arguments = random_arguments(interpreter.view.parameters, sizes, rng, style)
            after = {
                name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()
            }
            value = interpreter(after).value
        except (InterpreterError, ValueError) as error:
            fault = error
        else:
            return _Case(dict(sizes), arguments, Called(after, value))
    if isinstance(fault, UndefinedError):
        tally.undefined.append(dict(sizes))
    else:
        tally.fail(sizes, str(fault), "interpreter")
    return None


def _check_interpreter(view: FunctionView, case: _Case, original: Called, tally: _Tally) -> None:
    """Compare the loop IR with the original: where they differ, the front end is wrong."""
    pairs = _pairs(original, view.written, [case.expected.arrays[name] for name in view.written])
    tally.compare(case.sizes, ((f"(interpreter) {name}", *rest) for name, *rest in pairs), "interpreter")
    if view.result_dtype is not None:
        tally.compare(case.sizes, [("(interpreter) result", original.value, case.expected.value)], "interpreter")


def _pairs(expected: Called, outputs: Sequence[str], given: Sequence[Any]) -> list[tuple[str, Any, Any]]:
    """Pair what is expected with what was given: the outputs by name, then the returned value where there is one."""
    wanted: list[tuple[str, Any]] = [(name, expected.arrays[name]) for name in outputs]
    if len(given) > len(outputs):
        wanted.append(("the result", expected.value))
    return [(name, value, found) for (name, value), found in zip(wanted, given, strict=True)]


def _result_count(view: FunctionView, outputs: Sequence[str]) -> int:
    return len(outputs) + (view.result_dtype is not None)


def _run_program(
    view: FunctionView, emitted: Mapping[str, Any], cases: Sequence[Mapping[str, Any]], limits: Limits
) -> list[list[Any] | str]:
    """Run the program on every case; give its results, or how it broke its contract."""
    roles = {parameter.name: parameter.role for parameter in view.parameters}
    facts = {**emitted, "roles": roles, "cases": len(cases)}
    arrays = {f"{k}:{name}": np.asarray(value) for k, case in enumerate(cases) for name, value in case.items()}
    try:
        reply, results = run_worker("program_worker", facts, arrays, limits)
    except WorkerError as error:
        remedy = "report it as a defect of tensorlift"
        raise refuse("TL606", f"running the lifted program failed: {error}", view.location, remedy) from None
    broken = reply["broken"]
    return [
        broken.get(str(k)) or [results[f"{k}:{position}"] for position in range(emitted["outputs"])]
        for k in range(len(cases))
    ]
