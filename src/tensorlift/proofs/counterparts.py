"""Demands that the program computes partial functions and rounds to single precision only where its source does.

Equality over the reals does not see it: ``(b != 0) * (a / b)`` is a selection there, and ``q - q`` is zero.  In floats
both are NaN where b is zero.  So each partial function on which a cell depends must have operands for which it is
finite, or the source must compute it at the same points under no stronger conditions.  In the same way each rounding
to single precision must be one of the source, or that of a result in single precision; and a double that the source
rounds to single precision and back, the program must round as well.

Executions with cuts: where a value is claimed to hold a definition, both are the same array from there on.

A cut that does not hold is ignored: the claims at the end decide.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from tensorlift.comprehension.matching import matches
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import SymbolicTensor, array
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Term, applies
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal
from tensorlift.poly.names import image
from tensorlift.proofs.divisors import Computed, Divisors, by_multiples, computed, is_rounded_float, may_matter
from tensorlift.proofs.expansion import Facts
from tensorlift.proofs.failure import DIVISOR, UNEQUAL, CheckFailure
from tensorlift.proofs.implied import conditions_of, is_implied, reads_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.places import Guards
    from tensorlift.ir.cut import Cut
    from tensorlift.proofs.expansion import Definitions, Equality, Surroundings
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.proofs.values import Held


# How the source is seen: each definition with opaque names for what it reads, with the operands of its operations
# written out, or together with the operations of all that it reads.
_Depth = Literal["names", "operands", "through"]
_DEPTHS: tuple[_Depth, ...] = ("names", "operands", "through")
# The least integers from which on functions have finite values, of a power as exponent.
_LEAST = {"sqrt": 0, "log": 1, "log2": 1, "log10": 1, "log1p": 0, "pow": 0}

_ROUNDINGS = frozenset({"narrowed", "widened"})


class Counterparts:
    """Finds what the source computes for what the program computes."""

    def __init__(self, definitions: Definitions, divisors: Divisors, surroundings: Surroundings) -> None:
        self._definitions = definitions
        self._divisors = divisors
        self.surroundings = surroundings
        self._source = {
            depth: Facts(surroundings, partial(self._collect, depth), lambda s: s.term.reads | reads_of(s.guards))
            for depth in _DEPTHS
        }

    def difference(self, tensor: SymbolicTensor, version: str, context: Domain) -> Computed | None:
        """Return what only one of a tensor and a version that it is equal to computes, or None."""
        names = tuple(image(f"cell{axis}") for axis in range(len(tensor.shape)))
        cell = tensor.at(tuple(map(Affine.var, names)))
        lacking = self.lacking(cell, context & Domain.box(names, tensor.shape)) if may_matter(cell) else None
        return self.left_out(tensor, version, context) if lacking is None else lacking

    def lacking(self, term: Term, domain: Domain) -> Computed | None:
        """Return something on which a term of the program depends and that the source does not compute, or None."""
        parts = (part for item in computed(term, domain) for part in _parts(item))
        return next((part for part in parts if not self._is_allowed(part)), None)

    def left_out(self, tensor: SymbolicTensor, version: str, context: Domain) -> Computed | None:
        """Return a rounding to a narrower float and back of a definition that a tensor equal to it lacks, or None."""
        definition = self._definitions.by_name.get(version)
        if definition is None or not self._definitions.has_narrow or self._definitions.is_opaque(tensor, definition):
            return None
        got = tensor.at(definition.cell)
        for piece, term in definition.pieces:
            domain = piece & definition.domain & context
            found = self._round_trips(term, domain)
            for fully in (False, True):  # what is known by its name rounds as its definition does
                mine = self._round_trips(got, domain, fully=fully) if found else []
                found = [wanted for wanted in found if not self._is_among(wanted, mine)]
            if found:
                return found[0]
        return None

    def _is_among(self, wanted: Computed, items: list[Computed]) -> bool:
        return any(self._is_counterpart(one, wanted.term, wanted, self._definitions.equal) for one in items)

    def _round_trips(self, term: Term, domain: Domain, *, fully: bool = False) -> list[Computed]:
        """Return the floats that a term rounds to a narrower type and uses in a wider one."""
        found = computed(self._definitions.expand(term, domain, fully=fully), domain, in_source=True)
        return [item for item in found if item.kind == "widened" and is_rounded_float(item.term)]

    def _is_allowed(self, item: Computed) -> bool:
        if item.domain.is_empty() or any(
            self._is_finite(item, equality) or self._source_computes(item, equality)
            for equality in self._definitions.equalities
        ):
            return True
        # The source may divide by what the program has a name for.
        written = self._definitions.expand(item.term, item.domain, fully=True) if item.kind == "divisor" else item.term
        parts = list(_divisors(item._replace(term=written))) if written is not item.term else [item]
        return parts != [item] and all(map(self._is_allowed, parts))

    def _is_finite(self, item: Computed, equality: Equality) -> bool:
        """Tell whether a function is known to have a finite value."""
        if item.kind == "divisor":
            return self._divisors.is_nonzero(item.term, item.domain, item.guards, equality)
        if item.kind != "partial" or not applies(item.term, _LEAST):
            return False
        operand = item.term.args[-1]  # of a power the exponent
        while applies(operand, "cast"):
            (operand,) = operand.args
        least = _LEAST[item.term.op]
        if isinstance(operand, Constant):
            return operand.value >= least and operand.value.denominator == 1
        return isinstance(operand, Index) and item.domain.implies(at_least(operand.affine, least))

    # -- the source

    def _source_computes(self, item: Computed, equality: Equality) -> bool:
        """Tell whether the source computes the same, first by opaque names, then ever more written out.

        It may do so in several places, each for some of the points; where one is left, the source may name that.
        """
        for depth in _DEPTHS:
            mine = self._definitions.expand(item.term, item.domain, fully=depth != "names")
            fixed: Mapping[str, Affine] | None = None
            while fixed is None or fixed:
                before, mine = item.domain, substitute(mine, fixed or {})
                sources = (source for source in self._source[depth] if _are_alike(source, item))
                for there in (place for source in sources for place in self._computed_at(source, mine, item, equality)):
                    item = item._replace(domain=item.domain - there)
                    if item.domain.is_empty():
                        return True
                fixed = {} if item.domain is before else _fixed(item)
        return False

    def _collect(self, depth: _Depth, term: Term, domain: Domain, indices: tuple[str, ...]) -> Iterator[Computed]:
        """Yield what a piece of a definition computes, each divisor by itself."""
        expand = self._definitions.expand
        whole = expand(term, domain, fully=True) if depth == "through" else term
        for source in computed(whole, domain, indices, in_source=True):
            for part in map(by_multiples, _parts(source)):
                yield part._replace(term=expand(part.term, part.domain, fully=depth != "names"))

    def _is_counterpart(self, source: Computed, mine: Term, item: Computed, equality: Equality) -> bool:
        """Tell whether the source computes a term at every point where the program depends on it."""
        return any(map(item.domain.is_subset, self._computed_at(source, mine, item, equality)))

    def _computed_at(self, source: Computed, mine: Term, item: Computed, equality: Equality) -> Iterator[Domain]:
        """Yield points where the program depends on a term that the source computes there."""
        found = matches(source.term, mine, source.variables)
        for values in (more for one in found for more in _where_implied(source, one, item.guards)):
            free = [v for v in source.variables if v not in values]
            theirs = substitute(source.term, values)
            there = item.domain & source.domain.project_out(*free).substitute(values)
            if (
                not there.is_empty()
                and (theirs is mine or equality(theirs, mine, there))
                and is_implied(source.guards, values, (item.guards, there), equality)
            ):
                yield there


def _fixed(item: Computed) -> Mapping[str, Affine]:
    """Give the value of a variable that has only one."""
    solved = ((v, equality.solve(v)) for equality in item.domain.equalities() for v in item.variables)
    return next(({name: value} for name, value in solved if value is not None), {})


def _where_implied(source: Computed, values: Mapping[str, Affine], known: Guards) -> Iterator[Mapping[str, Affine]]:
    """Yield the values with those of variables that conditions alone have, at which one may be known."""
    missing = tuple(v for v in source.variables if v not in values)
    wanted = next((c for c in conditions_of(source.guards) if not c.free.isdisjoint(missing)), None)
    if wanted is None:
        yield values
        return
    for condition in conditions_of(known):
        for more in matches(substitute(wanted, values), condition, missing):
            if more:
                yield from _where_implied(source, {**values, **more}, known)


def refusal_of(lacking: Computed, name: str, line: int | None) -> CheckFailure:
    """Build the failure for an output that depends on what the source does not compute."""
    if lacking.kind in _ROUNDINGS:
        reason = (
            f"{name} is computed from values in single precision where the source has double, or the other way round"
        )
        return CheckFailure(UNEQUAL, reason, line, "keep the element types of the source")
    what = f"{lacking.term.op}(...)" if isinstance(lacking.term, Apply) and lacking.kind == "partial" else "a quotient"
    reason = f"{name} depends on {what} that may not be finite where the source does not compute it"
    return CheckFailure(DIVISOR, reason, line, "select it with np.where instead of multiplying it by zero")


def _are_alike(source: Computed, item: Computed) -> bool:
    if source.kind != item.kind:
        return False
    if source.kind != "partial":
        return True
    return isinstance(source.term, Apply) and isinstance(item.term, Apply) and source.term.op == item.term.op


def _parts(item: Computed) -> list[Computed]:
    """Return a division as what must not be zero; anything else as it is."""
    if applies(item.term, "div") and item.kind == "partial":
        return list(_divisors(item._replace(kind="divisor", term=item.term.args[1])))
    return [item]


def _divisors(item: Computed) -> Iterator[Computed]:
    """Yield the factors of a divisor, where and under which conditions they are factors."""
    term = item.term
    if isinstance(term, Piecewise):
        for part, piece in term.pieces:
            yield from _divisors(item._replace(term=piece, domain=item.domain & part))
    elif applies(term, "select"):
        condition, *arms = term.args
        for arm, holds in zip(arms, (True, False), strict=True):
            yield from _divisors(item._replace(term=arm, guards=(*item.guards, (condition, holds))))
    elif applies(term, "mul"):
        for factor in term.args:
            yield from _divisors(item._replace(term=factor))
    elif isinstance(term, Apply) and (term.op in ("neg", "abs", "sqrt", "div") or _is_conversion(term)):
        yield from _divisors(item._replace(term=term.args[0]))
    elif not _is_never_zero(term):
        yield item


def _is_never_zero(term: Term) -> bool:
    if isinstance(term, Apply):
        return term.op in ("exp", "exp2", "cosh")
    return isinstance(term, Constant) and term.value != 0


def _is_conversion(term: Apply) -> bool:
    return term.op == "cast" and is_float(term.dtype) and is_float(term.args[0].dtype)


class CutExecution:
    """What executions of any language share: shapes decided, and values that become definitions by name."""

    def __init__(self, ledger: Ledger, definitions: Definitions, counterparts: Counterparts) -> None:
        self.ledger = ledger
        self.definitions = definitions
        self.counterparts = counterparts
        self.surroundings = counterparts.surroundings
        self.unproved_cut: Cut | None = None

    def cut(self, held: Held | None, cut: Cut) -> Held | None:
        """Return a value as the definition that a cut says it is, None where that is not proved or changes nothing."""
        if held is None or held.blank is not None or not self._proves(held, cut):
            self.unproved_cut = self.unproved_cut or cut
            return None
        definition = self.definitions.by_name[cut.definition]
        self.definitions.opaque.add(definition.name)
        known = array(definition.name, held.tensor.shape, definition.dtype)
        return held.with_tensor(known, None) if held.tensor.is_strong else None

    def _proves(self, held: Held, cut: Cut) -> bool:
        definition = self.surroundings.definitions().get(cut.definition)
        if definition is None or held.tensor.dtype != definition.dtype or not held.tensor.is_strong:
            return False
        context = self.ledger.context
        return (
            self.has_shape(held, definition.shape)
            and self.definitions.equals(held.tensor, definition, context)
            and self.counterparts.difference(held.tensor, definition.name, context) is None
        )

    def has_shape(self, held: Held, shape: Sequence[Affine]) -> bool:
        """Tell whether a value has a shape."""
        mine = held.tensor.shape
        return len(mine) == len(shape) and all(
            a == b or self.ledger.holds(equal(a, b)) for a, b in zip(mine, shape, strict=True)
        )
