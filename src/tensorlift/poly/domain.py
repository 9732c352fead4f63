"""Domains: sets of integer points over named variables, decided by isl.

Every variable, bound or free, index or size, is a *named parameter* of a set without dimensions.  Sets then combine by
name, whatever the order of their variables, and an intersection costs about two microseconds.  Binding a variable is
projecting it out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.poly import isl
from tensorlift.poly.affine import ZERO, Affine, affine, solved
from tensorlift.poly.isl import PARAM, checked, set_copy, within_allowance
from tensorlift.poly.names import image
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class NotAffine(Exception):  # noqa: N818 - a property of the set, not a failure of the program
    """Raised where a value needs an integer division that an `Affine` cannot express; the reader says which value."""


class Constraint(NamedTuple):
    """``affine >= 0``, or ``affine == 0`` for an equality."""

    affine: Affine
    is_equality: bool = False

    def substitute(self, values: Mapping[str, Affine]) -> Constraint:
        """Replace variables by expressions."""
        return Constraint(self.affine.substitute(values), self.is_equality)

    def __str__(self) -> str:
        """Spell the constraint with its terms on the sides where they are positive."""
        left = Affine(max(self.affine.constant, 0), {v: c for v, c in self.affine.terms if c > 0})
        right = Affine(max(-self.affine.constant, 0), {v: -c for v, c in self.affine.terms if c < 0})
        return f"{left} == {right}" if self.is_equality else f"{left} >= {right}"


AffineLike = Affine | int | str  # what `affine` turns into an expression


@lru_cache(maxsize=1 << 14)
def at_least(left: AffineLike, right: AffineLike) -> Constraint:
    """``left >= right``."""
    return Constraint(affine(left) - affine(right))


@lru_cache(maxsize=1 << 14)
def less(left: AffineLike, right: AffineLike) -> Constraint:
    """``left < right``."""
    return Constraint(affine(right) - affine(left) - 1)


@lru_cache(maxsize=1 << 14)
def equal(left: AffineLike, right: AffineLike) -> Constraint:
    """``left == right``."""
    return Constraint(affine(left) - affine(right), is_equality=True)


class Domain:
    """A set of assignments of integers to named variables; a variable that is not mentioned is free."""

    __slots__ = ("_empty", "_equalities", "_solution", "_text", "_variables", "address", "zeros")

    def __init__(self, address: int | None, zeros: tuple[Affine, ...] = ()) -> None:
        """Take the address of a set, and expressions that are known to be zero at its points; there may be others."""
        self.address = address or 0
        self.zeros = zeros
        self._solution: Mapping[str, Affine] | None = None
        self._text: str | None = None
        self._empty: bool | None = None
        self._equalities: list[Affine] | None = None
        self._variables: tuple[str, ...] | None = None
        checked(address)

    def __del__(self, free: Callable[[int], object] = isl.set_free) -> None:
        """Give the set back; the function is at hand when modules are gone, too."""
        free(self.address)

    # -- building

    @staticmethod
    def of(*constraints: Constraint) -> Domain:
        """Return the points that satisfy every constraint."""
        return _of(constraints)

    @staticmethod
    def box(indices: Iterable[AffineLike], shape: Iterable[Affine]) -> Domain:
        """Return the points with ``0 <= index < extent`` for each index."""
        return _box(tuple(indices), tuple(shape))

    @staticmethod
    def read(text: str) -> Domain:
        """Read a set as isl writes it, and as `text` gives it.

        Raises:
            IslError: where it is none.

        """
        return Domain(isl.read_set(text))

    @staticmethod
    def union(domains: Iterable[Domain]) -> Domain:
        """Return the points of any of the domains."""
        result = EMPTY
        for domain in domains:
            result = result | domain
        return result

    # -- set algebra

    def __and__(self, other: Domain) -> Domain:
        """Intersect."""
        if self is UNIVERSE:
            return other
        if other is UNIVERSE or other is self:
            return self
        return _met(self, other)

    def __or__(self, other: Domain) -> Domain:
        """Unite."""
        if self is EMPTY:
            return other
        return self if other is EMPTY else Domain(isl.set_union(set_copy(self.address), set_copy(other.address)))

    def __sub__(self, other: Domain) -> Domain:
        """Subtract."""
        if other is EMPTY:
            return self
        rest = within_allowance(isl.set_subtract, set_copy(self.address), set_copy(other.address))
        return Domain(rest, self.zeros)

    def complement(self) -> Domain:
        """Return every point that is not in the domain."""
        return UNIVERSE - self

    def is_empty(self) -> bool:
        """Tell whether there is no point for any values of the variables."""
        if self._empty is None:
            self._empty = isl.set_is_empty(self.address)
        return self._empty

    def is_subset(self, other: Domain) -> bool:
        """Tell whether every point is in the other domain."""
        return other is UNIVERSE or self is other or _lies_in(self, other)

    def is_disjoint(self, other: Domain) -> bool:
        """Tell whether no point is in both domains."""
        return bool(isl.set_is_disjoint(self.address, other.address))

    def is_equal(self, other: Domain) -> bool:
        """Tell whether both domains have the same points."""
        return self is other or bool(within_allowance(isl.set_is_equal, self.address, other.address))

    def at(self, values: Mapping[str, int]) -> Domain:
        """Return the points with these values for these variables."""
        result = set_copy(self.address)
        for name, value in values.items():
            position = self._position(name)
            if position >= 0:
                result = isl.set_fix(result, position, value)
        return Domain(result)

    def implies(self, *constraints: Constraint) -> bool:
        """Tell whether every point satisfies every constraint."""
        left = [c for c in constraints if not (c.is_equality and self.vanishes(c.affine))]
        return not left or self.is_subset(Domain.of(*left))

    def vanishes(self, expression: Affine) -> bool:
        """Tell whether the equalities that the domain was built from make an expression zero at every point."""
        return self.reduced(expression) == ZERO

    def reduced(self, expression: Affine) -> Affine:
        """Put in the values of variables that the equalities give from which the domain was built."""
        if self._solution is None:
            self._solution = solved(self.zeros)
        return expression.substitute(self._solution)

    # -- simplification

    def coalesce(self) -> Domain:
        """Merge convex parts where that loses nothing."""
        return self if self.size == 1 else Domain(isl.set_coalesce(set_copy(self.address)), self.zeros)

    def gist(self, context: Domain) -> Domain:
        """Drop what the context says already; the result means the same only inside the context."""
        if context is UNIVERSE:
            return self
        return Domain(isl.set_gist(set_copy(self.address), set_copy(context.address))).pruned()

    def pruned(self) -> Domain:
        """Forget the names of variables that no constraint mentions."""
        idle = [p for p in range(isl.set_dim(self.address, PARAM)) if not isl.set_involves(self.address, PARAM, p, 1)]
        if not idle:
            return self
        result = set_copy(self.address)
        for position in reversed(idle):
            result = isl.set_project_out(result, PARAM, position, 1)
        return Domain(result, self.zeros)

    def plain(self) -> Domain:
        """Return the same points without integer divisions, where these say nothing."""
        plain = Domain(isl.set_remove_divs(set_copy(self.address)), self.zeros)
        return plain if plain.is_equal(self) else self

    # -- variables

    def _position(self, name: str) -> int:
        return isl.set_find(self.address, name)

    def variables(self) -> tuple[str, ...]:
        """Return the variables that a constraint mentions."""
        if self._variables is None:
            s = self.address
            mentioned = (p for p in range(isl.set_dim(s, PARAM)) if isl.set_involves(s, PARAM, p, 1))
            self._variables = tuple([isl.set_name(s, p) for p in mentioned])
        return self._variables

    def mentions(self, name: str) -> bool:
        """Tell whether a constraint mentions the variable."""
        position = self._position(name)
        return position >= 0 and bool(isl.set_involves(self.address, PARAM, position, 1))

    def project_out(self, *names: str) -> Domain:
        """Bind variables: the points for which some value of each makes a point of this domain."""
        present = [name for name in dict.fromkeys(names) if self._position(name) >= 0]
        if not present:
            return self
        result = set_copy(self.address)
        for name in present:
            result = isl.set_project_out(result, PARAM, isl.set_find(result, name), 1)
        return Domain(result, tuple(zero for zero in self.zeros if not zero.mentions(names)))

    def rename(self, names: Mapping[str, str]) -> Domain:
        """Give variables other names, which must be new to the domain."""
        positions = [(position, new) for old, new in names.items() if (position := self._position(old)) >= 0]
        if not positions:
            return self
        result = set_copy(self.address)
        for position, new in positions:
            result = isl.set_rename(result, position, new)
        variables = {old: Affine.var(new) for old, new in names.items()} if self.zeros else {}
        return Domain(result, tuple(zero.substitute(variables) for zero in self.zeros))

    def substitute(self, values: Mapping[str, Affine]) -> Domain:
        """Replace variables by expressions, all at once: the points whose image lies in the domain."""
        key = (id(self), *values.items())
        found = _IMAGES.get(key)
        if found is None:
            if len(_IMAGES) == _MOST_IMAGES:
                _IMAGES.clear()
            found = _IMAGES[key] = (self, _substituted(self, values))  # with the domain, so that its identity stays
        return found[1]

    # -- reading constraints back

    def conjuncts(self) -> list[list[Constraint]]:
        """Return the convex parts as lists of constraints.

        Raises:
            NotAffine: where a part needs an integer division.

        """
        found = [isl.constraints_of(part) for part in isl.basic_sets(self.address)]
        return [[_constraint(row) for row in rows] for rows in found]

    @property
    def size(self) -> int:
        """The number of convex parts: domains are compared part by part."""
        return int(isl.set_size(self.address))

    def parts(self) -> list[Domain]:
        """Return the convex parts as domains."""
        if self.size == 1:
            return [self]
        return [Domain(isl.set_from_basic_set(part), self.zeros) for part in isl.basic_sets(self.address)]

    def equalities(self) -> list[Affine]:
        """Return expressions that are zero on every point: those of the affine hull, without its strides."""
        if self._equalities is None:
            hull = isl.basic_set_remove_divs(isl.set_affine_hull(set_copy(self.address)))
            found = map(_constraint, isl.constraints_of(checked(hull)))
            self._equalities = [c.affine for c in found if c.is_equality]
        return self._equalities

    @property
    def has_divisions(self) -> bool:
        """Whether a convex part needs an integer division, as a stride does."""
        return isl.set_has_divisions(self.address)

    # -- identity

    @property
    def text(self) -> str:
        """The set as isl writes it now, and as `read` reads it."""
        return isl.set_text(self.address)

    @property
    def _key(self) -> str:
        """The text at first: isl may drop constraints later, that others imply."""
        if self._text is None:
            self._text = self.text
        return self._text

    def __eq__(self, other: object) -> bool:
        """Compare by text: what is equal has the same points, not the other way round; `is_equal` decides."""
        return self is other or (isinstance(other, Domain) and self._key == other._key)

    def __hash__(self) -> int:
        """Hash by text: a hash by isl would reorder the set's constraints in place."""
        return hash(self._text or self._key)

    def __str__(self) -> str:
        """Spell the constraints, ``true`` where there are none."""
        if self is UNIVERSE:
            return "true"
        text = self.pruned().text
        return text[text.index("{") + 1 : text.rindex("}")].strip().removeprefix(":").strip() or "true"

    def __repr__(self) -> str:
        """Show the spelling."""
        return f"Domain({self})"


