"""Which preconditions of a lifted function a call can check: on sizes and extents, and on memory that is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.contract.language import (
    AnyOf,
    Compare,
    Extent,
    Inside,
    InWords,
    IsArray,
    IsScalar,
    Separate,
    atoms_of,
)
from tensorlift.contract.notation import parse_sum
from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tensorlift.contract.interface import Precondition
    from tensorlift.contract.language import Condition, Sum


@dataclass(frozen=True, slots=True)
class Separation:
    """A precondition that an array shares no memory with others, or only with itself under another name."""

    precondition: Precondition
    name: str
    others: tuple[str, ...]
    or_same: bool


def read_conditions(
    preconditions: Sequence[Precondition], known: Collection[str], arguments: Collection[str]
) -> tuple[list[Precondition], list[Separation]]:
    """Give the preconditions on sizes, and those on memory that arguments of the source are about.

    ``known`` are the names of sizes.  Types are checked as kinds; whether integers fit into their
    64 bits only the original could tell.
    Raises LiftError TL524 for one that no call can check.
    """
    on_sizes, separations = [], []
    for precondition in preconditions:
        match precondition.condition:
            case Separate(name, others, or_same):
                passed = tuple(other for other in others if other in arguments)
                if passed and name in arguments:
                    separations.append(Separation(precondition, name, passed, or_same))
            case (Compare() | AnyOf() | Inside()) as condition if _is_known(condition, known, arguments):
                on_sizes.append(precondition)
            case IsArray() | IsScalar():
                pass
            case InWords() if precondition.kind == "integers":
                pass
            case _:
                message = f"no call can check the precondition `{precondition.text}`"
                remedy = "lift the file with the function `lift` or the command, and check it before the call"
                raise refuse("TL524", message, precondition.location, remedy)
    return on_sizes, separations


def read_extent(text: str, known: Collection[str]) -> Sum | None:
    """Read an extent over sizes; None where it is of another form, or over what a call does not know."""
    try:
        extent = parse_sum(text)
    except ValueError:
        return None
    return extent if all(atom in known for atom in extent.atoms()) else None


def _is_known(condition: Condition, known: Collection[str], arguments: Collection[str]) -> bool:
    if isinstance(condition, Inside) and condition.array not in arguments:
        return False
    return all(atom.array in arguments if isinstance(atom, Extent) else atom in known for atom in atoms_of(condition))
