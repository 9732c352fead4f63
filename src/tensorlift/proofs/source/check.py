"""The first half of the proof: the literal IR of a function computes what definitions say, where that is decided."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import MemRefType

from tensorlift.comprehension.state import RecurrenceError
from tensorlift.ir.function import FAILS, NULL, ROW, SAME
from tensorlift.ir.literal_function import argument_names
from tensorlift.ir.regions import ControlFlow, IrreducibleError
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain
from tensorlift.poly.polynomial import Polynomial
from tensorlift.proofs.source.execution import AT_END, Execution
from tensorlift.proofs.source.frames import Frame
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Memory, Undecided, Value, as_data, element_type
from tensorlift.proofs.source.rows import Rows
from tensorlift.proofs.source.sense import are_bits_of, keep_names, known_names, named_number, require_whole
from tensorlift.proofs.source.sequential import starts_read_beside

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from tensorlift.comprehension.definition import Summary
    from tensorlift.proofs.source.claims import Claims
    from tensorlift.proofs.source.places import Places


def check_source(function: FuncOp, summary: Summary, places: Places, claims: Claims) -> None:
    """Decide whether a function of literal IR computes what a summary says, where that is defined.

    The summary and the places of what it speaks of are the statement, claims are found out and not believed.  Where
    definitions read beside a loop what that starts from, cells are followed that it has not written yet.

    Raises:
        Undecided: where that is not shown.

    """
    try:
        _check(function, summary, places, claims, set())
    except Undecided:
        beside = starts_read_beside(summary)
        if beside:
            with suppress(Undecided):
                _check(function, summary, places, claims, beside)
                return
        raise


def _check(function: FuncOp, summary: Summary, places: Places, claims: Claims, beside: set[str]) -> None:
    """Decide it; ``beside`` are the versions from which loops start whose cells are followed."""
    try:
        flow = ControlFlow(function)
    except IrreducibleError:
        raise Undecided("control has a cycle with more than one entry", function) from None
    require_whole(summary)
    keep_names(summary, claims)
    arguments = _arguments(function, summary, places)
    execution = Execution(flow, summary, claims, places)
    execution.versions.followed = beside
    context = summary.context & summary.ranges & places.within
    if context.is_empty():
        raise Undecided("the definitions hold for no sizes that the source has", function)
    try:
        start, names = execution.memory.start(function.parent_op()), known_names(summary)
        frame = Frame({}, start, is_sequential=True, variables=names, items=summary.items)
        execution.memory.rows = Rows(execution.versions, summary, frame)
        ended = execution.run(0, arguments, frame, context, AT_END)
    except RecurrenceError as error:
        raise Undecided(f"{error.array} {error.why}", function) from None
    if ended is None:
        raise Undecided("the function does not end", function)
    for array, version in summary.outputs:
        execution.versions.require(array, ended.state.pieces.get(array, []), version, context)
    results = {array for array, _ in summary.outputs}
    if any(info.is_parameter and name in ended.state.pieces.keys() - results for name, info in summary.arrays.items()):
        raise Undecided("the function writes to an array that is no result", function)
    _require_returned(function, execution, ended.passed, context)


def _require_returned(function: FuncOp, run: Execution, passed: list[Value], context: Domain) -> None:
    """Show that a function returns the memory and the number that the definitions say."""
    summary, places = run.summary, run.memory.places
    made = [value for value in passed if isinstance(value, Memory)]
    views = [places.views.get(memory.name) for memory in made]
    if [view and view.array for view in views] != [*places.returned] or any(memory.start.terms for memory in made):
        raise Undecided("the function returns other memory than the definitions say", function)
    types = [of_type for of_type in function.function_type.outputs.data if not isinstance(of_type, MemRefType)]
    values = [value for value in passed if not isinstance(value, Memory)]
    if len(types) != (summary.result is not None) or len(values) != len(types):
        raise Undecided("the function returns what the definitions do not, or the other way round", function)
    if summary.result is not None:
        (value,), definition = values, run.versions.definitions[summary.result]
        if not are_bits_of(element_type(types[0]), definition.dtype):
            raise Undecided("the function returns a value of another type", function)
        term = as_data(value, types[0], definition.dtype)
        run.versions.require(definition.array, [(UNIVERSE, term)], summary.result, context)


def _told(called: str, places: Places) -> Value | None:
    """Give what literal IR is told of an array: an extent, how far rows are apart, that there is one."""
    if called in places.extents:
        return Exact(places.extents[called], is_signed=True)
    if called.endswith(ROW):
        return Exact(Polynomial.variable(called), is_signed=True)
    if called in places.sizes:
        return Exact(Polynomial.of(places.sizes[called]), is_signed=True)
    if called.endswith(NULL) or SAME in called or called == FAILS:
        if called not in places.denied:
            raise Undecided(f"it is not stated that this is not so: {called}")
        return EMPTY
    return None


def _arguments(function: FuncOp, summary: Summary, places: Places) -> list[Value]:
    """Give each argument its meaning; the argument after a memory is the offset from which its view counts."""
    values: list[Value] = []
    for called, argument in zip(argument_names(function), function.body.blocks[0].args, strict=True):
        name = places.names.get(called)
        if values and isinstance(values[-1], Memory):
            values.append(Exact(values[-1].start, is_signed=True))
        elif isinstance(argument.type, MemRefType):
            if called in places.views and name != places.views[called].array:
                raise Undecided(f"{called} is no parameter of the definitions", function)
            values.append(Memory(called, Polynomial.variable(f"{called} starts")))  # no name of a source has spaces
        elif (told := _told(called, places)) is not None:
            values.append(told)
        elif name is None:
            raise Undecided(f"{called} is no parameter of the definitions", function)
        else:
            values.append(named_number(name, argument.type, summary))
    return values
