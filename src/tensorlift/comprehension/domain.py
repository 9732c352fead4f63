"""Domains: sets of integer points over named variables, decided by isl.

Every variable, bound or free, index or size, is a *named parameter* of a set without dimensions.  Sets then combine by
name, whatever the order of their variables, and an intersection costs about two microseconds.  Binding a variable is
projecting it out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import islpy as isl

from tensorlift.comprehension.affine import ZERO, Affine, affine, solved
from tensorlift.comprehension.allowance import TooManyPartsError, within_allowance
from tensorlift.comprehension.names import fresh, image
from tensorlift.comprehension.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FOR_AN_END = 10_000  # operations; each takes longer than those of other questions, and kernels need half of them
_PARAM = isl.dim_type.param
_CHUNK = 4  # bytes
_TOO_LARGE = 1 << 63  # isl takes larger integers as text alone


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

    __slots__ = ("_empty", "_equalities", "_solution", "_text", "isl", "zeros")

    def __init__(self, isl_set: isl.Set, zeros: tuple[Affine, ...] = ()) -> None:
        """Take a set, and expressions that are known to be zero at its points; there may be others."""
        self.isl = isl_set
        self.zeros = zeros
        self._solution: Mapping[str, Affine] | None = None
        self._text: str | None = None
        self._empty: bool | None = None
        self._equalities: list[Affine] | None = None

    # -- building

    @staticmethod
    def of(*constraints: Constraint) -> Domain:
        """Return the points that satisfy every constraint."""
        return _of(constraints)

    @staticmethod
    def box(indices: Iterable[str], shape: Iterable[Affine]) -> Domain:
        """Return the points with ``0 <= index < extent`` for each index."""
        return _box(tuple(indices), tuple(shape))

    @staticmethod
    def strided(name: str, lower: Affine, step: int) -> Domain:
        """Return the points with ``name = lower + step * t`` for an integer ``t``."""
        if step == 1:
            return UNIVERSE
        offset = Affine.var(name) - lower
        count = "t"
        while count in offset.variables:  # a loop variable of the source may have that name
            count += "_"
        return _parse(offset.variables, f"exists ({count} : {offset} = {step}*{count})")

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
        return self if other is EMPTY else Domain(self.isl.union(other.isl))

    def __sub__(self, other: Domain) -> Domain:
        """Subtract."""
        return self if other is EMPTY else Domain(within_allowance(isl.Set.subtract, self.isl, other.isl), self.zeros)

    def complement(self) -> Domain:
        """Return every point that is not in the domain."""
        return UNIVERSE - self

    def is_empty(self) -> bool:
        """Tell whether there is no point for any values of the variables."""
        if self._empty is None:
            self._empty = self.isl.is_empty()
        return self._empty

    def is_subset(self, other: Domain) -> bool:
        """Tell whether every point is in the other domain."""
        return other is UNIVERSE or self is other or _lies_in(self, other)

    def is_disjoint(self, other: Domain) -> bool:
        """Tell whether no point is in both domains."""
        return self.isl.is_disjoint(other.isl)

    def is_equal(self, other: Domain) -> bool:
        """Tell whether both domains have the same points."""
        return self is other or within_allowance(isl.Set.is_equal, self.isl, other.isl)

    def at(self, values: Mapping[str, int]) -> Domain:
        """Return the points with these values for these variables."""
        result = self.isl
        for name, value in values.items():
            position = result.find_dim_by_name(_PARAM, name)
            if position >= 0:
                result = result.fix_val(_PARAM, position, _value(value))
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
        return self if self.size == 1 else Domain(self.isl.coalesce(), self.zeros)

    def gist(self, context: Domain) -> Domain:
        """Drop what the context says already; the result means the same only inside the context."""
        if context is UNIVERSE:
            return self
        return Domain(self.isl.gist(context.isl)).pruned()

    def pruned(self) -> Domain:
        """Forget the names of variables that no constraint mentions."""
        result = self.isl
        for position in reversed(range(result.dim(_PARAM))):
            if not result.involves_dims(_PARAM, position, 1):
                result = result.project_out(_PARAM, position, 1)
        return self if result is self.isl else Domain(result, self.zeros)

    def disjoint(self) -> Domain:
        """Return the same points with convex parts that do not overlap."""
        return Domain(self.isl.coalesce().make_disjoint().coalesce(), self.zeros)

    # -- variables

    def _position(self, name: str) -> int:
        return int(self.isl.find_dim_by_name(_PARAM, name))

    def variables(self) -> tuple[str, ...]:
        """Return the variables that a constraint mentions."""
        s = self.isl
        return tuple(_name(s, i) for i in range(s.dim(_PARAM)) if s.involves_dims(_PARAM, i, 1))

    def mentions(self, name: str) -> bool:
        """Tell whether a constraint mentions the variable."""
        position = self._position(name)
        return position >= 0 and bool(self.isl.involves_dims(_PARAM, position, 1))

    def project_out(self, *names: str) -> Domain:
        """Bind variables: the points for which some value of each makes a point of this domain."""
        result = self.isl
        for name in names:
            position = result.find_dim_by_name(_PARAM, name)
            if position >= 0:
                result = result.project_out(_PARAM, position, 1)
        if result is self.isl:
            return self
        return Domain(result, tuple(zero for zero in self.zeros if not zero.mentions(names)))

    def drop(self, name: str) -> Domain:
        """Forget every constraint on a variable, with what they imply for others."""
        position = self._position(name)
        if position < 0:
            return self
        return Domain(self.isl.drop_constraints_involving_dims(_PARAM, position, 1)).project_out(name)

    def rename(self, names: Mapping[str, str]) -> Domain:
        """Give variables other names, which must be new to the domain."""
        result = self.isl
        for old, new in names.items():
            position = result.find_dim_by_name(_PARAM, old)
            if position >= 0:
                result = result.set_dim_name(_PARAM, position, new)
        if result is self.isl:
            return self
        variables = {old: Affine.var(new) for old, new in names.items()} if self.zeros else {}
        return Domain(result, tuple(zero.substitute(variables) for zero in self.zeros))

    def substitute(self, values: Mapping[str, Affine]) -> Domain:
        """Replace variables by expressions, all at once: the points whose image lies in the domain."""
        present = {name: value for name, value in values.items() if self._position(name) >= 0}
        if not present:
            return self
        if all(value.variable and self._position(value.variable) < 0 for value in present.values()):
            names = {name: str(value.variable) for name, value in present.items()}
            if len(set(names.values())) == len(names):
                return self.rename(names)
        # The names of the images are always the same ones, so that the set below is often in the cache.
        images = {name: image(f"v{position}") for position, name in enumerate(present)}
        result = self.rename(images)
        result = result & Domain.of(*(equal(images[name], value) for name, value in present.items()))
        zeros = tuple(zero.substitute(present) for zero in self.zeros)
        return Domain(result.project_out(*images.values()).isl, zeros)

    # -- reading constraints back

    def conjuncts(self) -> list[list[Constraint]]:
        """Return the convex parts as lists of constraints.

        Raises:
            NotAffine: where a part needs an integer division.

        """
        return [_constraints(part) for part in self.isl.get_basic_sets()]

    @property
    def size(self) -> int:
        """The number of convex parts: domains are compared part by part."""
        return int(self.isl.n_basic_set())

    def parts(self) -> list[Domain]:
        """Return the convex parts as domains."""
        parts = self.isl.get_basic_sets()
        return [self] if len(parts) == 1 else [Domain(isl.Set.from_basic_set(part), self.zeros) for part in parts]

    def equalities(self) -> list[Affine]:
        """Return expressions that are zero on every point: those of the affine hull, without its strides."""
        if self._equalities is None:
            hull = self.isl.affine_hull().remove_divs()
            self._equalities = [c.affine for c in _constraints(hull) if c.is_equality]
        return self._equalities

    def extreme(self, name: str, *, maximum: bool) -> list[tuple[Domain, Affine]]:
        """Return the greatest or least value of a variable as a function of the others, piece by piece.

        Raises:
            NotAffine: where there is none, where it needs an integer division, or where it takes too long to find.

        """
        end = isl.Set.dim_max if maximum else isl.Set.dim_min
        try:
            found = within_allowance(lambda axis: end(axis, 0), self._with_axis(name), operations=_FOR_AN_END)
        except (TooManyPartsError, isl.Error):
            raise NotAffine(f"the {'greatest' if maximum else 'least'} {name} of {self}") from None
        return [(Domain(piece.params()), _affine_of(value)) for piece, value in found.coalesce().get_pieces()]

    def _with_axis(self, name: str) -> isl.Set:
        """Turn one variable into the only dimension of the set."""
        named = self.isl
        if self._position(name) < 0:
            named = named.intersect(_parse((name,), f"{name} = {name}").isl)
        lifted = named.from_params()
        return lifted.move_dims(isl.dim_type.set, 0, _PARAM, lifted.find_dim_by_name(_PARAM, name), 1)

    @property
    def has_divisions(self) -> bool:
        """Whether a convex part needs an integer division, as a stride does."""
        return any(part.dim(isl.dim_type.div) for part in self.isl.get_basic_sets())

    def stride(self, name: str) -> tuple[Affine, int] | None:
        """Return offset and step of a variable that takes every ``step``-th value, None where it is every one."""
        if not self.has_divisions or not self.mentions(name):
            return None
        found = self._with_axis(name).get_stride_info(0)
        step = found.get_stride().to_python()
        try:
            offset = _affine_of(found.get_offset())
        except NotAffine:
            return None
        return None if step == 1 else (offset + (offset.constant % step - offset.constant), step)

    def is_single_valued(self, name: str) -> bool:
        """Tell whether the other variables leave at most one value for this one."""
        if self._position(name) < 0:
            return False
        other = fresh("other")
        return (self & self.rename({name: other})).implies(equal(name, other))

    # -- identity

    @property
    def _key(self) -> str:
        """The text of the set: a hash by isl would reorder the set's constraints in place."""
        if self._text is None:
            self._text = self.isl.to_str()
        return self._text

    def __eq__(self, other: object) -> bool:
        """Compare by text: what is equal has the same points, not the other way round; `is_equal` decides."""
        return self is other or (isinstance(other, Domain) and self._key == other._key)

    def __hash__(self) -> int:
        """Hash by text."""
        return hash(self._key)

    def spelled(self, last: Iterable[str]) -> str:
        """Spell the constraints with these variables bounded by the others, as in ``0 <= i < n``."""
        pruned = self.pruned().isl
        present = [str(pruned.get_dim_name(_PARAM, p)) for p in range(pruned.dim(_PARAM))]
        bounded = [v for v in last if v in present]
        order = [*(v for v in present if v not in bounded), *bounded]
        space = isl.Space.params_alloc(isl.DEFAULT_CONTEXT, len(order))
        for position, name in enumerate(order):
            space = space.set_dim_name(_PARAM, position, name)
        return str(Domain(pruned.align_params(space)))

    def __str__(self) -> str:
        """Spell the constraints, ``true`` where there are none."""
        text = self.pruned().isl.to_str()
        return text[text.index("{") + 1 : text.rindex("}")].strip().removeprefix(":").strip() or "true"

    def __repr__(self) -> str:
        """Show the spelling."""
        return f"Domain({self})"


