"""Reading a procedure of Fortran literally: its dummy arguments, its body, and what it leaves in them.

An array is memory, an offset, and how far its elements are apart along each dimension but the last one: in which order
Fortran lays them out shows nowhere, as sequence association is read along one dimension alone.  Read by columns, all
arrays have their axes in the other order, as they lie in memory.  A scalar that is
written is memory of one cell, read when the procedure begins and written when it ends, as Fortran lets compilers do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Block

from tensorlift.frontends.fortran.items import deferred_lower, items_of
from tensorlift.frontends.fortran.signature import is_flat
from tensorlift.frontends.fortran.uses import uses_of
from tensorlift.ir.c_types import ir_type, location_attribute
from tensorlift.ir.function import EQUAL, OFFSET, ROW, SIZE, axis_name
from tensorlift.ir.literal_function import literal_function
from tensorlift.ops.c_types import BOOL, PARTS, ComplexType
from tensorlift.readers.flow import FlowGraph
from tensorlift.readers.fortran.calls import run, variable
from tensorlift.readers.fortran.characters import ask_for_capitals
from tensorlift.readers.fortran.complex_numbers import read
from tensorlift.readers.fortran.context import Context, Frame, local_type, memory_type, variable_of
from tensorlift.readers.fortran.declared import bounds_of
from tensorlift.readers.fortran.statements import read_block
from tensorlift.readers.fortran.values import Number, Variable, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, BlockArgument, SSAValue

    from tensorlift.frontends.fortran.items import Item
    from tensorlift.frontends.fortran.symbols import Procedure, Symbol
    from tensorlift.readers.fortran.values import Binding, Size


@dataclass
class _Arguments:
    """The arguments of literal IR, with their names."""

    ctx: Context
    names: list[str]

    def add(self, name: str, of_type: Attribute, hint: str = "") -> SSAValue:
        """Make an argument."""
        entry = self.ctx.flow.entry.block
        made = entry.insert_arg(of_type, len(entry.args), self.ctx.at)
        made.name_hint = hint or name
        self.names.append(name)
        return made

    def memory(self, item: Item) -> tuple[SSAValue, SSAValue]:
        """Make the arguments for memory."""
        assert item.symbol.ctype is not None
        return self.add(item.name, memory_type(item.symbol.ctype)), self.add(
            f"{item.name}{OFFSET}", i64, f"{item.name}_at"
        )

    def number(self, item: Item) -> Number:
        """Make the argument for a number, or those for its parts."""
        ctype = item.symbol.ctype
        assert ctype is not None
        if not isinstance(ctype, ComplexType):
            return Number(self.add(item.name, local_type(ctype)), ctype)
        re, im = (Number(self.add(name, local_type(ctype)), ctype.part) for name in item.parts)
        return Number((re, im), ctype)


def literal_module_of(procedure: Procedure, *, by_columns: bool = False) -> ModuleOp:
    """Read a procedure, with its axes or ``by_columns``; raises ``LiftError`` where a part of it is not read."""
    scope = procedure.scope
    at = location_attribute(scope.file.location(procedure.line, procedure.name))
    graph = FlowGraph(Block())
    frame = Frame(procedure)
    ctx = Context(graph, frame, at, read_block, around=[procedure], by_columns=by_columns)
    arguments = _Arguments(ctx, [])
    kept = _bind(ctx, frame, arguments)
    run(ctx, frame)
    ctx.at = at
    for bound, view in kept:
        if isinstance(bound, Variable):
            ctx.store(view, (), read(ctx, bound))
    results: list[SSAValue] = []
    result = frame.bound.get(procedure.result) if procedure.result else None
    if isinstance(result, Variable) and result.imaginary is None:
        results = [ctx.flow.read(result.local)]
        if by_columns and result.ctype is BOOL:  # what C returns is a byte
            results = [ctx.operation("arith.extui", results, ir_type(BOOL))]
    ask_for_capitals(ctx)
    graph.leave(results, at)
    types = [value.type for value in results]
    blocks = graph.finish()
    equal = _joined(ctx)
    for key, extent in ctx.asked.items():
        if extent.uses.get_length():
            arguments.names.append(axis_name(*key, SIZE))
        else:
            blocks[0].erase_arg(extent)
    made = literal_function(procedure.name, arguments.names, types, blocks, at)
    if equal:
        told = {axis_name(*key, SIZE): StringAttr(axis_name(*other, SIZE)) for key, other in equal.items()}
        made.attributes[EQUAL] = DictionaryAttr(told)
    return ModuleOp([made])


def _joined(ctx: Context) -> dict[tuple[str, int], tuple[str, int]]:
    """Let one argument stand for extents that must be equal; gives those that it stands for."""
    keys = {extent: key for key, extent in ctx.asked.items()}
    order = list(ctx.asked.values())
    stands: dict[SSAValue, SSAValue] = {}

    def found(extent: SSAValue) -> SSAValue:
        while extent in stands:
            extent = stands[extent]
        return extent

    for pair in ctx.equal:
        first, second = sorted(map(found, pair), key=order.index)  # type: ignore[arg-type]  # arguments
        if first is not second:
            stands[second] = first
            second.replace_all_uses_with(first)
    return {keys[e]: keys[found(e)] for e in order if e in stands}  # type: ignore[index]  # arguments


def _bind(ctx: Context, frame: Frame, arguments: _Arguments) -> list[tuple[Binding, View]]:
    """Bind what the procedure takes; gives the scalars that are written, with their memory."""
    procedure = frame.procedure
    used = uses_of(procedure).used
    place = procedure.tree.children[0]
    if "*" in procedure.dummies:
        raise ctx.refusal("statement", place, "an alternate return")
    scalars: list[tuple[Item, View]] = []
    arrays: list[tuple[Item, SSAValue, SSAValue, tuple[SSAValue, ...]]] = []
    for item in items_of(procedure):
        symbol = item.symbol
        ctx.check_type(symbol, place)
        if "allocatable" in symbol.attributes and symbol.is_result:
            raise ctx.refusal("declaration", place, f"allocatable :: {symbol.name}")
        assert symbol.ctype is not None
        if symbol.bounds:
            memory, offset = arguments.memory(item)
            rows = [
                arguments.add(axis_name(item.name, k, ROW), i64, f"{item.name}_row{k}")
                for k in range(_distances(symbol))
            ]
            arrays.append((item, memory, offset, tuple(rows)))
        elif symbol.is_result and not isinstance(symbol.ctype, ComplexType):
            frame.bound[symbol.name] = variable_of(symbol.hint, symbol.ctype, ctx.at)
        elif not item.is_number:
            memory, offset = arguments.memory(item)
            scalars.append((item, View(memory, offset, (), (), (), symbol.ctype)))
        else:
            value = arguments.number(item)
            _enter(ctx, frame, symbol, variable(ctx, symbol, value) if item.is_written else value)
    kept = _kept(ctx, frame, scalars)
    shared: dict[tuple[Symbol, int], SSAValue] = {}
    for item, memory, offset, distances in arrays:
        if item.symbol in used or not item.symbol.is_dummy:
            _enter(ctx, frame, item.symbol, _view(ctx, item, (memory, offset, distances), shared))
    return kept


def _kept(ctx: Context, frame: Frame, scalars: Sequence[tuple[Item, View]]) -> list[tuple[Binding, View]]:
    """Bind scalars in memory, which are read but for a result; gives those that are written."""
    kept: list[tuple[Binding, View]] = []
    for item, view in scalars:
        symbol, is_new = item.symbol, item.symbol.is_result
        made = variable_of(symbol.hint, view.ctype, ctx.at) if is_new else variable(ctx, symbol, ctx.load(view, ()))
        _enter(ctx, frame, symbol, made)
        if item.is_written or is_new:
            kept.append((made, view))
    return kept


def _enter(ctx: Context, frame: Frame, symbol: Symbol, binding: Binding) -> None:
    """Bind a dummy argument or a variable outside."""
    if symbol.is_outside:
        ctx.outside[symbol] = binding
    else:
        frame.bound[symbol.name] = binding


def _view(
    ctx: Context,
    item: Item,
    at: tuple[SSAValue, SSAValue, tuple[SSAValue, ...]],
    shared: dict[tuple[Symbol, int], SSAValue],
) -> View:
    """See an argument as it is declared; an assumed extent becomes an argument where it is asked for."""
    memory, offset, rows = at
    symbol = item.symbol
    assert symbol.ctype is not None
    declared = bounds_of(ctx, symbol)
    lower = tuple(low for low, _ in declared)
    begins = deferred_lower(symbol)
    lower = tuple(begins.get(axis, low) for axis, low in enumerate(lower))
    extents = [extent for _, extent in declared]
    for axis, (_, upper) in enumerate(symbol.bounds):
        if upper is None:
            extents[axis] = made = _asked(ctx, item.name, len(extents) - 1 - axis if ctx.by_columns else axis)
            owner = symbol
            while owner.above is not None and axis < len(owner.above.bounds):
                owner = owner.above
            first = shared.setdefault((owner, axis), made)
            if first is not made:  # all components of an array of structures have its extents
                ctx.equal.append((first, made))
    last = () if len(rows) == len(extents) else (PARTS if isinstance(symbol.ctype, ComplexType) else 1,)
    strides: tuple[Size, ...] = (*rows, *last)
    return View(memory, offset, tuple(extents), strides[:: -1 if ctx.by_columns else 1], lower, symbol.ctype)


def _distances(symbol: Symbol) -> int:
    """Count the dimensions along which elements lie at distances of their own; parts of one are side by side."""
    return len(symbol.bounds) - (is_flat(symbol) or not isinstance(symbol.ctype, ComplexType))


def _asked(ctx: Context, name: str, axis: int) -> BlockArgument:
    entry = ctx.flow.entry.block
    made = entry.insert_arg(i64, len(entry.args), ctx.at)
    made.name_hint = f"{name}_shape{axis}"
    ctx.asked[name, axis] = made
    return made
