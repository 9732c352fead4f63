"""How Fortran calls a procedure, as facts for what compiles the original: written into the loop IR as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import integer_of
from tensorlift.frontends.fortran.procedures import part
from tensorlift.frontends.fortran.signature import is_flat
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.ops.c_types import BOOL, CHAR

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.symbols import Procedure, Symbol

_BY_INTERFACE = {"value", "allocatable", "pointer", "optional"}


def prototype_of(procedure: Procedure) -> dict[str, Any]:
    """Say where a procedure stands, what it takes in which order, and what it gives.

    ``interface`` is its interface body where Fortran asks callers for one; ``logical`` has the kinds of truth values,
    ``text`` the characters, ``flat`` the arrays that may have more dimensions in the program, row after row.
    """
    scope, tree = procedure.scope, procedure.tree
    outer = scope.outer
    symbols = [scope.names[name] for name in (*procedure.dummies, *([procedure.result] if procedure.result else []))]
    result = scope.names[procedure.result] if procedure.result else None
    module = outer.module if outer is not None else ""
    asks = any(_asks(symbol) for symbol in symbols) or (result is not None and bool(result.bounds))
    return {
        "module": module,
        "is_inside": is_inside(procedure),
        "arguments": list(procedure.dummies),
        "result": procedure.result,
        "interface": _interface(tree) if asks and not module else "",
        "logical": {s.name: _kind(s) for s in symbols if s.ctype is BOOL},
        "text": [s.name for s in symbols if s.ctype is CHAR],
        "flat": [s.name for s in symbols if is_flat(s)],
    }


def is_inside(procedure: Procedure) -> bool:
    """Whether a procedure stands inside of another one, or of a main program."""
    outer = procedure.scope.outer
    return outer is not None and not outer.module and outer.outer is not None


def is_hidden(procedure: Procedure) -> bool:
    """Whether a procedure is a part of another one, whose variables it may use."""
    outer = procedure.scope.outer
    return is_inside(procedure) and outer is not None and not outer.is_main


def _asks(symbol: Symbol) -> bool:
    """Whether callers must know how an argument is declared."""
    return bool(symbol.attributes & _BY_INTERFACE) or any(upper is None for _, upper in symbol.bounds)


def _interface(tree: Any) -> str:
    specification = part(tree, "Specification_Part")
    lines = [tree.children[0], *([specification] if specification is not None else []), tree.children[-1]]
    return "\n".join(str(line) for line in lines)


def _kind(symbol: Symbol) -> int:
    selector = symbol.spec.children[1] if symbol.spec is not None and kind_of(symbol.spec) != "NoneType" else None
    told = [child for child in getattr(selector, "children", ()) if not isinstance(child, str)]
    found = integer_of(told[0], symbol.home) if told and symbol.home is not None else None
    return 4 if found is None else found