def _parse(variables: Iterable[str], condition: str) -> Domain:
    return Domain(isl.Set(f"[{', '.join(variables)}] -> {{ : {condition} }}"))


def parse_domain(text: str) -> Domain:
    """Read a domain as it is spelled: constraints in isl's notation over variables by their names."""
    names = dict.fromkeys(n for n in re.findall(r"[A-Za-z_]\w*", text) if n not in _ISL_WORDS)
    bound = re.findall(r"exists\s*\(?\s*([^:]*):", text)
    for name in (n for group in bound for n in re.findall(r"[A-Za-z_]\w*", group.split("=")[0])):
        names.pop(name, None)
    return _parse(names, text)


_ISL_WORDS = frozenset({"and", "or", "not", "implies", "exists", "mod", "floor", "true", "false"})
UNIVERSE = _parse((), "true")
EMPTY = _parse((), "false")


@SESSION.cached_by_identity
def _met(left: Domain, right: Domain) -> Domain:
    zeros = left.zeros
    if right.zeros:
        zeros += tuple(zero for zero in right.zeros if zero not in zeros)
    return Domain(left.isl.intersect(right.isl), zeros)


@SESSION.cached_by_identity
def _lies_in(left: Domain, right: Domain) -> bool:
    return within_allowance(isl.Set.is_subset, left.isl, right.isl)


