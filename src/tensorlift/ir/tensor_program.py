"""Tensor programs: what synthesis hands to a target, straight-line array code in no array library's spelling.

Statements are over named variables.  Expressions form a graph without cycles: a node that occurs twice is one object.
Each knows its element type and its shape; shapes and subscripts are affine in the sizes and the variables of loops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from tensorlift.comprehension.definition import ArrayInfo, DerivedSize
    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.positions import PositionName
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.diagnostics import Location
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain

Shape = tuple["Affine", ...]
ScatterOp = str  # set, add, mul, max, min or keep


@dataclass(frozen=True, slots=True)
class Range:
    """A subscript ``start:stop:step`` with a positive step; with one above 1 the stop is just behind the last element.

    ``is_clamped`` where the stop may be negative, for zero; ``end`` is another stop behind the same last element.
    """

    start: Affine
    stop: Affine
    step: int = 1
    is_clamped: bool = False
    end: Affine | None = None

    @property
    def extent(self) -> Affine:
        """The number of elements, or less than none."""
        length = self.stop - self.start
        if self.step == 1:
            return length
        last = length - 1  # a multiple of the step by construction
        return Affine(last.constant // self.step, {v: c // self.step for v, c in last.terms}) + 1


@dataclass(frozen=True, slots=True)
class Reverse:
    """A subscript that reverses a whole axis."""


@dataclass(frozen=True, slots=True)
class At:
    """A subscript that takes one position and drops the axis."""

    index: Affine


@dataclass(frozen=True, slots=True)
class NewAxis:
    """A subscript that inserts an axis of extent 1."""


SubscriptItem = Range | Reverse | At | NewAxis


@dataclass(frozen=True, eq=False, slots=True)
class Expression:
    """An array or a scalar; ``is_weak`` marks a value that may be a Python number at run time (NEP 50)."""

    dtype: DType
    shape: Shape
    is_weak: bool

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operands."""
        return ()

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)


@dataclass(frozen=True, eq=False, slots=True)
class Literal(Expression):
    """A number, or ``inf``, ``-inf``, ``nan``."""

    value: Fraction | str


@dataclass(frozen=True, eq=False, slots=True)
class SizeValue(Expression):
    """An affine expression of sizes and loop variables as a number."""

    affine: Affine


@dataclass(frozen=True, eq=False, slots=True)
class Variable(Expression):
    """A parameter or an assigned variable; a weak one is a scalar parameter."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Unary(Expression):
    """What has one operand, and perhaps others beside it."""

    argument: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operand."""
        return (self.argument,)


@dataclass(frozen=True, eq=False, slots=True)
class Elementwise(Expression):
    """A scalar function of `SCALAR_OPS` on operands that broadcast; ``select`` among them."""

    op: str
    arguments: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operands."""
        return self.arguments


@dataclass(frozen=True, eq=False, slots=True)
class Conditional(Expression):
    """The first of two values where a condition on sizes holds, else the second; a ``select`` computes both."""

    condition: Expression
    chosen: Expression
    other: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operands."""
        return self.condition, self.chosen, self.other


@dataclass(frozen=True, eq=False, slots=True)
class Cast(Unary):
    """The operand's values in the node's type."""


@dataclass(frozen=True, eq=False, slots=True)
class Copy(Unary):
    """The operand in memory of its own."""


@dataclass(frozen=True, eq=False, slots=True)
class Broadcast(Unary):
    """The operand with the node's shape."""


