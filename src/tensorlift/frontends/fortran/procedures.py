"""The procedures of a file, with their scopes."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.frontends.fortran.constants import arguments_of, integer_of
from tensorlift.frontends.fortran.declarations import read_scope
from tensorlift.frontends.fortran.symbols import ASSUMED, Procedure, Scope, default_types
from tensorlift.frontends.fortran.syntax import (
    SUFFIXES,
    Settings,
    body,
    is_intrinsic,
    kind_of,
    nodes_in,
    parse_units,
    part,
)
from tensorlift.frontends.fortran.uses import uses_of

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.syntax import File, Unit

_SUBPROGRAMS = {"Subroutine_Subprogram", "Function_Subprogram"}
_UNITS = {"Module", *_SUBPROGRAMS}
_MOST_NAMED = 40  # external procedures that are looked for in other files
_BY_NAME = {"lsame", "xerbla"}  # which are known by their names


@dataclass
class ParsedFortran:
    """A file: its procedures by name in the order of the file, and those that do not parse, with their lines."""

    file: File
    procedures: dict[str, Procedure] = field(default_factory=dict)
    unread: dict[str, tuple[int, LiftError]] = field(default_factory=dict)


class _Modules(dict[str, Scope]):
    """The modules of a file, and those of other files that it uses: of its folder, and of those that are given.

    External procedures are looked for in files that are called after them, as libraries keep them: `dlapy2.f`.
    """

    def __init__(self, file: File, around: Scope) -> None:
        """Begin with none."""
        super().__init__()
        self.around, self.settings = around, file.settings
        own = [Path(file.name).parent] if Path(file.name).is_file() else []
        self.folders = [*own, *map(Path, file.settings.folders)]
        self.sought: set[str] = set()
        self.named: set[str] = set()
        around.elsewhere = self.procedure

    def get(self, name: str, default: Any = None) -> Any:
        """Give a module; its file is read where it is first asked for."""
        if name not in self and name not in self.sought:
            self.sought.add(name)
            found = self._file_of(name)
            if found is not None:
                self._read(found)
        return super().get(name, default)

    def procedure(self, name: str) -> Procedure | None:
        """Give an external procedure of a file of its name; that is read where it is first asked for."""
        if name not in self.named and name not in _BY_NAME and not is_intrinsic(name):
            self.named.add(name)
            names = [stem + suffix for stem in (name, name.upper()) for suffix in sorted(SUFFIXES)]
            paths = (folder / one for folder in self.folders for one in names)
            found = next((path for path in paths if path.is_file()), None)
            if found is not None and len(self.named) <= _MOST_NAMED:
                self._read(found)
        return self.around.procedures.get(name)

    def _file_of(self, module: str) -> Path | None:
        begins = re.compile(rf"^\s*module\s+{re.escape(module)}\s*(?:!.*)?$", re.IGNORECASE | re.MULTILINE)
        for folder in self.folders:
            paths = sorted(folder.iterdir()) if folder.is_dir() else []
            sources = [path for path in paths if path.suffix.lower() in SUFFIXES and path.is_file()]
            found = [one for one in sources if begins.search(one.read_bytes().decode("utf-8", "replace"))]
            if found:
                return found[0] if len(found) == 1 else None  # nobody knows which one is meant
        return None

    def _read(self, path: Path) -> None:
        file, units = parse_units(path.read_bytes().decode("utf-8", "replace"), str(path), self.settings)
        other = ParsedFortran(file)
        for unit in units:
            if unit.tree is not None and kind_of(unit.tree) in _UNITS and not self.has(unit.name):
                _enter(other, unit, unit.tree, self.around, self)
        self.around.others.append(str(path))

    def has(self, unit: str) -> bool:
        """Whether a module or an external procedure is known."""
        return unit in self or unit in self.around.procedures


def parse_fortran(text: str, filename: str, settings: Settings = Settings()) -> ParsedFortran:  # noqa: B008 - frozen
    """Parse a file; raises ``LiftError`` for what concerns all of it."""
    file, units = parse_units(text, filename, settings)
    parsed = ParsedFortran(file)
    around = Scope(file, 0, implicit=default_types(settings.real_kind))
    modules = _Modules(file, around)
    for unit in units:
        parsed.unread |= unit.errors
        if unit.tree is None:
            continue
        try:
            _enter(parsed, unit, unit.tree, around, modules)
        except Exception as error:
            if "TENSORLIFT_DEBUG" in os.environ:
                raise
            place = file.location(unit.line + 1)
            parsed.unread[unit.name or "program"] = unit.line + 1, LiftError(internal_error(error, place))
    for procedure in parsed.procedures.values():
        _settle_constants(procedure)
    return parsed


def _settle_constants(procedure: Procedure) -> None:
    """Take variables with a first value that nothing writes for the constants that they are."""
    for symbol in procedure.scope.names.values():
        is_own = symbol.home is procedure.scope and not (symbol.is_dummy or symbol.is_result or symbol.is_outside)
        has_value = "save" in symbol.attributes and symbol.value is not None and symbol.derived is None
        has_alias = symbol.attributes & {"pointer", "target", "equivalence", "volatile"}
        if is_own and has_value and not has_alias and symbol not in uses_of(procedure).written:
            symbol.attributes.add("parameter")


def _open_last_extents(procedure: Procedure) -> None:
    """Leave the last extent of `x(1)` open where other subscripts are used, as programs did before there was `x(*)`.

    So is that of a packed triangle, half a product, where the array is used by its elements alone.
    """
    symbols = {name: procedure.scope.names[name] for name in procedure.dummies}
    old = {name for name, one in symbols.items() if one.bounds and [*map(str, one.bounds[-1])] == ["None", "1"]}
    packed = {
        name for name, one in symbols.items() if len(one.bounds) == 1 and _is_half_a_product(one.bounds[0][1], one.home)
    }
    named, elements = Counter[str](), Counter[str]()
    for node in nodes_in(body(procedure) if old | packed else ()):
        kind = kind_of(node)
        if kind == "Name":
            named[str(node).lower()] += 1
        elif kind == "Part_Ref":
            name, last = str(node.children[0]).lower(), arguments_of(node)[-1][1]
            elements[name] += kind_of(last) != "Subscript_Triplet"
            if name in old and kind_of(last) != "Subscript_Triplet" and str(last) != "1":
                symbols[name].bounds = (*symbols[name].bounds[:-1], (None, ASSUMED))
    for name in packed:
        if named[name] == elements[name]:
            symbols[name].bounds = ((symbols[name].bounds[0][0], ASSUMED),)


def _is_half_a_product(bound: Any, scope: Scope | None) -> bool:
    """Tell whether a bound divides a product of sizes, which no sum of sizes is."""
    operands = [n.children for n in nodes_in((bound,)) if kind_of(n) == "Add_Operand"] if bound != ASSUMED else []
    products = [sides for *sides, _ in ((a, b, op) for a, op, b in operands if str(op) == "*")]
    is_product = scope is not None and any(all(integer_of(s, scope) is None for s in sides) for sides in products)
    return is_product and any(str(op) == "/" for _, op, _ in operands)


def _enter(parsed: ParsedFortran, unit: Unit, tree: Any, outer: Scope, modules: dict[str, Scope]) -> None:
    """Enter a unit and what it contains."""
    kind = kind_of(tree)
    if kind in _SUBPROGRAMS:
        _procedure(parsed, unit, tree, outer, modules)
    elif kind in {"Module", "Main_Program", "Main_Program0", "Program"}:
        inside = Scope(
            unit.file, unit.line, outer, module=unit.name if kind == "Module" else "", is_main=kind != "Module"
        )
        inside.lacking |= {name: error for name, (_, error) in unit.errors.items()}
        read_scope(inside, part(tree, "Specification_Part"), modules)
        _contained(parsed, unit, tree, inside, modules)
        if kind == "Module":
            modules[unit.name] = inside
            inside.last = unit.file.line_in_file(unit.line + tree.children[-1].item.span[0])
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
    scope = Scope(unit.file, unit.line, outer)
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
    _open_last_extents(made)
    _contained(parsed, unit, tree, scope, modules)