@SESSION.cached
def _box(indices: tuple[str, ...], shape: tuple[Affine, ...]) -> Domain:
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
    result = _shaped(
        len(names),
        tuple(
            (c.is_equality, c.affine.constant, tuple((positions[v], k) for v, k in c.affine.terms)) for c in constraints
        ),
    )
    for position, name in enumerate(names):
        result = result.set_dim_name(_PARAM, position, name)
    return Domain(result, tuple(constraint.affine for constraint in constraints if constraint.is_equality))


_Shape = tuple[bool, int, tuple[tuple[int, int], ...]]  # an equality?, the constant, positions and coefficients


@lru_cache(maxsize=1 << 15)
def _shaped(variables: int, constraints: tuple[_Shape, ...]) -> isl.Set:
    """Build a set from constraints, one by one: parsing their text takes isl several times as long."""
    space = isl.Space.params_alloc(isl.DEFAULT_CONTEXT, variables)
    for position in range(variables):
        space = space.set_dim_name(_PARAM, position, f"v{position}")
    zero = isl.Aff.zero_on_domain_space(space)
    result = isl.BasicSet.universe(space)
    for is_equality, constant, terms in constraints:
        aff = zero.set_constant_val(_value(constant)) if constant else zero
        for position, coefficient in terms:
            aff = aff.set_coefficient_val(_PARAM, position, _value(coefficient))
        build = isl.Constraint.equality_from_aff if is_equality else isl.Constraint.inequality_from_aff
        result = result.add_constraint(build(aff))
    return isl.Set.from_basic_set(result)


