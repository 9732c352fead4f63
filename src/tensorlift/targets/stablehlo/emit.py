"""Emitting StableHLO: each node of a tensor program as operations on tensors.

Shapes are static where sizes are given; where they are not, sizes are extents of the arguments, and shapes are open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE, ZERO, Affine
from tensorlift.comprehension.domain import UNIVERSE, Domain, at_least, less
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
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
    Full,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Reduction,
    SizeValue,
    Subscript,
    Transpose,
    Triangle,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.targets.emitted import as_float
from tensorlift.targets.mlir_text.emission import TextEmission
from tensorlift.targets.mlir_text.positions import without_position
from tensorlift.targets.stablehlo.builder import NAMED, Builder, is_static, neutral_number, type_of, type_of_shape
from tensorlift.targets.stablehlo.cells import cell_of
from tensorlift.targets.stablehlo.contraction import contract
from tensorlift.targets.stablehlo.convolution import convolution_of
from tensorlift.targets.stablehlo.diagonals import diagonal_store
from tensorlift.targets.stablehlo.rows_elementwise import DIRECTIONS
from tensorlift.targets.stablehlo.spans import Span, changing, reversed_axes, spans
from tensorlift.targets.xla import check_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xdsl.ir import Attribute, SSAValue

    from tensorlift.ir.tensor_program import For, Parameter, SetSlice, Shape, SubscriptItem, TensorProgram
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.emitted import Emitted

_FUNCTIONS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "tdiv": "divide", "rem": "remainder",
    "max": "maximum", "min": "minimum", "pow": "power", "atan2": "atan2", "neg": "negate", "abs": "abs",
    "and": "and", "or": "or", "not": "not", "bitand": "and", "bitor": "or", "bitxor": "xor", "bitnot": "not",
    "shl": "shift_left", "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exponential", "expm1": "exponential_minus_one",
    "log": "log", "log1p": "log_plus_one", "sin": "sine", "cos": "cosine", "tan": "tan", "tanh": "tanh",
    "floor": "floor", "ceil": "ceil", "rint": "round_nearest_even", "round": "round_nearest_afz",
}  # fmt: skip
_COMPARISONS = {op: direction for direction, op in DIRECTIONS.items()}
_IGNORING_NAN = {"fmax": "maximum", "fmin": "minimum"}
_ROUNDED_DOWN = {"mod": "remainder", "floordiv": "divide"}
_LOGICAL = ("and", "or", "not")


def emit(program: TensorProgram) -> Emitted:
    """Return the program as StableHLO.

    Raises:
        LiftError: TL305 where StableHLO has no such function, TL307 where it does not convert so, TL308 where a loop
            is kept, TL515 where a size must be given, TL306 where the program returns nothing.

    """
    check_program(program, "StableHLO")
    return _StableHloEmission(program).emit()


class _StableHloEmission(TextEmission):
    title = "StableHLO"

    def __init__(self, program: TensorProgram) -> None:
        super().__init__(program)
        self.build = Builder(self.writer, program.context or UNIVERSE)
        self._memo: dict[Expression, SSAValue] = {}
        self._masks: dict[SSAValue, Expression] = {}
        self._bind_sizes()

    def parameter_type(self, parameter: Parameter) -> Attribute:
        """Return the type of a parameter: a scalar is a tensor without axes, and a size is one of 64 bits."""
        return type_of_shape(parameter.shape, "i64" if parameter.is_size else parameter.dtype)

    def _bind_sizes(self) -> None:
        """Define the sizes that are not given; those that nothing needs are left out in the end."""
        sizes = self.build.sizes
        for parameter in self.parameters:
            self.build.given(self.values[parameter.name], parameter.shape)
            if parameter.is_size:
                sizes.take(parameter.name, self.values[parameter.name])
        found = [(source.name, sizes.extent_of(source, self.values[source.array])) for source in self.program.sizes]
        found += [(derived.name, sizes.derive(derived)) for derived in self.program.derived]
        for name, value in found:
            self.writer.name(value, name)
            self.writer.leave_out_unused(value)

    def start_statement(self) -> None:
        """Forget the values of expressions."""
        self._memo = {}

    def value(self, node: Expression) -> SSAValue:
        """Return the value of an expression; that of a variable changes with assignments."""
        if isinstance(node, Variable):
            return self.values[node.name]
        if node not in self._memo:
            self._memo[node] = getattr(self, _METHODS[type(node)])(node)
        return self._memo[node]

    def operand(self, node: Expression, shape: Shape, dtype: DType) -> SSAValue:
        """Return the value of an expression in an element type and a shape to which it broadcasts."""
        if isinstance(node, SizeValue) and not node.affine.is_constant:
            return self.build.broadcast(self.build.convert(self.build.sizes.index(node.affine), dtype), shape)
        if isinstance(node, Literal | SizeValue):
            return self.build.constant(_number(node), shape, dtype)
        return self.build.broadcast(self.build.convert(self.value(node), dtype), shape)

    def typed(self, node: Expression, dtype: DType) -> SSAValue:
        """Return the value of an expression in an element type."""
        return self.operand(node, self.shape(node), dtype)

    def shape(self, node: Expression) -> Shape:
        """Return the extents of the value of an expression."""
        return () if isinstance(node, Literal | SizeValue) else self.build.shape_of(self.value(node))

    # -- from nothing or from one value

    def _number(self, node: Literal | SizeValue) -> SSAValue:
        return self.operand(node, (), node.dtype)

    def _iota(self, node: Iota) -> SSAValue:
        shape = self._extents(node.shape)
        values = self._shifted(self.build.iota(0, shape), node.start)
        return self.build.convert(values, node.dtype)

    def _full(self, node: Full) -> SSAValue:
        return self.operand(node.argument, self._extents(node.shape), node.dtype)

    def _empty(self, node: Empty) -> SSAValue:
        return self.build.constant(0, self._extents(node.shape), node.dtype)

    def _same(self, node: Copy) -> SSAValue:
        return self.typed(node.argument, node.dtype)

    def _cast(self, node: Cast) -> SSAValue:
        return self.typed(node.argument, node.dtype)

    def _mask(self, node: TriangleMask | DiagonalMask) -> SSAValue:
        direction = "GE" if isinstance(node, TriangleMask) else "EQ"
        mask = self.build.convert(self._below(self._extents(node.shape), node.offset, direction), node.dtype)
        self._masks[mask] = node
        self.writer.leave_out_unused(mask)
        return mask

    def _shifted(self, values: SSAValue, offset: Affine) -> SSAValue:
        """Add an affine expression."""
        if offset == ZERO:
            return values
        shape = self.build.shape_of(values)
        if offset.is_constant:
            added = self.build.constant(offset.constant, shape, "i64")
        else:
            added = self.build.broadcast(self.build.sizes.index(offset), shape)
        return self.build.elementwise("add", values, added)

    def _below(self, shape: Shape, offset: Affine, direction: str) -> SSAValue:
        """Compare ``row + offset`` with the column, along the last two axes."""
        rows, columns = (self.build.iota(len(shape) - back, shape) for back in (2, 1))
        return self.build.compare(direction, self._shifted(rows, offset), columns)

    def _triangle(self, node: Triangle) -> SSAValue:
        value = self.value(node.argument)
        kept = self._below(self.build.shape_of(value), node.offset, "LE" if node.is_upper else "GE")
        return self.build.select(kept, value, self.build.constant(0, self.build.shape_of(value), type_of(value)))

    # -- cell by cell

    def _elementwise(self, node: Elementwise) -> SSAValue:
        stored = self._on_diagonal(node) if node.op == "select" else None
        if stored is not None:
            return stored
        shape = _broadcast(self.shape(argument) for argument in node.arguments)
        if node.op == "select":
            condition, *arms = node.arguments
            chosen, other = (self.operand(arm, shape, node.dtype) for arm in arms)
            return self.build.select(self.operand(condition, shape, "bool"), chosen, other)
        if node.op in _COMPARISONS:
            dtype = _common(node.arguments)
            left, right = (self.operand(argument, shape, dtype) for argument in node.arguments)
            return self.build.compare(_COMPARISONS[node.op], left, right)
        dtype = "bool" if node.op in _LOGICAL else node.dtype
        operands = [self.operand(argument, shape, dtype) for argument in node.arguments]
        if node.op in _IGNORING_NAN:
            return self._ignoring_nan(node.op, operands[0], operands[1])
        if node.op in _ROUNDED_DOWN and is_integer(dtype):
            if is_position(node.arguments[0]):
                return self.build.elementwise(_ROUNDED_DOWN[node.op], *operands)
            if isinstance(node.arguments[1], Literal) and is_position(node.arguments[1]):
                return self._rounded_down(node.op, operands[0], operands[1])
        return self.build.elementwise(_function(node.op, dtype), *operands)

    def _rounded_down(self, op: str, dividend: SSAValue, divisor: SSAValue) -> SSAValue:
        """Return Python's remainder or quotient by a positive number: a negative remainder is one step too low."""
        rest = self.build.elementwise("remainder", dividend, divisor)
        shape, dtype = self.build.shape_of(rest), type_of(rest)
        is_negative = self.build.compare("LT", rest, self.build.constant(0, shape, dtype))
        if op == "mod":
            return self.build.select(is_negative, self.build.elementwise("add", rest, divisor), rest)
        whole = self.build.elementwise("divide", dividend, divisor)
        lower = self.build.elementwise("subtract", whole, self.build.constant(1, shape, dtype))
        return self.build.select(is_negative, lower, whole)

    def _ignoring_nan(self, op: str, left: SSAValue, right: SSAValue) -> SSAValue:
        """Return the greater or the lesser, and the other one where one is no number."""
        either = self.build.elementwise(_IGNORING_NAN[op], left, right)
        if not is_float(type_of(left)):
            return either
        either = self.build.select(self.build.compare("NE", right, right), left, either)
        return self.build.select(self.build.compare("NE", left, left), right, either)

    # -- the same cells elsewhere

    def _broadcast_to(self, node: Broadcast) -> SSAValue:
        return self.operand(node.argument, self._extents(node.shape), node.dtype)

    def _transpose(self, node: Transpose) -> SSAValue:
        return self.build.transpose(self.value(node.argument), node.permutation)

    def _subscript(self, node: Subscript) -> SSAValue:
        value = self.value(node.argument)
        value = self._part(value, self._spans(node.items, value))
        value = self.build.reverse(value, reversed_axes(node.items))
        shape: list[Affine] = []
        extents = iter(self.build.shape_of(value))
        for item in node.items:
            extent = ONE if isinstance(item, NewAxis) else next(extents)
            shape += [] if isinstance(item, At) else [extent]
        return self.build.reshape(value, (*shape, *extents))

    def _extents(self, shape: Shape) -> Shape:
        """Return extents of which those that are numbers are not negative."""
        if any(map(self.build.sizes.is_counted, shape)):
            raise changing("makes arrays")
        return tuple(Affine(max(extent.constant, 0)) if extent.is_constant else extent for extent in shape)

    def _spans(self, items: Sequence[SubscriptItem], value: SSAValue) -> list[Span]:
        whole = self.build.shape_of(value)
        wanted = spans(items, whole, self.build.sizes.is_counted)
        self.build.sizes.check_inside(wanted, whole)
        return wanted

    def _part(self, value: SSAValue, wanted: Sequence[Span]) -> SSAValue:
        """Return some cells of every axis."""
        if not any(self.build.sizes.is_counted(span.start) for span in wanted):
            return self.build.slice(value, wanted)
        value = self.build.part(value, [span.start for span in wanted], tuple(span.width for span in wanted))
        return self.build.slice(value, [span._replace(start=ZERO) for span in wanted])

    def _diagonal(self, node: Diagonal) -> SSAValue:
        """Gather the cells from the array behind slices, which has some where a slice may have none."""
        along = Affine.var("the diagonal")
        array, places = cell_of(node.argument, (along, along))
        (cells,) = self._extents(node.shape)
        if set(places) == {along}:
            return self.build.gather(self.value(array), self.build.iota(0, (cells, Affine(len(places)))))
        lines = {place: self._line(place, along, cells) for place in dict.fromkeys(places)}
        return self._at(self.value(array), [lines[place] for place in places])

    def _line(self, place: Affine, along: Affine, cells: Affine) -> SSAValue:
        """Return the positions to which a place goes as a variable goes along so many cells."""
        (name,) = along.variables
        step = place.coefficient(name)
        positions = self.build.iota(0, (cells,))
        if step != 1:
            steps = self.build.constant(step, (cells,), "i64")
            positions = self.build.elementwise("multiply", positions, steps)
        return self._shifted(positions, place - along * step)

    def _gather(self, node: Gather) -> SSAValue:
        shape = _broadcast(self.shape(index) for index in node.indices)
        return self._at(self.value(node.argument), [self.operand(index, shape, "i64") for index in node.indices])

    def _windows(self, node: Windows) -> SSAValue:
        """Gather windows: each axis is walked by its position and by that inside the window."""
        value = self.value(node.argument)
        rank = len(self.build.shape_of(value))
        inside = dict(zip(node.axes, range(rank, rank + len(node.axes)), strict=True))
        extents = dict(zip(node.axes, self._extents(node.extents), strict=True))
        places = [extent - extents.get(axis, ONE) + 1 for axis, extent in enumerate(self.build.shape_of(value))]
        shape = (*places, *(extents[axis] for axis in node.axes))
        indices = []
        for axis in range(rank):
            index = self.build.iota(axis, shape)
            if axis in inside:
                index = self.build.elementwise("add", index, self.build.iota(inside[axis], shape))
            indices.append(index)
        return self._at(value, indices)

    def _at(self, value: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """Return the cells at index arrays of one shape, one for each axis."""
        return self.build.gather(value, self._vectors(indices))

    def _vectors(self, indices: Sequence[SSAValue]) -> SSAValue:
        """Return index arrays of one shape, one for each axis, as an array of index vectors."""
        shape = self.build.shape_of(indices[0])
        columns = [self.build.reshape(index, (*shape, ONE)) for index in indices]
        return self.build.concatenate(columns, len(shape))

    # -- folds

    def _reduction(self, node: Reduction) -> SSAValue:
        node = without_position(node)
        op, value = self._folded(node.op, self.typed(node.argument, node.dtype))
        initial = None if node.initial is None else self.typed(node.initial, node.dtype)
        return self.build.reduce(op, value, node.axes, initial)

    def _cumulative(self, node: Cumulative) -> SSAValue:
        op, value = self._folded(node.op, self.typed(node.argument, node.dtype))
        return self.build.running(op, value, node.axis)

    def _folded(self, op: str, value: SSAValue) -> tuple[str, SSAValue]:
        """Return a fold that StableHLO has, and what to fold: a neutral number where one is to be ignored."""
        if op not in _IGNORING_NAN:
            return op, value
        op, shape, dtype = op.removeprefix("f"), self.build.shape_of(value), type_of(value)
        if not is_float(dtype):
            return op, value
        neutral = self.build.constant(neutral_number(op, dtype), shape, dtype)
        return op, self.build.select(self.build.compare("NE", value, value), neutral, value)

    def _contraction(self, node: Contraction) -> SSAValue:
        convolution = convolution_of(node)
        if convolution is not None:
            part = self._part(self.typed(convolution.data, node.dtype), convolution.spans)
            return convolution.add(self.build, part, self.typed(convolution.kernel, node.dtype))
        operands = [self.typed(argument, node.dtype) for argument in node.arguments]
        return contract(self.build, operands, node.labels, node.output)

    # -- stores

    def stored(self, statement: SetSlice, old: SSAValue) -> SSAValue:
        """Return an array after a store: an update in one piece, or cells spread by steps and selected."""
        whole = self.build.shape_of(old)
        wanted = self._spans(statement.items, old)
        extents = tuple(span.cells for span in wanted)
        if ZERO in extents:
            return old
        dropped = {axis for axis, item in enumerate(statement.items) if isinstance(item, At)}
        kept = tuple(extent for axis, extent in enumerate(extents) if axis not in dropped)
        part = self.build.reshape(self.operand(statement.value, kept, type_of(old)), extents)
        part = self.build.reverse(part, reversed_axes(statement.items))
        if extents == whole:
            return part
        if all(span.step == 1 for span in wanted):
            return self.build.update(old, part, [self.build.sizes.index(span.start) for span in wanted])
        if not all(span.is_static for span in wanted) or not is_static(whole):
            return self._scattered(old, part, wanted)
        starts = tuple(span.start.constant for span in wanted)
        return self._spread(old, part, starts, tuple(span.step - 1 for span in wanted))

    def _scattered(self, old: SSAValue, part: SSAValue, wanted: Sequence[Span]) -> SSAValue:
        """Store at places that are computed: those along each axis that is not taken whole."""
        whole = self.build.shape_of(old)
        axes = [axis for axis, span in enumerate(wanted) if span.cells != whole[axis]]
        grid = tuple(wanted[axis].cells for axis in axes)
        columns = []
        for place, axis in enumerate(axes):
            along = self.build.iota(place, grid)
            if wanted[axis].step != 1:
                along = self.build.elementwise("multiply", along, self.build.constant(wanted[axis].step, grid, "i64"))
            columns.append(self._shifted(along, wanted[axis].start))
        return self.build.scatter(old, self._vectors(columns), part, axes)

    def _on_diagonal(self, node: Elementwise) -> SSAValue | None:
        """Return a selection that replaces a diagonal of an array as a scatter into it, None for any other."""
        mask, chosen, other = node.arguments
        known = self._masks.get(self.values[mask.name]) if isinstance(mask, Variable) else mask
        store = diagonal_store(known, chosen, other)
        if store is None:
            return None
        part = self.operand(store.values, self.shape(store.values) or (Affine(store.cells),), node.dtype)
        cells = Affine(store.cells)
        if self.build.shape_of(part) not in ((ONE,), (cells,)):
            part = self.build.slice(part, [Span(Affine(store.column), cells)])
        vectors = self.build.iota(0, (cells, Affine(2)))
        if store.row or store.column:
            along = self.build.iota(0, (cells,))
            vectors = self._vectors([self._shifted(along, Affine(start)) for start in (store.row, store.column)])
        part = self.build.broadcast(part, (cells,))
        return self.build.scatter(self.value(other), vectors, part, (0, 1), adds=store.adds)

    def _spread(self, old: SSAValue, part: SSAValue, starts: Sequence[int], interior: Sequence[int]) -> SSAValue:
        whole, dtype = self.build.shape_of(old), type_of(old)
        spread = self.build.pad(part, self.build.constant(0, (), dtype), starts, whole, interior)
        yes, no = self.build.constant(1, self.build.shape_of(part), "bool"), self.build.constant(0, (), "bool")
        return self.build.select(self.build.pad(yes, no, starts, whole, interior), spread, old)

    # -- loops

    def loop(self, statement: For) -> None:
        """Add a loop over its variable and the arrays that it carries, whose shapes stay as they are."""
        names = [name for name, _ in statement.carried]
        initial = [self.build.sizes.index(statement.lower), *(self.values[name] for name in names)]
        kinds = [value.type for value in initial]
        with self.build.region(kinds) as condition:
            upper = self.build.sizes.index(statement.upper)
            if statement.step == 1:
                goes_on = self.build.compare("LT", condition.args[0], upper)
            else:  # XLA (jaxlib 0.10.2) takes `LT` from 0 below 1 by larger steps for a loop that never runs
                goes_on = self.build.compare("GT", upper, condition.args[0])
            self.build.give_out([goes_on])
        before = dict(self.values)
        with self.build.region(kinds) as body:
            self.writer.name(body.args[0], statement.variable)
            inside = Domain.of(at_least(statement.variable, statement.lower), less(statement.variable, statement.upper))
            self.build.sizes.count(statement.variable, body.args[0], inside)
            for (name, definition), argument in zip(statement.carried, body.args[1:], strict=True):
                self.writer.name(argument, name, definition)
                self.values[name] = self.build.given(argument, self.build.shape_of(before[name]))
            self.run(statement.body)
            self.start_statement()
            following = self.build.sizes.index(Affine.var(statement.variable) + statement.step)
            self.build.give_out([following, *(self.values[name] for name in names)])
        self.values = before
        results = self.build.loop(initial, condition, body)
        for name, result in zip(names, results[1:], strict=True):
            self.writer.name(result, name)
            self.values[name] = result
        self.start_statement()


def _number(node: Literal | SizeValue) -> float:
    if isinstance(node, SizeValue):
        return node.affine.constant
    if isinstance(node.value, str):
        return NAMED[node.value]
    return int(node.value) if node.value.denominator == 1 and not is_float(node.dtype) else as_float(node.value)


def _broadcast(shapes: Iterable[Shape]) -> Shape:
    """Return the shape that shapes broadcast to."""
    listed = list(shapes)
    rank = max(map(len, listed))
    padded = [(ONE,) * (rank - len(shape)) + shape for shape in listed]
    return tuple(next((e for e in extents if e != ONE), ONE) for extents in zip(*padded, strict=True))


def _common(arguments: Sequence[Expression]) -> DType:
    """Return the type in which operands are compared: that of the first that is no plain number."""
    firm = [argument for argument in arguments if not argument.is_weak]
    return (firm or list(arguments))[0].dtype


def _function(op: str, dtype: DType) -> str:
    """Return the name of a scalar function."""
    if op == "shr":
        return "shift_right_logical" if dtype.startswith("u") else "shift_right_arithmetic"
    if op not in _FUNCTIONS:
        remedy = "write it with the functions that StableHLO has"
        raise refuse("TL305", f"StableHLO has no function {op}", remedy=remedy)
    return _FUNCTIONS[op]


def is_position(node: Expression) -> bool:
    """Tell whether an integer is seen never to be negative: a position, or made of positions."""
    if isinstance(node, Literal):
        return not isinstance(node.value, str) and node.value >= 0
    if isinstance(node, Iota | SizeValue):
        start = node.start if isinstance(node, Iota) else node.affine
        return start.is_constant and start.constant >= 0
    if isinstance(node, Elementwise):
        return node.op in ("add", "mul") and all(map(is_position, node.arguments))
    return isinstance(node, Subscript | Broadcast | Cast | Copy | Full | Transpose) and is_position(node.argument)


_METHODS: dict[type[Expression], str] = {
    Literal: "_number", SizeValue: "_number", Iota: "_iota", TriangleMask: "_mask", DiagonalMask: "_mask",
    Full: "_full", Empty: "_empty", Subscript: "_subscript", Transpose: "_transpose", Diagonal: "_diagonal",
    Windows: "_windows", Gather: "_gather", Broadcast: "_broadcast_to", Copy: "_same", Triangle: "_triangle",
    Elementwise: "_elementwise", Cast: "_cast", Reduction: "_reduction", Cumulative: "_cumulative",
    Contraction: "_contraction",
}  # fmt: skip
