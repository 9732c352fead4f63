"""Emitting MLIR: a tensor program as a function over tensors, with operations of Linalg and of the dialects beside it.

Values do not change: a store into a slice gives a new tensor, and what a kept loop changes goes through the loop as its
arguments.  Sizes are extents of the arguments; those that no argument tells are arguments of type ``index``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.stores import read_first
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    For,
    Range,
    Return,
    Reverse,
    SetSlice,
    walk_statements,
)
from tensorlift.ir.views import is_whole
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.targets.emitted import returned, spell_all, spelling
from tensorlift.targets.linalg.loops import loop_head, results_of, spelled, starts_text
from tensorlift.targets.linalg.values import Values
from tensorlift.targets.linalg.writer import Value, Writer, element_type, tensor_type
from tensorlift.targets.mlir_text.text import INDENT, function_emitted, mentions, table_text, without_unused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.ir.tensor_program import Expression, Parameter, Statement, TensorProgram
    from tensorlift.targets.emitted import Emitted


def emit(program: TensorProgram) -> Emitted:
    """Return the program as an MLIR function.

    Raises:
        LiftError: TL305 where the dialects lack an operation, TL306 where the program returns nothing, TL307 where they
            lack a type.

    """
    with spelling(program):
        return Emission(program).emit()


class Emission:
    """Emits one program; ``values`` are what its expressions are."""

    def __init__(self, program: TensorProgram, values: type[Values] = Values) -> None:
        self.program = program
        names = [*(p.name for p in program.parameters), *(table.name for table in program.tables)]
        self.writer = Writer(program.context or UNIVERSE, names)
        self.values = values(self.writer)
        self.cuts: list[tuple[str, str]] = []
        self.result_types: list[str] = []
        self.parameters = [(p, f"%{p.name}", "index" if p.is_size else _type_of(p)) for p in program.parameters]
        for table in program.tables:
            value = self.values.variables[table.name] = Value(f"%{table.name}", tensor_type(table.shape, table.dtype))
            text = f"{value.name} = arith.constant {table_text(table, element_type(table.dtype))}"
            self.writer.constants[value.name] = text
        for parameter, name, type_ in self.parameters:
            known = self.writer.symbols if parameter.is_size else self.values.variables
            known[parameter.name] = Value(name, type_)

    def emit(self) -> Emitted:
        """Return the text of the function."""
        self._bind_sizes()
        sizes = [line.partition(" = ")[0].strip() for line in self.writer.lines]
        spell_all(self.program.body, self._statement)
        constants = self.writer.constants
        lines = [*(f"{INDENT}{line}" for line in constants.values()), *self.writer.lines]
        lines = without_unused(lines, (*constants, *sizes))
        parameters = [given for given in self.parameters if not given[0].is_size or mentions(lines, given[1])]
        return function_emitted(self.program, parameters, lines, self.result_types, self.cuts, {})

    def _bind_sizes(self) -> None:
        """Define the sizes that shapes tell, and those that are computed from others."""
        symbols = self.writer.symbols
        for source in self.program.sizes:
            array = self.values.variables[source.array]
            is_extent = source.factor == 1 and source.rest == 0
            stem = source.name if is_extent else ""
            axis = self.writer.index(source.axis)
            extent = self.writer.define(f"tensor.dim {array.name}, {axis.name} : {array.type}", "index", stem)
            symbols[source.name] = extent
            if not is_extent:
                rest = Affine.var(source.name) - source.rest
                symbols[source.name] = self.writer.quotient(rest, Affine(source.factor), source.name)
        for derived in self.program.derived:
            if all(v in symbols for v in derived.made_of):
                symbols[derived.name] = self.writer.quotient(derived.numerator, derived.divisor, derived.name)

    # -- statements

    def _statement(self, statement: Statement, after: Sequence[Statement]) -> None:
        if isinstance(statement, Return):
            self._return(statement)
        elif isinstance(statement, For):
            self._loop(statement, after)
        else:
            self._assignment(statement)

    def _assignment(self, statement: Assign | SetSlice) -> None:
        before = len(self.writer.lines)
        value = self._value(statement.value) if isinstance(statement, Assign) else self._stored(statement)
        self._bind(statement.name, value)
        if statement.definition is not None and len(self.writer.lines) > before:
            self.cuts.append((value.name[1:], statement.definition))

    def _bind(self, name: str, value: Value) -> None:
        self.values.variables[name] = value
        self.values.forget()

    def _value(self, node: Expression) -> Value:
        return self.values.tensor(node) if node.shape else self.values.scalar(node)

    def _stored(self, statement: SetSlice) -> Value:
        """Return a tensor after a store into a part of it."""
        target, dtype = self.values.variables[statement.name], statement.value.dtype
        items = list(_forward(statement))
        shape = tuple(item.extent for item in items if isinstance(item, Range))
        if not shape:
            cell = self.values.scalar(statement.value)
            places = ", ".join(self.writer.size(item.index).name for item in items if isinstance(item, At))
            text = f"tensor.insert {cell.name} into {target.name}[{places}] : {target.type}"
            return self.writer.define(text, target.type, statement.name)
        axes = [item for item in statement.items if not isinstance(item, At)]
        turned = [axis for axis, item in enumerate(axes) if isinstance(item, Reverse)]
        value = self.values.cast(self.values.spread(statement.value, shape, turned), tensor_type(shape, dtype))
        if all(is_whole(item, extent) for item, extent in zip(items, statement.shape, strict=True)):
            return self.values.cast(value, target.type)
        part = self.values.part(items)
        text = f"tensor.insert_slice {value.name} into {target.name}{part} : {value.type} into {target.type}"
        return self.writer.define(text, target.type, statement.name)

    # -- loops and the end

    def _loop(self, loop: For, behind: Sequence[Statement]) -> None:
        carried = self._carried(loop, behind)
        outside = dict(self.values.variables)
        before = [outside[name] for name in carried]
        inner = [Value(self.writer.fresh(name), start.type) for name, start in zip(carried, before, strict=True)]
        arguments = dict(zip(carried, inner, strict=True))
        self.cuts += [(arguments[v].name[1:], d) for v, d in loop.carried if v in arguments]
        results = results_of(self.writer, before, carried[0] if len(carried) == 1 else "")
        inside = self._begin(loop, list(zip(carried, inner, before, strict=True)), results)
        with self.writer.inner(inside):
            for name, value in arguments.items():
                self._bind(name, value)
            spell_all(loop.body, self._statement, [*loop.body, *behind])
            if carried:
                given = [self.values.cast(self.values.variables[n], a.type).name for n, a in arguments.items()]
                self.writer.line(f"scf.yield {', '.join(given)} : {', '.join(start.type for start in before)}")
        self.writer.line("}")
        self.values.variables = outside | dict(zip(carried, results, strict=True))
        self.values.forget()

    def _begin(self, loop: For, handed: Sequence[tuple[str, Value, Value]], results: Sequence[Value]) -> Domain:
        """Begin a loop that hands on variables, each told by what it is inside and before; return what is known."""
        if loop.goes_on is not None:
            given = [(Value(self.writer.fresh(name), start.type), start) for name, _, start in handed]
            asked = next(
                value for (value, _), (name, *_) in zip(given, handed, strict=True) if name == loop.goes_on.name
            )
            types = ", ".join(start.type for *_, start in handed)
            self.writer.line(f"{spelled(results)}scf.while ({starts_text(given)}) : ({types}) -> ({types}) {{")
            self.writer.line(f"  scf.condition({asked.name}) {', '.join(value.name for value, _ in given)} : {types}")
            self.writer.line("} do {")
            self.writer.line(f"^bb0({', '.join(f'{value.name}: {value.type}' for _, value, _ in handed)}):")
            return UNIVERSE
        ends = [self.writer.size(loop.lower), self.writer.size(loop.upper), self.writer.index(loop.step)]
        variable = Value(self.writer.fresh(loop.variable), "index")
        self.writer.line(loop_head(variable, ends, [(value, start) for _, value, start in handed], results))
        self.writer.symbols[loop.variable] = variable
        return Domain.of(at_least(loop.variable, loop.lower), less(loop.variable, loop.upper))

    def _carried(self, loop: For, behind: Sequence[Statement]) -> list[str]:
        """Return the variables that iterations hand on, or leave behind."""
        assigned = dict.fromkeys(s.name for s in walk_statements(loop.body) if isinstance(s, Assign | SetSlice))
        read = {*read_first((loop,)), *read_first(behind)}
        return [name for name in assigned if name in read and name in self.values.variables]

    def _return(self, statement: Return) -> None:
        nodes = returned(statement, self.program)
        for node in nodes:
            self.result_types.append(_type_of(node))
        values = [self._value(node) for node in nodes]
        given = [
            self.values.cast(value, type_).name if type_.startswith("tensor") else value.name
            for value, type_ in zip(values, self.result_types, strict=True)
        ]
        self.writer.line(f"return {', '.join(given)} : {', '.join(self.result_types)}")


def _forward(statement: SetSlice) -> Iterator[Range | At]:
    """Yield the part of each axis that is stored into, in rising order."""
    for axis, extent in enumerate(statement.shape):
        item = statement.items[axis] if axis < len(statement.items) else None
        yield item if isinstance(item, Range | At) else Range(Affine(0), extent)


def _type_of(value: Parameter | Expression) -> str:
    return tensor_type(value.shape, value.dtype) if value.shape else element_type(value.dtype)
