"""Loops that the source leaves early, and the loop IR does not: as loops they would take longer than the source.

Where such a loop becomes operations on arrays, nothing is lost.  Where it stays one, its mark says why it is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DictionaryAttr, StringAttr

from tensorlift.diagnostics import Diagnostic, Location
from tensorlift.ir.function import parse_place
from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Attribute, Operation


_MARK = "tl.left"
HIT, PICKED = "hit", "at_hit"  # numbers that stand for the first hit of a loop, and for what is there
JUMP = "tl.jump"  # marks loops of literal IR that a jump leaves, or makes


def marked(refusal: Diagnostic | None, name: str = _MARK) -> dict[str, Attribute]:
    """Return the mark of a loop that the source leaves where a diagnostic points to."""
    if refusal is None:
        return {}
    texts = {"code": refusal.code, "message": refusal.message, "remedy": refusal.remedy, "loc": str(refusal.location)}
    return {name: DictionaryAttr({name: StringAttr(text) for name, text in texts.items()})}


def left_early(operations: Iterable[Operation]) -> dict[Location | None, Diagnostic]:
    """Return the diagnostics that refuse the marked loops among operations, by the places of the loops."""
    return {location_of(op): refusal for op in operations if (refusal := refusal_of(op)) is not None}


def refusal_of(op: Operation, name: str = _MARK) -> Diagnostic | None:
    """Return the diagnostic that refuses a loop where it stays one."""
    mark: Any = op.attributes.get(name)
    if mark is None:
        return None
    texts = {name: text.data for name, text in mark.data.items()}
    return Diagnostic(texts["code"], texts["message"], parse_place(texts["loc"]), texts["remedy"])
