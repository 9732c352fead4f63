"""One meaning from two that were found at different extents: where they differ, numbers are written as expressions.

A number of one and that of the other at the same place are an extent of the operands or of the result in both, give or
take a little, or the value of an attribute.  All else must be the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.dialects.meanings import NoMeaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.affine import Affine

Json = Any
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\s+|.", re.DOTALL)
_NEAR = (0, -1, 1, -2, 2)  # how much more than an extent a number may be


class Pair(NamedTuple):
    """What the same thing is in both: ``value`` stands for it in what is agreed."""

    first: int
    second: int
    value: Affine


def agreed(first: Json, second: Json, extents: Sequence[Pair], names: dict[tuple[str, str], str]) -> Json:
    """Return data in which texts have expressions where the two differ; ``names`` are those of values by their texts.

    Raises:
        NoMeaning: where they differ otherwise.

    """
    if isinstance(first, str) and isinstance(second, str):
        return _text(first, second, extents, names)
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return {key: agreed(value, second[key], extents, names) for key, value in first.items()}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [agreed(*both, extents, names) for both in zip(first, second, strict=True)]
    if first != second:
        raise _differ()
    return first


def _differ() -> NoMeaning:
    return NoMeaning("its lowering at some extents is another one than at others")


def _text(first: str, second: str, extents: Sequence[Pair], names: dict[tuple[str, str], str]) -> str:
    own, other = _TOKEN.findall(first), _TOKEN.findall(second)
    if len(own) != len(other):
        raise _differ()
    written: list[str] = []
    for place, both in enumerate(zip(own, other, strict=True)):
        if both[0] == both[1]:
            written.append(both[0])
        elif both in names:
            written.append(names[both])
        elif not all(token.isdigit() for token in both) or "*" in _beside(own, place):
            raise _differ()
        else:
            _write(written, _near(int(both[0]), int(both[1]), extents))
    return "".join(written)


def _beside(tokens: Sequence[str], place: int) -> str:
    """Return what follows a token, spaces aside."""
    return "".join(tokens[place + 1 : place + 3]).strip()[:1]


def _near(first: int, second: int, extents: Sequence[Pair]) -> Affine:
    for more in _NEAR:
        for pair in extents:
            if (first, second) == (pair.first + more, pair.second + more):
                return pair.value + more
    raise _differ()


def _write(written: list[str], value: Affine) -> None:
    """Write an expression behind what is written: a minus there turns all of its signs."""
    before = next((place for place in range(len(written) - 1, -1, -1) if written[place].strip()), None)
    if before is None or written[before] not in ("-", "+"):
        written.append(str(value))
        return
    turned = -value if written[before] == "-" else value
    del written[before:]
    terms = [*turned.terms, *([("", turned.constant)] if turned.constant else [])]
    written.append(" ".join(f"{'-' if number < 0 else '+'} {_times(name, abs(number))}" for name, number in terms))


def _times(name: str, number: int) -> str:
    return (name if number == 1 else f"{number} * {name}") if name else str(number)
