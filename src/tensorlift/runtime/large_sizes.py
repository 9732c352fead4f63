"""Sizes to run and measure at: those that the user gives, checked, or sizes that make arrays of a wanted size."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import sized
from tensorlift.contract.decide import holds
from tensorlift.contract.language import AnyOf, Compare, Condition, atoms_of
from tensorlift.diagnostics import Location, refuse
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.variables import extreme_of
from tensorlift.runtime.backends import instead
from tensorlift.runtime.sizes import is_possible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tensorlift.comprehension.definition import DerivedSize
    from tensorlift.ir.function import FunctionView, Parameter

    Sizes = dict[str, int]

_SIZE = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>\d+)\s*")
_LITTLE = 8  # of sizes that shape no array, such as a number of steps, or that make one smaller, as a window does
_MOST = 1 << 28


def parse_sizes(texts: Sequence[str]) -> Sizes:
    """Read ``N=100,M=200``; raises LiftError TL631 for anything else."""
    sizes: Sizes = {}
    for part in (part for text in texts for part in text.split(",") if part.strip()):
        found = _SIZE.fullmatch(part)
        if found is None:
            raise refuse("TL631", f"'{part.strip()}' is no size", remedy="write sizes as N=100,M=200")
        if sizes.setdefault(found["name"], int(found["value"])) != int(found["value"]):
            raise refuse("TL631", f"the size '{found['name']}' is given twice", remedy="give each size once")
    return sizes


def check_sizes(
    view: FunctionView, given: Mapping[str, int], domain: Domain, conditions: Iterable[tuple[Condition | None, str]]
) -> Sizes:
    """Give the sizes of a function in its order.

    ``domain`` holds the sizes at which the source is defined, ``conditions`` are its preconditions, with their texts.
    Extents that the source does not name are as small as the given sizes allow, and not zero where none is given.
    Raises LiftError TL631 for a size that the function does not have, TL632 for one that is missing, TL633 where they
    break a precondition, or no array can have such extents.
    """
    names = list(view.size_names)
    for name in given:
        if name not in names:
            raise refuse("TL631", f"'{view.name}' has no size '{name}'", view.location, instead(name, names))
    given = _with_unnamed_extents(view, given, domain)
    lacking = [name for name in names if name not in given]
    if lacking:
        wanted = ",".join(f"{name}={given.get(name, '...')}" for name in names)
        message = f"'{view.name}' needs the size{'s' if lacking[1:] else ''} {', '.join(lacking)}"
        raise refuse("TL632", message, view.location, f"give --sizes {wanted}")
    sizes = {name: given[name] for name in names}
    for condition, text in conditions:
        known = isinstance(condition, Compare | AnyOf) and all(atom in sizes for atom in atoms_of(condition))
        if known and condition is not None and not holds(condition, sizes):
            raise _broken(sizes, text, view.location)
    if domain.at(sizes).is_empty():
        raise _broken(sizes, "the source is defined there", view.location)
    if not is_possible(view.parameters, sizes):
        raise _broken(sizes, "every array has elements that do not overlap", view.location)
    return sizes


def _with_unnamed_extents(view: FunctionView, given: Mapping[str, int], domain: Domain) -> Sizes:
    sizes = dict(given)
    for name in view.made_sizes:
        if name not in sizes:
            least = _bound(name, domain.at(sizes), maximum=False)
            sizes |= {name: least} if least or (least is not None and given) else {}
    return sizes


def _broken(sizes: Sizes, text: str, place: Location | None) -> Exception:
    stated = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    return refuse("TL633", f"the precondition {text} does not hold for {stated}", place, "give other sizes")


def large_sizes(view: FunctionView, domain: Domain, array_bytes: int, derived: Collection[DerivedSize] = ()) -> Sizes:
    """Choose sizes at which the largest array has about ``array_bytes`` or more, as far as the domain allows.

    The domain may speak of quotients, the ``derived`` sizes.  Sizes that shape arrays are as equal as they can be;
    others, and those that make an array smaller, are small.
    Raises LiftError TL610 where no sizes are found.
    """
    low, high = 1, 2
    while high < _MOST and _largest(view, _sizes_near(view, domain, high)) < array_bytes:
        if _largest(view, _sizes_near(view, domain, high * 2)) == _largest(view, _sizes_near(view, domain, high)):
            break  # nothing grows
        low, high = high, high * 2
    while low + 1 < high:
        middle = (low + high) // 2
        if _largest(view, _sizes_near(view, domain, middle)) < array_bytes:
            low = middle
        else:
            high = middle
    for wanted in range(high, 0, -1):
        sizes = _sizes_near(view, domain, wanted)
        if sizes is None or sized(domain, sizes, derived).is_empty():
            continue
        if is_possible(view.parameters, sizes):
            return sizes
    message = "no sizes were found at which the preconditions hold and every array can exist"
    raise refuse("TL610", message, view.location, "make strides and extents parameters of their own")


def array_bytes_at(parameter: Parameter, sizes: Mapping[str, int]) -> int:
    """Count the bytes of the elements of an array."""
    if parameter.role != "array" or parameter.extents is None:
        return 0
    return prod(extent.at(sizes) for extent in parameter.extents) * NUMPY_TYPES[parameter.dtype].itemsize


def _largest(view: FunctionView, sizes: Sizes | None) -> int:
    return 0 if sizes is None else max((array_bytes_at(p, sizes) for p in view.parameters), default=0)


def _sizes_near(view: FunctionView, domain: Domain, wanted: int) -> Sizes | None:
    """Give each size in turn the value of the domain that is nearest to the wanted one."""
    shaping, shrinking = _shaping(view)
    sizes: Sizes = {}
    for name in sorted(view.size_names, key=lambda name: name not in shaping or name in shrinking):
        is_little = name in shrinking or (name not in shaping and not _is_bounded(name, domain))
        value = _nearest(name, min(wanted, _LITTLE) if is_little else wanted, domain)
        if value is None:
            return None
        sizes[name], domain = value, domain.at({name: value})
    return None if domain.is_empty() else {name: sizes[name] for name in view.size_names}


def _nearest(name: str, wanted: int, domain: Domain) -> int | None:
    if not domain.at({name: wanted}).is_empty():
        return wanted
    least, most = (_bound(name, domain, maximum=maximum) for maximum in (False, True))
    near = [wanted + step * sign for step in range(1, 65) for sign in (-1, 1)]
    ends = [end for end in (most, least) if end is not None and end <= _MOST]
    is_beyond = (most is not None and wanted > most) or (least is not None and wanted < least)
    values = [*ends, *near] if is_beyond else [*near, *ends]
    return next((value for value in values if value >= 0 and not domain.at({name: value}).is_empty()), None)


def _is_bounded(name: str, domain: Domain) -> bool:
    """Tell whether the sizes that are chosen already bound a size, as the length of an array does that of a part."""
    return _bound(name, domain, maximum=True) is not None


def _bound(name: str, domain: Domain, *, maximum: bool) -> int | None:
    """Give the greatest or least value of a size, None where there is none."""
    alone = domain.project_out(*(other for other in domain.variables() if other != name))
    try:
        values = [bound.constant for _, bound in extreme_of(alone, name, maximum=maximum)]
    except NotAffine:
        return None
    return (max(values) if maximum else min(values)) if values else None


def _shaping(view: FunctionView) -> tuple[set[str], set[str]]:
    """List the sizes that make an array larger, and those that make one smaller."""
    terms = [term for p in view.parameters if p.role == "array" for extent in p.extents or () for term in extent.terms]
    terms += [term for size, _ in terms if not isinstance(size, str) for term in size.numerator.terms]
    named = [(size, factor) for size, factor in terms if isinstance(size, str)]
    return {size for size, factor in named if factor > 0}, {size for size, factor in named if factor < 0}