@dataclass(frozen=True, eq=False, slots=True)
class Subscript(Unary):
    """A view by one item for each axis of the operand, with new axes between; axes behind the last item are whole."""

    items: tuple[SubscriptItem, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Transpose(Unary):
    """A view with permuted axes: axis ``k`` of the result is axis ``permutation[k]`` of the operand."""

    permutation: tuple[int, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Diagonal(Unary):
    """The diagonal of a matrix."""


@dataclass(frozen=True, eq=False, slots=True)
class Windows(Unary):
    """All windows of given extents along axes: window axes come last, in the order of ``axes``."""

    axes: tuple[int, ...]
    extents: Shape


@dataclass(frozen=True, eq=False, slots=True)
class Gather(Unary):
    """Cells of the operand at index arrays, one for each of its axes, that broadcast to the node's shape."""

    indices: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operand and the index arrays."""
        return (self.argument, *self.indices)


@dataclass(frozen=True, eq=False, slots=True)
class Along(Unary):
    """What is made of the operand along one axis by an array of places there."""

    axis: int
    index: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operand and the places."""
        return (self.argument, self.index)

    def on(self, operands: tuple[Expression, ...]) -> Along:
        """Return the same of other operands."""
        return replace(self, argument=operands[0], index=operands[1])


@dataclass(frozen=True, eq=False, slots=True)
class Take(Along):
    """The operand at the places of an index array along one axis; the axes of the index array stand in its place."""


@dataclass(frozen=True, eq=False, slots=True)
class Scatter(Unary):
    """The operand with cells at index arrays changed, or (``keep``) from a start to an end, by what a mask keeps."""

    op: ScatterOp
    axes: tuple[int, ...]
    indices: tuple[Expression, ...]
    value: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        """All operands."""
        return self.argument, *self.indices, self.value


@dataclass(frozen=True, eq=False, slots=True)
class Triangle(Unary):
    """The cells of the last two axes with ``column <= row + offset`` (lower) or ``>=`` (upper), zero elsewhere."""

    is_upper: bool
    offset: Affine


@dataclass(frozen=True, eq=False, slots=True)
class TriangleMask(Expression):
    """A truth matrix: ``column <= row + offset``."""

    offset: Affine


@dataclass(frozen=True, eq=False, slots=True)
class DiagonalMask(Expression):
    """A truth matrix: ``column == row + offset``."""

    offset: Affine


@dataclass(frozen=True, eq=False, slots=True)
class Iota(Expression):
    """The integers from ``start`` on, as many as the shape says; the type holds them, a float type the first."""

    start: Affine


@dataclass(frozen=True, eq=False, slots=True)
class Full(Unary):
    """An array with the same value everywhere."""


@dataclass(frozen=True, eq=False, slots=True)
class Empty(Expression):
    """An array to be filled by assignments."""


@dataclass(frozen=True, eq=False, slots=True)
class Contraction(Expression):
    """A sum of products: the operands' axes carry labels, and labels that are not in the output are summed over."""

    arguments: tuple[Expression, ...]
    labels: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operands."""
        return self.arguments


@dataclass(frozen=True, eq=False, slots=True)
class Reduction(Unary):
    """A fold over axes; ``initial`` is the value for no elements where an axis may be empty.

    ``argmax`` and ``argmin``, over one axis, give the first place of the greatest or least value.
    """

    op: Reducer | PositionName
    axes: tuple[int, ...]
    initial: Expression | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Cumulative(Unary):
    """A running fold along one axis, the element itself included."""

    op: Reducer
    axis: int


@dataclass(frozen=True, eq=False, slots=True)
class Operation(Expression):
    """An operation of an imported dialect, on operands whose shapes fit its instance."""

    instance: Instance
    arguments: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operands."""
        return self.arguments


@dataclass(frozen=True, slots=True)
class Assign:
    """``name = value``; ``definition`` is the definition that the variable then equals, if any.

    ``is_update``: the value is a version before, or a copy, that slices are then assigned into, and cells of that
    version that are read meanwhile still have their values.
    """

    name: str
    value: Expression
    definition: str | None = None
    is_update: bool = False


@dataclass(frozen=True, slots=True)
class SetSlice:
    """``name[items] = value``, in memory of a shape that the variable owns."""

    name: str
    shape: Shape
    items: tuple[SubscriptItem, ...]
    value: Expression
    definition: str | None = None


@dataclass(frozen=True, slots=True)
class For:
    """A kept loop; ``carried`` pairs variables with the definitions that they hold when an iteration starts.

    With ``goes_on`` it runs as long as that truth value holds, and has no variable and no bounds that mean anything.
    """

    variable: str
    lower: Affine
    upper: Affine
    step: int
    body: tuple[Statement, ...]
    carried: tuple[tuple[str, str], ...]
    goes_on: Variable | None = None


@dataclass(frozen=True, slots=True)
class Return:
    """The end of the program: its outputs, the value of the C function last."""

    values: tuple[Expression, ...]


Statement = Assign | SetSlice | For | Return
_MOVES = (Broadcast, Copy, Diagonal, Subscript, Transpose, Windows)  # which compute nothing


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the program; a size or a scalar has no axes.

    A narrow size has a type of 16 bits or less, an unsigned one has one without negative numbers.
    """

    name: str
    dtype: DType
    shape: Shape = ()
    is_size: bool = False
    is_narrow: bool = False
    is_unsigned: bool = False


@dataclass(frozen=True, slots=True)
class SizeSource:
    """Where a size comes from: ``name = (array.shape[axis] - rest) // factor``, a division without remainder."""

    name: str
    array: str
    axis: int
    rest: Affine
    factor: int


@dataclass(frozen=True)
class TensorProgram:
    """A function over shaped arrays and scalars.

    ``sizes`` are those that shapes tell, ``context`` is what is known of all sizes, ``ranges`` what their types say;
    ``tables`` are variables that the program binds to constants before its body.
    """

    name: str
    parameters: tuple[Parameter, ...]
    sizes: tuple[SizeSource, ...]
    derived: tuple[DerivedSize, ...]
    body: tuple[Statement, ...]
    location: Location | None = None
    context: Domain | None = None
    tables: tuple[ArrayInfo, ...] = ()
    ranges: Domain | None = None


def walk_statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield every statement in program order, those of loops after the loop."""
    for statement in body:
        yield statement
        if isinstance(statement, For):
            yield from walk_statements(statement.body)


def names_of(program: TensorProgram) -> Iterator[str]:
    """Yield the names that a program has: its own, and those of parameters, sizes and variables."""
    yield program.name
    yield from (p.name for p in program.parameters)
    yield from (t.name for t in program.tables)
    yield from (s.name for s in program.sizes)
    yield from (d.name for d in program.derived)
    for statement in walk_statements(program.body):
        if isinstance(statement, For):
            yield statement.variable
        elif isinstance(statement, Assign | SetSlice):
            yield statement.name


def values_of(statement: Statement) -> tuple[Expression, ...]:
    """Return the expressions that the statement itself evaluates."""
    if isinstance(statement, Return):
        return statement.values
    if isinstance(statement, For):
        return () if statement.goes_on is None else (statement.goes_on,)
    return (statement.value,)


def roots_of(body: tuple[Statement, ...]) -> list[Expression]:
    """Return the expressions that statements evaluate, those of loops too."""
    return [value for statement in walk_statements(body) for value in values_of(statement)]


def nodes_of(body: tuple[Statement, ...]) -> Iterator[Expression]:
    """Yield what the expressions of statements are made of."""
    for value in roots_of(body):
        yield from walk_expressions(value)


def has_array_operations(body: tuple[Statement, ...]) -> bool:
    """Tell whether statements compute with arrays, not only with cells, or loops copy slices of them."""
    loops = (loop for loop in body if isinstance(loop, For))
    stored = (s.value for loop in loops for s in walk_statements(loop.body) if isinstance(s, SetSlice))
    return any(value.shape for value in stored if not isinstance(value, Scatter)) or any(
        map(_works_on_arrays, nodes_of(body))
    )


def _works_on_arrays(node: Expression) -> bool:
    if isinstance(node, Gather | Take):
        return bool(node.shape)
    if isinstance(node, Scatter):
        return bool(node.value.shape)
    return not isinstance(node, _MOVES) and any(operand.shape for operand in node.operands)


def walk_expressions(value: Expression) -> Iterator[Expression]:
    """Yield an expression and all inside it, each once."""
    stack, seen = [value], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        stack.extend(node.operands)


def variables_in(value: Expression) -> set[str]:
    """Return the variables that an expression reads."""
    return {node.name for node in walk_expressions(value) if isinstance(node, Variable)}
