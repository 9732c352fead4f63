"""The procedures of a file, with their scopes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.frontends.fortran.declarations import read_scope
from tensorlift.frontends.fortran.symbols import Procedure, Scope, default_types
from tensorlift.frontends.fortran.syntax import kind_of, parse_units, part

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.syntax import File, Unit

_SUBPROGRAMS = {"Subroutine_Subprogram", "Function_Subprogram"}


@dataclass
class ParsedFortran:
    """A file: its procedures by name in the order of the file, and those that do not parse, with their lines."""

    file: File
    procedures: dict[str, Procedure] = field(default_factory=dict)
    unread: dict[str, tuple[int, LiftError]] = field(default_factory=dict)


def parse_fortran(text: str, filename: str) -> ParsedFortran:
    """Parse a file; raises ``LiftError`` for what concerns all of it."""
    file, units = parse_units(text, filename)
    parsed = ParsedFortran(file)
    around = Scope(file, 0, implicit=default_types())
    modules: dict[str, Scope] = {}
    for unit in units:
        if unit.error is not None:
            named = unit.names or ((unit.name or "program", unit.line + 1),)
            parsed.unread |= {name: (line, unit.error) for name, line in named}
            continue
        try:
            _enter(parsed, unit, unit.tree, around, modules)
        except Exception as error:
            if "TENSORLIFT_DEBUG" in os.environ:
                raise
            place = file.location(unit.line + 1)
            parsed.unread[unit.name or "program"] = unit.line + 1, LiftError(internal_error(error, place))
    return parsed


def _enter(parsed: ParsedFortran, unit: Unit, tree: Any, outer: Scope, modules: dict[str, Scope]) -> None:
    """Enter a unit and what it contains."""
    kind = kind_of(tree)
    if kind in _SUBPROGRAMS:
        _procedure(parsed, unit, tree, outer, modules)
    elif kind in {"Module", "Main_Program", "Main_Program0", "Program"}:
        inside = Scope(
            outer.file, unit.line, outer, module=unit.name if kind == "Module" else "", is_main=kind != "Module"
        )
        read_scope(inside, part(tree, "Specification_Part"), modules)
        _contained(parsed, unit, tree, inside, modules)
        if kind == "Module":
            modules[unit.name] = inside
            inside.last = unit.line + tree.children[-1].item.span[0]
            inside.contains = part(tree, "Module_Subprogram_Part") is not None


def _contained(parsed: ParsedFortran, unit: Unit, tree: Any, scope: Scope, modules: dict[str, Scope]) -> None:
    inner = part(tree, "Module_Subprogram_Part") or part(tree, "Internal_Subprogram_Part")
    for child in getattr(inner, "children", ()) or ():
        if kind_of(child) in _SUBPROGRAMS:
            _procedure(parsed, unit, child, scope, modules)


def _procedure(parsed: ParsedFortran, unit: Unit, tree: Any, outer: Scope, modules: dict[str, Scope]) -> None:
    first = tree.children[0]
    prefix, name, listed, suffix = first.children
    own = str(name).lower()
    scope = Scope(outer.file, unit.line, outer)
    dummies = tuple(str(d).lower() for d in getattr(listed, "children", ()) or ())
    result = ""
    if kind_of(tree) == "Function_Subprogram":
        told = [c for c in getattr(suffix, "children", ()) or () if kind_of(c) == "Name"]
        result = str(told[0]).lower() if told else own
    line = unit.line + first.item.span[0]
    made = Procedure(own, line, tree, scope, dummies, result)
    outer.procedures[own] = made
    outer.outermost.everything.append(made)
    parsed.procedures.setdefault(own, made)
    read_scope(scope, part(tree, "Specification_Part"), modules, dummies, result, prefix)
    _contained(parsed, unit, tree, scope, modules)
