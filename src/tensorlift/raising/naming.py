"""Names for what bodies compute: Linalg's named products, transpositions, copies and fills."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

from tensorlift.ir.subscripts import PRODUCTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.affine import Affine

_PAIR = 2


def product_name(result: Sequence[Affine], operands: Sequence[Sequence[Affine]]) -> tuple[str, tuple[int, ...]] | None:
    """Name the product of two operands at subscripts, summed into a result, and the order of the operands in it."""
    if len(operands) != _PAIR:
        return None
    for name, spec in PRODUCTS.items():
        left, _, right = spec.partition("->")
        wanted = [side.split() for side in (right, *left.split(","))]
        for order in permutations(range(len(operands))):
            if _fit(wanted, [result, *(operands[k] for k in order)]):
                return name, order
    return None


def _fit(wanted: Sequence[Sequence[str]], found: Sequence[Sequence[Affine]]) -> bool:
    """Tell whether subscripts are those of a product, up to the names of their variables."""
    if [len(side) for side in wanted] != [len(side) for side in found]:
        return False
    names: dict[str, str] = {}
    axes = [pair for spelled, side in zip(wanted, found, strict=True) for pair in zip(spelled, side, strict=True)]
    for spelled, subscript in sorted(axes, key=lambda pair: len(pair[0])):
        if subscript.constant or any(factor != 1 for _, factor in subscript.terms):
            return False
        if not _bind(re.findall(r"\w", spelled), set(subscript.variables), names):
            return False
    return len(set(names.values())) == len(names)


def _bind(letters: Sequence[str], variables: set[str], names: dict[str, str]) -> bool:
    """Let letters stand for variables; at most one of them may be new."""
    if len(letters) != len(variables):
        return False
    rest = variables - {names[letter] for letter in letters if letter in names}
    new = [letter for letter in letters if letter not in names]
    if len(new) != len(rest) or len(new) > 1:
        return False
    names.update(zip(new, rest, strict=True))
    return True


def permutation_of(result: Sequence[Affine], operand: Sequence[Affine]) -> tuple[int, ...] | None:
    """Return which axis of an operand each axis of the result runs along; None where it is no permutation."""
    names = [subscript.variable for subscript in operand]
    wanted = [subscript.variable for subscript in result]
    if None in names or sorted(map(str, names)) != sorted(map(str, wanted)) or len(set(names)) != len(names):
        return None
    return tuple(names.index(name) for name in wanted)
