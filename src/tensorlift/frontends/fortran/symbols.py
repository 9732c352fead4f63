"""What names of Fortran stand for: types, kinds, bounds and attributes, as declarations and implicit typing say.

A scope has the names of one procedure or module, and knows the one around; `use` brings in those of other modules of
the file.  What is declared and not read, such as a pointer or text, refuses nothing until it is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tensorlift.frontends.fortran.syntax import kind_of, statement_line
from tensorlift.ops.c_types import BOOL, CHAR, DOUBLE, FLOAT, INT, LONG, SCALAR_TYPES, FloatType, IntegerType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.fortran.syntax import File

Numeric: TypeAlias = IntegerType | FloatType
Bounds: TypeAlias = tuple[
    Any, Any
]  # trees of a lower and an upper bound, None where there is none; `*` for assumed size

INTEGER_KINDS: dict[int, IntegerType] = {
    width // 8: kind
    for width, kind in ((8, SCALAR_TYPES["signed char"]), (16, SCALAR_TYPES["short"]), (32, INT), (64, LONG))
    if isinstance(kind, IntegerType)
}
REAL_KINDS: dict[int, FloatType] = {4: FLOAT, 8: DOUBLE}
_ATTRIBUTES = ("allocatable", "pointer", "target", "optional", "value", "save", "external", "volatile", "contiguous")
_ALONE = {f"{name.capitalize()}_Stmt": name for name in _ATTRIBUTES}
ASSUMED = "*"
# Statements that say nothing of what is computed.
_SILENT = {"Access_Stmt", "Comment", "Derived_Type_Def", "Format_Stmt", "Interface_Block", "Intrinsic_Stmt", "NoneType"}
_TYPES = {"Intrinsic_Type_Spec", "Declaration_Type_Spec"}


@dataclass(eq=False, repr=False)
class Symbol:
    """A declared name; ``ctype`` is None for a type that is not read, which ``unread`` tells."""

    name: str
    line: int
    ctype: Numeric | None = None
    unread: str = ""  # a row of the refusals: derived, complex, type
    bounds: tuple[Bounds, ...] = ()
    attributes: set[str] = field(default_factory=set)
    intent: str = ""
    value: Any = None  # the tree of an initial value
    spec: Any = None  # the tree of its type
    is_declared: bool = False
    is_dummy: bool = False
    is_result: bool = False
    is_shared: bool = False
    home: Scope | None = None

    @property
    def is_constant(self) -> bool:
        """Whether it is a named constant."""
        return "parameter" in self.attributes


@dataclass(eq=False, repr=False)
class Procedure:
    """A subroutine or function; ``result`` names what a function gives."""

    name: str
    line: int  # in the file
    tree: Any
    scope: Scope
    dummies: tuple[str, ...]
    result: str = ""


@dataclass(eq=False, repr=False)
class Scope:
    """The names of a procedure or a module; ``first`` is the line before its unit in the file."""

    file: File
    first: int
    outer: Scope | None = None
    names: dict[str, Symbol] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)  # constants of intrinsic modules
    implicit: dict[str, tuple[Numeric | None, str]] | None = None  # by first letters; None where nothing is implicit
    saves_all: bool = False
    unread: list[Any] = field(default_factory=list)  # statements that say what is not read
    module: str = ""  # its name, where it is one
    is_main: bool = False  # whether it is a main program's

    def location(self, node: Any, text: str = "") -> Location:
        """Give the place of a piece of syntax of this scope."""
        return self.file.location(self.first + statement_line(node), text or str(node))

    def find(self, name: str) -> Symbol | None:
        """Look a name up here and around."""
        return self.names.get(name) or (self.outer.find(name) if self.outer is not None else None)

    def procedure(self, name: str) -> Procedure | None:
        """Look a procedure up here and around."""
        return self.procedures.get(name) or (self.outer.procedure(name) if self.outer is not None else None)

    def intrinsic_constant(self, name: str) -> int | None:
        """Give a constant of an intrinsic module that is used here or around."""
        known = self.renamed.get(name)
        if known is not None:
            return CONSTANTS[known]
        return self.outer.intrinsic_constant(name) if self.outer is not None else None

    def declared(self, name: str, line: int) -> Symbol:
        """Give a name of this scope, made where it is new."""
        if name not in self.names:
            self.names[name] = Symbol(name, line, home=self)
        return self.names[name]


# Kinds that `iso_fortran_env` and `iso_c_binding` name.
CONSTANTS = {
    "int8": 1, "int16": 2, "int32": 4, "int64": 8, "real32": 4, "real64": 8,
    "c_int": 4, "c_long": 8, "c_long_long": 8, "c_short": 2, "c_size_t": 8, "c_signed_char": 1,
    "c_int8_t": 1, "c_int16_t": 2, "c_int32_t": 4, "c_int64_t": 8, "c_float": 4, "c_double": 8,
    "c_bool": 1,
}  # fmt: skip
INTRINSIC_MODULES = {"iso_fortran_env", "iso_c_binding"}


def type_of(spec: Any, scope: Scope) -> tuple[Numeric | None, str]:
    """Give the type that a declaration names, or why it is not read."""
    from tensorlift.frontends.fortran.constants import integer_of  # noqa: PLC0415 - constants need symbols

    if kind_of(spec) != "Intrinsic_Type_Spec":
        return None, "derived"
    name, selector = str(spec.children[0]).lower(), spec.children[1]
    if name == "double precision":
        return DOUBLE, ""
    if name in {"complex", "double complex"}:
        return None, "complex"
    if name == "character":
        return (CHAR, "") if selector is None or _is_one(selector) else (None, "text")
    if name not in {"integer", "real", "logical"}:
        return None, "type"
    kind: int | None = 4
    if selector is not None:
        told = [child for child in selector.children if not isinstance(child, str)]
        kind = integer_of(told[0], scope) if told else None
    if name == "logical":
        return (BOOL, "") if kind in {1, 2, 4, 8} else (None, "type")
    kinds: Mapping[int, Numeric] = INTEGER_KINDS if name == "integer" else REAL_KINDS
    found = kinds.get(kind if kind is not None else 0)
    return found, "" if found is not None else "type"


def _is_one(length: Any) -> bool:
    """Whether the length of text is one, or open, as of arguments of which the first character is read."""
    return re.sub(r"len\s*=|[()\s]", "", str(length).lower()).removeprefix("*") in {"1", "*", ""}


def default_types() -> dict[str, tuple[Numeric | None, str]]:
    """Give the types of names that nothing declares, by their first letters."""
    return {letter: (INT if "i" <= letter <= "n" else FLOAT, "") for letter in "abcdefghijklmnopqrstuvwxyz"}


def read_scope(  # noqa: PLR0913, PLR0917 - all that a first statement says
    scope: Scope,
    specification: Any,
    modules: Mapping[str, Scope],
    dummies: tuple[str, ...] = (),
    result: str = "",
    prefix: Any = None,
) -> None:
    """Enter what the first statement and the specification part of a unit declare."""
    statements = list(getattr(specification, "children", ()) or ())
    flat = [inner for statement in statements for inner in _flattened(statement)]
    scope.implicit = scope.outer.implicit if scope.outer is not None else default_types()
    for statement in flat:
        rule = _RULES.get(kind_of(statement))
        if rule is not None:
            rule(scope, statement, modules)
        elif kind_of(statement) in _ALONE:
            _attribute_statement(scope, statement, _ALONE[kind_of(statement)])
        elif kind_of(statement) not in _SILENT:
            scope.unread.append(statement)
    for name in (*dummies, *([result] if result else [])):
        symbol = scope.declared(name, 1)
        symbol.is_dummy, symbol.is_result = name in dummies, name == result and name not in dummies
    for spec in getattr(prefix, "children", ()) or ():
        if result and kind_of(spec) in _TYPES:
            own = scope.names[result]
            own.is_declared, own.spec = True, spec
            own.ctype, own.unread = type_of(spec, scope)
    for symbol in scope.names.values():
        if not symbol.is_declared and symbol.home is scope:
            symbol.ctype, symbol.unread = implicit_type(scope, symbol.name)


def implicit_type(scope: Scope, name: str) -> tuple[Numeric | None, str]:
    """Give the type of a name that is not declared."""
    return (scope.implicit or {}).get(name[0], (None, "undeclared"))


def _flattened(statement: Any) -> Iterator[Any]:
    """Yield the statements of a part of a specification."""
    if kind_of(statement) == "Implicit_Part":
        yield from statement.children
    else:
        yield statement


def _implicit(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    told = statement.children[0]
    if isinstance(told, str):
        scope.implicit = {}
        return
    scope.implicit = dict(scope.implicit or {})
    for spec in told.children:
        kind, letters = spec.children
        found = type_of(kind, scope)
        for letter in letters.children:
            first, last = ([*map(str, letter.children)] if getattr(letter, "children", None) else [str(letter)] * 2)[:2]
            for code in range(ord(first.lower()), ord((last or first).lower()) + 1):
                scope.implicit[chr(code)] = found


def _use(scope: Scope, statement: Any, modules: Mapping[str, Scope]) -> None:
    """Bring in names of a module; those of modules that are not in the file are unknown where they are used."""
    module = str(statement.children[2]).lower()
    wanted = statement.children[4] if len(statement.children) > 4 else None  # noqa: PLR2004 - the list of names
    pairs: dict[str, str] = {}
    for item in getattr(wanted, "children", ()) or ():
        own, other = (item.children[1], item.children[2]) if kind_of(item) == "Rename" else (item, item)
        pairs[str(own).lower()] = str(other).lower()
    only = "only" in str(statement.children[3] or "").lower()
    if module in INTRINSIC_MODULES:
        found = pairs if only else {name: name for name in CONSTANTS} | pairs
        scope.renamed |= {own: other for own, other in found.items() if other in CONSTANTS}
        return
    known = modules.get(module)
    if known is None:
        return
    public = {*known.names, *known.procedures, *known.renamed}
    for own, other in (pairs if only else {**{name: name for name in public}, **pairs}).items():
        if other in known.names:
            scope.names[own] = known.names[other]
        if other in known.procedures:
            scope.procedures[own] = known.procedures[other]
        if other in known.renamed:
            scope.renamed[own] = known.renamed[other]


def _declaration(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    spec, attributes, entities = statement.children
    ctype, unread = type_of(spec, scope)
    names, intent, bounds = _attributes(attributes)
    for entity in entities.children:
        name, own, length, initial = entity.children
        symbol = scope.declared(str(name).lower(), statement_line(statement))
        symbol.is_declared = True
        symbol.ctype, symbol.unread = (ctype, unread) if length is None else (None, "type")
        if length is not None and str(spec.children[0]).lower() == "character":
            symbol.ctype, symbol.unread = (CHAR, "") if _is_one(length) else (None, "text")
        symbol.spec = spec
        symbol.attributes |= names
        symbol.intent = intent or symbol.intent
        symbol.bounds = _bounds(own) if own is not None else bounds or symbol.bounds
        if initial is not None:
            symbol.value = initial.children[1]
            if not symbol.is_constant:
                symbol.attributes.add("save")


def _attributes(listed: Any) -> tuple[set[str], str, tuple[Bounds, ...]]:
    names: set[str] = set()
    intent = ""
    bounds: tuple[Bounds, ...] = ()
    for one in getattr(listed, "children", ()) or ():
        match kind_of(one):
            case "Intent_Attr_Spec":
                intent = str(one.children[1]).lower().replace(" ", "")
            case "Dimension_Attr_Spec":
                bounds = _bounds(one.children[1])
            case _:
                names.add(str(one).lower())
    return names, intent, bounds


def _bounds(listed: Any) -> tuple[Bounds, ...]:
    """Give the bounds of the dimensions of an array."""
    if kind_of(listed) == "Assumed_Size_Spec":
        explicit, lower = listed.children
        return (*(_bounds(explicit) if explicit is not None else ()), (lower, ASSUMED))
    found: list[Bounds] = []
    for one in listed.children:
        lower, upper = (*one.children, None)[:2] if getattr(one, "children", None) else (None, one)
        found.append((lower, upper))
    return tuple(found)


def _dimension(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    for name, bounds in statement.children[0]:
        scope.declared(str(name).lower(), statement_line(statement)).bounds = _bounds(bounds)


def _parameter(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    for definition in statement.children[1].children:
        name, value = definition.children
        symbol = scope.declared(str(name).lower(), statement_line(statement))
        symbol.attributes.add("parameter")
        symbol.value = value


def _intent(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    intent, names = statement.children[0], statement.children[-1]
    for name in names.children:
        scope.declared(str(name).lower(), statement_line(statement)).intent = str(intent).lower().replace(" ", "")


def _common(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    for _, members in statement.children[0]:
        for member in members.children:
            name, bounds = member.children if kind_of(member) == "Common_Block_Object" else (member, None)
            symbol = scope.declared(str(name).lower(), statement_line(statement))
            symbol.is_shared = True
            symbol.bounds = _bounds(bounds) if bounds is not None else symbol.bounds


def _save(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    names = statement.children[1]
    for name in getattr(names, "children", ()) or ():
        scope.declared(str(name).lower().strip("/ "), statement_line(statement)).attributes.add("save")
    if names is None:
        scope.saves_all = True


def _names_in(scope: Scope, statement: Any, mark: str) -> None:
    """Mark all names of a statement."""
    from fparser.two.Fortran2003 import Name  # noqa: PLC0415 - an extra
    from fparser.two.utils import walk  # noqa: PLC0415 - an extra

    for name in walk(statement, Name):
        scope.declared(str(name).lower(), statement_line(statement)).attributes.add(mark)


def _data(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    _names_in(scope, statement, "save")


def _equivalence(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    _names_in(scope, statement, "equivalence")


def _attribute_statement(scope: Scope, statement: Any, mark: str) -> None:
    _names_in(scope, statement, mark)


_RULES = {
    "Common_Stmt": _common,
    "Data_Stmt": _data,
    "Dimension_Stmt": _dimension,
    "Equivalence_Stmt": _equivalence,
    "Implicit_Stmt": _implicit,
    "Intent_Stmt": _intent,
    "Parameter_Stmt": _parameter,
    "Save_Stmt": _save,
    "Type_Declaration_Stmt": _declaration,
    "Use_Stmt": _use,
}
