"""The procedures of a file, with their scopes, and which of their arguments they write."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.frontends.fortran.constants import arguments_of
from tensorlift.frontends.fortran.symbols import Procedure, Scope, default_types, read_scope
from tensorlift.frontends.fortran.syntax import kind_of, parse_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.frontends.fortran.syntax import File, Unit

_SUBPROGRAMS = {"Subroutine_Subprogram", "Function_Subprogram"}
_CALLS = ("Part_Ref", "Function_Reference", "Structure_Constructor")


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
    parsed.procedures.setdefault(own, made)
    read_scope(scope, part(tree, "Specification_Part"), modules, dummies, result, prefix)
    _contained(parsed, unit, tree, scope, modules)


def part(tree: Any, kind: str) -> Any:
    """Give a part of a unit, None where it has none."""
    return next((child for child in tree.children if kind_of(child) == kind), None)


def body(procedure: Procedure) -> list[Any]:
    """List the executable statements of a procedure."""
    return list(getattr(part(procedure.tree, "Execution_Part"), "children", ()) or ())


def nodes_in(trees: Iterable[Any]) -> Iterator[Any]:
    """Yield all pieces of syntax in trees, outer ones first."""
    work = list(trees)[::-1]
    while work:
        node = work.pop()
        if node is None or isinstance(node, str):
            continue
        if isinstance(node, tuple | list):
            work += [*node][::-1]
            continue
        yield node
        work += [*(getattr(node, "children", ()) or ())][::-1]


def names_used(procedure: Procedure) -> set[str]:
    """Collect the names that the statements of a procedure use, and those of procedures that it contains."""
    inner = part(procedure.tree, "Internal_Subprogram_Part")
    return {str(node).lower() for node in nodes_in([*body(procedure), inner]) if kind_of(node) == "Name"}


def base_of(node: Any) -> str:
    """Name the variable that a reference begins with."""
    while kind_of(node) in {"Part_Ref", "Data_Ref", "Function_Reference", "Parenthesis", "Array_Section"}:
        node = node.children[0]
    return str(node).lower()


def written_in(procedure: Procedure, around: tuple[Procedure, ...] = ()) -> set[str]:
    """Collect the names that a procedure may write: by assignments, loops, and what it calls."""
    if procedure in around:
        return set(procedure.dummies)
    found: set[str] = set()
    for node in nodes_in(body(procedure)):
        match kind_of(node):
            case "Assignment_Stmt":
                found.add(base_of(node.children[0]))
            case "Loop_Control":
                counted = node.children[1]
                found |= {str(counted[0]).lower()} if counted else set()
            case "Call_Stmt" | "Part_Ref" | "Function_Reference" | "Structure_Constructor":
                found |= _by_call(procedure, node, (*around, procedure))
            case "Read_Stmt" | "Allocate_Stmt":
                found |= {str(name).lower() for name in nodes_in([node]) if kind_of(name) == "Name"}
    for inner in procedure.scope.procedures.values():
        if inner.scope.outer is procedure.scope:
            found |= written_in(inner, (*around, procedure)) - set(inner.scope.names)
    return found


def _by_call(procedure: Procedure, node: Any, around: tuple[Procedure, ...]) -> set[str]:
    name = str(node.children[0]).lower()
    callee = procedure.scope.procedure(name)
    symbol = procedure.scope.find(name)
    is_array = symbol is not None and bool(symbol.bounds)
    if callee is None or is_array:
        is_unknown = kind_of(node) == "Call_Stmt"
        return {base_of(argument) for _, argument in arguments_of(node)} if is_unknown else set()
    written = written_in(callee, around)
    found = set()
    for position, (keyword, argument) in enumerate(arguments_of(node)):
        dummy = keyword or (callee.dummies[position] if position < len(callee.dummies) else "")
        if dummy in written:
            found.add(base_of(argument))
    return found
