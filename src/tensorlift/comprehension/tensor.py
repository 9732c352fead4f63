"""Symbolic tensors: an array value as a shape, an element type and the term of the cell at any index.

Operations of a target are given their meaning as functions from symbolic tensors to symbolic tensors.  A cell's term
is built only when it is asked for, so that a slice of a product costs what its cells cost.  What an operation needs of
the sizes (equal extents, bounds in range) it demands through `Obligations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from fractions import Fraction
from typing import NoReturn, Protocol

from tensorlift.comprehension import terms
from tensorlift.comprehension.matching import alike
from tensorlift.comprehension.rewrite import rebuild, simplified
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Reduce, Term, applies
from tensorlift.ops.dtypes import DType, is_integer
from tensorlift.ops.scalar_ops import OPPOSITE
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Constraint, Domain, equal, less

Indices = tuple[Affine, ...]
Shape = tuple[Affine, ...]
CellMap = Callable[[Indices], Term]

_EXACT_COEFFICIENT = 1 << 14  # sizes stay below 2**48, so that such combinations of them never wrap in 64 bits


class Strength(Enum):
    """How much a value's type counts in promotion: a Python number is weak, a scalar parameter may be either."""

    STRONG = "strong"
    WEAK = "weak"
    EITHER = "either"


class TypeRules(Protocol):
    """How a dialect types the results of its operations; what has no type it refuses through the obligations."""

    def result_type(self, o: Obligations, tensors: Sequence[SymbolicTensor], *, operator: bool = False) -> DType:
        """Return the common type of operands, however a scalar parameter is given."""

    def strength(
        self, o: Obligations, tensors: Sequence[SymbolicTensor], dtype: DType, *, operator: bool = False
    ) -> Strength:
        """Return how much the type of a result counts."""

    def float_type(self, o: Obligations, dtype: DType) -> DType:
        """Return the type in which a function of reals is computed for operands of a type."""

    def quotient_type(self, o: Obligations, dtype: DType) -> DType:
        """Return the type of a quotient of operands of a common type."""

    def filled_type(self, o: Obligations, value: SymbolicTensor) -> DType:
        """Return the element type of an array that is filled with a value."""

    def real_type(self, o: Obligations) -> DType:
        """Return the element type of an array of reals for which the text names none."""

    def check_conversion(self, o: Obligations, source: DType, dtype: DType) -> None:
        """Refuse a conversion between types that does not truncate and wrap."""

    def check_difference(self, o: Obligations, operands: Sequence[SymbolicTensor]) -> None:
        """Refuse operands that the library does not subtract."""

    def sum_type(self, dtype: DType) -> DType:
        """Return the type of a sum or product."""

    def segment_type(self, o: Obligations, dtype: DType, asked: DType | None) -> DType:
        """Return the type of sums or products of segments, for which another type may be asked."""

    def running_type(self, dtype: DType) -> DType:
        """Return the type of a running sum or product."""


class Obligations(Protocol):
    """What an operation may ask about sizes and types; whoever proves decides, counts and refuses."""

    @property
    def types(self) -> TypeRules:
        """The type rules of the dialect."""

    @property
    def context(self) -> Domain:
        """What is known of the sizes and of the variables of enclosing loops."""

    def require(self, why: str, *constraints: Constraint, over: Domain = UNIVERSE) -> None:
        """Demand constraints on every point of the context and of ``over``."""

    def fits(self, why: str, value: Affine, dtype: DType, over: Domain = UNIVERSE) -> None:
        """Demand that a type holds an integer at every point of the context and of ``over``."""

    def require_always(self, why: str, *constraints: Constraint, over: Domain = UNIVERSE) -> None:
        """Demand constraints also for those sizes for which a loop around that is translated whole runs no times."""

    def holds(self, *constraints: Constraint) -> bool:
        """Tell whether the context implies constraints."""

    def decide(self, constraint: Constraint) -> bool:
        """Tell whether a constraint holds; where it depends on the sizes the proof goes by cases."""

    def quotient(self, numerator: Affine, divisor: int) -> Affine:
        """Return the rounded-down quotient of sizes as a size."""

    def known_quotient(self, numerator: Affine, divisor: Affine) -> Affine | None:
        """Return a rounded-down quotient that is exact or that the source derives, None for any other."""

    def nonzero(self, divisor: SymbolicTensor, why: str, dividend: SymbolicTensor) -> None:
        """Demand that no cell is zero where the dividend is not empty."""

    def read(self, why: str, position: Term, extent: Affine, over: Domain) -> None:
        """Demand that a position that depends on data is one of an axis, at every point of ``over``."""

    def refuse(self, why: str) -> NoReturn:
        """Give up: the operation has no meaning here."""