@lru_cache(maxsize=1 << 10)
def _value(number: int) -> isl.Val:
    return isl.Val(number if -_TOO_LARGE <= number < _TOO_LARGE else str(number))


def _name(holder: isl.Set | isl.Aff, position: int) -> str:
    """Return the name of a parameter; here each has one."""
    return str(holder.get_dim_name(_PARAM, position))


def _integer(value: isl.Val) -> int:
    if not value.is_int():
        raise NotAffine
    is_small = value.n_abs_num_chunks(_CHUNK) <= 1  # a number that does not fit would be cut off
    return int(value.get_num_si() if is_small else value.to_python())


def _affine_of(expression: isl.Aff) -> Affine:
    if expression.dim(isl.dim_type.div):
        raise NotAffine
    terms = {}
    for position in range(expression.dim(_PARAM)):
        coefficient = _integer(expression.get_coefficient_val(_PARAM, position))
        if coefficient:
            terms[_name(expression, position)] = coefficient
    return Affine(_integer(expression.get_constant_val()), terms)


def _constraints(part: isl.BasicSet) -> list[Constraint]:
    found = []
    for constraint in part.get_constraints():
        if constraint.dim(isl.dim_type.div):
            raise NotAffine
        found.append(Constraint(_affine_of(constraint.get_aff()), bool(constraint.is_equality())))
    return found