def parse(variables: Iterable[str], condition: str) -> Domain:
    """Read a condition in isl's notation over some variables."""
    return Domain.read(f"[{', '.join(variables)}] -> {{ : {condition} }}")


def parse_domain(text: str) -> Domain:
    """Read a domain as it is spelled: constraints in isl's notation over variables by their names."""
    names = dict.fromkeys(n for n in re.findall(r"[A-Za-z_]\w*", text) if n not in _ISL_WORDS)
    bound = re.findall(r"exists\s*\(?\s*([^:]*):", text)
    for name in (n for group in bound for n in re.findall(r"[A-Za-z_]\w*", group.split("=")[0])):
        names.pop(name, None)
    return parse(names, text)


_ISL_WORDS = frozenset({"and", "or", "not", "implies", "exists", "mod", "floor", "true", "false"})
UNIVERSE = parse((), "true")
EMPTY = parse((), "false")
_MOST_IMAGES = 1 << 12
_IMAGES: dict[tuple[object, ...], tuple[Domain, Domain]] = SESSION.table()


def _substituted(domain: Domain, values: Mapping[str, Affine]) -> Domain:
    present = {name: value for name, value in values.items() if isl.set_find(domain.address, name) >= 0}
    if not present:
        return domain
    if all(value.variable and isl.set_find(domain.address, value.variable) < 0 for value in present.values()):
        names = {name: str(value.variable) for name, value in present.items()}
        if len(set(names.values())) == len(names):
            return domain.rename(names)
    # The names of the images are always the same ones, so that the set below is often in the cache.
    images = {name: image(f"v{position}") for position, name in enumerate(present)}
    graph = Domain.of(*(equal(images[name], value) for name, value in present.items()))
    result = set_copy(domain.address)
    for old, new in images.items():
        result = isl.set_rename(result, isl.set_find(result, old), new)
    result = checked(isl.set_intersect(result, set_copy(graph.address)))
    for name in images.values():
        result = isl.set_project_out(result, PARAM, isl.set_find(result, name), 1)
    return Domain(result, tuple(zero.substitute(present) for zero in domain.zeros))