class SymbolicTensor:
    """An array whose cell at ``indices`` is ``at(indices)``, a term of type ``dtype``; a number has the empty shape."""

    __slots__ = ("_cell", "_memo", "dtype", "shape", "strength")

    def __init__(self, shape: Shape, dtype: DType, cell: CellMap, strength: Strength = Strength.STRONG) -> None:
        self.shape = shape
        self.dtype = dtype
        self.strength = strength
        self._cell = cell
        self._memo: dict[Indices, Term] = {}

    def at(self, indices: Indices) -> Term:
        """Return the cell at an index; the same index gives the same term."""
        found = self._memo.get(indices)
        if found is None:
            found = self._memo[indices] = self._cell(indices)
        return found

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def is_strong(self) -> bool:
        """Whether the element type is what it is however the value was made."""
        return self.strength is Strength.STRONG

    def value(self) -> Term:
        """Return the only cell of a rank-0 tensor."""
        return self.at(())

    def with_cells(self, shape: Shape, cell: CellMap) -> SymbolicTensor:
        """Return a strong tensor of the same type with other cells."""
        return SymbolicTensor(shape, self.dtype, cell)


# -- making tensors


def array(name: str, shape: Shape, dtype: DType) -> SymbolicTensor:
    """Return an array that is known by its name only."""
    return SymbolicTensor(shape, dtype, lambda indices: terms.read(name, indices, dtype))


def scalar_value(term: Term, strength: Strength = Strength.STRONG) -> SymbolicTensor:
    """Return a number."""
    return SymbolicTensor((), term.dtype, lambda _: term, strength)


def number(value: complex) -> SymbolicTensor:
    """Return a Python number: a truth value, an exact integer or a float that stands for its exact value."""
    if isinstance(value, bool):
        return scalar_value(terms.constant(value, "bool"), Strength.WEAK)
    if isinstance(value, int):
        return size(Affine(value))
    if not isinstance(value, float):
        raise TypeError(f"no element type for {value!r}")
    return scalar_value(terms.constant(Fraction(value), "f64"), Strength.WEAK)


def size(value: Affine) -> SymbolicTensor:
    """Return an exact Python integer."""
    return scalar_value(terms.index(value, "i64"), Strength.WEAK)


def affine_of(term: Term) -> Affine | None:
    """Return the affine expression that an integer term is, or None."""
    if isinstance(term, Index):
        return term.affine
    if isinstance(term, Constant) and is_integer(term.dtype):
        return Affine(int(term.value))
    return None


# -- cells


def mask(domain: Domain) -> Term:
    """Return the truth value that is true on a domain."""
    if domain is UNIVERSE or domain is EMPTY:
        return terms.constant(domain is UNIVERSE, "bool")
    return terms.piecewise(((domain, terms.one("bool")), (domain.complement(), terms.zero("bool"))))


def domain_of(term: Term) -> Domain | None:
    """Return the domain on which a truth value is true, where that is affine, or None."""
    if isinstance(term, Constant):
        return UNIVERSE if term.value else EMPTY
    if not isinstance(term, Piecewise) or not all(isinstance(t, Constant) for _, t in term.pieces):
        return None
    return Domain.union(d for d, t in term.pieces if isinstance(t, Constant) and t.value)


def convert(term: Term, dtype: DType) -> Term:
    """Return a cell's value in another element type."""
    if term.dtype == dtype:
        return term
    if isinstance(term, Piecewise) and all(isinstance(t, Constant) for _, t in term.pieces):
        return terms.piecewise((d, terms.cast(t, dtype)) for d, t in term.pieces)
    if isinstance(term, Index) and dtype in ("f64", "i64"):
        return terms.index(term.affine, dtype)
    return terms.cast(term, dtype)


def choose(condition: Term, chosen: Term, other: Term) -> Term:
    """Return ``chosen`` where the condition holds, else ``other``: piece by piece where the condition is affine.

    The same condition inside an arm is decided there.
    """
    if chosen is other:
        return chosen
    domain = domain_of(condition)
    if domain is not None:
        return pieces((domain, chosen), (domain.complement(), other))
    return decided_in_arms(condition, chosen, other)


def decided_in_arms(condition: Term, chosen: Term, other: Term) -> Apply:
    """Return a selection in whose arms its own condition is decided."""
    arms = (_assume(dict(_facts(condition, truth)), arm, {}) for truth, arm in ((TRUE, chosen), (FALSE, other)))
    return terms.apply("select", condition, *arms)


_Facts = dict[Term, Constant]


def _facts(condition: Term, truth: Constant) -> Iterator[tuple[Term, Constant]]:
    """Yield what is known of truth values where one is known: of conjunctions that hold, each operand."""
    yield condition, truth
    if applies(condition, "not"):
        yield from _facts(condition.args[0], FALSE if truth is TRUE else TRUE)
    elif applies(condition, "and" if truth is TRUE else "or"):
        for part in condition.args:
            yield from _facts(part, truth)
    elif applies(condition, OPPOSITE) and (condition.op in {"eq", "ne"} or is_integer(condition.args[0].dtype)):
        yield terms.apply(OPPOSITE[condition.op], *condition.args), FALSE if truth is TRUE else TRUE


