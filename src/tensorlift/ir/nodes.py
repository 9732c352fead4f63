"""Signatures of functions, as all front ends tell them: parameters, and extents of arrays, which are made of sizes.

Nodes compare by identity, and have a location.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location
    from tensorlift.ops.c_types import CType


@dataclass(slots=True, eq=False)
class Variable:
    """A declared parameter or variable; ``extents`` holds the array extents, outermost first (None where missing).

    ``access`` says how C reaches what is no parameter by itself: ``m->rows``, ``x[].re`` or the name of a global.
    An array that ``keeps_rank`` is indexed in its dimensions alone: it is no flat memory. The declared extents of one
    that ``is_object`` are those of the object, where those of a C parameter are its word alone. A scalar that
    ``is_reference`` is read from memory that the caller chooses, as ``const double &`` of C++ is; one that
    ``is_object`` too is a member of an object there.
    """

    name: str
    ctype: CType
    location: Location
    extents: tuple[Expression | None, ...] = ()
    is_initialised: bool = False
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
class Negated:
    """``-x``."""

    operand: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Binary:
    """A binary operator without side effect."""

    operator: str
    left: Expression
    right: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Cast:
    """A conversion."""

    operand: Expression
    ctype: CType
    location: Location


@dataclass(slots=True, eq=False)
class Unsupported:
    """What is no sum of sizes."""

    location: Location


Expression: TypeAlias = Integer | Floating | Name | Negated | Binary | Cast | Unsupported


@dataclass(slots=True, eq=False)
class Function:
    """What a function takes and gives.

    ``parameters`` hold the used members in place of a structure; ``declared`` are those that the source declares, and
    ``outer`` the global variables that the function and its callees use; ``structures`` declare those of parameters.
    ``returned`` is the type of what C returns through memory or has as an argument: a pointer, a structure, a pair.
    """

    name: str
    parameters: tuple[Variable, ...]
    result: CType
    location: Location
    declared: tuple[Variable, ...] = ()
    outer: tuple[Variable, ...] = ()
    structures: tuple[str, ...] = ()
    returned: str = ""


def names_in(expression: Expression) -> set[Variable]:
    """Collect the variables that an expression names, without recursion."""
    found, work = set[Variable](), [expression]
    while work:
        match work.pop():
            case Name(variable=variable):
                found.add(variable)
            case Binary(left=left, right=right):
                work += [left, right]
            case Negated(operand=operand) | Cast(operand=operand):
                work.append(operand)
    return found
