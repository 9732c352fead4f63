"""Preconditions as tests in C, over what C reaches, in arithmetic of 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.contract.language import AnyOf, Compare, NotNull, Separate
from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.contract.language import Atom, Condition, Sum
    from tensorlift.diagnostics import LiftError
    from tensorlift.targets.c.signature import Signature

_MOST_FACTORS = 2  # of sizes that an int holds, so that 64 bits hold the product


def tests_of(condition: Condition, signature: Signature) -> Iterator[str]:
    """Spell a precondition; memory is compared for all arrays at once.

    Raises:
        LiftError: TL309, where nothing can check it.

    """
    if isinstance(condition, Compare):
        yield _compared(condition, signature)
    elif isinstance(condition, AnyOf):
        choices = (" && ".join(_compared(part, signature) for part in choice) for choice in condition.choices)
        yield f"({' || '.join(f'({choice})' for choice in choices)})"
    elif isinstance(condition, NotNull):
        yield f"{signature.places[condition.array]} != NULL"
    elif not isinstance(condition, Separate):
        raise unchecked(str(condition), signature)


def _compared(condition: Compare, signature: Signature) -> str:
    return f"{spelled_sum(condition.left, signature)} {condition.relation} {spelled_sum(condition.right, signature)}"


def spelled_sum(value: Sum, signature: Signature) -> str:
    """Spell a sum in 64 bits."""
    parts = []
    for factor, atoms in value.terms:
        if len(atoms) > _MOST_FACTORS:
            raise unchecked(str(value), signature)
        listed = [str(abs(factor))] if abs(factor) != 1 or not atoms else []
        listed += [_atom(atom, signature, alone=value.atom is not None) for atom in atoms]
        parts.append((" - " if factor < 0 else " + ") + " * ".join(listed))
    text = "".join(parts)
    return (text[3:] if text.startswith(" + ") else f"-{text[3:]}") if text else "0"


def _atom(atom: Atom, signature: Signature, *, alone: bool) -> str:
    place = signature.places.get(str(atom))
    if place is None:
        raise unchecked(str(atom), signature)
    return place if alone and atom not in signature.wide else f"(ptrdiff_t){place}"


def unchecked(what: str, signature: Signature) -> LiftError:
    """Return the refusal to write a function whose preconditions nothing can check."""
    message = f"no function with the signature of '{signature.name}' is written: nothing checks {what}"
    return refuse("TL309", message, remedy="call the original")
