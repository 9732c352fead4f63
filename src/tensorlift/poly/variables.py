"""Single variables of a domain: their ends, their strides, their constraints; and the convex parts of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.poly import isl
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, NotAffine, affine_of, at_least, equal, parse
from tensorlift.poly.isl import PARAM, TooManyPartsError, checked, set_copy, within_allowance
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Iterable

_FOR_AN_END = 10_000  # operations; each takes longer than those of other questions, and kernels need half of them


def extreme_of(domain: Domain, name: str, *, maximum: bool) -> list[tuple[Domain, Affine]]:
    """Return the greatest or least value of a variable as a function of the others, piece by piece.

    Raises:
        NotAffine: where there is none, where it needs an integer division, or where it takes too long to find.

    """
    end = isl.set_dim_max if maximum else isl.set_dim_min
    try:
        found = within_allowance(end, _with_axis(domain, name), 0, operations=_FOR_AN_END)
    except (TooManyPartsError, isl.IslError):
        raise NotAffine(f"the {'greatest' if maximum else 'least'} {name} of {domain}") from None
    pieces = [(Domain(isl.set_params(where)), value) for where, value in isl.pieces(isl.pw_aff_coalesce(found))]
    return [(where, affine_of(value)) for where, value in pieces]


def stride_of(domain: Domain, name: str) -> tuple[Affine, int] | None:
    """Return offset and step of a variable that takes every ``step``-th value, None where it is every one."""
    if not domain.has_divisions or not domain.mentions(name):
        return None
    step, found = isl.set_stride(_with_axis(domain, name))
    if found is None or step is None or step == 1:
        return None
    offset = Affine(*found)
    return offset + (offset.constant % step - offset.constant), step


def is_single_valued(domain: Domain, name: str) -> bool:
    """Tell whether the other variables leave at most one value for this one."""
    if isl.set_find(domain.address, name) < 0:
        return False
    other = fresh("other")
    return (domain & domain.rename({name: other})).implies(equal(name, other))


def unconstrained(domain: Domain, name: str) -> Domain:
    """Forget every constraint on a variable, with what they imply for others."""
    position = isl.set_find(domain.address, name)
    if position < 0:
        return domain
    return Domain(isl.set_drop_constraints(set_copy(domain.address), PARAM, position, 1)).project_out(name)


def disjoint_parts(domain: Domain) -> Domain:
    """Return the same points with convex parts that do not overlap."""
    result = isl.set_make_disjoint(isl.set_coalesce(set_copy(domain.address)))
    return Domain(isl.set_coalesce(result), domain.zeros)


def without_divisions(domain: Domain) -> Domain:
    """Drop the constraints with integer divisions, as of strides: a superset."""
    return Domain(isl.set_remove_divs(set_copy(domain.address)))


def without_redundancies(domain: Domain) -> Domain:
    """Drop the constraints that others imply."""
    return Domain(isl.set_remove_redundancies(set_copy(domain.address)))


def spelled(domain: Domain, last: Iterable[str]) -> str:
    """Spell the constraints with these variables bounded by the others, as in ``0 <= i < n``."""
    pruned = domain.pruned()
    present = [isl.set_name(pruned.address, p) for p in range(isl.set_dim(pruned.address, PARAM))]
    bounded = [v for v in last if v in present]
    order = [*(v for v in present if v not in bounded), *bounded]
    return str(Domain(isl.set_align(set_copy(pruned.address), order)))


def strided(name: str, lower: Affine, step: Affine | int) -> Domain:
    """Return the points with ``name = lower + step * t`` for a whole ``t``, from zero where the step is no constant.

    Of such a step they are more: all from the second one on.
    """
    if step == 1:
        return UNIVERSE
    if isinstance(step, Affine):
        return Domain.of(equal(name, lower)) | Domain.of(at_least(name, lower + step))
    offset = Affine.var(name) - lower
    count = "t"
    while count in offset.variables:  # a loop variable of the source may have that name
        count += "_"
    return parse(offset.variables, f"exists ({count} : {offset} = {step}*{count})")


def _with_axis(domain: Domain, name: str) -> int:
    """Turn one variable into the only dimension of a set."""
    named = domain if isl.set_find(domain.address, name) >= 0 else domain & parse((name,), f"{name} = {name}")
    lifted = isl.set_from_params(set_copy(named.address))
    return checked(isl.set_move_dims(lifted, isl.SET, 0, PARAM, isl.set_find(lifted, name), 1))
