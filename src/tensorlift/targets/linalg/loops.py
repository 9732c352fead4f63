"""Loops of a program: what they hand on, and folds that are one loop, or one in a nest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.targets.linalg.body import Body
from tensorlift.targets.linalg.writer import COMBINERS, Value, operation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.ir.segments import Spans
    from tensorlift.ir.tensor_program import Cumulative, Expression, Shape
    from tensorlift.targets.linalg.values import Values
    from tensorlift.targets.linalg.writer import Writer

    Step = Callable[[list[Value]], list[Value]]


def loop_head(
    variable: Value, ends: Sequence[Value], carried: Sequence[tuple[Value, Value]], results: Sequence[Value]
) -> str:
    """Spell the first line of a loop; ``carried`` are its arguments, each with what it starts with."""
    text = f"scf.for {variable.name} = {ends[0].name} to {ends[1].name} step {ends[2].name}"
    if not carried:
        return f"{text} {{"
    types = ", ".join(before.type for _, before in carried)
    return f"{spelled(results)}{text} iter_args({starts_text(carried)}) -> ({types}) {{"


def spelled(results: Sequence[Value]) -> str:
    """Spell the results of an operation on the left of it."""
    name, _, more = results[0].name.partition("#")
    return f"{name}{f':{len(results)}' if more else ''} = "


def starts_text(carried: Sequence[tuple[Value, Value]]) -> str:
    """Spell arguments, each with what it starts with."""
    return ", ".join(f"{inner.name} = {before.name}" for inner, before in carried)


def results_of(writer: Writer, before: Sequence[Value], stem: str = "") -> list[Value]:
    """Return new values of the types of others, as the results of one operation."""
    name = writer.fresh(stem)
    return [Value(f"{name}#{k}" if len(before) > 1 else name, one.type) for k, one in enumerate(before)]


def repeated(  # noqa: PLR0913, PLR0917 - the parts of a loop
    writer: Writer,
    variable: Value,
    ends: tuple[Value, Value],
    before: Sequence[Value],
    step: Step,
    inside: Domain = UNIVERSE,
) -> list[Value]:
    """Add a loop from one index up to another, and return what the values are that its iterations hand on."""
    results = results_of(writer, before)
    inner = [Value(writer.fresh(), start.type) for start in before]
    writer.line(loop_head(variable, (*ends, writer.index(1)), list(zip(inner, before, strict=True)), results))
    with writer.inner(inside):
        yielded(writer, step(inner))
    writer.line("}")
    return results


def yielded(writer: Writer, given: Sequence[Value]) -> None:
    """Add the end of a region."""
    writer.line(f"scf.yield {', '.join(v.name for v in given)} : {', '.join(v.type for v in given)}")


def over(writer: Writer, extents: Sequence[Value], variables: Sequence[Value], into: Value, step: Step) -> Value:
    """Add loops over extents, the outermost first, that hand on a tensor."""
    if not extents:
        return step([into])[0]

    def inner(given: list[Value]) -> list[Value]:
        return [over(writer, extents[1:], variables[1:], given[0], step)]

    return repeated(writer, variables[0], (writer.index(0), extents[0]), [into], inner)[0]


def running(values: Values, node: Cumulative) -> Value:
    """Return a running fold: loops over the other axes, and in them one that hands on what is folded so far."""
    writer, into = values.writer, values.empty(node.shape, node.dtype)
    variables = [Value(writer.fresh("p"), "index") for _ in node.shape]
    body, cell = _cell(values, node.argument, node.shape, variables)
    combine, start = operation(COMBINERS[node.op], node.dtype), values.neutral(node.op, node.dtype)
    extents = [writer.size(extent) for extent in node.shape]
    others = [axis for axis in range(node.rank) if axis != node.axis]

    def step(given: list[Value]) -> list[Value]:
        body.write()
        total = writer.define(f"{combine} {given[1].name}, {cell.name} : {cell.type}", cell.type)
        return [inserted(writer, total, given[0], variables), total]

    def along(given: list[Value]) -> list[Value]:
        ends = writer.index(0), extents[node.axis]
        return repeated(writer, variables[node.axis], ends, [*given, start], step)[:1]

    return over(writer, [extents[axis] for axis in others], [variables[axis] for axis in others], into, along)


def between(values: Values, node: Spans) -> Value:
    """Return folds between bounds that are data: loops over what is given back, and in them one between two bounds."""
    writer, shape, long = values.writer, node.shape, node.argument.shape
    place, variables = Value(writer.fresh("k"), "index"), [Value(writer.fresh("p"), "index") for _ in shape]
    walked = [place, *variables[1:]]
    body, cell = _cell(values, node.argument, long, walked)
    if not any(f"[{place.name}{end}" in line for line in body.lines for end in ",]"):  # how far there are cells
        values.tensor(node.argument)
        body, cell = _cell(values, node.argument, long, walked)
    combine, start = operation(COMBINERS[node.op], node.dtype), values.neutral(node.op, node.dtype)
    lists = [Body(values, shape[:1], variables[:1]) for _ in range(2)]
    bounds = [own.index(own.place(n, own.point())) for own, n in zip(lists, (node.index, node.ends), strict=True)]

    def fold(given: list[Value]) -> list[Value]:
        body.write()
        return [writer.define(f"{combine} {given[0].name}, {cell.name} : {cell.type}", cell.type)]

    def step(given: list[Value]) -> list[Value]:
        for own in lists:
            own.write()
        (total,) = repeated(writer, place, (bounds[0], bounds[1]), [start], fold)
        return [inserted(writer, total, given[0], variables)]

    extents = [writer.size(extent) for extent in shape]
    return over(writer, extents, variables, values.empty(shape, node.dtype), step)


def _cell(values: Values, node: Expression, shape: Shape, variables: Sequence[Value]) -> tuple[Body, Value]:
    """Return how the cell of an expression is computed at the variables of loops, and what it is."""
    body = Body(values, shape, variables)
    return body, body.at(node, body.point())


def inserted(writer: Writer, cell: Value, into: Value, at: Sequence[Value]) -> Value:
    """Return a tensor with a cell stored at a place."""
    places = ", ".join(place.name for place in at)
    return writer.define(f"tensor.insert {cell.name} into {into.name}[{places}] : {into.type}", into.type)
