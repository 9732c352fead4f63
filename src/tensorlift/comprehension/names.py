"""Fresh variable names: bound indices never clash, and the same input always gets the same names."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tensorlift.comprehension.caches import forget

if TYPE_CHECKING:
    from collections.abc import Iterable

_counter = itertools.count()
_reserved: set[str] = set()


def fresh(prefix: str) -> str:
    """Return a variable name that is not reserved and that no other call since the last `reset_names` has returned."""
    name = f"{prefix}_{next(_counter)}"
    while name in _reserved:
        name = f"{prefix}_{next(_counter)}"
    return name


def unused(wanted: str, taken: set[str]) -> str:
    """Return the name, or the first numbered one that is not taken; it is taken afterwards."""
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}{number}"
    taken.add(name)
    return name


def image(name: str) -> str:
    """Return a variable name that no source has; always the same one, so that sets over it are found in caches."""
    return f"{name}'"


def reserve(names: Iterable[str]) -> None:
    """Keep names of the source, such as a size ``k_1``, out of the supply until the next `reset_names`."""
    _reserved.update(names)


def reset_names() -> None:
    """Start counting again, with nothing in the caches; for each function, so that its output is deterministic."""
    global _counter  # noqa: PLW0603 - one supply for the process, restarted between functions
    _counter = itertools.count()
    _reserved.clear()
    forget()


def formals(array: str, rank: int) -> tuple[str, ...]:
    """Return the index variables ``A_x0, A_x1, ..`` that all versions of an array share."""
    return tuple(f"{array}_x{axis}" for axis in range(rank))