@SESSION.cached_by_identity
def _met(left: Domain, right: Domain) -> Domain:
    zeros = left.zeros
    if right.zeros:
        zeros += tuple(zero for zero in right.zeros if zero not in zeros)
    return Domain(isl.set_intersect(set_copy(left.address), set_copy(right.address)), zeros)


@SESSION.cached_by_identity
def _lies_in(left: Domain, right: Domain) -> bool:
    return bool(within_allowance(isl.set_is_subset, left.address, right.address))


@SESSION.cached
def _box(indices: tuple[AffineLike, ...], shape: tuple[Affine, ...]) -> Domain:
    bounds = []
    for index, extent in zip(indices, shape, strict=True):
        bounds += [at_least(index, 0), less(index, extent)]
    return Domain.of(*bounds)


@SESSION.cached
def _of(constraints: tuple[Constraint, ...]) -> Domain:
    """Give a set that was built before from constraints of the same shape the names of these."""
    if not constraints:
        return UNIVERSE
    names = dict.fromkeys(v for c in constraints for v in c.affine.variables)
    positions = {name: position for position, name in enumerate(names)}
    shaped = _shaped(
        len(names),
        tuple(
            (c.is_equality, c.affine.constant, tuple((positions[v], k) for v, k in c.affine.terms)) for c in constraints
        ),
    )
    result = set_copy(shaped.address)
    for position, name in enumerate(names):
        result = isl.set_rename(result, position, name)
    return Domain(result, tuple(constraint.affine for constraint in constraints if constraint.is_equality))


@lru_cache(maxsize=1 << 15)
def _shaped(variables: int, constraints: tuple[tuple[bool, int, isl.Terms], ...]) -> Domain:
    return Domain(isl.set_of([f"v{position}" for position in range(variables)], constraints))


def affine_of(found: isl.Linear | None) -> Affine:
    """Return an expression as isl gives it; raises NotAffine where it gives none."""
    if found is None:
        raise NotAffine
    return Affine(*found)


def _constraint(row: tuple[bool, isl.Linear | None]) -> Constraint:
    return Constraint(affine_of(row[1]), row[0])
