"""What a procedure takes as numbers and arrays: arguments, their components, and what it uses that lies outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import integer_of
from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.syntax import body, kind_of, nodes_in
from tensorlift.frontends.fortran.uses import outside_of, path_of, uses_of
from tensorlift.ops.c_types import ComplexType
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.symbols import Procedure, Symbol


@dataclass(frozen=True, eq=False)
class Item:
    """A number or an array by its name in programs; that of a component is `state_u`."""

    name: str
    symbol: Symbol
    is_written: bool
    parts: tuple[str, ...] = ()  # the names of those of a complex number

    @property
    def is_number(self) -> bool:
        """Whether it is passed as a value."""
        return _is_number(self.symbol, is_written=self.is_written)


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
            name = symbol.name if symbol.name != procedure.name else _named(f"{symbol.name}_result", taken)
            found.append(_item(name, symbol, written, taken))
            continue
        leaves = [leaf for leaf in symbol.leaves() if leaf in uses.used]
        found += [_item(_named(leaf.hint, taken), leaf, written, taken) for leaf in leaves]
    outside = outside_of(procedure)
    _check_commons(procedure, outside)
    for symbol in outside:
        own = next((s for s in scope.names.values() if s.same is symbol), symbol)
        found.append(_item(_named(own.hint, taken), symbol, written, taken))
    return found


def lower_bounds(symbol: Symbol) -> list[int]:
    """Give where the dimensions of an array begin that is allocated elsewhere: as the file allocates it, else at one.

    Raises ``LiftError`` where the file does not state one number for each dimension.
    """
    assert symbol.home is not None
    rank = len(symbol.component.bounds if symbol.component is not None else symbol.bounds)
    found: set[tuple[int | None, ...]] = set()
    for procedure in symbol.home.outermost.everything:
        for node in nodes_in(body(procedure)):
            if kind_of(node) == "Allocate_Stmt":
                found |= {
                    _begin(procedure, one, rank) for one in node.children[1].children if _is(procedure, one, symbol)
                }
            elif kind_of(node) == "Pointer_Assignment_Stmt" and _is(procedure, node, symbol):
                target = (
                    procedure.scope.find(path_of(node.children[2])) if kind_of(node.children[2]) == "Name" else None
                )
                begins = [bound for bound, _ in target.bounds] if target is not None else []
                found.add((1,) * rank if node.children[1] is None and not any(begins) else (None,))
    lower = next(iter(found), (1,) * rank)
    if len(found) > 1 or None in lower:
        raise refusal("bounds", symbol.home.file.location(symbol.home.first + symbol.line), symbol.name)
    return [1 if low is None else low for low in lower]


def deferred_lower(symbol: Symbol) -> dict[int, int]:
    """Give the lower bounds of a part by its dimensions, of those that are allocated elsewhere."""
    found = deferred_lower(symbol.above) if symbol.above is not None else {}
    own = symbol.component or symbol
    first = len(symbol.bounds) - len(own.bounds)
    return found | ({first + k: low for k, low in enumerate(lower_bounds(symbol))} if own.is_deferred else {})


def _is(procedure: Procedure, node: Any, symbol: Symbol) -> bool:
    """Whether a statement is about a variable, or about the same component of any one."""
    of = procedure.scope.find(path_of(node.children[0] if getattr(node, "children", None) else node))
    if of is None:
        return False
    return of.component is symbol.component if symbol.component is not None else of.same is symbol.same


def _begin(procedure: Procedure, node: Any, rank: int) -> tuple[int | None, ...]:
    """Give the lower bounds of one array of an `allocate`, None for those that are not stated."""
    if kind_of(node) != "Allocation":
        return (None,) * rank  # as long as its source
    specs = node.children[1].children
    return tuple(1 if s.children[0] is None else integer_of(s.children[0], procedure.scope) for s in specs)


def _is_number(symbol: Symbol, *, is_written: bool) -> bool:
    is_kept = not is_written or "value" in symbol.attributes
    is_pair = isinstance(symbol.ctype, ComplexType)  # two numbers, where it is an argument itself
    return is_kept and not symbol.bounds and (not is_pair or (symbol.is_dummy and symbol.above is None))


def _item(name: str, symbol: Symbol, written: set[Symbol], taken: set[str]) -> Item:
    is_written = symbol in written
    is_pair = isinstance(symbol.ctype, ComplexType) and _is_number(symbol, is_written=is_written)
    parts = tuple(_named(f"{name}_{part}", taken) for part in ("re", "im")) if is_pair else ()
    return Item(name, symbol, is_written, parts)


def _named(wanted: str, taken: set[str]) -> str:
    name = unused(wanted, taken)
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
