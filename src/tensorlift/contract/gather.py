"""What callers must guarantee: all that a proof assumes of the arguments, as weak as is known, each with its place.

The front end's assumptions, the sizes that summarising assumed, and the sizes for which no access leaves its array are
first put together; a condition that the others imply, or that holds by definition or by the type of a size, is left
out.  A written array must share no memory with the others that are used, other than with one that may be the same.

What must share no memory: a written array with another that is used, unless C says that they are apart.

C's ``restrict`` does.  Two globals are two objects, and so are two members that lie inside of one structure.  A scalar
that is reached through a pointer, of which the front end states that a written array is apart, counts as any other.

Preconditions that reads at places that depend on data stay inside of their arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from tensorlift.comprehension.places import (
    PlaceRead,
    cell_at,
    cells_plus,
    is_guarded,
    is_inside,
    limit_of,
    opened,
    places_read,
    room_for,
)
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Constant, Read, Term, applies
from tensorlift.comprehension.whole import rounded_sums
from tensorlift.contract.interface import Precondition
from tensorlift.contract.language import (
    AnyOf,
    Atom,
    Compare,
    Condition,
    Extent,
    Inside,
    InWords,
    Quotient,
    ReadInside,
    Relation,
    Separate,
    Sum,
)
from tensorlift.contract.notation import parse_condition
from tensorlift.contract.required import set_of
from tensorlift.ir.function import is_python, tables_of
from tensorlift.ir.location import location_of
from tensorlift.ops.conversions import EXACT_BITS
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, NotAffine, at_least, equal, less

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.diagnostics import Location
    from tensorlift.ir.function import FunctionView, Parameter


_FEW = (1, 2, 3)  # cells that an axis may have to have
_ADDED_IN = ("i32", "i64")  # in these types NumPy adds a number as the source does


def inside(view: FunctionView, summary: Summary) -> Iterator[tuple[Inside | ReadInside | Compare, Location | None]]:
    """Yield what keeps the reads of each array inside, with the first of them; nothing where types do.

    Of Python all cells of an array of places are asked to be some, so that calls can check that.
    """
    definitions = {definition.name: definition for definition in summary.definitions()}
    reads = [
        (read, cell)
        for definition in definitions.values()
        for piece, term in definition.pieces
        for read in places_read(term, definition.domain & piece, definition.indices)
        if not is_inside(read, limit := limit_of(read, cell := cell_at(read, definition, summary), summary))
        and not is_guarded(read, limit)
        and not is_inside(opened(read, definitions), limit)
    ]
    always = [
        (read, cell)
        for read, cell in reads
        if read.is_any or (not read.guards and covers(read, summary)) or (is_python(view) and _is_passed(read, summary))
    ]
    stated = {_plain(read, cell, view, summary) for read, cell in always} - {None}
    lengths = dict.fromkeys(extent for info in summary.arrays.values() if info.is_parameter for extent in info.shape)
    asked = UNIVERSE
    waiting = [(read, cell, opened(read, definitions)) for read, cell in reads]
    while waiting:  # what is asked for one read may be enough for another one
        left = []
        for read, cell, looked_up in waiting:
            plain, place = _plain(read, cell, view, summary), _place_in(view, cell[0])
            if plain is not None and plain in stated:
                yield plain, place
                continue
            here, limit = looked_up._replace(domain=looked_up.domain & asked), limit_of(read, cell, summary)
            if is_inside(here, limit):
                continue
            room = room_for(here, limit, (*lengths, *map(Affine, _FEW)))
            if room is None:
                left.append((read, cell, looked_up))
                continue
            asked = asked & Domain.of(room)
            yield _balanced(_compare(room), _names(view, summary)), place
        if len(left) == len(waiting):
            yield from ((ReadInside(cell[0]), _place_in(view, cell[0])) for _, cell, _ in left)
            break
        waiting = left


def _plain(read: PlaceRead, cell: tuple[str, int], view: FunctionView, summary: Summary) -> Inside | None:
    """Return the condition on all cells of the array that holds the places."""
    if read.extent is not None:
        found = cells_plus(read.place, {d.name: d for d in summary.definitions()})
        assert found is not None, "others are refused"
        return Inside(found[0].array, found[1], _sum(read.extent).substitute(_names(view, summary)))
    (array, axis), found = cell, _passed_cells(read, summary) if is_python(view) else _cells_plus(read.place)
    if found is None:
        return None
    info = summary.arrays[array]
    is_known = info.shape[axis].is_constant and (info.contents or not info.is_parameter)
    if is_known or (view.returns and (not info.is_parameter or array in dict(view.returns))):  # Python passes no result
        limit = _sum(info.shape[axis]).substitute(_names(view, summary))
    else:
        limit = Sum.name(Extent(array, axis))
    return Inside(found[0].array, found[1], limit)


def _cells_plus(place: Term) -> tuple[Read, int] | None:
    """Return the cells that are the places but for what is added to them."""
    place = _converted(place)
    if isinstance(place, Read):
        return place, 0
    if applies(place, ("add", "sub")) and place.dtype in _ADDED_IN:
        cells, number = _converted(place.args[0]), place.args[1]
        if isinstance(cells, Read) and cells.dtype in _ADDED_IN and isinstance(number, Constant):
            return cells, int(number.value) if place.op == "add" else -int(number.value)
    return None


def _converted(place: Term) -> Term:
    """Look through the conversion of an integer to a place."""
    if applies(place, "cast") and place.dtype == "i64" and not is_float(place.args[0].dtype):
        return place.args[0]
    return place


def _is_passed(read: PlaceRead, summary: Summary) -> bool:
    """Tell whether the places are cells of an array of the caller, but for what is added to them."""
    found = _passed_cells(read, summary)
    info = None if found is None else summary.arrays.get(found[0].array)
    return info is not None and info.is_parameter


def _passed_cells(read: PlaceRead, summary: Summary) -> tuple[Read, int] | None:
    """Return the cells that are the places but for what is added to them, looked up in definitions of one piece."""
    definitions = {d.name: d for d in summary.definitions()}
    found, added = _cells_plus(read.place), 0
    while found is not None:
        added += found[1]
        known = definitions.get(found[0].array)
        if known is None or len(known.pieces) != 1:
            return found[0], added
        values = dict(zip(known.indices, found[0].indices, strict=True))
        found = _cells_plus(substitute(known.pieces[0][1], values))
    return None


def covers(read: PlaceRead, summary: Summary) -> bool:
    """Tell whether all cells of an array of the caller are places that are read at."""
    found = _cells_plus(read.place)
    info = None if found is None else summary.arrays.get(found[0].array)
    names = [] if found is None else [index.variable for index in found[0].indices]
    if info is None or not info.is_parameter or None in names or len(set(names)) < len(names):
        return False
    box = summary.context & Domain.box(tuple(map(str, names)), info.shape)
    others = [v for v in read.domain.variables() if v not in box.variables()]
    return box.is_subset(read.domain.project_out(*others))


def _place_in(view: FunctionView, array: str) -> Location | None:
    """Find the first read of an array at a place that depends on data."""
    tables = [table.value for table in tables_of(view) if table.name == array]
    values = {*tables, *(p.value for p in view.parameters if p.name == array)}
    accesses = {"memref.load": 0, "memref.store": 1}
    reads = (op for op in view.operations if op.name in accesses and op.operands[accesses[op.name]] in values)
    return next((place for place in map(location_of, reads) if place is not None), view.location)


def separate(view: FunctionView, summary: Summary) -> Iterator[tuple[Separate, Location | None]]:
    """Yield the conditions, at most two for each written array, with the place of its first store."""
    written = {name for name, _ in summary.outputs}
    may_overlap, may_be_same = frozenset(summary.may_overlap), frozenset(summary.may_be_same)
    used = {*view.read, *written}
    arrays = [p for p in view.parameters if p.role == "array" and p.name in used and "restrict" not in p.c_type]
    stated = [condition for row in view.requires if isinstance(condition := parse_condition(row.text), Separate)]
    for parameter in arrays:
        if parameter.name not in written:
            continue
        others = [
            o.name
            for o in arrays
            if o.name != parameter.name
            and not (o.name in written and o.name < parameter.name)
            and (parameter.name, o.name) not in may_overlap
        ]
        scalars = {name for condition in stated if condition.array == parameter.name for name in condition.others}
        others = [
            o.name
            for o in view.parameters
            if o.name in {*others, *scalars} and not _are_two_objects(view, parameter, o)
        ]
        same = [o for o in others if (parameter.name, o) in may_be_same]
        place = _first_store(view, parameter.name) or parameter.location
        for names, or_same in (([o for o in others if o not in same], False), (same, True)):
            if names:
                yield Separate(parameter.name, tuple(names), or_same), place


def _are_two_objects(view: FunctionView, one: Parameter, other: Parameter) -> bool:
    """Tell whether both lie inside of objects that are not the same, by how C reaches them.

    Structures that members point to may be one.
    """
    if not one.lies_inside or not other.lies_inside or one.access == other.access:
        return False
    declared = {name for name, _ in view.c_parameters} or {p.name for p in view.parameters if not p.access}
    return one.holders[-1] == other.holders[-1] or declared.isdisjoint((one.member[0], other.member[0]))


def _first_store(view: FunctionView, array: str) -> Location | None:
    """Find the first place where an array is written."""
    values = {p.value for p in view.parameters if p.name == array}
    stores = (op for op in view.operations if op.name in ("affine.store", "memref.store"))
    return next((location_of(op) for op in stores if op.operands[1] in values), None)


REASONS = {
    "size": "the loops and extents of these sizes are counted from here on",
    "stride": "rows of the array must not overlap",
    "direction": "where it is not positive the source goes through the array in the other direction",
    "overflow": "index arithmetic must stay in its type",
    "integers": "the integers of Python have no limit, those of the program have one",
    "no-overlap": "a written array must not share memory with another",
    "distinct-rows": "a table of row pointers must name each row once",
    "not-null": "the source does something else where the array is missing",
    "distinct": "the source does something else where they are the same",
    "exact": "integers are added up in floats, which hold them exactly up to there",
    "quotient": "the source divides by it, or rounds to zero what is divided",
    "extent": "every access must stay inside its array",
    "shape": "of a longer array the program would read or write more than the source does",
    "rows": "the rows of a matrix are as long as each other",
    "assertion": "the source ends the program where it does not hold",
    "left-out": "the source does something that is not read where it does not hold",
    "capital": "a flag is passed as its capital: LSAME takes a small letter for that",
    "error": "the source calls a function that is not known to tell of an error where it does not hold",
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
    quotients = Domain.of(*(bound for size in summary.derived for bound in size.bounds))
    sizes = [
        _Entry("size", condition, _loop_over(view, domain), domain)
        for condition, domain in _split(summary.assumed.gist(facts & quotients))
    ]
    stated = [
        _Entry(row.kind, condition, row.location, set_of(row) if row.choices else None)
        for row in view.requires
        if not isinstance(condition := parse_condition(row.text), Separate)
    ]
    divided = [entry for entry in stated if entry.kind == "quotient"]
    demands = [demand for size in summary.derived for demand in size.demands]
    divided += [_Entry("quotient", _compare(one), view.location, Domain.of(one)) for one in demands]
    stated = [entry for entry in stated if entry.kind != "quotient"]
    known = summary.assumed & facts & quotients
    known = reduce(and_, [entry.domain for entry in stated if entry.domain is not None], known)
    needed = summary.context.gist(known)
    bounds = [_Entry("extent", condition, view.location, domain) for condition, domain in _split(needed)]
    entries = _as_equalities(_without_implied([*divided, *sizes, *stated, *bounds], facts))
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
    sizes = {found.atom: Affine.var(str(name)) for name, found in names.items()}
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
    """Return what holds in any case: unsigned sizes are not negative, and quotients by numbers are what they are."""
    facts = [at_least(p.name, 0) for p in view.parameters if p.role == "size" and p.dtype.startswith("u")]
    facts += [at_least(name, 0) for name in _made_extents(view)]
    facts += [fact for derived in summary.derived if not derived.demands for fact in derived.facts]
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
    found: dict[Atom, Sum] = {name: Sum.name(extent) for name, extent in _made_extents(view).items()}
    for derived in summary.derived:  # of sizes, and of quotients that stand before it
        parts = (_sum(part).substitute(found) for part in (derived.numerator, derived.divisor))
        found[derived.name] = Sum.name(Quotient(*parts))
    return found


def _made_extents(view: FunctionView) -> dict[str, Extent]:
    """Give the sizes that a front end made for the extents of an array, each with its extent."""
    vectors = view.declared if view.prototype else frozenset()
    places = view.made_sizes.items()
    return {size: Extent(*place, "vector") if size in vectors else Extent(*place) for size, place in places}
