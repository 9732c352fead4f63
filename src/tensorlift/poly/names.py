"""Fresh variable names: bound indices never clash, and the same input always gets the same names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.poly.affine import Affine


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


def name_of_quotient(numerator: Affine, divisor: Affine) -> str:
    """Spell a quotient as a name: ``n_div_2``, ``n_plus_1_div_m``."""
    return f"{_in_words(numerator)}_div_{_in_words(divisor)}"


def _in_words(value: Affine) -> str:
    """Spell a sum as a name: ``n_plus_1``, ``n_times_3_minus_m``, as a name starts with a letter."""
    terms = sorted(value.terms, key=lambda term: (term[1] < 0, term[0]))
    parts = [(factor, name if abs(factor) == 1 else f"{name}_times_{abs(factor)}") for name, factor in terms]
    parts += [(value.constant, str(abs(value.constant)))] * (value.constant != 0)
    joined = "_".join(f"{'minus' if sign < 0 else 'plus'}_{part}" for sign, part in parts)
    return re.sub(r"\W+", "_", joined.removeprefix("plus_"))