def _assume(known: _Facts, term: Term, memo: dict[Term, Term]) -> Term:
    """Return the term where conditions are known: selections that they decide become their arm."""
    if isinstance(term, Reduce):  # at a place that depends on data
        inside = {c: t for c, t in known.items() if c.reads <= term.reads and c.free.isdisjoint(term.bound)}
        if not inside:
            return term
        if len(inside) < len(known):
            return rebuild(term, lambda child: _assume(inside, child, {}))
    elif not isinstance(term, Apply):
        return term
    done = memo.get(term)
    if done is None:
        condition = _truth(known, term.args[0]) if applies(term, "select") else None
        if isinstance(condition, Constant):
            done = _assume(known, term.children[1 if condition is TRUE else 2], memo)
        else:
            given = term if condition is None else terms.apply("select", condition, *term.children[1:])
            done = rebuild(given, lambda child: _assume(known, child, memo))
        memo[term] = done
    return done


def _truth(known: _Facts, condition: Term) -> Term:
    """Return a condition with what is known put in."""
    if condition in known:
        return known[condition]
    if condition.has_domains:  # what is read at a place has a bound variable, another one each time
        found = next((truth for one, truth in known.items() if alike(one, condition)), None)
        if found is not None:
            return found
    if not applies(condition, {"and", "or", "not"}):
        return condition
    parts = tuple(_truth(known, part) for part in condition.args)
    return condition if parts == condition.args else simplified(condition.op, parts)


def pieces(*parts: tuple[Domain, Term]) -> Term:
    """Return a piecewise term without its empty parts."""
    return terms.piecewise((d, t) for d, t in parts if not d.is_empty())


def fold_exact(op: str, left: Term, right: Term) -> Term | None:
    """Return a sum, difference or multiple of exact 64-bit indices as an index, or None."""
    if left.dtype != "i64" or right.dtype != "i64":
        return None
    a, b = affine_of(left), affine_of(right)
    if a is None or b is None:
        return None
    folded: Affine | None = None
    if op == "add":
        folded = a + b
    elif op == "sub":
        folded = a - b
    elif op == "mul" and (a.is_constant or b.is_constant):
        folded = a * b.constant if b.is_constant else b * a.constant
    if folded is None or sum(abs(c) for _, c in folded.terms) > _EXACT_COEFFICIENT:
        return None
    return terms.index(folded, "i64") if abs(folded.constant) >> 62 == 0 else None


# -- broadcasting


def broadcast_shape(o: Obligations, shapes: Sequence[Shape]) -> Shape:
    """Return the common shape of operands: extents are equal, or one."""
    rank = max(map(len, shapes))
    return tuple(
        _common_extent(o, [s[axis - rank + len(s)] for s in shapes if axis - rank + len(s) >= 0])
        for axis in range(rank)
    )


def _common_extent(o: Obligations, extents: list[Affine]) -> Affine:
    first = extents[0]
    if all(e == first for e in extents):
        return first
    large = [e for e in extents if e != ONE]
    if all(e == large[0] for e in large):
        return large[0]
    large = [e for e in large if not o.holds(equal(e, 1))] or large[:1]
    for other in large[1:]:
        if other != large[0]:
            o.require("extents broadcast together", equal(large[0], other))
    return large[0]


def broadcast_to(o: Obligations, tensor: SymbolicTensor, shape: Shape) -> CellMap:
    """Return the cells of a tensor as those of a larger shape.

    The caller has `broadcast_shape` or an explicit check behind it: each extent is the shape's or one.
    """
    if tensor.shape == shape:
        return tensor.at
    offset = len(shape) - tensor.rank
    single = [_is_stretched(o, extent, wanted) for extent, wanted in zip(tensor.shape, shape[offset:], strict=True)]
    if not any(single):
        return lambda indices: tensor.at(indices[offset:])
    return lambda indices: tensor.at(tuple(ZERO if s else i for s, i in zip(single, indices[offset:], strict=True)))


def _is_stretched(o: Obligations, extent: Affine, wanted: Affine) -> bool:
    if extent == wanted:
        return False
    if extent == ONE or o.holds(equal(extent, 1)):
        return True
    o.require("extents broadcast together", equal(extent, wanted))
    return False


def elementwise(
    o: Obligations,
    function: Callable[..., Term],
    tensors: Sequence[SymbolicTensor],
    dtype: DType,
    strength: Strength = Strength.STRONG,
) -> SymbolicTensor:
    """Apply a function to corresponding cells of operands that broadcast together."""
    shape = broadcast_shape(o, [t.shape for t in tensors])
    cells = [broadcast_to(o, t, shape) for t in tensors]
    if len(cells) == 1:
        (only,) = cells
        return SymbolicTensor(shape, dtype, lambda indices: function(only(indices)), strength)
    return SymbolicTensor(shape, dtype, lambda indices: function(*[cell(indices) for cell in cells]), strength)


def below(index: Affine, bound: Affine) -> Domain:
    """Return the points with ``index < bound``."""
    return Domain.of(less(index, bound))
