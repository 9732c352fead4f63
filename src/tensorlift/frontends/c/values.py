"""The values that the symbolic execution of C computes with.

An ``Index`` is an integer known as an exact polynomial of sizes and loop variables; an ``Address`` is a pointer
into an array at such polynomials; ``Data`` is a value of the emitted program; ``Unknown`` is an integer or pointer
without a closed form, refused where it is used; a ``Choice`` is one with two of them. A ``Slot`` is the memory of a
scalar variable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.frontends.c.nodes import Variable

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.c_types import CType, IntegerType


@dataclass(frozen=True, slots=True)
class Need:
    """A condition, ``polynomial >= 0``, under which a polynomial equals the value that C computes.

    Without it a ``wraps`` value is still right modulo the range of its type.
    """

    kind: str
    polynomial: Polynomial
    location: Location
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An integer value with its C type; ``needs`` are the conditions that its exactness rests on."""

    polynomial: Polynomial
    ctype: IntegerType
    needs: tuple[Need, ...] = ()


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


@dataclass(frozen=True, slots=True)
class LoopRange:
    """A loop variable and its bounds: ``lower <= variable < min(uppers)`` in steps of ``step``."""

    variable: str
    lower: Polynomial
    uppers: tuple[Polynomial, ...]
    step: int = 1

    def below(self, position: int) -> LoopRange:
        """Give the range below one of the upper bounds, the last one where there are not so many."""
        return LoopRange(self.variable, self.lower, (self.uppers[min(position, len(self.uppers) - 1)],))


@dataclass(frozen=True, slots=True)
class NotZero:
    """The condition that a polynomial is not zero."""

    polynomial: Polynomial


Known = tuple["Polynomial | NotZero", ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """The loops around a place, outermost first, and the conditions (``polynomial >= 0``, or not zero) that hold there.

    Equality is by value; the hash is kept, because questions about domains are looked up again and again.
    """

    loops: tuple[LoopRange, ...] = ()
    guards: tuple[Polynomial, ...] = ()
    apart: tuple[NotZero, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return self is other or (
            isinstance(other, Domain)
            and self.loops == other.loops
            and self.guards == other.guards
            and self.apart == other.apart
        )

    def __hash__(self) -> int:
        """Hash by value."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.loops, self.guards, self.apart))

    @cached_property
    def variables(self) -> frozenset[str]:
        """The loop variables."""
        return frozenset([loop.variable for loop in self.loops])

    @cached_property
    def choices(self) -> tuple[Domain, ...]:
        """The domains with one upper bound for each loop that together bound what several bounds do."""
        most = max([len(loop.uppers) for loop in self.loops], default=1)
        if most == 1:
            return (self,)
        return tuple(
            Domain(tuple([loop.below(position) for loop in self.loops]), self.guards) for position in range(most)
        )

    @cached_property
    def _outers(self) -> tuple[Domain, ...]:
        return tuple(Domain(self.loops[:depth]) for depth in range(len(self.loops)))

    def inside(self, loops: tuple[LoopRange, ...], known: Known) -> Domain:
        """Give the domain inside of more loops and conditions; of two that differ by a number, the stronger is kept."""
        apart = tuple([condition for condition in known if isinstance(condition, NotZero)])
        least = dict(self._least)
        for condition in known:
            if not isinstance(condition, NotZero):
                slope, constant = _without_constant(condition)
                least[slope] = min(constant, least.get(slope, constant))
        guards = tuple([slope + Polynomial.constant(constant) for slope, constant in least.items()])
        return Domain(self.loops + loops, guards, self.apart + apart)

    def says(self, polynomial: Polynomial) -> bool:
        """Whether one of the conditions says that a polynomial is not negative."""
        slope, constant = _without_constant(polynomial)
        return slope in self._least and self._least[slope] <= constant

    @cached_property
    def _least(self) -> dict[Polynomial, int]:
        return dict(map(_without_constant, self.guards))

    def around(self, depth: int) -> Domain:
        """Give the loops outside the one at a depth, without conditions."""
        return self._outers[depth]


def _without_constant(polynomial: Polynomial) -> tuple[Polynomial, int]:
    constant = polynomial.terms.get((), 0)
    return polynomial - Polynomial.constant(constant), constant


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
class Gather:
    """One load at subscripts of which some depend on data: the operation, and the places that it needs as values."""

    location: Location
    operation: Operation
    places: tuple[SSAValue, ...]


@dataclass(slots=True, eq=False)
class Array:
    """An array or the memory of a scalar: a parameter or a local object.

    ``extents`` are the declared ones, outermost first, None where there is none; ``ssa`` is the emitted value.
    ``row_table`` marks a table of pointers to rows (``T **``): each row is contiguous, the rows lie anywhere.
    ``is_object`` marks a global or a member that is an array itself: its declared extents are exact.
    ``keeps_rank`` marks an array that is no flat memory: each subscript stays in its dimension.
    ``exact`` holds the extents that it must have where the function ends, outermost first (None: any); ``settled`` are
    those of each place at which it ends.
    ``inferred`` are the axes whose extents no declaration tells: accesses do.
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
    exact: tuple[Polynomial | None, ...] = ()
    settled: list[tuple[list[Polynomial | None], Domain]] = field(default_factory=list)
    position: int = -1
    subscripted: bool = False
    ssa: SSAValue | None = None
    accesses: list[Access] = field(default_factory=list)
    gathers: list[Gather] = field(default_factory=list)
    strides: list[Polynomial] | None = None
    inferred: list[int] = field(default_factory=list)


DATA_PLACE = "%"  # begins the variables that stand for subscripts that depend on data: no name of C does


def depends_on_data(subscript: Polynomial) -> bool:
    """Tell whether a subscript depends on data."""
    return any(name.startswith(DATA_PLACE) for name in subscript.variables())


Value: TypeAlias = Index | Data | Address | Unknown
Binding: TypeAlias = Index | Data | Address | Unknown | Choice | Slot
Environment: TypeAlias = dict[Variable, Binding]
