"""What callers must guarantee: all that a proof assumes of the arguments, as weak as is known, each with its place.

The front end's assumptions, the sizes that summarising assumed, and the sizes for which no access leaves its array are
first put together; a condition that the others imply, or that holds by definition or by the type of a size, is left
out.  A written array must share no memory with the others that are used, other than with one that may be the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, NotAffine, at_least, equal, less
from tensorlift.comprehension.whole import rounded_sums
from tensorlift.contract.interface import Precondition
from tensorlift.contract.language import AnyOf, Compare, Condition, Extent, InWords, Quotient, Separate, Sum
from tensorlift.contract.memory import separate
from tensorlift.contract.notation import parse_condition
from tensorlift.contract.places import inside
from tensorlift.contract.required import set_of
from tensorlift.ir.location import location_of
from tensorlift.ops.conversions import EXACT_BITS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.domain import Constraint
    from tensorlift.contract.language import Atom, Relation
    from tensorlift.diagnostics import Location
    from tensorlift.ir.function import FunctionView

REASONS = {
    "size": "the loops and extents of these sizes are counted from here on",
    "stride": "rows of the array must not overlap",
    "overflow": "index arithmetic must stay in its type",
    "integers": "the integers of Python have no limit, those of the program have one",
    "no-overlap": "a written array must not share memory with another",
    "distinct-rows": "a table of row pointers must name each row once",
    "not-null": "the source does something else where the array is missing",
    "exact": "integers are added up in floats, which hold them exactly up to there",
    "extent": "every access must stay inside its array",
    "shape": "of a longer array the program would read or write more than the source does",
    "rows": "the rows of a matrix are as long as each other",
    "assertion": "the source ends the program where it does not hold",
    "range": "the type of the parameter holds no more",
    "argument": "rows of an array are as long as the function that it is passed to declares them",
    "type": "it has no annotation, so its use decides",
}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A condition on its way: ``domain`` is what it says of the sizes, None where that has no affine form."""

    kind: str
    condition: Condition
    location: Location | None
    domain: Domain | None = None

    def precondition(self, names: Mapping[Atom, Sum]) -> Precondition:
        """Give it as the record holds it."""
        condition = _tidy(self.condition, names)
        return Precondition(str(condition), REASONS.get(self.kind, self.kind), self.location, self.kind, condition)


def preconditions_of(view: FunctionView, summary: Summary) -> tuple[Precondition, ...]:
    """List the conditions: on sizes, those that the front end stated, on accesses, on memory."""
    facts = _facts(view, summary)
    sizes = [
        _Entry("size", condition, _loop_over(view, domain), domain)
        for condition, domain in _split(summary.assumed.gist(facts))
    ]
    stated = [
        _Entry(row.kind, condition, row.location, set_of(row) if row.condition else None)
        for row in view.requires
        if not isinstance(condition := parse_condition(row.text), Separate)
    ]
    known = reduce(and_, [entry.domain for entry in stated if entry.domain is not None], summary.assumed & facts)
    needed = summary.context.gist(known)
    bounds = [_Entry("extent", condition, view.location, domain) for condition, domain in _split(needed)]
    entries = _as_equalities(_without_implied([*sizes, *stated, *bounds], facts))
    names = _names(view, summary)
    apart = [_Entry("no-overlap", condition, place) for condition, place in separate(view, summary)]
    places = [_Entry("extent", condition, place) for condition, place in inside(view, summary)]
    found = [entry.precondition(names) for entry in [*entries, *places, *_exact_sums(summary), *apart]]
    return tuple(dict.fromkeys(found))


def is_binding(condition: Condition | None) -> bool:
    """Tell whether a condition fixes a size, relates sizes by an equality, or bounds one above."""
    if isinstance(condition, AnyOf):
        return all(any(map(is_binding, choice)) for choice in condition.choices)
    if not isinstance(condition, Compare) or condition.relation == "!=":
        return False
    excess = condition.left - condition.right if condition.relation in (">=", ">") else condition.right - condition.left
    return condition.relation == "==" or any(factor < 0 for factor, atoms in excess.terms if atoms)


def domain_of(view: FunctionView, summary: Summary, condition: Compare) -> Domain | None:
    """Return the sizes that meet a condition, None where that is not affine in the sizes of the function."""
    names = _names(view, summary)
    sizes = {found.substitute(names).atom: Affine.var(str(name)) for name, found in names.items()}
    sizes |= {name: Affine.var(name) for name in view.size_names}
    total = Affine(0)
    for factor, atoms in (condition.left - condition.right).terms:
        if len(atoms) > 1 or (atoms and atoms[0] not in sizes):
            return None
        total = total + (sizes[atoms[0]] * factor if atoms else factor)
    constraints = {
        "==": equal(total, 0), ">=": at_least(total, 0), "<=": at_least(0, total), ">": less(0, total),
        "<": less(total, 0),
    }  # fmt: skip
    return Domain.of(constraints[condition.relation]) if condition.relation in constraints else None


