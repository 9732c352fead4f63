"""The typed syntax tree of one C function: what libclang tells, reduced to what the front end needs.

Nodes compare by identity. Every node has a location; every expression has its C type, implicit conversions included
as ``Cast``. What the front end cannot read becomes ``Unsupported``, and is refused only where it is reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.diagnostics import Location
    from tensorlift.ops.c_types import CType


@dataclass(slots=True, eq=False)
class Variable:
    """A declared parameter or variable; ``extents`` holds the array extents, outermost first (None where missing).

    ``access`` says how C reaches what is no parameter by itself: ``m->rows``, ``x[].re`` or the name of a global.
    An array that ``keeps_rank`` is indexed in its dimensions alone: it is no flat memory. The declared extents of one
    that ``is_object`` are those of the object, where those of a C parameter are its word alone. A scalar that
    ``is_reference`` is read from memory that the caller chooses, as ``const double &`` of C++ is.
    """

    name: str
    ctype: CType
    location: Location
    extents: tuple[Expression | None, ...] = ()
    initialiser: Expression | None = None
    is_parameter: bool = False
    is_global: bool = False
    is_const: bool = False
    is_restrict: bool = False
    points_to_const: bool = False
    keeps_rank: bool = False
    is_reference: bool = False
    is_object: bool = False
    access: str = ""

    @property
    def symbol(self) -> str:
        """What literal IR calls a variable at file scope, or a member of one."""
        return self.access.removesuffix("[]") or self.name


@dataclass(slots=True, eq=False)
class Integer:
    """An integer constant."""

    value: int
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Floating:
    """A floating constant."""

    value: float
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Name:
    """A use of a variable."""

    variable: Variable
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Unary:
    """``-x``, ``~x``, ``!x``, ``*p``, ``&x`` and the four increments (``x++`` is ``post++``, ``++x`` is ``pre++``)."""

    operator: str
    operand: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Binary:
    """A binary operator without side effect of its own, the comma operator included."""

    operator: str
    left: Expression
    right: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Assign:
    """``target = value`` (operator is empty) or a compound assignment (``+`` for ``+=``)."""

    operator: str
    target: Expression
    value: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Subscript:
    """``base[index]``."""

    base: Expression
    index: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Cast:
    """A conversion; ``explicit`` where the source spells it."""

    operand: Expression
    ctype: CType
    location: Location
    explicit: bool


@dataclass(slots=True, eq=False)
class Conditional:
    """``condition ? then : otherwise``."""

    condition: Expression
    then: Expression
    otherwise: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Call:
    """A call by name; ``callee`` is the definition where the translation unit has one."""

    name: str
    arguments: tuple[Expression, ...]
    callee: Function | None
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class InitialiserList:
    """``{a, b, {c}}``."""

    items: tuple[Expression, ...]
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Unsupported:
    """An expression or statement outside the subset; ``kind`` is a row of the table of refusals."""

    kind: str
    ctype: CType
    location: Location
    detail: str = ""


Expression: TypeAlias = (
    Integer
    | Floating
    | Name
    | Unary
    | Binary
    | Assign
    | Subscript
    | Cast
    | Conditional
    | Call
    | InitialiserList
    | Unsupported
)


@dataclass(slots=True, eq=False)
class Block:
    """``{ ... }``, or several declarations in one statement, which are no scope."""

    statements: tuple[Statement, ...]
    location: Location
    is_scope: bool = True


@dataclass(slots=True, eq=False)
class Declare:
    """A declaration of one variable."""

    variable: Variable
    location: Location


@dataclass(slots=True, eq=False)
class Evaluate:
    """An expression statement."""

    expression: Expression
    location: Location


@dataclass(slots=True, eq=False)
class If:
    """``if (condition) then else otherwise``."""

    condition: Expression
    then: Statement
    otherwise: Statement | None
    location: Location


@dataclass(slots=True, eq=False)
class Loop:
    """A ``for``, ``while`` or ``do`` loop; absent parts are None."""

    keyword: str
    initial: Statement | None
    condition: Expression | None
    advance: Expression | None
    body: Statement
    location: Location


@dataclass(slots=True, eq=False)
class Return:
    """``return value;``."""

    value: Expression | None
    location: Location


Statement: TypeAlias = Block | Declare | Evaluate | If | Loop | Return | Unsupported


@dataclass(slots=True, eq=False)
class Function:
    """A function definition; ``body`` is filled when the function is first needed.

    ``parameters`` hold the used members in place of a structure; ``declared`` are those that the source declares, and
    ``outer`` the global variables that the function and its callees use.
    """

    name: str
    parameters: tuple[Variable, ...]
    result: CType
    location: Location
    body: Block
    is_variadic: bool = False
    declared: tuple[Variable, ...] = ()
    outer: tuple[Variable, ...] = ()


def name_of(variable: Variable, location: Location) -> Name:
    """Return a use of a variable."""
    return Name(variable, variable.ctype, location)


def assignment(target: Expression, value: Expression, location: Location) -> Evaluate:
    """Return the statement that assigns a value, which is of the target's type."""
    return Evaluate(Assign("", target, value, target.ctype, location), location)


def changed_by(node: Expression) -> Expression | None:
    """Return what a node assigns or steps; None where it does neither."""
    if isinstance(node, Assign):
        return node.target
    return node.operand if isinstance(node, Unary) and len(node.operator) > 1 else None


def without_casts(expression: Expression) -> Expression:
    """Return what conversions convert."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


# What is inside of expressions and statements, by the names of the fields.
OPERANDS: dict[type, tuple[str, ...]] = {
    Binary: ("left", "right"),
    Subscript: ("base", "index"),
    Unary: ("operand",),
    Cast: ("operand",),
    Assign: ("target", "value"),
    Conditional: ("condition", "then", "otherwise"),
    Call: ("arguments",),
    InitialiserList: ("items",),
}
EXPRESSIONS: dict[type, tuple[str, ...]] = {
    Evaluate: ("expression",),
    If: ("condition",),
    Loop: ("condition", "advance"),
    Return: ("value",),
}
STATEMENTS: dict[type, tuple[str, ...]] = {
    Block: ("statements",),
    If: ("then", "otherwise"),
    Loop: ("initial", "body"),
}


def parts(node: Any, fields: Mapping[type, tuple[str, ...]]) -> list[Any]:
    """List what the fields hold that a table names for a node."""
    held = (getattr(node, name) for name in fields.get(type(node), ()))
    return [part for one in held for part in (one if isinstance(one, tuple) else (one,)) if part is not None]


def statements_of(statement: Statement) -> Iterator[Statement]:
    """Yield a statement and those inside of it."""
    yield statement
    for inner in parts(statement, STATEMENTS):
        yield from statements_of(inner)
