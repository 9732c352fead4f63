"""Preconditions in few words: comparisons with one bound share it, and each kind takes one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.contract.interface import Role
from tensorlift.contract.language import AnyOf, Compare, Inside, Sum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.contract.interface import Precondition
    from tensorlift.contract.language import Condition, Relation
    from tensorlift.record import FunctionRecord


def shown(function: FunctionRecord) -> Iterator[Precondition]:
    """Give the preconditions without those that every shape meets: that a size which one tells is not negative."""
    taken = {parameter.name for parameter in function.parameters if parameter.role is Role.SIZE}
    for precondition in function.preconditions:
        name, relation, bound = _bound(precondition.condition) or ("", "", 0)
        if precondition.kind != "size" or (relation, bound) != (">=", 0) or name in taken:
            yield precondition


def in_few_words(preconditions: Iterable[Precondition]) -> Iterator[str]:
    """Give the lines that say all of the preconditions: bounds of sizes, other relations, then each of the rest.

    Reasons and places are left out: the JSON report has them.
    """
    limits: dict[Relation, dict[str, int]] = {">=": {}, "<=": {}}
    relations: dict[str, None] = {}
    rest: dict[str, None] = {}
    for precondition in preconditions:
        if found := _bound(precondition.condition):
            name, relation, bound = found
            tighter, bounds = max if relation == ">=" else min, limits[relation]
            bounds[name] = tighter(bounds.get(name, bound), bound)
        else:
            is_relation = isinstance(precondition.condition, Compare | AnyOf | Inside)
            (relations if is_relation else rest)[precondition.text] = None
    line = [*(text for relation, bounds in limits.items() for text in _shared(bounds, relation)), *relations]
    if line:
        yield "; ".join(line)
    yield from rest


def _bound(condition: Condition | None) -> tuple[str, Relation, int] | None:
    """Read a bound of one size."""
    match condition:
        case Compare(Sum(atom=str(name)), ">=" | "<=" as relation, Sum(value=int(bound))):
            return name, relation, bound
    return None


def _shared(bounds: dict[str, int], relation: str) -> Iterator[str]:
    for bound in sorted(set(bounds.values())):
        yield f"{', '.join(name for name, own in bounds.items() if own == bound)} {relation} {bound}"
