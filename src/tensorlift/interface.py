"""What the rooms know about a function in the terms of the run record: parameters, outputs, loops, tests."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from xdsl.dialects.builtin import ShapedType

from tensorlift.comprehension.definition import Item, KeptLoop, Summary
from tensorlift.contract.interface import Parameter, Precondition, Role
from tensorlift.diagnostics import Location, refuse
from tensorlift.ir.segments import Spans
from tensorlift.ir.tensor_program import Cumulative, Scatter, TensorProgram, has_array_operations, nodes_of
from tensorlift.ir.work import ONCE, Work, work_of_loops, work_of_program, work_of_source
from tensorlift.record import FunctionRecord, Level, Output, ResidualLoop, Trial, Verdict, row_major_strides
from tensorlift.report.program import parameter_names
from tensorlift.restricted import is_restricted
from tensorlift.targets import get_target
from tensorlift.targets.c.courses import is_running

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.c.elsewhere import OtherFile
    from tensorlift.ir.cut import Cut
    from tensorlift.ir.function import FunctionView
    from tensorlift.ir.function import Parameter as SourceParameter
    from tensorlift.proofs import Certificate
    from tensorlift.runtime.cases import DifferentialReport
    from tensorlift.targets.target import Target

RETURN_VALUE = "return"  # the name of the C return value among the outputs: no C name can be this
UNKNOWN = "?"  # an extent
_NOTHING_RUN = "no case could be run"
_KINDS = {"i": "int", "u": "uint", "f": "float", "bf": "bfloat"}


class Emitted(Protocol):
    """A program as a target's emitter gives it: its text, the name of its function, hints for the checker."""

    @property
    def text(self) -> str:
        """The program."""

    @property
    def entry(self) -> str:
        """The name of its function."""

    @property
    def cuts(self) -> Sequence[Cut]:
        """Where variables hold definitions."""


@dataclass(frozen=True, slots=True)
class Lifting:
    """All that the rooms found out about one function that was lifted."""

    view: FunctionView
    summary: Summary
    emitted: Emitted
    certificate: Certificate
    reports: tuple[DifferentialReport, ...]
    preconditions: tuple[Precondition, ...]
    program: FunctionView | None = None  # the emitted program, where it was read back
    tensors: TensorProgram | None = None  # what it was emitted from, where it is of whole arrays
    others: tuple[OtherFile, ...] = ()  # of the project, that something was found in
    literal: ModuleOp | None = None  # what the source says, where its language has a literal reader


def record_of(
    lifting: Lifting, location: Location | None, digest: str, target: str, seconds: Mapping[str, float]
) -> FunctionRecord:
    """Make the record of a function that was lifted and proved; ``digest`` is that of the source.

    A test that fails contradicts the proof: then one of the two is broken, and nothing is given out.
    """
    view, program = lifting.view, lifting.emitted.text
    counted = {str(name) for p in view.parameters for extent in p.extents or () for name, _ in extent.terms}
    flags = {p.name for p in view.parameters if p.value.first_use is None} - counted  # such as only assertions ask for
    asked = {str(condition.condition) for condition in lifting.preconditions}
    flags |= {p.name for p in view.parameters if f"{p.name} == 0" in asked} - counted
    trials = tuple(describe_test(report, flags) for report in lifting.reports)
    for trial in trials:
        if trial.failure == _NOTHING_RUN:
            raise refuse(
                "TL620",
                "no input was found on which the source is defined and stable, so that nothing was tested",
                location,
                "initialise what is read, and keep divisors from zero",
            )
        if not trial.passed:
            raise refuse(
                "TL901",
                f"the lifted program is proved, but differs from the {trial.against} original: {trial.failure}",
                location,
                "report it with the source: the proof or the test is broken",
            )
    conditions = lifting.preconditions
    work = _work(lifting)
    excess = str(work.beyond(work_of_source(view), lifting.summary.context))
    certificate = lifting.certificate.about(digest, tuple(condition.text for condition in conditions))
    return FunctionRecord(
        view.name,
        _verdict(lifting, get_target(target), excess),
        location,
        Level.PROVED,
        Level.TESTED,
        "",
        "derive",
        target,
        seconds,
        describe_parameters(view, program, target) if lifting.program is None else _parameters(view, lifting.program),
        describe_outputs(view),
        conditions,
        restricted=is_restricted(view, lifting.summary, conditions),
        residual_loops=tuple(describe_loops(lifting.summary.items)),
        work={"source": str(work_of_loops(view)), "program": str(work), **({"excess": excess} if excess else {})},
        program=program,
        certificate=certificate.as_json(),
        tests=trials,
    )


