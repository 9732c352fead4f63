"""The first half of the proof: the literal IR of a function computes what definitions say, where that is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType

from tensorlift.comprehension import terms
from tensorlift.comprehension.domain import UNIVERSE
from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.comprehension.state import RecurrenceError
from tensorlift.ir.regions import ControlFlow, IrreducibleError
from tensorlift.proofs.source.execution import AT_END, Execution
from tensorlift.proofs.source.frames import Frame
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Memory, Undecided, Value, as_data

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from tensorlift.comprehension.definition import Summary
    from tensorlift.proofs.source.claims import Claims


def check_source(function: FuncOp, summary: Summary, claims: Claims) -> None:
    """Decide whether a function of literal IR computes what a summary says, where that is defined.

    Raises:
        Undecided: where that is not shown.

    """
    try:
        flow = ControlFlow(function)
    except IrreducibleError:
        raise Undecided("control has a cycle with more than one entry", function) from None
    execution = Execution(flow, summary, claims)
    context = summary.context & summary.ranges
    try:
        frame = Frame({}, execution.memory.start(function.parent_op()), is_sequential=True)
        ended = execution.run(0, _arguments(function, summary), frame, context, AT_END)
    except RecurrenceError as error:
        raise Undecided(f"{error.array} {error.why}", function) from None
    if ended is None:
        raise Undecided("the function does not end", function)
    for array, version in summary.outputs:
        execution.versions.require(array, ended.state.pieces.get(array, []), version, context)
    results = {array for array, _ in summary.outputs}
    if any(info.is_parameter and name in ended.state.pieces.keys() - results for name, info in summary.arrays.items()):
        raise Undecided("the function writes to an array that is no result", function)
    if summary.result is not None:
        (value,), definition = ended.passed, execution.versions.definitions[summary.result]
        term = as_data(value, function.function_type.outputs.data[0], definition.dtype)
        execution.versions.require(definition.array, [(UNIVERSE, term)], summary.result, context)


def _arguments(function: FuncOp, summary: Summary) -> list[Value]:
    """Give each argument its meaning; the argument after a memory is the offset from which its view counts."""
    marks: Any = function.arg_attrs or ()
    values: list[Value] = []
    for argument, mark in zip(function.body.blocks[0].args, marks, strict=True):
        name = mark.data["tl.name"].data
        if values and isinstance(values[-1], Memory):
            values.append(Exact(values[-1].start, is_signed=True))
        elif isinstance(argument.type, MemRefType):
            values.append(Memory(name, Polynomial.variable(f"{name} starts")))  # no name of a source has spaces
        elif name in summary.scalars:
            values.append(terms.scalar(name, summary.scalars[name]))
        elif name in summary.sizes:
            values.append(Exact(Polynomial.variable(name), is_signed=not summary.is_unsigned(name)))
        else:
            raise Undecided(f"{name} has no meaning in the definitions", function)
    return values
