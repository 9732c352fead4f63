"""What names of Fortran stand for: types, kinds, bounds and attributes, as declarations and implicit typing say.

A scope has the names of one procedure or module, and knows the one around.  What is declared and not read, such as
text, refuses nothing until it is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.syntax import kind_of, nodes_in, statement_line
from tensorlift.ops.c_types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    PARTS,
    SCALAR_TYPES,
    ComplexType,
    FloatType,
    IntegerType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.diagnostics import LiftError, Location
    from tensorlift.frontends.fortran.syntax import File
    from tensorlift.frontends.fortran.uses import Uses

Numeric: TypeAlias = IntegerType | FloatType | ComplexType
Bounds: TypeAlias = tuple[
    Any, Any
]  # trees of a lower and an upper bound, None where there is none; `*` for assumed size

INTEGER_KINDS: dict[int, IntegerType] = {
    width // 8: kind
    for width, kind in ((8, SCALAR_TYPES["signed char"]), (16, SCALAR_TYPES["short"]), (32, INT), (64, LONG))
    if isinstance(kind, IntegerType)
}
REAL_KINDS: dict[int, FloatType] = {4: FLOAT, 8: DOUBLE}
COMPLEX_KINDS = {kind: ComplexType(f"{part.spelling} _Complex", part) for kind, part in REAL_KINDS.items()}
ASSUMED = "*"
POLYMORPHIC = "class"  # marks what may be of a type that extends its own
OPEN_LENGTH = "len=*"  # among the attributes of text
PART = "%"  # stands between a variable of a derived type and a component, in the name of that


@dataclass(eq=False, repr=False)
class Derived:
    """A derived type with its components, those of the type that it extends first."""

    name: str
    home: Scope
    components: dict[str, Symbol] = field(default_factory=dict)
    bindings: dict[str, tuple[Scope, str]] = field(default_factory=dict)  # procedures by their names as components
    parents: set[str] = field(default_factory=set)  # the names of the types that it extends
    ancestors: list[Derived] = field(default_factory=list)  # these types
    overridden: set[str] = field(default_factory=set)  # bindings that types which extend it have anew


@dataclass(eq=False, repr=False)
class Symbol:
    """A declared name; ``ctype`` is None for a type that is not read, which ``unread`` tells.

    A component of a variable is a symbol too, `state%u`, whose first dimensions are those of the variable.
    """

    name: str
    line: int
    ctype: Numeric | None = None
    unread: str = ""  # a row of the refusals: derived, text, type
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
    derived: Derived | None = None
    component: Symbol | None = None  # what a part is, as the derived type declares it
    above: Symbol | None = None  # the variable that a part belongs to
    common: tuple[str, int] | None = None  # the common block, and the place in it
    parts: dict[str, Symbol] = field(default_factory=dict)

    def part(self, name: str) -> Symbol | None:
        """Give a component; its bounds are constants of where its type is defined."""
        if self.derived is not None and name in self.derived.parents:
            return self  # of which the components are its own
        component = self.derived.components.get(name) if self.derived is not None else None
        if component is None or self.derived is None:
            return None
        if name not in self.parts:
            own = tuple(evaluated(bound, self.derived.home) for bound in component.bounds)
            marks = {*component.attributes, *(self.attributes - {"allocatable", "pointer"})}
            made = replace(
                component,
                name=f"{self.name}{PART}{name}",
                line=self.line,
                bounds=(*self.bounds, *own),
                attributes=marks,
                intent=self.intent,
                is_declared=True,
                is_dummy=self.is_dummy,
                is_result=self.is_result,
                is_shared=self.is_shared,
                home=self.home,
                component=component,
                above=self,
                common=None,
                parts={},
            )
            self.parts[name] = made
        return self.parts[name]

    def leaves(self) -> list[Symbol]:
        """List the numbers and arrays of numbers that a variable is made of."""
        if self.derived is None:
            return [self]
        parts = [self.part(name) for name in self.derived.components]
        return [leaf for part in parts if part is not None for leaf in part.leaves()]

    @property
    def variable(self) -> Symbol:
        """The variable that it is or belongs to."""
        return self if self.above is None else self.above.variable

    @property
    def hint(self) -> str:
        """Its name in programs and in MLIR, where no other name is taken."""
        return self.name.replace(PART, "_")

    @property
    def is_deferred(self) -> bool:
        """Whether what allocates it or points to an array says what its bounds are."""
        return bool(self.bounds) and bool(self.attributes & {"allocatable", "pointer"})

    @property
    def begins(self) -> bool:
        """Whether it is a component to which a derived type gives a value, or to one that it belongs to."""
        is_own = self.component is not None and self.component.value is not None
        return is_own or (self.above is not None and self.above.begins)

    @property
    def is_unmade(self) -> bool:
        """Whether it, or the array of structures that it belongs to, is allocated or pointed to by statements."""
        own = self.component or self
        return own.is_deferred or (self.above is not None and self.above.is_unmade)

    @property
    def same(self) -> Symbol:
        """The variable itself, or the first one that is found at its place of a common block that is declared alike."""
        if self.above is not None:
            found = self.above.same.part(self.name.rpartition(PART)[2])
            return self if found is None else found
        if self.common is None or self.home is None:
            return self
        members = self.home.commons[self.common[0]]
        layout = tuple(
            (one.ctype, one.derived, *(evaluated(b, self.home) for b in one.bounds), len(one.bounds)) for one in members
        )
        return self.home.outermost.shared.setdefault((*self.common, str(layout)), self)

    @property
    def is_outside(self) -> bool:
        """Whether it lies in a module, a main program or a common block, and so does not begin with its procedure."""
        scope = self.home
        around = scope is not None and bool(scope.module or scope.is_main)
        return not self.is_constant and (self.is_shared or around)

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
    uses: Uses | None = None  # filled in where it is asked for

    @property
    def is_elemental(self) -> bool:
        """Whether it is for scalars, and applies to each element of arrays."""
        prefix = self.tree.children[0].children[0]
        return any(str(one).lower() == "elemental" for one in getattr(prefix, "children", ()) or ())


def _nowhere(_name: str) -> None:
    """Find no procedure."""


@dataclass(eq=False, repr=False)
class Scope:
    """The names of a procedure or a module; ``first`` is the line before its unit in the file."""

    file: File
    first: int
    outer: Scope | None = None
    names: dict[str, Symbol] = field(default_factory=dict)
    procedures: dict[str, Procedure] = field(default_factory=dict)
    types: dict[str, Derived] = field(default_factory=dict)
    generics: dict[str, list[tuple[Scope, str]]] = field(
        default_factory=dict
    )  # interfaces: what each stands for, or none
    commons: dict[str, list[Symbol]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)  # constants of intrinsic modules
    implicit: dict[str, tuple[Numeric | None, str]] | None = None  # by first letters; None where nothing is implicit
    saves_all: bool = False
    unread: list[Any] = field(default_factory=list)  # statements that say what is not read
    module: str = ""  # its name, where it is one
    last: int = 0  # the line in the file that it ends on
    contains: bool = False  # whether it has procedures
    is_main: bool = False  # whether it is a main program's
    is_block: bool = False  # whether it is that of a `block` or `associate`
    is_associate: bool = False
    blocks: dict[int, Scope] = field(default_factory=dict)  # by the identities of their trees
    everything: list[Procedure] = field(default_factory=list)  # of the outermost scope: all procedures of the file
    others: list[str] = field(default_factory=list)  # files of modules that are used, each behind those that it uses
    private: bool = False  # whether names are, of which nothing else is said
    access: dict[str, bool] = field(default_factory=dict)  # names, and whether others see them
    shared: dict[tuple[Any, ...], Symbol] = field(default_factory=dict)  # of the outermost scope: members of commons
    lacking: dict[str, LiftError] = field(default_factory=dict)  # names used in vain, "" for any other one
    elsewhere: Callable[[str], Procedure | None] = (
        _nowhere  # of the outermost scope: external procedures of other files
    )

    @property
    def outermost(self) -> Scope:
        """The scope around all of the file."""
        return self if self.outer is None else self.outer.outermost

    def location(self, node: Any, text: str = "") -> Location:
        """Give the place of a piece of syntax of this scope."""
        return self.file.location(self.first + statement_line(node), text or str(node))

    def find(self, name: str) -> Symbol | None:
        """Look a name up here and around; `state%u` is a component."""
        if PART in name:
            above, _, own = name.rpartition(PART)
            variable = self.find(above)
            return variable.part(own) if variable is not None else None
        if name in self.names or name in self.lacking:
            return self.names.get(name)
        return self.outer.find(name) if self.outer is not None else None

    def require(self, name: str) -> None:
        """Refuse a name that is not found if it may be one of a module that is not there, or that does not have it."""
        lost = self.lacks(name)
        if lost is not None:
            raise lost

    def lacks(self, name: str) -> LiftError | None:
        """Tell why a name is used in vain, if it may be one of a module that is not there, or does not have it."""
        own = self.lacking.get(name) or self.lacking.get("")
        return own if own is not None or self.outer is None else self.outer.lacks(name)

    def derived(self, name: str) -> Derived | None:
        """Look a derived type up here and around."""
        return self.types.get(name) or (self.outer.derived(name) if self.outer is not None else None)

    def procedure(self, name: str) -> Procedure | None:
        """Look a procedure up here, around, among those that are known by their names, and in files of that name."""
        from tensorlift.frontends.fortran.known_procedures import known_procedure  # noqa: PLC0415 - it parses these

        scope: Scope | None = self
        while scope is not None:
            if name in scope.procedures:
                return scope.procedures[name]
            scope = scope.outer
        symbol = self.find(name)
        is_variable = symbol is not None and (symbol.is_dummy or bool(symbol.bounds))
        is_alone = not is_variable and not self.lacks(name) and not self.specifics(name)
        return known_procedure(name) or (self.outermost.elsewhere(name) if is_alone else None)

    def generic(self, name: str) -> str:
        """Tell why a call is refused of what an interface names, and nothing else; empty for other names."""
        if name in self.generics:
            return "generic" if self.generics[name] else "call"
        return self.outer.generic(name) if self.outer is not None else ""

    def specifics(self, name: str) -> list[Procedure]:
        """List the procedures that a name stands for, of which each call takes the one that its arguments fit."""
        symbol, found = self.names.get(name), self.generics.get(name, [])
        if not found and (name in self.procedures or (symbol is not None and (symbol.is_dummy or symbol.bounds))):
            return []
        own = [one for scope, specific in found if (one := scope.procedure(specific)) is not None]
        return [*own, *(self.outer.specifics(name) if self.outer is not None else ())]

    def intrinsic_constant(self, name: str) -> int | None:
        """Give a constant of an intrinsic module that is used here or around."""
        known = self.renamed.get(name)
        if known is not None:
            return CONSTANTS[known]
        return self.outer.intrinsic_constant(name) if self.outer is not None else None

    def exports(self, name: str) -> bool:
        """Whether those that use this module see a name."""
        return self.access.get(name, not self.private)

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
    if name == "double complex":
        return COMPLEX_KINDS[8], ""
    if name == "character":
        return (CHAR, "") if selector is None or is_one(selector) else (None, "text")
    if name not in {"integer", "real", "logical", "complex"}:
        return None, "type"
    kind: int | None = scope.file.settings.real_kind if name == "real" else 4
    if selector is not None:
        told = [child for child in selector.children if not isinstance(child, str)]
        kind = integer_of(told[0], scope) if told else None
        if name == "complex" and str(selector).startswith("*") and kind is not None:
            kind //= PARTS
    if name == "logical":
        return (BOOL, "") if kind in {1, 2, 4, 8} else (None, "type")
    kinds: dict[str, Mapping[int, Numeric]] = {"integer": INTEGER_KINDS, "real": REAL_KINDS, "complex": COMPLEX_KINDS}
    found = kinds[name].get(kind if kind is not None else 0)
    return found, "" if found is not None else "type"


def is_one(length: Any) -> bool:
    """Whether the length of text is one, or open, as of arguments of which the first character is read."""
    return is_open(length) or _length(length) == "1"


def is_open(length: Any) -> bool:
    """Whether the length of text is that of what is passed."""
    return _length(length) in {"*", ""}


def _length(stated: Any) -> str:
    return re.sub(r"len\s*=|[()\s]", "", str(stated).lower()).removeprefix("*")


def evaluated(bounds: Bounds, scope: Scope) -> Bounds:
    """Evaluate bounds that are constants."""
    from tensorlift.frontends.fortran.constants import integer_of  # noqa: PLC0415 - constants need symbols

    lower, upper = bounds
    found = [None if bound is None or bound == ASSUMED else integer_of(bound, scope) for bound in (lower, upper)]
    return lower if found[0] is None else found[0], upper if found[1] is None else found[1]


def derived_of(spec: Any, scope: Scope) -> Derived | None:
    """Give the derived type that a declaration names."""
    return scope.derived(str(spec.children[1]).lower()) if kind_of(spec) == "Declaration_Type_Spec" else None


def default_types(real_kind: int = 4) -> dict[str, tuple[Numeric | None, str]]:
    """Give the types of names that nothing declares, by their first letters."""
    real = REAL_KINDS[real_kind]
    return {letter: (INT if "i" <= letter <= "n" else real, "") for letter in "abcdefghijklmnopqrstuvwxyz"}


def require_type(symbol: Symbol) -> None:
    """Refuse a variable whose type is not read for what its declaration names and no module has."""
    scope = symbol.variable.home
    if scope is None:
        return
    for node in nodes_in([symbol.spec]):
        name = str(node).lower()
        if kind_of(node) in {"Name", "Type_Name"} and not scope.find(name) and scope.intrinsic_constant(name) is None:
            scope.require(name)
            if kind_of(node) == "Type_Name" and scope.derived(name) is None:
                raise refusal("unknown-type", scope.location(symbol.spec, name), name)


def implicit_type(scope: Scope, name: str) -> tuple[Numeric | None, str]:
    """Give the type of a name that is not declared."""
    return (scope.implicit or {}).get(name[0], (None, "undeclared"))
