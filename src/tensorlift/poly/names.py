"""Fresh variable names: bound indices never clash, and the same input always gets the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterable


def fresh(prefix: str) -> str:
    """Return a variable name that is not reserved and that no other call of the session has returned."""
    name = f"{prefix}_{next(SESSION.numbers)}"
    while name in SESSION.reserved:
        name = f"{prefix}_{next(SESSION.numbers)}"
    return name


def unused(wanted: str, taken: set[str], joint: str = "", first: int = 2) -> str:
    """Return the name, or the first numbered one that is not taken; it is taken afterwards."""
    name, number = wanted, first
    while name in taken:
        name = f"{wanted}{joint}{number}"
        number += 1
    taken.add(name)
    return name


def image(name: str) -> str:
    """Return a variable name that no source has; always the same one, so that sets over it are found in caches."""
    return f"{name}'"


def reserve(names: Iterable[str]) -> None:
    """Keep names of the source, such as a size ``k_1``, out of the supply until the session starts anew."""
    SESSION.reserved.update(names)


def formals(array: str, rank: int) -> tuple[str, ...]:
    """Return the index variables ``A_x0, A_x1, ..`` that all versions of an array share."""
    return tuple(f"{array}_x{axis}" for axis in range(rank))
