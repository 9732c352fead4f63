"""Reading a Python function literally: its parameters, its body, and what it gives back.

A scalar is a number, an array is flat memory with an offset and its extents, row by row.  What Python returns as an
array is memory that the caller passes, of the extents that the source tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Block

from tensorlift.ir.c_types import ir_type
from tensorlift.ir.function import OFFSET, SIZE, axis_name
from tensorlift.ir.literal_function import literal_function
from tensorlift.ops.c_types import LONG, VoidType
from tensorlift.readers.flow import FlowGraph
from tensorlift.readers.python.arrays import dense
from tensorlift.readers.python.assignments import copy_refilled
from tensorlift.readers.python.context import Context, Scope, memory_type, place_of
from tensorlift.readers.python.results import give_back
from tensorlift.readers.python.statements import read_body
from tensorlift.readers.python.values import Number, Result, View

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from tensorlift.frontends.python.state import Inferred
    from tensorlift.readers.python.values import CNumber


def literal_module_of(inferred: Inferred) -> ModuleOp:
    """Read a function by what the front end found out about it; raises ``LiftError`` where that is refused."""
    node = inferred.function
    graph = FlowGraph(Block())
    scope = Scope.of(inferred.module, node)
    at = place_of(inferred.module, node)
    ctx = Context(inferred, graph, scope, at)
    names = _parameters(ctx)
    copy_refilled(ctx, node)
    read_body(ctx, node.body)
    if graph.current.is_live:
        give_back(ctx, None, ctx.at)
    else:
        graph.leave((), at)
    results = [] if isinstance(inferred.result, VoidType) else [ir_type(inferred.result)]
    return ModuleOp([literal_function(node.name, names, results, graph.finish(), at)])


def _parameters(ctx: Context) -> list[str]:
    """Make the arguments, and bind the names of the source's parameters; gives a name for each argument."""
    names: list[str] = []

    def argument(name: str, of_type: Attribute, hint: str = "") -> SSAValue:
        entry = ctx.flow.entry.block
        made = entry.insert_arg(of_type, len(entry.args), ctx.at)
        made.name_hint = hint or name
        names.append(name)
        return made

    def memory(name: str, element: CNumber) -> tuple[SSAValue, SSAValue]:
        return argument(name, memory_type(element)), argument(f"{name}{OFFSET}", i64, f"{name}_at")

    for name, kind in ctx.inferred.kinds.items():
        if kind.rank:
            place = memory(name, kind.dtype)
            extents = tuple(
                argument(axis_name(name, axis, SIZE), i64, f"{name}_shape{axis}") for axis in range(kind.rank)
            )
            ctx.counters.update(extents)
            ctx.sizes.update(extents)
            view = View(*place, extents, dense(ctx, extents), kind.dtype, kind.is_list)
            ctx.bind(name, view)
            ctx.given[name] = view
        else:
            number = argument(name, ir_type(kind.dtype))
            if kind.dtype == LONG and ctx.scope.bound[name] == 1:
                ctx.sizes.add(number)
            ctx.bind(name, Number(number, kind.dtype, kind.is_weak))
    for name, element in ctx.inferred.results.items():
        ctx.results[name] = Result(*memory(name, element), element)
    return names
