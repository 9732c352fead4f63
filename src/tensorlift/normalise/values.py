"""The values that the symbolic execution of C computes with.

An ``Index`` is an integer known as an exact polynomial of sizes and loop variables; an ``Address`` is a pointer
into an array at such polynomials; ``Data`` is a value of the emitted program; ``Unknown`` is an integer or pointer
without a closed form, refused where it is used; a ``Choice`` is one with two of them. A ``Slot`` is the memory of a
scalar variable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.ir.nodes import Variable
from tensorlift.poly.index_arithmetic import Index, Need

if TYPE_CHECKING:
    from xdsl.dialects.memref import GlobalOp
    from xdsl.ir import Operation, SSAValue

    from tensorlift.diagnostics import Location
    from tensorlift.ops.c_types import CType
    from tensorlift.poly.loops import Domain
    from tensorlift.poly.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Data:
    """A value of the emitted program; ``literal`` is set for constants.

    ``truth`` marks an ``i1``: the result of a comparison, an ``int`` in C.
    """

    ssa: SSAValue
    ctype: CType
    literal: float | None = None
    truth: bool = False


@dataclass(frozen=True, slots=True)
class Address:
    """A pointer: an array, or a variable whose pointer value at the entry of a loop is meant, and the subscripts."""

    base: Array | Variable
    subscripts: tuple[Polynomial, ...]
    needs: tuple[Need, ...] = ()


@dataclass(frozen=True, slots=True)
class Unknown:
    """No closed form; ``reason`` and ``detail`` say which refusal to raise where the value is used."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Slot:
    """The memory of a scalar variable."""

    array: Array


@dataclass(frozen=True, slots=True)
class Choice:
    """An integer or pointer with one closed form where all conditions (``polynomial >= 0``) hold, another elsewhere."""

    conditions: tuple[Polynomial, ...]
    then: Index | Address | Choice
    otherwise: Index | Address | Choice


@dataclass(slots=True, eq=False)
class Access:
    """One load or store: the operation to complete once the shape of the array is known, None where there is none."""

    subscripts: tuple[Polynomial, ...]
    domain: Domain
    location: Location
    operation: Operation | None

    @property
    def loops(self) -> frozenset[str]:
        """The variables of the loops around."""
        return self.domain.variables


@dataclass(slots=True, eq=False)
class Array:
    """An array or the memory of a scalar: a parameter or a local object.

    ``extents`` are the declared ones, outermost first, None where there is none; ``ssa`` is the emitted value.
    ``row_table`` marks a table of pointers to rows (``T **``): each row is contiguous, the rows lie anywhere.
    ``is_object`` marks a global or a member that is an array itself: its declared extents are exact.
    ``keeps_rank`` marks an array that is no flat memory: each subscript stays in its dimension.
    ``at_places`` marks flat memory that is read at computed places, as no dimensions hold its subscripts.
    ``exact`` holds the extents that it must have where the function ends, outermost first (None: any); ``settled`` are
    those of each place at which it ends.
    ``inferred`` are the axes whose extents no declaration tells: accesses do.
    ``table`` is the memory of literal IR that holds its contents, of a table of constants.
    """

    name: str
    element: CType
    extents: list[Polynomial | None]
    location: Location
    c_type: str = ""
    is_parameter: bool = False
    row_table: bool = False
    is_object: bool = False
    keeps_rank: bool = False
    at_places: bool = False
    exact: tuple[Polynomial | None, ...] = ()
    settled: list[tuple[list[Polynomial | None], Domain]] = field(default_factory=list)
    position: int = -1
    table: GlobalOp | None = None
    subscripted: bool = False
    ssa: SSAValue | None = None
    accesses: list[Access] = field(default_factory=list)
    gathers: list[Access] = field(default_factory=list)  # at subscripts of which some depend on data
    strides: list[Polynomial] | None = None
    inferred: list[int] = field(default_factory=list)

    @property
    def is_stored_to(self) -> bool:
        """Whether something is stored into it, at whatever place."""
        operations = (access.operation for access in (*self.accesses, *self.gathers))
        return any(op is not None and op.name in {"affine.store", "memref.store"} for op in operations)


DATA_PLACE = "%"  # begins the variables that stand for subscripts that depend on data: no name of C does


def depends_on_data(subscript: Polynomial) -> bool:
    """Tell whether a subscript depends on data."""
    return any(name.startswith(DATA_PLACE) for name in subscript.variables())


Value: TypeAlias = Index | Data | Address | Unknown
Binding: TypeAlias = Index | Data | Address | Unknown | Choice | Slot
Environment: TypeAlias = dict[Variable, Binding]