def _exact_sums(summary: Summary) -> Iterator[_Entry]:
    """Say of integers that are added up in floats, and become integers again, that no sum is rounded."""
    for definition, dtype in rounded_sums(summary.definitions()):
        words = f"what is added up in {definition.array} stays within {1 << EXACT_BITS[dtype]}"
        yield _Entry("exact", InWords(words), definition.location)


# -- sizes


def _facts(view: FunctionView, summary: Summary) -> Domain:
    """Return what holds in any case: quotients are what they are, and unsigned sizes are not negative."""
    facts = [at_least(p.name, 0) for p in view.parameters if p.role == "size" and p.dtype.startswith("u")]
    facts += [at_least(name, 0) for name in _made_extents(view)]
    for derived in summary.derived:
        rest = derived.numerator - Affine.var(derived.name, derived.divisor)
        facts += [at_least(rest, 0), at_least(derived.divisor - 1, rest)]
    return Domain.of(*facts)


def _split(domain: Domain) -> Iterator[tuple[Condition, Domain]]:
    """Split a condition on sizes into its constraints where it is a conjunction."""
    pruned = domain.pruned()
    try:
        conjuncts = pruned.conjuncts()
    except NotAffine:
        yield InWords(str(domain)), domain
        return
    if len(conjuncts) == 1:
        yield from ((_compare(c), Domain.of(c)) for c in sorted(conjuncts[0], key=str))
    elif conjuncts:
        yield AnyOf(tuple(tuple(map(_compare, sorted(c, key=str))) for c in conjuncts)), domain


def _compare(constraint: Constraint) -> Compare:
    return Compare(_sum(constraint.affine), "==" if constraint.is_equality else ">=", Sum())


def _sum(value: Affine) -> Sum:
    return Sum.of(*((factor, (name,)) for name, factor in value.terms), (value.constant, ()))


def _without_implied(entries: Sequence[_Entry], facts: Domain) -> list[_Entry]:
    """Leave out what the others imply; those that are listed last go first."""
    kept = list(entries)
    for entry in reversed(entries):
        if entry.domain is None:
            continue
        others = facts
        for other in kept:
            others = others & other.domain if other is not entry and other.domain is not None else others
        if others.is_subset(entry.domain):
            kept = [other for other in kept if other is not entry]
    return kept


def _as_equalities(entries: Sequence[_Entry]) -> list[_Entry]:
    """Join two inequalities that together say that two sizes are equal."""
    kept: list[_Entry] = []
    for entry in entries:
        for place, other in enumerate(kept):
            mine, its = _excess(entry.condition), _excess(other.condition)
            if mine is not None and its is not None and its.terms and not (mine + its).terms:
                kept[place] = replace(other, condition=Compare(its, "==", Sum()), domain=None)
                break
        else:
            kept.append(entry)
    return kept


def _excess(condition: Condition) -> Sum | None:
    """Give what an inequality says to be at least zero."""
    if not isinstance(condition, Compare) or condition.relation not in (">=", "<="):
        return None
    difference = condition.left - condition.right
    return difference if condition.relation == ">=" else Sum() - difference


def _loop_over(view: FunctionView, domain: Domain) -> Location | None:
    """Find the line that a condition on sizes comes from: the first loop that runs up to one, or the function."""
    names = set(domain.variables())
    values = {p.value for p in view.parameters if p.name in names}
    loops = (op for op in view.operations if op.name == "affine.for" and not values.isdisjoint(op.operands))
    return next((place for place in map(location_of, loops) if place is not None), view.location)


# -- spelling


def _tidy(condition: Condition, names: Mapping[Atom, Sum]) -> Condition:
    """Spell relations in the names of the source, without negative terms, a number on the right."""
    if isinstance(condition, AnyOf):
        return AnyOf(tuple(tuple(_balanced(part, names) for part in choice) for choice in condition.choices))
    return _balanced(condition, names) if isinstance(condition, Compare) else condition


_TURNED: dict[Relation, Relation] = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}


def _balanced(condition: Compare, names: Mapping[Atom, Sum]) -> Compare:
    difference = (condition.left - condition.right).substitute(names)
    left = Sum(tuple(term for term in difference.terms if term[0] > 0))
    right = Sum() - Sum(tuple(term for term in difference.terms if term[0] < 0))
    constant = Sum(tuple(term for term in left.terms if not term[1]))
    if right.value is not None:
        left, right = left - constant, right - constant
    if left.value is not None:
        return Compare(right, _TURNED[condition.relation], left)
    return Compare(left, condition.relation, right)


def _names(view: FunctionView, summary: Summary) -> dict[Atom, Sum]:
    """Give what stands for the sizes that have no name in the source: quotients, and extents that a front end named."""
    found: dict[Atom, Sum] = {d.name: Sum.name(Quotient(_sum(d.numerator), d.divisor)) for d in summary.derived}
    return found | {name: Sum.name(extent) for name, extent in _made_extents(view).items()}


def _made_extents(view: FunctionView) -> dict[str, Extent]:
    """Give the sizes that a front end made for the extents of an array, each with its extent."""
    vectors = view.declared if view.prototype else frozenset()
    places = view.made_sizes.items()
    return {size: Extent(*place, "vector") if size in vectors else Extent(*place) for size, place in places}
