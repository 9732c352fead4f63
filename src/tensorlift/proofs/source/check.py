"""The first half of the proof: the literal IR of a function computes what definitions say, where that is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType

from tensorlift.comprehension import terms
from tensorlift.comprehension.domain import UNIVERSE
from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.comprehension.state import RecurrenceError
from tensorlift.ir.function import ROW
from tensorlift.ir.regions import ControlFlow, IrreducibleError
from tensorlift.proofs.source.execution import AT_END, Execution
from tensorlift.proofs.source.frames import Frame
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Memory, Undecided, Value, as_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.dialects.func import FuncOp

    from tensorlift.comprehension.definition import Summary
    from tensorlift.proofs.source.claims import Claims


def check_source(function: FuncOp, summary: Summary, claims: Claims, names: Mapping[str, str]) -> None:
    """Decide whether a function of literal IR computes what a summary says, where that is defined.

    ``names`` are the parameters of the summary, by what literal IR calls them.

    Raises:
        Undecided: where that is not shown.

    """
    try:
        flow = ControlFlow(function)
    except IrreducibleError:
        raise Undecided("control has a cycle with more than one entry", function) from None
    _require_names(function, summary, claims, names)
    execution = Execution(flow, summary, claims, names)
    context = summary.context & summary.ranges
    try:
        frame = Frame({}, execution.memory.start(function.parent_op()), is_sequential=True)
        ended = execution.run(0, _arguments(function, summary, names), frame, context, AT_END)
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


def _require_names(function: FuncOp, summary: Summary, claims: Claims, names: Mapping[str, str]) -> None:
    """Show that each memory from outside is claimed to be the array that it is, and no other memory to be that."""
    marks: Any = function.arg_attrs or ()
    outside = {mark.data["tl.name"].data for mark in marks} | names.keys()
    for memory, view in claims.views.items():
        if (memory in outside or summary.arrays[view.array].is_parameter) and names.get(memory) != view.array:
            raise Undecided(f"{memory} is not {view.array}", function)


def _arguments(function: FuncOp, summary: Summary, names: Mapping[str, str]) -> list[Value]:
    """Give each argument its meaning.

    The argument after a memory is the offset from which its view counts.  How far the rows of a table are apart is not
    known: what is shown for any distance holds of rows anywhere, as each access is shown to be inside of its row.
    """
    marks: Any = function.arg_attrs or ()
    values: list[Value] = []
    for argument, mark in zip(function.body.blocks[0].args, marks, strict=True):
        called = mark.data["tl.name"].data
        name = names.get(called, called)
        if values and isinstance(values[-1], Memory):
            values.append(Exact(values[-1].start, is_signed=True))
        elif isinstance(argument.type, MemRefType):
            values.append(Memory(called, Polynomial.variable(f"{called} starts")))  # no name of a source has spaces
        elif called.endswith(ROW):
            values.append(Exact(Polynomial.variable(called), is_signed=True))
        elif name in summary.scalars:
            values.append(terms.scalar(name, summary.scalars[name]))
        elif name in summary.sizes:
            values.append(Exact(Polynomial.variable(name), is_signed=not summary.is_unsigned(name)))
        else:
            raise Undecided(f"{name} has no meaning in the definitions", function)
    return values
