"""Reading a Python function literally: its parameters, its body, and what it gives back.

The parameters are those of the loop IR, which tells types and extents: a size or a scalar is a number, an array is flat
memory with an offset, row by row.  What Python returns as an array is memory that the caller passes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Region

from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.frontends.c.c_types import LONG
from tensorlift.frontends.c.ir_types import ir_type
from tensorlift.frontends.python.syntax import arguments_of
from tensorlift.ir.function import FunctionView
from tensorlift.readers.flow import FlowGraph
from tensorlift.readers.python.arrays import dense
from tensorlift.readers.python.context import Context, Scope, memory_type, place_of
from tensorlift.readers.python.results import give_back, number_type
from tensorlift.readers.python.statements import read_body
from tensorlift.readers.python.values import Number, View

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.ir import Attribute, SSAValue

    from tensorlift.frontends.python.state import Inferred
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir.function import Parameter
    from tensorlift.ir.linear import Linear
    from tensorlift.readers.python.values import Size


def literal_module_of(function: ReadFunction) -> ModuleOp:
    """Read a function that the front end has read; raises ``LiftError`` where that is refused."""
    assert function.module is not None
    operation = function.module.body.block.first_op
    assert operation is not None
    try:
        return ModuleOp([_function(function.inferred, FunctionView(operation))])
    except LiftError:
        raise
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        raise LiftError(internal_error(error, function.location)) from None


def _function(inferred: Inferred, view: FunctionView) -> FuncOp:
    node = inferred.function
    graph = FlowGraph(Block())
    scope = Scope.of(inferred.module, node)
    at = place_of(inferred.module, node)
    ctx = Context(inferred, view, graph, scope, at, calling=[node])
    names = _parameters(ctx)
    read_body(ctx, node.body)
    if graph.current.is_live:
        give_back(ctx, None)
    else:
        graph.leave((), at)
    entry = graph.entry.block
    types = [argument.type for argument in entry.args]
    blocks = graph.finish()
    results = [] if view.result_dtype is None else [ir_type(number_type(view.result_dtype))]
    marks = [DictionaryAttr({"tl.name": StringAttr(name)}) for name in names]
    return FuncOp.create(
        properties={
            "sym_name": StringAttr(view.name),
            "function_type": FunctionType.from_lists(types, results),
            **({"arg_attrs": ArrayAttr(marks)} if marks else {}),
        },
        regions=[Region(blocks)],
        location=at,
    )


def _parameters(ctx: Context) -> list[str]:
    """Make the arguments, and bind the names of the source's parameters; gives a name for each argument."""
    names: list[str] = []
    own = {argument.arg for argument in arguments_of(ctx.inferred.function)}
    sizes: dict[str, SSAValue] = {}
    memories: dict[str, tuple[SSAValue, SSAValue]] = {}

    def argument(name: str, of_type: Attribute) -> SSAValue:
        entry = ctx.flow.entry.block
        made = entry.insert_arg(of_type, len(entry.args), ctx.at)
        made.name_hint = name
        names.append(name)
        return made

    for parameter in ctx.view.parameters:
        name = parameter.name
        if parameter.role == "array":
            memory = argument(name, memory_type(number_type(parameter.dtype)))
            memories[name] = memory, argument(f"{name}_at", i64)
        else:
            sizes[name] = argument(name, ir_type(number_type(parameter.dtype)))
            if parameter.role == "size":
                ctx.sizes.add(sizes[name])
    for parameter in ctx.view.parameters:
        name = parameter.name
        if parameter.role == "array":
            is_list = name in own and ctx.inferred.kinds[name].is_list
            view = _view(ctx, parameter, memories[name], sizes, is_list=is_list)
            if name in own:
                ctx.bind(name, view)
                ctx.given[name] = view
            else:
                ctx.given[name] = ctx.results[name] = view
        elif name in own:
            ctx.bind(name, Number(sizes[name], number_type(parameter.dtype), ctx.inferred.kinds[name].is_weak))
    return names


def _view(
    ctx: Context,
    parameter: Parameter,
    memory: tuple[SSAValue, SSAValue],
    sizes: Mapping[str, SSAValue],
    *,
    is_list: bool,
) -> View:
    """Give the array that a parameter is, with the extents that the front end found."""
    if parameter.extents is None or parameter.strides is not None:
        raise ctx.refusal(f"`{parameter.name}`, whose extents are not known,")
    extents = tuple(_extent(ctx, extent, sizes) for extent in parameter.extents)
    return View(*memory, extents, dense(ctx, extents), number_type(parameter.dtype), is_list)


def _extent(ctx: Context, extent: Linear, sizes: Mapping[str, SSAValue]) -> Size:
    total: Size = extent.constant
    for size, factor in extent.terms:
        if isinstance(size, str):
            own: Size = sizes[size]
        else:
            numerator = ctx.size(_extent(ctx, size.numerator, sizes))
            own = ctx.arithmetic("//", numerator, ctx.constant(size.divisor, LONG), LONG)
        total = ctx.combined("+", total, ctx.combined("*", own, factor))
    if not isinstance(total, int):
        ctx.counters.add(total)
    return total
