"""Natural extents: an array whose extent no declaration tells is as long as callers have it, not as loops need it.

A stencil that writes the cells 1 to ``n - 2`` of ``double *x`` needs ``n - 1`` cells, and every caller has ``n``.  The
outermost extent of such a parameter is rounded up to the size.  One that is written whole before it is read is a result
alone, which no caller passes to a program on arrays: it stays as long as what is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.linear import Linear, NotLinearError, apply_map

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xdsl.ir import Operation

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir.function import Parameter

_ACCESSES = {"affine.load": 0, "affine.store": 1, "memref.load": 0, "memref.store": 1}  # and where the array stands


def with_natural_extents(read: Iterable[ReadFunction]) -> list[ReadFunction]:
    """Round the open extents of functions up, in place."""
    found = list(read)
    for module in (function.module for function in found if function.module is not None):
        for function in functions(module):
            _round_up(function)
    return found


def _round_up(function: Operation) -> None:
    rows: Any = function.properties.get("arg_attrs")
    marks = [dict(row.data) if isinstance(row, DictionaryAttr) else {} for row in rows or ()]
    if not any(map(_is_open, marks)):
        return
    view = FunctionView(function)
    for parameter, own in zip(view.parameters, marks, strict=True):
        natural = _natural(view, parameter) if _is_open(own) else None
        if natural is not None and not _is_result(view, parameter):
            shape: Any = own["tl.shape"]
            _, *inner = shape.data.results
            own["tl.shape"] = AffineMapAttr(AffineMap(0, shape.data.num_symbols, (natural, *inner)))
    function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(own) for own in marks])


def _is_open(attributes: Mapping[str, Any]) -> bool:
    """Tell whether loops tell the outermost extent of a parameter, not its declaration."""
    axes = attributes.get("tl.inferred", ())
    return isinstance(attributes.get("tl.shape"), AffineMapAttr) and any(axis.value.data == 0 for axis in axes)


def _natural(view: FunctionView, parameter: Parameter) -> AffineExpr | None:
    """Give the size that an outermost extent falls short of by a number, None where it is anything else."""
    extent = parameter.extents[0] if parameter.extents else Linear()
    if extent.constant >= 0 or len(extent.terms) != 1:
        return None
    (size, factor), *_ = extent.terms
    return AffineExpr.symbol(view.size_names.index(size)) if isinstance(size, str) and factor == 1 else None


def _is_result(view: FunctionView, parameter: Parameter) -> bool:
    """Tell whether the first access to an array writes it whole, whatever the data are."""
    first: Any = next((op for op in view.operations if _accessed(op) is parameter.value), None)
    if first is None or first.name != "affine.store" or parameter.extents is None:
        return False
    results, operands = first.properties["map"].data.results, first.operands[2:]
    extents = [
        _range(view, operands[result.position]) if isinstance(result, AffineDimExpr) else None for result in results
    ]
    around = first.parent_op()
    while around is not None and around.name == "affine.for":
        around = around.parent_op()
    return around is view.func_op and tuple(extents) == parameter.extents and len({*operands}) == len(operands)


def _accessed(op: Operation) -> object:
    return op.operands[_ACCESSES[op.name]] if op.name in _ACCESSES else None


def _range(view: FunctionView, value: object) -> Linear | None:
    """Give the number of values that a loop variable takes from zero on, None where that varies or it starts later."""
    loop: Any = value.block.parent_op() if isinstance(value, BlockArgument) else None
    if loop is None or loop.name != "affine.for" or loop.properties["step"].value.data != 1:
        return None
    low, high = loop.properties["lowerBoundMap"].data, loop.properties["upperBoundMap"].data
    bounds = loop.operands[loop.properties["operandSegmentSizes"].get_values()[0] :][: high.num_dims + high.num_symbols]
    names = {p.value: p.name for p in view.parameters if p.role == "size"}
    if str(low) != "() -> (0)" or len(high.results) != 1 or not all(bound in names for bound in bounds):
        return None
    sizes = [Linear.size(names[bound]) for bound in bounds]
    try:
        return apply_map(high, sizes[: high.num_dims], sizes[high.num_dims :])[0]
    except NotLinearError:
        return None
