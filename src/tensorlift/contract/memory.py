"""What must share no memory: a written array with another that is used, unless C says that they are apart.

C's ``restrict`` does.  Two globals are two objects, and so are two members that lie inside of one structure.  A scalar
that is reached through a pointer, of which the front end states that a written array is apart, counts as any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.contract.language import Separate
from tensorlift.contract.notation import parse_condition
from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.definition import Summary
    from tensorlift.diagnostics import Location
    from tensorlift.ir.function import FunctionView, Parameter


def separate(view: FunctionView, summary: Summary) -> Iterator[tuple[Separate, Location | None]]:
    """Yield the conditions, at most two for each written array, with the place of its first store."""
    written = {name for name, _ in summary.outputs}
    may_overlap, may_be_same = frozenset(summary.may_overlap), frozenset(summary.may_be_same)
    used = {*view.read, *written}
    arrays = [p for p in view.parameters if p.role == "array" and p.name in used and "restrict" not in p.c_type]
    stated = [condition for row in view.requires if isinstance(condition := parse_condition(row.text), Separate)]
    for parameter in arrays:
        if parameter.name not in written:
            continue
        others = [
            o.name
            for o in arrays
            if o.name != parameter.name
            and not (o.name in written and o.name < parameter.name)
            and (parameter.name, o.name) not in may_overlap
        ]
        scalars = {name for condition in stated if condition.array == parameter.name for name in condition.others}
        others = [
            o.name
            for o in view.parameters
            if o.name in {*others, *scalars} and not _are_two_objects(view, parameter, o)
        ]
        same = [o for o in others if (parameter.name, o) in may_be_same]
        place = _first_store(view, parameter.name) or parameter.location
        for names, or_same in (([o for o in others if o not in same], False), (same, True)):
            if names:
                yield Separate(parameter.name, tuple(names), or_same), place


def _are_two_objects(view: FunctionView, one: Parameter, other: Parameter) -> bool:
    """Tell whether both lie inside of objects that are not the same, by how C reaches them."""
    if not one.lies_inside or not other.lies_inside or one.access == other.access:
        return False
    declared = {name for name, _ in view.c_parameters} or {p.name for p in view.parameters if not p.access}
    roots = [one.member[0], other.member[0]]
    return roots[0] == roots[1] or declared.isdisjoint(roots)


def _first_store(view: FunctionView, array: str) -> Location | None:
    """Find the first place where an array is written."""
    values = {p.value for p in view.parameters if p.name == array}
    stores = (op for op in view.operations if op.name in ("affine.store", "memref.store"))
    return next((location_of(op) for op in stores if op.operands[1] in values), None)
