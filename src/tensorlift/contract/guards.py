"""Guards: what an emitted function must check of its own arguments before it computes anything.

They follow from its parameters, whose types and shapes it is proved for, and from its preconditions as far as those
speak of the parameters.  A size that is no parameter is spelled as what the shapes tell of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.contract.language import (
    INTEGER,
    NUMBER,
    AnyOf,
    Atom,
    Compare,
    Condition,
    Extent,
    Guard,
    Inside,
    InWords,
    IsArray,
    IsScalar,
    Quotient,
    ReadInside,
    Separate,
    Sum,
    atoms_of,
)
from tensorlift.contract.notation import parse_sum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.contract.interface import Parameter, Precondition
    from tensorlift.diagnostics import Location


def guards_of(
    function: str,
    parameters: Sequence[Parameter],
    preconditions: Iterable[Precondition],
    emitted: Mapping[str, str],
    place: Location | None,
) -> tuple[Guard, ...]:
    """List the guards of a function in the order in which they are checked; ``emitted`` renames source names."""
    arrays = {p.name: tuple(map(parse_sum, p.shape)) for p in parameters if p.shape}
    told = _told_sizes(parameters, arrays)
    found = [Guard(c, f"{function} needs that {c}{_at(place)}") for c in map(_type_of, parameters)]
    names: dict[Atom, Sum] = {source: Sum.name(name) for source, name in emitted.items()}
    for name, shape in arrays.items():
        for axis, extent in enumerate(shape):
            wanted = extent.substitute(told)
            mine = Sum.name(Extent(name, axis))
            if wanted != mine and _is_known(wanted, parameters):
                text = f"{function} needs that extent {axis} of {name} is {_spelled(extent, told)}{_at(place)}"
                found.append(Guard(Compare(mine, "==", wanted), text))
    for precondition in preconditions:
        for condition in _over_parameters(precondition.condition, parameters, names, told):
            because = f"{precondition.text}{_where(precondition.condition, told)}{_at(precondition.location)}"
            found.append(Guard(condition, f"{function} needs that {because}"))
    found.sort(key=lambda guard: _divides(guard.condition))  # by what is known to be positive then
    return tuple({guard.condition: guard for guard in reversed(found)}.values())[::-1]


def _divides(condition: Condition) -> bool:
    """Tell whether a relation speaks of a quotient by a size."""
    if isinstance(condition, AnyOf):
        return any(_divides(part) for choice in condition.choices for part in choice)
    sums = (condition.left, condition.right) if isinstance(condition, Compare) else ()
    atoms = [atom for value in sums for _, factors in value.terms for atom in factors]
    return any(isinstance(atom, Quotient) and atom.divisor.value is None for atom in atoms)


def of_any_extents(array: Parameter) -> Parameter:
    """Let an array that a function leaves alone have the extents that it has where no size tells them."""
    shape = (str(Extent(array.name, axis)) if text.isdigit() else text for axis, text in enumerate(array.shape))
    return replace(array, shape=tuple(shape))


def unguarded(preconditions: Iterable[Precondition]) -> list[Precondition]:
    """List the preconditions that no guard can check, because they are in words."""
    return [p for p in preconditions if isinstance(p.condition, InWords | ReadInside)]


def _type_of(parameter: Parameter) -> Condition:
    if parameter.shape:
        return IsArray(parameter.name, parameter.dtype, len(parameter.shape))
    is_integer = parameter.role != "array" and "int" in parameter.dtype  # a cell may be an array of no dimensions
    return IsScalar(parameter.name, INTEGER if is_integer else NUMBER)


def _told_sizes(parameters: Sequence[Parameter], arrays: Mapping[str, tuple[Sum, ...]]) -> dict[Atom, Sum]:
    """Give the sizes that are no parameters as sums of extents: plain extents first, then what they leave in others.

    A quotient of sizes that no extent tells is what the first extent with it says.
    """
    own = {p.name for p in parameters}
    extents = [(Extent(name, axis), extent) for name, shape in arrays.items() for axis, extent in enumerate(shape)]
    extents.sort(key=lambda entry: not isinstance(entry[1].atom, str))
    told: dict[Atom, Sum] = {}
    progress = True
    while progress:
        progress = False
        for place, extent in extents:
            unknown = {
                atom for atom in extent.atoms() if isinstance(atom, str) and atom not in told and atom not in own
            }
            if len(unknown) == 1:
                (name,) = unknown
                found = _solved(extent.substitute(told), name, place)
                if found is not None:
                    told[name], progress = found, True
    for place, extent in extents:
        for factor, atoms in extent.terms:
            is_untold = any(name not in own and name not in told for atom in atoms for name in Sum.name(atom).atoms())
            if is_untold and factor == len(atoms) == 1 and isinstance(atoms[0], Quotient):
                told.setdefault(atoms[0], Sum.name(place) - (extent - Sum.name(atoms[0])).substitute(told))
    return told


def _solved(extent: Sum, name: str, place: Extent) -> Sum | None:
    """Solve ``place == extent`` for a name in which the extent is linear."""
    factor = next((factor for factor, atoms in extent.terms if atoms == (name,)), 0)
    rest = extent - Sum.of((factor, (name,)))
    if factor <= 0 or name in rest.atoms():
        return None
    left = Sum.name(place) - rest
    return left if factor == 1 else Sum.name(Quotient(left, Sum.number(factor)))


def _over_parameters(
    condition: Condition | None, parameters: Sequence[Parameter], names: Mapping[Atom, Sum], told: Mapping[Atom, Sum]
) -> Iterator[Condition]:
    """Yield a precondition over the parameters, pair by pair for memory; nothing where it speaks of anything else."""
    if isinstance(condition, Separate):
        arrays = {p.name for p in parameters if p.shape}
        written, *others = (str(names[name]) if name in names else "" for name in (condition.array, *condition.others))
        for other in others:
            if {written, other} <= arrays:
                yield Separate(written, (other,), condition.or_same)
    elif isinstance(condition, Compare | AnyOf | Inside):
        over = condition.substitute(_values(condition, names, told))
        is_known = all(_is_known(Sum.name(atom), parameters) for atom in atoms_of(over))
        if isinstance(over, Inside):
            array = str(names.get(over.array, ""))
            if is_known and array in {p.name for p in parameters if p.shape}:
                yield replace(over, array=array)
        elif is_known and atoms_of(over) and not _is_met_by_shapes(over):
            yield over


def _is_met_by_shapes(condition: Compare | AnyOf) -> bool:
    """Tell whether a condition says that an extent is itself, or not negative."""
    if not isinstance(condition, Compare):
        return False
    if condition.relation == "==":
        return condition.left == condition.right
    return condition.relation == ">=" and isinstance(condition.left.atom, Extent) and condition.right.value == 0


def _values(condition: Condition, names: Mapping[Atom, Sum], told: Mapping[Atom, Sum]) -> dict[Atom, Sum]:
    """Give what stands for the names of a condition, and for extents under the names of the parameters."""
    values = {**names, **told}
    for atom in atoms_of(condition):
        if isinstance(atom, Extent) and atom.array in names:
            values[atom] = Sum.name(Extent(str(names[atom.array]), atom.axis))
    return values


def _is_known(value: Sum, parameters: Sequence[Parameter]) -> bool:
    ranks = {p.name: len(p.shape) for p in parameters}
    return all(
        ranks.get(atom.array, 0) > atom.axis if isinstance(atom, Extent) else atom in ranks for atom in value.atoms()
    )


def _spelled(extent: Sum, told: Mapping[Atom, Sum]) -> str:
    """Spell an extent in names of the source, and where those come from."""
    value = extent.substitute(told)
    return str(extent) if value == extent else f"{extent}, here {value}"


def _where(condition: Condition | None, told: Mapping[Atom, Sum]) -> str:
    names = sorted(a for a in atoms_of(condition) if isinstance(a, str) and a in told) if condition else []
    return f", where {', '.join(f'{name} is {told[name]}' for name in names)}" if names else ""


def _at(place: Location | None) -> str:
    return f" ({place.short})" if place is not None else ""
