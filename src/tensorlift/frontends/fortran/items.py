"""What a procedure takes as numbers and arrays: arguments, their components, and what it uses that lies outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.uses import outside_of, uses_of
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.symbols import Procedure, Symbol


@dataclass(frozen=True, eq=False)
class Item:
    """A number or an array by its name in programs; that of a component is `state_u`."""

    name: str
    symbol: Symbol
    is_written: bool

    @property
    def is_number(self) -> bool:
        """Whether it is passed as a value."""
        return not self.symbol.bounds and (not self.is_written or "value" in self.symbol.attributes)


def items_of(procedure: Procedure) -> list[Item]:
    """List what a procedure takes: in the order of its arguments, then its result, then variables outside.

    Raises ``LiftError`` where it reaches a common block that is declared in two ways.
    """
    scope, uses = procedure.scope, uses_of(procedure)
    written = {symbol.same for symbol in uses.written}
    listed = [scope.names[name] for name in (*procedure.dummies, *([procedure.result] if procedure.result else []))]
    taken = {symbol.name for symbol in listed}
    found: list[Item] = []
    for symbol in listed:
        if symbol.derived is None:
            found.append(Item(symbol.name, symbol, symbol in written))
            continue
        leaves = [leaf for leaf in symbol.leaves() if leaf in uses.used]
        found += [Item(_named(leaf, taken), leaf, leaf in written) for leaf in leaves]
    outside = outside_of(procedure)
    _check_commons(procedure, outside)
    for symbol in outside:
        own = next((s for s in scope.names.values() if s.same is symbol), symbol)
        found.append(Item(_named(own, taken), symbol, symbol in written))
    return found


def _named(symbol: Symbol, taken: set[str]) -> str:
    name = unused(symbol.hint, taken)
    taken.add(name)
    return name


def _check_commons(procedure: Procedure, outside: list[Symbol]) -> None:
    """Refuse a common block of which two declarations are used, as their members share memory."""
    homes: dict[str, object] = {}
    for symbol in outside:
        variable = symbol.variable
        if variable.common is None or variable.home is None:
            continue
        block, _ = variable.common
        first = variable.home.commons[block][0].same
        if homes.setdefault(block, first) is not first:
            place = procedure.scope.file.location(procedure.line, procedure.name)
            raise refusal("common", place, block or "blank common")
