"""Declarations of Fortran read: what the specification part of a unit says of the names of its scope.

`use` brings in names of other modules of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.symbols import (
    ASSUMED,
    CONSTANTS,
    INTRINSIC_MODULES,
    OPEN_LENGTH,
    POLYMORPHIC,
    Derived,
    Scope,
    Symbol,
    default_types,
    derived_of,
    implicit_type,
    is_one,
    is_open,
    type_of,
)
from tensorlift.frontends.fortran.syntax import kind_of, statement_line
from tensorlift.ops.c_types import CHAR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.frontends.fortran.symbols import Bounds

_ATTRIBUTES = ("allocatable", "pointer", "target", "optional", "value", "save", "external", "volatile", "contiguous")
_ALONE = {f"{name.capitalize()}_Stmt": name for name in _ATTRIBUTES}
# Statements that say nothing of what is computed.
_SILENT = {"Comment", "Format_Stmt", "Intrinsic_Stmt", "NoneType"}
_TYPES = {"Intrinsic_Type_Spec", "Declaration_Type_Spec"}

_MOST_VALUES = 10_000  # of `data` that are looked at


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
    flat.sort(key=lambda statement: kind_of(statement) == "Data_Stmt")  # which may stand before declarations
    scope.implicit = scope.outer.implicit if scope.outer is not None else default_types(scope.file.settings.real_kind)
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
            own.derived = derived_of(spec, scope)
    for symbol in scope.names.values():
        if not symbol.is_declared and symbol.home is scope:
            symbol.ctype, symbol.unread = implicit_type(scope, symbol.name)


def block_scope(outer: Scope, construct: Any) -> Scope:
    """Give the scope of a `block`, made where it is first asked for."""
    if id(construct) not in outer.blocks:
        made = Scope(outer.file, outer.first, outer, is_block=True)
        specification = next((c for c in construct.children if kind_of(c) == "Specification_Part"), None)
        outer.blocks[id(construct)] = made
        read_scope(made, specification, {})
    return outer.blocks[id(construct)]


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
        lost = refusal("module", scope.location(statement, module), module)
        scope.lacking |= dict.fromkeys(pairs if only else ("", *pairs), lost)
        return
    listed = (*known.names, *known.procedures, *known.renamed, *known.types, *known.generics)
    public = [name for name in listed if known.exports(name)]
    scope.lacking |= {} if only or known.private else known.lacking
    taken = pairs if only else {**{name: name for name in public}, **pairs}
    for own in [own for own, other in taken.items() if other not in public]:
        other = taken.pop(own)
        no_such_name = refusal("module-name", scope.location(statement, other), other)
        scope.lacking[own] = known.lacking.get(other) or known.lacking.get("") or no_such_name
    _bring_in(scope, known, taken)


def _bring_in(scope: Scope, known: Scope, names: Mapping[str, str]) -> None:
    """Take names of a module by what they are called here."""
    for own, other in names.items():
        if other in known.names:
            scope.names[own] = known.names[other]
        if other in known.procedures:
            scope.procedures[own] = known.procedures[other]
        if other in known.renamed:
            scope.renamed[own] = known.renamed[other]
        if other in known.types:
            scope.types[own] = known.types[other]
        if other in known.generics:
            scope.generics[own] = [*scope.generics.get(own, ()), *known.generics[other]]


def _access(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    is_public, names = str(statement.children[0]).lower() == "public", statement.children[1]
    if names is None:
        scope.private = not is_public
    for name in getattr(names, "children", ()) or ():
        scope.access[str(name).lower()] = is_public


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
            symbol.ctype, symbol.unread = (CHAR, "") if is_one(length) else (None, "text")
        stated = spec.children[1] if length is None else length
        if symbol.ctype is CHAR and stated is not None and is_open(stated):
            symbol.attributes |= {OPEN_LENGTH}
        symbol.spec = spec
        symbol.derived = derived_of(spec, scope)
        symbol.attributes |= names | ({POLYMORPHIC} if str(spec.children[0]).lower() == "class" else set())
        if names & {"private", "public"}:
            scope.access[symbol.name] = "public" in names
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
            case "Dimension_Attr_Spec" | "Dimension_Component_Attr_Spec":
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
    for block, members in statement.children[0]:
        listed = scope.commons.setdefault(str(block or "").lower(), [])
        for member in members.children:
            name, bounds = member.children if kind_of(member) == "Common_Block_Object" else (member, None)
            symbol = scope.declared(str(name).lower(), statement_line(statement))
            symbol.is_shared, symbol.common = True, (str(block or "").lower(), len(listed))
            symbol.bounds = _bounds(bounds) if bounds is not None else symbol.bounds
            listed.append(symbol)


def _derived(scope: Scope, definition: Any, _modules: Mapping[str, Scope]) -> None:
    """Enter a derived type; one that is made of another one is known only where that is."""
    head, *parts = definition.children
    made = Derived(str(head.children[1]).lower(), scope)
    is_known = all(_marked(made, scope, mark) for mark in getattr(head.children[0], "children", ()) or ())
    if not is_known or head.children[2] is not None:
        return  # one that is made of another one, or has parameters
    for part in parts:
        for statement in getattr(part, "children", ()) or ():
            if kind_of(statement) == "Data_Component_Def_Stmt":
                _components(made, scope, statement)
            elif kind_of(statement) == "Specific_Binding":
                _binding(made, statement)
    scope.types[made.name] = made


def _binding(made: Derived, statement: Any) -> None:
    """Enter a procedure that is bound to a type, if it takes its object first; types around it are overridden."""
    interface, attributes, _, name, of = statement.children
    own = str(name).lower()
    marks = {str(mark).lower() for mark in getattr(attributes, "children", ()) or ()}
    if interface is None and marks <= {"pass", "public", "private", "non_overridable"}:
        made.bindings[own] = made.home, str(of if of is not None else name).lower()
    else:
        made.bindings.pop(own, None)
    for parent in made.ancestors:
        parent.overridden.add(own)


def _marked(made: Derived, scope: Scope, mark: Any) -> bool:
    """Note an attribute of a derived type; tells whether that is known."""
    if kind_of(mark) == "Access_Spec":
        scope.access[made.name] = str(mark).lower() == "public"
    if kind_of(mark) == "Type_Attr_Spec" and str(mark.children[0]).lower() == "extends":
        parent = scope.derived(str(mark.children[1]).lower())
        if parent is None:
            return False
        made.components |= parent.components
        made.bindings |= parent.bindings
        made.parents |= {parent.name, *parent.parents}
        made.ancestors += [parent, *parent.ancestors]
    return True


def _components(made: Derived, scope: Scope, statement: Any) -> None:
    spec, attributes, declared = statement.children
    ctype, unread = type_of(spec, scope)
    names, _, bounds = _attributes(attributes)
    for entity in declared.children:
        name, own, length, initial = entity.children
        symbol = Symbol(str(name).lower(), statement_line(statement), ctype, unread, home=scope, spec=spec)
        if length is not None:
            symbol.ctype, symbol.unread = None, "type"
        symbol.bounds = _bounds(own) if own is not None else bounds
        symbol.attributes = names
        symbol.derived = derived_of(spec, scope)
        symbol.value = initial.children[1] if initial is not None and str(initial.children[0]) == "=" else None
        made.components[symbol.name] = symbol


def _interface(scope: Scope, block: Any, _modules: Mapping[str, Scope]) -> None:
    """Note names that stand for several procedures, or for one that is elsewhere."""
    name = block.children[0].children[0]
    own = scope.generics.setdefault(str(name).lower(), []) if kind_of(name) == "Name" else []
    for inner in block.children[1:-1]:
        if kind_of(inner) == "Procedure_Stmt":
            own += [(scope, str(one).lower()) for one in inner.children[0].children]
        if kind_of(inner) in {"Subroutine_Body", "Function_Body"}:
            external = str(inner.children[0].children[1]).lower()
            scope.generics.setdefault(external, [])
            own.append((scope, external))


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
    """Enter the values that `data` gives to whole variables; any other one has a first value that is not known."""
    _names_in(scope, statement, "save")
    for objects, values in (one.children for one in statement.children):
        given = [value for one in values.children for value in _repeated(one)]
        named = [scope.names[str(one).lower()] for one in objects.children if kind_of(one) == "Name"]
        if len(named) < len(objects.children) or None in given:
            continue
        if len(named) == 1 and named[0].bounds:
            named[0].value = _constructor(given)
        elif len(named) == len(given) and not any(symbol.bounds for symbol in named):
            for symbol, value in zip(named, given, strict=True):
                symbol.value = value


def _repeated(value: Any) -> list[Any]:
    """Give a value of `data` as often as it stands for; None where that is no number."""
    if kind_of(value) != "Data_Stmt_Value":
        return [value]
    count = str(value.children[0])
    return [value.children[1]] * int(count) if count.isdigit() and int(count) <= _MOST_VALUES else [None]


def _constructor(values: Sequence[Any]) -> Any:
    from fparser.two.Fortran2003 import Array_Constructor  # noqa: PLC0415 - an extra

    return Array_Constructor(f"[{', '.join(map(str, values))}]")


def _equivalence(scope: Scope, statement: Any, _modules: Mapping[str, Scope]) -> None:
    _names_in(scope, statement, "equivalence")


def _attribute_statement(scope: Scope, statement: Any, mark: str) -> None:
    _names_in(scope, statement, mark)


_RULES = {
    "Access_Stmt": _access,
    "Common_Stmt": _common,
    "Data_Stmt": _data,
    "Derived_Type_Def": _derived,
    "Dimension_Stmt": _dimension,
    "Equivalence_Stmt": _equivalence,
    "Implicit_Stmt": _implicit,
    "Intent_Stmt": _intent,
    "Interface_Block": _interface,
    "Parameter_Stmt": _parameter,
    "Save_Stmt": _save,
    "Type_Declaration_Stmt": _declaration,
    "Use_Stmt": _use,
}
