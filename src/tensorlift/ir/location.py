"""Source places: between the locations that MLIR operations carry and those of diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc, StringAttr

from tensorlift.diagnostics import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xdsl.ir import Attribute, BlockArgument, Operation


# Names of places: of the branches that a loop's own condition makes, and of the end of a function without a `return`.
CONDITION = "condition"
END = "end"


def location_of(owner: Operation | BlockArgument) -> Location | None:
    """Give the place in the source that an operation or argument comes from, if it has one."""
    return place_of(owner.location)


def name_of(op: Operation) -> str:
    """Give what the location of an operation is called, as a loop is ``for`` and a jump ``break``."""
    location: Attribute = op.location
    while isinstance(location, CallSiteLoc):
        location = location.callee
    return location.desc.data if isinstance(location, NameLoc) else ""


def inlined(location: Attribute, name: str, call: Attribute) -> CallSiteLoc:
    """Give the place of what stands in a function that is called by name from another place."""
    return CallSiteLoc(location, NameLoc(StringAttr(name), call))


def calls_around(op: Operation) -> Iterator[tuple[str, Location | None]]:
    """Yield the functions that an operation was inlined from, the inmost one first, and where they are called."""
    chain: list[Attribute] = []
    location: Attribute = op.location
    while isinstance(location, CallSiteLoc | NameLoc):
        if isinstance(location, CallSiteLoc):
            chain.append(location.caller)
        location = location.callee if isinstance(location, CallSiteLoc) else location.location
    for caller in reversed(chain):
        if isinstance(caller, NameLoc):
            yield caller.desc.data, place_of(caller.location)


def place_of(location: Attribute) -> Location | None:
    """Descend into named, fused and inlined locations; of a call the callee's place is the one that holds the text."""
    if isinstance(location, FileLineColLoc):
        return Location(location.filename.data, location.line.data, location.column.data)
    if isinstance(location, NameLoc):
        return place_of(location.location)
    if isinstance(location, CallSiteLoc):
        return place_of(location.callee)
    if isinstance(location, FusedLoc):
        children = cast("Iterable[Attribute]", location.locations)
        return next((place for child in children if (place := place_of(child))), None)
    return None