def _verdict(lifting: Lifting, target: Target, excess: str) -> Verdict:
    """Say what remains in a program beside loops over elements: a sequential loop, a scan along an axis, or neither.

    Nothing is gained where Python runs a loop, cell by cell, and no operation on arrays is beside it, or where a loop
    that stays is more work by degree than the source: ``excess``.  Where a target spells operations as loops, the text
    tells; in C, where everything is one, the definitions do.
    """
    body = lifting.tensors.body if lifting.tensors is not None else ()
    if any(isinstance(item, KeptLoop) for item in lifting.summary.items):
        is_of_cells = target.is_interpreted and not has_array_operations(body)
        return Verdict.UNCHANGED if is_of_cells or excess else Verdict.HYBRID
    if target.reads_back:
        return Verdict.SCAN if any(map(is_running, lifting.summary.definitions())) else Verdict.LOOP_FREE
    nodes = list(nodes_of(body))
    is_scan = any(isinstance(node, Cumulative) for node in nodes)
    has_loops = any(re.search(rf"\b{re.escape(loop)}\b", lifting.emitted.text) for loop in target.loops)
    if has_loops and (not is_scan or any(isinstance(node, Spans | Scatter) for node in nodes)):
        return Verdict.HYBRID
    return Verdict.SCAN if is_scan else Verdict.LOOP_FREE


def _work(lifting: Lifting) -> Work:
    if lifting.tensors is not None:
        return work_of_program(lifting.tensors)
    return ONCE if lifting.program is None else work_of_loops(lifting.program)


def _parameters(view: FunctionView, program: FunctionView) -> tuple[Parameter, ...]:
    """Describe the parameters of a program that was read back, those that the source has."""
    known = {parameter.name: parameter for parameter in view.parameters}
    return tuple(describe_parameter(p.name, known[p.name]) for p in program.parameters if p.name in known)


def describe_loops(items: Sequence[Item]) -> Iterator[ResidualLoop]:
    """Describe the loops that stay, outer ones first."""
    for item in items:
        if isinstance(item, KeptLoop):
            reason = item.reason
            statement = str(reason.location or "")
            carried = ", ".join(c.array for c in item.carried)
            is_counted, asked = (
                item.goes_on is None,
                next((c.array for c in item.carried if c.name == item.goes_on), ""),
            )
            yield ResidualLoop(
                f"for {item.variable}" if is_counted else f"while {asked}",
                f"{carried} carried over {item.variable}" if is_counted else f"{carried} carried",
                statement,
                reason.message.removeprefix(f"the loop over {item.variable} stays: ").removeprefix("the loop stays: "),
                reason.location,
            )
            yield from describe_loops(item.body)


def describe_parameters(view: FunctionView, program: str, target: str = "numpy") -> tuple[Parameter, ...]:
    """Describe the parameters of the function that was emitted, in its order.

    Raises KeyError where it takes a parameter that the source does not have.
    """
    known = {parameter.name: parameter for parameter in view.parameters}
    names = parameter_names(view.name, program, target)
    return tuple(
        describe_parameter(name, known[name] if name in known else known[name.removesuffix("_")]) for name in names
    )


def names_read(program: str) -> set[str]:
    """List the names that the functions of a program read."""
    return {n.id for n in ast.walk(ast.parse(program)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def emitted_names(view: FunctionView, parameters: Sequence[Parameter]) -> dict[str, str]:
    """Give the names of parameters of the emitted function by those of the source."""
    known = {parameter.name for parameter in view.parameters}
    return {p.name if p.name in known else p.name.removesuffix("_"): p.name for p in parameters}


def describe_outputs(view: FunctionView) -> tuple[Output, ...]:
    """Describe what the emitted function returns: the written arrays in source order, then the C return value."""
    known = {parameter.name: parameter for parameter in view.parameters}
    arrays = [Output(name, numpy_dtype(known[name].dtype), _shape(known[name])) for name in view.written]
    returned = [Output(RETURN_VALUE, numpy_dtype(view.result_dtype))] if view.result_dtype else []
    return (*arrays, *returned)


def describe_test(report: DifferentialReport, flags: Collection[str] = ()) -> Trial:
    """Describe a differential test; one that ran no case, or only on what is empty, has not passed."""
    failure = str(report.failures[0]) if report.failures else _NOTHING_RUN if report.shows_nothing(flags) else ""
    return Trial(report.against, report.cases, tuple(report.sizes), report.worst_error, failure)


def unused_arrays(view: FunctionView) -> set[str]:
    """Name the arrays that a function neither reads nor writes, so that it tells nothing of them."""
    return {p.name for p in view.parameters if p.role == "array" and p.value.first_use is None}


def numpy_dtype(dtype: str) -> str:
    """Give NumPy's name of an element type: ``f64`` is ``float64``."""
    return dtype if dtype == "bool" else _KINDS[dtype.rstrip("0123456789")] + dtype.lstrip("biuf")


def describe_parameter(name: str, source: SourceParameter) -> Parameter:
    """Describe a parameter of the source, which the emitted function calls by a name."""
    role = Role(source.role)
    shape = _shape(source)
    strides = (source.strides or row_major_strides(shape)) if role is Role.ARRAY else ()
    return Parameter(name, role, numpy_dtype(source.dtype), shape, strides)


def _shape(source: SourceParameter) -> tuple[str, ...]:
    if not isinstance(source.value.type, ShapedType):
        return ()
    if source.extents is None:
        return (UNKNOWN,) * source.value.type.get_num_dims()
    return tuple(map(str, source.extents))
