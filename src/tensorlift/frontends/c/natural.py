"""Natural extents: an array whose extent no declaration tells is as long as callers have it, not as loops need it.

A stencil that writes the cells 1 to ``n - 2`` of ``double *x`` needs ``n - 1`` cells, and every caller has ``n``.  The
outermost extent of such a parameter is rounded up to the size, and so is that of rows for which the source demands the
room, as ``N <= lda`` does.  A loop over the first 8 cells of ``double *x`` needs 8,
and a caller may have more: their number becomes a size of its own.  So it does where a size names a cell, as the ``k``
of ``x[k]``; rows of which it names a column are as long as from one to the next.  An array that is written whole before
it is read is a result alone, which no caller passes to a program on arrays: it stays as long as what is computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

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
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.rewriter import Rewriter

from tensorlift.ir.c_types import INDEX
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.linear import Linear, NotLinearError, apply_map
from tensorlift.ir.location import location_of
from tensorlift.ir.requirements import Condition, add_requirements, stated_requirement
from tensorlift.poly.names import unused
from tensorlift.poly.polynomial import Polynomial, spell_inequality

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from xdsl.ir import Operation

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir.function import Parameter

_LOOPS = ("affine.for", "scf.for", "scf.while")
_ACCESSES = {"affine.load": 0, "affine.store": 1, "memref.load": 0, "memref.store": 1}  # and where the array stands


def with_natural_extents(read: Iterable[ReadFunction]) -> list[ReadFunction]:
    """Round the open extents of functions up and make sizes of those that are numbers, in place."""
    found = list(read)
    for module in (function.module for function in found if function.module is not None):
        for function in functions(module):
            for position, axis in _open_axes(function):
                _widen(function, position, axis)
    return found


def _open_axes(function: Operation) -> list[tuple[int, int]]:
    """List the axes that loops tell, not declarations, and whose extents are no sizes, each behind its parameter."""
    found = []
    for position, own in enumerate(_marks(function)):
        for axis in (axis.value.data for axis in own.get("tl.inferred", ())):
            is_size = isinstance(own["tl.shape"].data.results[axis], AffineSymExpr)
            if not is_size:
                found.append((position, axis))
    return found


def _marks(function: Operation) -> list[Mapping[str, Any]]:
    rows: Any = function.properties.get("arg_attrs", ())
    return [row.data for row in rows]


def _widen(function: Operation, position: int, axis: int) -> None:
    view = FunctionView(function)
    parameter = view.parameters[position]
    if parameter.extents is None or _is_result(view, parameter):
        return
    extent = parameter.extents[axis]
    names_cell, natural = _names_cell(view, extent), _natural(view, extent)
    if axis > 0 and parameter.c_type.count("*") == 1:  # inner axes of flat memory tell where rows begin
        row = parameter.strides[axis - 1] if parameter.strides else ""
        if names_cell and row in view.size_names:
            _set_extent(function, position, axis, AffineExpr.symbol(view.size_names.index(row)))
        elif natural is not None and _is_asked(view, f"{view.size_names[natural.position]} <= {row}"):
            _set_extent(function, position, axis, natural)
        return
    if natural is not None and any(_natural(view, inner) is not None for inner in parameter.extents[axis + 1 :]):
        return  # rows that are as short tell that the caller has the inner cells alone
    if natural is not None:
        _set_extent(function, position, axis, natural)
    elif names_cell or (not extent.terms and _is_run_over(view, parameter, axis)):
        _make_size(view, position, axis)


def _is_asked(view: FunctionView, condition: str) -> bool:
    """Tell whether the source demands a condition itself: rows that begin so far apart have room for it."""
    return any(one.text == condition for one in view.requires)


def _natural(view: FunctionView, extent: Linear) -> AffineSymExpr | None:
    """Give the size that an extent falls short of by a number, None where it is anything else."""
    if extent.constant >= 0 or len(extent.terms) != 1:
        return None
    (size, factor), *_ = extent.terms
    return AffineSymExpr(view.size_names.index(size)) if isinstance(size, str) and factor == 1 else None


def _names_cell(view: FunctionView, extent: Linear) -> bool:
    """Tell whether an extent is of sizes that count nothing: no iterations, no cells of an array or its rows."""
    counting: set[object] = set()
    for loop in (op for op in view.operations if op.name in _LOOPS):
        counting |= {p.name for p in view.parameters if p.value in loop.operands}
    for parameter in view.parameters:
        counting |= {*(parameter.strides or ())}
        counting |= {size for e in parameter.extents or () if e.constant <= 0 for size, _ in e.terms}
    return bool(extent.terms) and all(size in view.size_names and size not in counting for size, _ in extent.terms)


def _is_run_over(view: FunctionView, parameter: Parameter, axis: int) -> bool:
    """Tell whether loops run over the cells along an axis, which are not all named."""
    accesses: list[Any] = [op for op in view.operations if _accessed(op) is parameter.value]
    return any(
        op.name.startswith("affine.") and not isinstance(op.properties["map"].data.results[axis], AffineConstantExpr)
        for op in accesses
    )


def _set_extent(function: Operation, position: int, axis: int, extent: AffineExpr, *, is_told: bool = False) -> None:
    """Change one extent in the mark of an array, a map from all sizes; callers may tell it, as if it were declared."""
    marks = [dict(own) for own in _marks(function)]
    extents = list(marks[position]["tl.shape"].data.results)
    extents[axis] = extent
    shape = AffineMap(0, len(FunctionView(function).size_names), tuple(extents))
    marks[position]["tl.shape"] = AffineMapAttr(shape)
    if is_told:
        marks[position]["tl.inferred"] = ArrayAttr([a for a in marks[position]["tl.inferred"] if a.value.data != axis])
    function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(own) for own in marks])


def _make_size(view: FunctionView, position: int, axis: int) -> None:
    """Make a size of an extent that is a number, behind the parameters; it is at least what the extent was."""
    function, properties = view.func_op, cast("Any", view.func_op.properties)
    parameter = view.parameters[position]
    assert parameter.extents is not None
    array: Any = parameter.value
    size = unused(f"{parameter.name}{'_row' * axis}_size", {p.name for p in view.parameters})
    if not view.c_parameters:
        rows = [{"name": StringAttr(p.name), "type": StringAttr("")} for p in view.parameters if not p.access]
        function.attributes["tl.c_parameters"] = ArrayAttr(map(DictionaryAttr, rows))
    view.body.insert_arg(INDEX, len(view.body.args), array.location).name_hint = size
    own = DictionaryAttr({"tl.name": StringAttr(size), "tl.c_type": StringAttr("long")})
    properties["arg_attrs"] = ArrayAttr([*properties["arg_attrs"].data, own])
    _set_extent(function, position, axis, AffineExpr.symbol(len(view.size_names)), is_told=True)
    shape = list(array.type.get_shape())
    shape[axis] = DYNAMIC_INDEX
    Rewriter.replace_value_with_new_type(array, MemRefType(array.type.element_type, shape))
    properties["function_type"] = FunctionType.from_lists(view.body.arg_types, properties["function_type"].outputs.data)
    extent = parameter.extents[axis]
    room = Polynomial.variable(size) - Polynomial.constant(extent.constant)
    for name, factor in extent.terms:
        room = room - Polynomial.variable(str(name)).scale(factor)
    condition = Condition(AffineConstraintKind.ge, room, [*view.size_names, size])
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
