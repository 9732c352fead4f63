"""Scalar values as a graph in which equal values are one node, whatever expressions they come from.

The identity of a node is its type and its value at one point of the field with 2**61 - 1 elements: each symbol stands
for an element that is drawn from its name, and sums, products and quotients are those of the field.  Two polynomials
that differ agree there with a probability of about their degree in 2**61, so that equality is one comparison of
integers.  What is not arithmetic (a root, a comparison, an integer quotient) is *opaque*: a symbol of its own, drawn
from the function and the values of its operands.

Integers wrap in the source and do not wrap here; what is found is a candidate, and the checker decides.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.ops.scalar_ops import COMPARISONS, ON_NUMBERS, SCALAR_OPS
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.symbolic.field import PRIME, draw, mixed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.ops.dtypes import DType

_SMALL = 1 << 16  # a value this close to zero is taken for the integer that it looks like
_DENOMINATORS = (2, 3, 4, 5, 6)
_DEGREE = 12  # of a power that is multiplied out
ARITHMETIC = ("add", "sub", "mul", "div")
EXTREMES = ("max", "min", "fmax", "fmin")
_MIRRORED = {"gt": "lt", "ge": "le"}

Symbol = tuple[str | int, ...]


class Undefined(ArithmeticError):  # noqa: N818 - a property of a value
    """Raised where a value would be divided by zero."""


class Graph:
    """The nodes of one search, by number.

    ``op``, ``operands``, ``dtype`` and ``value`` describe a node; ``support`` has a bit for each symbol on which it
    depends, opaque values included, and ``depth`` is that of the shallowest expression seen so far, which is kept.
    """

    def __init__(self) -> None:
        self.op: list[str] = []
        self.operands: list[tuple[int, ...]] = []
        self.dtype: list[DType] = []
        self.value: list[int] = []
        self.support: list[int] = []
        self.depth: list[int] = []
        self.bit: dict[int, int] = {}  # of symbols and opaque nodes
        self.symbols: dict[int, Symbol] = {}
        self.constants: dict[int, Fraction] = {}
        self.cells = 0  # the bits of array cells and scalars
        self.keeps_expressions = False  # whether nodes stay as they were made, for searches that follow that
        self._table: dict[tuple[int, DType], int] = {}
        self._derivatives: dict[tuple[int, int], int | None] = {}

    # -- leaves

    def constant(self, value: Fraction | int, dtype: DType) -> int:
        """Return a number."""
        exact = Fraction(value)
        residue = exact.numerator % PRIME * pow(exact.denominator, -1, PRIME) % PRIME
        node = self._table.get((residue, dtype))
        if node is None:
            node = self._new(residue, dtype, "constant", (), 0, 0)
        self.constants.setdefault(node, exact)
        return node

    def symbol(self, name: Symbol, dtype: DType, *, counts: bool = True) -> int:
        """Return what is known by its name only; ``counts`` where it is data, so that a search is to explain it."""
        residue = draw("symbol", *name)
        node = self._table.get((residue, dtype))
        if node is None:
            node = self._new(residue, dtype, "symbol", (), 0, 0)
            self.support[node] = self._own_bit(node)
            self.symbols[node] = name
            self.cells |= self.bit[node] if counts else 0
        return node

    def zero(self, dtype: DType) -> int:
        """Return zero."""
        return self.constant(0, dtype)

    def one(self, dtype: DType) -> int:
        """Return one."""
        return self.constant(1, dtype)

    def as_constant(self, node: int) -> Fraction | None:
        """Return the number that a node is, a fraction with a small denominator included."""
        known = self.constants.get(node)
        if known is not None or not is_float(self.dtype[node]):
            return known
        return self.ratio(self.value[node])

    @staticmethod
    def ratio(value: int) -> Fraction | None:
        """Return the small fraction that an element of the field stands for, if it looks like one."""
        for denominator in (1, *_DENOMINATORS):
            scaled = value * denominator % PRIME
            if scaled < _SMALL:
                return Fraction(scaled, denominator)
            if PRIME - scaled < _SMALL:
                return Fraction(scaled - PRIME, denominator)
        return None

    # -- operations

    def apply(self, op: str, operands: Sequence[int], dtype: DType) -> int:
        """Apply a scalar function to nodes.

        Raises:
            Undefined: for a quotient by zero.

        """
        if op in ARITHMETIC:
            return self._arithmetic(op, operands[0], operands[1], dtype)
        rule = _RULES.get(op)
        found = rule(self, tuple(operands), dtype) if rule is not None else None
        return self._opaque(op, tuple(operands), dtype) if found is None else found

    def add(self, left: int, right: int) -> int:
        """Add two nodes of one type."""
        return self._arithmetic("add", left, right, self.dtype[left])

    def sub(self, left: int, right: int) -> int:
        """Subtract."""
        return self._arithmetic("sub", left, right, self.dtype[left])

    def mul(self, left: int, right: int) -> int:
        """Multiply."""
        return self._arithmetic("mul", left, right, self.dtype[left])

    def div(self, left: int, right: int) -> int:
        """Divide in the field, whatever the type."""
        return self._arithmetic("div", left, right, self.dtype[left])

    def _arithmetic(self, op: str, left: int, right: int, dtype: DType) -> int:
        a, b = self.constants.get(left), self.constants.get(right)
        if a is not None and b is not None and not (op == "div" and b == 0):
            return self.constant(ON_NUMBERS[op](a, b), dtype)
        if op == "mul" and left == right and self.op[left] == "sqrt":
            return self.operands[left][0]
        if op == "div" and not self.value[right]:
            raise Undefined
        residue = _IN_FIELD[op](self.value[left], self.value[right])
        return self._intern(residue, dtype, op, (left, right))

    def _opaque(self, op: str, operands: tuple[int, ...], dtype: DType) -> int:
        if op in _MIRRORED:
            op, operands = _MIRRORED[op], operands[::-1]
        values = [self.value[o] for o in operands]
        row = SCALAR_OPS.get(op)
        if row is not None and row.commutative:
            values.sort()
        node = self._intern(mixed(op, dtype, values), dtype, op, operands)
        self.support[node] |= self._own_bit(node)
        return node

    def _intern(self, residue: int, dtype: DType, op: str, operands: tuple[int, ...]) -> int:
        support, depth = 0, 0
        for operand in operands:
            support |= self.support[operand]
            depth = max(depth, self.depth[operand])
        node = self._table.get((residue, dtype))
        if node is None:
            if residue < _SMALL or PRIME - residue < _SMALL:
                return self.constant(residue if residue < _SMALL else residue - PRIME, dtype)
            return self._new(residue, dtype, op, operands, support, depth + 1)
        is_shallower = depth + 1 < self.depth[node] and not self.keeps_expressions
        if is_shallower and self.op[node] not in ("symbol", "constant"):
            self.op[node], self.operands[node], self.depth[node] = op, operands, depth + 1
            self.support[node] = support | self.bit.get(node, 0)
        return node

    def _new(self, residue: int, dtype: DType, op: str, operands: tuple[int, ...], support: int, depth: int) -> int:  # noqa: PLR0913, PLR0917 - the fields of a node
        node = self._table[residue, dtype] = len(self.op)
        self.op.append(op)
        self.operands.append(operands)
        self.dtype.append(dtype)
        self.value.append(residue)
        self.support.append(support)
        self.depth.append(depth)
        return node

    def _own_bit(self, node: int) -> int:
        found = self.bit.get(node)
        if found is None:
            found = self.bit[node] = 1 << len(self.bit)
        return found

    # -- calculus

    def is_opaque(self, node: int) -> bool:
        """Tell whether arithmetic cannot look into the node."""
        return self.op[node] not in ARITHMETIC

    def substitute(self, node: int, values: Mapping[int, int], bits: int, memo: dict[int, int]) -> int:
        """Replace symbols and opaque nodes, whose own bits are ``bits``, by nodes."""
        if node in values:
            return values[node]
        if not self.support[node] & bits:
            return node
        done = memo.get(node)
        if done is None:
            operands = [self.substitute(o, values, bits, memo) for o in self.operands[node]]
            done = memo[node] = self.apply(self.op[node], operands, self.dtype[node])
        return done

    def derivative(self, node: int, variable: int) -> int | None:
        """Differentiate by a symbol or an opaque node; None where the node depends on it through a function."""
        if node == variable:
            return self.one(self.dtype[node])
        if not self.support[node] & self.bit[variable]:
            return self.zero(self.dtype[node])
        key = (node, variable)
        if key not in self._derivatives:
            self._derivatives[key] = None if self.is_opaque(node) else self._derivative(node, variable)
        return self._derivatives[key]

    def _derivative(self, node: int, variable: int) -> int | None:
        left, right = self.operands[node]
        a, b = self.derivative(left, variable), self.derivative(right, variable)
        if a is None or b is None:
            return None
        op = self.op[node]
        if op in ("add", "sub"):
            return self._arithmetic(op, a, b, self.dtype[node])
        if op == "div" and not self.value[b]:
            return self.div(a, right)
        if op == "mul":
            return self.add(self.mul(a, right), self.mul(left, b))
        numerator = self.sub(self.mul(a, right), self.mul(left, b))
        return self.div(numerator, self.mul(right, right))

    # -- sizes as values

    def affine(self, node: int) -> Affine | None:
        """Return the affine expression of sizes that a node is."""
        number = self.constants.get(node)
        if number is not None:
            return Affine(int(number)) if number.denominator == 1 else None
        name = self.symbols.get(node)
        if name is not None:
            return Affine.var(str(name[1])) if name[0] == "size" else None
        if self.support[node] & self.cells or self.op[node] not in ("add", "sub", "mul"):
            return None
        left, right = (self.affine(o) for o in self.operands[node])
        if left is None or right is None:
            return None
        if self.op[node] != "mul":
            return left + right if self.op[node] == "add" else left - right
        if left.is_constant:
            return right * left.constant
        return left * right.constant if right.is_constant else None

    def of_affine(self, value: Affine, dtype: DType) -> int:
        """Return the node of an affine expression of sizes."""
        node = self.constant(value.constant, dtype)
        for name, coefficient in value.terms:
            size = self.symbol(("size", name), dtype, counts=False)
            node = self.add(node, self.mul(self.constant(coefficient, dtype), size))
        return node


_IN_FIELD: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: (a + b) % PRIME,
    "sub": lambda a, b: (a - b) % PRIME,
    "mul": lambda a, b: a * b % PRIME,
    "div": lambda a, b: a * pow(b, -1, PRIME) % PRIME,
}

# -- rules that see through functions: each gives a node, or None where the function stays opaque


def _extreme(op: str) -> Callable[[Graph, tuple[int, ...], DType], int | None]:
    def rule(graph: Graph, operands: tuple[int, ...], dtype: DType) -> int | None:
        """Make one node of nested extremes, over distinct operands."""
        flat: dict[int, None] = {}
        for operand in operands:
            flat.update(dict.fromkeys(graph.operands[operand] if graph.op[operand] == op else (operand,)))
        return graph._opaque(op, tuple(flat), dtype) if len(flat) > 1 else next(iter(flat))  # noqa: SLF001 - a rule of the graph

    return rule


def _power(graph: Graph, operands: tuple[int, ...], dtype: DType) -> int | None:
    exponent = graph.constants.get(operands[1])
    if exponent is None or exponent.denominator != 1 or not 0 < exponent <= _DEGREE:
        return None
    result = operands[0]
    for _ in range(int(exponent) - 1):
        result = graph._arithmetic("mul", result, operands[0], dtype)  # noqa: SLF001 - a rule of the graph
    return result


def _selected(graph: Graph, operands: tuple[int, ...], dtype: DType) -> int | None:
    """Decide a selection whose arms agree or whose condition is known; one between what it compares is an extreme."""
    condition, chosen, other = operands
    known = graph.constants.get(condition)
    if chosen == other or known is not None:
        return chosen if known is None or known else other
    bit = graph.bit.get(condition, 0)
    if (graph.support[chosen] | graph.support[other]) & bit:  # what an arm decides by the same condition is known there
        inside = graph.substitute(chosen, {condition: graph.one("bool")}, bit, {})
        outside = graph.substitute(other, {condition: graph.zero("bool")}, bit, {})
        return graph.apply("select", (condition, inside, outside), dtype)
    if graph.op[condition] == "not":
        return graph.apply("select", (graph.operands[condition][0], other, chosen), dtype)
    if graph.op[condition] in ("lt", "le") and set(graph.operands[condition]) == {chosen, other}:
        return graph.apply("min" if graph.operands[condition][0] == chosen else "max", (chosen, other), dtype)
    return None


def _compared(op: str) -> Callable[[Graph, tuple[int, ...], DType], int | None]:
    def rule(graph: Graph, operands: tuple[int, ...], _: DType) -> int | None:
        a, b = (graph.constants.get(o) for o in operands)
        if a is None or b is None:
            return None
        return graph.constant(COMPARISONS[op](a, b), "bool")

    return rule


def _cast(graph: Graph, operands: tuple[int, ...], dtype: DType) -> int | None:
    """Convert numbers and sizes at once, which are exact in every type."""
    (operand,) = operands
    if graph.dtype[operand] == dtype:
        return operand
    if graph.dtype[operand] == "bool":
        return graph.apply("select", (operand, graph.one(dtype), graph.zero(dtype)), dtype)
    if dtype == "bool":
        return None
    number = graph.constants.get(operand)
    if number is not None:
        return graph.constant(int(number) if is_integer(dtype) else number, dtype)
    size = graph.affine(operand)
    return None if size is None else graph.of_affine(size, dtype)


def _remainder(graph: Graph, operands: tuple[int, ...], dtype: DType) -> int | None:
    a, b = (graph.constants.get(o) for o in operands)
    return graph.constant(a % b, dtype) if a is not None and b else None


def _quotient(graph: Graph, operands: tuple[int, ...], _: DType) -> int | None:
    return operands[0] if graph.constants.get(operands[1]) == 1 else None


_RULES: dict[str, Callable[[Graph, tuple[int, ...], DType], int | None]] = {
    "neg": lambda graph, operands, dtype: graph.sub(graph.zero(dtype), operands[0]),
    "pow": _power,
    "select": _selected,
    "cast": _cast,
    "mod": _remainder,
    "tdiv": _quotient,
    "floordiv": _quotient,
    **{op: _extreme(op) for op in EXTREMES},
    **{op: _compared(op) for op in COMPARISONS},
}
