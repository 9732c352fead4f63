"""Emitting StableHLO: each node of a tensor program as operations on tensors.

Shapes are static where sizes are given; where they are not, sizes are extents of the arguments, and shapes are open.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.updates import REDUCERS
from tensorlift.ir.segments import Spans
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Broadcast,
    Cast,
    Contraction,
    Copy,
    Cumulative,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Empty,
    Expression,
    For,
    Full,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Reduction,
    Return,
    Scatter,
    SetSlice,
    SizeValue,
    Subscript,
    Take,
    Transpose,
    Triangle,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.targets.emitted import as_float, returned, spell_all, spelling
from tensorlift.targets.mlir_text.operations import ELEMENT_TYPES
from tensorlift.targets.mlir_text.text import (
    cell_of,
    function_emitted,
    names_and_types,
    table_text,
    without_position,
    without_unused,
)
from tensorlift.targets.stablehlo.builder import COMBINING, Array, Builder, apart, is_static, lacking
from tensorlift.targets.stablehlo.convolution import contract, convolution_of
from tensorlift.targets.stablehlo.loops import between, repeated
from tensorlift.targets.stablehlo.rows_elementwise import DIRECTIONS
from tensorlift.targets.stablehlo.spans import Span, changing, reversed_axes
from tensorlift.targets.stablehlo.views import (
    IGNORING_NAN,
    cells_at,
    common_shape,
    common_type,
    diagonal_store,
    foldable,
    function_name,
    gathered,
    ignoring_nan,
    index_vectors,
    is_position,
    kept_places,
    part_of,
    rounded_down,
    scattered,
    spans_of,
    spread_in,
    taken,
)
from tensorlift.targets.xla import check_program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.ir.tensor_program import Parameter, Shape, Statement, TensorProgram
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.emitted import Emitted

_COMPARISONS = {op: direction for direction, op in DIRECTIONS.items()}
_ROUNDED_DOWN = {"mod": "remainder", "floordiv": "divide"}
_LOGICAL = ("and", "or", "not")


def emit(program: TensorProgram) -> Emitted:
    """Return the program as StableHLO.

    Raises:
        LiftError: TL305 where StableHLO has no such function, TL307 where it does not convert so, TL308 where a loop
            is kept, TL515 where a size must be given, TL306 where the program returns nothing.

    """
    check_program(program, "StableHLO")
    emission = _Emission(program)
    with spelling(program):
        return emission.emit()


class _Emission:
    """Emits one program; ``values`` are those of its variables at the place at hand."""

    def __init__(self, program: TensorProgram) -> None:
        self.program = program
        self.build = Builder(program.context or UNIVERSE)
        self.values: dict[str, Array] = {}
        self.positions: set[str] = set()  # variables whose cells are never negative
        self.masks: dict[Array, Expression] = {}
        self.spare: list[Array] = []  # is left out of the text where nothing uses it in the end
        self._memo: dict[Expression, Array] = {}
        self._names: dict[str, str] = {}
        self._taken: Counter[str] = Counter()
        self._cuts: list[tuple[str, str]] = []
        self._results: list[Array] = []
        self._parameters: list[tuple[Parameter, str, str]] = []
        for parameter in program.parameters:
            value = self.build.value(parameter.shape, "i64" if parameter.is_size else parameter.dtype)
            self.values[parameter.name] = self._named(value, parameter.name)
            self._parameters.append((parameter, value.name, value.type))
            if parameter.is_size:
                self.build.sizes.take(parameter.name, value)
        self._bind_sizes()
        for table in program.tables:
            text = f"stablehlo.constant {table_text(table, str(ELEMENT_TYPES[table.dtype]))}"
            self.values[table.name] = self._named(self.build.define(text, table.shape, table.dtype), table.name)

    def _bind_sizes(self) -> None:
        """Define the sizes that are not given; those that nothing needs are left out in the end."""
        sizes = self.build.sizes
        found = [(source.name, sizes.extent_of(source, self.values[source.array])) for source in self.program.sizes]
        found += [(derived.name, sizes.derive(derived)) for derived in self.program.derived]
        self.spare += [self._named(value, name) for name, value in found]

    def emit(self) -> Emitted:
        """Return the program as MLIR."""
        spell_all(self.program.body, self._statement)
        self.build.line("return {} : {}".format(*names_and_types(self._results)))
        lines = without_unused(self.build.lines, [value.name for value in self.spare])
        return function_emitted(
            self.program, self._parameters, lines, [value.type for value in self._results], self._cuts, self._names
        )

    def _named(self, value: Array, name: str, definition: str | None = None) -> Array:
        """Name a value that has no name yet, and say which definition it holds."""
        number = value.name[1:]
        if number not in self._names:
            self._names[number] = self._unused(name)
        if definition is not None:
            self._cuts.append((number, definition))
        return value

    def _unused(self, name: str) -> str:
        """Return the name, with a number where it is taken."""
        while True:
            self._taken[name] += 1
            candidate = name if self._taken[name] == 1 else f"{name}_{self._taken[name] - 1}"
            if candidate == name or not self._taken[candidate]:
                self._taken[candidate] = max(self._taken[candidate], 1)
                return candidate

    # -- statements

    def _statement(self, statement: Statement, _: object) -> None:
        self._memo = {}
        if isinstance(statement, For):
            self._loop(statement)
        elif isinstance(statement, Return):
            self._results = [self.value(value) for value in returned(statement, self.program)]
        else:
            value = self.value(statement.value) if isinstance(statement, Assign) else _stored(self, statement)
            self.positions -= {statement.name}
            if isinstance(statement, Assign) and is_position(statement.value, self.positions):
                self.positions.add(statement.name)
            value = apart(self.build, value) if statement.definition else value
            self.values[statement.name] = self._named(value, statement.name, statement.definition)

    def _loop(self, statement: For) -> None:
        """Add a loop over its variable, if it counts, and the arrays that it carries, whose shapes stay as they are."""
        build, names = self.build, [name for name, _ in statement.carried]
        first = [] if statement.goes_on is not None else [build.sizes.index(statement.lower)]
        before = dict(self.values)
        self.positions.difference_update(names)
        inside = Domain.of(at_least(statement.variable, statement.lower), less(statement.variable, statement.upper))

        def step(arguments: list[Array]) -> list[Array]:
            for position in arguments[: len(first)]:
                self._named(position, statement.variable)
                build.sizes.count(statement.variable, position)
            for (name, definition), argument in zip(statement.carried, arguments[len(first) :], strict=True):
                self.values[name] = self._named(argument, name, definition)
            spell_all(statement.body, self._statement)
            following = [build.sizes.index(Affine.var(statement.variable) + statement.step) for _ in first]
            return [*following, *(self.values[name] for name in names)]

        initial, domain = [*first, *(self.values[name] for name in names)], inside if first else UNIVERSE
        results = repeated(build, initial, partial(self._goes_on, statement), step, domain)
        self.values = before | {n: self._named(r, n) for n, r in zip(names, results[len(first) :], strict=True)}

    def _goes_on(self, statement: For, arguments: Sequence[Array]) -> Array:
        """Return whether a loop goes on, given what it counts and carries."""
        if statement.goes_on is not None:
            return arguments[[name for name, _ in statement.carried].index(statement.goes_on.name)]
        position, upper = arguments[0], self.build.sizes.index(statement.upper)
        # XLA (jaxlib 0.10.2) takes `LT` from 0 below 1 by larger steps for a loop that never runs
        return self.build.compare(*(("LT", position, upper) if statement.step == 1 else ("GT", upper, position)))

    # -- expressions

    def value(self, node: Expression) -> Array:
        """Return the value of an expression; that of a variable changes with assignments."""
        if isinstance(node, Variable):
            return self.values[node.name]
        if node not in self._memo:
            self._memo[node] = _RULES.get(type(node), lacking)(self, node)
        return self._memo[node]

    def operand(self, node: Expression, shape: Shape, dtype: DType) -> Array:
        """Return the value of an expression in an element type and a shape to which it broadcasts."""
        if isinstance(node, Literal) or (isinstance(node, SizeValue) and node.affine.is_constant):
            return self.build.constant(_number(node), shape, dtype)
        value = self.build.sizes.index(node.affine) if isinstance(node, SizeValue) else self.value(node)
        return self.build.broadcast(self.build.convert(value, dtype), shape)

    def typed(self, node: Expression, dtype: DType) -> Array:
        """Return the value of an expression in an element type."""
        return self.operand(node, self.shape(node), dtype)

    def shape(self, node: Expression) -> Shape:
        """Return the extents of the value of an expression."""
        return () if isinstance(node, Literal | SizeValue) else self.value(node).shape

    def extents(self, shape: Shape) -> Shape:
        """Return extents of which those that are numbers are not negative."""
        if any(map(self.build.sizes.is_counted, shape)):
            raise changing("makes arrays")
        return tuple(Affine(max(extent.constant, 0)) if extent.is_constant else extent for extent in shape)


# -- from nothing or from one value


def _iota(e: _Emission, node: Iota) -> Array:
    return e.build.convert(_shifted(e, e.build.iota(0, e.extents(node.shape)), node.start), node.dtype)


def _mask(e: _Emission, node: TriangleMask | DiagonalMask) -> Array:
    direction = "GE" if isinstance(node, TriangleMask) else "EQ"
    mask = e.build.convert(_below(e, e.extents(node.shape), node.offset, direction), node.dtype)
    e.masks[mask] = node
    e.spare.append(mask)
    return mask


def _shifted(e: _Emission, values: Array, offset: Affine, step: int = 1) -> Array:
    """Multiply by a step, and add an affine expression."""
    build, shape = e.build, values.shape
    if step != 1:
        values = build.elementwise("multiply", values, build.constant(step, shape, "i64"))
    if offset == ZERO:
        return values
    if offset.is_constant:
        return build.elementwise("add", values, build.constant(offset.constant, shape, "i64"))
    return build.elementwise("add", values, build.broadcast(build.sizes.index(offset), shape))


def _below(e: _Emission, shape: Shape, offset: Affine, direction: str) -> Array:
    """Compare ``row + offset`` with the column, along the last two axes."""
    rows, columns = (e.build.iota(len(shape) - back, shape) for back in (2, 1))
    return e.build.compare(direction, _shifted(e, rows, offset), columns)


def _triangle(e: _Emission, node: Triangle) -> Array:
    value = e.value(node.argument)
    kept = _below(e, value.shape, node.offset, "LE" if node.is_upper else "GE")
    return e.build.select(kept, value, e.build.constant(0, value.shape, value.dtype))


# -- cell by cell


def _elementwise(e: _Emission, node: Elementwise) -> Array:
    stored = _on_diagonal(e, node) if node.op == "select" else None
    if stored is not None:
        return stored
    shape = common_shape(e.shape(argument) for argument in node.arguments)
    if node.op == "select":
        condition, *arms = node.arguments
        chosen, other = (e.operand(arm, shape, node.dtype) for arm in arms)
        return e.build.select(e.operand(condition, shape, "bool"), chosen, other)
    if node.op in _COMPARISONS:
        dtype = common_type(node.arguments)
        left, right = (e.operand(argument, shape, dtype) for argument in node.arguments)
        return e.build.compare(_COMPARISONS[node.op], left, right)
    dtype = "bool" if node.op in _LOGICAL else node.dtype
    operands = [e.operand(argument, shape, dtype) for argument in node.arguments]
    if node.op in IGNORING_NAN:
        return ignoring_nan(e.build, node.op, *operands)
    if node.op in _ROUNDED_DOWN and is_integer(dtype):
        dividend, divisor = node.arguments
        by_positive = isinstance(divisor, Literal) and is_position(divisor)
        if dtype.startswith("u") or (by_positive and is_position(dividend, e.positions)):
            return e.build.elementwise(_ROUNDED_DOWN[node.op], *operands)
        return rounded_down(e.build, node.op, *operands, by_positive=by_positive)
    return e.build.elementwise(function_name(node.op, dtype), *operands)


# -- the same cells elsewhere


def _subscript(e: _Emission, node: Subscript) -> Array:
    value = e.value(node.argument)
    value = part_of(e.build, value, spans_of(e.build, node.items, value))
    value = e.build.reverse(value, reversed_axes(node.items))
    shape: list[Affine] = []
    extents = iter(value.shape)
    for item in node.items:
        extent = ONE if isinstance(item, NewAxis) else next(extents)
        shape += [] if isinstance(item, At) else [extent]
    return e.build.reshape(value, (*shape, *extents))


def _diagonal(e: _Emission, node: Diagonal) -> Array:
    """Gather the cells from the array behind slices, which has some where a slice may have none."""
    along = Affine.var("the diagonal")
    (name,) = along.variables
    array, places = cell_of(node.argument, (along, along))
    (cells,) = e.extents(node.shape)
    if set(places) == {along}:
        return gathered(e.build, e.value(array), e.build.iota(0, (cells, Affine(len(places)))))
    steps = {place: place.coefficient(name) for place in places}
    lines = {place: _shifted(e, e.build.iota(0, (cells,)), place - along * step, step) for place, step in steps.items()}
    return cells_at(e.build, e.value(array), [lines[place] for place in places])


def _gather(e: _Emission, node: Gather) -> Array:
    shape = common_shape(map(e.shape, node.indices))
    return cells_at(e.build, e.value(node.argument), [e.operand(i, shape, i.dtype) for i in node.indices])


def _windows(e: _Emission, node: Windows) -> Array:
    """Gather windows: each axis is walked by its position and by that inside the window."""
    value = e.value(node.argument)
    inside = {axis: len(value.shape) + position for position, axis in enumerate(node.axes)}
    extents = dict(zip(node.axes, e.extents(node.extents), strict=True))
    places = [extent - extents.get(axis, ONE) + 1 for axis, extent in enumerate(value.shape)]
    shape = (*places, *(extents[axis] for axis in node.axes))
    indices = []
    for axis in range(len(value.shape)):
        index = e.build.iota(axis, shape)
        if axis in inside:
            index = e.build.elementwise("add", index, e.build.iota(inside[axis], shape))
        indices.append(index)
    return cells_at(e.build, value, indices)


# -- folds


def _reduction(e: _Emission, node: Reduction) -> Array:
    node = without_position(node)
    op, value = foldable(e.build, node.op, e.typed(node.argument, node.dtype))
    initial = None if node.initial is None else e.typed(node.initial, node.dtype)
    return e.build.reduce(op, value, node.axes, initial)


def _cumulative(e: _Emission, node: Cumulative) -> Array:
    return e.build.running(*foldable(e.build, node.op, e.typed(node.argument, node.dtype)), node.axis)


def _spans(e: _Emission, node: Spans) -> Array:
    op, value = foldable(e.build, node.op, e.typed(node.argument, node.dtype))
    return between(e.build, op, value, (e.value(node.index), e.value(node.ends)))


def _contraction(e: _Emission, node: Contraction) -> Array:
    convolution = convolution_of(node)
    if convolution is not None:
        part = part_of(e.build, e.typed(convolution.data, node.dtype), convolution.spans)
        return convolution.add(e.build, part, e.typed(convolution.kernel, node.dtype))
    operands = [e.typed(argument, node.dtype) for argument in node.arguments]
    return contract(e.build, operands, node.labels, node.output)


# -- stores


def _stored(e: _Emission, statement: SetSlice) -> Array:
    """Return an array after a store: an update in one piece, or cells spread by steps and selected."""
    build, old = e.build, e.values[statement.name]
    wanted = spans_of(build, statement.items, old)
    extents = tuple(span.cells for span in wanted)
    if ZERO in extents:
        return old
    dropped = {axis for axis, item in enumerate(statement.items) if isinstance(item, At)}
    kept = tuple(extent for axis, extent in enumerate(extents) if axis not in dropped)
    part = build.reshape(e.operand(statement.value, kept, old.dtype), extents)
    part = build.reverse(part, reversed_axes(statement.items))
    if extents == old.shape:
        return part
    if all(span.step == 1 for span in wanted):
        starts = [build.sizes.index(span.start) for span in wanted]
        return build.add("dynamic_update_slice", (old, part, *starts), old.shape, old.dtype)
    if all(span.is_static for span in wanted) and is_static(old.shape):
        return spread_in(build, old, part, wanted)
    axes = [axis for axis, span in enumerate(wanted) if span.cells != old.shape[axis]]
    grid = tuple(wanted[axis].cells for axis in axes)
    columns = [
        _shifted(e, build.iota(place, grid), wanted[axis].start, wanted[axis].step) for place, axis in enumerate(axes)
    ]
    return scattered(build, old, index_vectors(build, columns), part, axes)


def _scatter(e: _Emission, node: Scatter) -> Array:
    """Update an array where data say; equal places come in no certain order."""
    build, whole = e.build, e.value(node.argument)
    if node.op == "keep":
        first, stop, kept = node.indices
        start = None if isinstance(first, Literal) and first.value == 0 else e.operand(first, kept.shape, stop.dtype)
        columns = [kept_places(build, start, stop.dtype, e.value(kept), whole)]
        part = e.typed(node.value, whole.dtype)
    else:
        places = common_shape(map(e.shape, node.indices))
        dtype: DType = "i32" if all(index.dtype == "i32" for index in node.indices) else "i64"
        columns = [build.convert(e.operand(index, places, index.dtype), dtype) for index in node.indices]
        shape = (*whole.shape[: node.axes[0]], *places, *whole.shape[node.axes[-1] + 1 :])
        part = e.operand(node.value, shape, whole.dtype)
    combine = COMBINING[REDUCERS[node.op]] if node.op in REDUCERS else None
    return scattered(build, whole, index_vectors(build, columns), part, node.axes, combine, unique=False)


def _on_diagonal(e: _Emission, node: Elementwise) -> Array | None:
    """Return a selection that replaces a diagonal of an array as a scatter into it, None for any other."""
    mask, chosen, other = node.arguments
    known = e.masks.get(e.values[mask.name]) if isinstance(mask, Variable) else mask
    store = diagonal_store(known, chosen, other)
    if store is None:
        return None
    build, cells = e.build, Affine(store.cells)
    part = e.operand(store.values, e.shape(store.values) or (cells,), node.dtype)
    if part.shape not in ((ONE,), (cells,)):
        part = build.slice(part, [Span(Affine(store.column), cells)])
    vectors = build.iota(0, (cells, Affine(2)))
    if store.row or store.column:
        along = build.iota(0, (cells,))
        vectors = index_vectors(build, [_shifted(e, along, Affine(start)) for start in (store.row, store.column)])
    part = build.broadcast(part, (cells,))
    return scattered(build, e.value(other), vectors, part, (0, 1), "add" if store.adds else None)


def _number(node: Literal | SizeValue) -> float:
    if isinstance(node, SizeValue):
        return node.affine.constant
    if isinstance(node.value, str):
        return float(node.value)
    return int(node.value) if node.value.denominator == 1 and not is_float(node.dtype) else as_float(node.value)


_RULES: dict[type[Expression], Callable[[_Emission, Any], Array]] = {
    Literal: lambda e, node: e.operand(node, (), node.dtype),
    SizeValue: lambda e, node: e.operand(node, (), node.dtype),
    Iota: _iota,
    TriangleMask: _mask,
    DiagonalMask: _mask,
    Full: lambda e, node: e.operand(node.argument, e.extents(node.shape), node.dtype),
    Broadcast: lambda e, node: e.operand(node.argument, e.extents(node.shape), node.dtype),
    Empty: lambda e, node: e.build.constant(0, e.extents(node.shape), node.dtype),
    Copy: lambda e, node: e.typed(node.argument, node.dtype),
    Cast: lambda e, node: e.typed(node.argument, node.dtype),
    Subscript: _subscript,
    Transpose: lambda e, node: e.build.transpose(e.value(node.argument), node.permutation),
    Diagonal: _diagonal,
    Windows: _windows,
    Gather: _gather,
    Scatter: _scatter,
    Take: lambda e, node: taken(e.build, e.value(node.argument), e.value(node.index), node.axis),
    Triangle: _triangle,
    Elementwise: _elementwise,
    Reduction: _reduction,
    Cumulative: _cumulative,
    Spans: _spans,
    Contraction: _contraction,
}
