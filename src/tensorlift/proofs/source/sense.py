"""Whether claims say anything: that names mean one thing each, that bounds stand still, that memories are apart.

The symbolic execution tells variables, arrays and values by their names.  A claim may not name anew what has a name.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import ArrayInfo, DerivedSize, Item, KeptLoop, Summary
from tensorlift.comprehension.ranges import in_range
from tensorlift.comprehension.rewrite import Descend, rebuild_inside, transform, walk
from tensorlift.comprehension.terms import Piecewise, Reduce, Term
from tensorlift.ir.function import ROW
from tensorlift.ops.dtypes import SIGNED, UNSIGNED, DType
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.poly.names import formals, reserve
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.poly.variables import strided
from tensorlift.proofs.source.claims import Advance, Claims, LoopClaim
from tensorlift.proofs.source.integers import Exact, is_room
from tensorlift.proofs.source.operations import Undecided, Value, element_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from xdsl.ir import Attribute


def known_names(summary: Summary) -> frozenset[str]:
    """Return the names that integers have everywhere: those of sizes, and of quotients of them."""
    return frozenset(summary.sizes) | {size.name for size in summary.derived}


def cell_names(summary: Summary) -> frozenset[str]:
    """Return the variables that stand for the subscripts of cells."""
    return frozenset(name for array, info in summary.all_arrays().items() for name in formals(array, len(info.shape)))


def keep_names(summary: Summary, claims: Claims) -> None:
    """Keep the names that claims use out of the supply of new ones."""
    reserve(known_names(summary) | cell_names(summary))
    for outermost in claims.loops.values():
        claim: LoopClaim | None = outermost
        while claim is not None:
            reserve({claim.variable, *(name for pieces in claim.states.values() for name in _names(pieces))})
            claim = claim.inner


def _names(pieces: list[tuple[Domain, Term]]) -> Iterator[str]:
    for domain, term in pieces:
        yield from domain.variables()
        yield from term.free
        for node in walk(term):
            if isinstance(node, Reduce):
                yield from node.bound


def require_whole(summary: Summary) -> None:
    """Show that each definition has the type and the shape of its array, and says what all cells of that are.

    Raises:
        Undecided: where that is not so.

    """
    arrays, names = summary.all_arrays(), [definition.name for definition in summary.definitions()]
    if len({*names, *arrays}) < len(names) + len(arrays):
        raise Undecided("definitions have names that are not names of their own")
    _require_items(summary.items, summary.context, arrays)
    _require_order(summary.items, {*arrays})


def _require_order(items: Sequence[Item], known: set[str]) -> None:
    """Show that definitions read what is defined before them alone: ``known``, which grows."""
    for item in items:
        if isinstance(item, KeptLoop):
            inside = known | {carried.name for carried in item.carried}
            read = {carried.before for carried in item.carried} - known
            _require_order(item.body, inside)
            read |= {carried.after for carried in item.carried} - inside
            known |= {carried.name for carried in item.carried}
        else:
            read = {name for _, term in item.pieces for name in term.reads} - known
            known.add(item.name)
        if read:
            raise Undecided(f"{min(read)} is read before it is defined")


def _require_items(items: Sequence[Item], context: Domain, arrays: Mapping[str, ArrayInfo]) -> None:
    for item in items:
        if isinstance(item, KeptLoop):
            steps = strided(item.variable, item.lower, item.step) if item.step > 1 else UNIVERSE
            bounds = Domain.of(at_least(item.variable, item.lower), less(item.variable, item.upper))
            inside = context & bounds & steps
            if not inside.is_subset(item.domain):
                raise Undecided("a loop of the definitions leaves out iterations")
            _require_items(item.body, inside, arrays)
            continue
        info = arrays.get(item.array)
        if info is None:
            raise Undecided(f"{item.name} is of no array")
        if (item.dtype, item.shape, item.indices) != (info.dtype, info.shape, formals(item.array, len(info.shape))):
            raise Undecided(f"{item.name} has not the type, the shape and the subscripts of {item.array}")
        cells = context & Domain.box(item.indices, item.shape)
        pieces = [(cells & piece, term) for piece, term in item.pieces]
        if not (cells.is_subset(item.domain) and cells.is_subset(Domain.union(piece for piece, _ in pieces))):
            raise Undecided(f"{item.name} does not say what all cells of {item.array} are")
        _require_disjoint([piece for piece, _ in pieces])
        for piece, term in pieces:
            _require_whole(term, piece)


def require_sense(claim: LoopClaim, known: AbstractSet[str], cells: AbstractSet[str], context: Domain) -> None:
    """Show that the variable of a loop is a new one that goes up, and that bounds and steps are made of ``known`` ones.

    Raises:
        Undecided: where that is not so.

    """
    if not (claim.lower and claim.upper and context.implies(at_least(claim.step, 1))) or claim.lower[1:]:
        raise Undecided("the claim of a loop has no bounds, or does not go up")
    if not claim.variable.isidentifier() or claim.variable in known | cells:
        raise Undecided(f"{claim.variable} has another meaning")
    bounds = (*claim.lower, affine(claim.step))
    if claim.item is None or claim.item.goes_on is None:
        bounds += claim.upper
    elif claim.upper[0].variable is None or claim.upper[0].variable in known | cells | {claim.variable}:
        raise Undecided("the number of iterations has another meaning")
    used = {name for bound in bounds for name in bound.variables}
    used |= {name for phi in claim.phis if isinstance(phi, Advance) for name in phi.variables()}
    if not used <= known:
        raise Undecided("a bound or a step depends on more than is known where the loop is entered")
    names = [phi for phi in claim.phis if isinstance(phi, str)]
    if len({*names}) < len(names) or any(" " in name or name.startswith("%") for name in names):
        raise Undecided("the names of values that a loop hands on are not names of their own")
    for pieces in claim.states.values():
        _require_disjoint([domain for domain, _ in pieces])
        for domain, term in pieces:
            _require_whole(term, domain)
            _require_new_bounds(term, known | cells | {claim.variable, *domain.variables()} | term.free)


def _require_disjoint(domains: Sequence[Domain]) -> None:
    """Show that not two pieces say what one cell is."""
    if any(not one.is_disjoint(other) for one, other in combinations(domains, 2)):
        raise Undecided("it is said twice what a cell is")


def _require_whole(term: Term, domain: Domain) -> None:
    """Show that what a term is by pieces, it is by one piece wherever it is used."""

    def rule(node: Term, where: Domain, descend: Descend) -> Term:
        if isinstance(node, Piecewise):
            parts = [where & piece for piece, _ in node.pieces]
            _require_disjoint(parts)
            if not where.is_subset(Domain.union(parts)):
                raise Undecided("it is not said what a cell is")
        return rebuild_inside(node, where, descend) if node.has_domains else node

    transform(term, domain, rule)


def _require_new_bounds(term: Term, taken: AbstractSet[str]) -> None:
    """Show that no reduction binds a variable that means something else where it stands."""
    folds = [node for node in walk(term) if isinstance(node, Reduce)]
    for fold in folds:
        inner = (other for other in walk(fold.body) if isinstance(other, Reduce))
        if not taken.isdisjoint(fold.bound) or any(not {*fold.bound}.isdisjoint(other.bound) for other in inner):
            raise Undecided("a reduction binds a variable that has another meaning")


def are_bits_of(machine: DType, dtype: DType) -> bool:
    """Tell whether a type of the IR, which has no signs, holds the bits of another; a truth value may be a byte."""
    if "bool" in (machine, dtype):
        return dtype == "bool" and machine in ("bool", "i8")
    return machine == dtype or (machine[0] == "i" and dtype[0] == "u" and machine[1:] == dtype[1:])


def named_number(name: str, of_type: Attribute, summary: Summary) -> Value:
    """Return what a parameter of the definitions is in an integer or float of a type.

    Raises:
        Undecided: where it has another type in the definitions, or no meaning.

    """
    dtype = element_type(of_type)
    if name in summary.scalars and are_bits_of(dtype, summary.scalars[name]):
        return terms.scalar(name, summary.scalars[name])
    if name in summary.sizes and dtype[0] == "i":
        variable, is_unsigned = Affine.var(name), summary.is_unsigned(name)
        if summary.ranges.implies(*in_range(variable, UNSIGNED[SIGNED.index(dtype)] if is_unsigned else dtype)):
            return Exact(Polynomial.variable(name), is_signed=dtype == "i64" or not is_unsigned)
    raise Undecided(f"{name} has no meaning in the definitions, or one of another type")


def are_apart(
    strides: Sequence[Polynomial], shape: Sequence[Affine], context: Domain, derived: Sequence[DerivedSize]
) -> bool:
    """Tell whether no two cells of an array have one place: each row ends before the next one begins.

    The rows of a table are apart wherever they are (`places`).
    """
    ends = [stride * Polynomial.of(extent) for stride, extent in zip(strides[1:], shape[1:], strict=True)]
    for stride, end in zip(strides, [*ends, ONE], strict=False):
        if any(name.endswith(ROW) for name in stride.variables()):
            continue
        if stride != end and not is_room(stride - end, context, derived):
            return False
    return True
