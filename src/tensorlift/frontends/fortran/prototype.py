"""How Fortran calls a procedure, as facts for what compiles the original: written into the loop IR as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import integer_of
from tensorlift.frontends.fortran.items import items_of, lower_bounds
from tensorlift.frontends.fortran.signature import is_flat
from tensorlift.frontends.fortran.symbols import evaluated
from tensorlift.frontends.fortran.syntax import kind_of, part
from tensorlift.ops.c_types import BOOL, CHAR, ComplexType, FloatType

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.symbols import Procedure, Symbol

_BY_INTERFACE = {"value", "allocatable", "pointer", "optional"}


def prototype_of(procedure: Procedure) -> dict[str, Any]:
    """Say where a procedure stands, what it takes in which order, and what it gives.

    ``interface`` is its interface body where Fortran asks callers for one; ``logical`` has the kinds of truth values,
    ``complex`` the names of the parts of numbers, none for memory, ``text`` the characters,
    ``flat`` the arrays that may have more dimensions in the program, row after row.
    ``made`` are variables that are made to be passed, with their types and ranks, ``uses`` the modules that define
    these types, ``commons`` declarations of common blocks.  ``parts`` are what is reached by other names than that of
    an argument: where it lies, a module or nothing, and the names that lead there, each with its rank, how it comes to
    be, and lower bounds.  ``modules`` are the lines that those end on, whether they have procedures, and their
    files, of ``others``, if not the same.
    """
    scope, tree = procedure.scope, procedure.tree
    outer = scope.outer
    symbols = [scope.names[name] for name in (*procedure.dummies, *([procedure.result] if procedure.result else []))]
    result = scope.names[procedure.result] if procedure.result else None
    module = outer.module if outer is not None else ""
    items = items_of(procedure)
    names = {item.symbol: item.name for item in items}
    asks = any(_asks(symbol) for symbol in symbols) or (result is not None and bool(result.bounds))
    return {
        "fixed": scope.file.is_fixed,
        "module": module,
        "is_inside": is_inside(procedure),
        "arguments": list(procedure.dummies),
        "result": names[result] if result is not None else "",
        "interface": _interface(tree) if asks and not module else "",
        "logical": {names.get(s, s.name): _kind(s) for s in symbols if s.ctype is BOOL},
        "complex": {item.name: item.parts for item in items if isinstance(item.symbol.ctype, ComplexType)},
        "text": [s.name for s in symbols if s.ctype is CHAR],
        "flat": [s.name for s in symbols if is_flat(s)],
        **_places(procedure),
    }


def _places(procedure: Procedure) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    dummies = [procedure.scope.names[name] for name in procedure.dummies if name in procedure.scope.names]
    own = [one for one in dummies if one.derived is not None or "allocatable" in one.attributes]
    made = {one.name: [_spelled(one), len(one.bounds)] for one in own}
    uses = [[one.derived.home.module, one.derived.name] for one in own if one.derived is not None]
    commons: dict[str, str] = {}
    homes = [procedure.scope.outer]
    for item in items_of(procedure):
        variable = item.symbol.variable
        if not item.symbol.is_outside:
            if variable.name in made:
                parts[item.name] = ["", _path(item.symbol, f"tm_{variable.name}")]
        elif variable.common is not None:
            block, place = variable.common
            commons.setdefault(block, _common(variable))
            parts[item.name] = ["", _path(item.symbol, f"tc_{block}_{place}")]
        else:
            homes.append(variable.home)
            parts[item.name] = [variable.home.module if variable.home else "", _path(item.symbol, variable.name)]
    modules = {
        home.module: [home.last, home.contains, "" if home.file is procedure.scope.file else home.file.name]
        for home in homes
        if home is not None and home.module
    }
    return {
        "parts": parts,
        "made": made,
        "uses": uses,
        "commons": [*commons.values()],
        "modules": modules,
        "others": procedure.scope.outermost.others,
    }


def _path(symbol: Symbol, first: str) -> list[list[Any]]:
    """List the names that lead to a part, each with its rank, and whether it is allocated, or pointed to."""
    if symbol.above is None or symbol.component is None:
        mark = min(symbol.attributes & {"allocatable", "pointer"}, default="")
        is_made = bool(symbol.bounds) and first.startswith("tm_")
        return [[first, len(symbol.bounds), "allocatable" if is_made else mark, _lower(symbol)]]
    own = symbol.component
    mark = min(own.attributes & {"allocatable", "pointer"}, default="")
    return [*_path(symbol.above, first), [own.name, len(own.bounds), mark, _lower(symbol)]]


def _lower(symbol: Symbol) -> list[int]:
    """Give the lower bounds with which a part is allocated."""
    own = symbol.component or symbol
    return lower_bounds(symbol) if own.is_deferred else [1] * len(own.bounds)


def _spelled(symbol: Symbol) -> str:
    """Spell the type of a variable."""
    if symbol.derived is not None:
        return f"type({symbol.derived.name})"
    if symbol.ctype is BOOL:
        return f"logical({_kind(symbol)})"
    assert symbol.ctype is not None
    if isinstance(symbol.ctype, ComplexType):
        return f"complex({symbol.ctype.part.width // 8})"
    return f"{'real' if isinstance(symbol.ctype, FloatType) else 'integer'}({symbol.ctype.width // 8})"


def _common(member: Symbol) -> str:
    """Declare a common block with names of its own."""
    assert member.common is not None
    assert member.home is not None
    block, _ = member.common
    lines, names = [], []
    for place, symbol in enumerate(member.home.commons[block]):
        name = f"tc_{block}_{place}"
        bounds = [evaluated(bound, member.home) for bound in symbol.bounds]
        shape = ", ".join(f"{1 if low is None else low}:{high}" for low, high in bounds)
        lines.append(f"{_spelled(symbol)} :: {name}{f'({shape})' if shape else ''}")
        names.append(name)
    return "\n".join([*lines, f"common /{block}/ {', '.join(names)}"])


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
