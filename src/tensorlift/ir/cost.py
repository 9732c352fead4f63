"""What a tensor program costs: an estimate that ranks programs which compute the same.

Each operation costs its start and what it does for each cell or product.  A target says what these take; sizes that
nobody gives count as one large number, and what a kept loop repeats counts as often as it runs.  The numbers are
rough: they tell a matrix product from a sum of an array of products, and one pass over memory from three.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING

from tensorlift.comprehension.emptiness import where_empty
from tensorlift.ir.stores import in_place
from tensorlift.ir.tensor_program import (
    Assign,
    Broadcast,
    Conditional,
    Contraction,
    Diagonal,
    Elementwise,
    Empty,
    Expression,
    For,
    Full,
    Gather,
    Iota,
    Literal,
    Operation,
    Reduction,
    SetSlice,
    Shape,
    SizeValue,
    Statement,
    Subscript,
    Take,
    TensorProgram,
    Transpose,
    Variable,
    Windows,
    nodes_of,
    roots_of,
    values_of,
    walk_expressions,
    walk_statements,
)
from tensorlift.ops.dtypes import is_float
from tensorlift.ops.scalar_ops import SCALAR_OPS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.poly.affine import Affine

UNKNOWN = 1000  # what a size counts as that nobody gives

_SLOW = {name for name, row in SCALAR_OPS.items() if row.arity == 1} - {"neg", "abs", "not", "bitnot"} | {
    "pow",
    "atan2",
}
FREE = (Literal, SizeValue, Variable, Empty)
VIEWS = (Subscript, Transpose, Diagonal, Windows, Broadcast)
_PAIR = _SQUARE = 2


@dataclass(frozen=True, slots=True)
class Costs:
    """What operations take on one core of a usual machine, in nanoseconds.

    To start an ``operation`` or to make a ``view``; a ``cell`` that is computed or copied, one of a ``function`` such
    as a root; a ``product`` of a matrix product of floats, and a ``loose_product`` of any other sum of products, which
    takes so many times as long ``along`` the last axis of all operands, and ``inner`` to start each innermost loop; a
    cell that is updated ``in_place``; to ``start`` a call of the program.  `bench/costs.py` fits them to measurements.
    """

    operation: float = 100.0
    view: float = 0.0
    cell: float = 0.5
    function: float = 5.0
    product: float = 0.05
    loose_product: float = 1.0
    along: float = 1.0
    inner: float = 0.0
    in_place: float = 0.5
    start: float = 0.0


def cost_of(program: TensorProgram, costs: Costs, sizes: Mapping[str, int] | None = None) -> float:
    """Return the estimated nanoseconds of one call, at given sizes or with each size as `UNKNOWN`."""
    at = dict(sizes or {})
    for derived in program.derived:
        at.setdefault(derived.name, max(_value(derived.numerator, at) // max(_value(derived.divisor, at), 1), 1))
    return costs.start + _Estimate(costs, at).of(program.body)


def degree_of(body: Sequence[Statement], kinds: tuple[type, ...], rank: int = 0, loops: int = 0) -> int:
    """Return the most axes of symbolic extents that expressions of some kinds have.

    The loops around those that have more than ``rank`` count, too.
    """
    found = [0]
    for statement in body:
        if isinstance(statement, For):
            found.append(degree_of(statement.body, kinds, rank, loops + 1))
        else:
            made = (node for node in nodes_of((statement,)) if isinstance(node, kinds))
            axes = [sum(bool(extent.terms) for extent in node.shape) for node in made]
            found += [count + (loops if count > rank else 0) for count in axes]
    return max(found)


def _value(affine: Affine, at: Mapping[str, int]) -> int:
    return affine.constant + sum(factor * at.get(name, UNKNOWN) for name, factor in affine.terms)


@dataclass
class _Estimate:
    """The cost of statements; each expression is computed once in a block."""

    costs: Costs
    at: dict[str, int]
    counted: set[Expression] = field(default_factory=set)

    def of(self, body: Sequence[Statement]) -> float:
        return sum(map(self._statement, body), 0.0)

    def cells(self, shape: Shape) -> int:
        return prod(max(_value(extent, self.at), 1) for extent in shape)

    def _statement(self, statement: Statement) -> float:
        if isinstance(statement, For):
            low, high = _value(statement.lower, self.at), _value(statement.upper, self.at)
            middle = {**self.at, statement.variable: (low + high) // 2}
            return max((high - low) // statement.step, 1) * _Estimate(self.costs, middle).of(statement.body)
        return self._store(statement) if isinstance(statement, SetSlice) else self.values(values_of(statement))

    def _store(self, statement: SetSlice) -> float:
        update, operand = in_place(statement)
        cell = self.costs.in_place if update else self.costs.cell
        return self.values([operand]) + self.costs.operation + cell * self.cells(statement.value.shape)

    def values(self, values: Sequence[Expression]) -> float:
        """Return the cost of expressions."""
        return sum(map(self._expression, values), 0.0)

    def _expression(self, root: Expression) -> float:
        total, stack = 0.0, [root]
        while stack:
            node = stack.pop()
            if node not in self.counted:
                self.counted.add(node)
                if isinstance(node, Conditional):
                    total += self._dearest(node.chosen, node.other)
                    stack.append(node.condition)
                    continue
                total += 0.0 if isinstance(node, FREE) else self._operation(node)
                stack.extend(node.operands)
        return total

    def _dearest(self, *arms: Expression) -> float:
        """Return what takes longest of arms of which one is computed."""
        return max(_Estimate(self.costs, self.at, set(self.counted)).values([arm]) for arm in arms)

    def _operation(self, node: Expression) -> float:
        if isinstance(node, VIEWS):
            return self.costs.view
        return self.costs.operation + self._work(node)

    def _work(self, node: Expression) -> float:
        """Return what an operation takes besides its start: by default one pass over its result."""
        if isinstance(node, Contraction):
            each = self.costs.product if _is_matrix_product(node) else self._loose_product(node)
            return each * self.cells(products_of(node)) + self.costs.cell * self.cells(node.shape)
        if isinstance(node, Operation):
            sizes = node.instance.fits([argument.shape for argument in node.arguments]) or {}
            return self.costs.product * self.cells(tuple(sizes.values())) + self.costs.cell * self.cells(node.shape)
        touched = node.argument.shape if isinstance(node, Reduction) else node.shape
        return (self.costs.function if _is_slow(node) else self.costs.cell) * self.cells(touched)

    def _loose_product(self, node: Contraction) -> float:
        """Return what each product takes that no BLAS computes: loops go along a sum, or along the result."""
        if _is_along(node):
            return self.costs.loose_product * self.costs.along + self.costs.inner / self.cells(
                node.arguments[0].shape[-1:]
            )
        return self.costs.loose_product + self.costs.inner / self.cells(node.shape[-1:])


def _is_along(node: Contraction) -> bool:
    """Tell whether a sum goes along the last axis of all operands."""
    return all(labels and labels[-1] not in node.output for labels in node.labels)


def _is_slow(node: Expression) -> bool:
    """Tell whether an operation applies a function to each cell that is no plain arithmetic; a square is."""
    if not isinstance(node, Elementwise) or node.op not in _SLOW:
        return False
    exponent = node.arguments[-1]
    return not (node.op == "pow" and isinstance(exponent, Literal) and exponent.value == _SQUARE)


def products_of(node: Contraction) -> Shape:
    """Return the extents of all labels: each point of their box is one product."""
    pairs = zip(node.labels, (argument.shape for argument in node.arguments), strict=True)
    return tuple({label: extent for own, shape in pairs for label, extent in zip(own, shape, strict=True)}.values())


def _is_matrix_product(node: Contraction) -> bool:
    """Tell whether a contraction is a product of two float matrices, several axes taken for one, without a batch."""
    if len(node.labels) != _PAIR or not is_float(node.dtype):
        return False
    left, right = map(set, node.labels)
    return not left & right & set(node.output) and (left ^ right) <= set(node.output)


def _is_table(index: Expression) -> bool:
    """Tell whether an index array of several axes is computed of their places."""
    return len(index.shape) > 1 and any(isinstance(node, Iota) for node in walk_expressions(index))


def is_roundabout(program: TensorProgram, summary: Summary) -> bool:
    """Tell whether a program picks cells by their numbers, or fills up an array whose parts it stores then.

    So is one that asks whether there are any windows.

    Numbers that mask cells count where something is computed only where an array or a loop is empty.
    """
    statements = list(walk_statements(program.body))
    stored = {s.name for s in statements if isinstance(s, SetSlice)}
    if any(isinstance(s, Assign) and isinstance(s.value, Full) and s.name in stored for s in statements):
        return True
    masking = Iota if any(where_empty(summary, summary.definitions())) else Gather
    pending = roots_of(program.body)
    for node in pending:
        if isinstance(node, masking | Gather) or (isinstance(node, Take) and _is_table(node.index)):
            return True
        if isinstance(node, Conditional) and any(isinstance(inner, Windows) for inner in walk_expressions(node)):
            return True
        pending += () if isinstance(node, Conditional) else node.operands  # by sizes, as the source does
    return False
