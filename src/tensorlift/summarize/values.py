"""The values of a function body: what each SSA value is, as an affine expression, a term or a condition.

Index arithmetic is exact and becomes affine expressions; arithmetic on numbers becomes terms.  A truth value is a
domain where it depends on indices and sizes alone; of any other, the points are noted where it can be true, and false.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IndexType

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.terms import Constant, Index, Term
from tensorlift.ir import scalar_terms
from tensorlift.ir.function import dtype_of
from tensorlift.ir.scalar_terms import UnknownOperationError, choose_by, compare, convert
from tensorlift.ir.within import parts_of
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain, NotAffine
from tensorlift.summarize.indices import Divided, Indices, multiply
from tensorlift.summarize.statements import value_read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from xdsl.ir import Operation, SSAValue

    from tensorlift.ops.dtypes import DType


class Values:
    """What is known of the values met so far."""

    def __init__(self, indices: Indices) -> None:
        """Know nothing yet; ``indices`` reads index maps."""
        self.indices = indices
        self.affines: dict[SSAValue, Affine] = {}
        self.places: dict[SSAValue, Term] = {}  # indices that depend on data
        self.divided: dict[SSAValue, Divided] = {}  # indices that have no affine form
        self.implied: dict[SSAValue, Implied] = {}  # where truth values can be true, and false
        self.terms: dict[SSAValue, Term | Domain] = {}
        self.count = 0

    def compute(self, op: Operation) -> None:
        """Take in a computation without effects.

        Raises:
            NotAffine: where an index is not affine.
            UnknownOperationError: where the operation has no meaning here.

        """
        if not self._is_index_operation(op):
            self.terms[op.results[0]] = self._scalar(op)
            if op.name in _TRUTH_TABLES:
                self._imply(op)

    def _imply(self, op: Operation) -> None:
        """Note where a conjunction, a disjunction or a negation can be true, and false."""
        left, right = (self.can_be(v) for v in op.operands)
        found = _TRUTH_TABLES[op.name](left, right) if str(op.results[0].type) == "i1" else None
        if found is not None and found != UNKNOWN:
            self.implied[op.results[0]] = found

    def can_be(self, value: SSAValue) -> Implied:
        """Return the points at which a truth value can be true, and false."""
        found = self.terms.get(value)
        if isinstance(found, Domain):
            return found, found.complement()
        if isinstance(found, Constant):
            return (UNIVERSE, EMPTY) if found.value else (EMPTY, UNIVERSE)
        return self.implied.get(value, UNKNOWN)

    def _scalar(self, op: Operation) -> Term | Domain:
        segment = parts_of(op)
        if segment is not None:
            return terms.apply("within", *(convert(self.term(value), "i64") for value in segment))
        if op.name == "arith.cmpi" and (domain := self._affine_comparison(op)) is not None:
            return domain
        operands = [self.terms.get(v) for v in op.operands]
        if op.name in _CONNECTIVES and all(isinstance(v, Domain) or constant_truth(v) is not None for v in operands):
            left, right = (v if isinstance(v, Domain) else constant_truth(v) for v in operands)
            assert left is not None
            assert right is not None
            return _CONNECTIVES[op.name](left, right)
        if op.name == "arith.select" and isinstance(operands[0], Domain):
            chosen, other = self.term(op.operands[1]), self.term(op.operands[2])
            return choose_by(operands[0], chosen, other)
        return scalar_terms.term_of(op, [self.term(v) for v in op.operands])

    def _affine_comparison(self, op: Operation) -> Domain | None:
        """Return a comparison of exact index expressions as a domain."""
        name, is_unsigned = scalar_terms.integer_predicate(op)
        if any(v in self.divided for v in op.operands) and not is_unsigned:
            return self._divided_comparison(name, *op.operands)
        sides = [self.exact(v) for v in op.operands]
        if sides[0] is None or sides[1] is None or is_unsigned:
            return None
        if sides[0].is_constant and sides[1].is_constant and op.operands[0] in self.terms:
            return None
        return compare(name, sides[0], sides[1])

    def _divided_comparison(self, name: str, left: SSAValue, right: SSAValue) -> Domain | None:
        first, second = self._maybe_divided(left), self._maybe_divided(right)
        if first is None or second is None:
            return None
        both = Divided(first.affine - second.affine, first.quotients | second.quotients)
        return both.satisfies(lambda difference: compare(name, difference, Affine(0)))

    def _maybe_divided(self, value: SSAValue) -> Divided | None:
        if value in self.divided:
            return self.divided[value]
        exact = self.exact(value)
        return None if exact is None else Divided(exact, {})

    def exact(self, value: SSAValue) -> Affine | None:
        """Return the affine expression that an integer is, or None."""
        if value in self.affines:
            return self.affines[value]
        term = self.terms.get(value)
        if isinstance(term, Index):
            return term.affine
        if isinstance(term, Constant) and term.value.denominator == 1:
            return Affine(int(term.value))
        return None

    def term(self, value: SSAValue) -> Term:
        """Return the term of a scalar value."""
        found = self.terms.get(value)
        if isinstance(found, Domain):
            return choose_by(found, TRUE, FALSE)
        if found is None:
            if value in self.places:
                return self.places[value]
            if value in self.divided:
                return self.divided[value].term("i64")
            exact = self.affines.get(value)
            if exact is None:
                raise UnknownOperationError(f"a value of type {value.type}")
            return terms.index(exact, "i64")
        return found

    def affine_of(self, value: SSAValue) -> Affine:
        """Return an index value.

        Raises:
            NotAffine: where it depends on data.

        """
        exact = self.exact(value)
        if exact is None:
            raise NotAffine("an index that depends on data")
        return exact

    def affines_of(self, values: Iterable[SSAValue]) -> list[Affine]:
        """Return several index values."""
        return [self.affine_of(v) for v in values]

    def unyielded(self) -> str:
        """Name a value of a statement that no operation yields."""
        self.count += 1
        return f"%{self.count}"

    def new_value(self, result: SSAValue, dtype: DType) -> str:
        """Name a value that a statement yields; where its IR type has another sign or width, readers convert it."""
        name = self.unyielded()
        self.terms[result] = as_typed(value_read(name, dtype), result)
        return name

    # -- index computations

    def _is_index_operation(self, op: Operation) -> bool:
        if not op.results or not isinstance(op.results[0].type, IndexType):
            return False
        row = _INDEX_OPERATIONS.get(op.name)
        if row is None:
            raise UnknownOperationError(f"{op.name} on an index")
        if any(v in self.places for v in op.operands):
            left, right = (self.places.get(v) or terms.index(self.affine_of(v), "i64") for v in op.operands)
            if op.name != "arith.addi":
                raise NotAffine("an index that depends on data")
            self.places[op.results[0]] = rewrite.simplified("add", (convert(left, "i64"), convert(right, "i64")))
            return True
        try:
            self.affines[op.results[0]] = row(self, op)
        except NotAffine:
            if op.name != "affine.apply":
                raise
            applied: Any = op.properties["map"]
            self.divided[op.results[0]] = self.indices.divided(applied.data, self.affines_of(op.operands))
        return True


Implied = tuple[Domain, Domain]
UNKNOWN: Implied = (UNIVERSE, UNIVERSE)


def _negated(left: Implied, right: Implied) -> Implied | None:
    """Swap where ``xor`` is with a constant truth."""
    return left[::-1] if right[1] is EMPTY else None


_TRUTH_TABLES: dict[str, Callable[[Implied, Implied], Implied | None]] = {
    "arith.andi": lambda a, b: (a[0] & b[0], a[1] | b[1]),
    "arith.ori": lambda a, b: (a[0] | b[0], a[1] & b[1]),
    "arith.xori": _negated,
}
_CONNECTIVES: dict[str, Callable[[Domain, Domain], Domain]] = {
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: (a - b) | (b - a),
}


def constant_truth(value: Term | Domain | None) -> Domain | None:
    """Return a constant truth value as a domain."""
    if isinstance(value, Constant) and value.dtype == "bool":
        return UNIVERSE if value.value else UNIVERSE.complement()
    return None


def as_typed(term: Term, value: SSAValue) -> Term:
    """Return a term as a value of the IR has it: a truth value in several bits is the integer 0 or 1."""
    stored_as = dtype_of(value.type) if term.dtype == "bool" else "bool"
    return term if stored_as == "bool" else convert(term, as_dtype(stored_as))


def as_dtype(name: str) -> DType:
    """Read the name of a type: the loop IR names types as terms do."""
    return name  # type: ignore[return-value]  # both name the same types


# -- one function for each operation that yields an index


def _index_constant(_: Values, op: Operation) -> Affine:
    attribute: Any = op.properties["value"]
    return Affine(attribute.value.data)


def _index_apply(r: Values, op: Operation) -> Affine:
    applied: Any = op.properties["map"]
    return r.indices.apply(applied.data, r.affines_of(op.operands))[0]


def _index_floordiv(r: Values, op: Operation) -> Affine:
    numerator, divisor = r.affines_of(op.operands)
    if not divisor.is_constant or divisor.constant < 1:
        raise NotAffine(f"({numerator}) / ({divisor})")
    return r.indices.quotient(numerator, divisor.constant)


_INDEX_OPERATIONS: dict[str, Callable[[Values, Operation], Affine]] = {
    "arith.constant": _index_constant,
    "affine.apply": _index_apply,
    "arith.addi": lambda r, op: r.affine_of(op.operands[0]) + r.affine_of(op.operands[1]),
    "arith.subi": lambda r, op: r.affine_of(op.operands[0]) - r.affine_of(op.operands[1]),
    "arith.muli": lambda r, op: multiply(r.affine_of(op.operands[0]), r.affine_of(op.operands[1])),
    "arith.floordivsi": _index_floordiv,
}
