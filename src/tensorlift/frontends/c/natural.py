"""Natural extents: an array whose extent no declaration tells is as long as callers have it, not as loops need it.

A stencil that writes the cells 1 to ``n - 2`` of ``double *x`` needs ``n - 1`` cells, and every caller has ``n``.  The
outermost extent of such a parameter is rounded up to the size.  A loop over the first 8 cells of ``double *x`` needs 8,
and a caller may have more: their number becomes a size of its own.  An array that is written whole before it is read is
a result alone, which no caller passes to a program on arrays: it stays as long as what is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    MemRefType,
    StringAttr,
)
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineConstantExpr, AffineConstraintKind, AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import Rewriter

from tensorlift.comprehension.names import unused
from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.frontends.c.ir_types import INDEX
from tensorlift.frontends.c.preconditions import spell_inequality
from tensorlift.frontends.c.stated import Condition, add_requirements, stated_requirement
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.linear import Linear, NotLinearError, apply_map
from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xdsl.ir import Operation

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir.function import Parameter

_ACCESSES = {"affine.load": 0, "affine.store": 1, "memref.load": 0, "memref.store": 1}  # and where the array stands


def with_natural_extents(read: Iterable[ReadFunction]) -> list[ReadFunction]:
    """Round the open extents of functions up and make sizes of those that are numbers, in place."""
    found = list(read)
    for module in (function.module for function in found if function.module is not None):
        for function in functions(module):
            _round_up(function)
            for name, axis in _parts(FunctionView(function)):
                _open(function, name, axis)
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


def _parts(view: FunctionView) -> list[tuple[str, int]]:
    """List the axes of arrays of which loops run over a constant number of cells, and of which there may be more."""
    marks: Any = view.func_op.properties.get("arg_attrs", ())
    return [
        (parameter.name, axis.value.data)
        for parameter, own in zip(view.parameters, marks, strict=False)
        if isinstance(own.data.get("tl.shape"), AffineMapAttr) and not _is_result(view, parameter)
        for axis in own.data.get("tl.inferred", ())
        if axis.value.data == 0 or parameter.c_type.count("*") > 1  # inner ones of flat memory tell where rows begin
        if _has_running_part(view, parameter, axis.value.data)
    ]


def _has_running_part(view: FunctionView, parameter: Parameter, axis: int) -> bool:
    """Tell whether the cells along an axis that loops run over are a constant number, and not all of them named."""
    if parameter.extents is None or parameter.extents[axis].terms:
        return False
    accesses: list[Any] = [op for op in view.operations if _accessed(op) is parameter.value]
    return any(
        op.name.startswith("affine.") and not isinstance(op.properties["map"].data.results[axis], AffineConstantExpr)
        for op in accesses
    )


def _open(function: Operation, name: str, axis: int) -> None:
    """Make a size of an extent, behind the parameters; it is at least what the extent was."""
    view = FunctionView(function)
    position = [p.name for p in view.parameters].index(name)
    array: Any = view.parameters[position].value
    size = unused(f"{name}{'_row' * axis}_size", {p.name for p in view.parameters})
    names = [*view.size_names, size]
    if not view.c_parameters:
        rows = [{"name": StringAttr(p.name), "type": StringAttr("")} for p in view.parameters if not p.access]
        function.attributes["tl.c_parameters"] = ArrayAttr(map(DictionaryAttr, rows))
    properties: Any = function.properties
    own, marks = dict(properties["arg_attrs"].data[position].data), list(properties["arg_attrs"].data)
    extents, shape = list(own["tl.shape"].data.results), list(array.type.get_shape())
    least, extents[axis], shape[axis] = extents[axis], AffineExpr.symbol(len(names) - 1), DYNAMIC_INDEX
    own["tl.shape"] = AffineMapAttr(AffineMap(0, len(names), tuple(extents)))
    marks[position] = DictionaryAttr(own)
    marks.append(DictionaryAttr({"tl.name": StringAttr(size), "tl.c_type": StringAttr("long")}))
    properties["arg_attrs"] = ArrayAttr(marks)
    view.body.insert_arg(INDEX, len(view.body.args), array.location).name_hint = size
    Rewriter.replace_value_with_new_type(array, MemRefType(array.type.element_type, shape))
    properties["function_type"] = FunctionType.from_lists(view.body.arg_types, properties["function_type"].outputs.data)
    room = Polynomial.variable(size) - Polynomial.constant(least.value)
    condition = Condition(AffineConstraintKind.ge, room, names)
    location = location_of(array) or view.location
    assert location is not None
    add_requirements(function, [stated_requirement("extent", spell_inequality(room), location, condition)])


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
