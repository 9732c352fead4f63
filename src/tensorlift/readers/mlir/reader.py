"""Reading a function of an MLIR module literally: over a closed list of operations, each with one row of meaning.

Structured control becomes blocks, an ``index`` an integer of 64 bits, a memref its descriptor (`context`).  Functions
that are called are read in place of the call.  Any other operation refuses the function.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import AddiOp
from xdsl.dialects.builtin import MemRefType, ModuleOp, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block

from tensorlift.frontends.mlir.names import Names, argument_marks, first_block
from tensorlift.ir.function import SIZE, axis_name
from tensorlift.ir.literal_function import literal_function
from tensorlift.ir.location import location_of
from tensorlift.ir.subscripts import READ_ONLY, STRUCTURED
from tensorlift.readers.mlir.context import NSW, Context, View, machine_type, named
from tensorlift.readers.mlir.control import CONTROL
from tensorlift.readers.mlir.jumps import jumping
from tensorlift.readers.mlir.kernels import KERNELS
from tensorlift.readers.mlir.memory import MEMORY, declared
from tensorlift.readers.mlir.vectors import VECTORS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

    from tensorlift.frontends.mlir.generalise import Sizes
    from tensorlift.readers.mlir.context import Known, Rule


def _structured(ctx: Context, op: Operation) -> None:
    from tensorlift.readers.mlir.structured import structured  # noqa: PLC0415 - rare, and the dialect takes time to load

    structured(ctx, op)


RULES: Mapping[str, Rule] = {
    **VECTORS,
    **MEMORY,
    **CONTROL,
    **KERNELS,
    **dict.fromkeys(("linalg.index", *STRUCTURED, *READ_ONLY), _structured),
}


def literal_module_of(function: Operation, functions: Mapping[str, Operation], sizes: Sizes | None = None) -> ModuleOp:
    """Read a function, which may call those of ``functions``; some of its constants may be sizes that it takes.

    Raises:
        LiftError: where a part of it has no literal meaning.

    """
    entry, body = Block(), first_block(function)
    names = Names(() if sizes is None else sizes.values)
    ctx = Context(entry, functions, names, RULES, function.location, blocks=[entry])
    called: list[str] = []

    def add(argument: BlockArgument, of_type: Attribute, name: str) -> SSAValue:
        made = entry.insert_arg(of_type, len(entry.args))
        made.location = argument.location if location_of(argument) else function.location
        called.append(name)
        named(made, name if name.isidentifier() else None)
        return made

    for argument, marks in zip(body.args, argument_marks(function), strict=True):
        name = names.of_argument(argument, marks)
        if isinstance(argument.type, MemRefType):
            ctx.known[argument] = declared(argument.type, name, partial(add, argument), function)
        else:
            ctx.known[argument] = add(argument, machine_type(argument.type, function), name)
    if sizes is not None:
        _generalise(ctx, sizes, partial(add, body.args[0], i64))
    ctx.arguments += [view for view in ctx.known.values() if isinstance(view, View)]
    symbol: Any = function.properties["sym_name"]
    ctx.calls.append(symbol.data)
    results = _body(ctx, function)
    if sizes is not None and any(ctx.loops[slot] != sizes.loops[slot] for slot, _ in sizes.slots):
        raise ctx.refusal("control", function, "the loops with constant bounds are not those of the source")
    ctx.end(ReturnOp.create(operands=results))
    called += [axis_name(name, axis, SIZE) for name, axis in ctx.sizes]
    types = [value.type for value in results]
    made = literal_function(names.of_function(symbol.data), called, types, ctx.blocks, function.location)
    return ModuleOp([made])


def _body(ctx: Context, function: Operation) -> list[SSAValue]:
    """Read what a function does; give what it returns."""
    region = function.regions[0]
    if len(region.blocks) > 1:
        found, last = jumping(ctx, region)
    else:
        last = ctx.read(region.block)
        found = [ctx.known[value] for value in last.operands]
    results = _returned(ctx, found, last)
    ctx.place = last.location
    return results


def _generalise(ctx: Context, sizes: Sizes, add: Callable[[str], SSAValue]) -> None:
    """Add the sizes that stand for constants, and give the extents of arguments by them."""
    values = {(name, 0): add(name) for name in sizes.values}
    for slot, (name, more) in sizes.slots.items():
        if (name, more) not in values:
            values[name, more] = ctx.binary(AddiOp, values[name, 0], ctx.constant(more), NSW)
        ctx.general[slot] = values[name, more]
        ctx.constants[values[name, more]] = sizes.values[name] + more
    for argument, view in ctx.known.items():
        if isinstance(view, View):
            extents = [ctx.general.get((view.name, axis), size) for axis, size in enumerate(view.sizes)]
            ctx.known[argument] = replace(view, sizes=tuple(extents))


def _returned(ctx: Context, values: Sequence[Known], last: Operation) -> list[SSAValue]:
    """Give what is returned: numbers, and memory that is made here; an argument is the caller's already."""
    results: list[SSAValue] = []
    for found in values:
        if isinstance(found, tuple):
            raise ctx.refusal("type", last, "a vector that is returned")
        if not isinstance(found, View):
            results.append(found)
        elif found in ctx.made:
            results.append(found.memory)
        elif found not in ctx.arguments:
            raise ctx.refusal("part", last, "a part of an array is returned")
    if sum(not isinstance(value.type, MemRefType) for value in results) > 1:
        raise ctx.refusal("numbers", last)
    return results
